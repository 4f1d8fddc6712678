//! Named `f32` arrays in `.npz` files, as `numpy.savez` writes them: the parameters of a network.
//!
//! ```
//! use narscope_files::arrays::{Array, read_arrays, write_arrays};
//! use narscope_files::atomic::Existing;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("weights.npz");
//! let bias = Array { shape: vec![2], data: vec![0.5, -0.5] };
//! write_arrays(&path, Existing::Keep, [("linear/b".to_owned(), &bias.shape[..], &bias.data[..])])?;
//! assert_eq!(read_arrays(&path)?, [("linear/b".to_owned(), bias)]);
//! # Ok(())
//! # }
//! ```

use std::fs::File;
use std::io::{BufReader, Read, Seek, Write as _};
use std::path::Path;

use zip::CompressionMethod;

use crate::array_reader::ArrayFile as _;
use crate::atomic::{self, Existing};
use crate::error::Misread;
use crate::npz::{self, Npz};
use crate::{Error, Result};

/// An array of any shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Size of each axis.
    pub shape: Vec<usize>,
    /// Elements in C order.
    pub data: Vec<f32>,
}

/// Reads all arrays of a file, in its order, and converts their elements to `f32`.
pub fn read_arrays(path: &Path) -> Result<Vec<(String, Array)>> {
    let file = File::open(path).map_err(Error::io("read", path))?;
    parse(BufReader::new(file)).map_err(|misread| misread.in_file(path))
}

fn parse(file: impl Read + Seek) -> Result<Vec<(String, Array)>, Misread> {
    let mut npz = Npz::new(file)?;
    let mut arrays = Vec::new();
    for name in npz.names() {
        let array = read(&mut npz, &name).map_err(|misread| misread.found_in(&name))?;
        arrays.push((name, array));
    }
    Ok(arrays)
}

fn read(npz: &mut Npz<impl Read + Seek>, name: &str) -> Result<Array, Misread> {
    let mut array = npz.open(name)?;
    let data = array.all()?.into_iter().map(|value| value as f32).collect();
    let shape = array.shape.clone();
    array.end()?;
    Ok(Array { shape, data })
}

/// Writes arrays, each with its name, shape and elements. Equal arrays make equal files.
///
/// # Panics
/// If the number of elements does not match the shape.
pub fn write_arrays<'a>(
    path: &Path,
    existing: Existing,
    arrays: impl IntoIterator<Item = (String, &'a [usize], &'a [f32])>,
) -> Result<()> {
    atomic::write(path, existing, |file| {
        npz::archive(file, |zip| {
            for (name, shape, data) in arrays {
                let size: usize = shape.iter().product();
                assert_eq!(data.len(), size, "elements of {name} for shape {shape:?}");
                // Weights do not compress: deflate would only take time.
                npz::start_array(zip, &name, CompressionMethod::Stored, "<f4", shape)?;
                let bytes: Vec<u8> = data.iter().flat_map(|value| value.to_le_bytes()).collect();
                zip.write_all(&bytes)?;
            }
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;

    fn npz_bytes(arrays: &[(String, Array)]) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let all = arrays
            .iter()
            .map(|(name, array)| (name.clone(), array.shape.as_slice(), array.data.as_slice()));
        write_arrays(&path, Existing::Keep, all).unwrap();
        std::fs::read(&path).unwrap()
    }

    fn examples() -> Vec<(String, Array)> {
        let array =
            |shape: &[usize], data: &[f32]| Array { shape: shape.to_vec(), data: data.to_vec() };
        vec![
            (
                "net/mpnn_aggr_clrs_processor/~_message/linear_1/w".to_owned(),
                array(&[2, 3], &[0.0, -0.0, 1.5, f32::MIN_POSITIVE, f32::INFINITY, 1e30]),
            ),
            ("step".to_owned(), array(&[], &[7.0])),
            ("empty".to_owned(), array(&[3, 0], &[])),
            ("b".to_owned(), array(&[1], &[-2.0])),
        ]
    }

    #[test]
    fn arrays_are_read_back_in_order() {
        assert_eq!(parse(std::io::Cursor::new(npz_bytes(&examples()))).unwrap(), examples());
    }

    #[test]
    fn equal_arrays_make_equal_files() {
        assert_eq!(npz_bytes(&examples()), npz_bytes(&examples()));
    }

    #[test]
    fn two_arrays_of_one_name_are_refused_and_leave_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let twice = ["w", "w"].map(|name| (name.to_owned(), [1].as_slice(), [0.5].as_slice()));
        let error = write_arrays(&path, Existing::Keep, twice).unwrap_err();
        assert!(matches!(error, Error::Io { verb: "write", .. }), "{error:?}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_error_names_the_file_that_is_not_an_archive() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        std::fs::write(&path, "no archive").unwrap();
        let sentence = read_arrays(&path).unwrap_err().to_string();
        assert!(sentence.starts_with("expected a complete .npz file, found "), "{sentence}");
        assert!(sentence.ends_with("a.npz"), "{sentence}");
    }

    proptest! {
        #[test]
        fn damage_is_detected(cut in any::<proptest::sample::Index>(), flip in 1u8..) {
            let complete = npz_bytes(&examples());
            let cut = cut.index(complete.len());
            assert!(parse(std::io::Cursor::new(&complete[..cut])).is_err(), "cut at {cut}");
            let mut damaged = complete.clone();
            damaged[cut] ^= flip;
            // Damage of a name or a date goes undetected; damage of elements does not.
            if let Ok(arrays) = parse(std::io::Cursor::new(damaged)) {
                for (name, array) in arrays {
                    if let Some((_, same)) = examples().into_iter().find(|(other, _)| *other == name) {
                        prop_assert_eq!(array, same, "{} at {}", name, cut);
                    }
                }
            }
        }

        #[test]
        fn every_array_is_read_back(
            shape in proptest::collection::vec(0usize..4, 0..4),
            name in "[a-zA-Z_~/0-9]{1,40}",
            numbers in proptest::collection::vec(-1e9f32..1e9, 27),
        ) {
            let data = numbers[..shape.iter().product()].to_vec();
            let arrays = vec![(name, Array { shape, data })];
            prop_assert_eq!(parse(std::io::Cursor::new(npz_bytes(&arrays))).unwrap(), arrays);
        }
    }
}
