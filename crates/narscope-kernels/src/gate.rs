//! Gated updates of states.

use crate::denormals::count;
use crate::simd::widest;
use crate::vector::exp;

/// `1 / (1 + e^-x)`, without overflow.
#[inline(always)]
pub(crate) fn sigmoid(x: f32) -> f32 {
    let small = exp(-x.abs());
    let above = 1.0 / (1.0 + small);
    if x >= 0.0 { above } else { small * above }
}

/// `state = gate new + (1 - gate) old` with `gate = sigmoid(score + bias)`, row by row. `gate` holds
/// the scores and is overwritten.
pub fn gated_update(gate: &mut [f32], bias: &[f32], old: &[f32], new: &[f32], state: &mut [f32]) {
    widest(
        #[inline(always)]
        || {
            let h = bias.len();
            let rows = gate.chunks_exact_mut(h).zip(state.chunks_exact_mut(h));
            for ((gate, state), (old, new)) in
                rows.zip(old.chunks_exact(h).zip(new.chunks_exact(h)))
            {
                for c in 0..h {
                    gate[c] = sigmoid(gate[c] + bias[c]);
                    state[c] = gate[c] * new[c] + (1.0 - gate[c]) * old[c];
                }
            }
        },
    );
    count("gates", gate);
}

/// Backward pass of [`gated_update`]: turns the gradient of the state into that of `new`, adds to
/// that of `old` and writes that of the scores.
pub fn gated_update_backward(
    gradient: &mut [f32],
    gate: &[f32],
    old: &[f32],
    new: &[f32],
    old_gradient: &mut [f32],
    score_gradient: &mut [f32],
) {
    widest(
        #[inline(always)]
        || {
            let n = gradient.len();
            let (gate, old, new) = (&gate[..n], &old[..n], &new[..n]);
            let (old_gradient, score_gradient) = (&mut old_gradient[..n], &mut score_gradient[..n]);
            for i in 0..n {
                let d = gradient[i];
                score_gradient[i] = d * (new[i] - old[i]) * gate[i] * (1.0 - gate[i]);
                old_gradient[i] += d * (1.0 - gate[i]);
                gradient[i] = d * gate[i];
            }
        },
    );
    count("gates, backward", score_gradient);
}

/// Sigmoid of every element, in place.
pub fn sigmoids(x: &mut [f32]) {
    widest(
        #[inline(always)]
        || x.iter_mut().for_each(|x| *x = sigmoid(*x)),
    );
    count("sigmoids of hints", x);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::oracle::{Random, Real, added, assert_close, cases, reference, used, widths};

    proptest! {
        #![proptest_config(cases(200))]

        #[test]
        fn gated_updates_and_their_gradients_agree_with_the_formula(
            (rows, h, seed) in (0..4_usize, widths(), any::<u64>())
        ) {
            let random = &mut Random(seed);
            let [scores, old, new, d] = [(); 4].map(|()| random.uniform(rows * h));
            let bias = random.uniform(h);
            let (values, [d_scores, _, d_old, d_new]) =
                reference([&scores, &bias, &old, &new], &d, |[scores, bias, old, new]| {
                    let update = |at: usize| {
                        let gate = Real::from(1.0) / ((-(scores[at] + bias[at % h])).exp() + 1.0);
                        gate * new[at] + (Real::from(1.0) - gate) * old[at]
                    };
                    (0..rows * h).map(update).collect()
                });

            let (mut gate, mut state) = (scores, used(rows * h));
            gated_update(&mut gate, &bias, &old, &new, &mut state);
            assert_close("the state", &state, &values, 1e-6);
            let before = random.uniform(rows * h);
            let (mut gradient, mut old_gradient, mut score_gradient) =
                (d, before.clone(), used(rows * h));
            gated_update_backward(
                &mut gradient,
                &gate,
                &old,
                &new,
                &mut old_gradient,
                &mut score_gradient,
            );
            assert_close("gradient of the new state", &gradient, &d_new, 1e-6);
            let expected = added(&before, &d_old);
            assert_close("gradient of the old state", &old_gradient, &expected, 1e-6);
            assert_close("gradient of scores", &score_gradient, &d_scores, 1e-6);
        }

        #[test]
        fn sigmoids_agree_with_the_formula_for_large_arguments_too(
            x in proptest::collection::vec(-100.0..=100.0_f32, 0..40)
        ) {
            let mut ours = x.clone();
            sigmoids(&mut ours);
            let exact: Vec<_> = x.iter().map(|&x| 1.0 / (1.0 + f64::from(-x).exp())).collect();
            assert_close("probabilities", &ours, &exact, 2e-7);
        }
    }

    #[test]
    fn sigmoids_of_huge_arguments_are_0_and_1() {
        let mut x = [-f32::INFINITY, f32::MIN, -100.0, 0.0, 100.0, f32::MAX, f32::INFINITY];
        sigmoids(&mut x);
        assert_eq!(x, [0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0]);
    }
}
