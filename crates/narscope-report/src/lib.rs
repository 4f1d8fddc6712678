//! Pictures of what analyses found, and pages of them.
//!
//! An [answer](narscope_analysis::analyses::Answer) goes in, a [picture](plot::Picture) comes out;
//! nothing is computed here that is not about where to put a point.

pub mod comparison;
mod error;
pub mod figures;
pub mod page;
pub mod paper;
pub mod plot;
pub mod table;

pub use error::{Error, Result};
