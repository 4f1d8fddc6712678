//! Messages of triplets to pairs of nodes: a maximum over the remaining node.
//!
//! No tensor of all triplets is materialised: of the terms of a triplet only three depend on the
//! node that the maximum runs over.

use pulp::Simd;

use crate::Buffer;
use crate::simd::simd_fn;

/// Rows of third nodes are padded to a multiple of this; no SIMD vector has more lanes.
const GROUP: usize = 16;
/// Number of second nodes processed together: their maxima are independent.
const SECOND: usize = 4;

/// Size of the squares of one sample: `n` by `n` rows of `f` channels.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Number of nodes.
    pub n: usize,
    /// Number of channels.
    pub f: usize,
}

simd_fn! {
    /// Maximum of `first[i, j] + second[i, k]` over `i`, for every pair `(j, k)` and channel.
    ///
    /// `argmax` receives the first `i` that attains it, for the backward pass.
    pub fn triplet_max<'a>(
        simd: S,
        first: &'a [f32],
        second: &'a [f32],
        size: Size,
        out: &'a mut [f32],
        argmax: Option<&'a mut [u32]>,
        scratch: &'a mut Buffer,
    ) {
        let (Size { n, f }, mut argmax) = (size, argmax);
        // One channel at a time, with contiguous nodes, padded to a whole number of SIMD vectors.
        let width = n.next_multiple_of(GROUP);
        let (firsts, seconds) = scratch.zeroed(2 * n * width).split_at_mut(n * width);
        let mut maxima = [[0.0; GROUP]; SECOND];
        let mut indices = [[0; GROUP]; SECOND];
        for c in 0..f {
            for i in 0..n {
                for k in 0..n {
                    firsts[i * width + k] = first[(i * n + k) * f + c];
                    seconds[i * width + k] = second[(i * n + k) * f + c];
                }
            }
            for j in (0..n).step_by(SECOND) {
                for k in (0..n).step_by(S::F32_LANES) {
                    let terms = Terms { first: &firsts[j..], second: &seconds[k..], n, width };
                    if argmax.is_some() {
                        terms.argmax(simd, &mut maxima, &mut indices);
                    } else {
                        terms.max(simd, &mut maxima);
                    }
                    let ks = S::F32_LANES.min(n - k);
                    for at in 0..SECOND.min(n - j) {
                        let start = ((j + at) * n + k) * f + c;
                        let out = out[start..].iter_mut().step_by(f).take(ks);
                        out.zip(&maxima[at]).for_each(|(out, x)| *out = *x);
                        if let Some(argmax) = &mut argmax {
                            let argmax = argmax[start..].iter_mut().step_by(f).take(ks);
                            argmax.zip(&indices[at]).for_each(|(to, i)| *to = *i);
                        }
                    }
                }
            }
        }
    }
}

/// Terms of one channel: `first` starts at a second node, `second` at a third node, and rows of
/// `width` follow each other for the `n` values of `i`.
struct Terms<'a> {
    first: &'a [f32],
    second: &'a [f32],
    n: usize,
    width: usize,
}

impl Terms<'_> {
    /// Terms of node `i`: those of [`SECOND`] second nodes, and a SIMD vector of third nodes.
    #[inline(always)]
    fn of<S: Simd>(&self, i: usize) -> (&[f32; SECOND], S::f32s) {
        let second = S::as_simd_f32s(&self.second[i * self.width..][..S::F32_LANES]).0[0];
        let first = self.first[i * self.width..].first_chunk().expect("rows are padded");
        (first, second)
    }

    /// Maxima over `i`, for [`SECOND`] second nodes and a SIMD vector of third nodes.
    #[inline(always)]
    fn max<S: Simd>(&self, simd: S, out: &mut [[f32; GROUP]; SECOND]) {
        let mut most = [simd.splat_f32s(f32::NEG_INFINITY); SECOND];
        for i in 0..self.n {
            let (first, second) = self.of::<S>(i);
            for at in 0..SECOND {
                let sum = simd.add_f32s(simd.splat_f32s(first[at]), second);
                most[at] = simd.max_f32s(sum, most[at]);
            }
        }
        for (out, most) in out.iter_mut().zip(most) {
            S::as_mut_simd_f32s(out).0[0] = most;
        }
    }

    /// Maxima as in [`max`](Self::max), and the first `i` that attains each.
    #[inline(always)]
    fn argmax<S: Simd>(
        &self,
        simd: S,
        out: &mut [[f32; GROUP]; SECOND],
        argmax: &mut [[u32; GROUP]; SECOND],
    ) {
        let mut most = [simd.splat_f32s(f32::NEG_INFINITY); SECOND];
        let mut of = [simd.splat_u32s(0); SECOND];
        for i in 0..self.n {
            let (first, second) = self.of::<S>(i);
            let here = simd.splat_u32s(i as u32);
            for at in 0..SECOND {
                let sum = simd.add_f32s(simd.splat_f32s(first[at]), second);
                let wins = simd.greater_than_f32s(sum, most[at]);
                most[at] = simd.select_f32s(wins, sum, most[at]);
                of[at] = simd.select_u32s(wins, here, of[at]);
            }
        }
        for ((out, most), (argmax, of)) in out.iter_mut().zip(most).zip(argmax.iter_mut().zip(of)) {
            S::as_mut_simd_f32s(out).0[0] = most;
            S::as_mut_simd_u32s(argmax).0[0] = of;
        }
    }
}

/// Backward pass of [`triplet_max`]: adds the gradient of each pair to the two terms of its maximum.
pub fn triplet_max_backward(
    gradient: &[f32],
    argmax: &[u32],
    size: Size,
    first_gradient: &mut [f32],
    second_gradient: &mut [f32],
) {
    let Size { n, f } = size;
    for j in 0..n {
        for k in 0..n {
            for c in 0..f {
                let at = (j * n + k) * f + c;
                let i = argmax[at] as usize;
                first_gradient[(i * n + j) * f + c] += gradient[at];
                second_gradient[(i * n + k) * f + c] += gradient[at];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::oracle::{Draw, Random, Real, added, assert_close, cases, reference, used};

    fn check(seed: u64, draw: Draw, n: usize, f: usize, scale: f32) {
        let (random, square) = (&mut Random(seed), n * n * f);
        let [first, second] =
            [(); 2].map(|()| draw(random, square).iter().map(|x| x * scale).collect::<Vec<_>>());
        let d = random.sparse(draw, square);
        let (values, [d_first, d_second]) = reference([&first, &second], &d, |[first, second]| {
            let mut out = Vec::new();
            for j in 0..n {
                for k in 0..n {
                    for c in 0..f {
                        let sum = |i| first[(i * n + j) * f + c] + second[(i * n + k) * f + c];
                        out.push((1..n).fold(sum(0), |most: Real, i| most.max(sum(i))));
                    }
                }
            }
            out
        });

        let mut scratch = used(3 * n * n + 100).into_iter().collect();
        let (mut out, mut argmax, mut again) = (used(square), used(square), used(square));
        let size = Size { n, f };
        triplet_max(&first, &second, size, &mut out, Some(&mut argmax), &mut scratch);
        triplet_max(&first, &second, size, &mut again, None, &mut scratch);
        assert_eq!(out, again, "with and without the argmax");
        let expected: Vec<_> = values.iter().map(|x| x / f64::from(scale)).collect();
        let out: Vec<_> = out.iter().map(|x| x / scale).collect();
        assert_close("maxima", &out, &expected, 1e-6);
        let [first_before, second_before] = [(); 2].map(|()| random.few_digits(square));
        let (mut first, mut second) = (first_before.clone(), second_before.clone());
        triplet_max_backward(&d, &argmax, size, &mut first, &mut second);
        let expected = added(&first_before, &d_first);
        assert_close("gradient of first terms", &first, &expected, 1e-5);
        let expected = added(&second_before, &d_second);
        assert_close("gradient of second terms", &second, &expected, 1e-5);
    }

    proptest! {
        #![proptest_config(cases(60))]

        #[test]
        fn triplets_of_few_nodes_agree_with_the_formula_and_its_finite_differences(
            (n, f, seed) in (1..5_usize, 1..3_usize, any::<u64>())
        ) {
            check(seed, Random::uniform, n, f, 1.0);
        }

        #[test]
        fn triplets_agree_with_the_formula_for_any_number_of_channels(
            (n, f, seed) in (1..=12_usize, 1..=20_usize, any::<u64>())
        ) {
            for scale in [1.0, 2_f32.powi(100), 2_f32.powi(-100)] {
                check(seed, Random::few_digits, n, f, scale);
            }
        }
    }

    #[test]
    fn triplets_agree_with_the_formula_for_any_number_of_nodes() {
        for n in 1..=70 {
            check(n as u64, Random::few_digits, n, 1, 1.0);
        }
    }

    #[test]
    fn the_first_of_equal_sums_wins() {
        let (mut out, mut argmax, size) = ([0.0; 9], [9; 9], Size { n: 3, f: 1 });
        let zeros = [0.0; 9];
        let scratch = &mut Buffer::default();
        triplet_max(&zeros, &zeros, size, &mut out, Some(&mut argmax), scratch);
        assert_eq!(argmax, [0; 9]);
    }
}
