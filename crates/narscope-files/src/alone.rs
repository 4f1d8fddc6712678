//! One process at a time in a folder.
//!
//! The folder itself is locked, as files in it are replaced by others. Where folders cannot be, as on many a
//! cluster, a file in it is.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// What is locked where folders cannot be.
fn instead(folder: &Path) -> PathBuf {
    folder.join(".narscope-lock")
}

fn open_instead(folder: &Path) -> Result<File> {
    let path = instead(folder);
    let file = File::options().create(true).append(true).open(&path);
    let file = file.map_err(Error::io("lock", &path))?;
    // Others who may write to the folder lock it, too; whose it is has done this before.
    #[cfg(unix)]
    let _ = file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    Ok(file)
}

/// Where nothing can be locked, nobody waits.
fn if_possible(folder: &Path, locked: io::Result<()>) -> Result<()> {
    match locked {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        locked => locked.map_err(Error::io("lock", &instead(folder))),
    }
}

/// Waits until nobody else works in a folder; nobody will for as long as what is returned is kept.
pub fn wait(folder: &Path) -> Result<File> {
    if let Ok(locked) = File::open(folder).and_then(|file| file.lock().map(|()| file)) {
        return Ok(locked);
    }
    let file = open_instead(folder)?;
    if_possible(folder, file.lock())?;
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
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(busy()),
        Err(TryLockError::Error(error)) => if_possible(folder, Err(error))?,
    }
    Ok(file)
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
