//! Names, shapes and sizes of the arrays of a `.npz` file, without reading their elements.
//!
//! ```
//! use narscope_files::arrays::write_arrays;
//! use narscope_files::atomic::Existing;
//! use narscope_files::shapes;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("weights.npz");
//! write_arrays(&path, Existing::Keep, [("b".to_owned(), [2].as_slice(), [0.5, -0.5].as_slice())])?;
//! assert_eq!(shapes::read(&path)?, [("b".to_owned(), vec![2])]);
//! # Ok(())
//! # }
//! ```

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use crate::array_reader::ArrayFile as _;
use crate::error::Misread;
use crate::npz::Npz;
use crate::{Error, Result};

/// Reads the name and the shape of every array of a `.npz` file, in its order.
pub fn read(path: &Path) -> Result<Vec<(String, Vec<usize>)>> {
    let file = File::open(path).map_err(Error::io("read", path))?;
    parse(BufReader::new(file)).map_err(|misread| misread.in_file(path))
}

fn parse(file: impl Read + Seek) -> Result<Vec<(String, Vec<usize>)>, Misread> {
    let mut npz = Npz::new(file)?;
    let mut shapes = vec![];
    for name in npz.names() {
        let array = npz.open(&name).map_err(|misread| misread.found_in(&name))?;
        shapes.push((name, array.shape));
    }
    Ok(shapes)
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use zip::CompressionMethod;

    use super::*;
    use crate::npz;

    /// A file with an array of the given number of compressed zeros, of which the header promises `promised`.
    fn zeros(count: usize, promised: usize) -> Cursor<Vec<u8>> {
        let mut file = Cursor::new(vec![]);
        npz::archive(&mut file, |zip| {
            npz::start_array(zip, "zeros", CompressionMethod::Deflated, "<f8", &[promised])?;
            zip.write_all(&vec![0; 8 * count])
        })
        .unwrap();
        file
    }

    #[test]
    fn the_shape_of_a_large_array_is_known_without_reading_it() {
        let file = zeros(1 << 20, 1 << 20);
        assert!(file.get_ref().len() < 1 << 17, "{}", file.get_ref().len());
        assert_eq!(parse(file).unwrap(), [("zeros".to_owned(), vec![1 << 20])]);
    }

    #[test]
    fn a_shape_that_the_size_of_the_file_contradicts_is_refused_before_it_is_read() {
        for promised in [999, 1001, 1 << 50] {
            let Misread { expected, found } = parse(zeros(1000, promised)).unwrap_err();
            assert_eq!(expected, format!("the {} bytes of shape [{promised}]", 8 * promised));
            assert_eq!(found, "8000 in zeros");
        }
    }
}
