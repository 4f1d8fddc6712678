//! How many samples analyses draw, and of what kind.

use narscope_clrs::options::Direction;
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// How many samples analyses draw, and of what kind.
// Cached answers depend on this as JSON: names and order of fields are part of their key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sampling {
    /// Number of random graphs whose trajectories are analysed.
    pub graphs: usize,
    /// Number of nodes of each graph.
    pub length: usize,
    /// Direction of edges, if not that of the benchmark.
    pub direction: Option<Direction>,
    /// Analyses of whole trajectories use graphs that take this number of steps; the most frequent number if
    /// `None`.
    pub steps: Option<usize>,
    /// Seed of all samples.
    pub seed: u32,
    /// Number of images of each base graph under a symmetry.
    pub images: usize,
    /// Number of clusters of reweighted graphs, whose leading directions perturbations use.
    pub clusters: usize,
    /// Number of images in each cluster.
    pub cluster_images: usize,
    /// Number of graphs that scores are measured on, in each setting.
    pub scored: usize,
}

impl Sampling {
    /// As many samples as in the paper.
    pub const FULL: Self = Self {
        graphs: 16_384,
        length: 64,
        direction: None,
        steps: None,
        seed: 1,
        images: 512,
        clusters: 400,
        cluster_images: 64,
        scored: 1024,
    };
    /// Enough samples for every analysis, in minutes.
    pub const QUICK: Self = Self {
        graphs: 640,
        images: 48,
        clusters: 64,
        cluster_images: 16,
        scored: 48,
        ..Self::FULL
    };
    /// Largest number of samples of any kind.
    pub const MOST: usize = 1 << 24;

    /// Estimates how many samples all analyses together run the network on. Extended rollouts count twice.
    pub fn samples(&self) -> usize {
        2 * self.graphs + 28 * self.images + self.clusters * self.cluster_images + 41 * self.scored
    }

    /// Returns a copy in which every value of `overrides` replaces that of `self`.
    #[must_use]
    pub fn with(self, overrides: &Overrides) -> Self {
        Self {
            graphs: overrides.graphs.unwrap_or(self.graphs),
            length: overrides.length.unwrap_or(self.length),
            direction: overrides.direction.or(self.direction),
            steps: overrides.steps.or(self.steps),
            seed: overrides.seed.unwrap_or(self.seed),
            images: overrides.images.unwrap_or(self.images),
            clusters: overrides.clusters.unwrap_or(self.clusters),
            cluster_images: overrides.cluster_images.unwrap_or(self.cluster_images),
            scored: overrides.scored.unwrap_or(self.scored),
        }
    }

    /// Checks that every number of samples is in its range.
    pub fn check(self) -> Result<Self> {
        let ranges = [
            ("graphs", self.graphs, 2),
            ("images", self.images, 2),
            ("clusters", self.clusters, 1),
            ("cluster_images", self.cluster_images, 2),
            ("scored", self.scored, 1),
        ];
        for (key, found, least) in ranges {
            if !(least..=Self::MOST).contains(&found) {
                return Err(Error::Sampling { key, least, most: Self::MOST, found });
            }
        }
        Ok(self)
    }
}

impl Default for Sampling {
    fn default() -> Self {
        Self::QUICK
    }
}

/// Values that replace some of a [`Sampling`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Sampling")]
pub struct Overrides {
    pub graphs: Option<usize>,
    pub length: Option<usize>,
    pub direction: Option<Direction>,
    pub steps: Option<usize>,
    pub seed: Option<u32>,
    pub images: Option<usize>,
    pub clusters: Option<usize>,
    pub cluster_images: Option<usize>,
    pub scored: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused_by_name() {
        let few = Sampling { cluster_images: 1, ..Sampling::QUICK }.check().unwrap_err();
        assert_eq!(few.to_string(), "cluster_images should be at least 2, found 1");
        let many = Sampling { graphs: Sampling::MOST + 1, ..Sampling::QUICK }.check().unwrap_err();
        assert_eq!(many.to_string(), "graphs should be at most 16777216, found 16777217");
        assert_eq!(Sampling::FULL.check().unwrap(), Sampling::FULL);
    }

    #[test]
    fn overrides_replace_what_they_name_and_nothing_else() {
        let overrides = Overrides { graphs: Some(7), steps: Some(3), ..Overrides::default() };
        let expected = Sampling { graphs: 7, steps: Some(3), ..Sampling::FULL };
        assert_eq!(Sampling::FULL.with(&overrides), expected);
        assert_eq!(Sampling::FULL.with(&Overrides::default()), Sampling::FULL);
    }
}
