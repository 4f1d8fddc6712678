//! Records: rows of one width, stored as the difference from one to the next.
//!
//! From step to step an algorithm changes a few cells of a matrix. Stored in full, a trace would be
//! megabytes, and allocating them would take longer than running the algorithm.

use std::ops::{BitOr, Range};

/// An item that can be stored.
pub trait Item: Copy + std::fmt::Debug + Default {
    /// Its bit pattern.
    type Bits: Copy + Default + PartialEq + BitOr<Output = Self::Bits>;
    /// The XOR of the two bit patterns. It is not zero for 0 and -0.
    fn difference(self, other: Self) -> Self::Bits;
    /// Whether two items have the same bit pattern.
    fn is_same(self, other: Self) -> bool {
        self.difference(other) == Self::Bits::default()
    }
}

impl Item for f64 {
    type Bits = u64;
    #[inline]
    fn difference(self, other: Self) -> u64 {
        self.to_bits() ^ other.to_bits()
    }
}

impl Item for i8 {
    type Bits = i8;
    #[inline]
    fn difference(self, other: Self) -> i8 {
        self ^ other
    }
}

impl Item for u32 {
    type Bits = u32;
    #[inline]
    fn difference(self, other: Self) -> u32 {
        self ^ other
    }
}

/// The number of changes of a record that is stored in full.
const WHOLE: u32 = u32::MAX;

/// Flag in the number of changes of a record that is stored as its nonzero items.
const FROM_ZERO: u32 = 1 << 31;

/// From this width on, the first record of a run is stored as its nonzero items if that is shorter,
/// as for sparse graphs. Allocating memory costs more than counting zeros.
const WIDE: usize = 64;

/// Items per comparison block. Without a branch per item, the comparison is vectorised.
const BLOCK: usize = 32;

/// Rows of one width.
#[derive(Clone, Debug)]
pub struct Records<T> {
    width: usize,
    /// The number of changed items of each record. Empty if the width is 1.
    changes: Vec<u32>,
    /// The offsets of key records, which do not depend on an earlier one: the first of every run,
    /// and those that are shorter in full than as a list of changes.
    keys: Vec<Offset>,
    /// The items of records stored in full, and the changed items of the others.
    items: Vec<T>,
    /// The index within its record of each changed item.
    cells: Vec<u32>,
    /// The latest record, to compare the next one with. Empty at the start of a run and after its
    /// first record, because inputs and outputs have only one.
    newest: Vec<T>,
    /// Whether the next record is the first of a run.
    fresh: bool,
}

/// The offset of a record in the vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Offset {
    record: usize,
    item: usize,
    cell: usize,
}

impl<T: Item> Records<T> {
    /// No records yet.
    pub fn new(width: usize) -> Self {
        let (changes, keys, items, cells, newest) = (vec![], vec![], vec![], vec![], vec![]);
        Self { width, changes, keys, items, cells, newest, fresh: true }
    }

    /// Records from their items, in order, all stored in full.
    ///
    /// # Panics
    /// If the number of items is not a multiple of `width`.
    #[track_caller]
    pub fn from_plain(width: usize, items: &[T]) -> Self {
        assert_eq!(items.len() % width, 0, "records of {width} items");
        let mut records = Self::new(width);
        for row in items.chunks_exact(width) {
            records.push_whole(row);
        }
        records
    }

    /// The number of items per record.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        if self.width == 1 { self.items.len() } else { self.changes.len() }
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all records; keeps the allocations.
    pub(crate) fn clear(&mut self) {
        self.changes.clear();
        self.keys.clear();
        self.items.clear();
        self.cells.clear();
        self.begin();
    }

    /// Starts a new run: the next record is a key record.
    pub fn begin(&mut self) {
        self.newest.clear();
        self.fresh = true;
    }

    /// Appends a record of `items`, each converted by `store`.
    ///
    /// # Panics
    /// If the number of items is not the width.
    #[track_caller]
    #[inline]
    pub fn push<I: Copy>(&mut self, items: &[I], store: impl Fn(I) -> T) {
        assert_eq!(items.len(), self.width, "items of a record");
        if self.width == 1 {
            self.items.push(store(items[0]));
        } else if self.fresh {
            self.push_first(items, store);
        } else {
            self.push_changes(items, store);
        }
    }

    /// Appends a record, stored in full.
    fn push_whole(&mut self, items: &[T]) {
        if self.width > 1 {
            self.keys.push(self.end());
            self.changes.push(WHOLE);
        }
        self.items.extend_from_slice(items);
        self.begin();
    }

    fn push_first<I: Copy>(&mut self, items: &[I], store: impl Fn(I) -> T) {
        let offset = self.end();
        self.keys.push(offset);
        self.fresh = false;
        let zero = T::default();
        let differs = |&item: &I| usize::from(!store(item).is_same(zero));
        let count = items.iter().map(differs).sum();
        if self.width < WIDE || !self.list_is_shorter(count) {
            self.changes.push(WHOLE);
            self.items.extend(items.iter().map(|&item| store(item)));
            return;
        }
        self.changes.push(FROM_ZERO | count as u32);
        // Every item is written, and kept only if nonzero: cheaper than an unpredictable branch.
        self.items.resize(offset.item + count + 1, zero);
        self.cells.resize(offset.cell + count + 1, 0);
        let (new_items, cells) = (&mut self.items[offset.item..], &mut self.cells[offset.cell..]);
        let mut kept = 0;
        for (i, item) in items.iter().enumerate() {
            new_items[kept] = store(*item);
            cells[kept] = i as u32;
            kept += differs(item);
        }
        self.items.truncate(offset.item + count);
        self.cells.truncate(offset.cell + count);
    }

    /// Whether a list of `count` changes takes less memory than the record in full.
    fn list_is_shorter(&self, count: usize) -> bool {
        count * (size_of::<T>() + size_of::<u32>()) <= self.width * size_of::<T>()
    }

    fn push_changes<I: Copy>(&mut self, items: &[I], store: impl Fn(I) -> T) {
        if self.newest.is_empty() {
            self.newest = self.get(self.len() - 1);
        }
        let offset = self.end();
        let blocks = items.chunks(BLOCK).zip(self.newest.chunks_mut(BLOCK));
        for (block, (new, old)) in blocks.enumerate() {
            let differences = new.iter().zip(&*old).map(|(&new, &old)| store(new).difference(old));
            if differences.fold(T::Bits::default(), BitOr::bitor) == T::Bits::default() {
                continue;
            }
            for (i, (&new, old)) in new.iter().zip(old).enumerate() {
                let new = store(new);
                if !new.is_same(*old) {
                    *old = new;
                    self.items.push(new);
                    self.cells.push((block * BLOCK + i) as u32);
                }
            }
        }
        let count = self.items.len() - offset.item;
        if self.list_is_shorter(count) {
            self.changes.push(count as u32);
        } else {
            self.items.truncate(offset.item);
            self.cells.truncate(offset.cell);
            self.keys.push(offset);
            self.changes.push(WHOLE);
            self.items.extend_from_slice(&self.newest);
        }
    }

    /// The offset of the next record.
    fn end(&self) -> Offset {
        Offset { record: self.len(), item: self.items.len(), cell: self.cells.len() }
    }

    /// The offset of a key record.
    #[track_caller]
    fn offset_of_key(&self, record: usize) -> Offset {
        if record == self.len() {
            return self.end();
        }
        if self.width == 1 {
            return Offset { record, item: record, cell: 0 };
        }
        let found = self.keys.binary_search_by_key(&record, |offset| offset.record);
        let found = found.unwrap_or_else(|_| panic!("record {record} is not the first of a run"));
        self.keys[found]
    }

    /// Appends records of `other`. The range must start and end at the start of a run.
    #[track_caller]
    pub fn extend_from(&mut self, other: &Self, records: Range<usize>) {
        assert_eq!(self.width, other.width, "widths of records");
        let (start, end) = (other.offset_of_key(records.start), other.offset_of_key(records.end));
        if self.width > 1 {
            let here = self.end();
            let from = other.keys.partition_point(|offset| offset.record < records.start);
            let to = other.keys.partition_point(|offset| offset.record < records.end);
            self.keys.extend(other.keys[from..to].iter().map(|offset| Offset {
                record: offset.record - start.record + here.record,
                item: offset.item - start.item + here.item,
                cell: offset.cell - start.cell + here.cell,
            }));
            self.changes.extend_from_slice(&other.changes[records]);
        }
        self.items.extend_from_slice(&other.items[start.item..end.item]);
        self.cells.extend_from_slice(&other.cells[start.cell..end.cell]);
        self.begin();
    }

    /// The records from `record` on, in order.
    ///
    /// # Panics
    /// If there is no such record.
    #[track_caller]
    pub fn rows_from(&self, record: usize) -> Rows<'_, T> {
        assert!(record < self.len(), "record {record} of {}", self.len());
        let mut rows = Rows {
            records: self,
            offset: Offset { record, item: record, cell: 0 },
            row: vec![T::default(); self.width],
        };
        if self.width > 1 {
            let before = self.keys.partition_point(|offset| offset.record <= record);
            rows.offset = self.keys[before - 1];
            while rows.offset.record < record {
                rows.next_row();
            }
        }
        rows
    }

    /// One record.
    #[track_caller]
    pub fn get(&self, record: usize) -> Vec<T> {
        let mut rows = self.rows_from(record);
        rows.next_row().expect("the record is there");
        rows.row
    }

    /// The items of all records, in order.
    ///
    /// # Panics
    /// If not all records are stored in full. Those of width 1 are, and those that
    /// [`Records::unpacked`] returns.
    #[track_caller]
    pub fn plain(&self) -> &[T] {
        assert_eq!(self.items.len(), self.len() * self.width, "items of records stored in full");
        &self.items
    }

    /// The items of all records, mutably.
    ///
    /// # Panics
    /// If not all records are stored in full.
    #[track_caller]
    pub fn plain_mut(&mut self) -> &mut [T] {
        assert_eq!(self.items.len(), self.len() * self.width, "items of records stored in full");
        self.begin();
        &mut self.items
    }

    /// The same records, all stored in full.
    #[must_use]
    pub fn unpacked(&self) -> Self {
        let mut unpacked = Self::new(self.width);
        if !self.is_empty() {
            let mut rows = self.rows_from(0);
            while let Some(row) = rows.next_row() {
                unpacked.push_whole(row);
            }
        }
        unpacked
    }
}

/// Compares the records, not the state that the next one is compared with.
impl<T: Item> PartialEq for Records<T> {
    fn eq(&self, other: &Self) -> bool {
        let same = |(&a, &b): (&T, &T)| a.is_same(b);
        self.width == other.width
            && self.changes == other.changes
            && self.keys == other.keys
            && self.cells == other.cells
            && self.items.len() == other.items.len()
            && self.items.iter().zip(&other.items).all(same)
    }
}

/// A cursor over records; holds the current one in full.
#[derive(Clone, Debug)]
pub struct Rows<'a, T> {
    records: &'a Records<T>,
    /// The offset of the next record.
    offset: Offset,
    row: Vec<T>,
}

impl<T: Item> Rows<'_, T> {
    /// The next record, or `None` after the last.
    #[inline]
    pub fn next_row(&mut self) -> Option<&[T]> {
        let Self { records, offset, row } = self;
        if offset.record == records.len() {
            return None;
        }
        let changes = if records.width == 1 { WHOLE } else { records.changes[offset.record] };
        if changes == WHOLE {
            row.copy_from_slice(&records.items[offset.item..offset.item + records.width]);
            offset.item += records.width;
        } else {
            if changes & FROM_ZERO != 0 {
                row.fill(T::default());
            }
            let count = (changes & !FROM_ZERO) as usize;
            let items = &records.items[offset.item..offset.item + count];
            let cells = &records.cells[offset.cell..offset.cell + count];
            for (&item, &cell) in items.iter().zip(cells) {
                row[cell as usize] = item;
            }
            offset.item += count;
            offset.cell += count;
        }
        offset.record += 1;
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, prop_assert_eq, proptest};

    use super::*;

    /// Runs of rows that differ in few cells, like the steps of an algorithm.
    fn runs() -> impl Strategy<Value = (usize, Vec<Vec<Vec<u32>>>)> {
        (1usize..70).prop_flat_map(|width| {
            let changes = proptest::collection::vec((0..width, 0u32..3), 0..6);
            // Mostly zeros half of the time, like the matrices of sparse graphs.
            let item = |zeros| (0..zeros + 2).prop_map(move |x: u32| x.saturating_sub(zeros));
            let first = (0u32..2)
                .prop_flat_map(move |sparse| proptest::collection::vec(item(9 * sparse), width));
            let run =
                (first, proptest::collection::vec(changes, 0..6)).prop_map(|(first, steps)| {
                    let mut rows = vec![first];
                    for changes in steps {
                        let mut row = rows[rows.len() - 1].clone();
                        for (cell, item) in changes {
                            row[cell] = item;
                        }
                        rows.push(row);
                    }
                    rows
                });
            (proptest::strategy::Just(width), proptest::collection::vec(run, 1..5))
        })
    }

    fn stored(width: usize, runs: &[Vec<Vec<u32>>]) -> Records<u32> {
        let mut records = Records::new(width);
        for run in runs {
            records.begin();
            for row in run {
                records.push(row, |item| item);
            }
        }
        records
    }

    proptest! {
        #[test]
        fn pushed_records_are_read_back((width, runs) in runs()) {
            let records = stored(width, &runs);
            let rows: Vec<Vec<u32>> = runs.concat();
            prop_assert_eq!(records.len(), rows.len());
            for (i, row) in rows.iter().enumerate() {
                prop_assert_eq!(&records.get(i), row);
            }
            let unpacked = records.unpacked();
            prop_assert_eq!(unpacked.plain(), rows.concat());
            prop_assert_eq!(Records::from_plain(width, &rows.concat()), unpacked);
        }

        #[test]
        fn runs_are_appended_one_by_one((width, runs) in runs()) {
            let records = stored(width, &runs);
            let mut again = Records::new(width);
            let mut start = 0;
            for run in &runs {
                again.extend_from(&records, start..start + run.len());
                start += run.len();
            }
            prop_assert_eq!(again, records);
        }
    }

    #[test]
    fn the_sign_of_zero_is_a_change() {
        let mut records = Records::new(3);
        records.push(&[0.0, 1.0, 2.0], |x: f64| x);
        records.push(&[-0.0, 1.0, 2.0], |x: f64| x);
        assert!(records.get(1)[0].is_sign_negative());
    }
}
