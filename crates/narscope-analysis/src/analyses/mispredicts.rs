//! Errors of the network: near-ties, and whether they were correct earlier (section 4 of the paper).

use narscope_clrs::column::Column;
use narscope_clrs::probe::Stage;
use narscope_clrs::trace::Traces;
use narscope_clrs::{algorithms, variants};
use narscope_model::trajectory::Trajectories;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::context::Context;
use crate::histogram::{Histogram, auc, median};
use crate::pointers::{Paths, Pointers, pointer_output};
use crate::rollouts::Rollouts;
use crate::{Error, Result};

/// Errors of the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mispredicts {
    /// Number of graphs.
    pub graphs: usize,
    /// Number of nodes of each.
    pub nodes: usize,
    /// The analysed output.
    pub output: String,
    /// Agreement between the network, the algorithm and its faulty variants, if it has any.
    pub agreement: Option<Agreement>,
    /// Correctness of nodes over the steps.
    pub history: History,
    /// Margins of the best path, for shortest-path algorithms.
    pub margins: Option<Margins>,
}

/// How often two methods give the same output for a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Names of the methods.
    pub names: Vec<String>,
    /// Share of nodes, for each pair of methods.
    pub shares: Vec<Vec<f64>>,
}

/// Correctness of nodes over the steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// Share of nodes that are correct at the end.
    pub right: f64,
    /// Share of nodes that are wrong at the end but were correct before.
    pub was_right: f64,
    /// Share of nodes that were never correct.
    pub never_right: f64,
    /// Mean number of changes of a node's prediction from one step to the next.
    pub flips: f64,
    /// Share of correct nodes 0, 1, 2, … steps before the end.
    pub right_before_end: Vec<f64>,
}

/// Margins between paths: the predecessor of a node decides between paths of known lengths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Margins {
    /// Margin: length of the second-best path minus that of the best, for correct and wrong nodes.
    pub histogram: Histogram,
    /// Median margin of correct nodes.
    pub median_right: Option<f64>,
    /// Median margin of wrong nodes.
    pub median_wrong: Option<f64>,
    /// AUC of a small margin as a predictor of wrong nodes: 1/2 for no information.
    pub auc: Option<f64>,
    /// Median excess length of the chosen path over the best, for wrong nodes that point along an edge.
    pub median_regret: Option<f64>,
    /// Share of wrong nodes that do not point along an edge.
    pub no_path: f64,
}

impl Analysis for Mispredicts {
    const NAME: &'static str = "mispredicts";
    const QUESTION: &'static str =
        "Are errors near-ties, and were they correct at an earlier step?";
    const PAPER: &'static str = "Figure 4, section 4";

    fn run(context: &Context<'_>) -> Result<Self> {
        let spec = context.model(Self::NAME)?.spec();
        if pointer_output(&spec.probes).is_none() {
            return Err(no_pointers(Self::NAME));
        }
        let rollouts = Rollouts::with_outputs(context, Self::NAME)?;
        let answers = Answers::of(&rollouts, Self::NAME)?;
        let (all, truth) = (&rollouts.all, &rollouts.all.truth);
        Ok(Self {
            graphs: all.len(),
            nodes: truth.nodes,
            output: answers.output.clone(),
            agreement: answers.agreement(spec.entry.name, truth)?,
            history: answers.history(&rollouts),
            margins: Paths::of(all)
                .map(|paths| Margins::of(all, &paths, &answers.right, &answers.predicted)),
        })
    }

    fn sentence(&self) -> String {
        let History { right, was_right, never_right, .. } = self.history;
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let sentence = format!(
            "{} of nodes are correct at the end; {} were correct before but are wrong at the end, {} were never correct.",
            percent(right),
            percent(was_right),
            percent(never_right)
        );
        match self.margins {
            Some(Margins { median_right: Some(right), median_wrong: Some(wrong), .. }) => format!(
                "{sentence} The median margin between the best and the second-best path is {wrong:.3} for wrong nodes and {right:.3} for correct ones."
            ),
            _ => sentence,
        }
    }

    fn measures(&self) -> Vec<Measure> {
        let History { right, was_right, never_right, flips, .. } = self.history;
        let mut measures = vec![
            Measure::share("right", "nodes that are right", right),
            Measure::share("was_right", "wrong nodes that were right before", was_right),
            Measure::share("never_right", "nodes that never were right", never_right),
            Measure::number("flips", "changes of an answer per node", flips),
        ];
        if let Some(Agreement { names, shares }) = &self.agreement {
            for (name, share) in names.iter().zip(&shares[0]).skip(1) {
                let key = format!("agrees_with_{}", name.replace([' ', '-'], "_").to_lowercase());
                measures.push(Measure::share(key, format!("agrees with {name}"), *share));
            }
        }
        if let Some(margins) = &self.margins {
            let all = [
                ("margin_right", "margin of the best path, right nodes", margins.median_right),
                ("margin_wrong", "margin of the best path, wrong nodes", margins.median_wrong),
                ("margin_auc", "how well a small margin tells wrong nodes (AUC)", margins.auc),
                (
                    "regret",
                    "how much longer the chosen path is, wrong nodes",
                    margins.median_regret,
                ),
            ];
            for (key, label, value) in all {
                measures.extend(value.map(|value| Measure::number(key, label, value)));
            }
        }
        measures
    }
}

fn no_pointers(analysis: &'static str) -> Error {
    let needed = "an output with a pointer per node";
    Error::unsuitable(analysis, needed, "this algorithm has none")
}

/// The true pointers and those of the network.
pub(crate) struct Answers {
    /// The output that they are.
    output: String,
    right: Pointers,
    /// After every step.
    along: Pointers,
    /// At the end of the algorithm.
    predicted: Pointers,
}

impl Answers {
    /// From rollouts with the outputs of every step.
    pub(crate) fn of(rollouts: &Rollouts, analysis: &'static str) -> Result<Self> {
        let truth = &rollouts.all.truth;
        let found = pointer_output(&truth.probes);
        let (place, probe) = found.ok_or_else(|| no_pointers(analysis))?;
        let along = Pointers::of(&rollouts.all.every_output[place], truth.nodes);
        let ends = rollouts.steps.iter().enumerate();
        let predicted =
            along.select(ends.map(|(sample, &steps)| rollouts.outputs().record(sample, steps - 1)));
        let right = column(truth, &probe.name);
        Ok(Self { output: probe.name.to_string(), right, along, predicted })
    }

    /// Agreement with the algorithm and its faulty variants, if it has any.
    pub(crate) fn agreement(&self, algorithm: &str, truth: &Traces) -> Result<Option<Agreement>> {
        agreement(algorithm, truth, &self.output, &self.right, &self.predicted)
    }

    /// Correctness of nodes over the steps.
    pub(crate) fn history(&self, rollouts: &Rollouts) -> History {
        History::of(rollouts, &self.right, &self.along)
    }
}

fn column(traces: &Traces, name: &str) -> Pointers {
    let place = traces.find(Stage::Output, name).expect("an output of the algorithm");
    Pointers::of(&traces.columns[place], traces.nodes)
}

/// Agreement between the network, the algorithm and each of its faulty variants.
fn agreement(
    algorithm: &str,
    truth: &Traces,
    output: &str,
    right: &Pointers,
    predicted: &Pointers,
) -> Result<Option<Agreement>> {
    let prefix = format!("{algorithm}:");
    let faulty: Vec<_> =
        variants::all().filter(|variant| variant.name.starts_with(&prefix)).collect();
    if faulty.is_empty() {
        return Ok(None);
    }
    let entry = algorithms::find(algorithm)?;
    let own = entry.probes.iter().filter(|probe| probe.stage == Stage::Input);
    let inputs: Vec<Column> = own
        .map(|probe| {
            let place = truth.find(Stage::Input, &probe.name).expect("conversions keep inputs");
            truth.columns[place].clone()
        })
        .collect();
    let mut names = vec!["network".to_owned(), algorithm.to_owned()];
    names.extend(faulty.iter().map(|variant| variant.name[prefix.len()..].to_owned()));
    let mut counts = vec![vec![0usize; names.len()]; names.len()];
    for sample in 0..truth.len() {
        let others = faulty.iter().map(|variant| {
            let trace = variant.replay(truth.nodes, &inputs, sample)?;
            Ok(column(&trace, output).get(0).to_vec())
        });
        let others: Vec<Vec<u32>> = others.collect::<Result<_>>()?;
        let mut answers = vec![predicted.get(sample).to_vec(), right.get(sample).to_vec()];
        answers.extend(others);
        for (counts, a) in counts.iter_mut().zip(&answers) {
            for (count, b) in counts.iter_mut().zip(&answers) {
                *count += a.iter().zip(b).filter(|(a, b)| a == b).count();
            }
        }
    }
    let all = (truth.len() * truth.nodes) as f64;
    let shares = counts.iter().map(|row| row.iter().map(|&count| count as f64 / all).collect());
    Ok(Some(Agreement { names, shares: shares.collect() }))
}

impl History {
    fn of(rollouts: &Rollouts, right: &Pointers, along: &Pointers) -> Self {
        let (nodes, outputs) = (rollouts.all.truth.nodes, rollouts.outputs());
        let (mut at_end, mut before, mut never, mut flips) = (0, 0, 0, 0);
        let mut by_distance: Vec<(usize, usize)> = vec![];
        for (sample, &steps) in rollouts.steps.iter().enumerate() {
            let truth = right.get(sample);
            let after = |step: usize| along.get(outputs.record(sample, step));
            for node in 0..nodes {
                let predicted = |step: usize| after(step)[node];
                let is_right = predicted(steps - 1) == truth[node];
                let ever = (0..steps).any(|step| predicted(step) == truth[node]);
                at_end += usize::from(is_right);
                before += usize::from(ever && !is_right);
                never += usize::from(!ever);
                flips += (1..steps).filter(|&step| predicted(step) != predicted(step - 1)).count();
            }
            by_distance.resize(by_distance.len().max(steps), (0, 0));
            for step in 0..steps {
                let predicted = after(step);
                let (hits, of) = &mut by_distance[steps - 1 - step];
                *hits += predicted.iter().zip(truth).filter(|(a, b)| a == b).count();
                *of += nodes;
            }
        }
        let share = |count: usize| count as f64 / (rollouts.steps.len() * nodes).max(1) as f64;
        Self {
            right: share(at_end),
            was_right: share(before),
            never_right: share(never),
            flips: share(flips),
            right_before_end: by_distance
                .iter()
                .map(|&(hits, of)| hits as f64 / of as f64)
                .collect(),
        }
    }
}

impl Margins {
    fn of(all: &Trajectories, paths: &Paths, right: &Pointers, predicted: &Pointers) -> Self {
        let nodes = all.truth.nodes;
        let mut histogram = Histogram::new(0.0, 0.02, 25);
        let (mut of_right, mut of_wrong, mut regrets) = (vec![], vec![], vec![]);
        let mut no_path = 0;
        for sample in 0..all.len() {
            let (weights, distances) = (paths.weights(sample), paths.distances(all, sample));
            let (truth, answer) = (right.get(sample), predicted.get(sample));
            let source = paths.source(sample);
            for node in (0..nodes).filter(|&node| node != source) {
                let through = |u: usize| {
                    let weight = weights[u * nodes + node];
                    // Lengths may be negative or zero; a node that is not reachable points to itself.
                    let reached = u != node && (truth[u] as usize != u || u == source);
                    (weight != 0.0 && reached).then(|| distances[u] + weight)
                };
                let mut best = [f64::INFINITY; 2];
                for length in (0..nodes).filter_map(through) {
                    if length < best[0] {
                        best = [length, best[0]];
                    } else if length < best[1] {
                        best[1] = length;
                    }
                }
                let is_right = truth[node] == answer[node];
                if best[1].is_finite() {
                    let margin = best[1] - best[0];
                    histogram.add(margin, is_right);
                    if is_right { &mut of_right } else { &mut of_wrong }.push(margin);
                }
                if !is_right {
                    match through(answer[node] as usize) {
                        Some(length) => regrets.push(length - best[0]),
                        None => no_path += 1,
                    }
                }
            }
        }
        let wrong = regrets.len() + no_path;
        let negated = |margins: &[f64]| -> Vec<f64> { margins.iter().map(|x| -x).collect() };
        Self {
            histogram,
            median_right: median(&of_right),
            median_wrong: median(&of_wrong),
            auc: auc(&negated(&of_right), &negated(&of_wrong)),
            median_regret: median(&regrets),
            no_path: no_path as f64 / wrong.max(1) as f64,
        }
    }
}
