//! Columns: the values of one probe, record after record, stored as small as their kind allows.
//!
//! A one-hot vector over 64 nodes is one index here, and 64 floats only when somebody asks for the
//! reference's dense layout ([`Probe::expand`]). That keeps tracing fast and a data set in memory.

use crate::probe::{Kind, Location, Probe};

/// The values of one probe.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Scalars.
    Real(Vec<f64>),
    /// Masks (0, 1, or -1 for "does not count") and classes (`!class` for "does not count").
    Class(Vec<i8>),
    /// Pointers, and the one marked node of a one-hot mask.
    Index(Vec<u32>),
}

impl Column {
    /// An empty column for values of this kind.
    pub fn of(kind: Kind) -> Self {
        match kind {
            Kind::Scalar => Self::Real(Vec::new()),
            Kind::Mask | Kind::Categorical => Self::Class(Vec::new()),
            Kind::MaskOne
            | Kind::Pointer
            | Kind::ShouldBePermutation
            | Kind::PermutationPointer => Self::Index(Vec::new()),
        }
    }

    /// How many items are stored.
    pub fn len(&self) -> usize {
        match self {
            Self::Real(items) => items.len(),
            Self::Class(items) => items.len(),
            Self::Index(items) => items.len(),
        }
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends `other[range]`.
    ///
    /// # Panics
    /// If the two columns store different kinds of items.
    #[track_caller]
    pub fn extend_from(&mut self, other: &Self, range: std::ops::Range<usize>) {
        match (self, other) {
            (Self::Real(to), Self::Real(from)) => to.extend_from_slice(&from[range]),
            (Self::Class(to), Self::Class(from)) => to.extend_from_slice(&from[range]),
            (Self::Index(to), Self::Index(from)) => to.extend_from_slice(&from[range]),
            (to, from) => panic!("cannot append {from:?} to {to:?}"),
        }
    }

    /// The stored reals.
    ///
    /// # Panics
    /// If the column stores something else.
    #[track_caller]
    pub fn reals(&self) -> &[f64] {
        let Self::Real(items) = self else { panic!("wanted reals, found {self:?}") };
        items
    }

    /// The stored masks or classes.
    ///
    /// # Panics
    /// If the column stores something else.
    #[track_caller]
    pub fn classes(&self) -> &[i8] {
        let Self::Class(items) = self else { panic!("wanted classes, found {self:?}") };
        items
    }

    /// The stored indices.
    ///
    /// # Panics
    /// If the column stores something else.
    #[track_caller]
    pub fn indices(&self) -> &[u32] {
        let Self::Index(items) = self else { panic!("wanted indices, found {self:?}") };
        items
    }
}

impl Probe {
    /// How many items one record takes in a [`Column`].
    pub fn width(&self, nodes: usize) -> usize {
        match (self.location, self.kind) {
            (Location::Graph, _) | (Location::Node, Kind::MaskOne) => 1,
            (Location::Node, _) => nodes,
            (Location::Edge, _) => nodes * nodes,
        }
    }

    /// The shape of one record as the reference lays it out.
    pub fn shape(&self, nodes: usize) -> Vec<usize> {
        let mut shape = match self.location {
            Location::Graph => vec![],
            Location::Node => vec![nodes],
            Location::Edge => vec![nodes, nodes],
        };
        match self.kind {
            Kind::Categorical => shape.push(self.classes.len()),
            Kind::PermutationPointer => shape.push(nodes),
            _ => {}
        }
        shape
    }

    /// Writes one record into `dense` as the reference lays it out.
    ///
    /// # Panics
    /// If `dense` is not as long as the product of [`Probe::shape`].
    #[track_caller]
    pub fn expand(&self, nodes: usize, column: &Column, record: usize, dense: &mut [f64]) {
        assert_eq!(dense.len(), self.shape(nodes).iter().product::<usize>(), "{}", self.name);
        let width = self.width(nodes);
        let range = record * width..(record + 1) * width;
        match self.kind {
            Kind::Scalar => dense.copy_from_slice(&column.reals()[range]),
            Kind::Mask => {
                for (to, &from) in dense.iter_mut().zip(&column.classes()[range]) {
                    *to = f64::from(from);
                }
            }
            Kind::Pointer | Kind::ShouldBePermutation => {
                for (to, &from) in dense.iter_mut().zip(&column.indices()[range]) {
                    *to = f64::from(from);
                }
            }
            Kind::Categorical => {
                dense.fill(0.0);
                let cells = dense.chunks_exact_mut(self.classes.len());
                for (cell, &code) in cells.zip(&column.classes()[range]) {
                    if code >= 0 {
                        cell[code as usize] = 1.0;
                    } else {
                        cell[!code as usize] = -1.0;
                    }
                }
            }
            Kind::MaskOne | Kind::PermutationPointer => {
                dense.fill(0.0);
                for (row, &marked) in dense.chunks_exact_mut(nodes).zip(&column.indices()[range]) {
                    row[marked as usize] = 1.0;
                }
            }
        }
    }

    /// One record as the reference lays it out.
    pub fn dense(&self, nodes: usize, column: &Column, record: usize) -> Vec<f64> {
        let mut dense = vec![0.0; self.shape(nodes).iter().product()];
        self.expand(nodes, column, record, &mut dense);
        dense
    }
}
