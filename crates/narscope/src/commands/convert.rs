//! `narscope convert`: recordings for other programs.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::bail;
use narscope::analysis::linalg::Points;
use narscope::analysis::linalg::pca::Pca;
use narscope::analysis::recording::{self, Recording};
use narscope::files::growing::Grown;
use narscope::files::points::{Label, Labelled};
use narscope::files::whole::Existing;
use narscope::model::trajectory::Kept;

/// Turn a recording into .npz, .parquet, or a folder for the projector of TensorBoard
///
/// An .npz has the arrays of the recording. The others have a point per graph and step, the state
/// over nodes, labelled with graph, step, steps in all, score, cluster, and its place in the first three
/// principal components.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope convert clusters.safetensors --out clusters.npz
  narscope convert clusters.safetensors --out clusters.parquet    then: embedding-atlas clusters.parquet --vector vector
  narscope convert clusters.safetensors --out projector           then: tensorboard --logdir projector")]
pub(crate) struct Convert {
    /// The recording: .safetensors
    recording: PathBuf,
    /// File to write: .npz or .parquet, or a folder
    #[arg(long)]
    out: PathBuf,
    /// Replace what exists
    #[arg(long)]
    force: bool,
}

impl Convert {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { recording, out, force } = self;
        let existing = if force { Existing::Replace } else { Existing::Keep };
        let ending = out.extension().and_then(|ending| ending.to_str());
        match ending {
            Some("npz") => Grown::open(&recording)?.write_npz(&out, existing)?,
            Some("parquet") => labelled(&recording)?.write_parquet(&out, existing)?,
            None => labelled(&recording)?.write_projector(&out, existing)?,
            Some(other) => {
                bail!(
                    "a file name that ends in .npz or .parquet, or a folder, is needed, got .{other}"
                )
            }
        }
        writeln!(std::io::stdout(), "{}", out.display())?;
        Ok(())
    }
}

/// A point for every graph and step of a recording.
fn labelled(path: &Path) -> anyhow::Result<Labelled> {
    let Recording { trajectories: all, clusters, .. } = recording::read(path)?;
    let mut points = Points::new(all.hidden);
    let (mut graphs, mut at, mut steps, mut scores, mut classes) =
        (vec![], vec![], vec![], vec![], vec![]);
    for sample in 0..all.len() {
        for step in 0..all.steps(sample) {
            let state = all.reduced(sample, step, Kept::Max);
            points.push(state.unwrap_or_else(|| all.state(sample, step)));
            graphs.push(sample as i32);
            at.push(step as i32 + 1);
            steps.push(all.steps(sample) as i32);
            scores.push(all.scores[sample]);
            classes.extend(clusters.as_ref().map(|clusters| clusters[sample] as i32));
        }
    }
    let mut labels = vec![
        ("graph", Label::Whole(graphs)),
        ("step", Label::Whole(at)),
        ("steps", Label::Whole(steps)),
        ("score", Label::Real(scores)),
    ];
    if !classes.is_empty() {
        labels.push(("cluster", Label::Whole(classes)));
    }
    let pca = Pca::of(&points, 3)?;
    let places: Vec<Vec<f64>> = points.iter().map(|point| pca.project(point)).collect();
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let along = places.iter().map(|place| place.get(axis).copied().unwrap_or(0.0));
        labels.push((name, Label::Real(along.collect())));
    }
    Ok(Labelled { dimensions: all.hidden, vectors: points.data, labels })
}
