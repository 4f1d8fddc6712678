//! Arrays as files store them: a shape, a type of number, and bytes that are read when asked for.

use std::io::Read;

use npyz::{DType, Endianness, NpyHeader, Order, TypeChar};

use crate::error::{Misread, misread};

/// A file of named arrays.
pub(crate) trait Arrays {
    /// The names of the arrays, in the order of the file.
    fn names(&self) -> Vec<String>;
    /// Opens the array of this name.
    fn open(&mut self, name: &str) -> Result<Numbers<Box<dyn Read + '_>>, Misread>;
}

/// A type of number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
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

impl Item {
    /// The type that NumPy calls by this letter and this number of bytes.
    fn of(letter: TypeChar, size: u64) -> Option<Self> {
        Some(match (letter, size) {
            (TypeChar::Float, 2) => Self::F16,
            (TypeChar::Float, 4) => Self::F32,
            (TypeChar::Float, 8) => Self::F64,
            (TypeChar::Int, 1) => Self::I8,
            (TypeChar::Int, 2) => Self::I16,
            (TypeChar::Int, 4) => Self::I32,
            (TypeChar::Int, 8) => Self::I64,
            // Yes and no are the numbers 1 and 0.
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

    /// The numbers that bytes stand for, the lowest byte of each first.
    fn decode(self, bytes: &[u8]) -> Vec<f64> {
        fn each<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f64) -> Vec<f64> {
            bytes.as_chunks().0.iter().map(|&bytes| number(bytes)).collect()
        }
        match self {
            Self::F16 => each(bytes, |bytes| half(u16::from_le_bytes(bytes))),
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

/// The number that the bits of half precision stand for.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff) / 1024.0);
    let size = match exponent {
        0 => fraction * 2f64.powi(-14),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    };
    if bits >> 15 == 0 { size } else { -size }
}

/// An array that is open for reading.
pub(crate) struct Numbers<R> {
    pub(crate) shape: Vec<usize>,
    item: Item,
    /// Whether the highest byte of a number comes first.
    big_endian: bool,
    /// Whether the first dimension changes fastest, as in Fortran.
    first_fastest: bool,
    bytes: R,
}

impl<R: Read> Numbers<R> {
    /// An array as most files have it: in C order, the lowest byte of a number first.
    pub(crate) fn new(shape: Vec<usize>, item: Item, bytes: R) -> Result<Self, Misread> {
        Self { shape, item, big_endian: false, first_fastest: false, bytes }.checked()
    }

    /// An array that begins with the head of a `.npy` file.
    pub(crate) fn npy(mut bytes: R) -> Result<Self, Misread> {
        let header = NpyHeader::from_reader(&mut bytes)
            .map_err(|error| misread("a .npy file", error.to_string()))?;
        let DType::Plain(kind) = header.dtype() else {
            return Err(misread("an array of numbers", "one of records"));
        };
        let item = Item::of(kind.type_char(), kind.size_field())
            .ok_or_else(|| misread("an array of numbers", format!("one of type {kind}")))?;
        let array = Self {
            shape: header.shape().iter().map(|&size| size as usize).collect(),
            item,
            big_endian: kind.endianness() == Endianness::Big,
            first_fastest: header.order() == Order::Fortran,
            bytes,
        };
        array.checked()
    }

    /// A damaged header may promise more numbers than can be counted.
    fn checked(self) -> Result<Self, Misread> {
        let size = self.shape.iter().try_fold(self.item.size(), |size, &n| size.checked_mul(n));
        match size {
            Some(_) => Ok(self),
            None => Err(misread("an array", format!("one of shape {:?}", self.shape))),
        }
    }

    fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// All numbers, in C order.
    pub(crate) fn all(&mut self) -> Result<Vec<f64>, Misread> {
        let numbers = self.next(self.count())?;
        Ok(if self.first_fastest { last_fastest(&self.shape, &numbers) } else { numbers })
    }

    /// Hands out all numbers in C order, so many at a time, which must divide their number.
    pub(crate) fn try_for_each_slab(
        &mut self,
        slab: usize,
        mut sink: impl FnMut(&[f64]) -> Result<(), Misread>,
    ) -> Result<(), Misread> {
        if self.first_fastest {
            return self.all()?.chunks_exact(slab).try_for_each(sink);
        }
        for _ in 0..self.count() / slab {
            sink(&self.next(slab)?)?;
        }
        Ok(())
    }

    /// The next numbers as they are stored.
    fn next(&mut self, count: usize) -> Result<Vec<f64>, Misread> {
        let size = self.item.size();
        let mut bytes = Vec::new();
        // Memory grows with what is there, whatever a damaged header promises.
        let read = self.bytes.by_ref().take((count * size) as u64).read_to_end(&mut bytes);
        read.map_err(|error| misread("a whole file", error.to_string()))?;
        if bytes.len() < count * size {
            let wanted = format!("as many numbers as shape {:?} promises", self.shape);
            return Err(misread(
                wanted,
                format!("the end after {} of {count}", bytes.len() / size),
            ));
        }
        if self.big_endian {
            bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        Ok(self.item.decode(&bytes))
    }

    /// Makes sure that all numbers have been read. An archive checks its sums only now.
    pub(crate) fn end(mut self) -> Result<(), Misread> {
        match self.bytes.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => {
                let wanted = format!("as many numbers as shape {:?} promises", self.shape);
                Err(misread(wanted, "more"))
            }
            Err(error) => Err(misread("a whole file", error.to_string())),
        }
    }
}

/// Puts numbers whose first dimension changes fastest into C order.
fn last_fastest(shape: &[usize], numbers: &[f64]) -> Vec<f64> {
    let number = |mut place: usize| {
        let (mut from, mut stride) = (0, numbers.len());
        for &size in shape.iter().rev() {
            stride /= size;
            from += place % size * stride;
            place /= size;
        }
        numbers[from]
    };
    (0..numbers.len()).map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_is_read() {
        for (bits, number) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 2f64.powi(-24)),
            (0x3555, 0.333_251_953_125),
            (0xfc00, f64::NEG_INFINITY),
        ] {
            assert_eq!(half(bits), number, "{bits:#06x}");
        }
        assert!(half(0x7e00).is_nan());
        assert!(half(0x8000).is_sign_negative());
    }

    #[test]
    fn an_array_whose_first_dimension_changes_fastest_is_turned_around() {
        // numpy.arange(12).reshape(2, 3, 2).flatten(order='F')
        let stored = [0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11].map(f64::from);
        let numbers: Vec<f64> = (0..12).map(f64::from).collect();
        assert_eq!(last_fastest(&[2, 3, 2], &stored), numbers);
        assert_eq!(last_fastest(&[], &[5.0]), [5.0]);
        assert!(last_fastest(&[2, 0], &[]).is_empty());
    }
}
