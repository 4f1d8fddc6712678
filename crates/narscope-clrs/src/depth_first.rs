//! Depth-first search, shared by six algorithms. CLRS 3rd ed., §22.3.
//!
//! The recursion is an explicit stack of linked pointers, because it is part of the hints: `s_last`
//! is its top and `s_prev` points from each node on it to the one below. [`DfsVisitor`] has the
//! callbacks of an algorithm.

use crate::signature::Values;
use crate::trace::Tracer;
use crate::values::{AdjacencyLists, NodeClass, NodeMaskOne, NodePointer};

crate::classes!(
    /// The search state of a node.
    Color {
        /// Not discovered.
        White,
        /// Discovered; its neighbours are not all examined.
        Grey,
        /// Finished.
        Black,
    }
);

/// The hints that the search itself updates.
pub(crate) struct DfsState<'a> {
    /// The search state of each node.
    pub(crate) color: &'a mut NodeClass<Color>,
    /// The node below each node on the stack; the bottom node and nodes off the stack point to
    /// themselves.
    pub(crate) s_prev: &'a mut NodePointer,
    /// The top of the stack.
    pub(crate) s_last: &'a mut NodeMaskOne,
    /// The node whose neighbours are examined.
    pub(crate) u: &'a mut NodeMaskOne,
    /// The neighbour examined last.
    pub(crate) v: &'a mut NodeMaskOne,
}

/// Callbacks of a depth-first search. The hints are the state of the algorithm.
pub(crate) trait DfsVisitor: Values {
    /// The hints that the search itself updates.
    fn state(&mut self) -> DfsState<'_>;
    /// A new depth-first tree starts at `s`.
    fn start(&mut self, s: usize);
    /// `u` is the top of the stack; called first.
    fn visit(&mut self, _u: usize) {}
    /// Whether `u` has not been entered yet.
    fn is_new(&mut self, u: usize) -> bool {
        self.state().color[u] == Color::White
    }
    /// `u` becomes grey.
    fn enter(&mut self, _u: usize) {}
    /// The white node `v` is discovered from `u`.
    fn discover(&mut self, _u: usize, _v: usize) {}
    /// `v` is a neighbour of `u` that is not white. Returns whether to record a hint.
    fn non_tree_edge(&mut self, _u: usize, _v: usize) -> bool {
        false
    }
    /// `u` has become black.
    fn finish(&mut self, _u: usize) {}
}

/// DFS(G), with roots considered in the given order.
pub(crate) fn search_all<H: DfsVisitor>(
    order: impl IntoIterator<Item = usize>,
    graph: &AdjacencyLists,
    x: &mut H,
    trace: &mut Tracer<H>,
) {
    for s in order {
        if x.state().color[s] == Color::White {
            search_from(s, graph, x, trace);
        }
    }
}

/// DFS-VISIT(G, s), for a white `s`.
pub(crate) fn search_from<H: DfsVisitor>(
    s: usize,
    graph: &AdjacencyLists,
    x: &mut H,
    trace: &mut Tracer<H>,
) {
    let mut u = s;
    x.start(s);
    (*x.state().s_last, *x.state().u, *x.state().v) =
        (NodeMaskOne(s), NodeMaskOne(s), NodeMaskOne(s));
    trace.hint(x);

    loop {
        x.visit(u);
        if x.is_new(u) {
            x.state().color[u] = Color::Grey;
            x.enter(u);
            trace.hint(x);
        }
        examine_neighbours(u, graph, x, trace);

        let mut done = false;
        if x.state().s_last.0 == u {
            x.state().color[u] = Color::Black;
            x.finish(u);
            trace.hint(x);

            // Pop. The hint above still has the link that is removed here.
            let DfsState { s_prev, s_last, .. } = x.state();
            let below = s_prev[u];
            s_prev[u] = u;
            s_last.0 = below;
            done = below == u;
        }
        if done {
            return;
        }
        u = x.state().s_last.0;
        x.state().u.0 = u;
    }
}

/// Examines the neighbours of `u` until one is white, and pushes that one onto the stack.
fn examine_neighbours<H: DfsVisitor>(
    u: usize,
    graph: &AdjacencyLists,
    x: &mut H,
    trace: &mut Tracer<H>,
) {
    // Parity: the scan restarts from the first neighbour whenever the search returns to `u`.
    for (v, _) in graph.neighbours(u) {
        x.state().v.0 = v;
        if x.state().color[v] == Color::White {
            x.discover(u, v);
            let DfsState { color, s_prev, s_last, .. } = x.state();
            color[v] = Color::Grey;
            s_prev[v] = s_last.0;
            s_last.0 = v;
            trace.hint(x);
            return;
        }
        if x.non_tree_edge(u, v) {
            trace.hint(x);
        }
    }
    // Parity: the reference iterates over all nodes and `v` is its loop variable: after a full scan
    // it is the last node.
    x.state().v.0 = graph.nodes() - 1;
}

/// The increment of discovery and finishing times.
///
/// Parity: the reference adds 0.01 repeatedly; a product would differ in the last bits.
pub(crate) const TICK: f64 = 0.01;
