//! Atomic file writes: temporary file, fsync, rename.
//!
//! A reader sees the old file or the complete new one, never a part of it. Symbolic links are followed: the
//! link stays, its target is replaced. Devices and pipes are written to directly.
//!
//! ```
//! use std::io::Write as _;
//!
//! use narscope_files::Error;
//! use narscope_files::atomic::{self, Existing};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("scores.txt");
//! atomic::write(&path, Existing::Keep, |file| writeln!(file, "0.97"))?;
//! assert_eq!(std::fs::read_to_string(&path)?, "0.97\n");
//!
//! // Existing files are replaced only on request.
//! let refused = atomic::write(&path, Existing::Keep, |file| writeln!(file, "0.98"));
//! assert!(matches!(refused, Err(Error::Exists { .. })));
//! atomic::write(&path, Existing::Replace, |file| writeln!(file, "0.98"))?;
//! # Ok(())
//! # }
//! ```

use std::fs::{File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::NamedTempFile;

use crate::{Error, Result};

/// What to do with a file that already exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Keep it and return [`Error::Exists`].
    Keep,
    /// Replace it.
    Replace,
}

/// Checks that `path` can be written, and that no file is there if it must be kept.
///
/// Call it before hours of work; [`write()`] checks again when it renames.
pub fn check(path: &Path, existing: Existing) -> Result<()> {
    if existing == Existing::Keep && path.exists() {
        return Err(Error::Exists { path: path.to_owned() });
    }
    let folder = parent_folder(path);
    if !folder.is_dir() {
        let source = io::Error::new(
            io::ErrorKind::NotFound,
            format!("the folder {} does not exist", folder.display()),
        );
        return Err(Error::io("write", path)(source));
    }
    if path.is_dir() {
        let source = io::Error::other("it is a folder");
        return Err(Error::io("write", path)(source));
    }
    if !is_special(path) {
        // Permissions alone do not tell whether a folder is writable; creating a file does.
        forget(&temporary(path)?);
    }
    Ok(())
}

/// Prefix of the names of temporary files.
const PREFIX: &str = ".narscope-unfinished-";

/// Temporary files of this process, for [`remove_unfinished`].
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the temporary files of this process. Call it before exiting on a signal.
pub fn remove_unfinished() {
    for path in unfinished().drain(..) {
        // The process is exiting, and the file may just have been renamed.
        let _ = std::fs::remove_file(path);
    }
}

/// Removes temporary files that killed processes left in a folder. Files that are still being written are
/// locked, and stay.
pub fn remove_stale(folder: &Path) -> Result<()> {
    let failed = || Error::io("clean up", folder);
    for entry in std::fs::read_dir(folder).map_err(failed())? {
        let entry = entry.map_err(failed())?;
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        // Some network file systems lock only files that are open for writing. A file that cannot be opened
        // for writing belongs to another user.
        let Ok(file) = File::options().write(true).open(entry.path()) else { continue };
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            continue;
        }
        // Not an error if its writer has just renamed it.
        remove(&entry.path())?;
    }
    Ok(())
}

/// Removes a file if it exists.
pub fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}

fn unfinished() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Writes a file through `fill`. On failure an existing file is unchanged and no new one appears.
pub fn write(
    path: &Path,
    existing: Existing,
    fill: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> Result<()> {
    check(path, existing)?;
    let failed = |source| Error::io("write", path)(source);
    let fill = |file: &mut File| {
        let mut buffer = BufWriter::with_capacity(1 << 16, file);
        fill(&mut buffer).and_then(|()| buffer.flush())
    };
    if is_special(path) {
        let mut open = File::options().write(true).open(path).map_err(failed)?;
        return fill(&mut open).map_err(failed);
    }
    let mut file = temporary(path)?;
    // Protects it from `remove_stale` where the file system supports locks.
    let _ = file.as_file().try_lock();
    fill(file.as_file_mut()).map_err(failed)?;
    persist(file, path, existing)
}

/// Whether `path` is neither a file nor a folder: a rename would replace the device or pipe itself.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// The target of a symbolic link, or the path itself.
fn resolved(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The resolved path that a finished file is renamed to; devices and pipes are refused.
fn destination(path: &Path) -> Result<PathBuf> {
    if is_special(path) {
        let source = io::Error::other("it is a device or a pipe; a regular file is needed");
        return Err(Error::io("write", path)(source));
    }
    Ok(resolved(path))
}

/// Syncs a temporary file and renames it to `path`.
pub(crate) fn persist(file: NamedTempFile, path: &Path, existing: Existing) -> Result<()> {
    let path = &destination(path)?;
    let failed = |source| Error::io("write", path)(source);
    file.as_file().sync_all().map_err(failed)?;
    copy_permissions(path, file.as_file()).map_err(failed)?;
    forget(&file);
    let renamed = match existing {
        Existing::Replace => file.persist(path),
        Existing::Keep => file.persist_noclobber(path).or_else(|error| {
            let is_there = error.error.kind() == io::ErrorKind::AlreadyExists || path.exists();
            // Some file systems have no rename that refuses to replace.
            if is_there { Err(error) } else { error.file.persist(path) }
        }),
    };
    match renamed {
        Ok(_) => sync_folder(parent_folder(path)).map_err(failed),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(Error::Exists { path: path.to_owned() })
        }
        Err(error) => Err(failed(error.error)),
    }
}

/// Gives a new file the permissions of the one that it replaces, if there is one.
fn copy_permissions(old: &Path, file: &File) -> io::Result<()> {
    std::fs::metadata(old).map_or(Ok(()), |old| file.set_permissions(old.permissions()))
}

/// Syncs a finished file and renames it from `from` to `to`.
pub(crate) fn rename(file: &File, from: &Path, to: &Path, existing: Existing) -> Result<()> {
    let to = &destination(to)?;
    let failed = |source| Error::io("write", to)(source);
    file.sync_all().map_err(failed)?;
    copy_permissions(to, file).map_err(failed)?;
    let renamed = match existing {
        Existing::Replace => std::fs::rename(from, to),
        // Unlike a rename, a hard link never replaces a file.
        Existing::Keep => match std::fs::hard_link(from, to) {
            Ok(()) => std::fs::remove_file(from),
            // Some file systems have no hard links.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists && !to.exists() => {
                std::fs::rename(from, to)
            }
            Err(error) => Err(error),
        },
    };
    match renamed {
        Ok(()) => sync_folder(parent_folder(to)).map_err(failed),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(Error::Exists { path: to.to_owned() })
        }
        Err(error) => Err(failed(error)),
    }
}

/// Creates a temporary file in the folder of `path`, for [`persist`].
pub(crate) fn temporary(path: &Path) -> Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    // Temporary files are private by default; results get the permissions that the umask allows.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let created = builder.tempfile_in(parent_folder(&resolved(path)));
    let file = created.map_err(Error::io("write", path))?;
    unfinished().push(file.path().to_owned());
    Ok(file)
}

/// Takes a file off the list of [`remove_unfinished`].
fn forget(file: &NamedTempFile) {
    unfinished().retain(|path| path != file.path());
}

/// The folder of a path; `.` for a bare file name.
pub fn parent_folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A rename survives a power failure only once the folder is synced.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write(&path, Existing::Keep, |file| file.write_all(b"old")).unwrap();

        let error = write(&path, Existing::Replace, |file| {
            file.write_all(b"half of the n")?;
            Err(io::Error::other("the disk is full"))
        });

        assert!(matches!(error, Err(Error::Io { verb: "write", .. })), "{error:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn an_existing_file_is_replaced_only_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write(&path, Existing::Keep, |file| file.write_all(b"old")).unwrap();
        let error = write(&path, Existing::Keep, |file| file.write_all(b"new")).unwrap_err();
        assert!(matches!(error, Error::Exists { .. }), "{error}");
        write(&path, Existing::Replace, |file| file.write_all(b"new")).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_links_are_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        std::fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write(&link, Existing::Replace, |file| file.write_all(b"new")).unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "new");

        // A link, so that a test run by root cannot replace /dev/null.
        let device = folder.path().join("device");
        std::os::unix::fs::symlink("/dev/null", &device).unwrap();
        write(&device, Existing::Replace, |file| file.write_all(b"gone")).unwrap();
        assert!(is_special(&device) && is_special(Path::new("/dev/null")));
        // The same for files that a library fills by path.
        let error = persist(temporary(&target).unwrap(), &device, Existing::Replace).unwrap_err();
        assert!(matches!(error, Error::Io { verb: "write", .. }), "{error}");
        persist(temporary(&link).unwrap(), &link, Existing::Replace).unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink() && is_special(&device));
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "");
    }

    #[test]
    fn stale_files_are_removed_and_files_being_written_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(folder.path().join(format!("{PREFIX}left")), "by a killed process").unwrap();
        write(&path, Existing::Keep, |file| {
            remove_stale(folder.path()).unwrap();
            assert_eq!(names(folder.path()).len(), 1, "only the file being written is left");
            file.write_all(b"complete")
        })
        .unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "complete");
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_file_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        write(&path, Existing::Keep, |file| file.write_all(b"old")).unwrap();
        let plain = folder.path().join("b.txt");
        std::fs::write(&plain, "").unwrap();
        assert_eq!(mode(), std::fs::metadata(&plain).unwrap().permissions().mode() & 0o777);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        write(&path, Existing::Replace, |file| file.write_all(b"new")).unwrap();
        assert_eq!(mode(), 0o600);
    }

    #[test]
    fn check_refuses_a_folder_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let error = check(folder.path(), Existing::Replace).unwrap_err();
        let Error::Io { source, .. } = error else { panic!("{error}") };
        assert_eq!(source.to_string(), "it is a folder");
        check(&folder.path().join("a.txt"), Existing::Keep).unwrap();
        assert_eq!(names(folder.path()), [""; 0], "no temporary file is left");
    }

    #[test]
    fn an_error_names_the_missing_folder() {
        let error = check(Path::new("/nowhere/a.npz"), Existing::Keep).unwrap_err();
        let Error::Io { source, .. } = error else { panic!("{error}") };
        assert_eq!(source.to_string(), "the folder /nowhere does not exist");
    }
}
