//! Measures the behaviour of many networks for [`narscope_results::Kinds`], each once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use narscope_analysis::behaviour::Graphs;
use narscope_analysis::context::Progress;
use narscope_analysis::{AnalysedModel, Behaviour};
use narscope_model::numerics;
use narscope_model::random::fnv;
use narscope_model::run::{Run, Which};
use narscope_results::kinds::MeasuredNetwork;

use crate::Result;

/// Incremented whenever something else is measured on the same graphs, so that kept measurements expire.
const REVISION: &str = "1";

/// A finished run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundRun {
    /// Its path, relative to the folder in which it was found.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
}

/// Runs in folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundRuns {
    /// Those with a tested network, sorted by name within each folder.
    pub finished: Vec<FoundRun>,
    /// Number of runs that are not finished.
    pub unfinished: usize,
}

impl FoundRuns {
    /// Finds runs: each path is a run, or a folder of runs and of other folders.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn find(paths: &[PathBuf]) -> Result<Self> {
        let mut found = Self::default();
        for path in paths {
            let mut visited = BTreeSet::new();
            found.visit(path, path, &mut visited)?;
        }
        Ok(found)
    }

    /// Visits each folder once: links may form a cycle.
    fn visit(&mut self, folder: &Path, top: &Path, visited: &mut BTreeSet<PathBuf>) -> Result<()> {
        let read = || narscope_files::Error::io("read", folder);
        if !visited.insert(folder.canonicalize().map_err(read())?) {
            return Ok(());
        }
        if folder.join("config.toml").is_file() {
            self.add(folder, top);
            return Ok(());
        }
        let mut entries = vec![];
        for entry in std::fs::read_dir(folder).map_err(read())? {
            entries.push(entry.map_err(read())?.path());
        }
        entries.sort();
        let mut folders = entries.iter().filter(|path| path.is_dir());
        folders.try_for_each(|path| self.visit(path, top, visited))
    }

    fn add(&mut self, folder: &Path, top: &Path) {
        // The test is the last thing that a run does.
        if !["test.json", Which::Best.file()].iter().all(|file| folder.join(file).is_file()) {
            self.unfinished += 1;
            return;
        }
        let name = folder.strip_prefix(top).ok().filter(|it| !it.as_os_str().is_empty());
        let name = name.unwrap_or(folder).display().to_string();
        self.finished.push(FoundRun { name, path: folder.to_owned() });
    }
}

/// Measures runs, and keeps a line for each in `kept`. A run that was measured before, with the same weights and on the
/// same graphs, is not measured again. Returns these runs and all others of the file.
///
/// `measured` is called after each run. If `progress` interrupts, what was measured so far is kept.
///
/// # Errors
/// If a run cannot be opened, if its algorithm has no faulty variants, or if the file cannot be read or written.
pub fn measure_networks(
    runs: &[FoundRun],
    graphs: Graphs,
    algorithm: Option<&str>,
    kept: Option<&Path>,
    progress: &dyn Progress,
    measured: &mut dyn FnMut(),
) -> Result<Vec<MeasuredNetwork>> {
    let earlier = kept.filter(|path| path.exists()).map(MeasuredNetwork::read_file);
    let mut all = earlier.transpose()?.unwrap_or_default();
    for run in runs {
        let opened = OpenedRun::open(run, graphs, algorithm)?;
        let is_same = |it: &MeasuredNetwork| it.name == run.name && it.made == opened.made;
        if !all.iter().any(is_same) {
            let network = opened.measure(graphs, progress)?;
            if let Some(path) = kept {
                network.clone().add_to_file(path)?;
            }
            all.retain(|it| it.name != network.name);
            all.push(network);
        }
        measured();
    }
    Ok(all)
}

/// A run whose network is loaded.
struct OpenedRun<'a> {
    name: &'a str,
    run: Run,
    model: AnalysedModel,
    made: String,
}

impl<'a> OpenedRun<'a> {
    fn open(found: &'a FoundRun, graphs: Graphs, algorithm: Option<&str>) -> Result<Self> {
        let run = Run::open(&found.path)?;
        let model = AnalysedModel::open(&found.path, Which::Best, algorithm)?;
        let graphs = serde_json::to_string(&graphs).expect("numbers of graphs are JSON");
        let weights = format!("{:016x}", model.fingerprint());
        let config = numerics::stable_toml(&run.config);
        let inputs = [REVISION, model.spec().entry.name, &graphs, &weights, &config].join("\n");
        let made = format!("{:016x}", fnv(inputs.bytes()));
        Ok(Self { name: &found.name, run, model, made })
    }

    fn measure(self, graphs: Graphs, progress: &dyn Progress) -> Result<MeasuredNetwork> {
        let behaviour = Behaviour::of(&self.model, graphs, progress)?;
        let trained = self.run.checkpoint(Which::Best)?.progress;
        Ok(MeasuredNetwork {
            name: self.name.to_owned(),
            made: self.made,
            algorithm: self.model.spec().entry.name.to_owned(),
            seed: self.run.config.seed,
            data_seed: self.run.config.data_seed(),
            validation: trained.best.map(|(score, _)| score),
            graphs,
            behaviour,
        })
    }
}

#[cfg(test)]
mod tests {
    use narscope_analysis::context::NoProgress;
    use narscope_model::config::Draft;
    use narscope_model::train::Trainer;

    use super::*;

    const GRAPHS: Graphs = Graphs { count: 4, nodes: 5, seed: 1 };

    fn install(folder: &Path, algorithm: &str, seed: u32) -> PathBuf {
        let config = format!("algorithms = ['{algorithm}']\nhidden_size = 4\nseed = {seed}");
        let config = Draft::parse(&config).unwrap().finish().unwrap();
        let weights = Trainer::new(&config).unwrap().weights;
        let path = folder.join(format!("seed={seed}"));
        let run = Run::install(&path, config, weights).unwrap();
        std::fs::write(run.file("test.json"), "[]").unwrap();
        path
    }

    fn measure(runs: &FoundRuns, kept: &Path) -> Vec<MeasuredNetwork> {
        let mut count = 0;
        let networks =
            measure_networks(&runs.finished, GRAPHS, None, Some(kept), &NoProgress, &mut || {
                count += 1;
            });
        assert_eq!(count, runs.finished.len());
        networks.unwrap()
    }

    #[test]
    fn runs_are_found_in_folders_and_unfinished_ones_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let nested = folder.path().join("data_seed=1");
        install(&nested, "bellman_ford", 2);
        let begun = install(&nested, "bellman_ford", 3);
        std::fs::remove_file(begun.join("test.json")).unwrap();
        let found = FoundRuns::find(&[folder.path().to_owned()]).unwrap();
        assert_eq!((found.finished.len(), found.unfinished), (1, 1));
        assert_eq!(Path::new(&found.finished[0].name), Path::new("data_seed=1/seed=2"));
        let missing = FoundRuns::find(&[folder.path().join("none")]).unwrap_err().to_string();
        assert!(missing.contains("none"), "{missing}");
    }

    #[test]
    fn a_network_is_measured_once_until_its_weights_change() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("kept.jsonl");
        let runs = folder.path().join("runs");
        install(&runs, "bellman_ford", 1);
        let found = || FoundRuns::find(std::slice::from_ref(&runs)).unwrap();
        let first = measure(&found(), &kept);
        assert_eq!((first.len(), first[0].seed, first[0].data_seed), (1, 1, 1));

        // A kept line counts even if its numbers could not be measured.
        let mut edited = first[0].clone();
        edited.behaviour.never_right = 2.0;
        edited.clone().add_to_file(&kept).unwrap();
        assert_eq!(measure(&found(), &kept), [edited.clone()]);

        install(&runs, "bellman_ford", 2);
        let both = measure(&found(), &kept);
        assert_eq!(both.len(), 2, "the second run is added");
        assert_eq!(both[0], edited);

        std::fs::remove_dir_all(runs.join("seed=1")).unwrap();
        assert_eq!(measure(&found(), &kept).len(), 2, "its line remains");
        let other = Graphs { count: 5, ..GRAPHS };
        let again = measure_networks(&found().finished, other, None, None, &NoProgress, &mut || ());
        assert_eq!(again.unwrap()[0].graphs, other);
    }

    #[test]
    fn an_algorithm_without_faulty_variants_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        install(folder.path(), "bfs", 1);
        let found = FoundRuns::find(&[folder.path().to_owned()]).unwrap();
        let error = measure_networks(&found.finished, GRAPHS, None, None, &NoProgress, &mut || ());
        let error = error.unwrap_err().to_string();
        assert!(error.contains("an algorithm with faulty variants, but bfs has none"), "{error}");
    }
}
