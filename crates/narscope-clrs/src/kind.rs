//! Kinds of probes, and the one table that says how each kind is stored, predicted and scored.
//!
//! Code that treats kinds differently matches on a property from this table, without a wildcard
//! arm. A new kind is then a new block here; the compiler points at every place that needs to know
//! about a new property value.

use serde::{Deserialize, Serialize, Serializer};

use crate::location::Location;

/// The item type that values of a kind are stored as in a [`Column`](crate::column::Column).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// `f64`.
    Real,
    /// `i8`: 0, 1 and so on; a negative code marks a value that is ignored.
    Class,
    /// `u32`: the index of a node.
    Index,
}

/// What a value of a kind chooses from at each location, and so what a prediction scores there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choices {
    /// Nothing: the value is a single number.
    One,
    /// The classes of the probe.
    Classes,
    /// The nodes.
    Nodes,
}

/// How the reference lays out a value at one location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dense {
    /// As one number: the scalar, the mask, or the index.
    Number,
    /// As a one-hot vector over the choices; -1 in place of 1 marks a value that is ignored.
    OneHot,
}

/// The training loss of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Loss {
    /// Squared error.
    SquaredError,
    /// Binary cross-entropy of a logit.
    BinaryCrossEntropy,
    /// Cross-entropy of logits over the choices.
    CrossEntropy,
    /// Negative log-likelihood of a prediction that is a log-probability already.
    NegativeLogLikelihood,
}

/// The score that a kind is evaluated with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// The share of locations where prediction and truth agree.
    Accuracy,
    /// The harmonic mean of precision and recall of the ones of a mask.
    F1,
    /// The mean squared error; lower is better.
    SquaredError,
}

/// How a raw prediction is turned into the value that is fed back as a soft hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activation {
    /// Unchanged.
    Identity,
    /// The logistic function. The hard value is 1 for a positive logit, else 0.
    Sigmoid,
    /// Softmax over the choices. The hard value is the argmax.
    Softmax,
    /// The Sinkhorn operator over the matrix of locations and choices. The hard value is the argmax
    /// of each row of the result.
    Sinkhorn,
}

/// Everything that the toolkit does differently for different kinds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KindInfo {
    /// The name in files and reports.
    pub name: &'static str,
    /// The item type in memory.
    pub storage: Storage,
    /// What a value chooses from at each location.
    pub choices: Choices,
    /// Whether a value selects one of its locations: the last node axis is then the axis of
    /// choices, and not one of locations.
    pub selects_location: bool,
    /// Whether every node is chosen exactly once per record.
    pub distinct: bool,
    /// The reference's layout.
    pub dense: Dense,
    /// The training loss.
    pub loss: Loss,
    /// The score.
    pub metric: Metric,
    /// How a raw prediction is fed back.
    pub activation: Activation,
    /// The location at which values above the threshold add edges to the adjacency matrix.
    pub adds_edges: Option<(Location, f32)>,
    /// The location at which a masked decoder scores adjacent pairs of nodes only.
    pub adjacency_masked: Option<Location>,
    /// Parity: the location at which the reference stores an output as `int64`.
    pub int64_output: Option<Location>,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $Kind:ident { $($field:ident: $value:expr),* $(,)? })*) => {
        /// How a value is encoded, decoded and scored. [`Kind::info`] has the details.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind {
            $($(#[$doc])* $Kind,)*
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$Kind),*];

            /// The properties of this kind.
            pub const fn info(self) -> &'static KindInfo {
                match self {
                    $(Self::$Kind => &KindInfo { $($field: $value),* },)*
                }
            }
        }
    };
}

kinds! {
    /// A real number.
    Scalar {
        name: "scalar",
        storage: Storage::Real,
        choices: Choices::One,
        selects_location: false,
        distinct: false,
        dense: Dense::Number,
        loss: Loss::SquaredError,
        metric: Metric::SquaredError,
        activation: Activation::Identity,
        adds_edges: None,
        adjacency_masked: None,
        int64_output: None,
    }
    /// True (1), false (0), or ignored (-1).
    Mask {
        name: "mask",
        storage: Storage::Class,
        choices: Choices::One,
        selects_location: false,
        distinct: false,
        dense: Dense::Number,
        loss: Loss::BinaryCrossEntropy,
        metric: Metric::F1,
        activation: Activation::Sigmoid,
        adds_edges: Some((Location::Edge, 0.0)),
        adjacency_masked: Some(Location::Edge),
        int64_output: Some(Location::Graph),
    }
    /// Exactly one of the nodes is marked.
    MaskOne {
        name: "mask_one",
        storage: Storage::Index,
        choices: Choices::Nodes,
        selects_location: true,
        distinct: false,
        dense: Dense::OneHot,
        loss: Loss::CrossEntropy,
        metric: Metric::Accuracy,
        activation: Activation::Softmax,
        adds_edges: None,
        adjacency_masked: Some(Location::Edge),
        int64_output: None,
    }
    /// Exactly one of a few classes.
    Categorical {
        name: "categorical",
        storage: Storage::Class,
        choices: Choices::Classes,
        selects_location: false,
        distinct: false,
        dense: Dense::OneHot,
        loss: Loss::CrossEntropy,
        metric: Metric::Accuracy,
        activation: Activation::Softmax,
        adds_edges: None,
        adjacency_masked: None,
        int64_output: None,
    }
    /// The index of a node.
    Pointer {
        name: "pointer",
        storage: Storage::Index,
        choices: Choices::Nodes,
        selects_location: false,
        distinct: false,
        dense: Dense::Number,
        loss: Loss::CrossEntropy,
        metric: Metric::Accuracy,
        activation: Activation::Softmax,
        adds_edges: Some((Location::Node, 0.5)),
        adjacency_masked: Some(Location::Node),
        int64_output: Some(Location::Node),
    }
    /// Pointers that form one chain of all nodes; [`crate::convert::permutations`] prepares them for
    /// a model.
    ShouldBePermutation {
        name: "should_be_permutation",
        storage: Storage::Index,
        choices: Choices::Nodes,
        selects_location: false,
        distinct: false,
        dense: Dense::Number,
        loss: Loss::CrossEntropy,
        metric: Metric::Accuracy,
        activation: Activation::Softmax,
        adds_edges: Some((Location::Node, 0.5)),
        adjacency_masked: Some(Location::Node),
        int64_output: Some(Location::Node),
    }
    /// A permutation of the nodes: each row of a permutation matrix marks one node.
    PermutationPointer {
        name: "permutation_pointer",
        storage: Storage::Index,
        choices: Choices::Nodes,
        selects_location: false,
        distinct: true,
        dense: Dense::OneHot,
        loss: Loss::NegativeLogLikelihood,
        metric: Metric::Accuracy,
        activation: Activation::Sinkhorn,
        adds_edges: Some((Location::Node, 0.5)),
        adjacency_masked: Some(Location::Node),
        int64_output: None,
    }
}

impl Kind {
    /// Whether a value is a node at every location.
    pub const fn is_pointer(self) -> bool {
        let info = self.info();
        matches!(info.choices, Choices::Nodes) && !info.selects_location
    }
}

/// Written as its name.
impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.info().name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_is_listed_once_and_has_its_own_name() {
        let names: BTreeSet<&str> = Kind::ALL.iter().map(|kind| kind.info().name).collect();
        assert_eq!(names.len(), Kind::ALL.len());
        for (i, &kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(kind as usize, i);
        }
    }

    #[test]
    fn storage_fits_what_is_chosen_from() {
        for kind in Kind::ALL {
            let info = kind.info();
            match info.choices {
                Choices::One => assert_ne!(info.storage, Storage::Index, "{kind:?}"),
                Choices::Classes => assert_eq!(info.storage, Storage::Class, "{kind:?}"),
                Choices::Nodes => assert_eq!(info.storage, Storage::Index, "{kind:?}"),
            }
        }
    }

    #[test]
    fn loss_metric_and_activation_fit_what_is_predicted() {
        for kind in Kind::ALL {
            let info = kind.info();
            let (metric, activation) = match info.loss {
                Loss::SquaredError => (Metric::SquaredError, Activation::Identity),
                Loss::BinaryCrossEntropy => (Metric::F1, Activation::Sigmoid),
                Loss::CrossEntropy => (Metric::Accuracy, Activation::Softmax),
                Loss::NegativeLogLikelihood => (Metric::Accuracy, Activation::Sinkhorn),
            };
            assert_eq!((info.metric, info.activation), (metric, activation), "{kind:?}");
            let single = matches!(info.activation, Activation::Identity | Activation::Sigmoid);
            assert_eq!(single, info.choices == Choices::One, "{kind:?}");
        }
    }

    #[test]
    fn pointers_are_the_three_kinds_that_are_a_node_at_every_location() {
        let pointers: Vec<Kind> =
            Kind::ALL.iter().copied().filter(|kind| kind.is_pointer()).collect();
        assert_eq!(pointers, [Kind::Pointer, Kind::ShouldBePermutation, Kind::PermutationPointer]);
    }
}
