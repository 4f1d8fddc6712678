//! The behaviour of many networks in one file: a line per network, with a checksum.

use std::io::Write as _;
use std::path::Path;

use narscope_analysis::Behaviour;
use narscope_analysis::behaviour::Graphs;
use narscope_files::atomic::{self, Existing};
use narscope_files::checksum::{Verified, seal, verify};
use narscope_files::folder_lock;
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The behaviour of one network, and where the network comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredNetwork {
    /// Name of the run.
    pub name: String,
    /// Hash of everything that the numbers depend on: configuration, weights and graphs.
    pub made: String,
    /// The algorithm.
    pub algorithm: String,
    /// Seed of the initial weights.
    pub seed: u32,
    /// Seed of the training data.
    pub data_seed: u32,
    /// Validation score of the checkpoint, from 0 to 1; `None` for imported weights.
    pub validation: Option<f64>,
    /// The graphs that it was measured on.
    pub graphs: Graphs,
    /// What was measured.
    pub behaviour: Behaviour,
}

impl MeasuredNetwork {
    /// Reads all networks of a file.
    ///
    /// # Errors
    /// If a line is no network, or was changed since it was written.
    pub fn read_file(path: &Path) -> Result<Vec<Self>> {
        let text = std::fs::read_to_string(path).map_err(Error::io("read", path))?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines.map(|(index, line)| Self::parse(line, index + 1, path)).collect()
    }

    fn parse(line: &str, number: usize, path: &Path) -> Result<Self> {
        if verify(line) == Verified::Changed {
            return Err(Error::Damaged {
                path: path.to_owned(),
                what: format!(
                    "line {number} was edited or is incomplete; remove it, and its network is measured again"
                ),
            });
        }
        serde_json::from_str(line).map_err(|error| Error::NotResults {
            path: path.to_owned(),
            line: number,
            what: format!("expected a measured network ({error})"),
        })
    }

    /// Adds a network to a file, in place of one of the same name. Lines are sorted by name, so that the file does
    /// not depend on the order of the measurements.
    pub fn add_to_file(self, path: &Path) -> Result<()> {
        let folder = atomic::parent_folder(path);
        std::fs::create_dir_all(folder).map_err(Error::io("create the folder", folder))?;
        // Concurrent writers wait for each other.
        let _lock = folder_lock::lock(folder)?;
        let mut all = if path.exists() { Self::read_file(path)? } else { vec![] };
        all.retain(|other| other.name != self.name);
        all.push(self);
        all.sort_by(|a, b| a.name.cmp(&b.name));
        atomic::write(path, Existing::Replace, |file| {
            all.iter().try_for_each(|network| {
                let line = serde_json::to_string(network).expect("measured networks are JSON");
                writeln!(file, "{}", seal(&line))
            })
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::network;
    use super::*;

    #[test]
    fn a_network_that_is_measured_again_replaces_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/kinds.jsonl");
        let (one, two) = (network(100, 200, 0.25), network(101, 200, 1.0 / 3.0));
        two.clone().add_to_file(&path).unwrap();
        one.clone().add_to_file(&path).unwrap();
        assert_eq!(MeasuredNetwork::read_file(&path).unwrap(), [one.clone(), two.clone()]);
        let again = MeasuredNetwork { made: "other weights".to_owned(), ..one };
        again.clone().add_to_file(&path).unwrap();
        assert_eq!(MeasuredNetwork::read_file(&path).unwrap(), [again, two]);
    }

    #[test]
    fn an_edited_line_is_refused_with_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kinds.jsonl");
        network(100, 200, 0.25).add_to_file(&path).unwrap();
        network(101, 200, 0.25).add_to_file(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen("\"seed\":101", "\"seed\":111", 1)).unwrap();
        let error = MeasuredNetwork::read_file(&path).unwrap_err().to_string();
        assert!(error.contains("kinds.jsonl is damaged: line 2 was edited"), "{error}");
        std::fs::write(&path, "{\"name\":\"a\"}\n").unwrap();
        let error = MeasuredNetwork::read_file(&path).unwrap_err().to_string();
        assert!(error.contains("line 1, expected a measured network"), "{error}");
    }
}
