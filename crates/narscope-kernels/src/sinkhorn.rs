//! Sinkhorn's iteration: rows and columns of a square of scores are normalised in turn, so that its
//! exponential becomes almost doubly stochastic.

use crate::simd::widest;
use crate::softmax::log_sum;
use crate::vector::exp;

/// How sharp the result is.
const TEMPERATURE: f32 = 0.1;
/// What is taken off the diagonal: no node is sent to itself.
const NOT_ITSELF: f32 = 1e6;

/// What the way back needs, kept from square to square.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The square after every half round.
    history: Vec<f32>,
    /// Columns as rows.
    turned: Vec<f32>,
}

/// Normalises one square of `n` by `n` scores in place.
pub fn log_sinkhorn(x: &mut [f32], n: usize, rounds: usize, scratch: &mut Scratch) {
    begin(x, n);
    for _ in 0..rounds {
        normalise_rows(x, n);
        normalise_columns(x, n, &mut scratch.turned);
    }
}

/// The way back of [`log_sinkhorn`]: `gradient` becomes that of the scores `x`.
pub fn log_sinkhorn_back(
    gradient: &mut [f32],
    x: &[f32],
    n: usize,
    rounds: usize,
    scratch: &mut Scratch,
) {
    let Scratch { history, turned } = scratch;
    history.clear();
    let mut now = x.to_vec();
    begin(&mut now, n);
    for _ in 0..rounds {
        normalise_rows(&mut now, n);
        history.extend_from_slice(&now);
        normalise_columns(&mut now, n, turned);
        history.extend_from_slice(&now);
    }
    let square = n * n;
    for round in (0..rounds).rev() {
        let (rows, columns) = history[2 * round * square..][..2 * square].split_at(square);
        for j in 0..n {
            let sum: f32 = (0..n).map(|i| gradient[i * n + j]).sum();
            for i in 0..n {
                gradient[i * n + j] -= exp(columns[i * n + j].min(0.0)) * sum;
            }
        }
        for (d, log) in gradient.chunks_exact_mut(n).zip(rows.chunks_exact(n)) {
            let sum: f32 = d.iter().sum();
            for (d, log) in d.iter_mut().zip(log) {
                *d -= exp(log.min(0.0)) * sum;
            }
        }
    }
    gradient.iter_mut().for_each(|d| *d /= TEMPERATURE);
}

fn begin(x: &mut [f32], n: usize) {
    for (i, row) in x.chunks_exact_mut(n).enumerate() {
        row.iter_mut().for_each(|x| *x /= TEMPERATURE);
        row[i] -= NOT_ITSELF;
    }
}

fn normalise_rows(x: &mut [f32], n: usize) {
    widest(
        #[inline(always)]
        || {
            for row in x.chunks_exact_mut(n) {
                let log_sum = log_sum(row);
                row.iter_mut().for_each(|x| *x -= log_sum);
            }
        },
    );
}

fn normalise_columns(x: &mut [f32], n: usize, turned: &mut Vec<f32>) {
    turned.clear();
    turned.extend((0..n * n).map(|at| x[at % n * n + at / n]));
    normalise_rows(turned, n);
    for (i, row) in x.chunks_exact_mut(n).enumerate() {
        for (j, x) in row.iter_mut().enumerate() {
            *x = turned[j * n + i];
        }
    }
}
