//! Running a network and writing what it does.

use std::path::Path;

use narscope_clrs::trace::Traces;
use narscope_files::atomic::Existing;
use narscope_files::incremental::TensorWriter;
use narscope_files::metadata::Metadata;
use narscope_model::pooling::Pooling;
use narscope_model::random::fnv;
use narscope_model::rollout::{NoHook, StepHook, Steps};
use narscope_model::trajectory::{RecordOptions, Trajectories};

use super::layout::{Layout, Slot};
use super::{CHUNK, KeptLogits, Perturbed, Settings};
use crate::Result;
use crate::analysed::AnalysedModel;
use crate::hooks::Perturb;

/// Runs a network on samples and records it in a `.npz` or `.safetensors` file, or resumes an interrupted recording.
///
/// `progress` receives the number of samples that are done and returns whether to continue.
pub fn write(
    path: &Path,
    existing: Existing,
    model: &AnalysedModel,
    traces: &Traces,
    settings: &Settings,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Result<()> {
    let steps: Vec<usize> = (0..traces.len()).map(|i| Steps::Own.of(traces.steps(i))).collect();
    let layout = Layout {
        nodes: traces.nodes,
        units: model.config().hidden_size,
        length: traces.longest(),
        steps: steps.iter().copied().max().unwrap_or(1),
        hidden: settings.hidden,
        decodes_hints: model.config().hint_mode.decodes(),
        clusters: settings.classes.is_some(),
        logits: settings.logits,
    };
    let options = RecordOptions {
        pooling: settings.hidden.unwrap_or(Pooling::Max),
        every_output: settings.logits == KeptLogits::EveryStep,
        logits: (settings.logits != KeptLogits::Nothing).then_some(layout.steps),
        ..RecordOptions::default()
    };
    let slots = layout.slots(&traces.probes);
    let specs = slots.iter().map(|slot| slot.spec.clone()).collect();
    let (losses, metadata) = (settings.losses.clone(), metadata(model, settings));
    let mut file =
        TensorWriter::with_scalars(path, existing, specs, losses, traces.len(), &metadata)?;
    progress(file.done());
    let mut no_hook = NoHook;
    let mut perturb =
        settings.perturbed.as_ref().map(|Perturbed { perturbation, along, directions, seed }| {
            let mut perturb = Perturb::new((*perturbation, *along), directions, &steps, *seed);
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
        let recorded = model.record(&batch, options, hook, progress)?;
        let classes = settings.classes.unwrap_or(1);
        let clusters: Vec<usize> = samples.clone().map(|sample| sample % classes).collect();
        append(&mut file, &slots, &recorded, &clusters)?;
    }
    Ok(file.finish()?)
}

/// Appends samples to a file.
pub(super) fn append(
    file: &mut TensorWriter,
    slots: &[Slot],
    samples: &Trajectories,
    clusters: &[usize],
) -> Result<()> {
    Ok(file.append_with(samples.len(), |slot, file| slots[slot].write(samples, clusters, file))?)
}

/// What the file says about itself. It identifies everything that its arrays depend on.
fn metadata(model: &AnalysedModel, settings: &Settings) -> Metadata {
    let mut metadata = Metadata::new(model.spec().entry.name);
    metadata.source.clone_from(&settings.source);
    metadata.names.clone_from(&settings.names);
    metadata.directed = settings.directed;
    // Only the folder's name: fingerprint and configuration identify the network.
    metadata.set("run", folder_name(&model.name));
    metadata.set("network", format!("{:016x}", model.fingerprint()));
    metadata.set("config", model.config().to_toml());
    if let Some(pooling) = settings.hidden {
        metadata.set("pooling", pooling_name(pooling));
    }
    if let Some(Perturbed { perturbation, along, directions, seed }) = &settings.perturbed {
        let (what, along) = (perturbation.name(), along.name());
        let (protocol, hash) = (directions.protocol().words(), fnv(directions.bytes()));
        let text =
            format!("{what}, {along} direction, {protocol}, seed {seed}, directions {hash:016x}");
        metadata.set("perturbed", text);
    }
    metadata
}

fn pooling_name(pooling: Pooling) -> String {
    let name = serde_json::to_value(pooling).expect("a name is JSON");
    name.as_str().unwrap_or_default().to_owned()
}

fn folder_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}
