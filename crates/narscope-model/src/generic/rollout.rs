//! The rollout of the generic network: encode, process, decode, step after step.

use burn_tensor::Tensor;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;
use narscope_net::feedback::Feedback;
use narscope_net::rollout::{
    Predictions, RolloutOptions, States, StepHook, Stochastic, UpdateStreams,
};
use narscope_net::values::{Reader, Values, of_stage};

use super::decode::feed_back;
use super::net::Net;
use super::tensors::{dense, floats, tensor};

/// Runs a batch through a network. With `stochastic`, the network is trained: hints may be forced,
/// hidden units dropped, permutations perturbed.
///
/// # Panics
/// If a sample has no hint to start from.
pub(crate) fn rollout(
    net: &Net,
    task: usize,
    traces: &Traces,
    options: &RolloutOptions,
    stochastic: Option<Stochastic>,
    hook: &mut dyn StepHook,
) -> Predictions<Tensor<3>> {
    let nodes = traces.nodes;
    let mut predictions = Predictions::new(traces, options.steps);
    let Some(&longest) = predictions.steps.first() else { return predictions };

    let hint_probes = of_stage(&traces.probes, Stage::Hint);
    let mut streams = stochastic.map(UpdateStreams::new);
    let feed = HintFeed { net, nodes, feedback: options.feedback, probes: &hint_probes };
    let mut reader = Reader::new(traces, Stage::Hint, &predictions.order);
    let input_probes = of_stage(&traces.probes, Stage::Input);
    let inputs = Reader::new(traces, Stage::Input, &predictions.order).next(traces.len());
    let inputs = feed.dense(&input_probes, &inputs);
    let inputs = net.tasks[task].inputs.sources(inputs, nodes);

    let mut state = net.start(traces.len(), nodes);
    let mut last_hints: Vec<Tensor<3>> = vec![];
    let mut finished = vec![];
    for step in 0..longest {
        let running = predictions.running(step);
        state = state.first(running);

        let mut sources = inputs.first(running);
        if let Some(encoders) = &net.tasks[task].hints {
            let own = last_hints.into_iter().map(|x: Tensor<3>| x.narrow(0, 0, running)).collect();
            let hints = feed.hints(step, running, own, &mut reader, streams.as_mut());
            sources = sources.concat(encoders.sources(hints, nodes));
        }
        let features = net.features(task, sources);
        let dropout = streams.as_mut().and_then(|streams| dropout(streams, &state.hidden));
        let (mut next, edge) = net.advance(&features, &state, dropout);
        if !hook.is_idle() {
            next.hidden = hooked(hook, step, &predictions.order[..running], next.hidden);
        }
        if let Some(pooling) = options.keep_states {
            let [_, _, hidden] = next.hidden.dims();
            predictions.states.resize(traces.len(), vec![]);
            let states = floats(next.hidden.clone());
            pooling.push_all(&states, nodes, hidden, &mut predictions.states);
        }
        let view = Net::view(features, &state, &next, edge);

        let decoders = &net.tasks[task];
        last_hints = match &decoders.hint_decoders {
            Some(decoders) => {
                decoders.forward(&view, streams.as_mut().and_then(UpdateStreams::noise))
            }
            None => vec![],
        };
        let left = predictions.running(step + 1);
        if options.every_output {
            let noise = streams.as_mut().and_then(UpdateStreams::noise);
            let outputs = decoders.outputs.forward(&view, noise);
            let done = |x: &Tensor<3>| x.clone().narrow(0, left, running - left);
            if left < running {
                finished.push(outputs.iter().map(done).collect());
            }
            predictions.every_output.push(outputs);
        } else if left < running {
            let noise = streams.as_mut().and_then(UpdateStreams::noise);
            let view = view.samples(left, running - left);
            finished.push(decoders.outputs.forward(&view, noise));
        }
        if options.keep_hints {
            predictions.hints.push(last_hints.clone());
        }
        state = next;
    }
    // Rows are sorted by length, so the samples that finish last come first.
    let outputs = (0..finished[0].len()).map(|probe| {
        let rows = finished.iter().rev().map(|outputs: &Vec<Tensor<3>>| outputs[probe].clone());
        Tensor::cat(rows.collect(), 0)
    });
    predictions.outputs = outputs.collect();
    predictions
}

/// The hidden state after a hook has read and changed it.
fn hooked(hook: &mut dyn StepHook, step: usize, samples: &[usize], state: Tensor<3>) -> Tensor<3> {
    let (shape, device) = (state.dims(), state.device());
    let [_, nodes, hidden] = shape;
    let mut values = floats(state);
    hook.after_step(step, samples, &mut States { values: &mut values, nodes, hidden });
    tensor(values, shape, &device)
}

/// The factors of dropout for a hidden state.
pub(crate) fn dropout(streams: &mut UpdateStreams, state: &Tensor<3>) -> Option<Tensor<3>> {
    let shape = state.dims();
    let factors = streams.dropout(shape.iter().product());
    factors.map(|factors| tensor(factors, shape, &state.device()))
}

/// Feeds hints to a network.
struct HintFeed<'a> {
    net: &'a Net,
    nodes: usize,
    feedback: Feedback,
    probes: &'a [Probe],
}

impl HintFeed<'_> {
    fn dense(&self, probes: &[Probe], values: &[Values]) -> Vec<Tensor<3>> {
        let pairs = probes.iter().zip(values);
        pairs.map(|(probe, values)| dense(values, probe, self.nodes, self.net.device())).collect()
    }

    /// The hints that a step is fed with: the true ones at the first step, then the network's own
    /// predictions, or in training the true ones for forced samples.
    fn hints(
        &self,
        step: usize,
        running: usize,
        own: Vec<Tensor<3>>,
        reader: &mut Reader<'_>,
        streams: Option<&mut UpdateStreams>,
    ) -> Vec<Tensor<3>> {
        let mut truth = || self.dense(self.probes, &reader.next(running));
        if step == 0 {
            return truth();
        }
        let own = self.probes.iter().zip(own);
        let own = own.map(|(probe, raw)| feed_back(self.feedback, probe, raw));
        let forcing = |streams: &UpdateStreams| streams.stochastic().teacher_forcing;
        match streams.filter(|streams| forcing(streams) > 0.0) {
            None => own.collect(),
            Some(streams) if forcing(streams) >= 1.0 => truth(),
            Some(streams) => {
                let forced = streams.forced(running);
                let forced = tensor(forced, [running, 1, 1], self.net.device());
                own.zip(truth())
                    .map(|(own, truth)| truth * forced.clone() + own * (-forced.clone() + 1.0))
                    .collect()
            }
        }
    }
}
