//! Clusters of reweighted graphs: centroid and directions of each at every step (section 3.4 of the paper).

use std::sync::Arc;

use narscope_clrs::options::Options;
use narscope_model::pooling::Pooling;
use narscope_model::trajectory::Trajectories;

use crate::context::{Context, Request};
use crate::hooks::directions::to_single;
use crate::hooks::{Directions, StepDirections};
use crate::linalg::{Pca, Points};
use crate::protocol::Protocol;
use crate::sampling::Sampling;
use crate::{Error, Result};

/// The `c` of the authors' code: potentials are from (0, c), base weights from (c, 1 - c).
pub(crate) const CODED_C: f64 = 1.0 / 16.0;

/// The edge probabilities of the authors' code, of which each base graph draws one: 0.05, 0.10, …, 0.90.
pub(crate) fn coded_probabilities() -> Vec<f64> {
    (1..=18).map(|i| f64::from(i) / 20.0).collect()
}

/// Clusters of reweighted graphs.
pub struct Clusters {
    /// Trajectories of all images.
    pub trajectories: Arc<Trajectories>,
    /// Number of clusters. Image `i` belongs to cluster `i % clusters`.
    pub clusters: usize,
    /// Centroids and directions at every step.
    pub directions: Directions,
    /// Per step and cluster that takes it, the explained variance ratio of the leading direction.
    pub shares: Vec<Vec<f64>>,
}

impl Clusters {
    /// Records the clusters of a protocol.
    pub fn of(context: &Context<'_>, analysis: &'static str, protocol: Protocol) -> Result<Self> {
        check_components(context, analysis)?;
        let Sampling { clusters, cluster_images, .. } = context.sampling;
        let request = Request {
            options: options(&context.sampling, protocol)?,
            seed_offset: 200,
            pooling: Pooling::Max,
            ..Request::new(clusters * cluster_images)
        };
        let all = context.trajectories(analysis, &request)?;
        let components = context.sampling.components();
        let longest = (0..clusters).map(|cluster| all.steps(cluster)).max().unwrap_or(0);
        let steps = (0..longest).map(|step| at_step(&all, clusters, components, step));
        let (steps, shares) = steps.collect::<Result<(Vec<_>, Vec<_>)>>()?;
        let directions = Directions::new(protocol, components, clusters, steps);
        Ok(Self { trajectories: all, clusters, directions, shares })
    }
}

/// Checks that each cluster of this network can have the requested number of components.
fn check_components(context: &Context<'_>, analysis: &'static str) -> Result<()> {
    let model = context.shortest_path_network(analysis)?;
    let (components, found) = (context.sampling.components(), context.sampling.cluster_images);
    if found <= components {
        return Err(Error::TooFewImages { analysis, components, found });
    }
    let units = model.config().hidden_size;
    if components > units {
        let needed = format!("at least {components} hidden units, for {components} components");
        return Err(Error::unsuitable(analysis, needed, format!("there are {units}")));
    }
    Ok(())
}

/// How base graphs and their images are drawn.
fn options(sampling: &Sampling, protocol: Protocol) -> Result<Options> {
    let (c, p) = match protocol {
        // The defaults of the sampler: c = 1/4, p = 1/2.
        Protocol::AsStated => (None, None),
        Protocol::AsCoded => (Some(CODED_C), Some(coded_probabilities())),
    };
    Ok(Options {
        family: "reweight".parse()?,
        classes: Some(sampling.clusters),
        c: sampling.c.or(c),
        p: sampling.p.map(|p| vec![p]).or(p),
        ..Options::default()
    })
}

/// Directions of the clusters that take a step, and the share of variance along the first of each.
fn at_step(
    all: &Trajectories,
    clusters: usize,
    components: usize,
    step: usize,
) -> Result<(StepDirections, Vec<f64>)> {
    let there: Vec<usize> = (0..clusters).filter(|&cluster| all.steps(cluster) > step).collect();
    let mut means = Points::new(all.hidden);
    let (mut directions, mut shares) = (vec![], vec![]);
    for &cluster in &there {
        let mut points = Points::new(all.hidden);
        for sample in (cluster..all.len()).step_by(clusters) {
            points.push(all.state(sample, step));
        }
        let pca = Pca::of(&points, components)?;
        means.push(&to_single(&pca.mean));
        let mut leading = Points::new(all.hidden);
        pca.components.iter().for_each(|component| leading.push(&to_single(component)));
        directions.push(leading);
        shares.push(pca.ratios[0]);
    }
    Ok((StepDirections::new(there, means, directions), shares))
}

#[cfg(test)]
mod tests {
    use narscope_clrs::probe::Stage;
    use narscope_clrs::rng::Rng;
    use narscope_clrs::trace::Traces;

    use super::*;

    /// Number of edges of each image.
    fn edges(sampling: &Sampling, protocol: Protocol, images: usize) -> Vec<usize> {
        let entry = narscope_clrs::algorithms::find("bellman_ford").unwrap();
        let options = options(sampling, protocol).unwrap();
        let traces: Traces = entry.generate(&mut Rng::seeded(1), 20, &options, images).unwrap();
        let weights = traces.columns[traces.find(Stage::Input, "A").unwrap()].unpacked();
        let graphs = weights.plain::<f64>().chunks_exact(400);
        graphs.map(|graph| graph.iter().filter(|&&weight| weight != 0.0).count()).collect()
    }

    #[test]
    fn every_base_graph_draws_a_density_of_its_own_as_coded() {
        let sampling = Sampling { clusters: 16, ..Sampling::QUICK };
        let coded = edges(&sampling, Protocol::AsCoded, 32);
        let (first, second) = coded.split_at(16);
        assert_eq!(first, second, "images of a graph have its edges");
        let spread = |edges: &[usize]| edges.iter().max().unwrap() - edges.iter().min().unwrap();
        let stated = edges(&sampling, Protocol::AsStated, 16);
        assert!(spread(first) > 2 * spread(&stated), "{first:?} and {stated:?}");

        let dense = Sampling { p: Some(1.0), ..sampling };
        for protocol in Protocol::ALL {
            let complete = edges(&dense, protocol, 16);
            assert_eq!(spread(&complete), 0, "requested densities replace those of the protocol");
        }
    }
}
