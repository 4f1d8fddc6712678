//! Files appear whole or not at all: written aside, synced, renamed. What is no file, a device or a pipe, is
//! written to as it is; a link stays one, and its file is replaced.

use std::fs::{File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::NamedTempFile;

use crate::{Error, Result};

/// What to do with a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Leave it, and say so.
    Keep,
    /// Put the new one in its place.
    Replace,
}

/// Refuses to go on if the file is there and must be kept, or cannot be written at all.
///
/// Worth calling before hours of work; [`write()`] checks again when it renames.
pub fn check(path: &Path, existing: Existing) -> Result<()> {
    if existing == Existing::Keep && path.exists() {
        return Err(Error::Exists { path: path.to_owned() });
    }
    let folder = folder_of(path);
    if !folder.is_dir() {
        let source = io::Error::new(
            io::ErrorKind::NotFound,
            format!("there is no folder {}", folder.display()),
        );
        return Err(Error::io("write", path)(source));
    }
    if path.is_dir() {
        let source = io::Error::other("it is a folder");
        return Err(Error::io("write", path)(source));
    }
    if !is_no_file(path) {
        // Whether the folder takes files is best found out by giving it one.
        finished(&self::aside(path)?);
    }
    Ok(())
}

/// What files are called until they are whole.
const PREFIX: &str = ".narscope-unfinished-";

/// The unfinished files of this process, for [`abandon`].
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes what this process has begun to write and not finished. To be called on the way out of
/// a process that is told to stop.
pub fn abandon() {
    for path in unfinished().drain(..) {
        // There is nobody left to tell, and the file may just have been renamed.
        let _ = std::fs::remove_file(path);
    }
}

/// Removes unfinished files that a process which could not clean up left in a folder. Those that somebody is
/// writing are locked, and stay.
pub fn sweep(folder: &Path) -> Result<()> {
    let failed = || Error::io("clean up", folder);
    for entry in std::fs::read_dir(folder).map_err(failed())? {
        let entry = entry.map_err(failed())?;
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        // Some network file systems lock only what can be written. What cannot be is not ours.
        let Ok(file) = File::options().write(true).open(entry.path()) else { continue };
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            continue;
        }
        // It may be finished by now.
        remove(&entry.path())?;
    }
    Ok(())
}

/// Removes a file, if it is there.
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

/// Writes a file through `fill`. If anything fails, an old file stays and no new one appears.
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
    if is_no_file(path) {
        let mut open = File::options().write(true).open(path).map_err(failed)?;
        return fill(&mut open).map_err(failed);
    }
    let mut aside = self::aside(path)?;
    // So that `sweep` leaves it alone, where files can be locked.
    let _ = aside.as_file().try_lock();
    fill(aside.as_file_mut()).map_err(failed)?;
    publish(aside, path, existing)
}

/// Whether something is there that is neither a file nor a folder: nobody wants to lose a device.
fn is_no_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// The file that a link leads to; or the path itself.
fn followed(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The place for a finished file, which is no device's.
fn place(path: &Path) -> Result<PathBuf> {
    if is_no_file(path) {
        let source = io::Error::other("it is a device or a pipe, and a file is needed");
        return Err(Error::io("write", path)(source));
    }
    Ok(followed(path))
}

/// Gives a finished file its name.
pub(crate) fn publish(aside: NamedTempFile, path: &Path, existing: Existing) -> Result<()> {
    let path = &place(path)?;
    let failed = |source| Error::io("write", path)(source);
    aside.as_file().sync_all().map_err(failed)?;
    show_as(path, aside.as_file()).map_err(failed)?;
    finished(&aside);
    let renamed = match existing {
        Existing::Replace => aside.persist(path),
        Existing::Keep => aside.persist_noclobber(path).or_else(|error| {
            let is_there = error.error.kind() == io::ErrorKind::AlreadyExists || path.exists();
            // Some file systems cannot promise that nothing is replaced.
            if is_there { Err(error) } else { error.file.persist(path) }
        }),
    };
    match renamed {
        Ok(_) => sync_folder(folder_of(path)).map_err(failed),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(Error::Exists { path: path.to_owned() })
        }
        Err(error) => Err(failed(error.error)),
    }
}

/// Lets those see a file who could see the one that it replaces, if there is one.
fn show_as(old: &Path, file: &File) -> io::Result<()> {
    std::fs::metadata(old).map_or(Ok(()), |old| file.set_permissions(old.permissions()))
}

/// Gives a finished file that was written under another name its own.
pub(crate) fn rename(file: &File, from: &Path, to: &Path, existing: Existing) -> Result<()> {
    let to = &place(to)?;
    let failed = |source| Error::io("write", to)(source);
    file.sync_all().map_err(failed)?;
    show_as(to, file).map_err(failed)?;
    let renamed = match existing {
        Existing::Replace => std::fs::rename(from, to),
        // Unlike a rename, a link never takes another file's place.
        Existing::Keep => match std::fs::hard_link(from, to) {
            Ok(()) => std::fs::remove_file(from),
            // Some file systems have no links.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists && !to.exists() => {
                std::fs::rename(from, to)
            }
            Err(error) => Err(error),
        },
    };
    match renamed {
        Ok(()) => sync_folder(folder_of(to)).map_err(failed),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(Error::Exists { path: to.to_owned() })
        }
        Err(error) => Err(failed(error)),
    }
}

/// A file made aside, to be filled by someone who wants a path.
pub(crate) fn aside(path: &Path) -> Result<NamedTempFile> {
    let mut maker = tempfile::Builder::new();
    maker.prefix(PREFIX);
    // Temporary files are for their owner's eyes only; results are for whom the user lets see them.
    #[cfg(unix)]
    maker.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let made = maker.tempfile_in(folder_of(&followed(path)));
    let aside = made.map_err(Error::io("write", path))?;
    unfinished().push(aside.path().to_owned());
    Ok(aside)
}

/// A file is no longer to be removed if the process is told to stop.
fn finished(aside: &NamedTempFile) {
    unfinished().retain(|path| path != aside.path());
}

/// The folder that a file is in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A rename is only safe from a power cut once the folder is synced as well.
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
    fn nothing_is_overwritten_unasked() {
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
    fn devices_and_links_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        std::fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write(&link, Existing::Replace, |file| file.write_all(b"new")).unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "new");

        // Whoever may replace devices should not do so in a test, so it is a link to one.
        let device = folder.path().join("device");
        std::os::unix::fs::symlink("/dev/null", &device).unwrap();
        write(&device, Existing::Replace, |file| file.write_all(b"gone")).unwrap();
        assert!(is_no_file(&device) && is_no_file(Path::new("/dev/null")));
        // The same of files that are filled by path.
        let error = publish(aside(&target).unwrap(), &device, Existing::Replace).unwrap_err();
        assert!(matches!(error, Error::Io { verb: "write", .. }), "{error}");
        publish(aside(&link).unwrap(), &link, Existing::Replace).unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink() && is_no_file(&device));
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "");
    }

    #[test]
    fn what_somebody_is_writing_is_not_swept_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(folder.path().join(format!("{PREFIX}left")), "of a process that died")
            .unwrap();
        write(&path, Existing::Keep, |file| {
            sweep(folder.path()).unwrap();
            assert_eq!(names(folder.path()).len(), 1, "what was left is gone, this one is not");
            file.write_all(b"whole")
        })
        .unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "whole");
    }

    #[cfg(unix)]
    #[test]
    fn who_may_see_a_file_stays_as_it_was() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        write(&path, Existing::Keep, |file| file.write_all(b"old")).unwrap();
        let usual = folder.path().join("b.txt");
        std::fs::write(&usual, "").unwrap();
        assert_eq!(mode(), std::fs::metadata(&usual).unwrap().permissions().mode() & 0o777);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        write(&path, Existing::Replace, |file| file.write_all(b"new")).unwrap();
        assert_eq!(mode(), 0o600);
    }

    #[test]
    fn what_cannot_be_written_is_refused_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        let error = check(folder.path(), Existing::Replace).unwrap_err();
        let Error::Io { source, .. } = error else { panic!("{error}") };
        assert_eq!(source.to_string(), "it is a folder");
        check(&folder.path().join("a.txt"), Existing::Keep).unwrap();
        assert_eq!(names(folder.path()), [""; 0], "nothing is left of the try");
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = check(Path::new("/nowhere/a.npz"), Existing::Keep).unwrap_err();
        let Error::Io { source, .. } = error else { panic!("{error}") };
        assert_eq!(source.to_string(), "there is no folder /nowhere");
    }
}
