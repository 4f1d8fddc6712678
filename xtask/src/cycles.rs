//! Check for cyclic dependencies between the modules of a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::arguments::Arguments;

/// The crates that are checked.
const CRATES: [&str; 12] = [
    "narscope-analysis",
    "narscope-clrs",
    "narscope-files",
    "narscope-kernels",
    "narscope-model",
    "narscope-net",
    "narscope-plot",
    "narscope-report",
    "narscope-results",
    "narscope-study",
    "narscope-sweep",
    "narscope-web",
];

/// Top-level modules of a crate, each with the modules that it uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Fails if top-level modules of a crate form a cycle. Unit tests are ignored.
pub(crate) fn check(_: &Arguments) -> Result {
    for name in CRATES {
        let graph = module_graph(&Path::new("crates").join(name).join("src"))?;
        if let Some(cycle) = find_cycle(&graph) {
            return Err(format!("modules of {name} form a cycle: {}", cycle.join(" -> ")));
        }
    }
    println!("no module cycles in {}", CRATES.join(", "));
    Ok(())
}

/// Reads the module graph from the source files of a crate.
fn module_graph(folder: &Path) -> Result<Graph> {
    let mut graph = Graph::new();
    let mut files = vec![];
    list_rust_files(folder, &mut files)?;
    for file in files {
        let relative = file.strip_prefix(folder).expect("the file is in the folder");
        let first = relative.iter().next().expect("the path is not empty").to_string_lossy();
        let module = first.trim_end_matches(".rs").to_owned();
        if module == "lib" || module == "main" {
            continue;
        }
        let text = read(&file)?;
        graph.entry(module).or_default().extend(used_modules(&text));
    }
    let modules: BTreeSet<String> = graph.keys().cloned().collect();
    for (module, uses) in &mut graph {
        uses.retain(|other| other != module && modules.contains(other));
    }
    Ok(graph)
}

/// Adds the Rust files of a folder and its subfolders to `files`.
fn list_rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result {
    let fail = |error| format!("{} could not be listed: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.is_dir() {
            list_rust_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file)
        .map_err(|error| format!("{} could not be read: {error}", file.display()))
}

/// Returns the names that follow `crate::`, outside of comments and unit tests.
fn used_modules(text: &str) -> BTreeSet<String> {
    let code = text.split("\n#[cfg(test)]\n").next().expect("split yields at least one part");
    let code: String = code
        .lines()
        .map(|line| line.split("//").next().expect("split yields at least one part"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut used = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        let paths = match after.strip_prefix('{') {
            Some(group) => group
                .split('}')
                .next()
                .expect("split yields at least one part")
                .split(',')
                .collect(),
            None => vec![after],
        };
        for path in paths {
            let name: String =
                path.trim().chars().take_while(|&c| c.is_alphanumeric() || c == '_').collect();
            used.insert(name);
        }
    }
    used
}

/// Returns a cycle, if there is one. Its first module is repeated at the end.
fn find_cycle(graph: &Graph) -> Option<Vec<String>> {
    let mut done = BTreeSet::new();
    graph.keys().find_map(|module| search(graph, module, &mut vec![], &mut done))
}

/// Depth-first search from `module`; `path` holds the modules that lead to it.
fn search(
    graph: &Graph,
    module: &str,
    path: &mut Vec<String>,
    done: &mut BTreeSet<String>,
) -> Option<Vec<String>> {
    if let Some(start) = path.iter().position(|earlier| earlier == module) {
        let cycle = path[start..].iter().cloned().chain([module.to_owned()]);
        return Some(cycle.collect());
    }
    if done.contains(module) {
        return None;
    }
    path.push(module.to_owned());
    let found = graph[module].iter().find_map(|next| search(graph, next, path, done));
    path.pop();
    done.insert(module.to_owned());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &[&str])]) -> Graph {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        edges.iter().map(|(from, to)| ((*from).to_owned(), owned(to))).collect()
    }

    #[test]
    fn a_cycle_is_found_and_a_diamond_is_not_a_cycle() {
        let diamond = graph(&[("a", &["b", "c"]), ("b", &["d"]), ("c", &["d"]), ("d", &[])]);
        assert_eq!(find_cycle(&diamond), None);
        let cyclic = graph(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])]);
        assert_eq!(find_cycle(&cyclic).unwrap(), ["b", "c", "b"]);
    }

    #[test]
    fn paths_and_groups_are_parsed_and_comments_and_tests_are_ignored() {
        let text = "use crate::{Error, b::X, c};\nfn f() { crate::d::g() } // crate::e\n\
                    \n#[cfg(test)]\nmod tests { use crate::f; }";
        let names: Vec<String> = used_modules(text).into_iter().collect();
        assert_eq!(names, ["Error", "b", "c", "d"]);
    }
}
