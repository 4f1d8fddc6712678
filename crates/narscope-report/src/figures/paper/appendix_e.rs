//! Appendix E: an execution step by step, on a graph where a near-tie decides.

use narscope_analysis::analyses::walkthrough::Walkthrough;

use super::draft::Draft;
use super::numbers::Beside;
use super::{PaperFigure, TRIPLETS};
use crate::figures::walkthrough::{
    DECIMALS, TREE, after_step, drawn_steps, is_edge, length, name, positions, predicted_path,
};
use crate::figures::words::counted;
use crate::plot::{Colour, Edge, Entry, Graph, Key, Node, Panel};

/// Maximum number of steps that are drawn: with the near-tie, two rows of panels.
const MOST_STEPS: usize = 5;

pub(super) const FIGURE: PaperFigure = PaperFigure {
    file: "appendix-e-walkthrough",
    place: "appendix E, predictions step by step",
    compose: |networks| {
        let mut draft = Draft {
            title: "A network chooses between paths of nearly equal length".to_owned(),
            columns: 3,
            ..Draft::default()
        };
        let what = "the execution step by step";
        let Some(network) = draft.find::<Walkthrough>(networks, TRIPLETS, what)? else {
            return Ok(draft);
        };
        let ties = network.seeds.iter().filter_map(|(seed, found)| {
            let tie = NearTie::of(found)?;
            Some((*seed, found, tie))
        });
        let nearest = ties.min_by(|a, b| a.2.excess().total_cmp(&b.2.excess()));
        let Some((seed, found, tie)) = nearest else {
            draft.left_out.push(format!(
                "Left out: {what}, because no seed of {TRIPLETS} errs between two paths on the graph of its walk-through."
            ));
            return Ok(draft);
        };
        let places = positions(found);
        let steps = drawn_steps(found.steps.len(), MOST_STEPS);
        draft.panels = steps.iter().map(|&step| after_step(found, step, &places)).collect();
        draft.panels.push(tie.panel(found, &places));
        let node = name(found, tie.node);
        draft.title = format!(
            "At node {node}, {TRIPLETS} prefers a path of length {} to one of {}",
            length(tie.predicted, DECIMALS),
            length(tie.shortest, DECIMALS)
        );
        draft.caption = format!(
            "An undirected graph of {}, after {} of {}; numbers at edges are weights, those below names are predicted distances. \
             Last panel: both candidate paths to node {node}, with their lengths in the legend. Found automatically: of the seeds \
             (here {seed}), the wrong node whose path is longer than the shortest one by the smallest share. What differs: weights \
             and lengths are drawn; the graph is another one.",
            counted(found.truth.len(), "node"),
            if steps.len() == found.steps.len() { "each" } else { "some" },
            counted(found.steps.len(), "step"),
        );
        let ours =
            format!("{} and {}", length(tie.predicted, DECIMALS), length(tie.shortest, DECIMALS));
        let paper = "1.69 and 1.6, 1.41 and 1.45, 1.79 and 1.71";
        draft.numbers = vec![Beside::new("lengths of the competing paths", paper, ours)];
        Ok(draft)
    },
};

/// A wrong node with the predicted and the shortest path to it.
struct NearTie {
    node: usize,
    predicted: f64,
    shortest: f64,
}

impl NearTie {
    /// The wrong node at the end whose predicted path is longer than the shortest one by the smallest share; `None` if
    /// no wrong node has a path along edges.
    fn of(found: &Walkthrough) -> Option<Self> {
        let last = &found.steps.last()?.pointers;
        let wrong = (0..found.truth.len()).filter(|&node| last[node] != found.truth[node]);
        let ties = wrong.filter_map(|node| {
            let along_edges = is_edge(found, node, last[node]) && found.truth[node] != node;
            let predicted = predicted_path(found, node).filter(|_| along_edges)?;
            let tie = Self { node, predicted, shortest: found.distances[node] };
            (tie.excess() > 0.0).then_some(tie)
        });
        ties.min_by(|a, b| a.excess().total_cmp(&b.excess()))
    }

    /// By which share of its length the predicted path is longer.
    fn excess(&self) -> f64 {
        (self.predicted - self.shortest) / self.shortest
    }

    /// Both paths over the graph.
    fn panel(&self, found: &Walkthrough, places: &[(f64, f64)]) -> Panel {
        let last = found.steps.last().map_or(&found.truth, |step| &step.pointers);
        let [predicted, shortest] = [last, &found.truth].map(|tree| path(found, tree, self.node));
        let joins = |path: &[usize], u: usize, v: usize| {
            path.windows(2).any(|pair| pair == [u, v] || (!found.directed && pair == [v, u]))
        };
        let edges = found.edges.iter().map(|&(u, v, weight)| {
            // Paths lead from the node to the source, edges the other way.
            let (predicted, shortest) = (joins(&predicted, v, u), joins(&shortest, v, u));
            let edge = Edge::new(u, v);
            let edge = if found.directed { edge.arrow() } else { edge };
            // More decimals than in the other panels, so that the lengths can be added up.
            let weighed = |edge: Edge| edge.label(length(weight, DECIMALS));
            match (predicted, shortest) {
                (true, true) => weighed(edge.drawn(Colour::Text, TREE)),
                (true, false) => weighed(edge.drawn(Colour::Wrong, TREE)),
                (false, true) => weighed(edge.drawn(Colour::Missed, TREE).dashed()),
                (false, false) => edge,
            }
        });
        let nodes = (0..found.truth.len()).map(|node| {
            let colour = match node {
                node if node == found.source => Colour::Source,
                node if node == self.node => Colour::Wrong,
                _ => Colour::Muted,
            };
            Node::new(name(found, node), colour)
        });
        let graph = Graph::new(nodes.collect(), edges.collect()).at(places.to_vec());
        let entry = |what: &str, of: f64, colour, key| {
            Entry::new(format!("{what}, {}", length(of, DECIMALS)), colour, key)
        };
        let mut legend = vec![
            entry("predicted path", self.predicted, Colour::Wrong, Key::Line),
            entry("shortest path", self.shortest, Colour::Missed, Key::Dashes),
        ];
        if predicted.windows(2).any(|pair| joins(&shortest, pair[0], pair[1])) {
            legend.push(Entry::new("on both", Colour::Text, Key::Line));
        }
        Panel {
            title: format!("the near-tie at node {}", name(found, self.node)),
            marks: vec![graph.into()],
            legend,
            bare: true,
            ..Panel::default()
        }
    }
}

/// The nodes from one to the source along a tree of predecessors.
fn path(found: &Walkthrough, tree: &[usize], from: usize) -> Vec<usize> {
    let next = |&node: &usize| (node != found.source).then(|| tree[node]);
    std::iter::successors(Some(from), next).take(tree.len()).collect()
}

#[cfg(test)]
mod tests {
    use narscope_analysis::analyses::walkthrough::WalkStep;

    use super::super::samples::{changed, counterpart, panels};
    use super::*;

    /// From 0, node 2 is reached directly (0.50) or by 1 (0.49), node 3 directly (0.9) or by 1 (0.3).
    fn found(pointers: [usize; 4]) -> Walkthrough {
        Walkthrough {
            graph: 0,
            source: 0,
            edges: vec![(0, 1, 0.2), (0, 2, 0.5), (1, 2, 0.29), (0, 3, 0.9), (1, 3, 0.1)],
            truth: vec![0, 0, 1, 1],
            distances: vec![0.0, 0.2, 0.49, 0.3],
            steps: vec![WalkStep { pointers: pointers.to_vec(), distances: vec![0.0; 4] }],
            names: vec![],
            directed: false,
            instance: String::new(),
            predicted_paths: vec![],
        }
    }

    #[test]
    fn it_has_every_step_and_the_near_tie() {
        let titles = panels(FIGURE.file);
        assert_eq!(titles, ["after step 1 of 2", "after step 2 of 2", "the near-tie at node 2"]);
        let networks = changed(|found: &mut Walkthrough| {
            found.steps[1].pointers.clone_from(&found.truth);
        });
        let counterpart = counterpart(FIGURE.file, &networks);
        assert!(counterpart.picture.is_none());
        assert!(
            counterpart.left_out[0].contains("no seed of triplet_gmpnn errs between two paths")
        );
    }

    #[test]
    fn the_nearest_tie_is_found_among_wrong_nodes() {
        let tie = NearTie::of(&found([0, 0, 0, 0])).unwrap();
        assert_eq!((tie.node, tie.predicted, tie.shortest), (2, 0.5, 0.49));
        assert!(NearTie::of(&found([0, 0, 1, 1])).is_none(), "nothing is wrong");
        assert!(NearTie::of(&found([0, 0, 3, 1])).is_none(), "no edge joins 2 and 3");
    }

    #[test]
    fn both_paths_are_drawn_with_their_lengths() {
        let found = found([0, 0, 0, 1]);
        let panel = NearTie::of(&found).unwrap().panel(&found, &positions(&found));
        let names: Vec<&str> = panel.legend.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["predicted path, 0.500", "shortest path, 0.490"]);
        let [crate::plot::Mark::Graph(graph)] = &panel.marks[..] else { panic!("a graph") };
        let labels: Vec<&str> = graph.edges.iter().map(|edge| edge.label.as_str()).collect();
        assert_eq!(labels, ["0.200", "0.500", "0.290", "", ""]);
    }
}
