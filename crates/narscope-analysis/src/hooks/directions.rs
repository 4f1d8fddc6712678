//! Directions of clusters in the latent space, and which of them apply to a graph after a step.

use serde::{Deserialize, Serialize};

use crate::linalg::{Pca, Points, squared_distance};
use crate::protocol::Protocol;

/// Which clusters the directions of a perturbation are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Along {
    /// The cluster whose centroid is nearest to the graph.
    Closest,
    /// All clusters: their mean directions.
    Mean,
}

impl Along {
    /// Both, in the order of the paper's table.
    pub const ALL: [Self; 2] = [Self::Closest, Self::Mean];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closest => "closest",
            Self::Mean => "mean",
        }
    }
}

/// Centroids and directions of the clusters that take one step.
#[derive(Clone, Debug)]
pub struct StepDirections {
    /// The clusters that take the step, in increasing order.
    pub clusters: Vec<usize>,
    /// Their centroids.
    pub means: Points,
    /// The first principal components of each, as unit vectors.
    pub components: Vec<Points>,
    /// Means over clusters of the first components, of the second ones, …, with signs chosen to agree; orthonormal.
    pub overall: Points,
}

impl StepDirections {
    /// Directions of the given clusters, at least one, which have equally many components.
    pub fn new(clusters: Vec<usize>, means: Points, components: Vec<Points>) -> Self {
        let count = components.first().map_or(0, Points::len);
        let overall = (0..count).map(|place| {
            let mut directions = Points::new(means.dimensions);
            for of_cluster in &components {
                directions.push(of_cluster.get(place));
            }
            mean_direction(&directions)
        });
        let overall = orthonormal(means.dimensions, overall);
        Self { clusters, means, components, overall }
    }

    /// The first principal component of each cluster.
    pub fn leading(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.components.iter().map(|components| components.get(0))
    }

    /// Squared distances from a state to the centroids.
    fn distances(&self, state: &[f32]) -> impl Iterator<Item = f64> {
        self.means.iter().map(move |mean| squared_distance(mean, state))
    }
}

/// Directions of clusters at every step, as one protocol uses them.
#[derive(Clone, Debug)]
pub struct Directions {
    protocol: Protocol,
    components: usize,
    clusters: usize,
    steps: Vec<StepDirections>,
    /// As coded, the mean directions: one for each cluster, the same at all steps.
    over_steps: Points,
}

impl Directions {
    /// Directions of `clusters` clusters, of which each step has those that take it.
    pub fn new(
        protocol: Protocol,
        components: usize,
        clusters: usize,
        steps: Vec<StepDirections>,
    ) -> Self {
        let over_steps = match protocol {
            Protocol::AsStated => Points::default(),
            Protocol::AsCoded => mean_over_steps(&steps, clusters),
        };
        Self { protocol, components, clusters, steps, over_steps }
    }

    /// No directions, for perturbations that use none.
    pub fn none(protocol: Protocol, components: usize) -> Self {
        Self::new(protocol, components, 0, vec![])
    }

    /// How the experiment is repeated.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Number of directions of each cluster.
    pub fn components(&self) -> usize {
        self.components
    }

    /// Directions at each step.
    pub fn steps(&self) -> &[StepDirections] {
        &self.steps
    }

    /// Directions at a step; those at the last one also for later steps.
    fn at(&self, step: usize) -> &StepDirections {
        &self.steps[step.min(self.steps.len() - 1)]
    }

    /// The mean directions at a step.
    pub(super) fn mean(&self, step: usize) -> &Points {
        match self.protocol {
            Protocol::AsStated => &self.at(step).overall,
            Protocol::AsCoded => &self.over_steps,
        }
    }

    /// The directions at a step of the cluster that counts as the nearest to a state pooled over nodes.
    pub(super) fn closest(&self, state: &[f32], step: usize) -> &Points {
        let here = self.at(step);
        let place = match self.protocol {
            Protocol::AsStated => nearest(here.distances(state).enumerate()),
            Protocol::AsCoded => {
                let flat = self.nearest_of_all_steps(state);
                // The first cluster from this number on that takes the step, or else the last one.
                here.clusters.partition_point(|&it| it < flat).min(here.clusters.len() - 1)
            }
        };
        &here.components[place]
    }

    /// Number of the nearest centroid of all steps, counted step by step. The authors' code uses it as the number of
    /// a cluster, so that it is mostly too large.
    fn nearest_of_all_steps(&self, state: &[f32]) -> usize {
        let all = self.steps.iter().enumerate().flat_map(|(step, here)| {
            let flat = here.clusters.iter().map(move |cluster| step * self.clusters + cluster);
            flat.zip(here.distances(state))
        });
        nearest(all)
    }

    /// All values as bytes, to be hashed.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = u8> {
        let of_steps = self.steps.iter().flat_map(|step| {
            let parts = step.components.iter().chain([&step.means, &step.overall]);
            parts.flat_map(|points| &points.data)
        });
        of_steps.chain(&self.over_steps.data).flat_map(|value| value.to_le_bytes())
    }
}

/// The number with the smallest distance, the first of equal ones.
fn nearest(numbered: impl Iterator<Item = (usize, f64)>) -> usize {
    numbered.min_by(|a, b| a.1.total_cmp(&b.1)).expect("there is a cluster").0
}

/// Mean of directions, as a unit vector. A direction and its opposite are equivalent, so signs are first chosen to
/// agree with the first principal axis of the outer products.
fn mean_direction(directions: &Points) -> Vec<f64> {
    // The leading eigenvector of the sum of outer products is the first principal component of the directions
    // together with their opposites.
    let mut both = directions.clone();
    both.data.extend(directions.data.iter().map(|x| -x));
    let axis = match Pca::of(&both, 1) {
        Ok(pca) => pca.components[0].clone(),
        Err(_) => return directions.get(0).iter().map(|&x| f64::from(x)).collect(),
    };
    let mut sum = vec![0.0; directions.dimensions];
    for direction in directions.iter() {
        let dot: f64 = direction.iter().zip(&axis).map(|(&x, a)| f64::from(x) * a).sum();
        let sign = if dot < 0.0 { -1.0 } else { 1.0 };
        sum.iter_mut().zip(direction).for_each(|(sum, &x)| *sum += sign * f64::from(x));
    }
    let length = norm(&sum);
    sum.iter().map(|x| x / length).collect()
}

/// The same span by orthonormal vectors (Gram-Schmidt). Drops a vector that is inside the span of those before it.
fn orthonormal(dimensions: usize, vectors: impl Iterator<Item = Vec<f64>>) -> Points {
    /// Below this, what remains of a unit vector is rounding error of single precision.
    const NOTHING: f64 = 1e-6;
    let mut basis: Vec<Vec<f64>> = vec![];
    for mut vector in vectors {
        for other in &basis {
            let amount: f64 = vector.iter().zip(other).map(|(x, b)| x * b).sum();
            vector.iter_mut().zip(other).for_each(|(x, b)| *x -= amount * b);
        }
        let length = norm(&vector);
        if length > NOTHING {
            basis.push(vector.iter().map(|x| x / length).collect());
        }
    }
    let mut points = Points::new(dimensions);
    for vector in &basis {
        points.push(&to_single(vector));
    }
    points
}

/// The authors' mean directions: the mean over steps of the array of steps, clusters, components and channels,
/// divided by one norm over all of it, of which they use the first component: a direction for each cluster. Their
/// array has all steps for all clusters; here the mean of a cluster is over the steps that it takes.
fn mean_over_steps(steps: &[StepDirections], clusters: usize) -> Points {
    let Some(first) = steps.first() else { return Points::default() };
    let (channels, width) = (first.means.dimensions, first.components[0].data.len());
    let mut means = vec![0.0_f64; clusters * width];
    let mut counts = vec![0_usize; clusters];
    for step in steps {
        for (&cluster, components) in step.clusters.iter().zip(&step.components) {
            counts[cluster] += 1;
            let sums = means[cluster * width..].iter_mut().zip(&components.data);
            sums.for_each(|(sum, &x)| *sum += f64::from(x));
        }
    }
    for (mean, count) in means.chunks_exact_mut(width).zip(counts) {
        for x in mean {
            *x /= count.max(1) as f64;
        }
    }
    let length = norm(&means);
    let mut points = Points::new(channels);
    for mean in means.chunks_exact(width) {
        let first: Vec<f64> = mean[..channels].iter().map(|x| x / length).collect();
        points.push(&to_single(&first));
    }
    points
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>().sqrt()
}

pub(crate) fn to_single(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&x| x as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(data: &[f32]) -> Points {
        Points { dimensions: 2, data: data.to_vec() }
    }

    #[test]
    fn a_direction_and_its_opposite_are_equivalent() {
        let mean = mean_direction(&points(&[1.0, 0.0, -0.8, 0.6, 0.8, 0.6]));
        assert!((mean[0].abs() - 1.0).abs() < 1e-6 && mean[1].abs() < 1e-6, "{mean:?}");
    }

    #[test]
    fn mean_directions_as_stated_are_orthonormal() {
        let one = points(&[1.0, 0.0, 0.0, 1.0]);
        let other = points(&[0.6, 0.8, -0.8, 0.6]);
        let step = StepDirections::new(vec![0, 1], points(&[0.0; 4]), vec![one, other]);
        let [a, b] = [step.overall.get(0), step.overall.get(1)];
        let dot = |a: &[f32], b: &[f32]| a[0] * b[0] + a[1] * b[1];
        for (found, wanted) in [(dot(a, a), 1.0), (dot(b, b), 1.0), (dot(a, b), 0.0)] {
            assert!((found - wanted).abs() < 1e-6, "{a:?} {b:?}");
        }
        let parallel = orthonormal(2, [vec![1.0, 0.0], vec![-1.0, 0.0]].into_iter());
        assert_eq!(parallel.len(), 1, "the second is inside the span of the first");
    }

    /// Two clusters, of which only the first takes the second step.
    fn directions(protocol: Protocol) -> Directions {
        let first = StepDirections::new(
            vec![0, 1],
            points(&[0.0, 0.0, 9.0, 9.0]),
            vec![points(&[1.0, 0.0]), points(&[0.0, 1.0])],
        );
        let second = StepDirections::new(vec![0], points(&[4.0, 4.0]), vec![points(&[0.6, 0.8])]);
        Directions::new(protocol, 1, 2, vec![first, second])
    }

    #[test]
    fn the_nearest_cluster_as_stated_is_one_of_the_same_step() {
        let stated = directions(Protocol::AsStated);
        assert_eq!(stated.closest(&[4.0, 4.0], 0).data, [1.0, 0.0]);
        assert_eq!(stated.closest(&[9.0, 9.0], 0).data, [0.0, 1.0]);
        assert_eq!(stated.closest(&[9.0, 9.0], 5).data, [0.6, 0.8], "of the last step");
    }

    #[test]
    fn the_nearest_cluster_as_coded_is_a_clamped_number_over_all_steps() {
        let coded = directions(Protocol::AsCoded);
        // Nearest is cluster 0 of the second step, number 2, which is clamped to cluster 1.
        assert_eq!(coded.nearest_of_all_steps(&[4.0, 4.0]), 2);
        assert_eq!(coded.closest(&[4.0, 4.0], 0).data, [0.0, 1.0]);
        assert_eq!(coded.closest(&[0.0, 1.0], 0).data, [1.0, 0.0]);
        assert_eq!(coded.closest(&[9.0, 9.0], 1).data, [0.6, 0.8], "the only cluster there");
    }

    #[test]
    fn the_mean_as_coded_has_a_direction_for_each_cluster_and_one_norm() {
        let mean = directions(Protocol::AsCoded);
        let mean = mean.mean(0);
        assert_eq!(mean.len(), 2);
        // Over its steps, cluster 0 has (0.8, 0.4), cluster 1 (0, 1).
        let length = (0.8_f32 * 0.8 + 0.4 * 0.4 + 1.0).sqrt();
        let wanted = [0.8 / length, 0.4 / length, 0.0, 1.0 / length];
        let apart = mean.data.iter().zip(wanted).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f32::max) < 1e-6, "{mean:?}");
    }
}
