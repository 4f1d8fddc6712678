//! A graph after every step, in the paper's colours: the source is red; edges of the true tree are green if
//! they were predicted and blue if not, other predicted edges are red, and all others are black.

use narscope_analysis::analyses::walkthrough::{WalkStep, Walkthrough};

use super::{Figure, read};
use crate::plot::{Colour, GraphEdge, GraphNode, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "walkthrough",
    paper: "Appendix E",
    draw: |answer| {
        let found: Walkthrough = read(answer)?;
        let panels = found.steps.iter().enumerate();
        let panels = panels.map(|(step, prediction)| Panel {
            title: format!("after step {}", step + 1),
            marks: vec![graph(&found, prediction)],
            ..Panel::default()
        });
        Ok(vec![Picture {
            title: format!("Graph {}, step by step", found.graph + 1),
            columns: found.steps.len().min(3),
            panels: panels.collect(),
        }])
    },
    spaces: None,
};

fn graph(found: &Walkthrough, prediction: &WalkStep) -> Mark {
    let nodes = prediction.distances.iter().enumerate().map(|(node, distance)| {
        let colour = if node == found.source { Colour::Source } else { Colour::Muted };
        // Adding zero turns -0 into 0.
        let distance = (100.0 * distance).round() / 100.0 + 0.0;
        GraphNode { label: format!("{node}: {distance:.2}"), colour }
    });
    let edges = found.edges.iter().map(|&(u, v, _)| {
        // Pointers lead from a node to its predecessor; the opposite direction is another prediction.
        let is_in =
            |tree: &[usize]| [(u, v), (v, u)].map(|(node, predecessor)| tree[node] == predecessor);
        let (truth, predicted) = (is_in(&found.truth), is_in(&prediction.pointers));
        let (colour, width) = match (truth, predicted) {
            ([false, false], [false, false]) => (Colour::Text, 0.6),
            (truth, predicted) if truth == predicted => (Colour::Found, 3.0),
            (_, [false, false]) => (Colour::Missed, 3.0),
            _ => (Colour::Source, 3.0),
        };
        GraphEdge { from: u, to: v, colour, width }
    });
    // The network may predict pointers that are not edges of the graph.
    let is_edge = |u: usize, v: usize| {
        found.edges.iter().any(|&(a, b, _)| (a, b) == (u, v) || (a, b) == (v, u))
    };
    let invented = prediction.pointers.iter().enumerate();
    let invented = invented.filter(|&(node, &to)| node != to && !is_edge(node, to));
    let invented =
        invented.map(|(from, &to)| GraphEdge { from, to, colour: Colour::Source, width: 3.0 });
    Mark::Graph { nodes: nodes.collect(), edges: edges.chain(invented).collect() }
}
