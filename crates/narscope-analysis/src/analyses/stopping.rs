//! When to stop without being told: the paper's future work, tried.
//!
//! The benchmark tells a network how many steps the algorithm takes. A rule sees only what the
//! network does: how much its state changes from one step to the next, or whether its answer does.
//! Thresholds are chosen on other graphs than those that are scored.

use narscope_model::rollout::{NoHook, Steps};
use narscope_model::trajectory::{Kept, Trajectories};
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::Result;
use crate::every_step::EveryStep;
use crate::linalg::distance;
use crate::study::{Ask, Study};

/// How many steps beyond the longest run a rule may go on.
const BEYOND: usize = 8;
/// From what share of its length on a state that changes less is said to rest.
const THRESHOLDS: [f64; 12] =
    [0.5, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002];

/// When to stop without being told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stopping {
    /// How many graphs were scored.
    pub graphs: usize,
    /// The most steps that anything took.
    pub most: usize,
    /// The known number of steps, and rules that do not know it.
    pub rules: Vec<Outcome>,
    /// What every threshold would have given.
    pub thresholds: Vec<(f64, Outcome)>,
}

/// What came of a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The rule.
    pub rule: String,
    /// The mean score.
    pub score: f64,
    /// The mean number of steps.
    pub steps: f64,
    /// The share of graphs on which it never stopped by itself.
    pub never: f64,
}

impl Analysis for Stopping {
    const NAME: &'static str = "stopping";
    const QUESTION: &'static str = "Can the network tell when it is done?";
    const PAPER: &'static str = "Section 6, future work";

    fn of(study: &Study<'_>) -> Result<Self> {
        // A threshold that is chosen on one graph is no threshold for the same one.
        study.on_random_samples(Self::NAME)?;
        let ask = |offset: u32| Ask { offset, kept: Kept::Max, ..Ask::new(study.size.scored) };
        let (chosen_on, scored_on) = (ask(700), ask(701));
        let [chosen_on, scored_on] = [&chosen_on, &scored_on].map(|ask| Runs::of(study, ask));
        let (chosen_on, scored_on) = (chosen_on?, scored_on?);

        // The best score, and of equal ones the one that stops soonest.
        let best = THRESHOLDS.into_iter().max_by(|&a, &b| {
            let [a, b] = [a, b].map(|threshold| chosen_on.outcome(Rule::Rests(threshold)));
            a.score.total_cmp(&b.score).then(b.steps.total_cmp(&a.steps))
        });
        let best = best.expect("there are thresholds");
        let rules = [Rule::Told, Rule::Rests(best), Rule::Agrees(1), Rule::Agrees(2), Rule::Goes];
        Ok(Self {
            graphs: study.size.scored,
            most: scored_on.most,
            rules: rules.iter().map(|&rule| scored_on.outcome(rule)).collect(),
            thresholds: THRESHOLDS
                .iter()
                .map(|&threshold| (threshold, scored_on.outcome(Rule::Rests(threshold))))
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
            // Every network has a threshold of its own, but they share a line.
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

/// When to stop.
#[derive(Clone, Copy)]
enum Rule {
    /// When the algorithm does.
    Told,
    /// When the state changes by less than this share of its length.
    Rests(f64),
    /// When the answer has not changed for so many steps.
    Agrees(usize),
    /// Not at all.
    Goes,
}

impl Rule {
    fn name(self) -> String {
        match self {
            Self::Told => "the known number of steps".to_owned(),
            Self::Rests(threshold) => {
                format!("state changes by less than {:.1} %", 100.0 * threshold)
            }
            Self::Agrees(steps) => format!("answer unchanged for {steps} steps"),
            Self::Goes => "as long as it may".to_owned(),
        }
    }
}

/// Runs that go on for longer than they should, with their answers at every step.
struct Runs {
    most: usize,
    /// Per sample, how many steps the algorithm takes.
    told: Vec<usize>,
    /// Per sample and step, by what share of its length the state has changed.
    changes: Vec<Vec<f64>>,
    /// Per sample and step, the score of the answer.
    scores: Vec<Vec<f64>>,
    /// Per sample and step, whether the answer is that of the step before.
    same: Vec<Vec<bool>>,
}

impl Runs {
    fn of(study: &Study<'_>, ask: &Ask) -> Result<Self> {
        let traces = study.samples(Stopping::NAME, ask)?;
        let told: Vec<usize> = (0..traces.len()).map(|i| Steps::Own.of(traces.steps(i))).collect();
        let most = told.iter().max().copied().unwrap_or(1) + BEYOND;
        let ask = Ask { steps: Steps::Exactly(most), every_output: true, ..ask.clone() };
        let all = study.run(Stopping::NAME, &traces, &ask, &mut NoHook)?;
        let samples = 0..all.len();
        let answers = EveryStep::of(&all);
        Ok(Self {
            changes: samples.clone().map(|sample| changes(&all, sample, most)).collect(),
            scores: samples
                .clone()
                .map(|sample| (0..most).map(|step| answers.score(sample, step)).collect())
                .collect(),
            same: samples
                .map(|sample| {
                    let is_same = |step| step > 0 && answers.is_unchanged(sample, step);
                    (0..most).map(is_same).collect()
                })
                .collect(),
            told,
            most,
        })
    }

    /// After which step a rule stops, counted from 0.
    fn stop(&self, rule: Rule, sample: usize) -> Option<usize> {
        match rule {
            Rule::Told => Some(self.told[sample] - 1),
            Rule::Rests(threshold) => {
                self.changes[sample].iter().position(|&change| change < threshold)
            }
            Rule::Agrees(steps) => {
                let same = &self.same[sample];
                (steps..self.most)
                    .find(|&step| same[step + 1 - steps..=step].iter().all(|&same| same))
            }
            Rule::Goes => None,
        }
    }

    fn outcome(&self, rule: Rule) -> Outcome {
        let samples = 0..self.told.len();
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
