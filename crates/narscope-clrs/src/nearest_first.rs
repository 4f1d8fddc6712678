//! The loop that Dijkstra and Prim share: settle the nearest node, let it make offers.
//!
//! The two differ in what "near" means: to the source, or to any node of the tree.

use crate::signature::Values;
use crate::trace::Tracer;
use crate::values::{Grid, NodeMask, NodeMaskOne, NodePointer, NodeScalar};

/// The hints of such an algorithm, whatever it calls them.
pub(crate) struct Frontier<'a> {
    /// The node that made the best offer so far.
    pub(crate) pi: &'a mut NodePointer,
    /// The best offer so far.
    pub(crate) key: &'a mut NodeScalar,
    /// The nodes that are settled.
    pub(crate) mark: &'a mut NodeMask,
    /// The nodes that have an offer and are not settled.
    pub(crate) in_queue: &'a mut NodeMask,
    /// The node settled last.
    pub(crate) u: &'a mut NodeMaskOne,
}

/// An algorithm's hints, seen as a frontier.
pub(crate) trait NearestFirst: Values {
    /// The hints by their roles.
    fn frontier(&mut self) -> Frontier<'_>;
    /// What a node with key `key` offers along an edge of weight `weight`.
    fn offer(key: f64, weight: f64) -> f64;
}

/// Settles all nodes that can be reached. The queue starts with the source alone, so that a node
/// without an offer can keep key 0 instead of infinity.
pub(crate) fn settle_all<H: NearestFirst>(graph: &Grid<f64>, x: &mut H, trace: &mut Tracer<H>) {
    let lists = graph.adjacency_lists();
    trace.hint(x);
    while let Some(nearest) = extract_min(&mut x.frontier()) {
        let Frontier { pi, key, mark, in_queue, u } = x.frontier();
        u.0 = nearest;
        mark[nearest] = true;
        for (v, weight) in lists.neighbours(nearest) {
            // RELAX(u, v, w), or DECREASE-KEY(Q, v)
            let offer = H::offer(key[nearest], weight);
            if !mark[v] && (!in_queue[v] || offer < key[v]) {
                key[v] = offer;
                pi[v] = nearest;
                in_queue[v] = true;
            }
        }
        trace.hint(x);
    }
}

/// EXTRACT-MIN(Q): takes the queued node with the smallest key off the queue, the first of equals.
fn extract_min(Frontier { in_queue, key, .. }: &mut Frontier<'_>) -> Option<usize> {
    // Differs: the reference adds 1e9 to the keys outside the queue and sorts them all, which comes
    // to the same unless keys are that large.
    let mut nearest = (f64::INFINITY, None);
    for (u, (&queued, &key)) in in_queue.iter().zip(key.iter()).enumerate() {
        if queued && key < nearest.0 {
            nearest = (key, Some(u));
        }
    }
    let (_, u) = nearest;
    in_queue[u?] = false;
    u
}
