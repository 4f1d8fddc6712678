//! Runs of a sweep on this machine: a pool of processes with one run each, so that a run that fails or crashes
//! does not affect the others.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use crate::file::Sweep;
use crate::run_state::{RunState, mark_failed};
use crate::{Error, Result};

/// Exit code of a process that was interrupted and saved its run.
pub const EXIT_SAVED: i32 = 75;
/// Exit code of a process whose run another process is doing.
pub const EXIT_BUSY: i32 = 11;
/// Number of attempts per run.
const MAX_ATTEMPTS: usize = 2;
/// Number of log lines that are kept of a failed run.
const LOG_LINES: usize = 20;
/// Time in which processes of a killed pool notice it, save and exit.
const ORPHAN_TIME: Duration = Duration::from_secs(2);
/// Interval between checks whether to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// A pool of processes.
#[derive(Clone, Debug)]
pub struct Pool {
    /// The program; `sweep run FILE --index I --report` does one run.
    pub program: PathBuf,
    /// Number of processes at a time.
    pub jobs: usize,
    /// Number of threads of each process.
    pub threads: usize,
}

/// Receives the events of a pool.
pub trait PoolObserver {
    /// These runs were done before the pool started.
    fn already_done(&mut self, runs: &[usize]);
    /// A run starts.
    fn started(&mut self, index: usize);
    /// A run reports its progress as a line of JSON.
    fn progressed(&mut self, index: usize, line: &str);
    /// The process of a run ended.
    fn ended(&mut self, index: usize, end: &ProcessEnd);
    /// Whether to save all runs and stop.
    fn should_stop(&mut self) -> bool;
}

/// How the process of a run ended.
#[derive(Debug)]
pub enum ProcessEnd {
    /// The run is done.
    Done,
    /// The run failed and will be tried again; the last lines of its log.
    Retry(String),
    /// The run failed in its last attempt; the last lines of its log.
    Failed(String),
    /// The run could not be started.
    NotStarted(Error),
    /// The run was interrupted and saved.
    Saved,
    /// Another process is doing the run.
    Busy,
}

/// Number of runs by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Done, now or before.
    pub done: usize,
    /// Failed.
    pub failed: usize,
    /// Being done by another process.
    pub busy: usize,
    /// Not finished because the pool or the run was stopped.
    pub left: usize,
}

/// An attempt at a run.
#[derive(Clone, Copy)]
struct Attempt {
    /// Index of the run.
    index: usize,
    /// Counted from 1.
    number: usize,
}

impl Attempt {
    fn first(index: usize) -> Self {
        Self { index, number: 1 }
    }
}

/// The process of a run.
struct RunningProcess {
    attempt: Attempt,
    process: u32,
    /// Length of the log before the process started, in bytes.
    log_start: u64,
}

/// A message from the thread that reads the output of a process.
enum ProcessEvent {
    Line { index: usize, line: String },
    Ended { index: usize, status: Option<ExitStatus> },
}

impl Pool {
    /// Does all runs that are not done. Runs that failed before are tried again.
    pub fn run(&self, sweep: &Sweep, observer: &mut dyn PoolObserver) -> Result<Tally> {
        let file = sweep.save_copy()?;
        let mut tally = Tally::default();
        let (mut done, mut waiting) = (vec![], VecDeque::new());
        for (index, run) in sweep.runs.iter().enumerate() {
            match RunState::of(sweep, run) {
                Ok(RunState::Done) => done.push(index),
                Ok(_) => waiting.push_back(Attempt::first(index)),
                Err(error) => {
                    tally.failed += 1;
                    observer.ended(index, &ProcessEnd::NotStarted(error));
                }
            }
        }
        tally.done = done.len();
        observer.already_done(&done);
        let (sender, events) = mpsc::channel();
        // Runs of other processes. Those of a killed pool end within `ORPHAN_TIME`, so they are tried once more.
        let mut busy: Vec<usize> = vec![];
        let mut has_retried_busy = false;
        let mut running: Vec<RunningProcess> = vec![];
        let mut is_stopping = false;
        loop {
            if observer.should_stop() && !is_stopping {
                is_stopping = true;
                tally.left += waiting.drain(..).count();
                for RunningProcess { process, .. } in &running {
                    stop(*process);
                }
            }
            while running.len() < self.jobs
                && let Some(attempt) = waiting.pop_front()
            {
                observer.started(attempt.index);
                match self.start(sweep, &file, attempt, &sender) {
                    Ok(started) => running.push(started),
                    Err(error) => {
                        tally.failed += 1;
                        observer.ended(attempt.index, &ProcessEnd::NotStarted(error));
                    }
                }
            }
            if running.is_empty() && (busy.is_empty() || has_retried_busy || is_stopping) {
                tally.busy = busy.len();
                return Ok(tally);
            }
            if running.is_empty() {
                has_retried_busy = true;
                thread::sleep(ORPHAN_TIME);
                waiting.extend(busy.drain(..).map(Attempt::first));
                continue;
            }
            match events.recv_timeout(POLL_INTERVAL) {
                Ok(ProcessEvent::Line { index, line }) => observer.progressed(index, &line),
                Ok(ProcessEvent::Ended { index, status }) => {
                    let position = running.iter().position(|it| it.attempt.index == index);
                    let ended = running.swap_remove(position.expect("it was running"));
                    let end = process_end(sweep, &ended, status);
                    match end {
                        ProcessEnd::Done => tally.done += 1,
                        ProcessEnd::Retry(_) if is_stopping => tally.left += 1,
                        ProcessEnd::Retry(_) => {
                            let number = ended.attempt.number + 1;
                            waiting.push_back(Attempt { index, number });
                        }
                        ProcessEnd::Failed(_) | ProcessEnd::NotStarted(_) => tally.failed += 1,
                        ProcessEnd::Saved => tally.left += 1,
                        ProcessEnd::Busy => busy.push(index),
                    }
                    observer.ended(index, &end);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("this function has a sender"),
            }
        }
    }

    /// Starts the process of a run, and a thread that reads its output.
    fn start(
        &self,
        sweep: &Sweep,
        file: &Path,
        attempt: Attempt,
        sender: &Sender<ProcessEvent>,
    ) -> Result<RunningProcess> {
        let index = attempt.index;
        let folder = sweep.folder(&sweep.runs[index]);
        std::fs::create_dir_all(&folder).map_err(Error::io("create the folder", &folder))?;
        let log = log_file(&folder);
        // Appends: another process may be writing to it.
        let open = File::options().create(true).append(true).open(&log);
        let log = open.map_err(Error::io("write", &log))?;
        let log_start = log.metadata().map_or(0, |log| log.len());
        let mut child = Command::new(&self.program)
            .args(["sweep", "run"])
            .arg(file)
            .args(["--index", &index.to_string(), "--report"])
            .args(["--threads", &self.threads.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(Error::io("start", &self.program))?;
        let process = child.id();
        let sender = sender.clone();
        thread::spawn(move || forward_output(index, &mut child, &sender));
        Ok(RunningProcess { attempt, process, log_start })
    }
}

/// Interprets the exit status of a process.
fn process_end(sweep: &Sweep, ended: &RunningProcess, status: Option<ExitStatus>) -> ProcessEnd {
    let code = status.and_then(|status| status.code());
    let folder = sweep.folder(&sweep.runs[ended.attempt.index]);
    match code {
        Some(0) => ProcessEnd::Done,
        Some(EXIT_SAVED) => ProcessEnd::Saved,
        Some(EXIT_BUSY) => ProcessEnd::Busy,
        _ => {
            let how = status.map_or("exit status unknown".to_owned(), |status| status.to_string());
            let why = format!("{}\n{how}\n", last_lines(&log_file(&folder), ended.log_start));
            if ended.attempt.number < MAX_ATTEMPTS {
                return ProcessEnd::Retry(why);
            }
            match mark_failed(&folder, &why) {
                Ok(()) => ProcessEnd::Failed(why),
                Err(error) => ProcessEnd::Failed(format!("{why}{error}\n")),
            }
        }
    }
}

/// Asks a process to save its run and exit.
fn stop(process: u32) {
    #[cfg(unix)]
    {
        use nix::sys::signal::{Signal, kill};
        // SIGUSR1 may arrive in addition to a signal of the terminal without forcing an exit. An error means that
        // the process has just ended.
        let _ = kill(nix::unistd::Pid::from_raw(process.cast_signed()), Signal::SIGUSR1);
    }
    // On Windows the console interrupts all of its processes.
    #[cfg(not(unix))]
    let _ = process;
}

/// The log of a run: the standard error of its processes.
fn log_file(folder: &Path) -> PathBuf {
    folder.join("log.txt")
}

/// The last lines of a file, of those after the offset `start`.
fn last_lines(path: &Path, start: u64) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    let new = usize::try_from(start).ok().and_then(|start| bytes.get(start..));
    let text = String::from_utf8_lossy(new.unwrap_or_default());
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
}

/// Sends each line that a process prints, and its exit status.
fn forward_output(index: usize, child: &mut Child, sender: &Sender<ProcessEvent>) {
    let stdout = child.stdout.take().expect("it is piped");
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        // An error means that the pool has returned.
        let _ = sender.send(ProcessEvent::Line { index, line });
    }
    let _ = sender.send(ProcessEvent::Ended { index, status: child.wait().ok() });
}
