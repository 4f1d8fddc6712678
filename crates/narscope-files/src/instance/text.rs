//! `.txt`: strings, one per line.

use narscope_clrs::instance::user::Data;

use super::Named;
use crate::error::{Misread, misread};

/// Parses the lines that are not empty.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Named>, Misread> {
    let text = utf8(bytes)?;
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
    Ok(vec![(None, Data::Text(lines))])
}

/// Text in UTF-8, without a byte order mark.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, Misread> {
    let text =
        std::str::from_utf8(bytes).map_err(|error| misread("text in UTF-8", error.to_string()))?;
    Ok(text.trim_start_matches('\u{feff}'))
}
