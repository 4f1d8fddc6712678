//! Opening files that narscope itself creates next to the user's: locks and unfinished files.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file of ours. A symbolic link is refused: whoever may write to the folder could make it point to any
/// file of the user, which would then be created, locked or overwritten.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NOFOLLOW);
    let is_link = || std::fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink());
    // Systems without that flag: there is a moment between this check and the opening.
    if cfg!(not(unix)) && is_link() {
        return Err(refused());
    }
    // Which error the system gives for a link differs between systems.
    options.open(path).map_err(|error| if is_link() { refused() } else { error })
}

fn refused() -> io::Error {
    io::Error::other("it is a symbolic link; remove it")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_symbolic_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let mut options = File::options();
        options.create(true).truncate(true).write(true);
        let error = open(&link, &mut options).unwrap_err();
        assert_eq!(error.to_string(), "it is a symbolic link; remove it");
        assert!(!target.exists(), "a dangling link does not create its target");
        std::fs::write(&target, "the user's").unwrap();
        open(&link, &mut options).unwrap_err();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "the user's");
        drop(open(&target, &mut options).unwrap());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "");
    }
}
