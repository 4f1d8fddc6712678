//! Training on windows of a fixed number of steps, in which samples follow each other.
//!
//! Differs: the reference starts every window from the state that it was initialised with. Here a
//! sample that goes on in the next window goes on with its own state, hints and predictions;
//! gradients stop at the window's edge. Nor is anything learnt from a sample whose trace is a single
//! slice: no prediction of it is its own before the next one begins.

use burn_tensor::{Device, Int, Tensor};
use narscope_clrs::chunk::Chunk;
use narscope_clrs::probe::Stage;

use crate::config::Config;
use crate::decode::{Feedback, View};
use crate::features::EdgeFeatures;
use crate::loss::ProbeLoss;
use crate::net::{Net, Spec, State, Use};
use crate::rollout::{Learning, Random};
use crate::train::{Lesson, finish, training_feedback};
use crate::values::{Values, indices, numbers, of_stage, tensor};
use crate::weights::Weights;

/// What is carried from window to window: the last slice, which is still to be processed, and what
/// the network made of those before it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    /// Inputs of the slice, by probe.
    inputs: Vec<Values>,
    /// True hints of the slice, by probe.
    hints: Vec<Values>,
    /// Whether each lane begins a sample there.
    is_first: Vec<bool>,
    /// The network's own hints for the slice: shape and numbers, by probe.
    own: Vec<(Vec<usize>, Vec<f32>)>,
    /// The hidden state before the slice, and that of the memory cells: `(B, N, H)`.
    state: Vec<(Vec<usize>, Vec<f32>)>,
}

/// Tensors with names, as a checkpoint keeps them.
pub type Named = Vec<(String, Vec<usize>, Vec<f32>)>;

impl Carried {
    /// As tensors with names that begin with `prefix`.
    pub fn save(&self, prefix: &str) -> Named {
        let mut all = vec![];
        let mut push = |name: String, shape: Vec<usize>, values: Vec<f32>| {
            all.push((format!("{prefix}.{name}"), shape, values));
        };
        let first: Vec<f32> = self.is_first.iter().map(|&first| f32::from(first)).collect();
        push("is_first".to_owned(), vec![first.len()], first);
        for (name, values) in [("inputs", &self.inputs), ("hints", &self.hints)] {
            for (i, values) in values.iter().enumerate() {
                let flat = match values {
                    Values::Numbers(numbers) => numbers.clone(),
                    // What does not count is below zero.
                    Values::Choices { index, counts } => index
                        .iter()
                        .zip(counts)
                        .map(
                            |(&index, &counts)| {
                                if counts { index as f32 } else { -1.0 - index as f32 }
                            },
                        )
                        .collect(),
                };
                push(format!("{name}.{i}"), vec![flat.len()], flat);
            }
        }
        for (name, tensors) in [("own", &self.own), ("state", &self.state)] {
            for (i, (shape, values)) in tensors.iter().enumerate() {
                push(format!("{name}.{i}"), shape.clone(), values.clone());
            }
        }
        all
    }

    /// What was saved under a prefix, if anything was.
    pub fn load(prefix: &str, spec: &Spec, saved: &Named) -> Option<Self> {
        let find = |name: &str| {
            let name = format!("{prefix}.{name}");
            let tensor = saved.iter().find(|(known, ..)| *known == name)?;
            Some((tensor.1.clone(), tensor.2.clone()))
        };
        let values = |name: &str, stage| {
            let probes = of_stage(&spec.probes, stage).into_iter().enumerate();
            let read = probes.map(|(i, probe)| {
                let (_, flat) = find(&format!("{name}.{i}"))?;
                Some(match Values::of(&probe) {
                    Values::Numbers(_) => Values::Numbers(flat),
                    Values::Choices { .. } => Values::Choices {
                        index: flat
                            .iter()
                            .map(|&x| if x < 0.0 { -1.0 - x } else { x } as u32)
                            .collect(),
                        counts: flat.iter().map(|&x| x >= 0.0).collect(),
                    },
                })
            });
            read.collect::<Option<Vec<_>>>()
        };
        let tensors = |name: &str| (0..).map_while(|i| find(&format!("{name}.{i}"))).collect();
        Some(Self {
            inputs: values("inputs", Stage::Input)?,
            hints: values("hints", Stage::Hint)?,
            is_first: find("is_first")?.1.iter().map(|&first| first > 0.0).collect(),
            own: tensors("own"),
            state: tensors("state"),
        })
    }
}

/// Runs a window and returns losses and gradients; `carried` is what the last one left.
#[expect(clippy::too_many_arguments, reason = "what a lesson takes, and what is carried")]
pub fn chunk_lesson(
    config: &Config,
    specs: &[Spec],
    weights: &Weights,
    task: usize,
    chunk: &Chunk,
    carried: &mut Option<Carried>,
    learning: Learning,
    device: &Device,
) -> Lesson {
    let net = Net::bind(config, specs, weights, device, Use::Learn);
    let feedback = training_feedback(config);
    let of = |stage| of_stage(&chunk.probes, stage);
    let (input_probes, hint_probes, output_probes) =
        (of(Stage::Input), of(Stage::Hint), of(Stage::Output));
    let mut random = Random::new(learning);
    let mut losses: Vec<ProbeLoss> =
        output_probes.iter().chain(&hint_probes).cloned().map(ProbeLoss::new).collect();
    let nodes = chunk.nodes;
    let lanes = chunk.is_first.len() / chunk.length;
    let slice = |stage, time: usize| slice_values(chunk, stage, time * lanes..(time + 1) * lanes);

    let mut before = carried.take().map(|carried| Slice::from_carried(carried, device));
    for time in 0..chunk.length {
        let flags = time * lanes..(time + 1) * lanes;
        let (is_first, is_last) = (&chunk.is_first[flags.clone()], &chunk.is_last[flags]);
        let (mut own, mut state) = (vec![], net.start(lanes, nodes));
        if let Some(slice_before) = before.take() {
            let dense = |probes: &[_], values: &[Values]| {
                let pairs = probes.iter().zip(values);
                pairs.map(|(probe, values)| values.dense(probe, nodes, device)).collect::<Vec<_>>()
            };
            let old = slice_before.state_of_going_on(state);
            let hints = slice_before.fed(
                &hint_probes,
                dense(&hint_probes, &slice_before.hints),
                feedback,
                &mut random,
            );
            let parts = &net.tasks[task];
            let sources = parts.inputs.sources(dense(&input_probes, &slice_before.inputs), nodes);
            let encoders = parts.hints.as_ref().expect("chunked training encodes hints");
            let features = net.features(task, sources.beside(encoders.sources(hints, nodes)));
            let dropout = random.dropout(&old.hidden);
            let (new, edge) = net.advance(&features, &old, dropout);
            let view = Net::view(features, &old, &new, edge);

            let decoders = parts.hint_decoders.as_ref().expect("chunked training decodes hints");
            own = decoders.forward(&view, random.noise());
            let outputs = losses.len() - hint_probes.len();
            let (output_losses, hint_losses) = losses.split_at_mut(outputs);
            let going_on: Vec<u32> = rows_where(lanes, |b| !is_first[b]);
            let ending: Vec<u32> = rows_where(lanes, |b| is_last[b] && !is_first[b]);
            if !going_on.is_empty() {
                let rows = indices(&going_on, [going_on.len()], device);
                let truth = slice(Stage::Hint, time);
                for ((loss, raw), truth) in hint_losses.iter_mut().zip(&own).zip(truth) {
                    loss.add(raw.clone().select(0, rows.clone()), &truth.rows(&going_on, lanes));
                }
            }
            if !ending.is_empty() {
                let view = view_of(&view, &indices(&ending, [ending.len()], device));
                let raw = parts.outputs.forward(&view, random.noise());
                let truth = slice(Stage::Output, time);
                for ((loss, raw), truth) in output_losses.iter_mut().zip(raw).zip(truth) {
                    loss.add(raw, &truth.rows(&ending, lanes));
                }
            }
            state = new;
        }
        before = Some(Slice {
            inputs: slice(Stage::Input, time),
            hints: slice(Stage::Hint, time),
            is_first: is_first.to_vec(),
            own,
            state: Some(state),
        });
    }
    *carried = before.map(Slice::into_carried);
    finish(&net, losses, device)
}

fn rows_where(lanes: usize, mut wanted: impl FnMut(usize) -> bool) -> Vec<u32> {
    (0..lanes).filter(|&b| wanted(b)).map(|b| b as u32).collect()
}

/// The values of a stage at one time.
fn slice_values(chunk: &Chunk, stage: Stage, records: std::ops::Range<usize>) -> Vec<Values> {
    let columns = chunk.probes.iter().zip(&chunk.columns);
    let columns = columns.filter(|(probe, _)| probe.stage == stage);
    let read = columns.map(|(probe, column)| {
        let (mut values, mut rows) = (Values::of(probe), column.rows_from(records.start));
        for _ in records.clone() {
            values.push(rows.next_row().expect("a record per step and lane"));
        }
        values
    });
    read.collect()
}

/// Only some lanes.
fn view_of(view: &View, lanes: &Tensor<1, Int>) -> View {
    let EdgeFeatures { encoded, bias, size: [_, n] } = view.edge.clone();
    View {
        node: view.node.clone().select(0, lanes.clone()),
        edge: EdgeFeatures {
            encoded: encoded.map(|(numbers, encoder)| (numbers.select(0, lanes.clone()), encoder)),
            bias,
            size: [lanes.dims()[0], n],
        },
        processed_edge: view.processed_edge.clone().map(|edge| edge.select(0, lanes.clone())),
        graph: view.graph.clone().select(0, lanes.clone()),
        adjacency: view.adjacency.clone().select(0, lanes.clone()),
    }
}

/// A slice that is still to be processed.
struct Slice {
    inputs: Vec<Values>,
    hints: Vec<Values>,
    is_first: Vec<bool>,
    own: Vec<Tensor<3>>,
    state: Option<State>,
}

impl Slice {
    fn from_carried(carried: Carried, device: &Device) -> Self {
        let Carried { inputs, hints, is_first, own, state } = carried;
        let cube = |(shape, values): (Vec<usize>, Vec<f32>)| {
            let shape: [usize; 3] = shape.try_into().expect("three axes");
            tensor(values, shape, device)
        };
        let mut state = state.into_iter().map(cube);
        let hidden = state.next();
        let state = hidden.map(|hidden| State { hidden, cell: state.next() });
        Self { inputs, hints, is_first, own: own.into_iter().map(cube).collect(), state }
    }

    fn into_carried(self) -> Carried {
        let flat = |x: Tensor<3>| (x.dims().to_vec(), numbers(x.detach()));
        let state = self.state.into_iter().flat_map(|state| [Some(state.hidden), state.cell]);
        Carried {
            inputs: self.inputs,
            hints: self.hints,
            is_first: self.is_first,
            own: self.own.into_iter().map(flat).collect(),
            state: state.flatten().map(flat).collect(),
        }
    }

    /// The state of lanes that go on; those that begin a sample start afresh.
    fn state_of_going_on(&self, fresh: State) -> State {
        let Some(State { hidden, cell }) = self.state.clone() else { return fresh };
        let goes_on = self.is_first.iter().map(|&first| f32::from(!first)).collect();
        let goes_on = tensor(goes_on, [self.is_first.len(), 1, 1], &hidden.device());
        State { hidden: hidden * goes_on.clone(), cell: cell.map(|cell| cell * goes_on) }
    }

    /// The hints that the slice is processed with: true ones for lanes that begin a sample or are
    /// forced, the network's own for the others.
    fn fed(
        &self,
        probes: &[narscope_clrs::probe::Probe],
        truth: Vec<Tensor<3>>,
        feedback: Feedback,
        random: &mut Random,
    ) -> Vec<Tensor<3>> {
        if self.own.is_empty() {
            return truth;
        }
        let forced = random.forced(self.is_first.len());
        let truths = self.is_first.iter().zip(forced);
        let truths = truths.map(|(&first, forced)| if first { 1.0 } else { forced }).collect();
        let device = self.own[0].device();
        let truths = tensor(truths, [self.is_first.len(), 1, 1], &device);
        let own =
            probes.iter().zip(&self.own).map(|(probe, raw)| feedback.read(probe, raw.clone()));
        own.zip(truth)
            .map(|(own, truth)| truth * truths.clone() + own * (-truths.clone() + 1.0))
            .collect()
    }
}
