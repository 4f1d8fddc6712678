//! The plan of a task: features of nodes, edges and graphs, and the folded matrices that map them to
//! messages, states and predictions.

mod feeds;
mod heads;
mod maps;
mod memory;
mod step_maps;

use std::ops::Range;

use narscope_clrs::probe::Stage;
use narscope_kernels::aggregate::Aggregate;
use narscope_kernels::pairs::{PairFeatures, PairMap, PairMapBackward};

use super::fold::{Fold, Slot};
use super::tape::StepTape;
use crate::config::{Aggregation, Config, Decay, Phase};
use crate::processor::{PgnConfig, ProcessorConfig};
use crate::spec::Spec;
use crate::values::of_stage;
use crate::weights::Parameter;
use feeds::{Columns, Encoded};
pub(super) use feeds::{FeatureColumns, Feed};
pub(super) use heads::{EdgeMap, Head, StageMaps};
pub(super) use step_maps::{MessageLayers, StepMaps, TripletMaps};

/// Columns of the inputs of decoders for a node.
#[derive(Debug)]
pub(super) struct View {
    pub(super) after: Range<usize>,
    pub(super) features: Range<usize>,
    pub(super) before: Range<usize>,
}

impl View {
    pub(super) fn width(&self) -> usize {
        self.before.end
    }
}

/// Everything needed to run a task, except weights and data.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) h: usize,
    pub(super) f: usize,
    pub(super) processor: PgnConfig,
    pub(super) rounds: usize,
    pub(super) decay: Decay,
    pub(super) aggregate: Aggregate,
    pub(super) node: Columns,
    pub(super) edge: Columns,
    pub(super) graph: Columns,
    pub(super) inputs: Vec<Feed>,
    /// Empty if hints are not given to the network.
    pub(super) hints: Vec<Feed>,
    pub(super) step: StepMaps,
    pub(super) hint_decoders: Option<StageMaps>,
    pub(super) output_decoders: StageMaps,
    /// Encoder of nodes and its bias, if a decoder of graphs takes the maximum of encoded features
    /// over nodes.
    pub(super) dense: Option<[Slot; 2]>,
    /// A row of zeros, for absent terms.
    pub(super) zeros: Vec<f32>,
    pub(super) fold: Fold,
}

impl Plan {
    /// Whether the fused engine supports a configuration.
    pub(super) fn exists(config: &Config) -> bool {
        matches!(config.processor().config, ProcessorConfig::Pgn(_)) && !config.use_lstm
    }

    /// The plan of a task.
    pub(super) fn new(
        config: &Config,
        specs: &[Spec],
        task: usize,
        parameters: &[Parameter],
        phase: Phase,
    ) -> Self {
        let ProcessorConfig::Pgn(processor) = config.processor().config else {
            panic!("no kernels for {}", config.processor_type)
        };
        let (h, f) = (config.hidden_size, config.nb_triplet_fts);
        let mut encoded = Encoded::new(Fold::new(parameters), specs[task].entry.name, h);
        let probes = &specs[task].probes;
        let inputs = encoded.feeds(&of_stage(probes, Stage::Input));
        let given = encoded.counts;
        let hints = if config.hint_mode.encodes() {
            encoded.feeds(&of_stage(probes, Stage::Hint))
        } else {
            vec![]
        };
        let columns = |i: usize| Columns { count: encoded.counts[i], given: given[i] };
        let (node, edge, graph) = (columns(0), columns(1), columns(2));
        let mut maps = encoded.finish();

        let temperature = config.temperature as f32;
        let aggregate = match config.aggregation(phase) {
            Aggregation::Max => Aggregate::Max,
            // The inverse of the temperature overflows.
            Aggregation::Softmax if !temperature.recip().is_finite() => Aggregate::Max,
            Aggregation::Softmax => Aggregate::Softmax(temperature),
            Aggregation::Min => Aggregate::Min,
            Aggregation::Mean => Aggregate::Mean,
            Aggregation::Sum => Aggregate::Sum,
        };
        let step = maps.step(processor, config);
        let outputs = of_stage(probes, Stage::Output);
        let output_decoders = maps.stage(&outputs, processor.triplets);
        let hint_decoders = config
            .hint_mode
            .decodes()
            .then(|| maps.stage(&of_stage(probes, Stage::Hint), processor.triplets));
        maps.fold.lay_out();
        Self {
            h,
            f,
            processor,
            rounds: config.nb_msg_passing_steps,
            decay: config.decay(),
            aggregate,
            node,
            edge,
            graph,
            inputs,
            hints,
            step,
            hint_decoders,
            output_decoders,
            dense: maps.dense,
            zeros: vec![0.0; h],
            fold: maps.fold,
        }
    }

    /// Features of pairs of nodes.
    pub(super) fn pairs<'a>(&self, features: &'a [f32], n: usize) -> PairFeatures<'a> {
        PairFeatures::new(features, n, self.edge.count)
    }

    /// Backward pass of a map of pairs; `weights` may replace those of the map.
    pub(super) fn pair_map_backward<'a>(
        pairs: PairFeatures<'a>,
        map: Slot,
        weights: &'a [f32],
        partial: &'a mut [f32],
        gradient: &'a mut [f32],
        trainable_from: usize,
    ) -> PairMapBackward<'a> {
        PairMapBackward {
            map: PairMap { features: pairs, weights },
            weights_gradient: map.of_mut(partial),
            features_gradient: gradient,
            trainable_from,
        }
    }

    /// Number of rows of a map of nodes that a step needs: the last ones belong to the state before it,
    /// which is zero in the first step.
    pub(super) fn inputs(&self, map: Slot, step: &StepTape) -> usize {
        if step.is_first { map.rows - self.h } else { map.rows }
    }

    /// Columns of the inputs of decoders.
    pub(super) fn view(&self) -> View {
        let (h, features) = (self.h, self.node.count);
        View { after: 0..h, features: h..h + features, before: h + features..2 * h + features }
    }

    /// First column of a part of the linear map of nodes.
    pub(super) fn column(&self, part: StepPart) -> usize {
        let triplets = if self.processor.gated { 4 } else { 3 };
        match part {
            StepPart::Sender => 0,
            StepPart::Receiver => self.h,
            StepPart::Skip => 2 * self.h,
            StepPart::Triplet(end) => triplets * self.h + end * self.f,
        }
    }
}

/// Parts of the linear map of nodes.
#[derive(Clone, Copy, Debug)]
pub(super) enum StepPart {
    Sender,
    Receiver,
    /// Skip connection of the next state, followed by that of the gate.
    Skip,
    Triplet(usize),
}
