//! Recordings of the first version, which had names and encodings of their own.
//!
//! ```text
//! trajs               [B, S, H] or [B, S, N, H]   states
//! lengths             [B]                         number of steps of the network
//! hint_lengths        [B]                         number of true hints
//! score, clusters     [B]
//! inputs/PROBE, outputs/PROBE                     as now, but each value is one number
//! hints/PROBE         [B, S + 1, …]               as the inputs
//! predicted/outputs/PROBE, predicted/hints/PROBE  as the true values; the first hint is the given one
//! ```

use narscope_clrs::column::Column;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::records::Records;
use narscope_clrs::trace::Traces;
use narscope_files::incremental::{TensorData, TensorReader, TensorSpec, TensorType};
use narscope_files::layout::{self, SCORE};
use narscope_files::metadata::Metadata;
use narscope_model::pooling::Pooling;
use serde_json::Value;

use super::read::RecordingFile;
use crate::Result;

pub(super) const STATES: &str = "trajs";
pub(super) const CLUSTERS: &str = "clusters";
const STEPS: &str = "lengths";
const LENGTHS: &str = "hint_lengths";

/// The metadata under its current names.
pub(super) fn metadata(file: &TensorReader) -> Result<Metadata> {
    let mut metadata = file.metadata().clone();
    metadata.version = layout::VERSION;
    metadata.set("pooling", file.required("kept")?);
    let samples = file.required("samples")?;
    metadata.source =
        Some(serde_json::from_str(samples).unwrap_or_else(|_| Value::String(samples.to_owned())));
    if let Some(touched) = file.metadata().get("touched").filter(|&text| text != "no") {
        metadata.set("perturbed", touched);
    }
    for old in ["kept", "samples", "touched"] {
        metadata.remove(old);
    }
    Ok(metadata)
}

/// Reads the sizes of all axes, and checks that all tensors have them.
pub(super) fn measure(recording: &mut RecordingFile) -> Result<()> {
    let nodes = recording.file.required("nodes")?.parse();
    let nodes = nodes.map_err(|_| recording.wrong("the number of nodes is missing"))?;
    recording.layout.nodes = recording.checked_nodes(nodes)?;
    recording.metadata.remove("nodes");
    (recording.samples, recording.layout.steps) = match recording.file.shape(STATES)?[..] {
        [samples, steps, ..] if steps > 0 => (samples, steps),
        ref shape => {
            return Err(recording.wrong(format!("trajs should have 3 or 4 axes, found {shape:?}")));
        }
    };
    for spec in specs(recording) {
        recording.file.check(&spec, recording.samples)?;
    }
    recording.steps = recording.integers(STEPS)?;
    recording.lengths = recording.integers(LENGTHS)?;
    recording.check_counts(STEPS, &recording.steps, recording.layout.steps)?;
    let most = recording.layout.steps.saturating_add(1);
    recording.check_counts(LENGTHS, &recording.lengths, most)?;
    recording.layout.length = recording.lengths.iter().copied().max().unwrap_or(1);
    if recording.layout.clusters {
        recording.clusters = Some(recording.integers(CLUSTERS)?);
    }
    Ok(())
}

fn specs(recording: &RecordingFile) -> Vec<TensorSpec> {
    let layout = &recording.layout;
    let spec = |name: &str, shape, dtype| TensorSpec { name: name.to_owned(), shape, dtype };
    let pooling = layout.hidden.unwrap_or_default();
    let mut states = vec![layout.steps, pooling.vectors(layout.nodes), layout.units];
    if matches!(pooling, Pooling::Max | Pooling::Mean | Pooling::Min) {
        states.remove(1);
    }
    let mut specs = vec![
        spec(STATES, states, TensorType::F32),
        spec(STEPS, vec![], TensorType::I32),
        spec(LENGTHS, vec![], TensorType::I32),
        spec(SCORE, vec![], TensorType::F64),
    ];
    if layout.clusters {
        specs.push(spec(CLUSTERS, vec![], TensorType::I32));
    }
    for probe in &recording.probes {
        let mut shape = probe.location_shape(layout.nodes);
        if probe.stage == Stage::Hint {
            shape.insert(0, layout.steps.saturating_add(1));
        }
        let dtype = match Column::of(probe, layout.nodes) {
            Column::Real(_) => TensorType::F64,
            Column::Class(_) => TensorType::I8,
            Column::Index(_) => TensorType::I32,
        };
        specs.push(spec(&key(probe, ""), shape.clone(), dtype));
        if layout.is_predicted(probe) {
            specs.push(spec(&key(probe, "predicted/"), shape, dtype));
        }
    }
    specs
}

fn key(probe: &Probe, prefix: &str) -> String {
    format!("{prefix}{}s/{}", probe.stage.name(), probe.name)
}

/// True and predicted values of a sample.
pub(super) fn traces(recording: &mut RecordingFile, sample: usize) -> Result<(Traces, Traces)> {
    let (length, hints) = (recording.lengths[sample], recording.steps[sample] + 1);
    let probes = recording.probes.clone();
    let predicted: Vec<Probe> =
        probes.iter().filter(|probe| recording.layout.is_predicted(probe)).cloned().collect();
    let truth = columns(recording, sample, probes, "", length)?;
    Ok((truth, columns(recording, sample, predicted, "predicted/", hints)?))
}

fn columns(
    recording: &mut RecordingFile,
    sample: usize,
    probes: Vec<Probe>,
    prefix: &str,
    hints: usize,
) -> Result<Traces> {
    let nodes = recording.layout.nodes;
    let mut columns = vec![];
    for probe in &probes {
        let name = key(probe, prefix);
        let cells = recording.file.read(&name, sample..sample + 1)?;
        let records = if probe.stage == Stage::Hint { hints } else { 1 };
        let column = column(probe, nodes, records, cells);
        columns.push(column.map_err(|what| recording.wrong(format!("{name} {what}")))?);
    }
    Ok(Traces::from_columns(probes, nodes, columns, &[hints]))
}

/// The first records of a sample.
fn column(
    probe: &Probe,
    nodes: usize,
    records: usize,
    cells: TensorData,
) -> Result<Column, &'static str> {
    let width = probe.locations(nodes);
    let size = records * width;
    Ok(match (Column::of(probe, nodes), cells) {
        (Column::Real(_), TensorData::F64(cells)) => {
            Column::Real(Records::from_plain(width, &cells[..size]))
        }
        (Column::Class(_), TensorData::I8(cells)) => {
            let classes = probe.classes.len();
            let is_known = |&cell: &i8| match classes {
                0 => (-1..=1).contains(&cell),
                _ => usize::from(if cell < 0 { !cell } else { cell } as u8) < classes,
            };
            if !cells[..size].iter().all(is_known) {
                return Err("has a class that does not exist");
            }
            Column::Class(Records::from_plain(width, &cells[..size]))
        }
        (Column::Index(_), TensorData::I32(cells)) => {
            let node = |&cell: &i32| u32::try_from(cell).ok().filter(|&x| (x as usize) < nodes);
            let cells: Option<Vec<u32>> = cells[..size].iter().map(node).collect();
            let cells = cells.ok_or("has an index that is not a node")?;
            Column::Index(Records::from_plain(width, &cells))
        }
        _ => return Err("has unexpected values"),
    })
}
