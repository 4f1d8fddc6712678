//! Configuration files.

use std::path::Path;

use narscope_net::config::Draft;

use crate::{Error, Result};

/// Reads the keys of a TOML file. A `preset` key stands for the settings of that preset.
pub fn read(path: &Path) -> Result<Draft> {
    let fail = |message: String| Error::ConfigFile { message, path: path.to_owned() };
    let text = std::fs::read_to_string(path)
        .map_err(|error| fail(format!("the configuration cannot be read ({error})")))?;
    Draft::parse(&text).map_err(|error| fail(error.to_string()))
}
