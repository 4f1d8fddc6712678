//! Dimensionality of trajectories by principal component analysis (section 3.2 and appendix C.2 of the paper).

use narscope_model::pooling::Pooling;
use narscope_model::trajectory::Trajectories;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure, to_draw};
use crate::context::Context;
use crate::linalg::{Pca, Points};
use crate::protocol::Protocol;
use crate::rollouts::Rollouts;
use crate::{Error, Result};

/// Number of components of each view.
const COMPONENTS: usize = 16;
/// Number of trajectories that are drawn.
const DRAWN: usize = 400;

/// Dimensionality of trajectories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dimensionality {
    /// Number of graphs.
    pub graphs: usize,
    /// Number of graphs that take 0, 1, 2, … steps.
    pub graphs_by_steps: Vec<usize>,
    /// Number of steps of the analysed trajectories: as requested, or the most frequent.
    pub steps: usize,
    /// Number of channels of a state.
    pub channels: usize,
    /// Principal components of every view.
    pub views: Vec<View>,
    /// The views of trajectories as coded, which contain one state past the end: of whole trajectories and of states,
    /// with the maximum over nodes. Empty for a recording, which has no such states.
    pub coded_views: Vec<View>,
    /// Share of the variance of pooled states that lies between steps: between the means of steps, of the whole.
    pub between_steps: f64,
    /// Trajectories to draw, usually with the maximum over nodes.
    pub drawn: Drawn,
    /// The same with other poolings over nodes.
    pub drawn_otherwise: Vec<Drawn>,
}

/// Principal components of one view of the trajectories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// Pooling over nodes.
    pub over_nodes: Pooling,
    /// What one point is.
    pub points: PointIs,
    /// Whether points are differences of successive states instead of states.
    pub differences: bool,
    /// Number of points.
    pub count: usize,
    /// Explained variance ratio of each component.
    pub ratios: Vec<f64>,
    /// See [`Pca::participation_ratio`].
    pub participation_ratio: f64,
}

impl View {
    /// Explained variance ratio of the first three components.
    pub fn in_three(&self) -> f64 {
        self.ratios.iter().take(3).sum()
    }
}

/// What one point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointIs {
    /// A whole trajectory.
    Trajectory,
    /// A state.
    Step,
    /// A state after this step, counted from 0.
    StepAlone(usize),
}

/// Trajectories to draw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drawn {
    /// Pooling over nodes.
    pub over_nodes: Pooling,
    /// Per trajectory and step, coordinates in the first three components of all states.
    pub steps: Vec<Vec<[f32; 3]>>,
    /// Per trajectory, coordinates in the first three components of all trajectories.
    pub trajectories: Vec<[f32; 3]>,
    /// Score of each trajectory.
    pub scores: Vec<f64>,
}

impl Analysis for Dimensionality {
    const NAME: &'static str = "dimensionality";
    const QUESTION: &'static str = "How many dimensions do trajectories of hidden states have?";
    const PAPER: &'static str = "Figure 1 left, section 3.2, appendix C.2";

    const REVISION: u32 = 6;
    const PROTOCOLS: Option<&'static str> = Some(
        "As stated, a trajectory has the states after each step of the algorithm. As coded, it has one state more, past the end: the \
         authors select graphs of length 9, which take 8 steps, and use 9 states.",
    );

    fn run(context: &Context<'_>) -> Result<Self> {
        let as_coded =
            context.sampling.includes(Protocol::AsCoded) && context.model(Self::NAME).is_ok();
        let rollouts = if as_coded {
            Rollouts::one_beyond(context, Self::NAME)?
        } else {
            Rollouts::to_end(context, Self::NAME)?
        };
        let all = &rollouts.all;
        let (steps, graphs_by_steps) =
            chosen_steps(Self::NAME, &rollouts.steps, context.sampling.steps)?;
        let chosen = rollouts.with_steps(steps);
        let mut views = vec![];
        let mut drawn = vec![];
        let mut between_steps = None;
        for over_nodes in [Pooling::Max, Pooling::Mean, Pooling::Min] {
            for differences in [false, true] {
                let Some(whole) = trajectories(all, &chosen, steps, over_nodes, differences) else {
                    continue;
                };
                let each = Points { dimensions: all.hidden, data: whole.data.clone() };
                let mut view = |points: PointIs, of: &Points| -> Result<Pca> {
                    let pca = Pca::of(of, COMPONENTS)?;
                    views.push(View {
                        over_nodes,
                        points,
                        differences,
                        count: of.len(),
                        ratios: pca.ratios.clone(),
                        participation_ratio: pca.participation_ratio,
                    });
                    Ok(pca)
                };
                let by_trajectory = view(PointIs::Trajectory, &whole)?;
                let by_step = view(PointIs::Step, &each)?;
                let length = whole.dimensions / all.hidden;
                for step in 0..length {
                    let alone = each.select((step..each.len()).step_by(length));
                    view(PointIs::StepAlone(step), &alone)?;
                }
                if !differences {
                    between_steps = between_steps.or_else(|| between_groups(&each, length));
                    drawn.push(Drawn {
                        over_nodes,
                        steps: whole
                            .iter()
                            .take(DRAWN)
                            .map(|trajectory| {
                                trajectory
                                    .chunks_exact(all.hidden)
                                    .map(|state| three(&by_step.project(state)))
                                    .collect()
                            })
                            .collect(),
                        trajectories: whole
                            .iter()
                            .map(|trajectory| three(&by_trajectory.project(trajectory)))
                            .collect(),
                        scores: chosen.iter().map(|&sample| rollouts.score(sample)).collect(),
                    });
                }
            }
        }
        let mut drawn = drawn.into_iter();
        Ok(Self {
            graphs: all.len(),
            graphs_by_steps,
            steps,
            channels: all.hidden,
            views,
            coded_views: if as_coded { coded_views(all, &chosen, steps)? } else { vec![] },
            between_steps: between_steps.unwrap_or(0.0),
            drawn: drawn.next().ok_or_else(|| not_reduced(Self::NAME, all.pooling))?,
            drawn_otherwise: drawn.collect(),
        })
    }

    fn sentence(&self) -> String {
        let percent = |points| match self.view(self.drawn.over_nodes, points) {
            Some(view) => format!("{:.1} %", 100.0 * view.in_three()),
            None => "an unknown share".to_owned(),
        };
        format!(
            "{} of {} principal components explain {} of the variance of states and {} of that of whole trajectories \
             ({} graphs that take {} steps); for isotropic states it would be {:.1} %.",
            if self.channels < 3 { "All" } else { "Three" },
            self.channels,
            percent(PointIs::Step),
            percent(PointIs::Trajectory),
            self.graphs_by_steps[self.steps],
            self.steps,
            100.0 * self.channels.min(3) as f64 / self.channels as f64,
        )
    }

    fn measures(&self) -> Vec<Measure> {
        let mut measures = vec![];
        for over_nodes in [Pooling::Max, Pooling::Mean, Pooling::Min] {
            for (points, key, label) in [
                (PointIs::Trajectory, "trajectory_wise", "trajectory-wise"),
                (PointIs::Step, "step_wise", "step-wise"),
            ] {
                if let Some(view) = self.view(over_nodes, points) {
                    let name = format!("{over_nodes:?}").to_lowercase();
                    measures.push(Measure::share(
                        format!("{key}_{name}"),
                        format!("variance in 3 dimensions, {label}, {name} over nodes"),
                        view.in_three(),
                    ));
                }
            }
        }
        for view in &self.coded_views {
            let (key, label) = match view.points {
                PointIs::Trajectory => ("trajectory_wise_max_as_coded", "trajectory-wise"),
                PointIs::Step | PointIs::StepAlone(_) => ("step_wise_max_as_coded", "step-wise"),
            };
            let label = format!("variance in 3 dimensions, {label}, max over nodes, as coded");
            measures.push(Measure::share(key, label, view.in_three()));
        }
        let label = "variance of states between steps";
        measures.push(Measure::share("between_steps", label, self.between_steps));
        measures
    }
}

impl Dimensionality {
    /// Finds a view of states (not of their differences).
    pub fn view(&self, over_nodes: Pooling, points: PointIs) -> Option<&View> {
        let is_it = |view: &&View| {
            view.over_nodes == over_nodes && view.points == points && !view.differences
        };
        self.views.iter().find(is_it)
    }
}

/// Views of trajectories that go one state past the end.
fn coded_views(all: &Trajectories, samples: &[usize], steps: usize) -> Result<Vec<View>> {
    let over_nodes = Pooling::Max;
    let Some(whole) = trajectories(all, samples, steps + 1, over_nodes, false) else {
        return Ok(vec![]);
    };
    let each = Points { dimensions: all.hidden, data: whole.data.clone() };
    let views = [(PointIs::Trajectory, whole), (PointIs::Step, each)];
    let views = views.into_iter().map(|(points, of)| {
        let Pca { ratios, participation_ratio, .. } = Pca::of(&of, COMPONENTS)?;
        let count = of.len();
        Ok(View { over_nodes, points, differences: false, count, ratios, participation_ratio })
    });
    views.collect()
}

/// Share of the variance of points that lies between the means of groups: the sum of squares between groups over the
/// total. Point `i` belongs to group `i % groups`. `None` if all points are equal.
fn between_groups(points: &Points, groups: usize) -> Option<f64> {
    let centre = points.mean();
    let squared = |place: &[f64]| -> f64 {
        place.iter().zip(&centre).map(|(x, mean)| (x - mean).powi(2)).sum()
    };
    let widened = |point: &[f32]| point.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
    let total: f64 = points.iter().map(|point| squared(&widened(point))).sum();
    let between: f64 = (0..groups)
        .map(|group| points.select((group..points.len()).step_by(groups)))
        .map(|group| group.len() as f64 * squared(&group.mean()))
        .sum();
    (total > 0.0).then(|| between / total)
}

/// The first three coordinates of a point, rounded for a figure.
pub(crate) fn three(coordinates: &[f64]) -> [f32; 3] {
    // There may be fewer than three components.
    std::array::from_fn(|i| coordinates.get(i).map_or(0.0, |&x| to_draw(x)))
}

/// Returns the requested number of steps, or else the most frequent one, and how many samples take each number.
///
/// # Errors
/// If too few samples take the requested number.
pub(crate) fn chosen_steps(
    analysis: &'static str,
    steps: &[usize],
    requested: Option<usize>,
) -> Result<(usize, Vec<usize>)> {
    /// Smallest number of trajectories for principal components.
    const ENOUGH: usize = 8;
    let mut counts: Vec<usize> = vec![];
    for &steps in steps {
        counts.resize(counts.len().max(steps + 1), 0);
        counts[steps] += 1;
    }
    if let Some(requested) = requested {
        if counts.get(requested).is_some_and(|&count| count >= ENOUGH) {
            return Ok((requested, counts));
        }
        let found = counts.into_iter().enumerate().filter(|(_, count)| *count > 0).collect();
        return Err(Error::TooFewWithSteps { analysis, steps: requested, least: ENOUGH, found });
    }
    // Of equally frequent numbers, the smallest.
    let most = (0..counts.len()).rev().max_by_key(|&steps| counts[steps]);
    let most = most.ok_or(Error::TooFewPoints { least: 2, found: 0 })?;
    Ok((most, counts))
}

/// Error of analyses that need states pooled over nodes.
pub(crate) fn not_reduced(analysis: &'static str, kept: Pooling) -> Error {
    Error::unsuitable(analysis, "states pooled over nodes", format!("these are {kept:?}"))
}

/// Whole trajectories as points, or their differences from step to step.
pub(crate) fn trajectories(
    all: &Trajectories,
    samples: &[usize],
    steps: usize,
    over_nodes: Pooling,
    differences: bool,
) -> Option<Points> {
    let first = usize::from(differences);
    if steps <= first {
        return None;
    }
    let mut points = Points::new((steps - first) * all.hidden);
    for &sample in samples {
        for step in first..steps {
            let state = all.reduced(sample, step, over_nodes)?;
            if differences {
                let before = all.reduced(sample, step - 1, over_nodes)?;
                points.data.extend(state.iter().zip(before).map(|(now, before)| now - before));
            } else {
                points.data.extend_from_slice(state);
            }
        }
    }
    Some(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_between_groups_is_one_if_groups_are_points_and_zero_if_they_are_alike() {
        let line = |xs: &[f32]| Points { dimensions: 1, data: xs.to_vec() };
        assert_eq!(between_groups(&line(&[1.0, 5.0, 1.0, 5.0]), 2), Some(1.0));
        assert_eq!(between_groups(&line(&[1.0, 1.0, 5.0, 5.0]), 2), Some(0.0));
        // Means 1 and 4 about 2.5 in a total of 2.5² + 0.5² + 0.5² + 2.5².
        assert_eq!(between_groups(&line(&[0.0, 3.0, 2.0, 5.0]), 2), Some(9.0 / 13.0));
        assert_eq!(between_groups(&line(&[2.0; 4]), 2), None);
    }
}
