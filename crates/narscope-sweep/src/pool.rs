//! Runs of a sweep on this machine: a few processes at a time, each a run of its own, so that one that
//! fails takes no other with it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use crate::file::Sweep;
use crate::state::{State, mark_failed};
use crate::{Error, Result};

/// What a process returns that was told to stop, saved its run and may be started again.
pub const SAVED: i32 = 75;
/// What a process returns whose run somebody else is doing.
pub const BUSY: i32 = 11;
/// How often a run that fails is tried.
const TRIES: usize = 2;
/// How many lines of what a failed run said are kept.
const TAIL: usize = 20;
/// How long it takes runs to notice that their pool is gone.
const A_MOMENT: Duration = Duration::from_secs(2);
/// How long nobody looks whether to stop.
const GLANCE: Duration = Duration::from_millis(200);

/// How many processes, and what they are.
#[derive(Clone, Debug)]
pub struct Pool {
    /// The program, which does one run of a sweep with `sweep run FILE --index I --report`.
    pub program: PathBuf,
    /// How many at a time.
    pub jobs: usize,
    /// How many threads each has.
    pub threads: usize,
}

/// Looks on while a pool works.
pub trait Watcher {
    /// These runs were done before it began.
    fn finds_done(&mut self, runs: &[usize]);
    /// A run begins.
    fn begins(&mut self, index: usize);
    /// A run says how far it is: a line of JSON.
    fn hears(&mut self, index: usize, line: &str);
    /// A run is over, for now.
    fn ends(&mut self, index: usize, end: &End);
    /// Whether the user wants to stop.
    fn wants_to_stop(&mut self) -> bool;
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The run is done.
    Done,
    /// The run failed and will be tried again.
    Again(String),
    /// The run failed as often as it may: the last lines of what it said.
    Failed(String),
    /// The run was saved because somebody stopped it.
    Saved,
    /// Somebody else is doing it.
    Busy,
}

/// What came of all runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many are done, now or before.
    pub done: usize,
    /// How many failed.
    pub failed: usize,
    /// How many somebody else is doing.
    pub busy: usize,
    /// How many are left because somebody stopped them.
    pub left: usize,
}

/// A run that a process is doing.
struct Running {
    index: usize,
    attempt: usize,
    process: u32,
    /// How long its log was before, in bytes.
    said_before: u64,
}

/// What processes tell whoever waits for them.
enum Word {
    Line(usize, String),
    Ended(usize, Option<ExitStatus>),
}

impl Pool {
    /// Does all runs that are not done.
    pub fn run(&self, sweep: &Sweep, watcher: &mut dyn Watcher) -> Result<Tally> {
        let file = sweep.pinned()?;
        let mut tally = Tally::default();
        // What failed in an earlier attempt is tried anew.
        let (mut done, mut waiting) = (vec![], VecDeque::new());
        for (index, run) in sweep.runs.iter().enumerate() {
            match State::of(sweep, run) {
                Ok(State::Done) => done.push(index),
                Ok(_) => waiting.push_back((index, 1)),
                Err(error) => {
                    tally.failed += 1;
                    watcher.ends(index, &End::Failed(error.to_string()));
                }
            }
        }
        tally.done = done.len();
        watcher.finds_done(&done);
        let (sender, words) = mpsc::channel();
        // Runs of others. Some may be of a pool that was killed: these end in a moment.
        let mut busy: Vec<usize> = vec![];
        let mut has_looked_again = false;
        let mut running: Vec<Running> = vec![];
        let mut is_stopping = false;
        loop {
            if watcher.wants_to_stop() && !is_stopping {
                is_stopping = true;
                tally.left += waiting.drain(..).count();
                for Running { process, .. } in &running {
                    stop(*process);
                }
            }
            while running.len() < self.jobs
                && let Some((index, attempt)) = waiting.pop_front()
            {
                watcher.begins(index);
                match self.start((sweep, &file), (index, attempt), &sender) {
                    Ok(started) => running.push(started),
                    Err(error) => {
                        tally.failed += 1;
                        watcher.ends(index, &End::Failed(error.to_string()));
                    }
                }
            }
            if running.is_empty() && (busy.is_empty() || has_looked_again || is_stopping) {
                tally.busy = busy.len();
                return Ok(tally);
            }
            if running.is_empty() {
                has_looked_again = true;
                thread::sleep(A_MOMENT);
                waiting.extend(busy.drain(..).map(|index| (index, 1)));
                continue;
            }
            match words.recv_timeout(GLANCE) {
                Ok(Word::Line(index, line)) => watcher.hears(index, &line),
                Ok(Word::Ended(index, status)) => {
                    let place = running.iter().position(|it| it.index == index);
                    let ended = running.swap_remove(place.expect("it was running"));
                    let end = ending(sweep, &ended, status);
                    match end {
                        End::Done => tally.done += 1,
                        End::Again(_) if is_stopping => tally.left += 1,
                        End::Again(_) => waiting.push_back((index, ended.attempt + 1)),
                        End::Failed(_) => tally.failed += 1,
                        End::Saved => tally.left += 1,
                        End::Busy => busy.push(index),
                    }
                    watcher.ends(index, &end);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("we hold a sender"),
            }
        }
    }

    /// Starts a process, and somebody who listens to it.
    fn start(
        &self,
        (sweep, file): (&Sweep, &Path),
        (index, attempt): (usize, usize),
        sender: &Sender<Word>,
    ) -> Result<Running> {
        let folder = sweep.folder(&sweep.runs[index]);
        std::fs::create_dir_all(&folder).map_err(Error::io("make the folder", &folder))?;
        let log = log(&folder);
        // Somebody else may be writing to it.
        let open = File::options().create(true).append(true).open(&log);
        let log = open.map_err(Error::io("write", &log))?;
        let said_before = log.metadata().map_or(0, |log| log.len());
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
        thread::spawn(move || listen(index, &mut child, &sender));
        Ok(Running { index, attempt, process, said_before })
    }
}

/// What the end of a process means.
fn ending(sweep: &Sweep, ended: &Running, status: Option<ExitStatus>) -> End {
    let code = status.and_then(|status| status.code());
    let run = &sweep.runs[ended.index];
    let folder = sweep.folder(run);
    match code {
        Some(0) => End::Done,
        Some(SAVED) => End::Saved,
        Some(BUSY) => End::Busy,
        _ => {
            let how = status.map_or("it was lost".to_owned(), |status| status.to_string());
            let why = format!("{}\n{how}\n", tail(&log(&folder), ended.said_before));
            if ended.attempt < TRIES {
                return End::Again(why);
            }
            match mark_failed(&folder, &why) {
                Ok(()) => End::Failed(why),
                Err(error) => End::Failed(format!("{why}{error}\n")),
            }
        }
    }
}

/// Tells a process to save its run and end.
fn stop(process: u32) {
    #[cfg(unix)]
    {
        use nix::sys::signal::{Signal, kill};
        // A terminal may have told it, too; this signal can be heard twice without impatience.
        // It may have ended by itself this very moment.
        let _ = kill(nix::unistd::Pid::from_raw(process.cast_signed()), Signal::SIGUSR1);
    }
    // Elsewhere, the console tells all of its processes.
    #[cfg(not(unix))]
    let _ = process;
}

/// What a process says beside how far it is.
fn log(folder: &Path) -> PathBuf {
    folder.join("log.txt")
}

/// The last lines of a file, of those behind so many bytes.
fn tail(path: &Path, behind: u64) -> String {
    let text = std::fs::read(path).unwrap_or_default();
    let new = usize::try_from(behind).ok().and_then(|behind| text.get(behind..));
    let text = String::from_utf8_lossy(new.unwrap_or_default());
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL)..].join("\n")
}

/// Passes on what a process says, and that it has ended.
fn listen(index: usize, child: &mut Child, sender: &Sender<Word>) {
    let stdout = child.stdout.take().expect("it is piped");
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        // Nobody may be left to hear it.
        let _ = sender.send(Word::Line(index, line));
    }
    let _ = sender.send(Word::Ended(index, child.wait().ok()));
}
