//! Work on all threads, or on one without the `rayon` feature. Results never depend on which.

#[cfg(feature = "rayon")]
mod imp {
    use rayon::prelude::*;

    pub(crate) fn threads() -> usize {
        rayon::current_num_threads()
    }

    pub(crate) fn for_each<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) {
        let work = &work;
        rayon::scope_fifo(|scope| {
            for item in items {
                scope.spawn_fifo(move |_| work(item));
            }
        });
    }

    pub(crate) fn for_each_chunk(
        values: &mut [f32],
        size: usize,
        work: impl Fn(usize, &mut [f32]) + Sync + Send,
    ) {
        values.par_chunks_mut(size).enumerate().for_each(|(i, chunk)| work(i, chunk));
    }

    pub(crate) fn map<T: Sync, R: Send>(
        items: &[T],
        work: impl Fn(&T) -> R + Sync + Send,
    ) -> Vec<R> {
        items.par_iter().map(work).collect()
    }
}

#[cfg(not(feature = "rayon"))]
mod imp {
    pub(crate) fn threads() -> usize {
        1
    }

    pub(crate) fn for_each<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) {
        items.iter_mut().for_each(work);
    }

    pub(crate) fn for_each_chunk(
        values: &mut [f32],
        size: usize,
        work: impl Fn(usize, &mut [f32]) + Sync + Send,
    ) {
        values.chunks_mut(size).enumerate().for_each(|(i, chunk)| work(i, chunk));
    }

    pub(crate) fn map<T: Sync, R: Send>(
        items: &[T],
        work: impl Fn(&T) -> R + Sync + Send,
    ) -> Vec<R> {
        items.iter().map(work).collect()
    }
}

/// Calls `work` once per item. Items start in order.
pub(crate) use imp::for_each;
/// Calls `work` with the index and the values of each chunk of `size` values.
pub(crate) use imp::for_each_chunk;
/// Maps items to results, in order.
pub(crate) use imp::map;
/// Number of threads that work at the same time.
pub(crate) use imp::threads;
