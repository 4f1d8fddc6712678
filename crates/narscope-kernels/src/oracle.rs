//! Reference implementations for tests of kernels: random inputs, and formulas with gradients.
//!
//! A formula is written once, as plain loops over [`Real`]s in double precision. A tape records its
//! operations and yields all gradients, so no test derives one by hand; for few inputs, finite
//! differences of the formula confirm the tape.

use std::cell::{Cell, RefCell};
use std::ops::{Add, Div, Mul, Neg, Sub};

use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::test_runner::{Config, RngSeed};

use crate::incoming::Incoming;
use crate::matrix::{Mat, MatMut};
use crate::pairs::{Endpoints, EndpointsBackward};

/// Runs `count` cases, the same ones every time.
pub(crate) fn cases(count: u32) -> Config {
    Config { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::with_cases(count) }
}

/// Numbers of channels: all remainders of SIMD vectors, and the width used in training.
pub(crate) fn widths() -> impl Strategy<Value = usize> {
    prop_oneof![8 => 1..=70_usize, 1 => Just(128)]
}

/// Pseudorandom generator; its seed carries all state.
pub(crate) struct Random(pub u64);

/// How the values of a test are drawn.
pub(crate) type Draw = fn(&mut Random, usize) -> Vec<f32>;

impl Random {
    /// Sebastiano Vigna's `splitmix64`.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Values between -1 and 1, almost never equal.
    pub(crate) fn uniform(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0).collect()
    }

    /// Multiples of 1/8 between -1 and 1: sums of them are exact, and ties for the maximum are
    /// frequent.
    pub(crate) fn few_digits(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.below(17) as f32 / 8.0 - 1.0).collect()
    }

    /// Values from `draw`, about half of them replaced by 0.
    pub(crate) fn sparse(&mut self, draw: Draw, count: usize) -> Vec<f32> {
        let mut values = draw(self, count);
        for x in &mut values {
            *x *= self.below(2) as f32;
        }
        values
    }

    /// Random edges: each receiver has all senders, some, only itself or none.
    pub(crate) fn edges(&mut self, samples: usize, nodes: usize) -> EdgeMask {
        let mut mask = vec![false; samples * nodes * nodes];
        for receiver in 0..samples * nodes {
            let (kind, first) = (self.below(4), receiver / nodes * nodes);
            for sender in first..first + nodes {
                mask[sender * nodes + receiver % nodes] = match kind {
                    0 => true,
                    1 => self.below(2) == 0,
                    2 => sender == receiver,
                    _ => false,
                };
            }
        }
        EdgeMask { mask, nodes, samples }
    }
}

/// Edges of a block of samples as a dense mask, `[sender in the block, receiver in its sample]`.
#[derive(Debug)]
pub(crate) struct EdgeMask {
    pub mask: Vec<bool>,
    pub nodes: usize,
    pub samples: usize,
}

impl EdgeMask {
    pub(crate) fn complete(samples: usize, nodes: usize) -> Self {
        Self { mask: vec![true; samples * nodes * nodes], nodes, samples }
    }

    /// The same edges as an adjacency, in buffers that held another one.
    pub(crate) fn incoming(&self) -> Incoming {
        let mut incoming = Incoming::default();
        incoming.fill(3, 5, |sender, receiver| sender != receiver);
        incoming.fill(self.samples, self.nodes, |sender, receiver| {
            self.mask[sender * self.nodes + receiver]
        });
        incoming
    }

    pub(crate) fn senders(&self, receiver: usize) -> Vec<usize> {
        let (first, column) = (receiver / self.nodes * self.nodes, receiver % self.nodes);
        (first..first + self.nodes).filter(|i| self.mask[i * self.nodes + column]).collect()
    }
}

/// Values times a power of two, which is exact.
pub(crate) fn scaled(x: &[f32], power: i32) -> Vec<f32> {
    x.iter().map(|x| x * 2_f32.powi(power)).collect()
}

/// Stale memory: a kernel must overwrite it or add to it, as documented.
pub(crate) fn used<T: Clone + From<u8>>(count: usize) -> Vec<T> {
    vec![T::from(77); count]
}

/// Largest absolute value, at least `least`.
fn largest(values: &[f64], least: f64) -> f64 {
    values.iter().fold(least, |most, x| most.max(x.abs()))
}

/// Compares with the formula. Errors are relative to the largest expected value, or to 1.
#[track_caller]
pub(crate) fn assert_close(what: &str, actual: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(actual.len(), expected.len(), "{what}");
    let largest = largest(expected, 1.0);
    for (i, (&actual, expected)) in actual.iter().zip(expected).enumerate() {
        let error = (f64::from(actual) - expected).abs() / largest;
        assert!(error <= tolerance, "{what}: element {i} is {actual}, expected {expected}");
    }
}

/// Previous contents of a gradient buffer plus the gradient that a kernel adds.
pub(crate) fn added(before: &[f32], gradient: &[f64]) -> Vec<f64> {
    before.iter().zip(gradient).map(|(before, d)| f64::from(*before) + d).collect()
}

/// A double whose operations are recorded on a tape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Real {
    pub value: f64,
    /// Index on the tape.
    entry: usize,
}

/// For every value the entries it was computed from, with partial derivatives.
type Tape = Vec<[(usize, f64); 2]>;

thread_local! {
    static TAPE: RefCell<Tape> = const { RefCell::new(Vec::new()) };
    /// Smallest gap between two compared values: finite differences must not step across a tie.
    static CLOSEST: Cell<f64> = const { Cell::new(f64::INFINITY) };
}

/// Tape entry of all constants.
const CONSTANT: usize = 0;

impl From<f64> for Real {
    fn from(value: f64) -> Self {
        Self { value, entry: CONSTANT }
    }
}

impl Real {
    fn new(value: f64, operands: [(Real, f64); 2]) -> Self {
        TAPE.with_borrow_mut(|tape| {
            tape.push(operands.map(|(operand, slope)| (operand.entry, slope)));
            Self { value, entry: tape.len() - 1 }
        })
    }

    fn unary(self, value: f64, slope: f64) -> Self {
        Self::new(value, [(self, slope), (Self::from(0.0), 0.0)])
    }

    pub(crate) fn exp(self) -> Self {
        self.unary(self.value.exp(), self.value.exp())
    }

    pub(crate) fn ln(self) -> Self {
        self.unary(self.value.ln(), 1.0 / self.value)
    }

    pub(crate) fn sqrt(self) -> Self {
        self.unary(self.value.sqrt(), 0.5 / self.value.sqrt())
    }

    /// The larger of two; on a tie the gradient goes to `self`.
    pub(crate) fn max(self, other: impl Into<Real>) -> Self {
        let other = other.into();
        CLOSEST.set(CLOSEST.get().min((self.value - other.value).abs()));
        let larger = if other.value > self.value { other } else { self };
        larger.unary(larger.value, 1.0)
    }
}

impl<R: Into<Real>> Add<R> for Real {
    type Output = Self;

    fn add(self, other: R) -> Self {
        let other = other.into();
        Self::new(self.value + other.value, [(self, 1.0), (other, 1.0)])
    }
}

impl<R: Into<Real>> Sub<R> for Real {
    type Output = Self;

    fn sub(self, other: R) -> Self {
        let other = other.into();
        Self::new(self.value - other.value, [(self, 1.0), (other, -1.0)])
    }
}

impl<R: Into<Real>> Mul<R> for Real {
    type Output = Self;

    fn mul(self, other: R) -> Self {
        let other = other.into();
        Self::new(self.value * other.value, [(self, other.value), (other, self.value)])
    }
}

impl<R: Into<Real>> Div<R> for Real {
    type Output = Self;

    fn div(self, other: R) -> Self {
        let (other, x) = (other.into(), self.value);
        let slope = -x / other.value.powi(2);
        Self::new(x / other.value, [(self, 1.0 / other.value), (other, slope)])
    }
}

impl Neg for Real {
    type Output = Self;

    fn neg(self) -> Self {
        self.unary(-self.value, -1.0)
    }
}

impl std::iter::Sum for Real {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::from(0.0), |sum, term| sum + term)
    }
}

/// Finite differences are computed for at most this many inputs.
const FEW: usize = 100;

/// Evaluates a formula. Returns its outputs, and the gradient with respect to each input for the
/// output gradient `d`.
#[track_caller]
pub(crate) fn reference<const I: usize>(
    inputs: [&[f32]; I],
    d: &[f32],
    formula: impl Fn([&[Real]; I]) -> Vec<Real>,
) -> (Vec<f64>, [Vec<f64>; I]) {
    let mut wide = inputs.map(|input| input.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
    CLOSEST.set(f64::INFINITY);
    let (values, gradients) = forward_backward(&wide, d, &formula);
    let count: usize = wide.iter().map(Vec::len).sum();
    let most = wide.iter().map(|input| largest(input, 0.0)).fold(0.0, f64::max);
    // Finite differences also need inputs of order 1: their step is a part of the largest.
    if count > FEW || CLOSEST.get() < 1e-5 || most > 1e3 {
        return (values, gradients);
    }
    for input in 0..I {
        let (size, most) = (largest(&wide[input], 1e-4), largest(&gradients[input], 1.0));
        for i in 0..wide[input].len() {
            let x = wide[input][i];
            let step = 1e-7 * size;
            let [above, below] = [x + step, x - step].map(|moved| {
                wide[input][i] = moved;
                forward_backward(&wide, d, &formula).0
            });
            wide[input][i] = x;
            let moved = above.iter().zip(&below).zip(d);
            let moved: f64 = moved.map(|((above, below), d)| (above - below) * f64::from(*d)).sum();
            let (slope, gradient) = (moved / (2.0 * step), gradients[input][i]);
            assert!(
                (slope - gradient).abs() <= 1e-4 * most,
                "input {input}, element {i}: finite differences give {slope}, the tape {gradient}",
            );
        }
    }
    (values, gradients)
}

/// Runs a formula, then its tape backward.
fn forward_backward<const I: usize>(
    inputs: &[Vec<f64>; I],
    d: &[f32],
    formula: impl Fn([&[Real]; I]) -> Vec<Real>,
) -> (Vec<f64>, [Vec<f64>; I]) {
    let zero = Real::from(0.0);
    TAPE.set(vec![[(CONSTANT, 0.0); 2]]);
    let inputs = inputs.each_ref().map(|input| {
        let real = |&x| Real::new(x, [(zero, 0.0); 2]);
        input.iter().map(real).collect::<Vec<_>>()
    });
    let outputs = formula(inputs.each_ref().map(Vec::as_slice));
    assert_eq!(outputs.len(), d.len(), "outputs and their gradients");
    let tape = TAPE.take();
    let mut gradient = vec![0.0; tape.len()];
    for (output, d) in outputs.iter().zip(d) {
        gradient[output.entry] += f64::from(*d);
    }
    for (entry, operands) in tape.iter().enumerate().rev() {
        for (operand, slope) in operands {
            gradient[*operand] += gradient[entry] * slope;
        }
    }
    let gradients = inputs.map(|input| input.iter().map(|x| gradient[x.entry]).collect());
    (outputs.iter().map(|x| x.value).collect(), gradients)
}

/// Two `n x h` matrices as columns of wider rows; the other columns must stay unchanged.
pub(crate) struct SharedRows {
    pub rows: Vec<f32>,
    pub columns: [usize; 2],
    pub width: usize,
}

impl SharedRows {
    pub(crate) fn new(random: &mut Random, h: usize, both: [&[f32]; 2]) -> Self {
        let columns = [random.below(3), h + 3 + random.below(3)];
        let width = 2 * h + 6 + random.below(3);
        let mut rows = used(both[0].len() / h * width);
        for (row, to) in rows.chunks_exact_mut(width).enumerate() {
            for (column, from) in columns.iter().zip(both) {
                to[*column..column + h].copy_from_slice(&from[row * h..][..h]);
            }
        }
        Self { rows, columns, width }
    }

    /// The same layout, all zeros.
    pub(crate) fn zeros(&self) -> Self {
        Self { rows: vec![0.0; self.rows.len()], columns: self.columns, width: self.width }
    }

    /// Both matrices as views.
    pub(crate) fn endpoints(&self, h: usize) -> Endpoints<'_> {
        let all = Mat::new(&self.rows, self.rows.len() / self.width, self.width);
        let [first, second] = self.columns.map(|column| all.columns(column..column + h));
        Endpoints { first, second }
    }

    /// Both matrices as gradients to add to.
    pub(crate) fn gradients(&mut self) -> EndpointsBackward<'_> {
        let count = self.rows.len() / self.width;
        let gradient = MatMut::new(&mut self.rows, count, self.width);
        EndpointsBackward { gradient, columns: self.columns }
    }

    /// A copy of one of the two matrices.
    pub(crate) fn matrix(&self, which: usize, h: usize) -> Vec<f32> {
        let rows = self.rows.chunks_exact(self.width);
        rows.flat_map(|row| row[self.columns[which]..][..h].to_vec()).collect()
    }

    /// The columns that belong to neither matrix.
    pub(crate) fn rest(&self, h: usize) -> Vec<f32> {
        let [first, second] = self.columns;
        let rows = self.rows.chunks_exact(self.width);
        let rest =
            |row: &[f32]| [&row[..first], &row[first + h..second], &row[second + h..]].concat();
        rows.flat_map(rest).collect()
    }
}

/// Gradients of pair features, `k` per pair, with those before `trainable_from` set to 0.
pub(crate) fn trainable(d: &[f64], k: usize, trainable_from: usize) -> Vec<f64> {
    let masked = |(at, d): (usize, &f64)| if at % k < trainable_from { 0.0 } else { *d };
    d.iter().enumerate().map(masked).collect()
}

/// One sample of a block: `n` nodes with `h` channels, `k` features for each pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairSize {
    pub n: usize,
    pub h: usize,
    pub k: usize,
    /// Index of the sample in its block.
    pub sample: usize,
}

impl PairSize {
    fn new((n, h, k, sample): (usize, usize, usize, usize)) -> Self {
        Self { n, h, k, sample }
    }

    /// Few nodes and any width, or any number of nodes and a small width.
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        let wide = (1..5_usize, widths(), 0..=15_usize, 0..3_usize);
        let many = (1..=70_usize, 1..3_usize, 0..3_usize, 0..2_usize);
        prop_oneof![3 => wide.prop_map(Self::new), 1 => many.prop_map(Self::new)]
    }

    /// Few enough inputs for finite differences.
    pub(crate) fn small() -> impl Strategy<Value = Self> {
        (1..4_usize, 1..4_usize, 0..3_usize, 0..2_usize).prop_map(Self::new)
    }
}

/// Mapped features of a pair in channel `c`.
pub(crate) fn mapped(
    features: &[Real],
    weights: &[Real],
    pair: usize,
    c: usize,
    PairSize { h, k, .. }: PairSize,
) -> Real {
    (0..k).map(|feature| features[pair * k + feature] * weights[feature * h + c]).sum()
}
