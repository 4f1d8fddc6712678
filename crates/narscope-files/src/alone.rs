//! One process at a time in a folder.
//!
//! The folder itself is locked, as files in it are replaced by others. Where folders cannot be, as on many a
//! cluster, a file in it is.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// What is locked where folders cannot be.
fn instead(folder: &Path) -> PathBuf {
    folder.join(".narscope-lock")
}

fn open_instead(folder: &Path) -> Result<File> {
    let path = instead(folder);
    File::options().create(true).append(true).open(&path).map_err(Error::io("lock", &path))
}

/// Waits until nobody else works in a folder; nobody will for as long as what is returned is kept.
pub fn wait(folder: &Path) -> Result<File> {
    if let Ok(locked) = File::open(folder).and_then(|file| file.lock().map(|()| file)) {
        return Ok(locked);
    }
    let file = open_instead(folder)?;
    file.lock().map_err(Error::io("lock", &instead(folder)))?;
    Ok(file)
}

/// The same without waiting.
///
/// # Errors
/// If somebody else works there.
pub fn now(folder: &Path) -> Result<File> {
    let busy = || Error::Busy { path: folder.to_owned() };
    if let Ok(file) = File::open(folder) {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => return Err(busy()),
            Err(TryLockError::Error(_)) => {}
        }
    }
    let file = open_instead(folder)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(busy()),
        Err(TryLockError::Error(error)) => Err(Error::io("lock", &instead(folder))(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_busy_until_whoever_works_there_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let first = now(folder.path()).unwrap();
        let error = now(folder.path()).unwrap_err();
        assert!(matches!(error, Error::Busy { .. }), "{error}");
        drop(first);
        drop(wait(folder.path()).unwrap());
        now(folder.path()).unwrap();
    }
}
