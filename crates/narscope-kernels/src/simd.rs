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

/// Defines a function whose body is compiled for every instruction set and told which one it has,
/// for loops that must keep vectors in registers and not depend on a compiler's mood.
macro_rules! simd_fn {
    (
        $(#[$meta:meta])*
        pub fn $name:ident<$($life:lifetime),*>($simd:ident: $S:ident, $($arg:ident: $Type:ty),+ $(,)?)
        $body:block
    ) => {
        $(#[$meta])*
        pub fn $name<$($life),*>($($arg: $Type),+) {
            struct Work<$($life),*>($($Type),+);
            impl<$($life),*> pulp::WithSimd for Work<$($life),*> {
                type Output = ();

                #[inline(always)]
                fn with_simd<$S: pulp::Simd>(self, $simd: $S) {
                    let Self($($arg),+) = self;
                    $body
                }
            }
            pulp::Arch::new().dispatch(Work($($arg),+));
        }
    };
}
pub(crate) use simd_fn;
