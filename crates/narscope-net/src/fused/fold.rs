//! Folding: products of weights that are the same for all samples of an update, made once.
//!
//! An encoder followed by a linear layer is one smaller matrix; layers with the same inputs are one
//! wider matrix. A [`Fold`] lists how such matrices come from the weights. Kernels work with the
//! folded matrices, and with gradients in the same layout; on the way back the list is read
//! backwards, and gradients of weights come out.
//!
//! A matrix that is only a part of a larger one is made where it belongs there, and its gradient is
//! read there: every number is moved at most once.

use std::collections::BTreeMap;
use std::ops::Range;

use narscope_kernels::Buffer;
use narscope_kernels::matrix::{Mat, MatMut, add_product, product, transpose};

use crate::parallel;
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
    /// How many rows there are, if these are the first ones only.
    all_rows: usize,
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

    /// The transpose, from where [`Fold::transpose_slots`] has put it: products with it are faster than with the
    /// matrix read across.
    pub(super) fn turned(self, turned: &[f32]) -> Mat<'_> {
        Mat::strided(&turned[self.start..], self.cols, self.rows, self.all_rows)
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

impl Op {
    /// What it is made from.
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
    place: Place,
}

/// Where the numbers of a matrix are.
#[derive(Clone, Copy, Debug)]
struct Place {
    home: Home,
    start: usize,
    /// How far rows are from each other.
    stride: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    /// Among the weights.
    Weights,
    /// Among what only folding needs.
    Own,
    /// Among what kernels use.
    Folded,
}

/// How folded matrices come from weights.
#[derive(Debug)]
pub(super) struct Fold {
    parameters: BTreeMap<String, (usize, Vec<usize>)>,
    nodes: Vec<Node>,
    /// How many numbers the matrices have that only folding needs.
    size: usize,
    /// What kernels asked for: the matrix and where it goes.
    slots: Vec<(Id, Slot)>,
    /// Those whose transposes they asked for, too.
    turned: Vec<Slot>,
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
        Self { parameters, nodes: vec![], size: 0, slots: vec![], turned: vec![], folded: 0 }
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
        let slot = Slot { start: self.folded, rows, cols, all_rows: rows };
        // Every matrix begins where a cache line does.
        self.folded += (rows * cols).next_multiple_of(LINE);
        self.slots.push((id, slot));
        slot
    }

    /// A matrix whose transpose they will use, too.
    pub(super) fn slot_both_ways(&mut self, id: Id) -> Slot {
        let slot = self.slot(id);
        self.turned.push(slot);
        slot
    }

    pub(super) fn shape(&self, id: Id) -> (usize, usize) {
        let Node { rows, cols, .. } = self.nodes[id.0];
        (rows, cols)
    }

    fn push(&mut self, op: Op, rows: usize, cols: usize) -> Id {
        let place = match op {
            Op::Weights(start) => Place { home: Home::Weights, start, stride: cols },
            // Until it is known what it is for.
            _ => Place { home: Home::Own, start: 0, stride: cols },
        };
        self.nodes.push(Node { op, rows, cols, place });
        Id(self.nodes.len() - 1)
    }

    /// Finds a place for every matrix, once all are listed: what kernels or a larger matrix alone use is
    /// made there.
    pub(super) fn lay_out(&mut self) {
        let mut uses = vec![0; self.nodes.len()];
        let operands = self.nodes.iter().flat_map(|node| node.op.operands());
        operands.chain(self.slots.iter().map(|(id, _)| *id)).for_each(|id| uses[id.0] += 1);
        let is_free = |node: &Node, id: Id| node.place.home == Home::Own && uses[id.0] == 1;

        self.slots.retain(|&(id, slot)| {
            let node = &mut self.nodes[id.0];
            let is_made_there = is_free(node, id);
            if is_made_there {
                node.place = Place { home: Home::Folded, start: slot.start, stride: slot.cols };
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
        // Those that need room of their own get it in their order: what a matrix is made from lies before it.
        for (node, parent) in self.nodes.iter_mut().zip(&parents) {
            if node.place.home == Home::Own && parent.is_none() {
                node.place.start = self.size;
                self.size += node.rows * node.cols;
            }
        }
        for at in (0..self.nodes.len()).rev() {
            if let Some((parent, row, col)) = parents[at] {
                let Place { home, start, stride } = self.nodes[parent].place;
                self.nodes[at].place = Place { home, start: start + row * stride + col, stride };
            }
        }
        // What lies where it belongs need not be put there.
        for node in &mut self.nodes {
            if let Op::Assembly(parts) = &mut node.op {
                parts.retain(|(id, ..)| parents[id.0].is_none());
            }
        }
    }

    /// A matrix that others are made from: weights are read where they are.
    fn mat<'a>(&self, id: Id, weights: &'a [f32], own: &'a [f32]) -> Mat<'a> {
        let Node { rows, cols, place: Place { home, start, stride }, .. } = self.nodes[id.0];
        let numbers = match home {
            Home::Weights => weights,
            Home::Own => own,
            Home::Folded => panic!("matrix {} is for kernels, and others are made from it", id.0),
        };
        Mat::strided(&numbers[start..], rows, cols, stride)
    }

    /// Its gradient, to add to: what is learnt of weights goes where it belongs.
    fn gradient<'a>(&self, id: Id, weights: &'a mut [f32], own: &'a mut [f32]) -> MatMut<'a> {
        let Node { rows, cols, place: Place { home, start, stride }, .. } = self.nodes[id.0];
        let numbers = match home {
            Home::Weights => weights,
            Home::Own => own,
            Home::Folded => panic!("matrix {} is for kernels, and others are made from it", id.0),
        };
        MatMut::strided(&mut numbers[start..], rows, cols, stride)
    }

    /// Folds the weights: `own` is what the way back needs, `folded` what kernels use.
    pub(super) fn forward(&self, weights: &[f32], own: &mut Buffer, folded: &mut [f32]) {
        let own = own.sized(self.size);
        for Node { op, rows, cols, place: Place { home, start, stride } } in &self.nodes {
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

    /// Transposes of those that were asked for, each at the place of its slot.
    pub(super) fn transpose_slots(&self, folded: &[f32], turned: &mut [f32]) {
        let mut rest = turned;
        let mut at = 0;
        let mut pieces = vec![];
        for &slot in &self.turned {
            let Range { start, end } = slot.range();
            let (piece, after) = std::mem::take(&mut rest)[start - at..].split_at_mut(end - start);
            (rest, at) = (after, end);
            pieces.push((slot, piece));
        }
        parallel::for_each(&mut pieces, |(slot, piece)| {
            transpose(MatMut::new(piece, slot.cols, slot.rows), slot.mat(folded));
        });
    }

    /// From gradients of folded matrices to gradients of weights, which are added to. `own` is that of
    /// [`forward`](Self::forward); `scratch` is memory to use again.
    pub(super) fn backward(
        &self,
        (weights, own): (&[f32], &[f32]),
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
            let Node { op, rows, cols, place: Place { home, start, stride } } = node;
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

    /// Small whole numbers, whose products are exact.
    fn weights() -> Vec<f32> {
        (0..15_u8).map(|i| f32::from(i * 7 % 5) - 2.0).collect()
    }

    /// Every operation, matrices in matrices in matrices, and some that are used twice: as parts, by
    /// kernels as well, or as a part and to make others from.
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
        let turned = fold.transpose(a);
        let zeros = fold.zeros(1, 3);
        let padded = fold.beside(&[inside, zeros], 1);
        let row_of_zeros = fold.zeros(1, 2);
        let four_rows = fold.below(&[turned, row_of_zeros], 2);
        let all = fold.beside_in_lines(&[nested, below, four_rows], 4);
        let hot = fold.exp(t);
        let twice = [a, sum, turned, padded, all, hot, both];
        let slots = twice.map(|id| fold.slot_both_ways(id)).to_vec();
        fold.lay_out();
        (fold, slots)
    }

    fn folded(fold: &Fold, weights: &[f32], own: &mut Buffer) -> Vec<f32> {
        let mut folded = vec![f32::NAN; fold.folded];
        fold.forward(weights, own, &mut folded);
        folded
    }

    #[test]
    fn matrices_are_made_of_weights_as_they_are_listed() {
        let (fold, slots) = fold();
        let w = weights();
        let folded = folded(&fold, &w, &mut Buffer::default());
        let (a, b, c) = (&w[..6], &w[6..12], &w[12..14]);
        let both = |i: usize, j: usize| (0..3).map(|k| a[i * 3 + k] * b[k * 2 + j]).sum::<f32>();
        let sum = [b[2] + 2.0 * c[0], b[3] + 2.0 * c[1]];
        let inside = [0, 1].map(|j| sum[0] * both(0, j) + sum[1] * both(1, j));
        let below =
            [[both(0, 0), both(0, 1)], [both(1, 0), both(1, 1)], [b[2], b[3]], [c[0], c[1]]];
        let turned = |i: usize, j: usize| if i < 3 { a[j * 3 + i] } else { 0.0 };
        let all = (0..4).flat_map(|i| {
            let mut row = [below[i], below[i], below[i], [turned(i, 0), turned(i, 1)]].concat();
            row.resize(LINE, 0.0);
            row
        });
        let expected: [Vec<f32>; 7] = [
            a.to_vec(),
            sum.to_vec(),
            (0..6).map(|at| turned(at / 2, at % 2)).collect(),
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
    fn transposes_stand_where_their_slots_are_and_have_their_first_columns() {
        let (fold, slots) = fold();
        let folded = folded(&fold, &weights(), &mut Buffer::default());
        let mut turned = vec![f32::NAN; fold.folded];
        fold.transpose_slots(&folded, &mut turned);
        for slot in slots {
            for slot in [slot, slot.top(slot.rows - 1)] {
                let (plain, turned) = (slot.mat(&folded), slot.turned(&turned));
                for i in 0..slot.rows {
                    let column: Vec<f32> = (0..slot.cols).map(|j| turned.row(j)[i]).collect();
                    assert_eq!(plain.row(i), column);
                }
            }
        }
    }

    #[test]
    fn weights_learn_what_folded_matrices_learn() {
        let (fold, slots) = fold();
        let w = weights();
        let mut own = Buffer::default();
        folded(&fold, &w, &mut own);
        let mut d = vec![0.0; fold.folded];
        for slot in &slots {
            slot.of_mut(&mut d).iter_mut().enumerate().for_each(|(i, d)| *d = i as f32 % 3.0 - 1.0);
        }
        let mut learnt = vec![1.0; w.len()];
        fold.backward((&w, &own), &d, &mut Buffer::default(), &mut learnt);

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
            assert!((learnt[at] - expected).abs() < 0.02, "{at}: {} {expected}", learnt[at]);
        }
    }
}
