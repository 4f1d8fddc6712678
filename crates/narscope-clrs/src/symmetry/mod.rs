//! Symmetries: transformations of a graph that preserve its shortest paths, one file each.
//!
//! A network that has learnt an algorithm should give the same answer for all images of a graph;
//! the latent-space paper studies the shape of their embeddings.

mod relabel;
mod rescale;
mod reweight;

use crate::Result;
use crate::graph::GraphInstance;
use crate::options::{OptionName, Options, bad};
use crate::registry;
use crate::rng::Rng;

/// A transformation of a graph that preserves its shortest paths.
#[derive(Debug)]
pub struct Symmetry {
    /// The registered name.
    pub name: &'static str,
    /// One-line description.
    pub summary: &'static str,
    /// Whether it changes weights: then it is a symmetry only of shortest-path algorithms.
    pub changes_weights: bool,
    /// The sampler option specific to it.
    pub option: Option<OptionName>,
    /// The range required of the weights of the base graph, if any.
    base_range: BaseRange,
    /// Draws a random image of a graph.
    image: fn(&GraphInstance, &mut Rng, &Options) -> Result<GraphInstance>,
}

/// Lower and upper bound of the weights of a base graph.
type BaseRange = fn(&Options) -> Result<Option<(f64, f64)>>;

/// All symmetries. To add one, write its file and add it here.
pub static ALL: &[Symmetry] = &[relabel::SYMMETRY, rescale::SYMMETRY, reweight::SYMMETRY];

/// Looks a symmetry up by name.
pub fn find(name: &str) -> Result<&'static Symmetry> {
    registry::find("symmetry", ALL, |symmetry| symmetry.name, name)
}

/// The options for sampling base graphs, with weights in the range that the symmetries require.
pub(crate) fn base_options(symmetries: &[&Symmetry], options: &Options) -> Result<Options> {
    let mut base = options.clone();
    for symmetry in symmetries {
        if let Some((low, high)) = (symmetry.base_range)(options)? {
            if let Some(asked) = options.low.filter(|&asked| asked < low) {
                let wanted =
                    format!("at least c = {low} ({} would make weights negative)", symmetry.name);
                return Err(bad("low", wanted, asked));
            }
            base.low = options.low.or(Some(low));
            base.high = options.high.or(Some(high));
        }
    }
    Ok(base)
}

/// A random image of `graph` under the symmetries, one after the other.
pub(crate) fn image(
    symmetries: &[&Symmetry],
    graph: &GraphInstance,
    rng: &mut Rng,
    options: &Options,
) -> Result<GraphInstance> {
    symmetries
        .iter()
        .try_fold(graph.clone(), |graph, symmetry| (symmetry.image)(&graph, rng, options))
}

pub use relabel::relabelled;
pub use rescale::rescaled;
pub use reweight::reweighted;

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::algorithms::bellman_ford::BellmanFord;
    use crate::algorithms::dijkstra::Dijkstra;
    use crate::algorithms::floyd_warshall::FloydWarshall;
    use crate::probe::Stage;
    use crate::signature::Value;
    use crate::trace::Traces;
    use crate::values::{EdgePointer, Grid, NodeMask, NodePointer, NodeScalar};

    /// Multiples of 1/1024, which add without rounding, so that identities hold bit for bit.
    fn fraction(numerator: u32) -> f64 {
        f64::from(numerator) / 1024.0
    }

    /// A graph with weights in [1/4, 3/4], potentials in [0, 1/4), and a permutation of its nodes.
    fn graphs() -> impl Strategy<Value = (GraphInstance, Vec<f64>, Vec<usize>)> {
        (2usize..9).prop_flat_map(|n| {
            let weights = proptest::collection::vec(
                proptest::option::of((256u32..=768).prop_map(fraction)),
                n * n,
            );
            let potential = proptest::collection::vec((0u32..256).prop_map(fraction), n);
            let order = Just((0..n).collect::<Vec<_>>()).prop_shuffle();
            (weights, 0..n, potential, order).prop_map(
                move |(weights, source, potential, order)| {
                    let cells = weights.into_iter().map(|weight| weight.unwrap_or(0.0)).collect();
                    let graph = GraphInstance { weights: Grid::from_cells(n, cells), source };
                    (graph, potential, order)
                },
            )
        })
    }

    /// The values of a hint at every step.
    fn hints<V: Value>(traces: &Traces, name: &str) -> Vec<V> {
        let column = traces.find(Stage::Hint, name).unwrap();
        (0..traces.steps(0))
            .map(|step| V::read(traces.nodes, &traces.columns[column], step))
            .collect()
    }

    /// Transformed distances of the reached nodes at every step.
    fn distances(traces: &Traces, image: impl Fn(usize, f64) -> f64) -> Vec<Vec<Option<f64>>> {
        let (all, reached) = (hints::<NodeScalar>(traces, "d"), hints::<NodeMask>(traces, "msk"));
        let at = |(d, msk): (NodeScalar, NodeMask)| {
            (0..d.len()).map(|u| msk[u].then(|| image(u, d[u]))).collect()
        };
        all.into_iter().zip(reached).map(at).collect()
    }

    #[test]
    fn every_file_is_registered() {
        let names: Vec<&str> = ALL.iter().map(|symmetry| symmetry.name).collect();
        registry::tests::assert_files_are_registered("src/symmetry", &names);
    }

    proptest! {
        #[test]
        fn reweighting_keeps_the_tree_and_shifts_distances_at_every_step(
            (graph, h, _) in graphs(),
        ) {
            let s = graph.source;
            let plain = Traces::of::<BellmanFord>(graph.clone());
            let image = Traces::of::<BellmanFord>(reweighted(&graph, &h));

            prop_assert_eq!(hints::<NodePointer>(&plain, "pi_h"), hints(&image, "pi_h"));
            let shifted = distances(&plain, |u, d| d + h[s] - h[u]);
            prop_assert_eq!(shifted, distances(&image, |_, d| d));
        }

        #[test]
        fn reweighting_keeps_the_answers_of_the_other_shortest_path_algorithms(
            (graph, h, _) in graphs(),
        ) {
            let image = reweighted(&graph, &h);
            let pi = |graph: &GraphInstance| {
                Traces::of::<FloydWarshall>(graph.clone()).last::<EdgePointer>("Pi")
            };
            prop_assert_eq!(pi(&graph), pi(&image));
            // Dijkstra may settle nodes in another order and then break ties differently.
            let reach = |graph: &GraphInstance| {
                Traces::of::<Dijkstra>(graph.clone()).last::<NodeMask>("mark")
            };
            prop_assert_eq!(reach(&graph), reach(&image));
        }

        #[test]
        fn rescaling_keeps_the_tree_and_scales_distances_at_every_step((graph, ..) in graphs()) {
            let factor = 0.75;
            let plain = Traces::of::<BellmanFord>(graph.clone());
            let image = Traces::of::<BellmanFord>(rescaled(&graph, factor));

            prop_assert_eq!(hints::<NodePointer>(&plain, "pi_h"), hints(&image, "pi_h"));
            prop_assert_eq!(distances(&plain, |_, d| factor * d), distances(&image, |_, d| d));
        }

        #[test]
        fn relabelling_permutes_distances_at_every_step_and_the_tree_if_there_are_no_ties(
            (graph, _, order) in graphs(),
            seed: u32,
        ) {
            // The lowest index wins ties between equally short paths, so use weights without ties.
            let mut rng = Rng::seeded(seed);
            let weights = &graph.weights;
            let unequal = Grid::from_fn(weights.nodes(), |u, v| match weights[(u, v)] {
                0.0 => 0.0,
                weight => weight + rng.uniform(0.0, 1e-3),
            });
            let graph = GraphInstance { weights: unequal, ..graph };
            let new_label = |old: usize| order.iter().position(|&o| o == old).unwrap();

            let plain = Traces::of::<BellmanFord>(graph.clone());
            let image = Traces::of::<BellmanFord>(relabelled(&graph, &order));

            let relabelled: Vec<NodePointer> = hints::<NodePointer>(&plain, "pi_h")
                .iter()
                .map(|pi| order.iter().map(|&old| new_label(pi[old])).collect())
                .map(crate::values::Node)
                .collect();
            prop_assert_eq!(relabelled, hints::<NodePointer>(&image, "pi_h"));
            let permuted: Vec<Vec<Option<f64>>> = distances(&plain, |_, d| d)
                .iter()
                .map(|d| order.iter().map(|&old| d[old]).collect())
                .collect();
            prop_assert_eq!(permuted, distances(&image, |_, d| d));
        }

        #[test]
        fn symmetries_compose_and_images_stay_within_the_unit_interval(seed: u32, c in 0.05..0.5) {
            let options = Options {
                family: "grid+relabel+reweight".parse().unwrap(),
                classes: Some(2),
                c: Some(c),
                ..Options::default()
            };
            let entry = crate::algorithms::find("bellman_ford").unwrap();
            let traces = entry.generate(&mut Rng::seeded(seed), 9, &options, 6).unwrap();

            let weights = traces.columns[traces.find(Stage::Input, "A").unwrap()].unpacked();
            let of = |i: usize| &weights.plain::<f64>()[81 * i..81 * (i + 1)];
            for i in 0..6 {
                let edges: Vec<f64> = of(i).iter().copied().filter(|&w| w != 0.0).collect();
                prop_assert_eq!(edges.len(), 24, "a grid of 3 x 3 has 12 edges");
                let outside = edges.iter().find(|&&w| !(0.0..1.0).contains(&w));
                prop_assert_eq!(outside, None);
                // The two directions of an edge sum to twice the base weight for any potential: an
                // invariant that distinguishes the classes.
                let total: f64 = edges.iter().sum();
                let same_class: f64 = of((i + 2) % 6).iter().sum();
                prop_assert!((total - same_class).abs() < 1e-9, "{total} and {same_class}");
            }
        }
    }
}
