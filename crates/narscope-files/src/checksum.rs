//! Checksums as people write them.

use std::fmt::Write as _;

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut digits = String::new();
    for byte in bytes {
        write!(digits, "{byte:02x}").expect("a string takes any text");
    }
    digits
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_byte_has_two_digits() {
        assert_eq!(super::hex(&[0, 10, 255]), "000aff");
    }
}
