//! Random streams of a network: initial weights, dropout, Gumbel noise, teacher forcing.
//!
//! Every draw is a function of the run's seed, its purpose and its position (the name of a weight,
//! or the number of an update). So a checkpoint need not save these streams, and no draw depends on
//! how many others were made before it.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};

/// Purpose of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Initial weights.
    Init = 1,
    /// Dropout masks.
    Dropout = 2,
    /// Gumbel noise of permutations.
    Noise = 3,
    /// Teacher forcing.
    Forcing = 4,
    /// Perturbations of hidden states.
    Perturbation = 5,
}

/// A stream of random numbers.
#[derive(Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of a run for a purpose at a position.
    pub fn new(seed: u32, purpose: Purpose, position: u64) -> Self {
        let mut key = [0; 32];
        key[..4].copy_from_slice(&seed.to_le_bytes());
        key[4] = purpose as u8;
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(position);
        Self(rng)
    }

    /// The stream of the initial values of a parameter.
    pub fn named(seed: u32, name: &str) -> Self {
        Self::new(seed, Purpose::Init, fnv(name.bytes()))
    }

    /// Uniform in `[0, 1)`.
    pub fn uniform(&mut self) -> f32 {
        (self.0.next_u32() >> 8) as f32 * (1.0 / (1 << 24) as f32)
    }

    /// Standard normal, by the Box-Muller transform.
    pub fn normal(&mut self) -> f32 {
        // `1 - uniform` is above 0, so its logarithm is finite.
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f32::consts::TAU * self.uniform()).cos()
    }

    /// Standard normal, truncated to `[-2, 2]`.
    pub fn truncated_normal(&mut self) -> f32 {
        // Rejection from a uniform proposal: the value itself passes through no function that one C
        // library might round differently from another.
        loop {
            let x = 4.0 * self.uniform() - 2.0;
            if self.uniform() < (-0.5 * x * x).exp() {
                return x;
            }
        }
    }
}

/// The 64-bit FNV-1a hash.
pub fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truncated_normal_stays_within_two_and_has_the_known_spread() {
        let mut stream = Stream::named(1, "w");
        let draws: Vec<f32> = (0..100_000).map(|_| stream.truncated_normal()).collect();
        assert!(draws.iter().all(|x| x.abs() <= 2.0));
        let mean = draws.iter().sum::<f32>() / draws.len() as f32;
        let std = (draws.iter().map(|x| x * x).sum::<f32>() / draws.len() as f32).sqrt();
        assert!(mean.abs() < 0.01 && (std - 0.880).abs() < 0.01, "mean {mean}, spread {std}");
    }

    #[test]
    fn normal_numbers_have_mean_zero_and_variance_one() {
        let mut stream = Stream::new(7, Purpose::Perturbation, 0);
        let draws: Vec<f32> = (0..100_000).map(|_| stream.normal()).collect();
        let mean = draws.iter().sum::<f32>() / draws.len() as f32;
        let variance = draws.iter().map(|x| x * x).sum::<f32>() / draws.len() as f32;
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
    }

    #[test]
    fn purposes_positions_and_seeds_give_different_streams() {
        let first = |seed, purpose, position| Stream::new(seed, purpose, position).uniform();
        let all = [
            first(1, Purpose::Dropout, 0),
            first(2, Purpose::Dropout, 0),
            first(1, Purpose::Noise, 0),
            first(1, Purpose::Dropout, 1),
        ];
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a != b), "{all:?}");
        }
        assert_eq!(first(1, Purpose::Dropout, 0), all[0]);
    }
}
