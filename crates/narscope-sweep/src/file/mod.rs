//! Sweep files: TOML files that declare runs.
//!
//! ```toml
//! out = "runs/ablations"        # folder of the runs
//! results = "ablations.jsonl"   # results file; runs in it are done
//! preset = "paper"              # preset that the configurations start from
//! [base]                        # configuration keys of all runs
//! train_steps = 2000
//! [axes]                        # every combination of values is a run; the last axis changes fastest
//! seed = [42, 43, 44]
//! algorithms = ["bellman_ford", ["bfs", "dfs"]]
//! variant = ["baseline", "decay"]
//! [variants]                    # named sets of configuration keys
//! baseline = {}
//! decay = { decay = 0.9 }
//! [[exclude]]                   # combinations to leave out; [[only]] selects combinations
//! algorithms = "bellman_ford"
//! variant = "decay"
//! [resources]                   # what a task of a scheduler gets, unless flags override it
//! time = "04:00:00"
//! cpus = 4
//! ```

mod declaration;
mod effect;
mod filter;
mod folder_name;
mod problem;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use narscope_files::atomic::{self, Existing};
use narscope_files::text::check_line;
use narscope_model::config::Config;
use narscope_model::random::fnv;
use narscope_results::RunResult;
use serde::Deserialize;

use crate::{Error, Result};
use declaration::Declaration;
use problem::Problem;

/// The runs that a sweep file declares.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// Folder of the runs.
    pub out: PathBuf,
    /// Results file.
    pub results: Option<PathBuf>,
    /// Resources of each task of a scheduler.
    pub resources: Resources,
    /// All runs; tasks refer to them by index.
    pub runs: Vec<PlannedRun>,
    /// Text of the file.
    text: String,
}

/// A run that a sweep declares.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedRun {
    /// Name: its folder, relative to the folder of the sweep.
    pub name: String,
    /// Configuration.
    pub config: Config,
    /// Its result, if the results file has one with the same configuration.
    pub result: Option<RunResult>,
}

/// Resources of a task of a scheduler; the scheduler chooses those that are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Resources {
    /// Partition or queue.
    pub partition: Option<String>,
    /// Time limit, in the scheduler's notation.
    pub time: Option<String>,
    /// Number of cores.
    pub cpus: Option<usize>,
    /// Memory, in the scheduler's notation.
    pub mem: Option<String>,
    /// Number of runs per task, one after the other.
    pub tasks_per_job: Option<usize>,
}

impl Resources {
    fn check(&self) -> Result<(), Problem> {
        let numbers = [("cpus", self.cpus), ("tasks_per_job", self.tasks_per_job)];
        if let Some((name, _)) = numbers.iter().find(|(_, number)| *number == Some(0)) {
            return Err(Problem::new(format!("{name} should be at least 1"), name));
        }
        self.texts().into_iter().try_for_each(|(name, text)| {
            check_line(name, text).map_err(|what| Problem::new(what, name))
        })
    }

    /// The resources that are text, with their names.
    pub(crate) fn texts(&self) -> Vec<(&'static str, &str)> {
        let Self { partition, time, mem, .. } = self;
        let texts = [("partition", partition), ("time", time), ("mem", mem)];
        texts.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?))).collect()
    }
}

impl Sweep {
    /// Reads a sweep file, and the results file that it names.
    pub fn read(path: &Path) -> Result<Self> {
        let fail = |what: String, line| Error::File { what, line, path: path.to_owned() };
        let text = std::fs::read_to_string(path)
            .map_err(|error| fail(format!("cannot read the sweep file ({error})"), None))?;
        let mut sweep = Self::parse(&text)
            .map_err(|Problem { what, position }| fail(what, position.line(&text)))?;
        sweep.find_results()?;
        Ok(sweep)
    }

    fn parse(text: &str) -> Result<Self, Problem> {
        let declaration = Declaration::parse(text)?;
        let runs = declaration.runs()?;
        let Declaration { out, results, resources, .. } = declaration;
        Ok(Self { out, results, resources, runs, text: text.to_owned() })
    }

    /// Finds the runs that the results file has.
    fn find_results(&mut self) -> Result<()> {
        let Some(path) = self.results.as_ref().filter(|path| path.exists()) else {
            return Ok(());
        };
        let mut runs: BTreeMap<String, &mut PlannedRun> =
            self.runs.iter_mut().map(|run| (run.name.clone(), run)).collect();
        for result in RunResult::read_file(path)? {
            let run = runs.get_mut(&result.name);
            if let Some(run) = run.filter(|run| run.config == result.config) {
                run.result = Some(result);
            }
        }
        Ok(())
    }

    /// Saves a copy of the file in the folder of the runs, named by its content, and returns its path.
    ///
    /// Processes find their runs by index. They read the copy, so that the user may edit the original.
    pub fn save_copy(&self) -> Result<PathBuf> {
        std::fs::create_dir_all(&self.out).map_err(Error::io("create the folder", &self.out))?;
        let path = self.out.join(format!("sweep-{:016x}.toml", fnv(self.text.bytes())));
        atomic::write(&path, Existing::Replace, |file| file.write_all(self.text.as_bytes()))?;
        Ok(path)
    }

    /// Returns the run of an index.
    pub fn run(&self, index: usize) -> Result<&PlannedRun> {
        let count = self.runs.len();
        self.runs.get(index).ok_or(Error::NoSuchRun { index, count })
    }

    /// Returns the folder of a run.
    pub fn folder(&self, run: &PlannedRun) -> PathBuf {
        self.out.join(&run.name)
    }
}
