//! Which package versions compute the same numbers.
//!
//! Kept results and cached answers stay valid as long as networks compute the same bits. Most
//! releases do not change that, and some change it for some networks only. So numbers are compared by
//! revision of the numerics, not by package version.

use crate::config::{Aggregation, Config};

/// A change of the numbers that networks compute: another random stream, another order of additions,
/// another default.
struct Revision {
    /// The package version that introduced it. It stands for the revision in hashes.
    since: &'static str,
    /// Which networks it changes.
    changes: fn(&Config) -> bool,
    /// What it changes about them.
    extent: Agreement,
}

/// All revisions, the newest last. A release that computes other numbers adds a row.
const REVISIONS: [Revision; 2] = [
    Revision { since: "0.1.0", changes: |_| true, extent: Agreement::None },
    // Softmax aggregation drops weights that are too small to change a sum.
    Revision { since: "0.3.0", changes: aggregates_by_softmax, extent: Agreement::UpToRounding },
];

fn aggregates_by_softmax(config: &Config) -> bool {
    config.aggregator == Aggregation::Softmax
        || config.eval_aggregator == Some(Aggregation::Softmax)
}

/// How the numbers of a package version compare with those of this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// They are other numbers, or the version is not known.
    None,
    /// They come from the same formulas, rounded differently. After thousands of updates, networks
    /// differ as those of two seeds do, but not systematically.
    UpToRounding,
    /// They are the same bits.
    Same,
}

/// Compares the numbers that a package version computes for a configuration with those of this build.
///
/// ```
/// use narscope_model::config::{Aggregation, Config};
/// use narscope_model::numerics::{Agreement, agreement};
///
/// let softmax = Config { aggregator: Aggregation::Softmax, ..Config::default() };
/// assert_eq!(agreement("0.2.0", &Config::default()), Agreement::Same);
/// assert_eq!(agreement("0.2.0", &softmax), Agreement::UpToRounding);
/// assert_eq!(agreement(env!("CARGO_PKG_VERSION"), &softmax), Agreement::Same);
/// assert_eq!(agreement("700.0.0", &softmax), Agreement::None);
/// ```
pub fn agreement(version: &str, config: &Config) -> Agreement {
    let this = parsed(env!("CARGO_PKG_VERSION")).expect("cargo checks versions");
    match parsed(version) {
        Some(version) if version <= this => REVISIONS
            .iter()
            .filter(|revision| parsed(revision.since).is_none_or(|since| since > version))
            .filter(|revision| (revision.changes)(config))
            .map(|revision| revision.extent)
            .min()
            .unwrap_or(Agreement::Same),
        _ => Agreement::None,
    }
}

/// What stands in hashes for the numbers of a configuration: the version of the newest revision that
/// changes them.
pub fn key(config: &Config) -> &'static str {
    let changes = REVISIONS.iter().rev().find(|revision| (revision.changes)(config));
    changes.expect("the first revision concerns all networks").since
}

/// The configuration as TOML with its [`key`] in place of the package version: the same text for all
/// versions that compute the same numbers, for hashes.
pub fn stable_toml(config: &Config) -> String {
    let text = config.to_toml();
    let settings = text.split_once('\n').map_or("", |(_version, settings)| settings);
    format!("version = \"{}\"\n{settings}", key(config))
}

/// The parts of a version.
fn parsed(version: &str) -> Option<[u32; 3]> {
    let parts: Vec<u32> =
        version.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    parts.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn softmax() -> Config {
        Config { aggregator: Aggregation::Softmax, ..Config::default() }
    }

    #[test]
    fn revisions_are_in_order_and_not_later_than_this_version() {
        let since = REVISIONS.map(|revision| parsed(revision.since).expect("a version"));
        assert!(since.is_sorted(), "{since:?}");
        assert!(since.last() <= parsed(env!("CARGO_PKG_VERSION")).as_ref(), "{since:?}");
    }

    #[test]
    fn only_networks_with_softmax_changed_in_0_3() {
        let evaluated = Config { eval_aggregator: Some(Aggregation::Softmax), ..Config::default() };
        for (config, expected, key_of) in [
            (Config::default(), Agreement::Same, "0.1.0"),
            (softmax(), Agreement::UpToRounding, "0.3.0"),
            (evaluated, Agreement::UpToRounding, "0.3.0"),
        ] {
            for version in ["0.1.0", "0.1.17", "0.2.0"] {
                assert_eq!(agreement(version, &config), expected, "{version}");
            }
            assert_eq!(agreement("0.3.0", &config), Agreement::Same);
            assert_eq!(key(&config), key_of);
        }
    }

    #[test]
    fn unknown_versions_are_not_trusted() {
        for version in ["", "0", "0.0.9", "0.1", "900.0.0", "0.2.0-rc1"] {
            assert_eq!(agreement(version, &Config::default()), Agreement::None, "{version:?}");
        }
    }

    #[test]
    fn the_stable_text_of_a_configuration_does_not_name_the_package_version() {
        for (config, version) in [(Config::default(), "0.1.0"), (softmax(), "0.3.0")] {
            let (stable, written) = (stable_toml(&config), config.to_toml());
            let [stable, written] = [&stable, &written].map(|text| text.split_once('\n').unwrap());
            assert_eq!(stable, (&*format!("version = \"{version}\""), written.1));
            assert!(written.0.starts_with("version = "), "{written:?}");
        }
    }
}
