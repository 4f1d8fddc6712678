//! Gates: how much of the old state stays.

use crate::simd::widest;
use crate::vector::exp;

/// `1 / (1 + e^-x)` without overflow.
#[inline(always)]
pub(crate) fn sigmoid(x: f32) -> f32 {
    let small = exp(-x.abs());
    let above = 1.0 / (1.0 + small);
    if x >= 0.0 { above } else { small * above }
}

/// `open` holds scores, and becomes how far each gate is open; `state` holds the new state, and
/// becomes the mixture of new and old.
pub fn mix(open: &mut [f32], bias: &[f32], old: &[f32], new: &[f32], state: &mut [f32]) {
    widest(
        #[inline(always)]
        || {
            let h = bias.len();
            let rows = open.chunks_exact_mut(h).zip(state.chunks_exact_mut(h));
            for ((open, state), (old, new)) in
                rows.zip(old.chunks_exact(h).zip(new.chunks_exact(h)))
            {
                for c in 0..h {
                    open[c] = sigmoid(open[c] + bias[c]);
                    state[c] = open[c] * new[c] + (1.0 - open[c]) * old[c];
                }
            }
        },
    );
}

/// The way back of [`mix`]: the gradient of the state becomes that of the new one; that of the old
/// one is added to, that of the scores written.
pub fn mix_back(
    gradient: &mut [f32],
    (open, old, new): (&[f32], &[f32], &[f32]),
    old_gradient: &mut [f32],
    score_gradient: &mut [f32],
) {
    widest(
        #[inline(always)]
        || {
            let n = gradient.len();
            let (open, old, new) = (&open[..n], &old[..n], &new[..n]);
            let (old_gradient, score_gradient) = (&mut old_gradient[..n], &mut score_gradient[..n]);
            for i in 0..n {
                let d = gradient[i];
                score_gradient[i] = d * (new[i] - old[i]) * open[i] * (1.0 - open[i]);
                old_gradient[i] += d * (1.0 - open[i]);
                gradient[i] = d * open[i];
            }
        },
    );
}

/// Scores become probabilities.
pub fn sigmoids(x: &mut [f32]) {
    widest(
        #[inline(always)]
        || x.iter_mut().for_each(|x| *x = sigmoid(*x)),
    );
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::oracle::{Random, Real, added, answer, assert_close, cases, used, widths};

    proptest! {
        #![proptest_config(cases(200))]

        #[test]
        fn mixtures_and_what_is_learnt_from_them_agree_with_the_formula(
            (rows, h, seed) in (0..4_usize, widths(), any::<u64>())
        ) {
            let random = &mut Random(seed);
            let [scores, old, new, d] = [(); 4].map(|()| random.numbers(rows * h));
            let bias = random.numbers(h);
            let (values, [d_scores, _, d_old, d_new]) =
                answer([&scores, &bias, &old, &new], &d, |[scores, bias, old, new]| {
                    let mixed = |at: usize| {
                        let open = Real::from(1.0) / ((-(scores[at] + bias[at % h])).exp() + 1.0);
                        open * new[at] + (Real::from(1.0) - open) * old[at]
                    };
                    (0..rows * h).map(mixed).collect()
                });

            let (mut open, mut state) = (scores, used(rows * h));
            mix(&mut open, &bias, &old, &new, &mut state);
            assert_close("the state", &state, &values, 1e-6);
            let before = random.numbers(rows * h);
            let (mut gradient, mut old_gradient, mut score_gradient) =
                (d, before.clone(), used(rows * h));
            let values = (&open[..], &old[..], &new[..]);
            mix_back(&mut gradient, values, &mut old_gradient, &mut score_gradient);
            assert_close("the new state learns", &gradient, &d_new, 1e-6);
            assert_close("the old state learns", &old_gradient, &added(&before, &d_old), 1e-6);
            assert_close("scores learn", &score_gradient, &d_scores, 1e-6);
        }

        #[test]
        fn sigmoids_agree_with_the_formula_far_out_too(
            x in proptest::collection::vec(-100.0..=100.0_f32, 0..40)
        ) {
            let mut ours = x.clone();
            sigmoids(&mut ours);
            let exact: Vec<_> = x.iter().map(|&x| 1.0 / (1.0 + f64::from(-x).exp())).collect();
            assert_close("probabilities", &ours, &exact, 2e-7);
        }
    }

    #[test]
    fn gates_are_shut_and_open_at_the_ends() {
        let mut x = [-f32::INFINITY, f32::MIN, -100.0, 0.0, 100.0, f32::MAX, f32::INFINITY];
        sigmoids(&mut x);
        assert_eq!(x, [0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0]);
    }
}
