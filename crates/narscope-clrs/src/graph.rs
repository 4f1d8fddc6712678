//! Graphs: a matrix of weights, lists of neighbours, and a graph with a source.

use std::ops::{Index, IndexMut};

/// A graph with a source node.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphInstance {
    /// The weight of each edge; 0 for no edge.
    pub weights: Grid<f64>,
    /// The source; 0 for algorithms without one.
    pub source: usize,
}

/// A square matrix with a cell per ordered pair of nodes, in row-major order.
#[derive(Debug, PartialEq)]
pub struct Grid<T> {
    nodes: usize,
    cells: Vec<T>,
}

impl<T: Clone> Clone for Grid<T> {
    fn clone(&self) -> Self {
        Self { nodes: self.nodes, cells: self.cells.clone() }
    }
    /// Reuses the memory of `self`.
    fn clone_from(&mut self, source: &Self) {
        self.nodes = source.nodes;
        self.cells.clone_from(&source.cells);
    }
}

impl<T: Copy> Grid<T> {
    /// The same value in every cell.
    pub fn filled(nodes: usize, value: T) -> Self {
        Self { nodes, cells: vec![value; nodes * nodes] }
    }
    /// Computed cell by cell, in row-major order.
    pub fn from_fn(nodes: usize, mut cell: impl FnMut(usize, usize) -> T) -> Self {
        let mut cells = Vec::with_capacity(nodes * nodes);
        for i in 0..nodes {
            cells.extend((0..nodes).map(|j| cell(i, j)));
        }
        Self { nodes, cells }
    }
    /// From its cells, in row-major order.
    ///
    /// # Panics
    /// If there are not `nodes * nodes` of them.
    #[track_caller]
    pub fn from_cells(nodes: usize, cells: Vec<T>) -> Self {
        assert_eq!(cells.len(), nodes * nodes, "cells of a matrix over {nodes} nodes");
        Self { nodes, cells }
    }
    /// The number of rows.
    pub fn nodes(&self) -> usize {
        self.nodes
    }
    /// All cells, in row-major order.
    pub fn cells(&self) -> &[T] {
        &self.cells
    }
    /// All cells, mutably.
    pub fn cells_mut(&mut self) -> &mut [T] {
        &mut self.cells
    }
    /// The cells of row `i`.
    pub fn row(&self, i: usize) -> &[T] {
        &self.cells[i * self.nodes..(i + 1) * self.nodes]
    }
    /// The cells of row `i`, mutably.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.cells[i * self.nodes..(i + 1) * self.nodes]
    }
    /// The transpose.
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
    /// The successors of `u`, with the weights of the edges.
    pub fn neighbours(&self, u: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.row(u).iter().copied().enumerate().filter(|&(_, weight)| weight != 0.0)
    }
    /// The graph as adjacency lists, for algorithms that read it often.
    pub fn adjacency_lists(&self) -> AdjacencyLists {
        let size = self.nodes * self.nodes;
        let (mut starts, mut edges) =
            (Vec::with_capacity(self.nodes + 1), vec![(0, 0.0); size + 1]);
        let mut count = 0;
        for u in 0..self.nodes {
            starts.push(count);
            for (v, &weight) in self.row(u).iter().enumerate() {
                // Written always and kept only for an edge: cheaper than an unpredictable branch.
                edges[count] = (v as u32, weight);
                count += usize::from(weight != 0.0);
            }
        }
        starts.push(count);
        edges.truncate(count);
        AdjacencyLists { starts, edges }
    }
    /// The edges, ordered by source and then by target.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.nodes).flat_map(|u| self.neighbours(u).map(move |(v, weight)| (u, v, weight)))
    }
}

/// A graph as adjacency lists.
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
    /// The successors of `u`, in order, with the weights of the edges.
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
