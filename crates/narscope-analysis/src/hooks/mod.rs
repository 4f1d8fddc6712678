//! Changes of hidden states while a network runs, one file each.

pub mod directions;
pub mod perturb;

pub use directions::{Along, Directions, StepDirections};
pub use perturb::{Perturb, Perturbation};
