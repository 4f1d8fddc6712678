//! Sinkhorn iteration: rows and columns of a square of scores are normalised alternately, so that
//! its exponential becomes almost doubly stochastic.

use crate::denormals::count;
use crate::simd::widest;
use crate::softmax::log_sum;
use crate::vector::exp;

/// Temperature that scores are divided by.
pub const TEMPERATURE: f32 = 0.1;
/// Subtracted from the diagonal: a permutation pointer never points to its own node.
pub const DIAGONAL_PENALTY: f32 = 1e6;

/// Scratch memory, reused from square to square.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The square after every normalisation of rows and of columns.
    history: Vec<f32>,
    /// The current square.
    current: Vec<f32>,
    /// The transposed square.
    transposed: Vec<f32>,
}

/// Normalises one square of `n` by `n` scores in place, `rounds` times.
pub fn log_sinkhorn(x: &mut [f32], n: usize, rounds: usize, scratch: &mut Scratch) {
    scale_and_mask(x, n);
    for _ in 0..rounds {
        normalise_rows(x, n);
        normalise_columns(x, n, &mut scratch.transposed);
    }
    count("Sinkhorn", x);
}

/// Backward pass of [`log_sinkhorn`], in place: `x` are the scores before normalisation.
pub fn log_sinkhorn_backward(
    gradient: &mut [f32],
    x: &[f32],
    n: usize,
    rounds: usize,
    scratch: &mut Scratch,
) {
    let Scratch { history, current, transposed } = scratch;
    history.clear();
    current.clear();
    current.extend_from_slice(x);
    scale_and_mask(current, n);
    for _ in 0..rounds {
        normalise_rows(current, n);
        history.extend_from_slice(current);
        normalise_columns(current, n, transposed);
        history.extend_from_slice(current);
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
    for d in gradient.iter_mut() {
        *d /= TEMPERATURE;
    }
    count("Sinkhorn, backward", gradient);
}

/// Divides scores by the temperature and masks the diagonal.
fn scale_and_mask(x: &mut [f32], n: usize) {
    for (i, row) in x.chunks_exact_mut(n).enumerate() {
        for x in row.iter_mut() {
            *x /= TEMPERATURE;
        }
        row[i] -= DIAGONAL_PENALTY;
    }
}

fn normalise_rows(x: &mut [f32], n: usize) {
    widest(
        #[inline(always)]
        || {
            for row in x.chunks_exact_mut(n) {
                let log_sum = log_sum(row);
                for x in row {
                    *x -= log_sum;
                }
            }
        },
    );
}

fn normalise_columns(x: &mut [f32], n: usize, transposed: &mut Vec<f32>) {
    transposed.clear();
    transposed.extend((0..n * n).map(|at| x[at % n * n + at / n]));
    normalise_rows(transposed, n);
    for (i, row) in x.chunks_exact_mut(n).enumerate() {
        for (j, x) in row.iter_mut().enumerate() {
            *x = transposed[j * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::oracle::{Random, Real, assert_close, cases, reference, scaled};

    /// Scratch memory with the contents of another square.
    fn used_scratch() -> Scratch {
        let (mut scratch, x) = (Scratch::default(), Random(7).uniform(81));
        log_sinkhorn(&mut x.clone(), 9, 2, &mut scratch);
        log_sinkhorn_backward(&mut x.clone(), &x, 9, 2, &mut scratch);
        scratch
    }

    fn formula(x: &[Real], n: usize, rounds: usize) -> Vec<Real> {
        let mut x: Vec<Real> = x.iter().map(|x| *x / f64::from(TEMPERATURE)).collect();
        // A smaller penalty with the same effect: the real one leaves no digits for differences.
        (0..n).for_each(|i| x[i * n + i] = x[i * n + i] - 1e3);
        let mut normalise = |index: &dyn Fn(usize, usize) -> usize| {
            for i in 0..n {
                let most = (0..n).fold(f64::MIN, |most, j| most.max(x[index(i, j)].value));
                let total: Real = (0..n).map(|j| (x[index(i, j)] - most).exp()).sum();
                let log_sum = total.ln() + most;
                (0..n).for_each(|j| x[index(i, j)] = x[index(i, j)] - log_sum);
            }
        };
        for _ in 0..rounds {
            normalise(&|i, j| i * n + j);
            normalise(&|i, j| j * n + i);
        }
        x
    }

    fn check(seed: u64, n: usize, rounds: usize, power: i32) {
        let random = &mut Random(seed);
        let (x, d) = (scaled(&random.uniform(n * n), power), random.uniform(n * n));
        let (mut values, [d_x]) = reference([&x], &d, |[x]| formula(x, n, rounds));

        let (mut scratch, mut ours) = (used_scratch(), x.clone());
        log_sinkhorn(&mut ours, n, rounds, &mut scratch);
        for i in 0..n {
            if n > 1 || rounds == 0 {
                assert!(
                    ours[i * n + i] < -0.9 * DIAGONAL_PENALTY,
                    "node {i} of {n} after {rounds} rounds"
                );
                (ours[i * n + i], values[i * n + i]) = (0.0, 0.0);
            }
        }
        assert_close("logarithms", &ours, &values, 1e-4);
        let mut gradient = d;
        log_sinkhorn_backward(&mut gradient, &x, n, rounds, &mut scratch);
        assert_close("gradient of scores", &gradient, &d_x, 1e-4);
    }

    #[test]
    fn rounds_agree_with_the_formula_for_any_number_of_nodes_and_any_scale() {
        for n in (1..=70).step_by(3) {
            check(n as u64, n, 3, 0);
        }
        for power in [-40, -5, 3, 5] {
            check(1, 12, 10, power);
        }
    }

    proptest! {
        #![proptest_config(cases(60))]

        #[test]
        fn rounds_and_their_gradients_agree_with_the_formula(
            (n, rounds, seed) in (1..=20_usize, 0..=10_usize, any::<u64>())
        ) {
            check(seed, n, rounds, 0);
        }

        #[test]
        fn after_many_rounds_rows_and_columns_sum_to_one_and_the_diagonal_is_zero(
            (n, seed) in (3..=64_usize, any::<u64>())
        ) {
            let mut x = Random(seed).uniform(n * n);
            log_sinkhorn(&mut x, n, 200, &mut used_scratch());
            let probability: Vec<_> = x.iter().map(|x| x.exp()).collect();
            for i in 0..n {
                let row: f32 = (0..n).map(|j| probability[i * n + j]).sum();
                let column: f32 = (0..n).map(|j| probability[j * n + i]).sum();
                prop_assert!((row - 1.0).abs() < 1e-2, "row {i} sums to {row}");
                prop_assert!((column - 1.0).abs() < 1e-4, "column {i} sums to {column}");
                prop_assert_eq!(probability[i * n + i], 0.0);
            }
        }
    }
}
