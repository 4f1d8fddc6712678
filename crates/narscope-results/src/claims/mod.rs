//! The paper's claims, and what our networks say about each of them.
//!
//! A claim is a sentence of the paper in our words. It has parts: each is one quantity of one kind of network, measured
//! for every seed, and a criterion with a margin. A part is judged over seeds, a claim is judged by its parts, once for
//! each [protocol](Protocol) under which its experiment was repeated. So a table of sixteen numbers that show one fact
//! is one claim, and a number that agrees with everything decides nothing.
//!
//! | Module | Contents |
//! | --- | --- |
//! | [`claim`] | what claims, parts, quantities and criteria are |
//! | [`criterion`] | a criterion, judged over seeds |
//! | [`paper`] | the claims of the paper |
//! | [`result`] | judged claims, with every value |
//! | [`clrs30`] | the claim about all of CLRS-30, which is about scores of runs |
//! | [`markdown`] | judged claims as a table |

pub mod claim;
pub mod clrs30;
pub mod criterion;
pub mod markdown;
pub mod paper;
pub mod result;

pub use claim::{Claim, Part, Quantity};
pub use criterion::{Criterion, Judgement, Verdict};
pub use result::{ClaimResult, PartResult, judge};

#[cfg(doc)]
use narscope_analysis::Protocol;
