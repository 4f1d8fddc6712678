//! Convergence of hidden states, and scores of rollouts that stop earlier or later (figure 3 and appendix B of the
//! paper).

use narscope_model::pooling::Pooling;
use serde::{Deserialize, Serialize};

use super::dimensionality::chosen_steps;
use super::{Analysis, Measure};
use crate::Result;
use crate::context::Context;
use crate::linalg::distance;
use crate::rollouts::{BEYOND, Rollouts};

/// Numbers of steps by which rollouts are lengthened.
const OFFSETS: std::ops::RangeInclusive<isize> = -3..=BEYOND;
/// Smallest number of graphs that a mean is reported for.
const LEAST: usize = 8;

/// Convergence of hidden states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attractors {
    /// Number of graphs.
    pub graphs: usize,
    /// Number of steps of the graphs that movement is measured on: as requested, or the most frequent.
    pub steps: usize,
    /// Number of these graphs.
    pub followed: usize,
    /// Distance between the states of successive steps, to the end of the algorithm and beyond.
    pub step_lengths: Vec<Spread>,
    /// Distance of each state to the one at the end of the algorithm.
    pub to_the_end: Vec<Spread>,
    /// Norm of each state, as the scale of these distances.
    pub norms: Vec<Spread>,
    /// Number of steps, mean score of the graphs that take it, and their number, if there are enough.
    pub score_by_steps: Vec<(usize, f64, usize)>,
    /// Number of additional steps, and mean score of all graphs with them.
    pub score_by_offset: Vec<(isize, f64)>,
}

/// A mean and a standard deviation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub std: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Self {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        Self { mean, std: (squares / count).sqrt() }
    }
}

impl Analysis for Attractors {
    const NAME: &'static str = "attractors";
    const QUESTION: &'static str = "Do hidden states converge when the algorithm ends?";
    const PAPER: &'static str = "Figure 3, appendix B";
    const RUNS_FIRST: bool = true;

    fn run(context: &Context<'_>) -> Result<Self> {
        let rollouts = Rollouts::extended(context, Self::NAME)?;
        let (own, outputs) = (&rollouts.steps, rollouts.outputs());
        let score = |sample: usize, offset: isize| {
            let steps = own[sample].saturating_add_signed(offset).max(1);
            outputs.score(sample, steps - 1)
        };
        let mean = |samples: &[usize], offset: isize| {
            let scores: Vec<f64> = samples.iter().map(|&sample| score(sample, offset)).collect();
            Spread::of(&scores).mean
        };

        let (steps, by_steps) = chosen_steps(Self::NAME, own, context.sampling.steps)?;
        let all: Vec<usize> = (0..own.len()).collect();
        let score_by_steps = (0..by_steps.len()).filter(|&steps| by_steps[steps] >= LEAST);
        let followed = rollouts.with_steps(steps);
        let (step_lengths, to_the_end, norms) = movement(&rollouts, &followed, steps);
        Ok(Self {
            graphs: own.len(),
            steps,
            followed: followed.len(),
            step_lengths,
            to_the_end,
            norms,
            score_by_steps: score_by_steps
                .map(|steps| (steps, mean(&rollouts.with_steps(steps), 0), by_steps[steps]))
                .collect(),
            score_by_offset: OFFSETS.map(|offset| (offset, mean(&all, offset))).collect(),
        })
    }

    fn sentence(&self) -> String {
        let length = |step: usize| self.step_lengths.get(step).map_or(f64::NAN, |it| it.mean);
        let score = |offset: isize| {
            let found = self.score_by_offset.iter().find(|(other, _)| *other == offset);
            found.map_or(f64::NAN, |(_, score)| 100.0 * score)
        };
        format!(
            "The state moves by {:.2} in the second step, by {:.3} in the last, and by {:.3} in the {}th step after the end. The score is \
             {:.1} % at the end, {:.1} % two steps earlier, {:.1} % four steps later.",
            length(0),
            length(self.steps.saturating_sub(2)),
            length(self.step_lengths.len() - 1),
            BEYOND,
            score(0),
            score(-2),
            score(4),
        )
    }

    fn measures(&self) -> Vec<Measure> {
        let mut measures = vec![];
        for &(offset, score) in &self.score_by_offset {
            let key = format!("offset_{offset}").replace('-', "minus_");
            measures.push(Measure::share(key, format!("score, {offset:+} steps"), score));
        }
        for &(steps, score, _) in &self.score_by_steps {
            let label = format!("score of graphs that need {steps} steps");
            measures.push(Measure::share(format!("steps_{steps}"), label, score));
        }
        measures
    }
}

/// Distance to the previous state for each step after the first, distance to the state at the end of the algorithm,
/// and norm.
fn movement(
    rollouts: &Rollouts,
    samples: &[usize],
    steps: usize,
) -> (Vec<Spread>, Vec<Spread>, Vec<Spread>) {
    let total = steps + BEYOND as usize;
    let state = |sample: usize, step: usize| {
        rollouts
            .all
            .reduced(sample, step, Pooling::Max)
            .expect("rollouts record the maximum over nodes")
    };
    let over = |of: &dyn Fn(usize) -> f64| {
        Spread::of(&samples.iter().map(|&sample| of(sample)).collect::<Vec<_>>())
    };
    let lengths = (1..total)
        .map(|step| over(&|sample| distance(state(sample, step), state(sample, step - 1))));
    let to_the_end = (0..total)
        .map(|step| over(&|sample| distance(state(sample, step), state(sample, steps - 1))));
    let origin = vec![0.0; rollouts.all.hidden];
    let norms = (0..total).map(|step| over(&|sample| distance(state(sample, step), &origin)));
    (lengths.collect(), to_the_end.collect(), norms.collect())
}
