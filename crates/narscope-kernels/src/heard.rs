//! Who hears whom in a block of samples, and what is known of pairs of nodes.

use std::ops::Range;

use pulp::Simd;

/// Nobody's message was taken.
pub(crate) const NOBODY: u32 = u32::MAX;

/// For each receiver of a block the senders that it hears, one row each.
///
/// Nodes of a block are numbered on: node `i` of sample `b` is `b N + i`.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    nodes: usize,
    /// Where the rows of each receiver begin, and where the last ones end.
    starts: Vec<u32>,
    senders: Vec<u32>,
    /// New numbers of a receiver's messages, while those that nobody took are dropped.
    numbers: Vec<u32>,
}

impl Heard {
    /// Lists whom each node of `samples` samples hears; `hears(sender, receiver)` takes the number
    /// of the sender in the block and that of the receiver in its sample.
    pub fn fill(&mut self, samples: usize, nodes: usize, hears: impl Fn(usize, usize) -> bool) {
        self.nodes = nodes;
        self.starts.clear();
        self.senders.clear();
        self.starts.push(0);
        for sample in 0..samples {
            for receiver in 0..nodes {
                let senders = sample * nodes..(sample + 1) * nodes;
                let heard = senders.filter(|&sender| hears(sender, receiver));
                self.senders.extend(heard.map(|sender| sender as u32));
                self.starts.push(self.senders.len() as u32);
            }
        }
    }

    /// Lists only messages that were taken in some channel: no other has a gradient. `chosen` has a row
    /// of channels for each receiver, with numbers of messages that become those of this list;
    /// `rows` says which of all rows each row of this list was.
    pub fn keep_chosen(
        &mut self,
        all: &Self,
        chosen: &mut [u32],
        channels: usize,
        rows: &mut Vec<u32>,
    ) {
        self.nodes = all.nodes;
        self.starts.clear();
        self.senders.clear();
        self.starts.push(0);
        rows.clear();
        let numbers = &mut self.numbers;
        for (receiver, chosen) in chosen.chunks_exact_mut(channels).enumerate() {
            let (first, senders) = (all.starts[receiver], all.senders(receiver));
            numbers.clear();
            numbers.resize(all.nodes, NOBODY);
            for &taken in chosen.iter().filter(|&&taken| taken != NOBODY) {
                numbers[taken as usize] = 0;
            }
            let mut count = 0;
            for (message, (number, &sender)) in numbers.iter_mut().zip(senders).enumerate() {
                if *number != NOBODY {
                    *number = count;
                    count += 1;
                    self.senders.push(sender);
                    rows.push(first + message as u32);
                }
            }
            for taken in chosen.iter_mut().filter(|taken| **taken != NOBODY) {
                *taken = numbers[*taken as usize];
            }
            self.starts.push(self.senders.len() as u32);
        }
    }

    /// The nodes of each sample.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The rows of some receivers.
    #[inline(always)]
    pub fn rows(&self, receivers: Range<usize>) -> Range<usize> {
        self.starts[receivers.start] as usize..self.starts[receivers.end] as usize
    }

    /// The senders that a receiver hears.
    #[inline(always)]
    pub fn senders(&self, receiver: usize) -> &[u32] {
        &self.senders[self.rows(receiver..receiver + 1)]
    }

    /// Cuts receivers into runs of about `rows` rows, but at least one receiver.
    pub fn tiles(&self, receivers: usize, rows: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = 0;
        std::iter::from_fn(move || {
            if start == receivers {
                return None;
            }
            let most = self.starts[start] as usize + rows;
            let fits = self.starts[start + 1..=receivers].partition_point(|&s| s as usize <= most);
            let tile = start..start + fits.max(1);
            start = tile.end;
            Some(tile)
        })
    }
}

/// A few numbers for every pair of nodes of a block.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    numbers: &'a [f32],
    nodes: usize,
    width: usize,
}

impl<'a> Pairs<'a> {
    /// `width` numbers for each pair of a node of the block and a node of its sample.
    pub fn new(numbers: &'a [f32], nodes: usize, width: usize) -> Self {
        Self { numbers, nodes, width }
    }

    /// Where the numbers of a pair begin.
    #[inline(always)]
    pub fn start(&self, first: usize, second: usize) -> usize {
        (first * self.nodes + second) * self.width
    }

    /// The numbers of a pair.
    #[inline(always)]
    pub fn of(&self, first: usize, second: usize) -> &'a [f32] {
        &self.numbers[self.start(first, second)..][..self.width]
    }
}

/// A linear map of the numbers of pairs, and what is learnt of it on the way back.
#[derive(Debug)]
pub struct PairsBack<'a> {
    /// The numbers.
    pub pairs: Pairs<'a>,
    /// The map, a row for each number.
    pub map: &'a [f32],
    /// The gradient of the map, added to.
    pub map_gradient: &'a mut [f32],
    /// The gradient of the numbers, added to.
    pub gradient: &'a mut [f32],
    /// From which number on gradients are wanted: those before it are given.
    pub learnt_from: usize,
}

/// How many numbers of a pair are looked at together: their sums stay in registers.
const TOGETHER: usize = 6;

impl PairsBack<'_> {
    /// Adds what the gradient `d` of a pair's mapped numbers says.
    #[inline(always)]
    pub(crate) fn add<S: Simd>(&mut self, simd: S, first: usize, second: usize, d: &[f32]) {
        let (start, outputs) = (self.pairs.start(first, second), d.len());
        let numbers = self.pairs.of(first, second);
        let mut k = 0;
        while k < numbers.len() {
            let learnt = k >= self.learnt_from;
            let map = &self.map[k * outputs..];
            let map_gradient = &mut self.map_gradient[k * outputs..];
            if !learnt {
                // Most of these are marks, 0 almost everywhere.
                if numbers[k] != 0.0 {
                    add_scaled(simd, &mut map_gradient[..outputs], numbers[k], d);
                }
                k += 1;
                continue;
            }
            let count = (numbers.len() - k).min(TOGETHER);
            let mut sums = [0.0; TOGETHER];
            learn(simd, &numbers[k..k + count], d, map, map_gradient, &mut sums);
            let gradient = &mut self.gradient[start + k..start + k + count];
            gradient.iter_mut().zip(sums).for_each(|(gradient, sum)| *gradient += sum);
            k += count;
        }
    }
}

/// `y += a x`.
#[inline(always)]
fn add_scaled<S: Simd>(simd: S, y: &mut [f32], a: f32, x: &[f32]) {
    let ((y, y_rest), (x, x_rest)) = (S::as_mut_simd_f32s(y), S::as_simd_f32s(x));
    let all = simd.splat_f32s(a);
    for (y, x) in y.iter_mut().zip(x) {
        *y = simd.mul_add_e_f32s(all, *x, *y);
    }
    for (y, x) in y_rest.iter_mut().zip(x_rest) {
        *y += a * x;
    }
}

/// Some rows of a map: adds `numbers[k] d` to the gradient of row `k`, and to `sums[k]` the
/// product of `d` and the row.
#[inline(always)]
fn learn<S: Simd>(
    simd: S,
    numbers: &[f32],
    d: &[f32],
    map: &[f32],
    map_gradient: &mut [f32],
    sums: &mut [f32; TOGETHER],
) {
    let outputs = d.len();
    let (vectors, rest) = S::as_simd_f32s(d);
    let whole = outputs - rest.len();
    let mut gradients = map_gradient.chunks_exact_mut(outputs);
    for (row, (number, sum)) in numbers.iter().zip(sums).enumerate() {
        let gradient = gradients.next().expect("a row of the map for every number");
        let map = &map[row * outputs..][..outputs];
        let all = simd.splat_f32s(*number);
        let (gradients, _) = S::as_mut_simd_f32s(gradient);
        let mut products = simd.splat_f32s(0.0);
        for ((gradient, d), map) in gradients.iter_mut().zip(vectors).zip(S::as_simd_f32s(map).0) {
            *gradient = simd.mul_add_e_f32s(all, *d, *gradient);
            products = simd.mul_add_e_f32s(*d, *map, products);
        }
        *sum = simd.reduce_sum_f32s(products);
        for ((gradient, d), map) in gradient[whole..].iter_mut().zip(rest).zip(&map[whole..]) {
            *gradient += number * d;
            *sum += d * map;
        }
    }
}

/// `out = a + b + mapped numbers of a pair`; `rectify` cuts it off below 0.
#[inline(always)]
pub(crate) fn sum_row<S: Simd>(
    simd: S,
    out: &mut [f32],
    (a, b): (&[f32], &[f32]),
    (numbers, map): (&[f32], &[f32]),
    rectify: bool,
) {
    let outputs = out.len();
    // Numbers that say something, with their rows. The first two terms are such rows too.
    let mut rows: [(f32, &[f32]); TOGETHER] = [(1.0, a); TOGETHER];
    rows[1] = (1.0, b);
    let (mut count, mut begun) = (2, false);
    for (k, &number) in numbers.iter().enumerate() {
        if number == 0.0 {
            continue;
        }
        if count == TOGETHER {
            sum_of_rows::<S, TOGETHER>(simd, out, rows, begun, false);
            (count, begun) = (0, true);
        }
        rows[count] = (number, &map[k * outputs..][..outputs]);
        count += 1;
    }
    match count {
        1 => sum_of_rows::<S, 1>(simd, out, [rows[0]], begun, rectify),
        2 => sum_of_rows::<S, 2>(simd, out, [rows[0], rows[1]], begun, rectify),
        3 => sum_of_rows::<S, 3>(simd, out, [rows[0], rows[1], rows[2]], begun, rectify),
        4 => {
            let rows = [rows[0], rows[1], rows[2], rows[3]];
            sum_of_rows::<S, 4>(simd, out, rows, begun, rectify);
        }
        5 => {
            let rows = [rows[0], rows[1], rows[2], rows[3], rows[4]];
            sum_of_rows::<S, 5>(simd, out, rows, begun, rectify);
        }
        _ => sum_of_rows::<S, TOGETHER>(simd, out, rows, begun, rectify),
    }
}

/// The sum of rows, each times a number, added to what is there if that has `begun`.
#[inline(always)]
fn sum_of_rows<S: Simd, const C: usize>(
    simd: S,
    out: &mut [f32],
    rows: [(f32, &[f32]); C],
    begun: bool,
    rectify: bool,
) {
    let factors = rows.map(|(factor, _)| simd.splat_f32s(factor));
    let (vectors, rest) = S::as_mut_simd_f32s(out);
    let count = vectors.len();
    let heads = rows.map(|(_, row)| &S::as_simd_f32s(row).0[..count]);
    let zero = simd.splat_f32s(0.0);
    let least = simd.splat_f32s(if rectify { 0.0 } else { f32::NEG_INFINITY });
    for (at, out) in vectors.iter_mut().enumerate() {
        let mut sum = if begun { *out } else { zero };
        for row in 0..C {
            sum = simd.mul_add_e_f32s(factors[row], heads[row][at], sum);
        }
        // In this order: what is no number stays none.
        *out = simd.max_f32s(least, sum);
    }
    let whole = count * S::F32_LANES;
    for (at, out) in rest.iter_mut().enumerate() {
        let sum = if begun { *out } else { 0.0 };
        let sum = rows.iter().fold(sum, |sum, (factor, row)| sum + factor * row[whole + at]);
        *out = if rectify && sum < 0.0 { 0.0 } else { sum };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Heard, NOBODY};
    use crate::oracle::{Random, cases};

    proptest! {
        #![proptest_config(cases(200))]

        #[test]
        fn rows_follow_receivers_and_senders_in_order(
            (samples, nodes, seed) in (1..4_usize, 1..=70_usize, any::<u64>())
        ) {
            let hearing = Random(seed).hearing(samples, nodes);
            let heard = hearing.heard();
            prop_assert_eq!(heard.nodes(), nodes);
            let mut rows = 0;
            for receiver in 0..samples * nodes {
                let expected = hearing.senders(receiver);
                let senders: Vec<_> = heard.senders(receiver).iter().map(|&i| i as usize).collect();
                prop_assert_eq!(heard.rows(receiver..receiver + 1), rows..rows + expected.len());
                prop_assert_eq!(heard.rows(0..receiver + 1), 0..rows + expected.len());
                rows += expected.len();
                prop_assert_eq!(senders, expected);
            }
        }

        #[test]
        fn messages_that_are_kept_are_those_that_were_taken_under_new_numbers(
            (samples, nodes, channels, seed) in (1..4_usize, 1..20_usize, 1..9_usize, any::<u64>())
        ) {
            let mut random = Random(seed);
            let all = random.hearing(samples, nodes).heard();
            let mut taken: Vec<u32> = vec![];
            for receiver in 0..samples * nodes {
                let count = all.senders(receiver).len();
                for _ in 0..channels {
                    let nobody = count == 0 || random.below(4) == 0;
                    taken.push(if nobody { NOBODY } else { random.below(count) as u32 });
                }
            }
            let (mut kept, mut chosen, mut rows) = (Heard::default(), taken.clone(), vec![7]);
            kept.fill(1, 3, |_, _| true);
            kept.keep_chosen(&all, &mut chosen, channels, &mut rows);
            prop_assert_eq!(kept.nodes(), nodes);
            for receiver in 0..samples * nodes {
                let here = kept.rows(receiver..receiver + 1);
                let mut used = vec![false; here.len()];
                for at in receiver * channels..(receiver + 1) * channels {
                    if taken[at] == NOBODY {
                        prop_assert_eq!(chosen[at], NOBODY);
                        continue;
                    }
                    let row = here.start + chosen[at] as usize;
                    used[chosen[at] as usize] = true;
                    let before = all.rows(receiver..receiver + 1).start + taken[at] as usize;
                    prop_assert_eq!(rows[row] as usize, before);
                    let sender = kept.senders(receiver)[chosen[at] as usize];
                    prop_assert_eq!(sender, all.senders(receiver)[taken[at] as usize]);
                }
                prop_assert!(used.into_iter().all(|used| used), "a message that nobody took is kept");
            }
        }

        #[test]
        fn tiles_cover_all_receivers_in_order_and_none_is_larger_than_it_must_be(
            (samples, nodes, most, seed) in (1..4_usize, 1..20_usize, 0..100_usize, any::<u64>())
        ) {
            let heard = Random(seed).hearing(samples, nodes).heard();
            let mut next = 0;
            for tile in heard.tiles(samples * nodes, most) {
                prop_assert_eq!(tile.start, next);
                prop_assert!(!tile.is_empty());
                prop_assert!(heard.rows(tile.clone()).len() <= most || tile.len() == 1);
                next = tile.end;
            }
            prop_assert_eq!(next, samples * nodes);
        }
    }
}
