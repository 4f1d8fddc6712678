//! Erdős–Rényi graphs, as the reference draws them.

use super::{Family, Shape};
use crate::options::Direction;
use crate::rng::Rng;
use crate::values::Grid;

pub(super) const FAMILY: Family = Family {
    name: "erdos_renyi",
    summary: "each pair of nodes is joined with probability p (p squared if undirected)",
    options: &["p"],
    draw: |rng, nodes, shape, _| Ok(draw(rng, nodes, shape)),
};

pub(super) fn draw(rng: &mut Rng, nodes: usize, shape: &Shape) -> Grid<f64> {
    let coins = Grid::from_cells(nodes, rng.coins(shape.p, nodes * nodes));
    let joined = match shape.direction {
        // Parity: both directions must come up, so an edge has probability p squared and a self
        // loop p; self loops stay.
        Direction::Undirected => Grid::from_fn(nodes, |u, v| coins[(u, v)] && coins[(v, u)]),
        Direction::Directed => coins,
        Direction::Acyclic => {
            let order = rng.permutation(nodes);
            Grid::from_fn(nodes, |u, v| order[u] < order[v] && coins[(order[u], order[v])])
        }
    };
    let joined = |u, v| f64::from(u8::from(joined[(u, v)]));
    if !shape.weighted {
        return Grid::from_fn(nodes, joined);
    }
    let weights = Grid::from_cells(nodes, rng.uniforms(shape.low, shape.high, nodes * nodes));
    Grid::from_fn(nodes, |u, v| {
        let weight = match shape.direction {
            // Parity: the root of the product of the two directions, kept away from 0.
            Direction::Undirected => (weights[(u, v)] * weights[(v, u)] + 1e-3).sqrt(),
            Direction::Directed | Direction::Acyclic => weights[(u, v)],
        };
        joined(u, v) * weight
    })
}
