//! Element types of arrays, as `.npy` and `.safetensors` files store them.

/// Element type of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementType {
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

impl ElementType {
    /// The type of a NumPy type string without its byte order, such as `f8`.
    pub(crate) fn from_numpy(kind: &str) -> Option<Self> {
        Some(match kind {
            "f2" => Self::F16,
            "f4" => Self::F32,
            "f8" => Self::F64,
            "i1" => Self::I8,
            "i2" => Self::I16,
            "i4" => Self::I32,
            "i8" => Self::I64,
            // Booleans are 0 and 1.
            "u1" | "b1" => Self::U8,
            "u2" => Self::U16,
            "u4" => Self::U32,
            "u8" => Self::U64,
            _ => return None,
        })
    }

    /// Size in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::F16 | Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// Decodes little-endian elements and appends them to `values`.
    pub(crate) fn decode(self, bytes: &[u8], values: &mut Vec<f64>) {
        fn each<const N: usize>(
            bytes: &[u8],
            values: &mut Vec<f64>,
            decode: impl Fn([u8; N]) -> f64,
        ) {
            values.extend(bytes.as_chunks().0.iter().map(|&bytes| decode(bytes)));
        }
        match self {
            Self::F16 => each(bytes, values, |bytes| half_to_f64(u16::from_le_bytes(bytes))),
            Self::F32 => each(bytes, values, |bytes| f32::from_le_bytes(bytes).into()),
            Self::F64 => each(bytes, values, f64::from_le_bytes),
            Self::I8 => each(bytes, values, |bytes| i8::from_le_bytes(bytes).into()),
            Self::I16 => each(bytes, values, |bytes| i16::from_le_bytes(bytes).into()),
            Self::I32 => each(bytes, values, |bytes| i32::from_le_bytes(bytes).into()),
            Self::I64 => each(bytes, values, |bytes| i64::from_le_bytes(bytes) as f64),
            Self::U8 => each(bytes, values, |bytes| u8::from_le_bytes(bytes).into()),
            Self::U16 => each(bytes, values, |bytes| u16::from_le_bytes(bytes).into()),
            Self::U32 => each(bytes, values, |bytes| u32::from_le_bytes(bytes).into()),
            Self::U64 => each(bytes, values, |bytes| u64::from_le_bytes(bytes) as f64),
        }
    }
}

/// Converts the bits of an IEEE 754 half-precision float.
fn half_to_f64(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff) / 1024.0);
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-14),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    };
    if bits >> 15 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_is_decoded() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 2f64.powi(-24)),
            (0x3555, 0.333_251_953_125),
            (0xfc00, f64::NEG_INFINITY),
        ] {
            assert_eq!(half_to_f64(bits), value, "{bits:#06x}");
        }
        assert!(half_to_f64(0x7e00).is_nan());
        assert!(half_to_f64(0x8000).is_sign_negative());
    }
}
