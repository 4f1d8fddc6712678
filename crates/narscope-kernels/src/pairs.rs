//! Features of pairs of nodes, and linear maps of them.

use pulp::Simd;

/// A few numbers for every pair of nodes of a block.
#[derive(Clone, Copy, Debug)]
pub struct PairFeatures<'a> {
    numbers: &'a [f32],
    nodes: usize,
    width: usize,
}

impl<'a> PairFeatures<'a> {
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
pub struct PairMapBackward<'a> {
    /// The numbers.
    pub pairs: PairFeatures<'a>,
    /// The map, a row for each number.
    pub map: &'a [f32],
    /// The gradient of the map, added to.
    pub map_gradient: &'a mut [f32],
    /// The gradient of the numbers, added to.
    pub gradient: &'a mut [f32],
    /// From which number on gradients are wanted: those before it are given.
    pub trainable_from: usize,
}

/// How many numbers of a pair are looked at together: their sums stay in registers.
const TOGETHER: usize = 6;

impl PairMapBackward<'_> {
    /// Adds what the gradient `d` of a pair's mapped numbers says.
    #[inline(always)]
    pub(crate) fn add<S: Simd>(&mut self, simd: S, first: usize, second: usize, d: &[f32]) {
        let (start, outputs) = (self.pairs.start(first, second), d.len());
        let numbers = self.pairs.of(first, second);
        let mut k = 0;
        while k < numbers.len() {
            let learnt = k >= self.trainable_from;
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
