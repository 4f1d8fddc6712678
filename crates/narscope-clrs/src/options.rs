//! What a caller may ask of a sampler. Each option left out takes the reference's default.

use serde::{Deserialize, Serialize};

use crate::family::FamilyChoice;
use crate::instance::MOST_NODES;
use crate::{Error, Result};

/// Which way edges go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Every edge goes both ways, with one weight.
    Undirected,
    /// Edges go one way.
    Directed,
    /// Edges go one way, and no path returns to where it began.
    Acyclic,
}

/// The options of all samplers, under the reference's names where it has them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Probabilities of an edge; one is chosen for each sample.
    pub p: Option<Vec<f64>>,
    /// The least value of keys, weights or coordinates.
    pub low: Option<f64>,
    /// The bound of keys, weights or coordinates.
    pub high: Option<f64>,
    /// Keep only so many decimals of every real number.
    pub truncate_decimals: Option<u32>,
    /// How many different letters strings are made of.
    pub chars: Option<usize>,
    /// The length of the second string, or the number of nodes on the right.
    pub length_2: Option<usize>,
    /// The length of the needle; if negative, drawn from 1 up to its absolute value.
    pub length_needle: Option<i64>,
    /// The latest deadline of a task.
    pub max_deadline: Option<usize>,
    /// The number of communities.
    pub k: Option<usize>,
    /// The probability of an edge between communities.
    pub eps: Option<f64>,
    /// The centre of the disc that points are drawn from.
    pub origin_x: Option<f64>,
    /// The centre of the disc that points are drawn from.
    pub origin_y: Option<f64>,
    /// The radius of the disc that points are drawn from.
    pub radius: Option<f64>,
    /// How often points are redrawn because three of them lie on a line.
    pub collinearity_attempts: Option<usize>,
    /// Twice the area below which three points are said to lie on a line.
    pub collinearity_eps: Option<f64>,

    /// Ours: which way edges go.
    pub direction: Option<Direction>,
    /// Ours: the kind of random graph, and the symmetries applied to it.
    pub family: FamilyChoice,
    /// Ours: how many nearest neighbours a node of a small world starts with.
    pub neighbours: Option<usize>,
    /// Ours: the probability that an edge of a small world is rewired.
    pub rewire: Option<f64>,
    /// Ours: how many edges a new node of a scale-free graph brings.
    pub attach: Option<usize>,
    /// Ours: how many base graphs an orbit of a symmetry starts from.
    pub classes: Option<usize>,
    /// Ours: reweighting draws potentials from (0, c) and base weights from (c, 1 - c).
    pub c: Option<f64>,
    /// Ours: rescaling multiplies weights by this, instead of by a random number.
    pub factor: Option<f64>,
}

impl Options {
    /// Whether samples are images of a few graphs.
    pub fn has_symmetry(&self) -> bool {
        !self.family.symmetries().is_empty()
    }

    /// The names of the options that are set.
    pub fn given(&self) -> Vec<&'static str> {
        let Self {
            p,
            low,
            high,
            truncate_decimals,
            chars,
            length_2,
            length_needle,
            max_deadline,
            k,
            eps,
            origin_x,
            origin_y,
            radius,
            collinearity_attempts,
            collinearity_eps,
            direction,
            family,
            neighbours,
            rewire,
            attach,
            classes,
            c,
            factor,
        } = self;
        let all = [
            ("p", p.is_some()),
            ("low", low.is_some()),
            ("high", high.is_some()),
            ("truncate_decimals", truncate_decimals.is_some()),
            ("chars", chars.is_some()),
            ("length_2", length_2.is_some()),
            ("length_needle", length_needle.is_some()),
            ("max_deadline", max_deadline.is_some()),
            ("k", k.is_some()),
            ("eps", eps.is_some()),
            ("origin_x", origin_x.is_some()),
            ("origin_y", origin_y.is_some()),
            ("radius", radius.is_some()),
            ("collinearity_attempts", collinearity_attempts.is_some()),
            ("collinearity_eps", collinearity_eps.is_some()),
            ("direction", direction.is_some()),
            ("family", *family != FamilyChoice::default()),
            ("neighbours", neighbours.is_some()),
            ("rewire", rewire.is_some()),
            ("attach", attach.is_some()),
            ("classes", classes.is_some()),
            ("c", c.is_some()),
            ("factor", factor.is_some()),
        ];
        all.into_iter().filter(|&(_, given)| given).map(|(name, _)| name).collect()
    }

    /// Refuses values that no sampler could do anything with.
    pub(crate) fn check(&self) -> Result<()> {
        /// From more than these, a draw would take more than one random word.
        const A_WORD: u64 = u32::MAX as u64;
        const NODES: u64 = MOST_NODES as u64;
        let counts = [
            ("max_deadline", self.max_deadline.map(|n| n as u64), A_WORD),
            ("length_needle", self.length_needle.map(i64::unsigned_abs), A_WORD),
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

    /// `low` and `high`, with an algorithm's own range where they are not given.
    pub(crate) fn range(&self, low: f64, high: f64) -> Result<(f64, f64)> {
        let (low, high) = (self.low.unwrap_or(low), self.high.unwrap_or(high));
        if !low.is_finite() {
            return Err(bad("low", "a finite number", low));
        }
        if !high.is_finite() || high < low {
            return Err(bad("high", format!("a finite number, at least low = {low}"), high));
        }
        Ok((low, high))
    }

    /// Keeps as many decimals of each value as [`Options::truncate_decimals`] says.
    pub(crate) fn truncate(&self, values: &mut [f64]) {
        // Parity: no decimals at all means all of them.
        if let Some(decimals @ 1..) = self.truncate_decimals {
            let unit = 10f64.powi(decimals as i32);
            for value in values {
                *value = (*value * unit).trunc() / unit;
            }
        }
    }

    /// The number of different letters.
    pub(crate) fn letters(&self) -> Result<usize> {
        match self.chars.unwrap_or(4) {
            chars @ 1..=4 => Ok(chars),
            chars => Err(bad("chars", "1 to 4, the letters that the encoding knows", chars)),
        }
    }
}

/// An option that cannot have the value it has.
pub(crate) fn bad(
    option: &'static str,
    wanted: impl Into<String>,
    got: impl std::fmt::Display,
) -> Error {
    Error::BadOption { option, wanted: wanted.into(), got: got.to_string() }
}

/// Checks that an option is a probability.
pub(crate) fn probability(option: &'static str, value: f64) -> Result<f64> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(bad(option, "a probability from 0 to 1", value))
    }
}
