//! Answers that are kept: asked once, read back as long as nothing they depend on has changed.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use narscope_files::whole::{self, Existing};
use narscope_model::config::Config;
use narscope_model::random::fnv;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::analyses::{Answer, Entry};
use crate::study::Size;
use crate::subject::Subject;

/// An answer, and what it depends on.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// Changes with the configuration of the network, the algorithm, the size of the study and the version.
    made: String,
    /// Changes with the weights.
    weights: String,
    #[serde(flatten)]
    answer: Answer,
}

/// Grows whenever an analysis finds something else on the same samples, so that old answers are asked anew. What
/// it says of what it found may change without.
const REVISION: &str = "5";

/// What answers about a network depend on, but for its weights, as one word.
fn made(config: &Config, algorithm: &str, size: &Size) -> String {
    let size = serde_json::to_string(size).expect("sizes are JSON");
    let version = env!("CARGO_PKG_VERSION");
    let parts = [version, REVISION, algorithm, &config.to_toml(), &size].join("\n");
    format!("{:016x}", fnv(parts.bytes()))
}

/// Its weights, as one word.
fn weights(subject: &Subject) -> String {
    format!("{:016x}", subject.fingerprint())
}

/// The folder of answers inside that of a run. Those of as many samples as in the paper take long: quick ones
/// do not take their place.
pub fn folder(run: &Path, size: &Size) -> PathBuf {
    run.join(if size.graphs < Size::FULL.graphs { "answers" } else { "answers-full" })
}

/// The file of an answer in a folder.
pub fn file(folder: &Path, analysis: &str) -> PathBuf {
    folder.join(format!("{analysis}.json"))
}

/// What is kept in a folder, whatever it depends on.
fn read(folder: &Path, entry: &Entry) -> Option<Kept> {
    let text = std::fs::read(file(folder, entry.name)).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The answer in a folder, if it is still true.
pub fn known(folder: &Path, entry: &Entry, subject: &Subject, size: &Size) -> Option<Answer> {
    let kept = read(folder, entry).filter(|kept| kept.weights == weights(subject))?;
    let made = made(&subject.config, subject.spec().entry.name, size);
    (kept.made == made).then(|| (entry.retell)(kept.answer))
}

/// The same about a network whose weights are gone: who trains it again gets the same ones.
pub fn remembered(
    folder: &Path,
    entry: &Entry,
    (config, algorithm): (&Config, &str),
    size: &Size,
) -> Option<Answer> {
    let kept = read(folder, entry)?;
    (kept.made == made(config, algorithm, size)).then(|| (entry.retell)(kept.answer))
}

/// Keeps an answer in a folder, which is made if it is not there.
pub fn keep(
    folder: &Path,
    entry: &Entry,
    subject: &Subject,
    size: &Size,
    answer: &Answer,
) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(narscope_files::Error::io("make", folder))?;
    let made = made(&subject.config, subject.spec().entry.name, size);
    let kept = Kept { made, weights: weights(subject), answer: answer.clone() };
    let text = serde_json::to_string(&kept).expect("answers are JSON");
    let path = file(folder, entry.name);
    Ok(whole::write(&path, Existing::Replace, |file| writeln!(file, "{text}"))?)
}
