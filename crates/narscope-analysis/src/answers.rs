//! Answers that are kept: asked once, read back as long as nothing they depend on has changed.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use narscope_files::whole::{self, Existing};
use narscope_model::random::fnv;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::analyses::{Answer, Entry};
use crate::study::Size;
use crate::subject::Subject;

/// An answer, and what it depends on.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// Changes with the network, its configuration, the algorithm, the size of the study and the version.
    key: String,
    #[serde(flatten)]
    answer: Answer,
}

/// Grows whenever an analysis finds something else on the same samples, so that old answers are asked anew.
const REVISION: &str = "2";

/// Everything that answers about a network depend on, as one word.
fn key(subject: &Subject, size: &Size) -> String {
    let size = serde_json::to_string(size).expect("sizes are JSON");
    let (config, algorithm) = (subject.config.to_toml(), subject.spec().entry.name);
    let parts = [env!("CARGO_PKG_VERSION"), REVISION, algorithm, &config, &size].join("\n");
    format!("{:016x}{:016x}", fnv(parts.bytes()), subject.fingerprint())
}

/// The file of an answer in a folder.
pub fn file(folder: &Path, analysis: &str) -> PathBuf {
    folder.join(format!("{analysis}.json"))
}

/// The answer in a folder, if it is still true.
pub fn known(folder: &Path, entry: &Entry, subject: &Subject, size: &Size) -> Option<Answer> {
    let text = std::fs::read(file(folder, entry.name)).ok()?;
    let kept: Kept = serde_json::from_slice(&text).ok()?;
    (kept.key == key(subject, size)).then_some(kept.answer)
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
    let kept = Kept { key: key(subject, size), answer: answer.clone() };
    let text = serde_json::to_string(&kept).expect("answers are JSON");
    let path = file(folder, entry.name);
    Ok(whole::write(&path, Existing::Replace, |file| writeln!(file, "{text}"))?)
}
