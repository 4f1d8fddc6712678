//! The widest vectors that the processor at hand has, found out while the program runs.

/// Runs `work` compiled for the best instruction set there is. What it calls must be inlined into
/// it, or it is compiled for the plainest one.
#[inline(always)]
pub(crate) fn widest<R>(work: impl FnOnce() -> R) -> R {
    struct Work<W>(W);
    impl<R, W: FnOnce() -> R> pulp::WithSimd for Work<W> {
        type Output = R;

        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, _: S) -> R {
            (self.0)()
        }
    }
    pulp::Arch::new().dispatch(Work(work))
}
