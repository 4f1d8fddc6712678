//! Lookup by name. An unknown name is an error that suggests the closest known one.

use crate::{Error, Result};

/// Finds the item called `name`.
pub fn find<'a, T: 'a>(
    what: &'static str,
    items: impl IntoIterator<Item = &'a T, IntoIter: Clone>,
    name_of: impl Fn(&'a T) -> &'a str,
    name: &str,
) -> Result<&'a T> {
    let mut items = items.into_iter();
    let all = items.clone();
    items.find(|&item| name_of(item) == name).ok_or_else(|| {
        let closest = closest(name, all.map(name_of)).expect("a registry is not empty");
        Error::UnknownName { what, name: name.to_owned(), closest: closest.to_owned() }
    })
}

/// The known name with the smallest Damerau–Levenshtein distance to `name`; the first one wins ties.
///
/// ```
/// use narscope_clrs::registry::closest;
///
/// assert_eq!(closest("djikstra", ["bfs", "dijkstra", "dfs"]), Some("dijkstra"));
/// ```
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known.into_iter().min_by_key(|known| strsim::damerau_levenshtein(known, name))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeSet;

    /// Every registry checks this: a file without a row would not be compiled.
    pub(crate) fn assert_files_are_registered(folder: &str, names: &[&str]) {
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e == "rs") && !path.ends_with("mod.rs"))
            .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        let registered: BTreeSet<String> = names.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(files, registered, "files of {folder}, and what is registered");
    }
}
