//! `narscope sweep submit`: hands runs to a scheduler.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use narscope::files::atomic::{self, Existing};
use narscope::sweep::file::{Resources, Sweep as SweepFile};
use narscope::sweep::run_state::RunState;
use narscope::sweep::submit::{self, Submission};

use super::state;
use crate::process;

#[derive(clap::Args)]
pub(super) struct SubmitOptions {
    /// Sweep file
    file: PathBuf,
    /// Scheduler
    #[arg(long)]
    executor: Executor,
    /// Partition (Slurm)
    #[arg(long)]
    partition: Option<String>,
    /// Time limit of a task, in the scheduler's notation
    #[arg(long)]
    time: Option<String>,
    /// Number of cores of a task [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    cpus: Option<u32>,
    /// Memory of a task, in the scheduler's notation
    #[arg(long)]
    mem: Option<String>,
    /// Number of runs of a task, one after the other [default: 1]
    #[arg(long, alias = "tasks_per_job", value_parser = clap::value_parser!(u32).range(1..))]
    tasks_per_job: Option<u32>,
    /// Submit even if jobs of an earlier call are in the queue
    #[arg(long)]
    again: bool,
    /// Print what would be submitted, without submitting it
    #[arg(long, alias = "dry_run")]
    dry_run: bool,
}

#[derive(Clone, Copy, clap::ValueEnum, PartialEq, Eq)]
enum Executor {
    /// Job arrays, submitted with sbatch
    Slurm,
    /// A task array, submitted with `HyperQueue`'s hq
    Hq,
    /// Prints the manifest of a Kubernetes Indexed Job; you add the image and the volume
    K8s,
}

impl SubmitOptions {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let sweep = SweepFile::read(&self.file)?;
        let absolute = |path: &Path| {
            std::path::absolute(path)
                .with_context(|| format!("cannot find the absolute path of {}", path.display()))
        };
        let of_file = sweep.resources.clone();
        let is_left = |index: &usize| state(&sweep, &sweep.runs[*index]) != RunState::Done;
        // Printing a script writes no files.
        let file = if self.dry_run || self.executor == Executor::K8s {
            self.file
        } else {
            sweep.save_copy()?
        };
        let submission = Submission {
            program: process::executable()?,
            file: absolute(&file)?,
            folder: absolute(Path::new("."))?,
            logs: absolute(&sweep.out.join("logs"))?,
            left: (0..sweep.runs.len()).filter(is_left).collect(),
            resources: Resources {
                partition: self.partition.or(of_file.partition),
                time: self.time.or(of_file.time),
                cpus: self.cpus.map(|it| it as usize).or(of_file.cpus),
                mem: self.mem.or(of_file.mem),
                tasks_per_job: self.tasks_per_job.map(|it| it as usize).or(of_file.tasks_per_job),
            },
        };
        submission.check()?;
        let mut out = std::io::stdout().lock();
        if submission.left.is_empty() {
            writeln!(out, "all {} runs are done", sweep.runs.len())?;
            return Ok(());
        }
        let create_logs = || {
            std::fs::create_dir_all(&submission.logs)
                .with_context(|| format!("cannot create the folder {}", submission.logs.display()))
        };
        match self.executor {
            Executor::K8s => write!(out, "{}", submission.kubernetes())?,
            Executor::Hq => {
                for array in submission.arrays(usize::MAX) {
                    let words = submission.hyperqueue(&array);
                    if self.dry_run {
                        writeln!(out, "{}", submit::shell(&words))?;
                        continue;
                    }
                    create_logs()?;
                    // Standard output may be closed; the rest is submitted all the same.
                    let _ = writeln!(out, "{}", submit::call_scheduler(&words, "HyperQueue")?);
                }
            }
            Executor::Slurm => {
                // IDs of the submitted jobs, one per line.
                let job_file = submission.logs.join("jobs.txt");
                let known = std::fs::read_to_string(&job_file).unwrap_or_default();
                let known: Vec<String> = known.lines().map(str::to_owned).collect();
                if !self.dry_run && !self.again {
                    let queued = submit::queued_slurm_jobs(&known)?;
                    if !queued.is_empty() {
                        bail!(
                            "jobs of this sweep are in the queue ({}): wait for them, cancel them, or use --again",
                            queued.join(", ")
                        );
                    }
                }
                for array in submission.arrays(submit::max_slurm_array()) {
                    let script = submission.slurm(&array);
                    if self.dry_run {
                        write!(out, "{script}")?;
                        continue;
                    }
                    create_logs()?;
                    let file = submission.logs.join(format!("submit-{}.sh", array.offset));
                    atomic::write(&file, Existing::Replace, |to| to.write_all(script.as_bytes()))?;
                    let job = submit::sbatch(&file)?;
                    // Appends: another process may submit at the same time.
                    let open = File::options().create(true).append(true).open(&job_file);
                    open.and_then(|mut to| to.write_all(format!("{job}\n").as_bytes()))
                        .with_context(|| {
                            format!(
                                "job {job} was submitted, but its ID cannot be written to {}",
                                job_file.display()
                            )
                        })?;
                    // Standard output may be closed; the rest is submitted all the same.
                    let _ = writeln!(out, "job {job}: {} tasks", array.tasks.len());
                }
            }
        }
        Ok(())
    }
}
