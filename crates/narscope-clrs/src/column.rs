//! Columns: the values of one probe, record after record, stored as small as their kind allows.
//!
//! A one-hot vector over 64 nodes is one index here; [`Probe::expand`] turns it into the 64 floats of
//! the reference's dense layout. That keeps tracing fast and data sets small in memory.

use std::ops::Range;

use crate::kind::Storage;
use crate::probe::Probe;
use crate::records::{Item, Records, Rows};

/// The values of one probe.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Scalars.
    Real(Records<f64>),
    /// Masks (0, 1, or -1 if ignored) and classes (`!class` if ignored).
    Class(Records<i8>),
    /// Pointers, and the node of a one-hot mask.
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

/// A cursor over the records of a column.
#[derive(Clone, Debug)]
pub enum ColumnRows<'a> {
    /// Scalars.
    Real(Rows<'a, f64>),
    /// Masks and classes.
    Class(Rows<'a, i8>),
    /// Pointers and marked nodes.
    Index(Rows<'a, u32>),
}

/// An item type of columns.
pub trait Stored: Item {
    /// The records of a column of this item type.
    ///
    /// # Panics
    /// If the column has another item type.
    fn of(column: &Column) -> &Records<Self>;
    /// The records of a column of this item type, mutably.
    ///
    /// # Panics
    /// If the column has another item type.
    fn of_mut(column: &mut Column) -> &mut Records<Self>;
}

macro_rules! stored {
    ($($Item:ty => $Variant:ident),*) => {
        $(impl Stored for $Item {
            #[track_caller]
            #[inline]
            fn of(column: &Column) -> &Records<Self> {
                let Column::$Variant(records) = column else {
                    panic!("expected {}, found {column:?}", stringify!($Variant))
                };
                records
            }
            #[track_caller]
            #[inline]
            fn of_mut(column: &mut Column) -> &mut Records<Self> {
                let Column::$Variant(records) = column else {
                    panic!("expected {}, found {column:?}", stringify!($Variant))
                };
                records
            }
        })*
    };
}

stored!(f64 => Real, i8 => Class, u32 => Index);

/// The same expression for each item type.
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
        let width = probe.locations(nodes);
        match probe.kind.info().storage {
            Storage::Real => Self::Real(Records::new(width)),
            Storage::Class => Self::Class(Records::new(width)),
            Storage::Index => Self::Index(Records::new(width)),
        }
    }

    /// The item type of its records.
    pub fn storage(&self) -> Storage {
        match self {
            Self::Real(_) => Storage::Real,
            Self::Class(_) => Storage::Class,
            Self::Index(_) => Storage::Index,
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

    /// Removes all records; keeps the allocations.
    pub(crate) fn clear(&mut self) {
        for_any!(self, records => records.clear());
    }

    /// Starts a new run with the next record.
    pub(crate) fn begin(&mut self) {
        for_any!(self, records => records.begin());
    }

    /// Appends a record as a new run.
    ///
    /// # Panics
    /// If the column has another item type.
    #[track_caller]
    pub fn push(&mut self, row: Row<'_>) {
        self.begin();
        match (self, row) {
            (Self::Real(records), Row::Real(row)) => records.push(row, |item| item),
            (Self::Class(records), Row::Class(row)) => records.push(row, |item| item),
            (Self::Index(records), Row::Index(row)) => records.push(row, |item| item),
            (column, row) => panic!("cannot append {row:?} to {column:?}"),
        }
    }

    /// Appends records of `other`: whole runs, or any if they are [unpacked](Column::unpacked).
    ///
    /// # Panics
    /// If the two columns have different item types.
    #[track_caller]
    pub fn extend_from(&mut self, other: &Self, records: Range<usize>) {
        match self {
            Self::Real(to) => to.extend_from(f64::of(other), records),
            Self::Class(to) => to.extend_from(i8::of(other), records),
            Self::Index(to) => to.extend_from(u32::of(other), records),
        }
    }

    /// The records from `record` on, in order.
    #[track_caller]
    pub fn rows_from(&self, record: usize) -> ColumnRows<'_> {
        match self {
            Self::Real(records) => ColumnRows::Real(records.rows_from(record)),
            Self::Class(records) => ColumnRows::Class(records.rows_from(record)),
            Self::Index(records) => ColumnRows::Index(records.rows_from(record)),
        }
    }

    /// The same records, each stored in full, for random access.
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
    /// If the column has another item type, or not all records are stored in full.
    #[track_caller]
    pub fn plain<T: Stored>(&self) -> &[T] {
        T::of(self).plain()
    }
}

impl Row<'_> {
    /// The item type of the record.
    pub fn storage(self) -> Storage {
        match self {
            Self::Real(_) => Storage::Real,
            Self::Class(_) => Storage::Class,
            Self::Index(_) => Storage::Index,
        }
    }
}

impl ColumnRows<'_> {
    /// The next record, or `None` after the last.
    #[inline]
    pub fn next_row(&mut self) -> Option<Row<'_>> {
        match self {
            Self::Real(rows) => rows.next_row().map(Row::Real),
            Self::Class(rows) => rows.next_row().map(Row::Class),
            Self::Index(rows) => rows.next_row().map(Row::Index),
        }
    }
}
