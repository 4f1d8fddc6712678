//! Looking things up by name, and answering a misspelt name with the closest one.

use crate::{Error, Result};

/// Finds the item called `name`.
pub fn find<'a, T>(
    what: &'static str,
    items: &'a [T],
    name_of: impl Fn(&T) -> &str,
    name: &str,
) -> Result<&'a T> {
    items.iter().find(|item| name_of(item) == name).ok_or_else(|| {
        let distance = |item: &&T| strsim::damerau_levenshtein(name_of(item), name);
        let closest = items.iter().min_by_key(distance).expect("a registry is not empty");
        Error::UnknownName { what, name: name.to_owned(), closest: name_of(closest).to_owned() }
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeSet;

    /// A file that nobody lists is not compiled, silently: hence this check in every registry.
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
