//! Depth-first search, the skeleton that six algorithms share. CLRS 3rd ed., §22.3.
//!
//! The recursion is an explicit stack of linked pointers, because hints must show it: `s_last` is
//! its top and `s_prev` leads from each node on it to the one below. What an algorithm does on the
//! way is its [`Search`].

use crate::signature::Values;
use crate::trace::Tracer;
use crate::values::{AdjacencyLists, NodeClass, NodeMaskOne, NodePointer};

crate::classes!(
    /// How far the search has come with a node.
    Color {
        /// Not seen yet.
        White,
        /// Seen, and not all of its neighbours.
        Grey,
        /// Done with.
        Black,
    }
);

/// The part of an algorithm's hints that the skeleton keeps.
pub(crate) struct Walk<'a> {
    /// How far the search has come with each node.
    pub(crate) color: &'a mut NodeClass<Color>,
    /// The node below each node on the stack; itself for the lowest and for those not on it.
    pub(crate) s_prev: &'a mut NodePointer,
    /// The top of the stack.
    pub(crate) s_last: &'a mut NodeMaskOne,
    /// The node whose neighbours are looked at.
    pub(crate) u: &'a mut NodeMaskOne,
    /// The neighbour looked at last.
    pub(crate) v: &'a mut NodeMaskOne,
}

/// What an algorithm does at the turns of a depth-first search. Its hints are its state.
pub(crate) trait Search: Values {
    /// The part that the skeleton keeps.
    fn walk(&mut self) -> Walk<'_>;
    /// A new tree starts at `s`.
    fn start(&mut self, s: usize);
    /// `u` is the top of the stack: called before anything else is done with it.
    fn visit(&mut self, _u: usize) {}
    /// Whether `u` has not been entered yet.
    fn is_new(&mut self, u: usize) -> bool {
        self.walk().color[u] == Color::White
    }
    /// `u` turns grey.
    fn enter(&mut self, _u: usize) {}
    /// `v` is white, and discovered from `u`.
    fn discover(&mut self, _u: usize, _v: usize) {}
    /// `v` is a neighbour of `u` that is not white. Answers whether this is a step of its own.
    fn meet(&mut self, _u: usize, _v: usize) -> bool {
        false
    }
    /// `u` has turned black.
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
        look_around(u, graph, x, trace);

        let mut done = false;
        if x.walk().s_last.0 == u {
            x.walk().color[u] = Color::Black;
            x.finish(u);
            trace.hint(x);

            // Pop. The hint above still shows the link that is cut here.
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

/// Looks at the neighbours of `u` until one is white, and puts that one on the stack.
fn look_around<H: Search>(u: usize, graph: &AdjacencyLists, x: &mut H, trace: &mut Tracer<H>) {
    // Parity: the scan starts over from the first neighbour whenever the search comes back to `u`.
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
    // Parity: the reference looks at all nodes in order, neighbours or not, and `v` is its loop
    // variable: after a full scan it is the last node.
    x.walk().v.0 = graph.nodes() - 1;
}

/// One tick of the clock that stamps discoveries and finishes.
///
/// Parity: the reference adds 0.01 again and again; a product would differ in its last bits.
pub(crate) const TICK: f64 = 0.01;
