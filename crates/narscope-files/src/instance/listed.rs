//! Graphs of formats that list nodes and edges and state the direction of edges.

use narscope_clrs::instance::user::{Data, EdgeList, Place};
use narscope_clrs::options::Direction;

use crate::error::{Misread, misread};

/// An edge before its ends are looked up.
pub(super) struct Edge {
    pub(super) source: String,
    pub(super) target: String,
    pub(super) weight: Option<f64>,
    pub(super) place: Place,
}

/// The graph of the given nodes and edges. Without any weights, each edge has weight 1.
pub(super) fn graph(
    is_directed: Option<bool>,
    nodes: impl Iterator<Item = String>,
    edges: Vec<Edge>,
) -> Result<Data, Misread> {
    let direction =
        is_directed.map(|it| if it { Direction::Directed } else { Direction::Undirected });
    let mut list = EdgeList::new(direction);
    for node in nodes {
        if list.has_node(&node) {
            return Err(misread("a different name for each node", format!("{node:?} twice")));
        }
        list.add_node(&node);
    }
    let is_weighted = edges.iter().any(|edge| edge.weight.is_some());
    for Edge { source, target, weight, place } in edges {
        if let Some(end) = [&source, &target].into_iter().find(|end| !list.has_node(end)) {
            let found = format!("{end:?}, which is not listed, in {place}");
            return Err(misread("edges between listed nodes", found));
        }
        if is_weighted && weight.is_none() {
            let found = format!("none from {source} to {target} in {place}");
            return Err(misread("a weight for each edge or for none", found));
        }
        list.add_edge(&source, &target, weight.unwrap_or(1.0), place);
    }
    Ok(Data::Edges(list))
}

/// Names for the graphs of a file: none for a single one; else their own if they differ, or their
/// numbers.
pub(super) fn names(own: &[Option<String>]) -> Vec<Option<String>> {
    if own.len() == 1 {
        return vec![None];
    }
    let mut different: Vec<&str> = own.iter().flatten().map(String::as_str).collect();
    different.sort_unstable();
    different.dedup();
    if different.len() == own.len() {
        return own.to_vec();
    }
    (0..own.len()).map(|i| Some(i.to_string())).collect()
}
