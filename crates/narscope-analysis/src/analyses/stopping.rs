//! Stopping rules that do not know the number of steps of the algorithm (future work in section 6 of the paper).
//!
//! The benchmark gives a network the number of steps that the algorithm takes. A stopping rule only sees how much the
//! state changes from one step to the next, or whether the output does. Thresholds are chosen on other graphs than
//! those that are scored.

use narscope_model::pooling::Pooling;
use narscope_model::rollout::{NoHook, Steps};
use narscope_model::trajectory::Trajectories;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::Result;
use crate::context::{Context, Request};
use crate::linalg::distance;
use crate::step_outputs::StepOutputs;

/// Number of steps that a rule may continue beyond the longest execution of the algorithm.
pub(crate) const BEYOND: usize = 8;
/// Thresholds of the relative change of a state, below which a rule stops.
const THRESHOLDS: [f64; 12] =
    [0.5, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002];

/// Results of stopping rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stopping {
    /// Number of scored graphs.
    pub graphs: usize,
    /// Largest number of steps.
    pub most: usize,
    /// The known number of steps, and rules that do not use it.
    pub rules: Vec<Outcome>,
    /// Result of every threshold.
    pub thresholds: Vec<(f64, Outcome)>,
}

/// Result of one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The rule.
    pub rule: String,
    /// Mean score.
    pub score: f64,
    /// Mean number of steps.
    pub steps: f64,
    /// Share of graphs on which the rule never stopped.
    pub never: f64,
}

impl Analysis for Stopping {
    const NAME: &'static str = "stopping";
    const QUESTION: &'static str = "Can the network detect when the algorithm has ended?";
    const PAPER: &'static str = "Section 6, future work";

    fn run(context: &Context<'_>) -> Result<Self> {
        // Thresholds are chosen on other graphs than those scored.
        context.require_random_samples(Self::NAME)?;
        let request = |seed_offset: u32| Request {
            seed_offset,
            pooling: Pooling::Max,
            ..Request::new(context.sampling.scored)
        };
        let (chosen_on, scored_on) = (request(700), request(701));
        let [chosen_on, scored_on] =
            [&chosen_on, &scored_on].map(|request| Rollouts::of(context, request));
        let (chosen_on, scored_on) = (chosen_on?, scored_on?);

        let rules = [
            Rule::Known,
            Rule::Converged(chosen_on.best_threshold()),
            Rule::Unchanged(1),
            Rule::Unchanged(2),
            Rule::Never,
        ];
        Ok(Self {
            graphs: context.sampling.scored,
            most: scored_on.most,
            rules: rules.iter().map(|&rule| scored_on.outcome(rule)).collect(),
            thresholds: THRESHOLDS
                .iter()
                .map(|&threshold| (threshold, scored_on.outcome(Rule::Converged(threshold))))
                .collect(),
        })
    }

    fn sentence(&self) -> String {
        let all = self.rules.iter().map(|outcome| {
            format!(
                "{}: {:.1} % in {:.1} steps",
                outcome.rule,
                100.0 * outcome.score,
                outcome.steps
            )
        });
        format!("{}.", all.collect::<Vec<_>>().join("; "))
    }

    fn measures(&self) -> Vec<Measure> {
        let keys = ["told", "rests", "agrees_1", "agrees_2", "goes_on"];
        let mut measures = vec![];
        for (key, outcome) in keys.iter().zip(&self.rules) {
            // Thresholds differ between networks; their measures share a label.
            let threshold = self.thresholds.iter().find(|(_, other)| other.rule == outcome.rule);
            let rule = threshold.map_or(outcome.rule.as_str(), |_| "state rests");
            let (score, steps) = (format!("score, {rule}"), format!("steps, {rule}"));
            measures.push(Measure::share(format!("score_{key}"), score, outcome.score));
            measures.push(Measure::number(format!("steps_{key}"), steps, outcome.steps));
            if let Some((threshold, _)) = threshold {
                let label = "largest change of a state that rests, as a share of its length";
                measures.push(Measure::share("threshold", label, *threshold));
            }
        }
        measures
    }
}

/// Score when the state rests minus score at the known number of steps, over trajectories that have the same number
/// of steps, with the outputs of every step and the maximum over nodes. Each half of the samples uses the threshold that
/// is best for the other half.
pub(crate) fn change_at_rest(all: &Trajectories, outputs: &StepOutputs, known: &[usize]) -> f64 {
    let halves = [0, 1]
        .map(|first| Rollouts::of_samples(all, outputs, known, (first..all.len()).step_by(2)));
    let change = |chosen_on: &Rollouts, scored_on: &Rollouts| {
        let at_rest = scored_on.outcome(Rule::Converged(chosen_on.best_threshold()));
        let samples = scored_on.known.len() as f64;
        samples * (at_rest.score - scored_on.outcome(Rule::Known).score)
    };
    let [one, other] = &halves;
    (change(one, other) + change(other, one)) / all.len() as f64
}

/// A stopping rule.
#[derive(Clone, Copy)]
enum Rule {
    /// Stops when the algorithm ends.
    Known,
    /// Stops when the state changes by less than this share of its norm.
    Converged(f64),
    /// Stops when the outputs have not changed for this number of steps.
    Unchanged(usize),
    /// Takes the largest number of steps.
    Never,
}

impl Rule {
    fn name(self) -> String {
        match self {
            Self::Known => "the known number of steps".to_owned(),
            Self::Converged(threshold) => {
                format!("state changes by less than {:.1} %", 100.0 * threshold)
            }
            Self::Unchanged(1) => "answer unchanged for 1 step".to_owned(),
            Self::Unchanged(steps) => format!("answer unchanged for {steps} steps"),
            Self::Never => "the maximum number of steps".to_owned(),
        }
    }
}

/// Rollouts with the same number of steps for all samples, beyond the end of the algorithm, with the outputs of every
/// step.
struct Rollouts {
    most: usize,
    /// Per sample, the number of steps of the algorithm.
    known: Vec<usize>,
    /// Per sample and step, the change of the state relative to its norm.
    changes: Vec<Vec<f64>>,
    /// Per sample and step, the score of the outputs.
    scores: Vec<Vec<f64>>,
    /// Per sample and step, whether the outputs equal those of the step before.
    same: Vec<Vec<bool>>,
}

impl Rollouts {
    fn of(context: &Context<'_>, request: &Request) -> Result<Self> {
        let traces = context.samples(Stopping::NAME, request)?;
        let known: Vec<usize> = (0..traces.len()).map(|i| Steps::Own.of(traces.steps(i))).collect();
        let most = known.iter().max().copied().unwrap_or(1) + BEYOND;
        let request =
            Request { steps: Steps::Exactly(most), every_output: true, ..request.clone() };
        let all = context.run(Stopping::NAME, &traces, &request, &mut NoHook)?;
        let outputs = StepOutputs::of(&all);
        Ok(Self::of_samples(&all, &outputs, &known, 0..all.len()))
    }

    /// Some samples of trajectories that all have the same number of steps.
    fn of_samples(
        all: &Trajectories,
        outputs: &StepOutputs,
        known: &[usize],
        samples: impl Iterator<Item = usize> + Clone,
    ) -> Self {
        let most = all.steps(0);
        Self {
            changes: samples.clone().map(|sample| changes(all, sample, most)).collect(),
            scores: samples
                .clone()
                .map(|sample| (0..most).map(|step| outputs.score(sample, step)).collect())
                .collect(),
            same: samples
                .clone()
                .map(|sample| {
                    let is_same = |step| step > 0 && outputs.is_unchanged(sample, step);
                    (0..most).map(is_same).collect()
                })
                .collect(),
            known: samples.map(|sample| known[sample]).collect(),
            most,
        }
    }

    /// The threshold with the best score; of equal ones, the one with the fewest steps.
    fn best_threshold(&self) -> f64 {
        let best = THRESHOLDS.into_iter().max_by(|&a, &b| {
            let [a, b] = [a, b].map(|threshold| self.outcome(Rule::Converged(threshold)));
            a.score.total_cmp(&b.score).then(b.steps.total_cmp(&a.steps))
        });
        best.expect("there are thresholds")
    }

    /// The step after which a rule stops, counted from 0.
    fn stop(&self, rule: Rule, sample: usize) -> Option<usize> {
        match rule {
            Rule::Known => Some(self.known[sample] - 1),
            Rule::Converged(threshold) => {
                self.changes[sample].iter().position(|&change| change < threshold)
            }
            Rule::Unchanged(steps) => {
                let same = &self.same[sample];
                (steps..self.most)
                    .find(|&step| same[step + 1 - steps..=step].iter().all(|&same| same))
            }
            Rule::Never => None,
        }
    }

    fn outcome(&self, rule: Rule) -> Outcome {
        let samples = 0..self.known.len();
        let count = samples.len().max(1) as f64;
        let (mut score, mut steps, mut never) = (0.0, 0, 0);
        for sample in samples {
            let stop = self.stop(rule, sample);
            never += usize::from(stop.is_none());
            let stop = stop.unwrap_or(self.most - 1);
            score += self.scores[sample][stop];
            steps += stop + 1;
        }
        Outcome {
            rule: rule.name(),
            score: score / count,
            steps: steps as f64 / count,
            never: never as f64 / count,
        }
    }
}

fn changes(all: &Trajectories, sample: usize, most: usize) -> Vec<f64> {
    let origin = vec![0.0; all.hidden];
    let change = |step: usize| {
        if step == 0 {
            return f64::INFINITY;
        }
        let (now, before) = (all.state(sample, step), all.state(sample, step - 1));
        distance(now, before) / distance(now, &origin).max(1e-12)
    };
    (0..most).map(change).collect()
}
