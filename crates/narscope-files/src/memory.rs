//! Available memory, so that what does not fit is refused and the process is not killed.

use sysinfo::{
    MemoryRefreshKind, Process, ProcessRefreshKind, ProcessesToUpdate, System, get_current_pid,
};

use crate::error::{Misread, misread};

/// Bytes that this process may still allocate, if the system tells: free memory, limited by the
/// container or the job of the process.
pub fn available() -> Option<usize> {
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let free = system.available_memory();
    let own = get_current_pid().ok()?;
    let only = ProcessesToUpdate::Some(&[own]);
    system.refresh_processes_specifics(only, false, ProcessRefreshKind::nothing());
    let limits = system.process(own).and_then(Process::cgroup_limits);
    // Cached files count as used there, but their memory is released on demand.
    let left = limits.map_or(free, |limits| limits.total_memory.saturating_sub(limits.rss));
    (free > 0).then(|| free.min(left) as usize)
}

/// Returns the available memory if it is less than `bytes`.
///
/// A small file may claim to hold more than any memory has: compressed zeros take no space.
pub fn too_small_for(bytes: usize) -> Option<usize> {
    /// Asking the system takes longer than reading a small file.
    const NOT_ASKED: usize = 64 << 20;
    if bytes <= NOT_ASKED {
        return None;
    }
    available().filter(|&available| available < bytes)
}

/// Something would take more memory than there is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} would take about {} of memory, {} are available", gigabytes(*needed), gigabytes(*available))]
pub struct NotEnough {
    /// What would take it.
    pub what: String,
    /// How many bytes it would take.
    pub needed: usize,
    /// How many bytes there are.
    pub available: usize,
}

/// Refuses what would take more memory than there is.
pub fn require(needed: usize, what: impl FnOnce() -> String) -> Result<(), NotEnough> {
    match available() {
        Some(available) if needed > available => Err(NotEnough { what: what(), needed, available }),
        _ => Ok(()),
    }
}

/// Refuses `count` values of type `T` that do not fit into memory.
pub(crate) fn check<T>(count: usize, what: impl FnOnce() -> String) -> Result<(), Misread> {
    let bytes = count.saturating_mul(size_of::<T>());
    match too_small_for(bytes) {
        None => Ok(()),
        Some(available) => Err(misread(
            format!("{} that fit into {} of available memory", what(), gigabytes(available)),
            gigabytes(bytes),
        )),
    }
}

fn gigabytes(bytes: usize) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_larger_than_memory_is_named_with_both_sizes() {
        require(0, || unreachable!("nothing takes no memory")).unwrap();
        if let Err(error) = require(usize::MAX, || "everything".to_owned()) {
            let sentence = error.to_string();
            assert!(
                sentence.starts_with("everything would take about 18446744073.7 GB"),
                "{sentence}"
            );
            assert!(sentence.ends_with(" GB are available"), "{sentence}");
        } else {
            assert_eq!(available(), None);
        }
    }

    #[test]
    fn what_does_not_fit_into_memory_is_refused_with_both_sizes() {
        check::<f64>(1000, || unreachable!("a small array is not refused")).unwrap();
        if available().is_some() {
            let Misread { expected, found } =
                check::<f64>(usize::MAX, || "the elements of x".to_owned()).unwrap_err();
            assert!(expected.starts_with("the elements of x that fit into "), "{expected}");
            assert!(expected.ends_with(" GB of available memory"), "{expected}");
            assert_eq!(found, "18446744073.7 GB");
        }
    }
}
