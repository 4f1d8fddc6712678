//! The parameters that the fused engine reads: names and shapes.
//!
//! The generic network declares its own parameters; a test in `narscope-model` holds the two lists
//! together. This one lets weights be checked where there is no generic network.

use narscope_clrs::probe::{Location, Probe, Stage};

use crate::config::Config;
use crate::processor::{PgnConfig, ProcessorConfig};
use crate::spec::Spec;
use crate::values::of_stage;
use crate::weights::{Parameter, parameter_path};

/// All parameters of a network that has kernels.
///
/// # Panics
/// If it has none.
pub fn parameters(config: &Config, specs: &[Spec]) -> Vec<Parameter> {
    let ProcessorConfig::Pgn(processor) = config.processor().config else {
        panic!("no kernels for {}", config.processor_type)
    };
    let mut list = List { parameters: vec![], h: config.hidden_size };
    for spec in specs {
        let encoded_hints = config.hint_mode.encodes().then_some(Stage::Hint);
        for stage in [Some(Stage::Input), encoded_hints].into_iter().flatten() {
            for probe in of_stage(&spec.probes, stage) {
                list.encoder(&parameter_path(spec.entry.name, &probe), &probe);
            }
        }
        let decoded_hints = config.hint_mode.decodes().then_some(Stage::Hint);
        for stage in [Some(Stage::Output), decoded_hints].into_iter().flatten() {
            for probe in of_stage(&spec.probes, stage) {
                list.decoder(&parameter_path(spec.entry.name, &probe), &probe, processor);
            }
        }
    }
    list.processor(config, processor);
    list.parameters
}

struct List {
    parameters: Vec<Parameter>,
    /// `H`.
    h: usize,
}

impl List {
    fn push(&mut self, name: String, shape: &[usize]) {
        self.parameters.push(Parameter { name, shape: shape.to_vec() });
    }

    fn linear(&mut self, path: &str, layer: &str, inputs: usize, outputs: usize) {
        self.push(format!("{path}.{layer}.weight"), &[inputs, outputs]);
        self.push(format!("{path}.{layer}.bias"), &[outputs]);
    }

    fn encoder(&mut self, path: &str, probe: &Probe) {
        let layers: &[&str] = match (probe.location, probe.kind.is_pointer()) {
            (Location::Edge, true) => &["encode_by_first", "encode_by_second"],
            _ => &["encode"],
        };
        for layer in layers {
            self.linear(path, layer, probe.channels(), self.h);
        }
    }

    fn decoder(&mut self, path: &str, probe: &Probe, processor: PgnConfig) {
        let (h, channels) = (self.h, probe.channels());
        let (node, edge) = (3 * h, if processor.triplets { 2 * h } else { h });
        let layers: &[(&str, usize, usize)] = match (probe.location, probe.kind.is_pointer()) {
            (Location::Node, false) => &[("decode", node, channels)],
            (Location::Node, true) => &[
                ("decode_from", node, h),
                ("decode_to", node, h),
                ("decode_edge", edge, h),
                ("decode", h, 1),
            ],
            (Location::Edge, false) => &[
                ("decode_first", node, channels),
                ("decode_second", node, channels),
                ("decode_edge", edge, channels),
            ],
            (Location::Edge, true) => &[
                ("decode_first", node, h),
                ("decode_second", node, h),
                ("decode_edge", edge, h),
                ("decode_to", node, h),
                ("decode", h, 1),
            ],
            (Location::Graph, false) => {
                &[("decode_node", node, channels), ("decode_graph", h, channels)]
            }
            (Location::Graph, true) => {
                &[("decode_node", node, 1), ("decode_graph", h, 1), ("decode_to", node, 1)]
            }
        };
        for &(layer, inputs, outputs) in layers {
            self.linear(path, layer, inputs, outputs);
        }
    }

    fn processor(&mut self, config: &Config, processor: PgnConfig) {
        let (h, f, path) = (self.h, config.nb_triplet_fts, "processor");
        if config.learn_temperature {
            self.push(format!("{path}.log_temperature"), &[1]);
        }
        for (layer, inputs) in [
            ("receiver", 2 * h),
            ("sender", 2 * h),
            ("edge", h),
            ("graph", h),
            ("message.0", h),
            ("message.1", h),
            ("skip", 2 * h),
            ("inbox", h),
        ] {
            self.linear(path, layer, inputs, h);
        }
        if processor.triplets {
            for end in ["first", "second", "third"] {
                self.linear(path, &format!("triplet.{end}"), 2 * h, f);
            }
            for layer in ["first_second", "first_third", "second_third", "graph"] {
                self.linear(path, &format!("triplet.{layer}"), h, f);
            }
            self.linear(path, "triplet.output", f, h);
        }
        if config.use_ln {
            self.push(format!("{path}.norm.offset"), &[h]);
            self.push(format!("{path}.norm.scale"), &[h]);
        }
        if processor.gated {
            self.linear(path, "gate.skip", 2 * h, h);
            self.linear(path, "gate.inbox", h, h);
            self.linear(path, "gate.output", h, h);
        }
    }
}
