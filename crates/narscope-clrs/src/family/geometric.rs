//! Planar graphs: the Delaunay triangulation of random points.

use super::{Family, Shape, orient_and_weight};
use crate::rng::Rng;
use crate::values::Grid;

pub(super) const FAMILY: Family = Family {
    name: "geometric",
    summary: "planar: the Delaunay triangulation of random points in a square",
    options: &[],
    draw: |rng, nodes, shape, _| Ok(draw(rng, nodes, shape)),
};

fn draw(rng: &mut Rng, nodes: usize, shape: &Shape) -> Grid<f64> {
    let points: Vec<delaunator::Point> =
        (0..nodes).map(|_| delaunator::Point { x: rng.double(), y: rng.double() }).collect();
    let triangles = delaunator::triangulate(&points).triangles;
    let mut edges: Vec<(usize, usize)> = triangles
        .chunks_exact(3)
        .flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])])
        .map(|(u, v)| (u.min(v), u.max(v)))
        .collect();
    if edges.is_empty() {
        // Fewer than three points have no triangles: connect them in a path.
        edges = (1..nodes).map(|v| (v - 1, v)).collect();
    }
    edges.sort_unstable();
    edges.dedup();
    orient_and_weight(rng, nodes, &edges, shape)
}
