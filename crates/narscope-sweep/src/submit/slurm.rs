//! Slurm: scripts for `sbatch`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::shell::{quoted, shell};
use super::{SECONDS_TO_SAVE, Submission, TaskArray, call_scheduler};
use crate::file::Resources;
use crate::pool::EXIT_SAVED;
use crate::{Error, Result};

impl Submission {
    /// The script of an array for `sbatch`.
    ///
    /// Shortly before the time limit Slurm sends SIGUSR1; the task saves its run, exits with [`EXIT_SAVED`] and is
    /// queued again. A task that is cancelled or preempted saves its run, too, but is not queued again by the script.
    pub fn slurm(&self, array: &TaskArray) -> String {
        let Resources { partition, time, mem, .. } = &self.resources;
        let text = |path: &Path| path.display().to_string();
        let mut options = vec![
            ("job-name", Some("narscope".to_owned())),
            ("array", Some(array.ranges())),
            ("cpus-per-task", Some(self.cpus().to_string())),
            ("chdir", Some(text(&self.folder))),
            // Slurm expands `%` in file names unless it is doubled.
            ("output", Some(text(&self.logs).replace('%', "%%") + "/%A_%a.txt")),
            ("open-mode", Some("append".to_owned())),
            ("signal", Some(format!("B:USR1@{SECONDS_TO_SAVE}"))),
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
        let command = shell(&self.command(array.offset));
        script
            + &format!(
                "# Signals reach this script, which passes them on and waits until the run is saved.\n\
                 {command} &\n\
                 task=$!\n\
                 trap 'time_is_over=yes; kill -USR1 $task' USR1\n\
                 trap 'kill -USR1 $task' TERM\n\
                 wait $task; code=$?\n\
                 while [ $code -gt 128 ] && kill -0 $task 2>/dev/null; do wait $task; code=$?; done\n\
                 if [ $code -gt 128 ]; then wait $task; code=$?; fi\n\
                 if [ $code -eq {EXIT_SAVED} ] && [ -n \"$time_is_over\" ]; then\n\
                 \x20 scontrol requeue \"${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}\"\n\
                 fi\n\
                 exit $code\n"
            )
    }
}

/// Returns the maximum number of tasks of an array, from Slurm's configuration or its default.
pub fn max_slurm_array() -> usize {
    const DEFAULT: usize = 1001;
    let shown = Command::new("scontrol").args(["show", "config"]).output().ok();
    let shown = shown.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let found = shown.as_deref().and_then(|text| {
        let line = text.lines().find(|line| line.trim_start().starts_with("MaxArraySize"))?;
        line.split('=').nth(1)?.trim().parse().ok()
    });
    // Task indices must be below `MaxArraySize`.
    found.unwrap_or(DEFAULT).saturating_sub(1).max(1)
}

/// Submits a script with `sbatch` and returns the ID of the job.
pub fn sbatch(script: &Path) -> Result<String> {
    let words = ["sbatch", "--parsable", &script.display().to_string()].map(str::to_owned);
    let output = call_scheduler(&words, "Slurm")?;
    // The name of the cluster may follow.
    match output.split(';').next() {
        Some(job) if !job.is_empty() => Ok(job.to_owned()),
        _ => Err(Error::Rejected {
            command: shell(&words),
            message: format!("expected the ID of a job, found \"{output}\""),
        }),
    }
}

/// Returns those of the jobs that are still in Slurm's queue.
pub fn queued_slurm_jobs(jobs: &[String]) -> Result<Vec<String>> {
    if jobs.is_empty() {
        return Ok(vec![]);
    }
    let words = ["squeue", "--noheader", "--format=%F"].map(str::to_owned);
    let output = call_scheduler(&words, "Slurm")?;
    let queued: Vec<&str> = output.split_whitespace().collect();
    Ok(jobs.iter().filter(|job| queued.contains(&job.as_str())).cloned().collect())
}
