//! Trained networks that come with the program.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use narscope::files::whole::{self, Existing};

/// A trained network, as `narscope export` writes it.
pub(crate) struct Shipped {
    /// The name of its folder.
    pub(crate) name: &'static str,
    files: [(&'static str, &'static [u8]); 3],
}

macro_rules! shipped {
    ($($name:literal)+) => {
        &[$(Shipped {
            name: $name,
            files: [
                shipped!($name, "best.safetensors"),
                shipped!($name, "test.json"),
                // Last: a folder with a configuration is a run.
                shipped!($name, "config.toml"),
            ],
        }),+]
    };
    ($name:literal, $file:literal) => {
        ($file, include_bytes!(concat!("../networks/", $name, "/", $file)))
    };
}

/// All of them.
pub(crate) static ALL: &[Shipped] = shipped! {
    "linear_pgn-42"
    "linear_pgn-43"
    "linear_pgn-44"
    "linear_pgn-softmax-42"
    "linear_pgn-decay-42"
    "triplet_gmpnn-42"
};

impl Shipped {
    /// Makes it a run in a folder that has none.
    pub(crate) fn unpack(&self, folder: &Path) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
        for (name, bytes) in self.files {
            whole::write(&folder.join(name), Existing::Replace, |file| file.write_all(bytes))?;
        }
        Ok(())
    }
}
