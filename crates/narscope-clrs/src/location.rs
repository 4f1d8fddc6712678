//! Locations: what the values of a probe are attached to.

use serde::Serialize;

/// What a value is attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// One value per node.
    Node,
    /// One value per ordered pair of nodes.
    Edge,
    /// One value for the whole problem.
    Graph,
}

impl Location {
    /// The number of node axes: 0 for a graph, 1 for nodes, 2 for pairs of nodes.
    pub const fn axes(self) -> usize {
        match self {
            Self::Graph => 0,
            Self::Node => 1,
            Self::Edge => 2,
        }
    }
}
