//! Whether work is spread over threads: with the feature `rayon` it is, else it runs on the calling
//! thread. Results are the same.

/// The number of threads.
#[cfg(feature = "rayon")]
pub(crate) fn threads() -> usize {
    rayon::current_num_threads()
}

/// The number of threads.
#[cfg(not(feature = "rayon"))]
pub(crate) fn threads() -> usize {
    1
}

/// Applies `f` to chunks of `size` items; results are in the order of the chunks.
#[cfg(feature = "rayon")]
pub(crate) fn map_chunks<T: Sync, R: Send>(
    items: &[T],
    size: usize,
    f: impl Fn(&[T]) -> R + Sync + Send,
) -> Vec<R> {
    use rayon::prelude::*;
    items.par_chunks(size).map(f).collect()
}

/// Applies `f` to chunks of `size` items; results are in the order of the chunks.
#[cfg(not(feature = "rayon"))]
pub(crate) fn map_chunks<T, R>(items: &[T], size: usize, f: impl Fn(&[T]) -> R) -> Vec<R> {
    items.chunks(size).map(f).collect()
}

/// Calls `f` with the index and the items of every chunk of `size` items.
#[cfg(feature = "rayon")]
pub(crate) fn for_each_chunk<T: Send>(
    items: &mut [T],
    size: usize,
    f: impl Fn(usize, &mut [T]) + Sync + Send,
) {
    use rayon::prelude::*;
    items.par_chunks_mut(size).enumerate().for_each(|(index, chunk)| f(index, chunk));
}

/// Calls `f` with the index and the items of every chunk of `size` items.
#[cfg(not(feature = "rayon"))]
pub(crate) fn for_each_chunk<T>(items: &mut [T], size: usize, f: impl Fn(usize, &mut [T])) {
    items.chunks_mut(size).enumerate().for_each(|(index, chunk)| f(index, chunk));
}
