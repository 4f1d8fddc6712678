//! Named arrays of any shape as `.npz`: the parameters of a network, as `numpy.savez` writes them.

use std::fs::File;
use std::io::{BufReader, Read, Seek, Write as _};
use std::path::Path;

use zip::CompressionMethod;

use crate::error::Misread;
use crate::npz::{self, Npz};
use crate::numbers::Arrays as _;
use crate::whole::{self, Existing};
use crate::{Error, Result};

/// Numbers in any number of dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The size of each dimension.
    pub shape: Vec<usize>,
    /// The numbers, the last dimension changing fastest.
    pub data: Vec<f32>,
}

/// Reads all arrays of a file, in its order. Any type of number is rounded to single precision.
pub fn read_arrays(path: &Path) -> Result<Vec<(String, Array)>> {
    let file = File::open(path).map_err(Error::io("read", path))?;
    parse(BufReader::new(file)).map_err(|misread| misread.of(path))
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
    let mut numbers = npz.open(name)?;
    let data = numbers.all()?.into_iter().map(|number| number as f32).collect();
    let shape = numbers.shape.clone();
    numbers.end()?;
    Ok(Array { shape, data })
}

/// Writes arrays, each with its name, shape and numbers. Equal arrays are equal files.
///
/// # Panics
/// If an array has not as many numbers as its shape says.
pub fn write_arrays<'a>(
    path: &Path,
    existing: Existing,
    arrays: impl IntoIterator<Item = (String, &'a [usize], &'a [f32])>,
) -> Result<()> {
    whole::write(path, existing, |file| {
        npz::archive(file, |zip| {
            for (name, shape, data) in arrays {
                let size: usize = shape.iter().product();
                assert_eq!(data.len(), size, "numbers of {name}, and what its shape says");
                // Weights look random: deflate would take its time and gain nothing.
                npz::start_array(zip, &name, CompressionMethod::Stored, "<f4", shape)?;
                let bytes: Vec<u8> = data.iter().flat_map(|number| number.to_le_bytes()).collect();
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

    fn written(arrays: &[(String, Array)]) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let all = arrays
            .iter()
            .map(|(name, array)| (name.clone(), array.shape.as_slice(), array.data.as_slice()));
        write_arrays(&path, Existing::Keep, all).unwrap();
        std::fs::read(&path).unwrap()
    }

    fn some() -> Vec<(String, Array)> {
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
    fn arrays_come_back_in_their_order() {
        assert_eq!(parse(std::io::Cursor::new(written(&some()))).unwrap(), some());
    }

    #[test]
    fn equal_arrays_are_equal_files() {
        assert_eq!(written(&some()), written(&some()));
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
    fn a_file_that_is_no_archive_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        std::fs::write(&path, "no archive").unwrap();
        let sentence = read_arrays(&path).unwrap_err().to_string();
        assert!(sentence.starts_with("wanted a whole .npz file, found "), "{sentence}");
        assert!(sentence.ends_with("a.npz"), "{sentence}");
    }

    proptest! {
        #[test]
        fn no_damage_goes_unnoticed(cut in any::<proptest::sample::Index>(), flip in 1u8..) {
            let whole = written(&some());
            let cut = cut.index(whole.len());
            assert!(parse(std::io::Cursor::new(&whole[..cut])).is_err(), "cut at {cut}");
            let mut damaged = whole.clone();
            damaged[cut] ^= flip;
            // A name or a date may be another one now; numbers may not.
            if let Ok(arrays) = parse(std::io::Cursor::new(damaged)) {
                for (name, array) in arrays {
                    if let Some((_, same)) = some().into_iter().find(|(other, _)| *other == name) {
                        prop_assert_eq!(array, same, "{} at {}", name, cut);
                    }
                }
            }
        }

        #[test]
        fn any_array_comes_back(
            shape in proptest::collection::vec(0usize..4, 0..4),
            name in "[a-zA-Z_~/0-9]{1,40}",
            numbers in proptest::collection::vec(-1e9f32..1e9, 27),
        ) {
            let data = numbers[..shape.iter().product()].to_vec();
            let arrays = vec![(name, Array { shape, data })];
            prop_assert_eq!(parse(std::io::Cursor::new(written(&arrays))).unwrap(), arrays);
        }
    }
}
