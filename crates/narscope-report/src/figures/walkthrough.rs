//! A graph after every step, in the paper's colours: the source red; edges green where the network
//! found the tree, blue where it missed it, red where it took another, black otherwise.

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
        (format!("{node}: {distance:.2}"), colour)
    });
    let joins = |pointers: &[usize], u: usize, v: usize| pointers[u] == v || pointers[v] == u;
    let edges = found.edges.iter().map(|&(u, v, _)| {
        let (colour, width) = match (joins(&found.truth, u, v), joins(&said.pointers, u, v)) {
            (true, true) => (Colour::Found, 3.0),
            (true, false) => (Colour::Missed, 3.0),
            (false, true) => (Colour::Source, 3.0),
            (false, false) => (Colour::Ink, 0.6),
        };
        (u, v, colour, width)
    });
    Mark::Graph { nodes: nodes.collect(), edges: edges.collect() }
}
