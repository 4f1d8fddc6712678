//! Runs of a sweep, handed to a scheduler.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use narscope::files::whole::{self, Existing};
use narscope::sweep::file::{Resources, Sweep as Runs};
use narscope::sweep::state::State;
use narscope::sweep::submit::{self, Jobs};

use super::seen;

#[derive(clap::Args)]
pub(super) struct SubmitOptions {
    /// The file that declares them
    file: PathBuf,
    /// Who starts them
    #[arg(long)]
    executor: Executor,
    /// The partition
    #[arg(long)]
    partition: Option<String>,
    /// For how long a task may run, as the scheduler writes it
    #[arg(long)]
    time: Option<String>,
    /// Cores of a task [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    cpus: Option<u32>,
    /// Memory of a task, as the scheduler writes it
    #[arg(long)]
    mem: Option<String>,
    /// How many runs a task does, one after the other [default: 1]
    #[arg(long, alias = "tasks_per_job", value_parser = clap::value_parser!(u32).range(1..))]
    tasks_per_job: Option<u32>,
    /// Submit even though jobs of an earlier call are in the queue
    #[arg(long)]
    again: bool,
    /// Print what would be submitted, and submit nothing
    #[arg(long, alias = "dry_run")]
    dry_run: bool,
}

#[derive(Clone, Copy, clap::ValueEnum, PartialEq, Eq)]
enum Executor {
    /// Job arrays through sbatch
    Slurm,
    /// A task array through `HyperQueue`'s hq
    Hq,
    /// The manifest of a Kubernetes Indexed Job, printed, whose image is yours to fill in
    K8s,
}

impl SubmitOptions {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let sweep = Runs::read(&self.file)?;
        let absolute = |path: &Path| {
            std::path::absolute(path).with_context(|| format!("{} has no place", path.display()))
        };
        let of_file = sweep.resources.clone();
        let is_left = |index: &usize| seen(&sweep, &sweep.runs[*index]) != State::Done;
        // A look at scripts leaves nothing behind.
        let file = if self.dry_run || self.executor == Executor::K8s {
            self.file
        } else {
            sweep.pinned()?
        };
        let jobs = Jobs {
            program: std::env::current_exe().context("this program cannot be found")?,
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
        let mut out = std::io::stdout().lock();
        if jobs.left.is_empty() {
            writeln!(out, "all {} runs are done", sweep.runs.len())?;
            return Ok(());
        }
        let prepare = || {
            std::fs::create_dir_all(&jobs.logs)
                .with_context(|| format!("the folder {} cannot be made", jobs.logs.display()))
        };
        match self.executor {
            Executor::K8s => write!(out, "{}", jobs.kubernetes())?,
            Executor::Hq => {
                for chunk in jobs.chunks(usize::MAX) {
                    let words = jobs.hyperqueue(&chunk);
                    if self.dry_run {
                        writeln!(out, "{}", submit::shell(&words))?;
                        continue;
                    }
                    prepare()?;
                    // Nobody may be left to read it; the rest is submitted all the same.
                    let _ = writeln!(out, "{}", submit::hand_over(&words, "HyperQueue")?);
                }
            }
            Executor::Slurm => {
                // A line per job that was submitted.
                let numbers = jobs.logs.join("jobs.txt");
                let known = std::fs::read_to_string(&numbers).unwrap_or_default();
                let known: Vec<String> = known.lines().map(str::to_owned).collect();
                if !self.dry_run && !self.again {
                    let queued = submit::still_queued(&known)?;
                    if !queued.is_empty() {
                        bail!(
                            "jobs of this sweep are in the queue ({}): wait for them, cancel them, or say --again",
                            queued.join(", ")
                        );
                    }
                }
                for chunk in jobs.chunks(submit::most_of_slurm()) {
                    let script = jobs.slurm(&chunk);
                    if self.dry_run {
                        write!(out, "{script}")?;
                        continue;
                    }
                    prepare()?;
                    let file = jobs.logs.join(format!("submit-{}.sh", chunk.offset));
                    whole::write(&file, Existing::Replace, |to| to.write_all(script.as_bytes()))?;
                    let job = submit::sbatch(&file)?;
                    // Somebody else may submit at the same time: a line at the end disturbs no other.
                    let open = File::options().create(true).append(true).open(&numbers);
                    open.and_then(|mut to| to.write_all(format!("{job}\n").as_bytes()))
                        .with_context(|| {
                            format!(
                                "job {job} was submitted, but {} cannot be written",
                                numbers.display()
                            )
                        })?;
                    // Nobody may be left to read it; the rest is submitted all the same.
                    let _ = writeln!(out, "job {job}: {} tasks", chunk.tasks.len());
                }
            }
        }
        Ok(())
    }
}
