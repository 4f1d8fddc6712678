//! Published numbers: the paper's measures of single networks and its tables of CLRS-30.
//!
//! The paper is V. Mirjanić, R. Pascanu, P. Veličković, "Latent Space Representations of Neural
//! Algorithmic Reasoners" (LoG 2023).

mod measures;
mod scores;

use serde::Serialize;

pub use measures::measure;
pub use scores::score;

/// A published number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    /// The number in the unit of our measure: shares are from 0 to 1.
    pub value: f64,
    /// Standard deviation over seeds, if it was published.
    pub std: Option<f64>,
}
