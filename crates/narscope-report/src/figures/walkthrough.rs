//! A graph after every step, in the paper's colours: the source red; edges green where the network
//! found the tree, blue where it missed it, red where it took another or invented one, black otherwise.

use narscope_analysis::analyses::walkthrough::{WalkStep, Walkthrough};

use super::{Figure, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "walkthrough",
    paper: "Appendix E",
    draw: |answer| {
        let found: Walkthrough = read(answer)?;
        let panels = found.steps.iter().enumerate();
        let panels = panels.map(|(step, said)| Panel {
            title: format!("after step {}", step + 1),
            marks: vec![graph(&found, said)],
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

fn graph(found: &Walkthrough, said: &WalkStep) -> Mark {
    let nodes = said.distances.iter().enumerate().map(|(node, distance)| {
        let colour = if node == found.source { Colour::Source } else { Colour::Muted };
        // Nothing is at minus zero.
        let distance = (100.0 * distance).round() / 100.0 + 0.0;
        (format!("{node}: {distance:.2}"), colour)
    });
    let edges = found.edges.iter().map(|&(u, v, _)| {
        // From a node to the one before it: the other way round is another answer.
        let is_in = |tree: &[usize]| [(u, v), (v, u)].map(|(node, before)| tree[node] == before);
        let (truth, answer) = (is_in(&found.truth), is_in(&said.pointers));
        let (colour, width) = match (truth, answer) {
            ([false, false], [false, false]) => (Colour::Ink, 0.6),
            (truth, answer) if truth == answer => (Colour::Found, 3.0),
            (_, [false, false]) => (Colour::Missed, 3.0),
            _ => (Colour::Source, 3.0),
        };
        (u, v, colour, width)
    });
    // The network may point to where no edge leads.
    let is_edge = |u: usize, v: usize| {
        found.edges.iter().any(|&(a, b, _)| (a, b) == (u, v) || (a, b) == (v, u))
    };
    let invented = said.pointers.iter().enumerate();
    let invented = invented.filter(|&(node, &before)| node != before && !is_edge(node, before));
    let invented = invented.map(|(node, &before)| (node, before, Colour::Source, 3.0));
    Mark::Graph { nodes: nodes.collect(), edges: edges.chain(invented).collect() }
}
