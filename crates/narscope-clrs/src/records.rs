//! Records: rows of one width, stored as what changed from one to the next.
//!
//! From step to step an algorithm changes a few cells of a table and leaves the rest. Stored whole,
//! a trace is megabytes, and making the memory for it takes longer than running the algorithm.

use std::ops::{BitOr, Range};

/// An item that can be stored.
pub trait Item: Copy + std::fmt::Debug + Default {
    /// Its bits.
    type Bits: Copy + Default + PartialEq + BitOr<Output = Self::Bits>;
    /// The bits in which two items differ: 0 and -0 do in one.
    fn difference(self, other: Self) -> Self::Bits;
    /// Whether two items are the same to the last bit.
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

/// Stands for the number of changes of a record that is stored whole.
const WHOLE: u32 = u32::MAX;

/// Marks the number of changes of a record that is stored as what differs from zero.
const FROM_ZERO: u32 = 1 << 31;

/// From this width on, it is worth asking whether the first record of a run is mostly zeros: the
/// tables of sparse graphs are, and a system takes longer to hand out memory than we to fill it.
const WIDE: usize = 64;

/// So many items are compared before anybody asks whether they differ: without a branch per item,
/// the comparison runs in vector registers.
const BLOCK: usize = 32;

/// Rows of one width.
#[derive(Clone, Debug)]
pub struct Records<T> {
    width: usize,
    /// How many items of each record changed. Kept only if records are wider than one item.
    changes: Vec<u32>,
    /// Where the records begin that stand on their own: the first of every run, and any that
    /// changed so much that a list of changes would be longer.
    own: Vec<Place>,
    /// The items of whole records, and the new items of changed ones.
    items: Vec<T>,
    /// Which item of its record each new item of a changed one is.
    cells: Vec<u32>,
    /// The newest record, to compare the next one with. Empty at the beginning of a run, and after
    /// its first record: inputs and outputs have no other.
    newest: Vec<T>,
    /// Whether the next record is the first of a run.
    fresh: bool,
}

/// Where a record begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    record: usize,
    item: usize,
    cell: usize,
}

impl<T: Item> Records<T> {
    /// No records yet.
    pub fn new(width: usize) -> Self {
        let (changes, own, items, cells, newest) = (vec![], vec![], vec![], vec![], vec![]);
        Self { width, changes, own, items, cells, newest, fresh: true }
    }

    /// Records given one after the other, all of them stored whole.
    ///
    /// # Panics
    /// If the items do not make whole records.
    #[track_caller]
    pub fn from_plain(width: usize, items: &[T]) -> Self {
        assert_eq!(items.len() % width, 0, "records of {width} items");
        let mut records = Self::new(width);
        for row in items.chunks_exact(width) {
            records.push_whole(row);
        }
        records
    }

    /// How many items a record has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        if self.width == 1 { self.items.len() } else { self.changes.len() }
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all records and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.changes.clear();
        self.own.clear();
        self.items.clear();
        self.cells.clear();
        self.begin();
    }

    /// Lets the next record be the first of a run, which stands on its own.
    pub fn begin(&mut self) {
        self.newest.clear();
        self.fresh = true;
    }

    /// Appends a record of `items` as `store` stores them.
    ///
    /// # Panics
    /// If there are not as many items as the records are wide.
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

    /// Appends a record that is stored whole whatever is in it.
    fn push_whole(&mut self, items: &[T]) {
        if self.width > 1 {
            self.own.push(self.end());
            self.changes.push(WHOLE);
        }
        self.items.extend_from_slice(items);
        self.begin();
    }

    fn push_first<I: Copy>(&mut self, items: &[I], store: impl Fn(I) -> T) {
        let place = self.end();
        self.own.push(place);
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
        // Written always and kept only if it differs: cheaper than a branch nobody can predict.
        self.items.resize(place.item + count + 1, zero);
        self.cells.resize(place.cell + count + 1, 0);
        let (new_items, cells) = (&mut self.items[place.item..], &mut self.cells[place.cell..]);
        let mut kept = 0;
        for (i, item) in items.iter().enumerate() {
            new_items[kept] = store(*item);
            cells[kept] = i as u32;
            kept += differs(item);
        }
        self.items.truncate(place.item + count);
        self.cells.truncate(place.cell + count);
    }

    /// Whether a list of so many changes takes less memory than a whole record.
    fn list_is_shorter(&self, count: usize) -> bool {
        count * (size_of::<T>() + size_of::<u32>()) <= self.width * size_of::<T>()
    }

    fn push_changes<I: Copy>(&mut self, items: &[I], store: impl Fn(I) -> T) {
        if self.newest.is_empty() {
            self.newest = self.get(self.len() - 1);
        }
        let place = self.end();
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
        let count = self.items.len() - place.item;
        if self.list_is_shorter(count) {
            self.changes.push(count as u32);
        } else {
            self.items.truncate(place.item);
            self.cells.truncate(place.cell);
            self.own.push(place);
            self.changes.push(WHOLE);
            self.items.extend_from_slice(&self.newest);
        }
    }

    /// Where the next record will begin.
    fn end(&self) -> Place {
        Place { record: self.len(), item: self.items.len(), cell: self.cells.len() }
    }

    /// Where a record begins that stands on its own.
    #[track_caller]
    fn place_of_own(&self, record: usize) -> Place {
        if record == self.len() {
            return self.end();
        }
        if self.width == 1 {
            return Place { record, item: record, cell: 0 };
        }
        let found = self.own.binary_search_by_key(&record, |place| place.record);
        let found = found.unwrap_or_else(|_| panic!("record {record} does not stand on its own"));
        self.own[found]
    }

    /// Appends records of `other`. The first one, and the one after the last, must be the first
    /// of a run.
    #[track_caller]
    pub fn extend_from(&mut self, other: &Self, records: Range<usize>) {
        assert_eq!(self.width, other.width, "widths of records");
        let (start, end) = (other.place_of_own(records.start), other.place_of_own(records.end));
        if self.width > 1 {
            let here = self.end();
            let from = other.own.partition_point(|place| place.record < records.start);
            let to = other.own.partition_point(|place| place.record < records.end);
            self.own.extend(other.own[from..to].iter().map(|place| Place {
                record: place.record - start.record + here.record,
                item: place.item - start.item + here.item,
                cell: place.cell - start.cell + here.cell,
            }));
            self.changes.extend_from_slice(&other.changes[records]);
        }
        self.items.extend_from_slice(&other.items[start.item..end.item]);
        self.cells.extend_from_slice(&other.cells[start.cell..end.cell]);
        self.begin();
    }

    /// The records from `record` on, one after the other.
    ///
    /// # Panics
    /// If there is no such record.
    #[track_caller]
    pub fn rows_from(&self, record: usize) -> Rows<'_, T> {
        assert!(record < self.len(), "record {record} of {}", self.len());
        let mut rows = Rows {
            records: self,
            place: Place { record, item: record, cell: 0 },
            row: vec![T::default(); self.width],
        };
        if self.width > 1 {
            let before = self.own.partition_point(|place| place.record <= record);
            rows.place = self.own[before - 1];
            while rows.place.record < record {
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

    /// The items of all records, one after the other.
    ///
    /// # Panics
    /// If not all records are stored whole, as those of one item are and what
    /// [`Records::unpacked`] returns.
    #[track_caller]
    pub fn plain(&self) -> &[T] {
        assert_eq!(self.items.len(), self.len() * self.width, "items of records stored whole");
        &self.items
    }

    /// The same, to be changed.
    ///
    /// # Panics
    /// If not all records are stored whole.
    #[track_caller]
    pub fn plain_mut(&mut self) -> &mut [T] {
        assert_eq!(self.items.len(), self.len() * self.width, "items of records stored whole");
        self.begin();
        &mut self.items
    }

    /// The same records, all of them stored whole.
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

/// How the next record is told from the newest one is not part of the records.
impl<T: Item> PartialEq for Records<T> {
    fn eq(&self, other: &Self) -> bool {
        let same = |(&a, &b): (&T, &T)| a.is_same(b);
        self.width == other.width
            && self.changes == other.changes
            && self.own == other.own
            && self.cells == other.cells
            && self.items.len() == other.items.len()
            && self.items.iter().zip(&other.items).all(same)
    }
}

/// Goes over records, keeping the current one whole.
#[derive(Clone, Debug)]
pub struct Rows<'a, T> {
    records: &'a Records<T>,
    /// Where the next record begins.
    place: Place,
    row: Vec<T>,
}

impl<T: Item> Rows<'_, T> {
    /// The next record, if there is one.
    #[inline]
    pub fn next_row(&mut self) -> Option<&[T]> {
        let Self { records, place, row } = self;
        if place.record == records.len() {
            return None;
        }
        let changes = if records.width == 1 { WHOLE } else { records.changes[place.record] };
        if changes == WHOLE {
            row.copy_from_slice(&records.items[place.item..place.item + records.width]);
            place.item += records.width;
        } else {
            if changes & FROM_ZERO != 0 {
                row.fill(T::default());
            }
            let count = (changes & !FROM_ZERO) as usize;
            let items = &records.items[place.item..place.item + count];
            let cells = &records.cells[place.cell..place.cell + count];
            for (&item, &cell) in items.iter().zip(cells) {
                row[cell as usize] = item;
            }
            place.item += count;
            place.cell += count;
        }
        place.record += 1;
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, prop_assert_eq, proptest};

    use super::*;

    /// Runs of rows that differ in few places, as the steps of an algorithm do.
    fn runs() -> impl Strategy<Value = (usize, Vec<Vec<Vec<u32>>>)> {
        (1usize..70).prop_flat_map(|width| {
            let changes = proptest::collection::vec((0..width, 0u32..3), 0..6);
            // Mostly zeros half of the time, as the tables of sparse graphs are.
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
        fn what_was_pushed_comes_back((width, runs) in runs()) {
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
        fn runs_can_be_taken_apart_and_put_together((width, runs) in runs()) {
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
