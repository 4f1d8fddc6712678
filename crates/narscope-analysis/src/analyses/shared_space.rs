//! Several algorithms in one network: does one latent space hold them apart, or together?
//!
//! The algorithms run on the same graphs wherever both of a pair accept them: undirected ones, or else acyclic ones.
//! Executions differ in length, so states are compared at the same fractions of each. Two untrained networks are the
//! floor: what inputs and architecture alone make similar.

use narscope_clrs::algorithms;
use narscope_clrs::instance::user::{Data, UserInstance};
use narscope_clrs::options::{Direction, OptionName, Options};
use narscope_clrs::probe::Stage;
use narscope_clrs::rng::Rng;
use narscope_clrs::trace::Traces;
use narscope_model::pooling::Pooling;
use narscope_model::rollout::NoHook;
use narscope_model::trajectory::Trajectories;
use serde::{Deserialize, Serialize};

use super::dimensionality::three;
use super::{Analysis, Measure};
use crate::analysed::AnalysedModel;
use crate::context::{Context, Request};
use crate::linalg::separation::{nearest_centroid_accuracy, variance_between};
use crate::linalg::{Pca, Points, debiased_linear_cka, representational_similarity};
use crate::{Error, Result};

/// States are compared after the first step, after the last, and at this many equal distances between.
const QUARTERS: usize = 4;
/// Number of states of a graph that are compared.
const STATES: usize = QUARTERS + 1;
/// Most graphs: more change the similarities less than other seeds do.
const MOST_GRAPHS: usize = 128;
/// Number of untrained networks.
const UNTRAINED: u32 = 2;
/// Folds of the cross-validation.
const FOLDS: usize = 5;
/// Most states whose pairwise distances are compared.
const MOST_DISTANCES: usize = 600;
/// Number of graphs that are drawn.
const DRAWN: usize = 40;
/// Number of principal components.
const COMPONENTS: usize = 3;

/// How the algorithms of a network share its latent space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SharedSpace {
    /// Number of graphs.
    pub graphs: usize,
    /// Nodes of each.
    pub nodes: usize,
    /// The algorithms.
    pub algorithms: Vec<String>,
    /// The network.
    pub trained: Arrangement,
    /// Networks of the same configuration that were not trained.
    pub untrained: Vec<Arrangement>,
    /// Per algorithm and graph, coordinates of states in the first joint principal components: the maximum over nodes
    /// after the first step, after the last, and at equal distances between.
    pub drawn: Vec<Vec<Vec<[f32; 3]>>>,
    /// Share of the variance of these components.
    pub ratios: Vec<f64>,
}

/// Where the states of the algorithms are in one network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arrangement {
    /// Similarities of every pair of algorithms, over states of the same nodes.
    pub similarity: Similarity,
    /// Share of the variance of graph states that is between algorithms.
    pub between: Option<f64>,
    /// Accuracy of telling the algorithm of a graph state by the nearest centroid, cross-validated over graphs.
    pub told_apart: f64,
}

/// Similarities by row and column; `None` for pairs that accept no common graphs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Similarity {
    /// Debiased linear CKA.
    pub cka: Vec<Vec<Option<f64>>>,
    /// Representational similarity.
    pub rsa: Vec<Vec<Option<f64>>>,
}

/// The mean over all pairs that have a value.
pub fn mean_of_pairs(matrix: &[Vec<Option<f64>>]) -> Option<f64> {
    let pairs = matrix.iter().enumerate().flat_map(|(row, values)| values[..row].iter());
    mean(pairs.flatten().copied())
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

impl SharedSpace {
    /// The mean of a number over the untrained networks.
    pub fn floor(&self, of: impl Fn(&Arrangement) -> Option<f64>) -> Option<f64> {
        mean(self.untrained.iter().filter_map(of))
    }
}

impl Analysis for SharedSpace {
    const NAME: &'static str = "shared_space";
    const QUESTION: &'static str =
        "Does one latent space hold several algorithms apart, or together?";
    const PAPER: &'static str = "Section 6, future work";
    const COMPARES_ALGORITHMS: bool = true;

    fn run(context: &Context<'_>) -> Result<Self> {
        context.require_random_samples(Self::NAME)?;
        let model = context.model(Self::NAME)?;
        let algorithms = &model.config().algorithms;
        if algorithms.len() < 2 {
            let found = format!("this one has {}", algorithms.join(", "));
            return Err(Error::unsuitable(Self::NAME, "a network of several algorithms", found));
        }
        let graphs = context.sampling.scored.clamp(FOLDS, MOST_GRAPHS);
        let samples = Samples::draw(context, model, graphs)?;
        let states = samples.states(context, model)?;
        let untrained = (1..=UNTRAINED).map(|other| {
            let untrained = model.untrained(model.config().seed.wrapping_add(1_000_000 + other))?;
            samples.states(context, &untrained)?.arrangement()
        });
        let untrained = untrained.collect::<Result<Vec<_>>>()?;
        let pca = Pca::of(&joined(&states.pooled), COMPONENTS)?;
        let drawn = states.pooled.iter().map(|points| {
            let places: Vec<[f32; 3]> = points
                .iter()
                .take(DRAWN * STATES)
                .map(|point| three(&pca.project(point)))
                .collect();
            places.chunks(STATES).map(<[[f32; 3]]>::to_vec).collect()
        });
        Ok(Self {
            graphs,
            nodes: context.sampling.length,
            algorithms: algorithms.clone(),
            drawn: drawn.collect(),
            ratios: pca.ratios.clone(),
            trained: states.arrangement()?,
            untrained,
        })
    }

    fn sentence(&self) -> String {
        let number = |it: Option<f64>| it.map_or("no value".to_owned(), |it| format!("{it:.2}"));
        let percent =
            |it: Option<f64>| it.map_or("no share".to_owned(), |it| format!("{:.1} %", 100.0 * it));
        let both = |of: fn(&Arrangement) -> Option<f64>, write: &dyn Fn(Option<f64>) -> String| {
            format!("{} (untrained: {})", write(of(&self.trained)), write(self.floor(of)))
        };
        format!(
            "States of the same nodes in two algorithms have a mean debiased CKA of {} and a mean representational \
             similarity of {}. The algorithm explains {} of the variance of graph states, and the nearest centroid tells \
             that of {}; chance is {:.1} %.",
            both(|it| mean_of_pairs(&it.similarity.cka), &number),
            both(|it| mean_of_pairs(&it.similarity.rsa), &number),
            both(|it| it.between, &percent),
            both(|it| Some(it.told_apart), &percent),
            100.0 / self.algorithms.len() as f64,
        )
    }

    fn measures(&self) -> Vec<Measure> {
        let mut measures = vec![];
        let mut add = |key: &str,
                       label: &str,
                       is_share: bool,
                       of: fn(&Arrangement) -> Option<f64>| {
            let values =
                [("", "", of(&self.trained)), ("_untrained", ", untrained", self.floor(of))];
            for (suffix, words, value) in values {
                let (key, label) = (format!("{key}{suffix}"), format!("{label}{words}"));
                measures.extend(
                    value.map(|value| Measure { is_share, ..Measure::number(key, label, value) }),
                );
            }
        };
        add("cka", "debiased CKA between algorithms", false, |it| {
            mean_of_pairs(&it.similarity.cka)
        });
        let label = "representational similarity between algorithms";
        add("rsa", label, false, |it| mean_of_pairs(&it.similarity.rsa));
        add("between", "variance of graph states between algorithms", true, |it| it.between);
        let label = "algorithm told by the nearest centroid";
        add("told_apart", label, true, |it| Some(it.told_apart));
        let Similarity { cka, rsa } = &self.trained.similarity;
        for (what, label, matrix) in [("cka", "debiased CKA", cka), ("rsa", "RSA", rsa)] {
            for (row, one) in self.algorithms.iter().enumerate() {
                for (other, value) in self.algorithms[..row].iter().zip(&matrix[row]) {
                    let key = format!("{what}_{other}_{one}");
                    let label = format!("{label}, {other} and {one}");
                    measures.extend(value.map(|value| Measure::number(key, label, value)));
                }
            }
        }
        measures
    }
}

/// What all algorithms of a network run on.
struct Samples {
    graphs: usize,
    /// Per kind of graph, the samples of each algorithm that accepts it.
    shared: Vec<Vec<Option<Traces>>>,
    /// Per algorithm, its samples of the first kind that it accepts, or its own.
    alone: Vec<Alone>,
}

/// Samples that are compared with those of other algorithms as groups of points only.
enum Alone {
    /// Those of a kind of shared graphs.
    Shared(usize),
    /// As the algorithm draws them.
    Own(Traces),
}

impl Samples {
    fn draw(context: &Context<'_>, model: &AnalysedModel, graphs: usize) -> Result<Self> {
        let (length, seed) = (context.sampling.length, context.sampling.seed.wrapping_add(800));
        let tasks = model.every_task();
        let mut shared = vec![];
        for direction in [Direction::Undirected, Direction::Acyclic] {
            let instances = instances(direction, length, seed, graphs)?;
            shared.push(tasks.iter().map(|task| traces(task, &instances)).collect::<Vec<_>>());
        }
        let alone = tasks.iter().enumerate().map(|(task, model)| {
            let kind = shared.iter().position(|kind| kind[task].is_some());
            let own = || model.draw(length, &Options::default(), seed, graphs).map(Alone::Own);
            kind.map_or_else(own, |kind| Ok(Alone::Shared(kind)))
        });
        Ok(Self { graphs, alone: alone.collect::<Result<_>>()?, shared })
    }

    /// Runs a network on all samples.
    fn states(&self, context: &Context<'_>, model: &AnalysedModel) -> Result<States> {
        let tasks = model.every_task();
        let mut of_nodes = vec![];
        let mut pooled: Vec<Option<Points>> = vec![None; tasks.len()];
        for (kind, samples) in self.shared.iter().enumerate() {
            let mut states = vec![];
            for (task, model) in tasks.iter().enumerate() {
                let recorded = match &samples[task] {
                    Some(traces) => Some(compared_states(context, model, traces)?),
                    None => None,
                };
                let is_alone = matches!(self.alone[task], Alone::Shared(own) if own == kind);
                let (nodes, graphs) = recorded.unzip();
                if is_alone {
                    pooled[task] = graphs;
                }
                states.push(nodes);
            }
            of_nodes.push(states);
        }
        for ((samples, model), pooled) in self.alone.iter().zip(&tasks).zip(&mut pooled) {
            if let Alone::Own(traces) = samples {
                *pooled = Some(compared_states(context, model, traces)?.1);
            }
        }
        let pooled = pooled.into_iter().flatten().collect();
        Ok(States { graphs: self.graphs, of_nodes, pooled })
    }
}

/// Random graphs as every algorithm reads them: with weights and a source.
fn instances(
    direction: Direction,
    length: usize,
    seed: u32,
    count: usize,
) -> Result<Vec<UserInstance>> {
    // Samplers of weighted graphs with a source.
    let sampler = match direction {
        Direction::Acyclic => "dag_shortest_paths",
        Direction::Undirected | Direction::Directed => "bellman_ford",
    };
    let sampler = algorithms::find(sampler)?;
    let options = Options { direction: Some(direction), ..Options::default() };
    let drawn = sampler.generate(&mut Rng::seeded(seed), length, &options, count)?;
    let input = |name: &str| drawn.find(Stage::Input, name).expect("an input of shortest paths");
    let (weights, source) = (input("A"), input("s"));
    let of = |graph: usize| {
        let cells = drawn.dense(weights, graph);
        let source = drawn.dense(source, graph).iter().position(|&x| x == 1.0);
        let data = Data::Matrix { columns: length, cells };
        UserInstance { source: source.map(|node| node.to_string()), ..UserInstance::new(data) }
    };
    Ok((0..count).map(of).collect())
}

/// The traces of an algorithm on graphs; `None` if it does not accept them all.
fn traces(model: &AnalysedModel, instances: &[UserInstance]) -> Option<Traces> {
    let entry = model.spec().entry;
    // Algorithms that read matrices as something else than graphs have no directions.
    let is_of_graphs = entry.options(&Options::default()).contains(&OptionName::Direction);
    let mut all: Option<Traces> = None;
    for instance in instances.iter().filter(|_| is_of_graphs) {
        let one = model.task().instance(instance).ok()?;
        let all = all.get_or_insert_with(|| Traces::new(one.probes.clone(), one.nodes));
        all.push_from(&one, 0);
    }
    all
}

/// States of all nodes, and their maxima over nodes, at fractions of the executions.
fn compared_states(
    context: &Context<'_>,
    model: &AnalysedModel,
    traces: &Traces,
) -> Result<(Points, Points)> {
    /// Graphs whose whole rollouts are kept at once.
    const AT_ONCE: usize = 16;
    let request = Request { pooling: Pooling::All, ..Request::new(traces.len()) };
    let hidden = model.config().hidden_size;
    let (mut of_nodes, mut pooled) = (Points::new(hidden), Points::new(hidden));
    let places: Vec<usize> = (0..traces.len()).collect();
    for some in places.chunks(AT_ONCE) {
        let some = traces.select(some);
        let all = context.record(SharedSpace::NAME, model, &some, &request, &mut NoHook)?;
        for state in (0..all.len()).flat_map(|graph| at_fractions(&all, graph)) {
            of_nodes.data.extend_from_slice(state);
            Pooling::Max.push(state, hidden, &mut pooled.data);
        }
    }
    Ok((of_nodes, pooled))
}

/// The states of a graph at fractions of its steps.
fn at_fractions(all: &Trajectories, graph: usize) -> impl Iterator<Item = &[f32]> {
    let last = all.steps(graph) - 1;
    // Rounded to the nearest step.
    (0..STATES).map(move |part| all.state(graph, (2 * part * last + QUARTERS) / (2 * QUARTERS)))
}

/// States of every algorithm in one network.
struct States {
    graphs: usize,
    /// Per kind of graph and algorithm, the states of all nodes, in the same order for all algorithms.
    of_nodes: Vec<Vec<Option<Points>>>,
    /// Per algorithm, the maxima over nodes, graph after graph.
    pooled: Vec<Points>,
}

impl States {
    fn arrangement(&self) -> Result<Arrangement> {
        let graphs = self.graphs;
        debug_assert!(self.pooled.iter().all(|points| points.len() == graphs * STATES));
        Ok(Arrangement {
            similarity: Similarity {
                cka: self.matrix(debiased_linear_cka)?,
                rsa: self.matrix(|a, b| {
                    representational_similarity(
                        &a.spaced(MOST_DISTANCES),
                        &b.spaced(MOST_DISTANCES),
                    )
                })?,
            },
            between: variance_between(&self.pooled),
            told_apart: nearest_centroid_accuracy(&self.pooled, |point| point / STATES % FOLDS),
        })
    }

    /// The similarity of every pair, on the first kind of graphs that both accept.
    fn matrix(
        &self,
        of: impl Fn(&Points, &Points) -> Result<Option<f64>>,
    ) -> Result<Vec<Vec<Option<f64>>>> {
        let count = self.pooled.len();
        let mut matrix = vec![vec![None; count]; count];
        for one in 0..count {
            for other in 0..=one {
                let mut kinds = self.of_nodes.iter();
                let common = kinds.find_map(|kind| kind[one].as_ref().zip(kind[other].as_ref()));
                let value = common.map_or(Ok(None), |(a, b)| of(a, b))?;
                matrix[one][other] = value;
                matrix[other][one] = value;
            }
        }
        Ok(matrix)
    }
}

/// All points of all groups.
fn joined(groups: &[Points]) -> Points {
    let data = groups.iter().flat_map(|group| group.data.iter().copied()).collect();
    Points { dimensions: groups.first().map_or(0, |group| group.dimensions), data }
}

#[cfg(test)]
mod tests {
    use narscope_model::config::Draft;
    use narscope_model::{Model, OpenModel as _};

    use super::*;
    use crate::context::NoProgress;
    use crate::sampling::Sampling;

    const SAMPLING: Sampling = Sampling { length: 6, scored: 10, ..Sampling::QUICK };

    fn untrained(algorithms: &str) -> AnalysedModel {
        let config = format!("algorithms = {algorithms}\nprocessor_type = 'pgn'\nhidden_size = 4");
        let model = Model::initial(&Draft::parse(&config).unwrap().finish().unwrap()).unwrap();
        let first = model.config().algorithms[0].clone();
        AnalysedModel::new("untrained".to_owned(), model, Some(&first)).unwrap()
    }

    #[test]
    fn graph_algorithms_are_compared_on_the_same_graphs() {
        let model =
            untrained("['bellman_ford', 'bfs', 'mst_prim', 'dag_shortest_paths', 'minimum']");
        let samples = Samples::draw(&Context::new(&model, SAMPLING, &NoProgress), &model, 10);
        let Samples { shared, alone, .. } = samples.unwrap();
        let accepted = |kind: usize| shared[kind].iter().map(Option::is_some).collect::<Vec<_>>();
        assert_eq!(accepted(0), [true, true, true, false, false], "undirected");
        assert_eq!(accepted(1), [true, true, true, true, false], "acyclic");
        assert!(matches!(alone[3], Alone::Shared(1)) && matches!(alone[4], Alone::Own(_)));
        // The same edges and the same source, whatever the algorithm reads.
        let input = |task: usize, name: &str| {
            let traces = shared[0][task].as_ref().unwrap();
            let column = traces.find(Stage::Input, name).unwrap();
            (0..traces.len()).map(|graph| traces.dense(column, graph)).collect::<Vec<_>>()
        };
        for task in [1, 2] {
            assert_eq!(input(0, "adj"), input(task, "adj"));
            assert_eq!(input(0, "s"), input(task, "s"));
        }
    }

    #[test]
    fn every_pair_that_can_share_graphs_has_similarities() {
        let model = untrained("['bellman_ford', 'dag_shortest_paths', 'minimum']");
        let context = Context::new(&model, SAMPLING, &NoProgress);
        let found = SharedSpace::run(&context).unwrap();
        assert_eq!(found.untrained.len(), 2);
        assert_ne!(found.untrained[0], found.untrained[1], "other weights");
        for arrangement in found.untrained.iter().chain([&found.trained]) {
            for matrix in [&arrangement.similarity.cka, &arrangement.similarity.rsa] {
                assert!((matrix[0][0].unwrap() - 1.0).abs() < 1e-9);
                assert!(matrix[1][0].is_some() && matrix[1][0] == matrix[0][1]);
                assert_eq!(matrix[2], [None; 3], "minimum reads no graphs");
            }
            assert!((0.0..=1.0).contains(&arrangement.told_apart));
            assert!((0.0..=1.0).contains(&arrangement.between.unwrap()));
        }
        assert_eq!(found.drawn.iter().map(Vec::len).collect::<Vec<_>>(), [10; 3]);
        assert!(found.drawn.iter().flatten().all(|graph| graph.len() == STATES));
        let keys: Vec<String> = found.measures().into_iter().map(|it| it.key).collect();
        for key in ["cka_untrained", "told_apart", "rsa_bellman_ford_dag_shortest_paths"] {
            assert!(keys.iter().any(|it| it == key), "{key} among {keys:?}");
        }
        assert!(found.sentence().ends_with("chance is 33.3 %."), "{}", found.sentence());
        assert_eq!(SharedSpace::run(&context).unwrap(), found, "the same seed");
    }

    #[test]
    fn states_are_taken_at_equal_fractions_with_both_ends() {
        let model = untrained("['bfs', 'dijkstra']");
        let context = Context::new(&model, SAMPLING, &NoProgress);
        let request = Request { pooling: Pooling::All, ..Request::new(3) };
        let all = context.trajectories("test", &request).unwrap();
        for graph in 0..all.len() {
            let states: Vec<&[f32]> = at_fractions(&all, graph).collect();
            assert_eq!(states.len(), STATES);
            assert_eq!(states[0], all.state(graph, 0));
            assert_eq!(states[STATES - 1], all.state(graph, all.steps(graph) - 1));
        }
    }

    #[test]
    fn a_network_of_one_algorithm_is_unsuitable() {
        let model = untrained("['bfs']");
        let error = SharedSpace::run(&Context::new(&model, SAMPLING, &NoProgress)).unwrap_err();
        assert!(error.is_unsuitable());
        assert_eq!(
            error.to_string(),
            "shared_space needs a network of several algorithms, but this one has bfs"
        );
    }
}
