//! Memory estimates of the generic engine.

use narscope_clrs::chunk::Chunk;
use narscope_clrs::probe::{Location, Stage};
use narscope_clrs::trace::Traces;
use narscope_net::config::Config;
use narscope_net::rollout::Steps;
use narscope_net::spec::Spec;

/// Tensors as large as all messages that a step of the processor makes, and keeps in training.
const MESSAGES: usize = 10;
/// The same for the scores of a pointer.
const POINTER: usize = 5;
/// The same for the scores of triplets.
const TRIPLETS: usize = 4;

/// Estimate of the bytes that one step of one sample takes.
pub(super) fn bytes_per_step(config: &Config, spec: &Spec, nodes: usize) -> usize {
    let (n, h) = (nodes, config.hidden_size);
    let processor = config.processor().config;
    let mut values = MESSAGES * n * n * h * config.nb_msg_passing_steps;
    if processor.has_edges() {
        values += TRIPLETS * n * n * n * config.nb_triplet_fts + 2 * n * n * h;
    }
    let decoded = spec.probes.iter().filter(|probe| match probe.stage {
        Stage::Input => false,
        Stage::Output => true,
        Stage::Hint => config.hint_mode.decodes(),
    });
    for probe in decoded {
        values += match (probe.location, probe.kind.is_pointer()) {
            (Location::Edge, true) => POINTER * n * n * n * h,
            (Location::Node, true) => POINTER * n * n * h,
            (Location::Edge, false) => n * n * h,
            (Location::Node | Location::Graph, _) => n * h,
        };
    }
    4 * values
}

/// Estimate of the bytes that an update on a batch takes: all steps are kept for the backward pass.
pub(super) fn of_update(config: &Config, spec: &Spec, traces: &Traces) -> usize {
    let steps: usize = (0..traces.len()).map(|i| Steps::Own.of(traces.steps(i))).sum();
    steps * bytes_per_step(config, spec, traces.nodes)
}

/// Estimate of the bytes that an update on a chunk takes.
pub(super) fn of_chunk(config: &Config, spec: &Spec, chunk: &Chunk) -> usize {
    chunk.is_first.len() * bytes_per_step(config, spec, chunk.nodes)
}
