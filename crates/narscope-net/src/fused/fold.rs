//! Folding: products of weights, which are the same for all samples of an update, computed once.
//!
//! An encoder followed by a linear layer is one smaller matrix; layers with the same inputs are one
//! wider matrix. A [`Fold`] is a graph of operations that computes such matrices from the weights.
//! Kernels work with the folded matrices and with gradients in the same layout; the backward pass of
//! the graph turns these into gradients of the weights.
//!
//! A matrix that is only a part of a larger one is computed in place there, and its gradient is read
//! there: every value is copied at most once.

use std::collections::BTreeMap;
use std::ops::Range;

use narscope_kernels::Buffer;
use narscope_kernels::matrix::{Mat, MatMut, add_product, product, transpose};

use crate::parallel;
use crate::weights::Parameter;

/// A matrix of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id(usize);

/// Location of a folded matrix in the buffer of all of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    start: usize,
    pub(super) rows: usize,
    pub(super) cols: usize,
    /// Number of rows of the whole matrix, of which this slot has the first ones.
    all_rows: usize,
}

impl Slot {
    pub(super) fn range(self) -> Range<usize> {
        self.start..self.start + self.rows * self.cols
    }

    /// The elements.
    pub(super) fn of(self, folded: &[f32]) -> &[f32] {
        &folded[self.range()]
    }

    /// The elements, mutable.
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

    /// The matrix, mutable.
    pub(super) fn mat_mut(self, folded: &mut [f32]) -> MatMut<'_> {
        MatMut::new(self.of_mut(folded), self.rows, self.cols)
    }

    /// The transpose as written by [`Fold::transpose_slots`]: products with it are faster than with a
    /// transposed view.
    pub(super) fn transposed(self, transposed: &[f32]) -> Mat<'_> {
        Mat::strided(&transposed[self.start..], self.cols, self.rows, self.all_rows)
    }
}

/// Number of floats in a cache line.
const LINE: usize = 16;

#[derive(Debug)]
enum Op {
    /// Rows of a parameter, starting at this weight.
    Weights(usize),
    /// Zeros.
    Zeros,
    Product(Id, Id),
    Sum(Vec<Id>),
    Transpose(Id),
    /// Elementwise exponential.
    Exp(Id),
    /// Block matrix: parts, each with its first row and column.
    Assembly(Vec<(Id, usize, usize)>),
}

impl Op {
    /// Operands.
    fn operands(&self) -> Vec<Id> {
        match self {
            Self::Weights(_) | Self::Zeros => vec![],
            Self::Product(a, b) => vec![*a, *b],
            Self::Sum(terms) => terms.clone(),
            Self::Transpose(a) | Self::Exp(a) => vec![*a],
            Self::Assembly(parts) => parts.iter().map(|(id, ..)| *id).collect(),
        }
    }
}

#[derive(Debug)]
struct Node {
    op: Op,
    rows: usize,
    cols: usize,
    location: Location,
}

/// Location of the elements of a matrix.
#[derive(Clone, Copy, Debug)]
struct Location {
    home: Home,
    start: usize,
    /// Distance between rows.
    stride: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    /// The weights.
    Weights,
    /// Intermediate matrices of folding.
    Own,
    /// Folded matrices, for kernels.
    Folded,
}

/// Computation graph from weights to folded matrices.
#[derive(Debug)]
pub(super) struct Fold {
    parameters: BTreeMap<String, (usize, Vec<usize>)>,
    nodes: Vec<Node>,
    /// Size of all intermediate matrices.
    size: usize,
    /// Matrices for kernels and their slots.
    slots: Vec<(Id, Slot)>,
    /// Slots that are needed transposed as well.
    transposed: Vec<Slot>,
    /// Size of all slots.
    pub(super) folded: usize,
}

impl Fold {
    /// An empty graph over these parameters.
    pub(super) fn new(parameters: &[Parameter]) -> Self {
        let mut start = 0;
        let parameters = parameters.iter().map(|parameter| {
            let entry = (parameter.name.clone(), (start, parameter.shape.clone()));
            start += parameter.size();
            entry
        });
        let parameters = parameters.collect();
        Self { parameters, nodes: vec![], size: 0, slots: vec![], transposed: vec![], folded: 0 }
    }

    /// A parameter; a vector is a row.
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

    /// Matrices stacked vertically.
    pub(super) fn below(&mut self, parts: &[Id], cols: usize) -> Id {
        let mut row = 0;
        let placed = parts.iter().map(|&id| {
            let part = (id, row, 0);
            row += self.shape(id).0;
            part
        });
        let placed = placed.collect();
        self.push(Op::Assembly(placed), row, cols)
    }

    /// Matrices stacked horizontally.
    pub(super) fn beside(&mut self, parts: &[Id], rows: usize) -> Id {
        let mut col = 0;
        let placed = parts.iter().map(|&id| {
            let part = (id, 0, col);
            col += self.shape(id).1;
            part
        });
        let placed = placed.collect();
        self.push(Op::Assembly(placed), rows, col)
    }

    /// Matrices stacked horizontally and padded with zeros to whole cache lines.
    pub(super) fn beside_in_lines(&mut self, parts: &[Id], rows: usize) -> Id {
        let cols: usize = parts.iter().map(|&id| self.shape(id).1).sum();
        let rest = self.zeros(rows, cols.next_multiple_of(LINE) - cols);
        self.beside(&[parts, &[rest]].concat(), rows)
    }

    /// Allocates a slot for a matrix that kernels use.
    pub(super) fn slot(&mut self, id: Id) -> Slot {
        let (rows, cols) = self.shape(id);
        let slot = Slot { start: self.folded, rows, cols, all_rows: rows };
        // Every matrix is aligned to a cache line.
        self.folded += (rows * cols).next_multiple_of(LINE);
        self.slots.push((id, slot));
        slot
    }

    /// Allocates a slot for a matrix that kernels use transposed as well.
    pub(super) fn slot_and_transpose(&mut self, id: Id) -> Slot {
        let slot = self.slot(id);
        self.transposed.push(slot);
        slot
    }

    pub(super) fn shape(&self, id: Id) -> (usize, usize) {
        let Node { rows, cols, .. } = self.nodes[id.0];
        (rows, cols)
    }

    fn push(&mut self, op: Op, rows: usize, cols: usize) -> Id {
        let location = match op {
            Op::Weights(start) => Location { home: Home::Weights, start, stride: cols },
            // `lay_out` assigns the final location.
            _ => Location { home: Home::Own, start: 0, stride: cols },
        };
        self.nodes.push(Node { op, rows, cols, location });
        Id(self.nodes.len() - 1)
    }

    /// Assigns a location to every matrix, once the graph is complete: a matrix used only by kernels or
    /// only as a part of a larger one is computed in place there.
    pub(super) fn lay_out(&mut self) {
        let mut uses = vec![0; self.nodes.len()];
        let operands = self.nodes.iter().flat_map(|node| node.op.operands());
        operands.chain(self.slots.iter().map(|(id, _)| *id)).for_each(|id| uses[id.0] += 1);
        let is_free = |node: &Node, id: Id| node.location.home == Home::Own && uses[id.0] == 1;

        self.slots.retain(|&(id, slot)| {
            let node = &mut self.nodes[id.0];
            let is_made_there = is_free(node, id);
            if is_made_there {
                node.location =
                    Location { home: Home::Folded, start: slot.start, stride: slot.cols };
            }
            !is_made_there
        });
        let mut parents: Vec<Option<(usize, usize, usize)>> = vec![None; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            let Op::Assembly(parts) = &node.op else { continue };
            for &(id, row, col) in parts {
                if is_free(&self.nodes[id.0], id) {
                    parents[id.0] = Some((at, row, col));
                }
            }
        }
        // The others get room in their order, so that operands precede results.
        for (node, parent) in self.nodes.iter_mut().zip(&parents) {
            if node.location.home == Home::Own && parent.is_none() {
                node.location.start = self.size;
                self.size += node.rows * node.cols;
            }
        }
        for at in (0..self.nodes.len()).rev() {
            if let Some((parent, row, col)) = parents[at] {
                let Location { home, start, stride } = self.nodes[parent].location;
                self.nodes[at].location =
                    Location { home, start: start + row * stride + col, stride };
            }
        }
        // Parts computed in place are not copied.
        for node in &mut self.nodes {
            if let Op::Assembly(parts) = &mut node.op {
                parts.retain(|(id, ..)| parents[id.0].is_none());
            }
        }
    }

    /// An operand; weights are read in place.
    fn mat<'a>(&self, id: Id, weights: &'a [f32], own: &'a [f32]) -> Mat<'a> {
        let Node { rows, cols, location: Location { home, start, stride }, .. } = self.nodes[id.0];
        let values = match home {
            Home::Weights => weights,
            Home::Own => own,
            Home::Folded => panic!("matrix {} is a slot for kernels and an operand", id.0),
        };
        Mat::strided(&values[start..], rows, cols, stride)
    }

    /// Gradient of an operand, to add to.
    fn gradient<'a>(&self, id: Id, weights: &'a mut [f32], own: &'a mut [f32]) -> MatMut<'a> {
        let Node { rows, cols, location: Location { home, start, stride }, .. } = self.nodes[id.0];
        let values = match home {
            Home::Weights => weights,
            Home::Own => own,
            Home::Folded => panic!("matrix {} is a slot for kernels and an operand", id.0),
        };
        MatMut::strided(&mut values[start..], rows, cols, stride)
    }

    /// Folds the weights: writes intermediate matrices, which the backward pass needs, to `own`, and slots to
    /// `folded`.
    pub(super) fn forward(&self, weights: &[f32], own: &mut Buffer, folded: &mut [f32]) {
        let own = own.sized(self.size);
        for Node { op, rows, cols, location: Location { home, start, stride } } in &self.nodes {
            let (before, out) = match home {
                Home::Weights => continue,
                Home::Own => {
                    let (before, rest) = own.split_at_mut(*start);
                    (&*before, rest)
                }
                Home::Folded => (&*own, &mut folded[*start..]),
            };
            let mut out = MatMut::strided(out, *rows, *cols, *stride);
            let of = |id: Id| self.mat(id, weights, before);
            match op {
                Op::Weights(_) => {}
                Op::Zeros => (0..*rows).for_each(|row| out.row(row).fill(0.0)),
                Op::Product(a, b) => product(out, of(*a), of(*b)),
                Op::Sum(terms) => {
                    for row in 0..*rows {
                        out.row(row).fill(0.0);
                        for &term in terms {
                            add(out.row(row), of(term).row(row));
                        }
                    }
                }
                Op::Transpose(a) => transpose(out, of(*a)),
                Op::Exp(a) => {
                    for row in 0..*rows {
                        let pairs = out.row(row).iter_mut().zip(of(*a).row(row));
                        pairs.for_each(|(out, a)| *out = a.exp());
                    }
                }
                Op::Assembly(parts) => {
                    for &(id, row, col) in parts {
                        let (part, (rows, cols)) = (of(id), self.shape(id));
                        for i in 0..rows {
                            out.row(row + i)[col..col + cols].copy_from_slice(part.row(i));
                        }
                    }
                }
            }
        }
        for &(id, slot) in &self.slots {
            let (from, mut to) = (self.mat(id, weights, own), slot.mat_mut(folded));
            (0..slot.rows).for_each(|row| to.row(row).copy_from_slice(from.row(row)));
        }
    }

    /// Writes the transposes that kernels need, each at the offset of its slot.
    pub(super) fn transpose_slots(&self, folded: &[f32], transposed: &mut [f32]) {
        let mut rest = transposed;
        let mut at = 0;
        let mut pieces = vec![];
        for &slot in &self.transposed {
            let Range { start, end } = slot.range();
            let (piece, after) = std::mem::take(&mut rest)[start - at..].split_at_mut(end - start);
            (rest, at) = (after, end);
            pieces.push((slot, piece));
        }
        parallel::for_each(&mut pieces, |(slot, piece)| {
            transpose(MatMut::new(piece, slot.cols, slot.rows), slot.mat(folded));
        });
    }

    /// Backward pass: adds to the gradients of weights, given those of folded matrices. `own` is that of
    /// [`forward`](Self::forward); `scratch` is reusable memory.
    pub(super) fn backward(
        &self,
        weights: &[f32],
        own: &[f32],
        folded_gradient: &[f32],
        scratch: &mut Buffer,
        weights_gradient: &mut [f32],
    ) {
        let own_gradient = scratch.zeroed(self.size);
        for &(id, slot) in &self.slots {
            let mut to = self.gradient(id, weights_gradient, own_gradient);
            let d = slot.mat(folded_gradient);
            (0..slot.rows).for_each(|row| add(to.row(row), d.row(row)));
        }
        for node in self.nodes.iter().rev() {
            let Node { op, rows, cols, location: Location { home, start, stride } } = node;
            let (before, d) = match home {
                Home::Weights => continue,
                Home::Own => {
                    let (before, rest) = own_gradient.split_at_mut(*start);
                    (before, &*rest)
                }
                Home::Folded => (&mut *own_gradient, &folded_gradient[*start..]),
            };
            let d = Mat::strided(d, *rows, *cols, *stride);
            let mut to = |id: Id, work: &mut dyn FnMut(MatMut<'_>)| {
                work(self.gradient(id, weights_gradient, before));
            };
            match op {
                Op::Weights(_) | Op::Zeros => {}
                Op::Product(a, b) => {
                    let of = |id: Id| self.mat(id, weights, own);
                    for (id, left, right) in [(*a, d, of(*b).t()), (*b, of(*a).t(), d)] {
                        to(id, &mut |to| add_product(to, left, right));
                    }
                }
                Op::Sum(terms) => {
                    for &term in terms {
                        to(term, &mut |mut to| {
                            (0..*rows).for_each(|row| add(to.row(row), d.row(row)));
                        });
                    }
                }
                Op::Transpose(a) => to(*a, &mut |mut to| {
                    for i in 0..*rows {
                        for (j, d) in d.row(i).iter().enumerate() {
                            to.row(j)[i] += d;
                        }
                    }
                }),
                Op::Exp(a) => to(*a, &mut |mut to| {
                    for row in 0..*rows {
                        let exponents = self.mat(*a, weights, own);
                        let pairs = to.row(row).iter_mut().zip(d.row(row));
                        pairs.zip(exponents.row(row)).for_each(|((to, d), a)| *to += d * a.exp());
                    }
                }),
                Op::Assembly(parts) => {
                    for &(id, row, col) in parts {
                        let (rows, cols) = self.shape(id);
                        to(id, &mut |mut to| {
                            for i in 0..rows {
                                add(to.row(i), &d.row(row + i)[col..col + cols]);
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

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [(&str, &[usize]); 4] =
        [("a", &[2, 3]), ("b", &[3, 2]), ("c", &[2]), ("t", &[1])];

    /// Small integers, whose products are exact.
    fn weights() -> Vec<f32> {
        (0..15_u8).map(|i| f32::from(i * 7 % 5) - 2.0).collect()
    }

    /// Every operation, nested block matrices, and matrices that are used twice: as parts, by kernels
    /// as well, or as a part and as an operand.
    fn fold() -> (Fold, Vec<Slot>) {
        let parameters =
            SHAPES.map(|(name, shape)| Parameter { name: name.to_owned(), shape: shape.to_vec() });
        let mut fold = Fold::new(&parameters);
        let [a, b, c, t] = ["a", "b", "c", "t"].map(|name| fold.weights(name));
        let both = fold.product(a, b);
        let row = fold.weight_rows("b", 1..2);
        let below = fold.below(&[both, row, c], 2);
        let sum = fold.sum(vec![row, c, c]);
        let nested = fold.beside(&[below, below], 4);
        let inside = fold.product(sum, both);
        let transposed = fold.transpose(a);
        let zeros = fold.zeros(1, 3);
        let padded = fold.beside(&[inside, zeros], 1);
        let row_of_zeros = fold.zeros(1, 2);
        let four_rows = fold.below(&[transposed, row_of_zeros], 2);
        let all = fold.beside_in_lines(&[nested, below, four_rows], 4);
        let hot = fold.exp(t);
        let twice = [a, sum, transposed, padded, all, hot, both];
        let slots = twice.map(|id| fold.slot_and_transpose(id)).to_vec();
        fold.lay_out();
        (fold, slots)
    }

    fn folded(fold: &Fold, weights: &[f32], own: &mut Buffer) -> Vec<f32> {
        let mut folded = vec![f32::NAN; fold.folded];
        fold.forward(weights, own, &mut folded);
        folded
    }

    #[test]
    fn folded_matrices_agree_with_their_definitions() {
        let (fold, slots) = fold();
        let w = weights();
        let folded = folded(&fold, &w, &mut Buffer::default());
        let (a, b, c) = (&w[..6], &w[6..12], &w[12..14]);
        let both = |i: usize, j: usize| (0..3).map(|k| a[i * 3 + k] * b[k * 2 + j]).sum::<f32>();
        let sum = [b[2] + 2.0 * c[0], b[3] + 2.0 * c[1]];
        let inside = [0, 1].map(|j| sum[0] * both(0, j) + sum[1] * both(1, j));
        let below =
            [[both(0, 0), both(0, 1)], [both(1, 0), both(1, 1)], [b[2], b[3]], [c[0], c[1]]];
        let transposed = |i: usize, j: usize| if i < 3 { a[j * 3 + i] } else { 0.0 };
        let all = (0..4).flat_map(|i| {
            let mut row =
                [below[i], below[i], below[i], [transposed(i, 0), transposed(i, 1)]].concat();
            row.resize(LINE, 0.0);
            row
        });
        let expected: [Vec<f32>; 7] = [
            a.to_vec(),
            sum.to_vec(),
            (0..6).map(|at| transposed(at / 2, at % 2)).collect(),
            [&inside[..], &[0.0; 3]].concat(),
            all.collect(),
            vec![w[14].exp()],
            below[..2].concat(),
        ];
        for (at, (slot, expected)) in slots.iter().zip(&expected).enumerate() {
            assert_eq!(slot.of(&folded), expected, "slot {at}");
        }
    }

    #[test]
    fn transposes_have_the_offsets_of_their_slots() {
        let (fold, slots) = fold();
        let folded = folded(&fold, &weights(), &mut Buffer::default());
        let mut transposed = vec![f32::NAN; fold.folded];
        fold.transpose_slots(&folded, &mut transposed);
        for slot in slots {
            for slot in [slot, slot.top(slot.rows - 1)] {
                let (plain, transposed) = (slot.mat(&folded), slot.transposed(&transposed));
                for i in 0..slot.rows {
                    let column: Vec<f32> = (0..slot.cols).map(|j| transposed.row(j)[i]).collect();
                    assert_eq!(plain.row(i), column);
                }
            }
        }
    }

    #[test]
    fn gradients_of_weights_agree_with_finite_differences() {
        let (fold, slots) = fold();
        let w = weights();
        let mut own = Buffer::default();
        folded(&fold, &w, &mut own);
        let mut d = vec![0.0; fold.folded];
        for slot in &slots {
            slot.of_mut(&mut d).iter_mut().enumerate().for_each(|(i, d)| *d = i as f32 % 3.0 - 1.0);
        }
        let mut gradient = vec![1.0; w.len()];
        fold.backward(&w, &own, &d, &mut Buffer::default(), &mut gradient);

        let loss = |w: &[f32]| -> f32 {
            let folded = folded(&fold, w, &mut Buffer::default());
            slots.iter().flat_map(|slot| slot.range()).map(|at| folded[at] * d[at]).sum()
        };
        for at in 0..w.len() {
            const STEP: f32 = 1.0 / 64.0;
            let [more, less] = [STEP, -STEP].map(|step| {
                let mut moved = w.clone();
                moved[at] += step;
                loss(&moved)
            });
            let expected = 1.0 + (more - less) / (2.0 * STEP);
            assert!((gradient[at] - expected).abs() < 0.02, "{at}: {} {expected}", gradient[at]);
        }
    }
}
