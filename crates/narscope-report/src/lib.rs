//! Pictures of what analyses found, and pages of them.
//!
//! An [answer](narscope_analysis::analyses::Answer) goes in, a [picture](plot::Picture) comes out;
//! nothing is computed here that is not about where to put a point.

mod error;
pub mod figures;
pub mod page;
pub mod plot;

pub use error::{Error, Result};
