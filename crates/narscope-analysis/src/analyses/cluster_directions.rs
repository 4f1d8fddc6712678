//! Leading directions of clusters of reweighted graphs, and their angle to the manifold of all states (figure 2 and
//! section 3.4 of the paper).

use narscope_model::pooling::Pooling;
use serde::{Deserialize, Serialize};

use super::dimensionality::three;
use super::{Analysis, Measure};
use crate::context::{Context, Request};
use crate::directions::Clusters;
use crate::linalg::{Pca, Points, squared_distance};
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
    /// Statistics of each step.
    pub by_step: Vec<DirectionStep>,
    /// Coordinates of states of random graphs, as a background for directions.
    pub background: Vec<[f32; 3]>,
    /// Step of each of them.
    pub background_steps: Vec<usize>,
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

    fn run(context: &Context<'_>) -> Result<Self> {
        let clusters = Clusters::of(context, Self::NAME)?;
        let request = Request {
            seed_offset: 250,
            pooling: Pooling::Max,
            ..Request::new(4 * context.sampling.scored)
        };
        let random = context.trajectories(Self::NAME, &request)?;
        let hidden = random.hidden;
        let states = |step: usize| {
            let mut points = Points::new(hidden);
            for sample in (0..random.len()).filter(|&sample| random.steps(sample) > step) {
                points.push(random.state(sample, step));
            }
            points
        };

        let mut by_step = vec![];
        for (step, (there, directions)) in clusters.steps.iter().enumerate() {
            let manifold = states(step);
            if manifold.len() <= NEIGHBOURS {
                break;
            }
            let mut in_tangent = 0.0;
            for (mean, direction) in directions.means.iter().zip(directions.leading.iter()) {
                in_tangent += cosine_with_tangent(&manifold, mean, direction)?;
            }
            let count = there.len() as f64;
            let cosine = |direction: &[f32]| {
                let dot: f32 = direction.iter().zip(&directions.overall).map(|(a, b)| a * b).sum();
                f64::from(dot.abs())
            };
            by_step.push(DirectionStep {
                clusters: there.len(),
                share: clusters.shares[step].iter().sum::<f64>() / count,
                alignment: directions.leading.iter().map(cosine).sum::<f64>() / count,
                in_tangent: in_tangent / count,
                random_in_tangent: (TANGENT as f64 / hidden as f64).sqrt(),
            });
        }
        if by_step.is_empty() {
            return Err(Error::TooFewGraphs {
                analysis: Self::NAME,
                least: NEIGHBOURS + 1,
                found: random.len(),
            });
        }
        let mut answer = Self {
            clusters: clusters.clusters,
            images: context.sampling.cluster_images,
            by_step,
            background: vec![],
            background_steps: vec![],
            drawn: vec![],
            arrows: vec![],
            crowd: vec![],
        };
        answer.draw(&clusters, &states)?;
        Ok(answer)
    }

    fn sentence(&self) -> String {
        let count = self.by_step.len().max(1) as f64;
        let mean = |of: fn(&DirectionStep) -> f64| self.by_step.iter().map(of).sum::<f64>() / count;
        format!(
            "The leading direction explains {:.1} % of a cluster's variance; its cosine with the {TANGENT}-dimensional tangent space of the \
             manifold is {:.2}, that of a random direction {:.2}.",
            100.0 * mean(|step| step.share),
            mean(|step| step.in_tangent),
            mean(|step| step.random_in_tangent),
        )
    }

    fn measures(&self) -> Vec<Measure> {
        let count = self.by_step.len().max(1) as f64;
        let mean = |of: fn(&DirectionStep) -> f64| self.by_step.iter().map(of).sum::<f64>() / count;
        vec![
            Measure::share(
                "share",
                "a cluster's variance along its direction",
                mean(|it| it.share),
            ),
            Measure::number("alignment", "cosine with the mean direction", mean(|it| it.alignment)),
            Measure::number(
                "in_tangent",
                "cosine with the manifold's tangent",
                mean(|it| it.in_tangent),
            ),
            Measure::number(
                "random_in_tangent",
                "the same of a random direction",
                mean(|it| it.random_in_tangent),
            ),
        ]
    }
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

impl ClusterDirections {
    /// Computes everything that the figure draws, in coordinates of principal components.
    fn draw(&mut self, clusters: &Clusters, states: &dyn Fn(usize) -> Points) -> Result<()> {
        let all = &clusters.trajectories;
        // States of random graphs as the background of directions.
        let by_step: Vec<Points> = (0..self.by_step.len()).map(states).collect();
        let mut everything = Points::new(all.hidden);
        for points in &by_step {
            everything.data.extend_from_slice(&points.data);
        }
        let pca = Pca::of(&everything, 3)?;
        for (step, points) in by_step.iter().enumerate() {
            for point in points.iter().take(2 * ARROWS) {
                self.background.push(three(&pca.project(point)));
                self.background_steps.push(step);
            }
        }
        for (step, (_, directions)) in clusters.steps.iter().enumerate().take(by_step.len()) {
            for (mean, direction) in
                directions.means.iter().zip(directions.leading.iter()).take(ARROWS)
            {
                let tip: Vec<f32> = mean.iter().zip(direction).map(|(m, d)| m + d).collect();
                let [from, to] = [mean, &tip].map(|point| three(&pca.project(point)));
                self.arrows.push((from, to, step));
            }
        }

        // Trajectories of a few clusters that take the same number of steps.
        let steps = (0..clusters.clusters).map(|cluster| all.steps(cluster));
        let mut counts = std::collections::BTreeMap::new();
        steps.for_each(|steps| *counts.entry(steps).or_insert(0) += 1);
        let most = counts.iter().max_by_key(|(_, count)| **count).map_or(0, |(steps, _)| *steps);
        let chosen: Vec<usize> = (0..clusters.clusters)
            .filter(|&cluster| all.steps(cluster) == most)
            .take(DRAWN)
            .collect();
        let mut whole = Points::new(most * all.hidden);
        for &cluster in &chosen {
            for sample in (cluster..all.len()).step_by(clusters.clusters) {
                whole.push(&all.states[sample]);
            }
        }
        let pca = Pca::of(&whole, 3)?;
        let images = all.len() / clusters.clusters;
        let coordinates: Vec<[f32; 3]> =
            whole.iter().map(|point| three(&pca.project(point))).collect();
        self.drawn = coordinates.chunks(images).map(<[_]>::to_vec).collect();
        self.crowd = crowd(clusters, most)?;
        Ok(())
    }
}

/// Clusters that take `steps` steps, at the last of them.
fn crowd(clusters: &Clusters, steps: usize) -> Result<Vec<Crowded>> {
    let all = &clusters.trajectories;
    let Some(last) = steps.checked_sub(1) else { return Ok(vec![]) };
    let (there, directions) = &clusters.steps[last];
    let chosen = there.iter().enumerate().filter(|(_, cluster)| all.steps(**cluster) == steps);
    let chosen: Vec<(usize, usize)> = chosen.map(|(place, &it)| (place, it)).take(CROWD).collect();
    let states = |cluster: usize| {
        (cluster..all.len()).step_by(clusters.clusters).map(|sample| all.state(sample, last))
    };
    let mut points = Points::new(all.hidden);
    chosen.iter().flat_map(|&(_, cluster)| states(cluster)).for_each(|state| points.push(state));
    let pca = Pca::of(&points, 3)?;
    let place = |state: &[f32]| three(&pca.project(state));
    let crowded = chosen.iter().map(|&(at, cluster)| {
        let (mean, direction) = (directions.means.get(at), directions.leading.get(at));
        let tip: Vec<f32> = mean.iter().zip(direction).map(|(m, d)| m + d).collect();
        Crowded { states: states(cluster).map(place).collect(), arrow: (place(mean), place(&tip)) }
    });
    Ok(crowded.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directions::to_single;

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
