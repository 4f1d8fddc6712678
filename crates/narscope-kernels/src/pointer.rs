//! Pointers of nodes and of pairs of nodes: the larger of two vectors, channel by channel, is
//! weighed and summed up to one score. The vectors of all candidates are never in memory together.

use pulp::Simd;

use crate::Buffer;
use crate::heard::{Pairs, PairsBack, sum_row};
use crate::matrix::{Mat, MatMut};
use crate::simd::{simd_fn, widest};
use crate::vector::add;

/// What scores are made of.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    /// What the node that points says, a row for each node of the sample.
    pub from: Mat<'a>,
    /// What the node that is pointed to says.
    pub to: Mat<'a>,
    /// What the pair says, added to the latter.
    pub pairs: Pairs<'a>,
    /// The map of the pair's numbers.
    pub map: &'a [f32],
    /// What the processor said of pairs, a row for each.
    pub processed: Option<Mat<'a>>,
    /// How channels are weighed.
    pub weights: &'a [f32],
    /// A row of zeros, for what is not there.
    pub nothing: &'a [f32],
}

/// How many candidates are scored at once: they share what is loaded, and their sums do not wait for each
/// other.
const CANDIDATES: usize = 4;
/// How many vectors of each of them are in registers at once.
const VECTORS: usize = 2;

simd_fn! {
    /// The scores of one sample, whose first node is number `start` of the block of `n` nodes each:
    /// `scores[i, j]` for node `i` pointing to `j`. `taken` says where the candidate was the larger
    /// of the two, for the way back. `rows` is memory to use again.
    pub fn node_scores<'a, 'b>(
        simd: S,
        x: &'a Candidates<'b>,
        sample: (usize, usize),
        bias: f32,
        scores: &'a mut [f32],
        taken: Option<&'a mut [u8]>,
        rows: &'a mut Buffer,
    ) {
        let ((start, n), h) = (sample, x.weights.len());
        let at_once = VECTORS * S::F32_LANES;
        let whole = h / at_once * at_once;
        let nothing = simd.splat_f32s(0.0);
        let rows = rows.sized(CANDIDATES * h);
        let mut taken = taken;
        for i in 0..n {
            let from = x.from.row(i);
            for first in (0..n).step_by(CANDIDATES) {
                // Past the last, the last one is scored again.
                let nodes: [usize; CANDIDATES] = std::array::from_fn(|at| (first + at).min(n - 1));
                let to = nodes.map(|j| x.to.row(j));
                // Parity: the edge is read in the other direction than by messages.
                let numbers = nodes.map(|j| x.pairs.of(start + j, i));
                let said = nodes
                    .map(|j| x.processed.map_or(x.nothing, |processed| processed.row(j * n + i)));
                let mut sums = [[nothing; VECTORS]; CANDIDATES];
                for c in (0..whole).step_by(at_once) {
                    let (own, weights) = (vectors::<S>(from, c), vectors::<S>(x.weights, c));
                    let mut row: [[S::f32s; VECTORS]; CANDIDATES] = std::array::from_fn(|at| {
                        let (to, said) = (vectors::<S>(to[at], c), vectors::<S>(said[at], c));
                        std::array::from_fn(|v| simd.add_f32s(to[v], said[v]))
                    });
                    for (k, map) in x.map.chunks_exact(h).enumerate() {
                        let map = vectors::<S>(map, c);
                        for (row, numbers) in row.iter_mut().zip(numbers) {
                            let number = simd.splat_f32s(numbers[k]);
                            for (row, map) in row.iter_mut().zip(map) {
                                *row = simd.mul_add_e_f32s(number, map, *row);
                            }
                        }
                    }
                    for (at, (row, sums)) in row.iter().zip(&mut sums).enumerate() {
                        for (v, sum) in sums.iter_mut().enumerate() {
                            // In this order: what is no number stays none.
                            let larger = simd.max_f32s(row[v], own[v]);
                            *sum = simd.mul_add_e_f32s(weights[v], larger, *sum);
                        }
                        if taken.is_some() {
                            let here = &mut rows[at * h + c..][..at_once];
                            S::as_mut_simd_f32s(here).0.copy_from_slice(row);
                        }
                    }
                }
                for (at, j) in nodes.into_iter().enumerate().take(n - first) {
                    let mut score = bias;
                    for sum in sums[at] {
                        score += simd.reduce_sum_f32s(sum);
                    }
                    for c in whole..h {
                        let mapped = numbers[at].iter().zip(x.map.chunks_exact(h));
                        let said = to[at][c] + said[at][c];
                        let row = mapped.fold(said, |sum, (number, map)| sum + number * map[c]);
                        score += x.weights[c] * if row > from[c] { row } else { from[c] };
                        rows[at * h + c] = row;
                    }
                    scores[i * n + j] = score;
                    if let Some(taken) = &mut taken {
                        let taken = &mut taken[(i * n + j) * h..][..h];
                        let row = &rows[at * h..][..h];
                        for ((taken, to), from) in taken.iter_mut().zip(row).zip(from) {
                            *taken = u8::from(to > from);
                        }
                    }
                }
            }
        }
    }
}

/// Some vectors of a row, from a channel on.
#[inline(always)]
fn vectors<S: Simd>(row: &[f32], from: usize) -> [S::f32s; VECTORS] {
    let (vectors, _) = S::as_simd_f32s(&row[from..][..VECTORS * S::F32_LANES]);
    std::array::from_fn(|v| vectors[v])
}

simd_fn! {
    /// The way back of [`node_scores`]: adds to the gradients of what nodes say, which have a row
    /// for each node, with what it says when it points and when it is pointed to from two columns
    /// on.
    ///
    /// Gradients of rows and maps are kept without the weights of channels: they all share them,
    /// and what the weights learn follows from the same sums. [`weigh`] puts them in at the end.
    pub fn node_scores_back<'a, 'b>(
        simd: S,
        scores: (&'a [f32], &'a [u8]),
        sample: (usize, usize),
        said: (MatMut<'a>, [usize; 2]),
        pairs: &'a mut PairsBack<'b>,
        processed: Option<MatMut<'a>>,
        row: &'a mut [f32],
    ) {
        let ((gradient, taken), (start, n), (mut y, at)) = (scores, sample, said);
        let (mut processed, h) = (processed, row.len());
        for i in 0..n {
            for j in 0..n {
                let d = gradient[i * n + j];
                if d == 0.0 {
                    continue;
                }
                let taken = &taken[(i * n + j) * h..][..h];
                let from = &mut y.row(i)[at[0]..at[0] + h];
                for ((row, from), taken) in row.iter_mut().zip(from).zip(taken) {
                    let to = if *taken != 0 { d } else { 0.0 };
                    *row = to;
                    *from += d - to;
                }
                add(&mut y.row(j)[at[1]..at[1] + h], row);
                if let Some(processed) = &mut processed {
                    add(processed.row(j * n + i), row);
                }
                pairs.add(simd, start + j, i, row);
            }
        }
    }
}

/// How many pairs are scored at once: their sums do not wait for each other.
const PAIRS: usize = 4;

simd_fn! {
    /// The scores of one sample's pairs: `scores[i, j, k]` for pair `(i, j)` pointing to `k`; `pair`
    /// has a row for each pair, `to` one for each of the `n` nodes.
    pub fn pair_scores<'a>(
        simd: S,
        pair: &'a [f32],
        to: Mat<'a>,
        weights: &'a [f32],
        bias: f32,
        n: usize,
        scores: &'a mut [f32],
        scratch: &'a mut Buffer,
    ) {
        let h = weights.len();
        // Channels below each other, nodes side by side: all nodes of a vector are scored at once,
        // and no sum runs across a vector.
        let width = n.next_multiple_of(S::F32_LANES);
        let columns = scratch.zeroed(h * width);
        for k in 0..n {
            for (c, x) in to.row(k).iter().enumerate() {
                columns[c * width + k] = *x;
            }
        }
        let all = pair.len() / h;
        for first in (0..all).step_by(PAIRS) {
            // Past the last, the last one is scored again.
            let rows: [&[f32]; PAIRS] =
                std::array::from_fn(|at| &pair[(first + at).min(all - 1) * h..][..h]);
            for start in (0..n).step_by(S::F32_LANES) {
                let mut sums = [simd.splat_f32s(bias); PAIRS];
                for c in 0..h {
                    let to = S::as_simd_f32s(&columns[c * width + start..][..S::F32_LANES]).0[0];
                    let weight = simd.splat_f32s(weights[c]);
                    for at in 0..PAIRS {
                        let larger = simd.max_f32s(to, simd.splat_f32s(rows[at][c]));
                        sums[at] = simd.mul_add_e_f32s(weight, larger, sums[at]);
                    }
                }
                let here = start..n.min(start + S::F32_LANES);
                for (at, sum) in sums.into_iter().enumerate().take(all - first) {
                    let scores = &mut scores[(first + at) * n..][..n];
                    simd.partial_store_f32s(&mut scores[here.clone()], sum);
                }
            }
        }
    }
}

/// How many vectors of a pair and of its gradient are in registers at once.
const IN_REGISTERS: usize = 4;

simd_fn! {
    /// The way back of [`pair_scores`], without the weights of channels, as in
    /// [`node_scores_back`]: adds to the gradients of pairs and of what is pointed to.
    pub fn pair_scores_back<'a>(
        simd: S,
        scores_gradient: &'a [f32],
        values: (&'a [f32], Mat<'a>),
        n: usize,
        pair_gradient: &'a mut [f32],
        to_gradient: MatMut<'a>,
    ) {
        let ((pair, to), mut to_gradient) = (values, to_gradient);
        let h = to.width();
        let at_once = IN_REGISTERS * S::F32_LANES;
        let whole = h / at_once * at_once;
        let nothing = simd.splat_f32s(0.0);
        let rows = pair.chunks_exact(h).zip(pair_gradient.chunks_exact_mut(h));
        for ((pair, pair_gradient), scores) in rows.zip(scores_gradient.chunks_exact(n)) {
            for from in (0..whole).step_by(at_once) {
                let here = from..from + at_once;
                let own = S::as_simd_f32s(&pair[here.clone()]).0;
                let own: [S::f32s; IN_REGISTERS] = std::array::from_fn(|i| own[i]);
                let mut learnt = [nothing; IN_REGISTERS];
                for (k, &d) in scores.iter().enumerate() {
                    let to = S::as_simd_f32s(&to.row(k)[here.clone()]).0;
                    let to_gradient = S::as_mut_simd_f32s(&mut to_gradient.row(k)[here.clone()]).0;
                    let d = simd.splat_f32s(d);
                    for i in 0..IN_REGISTERS {
                        let taken = simd.greater_than_f32s(to[i], own[i]);
                        let taken = simd.select_f32s(taken, d, nothing);
                        to_gradient[i] = simd.add_f32s(to_gradient[i], taken);
                        learnt[i] = simd.add_f32s(learnt[i], simd.sub_f32s(d, taken));
                    }
                }
                let gradient = S::as_mut_simd_f32s(&mut pair_gradient[here]).0;
                for i in 0..IN_REGISTERS {
                    gradient[i] = simd.add_f32s(gradient[i], learnt[i]);
                }
            }
            for (k, &d) in scores.iter().enumerate() {
                let to = to.row(k)[whole..].iter().zip(&mut to_gradient.row(k)[whole..]);
                let pair = pair[whole..].iter().zip(&mut pair_gradient[whole..]);
                for ((to, to_gradient), (pair, pair_gradient)) in to.zip(pair) {
                    let taken = if to > pair { d } else { 0.0 };
                    *to_gradient += taken;
                    *pair_gradient += d - taken;
                }
            }
        }
    }
}

simd_fn! {
    /// The rows of one sample's pairs: what both nodes and the edge say.
    pub fn pair_rows<'a>(
        simd: S,
        out: &'a mut [f32],
        ends: (Mat<'a>, Mat<'a>),
        edges: (Pairs<'a>, &'a [f32]),
        processed: Option<Mat<'a>>,
        sample: (usize, usize),
    ) {
        let ((first, second), (pairs, map), (start, n)) = (ends, edges, sample);
        for (at, row) in out.chunks_exact_mut(first.width()).enumerate() {
            let (i, j) = (at / n, at % n);
            sum_row(simd, row, (first.row(i), second.row(j)), (pairs.of(start + i, j), map), false);
            if let Some(processed) = processed {
                add(row, processed.row(at));
            }
        }
    }
}

simd_fn! {
    /// The way back of [`pair_rows`]: what the two nodes say lies in rows from two columns on.
    pub fn pair_rows_back<'a, 'b>(
        simd: S,
        gradient: &'a [f32],
        said: (MatMut<'a>, [usize; 2]),
        pairs: &'a mut PairsBack<'b>,
        processed: Option<MatMut<'a>>,
        sample: (usize, usize),
    ) {
        let ((mut y, at), (start, n), mut processed) = (said, sample, processed);
        let h = gradient.len() / (n * n);
        for (place, row) in gradient.chunks_exact(h).enumerate() {
            let (i, j) = (place / n, place % n);
            add(&mut y.row(i)[at[0]..at[0] + h], row);
            add(&mut y.row(j)[at[1]..at[1] + h], row);
            pairs.add(simd, start + i, j, row);
            if let Some(processed) = &mut processed {
                add(processed.row(place), row);
            }
        }
    }
}

/// Puts the weights of channels into gradients that were summed up without them, and adds what the
/// weights learn: the sum of values times these gradients.
pub fn weigh(
    values: Mat<'_>,
    mut gradient: MatMut<'_>,
    rows: usize,
    weights: &[f32],
    weights_gradient: &mut [f32],
) {
    widest(
        #[inline(always)]
        || {
            for row in 0..rows {
                let both = values.row(row).iter().zip(gradient.row(row));
                for ((value, d), (weight, learnt)) in
                    both.zip(weights.iter().zip(weights_gradient.iter_mut()))
                {
                    *learnt += value * *d;
                    *d *= weight;
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Buffer;
    use crate::oracle::{
        Draw, Random, Real, added, answer, assert_close, cases, scaled, used, widths,
    };

    /// One sample of a block: `n` nodes with `h` channels and `k` numbers for each pair.
    #[derive(Clone, Copy, Debug)]
    struct Size {
        n: usize,
        h: usize,
        k: usize,
        sample: usize,
    }

    /// What two matrices of `n` rows of `h` say, in rows that hold more than that.
    struct Said {
        rows: Vec<f32>,
        at: [usize; 2],
        width: usize,
    }

    impl Said {
        fn new(random: &mut Random, h: usize, both: [&[f32]; 2]) -> Self {
            let at = [random.below(3), h + 3 + random.below(3)];
            let width = 2 * h + 6 + random.below(3);
            let mut rows = used(both[0].len() / h * width);
            for (row, to) in rows.chunks_exact_mut(width).enumerate() {
                for (at, from) in at.iter().zip(both) {
                    to[*at..at + h].copy_from_slice(&from[row * h..][..h]);
                }
            }
            Self { rows, at, width }
        }

        fn view(&self, which: usize, h: usize) -> Mat<'_> {
            let all = Mat::new(&self.rows, self.rows.len() / self.width, self.width);
            all.columns(self.at[which]..self.at[which] + h)
        }

        /// One of the two again.
        fn part(&self, which: usize, h: usize) -> Vec<f32> {
            let rows = self.rows.chunks_exact(self.width);
            rows.flat_map(|row| row[self.at[which]..][..h].to_vec()).collect()
        }

        /// What belongs to neither.
        fn rest(&self, h: usize) -> Vec<f32> {
            let [first, second] = self.at;
            let rows = self.rows.chunks_exact(self.width);
            let rest =
                |row: &[f32]| [&row[..first], &row[first + h..second], &row[second + h..]].concat();
            rows.flat_map(rest).collect()
        }
    }

    /// What the numbers of a pair say in a channel.
    fn mapped(
        numbers: &[Real],
        map: &[Real],
        (pair, c): (usize, usize),
        Size { h, k, .. }: Size,
    ) -> Real {
        (0..k).map(|number| numbers[pair * k + number] * map[number * h + c]).sum()
    }

    /// The gradient of numbers, where it is wanted.
    fn wanted(d: &[f64], k: usize, learnt_from: usize) -> Vec<f64> {
        let wanted = |(at, d): (usize, &f64)| if at % k < learnt_from { 0.0 } else { *d };
        d.iter().enumerate().map(wanted).collect()
    }

    fn check_node_scores(seed: u64, draw: Draw, size: Size) {
        let (random, Size { n, h, k, sample }) = (&mut Random(seed), size);
        let [from, to] = [(); 2].map(|()| draw(random, n * h));
        let (map, weights, bias) = (draw(random, k * h), draw(random, h), draw(random, 1));
        let numbers = random.sparse(draw, (sample + 1) * n * n * k);
        let is_processed = random.below(2) == 0;
        let processed = draw(random, if is_processed { n * n * h } else { 0 });
        let d = random.sparse(draw, n * n);
        let start = sample * n;
        let inputs = [&from[..], &to, &numbers, &map, &processed, &weights, &bias];
        let (values, [d_from, d_to, d_numbers, d_map, d_processed, d_weights, _]) =
            answer(inputs, &d, |[from, to, numbers, map, processed, weights, bias]| {
                let mut scores = Vec::new();
                for i in 0..n {
                    for j in 0..n {
                        let mut score = bias[0];
                        for c in 0..h {
                            let pair = (start + j) * n + i;
                            let mut candidate =
                                to[j * h + c] + mapped(numbers, map, (pair, c), size);
                            if is_processed {
                                candidate = candidate + processed[(j * n + i) * h + c];
                            }
                            score = score + weights[c] * from[i * h + c].max(candidate);
                        }
                        scores.push(score);
                    }
                }
                scores
            });

        let said = Said::new(random, h, [&from, &to]);
        let x = Candidates {
            from: said.view(0, h),
            to: said.view(1, h),
            pairs: Pairs::new(&numbers, n, k),
            map: &map,
            processed: is_processed.then(|| Mat::new(&processed, n * n, h)),
            weights: &weights,
            nothing: &vec![0.0; h],
        };
        let (mut scores, mut again, mut taken) = (used(n * n), used(n * n), used(n * n * h));
        let rows = &mut Buffer::default();
        node_scores(&x, (start, n), bias[0], &mut scores, Some(&mut taken), rows);
        node_scores(&x, (start, n), bias[0], &mut again, None, rows);
        assert_eq!(scores, again, "with and without the way back in mind");
        assert_close("scores", &scores, &values, 1e-5);

        let mut y = Said { rows: vec![0.0; said.rows.len()], at: said.at, width: said.width };
        let learnt_from = random.below(k + 2);
        let weighed: Vec<_> = map.iter().enumerate().map(|(at, x)| x * weights[at % h]).collect();
        let before = random.few_digits(numbers.len());
        let (mut map_gradient, mut gradient) = (vec![0.0; map.len()], before.clone());
        let mut pairs = PairsBack {
            pairs: x.pairs,
            map: &weighed,
            map_gradient: &mut map_gradient,
            gradient: &mut gradient,
            learnt_from,
        };
        let mut processed_gradient = vec![0.0; processed.len()];
        node_scores_back(
            (&d, &taken),
            (start, n),
            (MatMut::new(&mut y.rows, n, y.width), y.at),
            &mut pairs,
            is_processed.then(|| MatMut::new(&mut processed_gradient, n * n, h)),
            &mut used(h),
        );
        let weights_before = random.few_digits(h);
        let mut weights_gradient = weights_before.clone();
        for which in 0..2 {
            let columns = y.at[which]..y.at[which] + h;
            let y = MatMut::new(&mut y.rows, n, y.width).columns(columns);
            weigh(said.view(which, h), y, n, &weights, &mut weights_gradient);
        }
        let rows = processed.len() / h;
        for (values, gradient, rows) in
            [(&map, &mut map_gradient, k), (&processed, &mut processed_gradient, rows)]
        {
            let (values, gradient) = (Mat::new(values, rows, h), MatMut::new(gradient, rows, h));
            weigh(values, gradient, rows, &weights, &mut weights_gradient);
        }
        assert_close("who points learns", &y.part(0, h), &d_from, 1e-5);
        assert_close("who is pointed to learns", &y.part(1, h), &d_to, 1e-5);
        assert!(y.rest(h).iter().all(|x| *x == 0.0), "other columns stay as they are");
        assert_close("the map learns", &map_gradient, &d_map, 1e-5);
        assert_close("the processor learns", &processed_gradient, &d_processed, 1e-5);
        let learnt = added(&before, &wanted(&d_numbers, k, learnt_from));
        assert_close("numbers learn", &gradient, &learnt, 1e-5);
        let learnt = added(&weights_before, &d_weights);
        assert_close("weights learn", &weights_gradient, &learnt, 1e-5);
    }

    fn check_pair_rows(seed: u64, draw: Draw, size: Size) {
        let (random, Size { n, h, k, sample }) = (&mut Random(seed), size);
        let [first, second] = [(); 2].map(|()| draw(random, n * h));
        let map = draw(random, k * h);
        let numbers = random.sparse(draw, (sample + 1) * n * n * k);
        let is_processed = random.below(2) == 0;
        let processed = draw(random, if is_processed { n * n * h } else { 0 });
        let d = random.sparse(draw, n * n * h);
        let start = sample * n;
        let inputs = [&first[..], &second, &numbers, &map, &processed];
        let (values, [d_first, d_second, d_numbers, d_map, d_processed]) =
            answer(inputs, &d, |[first, second, numbers, map, processed]| {
                let mut rows = Vec::new();
                for i in 0..n {
                    for j in 0..n {
                        for c in 0..h {
                            let pair = (start + i) * n + j;
                            let mut sum = first[i * h + c] + second[j * h + c];
                            sum = sum + mapped(numbers, map, (pair, c), size);
                            if is_processed {
                                sum = sum + processed[(i * n + j) * h + c];
                            }
                            rows.push(sum);
                        }
                    }
                }
                rows
            });

        let said = Said::new(random, h, [&first, &second]);
        let (ends, pairs) = ((said.view(0, h), said.view(1, h)), Pairs::new(&numbers, n, k));
        let mut out = used(n * n * h);
        let of_processor = is_processed.then(|| Mat::new(&processed, n * n, h));
        pair_rows(&mut out, ends, (pairs, &map), of_processor, (start, n));
        assert_close("rows", &out, &values, 1e-5);

        let [first_before, second_before] = [(); 2].map(|()| random.few_digits(n * h));
        let [map_before, before, processed_before] =
            [map.len(), numbers.len(), processed.len()].map(|count| random.few_digits(count));
        let mut y = Said::new(random, h, [&first_before, &second_before]);
        let (mut map_gradient, mut gradient, mut processed_gradient) =
            (map_before.clone(), before.clone(), processed_before.clone());
        let learnt_from = random.below(k + 2);
        let mut pairs = PairsBack {
            pairs,
            map: &map,
            map_gradient: &mut map_gradient,
            gradient: &mut gradient,
            learnt_from,
        };
        let of_processor = is_processed.then(|| MatMut::new(&mut processed_gradient, n * n, h));
        let of_nodes = (MatMut::new(&mut y.rows, n, y.width), y.at);
        pair_rows_back(&d, of_nodes, &mut pairs, of_processor, (start, n));
        assert_close("first nodes learn", &y.part(0, h), &added(&first_before, &d_first), 1e-5);
        assert_close("second nodes learn", &y.part(1, h), &added(&second_before, &d_second), 1e-5);
        assert!(y.rest(h).iter().all(|x| *x == 77.0), "other columns stay as they are");
        assert_close("the map learns", &map_gradient, &added(&map_before, &d_map), 1e-5);
        let learnt = added(&processed_before, &d_processed);
        assert_close("the processor learns", &processed_gradient, &learnt, 1e-5);
        let learnt = added(&before, &wanted(&d_numbers, k, learnt_from));
        assert_close("numbers learn", &gradient, &learnt, 1e-5);
    }

    fn check_pair_scores(seed: u64, draw: Draw, n: usize, h: usize) {
        let random = &mut Random(seed);
        let (pair, to) = (draw(random, n * n * h), draw(random, n * h));
        let (weights, bias) = (draw(random, h), draw(random, 1));
        let d = random.sparse(draw, n * n * n);
        let (values, [d_pair, d_to, d_weights, _]) =
            answer([&pair, &to, &weights, &bias], &d, |[pair, to, weights, bias]| {
                let score = |at: usize| {
                    let (pair, to) = (&pair[at / n * h..][..h], &to[at % n * h..][..h]);
                    let terms = (0..h).map(|c| weights[c] * pair[c].max(to[c]));
                    bias[0] + terms.sum::<Real>()
                };
                (0..n * n * n).map(score).collect()
            });

        let said = Said::new(random, h, [&to, &to]);
        let mut scratch = used(200 * h).into_iter().collect();
        let (mut scores, view) = (used(n * n * n), said.view(1, h));
        pair_scores(&pair, view, &weights, bias[0], n, &mut scores, &mut scratch);
        assert_close("scores", &scores, &values, 1e-5);

        let (mut pair_gradient, mut to_gradient) = (vec![0.0; pair.len()], vec![0.0; to.len()]);
        let of_to = MatMut::new(&mut to_gradient, n, h);
        pair_scores_back(&d, (&pair, view), n, &mut pair_gradient, of_to);
        let before = random.few_digits(h);
        let mut weights_gradient = before.clone();
        for (values, gradient, rows) in
            [(&pair, &mut pair_gradient, n * n), (&to, &mut to_gradient, n)]
        {
            let (values, gradient) = (Mat::new(values, rows, h), MatMut::new(gradient, rows, h));
            weigh(values, gradient, rows, &weights, &mut weights_gradient);
        }
        assert_close("pairs learn", &pair_gradient, &d_pair, 1e-5);
        assert_close("who is pointed to learns", &to_gradient, &d_to, 1e-5);
        assert_close("weights learn", &weights_gradient, &added(&before, &d_weights), 1e-5);
    }

    /// Few nodes and any width, or any number of nodes and a small width.
    fn sizes() -> impl Strategy<Value = Size> {
        let wide = (1..5_usize, widths(), 0..=15_usize, 0..3_usize);
        let many = (1..=70_usize, 1..3_usize, 0..3_usize, 0..2_usize);
        let size = |(n, h, k, sample)| Size { n, h, k, sample };
        prop_oneof![3 => wide.prop_map(size), 1 => many.prop_map(size)]
    }

    fn small_sizes() -> impl Strategy<Value = Size> {
        let small = (1..4_usize, 1..4_usize, 0..3_usize, 0..2_usize);
        small.prop_map(|(n, h, k, sample)| Size { n, h, k, sample })
    }

    proptest! {
        #![proptest_config(cases(100))]

        #[test]
        fn node_scores_agree_with_the_formula((size, seed) in (sizes(), any::<u64>())) {
            check_node_scores(seed, Random::few_digits, size);
        }

        #[test]
        fn pair_rows_agree_with_the_formula((size, seed) in (sizes(), any::<u64>())) {
            check_pair_rows(seed, Random::few_digits, size);
        }

        #[test]
        fn pair_scores_agree_with_the_formula(
            (n, h, seed) in (1..=8_usize, widths(), any::<u64>())
        ) {
            check_pair_scores(seed, Random::few_digits, n, h);
        }

        #[test]
        fn scores_of_few_nodes_agree_with_the_formula_and_its_differences(
            (size, seed) in (small_sizes(), any::<u64>())
        ) {
            check_node_scores(seed, Random::numbers, size);
            check_pair_rows(seed, Random::numbers, size);
            check_pair_scores(seed, Random::numbers, size.n, size.h);
        }
    }

    proptest! {
        #![proptest_config(cases(60))]

        #[test]
        fn candidates_of_any_size_are_scored_in_proportion(
            (n, h, power, seed) in (1..6_usize, widths(), -90..=90_i32, any::<u64>())
        ) {
            let random = &mut Random(seed);
            let [from, to] = [(); 2].map(|()| random.numbers(n * h));
            let (pair, map) = (random.numbers(n * n * h), random.numbers(2 * h));
            let (weights, numbers) = (random.numbers(h), random.numbers(2 * n * n));
            let [usual, other] = [0, power].map(|power| {
                let [from, to, pair, map] = [&from, &to, &pair, &map].map(|x| scaled(x, power));
                let [from, to] = [&from, &to].map(|x| Mat::new(x, n, h));
                let x = Candidates {
                    from,
                    to,
                    pairs: Pairs::new(&numbers, n, 2),
                    map: &map,
                    processed: Some(Mat::new(&pair, n * n, h)),
                    weights: &weights,
                    nothing: &vec![0.0; h],
                };
                let mut of_nodes = used(n * n);
                node_scores(&x, (0, n), 0.0, &mut of_nodes, None, &mut Buffer::default());
                let mut rows = used(n * n * h);
                pair_rows(&mut rows, (from, to), (x.pairs, &map), x.processed, (0, n));
                let mut of_pairs = used(n * n * n);
                pair_scores(&pair, to, &weights, 0.0, n, &mut of_pairs, &mut Buffer::default());
                [of_nodes, rows, of_pairs].concat()
            });
            prop_assert_eq!(other, scaled(&usual, power));
        }
    }

    #[test]
    fn pair_scores_agree_with_the_formula_among_any_number_of_nodes() {
        for n in (1..=70).step_by(3) {
            check_pair_scores(n as u64, Random::few_digits, n, 1);
        }
    }
}
