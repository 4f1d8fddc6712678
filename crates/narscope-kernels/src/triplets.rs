//! Triplets: what pairs of nodes hear from all third nodes. Nothing as large as the triplets is
//! made: of the terms of a triplet only three depend on the node that the maximum is taken over.

use pulp::Simd;

use crate::Buffer;
use crate::simd::simd_fn;

/// Third nodes are looked at in groups of this many, or a part of it that fits a vector.
const GROUP: usize = 16;
/// How many second nodes are looked at together: their sums do not wait for each other.
const SECOND: usize = 4;

simd_fn! {
    /// The largest of `first[i, j] + second[i, k]` over `i`, for every pair `(j, k)`, in `f`
    /// channels; `chosen` says which `i` it was, for the way back. All are squares of `n` by `n`
    /// rows of `f` numbers.
    pub fn largest<'a>(
        simd: S,
        terms: (&'a [f32], &'a [f32]),
        size: (usize, usize),
        out: &'a mut [f32],
        chosen: Option<&'a mut [u32]>,
        scratch: &'a mut Buffer,
    ) {
        let ((first, second), (n, f), mut chosen) = (terms, size, chosen);
        // One channel after the other, nodes side by side, up to a whole number of vectors.
        let width = n.next_multiple_of(GROUP);
        let (firsts, seconds) = scratch.zeroed(2 * n * width).split_at_mut(n * width);
        let mut numbers = [[0.0; GROUP]; SECOND];
        let mut places = [[0; GROUP]; SECOND];
        for c in 0..f {
            for i in 0..n {
                for k in 0..n {
                    firsts[i * width + k] = first[(i * n + k) * f + c];
                    seconds[i * width + k] = second[(i * n + k) * f + c];
                }
            }
            for j in (0..n).step_by(SECOND) {
                for k in (0..n).step_by(S::F32_LANES) {
                    let sums = (&firsts[j..], &seconds[k..]);
                    if chosen.is_some() {
                        best(simd, sums, (n, width), &mut numbers, &mut places);
                    } else {
                        most(simd, sums, (n, width), &mut numbers);
                    }
                    let ks = S::F32_LANES.min(n - k);
                    for place in 0..SECOND.min(n - j) {
                        let start = ((j + place) * n + k) * f + c;
                        let out = out[start..].iter_mut().step_by(f).take(ks);
                        out.zip(&numbers[place]).for_each(|(out, x)| *out = *x);
                        if let Some(chosen) = &mut chosen {
                            let chosen = chosen[start..].iter_mut().step_by(f).take(ks);
                            chosen.zip(&places[place]).for_each(|(to, i)| *to = *i);
                        }
                    }
                }
            }
        }
    }
}

/// The largest sums over `i`, for a few second nodes and a vector of third ones.
#[inline(always)]
fn most<S: Simd>(
    simd: S,
    (first, second): (&[f32], &[f32]),
    (n, width): (usize, usize),
    out: &mut [[f32; GROUP]; SECOND],
) {
    let mut most = [simd.splat_f32s(f32::NEG_INFINITY); SECOND];
    for i in 0..n {
        let second = S::as_simd_f32s(&second[i * width..][..S::F32_LANES]).0[0];
        let first: &[f32; SECOND] = first[i * width..].first_chunk().expect("a group");
        for place in 0..SECOND {
            let sum = simd.add_f32s(simd.splat_f32s(first[place]), second);
            most[place] = simd.max_f32s(sum, most[place]);
        }
    }
    for (out, most) in out.iter_mut().zip(most) {
        S::as_mut_simd_f32s(out).0[0] = most;
    }
}

/// The same, and whose they are: the first of the largest.
#[inline(always)]
fn best<S: Simd>(
    simd: S,
    (first, second): (&[f32], &[f32]),
    (n, width): (usize, usize),
    out: &mut [[f32; GROUP]; SECOND],
    chosen: &mut [[u32; GROUP]; SECOND],
) {
    let mut most = [simd.splat_f32s(f32::NEG_INFINITY); SECOND];
    let mut of = [simd.splat_u32s(0); SECOND];
    for i in 0..n {
        let second = S::as_simd_f32s(&second[i * width..][..S::F32_LANES]).0[0];
        let first: &[f32; SECOND] = first[i * width..].first_chunk().expect("a group");
        let here = simd.splat_u32s(i as u32);
        for place in 0..SECOND {
            let sum = simd.add_f32s(simd.splat_f32s(first[place]), second);
            let wins = simd.greater_than_f32s(sum, most[place]);
            most[place] = simd.select_f32s(wins, sum, most[place]);
            of[place] = simd.select_u32s(wins, here, of[place]);
        }
    }
    for ((out, most), (chosen, of)) in out.iter_mut().zip(most).zip(chosen.iter_mut().zip(of)) {
        S::as_mut_simd_f32s(out).0[0] = most;
        S::as_mut_simd_u32s(chosen).0[0] = of;
    }
}

/// The way back of [`largest`]: adds the gradient of each pair to the two sums that won.
pub fn largest_back(
    gradient: &[f32],
    chosen: &[u32],
    (n, f): (usize, usize),
    (first, second): (&mut [f32], &mut [f32]),
) {
    for j in 0..n {
        for k in 0..n {
            for c in 0..f {
                let at = (j * n + k) * f + c;
                let i = chosen[at] as usize;
                first[(i * n + j) * f + c] += gradient[at];
                second[(i * n + k) * f + c] += gradient[at];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::oracle::{Draw, Random, Real, added, answer, assert_close, cases, used};

    fn check(seed: u64, draw: Draw, n: usize, f: usize, scale: f32) {
        let (random, square) = (&mut Random(seed), n * n * f);
        let [first, second] =
            [(); 2].map(|()| draw(random, square).iter().map(|x| x * scale).collect::<Vec<_>>());
        let d = random.sparse(draw, square);
        let (values, [d_first, d_second]) = answer([&first, &second], &d, |[first, second]| {
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
        let (mut out, mut chosen, mut again) = (used(square), used(square), used(square));
        largest((&first, &second), (n, f), &mut out, Some(&mut chosen), &mut scratch);
        largest((&first, &second), (n, f), &mut again, None, &mut scratch);
        assert_eq!(out, again, "with and without saying whose it was");
        let of = |x: &f32| x / scale;
        let in_proportion: Vec<_> = values.iter().map(|x| x / f64::from(scale)).collect();
        let out: Vec<_> = out.iter().map(of).collect();
        assert_close("the largest", &out, &in_proportion, 1e-6);
        let [first_before, second_before] = [(); 2].map(|()| random.few_digits(square));
        let (mut first, mut second) = (first_before.clone(), second_before.clone());
        largest_back(&d, &chosen, (n, f), (&mut first, &mut second));
        assert_close("first terms learn", &first, &added(&first_before, &d_first), 1e-5);
        assert_close("second terms learn", &second, &added(&second_before, &d_second), 1e-5);
    }

    proptest! {
        #![proptest_config(cases(60))]

        #[test]
        fn triplets_of_few_nodes_agree_with_the_formula_and_its_differences(
            (n, f, seed) in (1..5_usize, 1..3_usize, any::<u64>())
        ) {
            check(seed, Random::numbers, n, f, 1.0);
        }

        #[test]
        fn triplets_agree_with_the_formula_in_any_number_of_channels(
            (n, f, seed) in (1..=12_usize, 1..=20_usize, any::<u64>())
        ) {
            for scale in [1.0, 2_f32.powi(100), 2_f32.powi(-100)] {
                check(seed, Random::few_digits, n, f, scale);
            }
        }
    }

    #[test]
    fn triplets_agree_with_the_formula_among_any_number_of_nodes() {
        for n in 1..=70 {
            check(n as u64, Random::few_digits, n, 1, 1.0);
        }
    }

    #[test]
    fn of_equal_sums_the_first_is_chosen() {
        let (mut out, mut chosen) = ([0.0; 9], [9; 9]);
        let zeros = [0.0; 9];
        largest((&zeros, &zeros), (3, 1), &mut out, Some(&mut chosen), &mut Buffer::default());
        assert_eq!(chosen, [0; 9]);
    }
}
