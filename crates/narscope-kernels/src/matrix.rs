//! Matrices as views of slices, and their products.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Multiplications and additions of all products so far.
static OPERATIONS: AtomicU64 = AtomicU64::new(0);

/// How many multiplications and additions the products of this process have taken so far: divided
/// by time, how close a program comes to the peak of the machine.
pub fn operations() -> u64 {
    OPERATIONS.load(Ordering::Relaxed)
}

/// A matrix to read.
#[derive(Clone, Copy, Debug)]
pub struct Mat<'a> {
    data: &'a [f32],
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
}

/// A matrix to write, row by row.
#[derive(Debug)]
pub struct MatMut<'a> {
    data: &'a mut [f32],
    rows: usize,
    cols: usize,
    row_stride: usize,
}

/// How many numbers reach from the first to the last of a matrix.
fn extent(rows: usize, cols: usize, row_stride: usize, col_stride: usize) -> usize {
    match (rows, cols) {
        (0, _) | (_, 0) => 0,
        _ => (rows - 1) * row_stride + (cols - 1) * col_stride + 1,
    }
}

impl<'a> Mat<'a> {
    /// Rows that follow each other.
    #[track_caller]
    pub fn new(data: &'a [f32], rows: usize, cols: usize) -> Self {
        Self::strided(data, rows, cols, cols)
    }

    /// Rows that begin `stride` numbers after each other.
    #[track_caller]
    pub fn strided(data: &'a [f32], rows: usize, cols: usize, stride: usize) -> Self {
        let needed = extent(rows, cols, stride, 1);
        assert!(needed <= data.len(), "{rows} rows of {cols} need {needed}, not {}", data.len());
        Self { data, rows, cols, row_stride: stride, col_stride: 1 }
    }

    /// The transpose.
    #[must_use]
    pub fn t(self) -> Self {
        Self {
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
            ..self
        }
    }

    /// Some of the columns.
    #[must_use]
    #[track_caller]
    pub fn columns(self, range: Range<usize>) -> Self {
        assert!(range.end <= self.cols, "columns {range:?} of {}", self.cols);
        let data =
            if self.rows == 0 { self.data } else { &self.data[range.start * self.col_stride..] };
        Self { data, cols: range.len(), ..self }
    }

    /// Some of the rows.
    #[must_use]
    #[track_caller]
    pub fn rows(self, range: Range<usize>) -> Self {
        assert!(range.end <= self.rows, "rows {range:?} of {}", self.rows);
        let start = (range.start * self.row_stride).min(self.data.len());
        Self { data: &self.data[start..], rows: range.len(), ..self }
    }

    /// How many columns it has.
    #[inline(always)]
    pub fn width(self) -> usize {
        self.cols
    }

    /// A row of a matrix that is not transposed.
    #[inline(always)]
    pub fn row(self, row: usize) -> &'a [f32] {
        &self.data[row * self.row_stride..][..self.cols]
    }
}

impl<'a> MatMut<'a> {
    /// Rows that follow each other.
    #[track_caller]
    pub fn new(data: &'a mut [f32], rows: usize, cols: usize) -> Self {
        Self::strided(data, rows, cols, cols)
    }

    /// Rows that begin `stride` numbers after each other.
    #[track_caller]
    pub fn strided(data: &'a mut [f32], rows: usize, cols: usize, stride: usize) -> Self {
        let needed = extent(rows, cols, stride, 1);
        assert!(needed <= data.len(), "{rows} rows of {cols} need {needed}, not {}", data.len());
        Self { data, rows, cols, row_stride: stride }
    }

    /// Some of the columns.
    #[must_use]
    #[track_caller]
    pub fn columns(self, range: Range<usize>) -> Self {
        assert!(range.end <= self.cols, "columns {range:?} of {}", self.cols);
        let start = if self.rows == 0 { 0 } else { range.start };
        Self { data: &mut self.data[start..], cols: range.len(), ..self }
    }

    /// A row.
    #[inline(always)]
    pub fn row(&mut self, row: usize) -> &mut [f32] {
        &mut self.data[row * self.row_stride..][..self.cols]
    }
}

/// `out = a b`.
#[track_caller]
pub fn product(out: MatMut<'_>, a: Mat<'_>, b: Mat<'_>) {
    multiply(out, a, b, false);
}

/// `out += a b`.
#[track_caller]
pub fn add_product(out: MatMut<'_>, a: Mat<'_>, b: Mat<'_>) {
    multiply(out, a, b, true);
}

#[track_caller]
fn multiply(mut out: MatMut<'_>, a: Mat<'_>, b: Mat<'_>, add: bool) {
    let (m, n, k) = (out.rows, out.cols, a.cols);
    assert_eq!((m, k, n), (a.rows, b.rows, b.cols), "rows, inner size and columns of a product");
    if m == 0 || n == 0 {
        return;
    }
    if k == 0 {
        if !add {
            (0..m).for_each(|row| out.row(row).fill(0.0));
        }
        return;
    }
    OPERATIONS.fetch_add(2 * (m * n * k) as u64, Ordering::Relaxed);
    // SAFETY: the views were checked to reach no further than their slices when they were made,
    // and rows and columns were only taken away since; `out` is borrowed alone, so it overlaps
    // neither factor.
    #[expect(unsafe_code, reason = "the product of `gemm` takes pointers")]
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.data.as_mut_ptr(),
            1,
            out.row_stride as isize,
            add,
            a.data.as_ptr(),
            a.col_stride as isize,
            a.row_stride as isize,
            b.data.as_ptr(),
            b.col_stride as isize,
            b.row_stride as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}
