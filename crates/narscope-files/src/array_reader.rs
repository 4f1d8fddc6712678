//! Streaming reader for arrays of any element type, as `.npy` and `.safetensors` files store them.

use std::io::{self, Read};

use crate::element_type::ElementType;
use crate::error::{Misread, misread};
use crate::memory;
use crate::metadata::Metadata;
use crate::npy_header::NpyHeader;

/// A file of named arrays.
pub(crate) trait ArrayFile {
    /// Returns the names of the arrays, in the order of the file.
    fn names(&self) -> Vec<String>;
    /// Reads what the file says about its arrays.
    fn metadata(&mut self) -> Result<Metadata, Misread>;
    /// Opens an array.
    fn open(&mut self, name: &str) -> Result<ArrayReader<Box<dyn Read + '_>>, Misread>;
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
        Self::with_header(NpyHeader::read(&mut bytes)?, bytes)
    }

    /// Reads the array that follows the header of a `.npy` file.
    pub(crate) fn with_header(header: NpyHeader, bytes: R) -> Result<Self, Misread> {
        let NpyHeader { element, big_endian, fortran_order, shape } = header;
        Self { shape, element, big_endian, fortran_order, bytes }.checked()
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

    /// Size of all elements in bytes, as the file stores them.
    pub(crate) fn byte_len(&self) -> usize {
        self.count() * self.element.size()
    }

    /// Reads all elements, in C order.
    pub(crate) fn all(&mut self) -> Result<Vec<f64>, Misread> {
        let values = self.next(self.count())?;
        if !self.fortran_order {
            return Ok(values);
        }
        // A second copy, in the other order.
        memory::check::<f64>(values.len(), || self.shown())?;
        Ok(fortran_to_c_order(&self.shape, &values))
    }

    /// Passes the elements of an array with one axis to `sink`, a few in memory at a time.
    pub(crate) fn try_for_each(
        &mut self,
        mut sink: impl FnMut(f64) -> Result<(), Misread>,
    ) -> Result<(), Misread> {
        const AT_ONCE: usize = 1 << 13;
        let mut left = self.count();
        while left > 0 {
            let values = self.next(left.min(AT_ONCE))?;
            left -= values.len();
            values.into_iter().try_for_each(&mut sink)?;
        }
        Ok(())
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
        /// A multiple of the size of every element type.
        const BYTES_AT_ONCE: usize = 1 << 16;
        memory::check::<f64>(count, || self.shown())?;
        let size = self.element.size();
        let mut buffer = vec![0; BYTES_AT_ONCE.min(count * size)];
        // Memory grows with the elements that are there, not with the number that a damaged header claims.
        let mut values = Vec::with_capacity(count.min(BYTES_AT_ONCE / size));
        while values.len() < count {
            let left = (count - values.len()) * size;
            let bytes = &mut buffer[..BYTES_AT_ONCE.min(left)];
            let read = fill(&mut self.bytes, bytes);
            let read = read.map_err(|error| misread("a complete file", error.to_string()))?;
            let is_complete = read == bytes.len();
            let bytes = &mut bytes[..read - read % size];
            if self.big_endian {
                bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
            }
            self.element.decode(bytes, &mut values);
            if !is_complete {
                return Err(misread(self.shown(), format!("{} of {count}", values.len())));
            }
        }
        Ok(values)
    }

    /// The elements, for messages.
    fn shown(&self) -> String {
        format!("the elements of shape {:?}", self.shape)
    }

    /// Checks that the array has no further elements. A zip archive verifies its checksum only at the end.
    pub(crate) fn end(mut self) -> Result<(), Misread> {
        match self.bytes.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(misread(self.shown(), "more")),
            Err(error) => Err(misread("a complete file", error.to_string())),
        }
    }
}

/// Reads until the buffer is full or the file ends, and returns how much was read.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
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
    fn fortran_order_becomes_c_order() {
        // numpy.arange(12).reshape(2, 3, 2).flatten(order='F')
        let stored = [0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11].map(f64::from);
        let values: Vec<f64> = (0..12).map(f64::from).collect();
        assert_eq!(fortran_to_c_order(&[2, 3, 2], &stored), values);
        assert_eq!(fortran_to_c_order(&[], &[5.0]), [5.0]);
        assert!(fortran_to_c_order(&[2, 0], &[]).is_empty());
    }
}
