//! Probes: the named values that an algorithm exposes.

use std::borrow::Cow;

use serde::Serialize;

pub use crate::kind::Kind;
use crate::kind::{Choices, Dense, Storage};
pub use crate::location::Location;

/// When a value is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Before the first step.
    Input,
    /// After the last step.
    Output,
    /// At every step.
    Hint,
}

impl Stage {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::Hint => "hint",
        }
    }
}

/// The NumPy type that the reference stores a probe in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dtype {
    /// `numpy.float64`.
    Float64,
    /// `numpy.int64`.
    Int64,
}

/// One row of an algorithm's spec.
///
/// ```
/// use narscope_clrs::{Kind, Location, Stage, algorithms};
///
/// let bfs = algorithms::find("bfs")?;
/// let pi = bfs.probes.iter().find(|probe| probe.name == "pi").unwrap();
/// assert_eq!((pi.stage, pi.location, pi.kind), (Stage::Output, Location::Node, Kind::Pointer));
/// // Each of 16 nodes chooses one of 16 nodes.
/// assert_eq!((pi.locations(16), pi.choices(16)), (16, 16));
/// # Ok::<(), narscope_clrs::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Probe {
    /// The name, as in the reference.
    pub name: Cow<'static, str>,
    /// When it is available.
    pub stage: Stage,
    /// What it is attached to.
    pub location: Location,
    /// How it is represented.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The names of the classes of a categorical probe.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub classes: &'static [&'static str],
    /// The NumPy type that the reference stores it in.
    pub dtype: Dtype,
    /// Whether a hint is the same at every step.
    #[serde(skip)]
    pub constant: bool,
    /// A short description.
    pub meaning: &'static str,
}

impl Probe {
    /// The sizes of the axes that locations are counted over: none for a graph, one for nodes, two
    /// for pairs of nodes. The last one is missing if a value selects one of its locations.
    pub fn location_shape(&self, nodes: usize) -> Vec<usize> {
        vec![nodes; self.location_axes()]
    }

    /// The number of locations: 1, `nodes`, or `nodes * nodes`. This is the number of items
    /// in one record of a [`Column`](crate::column::Column).
    pub fn locations(&self, nodes: usize) -> usize {
        nodes.pow(self.location_axes() as u32)
    }

    /// How many bytes one record takes in a [`Column`](crate::column::Column), stored in full.
    pub fn record_bytes(&self, nodes: usize) -> usize {
        let locations = nodes.saturating_pow(self.location_axes() as u32);
        locations.saturating_mul(match self.kind.info().storage {
            Storage::Real => size_of::<f64>(),
            Storage::Class => size_of::<i8>(),
            Storage::Index => size_of::<u32>(),
        })
    }

    fn location_axes(&self) -> usize {
        self.location.axes().saturating_sub(usize::from(self.kind.info().selects_location))
    }

    /// The number of choices at each location: 1 for a number, the number of classes, or the number
    /// of nodes.
    pub fn choices(&self, nodes: usize) -> usize {
        match self.kind.info().choices {
            Choices::One => 1,
            Choices::Classes => self.classes.len(),
            Choices::Nodes => nodes,
        }
    }

    /// The number of channels of an encoded or decoded value: the classes of a categorical probe,
    /// else 1. Nodes are an axis of their own, not channels.
    pub fn channels(&self) -> usize {
        self.choices(1)
    }

    /// The shape of a raw prediction, as the reference lays it out: locations, then choices.
    pub fn prediction_shape(&self, nodes: usize) -> Vec<usize> {
        let mut shape = self.location_shape(nodes);
        match self.kind.info().choices {
            Choices::One => {}
            Choices::Classes | Choices::Nodes => shape.push(self.choices(nodes)),
        }
        shape
    }

    /// The shape of one record, as the reference lays it out.
    pub fn shape(&self, nodes: usize) -> Vec<usize> {
        let mut shape = self.location_shape(nodes);
        match self.kind.info().dense {
            Dense::Number => {}
            Dense::OneHot => shape.push(self.choices(nodes)),
        }
        shape
    }

    /// How many numbers one record has, as the reference lays it out.
    pub fn size(&self, nodes: usize) -> usize {
        self.shape(nodes).iter().product()
    }

    /// The threshold above which a value of this probe adds an edge to the adjacency matrix, if it
    /// adds edges at all.
    pub fn edge_threshold(&self) -> Option<f32> {
        let adds = self.kind.info().adds_edges;
        adds.filter(|&(location, _)| location == self.location).map(|(_, threshold)| threshold)
    }

    /// Whether a masked decoder predicts this probe for adjacent pairs of nodes only.
    pub fn is_adjacency_masked(&self) -> bool {
        self.kind.info().adjacency_masked == Some(self.location)
    }
}

impl Dtype {
    /// The type that the reference stores a probe in. `whole` says that it draws the values of an
    /// input as integers.
    pub(crate) const fn of(stage: Stage, location: Location, kind: Kind, whole: bool) -> Self {
        // Parity: hints are floats whatever they mean; of the outputs, node pointers and the one
        // graph-level mask are integers; of the inputs, those that are drawn as integers.
        let integer = match stage {
            Stage::Input => whole,
            Stage::Output => match kind.info().int64_output {
                Some(at) => at.axes() == location.axes(),
                None => false,
            },
            Stage::Hint => false,
        };
        if integer { Self::Int64 } else { Self::Float64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(location: Location, kind: Kind) -> Probe {
        let classes: &[&str] =
            if kind.info().choices == Choices::Classes { &["a", "b", "c", "d"] } else { &[] };
        Probe {
            name: "x".into(),
            stage: Stage::Hint,
            location,
            kind,
            classes,
            dtype: Dtype::Float64,
            constant: false,
            meaning: "",
        }
    }

    /// Locations, choices, channels and shape with three nodes.
    fn sizes(location: Location, kind: Kind) -> (usize, usize, usize, Vec<usize>) {
        let probe = probe(location, kind);
        (probe.locations(3), probe.choices(3), probe.channels(), probe.shape(3))
    }

    #[test]
    fn locations_and_choices_follow_from_location_and_kind() {
        use Location::{Edge, Graph, Node};
        assert_eq!(sizes(Graph, Kind::Scalar), (1, 1, 1, vec![]));
        assert_eq!(sizes(Node, Kind::Mask), (3, 1, 1, vec![3]));
        assert_eq!(sizes(Edge, Kind::Categorical), (9, 4, 4, vec![3, 3, 4]));
        assert_eq!(sizes(Node, Kind::Pointer), (3, 3, 1, vec![3]));
        assert_eq!(sizes(Edge, Kind::Pointer), (9, 3, 1, vec![3, 3]));
        assert_eq!(sizes(Node, Kind::PermutationPointer), (3, 3, 1, vec![3, 3]));
        assert_eq!(sizes(Node, Kind::MaskOne), (1, 3, 1, vec![3]));
        assert_eq!(sizes(Edge, Kind::MaskOne), (3, 3, 1, vec![3, 3]));
    }

    #[test]
    fn a_prediction_has_a_score_for_every_choice_at_every_location() {
        for location in [Location::Node, Location::Edge, Location::Graph] {
            for &kind in Kind::ALL {
                let probe = probe(location, kind);
                let size: usize = probe.prediction_shape(3).iter().product();
                assert_eq!(size, probe.locations(3) * probe.choices(3), "{location:?} {kind:?}");
            }
        }
    }
}
