//! One execution step by step: predictions for each node of a small graph (appendix E of the paper).

use narscope_clrs::options::{Direction, Options};
use narscope_clrs::probe::Stage;
use narscope_model::pooling::Pooling;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::Result;
use crate::context::{Context, Request};
use crate::own::OwnSample;
use crate::pointers::{Paths, Pointers, path_lengths, pointer_output};

/// Number of nodes of the graph, as in the paper.
const NODES: usize = 10;
/// Number of graphs among which one with an error is searched.
const TRIED: usize = 200;

/// One execution step by step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Walkthrough {
    /// Index of the graph among those searched.
    pub graph: usize,
    /// The source node.
    pub source: usize,
    /// Edges: two nodes and the weight; each pair once, or each direction if the graph is directed.
    pub edges: Vec<(usize, usize, f64)>,
    /// True predecessor of each node.
    pub truth: Vec<usize>,
    /// True distance of each node.
    pub distances: Vec<f64>,
    /// Predictions after each step.
    pub steps: Vec<WalkStep>,
    /// Names of the nodes; empty if they have none.
    #[serde(default)]
    pub names: Vec<String>,
    /// Whether edges have a direction.
    #[serde(default)]
    pub directed: bool,
    /// What the graph is called; empty for a random one.
    #[serde(default)]
    pub instance: String,
    /// Length of the path along the predicted predecessors at the end; `None` if it does not lead to the source.
    /// Empty in answers of earlier versions.
    #[serde(default)]
    pub predicted_paths: Vec<Option<f64>>,
}

/// Predictions after one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WalkStep {
    /// Predicted predecessor of each node.
    pub pointers: Vec<usize>,
    /// Predicted distance of each node.
    pub distances: Vec<f64>,
}

impl WalkStep {
    fn wrong(&self, truth: &[usize]) -> usize {
        self.pointers.iter().zip(truth).filter(|(predicted, right)| predicted != right).count()
    }
}

impl Analysis for Walkthrough {
    const NAME: &'static str = "walkthrough";
    const QUESTION: &'static str =
        "What does the network predict at each step of one execution, and where does it err?";
    const PAPER: &'static str = "Appendix E";

    fn run(context: &Context<'_>) -> Result<Self> {
        let request = Request {
            length: Some(NODES),
            // Undirected as in the paper and in the figure, even if the other graphs are directed.
            options: Options {
                direction: context.sampling.direction.map(|_| Direction::Undirected),
                ..Options::default()
            },
            seed_offset: 800,
            pooling: Pooling::Max,
            every_output: true,
            ..Request::new(TRIED)
        };
        let all = context.trajectories(Self::NAME, &request)?;
        let unsuitable = || Paths::missing(Self::NAME);
        let paths = Paths::of(&all).ok_or_else(unsuitable)?;
        let (place, probe) = pointer_output(&all.truth.probes).ok_or_else(unsuitable)?;
        let right = all.truth.find(Stage::Output, &probe.name).ok_or_else(unsuitable)?;
        let nodes = all.truth.nodes;
        let right = Pointers::of(&all.truth.columns[right], nodes);
        let along = Pointers::of(all.every_output.get(place).ok_or_else(unsuitable)?, nodes);

        // The first graph with more errors after the last step than before it; else the first with an error at the
        // end; else the first.
        let mut first = 0;
        let mut best: Option<(usize, usize, Vec<usize>, Vec<WalkStep>)> = None;
        for graph in 0..all.len() {
            let truth: Vec<usize> = right.get(graph).iter().map(|&node| node as usize).collect();
            let mut steps = vec![];
            for step in 0..all.steps(graph) {
                let pointers = along.get(first + step).iter().map(|&node| node as usize).collect();
                let distances =
                    paths.predicted_at(&all, graph, step).ok_or_else(unsuitable)?.to_vec();
                steps.push(WalkStep { pointers, distances });
            }
            first += steps.len();
            let worth = match steps.as_slice() {
                [.., before, last] if before.wrong(&truth) < last.wrong(&truth) => 2,
                [.., last] if last.wrong(&truth) > 0 => 1,
                _ => 0,
            };
            if best.as_ref().is_none_or(|(known, ..)| worth > *known) {
                best = Some((worth, graph, truth, steps));
            }
        }
        let (_, graph, truth, mut steps) = best.ok_or_else(unsuitable)?;
        let own = context.own();
        // In the user's unit.
        let factor = own.map_or(1.0, |own| own.divisor);
        let in_unit = |values: &[f64]| values.iter().map(|value| value * factor).collect();
        for step in &mut steps {
            step.distances = in_unit(&step.distances);
        }
        let weights: Vec<f64> = in_unit(paths.weights(graph));
        let weight = |u: usize, v: usize| weights[u * nodes + v];
        let is_symmetric = (0..nodes).all(|u| (0..u).all(|v| weight(u, v) == weight(v, u)));
        let directed = own.and_then(OwnSample::is_directed).unwrap_or(!is_symmetric);
        let pairs = (0..nodes).flat_map(|u| (0..nodes).map(move |v| (u, v)));
        let edges = pairs.filter(|&(u, v)| weight(u, v) != 0.0 && (u < v || (directed && u != v)));
        let source = paths.source(graph);
        let last = steps.last().map_or(&truth, |step| &step.pointers);
        Ok(Self {
            graph,
            source,
            edges: edges.map(|(u, v)| (u, v, weight(u, v))).collect(),
            distances: in_unit(paths.distances(&all, graph)),
            predicted_paths: path_lengths(source, last, &weights),
            truth,
            steps,
            names: own.map_or_else(Vec::new, |own| own.reading.names.clone()),
            directed,
            instance: own.map_or_else(String::new, |own| own.name.clone()),
        })
    }

    fn sentence(&self) -> String {
        let wrong: Vec<usize> = self.steps.iter().map(|step| step.wrong(&self.truth)).collect();
        let list = wrong.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let nodes = self.truth.len();
        let graph = match self.instance.as_str() {
            "" => format!("a graph of {nodes} nodes"),
            name => {
                let direction = if self.directed { "directed" } else { "undirected" };
                format!("{name} ({nodes} nodes, {direction})")
            }
        };
        let steps = match self.steps.len() {
            1 => "step 1".to_owned(),
            count => format!("steps 1 to {count}"),
        };
        let errors = self.errors();
        format!("On {graph}, {list} nodes have a wrong predecessor after {steps}.{errors}")
    }

    fn measures(&self) -> Vec<Measure> {
        let last = self.steps.last().map_or(0, |step| step.wrong(&self.truth));
        vec![Measure::number("wrong", "wrong nodes at the end", last as f64)]
    }
}

impl Walkthrough {
    /// Whether the predicted path to a node at the end is as short as the algorithm's, which may be another.
    pub fn is_equally_short(&self, node: usize) -> bool {
        let right = self.distances[node];
        let found = self.predicted_paths.get(node).copied().flatten();
        found.is_some_and(|found| (found - right).abs() <= 1e-9 * right.abs())
    }

    /// Names the nodes that are wrong at the end, with the lengths of both paths.
    fn errors(&self) -> String {
        const MOST: usize = 8;
        let Some(last) = self.steps.last() else { return String::new() };
        let label = |node: usize| match self.names.get(node) {
            Some(name) => name.clone(),
            None => format!("node {node}"),
        };
        let pairs = last.pointers.iter().zip(&self.truth);
        let wrong: Vec<usize> = pairs
            .enumerate()
            .filter(|(_, (found, right))| found != right)
            .map(|(i, _)| i)
            .collect();
        if wrong.is_empty() || self.predicted_paths.is_empty() {
            return String::new();
        }
        let named = wrong.iter().take(MOST).map(|&node| {
            let is_reached = self.truth[node] != node;
            let right = if is_reached { short(self.distances[node]) } else { "none".to_owned() };
            let found = match self.predicted_paths[node] {
                Some(length) => short(length),
                None => "none".to_owned(),
            };
            let way = label(last.pointers[node]);
            let better = label(self.truth[node]);
            let paths = if self.is_equally_short(node) {
                format!("both paths {right}")
            } else {
                format!("path {found}, not {right}")
            };
            format!("{} by way of {way}, not {better} ({paths})", label(node))
        });
        let named: Vec<String> = named.collect();
        let more = match wrong.len() {
            count if count > MOST => format!(" and {} more", count - MOST),
            _ => String::new(),
        };
        format!(" Wrong at the end: {}{more}.", named.join("; "))
    }
}

/// A number with up to four digits.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walkthrough() -> Walkthrough {
        let truth = vec![0, 0, 1];
        let step =
            |pointers: &[usize]| WalkStep { pointers: pointers.to_vec(), distances: vec![0.0; 3] };
        Walkthrough {
            graph: 0,
            source: 0,
            edges: vec![(0, 1, 2.0), (0, 2, 9.5), (1, 2, 3.0)],
            truth,
            distances: vec![0.0, 2.0, 5.0],
            steps: vec![step(&[0, 0, 0]), step(&[0, 1, 0])],
            names: ["Bonn", "Köln", "Trier"].map(str::to_owned).to_vec(),
            directed: false,
            instance: "roads.csv".to_owned(),
            predicted_paths: vec![Some(0.0), None, Some(9.5)],
        }
    }

    #[test]
    fn the_sentence_names_wrong_nodes_with_both_path_lengths() {
        assert_eq!(
            walkthrough().sentence(),
            "On roads.csv (3 nodes, undirected), 1, 2 nodes have a wrong predecessor after steps 1 to 2. Wrong at the \
             end: Köln by way of Köln, not Bonn (path none, not 2); Trier by way of Bonn, not Köln (path 9.5, not 5)."
        );
        let tied =
            Walkthrough { predicted_paths: vec![Some(0.0), None, Some(5.0)], ..walkthrough() };
        assert!(tied.sentence().ends_with("Trier by way of Bonn, not Köln (both paths 5)."));
        let unnamed = Walkthrough { names: vec![], instance: String::new(), ..walkthrough() };
        let sentence = unnamed.sentence();
        assert!(sentence.starts_with("On a graph of 3 nodes, 1, 2 nodes"), "{sentence}");
        assert!(sentence.contains("node 2 by way of node 0"), "{sentence}");
    }

    #[test]
    fn answers_of_earlier_versions_are_read() {
        let mut stored = serde_json::to_value(walkthrough()).unwrap();
        let fields = stored.as_object_mut().unwrap();
        for new in ["names", "directed", "instance", "predicted_paths"] {
            fields.remove(new);
        }
        let read: Walkthrough = serde_json::from_value(stored).unwrap();
        assert!(read.sentence().ends_with("after steps 1 to 2."), "{}", read.sentence());
    }
}
