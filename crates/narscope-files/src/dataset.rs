//! Data sets: a folder with a file per algorithm and split, and a manifest with their checksums.
//!
//! The manifest is rewritten after each file, so that an interrupted run resumes where it stopped.

use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;

use narscope_clrs::algorithms::Entry;
use narscope_clrs::batch::Batch;
use narscope_clrs::split::{Edition, Split};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::atomic::{self, Existing};
use crate::folder_lock;
use crate::format::Format;
use crate::metadata::Metadata;
use crate::{Error, Result, checksum, layout, samples};

/// File name of the manifest.
pub const MANIFEST: &str = "manifest.json";

/// Content and settings of a data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of narscope that generated it.
    pub narscope: String,
    /// Version of the layout of the arrays.
    #[serde(default = "first_layout")]
    pub narscope_format: u32,
    /// Edition of the samplers.
    pub edition: Edition,
    /// Format of the files.
    pub format: Format,
    /// The files, sorted by name.
    pub files: Vec<FileEntry>,
}

/// Manifests without a version are of the first one.
fn first_layout() -> u32 {
    1
}

/// A file of a data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileEntry {
    /// File name.
    pub file: String,
    /// The algorithm.
    pub algorithm: String,
    /// The split.
    pub split: Split,
    /// Seed of the sampler.
    pub seed: u32,
    /// Number of samples.
    pub samples: usize,
    /// Number of nodes of each sample.
    pub nodes: usize,
    /// Number of steps of the longest sample.
    pub longest: usize,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}

/// A data set to be generated.
pub struct DatasetPlan<'a> {
    /// The folder; created if it does not exist.
    pub folder: &'a Path,
    /// The algorithms.
    pub algorithms: &'a [&'static Entry],
    /// The splits.
    pub splits: &'a [Split],
    /// Edition of the samplers.
    pub edition: Edition,
    /// Format of the files.
    pub format: Format,
    /// What to do with files and data sets that already exist.
    pub existing: Existing,
}

impl DatasetPlan<'_> {
    /// Generates the missing files, and calls `done` for each file, generated or found.
    pub fn run(&self, done: &(dyn Fn(&FileEntry) + Sync)) -> Result<Manifest> {
        std::fs::create_dir_all(self.folder).map_err(Error::io("create", self.folder))?;
        // Two processes would overwrite each other's manifest.
        let _lock = folder_lock::try_lock(self.folder)?;
        atomic::remove_stale(self.folder)?;
        let (manifest, existing) = self.resume()?;
        let mut jobs: Vec<(&'static Entry, Split)> = self
            .algorithms
            .iter()
            .flat_map(|&entry| self.splits.iter().map(move |&split| (entry, split)))
            .collect();
        // Checked before the manifest is written: files next to a manifest count as part of the data set.
        for &(entry, split) in &jobs {
            atomic::check(&self.folder.join(self.file_name(entry, split)), existing)?;
        }
        self.save(&manifest)?;
        let manifest = Mutex::new(manifest);
        // The longest jobs first, so that no thread starts one of them at the end.
        jobs.sort_by_key(|(entry, split)| std::cmp::Reverse(split.count(entry) * split.length()));

        jobs.into_par_iter().panic_fuse().try_for_each(|(entry, split)| -> Result<()> {
            let name = self.file_name(entry, split);
            let found = {
                let manifest = lock(&manifest);
                manifest.files.iter().find(|row| row.file == name).cloned()
            };
            if let Some(row) = found.filter(|row| self.is_intact(row)) {
                done(&row);
                return Ok(());
            }
            let row = self.generate(entry, split, name, existing)?;
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
        // Names of variants have a colon, which some file systems do not allow.
        let algorithm = entry.name.replace(':', "-");
        format!("{algorithm}_{}.{}", split.name(), self.format.extension())
    }

    /// The manifest of the folder if it has the same settings, or a new one; and what to do with files that it
    /// does not list, or that do not match their checksum. Next to a manifest they are part of the data set,
    /// interrupted or damaged, and are generated again.
    fn resume(&self) -> Result<(Manifest, Existing)> {
        let new = Manifest {
            narscope: env!("CARGO_PKG_VERSION").to_owned(),
            narscope_format: layout::VERSION,
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
            expected: "the manifest of a data set".to_owned(),
            found: error.to_string(),
            path: path.clone(),
        });
        let old: Manifest = match old {
            Err(_) if self.existing == Existing::Replace => return Ok((new, self.existing)),
            old => old?,
        };
        let settings = |manifest: &Manifest| {
            let Manifest { narscope, narscope_format: layout, edition, format, .. } = manifest;
            format!("version {narscope}, layout {layout}, edition {edition:?}, format {format:?}")
        };
        if settings(&old) == settings(&new) {
            let is_replaced = |row: &FileEntry| {
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
            expected: settings(&new),
            found: settings(&old),
            path: self.folder.to_owned(),
        })
    }

    /// Whether a file exists and matches its checksum.
    fn is_intact(&self, row: &FileEntry) -> bool {
        let path = self.folder.join(&row.file);
        checksum::of_file(&path)
            .is_ok_and(|(bytes, sha256)| bytes == row.bytes && sha256 == row.sha256)
    }

    fn generate(
        &self,
        entry: &'static Entry,
        split: Split,
        name: String,
        existing: Existing,
    ) -> Result<FileEntry> {
        let path = self.folder.join(&name);
        let batch = Batch::new(split.generate(entry, self.edition)?, 0);
        let mut metadata = Metadata::new(entry.name);
        metadata.source = Some(json!({
            "split": split,
            "edition": self.edition,
            "seed": split.seed(),
        }));
        samples::write(&path, existing, &batch, &metadata)?;
        let (bytes, sha256) = checksum::of_file(&path)?;
        Ok(FileEntry {
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
        atomic::write(&path, Existing::Replace, |file| {
            file.write_all(&text)?;
            file.write_all(b"\n")
        })
    }
}

fn lock(manifest: &Mutex<Manifest>) -> std::sync::MutexGuard<'_, Manifest> {
    manifest.lock().expect("no thread panicked")
}
