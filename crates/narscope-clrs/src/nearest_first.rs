//! The loop shared by Dijkstra and Prim: settle the nearest node, then relax its edges.
//!
//! The two differ in the distance: to the source, or to the tree.

use crate::signature::Values;
use crate::trace::Tracer;
use crate::values::{Grid, NodeMask, NodeMaskOne, NodePointer, NodeScalar};

/// The hints of such an algorithm, by role.
pub(crate) struct Frontier<'a> {
    /// The predecessor of each node.
    pub(crate) pi: &'a mut NodePointer,
    /// The smallest distance so far.
    pub(crate) key: &'a mut NodeScalar,
    /// The settled nodes.
    pub(crate) mark: &'a mut NodeMask,
    /// The nodes in the queue.
    pub(crate) in_queue: &'a mut NodeMask,
    /// The node settled last.
    pub(crate) u: &'a mut NodeMaskOne,
}

/// Hints that have the roles of a [`Frontier`].
pub(crate) trait NearestFirst: Values {
    /// The hints by role.
    fn frontier(&mut self) -> Frontier<'_>;
    /// The distance along an edge of weight `weight` from a node with distance `key`.
    fn candidate(key: f64, weight: f64) -> f64;
}

/// Settles all reachable nodes. The queue starts with the source only, so that a node that was not
/// reached can have key 0 instead of infinity.
pub(crate) fn settle_all<H: NearestFirst>(graph: &Grid<f64>, x: &mut H, trace: &mut Tracer<H>) {
    let lists = graph.adjacency_lists();
    trace.hint(x);
    while let Some(nearest) = extract_min(&mut x.frontier()) {
        let Frontier { pi, key, mark, in_queue, u } = x.frontier();
        u.0 = nearest;
        mark[nearest] = true;
        for (v, weight) in lists.neighbours(nearest) {
            // RELAX(u, v, w), or DECREASE-KEY(Q, v)
            let candidate = H::candidate(key[nearest], weight);
            if !mark[v] && (!in_queue[v] || candidate < key[v]) {
                key[v] = candidate;
                pi[v] = nearest;
                in_queue[v] = true;
            }
        }
        trace.hint(x);
    }
}

/// EXTRACT-MIN(Q): removes the node with the smallest key; the first one wins ties.
fn extract_min(Frontier { in_queue, key, .. }: &mut Frontier<'_>) -> Option<usize> {
    // Differs: the reference adds 1e9 to the keys outside the queue and sorts them all, which gives
    // the same result unless keys are that large.
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
