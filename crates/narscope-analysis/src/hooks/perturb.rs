//! Perturbations of states along, out of and onto directions of the latent space (section 3.4 of the paper).

use narscope_model::pooling::Pooling;
use narscope_model::random::{Purpose, Stream};
use narscope_model::rollout::{States, StepHook};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::directions::{Along, Directions};
use crate::linalg::Points;
use crate::protocol::Protocol;

/// Perturbation of the state of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Perturbation {
    /// None.
    NoiseFree,
    /// Adds a multiple of each direction, with independent standard normal factors.
    Directional,
    /// Adds noise in a random direction.
    Random,
    /// Subtracts the projections onto the directions.
    Out,
    /// Replaces the state by the sum of its projections onto the directions.
    Onto,
    /// Replaces the state by noise at the last step of a sample.
    Corrupt,
}

impl Perturbation {
    /// All of them, in the order of the paper's table.
    pub const ALL: [Self; 6] =
        [Self::NoiseFree, Self::Directional, Self::Random, Self::Out, Self::Onto, Self::Corrupt];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoiseFree => "noise_free",
            Self::Directional => "directional",
            Self::Random => "random",
            Self::Out => "out",
            Self::Onto => "onto",
            Self::Corrupt => "corrupt",
        }
    }

    /// Finds a perturbation by name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// Whether it uses directions.
    pub fn is_directed(self) -> bool {
        matches!(self, Self::Directional | Self::Out | Self::Onto)
    }
}

/// Number of consecutive samples that get the same noise as coded: the authors' batch.
const BATCH: usize = 32;

/// Hook that perturbs every node after every step. Projections are about the origin.
///
/// As stated, each node gets noise of its own, and random noise has the expected squared norm of directional noise. As
/// coded, all nodes of 32 consecutive samples get the same noise at a step: one factor for each direction, or a normal
/// number of variance `1 / D` for each of the `D` channels. Directions as coded are neither orthogonal nor of unit
/// length; projections onto them are summed all the same.
pub struct Perturb<'a> {
    /// The perturbation.
    pub perturbation: Perturbation,
    /// Which clusters its directions are from.
    pub along: Along,
    /// Directions of clusters, and how they are used.
    pub directions: &'a Directions,
    /// Number of steps of every sample, to know which one is the last.
    pub steps: &'a [usize],
    /// Seed of the noise. The noise of a sample does not depend on how samples are divided into batches.
    pub seed: u32,
    /// Indices of the samples of the current batch.
    batch: std::ops::Range<usize>,
}

impl<'a> Perturb<'a> {
    /// A perturbation of samples with the given numbers of steps.
    pub fn new(
        (perturbation, along): (Perturbation, Along),
        directions: &'a Directions,
        steps: &'a [usize],
        seed: u32,
    ) -> Self {
        Self { perturbation, along, directions, steps, seed, batch: 0..0 }
    }

    /// Starts at sample number `samples`, to resume an interrupted recording.
    pub fn skip(&mut self, samples: usize) {
        self.batch = samples..samples;
    }
}

impl StepHook for Perturb<'_> {
    fn after_step(&mut self, step: usize, samples: &[usize], states: &mut States<'_>) {
        // All samples of a batch take its first step.
        if step == 0 {
            self.batch = self.batch.end..self.batch.end + samples.len();
        }
        let (channels, hook) = (states.hidden, &*self);
        let graphs: Vec<(&mut [f32], &usize)> = states.samples_mut().zip(samples).collect();
        graphs.into_par_iter().for_each(|(graph, &index)| {
            hook.perturb(graph, channels, hook.batch.start + index, step);
        });
    }

    fn is_idle(&self) -> bool {
        self.perturbation == Perturbation::NoiseFree
    }
}

impl Perturb<'_> {
    /// Perturbs all nodes of a graph.
    fn perturb(&self, states: &mut [f32], channels: usize, sample: usize, step: usize) {
        match self.perturbation {
            Perturbation::NoiseFree => {}
            Perturbation::Corrupt => {
                if step + 1 == self.steps[sample] {
                    let mut noise = self.noise(sample, step);
                    states.fill_with(|| noise.normal());
                }
            }
            Perturbation::Random => {
                let length = match self.directions.protocol() {
                    Protocol::AsStated => self.directions.components() as f32,
                    Protocol::AsCoded => 1.0,
                };
                let scale = (length / channels as f32).sqrt();
                self.shift(states, channels, (sample, step), |noise| {
                    (0..channels).map(|_| scale * noise.normal()).collect()
                });
            }
            Perturbation::Directional => {
                let directions = self.directions_of(states, channels, step);
                self.shift(states, channels, (sample, step), |noise| {
                    combination(directions, noise)
                });
            }
            Perturbation::Out | Perturbation::Onto => {
                let directions = units(self.directions_of(states, channels, step));
                let is_out = self.perturbation == Perturbation::Out;
                for state in states.chunks_exact_mut(channels) {
                    project(state, &directions, is_out);
                }
            }
        }
    }

    /// The directions that apply to a graph after a step.
    fn directions_of(&self, states: &[f32], channels: usize, step: usize) -> &Points {
        match self.along {
            Along::Mean => self.directions.mean(step),
            Along::Closest => {
                let mut pooled = vec![];
                Pooling::Max.push(states, channels, &mut pooled);
                self.directions.closest(&pooled, step)
            }
        }
    }

    /// The noise of a sample at a step.
    fn noise(&self, sample: usize, step: usize) -> Stream {
        Stream::new(self.seed, Purpose::Perturbation, (sample as u64) << 32 | step as u64)
    }

    /// Adds noise to every node.
    fn shift(
        &self,
        states: &mut [f32],
        channels: usize,
        (sample, step): (usize, usize),
        draw: impl Fn(&mut Stream) -> Vec<f32>,
    ) {
        let nodes = states.chunks_exact_mut(channels);
        match self.directions.protocol() {
            Protocol::AsStated => {
                let mut noise = self.noise(sample, step);
                nodes.for_each(|state| add(state, 1.0, &draw(&mut noise)));
            }
            Protocol::AsCoded => {
                let shared = draw(&mut self.noise(sample / BATCH, step));
                nodes.for_each(|state| add(state, 1.0, &shared));
            }
        }
    }
}

/// Adds a multiple of a vector.
fn add(state: &mut [f32], amount: f32, vector: &[f32]) {
    state.iter_mut().zip(vector).for_each(|(x, v)| *x += amount * v);
}

/// Dot product in eight sums, which the compiler computes at once.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    for (a, b) in a.chunks(8).zip(b.chunks(8)) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum()
}

/// Sum of directions with standard normal factors.
fn combination(directions: &Points, noise: &mut Stream) -> Vec<f32> {
    let mut sum = vec![0.0; directions.dimensions];
    directions.iter().for_each(|direction| add(&mut sum, noise.normal(), direction));
    sum
}

/// Directions divided by their lengths.
fn units(directions: &Points) -> Points {
    let mut units = directions.clone();
    for unit in units.data.chunks_exact_mut(directions.dimensions) {
        let length = dot(unit, unit).sqrt();
        // A direction of length 0 has no projection.
        if length > 0.0 {
            for x in unit {
                *x /= length;
            }
        }
    }
    units
}

/// Replaces a state by the sum of its projections onto unit vectors, or subtracts the sum from it.
fn project(state: &mut [f32], units: &Points, is_out: bool) {
    let mut sum = vec![0.0; state.len()];
    units.iter().for_each(|unit| add(&mut sum, dot(state, unit), unit));
    if is_out { add(state, -1.0, &sum) } else { state.copy_from_slice(&sum) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;
    use crate::hooks::StepDirections;

    fn points(data: &[f32]) -> Points {
        Points { dimensions: 2, data: data.to_vec() }
    }

    /// Two clusters with one direction each.
    fn directions(protocol: Protocol) -> Directions {
        let components = vec![points(&[1.0, 0.0]), points(&[0.6, 0.8])];
        let means = points(&[0.0, 0.0, 10.0, 10.0]);
        let step = StepDirections::new(vec![0, 1], means, components);
        Directions::new(protocol, 1, 2, vec![step])
    }

    /// States of samples of two nodes each, after one step.
    fn perturbed(what: (Perturbation, Along), protocol: Protocol, states: &[f32]) -> Vec<f32> {
        let directions = directions(protocol);
        let samples: Vec<usize> = (0..states.len() / 4).collect();
        let steps = vec![1; samples.len()];
        let mut hook = Perturb::new(what, &directions, &steps, 1);
        let mut values = states.to_vec();
        hook.after_step(0, &samples, &mut States { values: &mut values, nodes: 2, hidden: 2 });
        values
    }

    #[track_caller]
    fn assert_near(found: &[f32], wanted: &[f32]) {
        let apart = found.iter().zip(wanted).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f32::max) < 1e-5, "{found:?} and {wanted:?}");
    }

    #[test]
    fn projections_are_about_the_origin_onto_the_cluster_nearest_to_the_pooled_state() {
        // The maximum over nodes is (5, 10), nearest to the second cluster.
        let states = [5.0, 0.0, 0.0, 10.0];
        for protocol in Protocol::ALL {
            let onto = perturbed((Perturbation::Onto, Along::Closest), protocol, &states);
            assert_near(&onto, &[1.8, 2.4, 4.8, 6.4]);
            let out = perturbed((Perturbation::Out, Along::Closest), protocol, &states);
            assert_near(&out, &[3.2, -2.4, -4.8, 3.6]);
        }
    }

    #[test]
    fn projections_onto_the_mean_as_coded_are_summed_over_clusters() {
        // (1, 0) onto (1, 0) and onto (0.6, 0.8), whatever the lengths of the directions.
        let states = [1.0, 0.0, 0.0, 0.0];
        let onto = perturbed((Perturbation::Onto, Along::Mean), Protocol::AsCoded, &states);
        assert_near(&onto, &[1.36, 0.48, 0.0, 0.0]);
        let out = perturbed((Perturbation::Out, Along::Mean), Protocol::AsCoded, &states);
        assert_near(&out, &[-0.36, -0.48, 0.0, 0.0]);
    }

    #[test]
    fn noise_is_per_node_as_stated_and_per_32_samples_as_coded() {
        let states = vec![0.0; 4 * 40];
        for perturbation in [Perturbation::Directional, Perturbation::Random] {
            let what = (perturbation, Along::Closest);
            let coded = perturbed(what, Protocol::AsCoded, &states);
            let (first, second) = coded.split_at(4 * BATCH);
            assert!(first.chunks(2).all(|node| node == &first[..2]), "{first:?}");
            assert!(second.chunks(2).all(|node| node == &second[..2]), "{second:?}");
            assert_ne!(first[..2], second[..2]);
            let stated = perturbed(what, Protocol::AsStated, &states);
            assert_ne!(stated[..2], stated[2..4], "nodes of a graph");
            assert_ne!(stated[..2], stated[4..6], "graphs");
        }
    }

    #[test]
    fn random_noise_as_stated_is_as_strong_as_directional_noise() {
        let states = vec![0.0; 4 * 5000];
        let strength = |perturbation| {
            let moved = perturbed((perturbation, Along::Mean), Protocol::AsStated, &states);
            moved.iter().map(|x| x * x).sum::<f32>() / (moved.len() / 2) as f32
        };
        let [random, directional] = [Perturbation::Random, Perturbation::Directional].map(strength);
        assert!((random - 1.0).abs() < 0.05, "{random}");
        assert!((directional - 1.0).abs() < 0.05, "{directional}");
    }

    #[test]
    fn only_the_last_state_is_replaced() {
        let directions = Directions::none(Protocol::AsStated, 1);
        let what = (Perturbation::Corrupt, Along::Closest);
        let mut hook = Perturb::new(what, &directions, &[2], 1);
        let mut values = vec![3.0; 4];
        hook.after_step(0, &[0], &mut States { values: &mut values, nodes: 2, hidden: 2 });
        assert_eq!(values, [3.0; 4]);
        hook.after_step(1, &[0], &mut States { values: &mut values, nodes: 2, hidden: 2 });
        assert!(values.iter().all(|&x| x != 3.0), "{values:?}");
    }

    proptest! {
        #[test]
        fn out_and_onto_sum_to_the_state(states in proptest::collection::vec(-9.0..9.0_f32, 8)) {
            for protocol in Protocol::ALL {
                for along in Along::ALL {
                    let out = perturbed((Perturbation::Out, along), protocol, &states);
                    let onto = perturbed((Perturbation::Onto, along), protocol, &states);
                    for ((out, onto), state) in out.iter().zip(&onto).zip(&states) {
                        prop_assert!((out + onto - state).abs() < 1e-4, "{out} + {onto}, {state}");
                    }
                }
            }
        }
    }
}
