//! What a network predicts for one sample, beside the answer of the algorithm.

use narscope_clrs::column::Column;
use narscope_clrs::kind::Choices;
use narscope_clrs::probe::{Location, Probe, Stage};
use narscope_clrs::trace::Traces;
use narscope_model::rollout::NoHook;
use narscope_model::trajectory::RecordOptions;
use serde::{Serialize, Serializer};

use crate::Result;
use crate::analysed::AnalysedModel;
use crate::own::OwnSample;
use crate::pointers::path_lengths;

/// What a network predicts for one sample, beside the answer of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// What the sample is called.
    pub instance: String,
    /// The algorithm.
    pub algorithm: &'static str,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of steps of the network.
    pub steps: usize,
    /// Names of the nodes; empty if they have none.
    pub names: Vec<String>,
    /// Whether edges have a direction, if the sample is a graph.
    pub directed: Option<bool>,
    /// What weights were divided by for the network.
    pub divisor: f64,
    /// Each output.
    pub outputs: Vec<Output>,
    /// Paths from the source, if the outputs are shortest paths: in the user's unit.
    pub paths: Option<PathLengths>,
    /// Share of the outputs' values that are right, as `evaluate` counts them.
    pub score: f64,
    /// Whether the answer is correct, though it may not be the algorithm's own, where that can be decided.
    pub valid: Option<bool>,
}

/// One output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// What it means.
    pub meaning: &'static str,
    /// Whether there is a value per node, per pair of nodes, or one.
    pub location: Location,
    /// What the network predicts.
    pub predicted: Vec<Item>,
    /// What the algorithm answers.
    pub right: Vec<Item>,
}

impl Output {
    /// Indices of the values that are wrong.
    pub fn wrong(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.right.len())
            .filter(|&i| self.right[i] != Item::Ignored && self.predicted[i] != self.right[i])
    }

    /// Number of values that count.
    pub fn counted(&self) -> usize {
        self.right.iter().filter(|&&item| item != Item::Ignored).count()
    }
}

/// Lengths of paths from the source.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathLengths {
    /// The source.
    pub source: usize,
    /// Along the predicted predecessors; `None` if they do not lead to the source.
    pub predicted: Vec<Option<f64>>,
    /// Of the shortest paths; `None` for nodes that cannot be reached.
    pub right: Vec<Option<f64>>,
}

/// A value of an output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Item {
    /// A number.
    Number(f64),
    /// Yes or no.
    Mask(bool),
    /// One of several classes.
    Class(&'static str),
    /// A node.
    Node(usize),
    /// A value that does not count.
    Ignored,
}

/// As a plain value.
impl Serialize for Item {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Number(value) => serializer.serialize_f64(value),
            Self::Mask(value) => serializer.serialize_bool(value),
            Self::Class(name) => serializer.serialize_str(name),
            Self::Node(node) => serializer.serialize_u64(node as u64),
            Self::Ignored => serializer.serialize_none(),
        }
    }
}

impl Prediction {
    /// Runs a network on a sample.
    pub fn new(model: &AnalysedModel, own: &OwnSample) -> Result<Self> {
        let OwnSample { traces, name, reading, divisor } = own;
        let options = RecordOptions::default();
        let all = model.record(traces, options, &mut NoHook, &mut |_| true)?;
        let outputs = all.truth.probes.iter().filter(|probe| probe.stage == Stage::Output);
        let outputs = outputs.map(|probe| Output {
            name: probe.name.clone().into_owned(),
            meaning: probe.meaning,
            location: probe.location,
            predicted: items(&all.predicted, probe),
            right: items(&all.truth, probe),
        });
        let outputs: Vec<Output> = outputs.collect();
        let evaluation = model.evaluate(traces, &mut |_| true)?;
        Ok(Self {
            instance: name.clone(),
            algorithm: model.spec().entry.name,
            nodes: traces.nodes,
            steps: options.steps.of(traces.steps(0)),
            names: reading.names.clone(),
            directed: own.is_directed(),
            divisor: *divisor,
            paths: paths(&all.truth, &outputs, *divisor),
            outputs,
            score: evaluation.score,
            valid: evaluation.valid.map(|valid| valid.whole == 1.0),
        })
    }

    /// What a node is called.
    pub fn label(&self, node: usize) -> String {
        self.names.get(node).cloned().unwrap_or_else(|| node.to_string())
    }
}

/// The values of an output of the only run.
fn items(traces: &Traces, probe: &Probe) -> Vec<Item> {
    let place = traces.find(Stage::Output, &probe.name).expect("outputs are predicted");
    let info = traces.probes[place].kind.info();
    let class = |code: i8| match (info.choices, code) {
        (_, ..0) => Item::Ignored,
        (Choices::One, code) => Item::Mask(code == 1),
        (_, code) => Item::Class(probe.classes[code as usize]),
    };
    match traces.columns[place].unpacked() {
        Column::Real(values) => values.plain().iter().map(|&value| Item::Number(value)).collect(),
        Column::Class(codes) => codes.plain().iter().map(|&code| class(code)).collect(),
        Column::Index(nodes) => {
            let nodes = nodes.plain().iter().map(|&node| node as usize);
            if info.selects_location {
                // One marked node of several, written as a mask.
                let marked: Vec<usize> = nodes.collect();
                (0..traces.nodes).map(|node| Item::Mask(marked.contains(&node))).collect()
            } else {
                nodes.map(Item::Node).collect()
            }
        }
    }
}

/// Paths from the source `s` along the pointers `pi`, if the hints have their lengths `d`.
fn paths(truth: &Traces, outputs: &[Output], divisor: f64) -> Option<PathLengths> {
    truth.find(Stage::Hint, "d")?;
    let source = truth.columns[truth.find(Stage::Input, "s")?].unpacked();
    let Column::Index(source) = source else { return None };
    let source = *source.plain().first()? as usize;
    let Column::Real(weights) = truth.columns[truth.find(Stage::Input, "A")?].unpacked() else {
        return None;
    };
    let weights: Vec<f64> = weights.plain().iter().map(|weight| weight * divisor).collect();
    let output = outputs.iter().find(|output| output.name == "pi")?;
    let lengths = |items: &[Item]| {
        let nodes = items.iter().map(|item| match item {
            Item::Node(node) => Some(*node),
            _ => None,
        });
        Some(path_lengths(source, &nodes.collect::<Option<Vec<usize>>>()?, &weights))
    };
    let (predicted, right) = (lengths(&output.predicted)?, lengths(&output.right)?);
    Some(PathLengths { source, predicted, right })
}
