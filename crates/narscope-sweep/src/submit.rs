//! Sweeps for schedulers that others have written: scripts for Slurm and `HyperQueue`, a manifest for
//! Kubernetes.
//!
//! All of them start tasks with numbers; a task finds its number in the environment and does the run
//! of that place, or a few of them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::file::Resources;
use crate::pool::SAVED;
use crate::{Error, Result};

/// Cores of a task, if nobody says how many.
const DEFAULT_CPUS: usize = 2;
/// How many seconds a task that is told to stop has to save its run.
const TIME_TO_SAVE: usize = 120;
/// Where schedulers put the number of a task, and the number of the first one. `HyperQueue` comes first: its
/// workers may themselves be tasks of another one.
const NUMBERS: [(&str, usize); 5] = [
    ("HQ_TASK_ID", 0),
    ("JOB_COMPLETION_INDEX", 0),
    ("SLURM_ARRAY_TASK_ID", 0),
    ("PBS_ARRAY_INDEX", 0),
    ("SGE_TASK_ID", 1),
];
/// What a scheduler gives to a job that is no array.
const NO_ARRAY: &str = "undefined";

/// The number of this task, counted from 0, if a scheduler has started it.
pub fn number_of_task() -> Result<Option<usize>> {
    let known = |name: &str| std::env::var(name).ok().filter(|found| found != NO_ARRAY);
    let given = NUMBERS.iter().find_map(|it| Some((it, known(it.0)?)));
    let Some(((variable, first), found)) = given else { return Ok(None) };
    let number = found.parse().ok().and_then(|number: usize| number.checked_sub(*first));
    number.map(Some).ok_or(Error::Number { variable, found })
}

/// What is submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jobs {
    /// The program.
    pub program: PathBuf,
    /// The file of the sweep.
    pub file: PathBuf,
    /// Where the tasks start: what the file says about places is meant from here.
    pub folder: PathBuf,
    /// Where logs go.
    pub logs: PathBuf,
    /// The runs that are not done, in order.
    pub left: Vec<usize>,
    /// What each task needs.
    pub resources: Resources,
}

/// Tasks that are submitted together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// What is added to the number of each.
    pub offset: usize,
    /// Their numbers, in order.
    pub tasks: Vec<usize>,
}

impl Chunk {
    /// The numbers as schedulers take them: 0-2,5.
    fn array(&self) -> String {
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

impl Jobs {
    fn cpus(&self) -> usize {
        self.resources.cpus.unwrap_or(DEFAULT_CPUS)
    }

    fn tasks_per_job(&self) -> usize {
        self.resources.tasks_per_job.unwrap_or(1).max(1)
    }

    /// All tasks with something to do, in chunks whose numbers are below `most`.
    pub fn chunks(&self, most: usize) -> Vec<Chunk> {
        let mut chunks: Vec<Chunk> = vec![];
        for run in &self.left {
            let task = run / self.tasks_per_job();
            let offset = task - task % most.max(1);
            match chunks.last_mut() {
                Some(chunk) if chunk.offset == offset => chunk.tasks.push(task - offset),
                _ => chunks.push(Chunk { offset, tasks: vec![task - offset] }),
            }
        }
        for chunk in &mut chunks {
            chunk.tasks.dedup();
        }
        chunks
    }

    /// What a task calls.
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

    /// A script for `sbatch`. A task that is told to stop saves its run and says so by its exit code. If
    /// that is because its time is nearly over, it is queued again; if somebody cancels it or takes its
    /// node, they decide what becomes of it.
    pub fn slurm(&self, chunk: &Chunk) -> String {
        let Resources { partition, time, mem, .. } = &self.resources;
        let text = |path: &Path| path.display().to_string();
        let mut options = vec![
            ("job-name", Some("narscope".to_owned())),
            ("array", Some(chunk.array())),
            ("cpus-per-task", Some(self.cpus().to_string())),
            ("chdir", Some(text(&self.folder))),
            // A percent sign of its own begins a name for Slurm, unless it is doubled.
            ("output", Some(text(&self.logs).replace('%', "%%") + "/%A_%a.txt")),
            ("open-mode", Some("append".to_owned())),
            ("signal", Some(format!("B:USR1@{TIME_TO_SAVE}"))),
        ];
        options.extend([
            ("partition", partition.clone()),
            ("time", time.clone()),
            ("mem", mem.clone()),
        ]);
        let mut script = "#!/bin/bash\n#SBATCH --requeue\n".to_owned();
        for (name, value) in options {
            if let Some(value) = value {
                let _ = writeln!(script, "#SBATCH --{name}={}", quoted(&value));
            }
        }
        let command = shell(&self.command(chunk.offset));
        script
            + &format!(
                "# Signals reach this script and are passed on. It waits until the run is saved.\n\
                 {command} &\n\
                 task=$!\n\
                 trap 'time_is_over=yes; kill -USR1 $task' USR1\n\
                 trap 'kill -USR1 $task' TERM\n\
                 wait $task; code=$?\n\
                 while [ $code -gt 128 ] && kill -0 $task 2>/dev/null; do wait $task; code=$?; done\n\
                 if [ $code -gt 128 ]; then wait $task; code=$?; fi\n\
                 if [ $code -eq {SAVED} ] && [ -n \"$time_is_over\" ]; then\n\
                 \x20 scontrol requeue \"${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}\"\n\
                 fi\n\
                 exit $code\n"
            )
    }

    /// A command for `HyperQueue`, which has no limit of tasks.
    pub fn hyperqueue(&self, chunk: &Chunk) -> Vec<String> {
        let Resources { time, mem, .. } = &self.resources;
        let log = self.logs.join("%{JOB_ID}_%{TASK_ID}.txt").display().to_string();
        let options = [
            ("array", Some(chunk.array())),
            ("name", Some("narscope".to_owned())),
            ("cpus", Some(self.cpus().to_string())),
            ("cwd", Some(self.folder.display().to_string())),
            ("stdout", Some(log.clone())),
            ("stderr", Some(log)),
            ("time-limit", time.clone()),
            ("resource", mem.as_ref().map(|mem| format!("mem={mem}"))),
        ];
        let options = options.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let mut words = vec!["hq".to_owned(), "submit".to_owned()];
        words.extend(options.map(|(name, value)| format!("--{name}={value}")));
        words.push("--".to_owned());
        words.extend(self.command(chunk.offset));
        words
    }

    /// A manifest for Kubernetes. The image and the volume are the user's. Its tasks are counted from 0
    /// without gaps; those whose runs are done find that out themselves. A task that saved its run, or lost
    /// its node, has not failed: another one takes its place, however often.
    pub fn kubernetes(&self) -> String {
        let tasks = self.left.last().map_or(0, |last| last / self.tasks_per_job() + 1);
        let words = self.command(0);
        let quoted = |text: &str| serde_json::to_string(text).expect("text is JSON");
        let command = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(", ");
        let folder = quoted(&self.folder.display().to_string());
        let mem = quoted(self.resources.mem.as_deref().unwrap_or("4Gi"));
        let cpus = self.cpus();
        format!(
            "# Yours to fill in: the image, and volumes with volumeMounts, so that all pods have the same folder and runs outlive them.\n\
             apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: narscope\nspec:\n  completionMode: Indexed\n  completions: {tasks}\n\
             \x20 parallelism: {tasks}\n  backoffLimitPerIndex: 3\n  maxFailedIndexes: {tasks}\n\
             \x20 podFailurePolicy:\n    rules:\n\
             \x20     - {{ action: Ignore, onExitCodes: {{ operator: In, values: [{SAVED}] }} }}\n\
             \x20     - {{ action: Ignore, onPodConditions: [{{ type: DisruptionTarget, status: \"True\" }}] }}\n\
             \x20 template:\n    spec:\n      restartPolicy: Never\n      terminationGracePeriodSeconds: {TIME_TO_SAVE}\n\
             \x20     containers:\n        - name: narscope\n          image: YOUR_IMAGE\n          workingDir: {folder}\n\
             \x20         command: [{command}]\n\
             \x20         resources:\n            requests: {{ cpu: \"{cpus}\", memory: {mem} }}\n"
        )
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-=%+:,@".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A command as a shell takes it.
pub fn shell(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// How many tasks Slurm takes at once: what its configuration says, or its default.
pub fn most_of_slurm() -> usize {
    const DEFAULT: usize = 1001;
    let shown = Command::new("scontrol").args(["show", "config"]).output().ok();
    let shown = shown.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let found = shown.as_deref().and_then(|text| {
        let line = text.lines().find(|line| line.trim_start().starts_with("MaxArraySize"))?;
        line.split('=').nth(1)?.trim().parse().ok()
    });
    // Numbers of tasks are below it.
    found.unwrap_or(DEFAULT).saturating_sub(1).max(1)
}

/// Hands a script to `sbatch`, and returns the number of the job.
pub fn sbatch(script: &Path) -> Result<String> {
    let words = ["sbatch", "--parsable", &script.display().to_string()].map(str::to_owned);
    let said = hand_over(&words, "Slurm")?;
    // The name of a cluster may follow.
    match said.split(';').next() {
        Some(job) if !job.is_empty() => Ok(job.to_owned()),
        _ => Err(Error::Refused(format!("`{}` says nothing of a job: {said}", shell(&words)))),
    }
}

/// Which of some jobs are still in Slurm's queue.
pub fn still_queued(jobs: &[String]) -> Result<Vec<String>> {
    if jobs.is_empty() {
        return Ok(vec![]);
    }
    let words = ["squeue", "--noheader", "--format=%F"].map(str::to_owned);
    let shown = hand_over(&words, "Slurm")?;
    let queued: Vec<&str> = shown.split_whitespace().collect();
    Ok(jobs.iter().filter(|job| queued.contains(&job.as_str())).cloned().collect())
}

/// Calls a scheduler, and returns what it says.
pub fn hand_over(words: &[String], scheduler: &str) -> Result<String> {
    let program = &words[0];
    let output = Command::new(program).args(&words[1..]).output();
    let output = output.map_err(|why| Error::Io {
        what: format!(
            "{program} cannot be called (is {scheduler} installed here? --dry-run prints what would be submitted)"
        ),
        why,
    })?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        Ok(said(&output.stdout))
    } else {
        Err(Error::Refused(format!("`{}` is refused: {}", shell(words), said(&output.stderr))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs(left: impl IntoIterator<Item = usize>, tasks_per_job: usize) -> Jobs {
        Jobs {
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

    fn chunk(offset: usize, tasks: impl IntoIterator<Item = usize>) -> Chunk {
        Chunk { offset, tasks: tasks.into_iter().collect() }
    }

    #[test]
    fn arrays_stay_below_the_limit_of_the_scheduler() {
        let jobs = jobs(0..2402, 2);
        let chunks = jobs.chunks(1000);
        assert_eq!(chunks, [chunk(0, 0..1000), chunk(1000, 0..201)]);
        let script = jobs.slurm(&chunks[1]);
        assert!(script.contains("--array=0-200\n"), "{script}");
        assert!(script.contains("sweep run 'my sweep.toml' --index-offset 1000 --tasks-per-job 2"));
        assert!(script.contains("#SBATCH --partition=long\n") && !script.contains("--time="));
        let odd = Jobs { logs: "100%a".into(), ..jobs };
        assert!(odd.slurm(&chunks[0]).contains("--output=100%%a/%A_%a.txt\n"));
    }

    #[test]
    fn only_tasks_with_something_to_do_are_submitted() {
        let some = jobs([0, 1, 2, 7, 8, 2005], 2);
        let chunks = some.chunks(1000);
        assert_eq!(chunks, [chunk(0, [0, 1, 3, 4]), chunk(1000, [2])]);
        assert_eq!(chunks[0].array(), "0-1,3-4");
        assert_eq!(chunks[1].array(), "2");
        assert_eq!(jobs([], 2).chunks(1000), []);
    }

    #[test]
    fn every_scheduler_gets_all_tasks() {
        let jobs = jobs(0..5, 2);
        let [chunk] = &jobs.chunks(usize::MAX)[..] else { panic!("one is enough") };
        assert!(jobs.hyperqueue(chunk).contains(&"--array=0-2".to_owned()));
        let manifest = jobs.kubernetes();
        assert!(manifest.contains("completions: 3\n"), "{manifest}");
        assert!(manifest.contains("onExitCodes: { operator: In, values: [75] }"), "{manifest}");
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_break_them() {
        let words = ["a", "b c", "it's", ""].map(str::to_owned);
        assert_eq!(shell(&words), r"a 'b c' 'it'\''s' ''");
    }
}
