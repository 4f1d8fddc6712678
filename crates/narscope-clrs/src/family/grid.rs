//! Grids: streets and avenues, as square as the number of nodes allows.

use super::{Family, Shape, finish};
use crate::rng::Rng;
use crate::values::Grid;

pub(super) const FAMILY: Family = Family {
    name: "grid",
    summary: "streets and avenues, as square as the number of nodes allows",
    options: &[],
    draw: |rng, nodes, shape, _| Ok(draw(rng, nodes, shape)),
};

fn draw(rng: &mut Rng, nodes: usize, shape: &Shape) -> Grid<f64> {
    let width = (nodes as f64).sqrt().ceil() as usize;
    let to_the_right = (0..nodes).map(|u| (u, u + 1)).filter(|&(_, v)| v % width != 0);
    let below = (0..nodes).map(|u| (u, u + width));
    let edges: Vec<(usize, usize)> =
        to_the_right.chain(below).filter(|&(_, v)| v < nodes).collect();
    finish(rng, nodes, &edges, shape)
}
