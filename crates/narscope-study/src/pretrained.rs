//! Trained networks that come with a program.

use std::io::Write as _;
use std::path::Path;

use narscope_files::atomic::{self, Existing};

use crate::Result;
use crate::output::create_folder;

/// A trained network in memory, as `Run::export` writes it.
#[derive(Clone, Copy, Debug)]
pub struct Pretrained {
    /// Name of its folder.
    pub name: &'static str,
    /// Names and contents of its files. `config.toml` is the last: a folder with a configuration is a run.
    pub files: &'static [(&'static str, &'static [u8])],
}

impl Pretrained {
    /// Writes the network to a folder, which is created if necessary.
    pub fn unpack(&self, folder: &Path) -> Result<()> {
        create_folder(folder)?;
        for (name, bytes) in self.files {
            atomic::write(&folder.join(name), Existing::Replace, |file| file.write_all(bytes))?;
        }
        Ok(())
    }
}
