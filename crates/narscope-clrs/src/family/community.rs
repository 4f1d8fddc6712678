//! Communities with few edges between them, drawn as in the reference.

use super::{Family, Shape, erdos_renyi};
use crate::Result;
use crate::error::at_least;
use crate::options::{Direction, OptionName, Options, bad, probability};
use crate::rng::Rng;
use crate::values::Grid;

pub(super) const FAMILY: Family = Family {
    name: "community",
    summary: "k dense communities; edges between them have probability eps",
    options: &[OptionName::P, OptionName::K, OptionName::Eps],
    draw,
};

fn draw(rng: &mut Rng, nodes: usize, shape: &Shape, options: &Options) -> Result<Grid<f64>> {
    let communities = options.k.unwrap_or(4);
    if communities == 0 {
        return Err(bad("k", "at least 1", communities));
    }
    at_least(communities, nodes)?;
    let eps = probability("eps", options.eps.unwrap_or(0.01))?;

    // The last community takes the remainder.
    let size = nodes / communities;
    let community = |u: usize| (u / size).min(communities - 1);
    let mut graph = Grid::filled(nodes, 0.0);
    for i in 0..communities {
        let start = i * size;
        let end = if i + 1 == communities { nodes } else { start + size };
        let block = erdos_renyi::draw(rng, end - start, shape);
        for (u, v, weight) in block.edges() {
            graph[(start + u, start + v)] = weight;
        }
    }

    // Parity: the second draw toggles edges: it adds missing ones and removes existing ones. Edges
    // from a later community to an earlier one are left out, so that no component spans several
    // communities. (The reference has directed communities only; here, undirected graphs stay
    // symmetric and acyclic ones acyclic.)
    let toggles = erdos_renyi::draw(rng, nodes, &Shape { p: eps, ..*shape });
    for (u, v, weight) in toggles.edges() {
        let toggled = match shape.direction {
            Direction::Undirected => true,
            Direction::Directed => community(u) <= community(v),
            Direction::Acyclic => community(u) < community(v),
        };
        if toggled {
            graph[(u, v)] = if graph[(u, v)] == 0.0 { weight } else { 0.0 };
        }
    }
    Ok(graph.reordered(&rng.permutation(nodes)))
}
