//! Reading recordings, a few samples at a time.

use std::ops::Range;
use std::path::Path;

use narscope_clrs::algorithms;
use narscope_clrs::column::Column;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;
use narscope_files::atomic::Existing;
use narscope_files::incremental::{TensorData, TensorReader, TensorWriter};
use narscope_files::layout::{CLUSTER, HIDDEN, LENGTHS, SCORE, STEPS, key, predicted_key};
use narscope_files::metadata::Metadata;
use narscope_model::Spec;
use narscope_model::config::Draft;
use narscope_model::pooling::Pooling;
use narscope_model::trajectory::Trajectories;

use super::layout::Layout;
use super::version1;
use super::write::append;
use super::{CHUNK, KeptLogits, Recording};
use crate::{Error, Result};

/// Reads a recording. States of all nodes, which may not fit into memory, are pooled over nodes in all three ways.
pub fn read(path: &Path) -> Result<Recording> {
    let mut file = RecordingFile::open(path)?;
    let Some(in_file) = file.layout.hidden else {
        return Err(file.wrong("there are no hidden states"));
    };
    let pooling = if in_file == Pooling::All { Pooling::Each } else { in_file };
    let units = file.layout.units;
    let mut all = file.nothing(pooling);
    for samples in file.chunks() {
        let mut chunk = file.read(samples)?;
        if in_file == Pooling::All {
            for states in &mut chunk.states {
                let mut pooled = vec![];
                for state in states.chunks_exact(units * file.layout.nodes) {
                    pooling.push(state, units, &mut pooled);
                }
                *states = pooled;
            }
        }
        all.states.append(&mut chunk.states);
        all.scores.append(&mut chunk.scores);
        for sample in 0..chunk.truth.len() {
            all.truth.push_from(&chunk.truth, sample);
            all.predicted.push_from(&chunk.predicted, sample);
        }
    }
    Ok(Recording {
        trajectories: all,
        clusters: file.clusters,
        run: file.metadata.get("run").unwrap_or_default().to_owned(),
        algorithm: file.metadata.algorithm,
    })
}

/// Writes a recording in the current layout, as `.npz` or `.safetensors`.
pub fn convert(from: &Path, to: &Path, existing: Existing) -> Result<()> {
    let reader = TensorReader::open(from)?;
    let is_npz = to.extension().is_some_and(|extension| extension == "npz");
    if reader.metadata().version > 1 && is_npz {
        let mut reader = reader;
        return Ok(reader.write_npz(to, existing)?);
    }
    let mut file = RecordingFile::open(from)?;
    if reader.metadata().version > 1 {
        return Err(file.wrong("it is a .safetensors file in the current layout already"));
    }
    let slots = file.layout.slots(&file.probes);
    let specs = slots.iter().map(|slot| slot.spec.clone()).collect();
    let mut writer = TensorWriter::open(to, existing, specs, file.samples, &file.metadata)?;
    while writer.done() < file.samples {
        let samples = writer.done()..file.samples.min(writer.done() + CHUNK);
        let chunk = file.read(samples.clone())?;
        let clusters = file.clusters.as_ref().map_or(&[][..], |all| &all[samples]);
        append(&mut writer, &slots, &chunk, clusters)?;
    }
    Ok(writer.finish()?)
}

/// A recording of any version, open for reading.
pub(super) struct RecordingFile {
    pub(super) file: TensorReader,
    /// In the form of the current version.
    pub(super) metadata: Metadata,
    is_version1: bool,
    pub(super) layout: Layout,
    pub(super) probes: Vec<Probe>,
    pub(super) samples: usize,
    /// Number of true hints of each sample.
    pub(super) lengths: Vec<usize>,
    /// Number of steps of the network on each sample.
    pub(super) steps: Vec<usize>,
    pub(super) clusters: Option<Vec<usize>>,
    path: std::path::PathBuf,
}

impl RecordingFile {
    fn open(path: &Path) -> Result<Self> {
        let file = TensorReader::open(path)?;
        let is_version1 = file.metadata().version == 1;
        let metadata =
            if is_version1 { version1::metadata(&file)? } else { file.metadata().clone() };
        let config = Draft::parse(file.required("config")?)?.finish()?;
        let spec = Spec::new(algorithms::find(&metadata.algorithm)?, &config)?;
        let wrong = |what: String| Error::Recording { what, path: path.to_owned() };
        let hidden = metadata.get("pooling").map(|name| serde_json::from_value(name.into()));
        let hidden: Option<Pooling> = hidden
            .transpose()
            .map_err(|error| wrong(format!("unknown pooling of states ({error})")))?;
        let has = |name: &str| file.names().any(|other| other == name);
        let layout = Layout {
            nodes: 0,
            units: config.hidden_size,
            length: 0,
            steps: 0,
            hidden,
            decodes_hints: config.hint_mode.decodes(),
            clusters: has(if is_version1 { version1::CLUSTERS } else { CLUSTER }),
            logits: KeptLogits::Nothing,
        };
        let mut file = Self {
            file,
            metadata,
            is_version1,
            layout,
            probes: spec.probes,
            samples: 0,
            lengths: vec![],
            steps: vec![],
            clusters: None,
            path: path.to_owned(),
        };
        if is_version1 {
            version1::measure(&mut file)?;
        } else {
            file.measure()?;
        }
        Ok(file)
    }

    pub(super) fn wrong(&self, what: impl Into<String>) -> Error {
        Error::Recording { what: what.into(), path: self.path.clone() }
    }

    /// Reads the sizes of all axes, and checks that all tensors have them.
    fn measure(&mut self) -> Result<()> {
        let &[samples, nodes] = self.file.shape("input/pos")?.as_slice() else {
            return Err(self.wrong("input/pos should have 2 axes"));
        };
        (self.samples, self.layout.nodes) = (samples, self.checked_nodes(nodes)?);
        self.lengths = self.integers(LENGTHS)?;
        self.steps = self.integers(STEPS)?;
        let hint = self.probes.iter().find(|probe| probe.stage == Stage::Hint).map(key);
        let padded =
            |name: &str| -> Result<Option<usize>> { Ok(self.file.shape(name)?.get(1).copied()) };
        let longest = self.lengths.iter().copied().max();
        let length = hint.map_or(Ok(longest), |hint| padded(&hint))?.unwrap_or(0);
        let most = self.steps.iter().copied().max();
        let steps = if self.layout.hidden.is_some() { padded(HIDDEN)? } else { most }.unwrap_or(0);
        (self.layout.length, self.layout.steps) = (length, steps);
        self.check_counts(LENGTHS, &self.lengths, length)?;
        self.check_counts(STEPS, &self.steps, steps)?;
        for slot in self.layout.slots(&self.probes) {
            self.file.check(&slot.spec, samples)?;
        }
        if self.layout.clusters {
            self.clusters = Some(self.integers(CLUSTER)?);
        }
        Ok(())
    }

    /// Refuses unrealistic numbers of nodes, for which the sizes of records could overflow.
    pub(super) fn checked_nodes(&self, nodes: usize) -> Result<usize> {
        const MOST: usize = 1 << 20;
        if (1..=MOST).contains(&nodes) {
            return Ok(nodes);
        }
        Err(self.wrong(format!("the number of nodes should be from 1 to {MOST}, found {nodes}")))
    }

    pub(super) fn check_counts(&self, name: &str, counts: &[usize], most: usize) -> Result<()> {
        if counts.iter().all(|count| (1..=most).contains(count)) {
            return Ok(());
        }
        Err(self.wrong(format!("{name} should be from 1 to {most}")))
    }

    /// Reads an integer per sample.
    pub(super) fn integers(&mut self, name: &str) -> Result<Vec<usize>> {
        let cells = match self.file.read(name, 0..self.samples)? {
            TensorData::I64(cells) => cells,
            TensorData::I32(cells) => cells.into_iter().map(i64::from).collect(),
            _ => return Err(self.wrong(format!("{name} should be integers"))),
        };
        let all: Option<Vec<usize>> =
            cells.into_iter().map(|cell| usize::try_from(cell).ok()).collect();
        all.ok_or_else(|| self.wrong(format!("{name} should not be negative")))
    }

    /// Trajectories without samples.
    fn nothing(&self, pooling: Pooling) -> Trajectories {
        let truth = Traces::new(self.probes.clone(), self.layout.nodes);
        Trajectories::new(&truth, self.layout.decodes_hints, pooling, self.layout.units)
    }

    fn chunks(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let samples = self.samples;
        (0..samples).step_by(CHUNK).map(move |start| start..samples.min(start + CHUNK))
    }

    /// Reads some samples, with the states as they are in the file.
    fn read(&mut self, samples: Range<usize>) -> Result<Trajectories> {
        let mut all = self.nothing(self.layout.hidden.unwrap_or(Pooling::Max));
        let TensorData::F64(scores) = self.file.read(SCORE, samples.clone())? else {
            return Err(self.wrong("score should be double precision"));
        };
        all.scores = scores;
        for sample in samples {
            let (truth, predicted) = if self.is_version1 {
                version1::traces(self, sample)?
            } else {
                self.traces(sample)?
            };
            all.truth.push_from(&truth, 0);
            all.predicted.push_from(&predicted, 0);
            all.states.push(self.states(sample)?);
        }
        Ok(all)
    }

    /// The states of a sample, without padding.
    fn states(&mut self, sample: usize) -> Result<Vec<f32>> {
        if self.layout.hidden.is_none() {
            return Ok(vec![]);
        }
        let name = if self.is_version1 { version1::STATES } else { HIDDEN };
        let TensorData::F32(mut states) = self.file.read(name, sample..sample + 1)? else {
            return Err(self.wrong(format!("{name} should be single precision")));
        };
        states.truncate(states.len() / self.layout.steps * self.steps[sample]);
        Ok(states)
    }

    /// True and predicted values of a sample.
    fn traces(&mut self, sample: usize) -> Result<(Traces, Traces)> {
        let (nodes, probes) = (self.layout.nodes, self.probes.clone());
        let (length, steps) = (self.lengths[sample], self.steps[sample]);
        let mut truth = vec![];
        let (mut predicted_probes, mut predicted) = (vec![], vec![]);
        for probe in &probes {
            let mut column = Column::of(probe, nodes);
            for record in
                self.records(&key(probe), probe, sample, length)?.chunks_exact(probe.size(nodes))
            {
                let read = probe.compact(nodes, record, &mut column);
                read.map_err(|error| self.wrong(format!("{}: {error}", key(probe))))?;
            }
            if self.layout.is_predicted(probe) {
                let name = predicted_key(probe);
                let mut answer = Column::of(probe, nodes);
                if probe.stage == Stage::Hint {
                    // The first hint is given.
                    answer.push(column.rows_from(0).next_row().expect("a sample has a hint"));
                }
                for record in
                    self.records(&name, probe, sample, steps)?.chunks_exact(probe.size(nodes))
                {
                    let read = probe.compact_prediction(nodes, record, &mut answer);
                    read.map_err(|error| self.wrong(format!("{name}: {error}")))?;
                }
                predicted_probes.push(probe.clone());
                predicted.push(answer);
            }
            truth.push(column);
        }
        Ok((
            Traces::from_columns(probes, nodes, truth, &[length]),
            Traces::from_columns(predicted_probes, nodes, predicted, &[steps + 1]),
        ))
    }

    /// The values of a sample; of a hint, those of its first `steps` records.
    fn records(
        &mut self,
        name: &str,
        probe: &Probe,
        sample: usize,
        steps: usize,
    ) -> Result<Vec<f64>> {
        let mut values = match self.file.read(name, sample..sample + 1)? {
            TensorData::F64(values) => values,
            TensorData::I64(values) => values.into_iter().map(|value| value as f64).collect(),
            _ => return Err(self.wrong(format!("{name} should be F64 or I64"))),
        };
        if probe.stage == Stage::Hint {
            values.truncate(steps * probe.size(self.layout.nodes));
        }
        Ok(values)
    }
}
