//! Forward and backward kernels of neural algorithmic reasoners, over plain slices.
//!
//! Matrix products, messages along edges, their aggregation, triplets, pointers, norms; nothing
//! here knows of networks or algorithms. A backward pass is named after its forward pass:
//! `x` and `x_backward`, or `X::forward` and `X::backward`. Unless documented otherwise it adds to
//! gradients.
//!
//! Every kernel runs on the calling thread, on one sample or on a block of samples, in an order
//! that depends on sizes only: blocks may run in parallel, and results have the same bits for any
//! number of threads.

#![allow(clippy::inline_always, reason = "code that is not inlined is compiled without wide SIMD")]

pub mod aggregate;
pub mod denormals;
pub mod gate;
pub mod incoming;
pub mod matrix;
pub mod messages;
pub mod norm;
#[cfg(test)]
mod oracle;
pub mod pairs;
pub mod pointer;
mod simd;
pub mod sinkhorn;
pub mod softmax;
pub mod triplets;
mod vector;

use aligned_vec::{AVec, ConstAlign};

/// Reusable memory, aligned to cache lines. Rows of a multiple of 16 floats are then aligned too: a
/// SIMD vector that straddles two lines takes twice as long to load and store.
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
    /// The first `size` elements, with unspecified contents. Grows if needed.
    pub fn sized(&mut self, size: usize) -> &mut [T] {
        if self.0.len() < size {
            self.0.resize(size, T::default());
        }
        &mut self.0[..size]
    }

    /// The first `size` elements, set to zero.
    pub fn zeroed(&mut self, size: usize) -> &mut [T] {
        let elements = self.sized(size);
        elements.fill(T::default());
        elements
    }
}

/// Values, and the gradient with respect to them, which is added to.
#[derive(Debug)]
pub struct WithGradient<'a> {
    /// The values.
    pub values: &'a [f32],
    /// The gradient, of the same length.
    pub gradient: &'a mut [f32],
}

impl WithGradient<'_> {
    /// `len` values from `start` on, and their gradient.
    #[inline(always)]
    pub(crate) fn slice(&mut self, start: usize, len: usize) -> WithGradient<'_> {
        let (values, gradient) = (&self.values[start..], &mut self.gradient[start..]);
        WithGradient { values: &values[..len], gradient: &mut gradient[..len] }
    }
}

#[cfg(test)]
mod tests {
    use super::Buffer;

    #[test]
    fn stale_memory_is_zeroed_and_aligned_to_a_cache_line() {
        let mut buffer = Buffer::default();
        for size in [3, 0, 100, 7] {
            buffer.sized(size).fill(f32::NAN);
            assert_eq!(buffer.zeroed(size), vec![0.0; size]);
            assert_eq!(buffer.as_ptr() as usize % 64, 0);
        }
    }
}
