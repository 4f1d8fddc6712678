//! Data sets: a folder with a file per algorithm and split, and a manifest that vouches for them.
//!
//! The manifest is rewritten after every file, so that an interrupted run goes on where it stopped.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Mutex;

use narscope_clrs::algorithms::Entry;
use narscope_clrs::batch::Batch;
use narscope_clrs::split::{Edition, Split};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::alone;
use crate::checksum::hex;
use crate::format::Format;
use crate::whole::{self, Existing};
use crate::{Error, Result};

/// The name of the manifest in its folder.
pub const MANIFEST: &str = "manifest.json";

/// What is in a data set and how it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of narscope that made it.
    pub narscope: String,
    /// Whose samplers it follows.
    pub edition: Edition,
    /// How its files are laid out.
    pub format: Format,
    /// Its files, by name.
    pub files: Vec<Row>,
}

/// One file of a data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The name of the file in the folder.
    pub file: String,
    /// The algorithm.
    pub algorithm: String,
    /// The split.
    pub split: Split,
    /// The seed of the sampler.
    pub seed: u32,
    /// How many samples there are.
    pub samples: usize,
    /// The number of nodes of each sample.
    pub nodes: usize,
    /// The number of hints of the longest sample.
    pub longest: usize,
    /// The size of the file.
    pub bytes: u64,
    /// The SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}

/// A data set to be made.
pub struct Plan<'a> {
    /// The folder; made if it is not there.
    pub folder: &'a Path,
    /// The algorithms.
    pub algorithms: &'a [&'static Entry],
    /// The splits.
    pub splits: &'a [Split],
    /// Whose samplers to follow.
    pub edition: Edition,
    /// How to lay the files out.
    pub format: Format,
    /// What to do with files and data sets that are in the way.
    pub existing: Existing,
}

impl Plan<'_> {
    /// Makes what is missing, and tells `done` of each file, whether made or found.
    pub fn run(&self, done: &(dyn Fn(&Row) + Sync)) -> Result<Manifest> {
        std::fs::create_dir_all(self.folder).map_err(Error::io("make", self.folder))?;
        // Two would each save a manifest without the other's files.
        let _alone = alone::now(self.folder)?;
        whole::sweep(self.folder)?;
        let (manifest, existing) = self.resume()?;
        let mut jobs: Vec<(&'static Entry, Split)> = self
            .algorithms
            .iter()
            .flat_map(|&entry| self.splits.iter().map(move |&split| (entry, split)))
            .collect();
        // Before the manifest is there: from then on, files beside it count as ours.
        for &(entry, split) in &jobs {
            whole::check(&self.folder.join(self.file_name(entry, split)), existing)?;
        }
        self.save(&manifest)?;
        let manifest = Mutex::new(manifest);
        // The longest first, so that the last thread is not left alone with one of them.
        jobs.sort_by_key(|(entry, split)| std::cmp::Reverse(split.count(entry) * split.length()));

        jobs.into_par_iter().panic_fuse().try_for_each(|(entry, split)| -> Result<()> {
            let name = self.file_name(entry, split);
            let found = {
                let manifest = lock(&manifest);
                manifest.files.iter().find(|row| row.file == name).cloned()
            };
            if let Some(row) = found.filter(|row| self.vouches_for(row)) {
                done(&row);
                return Ok(());
            }
            let row = self.make(entry, split, name, existing)?;
            let mut manifest = lock(&manifest);
            manifest.files.retain(|other| other.file != row.file);
            manifest.files.push(row.clone());
            manifest.files.sort_by(|a, b| a.file.cmp(&b.file));
            self.save(&manifest)?;
            done(&row);
            Ok(())
        })?;
        Ok(manifest.into_inner().expect("no thread panicked"))
    }

    fn file_name(&self, entry: &Entry, split: Split) -> String {
        // The names of variants have a colon, which some file systems do not take.
        let algorithm = entry.name.replace(':', "-");
        format!("{algorithm}_{}.{}", split.name(), self.format.ending())
    }

    /// The manifest in the folder if it is of this kind, or a new one; and what to do with files
    /// that the manifest does not vouch for. Beside a manifest they are ours, cut short between
    /// the file and its row or damaged since, and are made again.
    fn resume(&self) -> Result<(Manifest, Existing)> {
        let new = Manifest {
            narscope: env!("CARGO_PKG_VERSION").to_owned(),
            edition: self.edition,
            format: self.format,
            files: vec![],
        };
        let path = self.folder.join(MANIFEST);
        if !path.exists() {
            return Ok((new, self.existing));
        }
        let text = std::fs::read(&path).map_err(Error::io("read", &path))?;
        let old = serde_json::from_slice(&text).map_err(|error| Error::BadFile {
            wanted: "the manifest of a data set".to_owned(),
            found: error.to_string(),
            path: path.clone(),
        });
        let old: Manifest = match old {
            Err(_) if self.existing == Existing::Replace => return Ok((new, self.existing)),
            old => old?,
        };
        let kind = |manifest: &Manifest| {
            let Manifest { narscope, edition, format, .. } = manifest;
            format!("version {narscope}, edition {edition:?}, format {format:?}")
        };
        if kind(&old) == kind(&new) {
            let is_replaced = |row: &Row| {
                self.existing == Existing::Replace
                    && self.algorithms.iter().any(|entry| entry.name == row.algorithm)
                    && self.splits.contains(&row.split)
            };
            let files = old.files.into_iter().filter(|row| !is_replaced(row)).collect();
            return Ok((Manifest { files, ..new }, Existing::Replace));
        }
        if self.existing == Existing::Replace {
            return Ok((new, self.existing));
        }
        Err(Error::OtherDataset {
            wanted: kind(&new),
            found: kind(&old),
            path: self.folder.to_owned(),
        })
    }

    /// Whether a file is there as the manifest says it was written.
    fn vouches_for(&self, row: &Row) -> bool {
        let path = self.folder.join(&row.file);
        sum(&path).is_ok_and(|(bytes, sha256)| bytes == row.bytes && sha256 == row.sha256)
    }

    fn make(
        &self,
        entry: &'static Entry,
        split: Split,
        name: String,
        existing: Existing,
    ) -> Result<Row> {
        let path = self.folder.join(&name);
        let batch = Batch::new(split.generate(entry, self.edition)?, 0);
        self.format.write(entry.name, &batch, &path, existing)?;
        let (bytes, sha256) = sum(&path)?;
        Ok(Row {
            file: name,
            algorithm: entry.name.to_owned(),
            split,
            seed: split.seed(),
            samples: batch.traces.len(),
            nodes: batch.traces.nodes,
            longest: batch.steps,
            bytes,
            sha256,
        })
    }

    fn save(&self, manifest: &Manifest) -> Result<()> {
        let path = self.folder.join(MANIFEST);
        let text = serde_json::to_vec_pretty(manifest).expect("a manifest is plain data");
        whole::write(&path, Existing::Replace, |file| {
            file.write_all(&text)?;
            file.write_all(b"\n")
        })
    }
}

fn lock(manifest: &Mutex<Manifest>) -> std::sync::MutexGuard<'_, Manifest> {
    manifest.lock().expect("no thread panicked")
}

/// The size and the SHA-256 of a file.
fn sum(path: &Path) -> Result<(u64, String)> {
    let mut file = std::fs::File::open(path).map_err(Error::io("read", path))?;
    let (mut hasher, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        let read = file.read(&mut buffer).map_err(Error::io("read", path))?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
        bytes += read as u64;
    }
    Ok((bytes, hex(&hasher.finalize())))
}
