//! Counts of denormal numbers, by the place that computes them.
//!
//! Denormal (subnormal) numbers are those below the smallest normal one, `f32::MIN_POSITIVE`. Many
//! processors take a hundred cycles or more for an operation with one of them, so a few per mille in
//! the factors of a matrix product are felt. With the cargo feature `count-denormals`, kernels count
//! the denormal numbers that they read or write; without it, the calls compile to nothing.

#[cfg(feature = "count-denormals")]
pub(crate) use counting::count_at;
#[cfg(feature = "count-denormals")]
pub use counting::{Count, Place, take};

/// Counts the numbers that something computed.
#[inline(always)]
pub fn count(what: &'static str, values: &[f32]) {
    #[cfg(feature = "count-denormals")]
    counting::count_at(Place::Named(what), values);
    #[cfg(not(feature = "count-denormals"))]
    let _ = (what, values);
}

#[cfg(feature = "count-denormals")]
mod counting {
    use std::collections::BTreeMap;
    use std::fmt;
    use std::sync::Mutex;

    /// What computes numbers.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Place {
        /// Something with a name.
        Named(&'static str),
        /// A matrix of a product, and where the product is computed.
        Product(&'static str, &'static str, u32),
    }

    impl fmt::Display for Place {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                Self::Named(name) => write!(f, "{name}"),
                Self::Product(which, file, line) => {
                    let file = file.rsplit('/').next().unwrap_or(file);
                    write!(f, "{which} of the product at {file}:{line}")
                }
            }
        }
    }

    /// How many numbers a place computed.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Count {
        /// All of them.
        pub all: u64,
        /// Those that are denormal.
        pub denormal: u64,
    }

    static COUNTS: Mutex<BTreeMap<Place, Count>> = Mutex::new(BTreeMap::new());

    /// All counts of this process since the last call.
    pub fn take() -> BTreeMap<Place, Count> {
        std::mem::take(&mut *COUNTS.lock().expect("counting does not panic"))
    }

    pub(crate) fn count_at(place: Place, values: &[f32]) {
        let denormal = values.iter().filter(|x| x.is_subnormal()).count() as u64;
        let mut counts = COUNTS.lock().expect("counting does not panic");
        let count = counts.entry(place).or_default();
        count.all += values.len() as u64;
        count.denormal += denormal;
    }
}
