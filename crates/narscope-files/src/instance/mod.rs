//! Reading the user's own problem instances: one file per format.
//!
//! These modules parse files; the algorithm decides whether the data are a valid instance.

mod array;
mod delimited;
mod graphml;
mod listed;
mod node_link;
mod text;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use narscope_clrs::instance::user::{Data, Origin, UserInstance};

use crate::error::{Misread, misread};
use crate::{Error, Result};

/// A parsed instance, and its name if the file holds several.
type Named = (Option<String>, Data);

/// A file format.
struct Format {
    /// The ending of file names.
    ending: &'static str,
    parse: fn(&[u8]) -> Result<Vec<Named>, Misread>,
    /// Larger files are refused: parsing takes a multiple of a file's size.
    most_bytes: u64,
}

const MB: u64 = 1 << 20;

const FORMATS: &[Format] = &[
    Format { ending: "csv", parse: |bytes| delimited::parse(bytes, b','), most_bytes: 512 * MB },
    Format { ending: "tsv", parse: |bytes| delimited::parse(bytes, b'\t'), most_bytes: 512 * MB },
    Format { ending: "npy", parse: array::parse, most_bytes: 1024 * MB },
    Format { ending: "graphml", parse: graphml::parse, most_bytes: 128 * MB },
    Format { ending: "json", parse: node_link::parse, most_bytes: 128 * MB },
    Format { ending: "txt", parse: text::parse, most_bytes: 16 * MB },
];

/// The endings of [`FORMATS`], for errors.
const ENDINGS: &str = ".csv, .tsv, .npy, .graphml, .json or .txt";

/// Reads the instances of a file, or of all files in a folder whose names have a known ending, sorted
/// by name.
pub fn read(path: &Path) -> Result<Vec<UserInstance>> {
    if path.is_dir() {
        return read_folder(path);
    }
    if path.extension().is_none() {
        // Meant as a folder: an ending would not help if there is none.
        std::fs::metadata(path).map_err(Error::io("read", path))?;
    }
    let format = format_of(path)
        .ok_or_else(|| Error::UnknownExtension { expected: ENDINGS, path: path.to_owned() })?;
    let mut file = File::open(path).map_err(Error::io("read", path))?;
    let mut bytes = Vec::new();
    let limited = file.by_ref().take(format.most_bytes + 1).read_to_end(&mut bytes);
    limited.map_err(Error::io("read", path))?;
    let parsed = if bytes.len() as u64 > format.most_bytes {
        Err(misread(format!("at most {} MB", format.most_bytes / MB), "more"))
    } else {
        (format.parse)(&bytes)
    };
    let instances = parsed.and_then(|all| {
        all.iter().try_for_each(check_names)?;
        Ok(all.into_iter().map(|(graph, data)| {
            let origin = Origin { file: path.display().to_string(), graph };
            UserInstance { origin, ..UserInstance::new(data) }
        }))
    });
    Ok(instances.map_err(|misread| misread.in_file(path))?.collect())
}

fn format_of(path: &Path) -> Option<&'static Format> {
    let ending = path.extension()?.to_str()?;
    FORMATS.iter().find(|format| format.ending == ending)
}

fn read_folder(folder: &Path) -> Result<Vec<UserInstance>> {
    let entries = std::fs::read_dir(folder).map_err(Error::io("read", folder))?;
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(Error::io("read", folder))?;
    let is_hidden =
        |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes()[0] == b'.');
    files.retain(|path| format_of(path).is_some() && path.is_file() && !is_hidden(path));
    files.sort();
    if files.is_empty() {
        let expected = format!("a folder of files whose names end in {ENDINGS}");
        return Err(misread(expected, "none").in_file(folder));
    }
    let mut all = vec![];
    for file in files {
        all.extend(read(&file)?);
    }
    Ok(all)
}

/// Refuses names that would garble a terminal or a figure.
fn check_names((graph, data): &Named) -> Result<(), Misread> {
    let check = |name: &str| match name.chars().find(|letter| letter.is_control()) {
        Some(letter) => {
            Err(misread("names without control characters", format!("{letter:?} in {name:?}")))
        }
        None => Ok(()),
    };
    graph.as_deref().map_or(Ok(()), check)?;
    match data {
        Data::Edges(list) => list.labels().iter().try_for_each(|label| check(label)),
        Data::Table(table) => table.iter().try_for_each(|(name, _)| check(name)),
        Data::Matrix { .. } | Data::Text(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::*;

    #[test]
    fn the_formats_are_those_that_errors_name() {
        let endings: Vec<String> =
            FORMATS.iter().map(|format| format!(".{}", format.ending)).collect();
        assert_eq!(endings.join(", "), ENDINGS.replace(" or", ","));
    }

    #[test]
    fn the_files_of_a_folder_are_read_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("expected a folder of files whose names end in"), "{error}");
        write("b.csv", "u,v\nx,y\n");
        write("a.txt", "AB\nB\n");
        write("notes.md", "not an instance");
        write(".hidden.csv", "not an instance");
        let names: Vec<String> =
            read(folder.path()).unwrap().iter().map(|one| one.origin.name()).collect();
        assert_eq!(names, ["a.txt", "b.csv"]);
        write("c.csv", "1,2\n3\n");
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("c.csv"), "{error}");
    }

    #[test]
    fn a_folder_that_does_not_exist_is_said_to_be_missing() {
        let folder = tempfile::tempdir().unwrap();
        let error = read(&folder.path().join("maps")).unwrap_err();
        assert!(matches!(error, Error::Io { verb: "read", .. }), "{error}");
    }

    #[test]
    fn names_with_control_characters_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.csv");
        std::fs::write(&file, "u,v\na,\u{1b}[31mred\n").unwrap();
        let error = read(&file).unwrap_err().to_string();
        assert!(error.contains("names without control characters"), "{error}");
    }

    proptest! {
        #[test]
        fn no_parser_panics_on_any_bytes(
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
            text in "[-0-9a-zA-Z,.\n\"# \t\\[\\]{}:<>/=]{0,80}",
        ) {
            for input in [bytes.as_slice(), text.as_bytes()] {
                for format in FORMATS {
                    let _ = (format.parse)(input);
                }
            }
        }
    }
}
