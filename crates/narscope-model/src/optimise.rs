//! Adam, with the gradient's norm clipped over all weights together.
//!
//! Burn's optimiser counts the steps of every tensor apart and clips each tensor alone. The
//! reference counts all steps together, and clips the whole; so do we, over plain slices.

use crate::config::Config;
use crate::weights::{Parameter, Part};

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
    /// How many updates there were, of whatever task.
    pub updates: u64,
}

/// How an update is made.
#[derive(Clone, Debug)]
pub struct Update<'a> {
    /// How far to go.
    pub learning_rate: f32,
    /// The largest norm of the gradient; 0 for any.
    pub max_norm: f32,
    /// The task whose batch it was.
    pub task: usize,
    /// Parts that stay as they are.
    pub frozen: &'a [Part],
}

impl<'a> Update<'a> {
    /// The update that a configuration asks for, on a batch of a task.
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
    /// The state before the first update of so many weights.
    pub fn new(weights: usize) -> Self {
        Self { first: vec![0.0; weights], second: vec![0.0; weights], updates: 0 }
    }

    /// Moves the weights against their gradients. Returns the norm of the gradient.
    ///
    /// Weights of other tasks are left alone, and so are their moments.
    pub fn update(
        &mut self,
        parameters: &[Parameter],
        weights: &mut [f32],
        gradients: &[f32],
        update: &Update<'_>,
    ) -> f32 {
        let norm =
            gradients.iter().map(|&g| f64::from(g) * f64::from(g)).sum::<f64>().sqrt() as f32;
        let clipped = update.max_norm > 0.0 && norm >= update.max_norm;
        let scale = if clipped { update.max_norm / norm } else { 1.0 };

        self.updates += 1;
        let unbias = |beta: f32| 1.0 - f64::from(beta).powf(self.updates as f64) as f32;
        let (unbias_1, unbias_2) = (unbias(BETA_1), unbias(BETA_2));
        let mut start = 0;
        for parameter in parameters {
            let range = start..start + parameter.size();
            start = range.end;
            if parameter.task.is_some_and(|task| task != update.task) {
                continue;
            }
            let frozen = update.frozen.contains(&parameter.part);
            let moments = self.first[range.clone()].iter_mut().zip(&mut self.second[range.clone()]);
            let pairs = weights[range.clone()].iter_mut().zip(&gradients[range]);
            for ((weight, gradient), (first, second)) in pairs.zip(moments) {
                let gradient = gradient * scale;
                *first = BETA_1 * *first + (1.0 - BETA_1) * gradient;
                *second = BETA_2 * *second + (1.0 - BETA_2) * gradient * gradient;
                if !frozen {
                    let step = (*first / unbias_1) / ((*second / unbias_2).sqrt() + EPSILON);
                    *weight -= update.learning_rate * step;
                }
            }
        }
        norm
    }
}
