//! Depth-first search, shared by six algorithms. CLRS 3rd ed., §22.3.
//!
//! The recursion is an explicit stack of linked pointers, because it is part of the hints: `s_last`
//! is its top and `s_prev` points from each node on it to the one below. [`Search`] has the callbacks
//! of an algorithm.

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
pub(crate) struct Walk<'a> {
    /// The search state of each node.
    pub(crate) color: &'a mut NodeClass<Color>,
    /// The node below each node on the stack; itself for the lowest and for those not on it.
    pub(crate) s_prev: &'a mut NodePointer,
    /// The top of the stack.
    pub(crate) s_last: &'a mut NodeMaskOne,
    /// The node whose neighbours are examined.
    pub(crate) u: &'a mut NodeMaskOne,
    /// The neighbour examined last.
    pub(crate) v: &'a mut NodeMaskOne,
}

/// Callbacks of a depth-first search. The hints are the state of the algorithm.
pub(crate) trait Search: Values {
    /// The hints that the search itself updates.
    fn walk(&mut self) -> Walk<'_>;
    /// A new tree starts at `s`.
    fn start(&mut self, s: usize);
    /// `u` is the top of the stack; called first.
    fn visit(&mut self, _u: usize) {}
    /// Whether `u` has not been entered yet.
    fn is_new(&mut self, u: usize) -> bool {
        self.walk().color[u] == Color::White
    }
    /// `u` becomes grey.
    fn enter(&mut self, _u: usize) {}
    /// `v` is white, and discovered from `u`.
    fn discover(&mut self, _u: usize, _v: usize) {}
    /// `v` is a neighbour of `u` that is not white. Returns whether to record a hint.
    fn meet(&mut self, _u: usize, _v: usize) -> bool {
        false
    }
    /// `u` has become black.
    fn finish(&mut self, _u: usize) {}
}

/// DFS(G), starting trees from the nodes in the given order.
pub(crate) fn search_all<H: Search>(
    order: impl IntoIterator<Item = usize>,
    graph: &AdjacencyLists,
    x: &mut H,
    trace: &mut Tracer<H>,
) {
    for s in order {
        if x.walk().color[s] == Color::White {
            search_from(s, graph, x, trace);
        }
    }
}

/// DFS-VISIT(G, s), for a white `s`.
pub(crate) fn search_from<H: Search>(
    s: usize,
    graph: &AdjacencyLists,
    x: &mut H,
    trace: &mut Tracer<H>,
) {
    let mut u = s;
    x.start(s);
    (*x.walk().s_last, *x.walk().u, *x.walk().v) = (NodeMaskOne(s), NodeMaskOne(s), NodeMaskOne(s));
    trace.hint(x);

    loop {
        x.visit(u);
        if x.is_new(u) {
            x.walk().color[u] = Color::Grey;
            x.enter(u);
            trace.hint(x);
        }
        examine_neighbours(u, graph, x, trace);

        let mut done = false;
        if x.walk().s_last.0 == u {
            x.walk().color[u] = Color::Black;
            x.finish(u);
            trace.hint(x);

            // Pop. The hint above still has the link that is removed here.
            let Walk { s_prev, s_last, .. } = x.walk();
            let below = s_prev[u];
            s_prev[u] = u;
            s_last.0 = below;
            done = below == u;
        }
        if done {
            return;
        }
        u = x.walk().s_last.0;
        x.walk().u.0 = u;
    }
}

/// Examines the neighbours of `u` until one is white, and pushes that one onto the stack.
fn examine_neighbours<H: Search>(
    u: usize,
    graph: &AdjacencyLists,
    x: &mut H,
    trace: &mut Tracer<H>,
) {
    // Parity: the scan restarts from the first neighbour whenever the search returns to `u`.
    for (v, _) in graph.neighbours(u) {
        x.walk().v.0 = v;
        if x.walk().color[v] == Color::White {
            x.discover(u, v);
            let Walk { color, s_prev, s_last, .. } = x.walk();
            color[v] = Color::Grey;
            s_prev[v] = s_last.0;
            s_last.0 = v;
            trace.hint(x);
            return;
        }
        if x.meet(u, v) {
            trace.hint(x);
        }
    }
    // Parity: the reference iterates over all nodes and `v` is its loop variable: after a full scan
    // it is the last node.
    x.walk().v.0 = graph.nodes() - 1;
}

/// The increment of discovery and finishing times.
///
/// Parity: the reference adds 0.01 repeatedly; a product would differ in the last bits.
pub(crate) const TICK: f64 = 0.01;
