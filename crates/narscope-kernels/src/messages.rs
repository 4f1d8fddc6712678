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
                    *x = (*x + bias).max(0.0);
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
