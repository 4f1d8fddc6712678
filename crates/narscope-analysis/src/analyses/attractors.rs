//! Whether hidden states come to rest, and what happens if a run is cut short or prolonged (figure
//! 3 and appendix B of the paper).

use narscope_model::trajectory::Kept;
use serde::{Deserialize, Serialize};

use super::dimensionality::chosen_steps;
use super::{Analysis, Measure};
use crate::Result;
use crate::linalg::distance;
use crate::runs::{BEYOND, Runs};
use crate::study::Study;

/// By how many steps runs are cut short or prolonged.
const OFFSETS: std::ops::RangeInclusive<isize> = -3..=BEYOND;
/// Of fewer graphs than this, a mean says little.
const LEAST: usize = 8;

/// Whether hidden states come to rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attractors {
    /// How many graphs there were.
    pub graphs: usize,
    /// The number of steps of those that are followed: what was asked for, or what most take.
    pub steps: usize,
    /// How many they are.
    pub followed: usize,
    /// How far their states move from one step to the next, and beyond their end.
    pub step_lengths: Vec<Spread>,
    /// How far each state is from that at the end of the run.
    pub to_the_end: Vec<Spread>,
    /// How long states are, to compare with.
    pub norms: Vec<Spread>,
    /// The mean score of graphs that need so many steps, and how many they are, if more than a few.
    pub score_by_steps: Vec<(usize, f64, usize)>,
    /// The mean score when every run is so many steps longer.
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
    fn of(numbers: &[f64]) -> Self {
        let count = numbers.len().max(1) as f64;
        let mean = numbers.iter().sum::<f64>() / count;
        let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
        Self { mean, std: (squares / count).sqrt() }
    }
}

impl Analysis for Attractors {
    const NAME: &'static str = "attractors";
    const QUESTION: &'static str = "Do hidden states come to rest when the algorithm ends?";
    const PAPER: &'static str = "Figure 3, appendix B";
    const FIRST: bool = true;

    fn of(study: &Study<'_>) -> Result<Self> {
        let runs = Runs::beyond_their_end(study, Self::NAME)?;
        let (own, answers) = (&runs.steps, runs.answers());
        let score = |sample: usize, offset: isize| {
            let steps = own[sample].saturating_add_signed(offset).max(1);
            answers.score(sample, steps - 1)
        };
        let mean = |samples: &[usize], offset: isize| {
            let scores: Vec<f64> = samples.iter().map(|&sample| score(sample, offset)).collect();
            Spread::of(&scores).mean
        };

        let (steps, by_steps) = chosen_steps(Self::NAME, own, study.size.steps)?;
        let everyone: Vec<usize> = (0..own.len()).collect();
        let score_by_steps = (0..by_steps.len()).filter(|&steps| by_steps[steps] >= LEAST);
        let followed = runs.ending_after(steps);
        let (step_lengths, to_the_end, norms) = movement(&runs, &followed, steps);
        Ok(Self {
            graphs: own.len(),
            steps,
            followed: followed.len(),
            step_lengths,
            to_the_end,
            norms,
            score_by_steps: score_by_steps
                .map(|steps| (steps, mean(&runs.ending_after(steps), 0), by_steps[steps]))
                .collect(),
            score_by_offset: OFFSETS.map(|offset| (offset, mean(&everyone, offset))).collect(),
        })
    }

    fn sentence(&self) -> String {
        let length = |step: usize| self.step_lengths.get(step).map_or(f64::NAN, |it| it.mean);
        let score = |offset: isize| {
            let found = self.score_by_offset.iter().find(|(other, _)| *other == offset);
            found.map_or(f64::NAN, |(_, score)| 100.0 * score)
        };
        format!(
            "The first step beyond the start is {:.2} long and the last {:.3}; {} steps after the end it is {:.3}. The score is {:.1} % at the \
             end, {:.1} % two steps earlier, {:.1} % four steps later.",
            length(0),
            length(self.steps.saturating_sub(2)),
            BEYOND,
            length(self.step_lengths.len() - 1),
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

/// How far states move at each step after the first, how far they are from the one at the end of the
/// run proper, and how long they are.
fn movement(
    runs: &Runs,
    samples: &[usize],
    steps: usize,
) -> (Vec<Spread>, Vec<Spread>, Vec<Spread>) {
    let moments = steps + BEYOND as usize;
    let state = |sample: usize, step: usize| {
        runs.all.reduced(sample, step, Kept::Max).expect("runs keep the largest over nodes")
    };
    let over = |of: &dyn Fn(usize) -> f64| {
        Spread::of(&samples.iter().map(|&sample| of(sample)).collect::<Vec<_>>())
    };
    let lengths = (1..moments)
        .map(|step| over(&|sample| distance(state(sample, step), state(sample, step - 1))));
    let to_the_end = (0..moments)
        .map(|step| over(&|sample| distance(state(sample, step), state(sample, steps - 1))));
    let origin = vec![0.0; runs.all.hidden];
    let norms = (0..moments).map(|step| over(&|sample| distance(state(sample, step), &origin)));
    (lengths.collect(), to_the_end.collect(), norms.collect())
}
