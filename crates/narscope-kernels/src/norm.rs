//! Layer norm: a row is centred and scaled, then scaled and shifted by what is learnt.

use crate::simd::widest;
use crate::vector::{dot, sum};

/// Kept away from dividing by 0.
pub const EPSILON: f32 = 1e-5;

/// Normalises rows: `out` is what decoders see, `normal` the same before scale and offset, and
/// `spread` has one over the deviation of each row; the way back needs both.
pub fn normalise(
    x: &[f32],
    (scale, offset): (&[f32], &[f32]),
    out: &mut [f32],
    normal: &mut [f32],
    spread: &mut [f32],
) {
    widest(
        #[inline(always)]
        || {
            let h = scale.len();
            let rows = x.chunks_exact(h).zip(out.chunks_exact_mut(h));
            for ((x, out), (normal, spread)) in
                rows.zip(normal.chunks_exact_mut(h).zip(spread.iter_mut()))
            {
                let mean = sum(x, |x| x) / h as f32;
                let variance = sum(x, |x| (x - mean) * (x - mean)) / h as f32;
                *spread = 1.0 / (variance + EPSILON).sqrt();
                for c in 0..h {
                    normal[c] = (x[c] - mean) * *spread;
                    out[c] = normal[c] * scale[c] + offset[c];
                }
            }
        },
    );
}

/// The way back of [`normalise`], in place; adds to the gradients of scale and offset.
pub fn normalise_back(
    gradient: &mut [f32],
    (normal, spread): (&[f32], &[f32]),
    scale: &[f32],
    scale_gradient: &mut [f32],
    offset_gradient: &mut [f32],
) {
    widest(
        #[inline(always)]
        || {
            let h = scale.len();
            for ((d, normal), spread) in
                gradient.chunks_exact_mut(h).zip(normal.chunks_exact(h)).zip(spread)
            {
                for c in 0..h {
                    scale_gradient[c] += d[c] * normal[c];
                    offset_gradient[c] += d[c];
                    d[c] *= scale[c];
                }
                let mean = sum(d, |d| d) / h as f32;
                let along = dot(d, normal) / h as f32;
                for c in 0..h {
                    d[c] = (d[c] - mean - normal[c] * along) * spread;
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::oracle::{
        Draw, Random, Real, added, answer, assert_close, cases, scaled, used, widths,
    };

    fn check(seed: u64, rows: usize, h: usize, draw: Draw) {
        let random = &mut Random(seed);
        let (x, scale, offset) = (draw(random, rows * h), draw(random, h), draw(random, h));
        let d = draw(random, rows * h);
        let formula = |[x, scale, offset]: [&[Real]; 3]| {
            let mut out = Vec::new();
            for row in x.chunks(h) {
                let mean = row.iter().copied().sum::<Real>() / h as f64;
                let variance =
                    row.iter().map(|x| (*x - mean) * (*x - mean)).sum::<Real>() / h as f64;
                for c in 0..h {
                    let normal = (row[c] - mean) / (variance + f64::from(EPSILON)).sqrt();
                    out.push(normal * scale[c] + offset[c]);
                }
            }
            out
        };
        let (values, [d_x, d_scale, d_offset]) = answer([&x, &scale, &offset], &d, formula);

        let (mut out, mut normal, mut spread) = (used(rows * h), used(rows * h), used(rows));
        normalise(&x, (&scale, &offset), &mut out, &mut normal, &mut spread);
        assert_close("what decoders see", &out, &values, 1e-4);
        let [scale_before, offset_before] = [(); 2].map(|()| random.few_digits(h));
        let (mut gradient, mut scale_gradient, mut offset_gradient) =
            (d, scale_before.clone(), offset_before.clone());
        let kept = (&normal[..], &spread[..]);
        normalise_back(&mut gradient, kept, &scale, &mut scale_gradient, &mut offset_gradient);
        assert_close("rows learn", &gradient, &d_x, 1e-4);
        assert_close("the scale learns", &scale_gradient, &added(&scale_before, &d_scale), 1e-4);
        let learnt = added(&offset_before, &d_offset);
        assert_close("the offset learns", &offset_gradient, &learnt, 1e-4);
    }

    proptest! {
        #![proptest_config(cases(200))]

        #[test]
        fn norms_and_what_is_learnt_from_them_agree_with_the_formula(
            (rows, h, seed) in (0..4_usize, widths(), any::<u64>())
        ) {
            check(seed, rows, h, Random::numbers);
        }
    }

    #[test]
    fn rows_of_huge_and_of_tiny_numbers_agree_with_the_formula() {
        check(2, 3, 20, |random, count| scaled(&random.few_digits(count), 30));
        check(2, 3, 20, |random, count| scaled(&random.few_digits(count), -60));
    }

    #[test]
    fn rows_of_equal_numbers_become_the_offset() {
        check(1, 3, 20, |_, count| vec![0.75; count]);
    }
}
