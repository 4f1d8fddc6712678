//! What a network was trained on, in numbers, and how other samples differ from it.

use narscope_clrs::column::Column;
use narscope_clrs::probe::{Location, Probe, Stage};
use narscope_clrs::trace::Traces;
use narscope_net::config::Config;
use narscope_net::rollout::Steps;
use narscope_net::spec::Spec;
use serde::Serialize;

use crate::Result;
use crate::data::Data;

/// Number of training samples that are measured.
const SAMPLES: usize = 256;

/// A smallest and a largest number.
pub type Bounds<T = f64> = (T, T);

/// Sizes, weights and directions of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleRange {
    /// Number of nodes.
    pub nodes: Bounds<usize>,
    /// Number of steps of the network.
    pub steps: Bounds<usize>,
    /// Scalars among the inputs, by name; weights of edges without the pairs that are none. Without
    /// positions.
    pub inputs: Vec<(String, Bounds)>,
    /// Scalars among the hints, by name, such as distances.
    pub hints: Vec<(String, Bounds)>,
    /// Share of the pairs of different nodes that are edges, if the samples are graphs.
    pub density: Option<Bounds>,
    /// Share of the samples that are directed, if they are graphs.
    pub directed: Option<f64>,
    /// Number of samples.
    samples: usize,
}

impl SampleRange {
    /// Measures samples; `None` if there are none.
    pub fn of(traces: &Traces) -> Option<Self> {
        let steps = (0..traces.len()).map(|i| Steps::Own.of(traces.steps(i)));
        let scalars = |stage: Stage| {
            let probes = traces.probes.iter().zip(&traces.columns);
            let probes = probes.filter(|(probe, _)| probe.stage == stage && probe.name != "pos");
            let bounds = probes.filter_map(|(probe, column)| {
                Some((probe.name.clone().into_owned(), bounds_of(probe, column)?))
            });
            bounds.collect()
        };
        let graphs = Graphs::of(traces);
        Some(Self {
            nodes: (traces.nodes, traces.nodes),
            steps: bounds(steps)?,
            inputs: scalars(Stage::Input),
            hints: scalars(Stage::Hint),
            density: graphs.as_ref().and_then(|graphs| bounds(graphs.densities.iter().copied())),
            directed: graphs.map(|graphs| graphs.directed as f64 / traces.len() as f64),
            samples: traces.len(),
        })
    }

    /// The range of both.
    fn joined(self, other: Self) -> Self {
        let named = |ours: Vec<(String, Bounds)>, theirs: Vec<(String, Bounds)>| {
            let mut all = ours;
            for (name, bounds) in theirs {
                match all.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, known)) => *known = join(*known, bounds),
                    None => all.push((name, bounds)),
                }
            }
            all
        };
        let samples = self.samples + other.samples;
        let directed = self.directed.zip(other.directed).map(|(ours, theirs)| {
            (ours * self.samples as f64 + theirs * other.samples as f64) / samples as f64
        });
        Self {
            nodes: join(self.nodes, other.nodes),
            steps: join(self.steps, other.steps),
            inputs: named(self.inputs, other.inputs),
            hints: named(self.hints, other.hints),
            density: self.density.zip(other.density).map(|(ours, theirs)| join(ours, theirs)),
            directed,
            samples,
        }
    }
}

fn bounds<T: PartialOrd + Copy>(values: impl Iterator<Item = T>) -> Option<Bounds<T>> {
    values.map(|value| (value, value)).reduce(join)
}

fn join<T: PartialOrd + Copy>(a: Bounds<T>, b: Bounds<T>) -> Bounds<T> {
    (if b.0 < a.0 { b.0 } else { a.0 }, if b.1 > a.1 { b.1 } else { a.1 })
}

/// The bounds of a probe with real values. A pair of nodes with weight 0 is no edge.
fn bounds_of(probe: &Probe, column: &Column) -> Option<Bounds> {
    let Column::Real(records) = column else { return None };
    let all = records.unpacked();
    let values = all.plain().iter().copied();
    bounds(values.filter(|&value| value != 0.0 || probe.location != Location::Edge))
}

/// Densities and directions of graphs.
struct Graphs {
    densities: Vec<f64>,
    directed: usize,
}

impl Graphs {
    /// `None` unless samples have weights or ones for edges, in the input `A`.
    fn of(traces: &Traces) -> Option<Self> {
        let place = traces.find(Stage::Input, "A")?;
        let Column::Real(records) = &traces.columns[place] else { return None };
        let nodes = traces.nodes;
        let records = records.unpacked();
        let mut graphs = Self { densities: vec![], directed: 0 };
        for weights in records.plain().chunks_exact(nodes * nodes) {
            let pairs = (0..nodes * nodes).filter(|i| i / nodes != i % nodes);
            let edges = pairs.clone().filter(|&i| weights[i] != 0.0).count();
            graphs.densities.push(edges as f64 / (nodes * (nodes - 1)).max(1) as f64);
            let reverse = |i: usize| i % nodes * nodes + i / nodes;
            graphs.directed +=
                usize::from(pairs.into_iter().any(|i| weights[i] != weights[reverse(i)]));
        }
        Some(graphs)
    }
}

/// What a network was trained on.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingRange(SampleRange);

/// A way in which samples differ from those that a network was trained on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Difference {
    /// A scalar input, such as weights.
    Input {
        /// Its name.
        probe: String,
        /// Its values.
        found: Bounds,
        /// Its values in training.
        trained: Bounds,
    },
    /// The number of nodes.
    Nodes {
        /// Their number.
        found: Bounds<usize>,
        /// Their number in training.
        trained: Bounds<usize>,
    },
    /// The number of steps.
    Steps {
        /// Their number.
        found: Bounds<usize>,
        /// Their number in training.
        trained: Bounds<usize>,
    },
    /// The share of pairs of nodes that are edges.
    Density {
        /// The share.
        found: Bounds,
        /// The share in training.
        trained: Bounds,
    },
    /// The direction of edges.
    Direction {
        /// Whether the samples are directed.
        is_directed: bool,
    },
}

impl TrainingRange {
    /// Measures samples that are drawn as for the training of a task. The same configuration gives
    /// the same samples.
    pub fn of(config: &Config, specs: &[Spec], task: usize) -> Result<Self> {
        let mut data = Data::new(config, specs)?;
        let lengths = data.lengths(task);
        let small = Config { batch_size: SAMPLES.div_ceil(lengths), ..config.clone() };
        if small.batch_size < config.batch_size {
            data = Data::new(&small, specs)?;
        }
        let mut all: Option<SampleRange> = None;
        for step in 0.. {
            let enough = all.as_ref().is_some_and(|all| all.samples >= SAMPLES);
            if enough && step >= lengths {
                break;
            }
            let new = SampleRange::of(&data.train_batch(task, step)?);
            all = match (all, new) {
                (Some(all), Some(new)) => Some(all.joined(new)),
                (all, new) => all.or(new),
            };
        }
        Ok(Self(all.expect("a batch has samples")))
    }

    /// The range of the training samples.
    pub fn range(&self) -> &SampleRange {
        &self.0
    }

    /// In what samples differ from those of training.
    pub fn differences(&self, samples: &SampleRange) -> Vec<Difference> {
        let trained = &self.0;
        let mut all = vec![];
        for (probe, found) in &samples.inputs {
            let known = trained.inputs.iter().find(|(name, _)| name == probe);
            if let Some(&(_, trained)) = known
                && is_outside(*found, widened(trained))
            {
                all.push(Difference::Input { probe: probe.clone(), found: *found, trained });
            }
        }
        if is_outside(samples.nodes, trained.nodes) {
            all.push(Difference::Nodes { found: samples.nodes, trained: trained.nodes });
        }
        if is_outside(samples.steps, trained.steps) {
            all.push(Difference::Steps { found: samples.steps, trained: trained.steps });
        }
        if let (Some(found), Some(trained)) = (samples.density, trained.density)
            && is_outside(found, trained)
        {
            all.push(Difference::Density { found, trained });
        }
        if let (Some(found), Some(trained)) = (samples.directed, trained.directed) {
            // A few small graphs that are drawn as directed ones are symmetric by chance.
            if found > 0.0 && trained == 0.0 {
                all.push(Difference::Direction { is_directed: true });
            } else if found < 1.0 && trained > 0.5 {
                all.push(Difference::Direction { is_directed: false });
            }
        }
        all
    }

    /// The number to divide all weights by, so that they and the distances among the hints are not
    /// larger than in training; 1 if they are not. It is a power of two, so that nothing is rounded.
    pub fn divisor(&self, samples: &SampleRange) -> f64 {
        let largest = |(low, high): Bounds| low.abs().max(high.abs());
        let ratio = |found: &[(String, Bounds)], trained: &[(String, Bounds)]| {
            let ratios = found.iter().filter_map(|(probe, found)| {
                let (_, trained) = trained.iter().find(|(name, _)| name == probe)?;
                Some(largest(*found) / largest(widened(*trained)))
            });
            ratios.filter(|ratio| ratio.is_finite()).fold(1.0, f64::max)
        };
        let needed =
            ratio(&samples.inputs, &self.0.inputs).max(ratio(&samples.hints, &self.0.hints));
        needed.log2().ceil().exp2()
    }
}

fn is_outside<T: PartialOrd + Copy>(found: Bounds<T>, trained: Bounds<T>) -> bool {
    found.0 < trained.0 || found.1 > trained.1
}

/// Bounds of the distribution that the measured ones come from: the extremes of a few samples lie a
/// little inside of it.
fn widened((low, high): Bounds) -> Bounds {
    let room = (high - low) / 100.0;
    (low - room, high + room)
}

#[cfg(test)]
mod tests {
    use narscope_clrs::instance::user::{Data as UserData, UserInstance};
    use narscope_clrs::options::Direction;
    use narscope_net::config::Draft;

    use super::*;

    fn trained(config: &str) -> (TrainingRange, Vec<Spec>) {
        let config = Draft::parse(config).unwrap().finish().unwrap();
        let specs = Spec::all(&config).unwrap();
        (TrainingRange::of(&config, &specs, 0).unwrap(), specs)
    }

    /// A path over six nodes with the given weights.
    fn path(spec: &Spec, weights: [f64; 5], direction: Option<Direction>) -> SampleRange {
        let edges: Vec<_> = (0..5).map(|i| (i, i + 1, weights[i])).collect();
        let user = UserInstance { direction, ..UserInstance::new(UserData::Edges(edges.into())) };
        SampleRange::of(&spec.entry.trace(&user).unwrap()).unwrap()
    }

    #[test]
    fn a_graph_like_those_of_training_does_not_differ() {
        let (range, specs) = trained("algorithms = ['bellman_ford']");
        assert_eq!(range.range().nodes, (4, 16));
        let (low, high) = range.range().inputs[0].1;
        // Undirected weights are the square roots of products of two uniform numbers, plus 0.001.
        assert!((0.031..0.04).contains(&low) && (0.99..1.001).contains(&high), "{low} to {high}");
        let inside = path(&specs[0], [0.2, 0.9, 0.5, 0.1, 0.3], None);
        assert_eq!(range.differences(&inside), []);
        assert_eq!(range.divisor(&inside), 1.0);
        let again = trained("algorithms = ['bellman_ford']").0;
        assert_eq!(range, again, "the same configuration gives the same samples");
    }

    #[test]
    fn weights_sizes_and_directions_out_of_range_are_found() {
        let (range, specs) = trained("algorithms = ['bellman_ford']\ntrain_lengths = [4]");
        let outside = path(&specs[0], [2.0, 12.0, 5.0, 1.0, 3.0], Some(Direction::Directed));
        let all = range.differences(&outside);
        let weights =
            matches!(&all[0], Difference::Input { probe, found: (1.0, 12.0), .. } if probe == "A");
        assert!(weights, "{all:?}");
        assert!(all.contains(&Difference::Nodes { found: (6, 6), trained: (4, 4) }), "{all:?}");
        assert!(all.contains(&Difference::Direction { is_directed: true }), "{all:?}");
        assert!(
            all.iter().any(|it| matches!(it, Difference::Steps { found: (5, 5), .. })),
            "{all:?}"
        );

        let divisor = range.divisor(&outside);
        assert_eq!(divisor, 16.0, "the largest distance is 23, those of training reach 2");
        let inside = path(&specs[0], [2.0, 12.0, 5.0, 1.0, 3.0].map(|w| w / divisor), None);
        assert_eq!(range.divisor(&inside), 1.0);

        let (range, _) = trained("algorithms = ['bellman_ford']\ndirected_training = true");
        let undirected = path(&specs[0], [0.5; 5], None);
        assert_eq!(range.differences(&undirected), [Difference::Direction { is_directed: false }]);
    }
}
