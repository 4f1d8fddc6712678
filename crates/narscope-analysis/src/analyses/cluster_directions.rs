//! Leading directions of clusters of reweighted graphs, and their angle to the manifold of all states (figure 2 and
//! section 3.4 of the paper).

use narscope_model::pooling::Pooling;
use narscope_model::trajectory::Trajectories;
use serde::{Deserialize, Serialize};

use super::dimensionality::three;
use super::{Analysis, Measure};
use crate::context::{Context, Request};
use crate::directions::Clusters;
use crate::hooks::StepDirections;
use crate::linalg::{Pca, Points, squared_distance};
use crate::protocol::Protocol;
use crate::{Error, Result};

/// Number of neighbours that the tangent space of the manifold is estimated from, and its dimension.
const NEIGHBOURS: usize = 64;
const TANGENT: usize = 3;
/// Number of clusters that are drawn with all their trajectories, and with their direction only.
const DRAWN: usize = 8;
const ARROWS: usize = 200;
/// Number of clusters that are drawn at their last step, with states and direction.
const CROWD: usize = 48;

/// Leading directions of clusters of reweighted graphs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterDirections {
    /// Number of clusters.
    pub clusters: usize,
    /// Number of images in each.
    pub images: usize,
    /// Coordinates of states of random graphs, as a background for directions.
    pub background: Vec<[f32; 3]>,
    /// Step of each of them.
    pub background_steps: Vec<usize>,
    /// Directions of the clusters of each protocol, at least one.
    pub found: Vec<Found>,
}

/// Directions of the clusters of one protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// How clusters are drawn.
    pub protocol: Protocol,
    /// Statistics of each step.
    pub by_step: Vec<DirectionStep>,
    /// Per drawn cluster, the coordinates of its trajectories.
    pub drawn: Vec<Vec<[f32; 3]>>,
    /// Per cluster and step: centroid, centroid plus direction, step.
    pub arrows: Vec<([f32; 3], [f32; 3], usize)>,
    /// Clusters at their last step.
    pub crowd: Vec<Crowded>,
}

/// A cluster at its last step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crowded {
    /// Coordinates of its states.
    pub states: Vec<[f32; 3]>,
    /// Centroid, and centroid plus direction.
    pub arrow: ([f32; 3], [f32; 3]),
}

/// Statistics of the directions after one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DirectionStep {
    /// Number of clusters that take this step.
    pub clusters: usize,
    /// Mean explained variance ratio of a cluster's leading direction.
    pub share: f64,
    /// Mean absolute cosine between a direction and the mean direction.
    pub alignment: f64,
    /// Mean cosine between a direction and the tangent space of the manifold: 1 if inside it.
    pub in_tangent: f64,
    /// Expected value of that cosine for a random direction.
    pub random_in_tangent: f64,
}

impl Analysis for ClusterDirections {
    const NAME: &'static str = "cluster_directions";
    const QUESTION: &'static str = "Do clusters of reweighted graphs have a leading direction, and does it leave the manifold of states?";
    const PAPER: &'static str = "Figure 2, section 3.4";

    const REVISION: u32 = 6;
    const PROTOCOLS: Option<&'static str> = Some(
        "Both find the first principal component of each cluster of reweighted graphs after every step. As stated, base graphs have \
         p = 0.5 and c = 1/4, where clusters of directed graphs overlap. As coded, each base graph draws its p from {0.05, 0.10, …, 0.90}, \
         and c = 1/16, where clusters are far apart.",
    );

    fn run(context: &Context<'_>) -> Result<Self> {
        let protocols = context.sampling.protocols();
        let clusters = protocols.map(|it| Clusters::of(context, Self::NAME, it));
        let clusters: Vec<Clusters> = clusters.collect::<Result<_>>()?;
        let request = Request {
            seed_offset: 250,
            pooling: Pooling::Max,
            ..Request::new(4 * context.sampling.scored)
        };
        let random = context.trajectories(Self::NAME, &request)?;
        let manifold = manifold(&random);
        if manifold.is_empty() {
            return Err(Error::TooFewGraphs {
                analysis: Self::NAME,
                least: NEIGHBOURS + 1,
                found: random.len(),
            });
        }
        let mut everything = Points::new(random.hidden);
        for points in &manifold {
            everything.data.extend_from_slice(&points.data);
        }
        let pca = Pca::of(&everything, 3)?;
        let found = clusters.iter().map(|clusters| Found::of(clusters, &manifold, &pca));
        let (background, background_steps) = background(&manifold, &pca);
        Ok(Self {
            clusters: context.sampling.clusters,
            images: context.sampling.cluster_images,
            background,
            background_steps,
            found: found.collect::<Result<_>>()?,
        })
    }

    fn sentence(&self) -> String {
        let sentences = self.found.iter().map(|found| {
            format!(
                "{}, the leading direction explains {:.1} % of a cluster's variance; its cosine with the {TANGENT}-dimensional tangent \
                 space of the manifold is {:.2}, that of a random direction {:.2}.",
                found.protocol.title(),
                100.0 * found.mean(|step| step.share),
                found.mean(|step| step.in_tangent),
                found.mean(|step| step.random_in_tangent),
            )
        });
        sentences.collect::<Vec<_>>().join(" ")
    }

    fn measures(&self) -> Vec<Measure> {
        self.found.iter().flat_map(Found::measures).collect()
    }
}

impl ClusterDirections {
    /// Directions of the clusters of a protocol.
    pub fn of(&self, protocol: Protocol) -> Option<&Found> {
        self.found.iter().find(|found| found.protocol == protocol)
    }
}

impl Found {
    /// Directions of clusters, compared with the states of random graphs at each step.
    fn of(clusters: &Clusters, manifold: &[Points], pca: &Pca) -> Result<Self> {
        let steps = clusters.directions.steps().iter().zip(&clusters.shares).zip(manifold);
        let by_step =
            steps.map(|((step, shares), manifold)| DirectionStep::of(step, shares, manifold));
        let (drawn, crowd) = drawn(clusters)?;
        Ok(Self {
            protocol: clusters.directions.protocol(),
            by_step: by_step.collect::<Result<_>>()?,
            drawn,
            arrows: arrows(clusters.directions.steps().iter().take(manifold.len()), pca),
            crowd,
        })
    }

    /// The mean over steps.
    fn mean(&self, of: fn(&DirectionStep) -> f64) -> f64 {
        self.by_step.iter().map(of).sum::<f64>() / self.by_step.len().max(1) as f64
    }

    fn measures(&self) -> Vec<Measure> {
        // The measures as stated have had these keys since before there were two protocols.
        let (end, words) = match self.protocol {
            Protocol::AsStated => ("", String::new()),
            Protocol::AsCoded => (self.protocol.suffix(), format!(", {}", self.protocol.words())),
        };
        let number = |key: &str, label: &str, of: fn(&DirectionStep) -> f64| {
            Measure::number(format!("{key}{end}"), format!("{label}{words}"), self.mean(of))
        };
        let share = number("share", "a cluster's variance along its direction", |it| it.share);
        vec![
            Measure { is_share: true, ..share },
            number("alignment", "cosine with the mean direction", |it| it.alignment),
            number("in_tangent", "cosine with the manifold's tangent", |it| it.in_tangent),
            number("random_in_tangent", "the same of a random direction", |it| {
                it.random_in_tangent
            }),
        ]
    }
}

impl DirectionStep {
    fn of(step: &StepDirections, shares: &[f64], manifold: &Points) -> Result<Self> {
        let count = shares.len() as f64;
        let mean_direction = step.overall.get(0);
        let cosine = |direction: &[f32]| {
            let dot: f32 = direction.iter().zip(mean_direction).map(|(a, b)| a * b).sum();
            f64::from(dot.abs())
        };
        let mut in_tangent = 0.0;
        for (mean, direction) in step.means.iter().zip(step.leading()) {
            in_tangent += cosine_with_tangent(manifold, mean, direction)?;
        }
        Ok(Self {
            clusters: shares.len(),
            share: shares.iter().sum::<f64>() / count,
            alignment: step.leading().map(cosine).sum::<f64>() / count,
            in_tangent: in_tangent / count,
            random_in_tangent: (TANGENT as f64 / manifold.dimensions as f64).sqrt(),
        })
    }
}

/// States of random graphs at each step, as long as there are enough for tangent spaces.
fn manifold(random: &Trajectories) -> Vec<Points> {
    let states = |step: usize| {
        let mut points = Points::new(random.hidden);
        for sample in (0..random.len()).filter(|&sample| random.steps(sample) > step) {
            points.push(random.state(sample, step));
        }
        points
    };
    let longest = (0..random.len()).map(|sample| random.steps(sample)).max().unwrap_or(0);
    (0..longest).map(states).take_while(|points| points.len() > NEIGHBOURS).collect()
}

/// Some states of random graphs and their steps.
fn background(manifold: &[Points], pca: &Pca) -> (Vec<[f32; 3]>, Vec<usize>) {
    let states = manifold.iter().enumerate().flat_map(|(step, points)| {
        points.iter().take(2 * ARROWS).map(move |point| (three(&pca.project(point)), step))
    });
    states.unzip()
}

/// Directions of some clusters at each step.
fn arrows<'a>(
    steps: impl Iterator<Item = &'a StepDirections>,
    pca: &Pca,
) -> Vec<([f32; 3], [f32; 3], usize)> {
    let arrows = steps.enumerate().flat_map(|(step, directions)| {
        let ends = directions.means.iter().zip(directions.leading()).take(ARROWS);
        ends.map(move |(mean, direction)| {
            let (from, to) = arrow(mean, direction, pca);
            (from, to, step)
        })
    });
    arrows.collect()
}

/// The ends of a direction that starts at a centroid.
fn arrow(mean: &[f32], direction: &[f32], pca: &Pca) -> ([f32; 3], [f32; 3]) {
    let tip: Vec<f32> = mean.iter().zip(direction).map(|(m, d)| m + d).collect();
    (three(&pca.project(mean)), three(&pca.project(&tip)))
}

/// Cosine between a direction and the tangent space of the manifold at `place`: the norm of its projection.
fn cosine_with_tangent(manifold: &Points, place: &[f32], direction: &[f32]) -> Result<f64> {
    let mut nearest: Vec<(f64, usize)> =
        manifold.iter().map(|point| squared_distance(point, place)).zip(0..).collect();
    nearest.select_nth_unstable_by(NEIGHBOURS, |a, b| a.0.total_cmp(&b.0));
    let neighbours = manifold.select(nearest[..NEIGHBOURS].iter().map(|(_, point)| *point));
    let tangent = Pca::of(&neighbours, TANGENT)?;
    let along = |component: &Vec<f64>| -> f64 {
        component.iter().zip(direction).map(|(c, &x)| c * f64::from(x)).sum()
    };
    let squares: f64 = tangent.components.iter().map(|component| along(component).powi(2)).sum();
    Ok(squares.sqrt())
}

/// Coordinates of the trajectories of a cluster.
type Drawn = Vec<[f32; 3]>;

/// Trajectories of a few clusters that take the same number of steps, the most frequent one, and more of these clusters
/// at their last step.
fn drawn(clusters: &Clusters) -> Result<(Vec<Drawn>, Vec<Crowded>)> {
    let all = &clusters.trajectories;
    let mut counts = std::collections::BTreeMap::new();
    for cluster in 0..clusters.clusters {
        *counts.entry(all.steps(cluster)).or_insert(0) += 1;
    }
    let most = counts.iter().max_by_key(|(_, count)| **count).map_or(0, |(steps, _)| *steps);
    let chosen = (0..clusters.clusters).filter(|&cluster| all.steps(cluster) == most).take(DRAWN);
    let mut whole = Points::new(most * all.hidden);
    for cluster in chosen {
        for sample in (cluster..all.len()).step_by(clusters.clusters) {
            whole.push(&all.states[sample]);
        }
    }
    let pca = Pca::of(&whole, 3)?;
    let coordinates: Vec<[f32; 3]> = whole.iter().map(|it| three(&pca.project(it))).collect();
    let images = all.len() / clusters.clusters;
    Ok((coordinates.chunks(images).map(<[_]>::to_vec).collect(), crowd(clusters, most)?))
}

/// Clusters that take `steps` steps, at the last of them.
fn crowd(clusters: &Clusters, steps: usize) -> Result<Vec<Crowded>> {
    let all = &clusters.trajectories;
    let Some(last) = steps.checked_sub(1) else { return Ok(vec![]) };
    let directions = &clusters.directions.steps()[last];
    let there = directions.clusters.iter().enumerate();
    let chosen = there.filter(|(_, cluster)| all.steps(**cluster) == steps);
    let chosen: Vec<(usize, usize)> = chosen.map(|(place, &it)| (place, it)).take(CROWD).collect();
    let states = |cluster: usize| {
        (cluster..all.len()).step_by(clusters.clusters).map(|sample| all.state(sample, last))
    };
    let mut points = Points::new(all.hidden);
    chosen.iter().flat_map(|&(_, cluster)| states(cluster)).for_each(|state| points.push(state));
    let pca = Pca::of(&points, 3)?;
    let crowded = chosen.iter().map(|&(at, cluster)| {
        let (mean, direction) = (directions.means.get(at), directions.components[at].get(0));
        let states = states(cluster).map(|state| three(&pca.project(state))).collect();
        Crowded { states, arrow: arrow(mean, direction, &pca) }
    });
    Ok(crowded.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::directions::to_single;

    #[test]
    fn a_direction_within_a_sheet_is_in_its_tangent_and_one_across_is_not() {
        let mut sheet = Points::new(6);
        for i in 0..100 {
            let (x, y, z) = ((i % 10) as f32, (i / 10) as f32, (i % 7) as f32);
            sheet.push(&to_single(&[f64::from(x), f64::from(y), f64::from(z), 0.0, 0.0, 0.0]));
        }
        let place = [5.0, 5.0, 3.0, 0.0, 0.0, 0.0];
        let along = cosine_with_tangent(&sheet, &place, &[0.6, 0.8, 0.0, 0.0, 0.0, 0.0]).unwrap();
        let across = cosine_with_tangent(&sheet, &place, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]).unwrap();
        assert!((along - 1.0).abs() < 1e-6, "{along}");
        assert!(across < 1e-6, "{across}");
    }
}
