//! Evaluation: scores of predictions over many samples.

use narscope_clrs::column::{Column, ColumnRows, Row};
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;
use narscope_clrs::validity::Validity;
use serde::{Deserialize, Serialize};

use crate::engine::Losses;
use crate::loss::LossSums;
use crate::postprocess::{merge_permutations, postprocess};
use crate::rollout::{Predictions, Steps};
use crate::score::{Metric, Tally};
use crate::spec::Spec;
use crate::values::{Reader, of_stage};

/// Scores of a network on a set of samples.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// The algorithm.
    pub algorithm: String,
    /// Number of samples.
    pub samples: usize,
    /// Nodes of each sample.
    pub nodes: usize,
    /// Mean over the outputs, as in the reference.
    pub score: f64,
    /// Score of each output.
    pub outputs: Vec<ProbeScore>,
    /// Fraction of samples whose outputs are right at every location.
    pub exact: f64,
    /// Scores against the problem itself, for algorithms with several correct answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<ValidScore>,
    /// Scores of hints, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<HintScore>,
    /// Scores of each sample, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub per_sample: Vec<SampleScore>,
    /// Losses, if requested.
    #[serde(skip)]
    pub losses: Option<Losses>,
}

/// Score of one probe.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProbeScore {
    /// The probe.
    pub probe: String,
    /// Its metric.
    pub metric: Metric,
    /// Its score.
    pub score: f64,
}

/// Answers checked against the problem instead of the algorithm's own answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValidScore {
    /// Fraction of all parts that are correct.
    pub score: f64,
    /// Fraction of samples whose parts are all correct.
    pub whole: f64,
}

/// Score of one hint.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HintScore {
    /// The hint.
    pub probe: String,
    /// Its metric.
    pub metric: Metric,
    /// Mean over steps, weighted by the number of samples that take them.
    pub score: f64,
    /// Score at each step, from the first prediction on.
    pub along_time: Vec<f64>,
}

/// Scores of one sample.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SampleScore {
    /// Its index in the set.
    pub sample: usize,
    /// Number of steps of the network.
    pub steps: usize,
    /// Mean over the outputs.
    pub score: f64,
    /// Score of each output.
    pub outputs: Vec<f64>,
    /// Whether every location of every output is right.
    pub exact: bool,
    /// Fraction of its parts that are correct by the problem itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<f64>,
}

/// What is scored in addition to the outputs, and how samples are run.
#[derive(Clone, Copy, Debug, Default)]
pub struct EvaluateOptions {
    /// Score hints at every step.
    pub hints: bool,
    /// Score every sample separately.
    pub per_sample: bool,
    /// Compute the losses of outputs and of predicted hints.
    pub losses: bool,
    /// Number of steps of each sample.
    pub steps: Steps,
}

/// Counts of an evaluation in progress. Apart from hints, losses and single samples, it is all that another
/// process needs to continue with the next sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartialEvaluation {
    /// Number of samples.
    pub samples: usize,
    /// Nodes of each sample.
    nodes: usize,
    /// Samples that are right at every location.
    exact: usize,
    /// Samples that are correct by the problem itself.
    whole: usize,
    /// Parts of answers that are correct by the problem itself.
    valid: Option<Validity>,
    /// The outputs, with permutations merged.
    outputs: Vec<Tally>,
}

impl PartialEvaluation {
    /// Counts a sample whose outputs are already in the tallies.
    fn add(&mut self, exact: bool, valid: Option<Validity>) {
        self.samples += 1;
        self.exact += usize::from(exact);
        if let Some(valid) = valid {
            let all = self.valid.get_or_insert(Validity { correct: 0, total: 0 });
            all.correct += valid.correct;
            all.total += valid.total;
            self.whole += usize::from(valid.fraction() == 1.0);
        }
    }
}

/// Accumulates scores batch by batch.
pub struct Evaluator<'a> {
    spec: &'a Spec,
    options: EvaluateOptions,
    /// The outputs, with permutations merged.
    outputs: Vec<Probe>,
    counted: PartialEvaluation,
    /// Per hint and step, from the first prediction on: the tally and the number of samples.
    hints: Vec<(Probe, Vec<(Tally, usize)>)>,
    per_sample: Vec<SampleScore>,
    losses: Option<LossSums>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator without samples.
    pub fn new(spec: &'a Spec, options: EvaluateOptions) -> Self {
        let outputs = of_stage(&spec.probes, Stage::Output);
        let empty = outputs.iter().map(|probe| Column::of(probe, 1)).collect();
        let (outputs, _) = merge_permutations(&outputs, empty);
        let tallies = outputs.iter().map(Tally::new).collect();
        Self {
            spec,
            options,
            outputs,
            counted: PartialEvaluation {
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
            losses: options.losses.then(|| LossSums::new(spec)),
        }
    }

    /// Continues an earlier evaluation of the same outputs, and returns its number of samples. An
    /// evaluation of other outputs is ignored.
    pub fn resume(&mut self, counted: PartialEvaluation) -> usize {
        let kinds = |counted: &PartialEvaluation| -> Vec<_> {
            counted.outputs.iter().map(Tally::metric).collect()
        };
        if kinds(&counted) == kinds(&self.counted) {
            self.counted = counted;
        }
        self.counted.samples
    }

    /// The counts so far.
    pub fn counted(&self) -> &PartialEvaluation {
        &self.counted
    }

    /// What is scored, and how samples are run.
    pub fn options(&self) -> EvaluateOptions {
        self.options
    }

    /// Adds the scores of the predictions for a batch.
    pub fn score(&mut self, predictions: &Predictions, traces: &Traces) {
        self.counted.nodes = traces.nodes;
        self.add_outputs(predictions, traces);
        if self.options.hints {
            self.add_hints(predictions, traces);
        }
        if let Some(losses) = &mut self.losses {
            losses.add(predictions, traces);
        }
    }

    fn add_outputs(&mut self, predictions: &Predictions, traces: &Traces) {
        let probes = of_stage(&traces.probes, Stage::Output);
        let raw = probes.iter().zip(&predictions.outputs);
        let answers =
            raw.map(|(probe, raw)| postprocess(probe, &raw.values, traces.nodes)).collect();
        let (_, answers) = merge_permutations(&probes, answers);
        let truth = traces.probes.iter().zip(&traces.columns);
        let truth = truth.filter(|(probe, _)| probe.stage == Stage::Output);
        let truth = truth.map(|(_, column)| column.unpacked()).collect();
        let (_, truth) = merge_permutations(&probes, truth);

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
            if self.options.per_sample {
                let outputs: Vec<f64> = tallies.iter().map(Tally::score).collect();
                self.per_sample.push(SampleScore {
                    sample: self.counted.samples,
                    steps: predictions.steps[row],
                    score: mean(&outputs),
                    outputs,
                    exact,
                    valid: valid.map(Validity::fraction),
                });
            }
            self.counted.add(exact, valid);
        }
    }

    /// How much of an answer is correct by the problem itself, if several answers can be.
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
        // Only the inputs of the algorithm itself: conversions append others.
        let inputs = own(Stage::Input).map(|probe| {
            let index = traces.find(Stage::Input, &probe.name).expect("conversions keep inputs");
            one_record(probe, &traces.columns[index], sample, traces.nodes)
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
                let answers = postprocess(probe, raw.first(known), traces.nodes);
                let (mut truth, mut answers) = (truth.rows_from(0), answers.rows_from(0));
                for _ in 0..known {
                    tallies[step].0.add(one(&mut truth), one(&mut answers));
                }
                tallies[step].1 += known;
            }
        }
    }

    /// The scores of all samples.
    pub fn finish(self) -> Evaluation {
        let PartialEvaluation { samples, nodes, exact, whole, valid, outputs } = self.counted;
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
            valid: valid.map(|valid| ValidScore { score: valid.fraction(), whole: share(whole) }),
            hints: if self.options.hints {
                self.hints.iter().map(hint_score).collect()
            } else {
                vec![]
            },
            per_sample: self.per_sample,
            losses: self.losses.map(LossSums::finish),
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
