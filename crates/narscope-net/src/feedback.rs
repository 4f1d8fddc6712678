//! How a predicted hint is fed back to the next step.

use crate::config::{Config, RepredMode};

/// What the next step is given in place of the true hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feedback {
    /// Probabilities; gradients flow through them.
    Soft,
    /// The most likely value; no gradient flows through it.
    Hard,
}

impl Feedback {
    /// Feedback during training.
    pub fn in_training(config: &Config) -> Self {
        match config.hint_repred_mode {
            RepredMode::Hard => Self::Hard,
            RepredMode::Soft | RepredMode::HardOnEval => Self::Soft,
        }
    }

    /// Feedback during prediction.
    pub fn in_prediction(config: &Config) -> Self {
        match config.hint_repred_mode {
            RepredMode::Soft => Self::Soft,
            RepredMode::Hard | RepredMode::HardOnEval => Self::Hard,
        }
    }
}
