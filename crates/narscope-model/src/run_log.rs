//! `run.json`: with what, where and when a run was trained. For people; nothing reads it back but
//! the next session, which adds itself.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use narscope_files::atomic::{self, Existing};
use narscope_net::config::Part;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sysinfo::{CpuRefreshKind, System};

use crate::Result;
use crate::test_progress::BETWEEN_SAVES;

/// What the program that trains tells about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Its command line.
    pub command: Vec<String>,
    /// Its version.
    pub version: String,
    /// The commit that it was built from, if it is known.
    pub commit: Option<String>,
    /// Number of threads.
    pub threads: usize,
    /// Environment variables that matter.
    pub environment: BTreeMap<String, String>,
}

/// One process that trained the run.
#[derive(Debug, Serialize)]
struct Session {
    #[serde(flatten)]
    info: RunInfo,
    folder: Option<PathBuf>,
    host: Option<String>,
    cpu: Option<String>,
    cores: Option<usize>,
    system: Option<String>,
    /// Times are UTC.
    started: String,
    first_step: usize,
    /// Weights that were taken from another run before the first step.
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_weights: Option<TakenWeights>,
    /// When this was last written.
    seen: String,
    seconds: f64,
    last_step: usize,
    /// `running` also if the process was killed.
    outcome: String,
}

/// Weights that a run took from another one. `run.json` tells them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct TakenWeights {
    /// Folder of the other run.
    pub(crate) run: PathBuf,
    /// The parts whose weights were taken.
    pub(crate) parts: Vec<Part>,
    /// How many weights these are.
    pub(crate) count: usize,
    /// Hash of their values.
    pub(crate) fingerprint: String,
}

/// Where a session begins.
pub(crate) struct Begun {
    /// Number of steps that were done before.
    pub(crate) step: usize,
    /// Weights that were taken from another run before the first step.
    pub(crate) taken: Option<TakenWeights>,
}

/// Writer of `run.json`.
pub(crate) struct RunLog {
    path: PathBuf,
    /// Sessions of earlier processes, as they are in the file.
    earlier: Vec<Value>,
    session: Session,
    start: Instant,
    saved: Instant,
}

impl RunLog {
    /// Adds a session to the file. One that cannot be read is set aside, with a notice.
    pub(crate) fn begin(
        path: &Path,
        info: RunInfo,
        Begun { step, taken }: Begun,
        notice: &mut dyn FnMut(String),
    ) -> Result<Self> {
        let mut earlier = vec![];
        if let Ok(bytes) = std::fs::read(path) {
            if let Some(sessions) = serde_json::from_slice(&bytes).ok().and_then(sessions) {
                earlier = sessions;
            } else {
                let aside = path.with_extension("json.damaged");
                atomic::write(&aside, Existing::Replace, |file| file.write_all(&bytes))?;
                let (path, aside) = (path.display(), aside.display());
                notice(format!("{path} cannot be read; it is kept as {aside}"));
            }
        }
        let now = Instant::now();
        let started = timestamp(SystemTime::now());
        let session = Session {
            info,
            folder: std::env::current_dir().ok(),
            host: System::host_name(),
            cpu: cpu(),
            cores: std::thread::available_parallelism().ok().map(Into::into),
            system: System::long_os_version(),
            seen: started.clone(),
            started,
            first_step: step,
            initial_weights: taken,
            seconds: 0.0,
            last_step: step,
            outcome: "running".to_owned(),
        };
        let log = Self { path: path.to_owned(), earlier, session, start: now, saved: now };
        log.write()?;
        Ok(log)
    }

    /// Updates the file from time to time, so that it tells how long a killed process ran.
    pub(crate) fn stepped(&mut self, step: usize) -> Result<()> {
        self.session.last_step = step;
        if self.saved.elapsed() < BETWEEN_SAVES {
            return Ok(());
        }
        self.save()
    }

    /// Writes how the session ended.
    pub(crate) fn end(mut self, outcome: String) -> Result<()> {
        self.session.outcome = outcome;
        self.save()
    }

    fn save(&mut self) -> Result<()> {
        self.session.seen = timestamp(SystemTime::now());
        self.session.seconds = self.start.elapsed().as_millis() as f64 / 1000.0;
        self.saved = Instant::now();
        self.write()
    }

    fn write(&self) -> Result<()> {
        let own = serde_json::to_value(&self.session).expect("a session is JSON");
        let sessions: Vec<&Value> = self.earlier.iter().chain([&own]).collect();
        let text = serde_json::to_string_pretty(&serde_json::json!({ "sessions": sessions }));
        let text = text.expect("sessions are JSON");
        atomic::write(&self.path, Existing::Replace, |file| writeln!(file, "{text}"))?;
        Ok(())
    }
}

/// The sessions in a file.
fn sessions(mut file: Value) -> Option<Vec<Value>> {
    match file.get_mut("sessions")?.take() {
        Value::Array(sessions) => Some(sessions),
        _ => None,
    }
}

/// The name of the processor.
fn cpu() -> Option<String> {
    let mut system = System::new();
    system.refresh_cpu_list(CpuRefreshKind::nothing());
    let name = system.cpus().first()?.brand().trim().to_owned();
    (!name.is_empty()).then_some(name)
}

/// A time as in `2026-11-18T14:58:36Z`.
fn timestamp(time: SystemTime) -> String {
    const DAY: u64 = 24 * 60 * 60;
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let (mut year, mut day) = (1970, seconds / DAY);
    let days_of_year = |year| if is_leap(year) { 366 } else { 365 };
    while day >= days_of_year(year) {
        day -= days_of_year(year);
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    let (hour, minute, second) = (seconds % DAY / 3600, seconds % 3600 / 60, seconds % 60);
    format!("{year}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_dates_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_709_251_200, "2024-03-01T00:00:00Z"),
            (4_102_444_799, "2099-12-31T23:59:59Z"),
        ] {
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(timestamp(time), expected);
        }
    }

    #[test]
    fn every_session_adds_itself_and_a_damaged_file_is_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let read = || -> Value { serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap() };
        let info = |word: &str| RunInfo { command: vec![word.to_owned()], ..RunInfo::default() };
        let begun = |step| Begun { step, taken: None };
        let mut silent = |notice: String| panic!("{notice}");
        let log = RunLog::begin(&path, info("first"), begun(0), &mut silent).unwrap();
        assert_eq!(read()["sessions"][0]["outcome"], "running");
        drop(log);
        let mut log = RunLog::begin(&path, info("second"), begun(4), &mut silent).unwrap();
        log.stepped(9).unwrap();
        log.end("done".to_owned()).unwrap();
        let sessions = &read()["sessions"];
        assert_eq!(sessions[0]["command"][0], "first");
        assert_eq!((&sessions[1]["first_step"], &sessions[1]["last_step"]), (&4.into(), &9.into()));
        assert_eq!(sessions[1]["outcome"], "done");

        std::fs::write(&path, "{\"sessions\"").unwrap();
        let mut notices = vec![];
        RunLog::begin(&path, info("third"), begun(9), &mut |notice| notices.push(notice)).unwrap();
        assert!(notices[0].contains("run.json cannot be read"), "{notices:?}");
        assert_eq!(read()["sessions"].as_array().unwrap().len(), 1);
        assert!(folder.path().join("run.json.damaged").exists());
    }
}
