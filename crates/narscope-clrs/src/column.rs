//! Columns: the values of one probe, record after record, stored as small as their kind allows.
//!
//! A one-hot vector over 64 nodes is one index here, and 64 floats only when somebody asks for the
//! reference's dense layout ([`Probe::expand`]). That keeps tracing fast and a data set in memory.

use std::ops::Range;

use crate::probe::{Dtype, Kind, Location, Probe};
use crate::records::{Item, Records, Rows};
use crate::{Error, Result};

/// The values of one probe.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Scalars.
    Real(Records<f64>),
    /// Masks (0, 1, or -1 for "does not count") and classes (`!class` for "does not count").
    Class(Records<i8>),
    /// Pointers, and the one marked node of a one-hot mask.
    Index(Records<u32>),
}

/// One record of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Row<'a> {
    /// Scalars.
    Real(&'a [f64]),
    /// Masks and classes.
    Class(&'a [i8]),
    /// Pointers and marked nodes.
    Index(&'a [u32]),
}

/// Goes over the records of a column.
#[derive(Clone, Debug)]
pub enum ColumnRows<'a> {
    /// Scalars.
    Real(Rows<'a, f64>),
    /// Masks and classes.
    Class(Rows<'a, i8>),
    /// Pointers and marked nodes.
    Index(Rows<'a, u32>),
}

/// An item that some columns store.
pub trait Stored: Item {
    /// The records of a column that stores such items.
    ///
    /// # Panics
    /// If the column stores others.
    fn of(column: &Column) -> &Records<Self>;
    /// The same, to be changed.
    ///
    /// # Panics
    /// If the column stores others.
    fn of_mut(column: &mut Column) -> &mut Records<Self>;
}

macro_rules! stored {
    ($($Item:ty => $Variant:ident),*) => {
        $(impl Stored for $Item {
            #[track_caller]
            #[inline]
            fn of(column: &Column) -> &Records<Self> {
                let Column::$Variant(records) = column else {
                    panic!("wanted {}, found {column:?}", stringify!($Variant))
                };
                records
            }
            #[track_caller]
            #[inline]
            fn of_mut(column: &mut Column) -> &mut Records<Self> {
                let Column::$Variant(records) = column else {
                    panic!("wanted {}, found {column:?}", stringify!($Variant))
                };
                records
            }
        })*
    };
}

stored!(f64 => Real, i8 => Class, u32 => Index);

/// The same for whatever the column stores.
macro_rules! for_any {
    ($column:expr, $records:ident => $result:expr) => {
        match $column {
            Column::Real($records) => $result,
            Column::Class($records) => $result,
            Column::Index($records) => $result,
        }
    };
}

impl Column {
    /// An empty column for the values of a probe.
    pub fn of(probe: &Probe, nodes: usize) -> Self {
        let width = probe.width(nodes);
        match probe.kind {
            Kind::Scalar => Self::Real(Records::new(width)),
            Kind::Mask | Kind::Categorical => Self::Class(Records::new(width)),
            Kind::MaskOne
            | Kind::Pointer
            | Kind::ShouldBePermutation
            | Kind::PermutationPointer => Self::Index(Records::new(width)),
        }
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        for_any!(self, records => records.len())
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all records and keeps the memory.
    pub(crate) fn clear(&mut self) {
        for_any!(self, records => records.clear());
    }

    /// Lets the next record be the first of a run.
    pub(crate) fn begin(&mut self) {
        for_any!(self, records => records.begin());
    }

    /// Appends a record, as a run of its own.
    ///
    /// # Panics
    /// If the column stores other items.
    #[track_caller]
    pub fn push(&mut self, row: Row<'_>) {
        self.begin();
        match (self, row) {
            (Self::Real(records), Row::Real(row)) => records.push(row, |item| item),
            (Self::Class(records), Row::Class(row)) => records.push(row, |item| item),
            (Self::Index(records), Row::Index(row)) => records.push(row, |item| item),
            (column, row) => panic!("{row:?} appended to {column:?}"),
        }
    }

    /// Appends records of `other`: whole runs, or any if they are [unpacked](Column::unpacked).
    ///
    /// # Panics
    /// If the two columns store different kinds of items.
    #[track_caller]
    pub fn extend_from(&mut self, other: &Self, records: Range<usize>) {
        match self {
            Self::Real(to) => to.extend_from(f64::of(other), records),
            Self::Class(to) => to.extend_from(i8::of(other), records),
            Self::Index(to) => to.extend_from(u32::of(other), records),
        }
    }

    /// The records from `record` on, one after the other.
    #[track_caller]
    pub fn rows_from(&self, record: usize) -> ColumnRows<'_> {
        match self {
            Self::Real(records) => ColumnRows::Real(records.rows_from(record)),
            Self::Class(records) => ColumnRows::Class(records.rows_from(record)),
            Self::Index(records) => ColumnRows::Index(records.rows_from(record)),
        }
    }

    /// The same records, each stored whole, for those who jump to and fro.
    #[must_use]
    pub fn unpacked(&self) -> Self {
        match self {
            Self::Real(records) => Self::Real(records.unpacked()),
            Self::Class(records) => Self::Class(records.unpacked()),
            Self::Index(records) => Self::Index(records.unpacked()),
        }
    }

    /// All items of a column of single items, or of one that is [unpacked](Column::unpacked).
    ///
    /// # Panics
    /// If the column stores other items, or not all records whole.
    #[track_caller]
    pub fn plain<T: Stored>(&self) -> &[T] {
        T::of(self).plain()
    }
}

impl ColumnRows<'_> {
    /// The next record, if there is one.
    #[inline]
    pub fn next_row(&mut self) -> Option<Row<'_>> {
        match self {
            Self::Real(rows) => rows.next_row().map(Row::Real),
            Self::Class(rows) => rows.next_row().map(Row::Class),
            Self::Index(rows) => rows.next_row().map(Row::Index),
        }
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

    /// How many numbers one record has as the reference lays it out.
    pub fn size(&self, nodes: usize) -> usize {
        self.shape(nodes).iter().product()
    }

    /// Writes one record into `dense` as the reference lays it out.
    ///
    /// # Panics
    /// If the record is of another kind or size than the probe.
    #[track_caller]
    pub fn expand(&self, row: Row<'_>, dense: &mut [f64]) {
        match (self.kind, row) {
            (Kind::Scalar, Row::Real(row)) => dense.copy_from_slice(row),
            (Kind::Mask, Row::Class(row)) => {
                for (to, &from) in dense.iter_mut().zip(row) {
                    *to = f64::from(from);
                }
            }
            (Kind::Pointer | Kind::ShouldBePermutation, Row::Index(row)) => {
                for (to, &from) in dense.iter_mut().zip(row) {
                    *to = f64::from(from);
                }
            }
            (Kind::Categorical, Row::Class(row)) => {
                dense.fill(0.0);
                for (cell, &code) in dense.chunks_exact_mut(self.classes.len()).zip(row) {
                    if code >= 0 {
                        cell[code as usize] = 1.0;
                    } else {
                        cell[!code as usize] = -1.0;
                    }
                }
            }
            (Kind::MaskOne | Kind::PermutationPointer, Row::Index(row)) => {
                dense.fill(0.0);
                let nodes = dense.len() / row.len();
                for (cell, &marked) in dense.chunks_exact_mut(nodes).zip(row) {
                    cell[marked as usize] = 1.0;
                }
            }
            (kind, row) => panic!("{} is of kind {kind:?}, found {row:?}", self.name),
        }
    }
}

/// The way back from the reference's layout.
impl Probe {
    /// Appends a record that is laid out as the reference does. Undoes [`Probe::expand`].
    ///
    /// What the probe cannot hold is refused: the numbers may come from anywhere.
    ///
    /// # Panics
    /// If the column is not one of the probe's, or there are not as many numbers as a record has.
    #[track_caller]
    pub fn compact(&self, nodes: usize, dense: &[f64], column: &mut Column) -> Result<()> {
        assert_eq!(dense.len(), self.size(nodes), "numbers of a record of {}", self.name);
        let node = |x: f64| (x >= 0.0 && x < nodes as f64 && x.fract() == 0.0).then_some(x as u32);
        let one_node = |cell: &[f64]| match marked(cell) {
            Some((place, 1.0)) => Some(place as u32),
            _ => None,
        };
        match (self.kind, column) {
            (Kind::Scalar, Column::Real(records)) => {
                let whole = self.dtype == Dtype::Int64;
                let fits = |x: f64| x.is_finite() && (!whole || x.fract() == 0.0);
                let wanted = if whole { "a whole number" } else { "a finite number" };
                self.items(nodes, dense, 1, wanted, |cell| fits(cell[0]).then_some(()))?;
                records.push(dense, |x| x);
            }
            (Kind::Mask, Column::Class(records)) => {
                let code = |cell: &[f64]| [-1, 0, 1].into_iter().find(|&c| f64::from(c) == cell[0]);
                records.push(&self.items(nodes, dense, 1, "-1, 0 or 1", code)?, |code| code);
            }
            (Kind::Categorical, Column::Class(records)) => {
                let classes = self.classes.len();
                let wanted = format!("a 1 (or a -1) and otherwise zeros for {classes} classes");
                let code = |cell: &[f64]| match marked(cell) {
                    Some((place, 1.0)) => Some(place as i8),
                    Some((place, -1.0)) => Some(!(place as i8)),
                    _ => None,
                };
                records.push(&self.items(nodes, dense, classes, &wanted, code)?, |code| code);
            }
            (Kind::Pointer | Kind::ShouldBePermutation, Column::Index(records)) => {
                let wanted = format!("a node from 0 to {}", nodes - 1);
                let pointers = self.items(nodes, dense, 1, &wanted, |cell| node(cell[0]))?;
                records.push(&pointers, |pointer| pointer);
            }
            (Kind::MaskOne, Column::Index(records)) => {
                let wanted = format!("a 1 and otherwise zeros for {nodes} nodes");
                records.push(&self.items(nodes, dense, nodes, &wanted, one_node)?, |node| node);
            }
            (Kind::PermutationPointer, Column::Index(records)) => {
                let wanted = format!("a 1 and otherwise zeros in each row for {nodes} nodes");
                let pointers = self.items(nodes, dense, nodes, &wanted, one_node)?;
                let mut followed = vec![false; nodes];
                for &pointer in &pointers {
                    if std::mem::replace(&mut followed[pointer as usize], true) {
                        let wanted = "a permutation of the nodes".to_owned();
                        let found = format!("two rows that mark node {pointer}");
                        return Err(Error::BadRecord { wanted, found });
                    }
                }
                records.push(&pointers, |pointer| pointer);
            }
            (kind, column) => panic!("{} is of kind {kind:?}, found {column:?}", self.name),
        }
        Ok(())
    }

    /// Reads items that take `size` numbers each, or says which one is not as wanted.
    fn items<T>(
        &self,
        nodes: usize,
        dense: &[f64],
        size: usize,
        wanted: &str,
        read: impl Fn(&[f64]) -> Option<T>,
    ) -> Result<Vec<T>> {
        let item = |(i, cell): (usize, &[f64])| {
            read(cell).ok_or_else(|| {
                let place = match (self.location, self.kind) {
                    (Location::Graph, _) | (Location::Node, Kind::MaskOne) => String::new(),
                    (Location::Node, _) => format!(" at node {i}"),
                    (Location::Edge, _) => format!(" at edge ({}, {})", i / nodes, i % nodes),
                };
                let found = format!("{}{place}", describe(cell));
                Error::BadRecord { wanted: wanted.to_owned(), found }
            })
        };
        dense.chunks_exact(size).enumerate().map(item).collect()
    }
}

/// The one number that is not zero, and its place.
fn marked(cell: &[f64]) -> Option<(usize, f64)> {
    let mut others = cell.iter().enumerate().filter(|&(_, &x)| x != 0.0);
    let (place, &mark) = others.next()?;
    others.next().is_none().then_some((place, mark))
}

/// A number, or what stands out from zeros.
fn describe(cell: &[f64]) -> String {
    if let [number] = cell {
        return number.to_string();
    }
    let others: Vec<String> = cell.iter().filter(|&&x| x != 0.0).map(f64::to_string).collect();
    match others.len() {
        0 => "nothing but zeros".to_owned(),
        1..=4 => format!("{} and zeros", others.join(", ")),
        count => format!("{count} numbers that are not zero"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::strings::Letter;
    use crate::probe::Stage;
    use crate::values::{
        EdgeMask, GraphScalar, Node, NodeChain, NodeClass, NodeMaskOne, NodePointer, Whole,
    };

    /// What is said of numbers that a probe cannot hold, with two nodes.
    fn refused(probe: &Probe, dense: &[f64]) -> String {
        let mut column = Column::of(probe, 2);
        let error = probe.compact(2, dense, &mut column).unwrap_err();
        assert!(column.is_empty(), "{error}");
        error.to_string()
    }

    #[test]
    fn what_a_probe_cannot_hold_is_refused_with_its_place() {
        let scalar = Probe::of::<GraphScalar>("x", Stage::Hint, "");
        assert_eq!(refused(&scalar, &[f64::NAN]), "wanted a finite number, found NaN");
        let whole = Probe::of::<Node<Whole>>("x", Stage::Input, "");
        assert_eq!(refused(&whole, &[1.0, 0.5]), "wanted a whole number, found 0.5 at node 1");
        let mask = Probe::of::<EdgeMask>("x", Stage::Hint, "");
        let sentence = "wanted -1, 0 or 1, found 2 at edge (1, 0)";
        assert_eq!(refused(&mask, &[0.0, -1.0, 2.0, 1.0]), sentence);
        for probe in [
            Probe::of::<NodePointer>("x", Stage::Hint, ""),
            Probe::of::<NodeChain>("x", Stage::Output, ""),
        ] {
            for bad in [2.0, -1.0, 0.5, f64::NAN, f64::INFINITY] {
                let sentence = format!("wanted a node from 0 to 1, found {bad} at node 1");
                assert_eq!(refused(&probe, &[1.0, bad]), sentence);
            }
        }
        let one = Probe::of::<NodeMaskOne>("x", Stage::Hint, "");
        let wanted = "wanted a 1 and otherwise zeros for 2 nodes, found";
        assert_eq!(refused(&one, &[1.0, 1.0]), format!("{wanted} 1, 1 and zeros"));
        assert_eq!(refused(&one, &[0.0, 0.0]), format!("{wanted} nothing but zeros"));
        assert_eq!(refused(&one, &[0.0, -1.0]), format!("{wanted} -1 and zeros"));
    }

    #[test]
    fn a_class_that_does_not_count_is_marked_by_minus_one() {
        let probe = Probe::of::<NodeClass<Letter>>("x", Stage::Hint, "");
        let mut column = Column::of(&probe, 2);
        let dense = [0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0];
        probe.compact(2, &dense, &mut column).unwrap();
        assert_eq!(i8::of(&column).get(0), [1, !0]);
        let sentence = "wanted a 1 (or a -1) and otherwise zeros for 4 classes, found 1, -1 and \
                        zeros at node 0";
        assert_eq!(refused(&probe, &[1.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), sentence);
    }

    #[test]
    fn a_permutation_marks_every_node_once() {
        let chain = Probe::of::<NodeChain>("x", Stage::Output, "");
        let probe = Probe { kind: Kind::PermutationPointer, dtype: Dtype::Float64, ..chain };
        let mut column = Column::of(&probe, 2);
        probe.compact(2, &[0.0, 1.0, 1.0, 0.0], &mut column).unwrap();
        assert_eq!(column.plain::<u32>(), [1, 0]);
        let sentence = "wanted a permutation of the nodes, found two rows that mark node 1";
        assert_eq!(refused(&probe, &[0.0, 1.0, 0.0, 1.0]), sentence);
    }
}
