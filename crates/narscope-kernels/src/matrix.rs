//! Matrices as views of slices, and their products.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Multiplications and additions of all products of this process so far.
static OPERATIONS: AtomicU64 = AtomicU64::new(0);

/// Number of multiplications and additions in all products of this process so far. Divided by the
/// time taken, it shows how close a program comes to the peak of the machine.
pub fn operations() -> u64 {
    OPERATIONS.load(Ordering::Relaxed)
}

/// A read-only view of a matrix.
#[derive(Clone, Copy, Debug)]
pub struct Mat<'a> {
    data: &'a [f32],
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
}

/// A mutable view of a row-major matrix.
#[derive(Debug)]
pub struct MatMut<'a> {
    data: &'a mut [f32],
    rows: usize,
    cols: usize,
    row_stride: usize,
}

/// Number of elements from the first to the last of a matrix; saturates on overflow.
fn extent(rows: usize, cols: usize, row_stride: usize, col_stride: usize) -> usize {
    match (rows, cols) {
        (0, _) | (_, 0) => 0,
        _ => {
            let [down, right] = [(rows, row_stride), (cols, col_stride)]
                .map(|(count, stride)| (count - 1).saturating_mul(stride));
            down.saturating_add(right).saturating_add(1)
        }
    }
}

impl<'a> Mat<'a> {
    /// A matrix of contiguous rows.
    #[track_caller]
    pub fn new(data: &'a [f32], rows: usize, cols: usize) -> Self {
        Self::strided(data, rows, cols, cols)
    }

    /// A matrix whose rows start `stride` elements apart.
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

    /// A range of columns.
    #[must_use]
    #[track_caller]
    pub fn columns(self, range: Range<usize>) -> Self {
        assert!(range.end <= self.cols, "columns {range:?} of {}", self.cols);
        let start = (range.start * self.col_stride).min(self.data.len());
        Self { data: &self.data[start..], cols: range.len(), ..self }
    }

    /// A range of rows.
    #[must_use]
    #[track_caller]
    pub fn rows(self, range: Range<usize>) -> Self {
        assert!(range.end <= self.rows, "rows {range:?} of {}", self.rows);
        let start = (range.start * self.row_stride).min(self.data.len());
        Self { data: &self.data[start..], rows: range.len(), ..self }
    }

    /// Number of columns.
    #[inline(always)]
    pub fn width(self) -> usize {
        self.cols
    }

    /// A row. The matrix must not be transposed.
    #[inline(always)]
    pub fn row(self, row: usize) -> &'a [f32] {
        &self.data[row * self.row_stride..][..self.cols]
    }
}

impl<'a> MatMut<'a> {
    /// A matrix of contiguous rows.
    #[track_caller]
    pub fn new(data: &'a mut [f32], rows: usize, cols: usize) -> Self {
        Self::strided(data, rows, cols, cols)
    }

    /// A matrix whose rows start `stride` elements apart.
    #[track_caller]
    pub fn strided(data: &'a mut [f32], rows: usize, cols: usize, stride: usize) -> Self {
        let needed = extent(rows, cols, stride, 1);
        assert!(needed <= data.len(), "{rows} rows of {cols} need {needed}, not {}", data.len());
        Self { data, rows, cols, row_stride: stride }
    }

    /// A range of columns.
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

/// `out = aᵀ`.
#[track_caller]
pub fn transpose(mut out: MatMut<'_>, a: Mat<'_>) {
    // That many rows of `a`, as many as a cache line has floats, stay in the cache while columns are read.
    const LINE: usize = 16;
    assert_eq!((out.rows, out.cols), (a.cols, a.rows), "rows and columns of a transpose");
    for first in (0..out.cols).step_by(LINE) {
        let last = (first + LINE).min(out.cols);
        for row in 0..out.rows {
            for (x, i) in out.row(row)[first..last].iter_mut().zip(first..) {
                *x = a.data[i * a.row_stride + row * a.col_stride];
            }
        }
    }
}

/// Configures the `gemm` library for the products of this crate. Call it once before products, when
/// an engine is opened; calling it again has no effect.
///
/// By default `gemm` packs (copies) a left factor that it traverses more than 8 times. Ours are
/// small and stay in the cache unpacked, so the threshold is raised to 256, its maximum. It is a
/// setting of the whole process, for all users of `gemm`. It changes the speed of products, not
/// their bits.
pub fn configure_gemm() {
    gemm::set_lhs_packing_threshold_single_thread(256);
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
    #[cfg(feature = "count-denormals")]
    {
        count_denormals("left factor", a);
        count_denormals("right factor", b);
    }
    // SAFETY: constructors check that views end within their slices, and later views only have
    // fewer rows and columns; `out` is borrowed exclusively, so it overlaps neither factor.
    #[expect(unsafe_code, reason = "`gemm` takes pointers")]
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
    #[cfg(feature = "count-denormals")]
    count_denormals("result", Mat::strided(out.data, m, n, out.row_stride));
}

#[cfg(feature = "count-denormals")]
#[track_caller]
fn count_denormals(which: &'static str, matrix: Mat<'_>) {
    use crate::denormals::{Place, count_at};

    let caller = std::panic::Location::caller();
    // Rows, or columns if the matrix is transposed, are contiguous.
    let matrix = if matrix.col_stride == 1 { matrix } else { matrix.t() };
    for row in 0..matrix.rows {
        count_at(Place::Product(which, caller.file(), caller.line()), matrix.row(row));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::oracle::{Random, cases, used};

    /// A submatrix of a larger strided matrix, or of its transpose.
    struct Submatrix {
        data: Vec<f32>,
        stride: usize,
        whole: [usize; 2],
        skipped: [usize; 2],
        size: [usize; 2],
        transposed: bool,
    }

    impl Submatrix {
        fn new(random: &mut Random, rows: usize, cols: usize) -> Self {
            let transposed = random.below(2) == 0;
            let skipped = [random.below(3), random.below(3)];
            let whole = [rows + skipped[0] + random.below(3), cols + skipped[1] + random.below(3)];
            let [lines, length] = if transposed { [whole[1], whole[0]] } else { whole };
            let stride = length + random.below(3);
            // No padding after the last line.
            let data = random.few_digits((lines * stride).saturating_sub(stride - length));
            Self { data, stride, whole, skipped, size: [rows, cols], transposed }
        }

        fn mat(&self) -> Mat<'_> {
            let [rows, cols] = self.whole;
            let whole = if self.transposed {
                Mat::strided(&self.data, cols, rows, self.stride).t()
            } else {
                Mat::strided(&self.data, rows, cols, self.stride)
            };
            let [row, col] = self.skipped;
            whole.rows(row..row + self.size[0]).columns(col..col + self.size[1])
        }

        fn at(&self, row: usize, col: usize) -> f32 {
            let (row, col) = (row + self.skipped[0], col + self.skipped[1]);
            let (line, offset) = if self.transposed { (col, row) } else { (row, col) };
            self.data[line * self.stride + offset]
        }
    }

    fn check(seed: u64, [m, n, k]: [usize; 3]) {
        let random = &mut Random(seed);
        let (a, b) = (Submatrix::new(random, m, k), Submatrix::new(random, k, n));
        let (left, right) = (random.below(3), random.below(3));
        let stride = left + n + right;
        let mut out: Vec<f32> = used(m * stride);
        let expected = |times: f32, before: f32| -> Vec<f32> {
            let element = |at| {
                let (row, col) = (at / stride, at % stride);
                if col < left || col >= left + n {
                    return 77.0;
                }
                let col = col - left;
                before + times * (0..k).map(|i| a.at(row, i) * b.at(i, col)).sum::<f32>()
            };
            (0..m * stride).map(element).collect()
        };

        product(MatMut::new(&mut out, m, stride).columns(left..left + n), a.mat(), b.mat());
        assert_eq!(out, expected(1.0, 0.0), "previous contents are overwritten");
        add_product(MatMut::new(&mut out, m, stride).columns(left..left + n), a.mat(), b.mat());
        assert_eq!(out, expected(2.0, 0.0), "the product is added to previous contents");
    }

    proptest! {
        #![proptest_config(cases(500))]

        #[test]
        fn products_of_submatrices_and_transposes_agree_with_the_definition(
            (m, n, k, seed) in (0..=20_usize, 0..=40_usize, 0..=20_usize, any::<u64>())
        ) {
            check(seed, [m, n, k]);
        }
    }

    #[test]
    fn products_at_the_sizes_of_training_agree_with_the_definition() {
        for (seed, size) in
            [[512, 128, 128], [128, 128, 512], [1, 128, 128], [128, 1, 70]].into_iter().enumerate()
        {
            check(seed as u64, size);
        }
    }

    #[test]
    fn the_configuration_of_gemm_does_not_change_the_bits_of_products() {
        let random = &mut Random(3);
        for [m, n, k] in [[512, 128, 128], [128, 128, 512], [300, 77, 5], [7, 640, 33]] {
            let (a, b) = (random.uniform(m * k), random.uniform(k * n));
            let multiply = || {
                let mut out = used(m * n);
                product(MatMut::new(&mut out, m, n), Mat::new(&a, m, k), Mat::new(&b, k, n));
                out
            };
            gemm::set_lhs_packing_threshold_single_thread(
                gemm::DEFAULT_LHS_PACKING_THRESHOLD_SINGLE_THREAD,
            );
            let packed: Vec<f32> = multiply();
            configure_gemm();
            assert_eq!(packed, multiply(), "{m} x {k} times {k} x {n}");
        }
    }

    proptest! {
        #[test]
        fn a_transpose_swaps_rows_and_columns(
            (rows, cols, seed) in (0..=40_usize, 0..=40_usize, any::<u64>())
        ) {
            let a = Submatrix::new(&mut Random(seed), rows, cols);
            let mut out: Vec<f32> = used(cols * (rows + 1));
            transpose(MatMut::new(&mut out, cols, rows + 1).columns(0..rows), a.mat());
            for (at, x) in out.iter().enumerate() {
                let (i, j) = (at / (rows + 1), at % (rows + 1));
                prop_assert_eq!(*x, if j < rows { a.at(j, i) } else { 77.0 });
            }
        }
    }

    #[test]
    fn empty_ranges_can_start_anywhere_in_a_matrix() {
        let data = [0.0; 12];
        let (straight, transposed) =
            (Mat::strided(&data, 3, 2, 5), Mat::strided(&data, 3, 2, 5).t());
        for at in 0..=2 {
            assert_eq!(straight.columns(at..at).width() + transposed.rows(at..at).rows, 0);
        }
        for at in 0..=3 {
            assert_eq!(transposed.columns(at..at).width() + straight.rows(at..at).rows, 0);
        }
    }

    #[test]
    #[should_panic(expected = "3 rows of 4 need 14, not 13")]
    fn a_matrix_that_does_not_fit_is_refused() {
        let _ = Mat::strided(&[0.0; 13], 3, 4, 5);
    }

    #[test]
    #[should_panic(expected = "rows, inner size and columns of a product")]
    fn a_product_of_matrices_that_do_not_match_is_refused() {
        let (a, b) = (Mat::new(&[0.0; 6], 2, 3), Mat::new(&[0.0; 6], 2, 3));
        product(MatMut::new(&mut [0.0; 6], 2, 3), a, b);
    }

    #[cfg(feature = "count-denormals")]
    #[test]
    fn denormal_factors_and_results_of_a_product_are_counted() {
        use crate::denormals::{Count, take};

        let tiny = f32::MIN_POSITIVE / 4.0;
        let (a, b, mut out) = ([tiny, 1.0], [1.0, 0.0], [0.0]);
        take();
        product(MatMut::new(&mut out, 1, 1), Mat::new(&a, 1, 2), Mat::new(&b, 2, 1));
        let counts = take();
        let of = |name: &str| {
            let found = counts.iter().find(|(place, _)| place.to_string().starts_with(name));
            *found.expect("a count").1
        };
        assert_eq!(of("left factor"), Count { all: 2, denormal: 1 });
        assert_eq!(of("right factor"), Count { all: 2, denormal: 0 });
        assert_eq!(of("result"), Count { all: 1, denormal: 1 });
    }
}
