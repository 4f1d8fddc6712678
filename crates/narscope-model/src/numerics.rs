//! Which package versions compute the same numbers.
//!
//! Kept results and cached answers stay valid as long as networks compute the same bits. Most
//! releases do not change that, so they are compared by their numerics revision instead of their
//! package version.

use crate::config::Config;

/// Numerics revision of this build. Increase it, and change [`KEY`], when a release computes other
/// numbers: another random stream, another order of additions, another default.
pub const REVISION: u32 = 1;

/// What stands for the revision in hashes: the package version that introduced it. Hashes of
/// revision 1 therefore are those that version 0.1.0 wrote.
pub const KEY: &str = "0.1.0";

/// Release series (`major.minor`) and their numerics revision. Every release adds a row.
const SERIES: &[(&str, u32)] = &[("0.1", 1), ("0.2", 1)];

/// Returns the numerics revision of a package version, if the version is known.
///
/// ```
/// use narscope_model::numerics::{REVISION, revision_of};
///
/// assert_eq!(revision_of("0.1.0"), Some(1));
/// assert_eq!(revision_of(env!("CARGO_PKG_VERSION")), Some(REVISION));
/// assert_eq!(revision_of("7.0.0"), None);
/// ```
pub fn revision_of(version: &str) -> Option<u32> {
    let belongs = |series: &str| {
        version.strip_prefix(series).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    SERIES.iter().find(|(series, _)| belongs(series)).map(|(_, revision)| *revision)
}

/// Whether a package version computes the same numbers as this build.
pub fn is_current(version: &str) -> bool {
    revision_of(version) == Some(REVISION)
}

/// The configuration as TOML with [`KEY`] in place of the package version: the same text for all
/// versions of a revision, for hashes.
pub fn stable_toml(config: &Config) -> String {
    let text = config.to_toml();
    let settings = text.split_once('\n').map_or("", |(_version, settings)| settings);
    format!("version = \"{KEY}\"\n{settings}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_version_belongs_to_the_current_revision() {
        assert!(is_current(env!("CARGO_PKG_VERSION")), "add the new series to SERIES");
        assert!(is_current(KEY));
    }

    #[test]
    fn a_series_contains_its_patch_releases_only() {
        assert_eq!(revision_of("0.1.17"), Some(1));
        assert_eq!(revision_of("0.10.0"), None);
        assert_eq!(revision_of(""), None, "an unreadable version is not trusted");
    }

    #[test]
    fn the_stable_text_of_a_configuration_does_not_name_the_package_version() {
        let config = Config::default();
        let text = stable_toml(&config);
        let (version, settings) = text.split_once('\n').unwrap();
        assert_eq!(version, "version = \"0.1.0\"");
        let (written, same) =
            config.to_toml().split_once('\n').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        assert!(written.starts_with("version = "), "{written}");
        assert_eq!(settings, same);
    }
}
