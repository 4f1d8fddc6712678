//! Probes: the named values that an algorithm exposes, and the table that declares them.

use std::borrow::Cow;

use serde::Serialize;

use crate::column::Column;

/// When a value is known.
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
    /// The name, as files have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::Hint => "hint",
        }
    }
}

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

/// How a value is encoded, decoded and scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A real number.
    Scalar,
    /// Yes (1), no (0), or does not count (-1).
    Mask,
    /// Exactly one of the nodes is marked.
    MaskOne,
    /// Exactly one of a few classes.
    Categorical,
    /// The index of a node.
    Pointer,
    /// Pointers that chain all nodes up; [`crate::convert::permutations`] says how a model gets them.
    ShouldBePermutation,
    /// A permutation of the nodes: each row of a matrix marks one node.
    PermutationPointer,
}

impl Kind {
    /// Whether a value chooses a node for every place that it is attached to.
    pub fn is_pointer(self) -> bool {
        matches!(self, Self::Pointer | Self::ShouldBePermutation | Self::PermutationPointer)
    }
}

/// The type of number that the reference stores a probe in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dtype {
    /// `numpy.float64`.
    Float64,
    /// `numpy.int64`.
    Int64,
}

/// One row of an algorithm's spec.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Probe {
    /// The name, as in the reference.
    pub name: Cow<'static, str>,
    /// When it is known.
    pub stage: Stage,
    /// What it is attached to.
    pub location: Location,
    /// How it is represented.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The names of the classes of a categorical probe.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub classes: &'static [&'static str],
    /// The type of number that the reference stores it in.
    pub dtype: Dtype,
    /// Whether a hint is the same at every step.
    #[serde(skip)]
    pub constant: bool,
    /// What it means, in a few words.
    pub meaning: &'static str,
}

impl Probe {
    /// The row for a field of type `V`, used by [`probes!`](crate::probes).
    pub const fn of<V: Value>(name: &'static str, stage: Stage, meaning: &'static str) -> Self {
        Self {
            name: Cow::Borrowed(without_raw_prefix(name)),
            stage,
            location: V::LOCATION,
            kind: V::KIND,
            classes: V::CLASSES,
            dtype: stored_as(stage, V::LOCATION, V::KIND, V::WHOLE),
            constant: V::CONSTANT,
            meaning: meaning.trim_ascii(),
        }
    }
}

/// `return` is an output of binary search and a word of Rust.
const fn without_raw_prefix(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// Parity: hints are floats whatever they mean; of the outputs, node pointers and the one
/// graph-level mask are integers; of the inputs, those that are drawn as integers.
const fn stored_as(stage: Stage, location: Location, kind: Kind, whole: bool) -> Dtype {
    match (stage, location, kind) {
        (Stage::Output, Location::Node, Kind::Pointer | Kind::ShouldBePermutation)
        | (Stage::Output, Location::Graph, Kind::Mask) => Dtype::Int64,
        (Stage::Input, ..) if whole => Dtype::Int64,
        _ => Dtype::Float64,
    }
}

/// A value that a probe can hold. Its type says where it lives and what it is.
pub trait Value: Clone {
    /// What it is attached to.
    const LOCATION: Location;
    /// How it is represented.
    const KIND: Kind;
    /// The names of its classes, if it has any.
    const CLASSES: &'static [&'static str] = &[];
    /// Whether the reference draws it as an integer.
    const WHOLE: bool = false;
    /// Whether it never changes while an algorithm runs.
    const CONSTANT: bool = false;
    /// Appends the value as one record.
    fn write(&self, column: &mut Column);
    /// Reads a record back.
    fn read(nodes: usize, column: &Column, record: usize) -> Self;
}

/// All the values of one stage, in the order of the table that declares them.
pub trait Values: Clone {
    /// Appends one record, one column per probe.
    fn write(&self, columns: &mut [Column]);
    /// Reads a record back.
    fn read(nodes: usize, columns: &[Column], record: usize) -> Self;
}

/// What an algorithm is given.
pub trait Problem {
    /// The number of nodes.
    fn nodes(&self) -> usize;
}

/// What an algorithm reads, exposes and returns. Written by [`probes!`](crate::probes).
pub trait Signature {
    /// What it is given.
    type Input: Values + Problem + Send + Sync;
    /// What it knows at a step.
    type Hint: Values;
    /// What it returns.
    type Output: Values;
    /// All three as data: inputs, outputs, hints.
    const PROBES: &'static [Probe];
}

/// Declares an algorithm's spec: a typed struct per stage, and `PROBES`, the same table as data.
///
/// The comment above each probe is its documentation and what `narscope trace` says of it.
#[macro_export]
macro_rules! probes {
    ($algorithm:ident {
        input { $($(#[doc = $input_doc:literal])+ $input:ident: $Input:ty),* $(,)? }
        output { $($(#[doc = $output_doc:literal])+ $output:ident: $Output:ty),* $(,)? }
        hint { $($(#[doc = $hint_doc:literal])+ $hint:ident: $Hint:ty),* $(,)? }
    }) => {
        $crate::probes!(@stage Input "What the algorithm is given." $($(#[doc = $input_doc])+ $input: $Input),*);
        $crate::probes!(@stage Output "What the algorithm returns." $($(#[doc = $output_doc])+ $output: $Output),*);
        $crate::probes!(@stage Hint "What the algorithm knows at a step." $($(#[doc = $hint_doc])+ $hint: $Hint),*);

        impl $crate::probe::Problem for Input {
            fn nodes(&self) -> usize {
                self.pos.len()
            }
        }

        impl $crate::probe::Signature for $algorithm {
            type Input = Input;
            type Output = Output;
            type Hint = Hint;
            const PROBES: &'static [$crate::probe::Probe] = &[
                $($crate::probes!(@row $input: $Input, Input, $($input_doc)+),)*
                $($crate::probes!(@row $output: $Output, Output, $($output_doc)+),)*
                $($crate::probes!(@row $hint: $Hint, Hint, $($hint_doc)+),)*
            ];
        }
    };
    (@row $field:ident: $Type:ty, $Stage:ident, $($doc:literal)+) => {
        $crate::probe::Probe::of::<$Type>(
            stringify!($field),
            $crate::probe::Stage::$Stage,
            concat!($($doc),+),
        )
    };
    (@stage $Stage:ident $doc:literal $($(#[doc = $field_doc:literal])+ $field:ident: $Type:ty),*) => {
        #[doc = $doc]
        #[derive(Clone, Debug, PartialEq)]
        #[allow(non_snake_case, reason = "probes keep the reference's names")]
        pub struct $Stage {
            $($(#[doc = $field_doc])+ pub $field: $Type,)*
        }

        impl $crate::probe::Values for $Stage {
            fn write(&self, columns: &mut [$crate::column::Column]) {
                let mut columns = columns.iter_mut();
                $($crate::probe::Value::write(&self.$field, columns.next().expect("one column per probe"));)*
            }
            fn read(nodes: usize, columns: &[$crate::column::Column], record: usize) -> Self {
                let mut columns = columns.iter();
                Self {
                    $($field: $crate::probe::Value::read(
                        nodes,
                        columns.next().expect("one column per probe"),
                        record,
                    ),)*
                }
            }
        }
    };
}
