//! Recordings: trajectories in files, for NumPy and for analyses.
//!
//! ```text
//! trajs               [S, T, H] or [S, T, N, H]   states; zero past a sample's own end
//! lengths             [S]                         number of steps of the network
//! hint_lengths        [S]                         number of true hints
//! score               [S]                         mean score of the sample's outputs; for masks, the mean over samples
//!                                                 differs from `evaluate`, which computes one F1 over all samples
//! clusters            [S]                         index of the base graph, if samples are images of graphs
//! inputs/PROBE        [S, …]                      as given to the network
//! outputs/PROBE       [S, …]                      true outputs
//! hints/PROBE         [S, T + 1, …]               the given hint, then one per step
//! predicted/outputs/PROBE, predicted/hints/PROBE  predictions of the network
//! ```
//!
//! Scalars, classes and pointers are one value each; `mask_one` is the index of the node.

use std::ops::Range;
use std::path::Path;

use narscope_clrs::algorithms;
use narscope_clrs::column::{Column, Stored};
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::records::Records;
use narscope_clrs::trace::Traces;
use narscope_files::atomic::Existing;
use narscope_files::incremental::{TensorData, TensorReader, TensorSpec, TensorType, TensorWriter};
use narscope_model::Spec;
use narscope_model::config::Draft;
use narscope_model::pooling::Pooling;
use narscope_model::random::fnv;
use narscope_model::rollout::{NoHook, StepHook};
use narscope_model::trajectory::{RecordOptions, Trajectories};

use crate::analysed::AnalysedModel;
use crate::hooks::{Along, Directions, Perturb, Perturbation, Reading};
use crate::{Error, Result};

/// Number of samples that are run before they are written.
const CHUNK: usize = 256;

/// What is recorded, besides the network and its samples.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// How the samples were drawn, for readers of the file.
    pub samples: String,
    /// Number of base graphs, if samples are images of graphs.
    pub classes: Option<usize>,
    /// Perturbation of states during the recording.
    pub perturbed: Option<Perturbed>,
}

/// A perturbation of states during a recording.
#[derive(Clone, Debug)]
pub struct Perturbed {
    /// The perturbation.
    pub perturbation: Perturbation,
    /// Its direction.
    pub along: Along,
    /// Centroids and directions of clusters at each step.
    pub directions: Vec<Directions>,
    /// Seed of the noise.
    pub seed: u32,
}

/// Runs a network on samples and records it in a file, or resumes an interrupted recording.
///
/// `progress` receives the number of samples that are done and returns whether to continue.
pub fn write(
    path: &Path,
    existing: Existing,
    model: &AnalysedModel,
    traces: &Traces,
    kept: Pooling,
    settings: &Settings,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Result<()> {
    let probes = &traces.probes;
    let wanted = RecordOptions { pooling: kept, ..RecordOptions::default() };
    let longest = (0..traces.len()).map(|i| wanted.steps.of(traces.steps(i))).max().unwrap_or(1);
    let layout = Layout {
        nodes: traces.nodes,
        hidden: model.config().hidden_size,
        longest,
        kept,
        hints: model.config().hint_mode.decodes(),
        classes: settings.classes,
    };
    let kept = serde_json::to_value(kept).expect("a name is JSON");
    let perturbed = settings.perturbed.as_ref().map_or_else(
        || "no".to_owned(),
        |Perturbed { perturbation, along, directions, seed }| {
            let (what, along) = (perturbation.name(), along.name());
            let hash = fnv(directions.iter().flat_map(Directions::bytes));
            format!("{what}, {along} direction, seed {seed}, directions {hash:016x}")
        },
    );
    let head = [
        ("narscope", env!("CARGO_PKG_VERSION").to_owned()),
        ("algorithm", model.spec().entry.name.to_owned()),
        ("network", format!("{:016x}", model.fingerprint())),
        // Only the folder's name: fingerprint and configuration identify the network.
        ("run", folder_name(&model.name)),
        ("config", model.config().to_toml()),
        ("samples", settings.samples.clone()),
        ("touched", perturbed),
        ("nodes", traces.nodes.to_string()),
        ("kept", kept.as_str().unwrap_or_default().to_owned()),
    ];
    let mut file = TensorWriter::open(path, existing, layout.slots(probes), traces.len(), &head)?;
    progress(file.done());
    let steps: Vec<usize> = (0..traces.len()).map(|i| wanted.steps.of(traces.steps(i))).collect();
    let mut no_hook = NoHook;
    let mut perturb =
        settings.perturbed.as_ref().map(|Perturbed { perturbation, along, directions, seed }| {
            let mut perturb =
                Perturb::new((*perturbation, *along, Reading::Graph), directions, &steps, *seed);
            perturb.skip(file.done());
            perturb
        });
    let hook: &mut dyn StepHook = match &mut perturb {
        Some(perturb) => perturb,
        None => &mut no_hook,
    };
    while file.done() < traces.len() {
        let samples = file.done()..traces.len().min(file.done() + CHUNK);
        let batch = traces.select(&samples.clone().collect::<Vec<_>>());
        let recorded = model.record(&batch, wanted, hook, progress)?;
        file.append(samples.len(), &layout.cells(&recorded, samples.start))?;
    }
    Ok(file.finish()?)
}

fn folder_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Tensors of a file.
struct Layout {
    nodes: usize,
    hidden: usize,
    /// Largest number of steps of the network.
    longest: usize,
    kept: Pooling,
    /// Whether hints are predicted.
    hints: bool,
    classes: Option<usize>,
}

impl Layout {
    fn slots(&self, probes: &[Probe]) -> Vec<TensorSpec> {
        let slot = |name: &str, shape: Vec<usize>, dtype| TensorSpec {
            name: name.to_owned(),
            shape,
            dtype,
        };
        let mut states = vec![self.longest, self.kept.vectors(self.nodes), self.hidden];
        if matches!(self.kept, Pooling::Max | Pooling::Mean | Pooling::Min) {
            states.remove(1);
        }
        let mut slots = vec![
            slot("trajs", states, TensorType::F32),
            slot("lengths", vec![], TensorType::I32),
            slot("hint_lengths", vec![], TensorType::I32),
            slot("score", vec![], TensorType::F64),
        ];
        if self.classes.is_some() {
            slots.push(slot("clusters", vec![], TensorType::I32));
        }
        slots.extend(probes.iter().map(|probe| self.slot(probe, "")));
        let predicted = probes.iter().filter(|probe| self.is_predicted(probe));
        slots.extend(predicted.map(|probe| self.slot(probe, "predicted/")));
        slots
    }

    fn is_predicted(&self, probe: &Probe) -> bool {
        match probe.stage {
            Stage::Input => false,
            Stage::Output => true,
            Stage::Hint => self.hints,
        }
    }

    fn slot(&self, probe: &Probe, prefix: &str) -> TensorSpec {
        let mut shape = probe.location_shape(self.nodes);
        if probe.stage == Stage::Hint {
            shape.insert(0, self.longest + 1);
        }
        let dtype = match Column::of(probe, self.nodes) {
            Column::Real(_) => TensorType::F64,
            Column::Class(_) => TensorType::I8,
            Column::Index(_) => TensorType::I32,
        };
        TensorSpec { name: key(probe, prefix), shape, dtype }
    }

    /// Values of some samples, the first of which has index `start` among all.
    fn cells(&self, recorded: &Trajectories, start: usize) -> Vec<TensorData> {
        let size = self.longest * self.kept.vectors(self.nodes) * self.hidden;
        let mut states = vec![];
        for of_sample in &recorded.states {
            let end = states.len() + size;
            states.extend_from_slice(of_sample);
            states.resize(end, 0.0);
        }
        let samples = 0..recorded.len();
        let steps = samples.clone().map(|sample| recorded.steps(sample) as i32).collect();
        let hints = samples.clone().map(|sample| recorded.truth.steps(sample) as i32).collect();
        let scores = recorded.scores.clone();
        let mut cells = vec![
            TensorData::F32(states),
            TensorData::I32(steps),
            TensorData::I32(hints),
            TensorData::F64(scores),
        ];
        if let Some(classes) = self.classes {
            cells.push(TensorData::I32(samples.map(|i| ((start + i) % classes) as i32).collect()));
        }
        let all = recorded.truth.probes.iter().zip(&recorded.truth.columns);
        cells.extend(all.map(|(probe, column)| self.column(probe, column, &recorded.truth)));
        let predicted = recorded.predicted.probes.iter().zip(&recorded.predicted.columns);
        cells.extend(
            predicted.map(|(probe, column)| self.column(probe, column, &recorded.predicted)),
        );
        cells
    }

    fn column(&self, probe: &Probe, column: &Column, traces: &Traces) -> TensorData {
        match column.unpacked() {
            Column::Real(all) => TensorData::F64(self.padded(probe, &all, traces)),
            Column::Class(all) => TensorData::I8(self.padded(probe, &all, traces)),
            Column::Index(all) => {
                let all = self.padded(probe, &all, traces);
                TensorData::I32(all.into_iter().map(|index| index as i32).collect())
            }
        }
    }

    /// All records; those of hints are padded with zeros after a sample's last step.
    fn padded<T: Stored>(&self, probe: &Probe, all: &Records<T>, traces: &Traces) -> Vec<T> {
        if probe.stage != Stage::Hint {
            return all.plain().to_vec();
        }
        let width = all.width();
        let mut cells = vec![];
        for sample in 0..traces.len() {
            let end = cells.len() + (self.longest + 1) * width;
            let Range { start: first, end: last } = traces.records(Stage::Hint, sample);
            cells.extend_from_slice(&all.plain()[first * width..last * width]);
            cells.resize(end, T::default());
        }
        cells
    }
}

fn key(probe: &Probe, prefix: &str) -> String {
    let stage = match probe.stage {
        Stage::Input => "inputs",
        Stage::Output => "outputs",
        Stage::Hint => "hints",
    };
    format!("{prefix}{stage}/{}", probe.name)
}

/// A recording read from a file.
pub struct Recording {
    /// The recorded trajectories.
    pub trajectories: Trajectories,
    /// Index of the base graph of each sample, if samples are images of graphs.
    pub clusters: Option<Vec<usize>>,
    /// The algorithm.
    pub algorithm: String,
    /// Name of the folder of the run.
    pub run: String,
}

/// Reads a recording. States of all nodes, which may not fit into memory, are pooled over nodes in all three ways.
pub fn read(path: &Path) -> Result<Recording> {
    let mut file = TensorReader::open(path)?;
    let wrong = |what: String| Error::Recording { what, path: path.to_owned() };
    let config = Draft::parse(file.metadata("config")?)?.finish()?;
    let algorithm = file.metadata("algorithm")?.to_owned();
    let spec = Spec::new(algorithms::find(&algorithm)?, &config)?;
    let number = |text: &str| text.parse::<usize>().ok();
    let nodes = number(file.metadata("nodes")?)
        .ok_or_else(|| wrong("the number of nodes is missing".into()))?;
    let in_file: Pooling = serde_json::from_value(file.metadata("kept")?.into())
        .map_err(|error| wrong(format!("unknown pooling of states ({error})")))?;
    let kept = if in_file == Pooling::All { Pooling::Each } else { in_file };

    // All other shapes follow from the numbers of samples and steps.
    let (samples, longest) = match file.shape("trajs")?[..] {
        [samples, longest, ..] if longest > 0 => (samples, longest),
        ref shape => return Err(wrong(format!("trajs should have 3 or 4 axes, found {shape:?}"))),
    };
    let hidden = config.hidden_size;
    let classes = file.names().any(|name| name == "clusters").then_some(1);
    let hints = config.hint_mode.decodes();
    let layout = Layout { nodes, hidden, longest, kept: in_file, hints, classes };
    for slot in layout.slots(&spec.probes) {
        file.check(&slot, samples)?;
    }
    let lengths = integers(file.read("lengths", 0..samples)?, &wrong)?;
    if lengths.iter().any(|&length| length == 0 || length > longest) {
        return Err(wrong(format!("lengths should be from 1 to {longest}")));
    }
    let mut states = vec![];
    for (sample, &length) in lengths.iter().enumerate() {
        let TensorData::F32(all) = file.read("trajs", sample..sample + 1)? else {
            return Err(wrong("trajs should be single precision".into()));
        };
        let size = all.len() / longest;
        let mut of_sample = vec![];
        for state in all[..length * size].chunks_exact(size) {
            match in_file {
                Pooling::All => kept.push(state, hidden, &mut of_sample),
                _ => of_sample.extend_from_slice(state),
            }
        }
        states.push(of_sample);
    }

    let is_predicted = |probe: &&Probe| file.names().any(|name| name == key(probe, "predicted/"));
    let predicted: Vec<Probe> = spec.probes.iter().filter(is_predicted).cloned().collect();
    let hints: Vec<usize> = lengths.iter().map(|length| length + 1).collect();
    let true_hints = integers(file.read("hint_lengths", 0..samples)?, &wrong)?;
    if true_hints.iter().any(|&hints| hints == 0 || hints > longest + 1) {
        return Err(wrong(format!("hint_lengths should be from 1 to {}", longest + 1)));
    }
    let mut traces = |prefix: &str, probes: Vec<Probe>, hints: &[usize]| -> Result<Traces> {
        let mut columns = vec![];
        for probe in &probes {
            let cells = file.read(&key(probe, prefix), 0..samples)?;
            columns.push(column(probe, nodes, cells, hints, longest, &wrong)?);
        }
        Ok(Traces::from_columns(probes, nodes, columns, hints))
    };
    let truth = traces("", spec.probes.clone(), &true_hints)?;
    let predicted = traces("predicted/", predicted, &hints)?;
    let TensorData::F64(scores) = file.read("score", 0..samples)? else {
        return Err(wrong("score should be double precision".into()));
    };
    let clusters = match classes {
        Some(_) => Some(integers(file.read("clusters", 0..samples)?, &wrong)?),
        None => None,
    };
    let run = file.metadata("run")?.to_owned();
    let trajectories = Trajectories {
        truth,
        predicted,
        pooling: kept,
        hidden,
        states,
        every_output: vec![],
        scores,
    };
    Ok(Recording { trajectories, clusters, algorithm, run })
}

fn integers(cells: TensorData, wrong: &dyn Fn(String) -> Error) -> Result<Vec<usize>> {
    let TensorData::I32(cells) = cells else {
        return Err(wrong(format!("expected integers, found {cells:?}")));
    };
    let all = cells.iter().map(|&x| usize::try_from(x));
    all.collect::<Result<_, _>>().map_err(|_| wrong("expected no negative integers".into()))
}

/// A column from values whose hints are padded.
fn column(
    probe: &Probe,
    nodes: usize,
    cells: TensorData,
    hints: &[usize],
    longest: usize,
    wrong: &dyn Fn(String) -> Error,
) -> Result<Column> {
    fn unpadded<T: Copy>(
        cells: &[T],
        width: usize,
        hints: Option<&[usize]>,
        longest: usize,
    ) -> Vec<T> {
        let Some(hints) = hints else { return cells.to_vec() };
        let samples = cells.chunks_exact((longest + 1) * width).zip(hints);
        samples.flat_map(|(cells, hints)| &cells[..hints * width]).copied().collect()
    }
    let width = probe.locations(nodes);
    let hints = (probe.stage == Stage::Hint).then_some(hints);
    Ok(match (Column::of(probe, nodes), cells) {
        (Column::Real(_), TensorData::F64(cells)) => {
            Column::Real(Records::from_plain(width, &unpadded(&cells, width, hints, longest)))
        }
        (Column::Class(_), TensorData::I8(cells)) => {
            Column::Class(Records::from_plain(width, &unpadded(&cells, width, hints, longest)))
        }
        (Column::Index(_), TensorData::I32(cells)) => {
            let cells = unpadded(&cells, width, hints, longest);
            let nodes_only =
                cells.iter().map(|&x| u32::try_from(x).ok().filter(|&x| (x as usize) < nodes));
            let cells: Option<Vec<u32>> = nodes_only.collect();
            let cells = cells
                .ok_or_else(|| wrong(format!("{} has an index that is not a node", probe.name)))?;
            Column::Index(Records::from_plain(width, &cells))
        }
        (_, cells) => {
            return Err(wrong(format!("{} has unexpected values: {cells:?}", probe.name)));
        }
    })
}
