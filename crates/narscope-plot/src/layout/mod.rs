//! Where nodes of a graph and labels are.

pub(crate) mod place;
pub(crate) mod stress;
