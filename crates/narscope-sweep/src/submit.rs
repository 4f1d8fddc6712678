//! Sweeps for schedulers that others have written: scripts for Slurm and `HyperQueue`, a manifest for
//! Kubernetes.
//!
//! All of them start tasks with numbers; a task finds its number in the environment and does the run
//! of that place, or a few of them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Error, Result};

/// Where schedulers put the number of a task.
pub const NUMBERS: [&str; 5] =
    ["SLURM_ARRAY_TASK_ID", "HQ_TASK_ID", "JOB_COMPLETION_INDEX", "PBS_ARRAY_INDEX", "SGE_TASK_ID"];

/// The number of this task, if a scheduler has started it.
pub fn number_of_task() -> Option<usize> {
    NUMBERS.iter().find_map(|name| std::env::var(name).ok()?.parse().ok())
}

/// What a task needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resources {
    /// The partition or queue, if it matters.
    pub partition: Option<String>,
    /// For how long a task may run, as the scheduler writes it.
    pub time: Option<String>,
    /// Cores.
    pub cpus: usize,
    /// Memory, as the scheduler writes it.
    pub memory: Option<String>,
    /// How many runs a task does, one after the other.
    pub tasks_per_job: usize,
}

/// What is submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jobs {
    /// The program.
    pub program: PathBuf,
    /// The file of the sweep.
    pub file: PathBuf,
    /// Where logs go.
    pub out: PathBuf,
    /// How many runs there are.
    pub runs: usize,
    /// What each task needs.
    pub resources: Resources,
}

/// Tasks that are submitted together: the first, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The number that is added to that of each task.
    pub offset: usize,
    /// How many tasks.
    pub tasks: usize,
}

impl Jobs {
    fn tasks(&self) -> usize {
        self.runs.div_ceil(self.resources.tasks_per_job.max(1))
    }

    /// All tasks in chunks of at most so many.
    pub fn chunks(&self, most: usize) -> Vec<Chunk> {
        let tasks = self.tasks();
        let offsets = (0..tasks).step_by(most.max(1));
        offsets.map(|offset| Chunk { offset, tasks: (tasks - offset).min(most) }).collect()
    }

    /// What a task calls.
    fn command(&self, offset: usize) -> String {
        let Resources { cpus, tasks_per_job, .. } = self.resources;
        let (program, file) = (quoted(&self.program), quoted(&self.file));
        format!(
            "{program} sweep run {file} --index-offset {offset} --tasks-per-job {tasks_per_job} --threads {cpus}"
        )
    }

    /// A script for `sbatch`. A task that is told to stop, or whose time is nearly over, saves its run,
    /// says so by its exit code, and is queued again.
    pub fn slurm(&self, chunk: Chunk) -> String {
        let Resources { partition, time, cpus, memory, .. } = &self.resources;
        let logs = quoted(&self.out.join("logs/%A_%a.txt"));
        let last = chunk.tasks - 1;
        let mut script = format!(
            "#!/bin/bash\n#SBATCH --job-name=narscope\n#SBATCH --array=0-{last}\n#SBATCH --cpus-per-task={cpus}\n\
             #SBATCH --output={logs}\n#SBATCH --open-mode=append\n#SBATCH --requeue\n#SBATCH --signal=B:USR1@120\n"
        );
        let more = [("partition", partition), ("time", time), ("mem", memory)];
        for (name, value) in more {
            if let Some(value) = value {
                let _ = writeln!(script, "#SBATCH --{name}={value}");
            }
        }
        let command = self.command(chunk.offset);
        script
            + &format!(
                "# The signal reaches this script: it is passed on, and the task is queued again if it was saved.\n\
             {command} &\n\
             task=$!\n\
             trap 'kill -TERM $task' USR1 TERM\n\
             wait $task; code=$?\n\
             while [ $code -gt 128 ] && kill -0 $task 2>/dev/null; do wait $task; code=$?; done\n\
             if [ $code -eq 75 ]; then scontrol requeue \"${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}\"; fi\n\
             exit $code\n"
            )
    }

    /// A command for `HyperQueue`.
    pub fn hyperqueue(&self) -> String {
        let Resources { cpus, time, .. } = &self.resources;
        let last = self.tasks() - 1;
        let time = time.as_ref().map_or(String::new(), |time| format!(" --time-limit={time}"));
        format!(
            "hq submit --array 0-{last} --cpus={cpus}{time} --max-fails 1000000 -- {}",
            self.command(0)
        )
    }

    /// A manifest for Kubernetes. The image is the user's.
    pub fn kubernetes(&self) -> String {
        let Resources { cpus, memory, .. } = &self.resources;
        let tasks = self.tasks();
        let memory = memory.as_deref().unwrap_or("4Gi");
        let command = self.command(0);
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: narscope\nspec:\n  completionMode: Indexed\n  completions: {tasks}\n\
             \x20 parallelism: {tasks}\n  backoffLimitPerIndex: 3\n  maxFailedIndexes: {tasks}\n  template:\n    spec:\n      restartPolicy: Never\n\
             \x20     containers:\n        - name: narscope\n          image: YOUR_IMAGE\n          command: [\"sh\", \"-c\", \"{command}\"]\n\
             \x20         resources:\n            requests: {{ cpu: \"{cpus}\", memory: \"{memory}\" }}\n"
        )
    }
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-=%+".contains(letter);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
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
    let output = Command::new("sbatch").arg("--parsable").arg(script).output();
    let output = output.map_err(|source| Error::Io {
        what: "sbatch cannot be called (is Slurm installed here? --dry-run prints the scripts)"
            .to_owned(),
        source,
    })?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        Ok(said(&output.stdout))
    } else {
        Err(Error::Refused(format!(
            "sbatch does not take {}: {}",
            script.display(),
            said(&output.stderr)
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs(runs: usize, tasks_per_job: usize) -> Jobs {
        Jobs {
            program: "/bin/narscope".into(),
            file: "my sweep.toml".into(),
            out: "runs".into(),
            runs,
            resources: Resources {
                partition: Some("long".to_owned()),
                time: None,
                cpus: 4,
                memory: None,
                tasks_per_job,
            },
        }
    }

    #[test]
    fn arrays_stay_below_the_limit_of_the_scheduler() {
        let chunks = jobs(2402, 2).chunks(1000);
        let expected = [(0, 1000), (1000, 201)];
        assert_eq!(chunks, expected.map(|(offset, tasks)| Chunk { offset, tasks }));
        let script = jobs(2402, 2).slurm(chunks[1]);
        assert!(script.contains("--array=0-200\n"), "{script}");
        assert!(script.contains("sweep run 'my sweep.toml' --index-offset 1000 --tasks-per-job 2"));
        assert!(script.contains("#SBATCH --partition=long\n") && !script.contains("--time"));
    }

    #[test]
    fn every_scheduler_gets_all_tasks() {
        assert!(jobs(5, 2).hyperqueue().contains("--array 0-2 "));
        assert!(jobs(5, 2).kubernetes().contains("completions: 3\n"));
    }
}
