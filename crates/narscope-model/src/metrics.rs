//! `metrics.jsonl`: what a run measured, one line of JSON per step, split and algorithm.
//!
//! Every line ends with `check`, a checksum of the line and of the `check` before it. So a line that
//! was changed, removed or inserted after training wrote it is noticed when the run is resumed.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use narscope_files::atomic::{self, Existing};
use narscope_files::checksum::crc32c;
use narscope_net::evaluation::Evaluation;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Error, Result};

/// Losses by probe, for example `output/pi`.
pub(crate) type ProbeLosses<'a> = BTreeMap<&'a str, f64>;

/// A line of `metrics.jsonl`. Timings come last; everything before them is the same in every run of
/// the same configuration, however often it was interrupted.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    pub(crate) step: usize,
    pub(crate) split: &'static str,
    pub(crate) algorithm: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) loss: Option<f64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) losses: ProbeLosses<'a>,
    #[serde(flatten)]
    pub(crate) update: Option<Updates>,
    #[serde(flatten)]
    pub(crate) scores: Option<Scores<'a>>,
    pub(crate) examples_seen: usize,
    #[serde(flatten)]
    pub(crate) speed: Option<Speed>,
    /// Wall time of the run so far, without pauses.
    pub(crate) seconds: f64,
}

/// What a line about training tells of its updates.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Updates {
    pub(crate) gradient_norm: f64,
    pub(crate) learning_rate: f64,
}

/// How fast the updates of a line were.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Speed {
    pub(crate) steps_per_second: f64,
    pub(crate) samples_per_second: f64,
}

/// Scores of a validation or a test.
#[derive(Serialize)]
pub(crate) struct Scores<'a> {
    score: f64,
    exact: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid: Option<f64>,
    outputs: BTreeMap<&'a str, f64>,
}

impl<'a> Scores<'a> {
    pub(crate) fn of(evaluation: &'a Evaluation) -> Self {
        let outputs = evaluation.outputs.iter();
        Self {
            score: evaluation.score,
            exact: evaluation.exact,
            valid: evaluation.valid.map(|valid| valid.score),
            outputs: outputs.map(|output| (output.probe.as_str(), output.score)).collect(),
        }
    }
}

/// The file, opened to append.
pub(crate) struct Metrics {
    path: PathBuf,
    file: File,
    /// The checksum of the last line.
    check: String,
    /// What its last line says about the wall time so far.
    pub(crate) seconds: f64,
}

/// What a resumed run needs of a line.
#[derive(Deserialize)]
struct Written {
    step: usize,
    split: String,
    #[serde(default)]
    seconds: f64,
}

impl Metrics {
    /// Opens the file of a run that continues after `step`, without the lines that a killed process
    /// wrote after its checkpoint. Lines that cannot be read are left out; a copy of the damaged
    /// file stays. `notice` gets a message about everything that training did not write so, and if
    /// there is no line of step `last` or later.
    pub(crate) fn open(
        path: &Path,
        step: usize,
        last: usize,
        notice: &mut dyn FnMut(String),
    ) -> Result<Self> {
        let cannot = |what: &str| {
            let what = format!("metrics cannot be {what}");
            move |error: io::Error| Error::Run {
                what: format!("{what} ({error})"),
                path: path.to_owned(),
            }
        };
        let bytes = match std::fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => vec![],
            read => read.map_err(cannot("read"))?,
        };
        let Kept { lines, mut problems, last_step, seconds, is_whole } = kept(&bytes, step);
        let is_changed = !problems.is_empty();
        if last_step < last {
            problems.push(format!("the lines after step {last_step} are missing"));
        }
        if !problems.is_empty() {
            let problems = few(&problems);
            let copied = if is_changed {
                format!("; a copy is in {}", keep_copy(path, &bytes)?.display())
            } else {
                String::new()
            };
            let path = path.display();
            notice(format!(
                "{path}: {problems}{copied}; training continues with the lines that can be read"
            ));
        }
        let mut check = String::new();
        let mut text = String::new();
        for line in lines {
            let (body, old) = without_check(line);
            if old.is_some() || !check.is_empty() {
                check = check_of(&check, &body);
                text += &with_check(&body, &check);
            } else {
                // Written by an earlier version.
                text += line;
            }
            text.push('\n');
        }
        if !is_whole {
            atomic::write(path, Existing::Replace, |file| file.write_all(text.as_bytes()))?;
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        Ok(Self { path: path.to_owned(), file: file.map_err(cannot("opened"))?, check, seconds })
    }

    /// Appends a line.
    pub(crate) fn append(&mut self, line: &Line<'_>) -> Result<()> {
        let body = serde_json::to_string(line).expect("numbers are JSON");
        let check = check_of(&self.check, &body);
        let line = with_check(&body, &check) + "\n";
        // In one piece, so that a killed process leaves as few parts of lines as possible.
        self.file.write_all(line.as_bytes()).map_err(|error| {
            let what = format!("metrics cannot be written ({error})");
            Error::Run { what, path: self.path.clone() }
        })?;
        self.check = check;
        Ok(())
    }
}

/// The lines of a file that stay.
struct Kept<'a> {
    lines: Vec<&'a str>,
    /// What training did not write so.
    problems: Vec<String>,
    last_step: usize,
    /// The wall time in the last of the lines.
    seconds: f64,
    /// Whether all of the file stays, as it is.
    is_whole: bool,
}

/// The lines up to a step, without test scores, which are computed again.
fn kept(bytes: &[u8], step: usize) -> Kept<'_> {
    let mut kept =
        Kept { lines: vec![], problems: vec![], last_step: 0, seconds: 0.0, is_whole: true };
    let mut last_check = String::new();
    for (number, bytes) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
        let is_cut = !bytes.ends_with(b"\n");
        let line = std::str::from_utf8(bytes).map_err(|_| "is not UTF-8");
        let line = line.and_then(|line| {
            let line = line.trim();
            // An array would do for a structure, too.
            let object = Some(line).filter(|line| line.starts_with('{'));
            let written = object.and_then(|line| serde_json::from_str::<Written>(line).ok());
            Ok((line, written.ok_or("is not a line of metrics")?))
        });
        let (line, written) = match line {
            Ok(read) => read,
            // A process was killed while it wrote the last line.
            Err(_) if is_cut => {
                kept.is_whole = false;
                break;
            }
            Err(what) => {
                kept.problems.push(format!("line {number} {what}"));
                continue;
            }
        };
        let (body, check) = without_check(line);
        match check {
            Some(check) => {
                if check_of(&last_check, &body) != check {
                    kept.problems.push(format!(
                        "line {number} or the line before it was changed after training wrote it"
                    ));
                }
                check.clone_into(&mut last_check);
            }
            None if last_check.is_empty() => {}
            None => kept.problems.push(format!("line {number} was not written by training")),
        }
        if written.step <= step && written.split != "test" {
            kept.lines.push(line);
            kept.last_step = kept.last_step.max(written.step);
            kept.seconds = kept.seconds.max(written.seconds);
            kept.is_whole &= !is_cut;
        } else {
            kept.is_whole = false;
        }
    }
    kept.is_whole &= kept.problems.is_empty();
    kept
}

/// The first problems, and how many more there are.
fn few(problems: &[String]) -> String {
    const FEW: usize = 3;
    let first = problems[..problems.len().min(FEW)].join(", ");
    match problems.len().saturating_sub(FEW) {
        0 => first,
        more => format!("{first}, and {more} more"),
    }
}

/// Copies a damaged file to a new name beside it.
fn keep_copy(path: &Path, bytes: &[u8]) -> Result<PathBuf> {
    let name = |count: usize| match count {
        1 => path.with_extension("jsonl.damaged"),
        more => path.with_extension(format!("jsonl.damaged-{more}")),
    };
    let copy = (1..usize::MAX).map(name).find(|copy| !copy.exists()).expect("one is free");
    atomic::write(&copy, Existing::Keep, |file| file.write_all(bytes))?;
    Ok(copy)
}

const CHECK: &str = ",\"check\":\"";

/// The checksum of a line, which covers the one before it.
fn check_of(before: &str, body: &str) -> String {
    format!("{:08x}", crc32c(&[before.as_bytes(), body.as_bytes()].concat()))
}

fn with_check(body: &str, check: &str) -> String {
    let open = body.strip_suffix('}').expect("a line is an object");
    format!("{open}{CHECK}{check}\"}}")
}

/// A line without its checksum, and the checksum, if it has one.
fn without_check(line: &str) -> (String, Option<&str>) {
    let split = line.rsplit_once(CHECK);
    let split = split.and_then(|(open, rest)| Some((open, rest.strip_suffix("\"}")?)));
    match split {
        Some((open, check)) => (format!("{open}}}"), Some(check)),
        None => (line.to_owned(), None),
    }
}

/// The metrics of a run as a table: a row per line, a column per number; columns that a line does
/// not have are empty. Losses of probes are `losses/…`, scores of outputs `outputs/…`.
///
/// # Errors
/// The number of a line that is not an object.
pub fn to_csv(metrics: &str) -> Result<String, usize> {
    const FIRST: [&str; 7] = ["step", "split", "algorithm", "loss", "score", "exact", "valid"];
    let mut rows = vec![];
    for (number, line) in (1_usize..).zip(metrics.lines()) {
        let object: Map<String, Value> = serde_json::from_str(line).map_err(|_| number)?;
        let mut row = BTreeMap::new();
        for (key, value) in object {
            match value {
                Value::Object(inner) => {
                    row.extend(
                        inner.into_iter().map(|(name, value)| (format!("{key}/{name}"), value)),
                    );
                }
                value => {
                    row.insert(key, value);
                }
            }
        }
        row.remove("check");
        rows.push(row);
    }
    let all = rows.iter().flat_map(BTreeMap::keys).map(String::as_str);
    let all: std::collections::BTreeSet<&str> = all.collect();
    let (first, others): (Vec<&str>, Vec<&str>) =
        all.into_iter().partition(|key| FIRST.contains(key));
    let first = FIRST.into_iter().filter(|key| first.contains(key));
    let columns: Vec<&str> = first.chain(others).collect();
    let mut csv = columns.join(",") + "\n";
    for row in &rows {
        let cells = columns.iter().map(|&column| match row.get(column) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        });
        csv += &cells.collect::<Vec<_>>().join(",");
        csv.push('\n');
    }
    Ok(csv)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(step: usize, split: &'static str) -> Line<'static> {
        Line {
            step,
            split,
            algorithm: "bfs",
            loss: Some(0.5),
            losses: BTreeMap::from([("output/pi", 0.5)]),
            update: None,
            scores: None,
            examples_seen: 4 * step,
            speed: None,
            seconds: step as f64,
        }
    }

    /// A file with lines of steps 1 to 4 and a test.
    fn file() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let mut metrics = Metrics::open(&path, 0, 0, &mut |notice| panic!("{notice}")).unwrap();
        for step in 1..=4 {
            metrics.append(&line(step, "train")).unwrap();
        }
        metrics.append(&line(4, "test")).unwrap();
        (folder, path)
    }

    fn read(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    /// Opens the file after a change, and returns the notices.
    fn reopened(path: &Path, step: usize) -> Vec<String> {
        let mut notices = vec![];
        Metrics::open(path, step, step, &mut |notice| notices.push(notice)).unwrap();
        notices
    }

    #[test]
    fn lines_after_the_checkpoint_are_cut_and_written_again_the_same() {
        let (_folder, path) = file();
        let whole = read(&path);
        let mut metrics = Metrics::open(&path, 2, 2, &mut |notice| panic!("{notice}")).unwrap();
        assert_eq!((read(&path).lines().count(), metrics.seconds), (2, 2.0));
        for (step, split) in [(3, "train"), (4, "train"), (4, "test")] {
            metrics.append(&line(step, split)).unwrap();
        }
        assert_eq!(read(&path), whole);
    }

    #[test]
    fn a_line_that_was_being_written_when_the_process_was_killed_is_no_damage() {
        let (_folder, path) = file();
        let whole = read(&path);
        for cut in 1..whole.lines().last().unwrap().len() {
            std::fs::write(&path, &whole[..whole.len() - 1 - cut]).unwrap();
            assert_eq!(reopened(&path, 4), [""; 0], "{cut} bytes less");
            assert_eq!(read(&path).lines().count(), 4);
        }
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named_left_out_and_kept_in_a_copy() {
        for (damage, what) in [
            (&b"\xff\xfe\n"[..], "line 3 is not UTF-8"),
            (b"{\"step\":\n", "line 3 is not a line of metrics"),
            (b"\n", "line 3 is not a line of metrics"),
            (b"[2,\"val\",0]\n", "line 3 is not a line of metrics"),
        ] {
            let (_folder, path) = file();
            let whole = read(&path);
            let lines: Vec<&str> = whole.split_inclusive('\n').collect();
            let (before, after) = (lines[..2].concat(), lines[2..].concat());
            let damaged = [before.as_bytes(), damage, after.as_bytes()].concat();
            std::fs::write(&path, &damaged).unwrap();
            let notices = reopened(&path, 4);
            assert_eq!(notices.len(), 1, "{notices:?}");
            assert!(
                notices[0].contains(what) && notices[0].contains("metrics.jsonl"),
                "{notices:?}"
            );
            assert!(notices[0].contains("metrics.jsonl.damaged"), "{notices:?}");
            assert_eq!(std::fs::read(path.with_extension("jsonl.damaged")).unwrap(), damaged);
            assert_eq!(read(&path).lines().count(), 4);
            assert_eq!(reopened(&path, 4), [""; 0], "the next time there is nothing to say");
        }
    }

    #[test]
    fn a_line_that_was_changed_removed_or_inserted_is_noticed() {
        let change = |from: &str, to: &str| {
            let (folder, path) = file();
            let text = read(&path);
            assert!(text.contains(from));
            std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
            let notices = reopened(&path, 4);
            assert_eq!(notices.len(), 1, "{from} to {to}");
            assert_eq!(reopened(&path, 4), [""; 0]);
            drop(folder);
            notices[0].clone()
        };
        assert!(change("\"step\":2", "\"step\":1").contains("line 2 or the line before"));
        assert!(change("\"loss\":0.5", "\"loss\":0.1").contains("line 1 or the line before"));
        let (_folder, path) = file();
        let second = format!("{}\n", read(&path).lines().nth(1).unwrap());
        assert!(change(&second, "").contains("line 2 or the line before"));
        assert!(change(&second, &second.repeat(2)).contains("line 3 or the line before"));
        let by_hand = format!("{second}{{\"step\":2,\"split\":\"val\"}}\n");
        assert!(change(&second, &by_hand).contains("line 3 was not written by training"));
    }

    #[test]
    fn missing_lines_at_the_end_are_noticed() {
        let (_folder, path) = file();
        let text = read(&path);
        let first: String = text.split_inclusive('\n').take(2).collect();
        std::fs::write(&path, &first).unwrap();
        let notices = reopened(&path, 4);
        assert!(notices[0].contains("the lines after step 2 are missing"), "{notices:?}");
        assert_eq!(read(&path), first);
        std::fs::remove_file(&path).unwrap();
        let notices = reopened(&path, 4);
        assert!(notices[0].contains("the lines after step 0 are missing;"), "{notices:?}");
    }

    #[test]
    fn lines_of_earlier_versions_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let old = "{\"step\":1,\"split\":\"val\",\"algorithm\":\"bfs\",\"score\":0.5}\n";
        std::fs::write(&path, old).unwrap();
        let mut metrics = Metrics::open(&path, 1, 1, &mut |notice| panic!("{notice}")).unwrap();
        metrics.append(&line(2, "val")).unwrap();
        assert!(read(&path).starts_with(old));
        assert_eq!(reopened(&path, 2), [""; 0]);
    }

    proptest! {
        #[test]
        fn no_damage_blocks_a_resume(place in 0.0_f64..1.0, bits in 1_u8.., cut: bool) {
            let (_folder, path) = file();
            let mut bytes = std::fs::read(&path).unwrap();
            let place = (place * bytes.len() as f64) as usize;
            if cut { bytes.truncate(place) } else { bytes[place] ^= bits }
            std::fs::write(&path, &bytes).unwrap();
            let mut notices = vec![];
            let mut metrics = Metrics::open(&path, 4, 0, &mut |it| notices.push(it)).unwrap();
            metrics.append(&line(5, "val")).unwrap();
            if !notices.is_empty() {
                let copy = std::fs::read(path.with_extension("jsonl.damaged")).unwrap();
                prop_assert_eq!(copy, bytes, "nothing is lost");
            }
            Metrics::open(&path, 5, 5, &mut |notice| panic!("{notice}")).unwrap();
        }
    }

    #[test]
    fn a_table_has_a_column_per_number_and_a_row_per_line() {
        let lines = "{\"step\":1,\"split\":\"train\",\"loss\":0.5,\"losses\":{\"output/pi\":0.5},\"check\":\"0\"}\n\
                     {\"step\":1,\"split\":\"val\",\"score\":null,\"exact\":1.0}\n";
        assert_eq!(
            to_csv(lines).unwrap(),
            "step,split,loss,score,exact,losses/output/pi\n1,train,0.5,,,0.5\n1,val,,,1.0,\n"
        );
        assert_eq!(to_csv("{}\n{"), Err(2));
    }
}
