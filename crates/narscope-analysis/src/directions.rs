//! A database of clusters of reweighted graphs: where each is at every step, and along which
//! direction it is spread out most (section 3.4 of the paper).

use std::sync::Arc;

use narscope_clrs::options::Options;
use narscope_model::trajectory::{Kept, Trajectories};

use crate::Result;
use crate::hooks::perturb::Directions;
use crate::linalg::{Pca, Points};
use crate::study::{Ask, Study};

/// Clusters, step by step.
pub struct Database {
    /// The trajectories of all images.
    pub trajectories: Arc<Trajectories>,
    /// How many clusters there are: image `i` is of cluster `i % clusters`.
    pub clusters: usize,
    /// Per step, the clusters that get there, and what is known of them.
    pub steps: Vec<(Vec<usize>, Directions)>,
    /// Per step and cluster that gets there, the share of its variance along its direction.
    pub shares: Vec<Vec<f64>>,
}

impl Database {
    /// The clusters of a study.
    pub fn of(study: &Study<'_>, analysis: &'static str) -> Result<Self> {
        study.subject_of_lengths(analysis)?;
        let clusters = study.size.clusters;
        let options =
            Options { family: "reweight".parse()?, classes: Some(clusters), ..Options::default() };
        let num = clusters * study.size.cluster_images;
        let ask = Ask { options, offset: 200, kept: Kept::Max, ..Ask::new(num) };
        let trajectories = study.trajectories(analysis, &ask)?;
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

    /// What perturbations need.
    pub fn directions(&self) -> Vec<Directions> {
        self.steps.iter().map(|(_, directions)| directions.clone()).collect()
    }
}

pub(crate) fn to_single(numbers: &[f64]) -> Vec<f32> {
    numbers.iter().map(|&x| x as f32).collect()
}

/// The mean of directions, of length one. A direction and its opposite are the same, so all are
/// first turned to the side of the first principal axis of their outer products: of the two signs,
/// the one that makes them agree.
fn overall(directions: &Points) -> Vec<f32> {
    // The axis that all are nearest to: the largest eigenvector of the sum of outer products, which
    // is the first component of the directions beside their opposites.
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
    fn a_direction_and_its_opposite_are_the_same() {
        let directions = Points { dimensions: 2, data: vec![1.0, 0.0, -0.8, 0.6, 0.8, 0.6] };
        let mean = overall(&directions);
        assert!((mean[0].abs() - 1.0).abs() < 1e-6 && mean[1].abs() < 1e-6, "{mean:?}");
    }
}
