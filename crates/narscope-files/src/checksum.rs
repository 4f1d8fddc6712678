//! Checksums: SHA-256 in hexadecimal, and lines of JSON that carry their own.
//!
//! ```
//! use narscope_files::checksum::{Verified, seal, verify};
//!
//! let line = seal(r#"{"score":0.97}"#);
//! assert!(line.starts_with(r#"{"sha256":""#));
//! assert_eq!(verify(&line), Verified::Intact);
//! assert_eq!(verify(&line.replace("0.97", "0.99")), Verified::Changed);
//! assert_eq!(verify(r#"{"score":0.97}"#), Verified::Unsealed);
//! ```

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::{Error, Result};

/// Formats bytes as lowercase hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut digits = String::new();
    for byte in bytes {
        write!(digits, "{byte:02x}").expect("writing to a string succeeds");
    }
    digits
}

/// CRC-32C of bytes: notices damage and careless edits, not forgery.
pub fn crc32c(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes)
}

/// The SHA-256 of bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Size and SHA-256 of a file.
pub fn of_file(path: &Path) -> Result<(u64, String)> {
    let mut file = std::fs::File::open(path).map_err(Error::io("read", path))?;
    let (mut hasher, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        let read = file.read(&mut buffer).map_err(Error::io("read", path))?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
        bytes += read as u64;
    }
    Ok((bytes, hex(&hasher.finalize())))
}

/// What precedes the checksum of an object.
const START: &str = r#"{"sha256":""#;
/// What separates it from the rest.
const END: &str = "\",";

/// Whether an object is what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verified {
    /// Its checksum matches.
    Intact,
    /// It has a checksum that does not match, or one at another place: it was edited or damaged.
    Changed,
    /// It has no checksum.
    Unsealed,
}

/// Adds a checksum to a JSON object: the key `sha256` in front of the others, over the bytes that follow it.
///
/// # Panics
/// If the text is not an object with keys.
#[track_caller]
pub fn seal(object: &str) -> String {
    let rest = object.strip_prefix('{').filter(|rest| rest.starts_with('"'));
    let rest = rest.expect("an object with keys");
    format!("{START}{}{END}{rest}", sha256(rest.as_bytes()))
}

/// Compares an object with its checksum. White space around it does not count.
pub fn verify(object: &str) -> Verified {
    let object = object.trim();
    let sealed = object.strip_prefix(START).and_then(|rest| rest.split_once(END));
    match sealed {
        Some((checksum, rest)) if sha256(rest.as_bytes()) == checksum => Verified::Intact,
        Some(_) => Verified::Changed,
        // Another program may have moved the key or added white space.
        None if object.contains(r#""sha256""#) => Verified::Changed,
        None => Verified::Unsealed,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_byte_has_two_digits() {
        assert_eq!(hex(&[0, 10, 255]), "000aff");
    }

    #[test]
    fn an_object_that_another_program_formatted_counts_as_changed() {
        let sealed = seal(r#"{"a":1}"#);
        assert_eq!(verify(&format!("{sealed}\n")), Verified::Intact);
        for formatted in [sealed.replace(':', ": "), sealed.replace('{', "{ ")] {
            assert_eq!(verify(&formatted), Verified::Changed, "{formatted}");
        }
    }

    proptest! {
        #[test]
        fn every_changed_byte_is_noticed(place in any::<proptest::sample::Index>(), to in b' '..=b'~') {
            let sealed = seal(r#"{"made":"37bf0e05","weights":"7435e711","data":[0.5,1,null]}"#);
            let mut bytes = sealed.clone().into_bytes();
            let place = place.index(bytes.len());
            bytes[place] = to;
            let changed = String::from_utf8(bytes).unwrap();
            let is_key = (1..START.len() - 2).contains(&place);
            if changed == sealed {
                prop_assert_eq!(verify(&changed), Verified::Intact);
            } else if !is_key {
                prop_assert_ne!(verify(&changed), Verified::Intact);
            }
        }
    }
}
