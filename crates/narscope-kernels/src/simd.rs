//! Dispatch to the widest SIMD instruction set of the processor, at run time.

/// Runs `work`, compiled for the best instruction set available. Functions it calls must be inlined
/// into it: otherwise they are compiled for the baseline instruction set.
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

/// Defines a function whose body is compiled for every instruction set and receives a token of the
/// current one: for loops that must keep vectors in registers without relying on auto-vectorisation.
macro_rules! simd_fn {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident<$($life:lifetime),*>($simd:ident: $S:ident, $($arg:ident: $Type:ty),+ $(,)?)
        $body:block
    ) => {
        $(#[$meta])*
        $vis fn $name<$($life),*>($($arg: $Type),+) {
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
