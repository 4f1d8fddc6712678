//! How many samples analyses draw, and of what kind.

use narscope_clrs::options::Direction;
use serde::{Deserialize, Serialize};

use crate::protocol::Protocol;
use crate::{Error, Result};

/// How many samples analyses draw, and of what kind.
// Cached answers depend on this as JSON: names and order of fields are part of their key.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
    /// How experiments are repeated whose code differs from the text of the paper; both ways if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Protocol>,
    /// The paper's `c` of clusters: potentials are from (0, c), base weights from (c, 1 - c). That of the protocol if
    /// `None`. [Symmetries](crate::analyses::symmetries) add an orbit with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<f64>,
    /// Probability of an edge in base graphs of clusters. That of the protocol if `None`.
    /// [Symmetries](crate::analyses::symmetries) add an orbit with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Number of principal components that are the directions of a cluster; [`Self::COMPONENTS`] if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub components: Option<usize>,
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
        protocol: None,
        c: None,
        p: None,
        components: None,
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

    /// Number of components of a cluster unless another one is requested, as in the authors' code.
    pub const COMPONENTS: usize = 2;

    /// Number of principal components that are the directions of a cluster.
    pub fn components(&self) -> usize {
        self.components.unwrap_or(Self::COMPONENTS)
    }

    /// Whether experiments are repeated in this way.
    pub fn includes(&self, protocol: Protocol) -> bool {
        self.protocol.is_none_or(|only| only == protocol)
    }

    /// The ways in which experiments are repeated.
    pub fn protocols(&self) -> impl Iterator<Item = Protocol> + use<> {
        let only = self.protocol;
        Protocol::ALL.into_iter().filter(move |protocol| only.is_none_or(|only| only == *protocol))
    }

    /// Estimates how many samples all analyses together run the network on. Extended rollouts count twice.
    pub fn samples(&self) -> usize {
        let protocols = self.protocols().count();
        let clusters = protocols * self.clusters * self.cluster_images;
        2 * self.graphs + 44 * self.images + clusters + 50 * self.scored
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
            protocol: overrides.protocol.or(self.protocol),
            c: overrides.c.or(self.c),
            p: overrides.p.or(self.p),
            components: overrides.components.or(self.components),
        }
    }

    /// Checks that every number is in its range.
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
        for (key, found, most) in [("c", self.c, 0.5), ("p", self.p, 1.0)] {
            if let Some(found) = found.filter(|found| !(*found > 0.0 && *found <= most)) {
                return Err(Error::SamplingShare { key, most, found });
            }
        }
        if let Some(components) = self.components {
            let most = self.cluster_images - 1;
            if !(1..=most).contains(&components) {
                let images = self.cluster_images;
                return Err(Error::SamplingComponents {
                    least: 1,
                    most,
                    images,
                    found: components,
                });
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
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
    pub protocol: Option<Protocol>,
    pub c: Option<f64>,
    pub p: Option<f64>,
    pub components: Option<usize>,
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
    fn shares_and_components_out_of_range_are_refused_by_name() {
        let error =
            |sampling: Sampling| sampling.check().expect_err("it is out of range").to_string();
        for c in [0.0, 0.6, f64::NAN] {
            let found = error(Sampling { c: Some(c), ..Sampling::QUICK });
            assert_eq!(found, format!("c should be above 0 and at most 0.5, found {c}"));
        }
        let found = error(Sampling { p: Some(1.5), ..Sampling::QUICK });
        assert_eq!(found, "p should be above 0 and at most 1, found 1.5");
        let few = Sampling { cluster_images: 4, components: Some(4), ..Sampling::QUICK };
        assert_eq!(
            error(few),
            "components should be from 1 to 3 with 4 images in each cluster, found 4"
        );
        let bounds = Sampling { c: Some(0.5), p: Some(1.0), components: Some(3), ..few };
        assert_eq!(bounds.check().unwrap(), bounds);
    }

    #[test]
    fn both_protocols_are_followed_unless_one_is_chosen() {
        assert_eq!(Sampling::QUICK.protocols().collect::<Vec<_>>(), Protocol::ALL);
        let one = Sampling { protocol: Some(Protocol::AsCoded), ..Sampling::QUICK };
        assert_eq!(one.protocols().collect::<Vec<_>>(), [Protocol::AsCoded]);
        assert!(one.includes(Protocol::AsCoded) && !one.includes(Protocol::AsStated));
    }

    #[test]
    fn overrides_replace_what_they_name_and_nothing_else() {
        let overrides = Overrides { graphs: Some(7), steps: Some(3), ..Overrides::default() };
        let expected = Sampling { graphs: 7, steps: Some(3), ..Sampling::FULL };
        assert_eq!(Sampling::FULL.with(&overrides), expected);
        assert_eq!(Sampling::FULL.with(&Overrides::default()), Sampling::FULL);
    }
}
