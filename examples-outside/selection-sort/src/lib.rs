//! Two algorithms for narscope that are not part of it.
//!
//! [`selection_sort`] uses an existing sampler, random arrays. [`components`] has a sampler of its
//! own. Call [`register`] once; then narscope finds both by name.

pub mod components;
pub mod selection_sort;

use narscope_clrs::{Entry, Result, algorithms};

/// The algorithms of this crate.
pub static ALL: [Entry; 2] =
    [Entry::of::<selection_sort::SelectionSort>(), Entry::of::<components::Components>()];

/// Makes the algorithms of this crate known to narscope.
pub fn register() -> Result<()> {
    ALL.iter().try_for_each(algorithms::register)
}
