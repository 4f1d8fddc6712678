//! What the tests of kernels share: numbers to try, and formulas that answer for themselves.
//!
//! A formula is written once, as plain loops over [`Real`]s in double precision. A tape of what was
//! done with them gives the gradient of everything, so no test derives one by hand; where the inputs
//! are few, differences of the formula confirm the tape.

use std::cell::{Cell, RefCell};
use std::ops::{Add, Div, Mul, Neg, Sub};

use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::test_runner::{Config, RngSeed};

use crate::heard::Heard;

/// So many cases, the same ones in every run.
pub(crate) fn cases(count: u32) -> Config {
    Config { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::with_cases(count) }
}

/// How many channels rows have: all ends of vectors, and the width of training.
pub(crate) fn widths() -> impl Strategy<Value = usize> {
    prop_oneof![8 => 1..=70_usize, 1 => Just(128)]
}

/// Numbers that look random, from a seed that shrinks no further than its sizes do.
pub(crate) struct Random(pub u64);

/// How the numbers of a test are drawn.
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

    /// Between -1 and 1, hardly ever twice the same.
    pub(crate) fn numbers(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0).collect()
    }

    /// Between -1 and 1 with so few digits that what is added up is exact, and so often the same
    /// that the largest is seldom the only one.
    pub(crate) fn few_digits(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.below(17) as f32 / 8.0 - 1.0).collect()
    }

    /// As drawn, but about half of them 0.
    pub(crate) fn sparse(&mut self, draw: Draw, count: usize) -> Vec<f32> {
        let mut numbers = draw(self, count);
        for x in &mut numbers {
            *x *= self.below(2) as f32;
        }
        numbers
    }

    /// Who hears whom, `[sender of the block, receiver of its sample]`: a receiver hears everyone,
    /// some, only itself or nobody.
    pub(crate) fn hearing(&mut self, samples: usize, nodes: usize) -> Hearing {
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
        Hearing { mask, nodes, samples }
    }
}

/// Who hears whom in a block of samples, as a mask.
#[derive(Debug)]
pub(crate) struct Hearing {
    pub mask: Vec<bool>,
    pub nodes: usize,
    pub samples: usize,
}

impl Hearing {
    pub(crate) fn everyone(samples: usize, nodes: usize) -> Self {
        Self { mask: vec![true; samples * nodes * nodes], nodes, samples }
    }

    /// The same for kernels, in memory that was used before.
    pub(crate) fn heard(&self) -> Heard {
        let mut heard = Heard::default();
        heard.fill(3, 5, |sender, receiver| sender != receiver);
        heard.fill(self.samples, self.nodes, |sender, receiver| {
            self.mask[sender * self.nodes + receiver]
        });
        heard
    }

    pub(crate) fn senders(&self, receiver: usize) -> Vec<usize> {
        let (first, place) = (receiver / self.nodes * self.nodes, receiver % self.nodes);
        (first..first + self.nodes).filter(|i| self.mask[i * self.nodes + place]).collect()
    }
}

/// Numbers times a power of two, which changes none of their digits.
pub(crate) fn scaled(x: &[f32], power: i32) -> Vec<f32> {
    x.iter().map(|x| x * 2_f32.powi(power)).collect()
}

/// Memory in which something else was before.
pub(crate) fn used<T: Clone + From<u8>>(count: usize) -> Vec<T> {
    vec![T::from(77); count]
}

/// The largest of numbers without their signs, but not less than `least`.
fn largest(of: &[f64], least: f64) -> f64 {
    of.iter().fold(least, |most, x| most.max(x.abs()))
}

/// Compares with the formula. Errors are relative to the largest number, but at least to 1.
#[track_caller]
pub(crate) fn assert_close(what: &str, actual: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(actual.len(), expected.len(), "{what}");
    let largest = largest(expected, 1.0);
    for (i, (&actual, expected)) in actual.iter().zip(expected).enumerate() {
        let error = (f64::from(actual) - expected).abs() / largest;
        assert!(error <= tolerance, "{what}: number {i} is {actual}, not {expected}");
    }
}

/// The sum of what was there and what is learnt.
pub(crate) fn added(before: &[f32], learnt: &[f64]) -> Vec<f64> {
    before.iter().zip(learnt).map(|(before, learnt)| f64::from(*before) + learnt).collect()
}

/// A number of a formula.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Real {
    pub value: f64,
    place: usize,
}

/// For every number what it was made of, and how much it changes with it.
type Tape = Vec<[(usize, f64); 2]>;

thread_local! {
    static TAPE: RefCell<Tape> = const { RefCell::new(Vec::new()) };
    /// How close two numbers came that were compared: differences cannot go beyond.
    static CLOSEST: Cell<f64> = const { Cell::new(f64::INFINITY) };
}

/// A number that nothing is learnt of stands here on the tape.
const CONSTANT: usize = 0;

impl From<f64> for Real {
    fn from(value: f64) -> Self {
        Self { value, place: CONSTANT }
    }
}

impl Real {
    fn new(value: f64, made_of: [(Real, f64); 2]) -> Self {
        TAPE.with_borrow_mut(|tape| {
            tape.push(made_of.map(|(of, slope)| (of.place, slope)));
            Self { value, place: tape.len() - 1 }
        })
    }

    fn of_one(self, value: f64, slope: f64) -> Self {
        Self::new(value, [(self, slope), (Self::from(0.0), 0.0)])
    }

    pub(crate) fn exp(self) -> Self {
        self.of_one(self.value.exp(), self.value.exp())
    }

    pub(crate) fn ln(self) -> Self {
        self.of_one(self.value.ln(), 1.0 / self.value)
    }

    pub(crate) fn sqrt(self) -> Self {
        self.of_one(self.value.sqrt(), 0.5 / self.value.sqrt())
    }

    /// The larger one; of two that are equal this one learns.
    pub(crate) fn max(self, other: impl Into<Real>) -> Self {
        let other = other.into();
        CLOSEST.set(CLOSEST.get().min((self.value - other.value).abs()));
        let larger = if other.value > self.value { other } else { self };
        larger.of_one(larger.value, 1.0)
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
        let of_other = -x / other.value.powi(2);
        Self::new(x / other.value, [(self, 1.0 / other.value), (other, of_other)])
    }
}

impl Neg for Real {
    type Output = Self;

    fn neg(self) -> Self {
        self.of_one(-self.value, -1.0)
    }
}

impl std::iter::Sum for Real {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::from(0.0), |sum, term| sum + term)
    }
}

/// Differences are taken where there are no more inputs.
const FEW: usize = 100;

/// What a formula makes of inputs, and what each input learns from the gradient `d` of that.
#[track_caller]
pub(crate) fn answer<const I: usize>(
    inputs: [&[f32]; I],
    d: &[f32],
    formula: impl Fn([&[Real]; I]) -> Vec<Real>,
) -> (Vec<f64>, [Vec<f64>; I]) {
    let mut wide = inputs.map(|input| input.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
    CLOSEST.set(f64::INFINITY);
    let (values, learnt) = follow(&wide, d, &formula);
    let count: usize = wide.iter().map(Vec::len).sum();
    if count > FEW || CLOSEST.get() < 1e-5 {
        return (values, learnt);
    }
    for input in 0..I {
        let (size, most) = (largest(&wide[input], 1e-4), largest(&learnt[input], 1.0));
        for i in 0..wide[input].len() {
            let x = wide[input][i];
            let step = 1e-7 * size;
            let [above, below] = [x + step, x - step].map(|moved| {
                wide[input][i] = moved;
                follow(&wide, d, &formula).0
            });
            wide[input][i] = x;
            let moved = above.iter().zip(&below).zip(d);
            let moved: f64 = moved.map(|((above, below), d)| (above - below) * f64::from(*d)).sum();
            let (slope, learnt) = (moved / (2.0 * step), learnt[input][i]);
            assert!(
                (slope - learnt).abs() <= 1e-4 * most,
                "input {input}, number {i}: differences say {slope}, the tape {learnt}",
            );
        }
    }
    (values, learnt)
}

/// Runs a formula and follows its tape back.
fn follow<const I: usize>(
    inputs: &[Vec<f64>; I],
    d: &[f32],
    formula: impl Fn([&[Real]; I]) -> Vec<Real>,
) -> (Vec<f64>, [Vec<f64>; I]) {
    let nothing = Real::from(0.0);
    TAPE.set(vec![[(CONSTANT, 0.0); 2]]);
    let inputs = inputs.each_ref().map(|input| {
        let real = |&x| Real::new(x, [(nothing, 0.0); 2]);
        input.iter().map(real).collect::<Vec<_>>()
    });
    let outputs = formula(inputs.each_ref().map(Vec::as_slice));
    assert_eq!(outputs.len(), d.len(), "outputs and their gradients");
    let tape = TAPE.take();
    let mut gradient = vec![0.0; tape.len()];
    for (output, d) in outputs.iter().zip(d) {
        gradient[output.place] += f64::from(*d);
    }
    for (place, made_of) in tape.iter().enumerate().rev() {
        for (of, slope) in made_of {
            gradient[*of] += gradient[place] * slope;
        }
    }
    let learnt = inputs.map(|input| input.iter().map(|x| gradient[x.place]).collect());
    (outputs.iter().map(|x| x.value).collect(), learnt)
}
