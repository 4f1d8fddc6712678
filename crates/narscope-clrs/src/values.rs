//! The types of probes: where a value lives (node, edge, graph) times what it is.
//!
//! `NodePointer` is `Node<Pointer>`: one pointer per node. The location says how many items there
//! are, the [`Content`] says what an item is and how it is stored.

use std::fmt::Debug;
use std::ops::{Deref, DerefMut, Index, IndexMut};

use crate::column::{Column, Stored};
use crate::kind::Kind;
use crate::location::Location;
use crate::signature::Value;

/// What a value is, wherever it lives.
pub trait Content: 'static {
    /// One item.
    type Item: Copy + PartialEq + Debug + Send + Sync;
    /// What an item is stored as.
    type Stored: Stored;
    /// How it is represented.
    const KIND: Kind;
    /// The names of the classes, if there are any.
    const CLASSES: &'static [&'static str] = &[];
    /// Whether the reference draws it as an integer.
    const WHOLE: bool = false;
    /// Whether it never changes while an algorithm runs.
    const CONSTANT: bool = false;
    /// What is stored for an item.
    fn store(item: Self::Item) -> Self::Stored;
    /// The item that is stored.
    fn load(stored: Self::Stored) -> Self::Item;
}

macro_rules! content {
    ($(#[$doc:meta])* $Name:ident, $Item:ty, $kind:ident as $Stored:ty $(, flag $FLAG:ident)?; $store:expr, $load:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $Name;

        impl Content for $Name {
            type Item = $Item;
            type Stored = $Stored;
            const KIND: Kind = Kind::$kind;
            $(const $FLAG: bool = true;)?
            #[inline]
            fn store(item: Self::Item) -> Self::Stored {
                let store: fn(Self::Item) -> Self::Stored = $store;
                store(item)
            }
            #[inline]
            fn load(stored: Self::Stored) -> Self::Item {
                let load: fn(Self::Stored) -> Self::Item = $load;
                load(stored)
            }
        }
    };
}

content!(
    /// A real number.
    Scalar, f64, Scalar as f64; |x| x, |x| x
);
content!(
    /// A number that the reference draws as an integer.
    Whole, f64, Scalar as f64, flag WHOLE; |x| x, |x| x
);
content!(
    /// Yes or no.
    Mask, bool, Mask as i8; |x| i8::from(x), |x| x == 1
);
content!(
    /// Yes, no, or does not count.
    PartialMask, Verdict, Mask as i8; |x| x as i8, |x| Verdict::from_code(x)
);
content!(
    /// A node.
    Pointer, usize, Pointer as u32; |x| x as u32, |x| x as usize
);
content!(
    /// A node, the same one at every step.
    Order, usize, Pointer as u32, flag CONSTANT; |x| x as u32, |x| x as usize
);
content!(
    /// A node, such that all of them form one chain.
    Chain, usize, ShouldBePermutation as u32; |x| x as u32, |x| x as usize
);

/// An item of a [`PartialMask`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Does not count, in the loss or in the score.
    Ignored = -1,
    /// No.
    No = 0,
    /// Yes.
    Yes = 1,
}

impl Verdict {
    fn from_code(code: i8) -> Self {
        match code {
            -1 => Self::Ignored,
            0 => Self::No,
            1 => Self::Yes,
            other => panic!("{other} is none of -1, 0, 1"),
        }
    }
}

/// An enum whose variants are the classes of a categorical probe. Written by [`classes!`](crate::classes).
pub trait Classes: Copy + PartialEq + Debug + Send + Sync + 'static {
    /// The names of the classes, in order.
    const NAMES: &'static [&'static str];
    /// The class's place in the order, or `!place` if it does not count.
    fn code(self) -> i8;
    /// Reads [`Classes::code`] back.
    fn from_code(code: i8) -> Self;
}

/// Declares the classes of a categorical probe. What stands after `ignored` does not count in the
/// loss or in the score.
#[macro_export]
macro_rules! classes {
    ($(#[$doc:meta])* $Name:ident {
        $($(#[$class_doc:meta])* $Class:ident),+ $(,)?
        $(; ignored $(#[$ignored_doc:meta])* $Ignored:ident)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $Name {
            $($(#[$class_doc])* $Class,)+
            $($(#[$ignored_doc])* $Ignored,)?
        }

        impl $crate::values::Classes for $Name {
            const NAMES: &'static [&'static str] =
                &[$(stringify!($Class),)+ $(stringify!($Ignored),)?];
            fn code(self) -> i8 {
                match self {
                    $(Self::$Ignored => !(Self::$Ignored as i8),)?
                    #[allow(unreachable_patterns, reason = "not every list has an ignored class")]
                    counted => counted as i8,
                }
            }
            fn from_code(code: i8) -> Self {
                let place = if code < 0 { !code } else { code };
                [$(Self::$Class,)+ $(Self::$Ignored,)?][place as usize]
            }
        }
    };
}

/// One of the classes of `C`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class<C>(std::marker::PhantomData<C>);

impl<C: Classes> Content for Class<C> {
    type Item = C;
    type Stored = i8;
    const KIND: Kind = Kind::Categorical;
    const CLASSES: &'static [&'static str] = C::NAMES;
    #[inline]
    fn store(class: C) -> i8 {
        class.code()
    }
    #[inline]
    fn load(code: i8) -> C {
        C::from_code(code)
    }
}

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
/// A whole number per node.
pub type NodeWhole = Node<Whole>;
/// A yes or no per node.
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
/// A whole number per pair of nodes.
pub type EdgeWhole = Edge<Whole>;
/// A yes or no per pair of nodes.
pub type EdgeMask = Edge<Mask>;
/// A yes or no for some pairs of nodes.
pub type EdgePartialMask = Edge<PartialMask>;
/// A pointer from each pair of nodes to a node.
pub type EdgePointer = Edge<Pointer>;
/// A class per pair of nodes.
pub type EdgeClass<C> = Edge<Class<C>>;
/// A real number.
pub type GraphScalar = Graph<Scalar>;
/// A yes or no.
pub type GraphMask = Graph<Mask>;
/// A class.
pub type GraphClass<C> = Graph<Class<C>>;

// Derived impls would ask for `K: Clone` although only the items are cloned.
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
        self.0.cells.clone_from(&source.0.cells);
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
        K::Stored::of_mut(column).push(&self.0.cells, K::store);
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
    /// Set nowhere.
    pub fn none(nodes: usize) -> Self {
        Self::filled(nodes, false)
    }
    /// Set at `node` only.
    pub fn only(node: usize, nodes: usize) -> Self {
        let mut mask = Self::none(nodes);
        mask[node] = true;
        mask
    }
}

impl EdgeMask {
    /// Set nowhere.
    pub fn none(nodes: usize) -> Self {
        Self::filled(nodes, false)
    }
    /// Where `weights` has an edge, and on the diagonal: every node is its own neighbour.
    pub fn adjacency(weights: &Grid<f64>) -> Self {
        // Parity: the reference adds the identity and then looks for non-zeros, so a self loop of
        // weight -1 would hide its node.
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
    /// Every node points to the one before it in `order`, the first to itself.
    pub fn chained(order: &[usize]) -> Self {
        let mut pointers = Self::to_self(order.len());
        pointers.chain(order);
        pointers
    }
    /// Lets every node point to the one before it in `order`, the first to itself.
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

/// A square table with a cell per ordered pair of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid<T> {
    nodes: usize,
    cells: Vec<T>,
}

impl<T: Copy> Grid<T> {
    /// The same value in every cell.
    pub fn filled(nodes: usize, value: T) -> Self {
        Self { nodes, cells: vec![value; nodes * nodes] }
    }
    /// Computed cell by cell, row after row.
    pub fn from_fn(nodes: usize, mut cell: impl FnMut(usize, usize) -> T) -> Self {
        let mut cells = Vec::with_capacity(nodes * nodes);
        for i in 0..nodes {
            cells.extend((0..nodes).map(|j| cell(i, j)));
        }
        Self { nodes, cells }
    }
    /// From its cells, row after row.
    ///
    /// # Panics
    /// If there are not `nodes * nodes` of them.
    #[track_caller]
    pub fn from_cells(nodes: usize, cells: Vec<T>) -> Self {
        assert_eq!(cells.len(), nodes * nodes, "cells of a square of {nodes}");
        Self { nodes, cells }
    }
    /// The number of rows.
    pub fn nodes(&self) -> usize {
        self.nodes
    }
    /// All cells, row after row.
    pub fn cells(&self) -> &[T] {
        &self.cells
    }
    /// All cells, to be changed.
    pub fn cells_mut(&mut self) -> &mut [T] {
        &mut self.cells
    }
    /// The cells of row `i`.
    pub fn row(&self, i: usize) -> &[T] {
        &self.cells[i * self.nodes..(i + 1) * self.nodes]
    }
    /// The cells of row `i`, to be changed.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.cells[i * self.nodes..(i + 1) * self.nodes]
    }
    /// Rows become columns.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.nodes, |i, j| self[(j, i)])
    }
    /// Cell `(i, j)` of the result is cell `(order[i], order[j])` of this one.
    #[must_use]
    pub fn reordered(&self, order: &[usize]) -> Self {
        Self::from_fn(self.nodes, |i, j| self[(order[i], order[j])])
    }
}

impl Grid<f64> {
    /// From `(u, v, weight)` triples.
    pub fn from_edges(nodes: usize, edges: &[(usize, usize, f64)]) -> Self {
        let mut grid = Self::filled(nodes, 0.0);
        for &(u, v, weight) in edges {
            grid[(u, v)] = weight;
        }
        grid
    }
    /// The nodes that `u` has an edge to, with the weights.
    pub fn neighbours(&self, u: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.row(u).iter().copied().enumerate().filter(|&(_, weight)| weight != 0.0)
    }
    /// The same graph as lists of neighbours, for algorithms that go over it again and again.
    pub fn adjacency_lists(&self) -> AdjacencyLists {
        let size = self.nodes * self.nodes;
        let (mut starts, mut edges) =
            (Vec::with_capacity(self.nodes + 1), vec![(0, 0.0); size + 1]);
        let mut count = 0;
        for u in 0..self.nodes {
            starts.push(count);
            for (v, &weight) in self.row(u).iter().enumerate() {
                // Written always and kept only for an edge: cheaper than a branch nobody can predict.
                edges[count] = (v as u32, weight);
                count += usize::from(weight != 0.0);
            }
        }
        starts.push(count);
        edges.truncate(count);
        AdjacencyLists { starts, edges }
    }
    /// The edges, by source and then by target.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.nodes).flat_map(|u| self.neighbours(u).map(move |(v, weight)| (u, v, weight)))
    }
}

/// A graph as lists of neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct AdjacencyLists {
    starts: Vec<usize>,
    edges: Vec<(u32, f64)>,
}

impl AdjacencyLists {
    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }
    /// The nodes that `u` has an edge to, in order, with the weights.
    #[inline]
    pub fn neighbours(&self, u: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.edges[self.starts[u]..self.starts[u + 1]].iter().map(|&(v, w)| (v as usize, w))
    }
}

impl<T> Index<(usize, usize)> for Grid<T> {
    type Output = T;
    #[inline]
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.cells[i * self.nodes + j]
    }
}

impl<T> IndexMut<(usize, usize)> for Grid<T> {
    #[inline]
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.cells[i * self.nodes + j]
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
        let yes = true;
        let no = false;
        assert_eq!(
            EdgeMask::adjacency(&weights).cells(),
            [yes, yes, no, no, yes, no, yes, no, yes]
        );
    }
}
