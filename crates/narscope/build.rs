//! Tells the program which commit it is built from, where that is known, and lists the networks that come with it.
//!
//! A crate that cargo packaged carries the commit in a file; a clone has it in `.git`. Only release
//! builds look into `.git`: others would be built again after every commit.

use std::fmt::Write as _;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let here = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let from_git = || if is_release { of_clone(&here) } else { None };
    let commit = of_package(&here).or_else(from_git).filter(|commit| is_commit(commit));
    println!("cargo::rustc-env=NARSCOPE_COMMIT={}", commit.unwrap_or_default());
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it"));
    let list = shipped_networks(&here.join("networks"));
    std::fs::write(out.join("shipped_networks.rs"), list).expect("cargo's folder is writable");
}

/// Files of a shipped network. `config.toml` is the last: a folder with a configuration is a run.
const NETWORK_FILES: [&str; 3] = ["best.safetensors", "test.json", "config.toml"];

/// The list of the shipped networks in Rust: one for each folder, by name, so that the list does not depend on the
/// order of the file system.
fn shipped_networks(networks: &Path) -> String {
    println!("cargo::rerun-if-changed={}", networks.display());
    let entries = std::fs::read_dir(networks)
        .unwrap_or_else(|error| panic!("cannot list {}: {error}", networks.display()));
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut folders: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    folders.sort();
    let mut list = "/// All of them, by name.\n".to_owned();
    list += "pub(crate) static ALL: &[Pretrained] = &[\n";
    for folder in &folders {
        let name = folder.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or_else(|| panic!("{} is not Unicode", folder.display()));
        writeln!(list, "    Pretrained {{ name: {name:?}, files: &[").expect("strings grow");
        for file in NETWORK_FILES {
            let path = folder.join(file);
            assert!(
                path.is_file(),
                "{} is missing: `narscope export RUN --out {}` writes it",
                path.display(),
                folder.display()
            );
            let path = format!("/networks/{name}/{file}");
            let bytes = format!("include_bytes!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?}))");
            writeln!(list, "        ({file:?}, {bytes}),").expect("strings grow");
        }
        list += "    ] },\n";
    }
    list + "];\n"
}

fn is_commit(text: &str) -> bool {
    text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The commit that cargo wrote into a packaged crate.
fn of_package(here: &Path) -> Option<String> {
    let info = read_to_string(here.join(".cargo_vcs_info.json")).ok()?;
    let (_, rest) = info.split_once("\"sha1\"")?;
    rest.split('"').nth(1).map(str::to_owned)
}

/// The commit that is checked out, if this crate lies in a clone of its own repository.
fn of_clone(here: &Path) -> Option<String> {
    if !here.join("../narscope-clrs/Cargo.toml").exists() {
        return None;
    }
    let git = here.join("../../.git");
    // In a second work tree, `.git` is a file that names the folder.
    let git = match read_to_string(&git) {
        Ok(text) => here.join("../..").join(text.strip_prefix("gitdir:")?.trim()),
        Err(_) => git,
    };
    let head = read(&git.join("HEAD"))?;
    let Some(branch) = head.strip_prefix("ref:").map(str::trim) else { return Some(head) };
    let shared = read(&git.join("commondir")).map_or(git.clone(), |path| git.join(path));
    let file = shared.join(branch);
    // Also while it is missing: the next commit of a packed branch creates it.
    println!("cargo::rerun-if-changed={}", file.display());
    read(&file).or_else(|| {
        let packed = read(&shared.join("packed-refs"))?;
        let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(_, name)| *name == branch).map(|(commit, _)| commit.to_owned())
    })
}

/// The text of a file; cargo runs this script again when it changes.
fn read(path: &Path) -> Option<String> {
    let text = read_to_string(path).ok()?;
    println!("cargo::rerun-if-changed={}", path.display());
    Some(text.trim().to_owned())
}
