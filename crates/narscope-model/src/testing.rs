//! How far the test of a run has come: like training, it can be left and taken up at any moment.
//!
//! Two thousand problems of 64 nodes can take longer than the training before them, and longer than a
//! scheduler grants at a time: a test that always began anew would never end there.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use narscope_files::whole::{self, Existing};
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::evaluate::Counted;
use crate::random::fnv;
use crate::run::BETWEEN_SAVES;
use crate::weights::Weights;

/// A test that is not over.
pub(crate) struct Testing {
    path: PathBuf,
    written: Written,
    saved: Instant,
}

/// What its file has.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Written {
    /// Which weights are tested: a number that is another one for others.
    weights: u64,
    /// What was counted, by algorithm, in the order of the test.
    counted: Vec<Counted>,
}

impl Testing {
    /// A test of these weights, as far as it is written down.
    pub(crate) fn open(path: &Path, weights: &Weights) -> Self {
        let bytes = weights.values.iter().flat_map(|value| value.to_le_bytes());
        let weights = fnv(bytes);
        // Whatever is wrong with the file, the test can begin anew.
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let written = serde_json::from_str::<Written>(&text).ok();
        let written = written.filter(|written| written.weights == weights);
        Self {
            path: path.to_owned(),
            written: written.unwrap_or(Written { weights, counted: vec![] }),
            saved: Instant::now(),
        }
    }

    /// What was counted of an algorithm.
    pub(crate) fn counted(&self, task: usize) -> Option<Counted> {
        self.written.counted.get(task).cloned()
    }

    /// So much is counted of an algorithm by now. It is written down now and then.
    pub(crate) fn count(&mut self, task: usize, counted: &Counted) -> Result<()> {
        self.written.counted.truncate(task);
        self.written.counted.push(counted.clone());
        if self.saved.elapsed() >= BETWEEN_SAVES { self.save() } else { Ok(()) }
    }

    /// Writes down how far it is.
    pub(crate) fn save(&mut self) -> Result<()> {
        let text = serde_json::to_string(&self.written).expect("counts are JSON");
        whole::write(&self.path, Existing::Replace, |file| writeln!(file, "{text}"))?;
        self.saved = Instant::now();
        Ok(())
    }

    /// The test is over.
    pub(crate) fn finish(self) -> Result<()> {
        Ok(whole::remove(&self.path)?)
    }
}
