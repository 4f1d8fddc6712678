//! The source of randomness: NumPy's legacy `RandomState`, draw for draw.
//!
//! The reference draws its samples from `numpy.random.RandomState(seed)`. The generator is MT19937;
//! the distributions are NumPy's too, because samples are equal only if every draw consumes the same
//! words and rounds the same way.

use crate::mersenne::Mersenne;

/// Random doubles are multiples of its inverse.
const TWO_TO_53: f64 = 9_007_199_254_740_992.0;

/// NumPy's `RandomState`. Always an argument, never global.
///
/// ```
/// use narscope_clrs::Rng;
///
/// let mut rng = Rng::seeded(1); // numpy.random.RandomState(1)
/// assert_eq!(rng.double(), 0.417022004702574); // .random_sample()
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rng(Mersenne);

impl Rng {
    /// `RandomState(seed)`.
    pub fn seeded(seed: u32) -> Self {
        Self(Mersenne::new(seed))
    }

    /// The state, for saving.
    pub fn to_words(&self) -> Vec<u32> {
        self.0.to_words()
    }

    /// Restores a saved state; `None` if `words` is not one.
    pub fn from_words(words: &[u32]) -> Option<Self> {
        Mersenne::from_words(words).map(Self)
    }

    /// The next 32 raw bits.
    #[inline]
    pub fn word(&mut self) -> u32 {
        self.0.word()
    }

    /// The 53 random bits of a double: 27 of one word, 26 of the next.
    #[inline]
    fn bits_of_double(&mut self) -> u64 {
        let (high, low) = self.0.pair();
        (u64::from(high >> 5) << 26) | u64::from(low >> 6)
    }

    /// `random_sample()`: uniform in `[0, 1)` with 53 random bits.
    #[inline]
    pub fn double(&mut self) -> f64 {
        self.bits_of_double() as f64 / TWO_TO_53
    }

    /// `uniform(low, high)`.
    #[inline]
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.double()
    }

    /// `uniform(low, high, size)`.
    pub fn uniforms(&mut self, low: f64, high: f64, size: usize) -> Vec<f64> {
        (0..size).map(|_| self.uniform(low, high)).collect()
    }

    /// `randint(0, n)` and `choice(n)`: masked rejection. `n = 1` consumes nothing.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        assert!((1..=1u64 << 32).contains(&(n as u64)), "cannot draw from 0..{n}");
        let last = (n - 1) as u32;
        if last == 0 {
            return 0;
        }
        let mask = u32::MAX >> last.leading_zeros();
        loop {
            let value = self.word() & mask;
            if value <= last {
                return value as usize;
            }
        }
    }

    /// `randint(0, n, size)`.
    pub fn integers(&mut self, n: usize, size: usize) -> Vec<usize> {
        (0..size).map(|_| self.below(n)).collect()
    }

    /// `choice(items)`. A single item consumes nothing.
    pub fn choice<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// `binomial(1, p, size)`: each entry is true with probability `p`.
    pub fn coins(&mut self, p: f64, size: usize) -> Vec<bool> {
        assert!((0.0..=1.0).contains(&p), "{p} is not a probability");
        // NumPy inverts the distribution for p <= 1/2, and draws the complement above.
        let rare = if p <= 0.5 { p } else { 1.0 - p };
        let inversion = Inversion::of(rare);
        (0..size).map(|_| inversion.draw(self) == (p <= 0.5)).collect()
    }

    /// `permutation(n)`: Fisher–Yates from the end.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut items: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            items.swap(i, self.below(i + 1));
        }
        items
    }
}

/// NumPy's inversion sampler for one trial with success probability `p <= 1/2`.
struct Inversion {
    failure: f64,
    success: f64,
    /// The largest 53 bits that mean failure.
    last_failure: u64,
    /// Up to these 53 bits, a double is below the sum of both probabilities, whatever the rounding.
    last_certain: u64,
}

impl Inversion {
    fn of(p: f64) -> Self {
        let q = 1.0 - p;
        // Parity: exp(log(q)) is not always q, and NumPy compares with the former.
        let failure = q.ln().exp();
        let success = (p * failure) / q;
        let last_failure = (failure * TWO_TO_53) as u64;
        let last_certain = (((failure + success) * TWO_TO_53) as u64).saturating_sub(1 << 10);
        Self { failure, success, last_failure, last_certain }
    }

    #[inline]
    fn draw(&self, rng: &mut Rng) -> bool {
        // Integers decide almost always, without an unpredictable branch.
        let bits = rng.bits_of_double();
        if bits <= self.last_certain { bits > self.last_failure } else { self.settle(bits, rng) }
    }

    /// NumPy's own loop, for a double close to one.
    #[cold]
    fn settle(&self, bits: u64, rng: &mut Rng) -> bool {
        let mut u = bits as f64 / TWO_TO_53;
        // Parity: the two probabilities may sum to just under one; NumPy then draws again.
        while u > self.failure && u - self.failure > self.success {
            u = rng.double();
        }
        u > self.failure
    }
}

/// `numpy.sum` of a contiguous array: pairwise, in blocks of 128 with eight accumulators.
pub fn pairwise_sum(values: &[f64]) -> f64 {
    let n = values.len();
    if n < 8 {
        // Parity: NumPy starts from -0.0; no sum of samples is affected.
        return values.iter().sum();
    }
    if n <= 128 {
        let mut sums: [f64; 8] = values[..8].try_into().expect("there are at least eight values");
        let blocks = values[8..].chunks_exact(8);
        let rest = blocks.remainder();
        for block in blocks {
            for (sum, value) in sums.iter_mut().zip(block) {
                *sum += value;
            }
        }
        let [a, b, c, d, e, f, g, h] = sums;
        let sum = ((a + b) + (c + d)) + ((e + f) + (g + h));
        return rest.iter().fold(sum, |sum, value| sum + value);
    }
    let half = n / 2 - (n / 2) % 8;
    pairwise_sum(&values[..half]) + pairwise_sum(&values[half..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_raw_words_of_seed_42_are_numpys() {
        let mut rng = Rng::seeded(42);
        let words: Vec<u32> = (0..6).map(|_| rng.word()).collect();
        assert_eq!(
            words,
            [
                1_608_637_542,
                3_421_126_067,
                4_083_286_876,
                787_846_414,
                3_143_890_026,
                3_348_747_335
            ]
        );
    }

    #[test]
    fn the_doubles_of_seed_1_are_numpys() {
        let mut rng = Rng::seeded(1);
        let doubles: Vec<f64> = (0..3).map(|_| rng.double()).collect();
        assert_eq!(
            doubles,
            [0.417_022_004_702_574, 0.720_324_493_442_158_1, 0.000_114_374_817_344_886_64]
        );
    }

    #[test]
    fn drawing_from_one_item_consumes_nothing() {
        let mut rng = Rng::seeded(5);
        let before = rng.clone();
        assert_eq!(rng.below(1), 0);
        assert_eq!(rng, before);
    }

    #[test]
    fn a_coin_of_probability_0_or_1_consumes_a_draw() {
        for (p, certain) in [(0.0, false), (1.0, true)] {
            let mut rng = Rng::seeded(5);
            let mut other = rng.clone();
            assert_eq!(rng.coins(p, 2), [certain; 2]);
            other.uniforms(0.0, 1.0, 2);
            assert_eq!(rng, other);
        }
    }

    #[test]
    fn coins_agree_with_the_comparison_of_doubles() {
        for p in [0.0, 1e-9, 0.1, 0.25, 0.3, 0.5] {
            let inversion = Inversion::of(p);
            let (mut rng, mut other) = (Rng::seeded(9), Rng::seeded(9));
            for _ in 0..5000 {
                let mut u = other.double();
                while u > inversion.failure && u - inversion.failure > inversion.success {
                    u = other.double();
                }
                assert_eq!(inversion.draw(&mut rng), u > inversion.failure, "p = {p}");
            }
            // The largest double, which the seeds above do not draw.
            let largest = (1u64 << 53) - 1;
            let sum = inversion.failure + inversion.success;
            if largest as f64 / TWO_TO_53 < sum {
                assert_eq!(inversion.settle(largest, &mut rng), inversion.failure < 1.0, "p = {p}");
            }
        }
    }

    #[test]
    fn a_pairwise_sum_of_whole_numbers_is_their_sum() {
        for n in [0, 1, 7, 8, 9, 128, 129, 1000] {
            let values: Vec<f64> = (0..n).map(f64::from).collect();
            assert_eq!(pairwise_sum(&values), f64::from(n * (n - 1) / 2), "n = {n}");
        }
    }
}
