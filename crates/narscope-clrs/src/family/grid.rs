//! Two-dimensional grids, as square as the number of nodes allows.

use super::{Family, Shape, orient_and_weight};
use crate::rng::Rng;
use crate::values::Grid;

pub(super) const FAMILY: Family = Family {
    name: "grid",
    summary: "a two-dimensional grid, as square as the number of nodes allows",
    options: &[],
    draw: |rng, nodes, shape, _| Ok(draw(rng, nodes, shape)),
};

fn draw(rng: &mut Rng, nodes: usize, shape: &Shape) -> Grid<f64> {
    let width = (nodes as f64).sqrt().ceil() as usize;
    let horizontal = (0..nodes).map(|u| (u, u + 1)).filter(|&(_, v)| v % width != 0);
    let vertical = (0..nodes).map(|u| (u, u + width));
    let edges: Vec<(usize, usize)> =
        horizontal.chain(vertical).filter(|&(_, v)| v < nodes).collect();
    orient_and_weight(rng, nodes, &edges, shape)
}
