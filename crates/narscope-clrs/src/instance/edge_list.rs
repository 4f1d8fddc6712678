//! Edge lists of users, whose nodes may have any names.

use std::collections::HashMap;
use std::fmt;

use crate::options::{Direction, MAX_NODES};
use crate::{Error, Result};

/// A list of edges between nodes that are known by their labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeList {
    /// The direction that the file states.
    pub direction: Option<Direction>,
    /// The label of each node, in order of first appearance.
    labels: Vec<String>,
    /// The index of each label.
    indices: HashMap<String, usize>,
    edges: Vec<ListedEdge>,
}

/// An edge of a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedEdge {
    /// The labels of the source and the target, as indices.
    ends: [usize; 2],
    /// The weight.
    pub weight: f64,
    /// Where it is in the file.
    pub place: Place,
}

/// Where something is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line, counted from 1.
    Line(u64),
    /// An edge of a list without lines, counted from 0.
    Edge(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Edge(edge) => write!(f, "edge {edge}"),
        }
    }
}

/// Nodes as numbers from 0, and their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbering {
    /// The name of each node; empty if nodes are known by their numbers.
    pub names: Vec<String>,
    /// How many nodes there are.
    pub nodes: usize,
    /// The number of each label.
    numbers: HashMap<usize, usize>,
}

impl EdgeList {
    /// An empty list in a file that states the direction of its edges, or does not.
    pub fn new(direction: Option<Direction>) -> Self {
        Self { direction, ..Self::default() }
    }

    /// Adds a node, unless it is there already. Files that list nodes may have some without edges.
    pub fn add_node(&mut self, label: &str) -> usize {
        if let Some(&index) = self.indices.get(label) {
            return index;
        }
        let index = self.labels.len();
        self.labels.push(label.to_owned());
        self.indices.insert(label.to_owned(), index);
        index
    }

    /// Adds an edge, and its ends if they are new.
    pub fn add_edge(&mut self, source: &str, target: &str, weight: f64, place: Place) {
        let ends = [self.add_node(source), self.add_node(target)];
        self.edges.push(ListedEdge { ends, weight, place });
    }

    /// Whether there is a node of this name.
    pub fn has_node(&self, label: &str) -> bool {
        self.indices.contains_key(label)
    }

    /// The label of each node, in order of first appearance.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.labels.len()
    }

    /// The number of listed edges.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there are no edges.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// The same list with all weights divided by a number.
    #[must_use]
    pub(crate) fn divided(&self, divisor: f64) -> Self {
        let mut list = self.clone();
        list.edges.iter_mut().for_each(|edge| edge.weight /= divisor);
        list
    }

    /// The edges, in order.
    pub fn edges(&self) -> &[ListedEdge] {
        &self.edges
    }

    /// Numbers all nodes.
    pub fn numbered(&self) -> Result<Numbering> {
        self.number(0..self.labels.len())
    }

    /// Numbers the sources and the targets separately, for graphs with two sides.
    pub fn sides(&self) -> Result<[Numbering; 2]> {
        let side = |end: usize| {
            let mut seen = vec![false; self.labels.len()];
            let ends = self.edges.iter().map(|edge| edge.ends[end]);
            let labels: Vec<usize> =
                ends.filter(|&label| !std::mem::replace(&mut seen[label], true)).collect();
            self.number(labels.into_iter())
        };
        Ok([side(0)?, side(1)?])
    }

    /// Numbers some labels. Whole numbers are ordered by value; if they are 0, 1, 2 and so on, they
    /// are the numbers of the nodes and not names. Other names keep their order.
    fn number(&self, labels: impl ExactSizeIterator<Item = usize> + Clone) -> Result<Numbering> {
        let nodes = labels.len();
        if nodes > MAX_NODES {
            let found = format!("{nodes} nodes");
            return Err(Error::BadInstance { wanted: format!("at most {MAX_NODES} nodes"), found });
        }
        let whole = labels.clone().map(|label| Some((whole_number(&self.labels[label])?, label)));
        let order: Vec<usize> = match whole.collect::<Option<Vec<_>>>() {
            Some(mut whole) => {
                whole.sort_unstable();
                if (0..).zip(&whole).all(|(number, &(value, _))| value == number) {
                    let numbers = whole.iter().enumerate().map(|(i, &(_, label))| (label, i));
                    return Ok(Numbering { names: vec![], nodes, numbers: numbers.collect() });
                }
                whole.into_iter().map(|(_, label)| label).collect()
            }
            None => labels.collect(),
        };
        let names = order.iter().map(|&label| self.labels[label].clone()).collect();
        let numbers = order.into_iter().enumerate().map(|(i, label)| (label, i)).collect();
        Ok(Numbering { names, nodes, numbers })
    }

    /// Describes an edge, for errors.
    pub(crate) fn describe(&self, edge: &ListedEdge) -> String {
        let [source, target] = edge.ends.map(|label| &self.labels[label]);
        format!("{} from {source} to {target} in {}", edge.weight, edge.place)
    }
}

impl ListedEdge {
    /// The source and the target as numbers.
    pub fn ends(&self, sources: &Numbering, targets: &Numbering) -> (usize, usize) {
        (sources.numbers[&self.ends[0]], targets.numbers[&self.ends[1]])
    }

    /// Whether the two edges have the same ends in the same order, or, if `either_way`, in any.
    pub(crate) fn is_parallel(&self, other: &Self, either_way: bool) -> bool {
        let [source, target] = other.ends;
        self.ends == other.ends || (either_way && self.ends == [target, source])
    }
}

/// A whole number in its usual notation: `7`, but not `007` or `+7`, which are names.
fn whole_number(label: &str) -> Option<i128> {
    label.parse().ok().filter(|number: &i128| number.to_string() == label)
}

/// Edges between numbered nodes.
impl From<Vec<(usize, usize, f64)>> for EdgeList {
    fn from(edges: Vec<(usize, usize, f64)>) -> Self {
        let mut list = Self::default();
        for (i, (source, target, weight)) in edges.into_iter().enumerate() {
            list.add_edge(&source.to_string(), &target.to_string(), weight, Place::Edge(i));
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    fn list(edges: &[(&str, &str)]) -> EdgeList {
        let mut list = EdgeList::default();
        for (i, (source, target)) in edges.iter().enumerate() {
            list.add_edge(source, target, 1.0, Place::Edge(i));
        }
        list
    }

    fn names(edges: &[(&str, &str)]) -> Vec<String> {
        list(edges).numbered().unwrap().names
    }

    #[test]
    fn numbers_from_0_on_are_numbers_and_all_others_are_names() {
        let edges = list(&[("2", "0"), ("0", "1")]);
        let nodes = edges.numbered().unwrap();
        assert_eq!((nodes.names.len(), nodes.nodes), (0, 3));
        assert_eq!(edges.edges()[0].ends(&nodes, &nodes), (2, 0));

        assert_eq!(names(&[("10", "9"), ("9", "-1")]), ["-1", "9", "10"], "by value");
        assert_eq!(names(&[("1", "2")]), ["1", "2"], "not from 0");
        assert_eq!(names(&[("0", "3333")]), ["0", "3333"], "with a gap");
        assert_eq!(names(&[("b", "a"), ("a", "0")]), ["b", "a", "0"], "as they appear");
        assert_eq!(names(&[("0", "01")]), ["0", "01"], "an unusual notation");
    }

    #[test]
    fn the_sides_of_a_bipartite_graph_are_numbered_separately() {
        let edges = list(&[("Ada", "1"), ("Bob", "0"), ("Ada", "0")]);
        let [left, right] = edges.sides().unwrap();
        assert_eq!((left.names, right.names), (vec!["Ada".to_owned(), "Bob".to_owned()], vec![]));
    }

    proptest! {
        #[test]
        fn relabelled_nodes_keep_their_edges(
            edges in proptest::collection::vec((0usize..8, 0usize..8), 1..20),
        ) {
            let named: Vec<(String, String)> =
                edges.iter().map(|(u, v)| (format!("n{u}"), format!("n{v}"))).collect();
            let named: Vec<(&str, &str)> =
                named.iter().map(|(u, v)| (u.as_str(), v.as_str())).collect();
            let list = list(&named);
            let nodes = list.numbered().unwrap();
            for (edge, (source, target)) in list.edges().iter().zip(named) {
                let (u, v) = edge.ends(&nodes, &nodes);
                prop_assert_eq!((nodes.names[u].as_str(), nodes.names[v].as_str()), (source, target));
            }
        }
    }
}
