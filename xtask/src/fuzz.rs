//! Fuzzing of everything that reads files, see docs/reliability.md.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{cargo, run};

/// Folder of the fuzzer, its corpus and what it finds.
const FOLDER: &str = "fuzz";

/// Fuzzes every target, or those given, each for some seconds or inputs.
pub(crate) fn check(arguments: &Arguments) -> Result {
    let folder = fs::canonicalize(FOLDER).map_err(|error| format!("{FOLDER}: {error}"))?;
    run(cargo(&["build"])
        .current_dir(&folder)
        // Only what parses files is compiled for the fuzzer.
        .env("RUSTC_WRAPPER", folder.join("instrument")))?;
    let all = targets(&folder.join("corpus"))?;
    let chosen = arguments.list::<String>("--targets", &all.join(","))?;
    let limit = match arguments.get("--inputs") {
        Some(inputs) => format!("-runs={inputs}"),
        None => format!("-max_total_time={}", arguments.get("--seconds").unwrap_or("10")),
    };
    for target in chosen {
        if !all.contains(&target) {
            return Err(format!("unknown target {target:?}; there are {}", all.join(", ")));
        }
        let found = folder.join("found").join(&target);
        fs::create_dir_all(&found).map_err(|error| format!("{}: {error}", found.display()))?;
        run(Command::new(folder.join("target/debug/fuzz"))
            .env("NARSCOPE_FUZZ", &target)
            .current_dir(&found)
            .args([&limit, "-max_len=4096", "-rss_limit_mb=2048", "-timeout=10"])
            .args(["-print_final_stats=1", "-verbosity=0"])
            // The fuzzer adds to the first folder and reads the others.
            .args([&found, &folder.join("corpus").join(&target)]))?;
    }
    Ok(())
}

/// The names of all targets: each has a folder in the corpus.
fn targets(corpus: &Path) -> Result<Vec<String>> {
    let fail = |error| format!("{} could not be listed: {error}", corpus.display());
    let mut names = vec![];
    for entry in fs::read_dir(corpus).map_err(fail)? {
        names.push(entry.map_err(fail)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
