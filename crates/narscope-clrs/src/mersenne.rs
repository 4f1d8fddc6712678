//! MT19937, the generator under NumPy's `RandomState`, a block of words at a time.
//!
//! M. Matsumoto and T. Nishimura, Mersenne Twister, 1998. The published crates make one word per
//! call, which took a quarter of the time of sampling a graph; loops over a whole block are
//! vectorised. Tests compare it with such a crate.

const WORDS: usize = 624;
const MIDDLE: usize = 397;

/// The state of the generator.
#[derive(Clone, PartialEq)]
pub(crate) struct Mersenne {
    state: [u32; WORDS],
    /// The output of the current state.
    words: [u32; WORDS],
    next: usize,
}

impl std::fmt::Debug for Mersenne {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mersenne at word {} of {WORDS}", self.next)
    }
}

impl Mersenne {
    /// The initial state of NumPy for an integer seed.
    pub(crate) fn new(seed: u32) -> Self {
        let mut state = [seed; WORDS];
        for i in 1..WORDS {
            let before = state[i - 1];
            state[i] = (before ^ (before >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        Self { state, words: [0; WORDS], next: WORDS }
    }

    /// The next 32 random bits.
    #[inline]
    pub(crate) fn word(&mut self) -> u32 {
        if self.next == WORDS {
            self.refill();
        }
        self.next += 1;
        self.words[self.next - 1]
    }

    /// The next two words, with one bounds check.
    #[inline]
    pub(crate) fn pair(&mut self) -> (u32, u32) {
        match self.words.get(self.next..self.next + 2) {
            Some(&[first, second]) => {
                self.next += 2;
                (first, second)
            }
            _ => (self.word(), self.word()),
        }
    }

    #[cold]
    fn refill(&mut self) {
        let state = &mut self.state;
        for i in 0..WORDS - MIDDLE {
            state[i] = state[i + MIDDLE] ^ twist(state[i], state[i + 1]);
        }
        for i in WORDS - MIDDLE..WORDS - 1 {
            state[i] = state[i + MIDDLE - WORDS] ^ twist(state[i], state[i + 1]);
        }
        state[WORDS - 1] = state[MIDDLE - 1] ^ twist(state[WORDS - 1], state[0]);
        self.temper();
        self.next = 0;
    }

    fn temper(&mut self) {
        for (word, &y) in self.words.iter_mut().zip(&self.state) {
            let y = y ^ (y >> 11);
            let y = y ^ ((y << 7) & 0x9d2c_5680);
            let y = y ^ ((y << 15) & 0xefc6_0000);
            *word = y ^ (y >> 18);
        }
    }

    /// The state, for saving.
    pub(crate) fn to_words(&self) -> Vec<u32> {
        self.state.iter().copied().chain([self.next as u32]).collect()
    }

    /// Restores a saved state; `None` if `words` is not one.
    pub(crate) fn from_words(words: &[u32]) -> Option<Self> {
        let (&next, state) = words.split_last()?;
        let state = state.try_into().ok()?;
        let next = usize::try_from(next).ok().filter(|&next| next <= WORDS)?;
        let mut this = Self { state, words: [0; WORDS], next };
        this.temper();
        Some(this)
    }
}

#[inline]
fn twist(a: u32, b: u32) -> u32 {
    let y = (a & 0x8000_0000) | (b & 0x7fff_ffff);
    // All ones or all zeros instead of a branch.
    (y >> 1) ^ ((y & 1).wrapping_neg() & 0x9908_b0df)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    proptest! {
        #[test]
        fn a_restored_generator_continues_the_sequence(seed: u32, before in 0_usize..2000) {
            let mut going = Mersenne::new(seed);
            for _ in 0..before {
                going.word();
            }
            let mut restored = Mersenne::from_words(&going.to_words()).unwrap();
            for i in 0..1000 {
                prop_assert_eq!(restored.word(), going.word(), "word {}", i);
            }
        }

        #[test]
        fn words_equal_those_of_rand_mt(seed: u32) {
            let (mut ours, mut theirs) = (Mersenne::new(seed), rand_mt::Mt::new(seed));
            for i in 0..WORDS {
                prop_assert_eq!(ours.word(), theirs.next_u32(), "word {}", i);
                let pair = (theirs.next_u32(), theirs.next_u32());
                prop_assert_eq!(ours.pair(), pair, "pair {}", i);
            }
        }
    }
}
