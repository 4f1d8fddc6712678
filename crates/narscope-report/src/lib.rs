//! Pictures of what analyses found.
//!
//! An [answer](narscope_analysis::analyses::Answer) goes in, a [picture](plot::Picture) comes out;
//! nothing is computed here that is not about where to put a point.

mod error;
pub mod figures;
pub mod plot;

pub use error::{Error, Result};
