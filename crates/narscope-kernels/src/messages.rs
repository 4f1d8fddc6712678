//! Messages: what senders, receivers and the edge between them say together.

use std::ops::Range;

use crate::heard::{Heard, Pairs, PairsBack, sum_row};
use crate::matrix::{Mat, MatMut};
use crate::simd::{simd_fn, widest};
use crate::vector::add;

simd_fn! {
    /// The sum of what the sender, the receiver and the edge say, a row for each message to some
    /// receivers; `rectify` cuts it off below 0.
    pub fn meet<'a>(
        simd: S,
        out: &'a mut [f32],
        to_whom: (&'a Heard, Range<usize>),
        ends: (Mat<'a>, Mat<'a>),
        edges: (Pairs<'a>, &'a [f32]),
        rectify: bool,
    ) {
        let ((heard, receivers), (from, to), (pairs, map)) = (to_whom, ends, edges);
        let mut rows = out.chunks_exact_mut(from.width());
        for receiver in receivers {
            let (to, place) = (to.row(receiver), receiver % heard.nodes());
            for &sender in heard.senders(receiver) {
                let row = rows.next().expect("a row for every message");
                let said = (from.row(sender as usize), to);
                sum_row(simd, row, said, (pairs.of(sender as usize, place), map), rectify);
            }
        }
    }
}

simd_fn! {
    /// The way back of [`meet`]: hands the gradients of messages to senders, receivers and edges.
    /// What nodes say as senders and as receivers lies in rows `y` from two columns `at` on.
    pub fn part<'a, 'b>(
        simd: S,
        gradient: &'a [f32],
        to_whom: (&'a Heard, Range<usize>),
        said: (MatMut<'a>, [usize; 2]),
        h: usize,
        edges: &'a mut PairsBack<'b>,
    ) {
        let ((heard, receivers), (mut y, at)) = (to_whom, said);
        let mut rows = gradient.chunks_exact(h);
        for receiver in receivers {
            let place = receiver % heard.nodes();
            for &sender in heard.senders(receiver) {
                let row = rows.next().expect("a row for every message");
                add(&mut y.row(sender as usize)[at[0]..at[0] + h], row);
                add(&mut y.row(receiver)[at[1]..at[1] + h], row);
                edges.add(simd, sender as usize, place, row);
            }
        }
    }
}

/// `x = max(x + bias, 0)`, row by row.
pub fn add_and_rectify(x: &mut [f32], bias: &[f32]) {
    widest(
        #[inline(always)]
        || {
            for row in x.chunks_exact_mut(bias.len()) {
                for (x, bias) in row.iter_mut().zip(bias) {
                    let sum = *x + bias;
                    // What is no number stays none.
                    *x = if sum < 0.0 { 0.0 } else { sum };
                }
            }
        },
    );
}

/// Gradients stop where `x` was cut off.
pub fn stop_where_cut_off(gradient: &mut [f32], x: &[f32]) {
    widest(
        #[inline(always)]
        || {
            for (d, x) in gradient.iter_mut().zip(x) {
                *d = if *x > 0.0 { *d } else { 0.0 };
            }
        },
    );
}

/// Adds every row to one.
pub fn add_rows(sum: &mut [f32], rows: &[f32]) {
    if sum.is_empty() {
        return;
    }
    widest(
        #[inline(always)]
        || rows.chunks_exact(sum.len()).for_each(|row| add(sum, row)),
    );
}

/// Adds one row to every row.
pub fn add_to_rows(rows: MatMut<'_>, count: usize, row: &[f32]) {
    let mut rows = rows;
    widest(
        #[inline(always)]
        || (0..count).for_each(|i| add(rows.row(i), row)),
    );
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::oracle::{
        Draw, Hearing, Random, Real, added, answer, assert_close, cases, used, widths,
    };

    /// Rows of which senders and receivers say some columns; the rest must stay as it is.
    struct Columns {
        at: [usize; 2],
        width: usize,
    }

    fn columns(random: &mut Random, h: usize) -> Columns {
        let at = [random.below(3), h + 3 + random.below(3)];
        Columns { at, width: 2 * h + 6 + random.below(3) }
    }

    /// Messages are sums of three, and each of the three learns what messages learn.
    fn check(seed: u64, draw: Draw, hearing: &Hearing, h: usize, k: usize, scale: f32) {
        let (random, n) = (&mut Random(seed), hearing.nodes);
        let (heard, rows) = (hearing.heard(), hearing.samples * n);
        let mut scaled =
            |count| -> Vec<f32> { draw(random, count).iter().map(|x| x * scale).collect() };
        let (from, to, map) = (scaled(rows * h), scaled(rows * h), scaled(k * h));
        let numbers = random.sparse(draw, rows * n * k);
        let Columns { at, width } = columns(random, h);
        let mut y: Vec<f32> = used(rows * width);
        for row in 0..rows {
            y[row * width + at[0]..][..h].copy_from_slice(&from[row * h..][..h]);
            y[row * width + at[1]..][..h].copy_from_slice(&to[row * h..][..h]);
        }
        let (start, rectify) = (random.below(rows), random.below(2) == 0);
        let tile = start..start + 1 + random.below(rows - start);
        let count = heard.rows(tile.clone()).len();
        let mut d = random.sparse(Random::few_digits, count * h);
        let formula = |[from, to, map, numbers]: [&[Real]; 4]| {
            let mut out = Vec::new();
            for receiver in tile.clone() {
                for sender in hearing.senders(receiver) {
                    for c in 0..h {
                        let mut sum = from[sender * h + c] + to[receiver * h + c];
                        for number in 0..k {
                            let of_pair = (sender * n + receiver % n) * k + number;
                            sum = sum + numbers[of_pair] * map[number * h + c];
                        }
                        out.push(if rectify { Real::from(0.0).max(sum) } else { sum });
                    }
                }
            }
            out
        };
        let (values, [d_from, d_to, d_map, d_numbers]) =
            answer([&from, &to, &map, &numbers], &d, formula);

        let mut met = used(count * h);
        let pairs = Pairs::new(&numbers, n, k);
        let view = Mat::new(&y, rows, width);
        let ends = (view.columns(at[0]..at[0] + h), view.columns(at[1]..at[1] + h));
        meet(&mut met, (&heard, tile.clone()), ends, (pairs, &map), rectify);
        let unscaled = |x: &[f32]| -> Vec<f32> { x.iter().map(|x| x / scale).collect() };
        let in_proportion =
            |x: &[f64]| -> Vec<f64> { x.iter().map(|x| x / f64::from(scale)).collect() };
        assert_close("messages", &unscaled(&met), &in_proportion(&values), 1e-5);

        if rectify {
            stop_where_cut_off(&mut d, &met);
        }
        let learnt_from = random.below(k + 2);
        let [y_before, map_before, numbers_before] =
            [y.len(), map.len(), numbers.len()].map(|count| random.few_digits(count));
        // Or else what is learnt would be lost beside them.
        let numbers_before: Vec<f32> = numbers_before.iter().map(|x| x * scale).collect();
        let (mut y, mut map_gradient, mut gradient) =
            (y_before.clone(), map_before.clone(), numbers_before.clone());
        let mut edges = PairsBack {
            pairs,
            map: &map,
            map_gradient: &mut map_gradient,
            gradient: &mut gradient,
            learnt_from,
        };
        let said = (MatMut::new(&mut y, rows, width), at);
        part(&d, (&heard, tile), said, h, &mut edges);
        let mut y_learnt = vec![0.0; y.len()];
        for row in 0..rows {
            y_learnt[row * width + at[0]..][..h].copy_from_slice(&d_from[row * h..][..h]);
            y_learnt[row * width + at[1]..][..h].copy_from_slice(&d_to[row * h..][..h]);
        }
        assert_close("nodes learn", &y, &added(&y_before, &y_learnt), 1e-5);
        assert_close("the map learns", &map_gradient, &added(&map_before, &d_map), 1e-5);
        let wanted = |(i, d): (usize, &f64)| if i % k < learnt_from { 0.0 } else { *d };
        let d_numbers: Vec<_> = d_numbers.iter().enumerate().map(wanted).collect();
        let learnt = added(&numbers_before, &d_numbers);
        assert_close("numbers learn", &unscaled(&gradient), &in_proportion(&learnt), 1e-5);
    }

    proptest! {
        #![proptest_config(cases(100))]

        #[test]
        fn messages_of_few_nodes_agree_with_the_formula_and_its_differences(
            (samples, n, h, k, seed) in
                (1..3_usize, 1..4_usize, 1..4_usize, 0..4_usize, any::<u64>())
        ) {
            let hearing = Random(seed).hearing(samples, n);
            check(seed, Random::numbers, &hearing, h, k, 1.0);
        }

        #[test]
        fn messages_agree_with_the_formula_at_any_width_and_with_any_numbers_of_pairs(
            (samples, n, h, k, seed) in
                (1..4_usize, 1..6_usize, widths(), 0..=15_usize, any::<u64>())
        ) {
            let hearing = Random(seed).hearing(samples, n);
            for scale in [1.0, 2_f32.powi(100), 2_f32.powi(-100)] {
                check(seed, Random::few_digits, &hearing, h, k, scale);
            }
        }
    }

    proptest! {
        #![proptest_config(cases(20))]

        #[test]
        fn messages_agree_with_the_formula_among_any_number_of_nodes(
            (n, h, k, seed) in (1..=70_usize, 1..4_usize, 0..4_usize, any::<u64>())
        ) {
            check(seed, Random::few_digits, &Hearing::everyone(1, n), h, k, 1.0);
        }
    }

    proptest! {
        #![proptest_config(cases(100))]

        #[test]
        fn rows_are_added_and_cut_off_one_by_one(
            (rows, h, seed) in (0..6_usize, widths(), any::<u64>())
        ) {
            let random = &mut Random(seed);
            let (x, bias) = (random.few_digits(rows * h), random.few_digits(h));
            let mut rectified = x.clone();
            add_and_rectify(&mut rectified, &bias);
            let (mut sum, mut strided) = (bias.clone(), used::<f32>(rows * (h + 1)));
            add_rows(&mut sum, &x);
            add_to_rows(MatMut::new(&mut strided, rows, h + 1).columns(0..h), rows, &bias);
            for c in 0..h {
                let mut expected = bias[c];
                for row in 0..rows {
                    let at = row * h + c;
                    prop_assert_eq!(rectified[at], (x[at] + bias[c]).max(0.0));
                    prop_assert_eq!(strided[row * (h + 1) + c], 77.0 + bias[c]);
                    prop_assert_eq!(strided[row * (h + 1) + h], 77.0);
                    expected += x[at];
                }
                prop_assert_eq!(sum[c], expected);
            }
        }
    }

    #[test]
    fn no_rows_are_added_to_nothing() {
        add_rows(&mut [], &[]);
    }
}
