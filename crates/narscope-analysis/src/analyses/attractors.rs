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
        let score = |offset| 100.0 * self.score_with(offset).unwrap_or(f64::NAN);
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
        let label = "slope of the score over the number of steps, per step";
        let slope = slope(&self.score_by_steps);
        measures.extend(slope.map(|slope| Measure::share("slope_over_steps", label, slope)));
        for (key, label, offset) in [
            ("early_loss", "score lost by stopping 3 steps earlier", -3),
            ("late_loss", "score lost by stopping 4 steps later", 4),
        ] {
            let loss = self.score_with(0).zip(self.score_with(offset));
            measures.extend(loss.map(|(end, other)| Measure::share(key, label, end - other)));
        }
        let label = "movement in the last recorded step over that in the second step";
        let ratio = self.movement_ratio();
        measures.extend(ratio.map(|ratio| Measure::number("movement_ratio", label, ratio)));
        measures
    }
}

impl Attractors {
    /// Mean score with additional steps, or fewer.
    fn score_with(&self, offset: isize) -> Option<f64> {
        let found = self.score_by_offset.iter().find(|(other, _)| *other == offset);
        found.map(|(_, score)| *score)
    }

    /// Mean distance moved in the last recorded step, beyond the end, over that moved in the second step.
    fn movement_ratio(&self) -> Option<f64> {
        let (second, last) = (self.step_lengths.first()?.mean, self.step_lengths.last()?.mean);
        (second > 0.0).then(|| last / second)
    }
}

/// Slope of the least-squares line through scores by number of steps, weighted by graphs; `None` for a single number.
fn slope(by_steps: &[(usize, f64, usize)]) -> Option<f64> {
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        by_steps.iter().map(|&(steps, score, graphs)| graphs as f64 * of(steps as f64, score)).sum()
    };
    let graphs = sum(&|_, _| 1.0);
    let (steps, score) = (sum(&|steps, _| steps) / graphs, sum(&|_, score| score) / graphs);
    let squares = sum(&|x, _| (x - steps).powi(2));
    (squares > 0.0).then(|| sum(&|x, y| (x - steps) * (y - score)) / squares)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_over_steps_weighs_numbers_of_steps_by_graphs() {
        assert_eq!(slope(&[(4, 1.0, 10), (6, 0.5, 10)]), Some(-0.25));
        // Mean 4.5 steps; without weights the slope would be -0.05.
        let slope = slope(&[(4, 1.0, 2), (5, 0.8, 2), (6, 0.9, 0)]).unwrap();
        assert!((slope + 0.2).abs() < 1e-12, "{slope}");
        assert_eq!(super::slope(&[(4, 1.0, 10)]), None);
        assert_eq!(super::slope(&[]), None);
    }

    #[test]
    fn losses_and_movement_follow_from_the_stored_data() {
        let spread = |mean: f64| Spread { mean, std: 0.0 };
        let found = Attractors {
            graphs: 8,
            steps: 2,
            followed: 8,
            step_lengths: vec![spread(2.0), spread(1.0), spread(0.5)],
            to_the_end: vec![],
            norms: vec![],
            score_by_steps: vec![],
            score_by_offset: vec![(-3, 0.25), (0, 0.75), (4, 0.5)],
        };
        let measures = found.measures();
        let of = |key: &str| measures.iter().find(|it| it.key == key).map(|it| it.value);
        assert_eq!(of("early_loss"), Some(0.5));
        assert_eq!(of("late_loss"), Some(0.25));
        assert_eq!(of("movement_ratio"), Some(0.25));
        assert_eq!(of("slope_over_steps"), None);
    }
}
