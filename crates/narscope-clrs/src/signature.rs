//! The spec of an algorithm as types: the struct of each stage, and [`probes!`](crate::probes) that
//! declares them.

use std::borrow::Cow;

use crate::column::Column;
use crate::kind::Kind;
use crate::location::Location;
use crate::probe::{Dtype, Probe, Stage};

impl Probe {
    /// The probe of a field of type `V`, used by [`probes!`](crate::probes).
    pub const fn of<V: Value>(name: &'static str, stage: Stage, meaning: &'static str) -> Self {
        Self {
            name: Cow::Borrowed(without_raw_prefix(name)),
            stage,
            location: V::LOCATION,
            kind: V::KIND,
            classes: V::CLASSES,
            dtype: Dtype::of(stage, V::LOCATION, V::KIND, V::WHOLE),
            constant: V::CONSTANT,
            meaning: meaning.trim_ascii(),
        }
    }
}

/// `return` is an output of binary search and a Rust keyword, so its field is `r#return`.
const fn without_raw_prefix(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// The type of a probe's value. It determines location and kind.
pub trait Value: Clone {
    /// What it is attached to.
    const LOCATION: Location;
    /// How it is represented.
    const KIND: Kind;
    /// The names of its classes; empty unless it is categorical.
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

/// The values of one stage, in the order of their declaration.
pub trait Values: Clone {
    /// Appends one record, one column per probe.
    fn write(&self, columns: &mut [Column]);
    /// Reads a record back.
    fn read(nodes: usize, columns: &[Column], record: usize) -> Self;
}

/// The input of an algorithm.
pub trait Problem {
    /// The number of nodes.
    fn nodes(&self) -> usize;
}

/// The stages of an algorithm as types, and its spec. Implemented by [`probes!`](crate::probes).
pub trait Signature {
    /// The input.
    type Input: Values + Problem + Send + Sync;
    /// The state at a step.
    type Hint: Values;
    /// The output.
    type Output: Values;
    /// The spec: inputs, outputs, hints.
    const PROBES: &'static [Probe];
}

/// Declares an algorithm's spec: a typed struct per stage, and `PROBES`, the same table as data.
///
/// The comment above each probe is its documentation; `narscope trace` shows it. The input must have
/// a field `pos` with one value per node.
///
/// ```
/// use narscope_clrs::signature::Signature as _;
/// use narscope_clrs::{Kind, NodeMaskOne, NodeScalar, probes};
///
/// struct Maximum;
///
/// probes!(Maximum {
///     input {
///         /// position in the array
///         pos: NodeScalar,
///         /// key to compare
///         key: NodeScalar,
///     }
///     output {
///         /// node with the largest key
///         max: NodeMaskOne,
///     }
///     hint {
///         /// node with the largest key so far
///         max_h: NodeMaskOne,
///     }
/// });
///
/// let hint = Hint { max_h: NodeMaskOne(0) };
/// assert_eq!(Maximum::PROBES[3].name, "max_h");
/// assert_eq!(Maximum::PROBES[3].kind, Kind::MaskOne);
/// # let _ = hint;
/// ```
#[macro_export]
macro_rules! probes {
    ($algorithm:ident {
        input { $($(#[doc = $input_doc:literal])+ $input:ident: $Input:ty),* $(,)? }
        output { $($(#[doc = $output_doc:literal])+ $output:ident: $Output:ty),* $(,)? }
        hint { $($(#[doc = $hint_doc:literal])+ $hint:ident: $Hint:ty),* $(,)? }
    }) => {
        $crate::probes!(@stage Input "The input of the algorithm." $($(#[doc = $input_doc])+ $input: $Input),*);
        $crate::probes!(@stage Output "The output of the algorithm." $($(#[doc = $output_doc])+ $output: $Output),*);
        $crate::probes!(@stage Hint "The state of the algorithm at a step." $($(#[doc = $hint_doc])+ $hint: $Hint),*);

        impl $crate::signature::Problem for Input {
            fn nodes(&self) -> usize {
                self.pos.len()
            }
        }

        impl $crate::signature::Signature for $algorithm {
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

        impl $crate::signature::Values for $Stage {
            fn write(&self, columns: &mut [$crate::column::Column]) {
                let mut columns = columns.iter_mut();
                $($crate::signature::Value::write(&self.$field, columns.next().expect("one column per probe"));)*
            }
            fn read(nodes: usize, columns: &[$crate::column::Column], record: usize) -> Self {
                let mut columns = columns.iter();
                Self {
                    $($field: $crate::signature::Value::read(
                        nodes,
                        columns.next().expect("one column per probe"),
                        record,
                    ),)*
                }
            }
        }
    };
}
