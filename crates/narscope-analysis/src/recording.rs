//! Recordings: trajectories in files, for NumPy and for analyses.
//!
//! ```text
//! trajs               [S, T, H] or [S, T, N, H]   states; zero past a sample's own end
//! lengths             [S]                         how many steps the network took
//! hint_lengths        [S]                         how many true hints there are
//! score               [S]                         the mean score of a sample's outputs, by itself: of marks, whose F1
//!                                                 `evaluate` takes over all samples, the mean is another
//! clusters            [S]                         which base graph it is an image of, if it is one
//! inputs/PROBE        [S, …]                      as the network takes them
//! outputs/PROBE       [S, …]                      what is right
//! hints/PROBE         [S, T + 1, …]               the first is given, then one per step
//! predicted/outputs/PROBE, predicted/hints/PROBE  what the network said instead
//! ```
//!
//! Numbers, classes and pointers are one number each; what marks one node is that node.

use std::ops::Range;
use std::path::Path;

use narscope_clrs::algorithms;
use narscope_clrs::column::{Column, Stored};
use narscope_clrs::probe::{Kind, Location, Probe, Stage};
use narscope_clrs::records::Records;
use narscope_clrs::trace::Traces;
use narscope_files::growing::{Cells, Growing, Grown, Slot};
use narscope_files::whole::Existing;
use narscope_model::config::Draft;
use narscope_model::net::Spec;
use narscope_model::random::fnv;
use narscope_model::rollout::{NoHook, StepHook};
use narscope_model::trajectory::{Kept, Trajectories, Wanted};

use crate::hooks::{Along, Directions, Perturb, Perturbation, Reading};
use crate::subject::Subject;
use crate::{Error, Result};

/// How many samples are run before they are written.
const PIECE: usize = 256;

/// What a recording is of, beside the network.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// How its samples were drawn, for whoever reads the file.
    pub samples: String,
    /// How many base graphs its samples are images of, if they are.
    pub classes: Option<usize>,
    /// What is done to states on the way, if anything.
    pub touched: Option<Touched>,
}

/// What is done to states.
#[derive(Clone, Debug)]
pub struct Touched {
    /// What.
    pub perturbation: Perturbation,
    /// Along which direction.
    pub along: Along,
    /// Directions of clusters, step by step.
    pub directions: Vec<Directions>,
    /// The seed of the noise.
    pub seed: u32,
}

/// Lets a network run on samples and records it in a file, or goes on where that was interrupted.
/// `progress` hears how many samples are done at once, and says whether to go on.
pub fn write(
    path: &Path,
    existing: Existing,
    subject: &Subject,
    traces: &Traces,
    kept: Kept,
    about: &About,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Result<()> {
    let probes = &traces.probes;
    let wanted = Wanted { kept, ..Wanted::default() };
    let longest = (0..traces.len()).map(|i| wanted.steps.of(traces.steps(i))).max().unwrap_or(1);
    let layout = Layout {
        nodes: traces.nodes,
        hidden: subject.config.hidden_size,
        longest,
        kept,
        hints: subject.config.hint_mode.decodes(),
        classes: about.classes,
    };
    let kept = serde_json::to_value(kept).expect("a name is JSON");
    let touched = about.touched.as_ref().map_or_else(
        || "no".to_owned(),
        |Touched { perturbation, along, directions, seed }| {
            let (what, along) = (perturbation.name(), along.name());
            let known = fnv(directions.iter().flat_map(Directions::bytes));
            format!("{what}, {along} direction, seed {seed}, directions {known:016x}")
        },
    );
    let head = [
        ("narscope", env!("CARGO_PKG_VERSION").to_owned()),
        ("algorithm", subject.spec().entry.name.to_owned()),
        ("network", format!("{:016x}", subject.fingerprint())),
        // However it was reached: fingerprint and configuration tell whether it is the same.
        ("run", folder_name(&subject.name)),
        ("config", subject.config.to_toml()),
        ("samples", about.samples.clone()),
        ("touched", touched),
        ("nodes", traces.nodes.to_string()),
        ("kept", kept.as_str().unwrap_or_default().to_owned()),
    ];
    let mut file = Growing::open(path, existing, layout.slots(probes), traces.len(), &head)?;
    progress(file.done());
    let steps: Vec<usize> = (0..traces.len()).map(|i| wanted.steps.of(traces.steps(i))).collect();
    let mut untouched = NoHook;
    let mut perturb =
        about.touched.as_ref().map(|Touched { perturbation, along, directions, seed }| {
            let mut perturb =
                Perturb::new((*perturbation, *along, Reading::Graph), directions, &steps, *seed);
            perturb.skip(file.done());
            perturb
        });
    let hook: &mut dyn StepHook = match &mut perturb {
        Some(perturb) => perturb,
        None => &mut untouched,
    };
    while file.done() < traces.len() {
        let samples = file.done()..traces.len().min(file.done() + PIECE);
        let batch = traces.select(&samples.clone().collect::<Vec<_>>());
        let recorded = subject.record(&batch, wanted, hook, progress)?;
        file.append(samples.len(), &layout.cells(&recorded, samples.start))?;
    }
    Ok(file.finish()?)
}

fn folder_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// What lies where in a file.
struct Layout {
    nodes: usize,
    hidden: usize,
    /// The most steps that the network takes.
    longest: usize,
    kept: Kept,
    /// Whether hints are predicted.
    hints: bool,
    classes: Option<usize>,
}

impl Layout {
    fn slots(&self, probes: &[Probe]) -> Vec<Slot> {
        let slot =
            |name: &str, shape: Vec<usize>, cells| Slot { name: name.to_owned(), shape, cells };
        let mut states = vec![self.longest, self.kept.vectors(self.nodes), self.hidden];
        if matches!(self.kept, Kept::Max | Kept::Mean | Kept::Min) {
            states.remove(1);
        }
        let mut slots = vec![
            slot("trajs", states, Cells::F32(vec![])),
            slot("lengths", vec![], Cells::I32(vec![])),
            slot("hint_lengths", vec![], Cells::I32(vec![])),
            slot("score", vec![], Cells::F64(vec![])),
        ];
        if self.classes.is_some() {
            slots.push(slot("clusters", vec![], Cells::I32(vec![])));
        }
        slots.extend(probes.iter().map(|probe| self.slot(probe, "")));
        let said = probes.iter().filter(|probe| self.is_said(probe));
        slots.extend(said.map(|probe| self.slot(probe, "predicted/")));
        slots
    }

    fn is_said(&self, probe: &Probe) -> bool {
        match probe.stage {
            Stage::Input => false,
            Stage::Output => true,
            Stage::Hint => self.hints,
        }
    }

    fn slot(&self, probe: &Probe, whose: &str) -> Slot {
        let mut shape = match (probe.location, probe.kind) {
            (Location::Graph, _) | (Location::Node, Kind::MaskOne) => vec![],
            (Location::Node, _) => vec![self.nodes],
            (Location::Edge, _) => vec![self.nodes, self.nodes],
        };
        if probe.stage == Stage::Hint {
            shape.insert(0, self.longest + 1);
        }
        let cells = match Column::of(probe, self.nodes) {
            Column::Real(_) => Cells::F64(vec![]),
            Column::Class(_) => Cells::I8(vec![]),
            Column::Index(_) => Cells::I32(vec![]),
        };
        Slot { name: key(probe, whose), shape, cells }
    }

    /// The numbers of some samples, the first of which has place `start` among all.
    fn cells(&self, recorded: &Trajectories, start: usize) -> Vec<Cells> {
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
        let mut cells =
            vec![Cells::F32(states), Cells::I32(steps), Cells::I32(hints), Cells::F64(scores)];
        if let Some(classes) = self.classes {
            cells.push(Cells::I32(samples.map(|i| ((start + i) % classes) as i32).collect()));
        }
        let all = recorded.truth.probes.iter().zip(&recorded.truth.columns);
        cells.extend(all.map(|(probe, column)| self.column(probe, column, &recorded.truth)));
        let said = recorded.predicted.probes.iter().zip(&recorded.predicted.columns);
        cells.extend(said.map(|(probe, column)| self.column(probe, column, &recorded.predicted)));
        cells
    }

    fn column(&self, probe: &Probe, column: &Column, traces: &Traces) -> Cells {
        match column.unpacked() {
            Column::Real(all) => Cells::F64(self.padded(probe, &all, traces)),
            Column::Class(all) => Cells::I8(self.padded(probe, &all, traces)),
            Column::Index(all) => {
                let all = self.padded(probe, &all, traces);
                Cells::I32(all.into_iter().map(|index| index as i32).collect())
            }
        }
    }

    /// All records, those of hints with zeros past a sample's own end.
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

fn key(probe: &Probe, whose: &str) -> String {
    let stage = match probe.stage {
        Stage::Input => "inputs",
        Stage::Output => "outputs",
        Stage::Hint => "hints",
    };
    format!("{whose}{stage}/{}", probe.name)
}

/// A recording that was read back.
pub struct Recording {
    /// What was recorded.
    pub trajectories: Trajectories,
    /// Which base graph each sample is an image of, if it is one.
    pub clusters: Option<Vec<usize>>,
    /// The algorithm.
    pub algorithm: String,
    /// The folder of the run.
    pub run: String,
}

/// Reads a recording. If it has the states of all nodes, which may be more than memory holds, all
/// three reductions over nodes are kept of them.
pub fn read(path: &Path) -> Result<Recording> {
    let mut file = Grown::open(path)?;
    let wrong = |what: String| Error::Recording { what, path: path.to_owned() };
    let config = Draft::parse(file.about("config")?)?.finish()?;
    let algorithm = file.about("algorithm")?.to_owned();
    let spec = Spec::new(algorithms::find(&algorithm)?, &config)?;
    let number = |text: &str| text.parse::<usize>().ok();
    let nodes = number(file.about("nodes")?).ok_or_else(|| wrong("no number of nodes".into()))?;
    let in_file: Kept = serde_json::from_value(file.about("kept")?.into())
        .map_err(|error| wrong(format!("unknown states ({error})")))?;
    let kept = if in_file == Kept::All { Kept::Each } else { in_file };

    // Everything else follows from how many samples and steps there are.
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
    let lengths = whole_numbers(file.read("lengths", 0..samples)?, &wrong)?;
    if lengths.iter().any(|&length| length == 0 || length > longest) {
        return Err(wrong(format!("lengths should be from 1 to {longest}")));
    }
    let mut states = vec![];
    for (sample, &length) in lengths.iter().enumerate() {
        let Cells::F32(all) = file.read("trajs", sample..sample + 1)? else {
            return Err(wrong("trajs should be single precision".into()));
        };
        let size = all.len() / longest;
        let mut of_sample = vec![];
        for state in all[..length * size].chunks_exact(size) {
            match in_file {
                Kept::All => kept.push(state, hidden, &mut of_sample),
                _ => of_sample.extend_from_slice(state),
            }
        }
        states.push(of_sample);
    }

    let is_said = |probe: &&Probe| file.names().any(|name| name == key(probe, "predicted/"));
    let said: Vec<Probe> = spec.probes.iter().filter(is_said).cloned().collect();
    let hints: Vec<usize> = lengths.iter().map(|length| length + 1).collect();
    let true_hints = whole_numbers(file.read("hint_lengths", 0..samples)?, &wrong)?;
    if true_hints.iter().any(|&hints| hints == 0 || hints > longest + 1) {
        return Err(wrong(format!("hint_lengths should be from 1 to {}", longest + 1)));
    }
    let mut traces = |whose: &str, probes: Vec<Probe>, hints: &[usize]| -> Result<Traces> {
        let mut columns = vec![];
        for probe in &probes {
            let cells = file.read(&key(probe, whose), 0..samples)?;
            columns.push(column(probe, nodes, cells, hints, longest, &wrong)?);
        }
        Ok(Traces::from_columns(probes, nodes, columns, hints))
    };
    let truth = traces("", spec.probes.clone(), &true_hints)?;
    let predicted = traces("predicted/", said, &hints)?;
    let Cells::F64(scores) = file.read("score", 0..samples)? else {
        return Err(wrong("score should be double precision".into()));
    };
    let clusters = match classes {
        Some(_) => Some(whole_numbers(file.read("clusters", 0..samples)?, &wrong)?),
        None => None,
    };
    let run = file.about("run")?.to_owned();
    let trajectories =
        Trajectories { truth, predicted, kept, hidden, states, every_output: vec![], scores };
    Ok(Recording { trajectories, clusters, algorithm, run })
}

fn whole_numbers(cells: Cells, wrong: &dyn Fn(String) -> Error) -> Result<Vec<usize>> {
    let Cells::I32(cells) = cells else {
        return Err(wrong(format!("wanted whole numbers, found {cells:?}")));
    };
    let all = cells.iter().map(|&x| usize::try_from(x));
    all.collect::<Result<_, _>>().map_err(|_| wrong("wanted no negative numbers".into()))
}

/// A column from cells whose hints are padded.
fn column(
    probe: &Probe,
    nodes: usize,
    cells: Cells,
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
    let width = probe.width(nodes);
    let hints = (probe.stage == Stage::Hint).then_some(hints);
    Ok(match (Column::of(probe, nodes), cells) {
        (Column::Real(_), Cells::F64(cells)) => {
            Column::Real(Records::from_plain(width, &unpadded(&cells, width, hints, longest)))
        }
        (Column::Class(_), Cells::I8(cells)) => {
            Column::Class(Records::from_plain(width, &unpadded(&cells, width, hints, longest)))
        }
        (Column::Index(_), Cells::I32(cells)) => {
            let cells = unpadded(&cells, width, hints, longest);
            let nodes_only =
                cells.iter().map(|&x| u32::try_from(x).ok().filter(|&x| (x as usize) < nodes));
            let cells: Option<Vec<u32>> = nodes_only.collect();
            let cells = cells.ok_or_else(|| wrong(format!("{} points to no node", probe.name)))?;
            Column::Index(Records::from_plain(width, &cells))
        }
        (_, cells) => {
            return Err(wrong(format!("{} has other numbers than {cells:?}", probe.name)));
        }
    })
}
