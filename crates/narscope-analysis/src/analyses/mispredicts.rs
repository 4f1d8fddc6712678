//! What wrong answers are like (section 4 of the paper).

use narscope_clrs::column::Column;
use narscope_clrs::probe::Stage;
use narscope_clrs::trace::Traces;
use narscope_clrs::{algorithms, variants};
use narscope_model::trajectory::Trajectories;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::histogram::{Histogram, auc, median};
use crate::pointers::{Paths, Pointers, pointer_output};
use crate::runs::Runs;
use crate::study::Study;
use crate::{Error, Result};

/// What wrong answers are like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mispredicts {
    /// How many graphs there were.
    pub graphs: usize,
    /// How many nodes each has.
    pub nodes: usize,
    /// The output that is looked at.
    pub output: String,
    /// How often the network, the algorithm and its faulty variants agree, if there are any.
    pub agreement: Option<Agreement>,
    /// When nodes were right.
    pub history: History,
    /// How near a miss it was, for shortest paths.
    pub margins: Option<Margins>,
}

/// How often any two of several answer a node alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Who they are.
    pub names: Vec<String>,
    /// The share of nodes, for each pair.
    pub shares: Vec<Vec<f64>>,
}

/// When nodes were right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// The share of nodes that are right at the end.
    pub right: f64,
    /// The share that is wrong at the end, and was right before.
    pub was_right: f64,
    /// The share that never was right.
    pub never_right: f64,
    /// How often an answer changes from one step to the next, per node.
    pub flips: f64,
    /// The share of nodes that are right as many steps before the end: first the last step.
    pub right_before_end: Vec<f64>,
}

/// How near misses are: a node's parent is chosen among paths of known lengths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Margins {
    /// How much longer the second best path is than the best, for right and wrong nodes.
    pub histogram: Histogram,
    /// Its median for nodes that are right.
    pub median_right: Option<f64>,
    /// The same for wrong ones.
    pub median_wrong: Option<f64>,
    /// How well a small margin tells wrong nodes from right ones: 1/2 if not at all.
    pub auc: Option<f64>,
    /// How much longer the chosen path is than the best, for wrong nodes that chose a path at all.
    pub median_regret: Option<f64>,
    /// The share of wrong nodes that point along no edge.
    pub no_path: f64,
}

impl Analysis for Mispredicts {
    const NAME: &'static str = "mispredicts";
    const QUESTION: &'static str = "What are wrong answers like, and were they ever right?";
    const PAPER: &'static str = "Figure 4, section 4";

    fn of(study: &Study<'_>) -> Result<Self> {
        let spec = study.subject(Self::NAME)?.spec();
        let Some((place, probe)) = pointer_output(&spec.probes) else {
            let wanted = "an output that points from nodes to nodes";
            return Err(Error::unsuitable(Self::NAME, wanted, "this algorithm has none"));
        };
        let runs = Runs::with_answers(study, Self::NAME)?;
        let (all, truth) = (&runs.all, &runs.all.truth);
        let right = column(truth, &probe.name);
        let along = Pointers::of(&all.every_output[place], truth.nodes);
        let ends = runs.steps.iter().enumerate();
        let said =
            along.select(ends.map(|(sample, &steps)| runs.answers().record(sample, steps - 1)));
        Ok(Self {
            graphs: all.len(),
            nodes: truth.nodes,
            output: probe.name.to_string(),
            agreement: agreement(spec.entry.name, truth, &probe.name, &right, &said)?,
            history: History::of(&runs, &right, &along),
            margins: Paths::of(all).map(|paths| Margins::of(all, &paths, &right, &said)),
        })
    }

    fn sentence(&self) -> String {
        let History { right, was_right, never_right, .. } = self.history;
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let sentence = format!(
            "{} of nodes are right at the end; {} were right before and are not any more, {} never were.",
            percent(right),
            percent(was_right),
            percent(never_right)
        );
        match self.margins {
            Some(Margins { median_right: Some(right), median_wrong: Some(wrong), .. }) => format!(
                "{sentence} The second best path is {wrong:.3} longer where the answer is wrong, {right:.3} where it is right (medians)."
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

fn column(traces: &Traces, name: &str) -> Pointers {
    let place = traces.find(Stage::Output, name).expect("an output of the algorithm");
    Pointers::of(&traces.columns[place], traces.nodes)
}

/// How often the network, the algorithm and each of its faulty variants agree.
fn agreement(
    algorithm: &str,
    truth: &Traces,
    output: &str,
    right: &Pointers,
    said: &Pointers,
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
            let trace = variant.replay(truth.nodes, &inputs, sample);
            column(&trace, output).get(0).to_vec()
        });
        let mut answers = vec![said.get(sample).to_vec(), right.get(sample).to_vec()];
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
    fn of(runs: &Runs, right: &Pointers, along: &Pointers) -> Self {
        let (nodes, answers) = (runs.all.truth.nodes, runs.answers());
        let (mut at_end, mut before, mut never, mut flips) = (0, 0, 0, 0);
        let mut by_distance: Vec<(usize, usize)> = vec![];
        for (sample, &steps) in runs.steps.iter().enumerate() {
            let truth = right.get(sample);
            let after = |step: usize| along.get(answers.record(sample, step));
            for node in 0..nodes {
                let said = |step: usize| after(step)[node];
                let is_right = said(steps - 1) == truth[node];
                let ever = (0..steps).any(|step| said(step) == truth[node]);
                at_end += usize::from(is_right);
                before += usize::from(ever && !is_right);
                never += usize::from(!ever);
                flips += (1..steps).filter(|&step| said(step) != said(step - 1)).count();
            }
            by_distance.resize(by_distance.len().max(steps), (0, 0));
            for step in 0..steps {
                let said = after(step);
                let (hits, of) = &mut by_distance[steps - 1 - step];
                *hits += said.iter().zip(truth).filter(|(said, truth)| said == truth).count();
                *of += nodes;
            }
        }
        let share = |count: usize| count as f64 / (runs.steps.len() * nodes).max(1) as f64;
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
    fn of(all: &Trajectories, paths: &Paths, right: &Pointers, said: &Pointers) -> Self {
        let nodes = all.truth.nodes;
        let mut histogram = Histogram::new(0.0, 0.02, 25);
        let (mut of_right, mut of_wrong, mut regrets) = (vec![], vec![], vec![]);
        let mut no_path = 0;
        for sample in 0..all.len() {
            let (weights, distances) = (paths.weights(sample), paths.distances(all, sample));
            let (truth, answer) = (right.get(sample), said.get(sample));
            let source = paths.source(sample);
            for node in (0..nodes).filter(|&node| node != source) {
                let through = |u: usize| {
                    let weight = weights[u * nodes + node];
                    // Lengths may be negative or zero; who has no way points to itself.
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
