//! `narscope convert`: recordings in formats of other programs.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::bail;
use narscope::analysis::linalg::Points;
use narscope::analysis::linalg::pca::Pca;
use narscope::analysis::recording::{self, Recording};
use narscope::files::atomic::Existing;
use narscope::files::labelled_points::{LabelledPoints, Labels};
use narscope::model::pooling::Pooling;

/// Convert a recording to .npz, .parquet, or a folder for TensorBoard's projector
///
/// The .npz has the arrays of the recording. The other two have one point per graph and step: the
/// hidden state, max-pooled over nodes, labelled with graph, step, number of steps, score, cluster, and
/// its coordinates x, y, z on the first three principal components. A recording of an earlier version
/// becomes one of the current layout, also as .safetensors.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope convert clusters.safetensors --out clusters.npz
  narscope convert clusters.safetensors --out clusters.parquet
  embedding-atlas clusters.parquet --vector vector
  narscope convert clusters.safetensors --out projector
  tensorboard --logdir projector")]
pub(crate) struct Convert {
    /// Recording made by `narscope record` or `narscope predict --hidden`: .safetensors
    recording: PathBuf,
    /// File to write (.npz, .parquet or .safetensors), or a folder for TensorBoard
    #[arg(long)]
    out: PathBuf,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

impl Convert {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { recording: path, out, force } = self;
        let existing = if force { Existing::Replace } else { Existing::Keep };
        let ending = out.extension().and_then(|ending| ending.to_str());
        match ending {
            Some("npz" | "safetensors") => recording::convert(&path, &out, existing)?,
            Some("parquet") => labelled(&path)?.write_parquet(&out, existing)?,
            None => labelled(&path)?.write_projector(&out, existing)?,
            Some(other) => {
                bail!(
                    "expected a file name ending in .npz, .safetensors or .parquet, or a folder, found .{other}"
                )
            }
        }
        writeln!(std::io::stdout(), "{}", out.display())?;
        Ok(())
    }
}

/// One labelled point per graph and step of a recording.
fn labelled(path: &Path) -> anyhow::Result<LabelledPoints> {
    let Recording { trajectories: all, clusters, .. } = recording::read(path)?;
    let mut points = Points::new(all.hidden);
    let (mut graphs, mut at, mut steps, mut scores, mut classes) =
        (vec![], vec![], vec![], vec![], vec![]);
    for sample in 0..all.len() {
        for step in 0..all.steps(sample) {
            let state = all.reduced(sample, step, Pooling::Max);
            points.push(state.unwrap_or_else(|| all.state(sample, step)));
            graphs.push(sample as i32);
            at.push(step as i32 + 1);
            steps.push(all.steps(sample) as i32);
            scores.push(all.scores[sample]);
            classes.extend(clusters.as_ref().map(|clusters| clusters[sample] as i32));
        }
    }
    let mut labels = vec![
        ("graph", Labels::Integer(graphs)),
        ("step", Labels::Integer(at)),
        ("steps", Labels::Integer(steps)),
        ("score", Labels::Real(scores)),
    ];
    if !classes.is_empty() {
        labels.push(("cluster", Labels::Integer(classes)));
    }
    let pca = Pca::of(&points, 3)?;
    let projected: Vec<Vec<f64>> = points.iter().map(|point| pca.project(point)).collect();
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let coordinates = projected.iter().map(|point| point.get(axis).copied().unwrap_or(0.0));
        labels.push((name, Labels::Real(coordinates.collect())));
    }
    Ok(LabelledPoints { dimensions: all.hidden, vectors: points.data, labels })
}
