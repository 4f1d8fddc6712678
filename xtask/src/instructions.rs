//! How many instructions kernels take, compared with what was recorded: a gate that does not mind
//! how busy the machine is.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{answer, cargo, exists, installed, run, skip, target};

const RECORDED: &str = "crates/narscope-kernels/benches/instructions.toml";

/// A kernel may take so many times what was recorded.
const LIMIT: f64 = 1.05;

/// Products are gemm's, and the way it cuts them up depends on the machine's caches: no gate for these.
const OF_GEMM: [&str; 2] = ["product", "gradient_of_layer"];

/// Names of kernels, and how many instructions they take.
type Counts = Vec<(String, u64)>;

/// Counts instructions and compares them with what was recorded, or records them.
pub(crate) fn check(arguments: &Arguments) -> Result {
    if !installed("valgrind", "valgrind") {
        skip("instructions are not counted: valgrind is not installed and cannot be from here");
        return Ok(());
    }
    let recorded = fs::read_to_string(RECORDED)
        .map_err(|error| format!("{RECORDED} could not be read: {error}"))?;
    let versions = versions()?;
    if arguments.get("--record").is_none() && !recorded.contains(&versions) {
        skip(format!(
            "instructions are not counted: they were recorded with other programs than\n{versions}"
        ));
        return Ok(());
    }
    let runner = runner()?;
    let bench = ["bench", "--package", "narscope-kernels", "--bench", "instructions"];
    let json =
        answer(cargo(&bench).args(["--", "--output-format=json"]).env("GUNGRAUN_RUNNER", runner))?;
    let counts = json.lines().map(count).collect::<Result<Counts>>()?;
    if arguments.get("--record").is_some() {
        return record(&versions, &counts);
    }
    let (lines, failed) = compare(&counts, &read(&recorded)?);
    print!("{lines}");
    if failed {
        return Err(
            "some kernels take more instructions than recorded, are not recorded or were not \
                    counted; if that is meant to be: cargo xtask instructions --record"
                .to_owned(),
        );
    }
    Ok(())
}

/// The program that runs valgrind, of the version that the benchmark was built with. It is installed
/// in the target folder when it is first needed.
fn runner() -> Result<PathBuf> {
    let lock = fs::read_to_string("Cargo.lock")
        .map_err(|error| format!("Cargo.lock could not be read: {error}"))?;
    let version = locked_version(&lock, "gungraun").ok_or("Cargo.lock has no gungraun")?;
    let here = env::current_dir().map_err(|error| format!("where are we? {error}"))?;
    let folder = here.join(target()).join(format!("gungraun-runner-{version}"));
    let runner = folder.join("bin/gungraun-runner");
    if !exists(Command::new(&runner).arg("--version")) {
        // Built without optimisation, which takes longer than it ever runs.
        let install = ["install", "--debug", "--locked", "gungraun-runner", "--version", version];
        run(cargo(&install).arg("--root").arg(&folder))?;
    }
    Ok(runner)
}

/// The version of a package in a lock file.
fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let (_, entry) = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    entry.split_once('"').map(|(version, _)| version)
}

/// What a line of the benchmark's answer says.
fn count(line: &str) -> Result<(String, u64)> {
    let answer: Value = serde_json::from_str(line)
        .map_err(|error| format!("gungraun did not answer in JSON: {error}"))?;
    let instructions = "/profiles/0/data/total/metrics/Ir/values/new";
    let found = answer["id"].as_str().zip(answer.pointer(instructions).and_then(Value::as_u64));
    let (name, count) = found.ok_or_else(|| format!("gungraun counted nothing: {line}"))?;
    Ok((name.to_owned(), count))
}

/// What counts depend on, as lines of comment.
fn versions() -> Result<String> {
    let lines = ["rustc", "valgrind"].map(|program| {
        let version = answer(Command::new(program).arg("--version"))?;
        Ok(format!("# {version}\n"))
    });
    lines.into_iter().collect()
}

/// Writes the counts down, with what they depend on.
fn record(versions: &str, counts: &Counts) -> Result {
    let mut text = "# What `cargo xtask instructions --record` counted, with\n".to_owned();
    text.push_str(versions);
    for (name, count) in counts {
        let _ = writeln!(text, "{name} = {count}");
    }
    fs::write(RECORDED, text).map_err(|error| format!("{RECORDED} could not be written: {error}"))
}

/// The counts that were written down.
fn read(text: &str) -> Result<Counts> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let read = |line: &str| {
        let (name, count) = line.split_once(" = ")?;
        Some((name.to_owned(), count.parse().ok()?))
    };
    lines
        .map(|line| read(line).ok_or_else(|| format!("{RECORDED}: {line:?} is no count")))
        .collect()
}

/// A line for each kernel, and whether one takes too many instructions, was not recorded or is missing.
fn compare(counts: &Counts, recorded: &Counts) -> (String, bool) {
    let (mut lines, mut failed) = (String::new(), false);
    for (name, count) in counts {
        let before = recorded.iter().find(|(recorded, _)| recorded == name);
        let ratio = before.map(|(_, before)| *count as f64 / *before as f64);
        let verdict = match ratio {
            _ if OF_GEMM.contains(&name.as_str()) => "of gemm".to_owned(),
            None => "not recorded".to_owned(),
            Some(ratio) if ratio > LIMIT => format!("{ratio:.3} of what was recorded: too many"),
            Some(ratio) => format!("{ratio:.3} of what was recorded"),
        };
        let ours = !OF_GEMM.contains(&name.as_str());
        failed |= ours && ratio.is_none_or(|ratio| ratio > LIMIT);
        let _ = writeln!(lines, "{name:20} {count:>10}  {verdict}");
    }
    for (name, _) in recorded.iter().filter(|(name, _)| counts.iter().all(|(it, _)| it != name)) {
        failed = true;
        let _ = writeln!(lines, "{name:20}             recorded, and not counted");
    }
    (lines, failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(of: &[(&str, u64)]) -> Counts {
        of.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn more_than_five_percent_more_than_recorded_is_too_many_and_none_may_be_missing() {
        let recorded = read("# some compiler\nmeet = 1000\npart = 2000\n").unwrap();
        assert_eq!(recorded, counts(&[("meet", 1000), ("part", 2000)]));
        for (now, failed) in [
            (&[("meet", 1050), ("part", 1000)][..], false),
            (&[("meet", 1051), ("part", 1000)], true),
            (&[("meet", 1000), ("part", 2000), ("new", 1)], true),
            (&[("meet", 1000), ("part", 2000), ("product", 1)], false),
            (&[("meet", 1000)], true),
            (&[], true),
        ] {
            let (lines, found) = compare(&counts(now), &recorded);
            assert_eq!(found, failed, "{lines}");
        }
    }

    #[test]
    fn what_is_no_count_is_named() {
        let error = read("meet: 3").unwrap_err();
        assert_eq!(error, format!("{RECORDED}: \"meet: 3\" is no count"));
    }

    #[test]
    fn the_runner_has_the_version_of_the_library() {
        let lock = "[[package]]\nname = \"gungraun-macros\"\nversion = \"1.0.0\"\n\n[[package]]\n\
                    name = \"gungraun\"\nversion = \"0.20.0\"\nsource = \"registry\"\n";
        assert_eq!(locked_version(lock, "gungraun"), Some("0.20.0"));
    }

    #[test]
    fn a_line_of_the_answer_names_a_kernel_and_its_instructions() {
        let line = r#"{"id": "meet", "profiles": [{"data": {"total": {"metrics": {"Ir": {"values": {"new": 7}}}}}}]}"#;
        assert_eq!(count(line), Ok(("meet".to_owned(), 7)));
        assert!(count("{}").is_err());
    }
}
