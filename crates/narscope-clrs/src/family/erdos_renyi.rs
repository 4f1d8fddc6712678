//! Erdős–Rényi graphs, drawn as in the reference.

use super::{Family, Shape};
use crate::options::{Direction, OptionName};
use crate::rng::Rng;
use crate::values::Grid;

pub(super) const FAMILY: Family = Family {
    name: "erdos_renyi",
    summary: "each edge exists with probability p (p squared if undirected)",
    options: &[OptionName::P],
    draw: |rng, nodes, shape, _| Ok(draw(rng, nodes, shape)),
};

pub(super) fn draw(rng: &mut Rng, nodes: usize, shape: &Shape) -> Grid<f64> {
    let coins = Grid::from_cells(nodes, rng.coins(shape.p, nodes * nodes));
    let order = match shape.direction {
        Direction::Acyclic => rng.permutation(nodes),
        Direction::Undirected | Direction::Directed => vec![],
    };
    let adjacent = |u: usize, v: usize| {
        let adjacent = match shape.direction {
            // Parity: both directions must be drawn, so an edge has probability p squared and a
            // self loop p; self loops are kept.
            Direction::Undirected => coins[(u, v)] & coins[(v, u)],
            Direction::Directed => coins[(u, v)],
            Direction::Acyclic => order[u] < order[v] && coins[(order[u], order[v])],
        };
        f64::from(u8::from(adjacent))
    };
    if !shape.weighted {
        return Grid::from_fn(nodes, adjacent);
    }
    let mut weights = Grid::from_cells(nodes, rng.uniforms(shape.low, shape.high, nodes * nodes));
    match shape.direction {
        Direction::Undirected => {
            for u in 0..nodes {
                for v in u..nodes {
                    // Parity: the square root of the product of both directions plus 1e-3.
                    let weight = (weights[(u, v)] * weights[(v, u)] + 1e-3).sqrt();
                    let weight = adjacent(u, v) * weight;
                    (weights[(u, v)], weights[(v, u)]) = (weight, weight);
                }
            }
        }
        Direction::Directed | Direction::Acyclic => {
            for (i, weight) in weights.cells_mut().iter_mut().enumerate() {
                *weight *= adjacent(i / nodes, i % nodes);
            }
        }
    }
    weights
}
