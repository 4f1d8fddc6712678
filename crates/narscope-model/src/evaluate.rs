//! Evaluation: what a network makes of samples, scored in every way that says something.

use narscope_clrs::column::{Column, ColumnRows, Row};
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;
use narscope_clrs::validity::Validity;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::answers::{definite, fuse};
use crate::config::{Config, RepredMode};
use crate::data::EVALUATION_BATCH;
use crate::decode::Feedback;
use crate::memory::Ahead;
use crate::net::{Net, Spec};
use crate::rollout::{NoHook, Plan, Predictions, StepHook, Steps, rollout};
use crate::score::{Metric, Tally};
use crate::values::{Reader, of_stage};

/// How many samples are run before somebody may say something.
const FEW: usize = 8;

/// How a network did on a set of samples.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// The algorithm.
    pub algorithm: String,
    /// How many samples there were.
    pub samples: usize,
    /// The size of each.
    pub nodes: usize,
    /// The mean over the outputs, as the reference scores.
    pub score: f64,
    /// The score of each output.
    pub outputs: Vec<ProbeScore>,
    /// The share of samples whose outputs are right to the last place.
    pub exact: f64,
    /// How much of the answers stands up by itself, where more than one answer is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<ValidScore>,
    /// How well hints were predicted, if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<HintScore>,
    /// Every sample by itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub per_sample: Vec<SampleScore>,
}

/// The score of one probe.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProbeScore {
    /// The probe.
    pub probe: String,
    /// What its score is.
    pub metric: Metric,
    /// Its score.
    pub score: f64,
}

/// Answers checked against the problem instead of the reference's answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValidScore {
    /// The share of all parts that are right.
    pub score: f64,
    /// The share of samples whose parts are all right.
    pub whole: f64,
}

/// The score of a hint.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HintScore {
    /// The hint.
    pub probe: String,
    /// What its score is.
    pub metric: Metric,
    /// The mean over steps, weighted by how many samples take them.
    pub score: f64,
    /// The score at each step, from the first prediction on.
    pub along_time: Vec<f64>,
}

/// One sample.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SampleScore {
    /// Its place in the set.
    pub sample: usize,
    /// How many steps the network took.
    pub steps: usize,
    /// The mean over the outputs.
    pub score: f64,
    /// The score of each output.
    pub outputs: Vec<f64>,
    /// Whether everything is right.
    pub exact: bool,
    /// The share of its parts that stand up by themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<f64>,
}

/// What to evaluate beside the outputs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Hints, along time.
    pub hints: bool,
    /// Every sample by itself.
    pub per_sample: bool,
    /// How many steps samples take.
    pub steps: Steps,
}

/// How predictions are fed back when a network is used.
pub fn feedback(config: &Config) -> Feedback {
    match config.hint_repred_mode {
        RepredMode::Soft => Feedback::Soft,
        RepredMode::Hard | RepredMode::HardOnEval => Feedback::Hard,
    }
}

/// Scores a network on samples, as many at once as memory allows. `progress` hears of every batch
/// how many samples it had, and says whether to go on.
pub fn evaluate(
    (net, task, spec, config): (&Net, usize, &Spec, &Config),
    traces: &Traces,
    wanted: Wanted,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Result<Option<Evaluation>> {
    let mut evaluator = Evaluator::new(spec, wanted);
    let mut before = 0;
    let mut progress = |counted: &Counted| {
        let new = counted.samples - before;
        before = counted.samples;
        Ok(progress(new))
    };
    let all = evaluator.add_all((net, task, config), traces, few(), &mut progress)?;
    Ok(all.then(|| evaluator.finish()))
}

/// How many samples are run at once where somebody may want to know how far it is, or to stop: few, but
/// as many as there are threads.
pub(crate) fn few() -> usize {
    rayon::current_num_threads().clamp(FEW, EVALUATION_BATCH)
}

/// What was counted so far. Hints and single samples apart, it is all that another process needs to go on
/// with the next sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// How many samples there were.
    pub samples: usize,
    /// The size of each.
    nodes: usize,
    /// How many are right to the last place.
    exact: usize,
    /// How many stand up by themselves.
    whole: usize,
    /// How many parts of their answers do.
    valid: Option<Validity>,
    /// The outputs, with permutations put back together.
    outputs: Vec<Tally>,
}

impl Counted {
    /// Counts a sample whose outputs are in the tallies already.
    fn add(&mut self, exact: bool, valid: Option<Validity>) {
        self.samples += 1;
        self.exact += usize::from(exact);
        if let Some(valid) = valid {
            let all = self.valid.get_or_insert(Validity { right: 0, of: 0 });
            all.right += valid.right;
            all.of += valid.of;
            self.whole += usize::from(valid.share() == 1.0);
        }
    }
}

/// Collects scores, batch after batch.
pub struct Evaluator<'a> {
    spec: &'a Spec,
    wanted: Wanted,
    /// The outputs, with permutations put back together.
    outputs: Vec<Probe>,
    counted: Counted,
    /// Per hint and step, from the first prediction on: what was counted, and for how many samples.
    hints: Vec<(Probe, Vec<(Tally, usize)>)>,
    per_sample: Vec<SampleScore>,
}

impl<'a> Evaluator<'a> {
    /// Nothing scored yet.
    pub fn new(spec: &'a Spec, wanted: Wanted) -> Self {
        let outputs = of_stage(&spec.probes, Stage::Output);
        let empty = outputs.iter().map(|probe| Column::of(probe, 1)).collect();
        let (outputs, _) = fuse(&outputs, empty);
        let tallies = outputs.iter().map(Tally::new).collect();
        Self {
            spec,
            wanted,
            outputs,
            counted: Counted {
                samples: 0,
                nodes: 0,
                exact: 0,
                whole: 0,
                valid: None,
                outputs: tallies,
            },
            hints: of_stage(&spec.probes, Stage::Hint)
                .into_iter()
                .map(|hint| (hint, vec![]))
                .collect(),
            per_sample: vec![],
        }
    }

    /// Goes on from what was counted before, and returns of how many samples that was; what is of other
    /// outputs does not count.
    pub fn take_up(&mut self, counted: Counted) -> usize {
        let kinds =
            |counted: &Counted| -> Vec<_> { counted.outputs.iter().map(Tally::metric).collect() };
        if kinds(&counted) == kinds(&self.counted) {
            self.counted = counted;
        }
        self.counted.samples
    }

    /// Runs samples and scores them, up to `most` at once if memory allows. `progress` hears after
    /// every batch what is counted by then, and says whether to go on; returns whether it always did.
    pub fn add_all(
        &mut self,
        (net, task, config): (&Net, usize, &Config),
        traces: &Traces,
        most: usize,
        progress: &mut dyn FnMut(&Counted) -> Result<bool>,
    ) -> Result<bool> {
        let plan = self.plan(feedback(config));
        let ahead = Ahead::of((net, task, self.spec, config), traces, &plan, false);
        let samples: Vec<usize> = (0..traces.len()).collect();
        for samples in samples.chunks(ahead.at_once(most)?) {
            self.add(net, task, &traces.select(samples), feedback(config), &mut NoHook);
            if !progress(&self.counted)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Runs a batch and scores it.
    pub fn add(
        &mut self,
        net: &Net,
        task: usize,
        traces: &Traces,
        feedback: Feedback,
        hook: &mut dyn StepHook,
    ) {
        self.score(&rollout(net, task, traces, &self.plan(feedback), hook), traces);
    }

    /// How batches are run.
    pub fn plan(&self, feedback: Feedback) -> Plan {
        Plan {
            steps: self.wanted.steps,
            feedback,
            learning: None,
            keep_hints: self.wanted.hints,
            keep_states: None,
            every_output: false,
        }
    }

    /// Scores what was predicted for a batch.
    pub fn score(&mut self, predictions: &Predictions, traces: &Traces) {
        self.counted.nodes = traces.nodes;
        self.add_outputs(predictions, traces);
        if self.wanted.hints {
            self.add_hints(predictions, traces);
        }
    }

    fn add_outputs(&mut self, predictions: &Predictions, traces: &Traces) {
        let probes = of_stage(&traces.probes, Stage::Output);
        let raw = probes.iter().zip(&predictions.outputs);
        let answers = raw.map(|(probe, raw)| definite(probe, raw.clone(), traces.nodes)).collect();
        let (_, answers) = fuse(&probes, answers);
        let truth = traces.probes.iter().zip(&traces.columns);
        let truth = truth.filter(|(probe, _)| probe.stage == Stage::Output);
        let truth = truth.map(|(_, column)| column.unpacked()).collect();
        let (_, truth) = fuse(&probes, truth);

        for (sample, row) in predictions.rows().into_iter().enumerate() {
            let tallies: Vec<Tally> = self
                .outputs
                .iter()
                .zip(&mut self.counted.outputs)
                .zip(truth.iter().zip(&answers))
                .map(|((probe, all), (truth, answers))| {
                    let mut tally = Tally::new(probe);
                    let (mut truth, mut answer) = (truth.rows_from(sample), answers.rows_from(row));
                    tally.add(one(&mut truth), one(&mut answer));
                    all.merge(&tally);
                    tally
                })
                .collect();
            let valid = self.validity(traces, sample, &answers, row);
            let exact = tallies.iter().all(Tally::is_exact);
            if self.wanted.per_sample {
                let outputs: Vec<f64> = tallies.iter().map(Tally::score).collect();
                self.per_sample.push(SampleScore {
                    sample: self.counted.samples,
                    steps: predictions.steps[row],
                    score: mean(&outputs),
                    outputs,
                    exact,
                    valid: valid.map(Validity::share),
                });
            }
            self.counted.add(exact, valid);
        }
    }

    /// How much of an answer stands up by itself, if more than one can be right.
    fn validity(
        &self,
        traces: &Traces,
        sample: usize,
        answers: &[Column],
        row: usize,
    ) -> Option<Validity> {
        let entry = self.spec.entry;
        if !entry.has_validity() {
            return None;
        }
        let own = |stage| entry.probes.iter().filter(move |probe| probe.stage == stage);
        // Only what the algorithm itself is given: conversions add inputs behind these.
        let inputs = own(Stage::Input).map(|probe| {
            let place = traces.find(Stage::Input, &probe.name).expect("conversions keep inputs");
            one_record(probe, &traces.columns[place], sample, traces.nodes)
        });
        let outputs = own(Stage::Output).zip(answers);
        let outputs = outputs.map(|(probe, column)| one_record(probe, column, row, traces.nodes));
        entry.validity(traces.nodes, &inputs.collect::<Vec<_>>(), &outputs.collect::<Vec<_>>(), 0)
    }

    fn add_hints(&mut self, predictions: &Predictions, traces: &Traces) {
        let order = &predictions.order;
        let mut reader = Reader::new(traces, Stage::Hint, order);
        if !predictions.hints.is_empty() {
            reader.next(order.len());
        }
        for (step, raw) in predictions.hints.iter().enumerate() {
            let known = predictions.comparable(step, traces);
            if known == 0 {
                break;
            }
            let truth = reader.next_rows(known);
            for (((probe, tallies), raw), truth) in self.hints.iter_mut().zip(raw).zip(&truth) {
                if tallies.len() <= step {
                    tallies.push((Tally::new(probe), 0));
                }
                let answers = definite(probe, raw.clone().narrow(0, 0, known), traces.nodes);
                let (mut truth, mut answers) = (truth.rows_from(0), answers.rows_from(0));
                for _ in 0..known {
                    tallies[step].0.add(one(&mut truth), one(&mut answers));
                }
                tallies[step].1 += known;
            }
        }
    }

    /// The scores of everything together.
    pub fn finish(self) -> Evaluation {
        let Counted { samples, nodes, exact, whole, valid, outputs } = self.counted;
        let share = |count: usize| count as f64 / samples.max(1) as f64;
        let outputs: Vec<ProbeScore> = self
            .outputs
            .iter()
            .zip(&outputs)
            .map(|(probe, tally)| ProbeScore {
                probe: probe.name.to_string(),
                metric: tally.metric(),
                score: tally.score(),
            })
            .collect();
        let scores: Vec<f64> = outputs.iter().map(|output| output.score).collect();
        Evaluation {
            algorithm: self.spec.entry.name.to_owned(),
            samples,
            nodes,
            score: mean(&scores),
            outputs,
            exact: share(exact),
            valid: valid.map(|valid| ValidScore { score: valid.share(), whole: share(whole) }),
            hints: if self.wanted.hints {
                self.hints.iter().map(hint_score).collect()
            } else {
                vec![]
            },
            per_sample: self.per_sample,
        }
    }
}

fn hint_score((probe, steps): &(Probe, Vec<(Tally, usize)>)) -> HintScore {
    let along_time: Vec<f64> = steps.iter().map(|(tally, _)| tally.score()).collect();
    let all: usize = steps.iter().map(|(_, samples)| samples).sum();
    let weighted = steps.iter().map(|(tally, samples)| tally.score() * *samples as f64);
    HintScore {
        probe: probe.name.to_string(),
        metric: Tally::new(probe).metric(),
        score: weighted.sum::<f64>() / all.max(1) as f64,
        along_time,
    }
}

fn one_record(probe: &Probe, column: &Column, record: usize, nodes: usize) -> Column {
    let mut single = Column::of(probe, nodes);
    single.push(one(&mut column.rows_from(record)));
    single
}

fn one<'a>(rows: &'a mut ColumnRows<'_>) -> Row<'a> {
    rows.next_row().expect("a record per sample")
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
