//! Documents agree with the code and with the kept results.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

mod terminal;
use terminal::succeeds;

/// Root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What a command prints, run in the root of the repository.
fn narscope(arguments: &str) -> String {
    succeeds(&root(), arguments)
}

/// Markdown files of the repository, by path from its root.
fn documents() -> Vec<String> {
    let mut all = vec!["README.md".to_owned(), "experiments/README.md".to_owned()];
    let docs = std::fs::read_dir(root().join("docs")).unwrap();
    let names = docs.map(|file| file.unwrap().file_name().into_string().unwrap());
    all.extend(
        names
            .filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "md"))
            .map(|name| format!("docs/{name}")),
    );
    all
}

/// After keeping more runs, print the tables again with the commands in the messages.
#[test]
fn documents_show_the_tables_and_counts_of_the_kept_results() {
    for (experiment, document, format) in [
        ("ablations", "experiments/results/ablations/table.md", "markdown"),
        ("bellman_ford", "experiments/results/bellman_ford/table.md", "markdown"),
        // With the paper's scores, though it trained for longer.
        (
            "clrs30-short",
            "experiments/results/clrs30-short/table.md",
            "markdown --published always",
        ),
        ("clrs30-short", "docs/results.md", "brief"),
        ("learns", "experiments/results/learns/table.md", "markdown --published always"),
        ("quick", "experiments/results/quick/table.md", "markdown"),
    ] {
        let results = format!("experiments/results/{experiment}/results.jsonl");
        let command = format!("table {results} --format {format}");
        let (table, text) = (narscope(&command), read(document));
        assert!(text.contains(&table), "{document} lacks what `narscope {command}` prints");
    }
    for (experiment, documents) in [
        ("ablations", &["docs/results.md", "docs/sweeps.md"][..]),
        ("clrs30-short", &["README.md", "docs/results.md", "docs/sweeps.md"]),
        ("learns", &["docs/learning.md"]),
    ] {
        let runs = narscope(&format!("sweep status experiments/{experiment}.toml --json"));
        let runs: Vec<serde_json::Value> = serde_json::from_str(&runs).unwrap();
        let done = runs.iter().filter(|run| run["state"]["state"] == "done").count();
        let kept = read(&format!("experiments/results/{experiment}/results.jsonl"));
        assert_eq!(done, kept.lines().count(), "{experiment}: every kept run is one of the sweep");
        let count = match (done, runs.len()) {
            (done, all) if done == all => format!("all {all} runs"),
            (done, all) => format!("{done} of {all} runs"),
        };
        for document in documents {
            assert!(read(document).contains(&count), "{document} does not say \"{count}\"");
        }
    }
}

#[test]
fn the_page_on_the_study_shows_the_kept_claims() {
    let (page, kept) =
        (read("docs/reproduction.md"), read("experiments/results/paper-quick/comparison.md"));
    let (sentence, tables) = kept.split_once(".\n\n").unwrap();
    let claims = tables.split("\n\n").next().unwrap();
    assert!(page.contains(sentence), "docs/reproduction.md does not say {sentence:?}");
    assert!(page.contains(claims), "docs/reproduction.md lacks the table of claims");
    let json = read("experiments/results/paper-quick/comparison.json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let claims = json["claims"].as_array().unwrap();
    assert_eq!(claims.len(), kept.matches(" | **").count(), "a row for every verdict");
}

/// Dependencies of a manifest: those of the crate, or those of its tests.
fn dependencies(manifest: &str, of_tests: bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_inside = false;
    for line in read(manifest).lines() {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            is_inside = section.ends_with("dependencies")
                && section.ends_with("dev-dependencies") == of_tests;
        } else if is_inside && line.starts_with(|letter: char| letter.is_ascii_alphanumeric()) {
            let name = line.split(['.', ' ', '=']).next().unwrap();
            found.insert(name.to_owned());
        }
    }
    found.into_iter().filter(|name| !name.starts_with("narscope")).collect()
}

#[test]
fn the_document_of_dependencies_lists_every_direct_one_and_no_other() {
    let mut expected = BTreeSet::new();
    let folders = std::fs::read_dir(root().join("crates")).unwrap();
    let names = folders.map(|folder| folder.unwrap().file_name().into_string().unwrap());
    let manifests = names.map(|name| (name.clone(), format!("crates/{name}/Cargo.toml")));
    let others = ["benches", "xtask"].map(|name| (name.to_owned(), format!("{name}/Cargo.toml")));
    for (name, manifest) in manifests.chain(others) {
        let short = name.strip_prefix("narscope-").unwrap_or(&name).to_owned();
        let own = dependencies(&manifest, false);
        let of_tests = dependencies(&manifest, true);
        expected.extend(of_tests.difference(&own).map(|it| (it.clone(), short.clone(), true)));
        expected.extend(own.into_iter().map(|it| (it, short.clone(), false)));
    }
    let mut listed = BTreeSet::new();
    for line in read("docs/dependencies.md").lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, dependency, purpose, users, testers, _] = cells[..] else { panic!("{line}") };
        assert!(!purpose.is_empty(), "{line}");
        for (cell, of_tests) in [(users, false), (testers, true)] {
            for user in cell.split(", ").filter(|user| !user.is_empty()) {
                listed.insert((dependency.trim_matches('`').to_owned(), user.to_owned(), of_tests));
            }
        }
    }
    let missing: Vec<_> = expected.difference(&listed).collect();
    let stale: Vec<_> = listed.difference(&expected).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "docs/dependencies.md lacks {missing:?} and should not have {stale:?} (dependency, crate, only in tests)"
    );
}

#[test]
fn the_readme_fits_one_screen() {
    let readme = read("README.md");
    assert!(readme.lines().count() <= 60, "{} lines", readme.lines().count());
    for line in readme.lines() {
        assert!(line.chars().count() <= 120, "{} characters: {line}", line.chars().count());
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    for document in documents() {
        let folder = Path::new(&document).parent().unwrap().to_owned();
        for part in read(&document).split("](").skip(1) {
            let target = part.split(')').next().unwrap();
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            if path.contains("://") {
                continue;
            }
            let file = if path.is_empty() { PathBuf::from(&document) } else { folder.join(path) };
            assert!(
                root().join(&file).exists(),
                "{document} links to {target}, which is not there"
            );
            if !anchor.is_empty() {
                let text = read(file.to_str().unwrap());
                let headings = text.lines().filter(|line| line.starts_with('#')).map(slug);
                assert!(headings.into_iter().any(|it| it == anchor), "{document}: no #{anchor}");
            }
        }
    }
}

/// The anchor of a heading, as GitHub makes it.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|it| it.is_alphanumeric() || matches!(it, ' ' | '-' | '_'));
    kept.map(|it| if it == ' ' { '-' } else { it }).collect()
}

#[test]
fn commands_in_documents_have_the_flags_that_they_use() {
    for document in documents() {
        for line in read(&document).lines() {
            for command in line.split("narscope ").skip(1) {
                let command = command.split(['`', '#', '…', ')', ';', '|']).next().unwrap();
                let mut words = command.split_whitespace();
                let Some(name) = words.next() else { continue };
                let is_name = name.chars().all(|it| it.is_ascii_lowercase());
                let flags: Vec<&str> = words
                    .map(|word| word.trim_matches(['[', ']', ',', '.']))
                    .filter(|word| word.starts_with("--") && word.len() > 2)
                    .collect();
                if !is_name || flags.is_empty() {
                    continue;
                }
                let name = if name == "sweep" {
                    command.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
                } else {
                    name.to_owned()
                };
                // Flags of configuration keys may be written with either.
                let help = narscope(&format!("{name} --help")).replace('_', "-");
                for flag in flags {
                    let flag = flag.replace('_', "-");
                    assert!(help.contains(&flag), "{document}: narscope {name} has no {flag}");
                }
            }
        }
    }
}
