//! Atomic file writes: temporary file, fsync, rename.
//!
//! A reader sees the old file or the complete new one, never a part of it. Symbolic links are followed: the
//! link stays, its target is replaced. Devices and pipes are written to directly. A folder of several files is
//! written in the same way ([`write_folder`]).
//!
//! A process that is killed leaves its temporary files behind. The next one that writes to the same folder removes
//! them: temporary files are locked while their process lives.
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

use std::collections::BTreeSet;
use std::fs::{File, Metadata, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use tempfile::{NamedTempFile, TempDir};

use crate::{Error, Result, own_file};

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

/// Prefix of the names of temporary files and folders.
const PREFIX: &str = ".narscope-unfinished-";

/// Temporary files and folders of this process, for [`remove_unfinished`].
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Folders from which this process has removed what killed processes left.
static CLEANED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes the temporary files of this process. Call it before exiting on a signal.
pub fn remove_unfinished() {
    for path in unfinished().drain(..) {
        // The process is exiting, and the file may just have been renamed.
        let _ = std::fs::remove_file(&path);
        let _ = std::fs::remove_dir_all(&path);
    }
}

/// Removes temporary files that killed processes left in a folder. Files that are still being written are
/// locked, and stay.
pub fn remove_stale(folder: &Path) -> Result<()> {
    let failed = || Error::io("clean up", folder);
    for entry in std::fs::read_dir(folder).map_err(failed())? {
        let entry = entry.map_err(failed())?;
        let path = entry.path();
        // A link is never ours.
        let Ok(there) = std::fs::symlink_metadata(&path) else { continue };
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && (there.is_file() || there.is_dir());
        if !is_ours {
            continue;
        }
        // Its lock is held until it is removed: a process that has just created it tries to lock it, too.
        let Some(_lock) = locked_if_stale(&path, &there) else { continue };
        if there.is_dir() {
            std::fs::remove_dir_all(&path).map_err(Error::io("remove", &path))?;
        } else {
            // Not an error if its writer has just renamed it.
            remove(&path)?;
        }
    }
    Ok(())
}

/// Opens and locks a temporary file or folder if the process that wrote it is gone.
fn locked_if_stale(path: &Path, there: &Metadata) -> Option<File> {
    /// Longer than writing any file takes.
    const DAY: Duration = Duration::from_hours(24);
    // Some network file systems lock only files that are open for writing.
    let mut options = File::options();
    if there.is_dir() {
        options.read(true)
    } else {
        options.write(true)
    };
    // What cannot be opened belongs to another user.
    let file = own_file::open(path, &mut options).ok()?;
    let is_stale = match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        // A file system without locks.
        Err(TryLockError::Error(_)) => {
            let age = there.modified().ok().and_then(|modified| modified.elapsed().ok());
            age.is_some_and(|age| age > DAY)
        }
    };
    is_stale.then_some(file)
}

/// Removes what killed processes left in a folder, once per process: reading the folder before every file would
/// take long in large ones. Whether it succeeds does not matter to the file that is to be written.
fn clean_once(folder: &Path) {
    let mut cleaned = CLEANED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if cleaned.insert(folder.to_owned()) {
        drop(cleaned);
        let _ = remove_stale(folder);
    }
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

/// Creates a locked temporary file in the folder of `path`, for [`persist`].
pub(crate) fn temporary(path: &Path) -> Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    // Temporary files are private by default; results get the permissions that the umask allows.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let resolved = resolved(path);
    let folder = parent_folder(&resolved);
    clean_once(folder);
    loop {
        let file = builder.tempfile_in(folder).map_err(Error::io("write", path))?;
        // Another process may have taken it for a stale one before it was locked.
        if is_locked(file.as_file()) && file.path().exists() {
            unfinished().push(file.path().to_owned());
            return Ok(file);
        }
    }
}

/// Locks a temporary file or folder against [`remove_stale`]; `false` if another process holds the lock, which is
/// about to remove it. Without locks on the file system its age protects it.
fn is_locked(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Writes a new folder through `fill`, which gets an empty folder to write to. The folder appears once everything
/// is in it; if `fill` fails or the process is killed, nothing does. An empty folder is replaced.
///
/// # Errors
/// [`Error::Exists`] if there is a file, or a folder with files.
pub fn write_folder<E: From<Error>>(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let exists = || Error::Exists { path: path.to_owned() };
    if !is_vacant(path) {
        return Err(exists().into());
    }
    let parent = parent_folder(path);
    std::fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
    clean_once(parent);
    let (folder, _lock) = temporary_folder(parent)?;
    fill(folder.path())?;
    if path.is_dir() {
        // Fails if another process has just filled it.
        std::fs::remove_dir(path).map_err(|_| exists())?;
    }
    match std::fs::rename(folder.path(), path) {
        Ok(()) => {}
        Err(_) if !is_vacant(path) => return Err(exists().into()),
        Err(error) => return Err(Error::io("create", path)(error).into()),
    }
    unfinished().retain(|unfinished| unfinished != folder.path());
    // It has another name now.
    let _ = folder.keep();
    Ok(sync_folder(parent).map_err(Error::io("write", path))?)
}

/// Whether there is nothing at a path, or an empty folder.
fn is_vacant(path: &Path) -> bool {
    match std::fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Creates a temporary folder, with its lock where the file system can lock folders.
fn temporary_folder(parent: &Path) -> Result<(TempDir, Option<File>)> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    loop {
        let folder = builder.tempdir_in(parent).map_err(Error::io("write to", parent))?;
        let lock = File::open(folder.path()).ok();
        if lock.as_ref().is_none_or(is_locked) && folder.path().exists() {
            unfinished().push(folder.path().to_owned());
            return Ok((folder, lock));
        }
    }
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

    #[test]
    fn the_next_write_to_a_folder_removes_what_a_killed_process_left() {
        let folder = tempfile::tempdir().unwrap();
        let killed = folder.path().join(format!("{PREFIX}killed"));
        std::fs::write(&killed, "half").unwrap();
        let half_a_folder = folder.path().join(format!("{PREFIX}folder"));
        std::fs::create_dir(&half_a_folder).unwrap();
        std::fs::write(half_a_folder.join("best.safetensors"), "half").unwrap();
        let theirs = folder.path().join(".unfinished-of-another-program");
        std::fs::write(&theirs, "").unwrap();
        let written = folder.path().join(format!("{PREFIX}written"));
        let being_written = File::create(&written).unwrap();
        being_written.lock().unwrap();

        write(&folder.path().join("a.txt"), Existing::Keep, |file| file.write_all(b"a")).unwrap();

        assert!(!killed.exists() && !half_a_folder.exists());
        assert!(theirs.exists() && written.exists(), "only ours, and only if nobody writes them");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_with_the_name_of_a_temporary_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        std::fs::create_dir(&target).unwrap();
        std::os::unix::fs::symlink(&target, folder.path().join(format!("{PREFIX}link"))).unwrap();
        remove_stale(folder.path()).unwrap();
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[test]
    fn a_folder_appears_complete_or_not_at_all() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("deep/run");
        let error = write_folder(&path, |folder| {
            std::fs::write(folder.join("half"), "").unwrap();
            assert!(!path.exists());
            Err(Error::Exists { path: "as an example".into() })
        });
        assert!(matches!(error, Err(Error::Exists { .. })), "{error:?}");
        let deep = parent.path().join("deep");
        assert_eq!(names(&deep), [""; 0], "a failure leaves nothing");

        let write = |content: &str| {
            write_folder(&path, |folder| {
                std::fs::write(folder.join("a"), content).map_err(Error::io("write", folder))
            })
        };
        std::fs::create_dir(&path).unwrap();
        write("first").unwrap();
        assert_eq!((names(&deep), names(&path)), (vec!["run".to_owned()], vec!["a".to_owned()]));
        assert!(matches!(write("second"), Err(Error::Exists { .. })));
        assert_eq!(std::fs::read_to_string(path.join("a")).unwrap(), "first");
    }

    #[test]
    fn processes_that_clean_up_do_not_disturb_each_other() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let path = folder.path().join(format!("{thread}.txt"));
                let folder = folder.path();
                scope.spawn(move || {
                    for round in 0..50 {
                        write(&path, Existing::Replace, |file| {
                            remove_stale(folder).unwrap();
                            writeln!(file, "{round}")
                        })
                        .unwrap();
                    }
                });
            }
        });
        assert_eq!(names(folder.path()).len(), 4);
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
