//! Changes of hidden states while a network runs, one file each.

pub mod perturb;

pub use perturb::{Along, Directions, Perturb, Perturbation, Reading};
