//! Exclusive lock on a folder, held by one process at a time.
//!
//! The folder itself is locked, because files in it are replaced by renames. On file systems that cannot lock
//! folders, as on many clusters, a file in the folder is locked instead.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::{Error, Result, own_file};

/// The file that is locked where folders cannot be.
fn lock_file(folder: &Path) -> PathBuf {
    folder.join(".narscope-lock")
}

fn open_lock_file(folder: &Path) -> Result<File> {
    let path = lock_file(folder);
    let file = own_file::open(&path, File::options().create(true).append(true));
    let file = file.map_err(Error::io("lock", &path))?;
    // Every user who may write to the folder must be able to lock it. Fails for all but the file's owner, who
    // has set it.
    #[cfg(unix)]
    let _ = file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    Ok(file)
}

/// Ignores a file system without locks: there is then no exclusion.
fn if_supported(folder: &Path, locked: io::Result<()>) -> Result<()> {
    match locked {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        locked => locked.map_err(Error::io("lock", &lock_file(folder))),
    }
}

/// Locks a folder, waiting for another process that holds the lock. Released on drop.
pub fn lock(folder: &Path) -> Result<File> {
    if let Ok(locked) = File::open(folder).and_then(|file| file.lock().map(|()| file)) {
        return Ok(locked);
    }
    let file = open_lock_file(folder)?;
    if_supported(folder, file.lock())?;
    Ok(file)
}

/// Locks a folder without waiting. Released on drop.
///
/// # Errors
/// [`Error::Busy`] if another process holds the lock.
pub fn try_lock(folder: &Path) -> Result<File> {
    let busy = || Error::Busy { path: folder.to_owned() };
    if let Ok(file) = File::open(folder) {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => return Err(busy()),
            Err(TryLockError::Error(_)) => {}
        }
    }
    let file = open_lock_file(folder)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(busy()),
        Err(TryLockError::Error(error)) => if_supported(folder, Err(error))?,
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_busy_until_its_lock_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let first = try_lock(folder.path()).unwrap();
        let error = try_lock(folder.path()).unwrap_err();
        assert!(matches!(error, Error::Busy { .. }), "{error}");
        drop(first);
        drop(lock(folder.path()).unwrap());
        try_lock(folder.path()).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_file_that_is_a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        std::os::unix::fs::symlink(&target, lock_file(folder.path())).unwrap();
        let error = open_lock_file(folder.path()).unwrap_err();
        let Error::Io { source, .. } = error else { panic!("{error}") };
        assert_eq!(source.to_string(), "it is a symbolic link; remove it");
        assert!(!target.exists());
    }
}
