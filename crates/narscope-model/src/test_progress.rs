//! Progress of the test at the end of a run: like training, it can be interrupted and resumed.
//!
//! Two thousand problems of 64 nodes can take longer than the training before them, and longer than
//! the time limit of a scheduler: a test that always started over would never end there.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use narscope_files::atomic::{self, Existing};
use narscope_net::evaluation::PartialEvaluation;
use narscope_net::weights::Weights;
use serde::{Deserialize, Serialize};

use crate::Result;

/// Time between saves of training and of tests.
pub(crate) const BETWEEN_SAVES: Duration = Duration::from_secs(10);

/// A test in progress.
pub(crate) struct TestProgress {
    path: PathBuf,
    written: Written,
    saved: Instant,
}

/// The content of its file.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Written {
    /// Fingerprint of the tested weights.
    weights: u64,
    /// The counts of each algorithm, in the order of the test.
    counted: Vec<PartialEvaluation>,
}

impl TestProgress {
    /// The saved test of these weights, or a new one.
    pub(crate) fn open(path: &Path, weights: &Weights) -> Self {
        let weights = weights.fingerprint();
        // A missing or damaged file only means that the test starts over.
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let written = serde_json::from_str::<Written>(&text).ok();
        let written = written.filter(|written| written.weights == weights);
        Self {
            path: path.to_owned(),
            written: written.unwrap_or(Written { weights, counted: vec![] }),
            saved: Instant::now(),
        }
    }

    /// The counts of an algorithm.
    pub(crate) fn counted(&self, task: usize) -> Option<PartialEvaluation> {
        self.written.counted.get(task).cloned()
    }

    /// Updates the counts of an algorithm, and saves them from time to time.
    pub(crate) fn count(&mut self, task: usize, counted: &PartialEvaluation) -> Result<()> {
        self.written.counted.truncate(task);
        self.written.counted.push(counted.clone());
        if self.saved.elapsed() >= BETWEEN_SAVES { self.save() } else { Ok(()) }
    }

    /// Saves the counts.
    pub(crate) fn save(&mut self) -> Result<()> {
        let text = serde_json::to_string(&self.written).expect("counts are JSON");
        atomic::write(&self.path, Existing::Replace, |file| writeln!(file, "{text}"))?;
        self.saved = Instant::now();
        Ok(())
    }

    /// Removes the file: the test is over.
    pub(crate) fn finish(self) -> Result<()> {
        Ok(atomic::remove(&self.path)?)
    }
}
