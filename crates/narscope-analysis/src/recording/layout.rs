//! The tensors of a recording: which there are, and how samples are written to them.

use std::io::{self, Write};

use narscope_clrs::probe::{Dtype, Probe, Stage};
use narscope_clrs::trace::Traces;
use narscope_files::incremental::{TensorSpec, TensorType};
use narscope_files::layout::{
    CLUSTER, HIDDEN, LENGTHS, SCORE, STEPS, key, predicted_key, to_bytes,
};
use narscope_model::pooling::Pooling;
use narscope_model::trajectory::Trajectories;

use super::KeptLogits;

/// Sizes and contents of a file.
pub(super) struct Layout {
    pub(super) nodes: usize,
    /// Number of hidden units.
    pub(super) units: usize,
    /// Largest number of true hints.
    pub(super) length: usize,
    /// Largest number of steps of the network.
    pub(super) steps: usize,
    /// What is kept of the hidden states, if anything.
    pub(super) hidden: Option<Pooling>,
    /// Whether the network predicts hints.
    pub(super) decodes_hints: bool,
    pub(super) clusters: bool,
    pub(super) logits: KeptLogits,
}

/// A tensor, and what it holds.
pub(super) struct Slot {
    pub(super) spec: TensorSpec,
    content: Content,
}

#[derive(Clone, Copy)]
enum Content {
    Lengths,
    Steps,
    Score,
    Cluster,
    Hidden,
    /// True values of the probe with this index.
    Truth(usize),
    /// Predicted values of the predicted probe with this index.
    Predicted(usize),
    /// Raw predictions with this index.
    Logits(usize),
}

impl Layout {
    /// All tensors, for the probes of the samples.
    pub(super) fn slots(&self, probes: &[Probe]) -> Vec<Slot> {
        let mut slots = vec![];
        let mut add = |name: String, shape: Vec<usize>, dtype, content| {
            slots.push(Slot { spec: TensorSpec { name, shape, dtype }, content });
        };
        add(LENGTHS.to_owned(), vec![], TensorType::I64, Content::Lengths);
        add(STEPS.to_owned(), vec![], TensorType::I64, Content::Steps);
        add(SCORE.to_owned(), vec![], TensorType::F64, Content::Score);
        if self.clusters {
            add(CLUSTER.to_owned(), vec![], TensorType::I64, Content::Cluster);
        }
        if let Some(pooling) = self.hidden {
            let mut shape = vec![self.steps, pooling.vectors(self.nodes), self.units];
            if pooling.vectors(self.nodes) == 1 && pooling != Pooling::All {
                shape.remove(1);
            }
            add(HIDDEN.to_owned(), shape, TensorType::F32, Content::Hidden);
        }
        for (index, probe) in probes.iter().enumerate() {
            let shape = shape(probe, self.nodes, self.length);
            add(key(probe), shape, dtype(probe), Content::Truth(index));
        }
        let predicted = probes.iter().filter(|probe| self.is_predicted(probe));
        for (index, probe) in predicted.enumerate() {
            let shape = shape(probe, self.nodes, self.steps);
            add(predicted_key(probe), shape, dtype(probe), Content::Predicted(index));
        }
        for (index, (name, shape)) in self.logits(probes).into_iter().enumerate() {
            add(name, shape, TensorType::F32, Content::Logits(index));
        }
        slots
    }

    pub(super) fn is_predicted(&self, probe: &Probe) -> bool {
        match probe.stage {
            Stage::Input => false,
            Stage::Output => true,
            Stage::Hint => self.decodes_hints,
        }
    }

    /// Names and shapes of raw predictions, in the order in which trajectories have them.
    fn logits(&self, probes: &[Probe]) -> Vec<(String, Vec<usize>)> {
        let mut all = vec![];
        if self.logits == KeptLogits::Nothing {
            return all;
        }
        let of_stage = |stage| probes.iter().filter(move |probe: &&Probe| probe.stage == stage);
        for probe in of_stage(Stage::Output) {
            let shape = probe.prediction_shape(self.nodes);
            all.push((format!("logits/output/{}", probe.name), shape.clone()));
            if self.logits == KeptLogits::EveryStep {
                let shape = [&[self.steps], shape.as_slice()].concat();
                all.push((format!("logits/output_steps/{}", probe.name), shape));
            }
        }
        for probe in of_stage(Stage::Hint).filter(|_| self.decodes_hints) {
            let shape = [&[self.steps], probe.prediction_shape(self.nodes).as_slice()].concat();
            all.push((format!("logits/hint/{}", probe.name), shape));
        }
        all
    }
}

/// Shape of the values of one sample; hints have `steps` records.
fn shape(probe: &Probe, nodes: usize, steps: usize) -> Vec<usize> {
    let mut shape = probe.shape(nodes);
    if probe.stage == Stage::Hint {
        shape.insert(0, steps);
    }
    shape
}

fn dtype(probe: &Probe) -> TensorType {
    match probe.dtype {
        Dtype::Float64 => TensorType::F64,
        Dtype::Int64 => TensorType::I64,
    }
}

impl Slot {
    /// Writes the values of some samples, one after the other; `clusters` are those of these samples.
    pub(super) fn write(
        &self,
        all: &Trajectories,
        clusters: &[usize],
        file: &mut dyn Write,
    ) -> io::Result<()> {
        let integers = |of_sample: &dyn Fn(usize) -> usize| -> Vec<u8> {
            (0..all.len()).flat_map(|sample| (of_sample(sample) as i64).to_le_bytes()).collect()
        };
        match self.content {
            Content::Lengths => file.write_all(&integers(&|sample| all.truth.steps(sample))),
            Content::Steps => file.write_all(&integers(&|sample| all.steps(sample))),
            Content::Cluster => file.write_all(&integers(&|sample| clusters[sample])),
            Content::Score => {
                all.scores.iter().try_for_each(|score| file.write_all(&score.to_le_bytes()))
            }
            Content::Hidden => all.states.iter().try_for_each(|states| {
                let bytes = states.iter().flat_map(|x| x.to_le_bytes()).collect();
                self.write_padded(bytes, file)
            }),
            Content::Truth(probe) => self.write_records(&all.truth, probe, 0, file),
            // The first hint is given, not predicted.
            Content::Predicted(probe) => self.write_records(&all.predicted, probe, 1, file),
            Content::Logits(index) => {
                let (name, array) = &all.logits[index];
                assert_eq!(*name, self.spec.name, "the order of raw predictions");
                array.data.iter().try_for_each(|x| file.write_all(&x.to_le_bytes()))
            }
        }
    }

    /// Writes the values of a probe without its first `skipped` hints.
    fn write_records(
        &self,
        traces: &Traces,
        index: usize,
        skipped: usize,
        file: &mut dyn Write,
    ) -> io::Result<()> {
        let probe = &traces.probes[index];
        let skipped = if probe.stage == Stage::Hint { skipped } else { 0 };
        for sample in 0..traces.len() {
            let mut bytes = vec![];
            let dense = traces.dense(index, sample);
            to_bytes(&dense[skipped * probe.size(traces.nodes)..], probe.dtype, &mut bytes);
            self.write_padded(bytes, file)?;
        }
        Ok(())
    }

    /// Writes the values of a sample, and zeros after its last step.
    fn write_padded(&self, mut bytes: Vec<u8>, file: &mut dyn Write) -> io::Result<()> {
        bytes.resize(self.spec.bytes_per_sample(), 0);
        file.write_all(&bytes)
    }
}
