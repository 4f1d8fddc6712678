//! Streaming reader for arrays of any element type, as `.npy` and `.safetensors` files store them.

use std::io::Read;

use npyz::{DType, Endianness, NpyHeader, Order, TypeChar};

use crate::error::{Misread, misread};

/// A file of named arrays.
pub(crate) trait ArrayFile {
    /// Returns the names of the arrays, in the order of the file.
    fn names(&self) -> Vec<String>;
    /// Opens an array.
    fn open(&mut self, name: &str) -> Result<ArrayReader<Box<dyn Read + '_>>, Misread>;
}

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
    /// The type of a NumPy type character and size in bytes.
    fn from_numpy(letter: TypeChar, size: u64) -> Option<Self> {
        Some(match (letter, size) {
            (TypeChar::Float, 2) => Self::F16,
            (TypeChar::Float, 4) => Self::F32,
            (TypeChar::Float, 8) => Self::F64,
            (TypeChar::Int, 1) => Self::I8,
            (TypeChar::Int, 2) => Self::I16,
            (TypeChar::Int, 4) => Self::I32,
            (TypeChar::Int, 8) => Self::I64,
            // Booleans are 0 and 1.
            (TypeChar::Uint | TypeChar::Bool, 1) => Self::U8,
            (TypeChar::Uint, 2) => Self::U16,
            (TypeChar::Uint, 4) => Self::U32,
            (TypeChar::Uint, 8) => Self::U64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::F16 | Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// Decodes little-endian elements.
    fn decode(self, bytes: &[u8]) -> Vec<f64> {
        fn each<const N: usize>(bytes: &[u8], decode: impl Fn([u8; N]) -> f64) -> Vec<f64> {
            bytes.as_chunks().0.iter().map(|&bytes| decode(bytes)).collect()
        }
        match self {
            Self::F16 => each(bytes, |bytes| half_to_f64(u16::from_le_bytes(bytes))),
            Self::F32 => each(bytes, |bytes| f32::from_le_bytes(bytes).into()),
            Self::F64 => each(bytes, f64::from_le_bytes),
            Self::I8 => each(bytes, |bytes| i8::from_le_bytes(bytes).into()),
            Self::I16 => each(bytes, |bytes| i16::from_le_bytes(bytes).into()),
            Self::I32 => each(bytes, |bytes| i32::from_le_bytes(bytes).into()),
            Self::I64 => each(bytes, |bytes| i64::from_le_bytes(bytes) as f64),
            Self::U8 => each(bytes, |bytes| u8::from_le_bytes(bytes).into()),
            Self::U16 => each(bytes, |bytes| u16::from_le_bytes(bytes).into()),
            Self::U32 => each(bytes, |bytes| u32::from_le_bytes(bytes).into()),
            Self::U64 => each(bytes, |bytes| u64::from_le_bytes(bytes) as f64),
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

/// Reads the elements of an array as `f64`.
pub(crate) struct ArrayReader<R> {
    pub(crate) shape: Vec<usize>,
    element: ElementType,
    /// Whether elements are big-endian.
    big_endian: bool,
    /// Whether the first axis changes fastest (Fortran order).
    fortran_order: bool,
    bytes: R,
}

impl<R: Read> ArrayReader<R> {
    /// Reads a little-endian array in C order.
    pub(crate) fn new(shape: Vec<usize>, element: ElementType, bytes: R) -> Result<Self, Misread> {
        Self { shape, element, big_endian: false, fortran_order: false, bytes }.checked()
    }

    /// Reads an array that starts with the header of a `.npy` file.
    pub(crate) fn npy(mut bytes: R) -> Result<Self, Misread> {
        let header = NpyHeader::from_reader(&mut bytes)
            .map_err(|error| misread("a .npy file", error.to_string()))?;
        let DType::Plain(kind) = header.dtype() else {
            return Err(misread("an array of numbers", "an array of records"));
        };
        let element = ElementType::from_numpy(kind.type_char(), kind.size_field())
            .ok_or_else(|| misread("an array of numbers", format!("an array of type {kind}")))?;
        let array = Self {
            shape: header.shape().iter().map(|&size| size as usize).collect(),
            element,
            big_endian: kind.endianness() == Endianness::Big,
            fortran_order: header.order() == Order::Fortran,
            bytes,
        };
        array.checked()
    }

    /// Refuses a shape whose size in bytes overflows, as a damaged header may have.
    fn checked(self) -> Result<Self, Misread> {
        let size = self.shape.iter().try_fold(self.element.size(), |size, &n| size.checked_mul(n));
        match size {
            Some(_) => Ok(self),
            None => {
                Err(misread("an array that fits into memory", format!("shape {:?}", self.shape)))
            }
        }
    }

    fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Reads all elements, in C order.
    pub(crate) fn all(&mut self) -> Result<Vec<f64>, Misread> {
        let values = self.next(self.count())?;
        Ok(if self.fortran_order { fortran_to_c_order(&self.shape, &values) } else { values })
    }

    /// Passes all elements to `sink` in C order, `slab` at a time; `slab` must divide their number.
    pub(crate) fn try_for_each_slab(
        &mut self,
        slab: usize,
        mut sink: impl FnMut(&[f64]) -> Result<(), Misread>,
    ) -> Result<(), Misread> {
        if self.fortran_order {
            return self.all()?.chunks_exact(slab).try_for_each(sink);
        }
        for _ in 0..self.count() / slab {
            sink(&self.next(slab)?)?;
        }
        Ok(())
    }

    /// Reads the next `count` elements in the order of the file.
    fn next(&mut self, count: usize) -> Result<Vec<f64>, Misread> {
        let size = self.element.size();
        let mut bytes = Vec::new();
        // Memory grows with the bytes that are there, not with the size that a damaged header claims.
        let read = self.bytes.by_ref().take((count * size) as u64).read_to_end(&mut bytes);
        read.map_err(|error| misread("a complete file", error.to_string()))?;
        if bytes.len() < count * size {
            let found = format!("{} of {count}", bytes.len() / size);
            return Err(misread(self.expected_count(), found));
        }
        if self.big_endian {
            bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        Ok(self.element.decode(&bytes))
    }

    fn expected_count(&self) -> String {
        format!("the elements of shape {:?}", self.shape)
    }

    /// Checks that the array has no further elements. A zip archive verifies its checksum only at the end.
    pub(crate) fn end(mut self) -> Result<(), Misread> {
        match self.bytes.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(misread(self.expected_count(), "more")),
            Err(error) => Err(misread("a complete file", error.to_string())),
        }
    }
}

/// Reorders values from Fortran order to C order.
fn fortran_to_c_order(shape: &[usize], values: &[f64]) -> Vec<f64> {
    let value_at = |mut index: usize| {
        let (mut from, mut stride) = (0, values.len());
        for &size in shape.iter().rev() {
            stride /= size;
            from += index % size * stride;
            index /= size;
        }
        values[from]
    };
    (0..values.len()).map(value_at).collect()
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

    #[test]
    fn fortran_order_becomes_c_order() {
        // numpy.arange(12).reshape(2, 3, 2).flatten(order='F')
        let stored = [0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11].map(f64::from);
        let values: Vec<f64> = (0..12).map(f64::from).collect();
        assert_eq!(fortran_to_c_order(&[2, 3, 2], &stored), values);
        assert_eq!(fortran_to_c_order(&[], &[5.0]), [5.0]);
        assert!(fortran_to_c_order(&[2, 0], &[]).is_empty());
    }
}
