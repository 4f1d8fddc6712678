//! What a network predicted for a probe: values, how sure it was, how right.

use narscope_clrs::column::Column;
use narscope_clrs::kind::Choices;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;
use narscope_net::postprocess::{argmax, merge_permutations, postprocess};
use narscope_net::rollout::Logits;
use narscope_net::score::Tally;
use narscope_net::values::of_stage;
use serde::Serialize;

use crate::frame::{Array, Bytes};
use crate::trace::{ProbeValues, numbers};

/// Predictions of one probe over time. A permutation and its head are merged into one pointer, as
/// in the trace of the algorithm.
#[derive(Debug)]
pub(crate) struct Predicted {
    pub(crate) probe: Probe,
    /// The true values: of every record of the trace for hints, one record for outputs.
    pub(crate) truth: Column,
    /// The value after each step.
    pub(crate) answers: Column,
    /// The raw predictions after each step, and the number of choices at each location.
    raw: Vec<Vec<f32>>,
    choices: usize,
}

/// Predictions of a probe for the page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PredictedValue {
    #[serde(flatten)]
    values: ProbeValues,
    margins: Array,
    runners_up: Array,
    scores: Array,
    #[serde(skip_serializing_if = "Option::is_none")]
    logits: Option<Array>,
    choices: usize,
}

/// All predictions of a stage for a single sample, from the raw predictions after each step.
pub(crate) fn of_steps(traces: &Traces, stage: Stage, steps: &[Vec<Logits>]) -> Vec<Predicted> {
    let (probes, nodes) = (of_stage(&traces.probes, stage), traces.nodes);
    let raw = |index: usize| -> Vec<Vec<f32>> {
        steps.iter().map(|step| step[index].values.clone()).collect()
    };
    let columns = probes.iter().enumerate().map(|(index, probe)| {
        let mut column = Column::of(probe, nodes);
        for step in steps {
            column.extend_from(&postprocess(probe, &step[index].values, nodes), 0..1);
        }
        column
    });
    let columns = columns.collect();
    let truth = traces.probes.iter().zip(&traces.columns);
    let truth = truth.filter(|(probe, _)| probe.stage == stage);
    let truth = truth.map(|(_, column)| column.unpacked()).collect();
    let (_, truth) = merge_permutations(&probes, truth);
    let (merged, answers) = merge_permutations(&probes, columns);
    let all = merged.into_iter().zip(truth).zip(answers).map(|((probe, truth), answers)| {
        let index = probes.iter().position(|raw| raw.name == probe.name);
        let index = index.expect("merging keeps the names of pointers");
        let choices = probes[index].choices(nodes);
        Predicted { probe, truth, answers, raw: raw(index), choices }
    });
    all.collect()
}

impl Predicted {
    /// Score of the answer after a step (from 0) against a record of true values.
    pub(crate) fn score(&self, step: usize, truth: &Column, record: usize) -> f64 {
        let mut tally = Tally::new(&self.probe);
        let (mut truth, mut answer) = (truth.rows_from(record), self.answers.rows_from(step));
        let (truth, answer) = (truth.next_row(), answer.next_row());
        tally.add(truth.expect("a true record"), answer.expect("a record per step"));
        tally.score()
    }

    /// Score of the answer after a step: an output against the final one, a hint against that of
    /// the same record; `None` if the algorithm had ended.
    fn own_score(&self, step: usize) -> Option<f64> {
        let record = if self.probe.stage == Stage::Hint { step + 1 } else { 0 };
        (record < self.truth.len()).then(|| self.score(step, &self.truth, record))
    }

    /// The predictions for the page; record 0 is what is given: the first hint, or nothing.
    pub(crate) fn into_value(
        self,
        nodes: usize,
        with_logits: bool,
        bytes: &mut Bytes,
    ) -> PredictedValue {
        let steps = self.raw.len();
        let locations = self.probe.locations(nodes);
        let mut values = match self.probe.stage {
            Stage::Hint => numbers(&self.truth, 0, 1),
            Stage::Input | Stage::Output => vec![f64::NAN; locations],
        };
        values.extend(numbers(&self.answers, 0, steps));
        let mut margins = vec![f32::NAN; locations];
        let mut runners_up = vec![-1; locations];
        let choices = self.choices;
        for raw in &self.raw {
            for scores in raw.chunks_exact(choices) {
                let (margin, runner_up) = margin(&self.probe, scores);
                margins.push(margin);
                runners_up.push(runner_up);
            }
        }
        let mut scores = vec![f32::NAN];
        scores.extend((0..steps).map(|step| self.own_score(step).map_or(f32::NAN, |it| it as f32)));
        let logits = with_logits.then(|| {
            let mut all = vec![f32::NAN; locations * choices];
            all.extend(self.raw.iter().flatten());
            bytes.f32(&all)
        });
        PredictedValue {
            values: ProbeValues::new(&self.probe, nodes, &values, bytes),
            margins: bytes.f32(&margins),
            runners_up: bytes.i32(&runners_up),
            scores: bytes.f32(&scores),
            logits,
            choices,
        }
    }
}

/// By how much the best of the choices at a location is preferred, and the second best.
fn margin(probe: &Probe, scores: &[f32]) -> (f32, i32) {
    let info = probe.kind.info();
    match (info.choices, scores) {
        (Choices::One, [score]) => match info.storage {
            narscope_clrs::kind::Storage::Real => (f32::NAN, -1),
            _ => (score.abs(), -1),
        },
        (_, [_]) => (f32::NAN, -1),
        _ => {
            let best = argmax(scores);
            let others = scores.iter().enumerate().filter(|(choice, _)| *choice != best);
            let second = others.reduce(|a, b| if b.1 > a.1 { b } else { a });
            let (choice, score) = second.expect("there are two choices or more");
            (scores[best] - score, choice as i32)
        }
    }
}

#[cfg(test)]
mod tests {
    use narscope_clrs::algorithms;

    use super::*;

    fn probe(algorithm: &str, name: &str) -> Probe {
        let entry = algorithms::find(algorithm).unwrap();
        entry.probes.iter().find(|probe| probe.name == name).unwrap().clone()
    }

    #[test]
    fn the_margin_of_a_pointer_is_to_the_second_best_and_that_of_a_mask_to_zero() {
        let pointer = probe("bellman_ford", "pi");
        assert_eq!(margin(&pointer, &[0.5, 2.0, -1.0, 1.75]), (0.25, 3));
        assert_eq!(margin(&pointer, &[1.0, 1.0]), (0.0, 1));
        assert_eq!(margin(&probe("bellman_ford", "msk"), &[-3.0]), (3.0, -1));
        assert!(margin(&probe("bellman_ford", "d"), &[2.0]).0.is_nan());
    }
}
