//! Layer norm: rows are standardised, then scaled and shifted by learnable parameters.

use crate::denormals::count;
use crate::simd::widest;
use crate::vector::{dot, sum};

/// Added to the variance.
pub const EPSILON: f32 = 1e-5;

/// Layer norm of rows. The backward pass needs `normalised`, the rows before scale and offset, and
/// `inverse_std`, one over the standard deviation of each row.
pub fn layer_norm(
    x: &[f32],
    scale: &[f32],
    offset: &[f32],
    out: &mut [f32],
    normalised: &mut [f32],
    inverse_std: &mut [f32],
) {
    widest(
        #[inline(always)]
        || {
            let h = scale.len();
            let rows = x.chunks_exact(h).zip(out.chunks_exact_mut(h));
            for ((x, out), (normalised, inverse_std)) in
                rows.zip(normalised.chunks_exact_mut(h).zip(inverse_std.iter_mut()))
            {
                let mean = sum(x, |x| x) / h as f32;
                let variance = sum(x, |x| (x - mean) * (x - mean)) / h as f32;
                *inverse_std = 1.0 / (variance + EPSILON).sqrt();
                for c in 0..h {
                    normalised[c] = (x[c] - mean) * *inverse_std;
                    out[c] = normalised[c] * scale[c] + offset[c];
                }
            }
        },
    );
    count("layer norm", out);
}

/// Backward pass of [`layer_norm`], in place; adds to the gradients of scale and offset.
pub fn layer_norm_backward(
    gradient: &mut [f32],
    normalised: &[f32],
    inverse_std: &[f32],
    scale: &[f32],
    scale_gradient: &mut [f32],
    offset_gradient: &mut [f32],
) {
    widest(
        #[inline(always)]
        || {
            let h = scale.len();
            for ((d, normalised), inverse_std) in
                gradient.chunks_exact_mut(h).zip(normalised.chunks_exact(h)).zip(inverse_std)
            {
                for c in 0..h {
                    scale_gradient[c] += d[c] * normalised[c];
                    offset_gradient[c] += d[c];
                    d[c] *= scale[c];
                }
                let mean = sum(d, |d| d) / h as f32;
                let projection = dot(d, normalised) / h as f32;
                for c in 0..h {
                    d[c] = (d[c] - mean - normalised[c] * projection) * inverse_std;
                }
            }
        },
    );
    count("layer norm, backward", gradient);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::oracle::{
        Draw, Random, Real, added, assert_close, cases, reference, scaled, used, widths,
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
                    let normalised = (row[c] - mean) / (variance + f64::from(EPSILON)).sqrt();
                    out.push(normalised * scale[c] + offset[c]);
                }
            }
            out
        };
        let (values, [d_x, d_scale, d_offset]) = reference([&x, &scale, &offset], &d, formula);

        let (mut out, mut normalised) = (used(rows * h), used(rows * h));
        let mut inverse_std = used(rows);
        layer_norm(&x, &scale, &offset, &mut out, &mut normalised, &mut inverse_std);
        assert_close("outputs", &out, &values, 1e-4);
        let [scale_before, offset_before] = [(); 2].map(|()| random.few_digits(h));
        let (mut gradient, mut scale_gradient, mut offset_gradient) =
            (d, scale_before.clone(), offset_before.clone());
        layer_norm_backward(
            &mut gradient,
            &normalised,
            &inverse_std,
            &scale,
            &mut scale_gradient,
            &mut offset_gradient,
        );
        assert_close("gradient of rows", &gradient, &d_x, 1e-4);
        let expected = added(&scale_before, &d_scale);
        assert_close("gradient of the scale", &scale_gradient, &expected, 1e-4);
        let expected = added(&offset_before, &d_offset);
        assert_close("gradient of the offset", &offset_gradient, &expected, 1e-4);
    }

    proptest! {
        #![proptest_config(cases(200))]

        #[test]
        fn layer_norm_and_its_gradients_agree_with_the_formula(
            (rows, h, seed) in (0..4_usize, widths(), any::<u64>())
        ) {
            check(seed, rows, h, Random::uniform);
        }
    }

    #[test]
    fn rows_of_huge_and_of_tiny_values_agree_with_the_formula() {
        check(2, 3, 20, |random, count| scaled(&random.few_digits(count), 30));
        check(2, 3, 20, |random, count| scaled(&random.few_digits(count), -60));
    }

    #[test]
    fn constant_rows_become_the_offset() {
        check(1, 3, 20, |_, count| vec![0.75; count]);
    }
}
