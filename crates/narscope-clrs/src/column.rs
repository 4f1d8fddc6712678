//! Columns: the values of one probe, record after record, stored as small as their kind allows.
//!
//! A one-hot vector over 64 nodes is one index here, and 64 floats only when somebody asks for the
//! reference's dense layout ([`Probe::expand`]). That keeps tracing fast and a data set in memory.

use std::ops::Range;

use crate::kind::Storage;
use crate::probe::Probe;
use crate::records::{Item, Records, Rows};

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
