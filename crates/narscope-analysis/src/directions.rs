//! Clusters of reweighted graphs: centroid and leading direction of each at every step (section 3.4 of the paper).

use std::sync::Arc;

use narscope_clrs::options::Options;
use narscope_model::pooling::Pooling;
use narscope_model::trajectory::Trajectories;

use crate::Result;
use crate::context::{Context, Request};
use crate::hooks::perturb::Directions;
use crate::linalg::{Pca, Points};

/// Clusters of reweighted graphs.
pub struct Clusters {
    /// Trajectories of all images.
    pub trajectories: Arc<Trajectories>,
    /// Number of clusters. Image `i` belongs to cluster `i % clusters`.
    pub clusters: usize,
    /// Per step, the clusters that take it, with their centroids and directions.
    pub steps: Vec<(Vec<usize>, Directions)>,
    /// Per step and cluster that takes it, the explained variance ratio of the leading direction.
    pub shares: Vec<Vec<f64>>,
}

impl Clusters {
    /// Records the clusters of a context.
    pub fn of(context: &Context<'_>, analysis: &'static str) -> Result<Self> {
        context.shortest_path_network(analysis)?;
        let clusters = context.sampling.clusters;
        let options =
            Options { family: "reweight".parse()?, classes: Some(clusters), ..Options::default() };
        let count = clusters * context.sampling.cluster_images;
        let request =
            Request { options, seed_offset: 200, pooling: Pooling::Max, ..Request::new(count) };
        let trajectories = context.trajectories(analysis, &request)?;
        Self::of_trajectories(trajectories, clusters)
    }

    fn of_trajectories(all: Arc<Trajectories>, clusters: usize) -> Result<Self> {
        let longest = (0..clusters).map(|cluster| all.steps(cluster)).max().unwrap_or(0);
        let (mut steps, mut shares) = (vec![], vec![]);
        for step in 0..longest {
            let there: Vec<usize> =
                (0..clusters).filter(|&cluster| all.steps(cluster) > step).collect();
            let mut means = Points::new(all.hidden);
            let mut leading = Points::new(all.hidden);
            let mut share = vec![];
            for &cluster in &there {
                let mut points = Points::new(all.hidden);
                for sample in (cluster..all.len()).step_by(clusters) {
                    points.push(all.state(sample, step));
                }
                let pca = Pca::of(&points, 1)?;
                means.push(&to_single(&pca.mean));
                leading.push(&to_single(&pca.components[0]));
                share.push(pca.ratios[0]);
            }
            let (overall, centre) = (overall(&leading), to_single(&means.mean()));
            steps.push((there, Directions { means, leading, overall, centre }));
            shares.push(share);
        }
        Ok(Self { trajectories: all, clusters, steps, shares })
    }

    /// Centroids and directions of each step, as perturbations need them.
    pub fn directions(&self) -> Vec<Directions> {
        self.steps.iter().map(|(_, directions)| directions.clone()).collect()
    }
}

pub(crate) fn to_single(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&x| x as f32).collect()
}

/// Mean of directions, as a unit vector. A direction and its opposite are equivalent, so signs are first chosen to
/// agree with the first principal axis of the outer products.
fn overall(directions: &Points) -> Vec<f32> {
    // The leading eigenvector of the sum of outer products is the first principal component of the directions
    // together with their opposites.
    let mut both = directions.clone();
    both.data.extend(directions.data.iter().map(|x| -x));
    let axis = match Pca::of(&both, 1) {
        Ok(pca) => pca.components[0].clone(),
        Err(_) => return directions.data.clone(),
    };
    let mut sum = vec![0.0; directions.dimensions];
    for direction in directions.iter() {
        let dot: f64 = direction.iter().zip(&axis).map(|(&x, a)| f64::from(x) * a).sum();
        let sign = if dot < 0.0 { -1.0 } else { 1.0 };
        sum.iter_mut().zip(direction).for_each(|(sum, &x)| *sum += sign * f64::from(x));
    }
    let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
    sum.iter().map(|x| (x / length) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_and_its_opposite_are_equivalent() {
        let directions = Points { dimensions: 2, data: vec![1.0, 0.0, -0.8, 0.6, 0.8, 0.6] };
        let mean = overall(&directions);
        assert!((mean[0].abs() - 1.0).abs() < 1e-6 && mean[1].abs() < 1e-6, "{mean:?}");
    }
}
