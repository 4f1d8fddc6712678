//! One run, step by step: what the network says of each node of a small graph (appendix E of the
//! paper).

use narscope_clrs::options::{Direction, Options};
use narscope_clrs::probe::Stage;
use narscope_model::trajectory::Kept;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::Result;
use crate::pointers::{Paths, Pointers, pointer_output};
use crate::study::{Ask, Study};

/// The size of the graph, as in the paper.
const NODES: usize = 10;
/// Among how many graphs one is looked for on which the network goes wrong.
const TRIED: usize = 200;

/// One run, step by step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Walkthrough {
    /// Which of the graphs it is, counted from 0.
    pub graph: usize,
    /// Where paths start.
    pub source: usize,
    /// From, to, weight, each pair once.
    pub edges: Vec<(usize, usize, f64)>,
    /// What is right.
    pub truth: Vec<usize>,
    /// The true distances.
    pub distances: Vec<f64>,
    /// What the network says after each step.
    pub steps: Vec<WalkStep>,
}

/// What a network says after a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WalkStep {
    /// Of each node, the one before it.
    pub pointers: Vec<usize>,
    /// Of each node, how far it is.
    pub distances: Vec<f64>,
}

impl WalkStep {
    fn wrong(&self, truth: &[usize]) -> usize {
        self.pointers.iter().zip(truth).filter(|(said, right)| said != right).count()
    }
}

impl Analysis for Walkthrough {
    const NAME: &'static str = "walkthrough";
    const QUESTION: &'static str = "What does one run look like, and where does it go wrong?";
    const PAPER: &'static str = "Appendix E";

    fn of(study: &Study<'_>) -> Result<Self> {
        let ask = Ask {
            length: Some(NODES),
            // As in the paper, and as it is drawn, whatever the other graphs of the study are.
            options: Options {
                direction: study.size.direction.map(|_| Direction::Undirected),
                ..Options::default()
            },
            offset: 800,
            kept: Kept::Max,
            every_output: true,
            ..Ask::new(TRIED)
        };
        let all = study.trajectories(Self::NAME, &ask)?;
        let unsuitable = || Paths::missing(Self::NAME);
        let paths = Paths::of(&all).ok_or_else(unsuitable)?;
        let (place, probe) = pointer_output(&all.truth.probes).ok_or_else(unsuitable)?;
        let right = all.truth.find(Stage::Output, &probe.name).ok_or_else(unsuitable)?;
        let nodes = all.truth.nodes;
        let right = Pointers::of(&all.truth.columns[right], nodes);
        let along = Pointers::of(all.every_output.get(place).ok_or_else(unsuitable)?, nodes);

        // The first graph that was right before the last step, and is not after it; else the first
        // that ends wrong; else the first.
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
                    // One way may be missing, and lengths may be negative.
                    let ways = [weights[u * nodes + v], weights[v * nodes + u]];
                    let weight =
                        ways.into_iter().filter(|&weight| weight != 0.0).reduce(f64::max)?;
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
            "On a graph of {} nodes, {list} nodes are not yet or no longer right after steps 1 to {}.",
            self.truth.len(),
            self.steps.len()
        )
    }

    fn measures(&self) -> Vec<Measure> {
        let last = self.steps.last().map_or(0, |step| step.wrong(&self.truth));
        vec![Measure::number("wrong", "wrong nodes at the end", last as f64)]
    }
}
