//! Perturbations of states along, out of and onto directions of the latent space (section 3.4 of the paper).

use narscope_model::pooling::Pooling;
use narscope_model::random::{Purpose, Stream};
use narscope_model::rollout::{States, StepHook};
use serde::{Deserialize, Serialize};

use crate::linalg::{Points, squared_distance};

/// Perturbation of the state of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Perturbation {
    /// None.
    NoiseFree,
    /// Adds a multiple of the direction, with a standard normal factor.
    Directional,
    /// Adds noise of the same expected squared norm in a random direction.
    Random,
    /// Projects the direction out.
    Out,
    /// Projects onto the direction.
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

    /// Whether it uses a direction.
    pub fn is_directed(self) -> bool {
        matches!(self, Self::Directional | Self::Out | Self::Onto)
    }
}

/// The direction of a perturbation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Along {
    /// Leading direction of the cluster whose centroid is nearest to the graph at that step.
    Closest,
    /// Mean direction of all clusters, as a unit vector.
    Mean,
}

impl Along {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closest => "closest",
            Self::Mean => "mean",
        }
    }
}

/// Reading of the paper, which leaves open what noise is drawn for and which point projections are relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// All nodes of a graph get the same noise; projections are relative to the centroid of the cluster.
    Graph,
    /// Each node gets noise of its own; projections are relative to the origin.
    Node,
}

/// Centroids and leading directions of clusters at one step.
#[derive(Clone, Debug)]
pub struct Directions {
    /// Centroids of the clusters.
    pub means: Points,
    /// Leading direction of each, as a unit vector.
    pub leading: Points,
    /// Mean of all leading directions, with signs chosen to agree, as a unit vector.
    pub overall: Vec<f32>,
    /// Mean of all centroids.
    pub centre: Vec<f32>,
}

impl Directions {
    /// All values as bytes, to be hashed.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = u8> {
        let all = self.means.data.iter().chain(&self.leading.data).chain(&self.overall);
        all.flat_map(|value| value.to_le_bytes())
    }
}

/// Hook that perturbs every node after every step.
pub struct Perturb<'a> {
    /// The perturbation.
    pub perturbation: Perturbation,
    /// Its direction.
    pub along: Along,
    /// How the paper is read.
    pub reading: Reading,
    /// Per step; the last ones are also used for later steps.
    pub directions: &'a [Directions],
    /// Number of steps of every sample, to know which one is the last.
    pub steps: &'a [usize],
    /// Seed of the noise. The noise of a sample does not depend on the other samples.
    pub seed: u32,
    /// Indices of the samples of the current batch.
    batch: std::ops::Range<usize>,
}

/// A line in the latent space.
struct Line<'a> {
    /// A point on it; `None` for the origin.
    through: Option<&'a [f32]>,
    /// Unit vector along it.
    along: &'a [f32],
}

impl Line<'_> {
    /// Coordinate of a state along the line.
    fn coordinate(&self, state: &[f32]) -> f32 {
        let dot =
            |vector: &[f32]| -> f32 { vector.iter().zip(self.along).map(|(x, v)| x * v).sum() };
        dot(state) - self.through.map_or(0.0, dot)
    }
}

impl<'a> Perturb<'a> {
    /// A perturbation of samples with the given numbers of steps.
    pub fn new(
        (perturbation, along, reading): (Perturbation, Along, Reading),
        directions: &'a [Directions],
        steps: &'a [usize],
        seed: u32,
    ) -> Self {
        Self { perturbation, along, reading, directions, steps, seed, batch: 0..0 }
    }

    /// The line of a graph's direction after a step.
    fn line(&self, states: &[f32], channels: usize, step: usize) -> Line<'a> {
        let directions = &self.directions[step.min(self.directions.len() - 1)];
        let (through, along) = match self.along {
            Along::Mean => (directions.centre.as_slice(), directions.overall.as_slice()),
            Along::Closest => {
                let mut pooled = vec![];
                Pooling::Max.push(states, channels, &mut pooled);
                let to = |mean: &[f32]| squared_distance(mean, &pooled);
                let closest = directions.means.iter().map(to).enumerate();
                let closest =
                    closest.min_by(|a, b| a.1.total_cmp(&b.1)).expect("there is a cluster").0;
                (directions.means.get(closest), directions.leading.get(closest))
            }
        };
        Line { through: (self.reading == Reading::Graph).then_some(through), along }
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
        let channels = states.hidden;
        for (graph, &index) in states.samples_mut().zip(samples) {
            self.graph(graph, channels, self.batch.start + index, step);
        }
    }

    fn is_idle(&self) -> bool {
        self.perturbation == Perturbation::NoiseFree
    }
}

impl Perturb<'_> {
    /// Perturbs all nodes of a graph.
    fn graph(&self, states: &mut [f32], channels: usize, sample: usize, step: usize) {
        let is_last = step + 1 == self.steps[sample];
        let place = (sample as u64) << 32 | step as u64;
        let mut noise = Stream::new(self.seed, Purpose::Perturbation, place);
        let line = self.perturbation.is_directed().then(|| self.line(states, channels, step));
        let mut shift = vec![];
        for state in states.chunks_exact_mut(channels) {
            if shift.is_empty() || self.reading == Reading::Node {
                shift = self.shift(&mut noise, line.as_ref(), channels);
            }
            match (self.perturbation, &line) {
                (Perturbation::Directional | Perturbation::Random, _) => {
                    state.iter_mut().zip(&shift).for_each(|(x, by)| *x += by);
                }
                (Perturbation::Out, Some(line)) => {
                    let amount = line.coordinate(state);
                    state.iter_mut().zip(line.along).for_each(|(x, v)| *x -= amount * v);
                }
                (Perturbation::Onto, Some(line)) => {
                    let amount = line.coordinate(state);
                    match line.through {
                        Some(through) => state.copy_from_slice(through),
                        None => state.fill(0.0),
                    }
                    state.iter_mut().zip(line.along).for_each(|(x, v)| *x += amount * v);
                }
                (Perturbation::Corrupt, _) if is_last => {
                    state.fill_with(|| noise.normal());
                }
                _ => {}
            }
        }
    }

    /// Noise to add to a state.
    fn shift(&self, noise: &mut Stream, line: Option<&Line<'_>>, channels: usize) -> Vec<f32> {
        match (self.perturbation, line) {
            (Perturbation::Directional, Some(line)) => {
                let amount = noise.normal();
                line.along.iter().map(|v| amount * v).collect()
            }
            (Perturbation::Random, _) => {
                // The same expected squared norm as `Directional`.
                let scale = 1.0 / (channels as f32).sqrt();
                (0..channels).map(|_| scale * noise.normal()).collect()
            }
            _ => vec![],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directions() -> Vec<Directions> {
        let points = |data: &[f32]| Points { dimensions: 2, data: data.to_vec() };
        vec![Directions {
            means: points(&[0.0, 0.0, 10.0, 10.0]),
            leading: points(&[1.0, 0.0, 0.0, 1.0]),
            overall: vec![0.6, 0.8],
            centre: vec![5.0, 5.0],
        }]
    }

    fn perturbed(what: (Perturbation, Along, Reading), states: &[f32]) -> Vec<f32> {
        let directions = directions();
        let mut hook = Perturb::new(what, &directions, &[1], 1);
        let nodes = states.len() / 2;
        let mut values = states.to_vec();
        hook.after_step(0, &[0], &mut States { values: &mut values, nodes, hidden: 2 });
        values
    }

    #[test]
    fn the_direction_is_that_of_the_cluster_nearest_to_the_pooled_state() {
        // The maximum over nodes is (9, 11), nearest to the second cluster, whose direction is the second axis.
        let states = [9.0, 0.0, 1.0, 11.0];
        let closest =
            |perturbation, reading| perturbed((perturbation, Along::Closest, reading), &states);
        assert_eq!(closest(Perturbation::Out, Reading::Node), [9.0, 0.0, 1.0, 0.0]);
        assert_eq!(closest(Perturbation::Onto, Reading::Node), [0.0, 0.0, 0.0, 11.0]);
        // Relative to (10, 10), its centroid.
        assert_eq!(closest(Perturbation::Out, Reading::Graph), [9.0, 10.0, 1.0, 10.0]);
        assert_eq!(closest(Perturbation::Onto, Reading::Graph), [10.0, 0.0, 10.0, 11.0]);
    }

    #[test]
    fn noise_is_per_graph_or_per_node() {
        let states = [9.0, 0.0, 1.0, 11.0];
        for perturbation in [Perturbation::Directional, Perturbation::Random] {
            let by = |reading| {
                let moved = perturbed((perturbation, Along::Closest, reading), &states);
                let by: Vec<f32> = moved.iter().zip(states).map(|(x, old)| x - old).collect();
                by
            };
            let together = by(Reading::Graph);
            assert!((together[1] - together[3]).abs() < 1e-5 && together[1] != 0.0, "{together:?}");
            let alone = by(Reading::Node);
            assert!((alone[1] - alone[3]).abs() > 1e-3, "{alone:?}");
            if perturbation == Perturbation::Directional {
                assert_eq!((alone[0], alone[2]), (0.0, 0.0), "along the second axis");
            }
        }
    }

    #[test]
    fn out_and_onto_sum_to_the_state() {
        let states = [3.0, -1.0, 0.5, 2.0];
        for (reading, centre) in [(Reading::Node, 0.0), (Reading::Graph, 5.0)] {
            let out = perturbed((Perturbation::Out, Along::Mean, reading), &states);
            let onto = perturbed((Perturbation::Onto, Along::Mean, reading), &states);
            for ((out, onto), state) in out.iter().zip(&onto).zip(states) {
                let sum = out + onto - centre;
                assert!((sum - state).abs() < 1e-5, "{out} + {onto} - {centre} is not {state}");
            }
        }
    }
}
