//! Johnson's reweighting: w(u, v) + h(u) - h(v) adds h(s) - h(t) to all paths from s to t.

use super::Symmetry;
use crate::Result;
use crate::graph::GraphInstance;
use crate::options::{OptionName, Options, bad};
use crate::values::Grid;

pub(super) const SYMMETRY: Symmetry = Symmetry {
    name: "reweight",
    summary: "adds a potential, w(u,v) + h(u) - h(v), with h from (0, c) and base weights from (c, 1 - c)",
    changes_weights: true,
    option: Some(OptionName::C),
    base_range: |options| Ok(Some((bound(options)?, 1.0 - bound(options)?))),
    image: |graph, rng, options| {
        let bound = bound(options)?;
        loop {
            let potential = rng.uniforms(0.0, bound, graph.weights.nodes());
            let image = reweighted(graph, &potential);
            // A weight of exactly 0 would mean "no edge".
            if image.weights.edges().count() == graph.weights.edges().count() {
                return Ok(image);
            }
        }
    },
};

/// The paper's c: the upper bound of potentials and lower bound of base weights.
fn bound(options: &Options) -> Result<f64> {
    let c = options.c.unwrap_or(0.25);
    if c > 0.0 && c <= 0.5 { Ok(c) } else { Err(bad("c", "above 0 and at most 1/2", c)) }
}

/// The graph with weights `w(u, v) + h(u) - h(v)`.
#[must_use]
pub fn reweighted(graph: &GraphInstance, potential: &[f64]) -> GraphInstance {
    let weights = &graph.weights;
    let new_weight = |u: usize, v: usize| match weights[(u, v)] {
        0.0 => 0.0,
        weight => weight + (potential[u] - potential[v]),
    };
    GraphInstance { weights: Grid::from_fn(weights.nodes(), new_weight), source: graph.source }
}
