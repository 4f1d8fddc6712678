//! The checksums of everything that the explorer's page is made of, kept beside it: whoever changes a
//! source and not the page is told so, without a WebAssembly toolchain.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::{KEPT, PAGE, kept};
use crate::Result;

/// The list, in the format of `sha256sum`.
const LIST: &str = "sources.sha256";
/// Crates whose code is in the module.
const CRATES: [&str; 4] = ["narscope-clrs", "narscope-kernels", "narscope-net", "narscope-web"];
/// Files of the page beside its folder of sources.
const PAGE_FILES: [&str; 4] = ["index.html", "build.mjs", "package.json", "package-lock.json"];
/// The line of what the crates depend on.
const LOCKED: &str = "Cargo.lock (narscope-web)";

/// Writes the list.
pub(super) fn write() -> Result {
    let mut text = String::new();
    for (name, sum) in sums()? {
        writeln!(text, "{sum}  {name}").expect("a string takes text");
    }
    fs::write(kept(LIST), text).map_err(|error| format!("{LIST} could not be written: {error}"))
}

/// Fails if a source or a file of the page is not the listed one.
pub(super) fn check() -> Result {
    let text = fs::read_to_string(kept(LIST))
        .map_err(|error| format!("{KEPT}/{LIST} cannot be read: {error}; {}", advice()))?;
    let listed: BTreeMap<String, String> = text
        .lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(sum, name)| (name.to_owned(), sum.to_owned()))
        .collect();
    let now = sums()?;
    let changed = differences(&listed, &now);
    if changed.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the page in {KEPT} is not made of these sources, changed are {}; {}",
        changed.join(", "),
        advice()
    ))
}

fn advice() -> &'static str {
    "run `cargo xtask explorer` and commit the folder"
}

/// Names that are in one list only, or with another sum.
fn differences<'a>(
    a: &'a BTreeMap<String, String>,
    b: &'a BTreeMap<String, String>,
) -> Vec<&'a str> {
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    names.into_iter().filter(|name| a.get(*name) != b.get(*name)).map(String::as_str).collect()
}

/// The checksum of every source and of every file of the page.
fn sums() -> Result<BTreeMap<String, String>> {
    let mut sums = BTreeMap::new();
    for name in CRATES {
        add_file(&mut sums, &format!("crates/{name}/Cargo.toml"))?;
        add_folder(&mut sums, &format!("crates/{name}/src"))?;
    }
    for name in PAGE_FILES {
        add_file(&mut sums, &format!("{PAGE}/{name}"))?;
    }
    add_folder(&mut sums, &format!("{PAGE}/src"))?;
    add_folder(&mut sums, KEPT)?;
    sums.remove(&format!("{KEPT}/{LIST}"));
    let lock = read("Cargo.lock")?;
    let lock = String::from_utf8_lossy(&lock);
    sums.insert(LOCKED.to_owned(), sum(dependencies(&lock, "narscope-web").as_bytes()));
    Ok(sums)
}

fn add_folder(sums: &mut BTreeMap<String, String>, folder: &str) -> Result {
    let unreadable = |error| format!("{folder} cannot be read: {error}");
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            add_folder(sums, &path)?;
        } else {
            add_file(sums, &path)?;
        }
    }
    Ok(())
}

fn add_file(sums: &mut BTreeMap<String, String>, path: &str) -> Result {
    sums.insert(path.to_owned(), sum(&read(path)?));
    Ok(())
}

fn read(path: &str) -> Result<Vec<u8>> {
    fs::read(Path::new(path)).map_err(|error| format!("{path} cannot be read: {error}"))
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut sum, byte| {
        write!(sum, "{byte:02x}").expect("a string takes text");
        sum
    })
}

/// The entries of a lock file that a package depends on, itself included: other packages come and go
/// without changing the module.
fn dependencies(lock: &str, package: &str) -> String {
    let entries: BTreeMap<&str, Vec<&str>> = lock
        .split("[[package]]")
        .filter_map(|entry| Some((quoted(entry.trim().lines().next()?)?, entry)))
        .fold(BTreeMap::new(), |mut entries, (name, entry)| {
            entries.entry(name).or_insert_with(Vec::new).push(entry);
            entries
        });
    let (mut needed, mut open) = (BTreeSet::new(), vec![package]);
    while let Some(name) = open.pop() {
        if !needed.insert(name) {
            continue;
        }
        for entry in entries.get(name).into_iter().flatten() {
            let lines = entry.lines().filter(|line| line.starts_with(" \""));
            // A version may follow the name.
            open.extend(lines.filter_map(|line| quoted(line)?.split(' ').next()));
        }
    }
    needed.into_iter().filter_map(|name| entries.get(name)).flatten().copied().collect()
}

/// What is between the first two quotes of a line.
fn quoted(line: &str) -> Option<&str> {
    line.split('"').nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1\"\ndependencies = [\n \"b 2.0.0\",\n]\n\n[[package]]\nname = \"b\"\nversion = \"2.0.0\"\n\n[[package]]\nname = \"c\"\nversion = \"1\"\n";

    #[test]
    fn only_what_a_package_depends_on_counts() {
        let of_a = dependencies(LOCK, "a");
        assert!(of_a.contains("name = \"a\"") && of_a.contains("name = \"b\""), "{of_a}");
        assert!(!of_a.contains("name = \"c\""), "{of_a}");
        assert_eq!(of_a, dependencies(&LOCK.replace("name = \"c\"", "name = \"d\""), "a"));
        assert_ne!(of_a, dependencies(&LOCK.replace("2.0.0", "2.0.1"), "a"));
    }

    #[test]
    fn new_missing_and_changed_files_differ() {
        let list = |all: &[(&str, &str)]| -> BTreeMap<String, String> {
            all.iter().map(|(name, sum)| ((*name).to_owned(), (*sum).to_owned())).collect()
        };
        let (old, new) = (
            list(&[("a", "1"), ("b", "2"), ("c", "3")]),
            list(&[("a", "1"), ("b", "4"), ("d", "3")]),
        );
        assert_eq!(differences(&old, &new), ["b", "c", "d"]);
    }
}
