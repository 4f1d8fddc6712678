//! Frames: JSON, and beside it bytes that would be slow as JSON.
//!
//! A frame is the length of the JSON as four little-endian bytes, the JSON, zeros up to a multiple
//! of eight bytes, and the bytes. In the JSON an [`Array`] stands for numbers among the bytes.

use serde::Serialize;

use crate::{Error, Result};

/// Numbers start at multiples of this, as views of them need it.
const ALIGNMENT: usize = 8;
/// Bytes of the length.
const HEADER: usize = 4;

/// Where numbers are among the bytes of a frame, counted from their start.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Array {
    /// `f32`, `f64`, `i32` or `u32`.
    #[serde(rename = "array")]
    item: &'static str,
    at: usize,
    length: usize,
}

/// The bytes of a frame while its JSON is put together.
#[derive(Debug, Default)]
pub struct Bytes(Vec<u8>);

macro_rules! push {
    ($($(#[$doc:meta])* $name:ident: $Type:ty;)*) => {
        impl Bytes {
            $($(#[$doc])*
            pub fn $name(&mut self, values: &[$Type]) -> Array {
                self.0.resize(self.0.len().next_multiple_of(ALIGNMENT), 0);
                let at = self.0.len();
                self.0.extend(values.iter().flat_map(|value| value.to_le_bytes()));
                Array { item: stringify!($name), at, length: values.len() }
            })*
        }
    };
}

push! {
    /// Appends single-precision numbers.
    f32: f32;
    /// Appends double-precision numbers.
    f64: f64;
    /// Appends signed integers.
    i32: i32;
    /// Appends unsigned integers.
    u32: u32;
}

/// A frame.
pub fn encode(json: &str, bytes: &[u8]) -> Vec<u8> {
    let start = (HEADER + json.len()).next_multiple_of(ALIGNMENT);
    let mut frame = Vec::with_capacity(start + bytes.len());
    frame.extend((json.len() as u32).to_le_bytes());
    frame.extend(json.as_bytes());
    frame.resize(start, 0);
    frame.extend(bytes);
    frame
}

/// The JSON and the bytes of a frame.
///
/// # Errors
/// If it is shorter than it says, or the JSON is not UTF-8.
pub fn decode(frame: &[u8]) -> Result<(&str, &[u8])> {
    let broken = || Error::new("expected a whole frame of JSON and bytes, found another length");
    let (length, rest) = frame.split_first_chunk::<HEADER>().ok_or_else(broken)?;
    let length = u32::from_le_bytes(*length) as usize;
    let json = rest.get(..length).ok_or_else(broken)?;
    let start = (HEADER + length).next_multiple_of(ALIGNMENT).min(frame.len());
    let json = str::from_utf8(json).map_err(|error| Error::new(error.to_string()))?;
    Ok((json, &frame[start..]))
}

impl Bytes {
    /// The frame of these bytes and a value whose arrays are among them.
    pub(crate) fn into_frame(self, value: &impl Serialize) -> Vec<u8> {
        let json = serde_json::to_string(value).expect("answers have text keys only");
        encode(&json, &self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_holds_what_was_put_in_and_numbers_are_aligned() {
        let mut bytes = Bytes::default();
        let first = bytes.u32(&[7]);
        let second = bytes.f64(&[0.5, -1.0]);
        assert_eq!((first.at, second.at, second.length), (0, 8, 2));
        let frame = bytes.into_frame(&[first, second]);
        let (json, bytes) = decode(&frame).unwrap();
        assert_eq!(
            json,
            r#"[{"array":"u32","at":0,"length":1},{"array":"f64","at":8,"length":2}]"#
        );
        assert_eq!(bytes[8..16], 0.5_f64.to_le_bytes());
        assert_eq!((frame.len() - bytes.len()) % ALIGNMENT, 0);
    }

    #[test]
    fn a_short_frame_is_an_error() {
        let frame = encode("{}", &[]);
        for length in [0, 3, 5] {
            assert!(decode(&frame[..length]).is_err(), "{length}");
        }
        assert_eq!(decode(&frame).unwrap(), ("{}", &[][..]));
    }
}
