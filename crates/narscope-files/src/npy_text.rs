//! A `.npy` array that is one text, as `numpy.save("…")` writes it.

use std::io::Read;

use crate::error::{Misread, misread};

/// Far more than the header of a text needs.
const MAX_HEADER: u64 = 1 << 16;
/// Far more than a file says about its arrays, in bytes.
pub(crate) const MAX_TEXT: u64 = 64_000_000;

/// Reads the text, or `None` if it is an array of something else.
pub(crate) fn read(file: &mut impl Read) -> Result<Option<String>, Misread> {
    let damaged = |error: std::io::Error| misread("a .npy file", error.to_string());
    let mut start = [0; 8];
    file.read_exact(&mut start).map_err(damaged)?;
    let [.., major, _] = start;
    let mut length = [0; 4];
    let sizes = if major == 1 { 2 } else { 4 };
    file.read_exact(&mut length[..sizes]).map_err(damaged)?;
    let mut header = Vec::new();
    file.by_ref()
        .take(MAX_HEADER.min(u32::from_le_bytes(length).into()))
        .read_to_end(&mut header)
        .map_err(damaged)?;
    let header = String::from_utf8_lossy(&header);
    let Some((decode, characters)) = text_type(&header) else { return Ok(None) };
    let mut bytes = Vec::new();
    // One byte more than there should be, so that too many are noticed; compressed zeros take no space.
    let size = (characters as u64).saturating_mul(4).min(MAX_TEXT);
    file.take(size + 1).read_to_end(&mut bytes).map_err(damaged)?;
    let units = bytes.as_chunks().0;
    if 4 * units.len() != bytes.len() || units.len() != characters {
        let found = format!("{} bytes", bytes.len());
        return Err(misread(format!("a text of {characters} characters"), found));
    }
    let text: Option<String> = units.iter().map(|&unit| char::from_u32(decode(unit))).collect();
    // NumPy pads with zeros.
    let text = text.map(|text| text.trim_end_matches('\0').to_owned());
    text.map(Some).ok_or_else(|| misread("a text", "a number that is no character"))
}

/// Decodes a character.
type Decode = fn([u8; 4]) -> u32;

/// How a character is decoded, and how many there are, if the header is that of one text.
fn text_type(header: &str) -> Option<(Decode, usize)> {
    let at = header.find("<U").or_else(|| header.find(">U"))?;
    let after = &header[at + 2..];
    let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    let characters = after[..digits].parse().ok()?;
    let is_single = header.replace(' ', "").contains("'shape':()");
    let decode =
        if header[at..].starts_with('<') { u32::from_le_bytes } else { u32::from_be_bytes };
    is_single.then_some((decode, characters))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `numpy.save` of a text, in version 1.0 of the format.
    fn saved(descr: &str, shape: &str, units: &[[u8; 4]]) -> Vec<u8> {
        let header =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let length = (header.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\0", length.as_slice(), header.as_bytes(), units.as_flattened()].concat()
    }

    fn parse(bytes: &[u8]) -> Result<Option<String>, Misread> {
        read(&mut { bytes })
    }

    #[test]
    fn texts_are_read_and_other_arrays_are_not() {
        let units = ['é', '✓'].map(u32::from);
        let little = saved("<U2", "()", &units.map(u32::to_le_bytes));
        assert_eq!(parse(&little).unwrap().unwrap(), "é✓");
        let big = saved(">U2", "()", &units.map(u32::to_be_bytes));
        assert_eq!(parse(&big).unwrap().unwrap(), "é✓");
        let padded = saved("<U3", "()", &[units[0], units[1], 0].map(u32::to_le_bytes));
        assert_eq!(parse(&padded).unwrap().unwrap(), "é✓");
        assert_eq!(parse(&saved("<f4", "()", &[[0; 4]])).unwrap(), None);
        assert_eq!(parse(&saved("<U2", "(2,)", &[[0; 4]; 4])).unwrap(), None);
    }

    #[test]
    fn damage_is_an_error() {
        let whole = saved("<U2", "()", &[[65, 0, 0, 0]; 2]);
        for cut in (0..10).chain([whole.len() - 5, whole.len() - 1]) {
            parse(&whole[..cut]).unwrap_err();
        }
        parse(&saved("<U1", "()", &[[255; 4]])).unwrap_err();
    }
}
