//! One execution step by step: predictions for each node of a small graph (appendix E of the paper).

use narscope_clrs::options::{Direction, Options};
use narscope_clrs::probe::Stage;
use narscope_model::pooling::Pooling;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::Result;
use crate::context::{Context, Request};
use crate::pointers::{Paths, Pointers, pointer_output};

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
    /// Edges: two nodes and the weight, each pair once.
    pub edges: Vec<(usize, usize, f64)>,
    /// True predecessor of each node.
    pub truth: Vec<usize>,
    /// True distance of each node.
    pub distances: Vec<f64>,
    /// Predictions after each step.
    pub steps: Vec<WalkStep>,
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
        let mut best: Option<(usize, Self)> = None;
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
            if best.as_ref().is_none_or(|(known, _)| worth > *known) {
                let weights = paths.weights(graph);
                let pairs = (0..nodes).flat_map(|u| (u + 1..nodes).map(move |v| (u, v)));
                let edges = pairs.filter_map(|(u, v)| {
                    // One direction may be missing, and lengths may be negative.
                    let both = [weights[u * nodes + v], weights[v * nodes + u]];
                    let weight =
                        both.into_iter().filter(|&weight| weight != 0.0).reduce(f64::max)?;
                    Some((u, v, weight))
                });
                best = Some((
                    worth,
                    Self {
                        graph,
                        source: paths.source(graph),
                        edges: edges.collect(),
                        distances: paths.distances(&all, graph).to_vec(),
                        truth,
                        steps,
                    },
                ));
            }
        }
        Ok(best.ok_or_else(unsuitable)?.1)
    }

    fn sentence(&self) -> String {
        let wrong: Vec<usize> = self.steps.iter().map(|step| step.wrong(&self.truth)).collect();
        let list = wrong.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        format!(
            "On a graph of {} nodes, {list} nodes have a wrong predecessor after steps 1 to {}.",
            self.truth.len(),
            self.steps.len()
        )
    }

    fn measures(&self) -> Vec<Measure> {
        let last = self.steps.last().map_or(0, |step| step.wrong(&self.truth));
        vec![Measure::number("wrong", "wrong nodes at the end", last as f64)]
    }
}
