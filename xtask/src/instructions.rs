//! Regression check of the instruction counts of kernels. Unlike times, the counts do not depend on
//! the load of the machine.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{cargo, ensure_installed, output, run, skip, succeeds, target};

/// File of the recorded counts.
const RECORDED: &str = "benches/instructions.toml";

/// Largest allowed ratio of the count to the recorded one.
const LIMIT: f64 = 1.05;

/// Kernels that are not checked. They call gemm, whose block sizes depend on the machine's caches.
const GEMM_KERNELS: [&str; 2] = ["product", "gradient_of_layer"];

/// Names of kernels with their instruction counts.
type Counts = Vec<(String, u64)>;

/// Counts instructions and compares them with the recorded counts, or records them.
pub(crate) fn check(arguments: &Arguments) -> Result {
    if !ensure_installed("valgrind", "valgrind") {
        skip("instruction counts skipped: valgrind is missing and could not be installed");
        return Ok(());
    }
    let recorded = fs::read_to_string(RECORDED)
        .map_err(|error| format!("{RECORDED} could not be read: {error}"))?;
    let versions = versions()?;
    if arguments.get("--record").is_none() && !recorded.contains(&versions) {
        skip(format!(
            "instruction counts skipped: the record was made with other versions than\n{versions}"
        ));
        return Ok(());
    }
    let runner = runner()?;
    let bench = ["bench", "--package", "narscope-benches", "--bench", "instructions"];
    let json =
        output(cargo(&bench).args(["--", "--output-format=json"]).env("GUNGRAUN_RUNNER", runner))?;
    let counts = json.lines().map(parse_count).collect::<Result<Counts>>()?;
    if arguments.get("--record").is_some() {
        return write_recorded(&versions, &counts);
    }
    let (lines, failed) = compare(&counts, &parse_recorded(&recorded)?);
    print!("{lines}");
    if failed {
        return Err(
            "some kernels take more instructions than recorded, are not recorded or were not \
             counted; if the change is intended, run `cargo xtask instructions --record`"
                .to_owned(),
        );
    }
    Ok(())
}

/// Returns the program that runs valgrind, in the version of the benchmark's library. It is
/// installed into the target folder on first use.
fn runner() -> Result<PathBuf> {
    let lock = fs::read_to_string("Cargo.lock")
        .map_err(|error| format!("Cargo.lock could not be read: {error}"))?;
    let version = locked_version(&lock, "gungraun").ok_or("Cargo.lock has no package gungraun")?;
    let current = env::current_dir()
        .map_err(|error| format!("the current folder could not be determined: {error}"))?;
    let folder = current.join(target()).join(format!("gungraun-runner-{version}"));
    let runner = folder.join("bin/gungraun-runner");
    if !succeeds(Command::new(&runner).arg("--version")) {
        // A debug build: optimising it takes longer than running it.
        let install = ["install", "--debug", "--locked", "gungraun-runner", "--version", version];
        run(cargo(&install).arg("--root").arg(&folder))?;
    }
    Ok(runner)
}

/// Returns the version of a package in a lock file.
fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let (_, entry) = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    entry.split_once('"').map(|(version, _)| version)
}

/// Parses a line of the benchmark's JSON output: name and instruction count of a kernel.
fn parse_count(line: &str) -> Result<(String, u64)> {
    let report: Value = serde_json::from_str(line)
        .map_err(|error| format!("gungraun printed invalid JSON: {error}"))?;
    let instructions = "/profiles/0/data/total/metrics/Ir/values/new";
    let found = report["id"].as_str().zip(report.pointer(instructions).and_then(Value::as_u64));
    let (name, count) =
        found.ok_or_else(|| format!("the output of gungraun has no instruction count: {line}"))?;
    Ok((name.to_owned(), count))
}

/// Returns the versions that the counts depend on, as comment lines.
fn versions() -> Result<String> {
    let lines = ["rustc", "valgrind"].map(|program| {
        let version = output(Command::new(program).arg("--version"))?;
        Ok(format!("# {version}\n"))
    });
    lines.into_iter().collect()
}

/// Writes counts and versions to the record file.
fn write_recorded(versions: &str, counts: &Counts) -> Result {
    let mut text = "# What `cargo xtask instructions --record` counted, with\n".to_owned();
    text.push_str(versions);
    for (name, count) in counts {
        let _ = writeln!(text, "{name} = {count}");
    }
    fs::write(RECORDED, text).map_err(|error| format!("{RECORDED} could not be written: {error}"))
}

/// Parses the record file.
fn parse_recorded(text: &str) -> Result<Counts> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let parse = |line: &str| {
        let (name, count) = line.split_once(" = ")?;
        Some((name.to_owned(), count.parse().ok()?))
    };
    lines
        .map(|line| {
            parse(line)
                .ok_or_else(|| format!("{RECORDED}: expected `NAME = COUNT`, found {line:?}"))
        })
        .collect()
}

/// Returns a line per kernel, and whether the check fails: a kernel takes too many instructions, is
/// not recorded or was not counted.
fn compare(counts: &Counts, recorded: &Counts) -> (String, bool) {
    let (mut lines, mut failed) = (String::new(), false);
    for (name, count) in counts {
        let before = recorded.iter().find(|(recorded, _)| recorded == name);
        let ratio = before.map(|(_, before)| *count as f64 / *before as f64);
        let verdict = match ratio {
            _ if GEMM_KERNELS.contains(&name.as_str()) => "not checked: depends on gemm".to_owned(),
            None => "not recorded".to_owned(),
            Some(ratio) if ratio > LIMIT => format!("{ratio:.3} of the recorded count: too many"),
            Some(ratio) => format!("{ratio:.3} of the recorded count"),
        };
        let is_checked = !GEMM_KERNELS.contains(&name.as_str());
        failed |= is_checked && ratio.is_none_or(|ratio| ratio > LIMIT);
        let _ = writeln!(lines, "{name:20} {count:>10}  {verdict}");
    }
    for (name, _) in
        recorded.iter().filter(|(name, _)| counts.iter().all(|(counted, _)| counted != name))
    {
        failed = true;
        let _ = writeln!(lines, "{name:20}             recorded, but not counted");
    }
    (lines, failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(&str, u64)]) -> Counts {
        pairs.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn counts_over_the_limit_and_unrecorded_or_missing_kernels_fail() {
        let recorded =
            parse_recorded("# some compiler\nsoftmax = 1000\nsoftmax_backward = 2000\n").unwrap();
        assert_eq!(recorded, counts(&[("softmax", 1000), ("softmax_backward", 2000)]));
        for (now, failed) in [
            (&[("softmax", 1050), ("softmax_backward", 1000)][..], false),
            (&[("softmax", 1051), ("softmax_backward", 1000)], true),
            (&[("softmax", 1000), ("softmax_backward", 2000), ("new", 1)], true),
            (&[("softmax", 1000), ("softmax_backward", 2000), ("product", 1)], false),
            (&[("softmax", 1000)], true),
            (&[], true),
        ] {
            let (lines, found) = compare(&counts(now), &recorded);
            assert_eq!(found, failed, "{lines}");
        }
    }

    #[test]
    fn an_invalid_line_of_the_record_is_reported() {
        let error = parse_recorded("softmax: 3").unwrap_err();
        assert_eq!(error, format!("{RECORDED}: expected `NAME = COUNT`, found \"softmax: 3\""));
    }

    #[test]
    fn the_version_of_a_package_is_read_from_the_lock_file() {
        let lock = "[[package]]\nname = \"gungraun-macros\"\nversion = \"1.0.0\"\n\n[[package]]\n\
                    name = \"gungraun\"\nversion = \"0.20.0\"\nsource = \"registry\"\n";
        assert_eq!(locked_version(lock, "gungraun"), Some("0.20.0"));
    }

    #[test]
    fn a_line_of_the_output_has_a_kernel_and_its_instruction_count() {
        let line = r#"{"id": "softmax", "profiles": [{"data": {"total": {"metrics": {"Ir": {"values": {"new": 7}}}}}}]}"#;
        assert_eq!(parse_count(line), Ok(("softmax".to_owned(), 7)));
        assert!(parse_count("{}").is_err());
    }
}
