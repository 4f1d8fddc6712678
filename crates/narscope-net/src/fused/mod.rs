//! The fused engine: whole rollouts over plain slices, forward and backward. Its results equal those
//! of the generic network up to rounding.
//!
//! A batch is sorted by length and cut into blocks of samples. A block runs from its first step to
//! its last, and then backward, on one thread, in reused memory; partial gradients of blocks
//! are added in the order of the blocks. So results depend on the batch alone, never on the number
//! of threads.

mod blocks;
mod engine;
mod feed;
mod fold;
mod parameters;
mod plan;
mod run;
mod stage;
mod step;
mod tape;
mod training;
mod triplets;

use std::sync::Mutex;

pub use engine::FusedEngine;
pub use parameters::parameters;
pub use training::FusedTrainer;

use crate::config::Config;
use plan::Plan;
use stage::WeightedMaps;
use tape::Tape;

/// Whether there are kernels for a configuration.
pub fn exists(config: &Config) -> bool {
    Plan::exists(config)
}

/// Reusable memory of blocks.
#[derive(Debug, Default)]
struct TapePool(Mutex<Vec<Tape>>);

impl TapePool {
    fn take(&self) -> Tape {
        self.0.lock().expect("no thread panics while it holds the lock").pop().unwrap_or_default()
    }

    fn put(&self, tape: Tape) {
        self.0.lock().expect("no thread panics while it holds the lock").push(tape);
    }
}

/// State shared by all blocks of a batch.
#[derive(Clone, Copy)]
struct Prepared<'a> {
    plan: &'a Plan,
    folded: &'a [f32],
    /// Transposes of the folded matrices that need one.
    transposed: &'a [f32],
    hints: &'a WeightedMaps,
    outputs: &'a WeightedMaps,
    n: usize,
    /// Number of samples that run each step.
    running: &'a [usize],
}
