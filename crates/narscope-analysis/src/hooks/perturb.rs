//! Perturbations along, out of and onto directions of the latent space (section 3.4 of the paper).

use narscope_model::random::{Purpose, Stream};
use narscope_model::rollout::StepHook;
use narscope_model::trajectory::Kept;
use narscope_model::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use crate::linalg::{Points, squared_distance};

/// What is done to the state of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Perturbation {
    /// Nothing.
    NoiseFree,
    /// A normal amount is added along the direction.
    Directional,
    /// As much is added along a random direction.
    Random,
    /// What lies along the direction is taken out.
    Out,
    /// Only what lies along the direction is left.
    Onto,
    /// At the last step of a sample, noise takes the state's place.
    Corrupt,
}

impl Perturbation {
    /// All of them, in the order of the paper's table.
    pub const ALL: [Self; 6] =
        [Self::NoiseFree, Self::Directional, Self::Random, Self::Out, Self::Onto, Self::Corrupt];

    /// What it is called.
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

    /// The one of a name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// Whether it matters which direction it is.
    pub fn is_directed(self) -> bool {
        matches!(self, Self::Directional | Self::Out | Self::Onto)
    }
}

/// Which direction it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Along {
    /// That of the cluster whose mean is nearest to the graph at that step.
    Closest,
    /// The mean of all, of length one.
    Mean,
}

impl Along {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closest => "closest",
            Self::Mean => "mean",
        }
    }
}

/// Directions of clusters at one step.
#[derive(Clone, Debug)]
pub struct Directions {
    /// The means of the clusters.
    pub means: Points,
    /// The leading direction of each, of length one.
    pub leading: Points,
    /// The mean of all leading directions, of length one. Signs are made to agree first.
    pub overall: Vec<f32>,
}

impl Directions {
    /// Everything, as bytes.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = u8> {
        let all = self.means.data.iter().chain(&self.leading.data).chain(&self.overall);
        all.flat_map(|number| number.to_le_bytes())
    }
}

/// Perturbs every node after every step.
pub struct Perturb<'a> {
    /// What is done.
    pub perturbation: Perturbation,
    /// Along which direction.
    pub along: Along,
    /// Per step; the last one's also serve for steps beyond.
    pub directions: &'a [Directions],
    /// How many steps each of all samples takes, to know which is the last.
    pub steps: &'a [usize],
    /// The seed of the noise. The noise of a sample does not depend on the others.
    pub seed: u32,
    /// How many samples there were before this batch, and with it.
    batch: std::ops::Range<usize>,
}

impl<'a> Perturb<'a> {
    /// A perturbation of samples that take so many steps.
    pub fn new(
        (perturbation, along): (Perturbation, Along),
        directions: &'a [Directions],
        steps: &'a [usize],
        seed: u32,
    ) -> Self {
        Self { perturbation, along, directions, steps, seed, batch: 0..0 }
    }

    /// The direction for a graph after a step.
    fn direction(&self, states: &[f32], channels: usize, step: usize) -> &'a [f32] {
        let directions = &self.directions[step.min(self.directions.len() - 1)];
        match self.along {
            Along::Mean => &directions.overall,
            Along::Closest => {
                let mut whole = vec![];
                Kept::Max.push(states, channels, &mut whole);
                let to = |mean: &[f32]| squared_distance(mean, &whole);
                let closest = directions.means.iter().map(to).enumerate();
                let closest = closest.min_by(|a, b| a.1.total_cmp(&b.1)).expect("a cluster");
                directions.leading.get(closest.0)
            }
        }
    }

    /// As if so many samples had been perturbed already.
    pub fn skip(&mut self, samples: usize) {
        self.batch = samples..samples;
    }
}

impl StepHook for Perturb<'_> {
    fn after_step(&mut self, step: usize, samples: &[usize], hidden: Tensor<3>) -> Tensor<3> {
        let [rows, nodes, channels] = hidden.dims();
        let device: Device = hidden.device();
        let data = hidden.into_data().try_to_vec::<f32>();
        let mut data = data.expect("states are single precision");
        // All samples of a batch take its first step.
        if step == 0 {
            self.batch = self.batch.end..self.batch.end + samples.len();
        }
        for (graph, &place) in data.chunks_exact_mut(nodes * channels).zip(samples) {
            self.graph(graph, channels, self.batch.start + place, step);
        }
        Tensor::from_data(TensorData::new(data, [rows, nodes, channels]), &device)
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
        let direction = if self.perturbation.is_directed() {
            self.direction(states, channels, step)
        } else {
            &[]
        };
        for state in states.chunks_exact_mut(channels) {
            let dot = |state: &[f32]| -> f32 {
                state.iter().zip(direction).map(|(x, direction)| x * direction).sum()
            };
            match self.perturbation {
                Perturbation::Directional => {
                    let amount = noise.normal();
                    state.iter_mut().zip(direction).for_each(|(x, v)| *x += amount * v);
                }
                Perturbation::Random => {
                    // As long as the other, on average of squares.
                    let scale = 1.0 / (channels as f32).sqrt();
                    for x in state {
                        *x += scale * noise.normal();
                    }
                }
                Perturbation::Out => {
                    let amount = dot(state);
                    state.iter_mut().zip(direction).for_each(|(x, v)| *x -= amount * v);
                }
                Perturbation::Onto => {
                    let amount = dot(state);
                    state.iter_mut().zip(direction).for_each(|(x, v)| *x = amount * v);
                }
                Perturbation::Corrupt if is_last => {
                    for x in state {
                        *x = noise.normal();
                    }
                }
                Perturbation::NoiseFree | Perturbation::Corrupt => {}
            }
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
        }]
    }

    fn perturbed(perturbation: Perturbation, along: Along, states: &[f32]) -> Vec<f32> {
        let directions = directions();
        let mut hook = Perturb::new((perturbation, along), &directions, &[1], 1);
        let nodes = states.len() / 2;
        let hidden =
            Tensor::from_data(TensorData::new(states.to_vec(), [1, nodes, 2]), &Device::flex());
        hook.after_step(0, &[0], hidden).into_data().try_to_vec().unwrap()
    }

    #[test]
    fn the_nearest_cluster_of_the_whole_graph_says_where_to() {
        // The largest of each channel is (9, 11), nearest to the second cluster, which goes up.
        let states = [9.0, 0.0, 1.0, 11.0];
        assert_eq!(perturbed(Perturbation::Out, Along::Closest, &states), [9.0, 0.0, 1.0, 0.0]);
        assert_eq!(perturbed(Perturbation::Onto, Along::Closest, &states), [0.0, 0.0, 0.0, 11.0]);
        let moved = perturbed(Perturbation::Directional, Along::Closest, &states);
        assert_eq!((moved[0], moved[2]), (9.0, 1.0));
        assert!(moved[1] != 0.0 && moved[3] != 11.0, "{moved:?}");
    }

    #[test]
    fn out_and_onto_are_two_parts_of_one_state() {
        let states = [3.0, -1.0, 0.5, 2.0];
        let out = perturbed(Perturbation::Out, Along::Mean, &states);
        let onto = perturbed(Perturbation::Onto, Along::Mean, &states);
        for ((out, onto), state) in out.iter().zip(&onto).zip(states) {
            assert!((out + onto - state).abs() < 1e-6, "{out} + {onto} is not {state}");
        }
    }
}
