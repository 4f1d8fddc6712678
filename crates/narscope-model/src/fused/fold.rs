//! Folding: products of weights that are the same for all samples of an update, made once.
//!
//! An encoder followed by a linear layer is one smaller matrix; layers with the same inputs are one
//! wider matrix. A [`Fold`] lists how such matrices come from the weights. Kernels work with the
//! folded matrices, and with gradients in the same layout; on the way back the list is read
//! backwards, and gradients of weights come out.

use std::collections::BTreeMap;
use std::ops::Range;

use narscope_kernels::Buffer;
use narscope_kernels::matrix::{Mat, MatMut, add_product, product};

use crate::weights::Parameter;

/// A matrix in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id(usize);

/// Where a folded matrix lies among all of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    start: usize,
    pub(super) rows: usize,
    pub(super) cols: usize,
}

impl Slot {
    pub(super) fn range(self) -> Range<usize> {
        self.start..self.start + self.rows * self.cols
    }

    /// The numbers.
    pub(super) fn of(self, folded: &[f32]) -> &[f32] {
        &folded[self.range()]
    }

    /// The numbers, to change.
    pub(super) fn of_mut(self, folded: &mut [f32]) -> &mut [f32] {
        &mut folded[self.range()]
    }

    /// The first rows.
    pub(super) fn top(self, rows: usize) -> Self {
        assert!(rows <= self.rows, "{rows} rows of {}", self.rows);
        Self { rows, ..self }
    }

    /// The matrix.
    pub(super) fn mat(self, folded: &[f32]) -> Mat<'_> {
        Mat::new(self.of(folded), self.rows, self.cols)
    }

    /// The matrix, to change.
    pub(super) fn mat_mut(self, folded: &mut [f32]) -> MatMut<'_> {
        MatMut::new(self.of_mut(folded), self.rows, self.cols)
    }
}

/// How many numbers a cache line has.
const LINE: usize = 16;

#[derive(Debug)]
enum Op {
    /// Rows of a parameter, from this weight on.
    Weights(usize),
    /// Nothing but zeros.
    Zeros,
    Product(Id, Id),
    Sum(Vec<Id>),
    Transpose(Id),
    /// Exponentials, one by one.
    Exp(Id),
    /// Matrices side by side and below each other, each with its first row and column.
    Assembly(Vec<(Id, usize, usize)>),
}

#[derive(Debug)]
struct Node {
    op: Op,
    rows: usize,
    cols: usize,
    /// Where its numbers begin: among the weights, or among those of all other matrices.
    start: usize,
}

impl Node {
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.rows * self.cols
    }
}

/// How folded matrices come from weights.
#[derive(Debug)]
pub(super) struct Fold {
    parameters: BTreeMap<String, (usize, Vec<usize>)>,
    nodes: Vec<Node>,
    /// How many numbers the matrices have that are not weights as they are.
    size: usize,
    /// What kernels asked for: the matrix and where it goes.
    slots: Vec<(Id, Slot)>,
    /// How many numbers these have.
    pub(super) folded: usize,
}

impl Fold {
    /// An empty list over these parameters.
    pub(super) fn new(parameters: &[Parameter]) -> Self {
        let mut start = 0;
        let parameters = parameters.iter().map(|parameter| {
            let entry = (parameter.name.clone(), (start, parameter.shape.clone()));
            start += parameter.size();
            entry
        });
        let parameters = parameters.collect();
        Self { parameters, nodes: vec![], size: 0, slots: vec![], folded: 0 }
    }

    /// A parameter; vectors are rows.
    #[track_caller]
    pub(super) fn weights(&mut self, name: &str) -> Id {
        let (start, shape) = self.parameter(name);
        let (rows, cols) = match shape[..] {
            [cols] => (1, cols),
            [rows, cols] => (rows, cols),
            _ => panic!("{name} has shape {shape:?}"),
        };
        self.push(Op::Weights(start), rows, cols)
    }

    /// Some rows of a parameter.
    #[track_caller]
    pub(super) fn weight_rows(&mut self, name: &str, rows: Range<usize>) -> Id {
        let (start, shape) = self.parameter(name);
        let [all, cols] = shape[..] else { panic!("{name} has shape {shape:?}") };
        assert!(rows.end <= all, "rows {rows:?} of {all} of {name}");
        self.push(Op::Weights(start + rows.start * cols), rows.len(), cols)
    }

    #[track_caller]
    fn parameter(&self, name: &str) -> (usize, Vec<usize>) {
        self.parameters.get(name).cloned().unwrap_or_else(|| panic!("no weights named {name}"))
    }

    pub(super) fn zeros(&mut self, rows: usize, cols: usize) -> Id {
        self.push(Op::Zeros, rows, cols)
    }

    #[track_caller]
    pub(super) fn product(&mut self, a: Id, b: Id) -> Id {
        let ((rows, inner), (other, cols)) = (self.shape(a), self.shape(b));
        assert_eq!(inner, other, "inner sizes of a product");
        self.push(Op::Product(a, b), rows, cols)
    }

    #[track_caller]
    pub(super) fn sum(&mut self, terms: Vec<Id>) -> Id {
        let (rows, cols) = self.shape(terms[0]);
        self.push(Op::Sum(terms), rows, cols)
    }

    pub(super) fn transpose(&mut self, a: Id) -> Id {
        let (rows, cols) = self.shape(a);
        self.push(Op::Transpose(a), cols, rows)
    }

    pub(super) fn exp(&mut self, a: Id) -> Id {
        let (rows, cols) = self.shape(a);
        self.push(Op::Exp(a), rows, cols)
    }

    /// Matrices below each other.
    pub(super) fn below(&mut self, parts: &[Id], cols: usize) -> Id {
        let mut row = 0;
        let placed = parts.iter().map(|&id| {
            let place = (id, row, 0);
            row += self.shape(id).0;
            place
        });
        let placed = placed.collect();
        self.push(Op::Assembly(placed), row, cols)
    }

    /// Matrices beside each other.
    pub(super) fn beside(&mut self, parts: &[Id], rows: usize) -> Id {
        let mut col = 0;
        let placed = parts.iter().map(|&id| {
            let place = (id, 0, col);
            col += self.shape(id).1;
            place
        });
        let placed = placed.collect();
        self.push(Op::Assembly(placed), rows, col)
    }

    /// Matrices beside each other, with columns of zeros up to a whole number of cache lines.
    pub(super) fn beside_in_lines(&mut self, parts: &[Id], rows: usize) -> Id {
        let cols: usize = parts.iter().map(|&id| self.shape(id).1).sum();
        let rest = self.zeros(rows, cols.next_multiple_of(LINE) - cols);
        self.beside(&[parts, &[rest]].concat(), rows)
    }

    /// A matrix that kernels will use.
    pub(super) fn slot(&mut self, id: Id) -> Slot {
        let (rows, cols) = self.shape(id);
        let slot = Slot { start: self.folded, rows, cols };
        // Every matrix begins where a cache line does.
        self.folded += (rows * cols).next_multiple_of(LINE);
        self.slots.push((id, slot));
        slot
    }

    pub(super) fn shape(&self, id: Id) -> (usize, usize) {
        let Node { rows, cols, .. } = self.nodes[id.0];
        (rows, cols)
    }

    fn push(&mut self, op: Op, rows: usize, cols: usize) -> Id {
        let start = match op {
            Op::Weights(start) => start,
            _ => self.size,
        };
        if !matches!(op, Op::Weights(_)) {
            self.size += rows * cols;
        }
        self.nodes.push(Node { op, rows, cols, start });
        Id(self.nodes.len() - 1)
    }

    /// The numbers of a matrix: weights are read where they are.
    fn numbers<'a>(&self, id: Id, weights: &'a [f32], numbers: &'a [f32]) -> &'a [f32] {
        let node = &self.nodes[id.0];
        match node.op {
            Op::Weights(_) => &weights[node.range()],
            _ => &numbers[node.range()],
        }
    }

    /// The same, to change: what is learnt of weights goes where it belongs.
    fn gradient<'a>(
        &self,
        id: Id,
        weights: &'a mut [f32],
        numbers: &'a mut [f32],
    ) -> &'a mut [f32] {
        let node = &self.nodes[id.0];
        match node.op {
            Op::Weights(_) => &mut weights[node.range()],
            _ => &mut numbers[node.range()],
        }
    }

    fn mat<'a>(&self, id: Id, numbers: &'a [f32]) -> Mat<'a> {
        let (rows, cols) = self.shape(id);
        Mat::new(numbers, rows, cols)
    }

    /// Folds the weights: `numbers` are those of all matrices, which the way back needs, `folded`
    /// what kernels use.
    pub(super) fn forward(&self, weights: &[f32], numbers: &mut Buffer, folded: &mut [f32]) {
        let numbers = numbers.sized(self.size);
        for node in &self.nodes {
            if matches!(node.op, Op::Weights(_)) {
                continue;
            }
            let (before, rest) = numbers.split_at_mut(node.start);
            let of = |id: Id| self.numbers(id, weights, before);
            let out = &mut rest[..node.rows * node.cols];
            match &node.op {
                Op::Weights(_) => {}
                Op::Zeros => out.fill(0.0),
                Op::Product(a, b) => product(
                    MatMut::new(out, node.rows, node.cols),
                    self.mat(*a, of(*a)),
                    self.mat(*b, of(*b)),
                ),
                Op::Sum(terms) => {
                    out.fill(0.0);
                    for &term in terms {
                        add(out, of(term));
                    }
                }
                Op::Transpose(a) => {
                    let a = of(*a);
                    for (i, row) in out.chunks_exact_mut(node.cols.max(1)).enumerate() {
                        for (j, x) in row.iter_mut().enumerate() {
                            *x = a[j * node.rows + i];
                        }
                    }
                }
                Op::Exp(a) => out.iter_mut().zip(of(*a)).for_each(|(out, a)| *out = a.exp()),
                Op::Assembly(parts) => {
                    for &(id, row, col) in parts {
                        let cols = self.shape(id).1;
                        for (i, part) in of(id).chunks_exact(cols.max(1)).enumerate() {
                            let start = (row + i) * node.cols + col;
                            out[start..start + cols].copy_from_slice(part);
                        }
                    }
                }
            }
        }
        for (id, slot) in &self.slots {
            slot.of_mut(folded).copy_from_slice(self.numbers(*id, weights, numbers));
        }
    }

    /// From gradients of folded matrices to gradients of weights, which are added to. `numbers` are
    /// those of [`forward`](Self::forward); `scratch` is memory to use again.
    pub(super) fn backward(
        &self,
        (weights, numbers): (&[f32], &[f32]),
        folded_gradient: &[f32],
        scratch: &mut Buffer,
        weights_gradient: &mut [f32],
    ) {
        let gradient = scratch.zeroed(self.size);
        for (id, slot) in &self.slots {
            add(self.gradient(*id, weights_gradient, gradient), slot.of(folded_gradient));
        }
        for node in self.nodes.iter().rev() {
            if matches!(node.op, Op::Weights(_)) {
                continue;
            }
            let (before, rest) = gradient.split_at_mut(node.start);
            let d = &rest[..node.rows * node.cols];
            let mut to = |id: Id, work: &mut dyn FnMut(&mut [f32])| {
                work(self.gradient(id, weights_gradient, before));
            };
            match &node.op {
                Op::Weights(_) | Op::Zeros => {}
                Op::Product(a, b) => {
                    let d = Mat::new(d, node.rows, node.cols);
                    let of = |id: Id| self.mat(id, self.numbers(id, weights, numbers));
                    for (id, left, right) in [(*a, d, of(*b).t()), (*b, of(*a).t(), d)] {
                        let (rows, cols) = self.shape(id);
                        to(id, &mut |to| add_product(MatMut::new(to, rows, cols), left, right));
                    }
                }
                Op::Sum(terms) => terms.iter().for_each(|&term| to(term, &mut |to| add(to, d))),
                Op::Transpose(a) => to(*a, &mut |to| {
                    for (i, row) in d.chunks_exact(node.cols.max(1)).enumerate() {
                        for (j, d) in row.iter().enumerate() {
                            to[j * node.rows + i] += d;
                        }
                    }
                }),
                Op::Exp(a) => to(*a, &mut |to| {
                    let values = &numbers[node.range()];
                    to.iter_mut().zip(d).zip(values).for_each(|((to, d), x)| *to += d * x);
                }),
                Op::Assembly(parts) => {
                    for &(id, row, col) in parts {
                        let cols = self.shape(id).1;
                        to(id, &mut |to| {
                            for (i, to) in to.chunks_exact_mut(cols.max(1)).enumerate() {
                                add(to, &d[(row + i) * node.cols + col..][..cols]);
                            }
                        });
                    }
                }
            }
        }
    }
}

/// `y += x`.
pub(super) fn add(y: &mut [f32], x: &[f32]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += x);
}
