//! The value types of probes: a location (node, edge, graph) and a content.
//!
//! `NodePointer` is `Node<Pointer>`: one pointer per node. The location determines the number of
//! items, the [`Content`] how an item is represented and stored.

use std::ops::{Deref, DerefMut};

use crate::column::{Column, Stored as _};
pub use crate::content::{
    Chain, Class, Classes, Content, Mask, Order, PartialMask, Pointer, Scalar, Verdict, Whole,
};
pub use crate::graph::{AdjacencyLists, Grid};
use crate::kind::Kind;
use crate::location::Location;
use crate::signature::Value;

/// Reads the items of a record back.
fn load<K: Content>(column: &Column, record: usize) -> Vec<K::Item> {
    K::Stored::of(column).get(record).into_iter().map(K::load).collect()
}

/// One item per node.
#[derive(Debug, PartialEq)]
pub struct Node<K: Content>(pub Vec<K::Item>);

/// One item per ordered pair of nodes.
#[derive(Debug, PartialEq)]
pub struct Edge<K: Content>(pub Grid<K::Item>);

/// One item for the whole problem.
#[derive(Debug, PartialEq)]
pub struct Graph<K: Content>(pub K::Item);

/// One marked node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeMaskOne(pub usize);

/// A real number per node.
pub type NodeScalar = Node<Scalar>;
/// A real number per node that is an integer.
pub type NodeWhole = Node<Whole>;
/// A boolean per node.
pub type NodeMask = Node<Mask>;
/// A pointer from each node to a node.
pub type NodePointer = Node<Pointer>;
/// A pointer from each node to the one before it in the input, the same at every step.
pub type NodeOrder = Node<Order>;
/// A pointer from each node to its predecessor in one chain of all nodes.
pub type NodeChain = Node<Chain>;
/// A class per node.
pub type NodeClass<C> = Node<Class<C>>;
/// A real number per pair of nodes.
pub type EdgeScalar = Edge<Scalar>;
/// A real number per pair of nodes that is an integer.
pub type EdgeWhole = Edge<Whole>;
/// A boolean per pair of nodes.
pub type EdgeMask = Edge<Mask>;
/// A boolean per pair of nodes; some pairs are ignored.
pub type EdgePartialMask = Edge<PartialMask>;
/// A pointer from each pair of nodes to a node.
pub type EdgePointer = Edge<Pointer>;
/// A class per pair of nodes.
pub type EdgeClass<C> = Edge<Class<C>>;
/// A real number.
pub type GraphScalar = Graph<Scalar>;
/// A boolean.
pub type GraphMask = Graph<Mask>;
/// A class.
pub type GraphClass<C> = Graph<Class<C>>;

// Derived impls would require `K: Clone`, although only items are cloned.
impl<K: Content> Clone for Node<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
    fn clone_from(&mut self, source: &Self) {
        self.0.clone_from(&source.0);
    }
}

impl<K: Content> Clone for Edge<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
    fn clone_from(&mut self, source: &Self) {
        self.0.clone_from(&source.0);
    }
}

impl<K: Content> Clone for Graph<K> {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

impl<K: Content, const N: usize> From<[K::Item; N]> for Node<K> {
    fn from(items: [K::Item; N]) -> Self {
        Self(items.to_vec())
    }
}

impl<K: Content> Value for Node<K> {
    const LOCATION: Location = Location::Node;
    const KIND: Kind = K::KIND;
    const CLASSES: &'static [&'static str] = K::CLASSES;
    const WHOLE: bool = K::WHOLE;
    const CONSTANT: bool = K::CONSTANT;
    #[inline]
    fn write(&self, column: &mut Column) {
        K::Stored::of_mut(column).push(&self.0, K::store);
    }
    fn read(_nodes: usize, column: &Column, record: usize) -> Self {
        Self(load::<K>(column, record))
    }
}

impl<K: Content> Value for Edge<K> {
    const LOCATION: Location = Location::Edge;
    const KIND: Kind = K::KIND;
    const CLASSES: &'static [&'static str] = K::CLASSES;
    const WHOLE: bool = K::WHOLE;
    const CONSTANT: bool = K::CONSTANT;
    #[inline]
    fn write(&self, column: &mut Column) {
        K::Stored::of_mut(column).push(self.0.cells(), K::store);
    }
    fn read(nodes: usize, column: &Column, record: usize) -> Self {
        Self(Grid::from_cells(nodes, load::<K>(column, record)))
    }
}

impl<K: Content> Value for Graph<K> {
    const LOCATION: Location = Location::Graph;
    const KIND: Kind = K::KIND;
    const CLASSES: &'static [&'static str] = K::CLASSES;
    const WHOLE: bool = K::WHOLE;
    const CONSTANT: bool = K::CONSTANT;
    #[inline]
    fn write(&self, column: &mut Column) {
        K::Stored::of_mut(column).push(&[self.0], K::store);
    }
    fn read(_nodes: usize, column: &Column, record: usize) -> Self {
        Self(load::<K>(column, record)[0])
    }
}

impl Value for NodeMaskOne {
    const LOCATION: Location = Location::Node;
    const KIND: Kind = Kind::MaskOne;
    #[inline]
    fn write(&self, column: &mut Column) {
        u32::of_mut(column).push(&[self.0 as u32], |node| node);
    }
    fn read(_nodes: usize, column: &Column, record: usize) -> Self {
        Self(u32::of(column).get(record)[0] as usize)
    }
}

impl<K: Content> Deref for Node<K> {
    type Target = [K::Item];
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<K: Content> DerefMut for Node<K> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<K: Content> Deref for Edge<K> {
    type Target = Grid<K::Item>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<K: Content> DerefMut for Edge<K> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<K: Content> Node<K> {
    /// The same item at every node.
    pub fn filled(nodes: usize, item: K::Item) -> Self {
        Self(vec![item; nodes])
    }
}

impl<K: Content> Edge<K> {
    /// The same item at every pair.
    pub fn filled(nodes: usize, item: K::Item) -> Self {
        Self(Grid::filled(nodes, item))
    }
    /// Computed pair by pair.
    pub fn from_fn(nodes: usize, item: impl FnMut(usize, usize) -> K::Item) -> Self {
        Self(Grid::from_fn(nodes, item))
    }
}

impl<K: Content<Item = f64>> Node<K> {
    /// Zero everywhere.
    pub fn zeros(nodes: usize) -> Self {
        Self::filled(nodes, 0.0)
    }
}

impl NodeScalar {
    /// `i / nodes` at node `i`: the `pos` input of almost every algorithm.
    pub fn positions(nodes: usize) -> Self {
        Self((0..nodes).map(|i| i as f64 / nodes as f64).collect())
    }
}

impl<K: Content<Item = f64>> Edge<K> {
    /// Zero everywhere.
    pub fn zeros(nodes: usize) -> Self {
        Self::filled(nodes, 0.0)
    }
}

impl NodeMask {
    /// False everywhere.
    pub fn none(nodes: usize) -> Self {
        Self::filled(nodes, false)
    }
    /// True at `node` only.
    pub fn only(node: usize, nodes: usize) -> Self {
        let mut mask = Self::none(nodes);
        mask[node] = true;
        mask
    }
}

impl EdgeMask {
    /// False everywhere.
    pub fn none(nodes: usize) -> Self {
        Self::filled(nodes, false)
    }
    /// True where `weights` has an edge, and on the diagonal.
    pub fn adjacency(weights: &Grid<f64>) -> Self {
        // Parity: the reference adds the identity and then tests for nonzero values, so a self-loop of
        // weight -1 disappears.
        let mut joined: Vec<bool> = weights.cells().iter().map(|&weight| weight != 0.0).collect();
        for i in 0..weights.nodes() {
            joined[i * weights.nodes() + i] = weights[(i, i)] + 1.0 != 0.0;
        }
        Self(Grid::from_cells(weights.nodes(), joined))
    }
}

impl<K: Content<Item = usize>> Node<K> {
    /// Every node points to itself.
    pub fn to_self(nodes: usize) -> Self {
        Self((0..nodes).collect())
    }
    /// Each node points to the one before it in `order`; the first points to itself.
    pub fn chained(order: &[usize]) -> Self {
        let mut pointers = Self::to_self(order.len());
        pointers.chain(order);
        pointers
    }
    /// Sets each pointer to the node before it in `order`; the first points to itself.
    pub fn chain(&mut self, order: &[usize]) {
        self[order[0]] = order[0];
        for pair in order.windows(2) {
            self[pair[1]] = pair[0];
        }
    }
    /// Every node points to the one before it in the order of the nodes.
    pub fn to_left(nodes: usize) -> Self {
        Self((0..nodes).map(|i: usize| i.saturating_sub(1)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_points_to_the_left_and_its_head_to_itself() {
        assert_eq!(*NodePointer::chained(&[2, 0, 1]), [2, 0, 2]);
        assert_eq!(NodePointer::to_left(4), NodePointer::chained(&[0, 1, 2, 3]));
    }

    #[test]
    fn positions_are_fractions_of_the_number_of_nodes() {
        assert_eq!(*NodeScalar::positions(4), [0.0, 0.25, 0.5, 0.75]);
    }

    #[test]
    fn every_node_is_its_own_neighbour_and_negative_weights_are_edges() {
        let weights = Grid::from_edges(3, &[(0, 1, -2.0), (2, 0, 0.5)]);
        let (t, f) = (true, false);
        assert_eq!(EdgeMask::adjacency(&weights).cells(), [t, t, f, f, t, f, t, f, t]);
    }
}
