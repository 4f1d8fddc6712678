//! Sampler options. An option that is not set takes the reference's default.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Error, Result};

/// The largest number of nodes: a matrix over their pairs takes most of a gigabyte.
pub const MAX_NODES: usize = 10_000;

/// The direction of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Every edge has a reverse edge of the same weight.
    Undirected,
    /// An edge need not have a reverse edge.
    Directed,
    /// Directed, without cycles.
    Acyclic,
}

/// A graph family and symmetries, joined by `+`: `grid`, `reweight`, `watts_strogatz+relabel+rescale`.
///
/// Without a family, graphs are of the algorithm's default one. With symmetries, samples are
/// transformed copies of a few base graphs.
///
/// ```
/// use narscope_clrs::family::FamilyChoice;
///
/// let choice: FamilyChoice = "grid+relabel".parse()?;
/// assert_eq!(choice.to_string(), "grid+relabel");
/// # Ok::<(), narscope_clrs::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FamilyChoice {
    /// The name of a family.
    pub(crate) graph: Option<&'static str>,
    /// The names of symmetries, in the order in which they are applied.
    pub(crate) symmetries: Vec<&'static str>,
}

/// Written as text, like `grid+relabel`.
impl Serialize for FamilyChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FamilyChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A field of [`Options`] that can be left unset.
trait Setting {
    /// Whether it has a value.
    fn is_set(&self) -> bool;
}

impl<T> Setting for Option<T> {
    fn is_set(&self) -> bool {
        self.is_some()
    }
}

impl Setting for FamilyChoice {
    fn is_set(&self) -> bool {
        *self != Self::default()
    }
}

/// Declares each option once: its field, its name, its type and its help text.
macro_rules! options {
    ($($(#[doc = $help:literal])+ $field:ident / $Name:ident: $Type:ty,)*) => {
        /// The options of all samplers, under the reference's names where it has them.
        ///
        /// ```
        /// use narscope_clrs::options::{OptionName, Options};
        ///
        /// let options = Options { p: Some(vec![0.2]), ..Options::default() };
        /// assert_eq!(options.given(), [OptionName::P]);
        /// ```
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Options {
            $($(#[doc = $help])+ pub $field: $Type,)*
        }

        /// The name of a sampler option.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum OptionName {
            $($(#[doc = $help])+ $Name,)*
        }

        impl OptionName {
            /// All options.
            pub const ALL: &'static [Self] = &[$(Self::$Name),*];

            /// The name, as files and flags have it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Name => stringify!($field),)*
                }
            }

            /// One sentence on what the option does.
            pub const fn help(self) -> &'static str {
                match self {
                    $(Self::$Name => concat!($($help),+).trim_ascii(),)*
                }
            }
        }

        impl Options {
            /// The options that are set.
            pub fn given(&self) -> Vec<OptionName> {
                let mut given = vec![];
                $(if self.$field.is_set() {
                    given.push(OptionName::$Name);
                })*
                given
            }
        }
    };
}

options! {
    /// Edge probabilities, such as 0.1,0.5; one is drawn per sample.
    p / P: Option<Vec<f64>>,
    /// Lower bound of keys, weights or coordinates.
    low / Low: Option<f64>,
    /// Upper bound of keys, weights or coordinates.
    high / High: Option<f64>,
    /// Truncate real values to this many decimals.
    truncate_decimals / TruncateDecimals: Option<u32>,
    /// Size of the alphabet of strings, 1 to 4.
    chars / Chars: Option<usize>,
    /// Length of the second string, or number of nodes on the right side of a bipartite graph.
    length_2 / Length2: Option<usize>,
    /// Length of the needle; negative: random, from 1 to the absolute value.
    length_needle / LengthNeedle: Option<i64>,
    /// Latest deadline of a task.
    max_deadline / MaxDeadline: Option<usize>,
    /// community: number of communities.
    k / K: Option<usize>,
    /// community: probability of an edge between communities.
    eps / Eps: Option<f64>,
    /// Centre of the disc that points are drawn from: x.
    origin_x / OriginX: Option<f64>,
    /// Centre of the disc that points are drawn from: y.
    origin_y / OriginY: Option<f64>,
    /// Radius of the disc that points are drawn from.
    radius / Radius: Option<f64>,
    /// How often points are redrawn if three are collinear.
    collinearity_attempts / CollinearityAttempts: Option<usize>,
    /// Three points are collinear if twice the area of their triangle is below this.
    collinearity_eps / CollinearityEps: Option<f64>,
    /// Direction of edges. Not in the reference, like all options below.
    direction / Direction: Option<Direction>,
    /// Graph family and symmetries, joined by `+`; see `narscope list families` and `narscope list symmetries`.
    family / Family: FamilyChoice,
    /// `watts_strogatz`: nearest neighbours of each node.
    neighbours / Neighbours: Option<usize>,
    /// `watts_strogatz`: probability that an edge is rewired.
    rewire / Rewire: Option<f64>,
    /// `barabasi_albert`: edges of each new node.
    attach / Attach: Option<usize>,
    /// Symmetries: number of base graphs, whose transformed copies are the samples.
    classes / Classes: Option<usize>,
    /// reweight: potentials are drawn from (0, c), base weights from (c, 1 - c).
    c / C: Option<f64>,
    /// rescale: factor of all weights [default: random, from (1/2, 1)].
    factor / Factor: Option<f64>,
}

/// Written as its name.
impl Serialize for OptionName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl std::fmt::Display for OptionName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Options {
    /// Whether samples are transformed copies of a few base graphs.
    pub fn has_symmetry(&self) -> bool {
        !self.family.symmetries.is_empty()
    }

    /// Returns an error for values that no sampler accepts.
    pub(crate) fn check(&self) -> Result<()> {
        /// Larger ranges would need more than one random word per draw.
        const WORD: u64 = u32::MAX as u64;
        const NODES: u64 = MAX_NODES as u64;
        let counts = [
            ("max_deadline", self.max_deadline.map(|n| n as u64), WORD),
            ("length_needle", self.length_needle.map(i64::unsigned_abs), WORD),
            ("length_2", self.length_2.map(|n| n as u64), NODES),
            ("classes", self.classes.map(|n| n as u64), NODES),
        ];
        for (option, count, most) in counts {
            if let Some(count) = count.filter(|&count| count > most) {
                return Err(bad(option, format!("at most {most}"), count));
            }
        }
        if let Some(decimals) = self.truncate_decimals.filter(|&decimals| decimals > 15) {
            return Err(bad(
                "truncate_decimals",
                "at most 15, which is what doubles hold",
                decimals,
            ));
        }
        match self.collinearity_eps {
            Some(eps) if eps.is_nan() || eps < 0.0 => {
                Err(bad("collinearity_eps", "0 or more", eps))
            }
            _ => Ok(()),
        }
    }

    /// `low` and `high`, with the given defaults where they are not set.
    pub fn range(&self, low: f64, high: f64) -> Result<(f64, f64)> {
        let (low, high) = (self.low.unwrap_or(low), self.high.unwrap_or(high));
        if !low.is_finite() {
            return Err(bad("low", "a finite number", low));
        }
        if !high.is_finite() || high < low {
            return Err(bad("high", format!("a finite number, at least low = {low}"), high));
        }
        Ok((low, high))
    }

    /// Truncates each value to [`Options::truncate_decimals`] decimals.
    pub fn truncate(&self, values: &mut [f64]) {
        // Parity: 0 decimals means no truncation.
        if let Some(decimals @ 1..) = self.truncate_decimals {
            let unit = 10f64.powi(decimals as i32);
            for value in values {
                *value = (*value * unit).trunc() / unit;
            }
        }
    }

    /// The size of the alphabet.
    pub(crate) fn letters(&self) -> Result<usize> {
        match self.chars.unwrap_or(4) {
            chars @ 1..=4 => Ok(chars),
            chars => Err(bad("chars", "1 to 4, the letters that the encoding knows", chars)),
        }
    }
}

/// The names of options, joined by commas.
pub fn names(options: &[OptionName]) -> String {
    let names: Vec<&str> = options.iter().map(|option| option.name()).collect();
    names.join(", ")
}

/// The error for an option with a bad value.
pub(crate) fn bad(
    option: &'static str,
    wanted: impl Into<String>,
    got: impl std::fmt::Display,
) -> Error {
    Error::BadOption { option, wanted: wanted.into(), got: got.to_string() }
}

/// Returns the value of an option if it is a probability.
pub(crate) fn probability(option: &'static str, value: f64) -> Result<f64> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(bad(option, "a probability from 0 to 1", value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_named_and_explained() {
        for option in OptionName::ALL {
            assert!(option.help().ends_with('.'), "{option}: {}", option.help());
        }
        let all = Options {
            p: Some(vec![]),
            family: "grid".parse().unwrap(),
            factor: Some(1.0),
            ..Options::default()
        };
        assert_eq!(all.given(), [OptionName::P, OptionName::Family, OptionName::Factor]);
    }
}
