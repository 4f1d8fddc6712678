//! Rescaling: multiplies all weights by one factor. Distances scale, shortest paths are unchanged.

use super::Symmetry;
use crate::graph::GraphInstance;
use crate::options::{OptionName, bad};
use crate::values::Grid;

pub(super) const SYMMETRY: Symmetry = Symmetry {
    name: "rescale",
    summary: "multiplies all weights by one factor from (1/2, 1), or by `factor`",
    changes_weights: true,
    option: Some(OptionName::Factor),
    base_range: |_| Ok(None),
    image: |graph, rng, options| {
        let factor = match options.factor {
            Some(factor) if factor > 0.0 && factor.is_finite() => factor,
            Some(factor) => return Err(bad("factor", "a number above 0", factor)),
            // The paper's interval excludes 1/2.
            None => loop {
                let factor = rng.uniform(0.5, 1.0);
                if factor > 0.5 {
                    break factor;
                }
            },
        };
        Ok(rescaled(graph, factor))
    },
};

/// The graph with every weight multiplied by `factor`.
#[must_use]
pub fn rescaled(graph: &GraphInstance, factor: f64) -> GraphInstance {
    let weights = &graph.weights;
    GraphInstance {
        weights: Grid::from_fn(weights.nodes(), |u, v| factor * weights[(u, v)]),
        source: graph.source,
    }
}
