//! Elementwise operations and sums of rows, to be inlined into [`widest`](crate::simd::widest).

use pulp::Simd;

/// `y += x`.
#[inline(always)]
pub(crate) fn add(y: &mut [f32], x: &[f32]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += x;
    }
}

/// `y += a x`.
#[inline(always)]
pub(crate) fn add_scaled(y: &mut [f32], a: f32, x: &[f32]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// Number of partial sums: enough for two of the widest SIMD vectors.
const LANES: usize = 32;

/// Sum of `term(a[i], b[i], c[i])` over `i`.
///
/// Runs in [`LANES`] partial sums, so the order of additions depends on the length only.
#[inline(always)]
pub(crate) fn sum_of(a: &[f32], b: &[f32], c: &[f32], term: impl Fn(f32, f32, f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    let (mut a, mut b, mut c) =
        (a.chunks_exact(LANES), b.chunks_exact(LANES), c.chunks_exact(LANES));
    for ((a, b), c) in (&mut a).zip(&mut b).zip(&mut c) {
        for lane in 0..LANES {
            lanes[lane] += term(a[lane], b[lane], c[lane]);
        }
    }
    let rest = a.remainder().iter().zip(b.remainder()).zip(c.remainder());
    for (lane, ((a, b), c)) in lanes.iter_mut().zip(rest) {
        *lane += term(*a, *b, *c);
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
        width /= 2;
    }
    lanes[0]
}

/// Dot product.
#[inline(always)]
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    sum_of(a, b, a, |a, b, _| a * b)
}

/// Sum of `term(a[i])` over `i`.
#[inline(always)]
pub(crate) fn sum(a: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    sum_of(a, a, a, |a, _, _| term(a))
}

/// ln 2 as a sum of two parts; the first has few enough digits for exact multiples.
const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
/// Arguments up to this one have `e^x` = 0 here.
const TOO_SMALL: f32 = -87.3;
/// Adding and subtracting 1.5 * 2^23 rounds to an integer.
const ROUND: f32 = 12_582_912.0;
/// Coefficients of the Taylor series of `e^x`, highest power first: enough for arguments up to
/// ln 2 / 2, the remainder after a power of 2 is factored out.
const SERIES: [f32; 8] =
    [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];

/// `e^x` for `x <= 0`, accurate to a bit or two, in a form that compilers vectorise. Results too
/// small for a normal number are 0; NaN propagates.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let bounded = if x > TOO_SMALL { x } else { TOO_SMALL };
    let whole = (bounded * std::f32::consts::LOG2_E + ROUND) - ROUND;
    let rest = bounded - whole * LN_2[0] - whole * LN_2[1];
    let series = SERIES[1..].iter().fold(SERIES[0], |series, term| series * rest + term);
    let power = f32::from_bits(((whole as i32 + 127) << 23) as u32);
    let result = if x > TOO_SMALL { series * power } else { 0.0 };
    if x.is_nan() { x } else { result }
}

/// [`exp`] of a SIMD vector, with 0 for arguments up to `bound`. The bound must not be below that of
/// [`exp`].
#[inline(always)]
pub(crate) fn exp_above<S: Simd>(simd: S, bound: f32, x: S::f32s) -> S::f32s {
    let splat = |x| simd.splat_f32s(x);
    let bounded = simd.max_f32s(x, splat(bound));
    let rounded = simd.mul_add_e_f32s(bounded, splat(std::f32::consts::LOG2_E), splat(ROUND));
    let whole = simd.sub_f32s(rounded, splat(ROUND));
    let mut rest = bounded;
    for part in LN_2 {
        rest = simd.mul_add_e_f32s(whole, splat(-part), rest);
    }
    let mut series = splat(SERIES[0]);
    for term in &SERIES[1..] {
        series = simd.mul_add_e_f32s(series, rest, splat(*term));
    }
    // The low bits of the rounded sum hold the integer, which becomes the exponent.
    let bits = simd.transmute_u32s_f32s(rounded);
    let exponent = simd.add_u32s(bits, simd.splat_u32s(127));
    let power = simd.wrapping_dyn_shl_u32s(exponent, simd.splat_u32s(23));
    let result = simd.mul_f32s(series, simd.transmute_f32s_u32s(power));
    let result = simd.select_f32s(simd.greater_than_f32s(x, splat(bound)), result, splat(0.0));
    simd.select_f32s(simd.equal_f32s(x, x), result, x)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exp_agrees_with_the_standard_library_up_to_rounding(x in -100.0_f32..=0.0) {
            let (ours, exact) = (super::exp(x), x.exp());
            prop_assert!((ours - exact).abs() <= 3e-7 * exact + 1.3e-38, "{} {}", ours, exact);
        }

        #[test]
        fn a_dot_product_is_the_sum_of_products(x in proptest::collection::vec(-1.0_f32..1.0, 0..100)) {
            let expected: f64 = x.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
            prop_assert!((f64::from(super::dot(&x, &x)) - expected).abs() < 1e-4);
        }
    }
}
