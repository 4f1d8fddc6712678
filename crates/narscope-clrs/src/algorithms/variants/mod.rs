//! Deliberately faulty algorithms, to find out which of them a network resembles.

pub mod bellman_ford;

use crate::algorithms::Entry;

/// Every variant, under names like `bellman_ford:greedy`.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    bellman_ford::ALL.iter()
}

/// Looks a variant up by name.
pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    all().find(|entry| entry.name == name)
}
