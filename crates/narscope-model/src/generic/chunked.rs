//! Training on chunks of a fixed number of steps, in which samples follow each other.
//!
//! Differs: the reference starts every chunk from the state that it was initialised with. Here a
//! sample that continues in the next chunk continues with its own state, hints and predictions;
//! gradients stop at the boundary. Nor is anything learnt from a sample whose trace is a single
//! slice: it has no prediction of its own before the next sample begins.

use burn_tensor::{Device, Int, Tensor};
use narscope_clrs::chunk::Chunk;
use narscope_clrs::probe::{Probe, Stage};
use narscope_net::feedback::Feedback;
use narscope_net::rollout::{Stochastic, UpdateStreams};
use narscope_net::spec::Spec;
use narscope_net::values::{Values, of_stage};

use super::decode::{View, feed_back};
use super::features::EdgeFeatures;
use super::loss::ProbeLoss;
use super::net::{Net, State};
use super::rollout::dropout;
use super::tensors::{dense, floats, indices, tensor};

/// State between chunks: the last slice, which is still to be processed, and what the network
/// predicted before it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    /// Inputs of the slice, by probe.
    inputs: Vec<Values>,
    /// True hints of the slice, by probe.
    hints: Vec<Values>,
    /// Whether each batch row begins a sample there.
    is_first: Vec<bool>,
    /// The network's own hints for the slice: shape and values, by probe.
    own: Vec<(Vec<usize>, Vec<f32>)>,
    /// The hidden state before the slice, and the cell state of the LSTM: `(B, N, H)`.
    state: Vec<(Vec<usize>, Vec<f32>)>,
}

/// Named tensors, as a checkpoint keeps them.
pub type Named = Vec<(String, Vec<usize>, Vec<f32>)>;

impl Carried {
    /// Named tensors; names begin with `prefix`.
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
                    Values::Real(values) => values.clone(),
                    // Invalid indices are negative.
                    Values::Index { index, valid } => index
                        .iter()
                        .zip(valid)
                        .map(
                            |(&index, &valid)| {
                                if valid { index as f32 } else { -1.0 - index as f32 }
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

    /// The state that was saved under a prefix, if any.
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
                    Values::Real(_) => Values::Real(flat),
                    Values::Index { .. } => Values::Index {
                        index: flat
                            .iter()
                            .map(|&x| if x < 0.0 { -1.0 - x } else { x } as u32)
                            .collect(),
                        valid: flat.iter().map(|&x| x >= 0.0).collect(),
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

/// Runs a chunk and returns its losses; `carried` is what the previous chunk left.
pub(super) fn losses(
    net: &Net,
    task: usize,
    chunk: &Chunk,
    carried: &mut Option<Carried>,
    feedback: Feedback,
    stochastic: Stochastic,
) -> Vec<ProbeLoss> {
    let device = net.device();
    let of = |stage| of_stage(&chunk.probes, stage);
    let (input_probes, hint_probes, output_probes) =
        (of(Stage::Input), of(Stage::Hint), of(Stage::Output));
    let mut streams = UpdateStreams::new(stochastic);
    let mut losses: Vec<ProbeLoss> =
        output_probes.iter().chain(&hint_probes).cloned().map(ProbeLoss::new).collect();
    let nodes = chunk.nodes;
    let rows = chunk.is_first.len() / chunk.length;
    let slice = |stage, time: usize| slice_values(chunk, stage, time * rows..(time + 1) * rows);

    let mut before = carried.take().map(|carried| Slice::from_carried(carried, device));
    for time in 0..chunk.length {
        let flags = time * rows..(time + 1) * rows;
        let (is_first, is_last) = (&chunk.is_first[flags.clone()], &chunk.is_last[flags]);
        let (mut own, mut state) = (vec![], net.start(rows, nodes));
        if let Some(slice_before) = before.take() {
            let all_dense = |probes: &[_], values: &[Values]| {
                let pairs = probes.iter().zip(values);
                pairs.map(|(probe, values)| dense(values, probe, nodes, device)).collect::<Vec<_>>()
            };
            let old = slice_before.continued_state(state);
            let hints = slice_before.fed(
                &hint_probes,
                all_dense(&hint_probes, &slice_before.hints),
                feedback,
                &mut streams,
            );
            let parts = &net.tasks[task];
            let sources =
                parts.inputs.sources(all_dense(&input_probes, &slice_before.inputs), nodes);
            let encoders = parts.hints.as_ref().expect("chunked training encodes hints");
            let features = net.features(task, sources.concat(encoders.sources(hints, nodes)));
            let dropout = dropout(&mut streams, &old.hidden);
            let (new, edge) = net.advance(&features, &old, dropout);
            let view = Net::view(features, &old, &new, edge);

            let decoders = parts.hint_decoders.as_ref().expect("chunked training decodes hints");
            own = decoders.forward(&view, streams.noise());
            let outputs = losses.len() - hint_probes.len();
            let (output_losses, hint_losses) = losses.split_at_mut(outputs);
            let continuing: Vec<u32> = rows_where(rows, |b| !is_first[b]);
            let ending: Vec<u32> = rows_where(rows, |b| is_last[b] && !is_first[b]);
            if !continuing.is_empty() {
                let selected = indices(&continuing, [continuing.len()], device);
                let truth = slice(Stage::Hint, time);
                for ((loss, raw), truth) in hint_losses.iter_mut().zip(&own).zip(truth) {
                    loss.add(
                        raw.clone().select(0, selected.clone()),
                        &truth.rows(&continuing, rows),
                    );
                }
            }
            if !ending.is_empty() {
                let view = view_of(&view, &indices(&ending, [ending.len()], device));
                let raw = parts.outputs.forward(&view, streams.noise());
                let truth = slice(Stage::Output, time);
                for ((loss, raw), truth) in output_losses.iter_mut().zip(raw).zip(truth) {
                    loss.add(raw, &truth.rows(&ending, rows));
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
    losses
}

fn rows_where(rows: usize, is_selected: impl Fn(usize) -> bool) -> Vec<u32> {
    (0..rows).filter(|&b| is_selected(b)).map(|b| b as u32).collect()
}

/// The true values of a stage at one time.
fn slice_values(chunk: &Chunk, stage: Stage, records: std::ops::Range<usize>) -> Vec<Values> {
    let columns = chunk.probes.iter().zip(&chunk.columns);
    let columns = columns.filter(|(probe, _)| probe.stage == stage);
    let read = columns.map(|(probe, column)| {
        let (mut values, mut rows) = (Values::of(probe), column.rows_from(records.start));
        for _ in records.clone() {
            values.push(rows.next_row().expect("a record per step and batch row"));
        }
        values
    });
    read.collect()
}

/// The inputs of decoders for some batch rows.
fn view_of(view: &View, rows: &Tensor<1, Int>) -> View {
    let EdgeFeatures { encoded, bias, size: [_, n] } = view.edge.clone();
    View {
        node: view.node.clone().select(0, rows.clone()),
        edge: EdgeFeatures {
            encoded: encoded.map(|(values, encoder)| (values.select(0, rows.clone()), encoder)),
            bias,
            size: [rows.dims()[0], n],
        },
        processed_edge: view.processed_edge.clone().map(|edge| edge.select(0, rows.clone())),
        graph: view.graph.clone().select(0, rows.clone()),
        adjacency: view.adjacency.clone().select(0, rows.clone()),
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
        let flat = |x: Tensor<3>| (x.dims().to_vec(), floats(x.detach()));
        let state = self.state.into_iter().flat_map(|state| [Some(state.hidden), state.cell]);
        Carried {
            inputs: self.inputs,
            hints: self.hints,
            is_first: self.is_first,
            own: self.own.into_iter().map(flat).collect(),
            state: state.flatten().map(flat).collect(),
        }
    }

    /// The state of rows that continue a sample; rows that begin one start from zero.
    fn continued_state(&self, fresh: State) -> State {
        let Some(State { hidden, cell }) = self.state.clone() else { return fresh };
        let continues = self.is_first.iter().map(|&first| f32::from(!first)).collect();
        let continues = tensor(continues, [self.is_first.len(), 1, 1], &hidden.device());
        State { hidden: hidden * continues.clone(), cell: cell.map(|cell| cell * continues) }
    }

    /// The hints that the slice is fed with: true ones for rows that begin a sample or are forced,
    /// the network's own for the others.
    fn fed(
        &self,
        probes: &[Probe],
        truth: Vec<Tensor<3>>,
        feedback: Feedback,
        streams: &mut UpdateStreams,
    ) -> Vec<Tensor<3>> {
        if self.own.is_empty() {
            return truth;
        }
        let forced = streams.forced(self.is_first.len());
        let truths = self.is_first.iter().zip(forced);
        let truths = truths.map(|(&first, forced)| if first { 1.0 } else { forced }).collect();
        let device = self.own[0].device();
        let truths = tensor(truths, [self.is_first.len(), 1, 1], &device);
        let own = probes
            .iter()
            .zip(&self.own)
            .map(|(probe, raw)| feed_back(feedback, probe, raw.clone()));
        own.zip(truth)
            .map(|(own, truth)| truth * truths.clone() + own * (-truths.clone() + 1.0))
            .collect()
    }
}
