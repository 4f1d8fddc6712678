//! Configurations, sweeps and data that come with the program, so that examples work without the repository.

use std::path::Path;

/// What a bundled file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Configuration of a run, for `narscope train`.
    Configuration,
    /// Many runs, for `narscope sweep`.
    Sweep,
    /// An instance, for `--input`.
    Instance,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Configuration => "configuration",
            Self::Sweep => "sweep",
            Self::Instance => "instance",
        })
    }
}

/// A file that comes with the program.
pub(crate) struct BundledFile {
    /// Name of the file.
    pub(crate) name: &'static str,
    /// What it is for.
    pub(crate) kind: Kind,
    /// What it holds, in a few words.
    pub(crate) summary: &'static str,
    /// Its content.
    pub(crate) text: &'static str,
}

macro_rules! bundled {
    ($($path:literal: $kind:ident, $summary:literal;)+) => {
        &[$(BundledFile {
            name: file_name($path),
            kind: Kind::$kind,
            summary: $summary,
            text: include_str!(concat!("../../../", $path)),
        }),+]
    };
}

/// All of them.
pub(crate) static ALL: &[BundledFile] = bundled! {
    "experiments/quick.toml": Configuration, "BFS with a small network, trained in seconds";
    "experiments/bellman_ford.toml": Configuration, "Bellman-Ford with mpnn, trained in a minute";
    "experiments/ablations.toml": Sweep, "the paper's variants of Bellman-Ford";
    "experiments/clrs30-short.toml": Sweep, "fourteen algorithms of CLRS-30, four variants";
    "experiments/clrs30.toml": Sweep, "all of CLRS-30 as the paper trains it";
    "examples/cities.csv": Instance, "a road map of twelve cities, in kilometres";
};

/// The part of a path after the last slash.
const fn file_name(path: &'static str) -> &'static str {
    let mut start = path.len();
    while start > 0 && path.as_bytes()[start - 1] != b'/' {
        start -= 1;
    }
    path.split_at(start).1
}

/// The configuration that `path` names: `quick` is `quick.toml`, unless there is a file of that name.
pub(crate) fn configuration(path: &Path) -> Option<&'static BundledFile> {
    if path.exists() {
        return None;
    }
    let named = path.to_str()?;
    ALL.iter().find(|file| {
        file.kind == Kind::Configuration && file.name.strip_suffix(".toml") == Some(named)
    })
}

#[cfg(test)]
mod tests {
    use narscope::model::config::Draft;

    use super::*;

    #[test]
    fn a_bundled_configuration_is_found_by_its_name_without_extension() {
        let quick = configuration(Path::new("quick")).expect("quick.toml comes with the program");
        assert_eq!(quick.name, "quick.toml");
        assert_eq!(Draft::parse(quick.text).unwrap().finish().unwrap().hidden_size, 32);
        for other in ["quick.toml", "experiments/quick.toml", "ablations", "", "src"] {
            assert!(configuration(Path::new(other)).is_none(), "{other}");
        }
    }
}
