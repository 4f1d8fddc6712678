//! What neural algorithmic reasoners spend their time on, forward and back, over plain slices.
//!
//! Nothing here knows of networks or algorithms: matrices and their products, messages between
//! nodes, their aggregation, triplets, pointers, norms. Every kernel works on one sample or on a
//! block of them on the thread that calls it, in an order that depends on sizes only; who calls may
//! run blocks in parallel and gets the same bits from any number of threads.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without wide vectors")]

pub mod aggregate;
pub mod gate;
pub mod heard;
pub mod matrix;
pub mod messages;
pub mod norm;
#[cfg(test)]
mod oracle;
pub mod pointer;
mod simd;
pub mod sinkhorn;
pub mod softmax;
pub mod triplets;
mod vector;

use aligned_vec::{AVec, ConstAlign};

/// Memory for numbers. It begins where a cache line does, and so do rows of 16 numbers or a multiple
/// of it: a vector that crosses from line to line takes twice as long to load and store.
#[derive(Clone, Debug)]
pub struct Buffer<T = f32>(AVec<T, ConstAlign<64>>);

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Self(AVec::new(64))
    }
}

impl<T> std::ops::Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> std::ops::DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T> FromIterator<T> for Buffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(AVec::from_iter(64, items))
    }
}

impl<T: Copy + Default> Buffer<T> {
    /// Room for so many numbers. What they are does not matter.
    pub fn sized(&mut self, size: usize) -> &mut [T] {
        if self.0.len() < size {
            self.0.resize(size, T::default());
        }
        &mut self.0[..size]
    }

    /// So many zeros.
    pub fn zeroed(&mut self, size: usize) -> &mut [T] {
        let numbers = self.sized(size);
        numbers.fill(T::default());
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::Buffer;

    #[test]
    fn memory_is_zeroed_whatever_was_there_and_begins_with_a_cache_line() {
        let mut buffer = Buffer::default();
        for size in [3, 0, 100, 7] {
            buffer.sized(size).fill(f32::NAN);
            assert_eq!(buffer.zeroed(size), vec![0.0; size]);
            assert_eq!(buffer.as_ptr() as usize % 64, 0);
        }
    }
}
