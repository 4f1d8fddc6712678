//! In how many dimensions hidden states move (section 3.2 and appendix C.2 of the paper).

use narscope_model::trajectory::{Kept, Trajectories};
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure, to_draw};
use crate::linalg::{Pca, Points};
use crate::runs::Runs;
use crate::study::Study;
use crate::{Error, Result};

/// How many components are kept of each view.
const COMPONENTS: usize = 16;
/// How many trajectories are kept to be drawn.
const DRAWN: usize = 400;

/// In how many dimensions hidden states move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dimensionality {
    /// How many graphs there were.
    pub graphs: usize,
    /// How many of them took each number of steps, from none up.
    pub graphs_by_steps: Vec<usize>,
    /// The number of steps of the trajectories: what was asked for, or what most take.
    pub steps: usize,
    /// How many channels a state has.
    pub channels: usize,
    /// Every way to look at the trajectories.
    pub views: Vec<View>,
    /// Trajectories to draw: the largest of each channel over nodes.
    pub drawn: Drawn,
    /// The same for other ways to reduce over nodes.
    pub drawn_otherwise: Vec<Drawn>,
}

/// Principal components of one way to look at trajectories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// What is kept of the nodes.
    pub over_nodes: Kept,
    /// What is a point.
    pub points: PointIs,
    /// Whether states are looked at, or how they change from one step to the next.
    pub differences: bool,
    /// How many points there were.
    pub count: usize,
    /// The share of the variance along each component.
    pub ratios: Vec<f64>,
    /// See [`Pca::participation_ratio`].
    pub participation_ratio: f64,
}

impl View {
    /// The share of the variance in three dimensions.
    pub fn in_three(&self) -> f64 {
        self.ratios.iter().take(3).sum()
    }
}

/// What becomes a point.
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
    /// What is kept of the nodes.
    pub over_nodes: Kept,
    /// Per trajectory and step, three coordinates among all states.
    pub steps: Vec<Vec<[f32; 3]>>,
    /// Per trajectory, three coordinates among all trajectories.
    pub trajectories: Vec<[f32; 3]>,
    /// The score of each trajectory.
    pub scores: Vec<f64>,
}

impl Analysis for Dimensionality {
    const NAME: &'static str = "dimensionality";
    const QUESTION: &'static str = "In how many dimensions do hidden states move?";
    const PAPER: &'static str = "Figure 1 left, section 3.2, appendix C.2";

    fn of(study: &Study<'_>) -> Result<Self> {
        let runs = Runs::up_to_their_end(study, Self::NAME)?;
        let all = &runs.all;
        let (steps, graphs_by_steps) = chosen_steps(Self::NAME, &runs.steps, study.size.steps)?;
        let chosen = runs.ending_after(steps);
        let mut views = vec![];
        let mut drawn = vec![];
        for over_nodes in [Kept::Max, Kept::Mean, Kept::Min] {
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
                let moments = whole.dimensions / all.hidden;
                for step in 0..moments {
                    let alone = each.select((step..each.len()).step_by(moments));
                    view(PointIs::StepAlone(step), &alone)?;
                }
                if !differences {
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
                        scores: chosen.iter().map(|&sample| runs.score(sample)).collect(),
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
            drawn: drawn.next().ok_or_else(|| not_reduced(Self::NAME, all.kept))?,
            drawn_otherwise: drawn.collect(),
        })
    }

    fn sentence(&self) -> String {
        let percent = |points| match self.view(self.drawn.over_nodes, points) {
            Some(view) => format!("{:.1} %", 100.0 * view.in_three()),
            None => "an unknown share".to_owned(),
        };
        format!(
            "{} of {} dimensions hold {} of the variance of states and {} of that of whole trajectories \
             ({} graphs that take {} steps); if all were alike, it would be {:.1} %.",
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
        for over_nodes in [Kept::Max, Kept::Mean, Kept::Min] {
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
        measures
    }
}

impl Dimensionality {
    /// A view of states themselves.
    pub fn view(&self, over_nodes: Kept, points: PointIs) -> Option<&View> {
        let is_it = |view: &&View| {
            view.over_nodes == over_nodes && view.points == points && !view.differences
        };
        self.views.iter().find(is_it)
    }
}

/// Where a point is drawn.
pub(crate) fn three(coordinates: &[f64]) -> [f32; 3] {
    // There may be fewer components than that.
    std::array::from_fn(|i| coordinates.get(i).map_or(0.0, |&x| to_draw(x)))
}

/// A number of steps, and how many samples take each number: the one that is wanted, or else what most take.
///
/// # Errors
/// If too few samples take the one that is wanted.
pub(crate) fn chosen_steps(
    analysis: &'static str,
    steps: &[usize],
    wanted: Option<usize>,
) -> Result<(usize, Vec<usize>)> {
    /// Of fewer trajectories, principal components say nothing.
    const ENOUGH: usize = 8;
    let mut counts: Vec<usize> = vec![];
    for &steps in steps {
        counts.resize(counts.len().max(steps + 1), 0);
        counts[steps] += 1;
    }
    if let Some(wanted) = wanted {
        if counts.get(wanted).is_some_and(|&count| count >= ENOUGH) {
            return Ok((wanted, counts));
        }
        let there = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let there = there.map(|(steps, count)| format!("{count} that take {steps}"));
        let found = format!("there are {}", there.collect::<Vec<_>>().join(", "));
        let wanted = format!("at least {ENOUGH} samples that take {wanted} steps (--steps)");
        return Err(Error::unsuitable(analysis, wanted, found));
    }
    // The fewest of those that are equally common.
    let most = (0..counts.len()).rev().max_by_key(|&steps| counts[steps]);
    let most = most.ok_or(Error::TooFewPoints { least: 2, found: 0 })?;
    Ok((most, counts))
}

/// For analyses of trajectories whose states are of all nodes.
pub(crate) fn not_reduced(analysis: &'static str, kept: Kept) -> Error {
    Error::unsuitable(analysis, "states reduced over nodes", format!("these are {kept:?}"))
}

/// Whole trajectories as points, or how they change from step to step.
pub(crate) fn trajectories(
    all: &Trajectories,
    samples: &[usize],
    steps: usize,
    over_nodes: Kept,
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
