//! Sweeps for schedulers: scripts for Slurm, commands for `HyperQueue`, a manifest for Kubernetes.
//!
//! Each of them starts tasks with an index. A task finds its index in the environment ([`task_index`]) and does
//! the run of that index, or several runs.

mod hyperqueue;
mod kubernetes;
mod shell;
mod slurm;

use std::path::{Path, PathBuf};
use std::process::Command;

use narscope_files::text::check_line;

use crate::file::Resources;
use crate::{Error, Result};

pub use shell::shell;
pub use slurm::{max_slurm_array, queued_slurm_jobs, sbatch};

/// Default number of cores of a task.
const DEFAULT_CPUS: usize = 2;
/// Time that a task has to save its run before it is killed, in seconds.
const SECONDS_TO_SAVE: usize = 120;
/// Environment variables with the index of a task, and the index of the first task. `HyperQueue` comes first:
/// its workers may themselves be tasks of another scheduler.
const INDEX_VARIABLES: [(&str, usize); 5] = [
    ("HQ_TASK_ID", 0),
    ("JOB_COMPLETION_INDEX", 0),
    ("SLURM_ARRAY_TASK_ID", 0),
    ("PBS_ARRAY_INDEX", 0),
    ("SGE_TASK_ID", 1),
];
/// The value of `SGE_TASK_ID` in a job that is not an array.
const NO_ARRAY: &str = "undefined";

/// Returns the index of this task, counted from 0; `None` if no scheduler started this process.
pub fn task_index() -> Result<Option<usize>> {
    let value = |name: &str| std::env::var(name).ok().filter(|found| found != NO_ARRAY);
    let given = INDEX_VARIABLES.iter().find_map(|it| Some((it, value(it.0)?)));
    let Some(((variable, first), found)) = given else { return Ok(None) };
    let index = found.parse().ok().and_then(|index: usize| index.checked_sub(*first));
    index.map(Some).ok_or(Error::TaskIndex { variable, found })
}

/// The runs to submit, and how their tasks are started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// The program.
    pub program: PathBuf,
    /// The sweep file.
    pub file: PathBuf,
    /// Working folder of the tasks; paths in the sweep file are relative to it.
    pub folder: PathBuf,
    /// Folder of the logs.
    pub logs: PathBuf,
    /// Indices of the runs that are not done, ascending.
    pub left: Vec<usize>,
    /// Resources of each task.
    pub resources: Resources,
}

/// Tasks that are submitted together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskArray {
    /// Added to the index of each task.
    pub offset: usize,
    /// Indices of the tasks, ascending.
    pub tasks: Vec<usize>,
}

impl TaskArray {
    /// The indices in the notation of schedulers: `0-2,5`.
    fn ranges(&self) -> String {
        let mut ranges: Vec<(usize, usize)> = vec![];
        for &task in &self.tasks {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == task => *last = task,
                _ => ranges.push((task, task)),
            }
        }
        let ranges = ranges.iter().map(|&(first, last)| {
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        });
        ranges.collect::<Vec<_>>().join(",")
    }
}

impl Submission {
    /// Refuses control characters in everything that becomes a line of a script or a manifest: a line break would
    /// end the comment that holds an option, and the rest would be a command.
    pub fn check(&self) -> Result<()> {
        let paths = [
            ("the path of the program", &self.program),
            ("the path of the sweep file", &self.file),
            ("the working folder", &self.folder),
            ("the folder of the logs", &self.logs),
        ];
        let paths = paths.map(|(what, path)| (what, path.to_string_lossy()));
        let texts = self.resources.texts();
        let texts = texts.into_iter().map(|(what, text)| (what, text.into()));
        paths.into_iter().chain(texts).try_for_each(|(what, text)| {
            check_line(what, &text).map_err(|what| Error::Line { what })
        })
    }

    fn cpus(&self) -> usize {
        self.resources.cpus.unwrap_or(DEFAULT_CPUS)
    }

    fn tasks_per_job(&self) -> usize {
        self.resources.tasks_per_job.unwrap_or(1).max(1)
    }

    /// Splits the tasks that have runs to do into arrays whose indices are below `max_size`.
    pub fn arrays(&self, max_size: usize) -> Vec<TaskArray> {
        let mut arrays: Vec<TaskArray> = vec![];
        for run in &self.left {
            let task = run / self.tasks_per_job();
            let offset = task - task % max_size.max(1);
            match arrays.last_mut() {
                Some(array) if array.offset == offset => array.tasks.push(task - offset),
                _ => arrays.push(TaskArray { offset, tasks: vec![task - offset] }),
            }
        }
        for array in &mut arrays {
            array.tasks.dedup();
        }
        arrays
    }

    /// The command of a task.
    fn command(&self, offset: usize) -> Vec<String> {
        let text = |path: &Path| path.display().to_string();
        let numbers = [
            ("--index-offset", offset),
            ("--tasks-per-job", self.tasks_per_job()),
            ("--threads", self.cpus()),
        ];
        let numbers = numbers.iter().flat_map(|(name, value)| [(*name).into(), value.to_string()]);
        let words = [text(&self.program), "sweep".into(), "run".into(), text(&self.file)];
        words.into_iter().chain(numbers).collect()
    }
}

/// Runs a program of a scheduler and returns its output.
pub fn call_scheduler(words: &[String], scheduler: &'static str) -> Result<String> {
    let program = &words[0];
    let output = Command::new(program).args(&words[1..]).output();
    let output = output.map_err(|reason| Error::Scheduler {
        program: program.clone(),
        scheduler,
        reason,
    })?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(Error::Rejected { command: shell(words), message: text(&output.stderr) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submission(left: impl IntoIterator<Item = usize>, tasks_per_job: usize) -> Submission {
        Submission {
            program: "/bin/narscope".into(),
            file: "my sweep.toml".into(),
            folder: "/work".into(),
            logs: "runs/logs".into(),
            left: left.into_iter().collect(),
            resources: Resources {
                partition: Some("long".to_owned()),
                tasks_per_job: Some(tasks_per_job),
                ..Resources::default()
            },
        }
    }

    fn array(offset: usize, tasks: impl IntoIterator<Item = usize>) -> TaskArray {
        TaskArray { offset, tasks: tasks.into_iter().collect() }
    }

    #[test]
    fn arrays_stay_below_the_limit_of_the_scheduler() {
        let submission = submission(0..2402, 2);
        let arrays = submission.arrays(1000);
        assert_eq!(arrays, [array(0, 0..1000), array(1000, 0..201)]);
        let script = submission.slurm(&arrays[1]);
        assert!(script.contains("--array=0-200\n"), "{script}");
        assert!(script.contains("sweep run 'my sweep.toml' --index-offset 1000 --tasks-per-job 2"));
        assert!(script.contains("#SBATCH --partition=long\n") && !script.contains("--time="));
        let percent = Submission { logs: "100%a".into(), ..submission };
        assert!(percent.slurm(&arrays[0]).contains("--output=100%%a/%A_%a.txt\n"));
    }

    #[test]
    fn only_tasks_with_runs_to_do_are_submitted() {
        let some = submission([0, 1, 2, 7, 8, 2005], 2);
        let arrays = some.arrays(1000);
        assert_eq!(arrays, [array(0, [0, 1, 3, 4]), array(1000, [2])]);
        assert_eq!(arrays[0].ranges(), "0-1,3-4");
        assert_eq!(arrays[1].ranges(), "2");
        assert_eq!(submission([], 2).arrays(1000), []);
    }

    #[test]
    fn a_line_break_that_would_leave_a_comment_of_the_script_is_refused() {
        let good = submission(0..2, 1);
        good.check().unwrap();
        let command = "long\nrm -rf ~";
        let partition = Resources { partition: Some(command.to_owned()), ..Resources::default() };
        let time = Resources { time: Some("1:00\r".to_owned()), ..Resources::default() };
        let mem = Resources { mem: Some("4G\u{1b}[2J".to_owned()), ..Resources::default() };
        for (name, resources) in [("partition", partition), ("time", time), ("mem", mem)] {
            let sentence =
                Submission { resources, ..good.clone() }.check().unwrap_err().to_string();
            let expected =
                format!("{name} should have no line breaks and no other control characters");
            assert!(sentence.starts_with(&expected), "{sentence}");
            assert!(!sentence.contains(char::is_control), "{sentence}");
        }
        let folder = Submission { folder: command.into(), ..good.clone() };
        assert!(folder.check().unwrap_err().to_string().starts_with("the working folder should"));
        Submission { logs: command.into(), ..good }.check().unwrap_err();
    }

    #[test]
    fn every_scheduler_gets_all_tasks() {
        let submission = submission(0..5, 2);
        let [array] = &submission.arrays(usize::MAX)[..] else { panic!("one array") };
        assert!(submission.hyperqueue(array).contains(&"--array=0-2".to_owned()));
        let manifest = submission.kubernetes();
        assert!(manifest.contains("completions: 3\n"), "{manifest}");
        assert!(manifest.contains("onExitCodes: { operator: In, values: [75] }"), "{manifest}");
    }
}
