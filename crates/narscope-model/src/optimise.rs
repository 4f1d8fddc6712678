//! Adam with global gradient norm clipping.
//!
//! Burn's optimiser counts steps and clips norms per tensor. The reference does both over all
//! weights, and so do we, over plain slices.

use narscope_kernels::denormals::count;
use narscope_net::config::{Config, Part};
use rayon::prelude::*;

use crate::declaration::Declaration;

const BETA_1: f32 = 0.9;
const BETA_2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// The state of the optimiser.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// Running means of gradients.
    pub first: Vec<f32>,
    /// Running means of their squares.
    pub second: Vec<f32>,
    /// Number of updates, over all tasks.
    pub updates: u64,
}

/// Settings of an update.
#[derive(Clone, Debug)]
pub struct Update<'a> {
    /// Learning rate.
    pub learning_rate: f32,
    /// Largest norm of the gradient; 0 for no clipping.
    pub max_norm: f32,
    /// The task of the batch.
    pub task: usize,
    /// Parts whose weights do not change.
    pub frozen: &'a [Part],
}

impl<'a> Update<'a> {
    /// The settings of a configuration, for a batch of a task.
    pub fn of(config: &'a Config, task: usize) -> Self {
        Self {
            learning_rate: config.learning_rate as f32,
            max_norm: config.grad_clip_max_norm as f32,
            task,
            frozen: &config.freeze,
        }
    }
}

impl Adam {
    /// The initial state for `weights` weights.
    pub fn new(weights: usize) -> Self {
        Self { first: vec![0.0; weights], second: vec![0.0; weights], updates: 0 }
    }

    /// Updates the weights; `norm` is the norm of the gradient.
    ///
    /// Weights that only other tasks use do not change, nor do their moments.
    pub fn update(
        &mut self,
        declarations: &[Declaration],
        weights: &mut [f32],
        gradients: &[f32],
        norm: f32,
        update: &Update<'_>,
    ) {
        let clipped = update.max_norm > 0.0 && norm >= update.max_norm;
        let scale = if clipped { update.max_norm / norm } else { 1.0 };

        self.updates += 1;
        let unbias = |beta: f32| 1.0 - f64::from(beta).powf(self.updates as f64) as f32;
        let (unbias_1, unbias_2) = (unbias(BETA_1), unbias(BETA_2));
        let mut start = 0;
        for declaration in declarations {
            let range = start..start + declaration.size();
            start = range.end;
            if declaration.task.is_some_and(|task| task != update.task) {
                continue;
            }
            let moments = self.first[range.clone()]
                .par_chunks_mut(PIECE)
                .zip(self.second[range.clone()].par_chunks_mut(PIECE));
            let pairs = weights[range.clone()]
                .par_chunks_mut(PIECE)
                .zip(gradients[range].par_chunks(PIECE));
            // The moments of a frozen part are updated, its weights are not.
            let frozen = update.frozen.contains(&declaration.part);
            let rate = if frozen { 0.0 } else { update.learning_rate };
            pairs.zip(moments).for_each(|((weights, gradients), (first, second))| {
                let pairs = weights.iter_mut().zip(gradients);
                for ((weight, gradient), (first, second)) in
                    pairs.zip(first.iter_mut().zip(second.iter_mut()))
                {
                    let gradient = gradient * scale;
                    *first = BETA_1 * *first + (1.0 - BETA_1) * gradient;
                    *second = BETA_2 * *second + (1.0 - BETA_2) * gradient * gradient;
                    let step = (*first / unbias_1) / ((*second / unbias_2).sqrt() + EPSILON);
                    *weight -= rate * step;
                }
                count("first moments of Adam", first);
                count("second moments of Adam", second);
            });
        }
    }
}

/// Weights per unit of parallel work.
const PIECE: usize = 1 << 14;

/// Euclidean norm, summed in f64: finite if all values are. Pieces are added in order, so the result
/// does not depend on the number of threads.
pub fn norm(gradients: &[f32]) -> f32 {
    const LANES: usize = 8;
    let squares = |piece: &[f32]| {
        let mut lanes = [0.0; LANES];
        for group in piece.chunks(LANES) {
            for (lane, &g) in lanes.iter_mut().zip(group) {
                *lane += f64::from(g) * f64::from(g);
            }
        }
        lanes.iter().sum::<f64>()
    };
    let pieces: Vec<f64> = gradients.par_chunks(PIECE).map(squares).collect();
    pieces.iter().sum::<f64>().sqrt() as f32
}
