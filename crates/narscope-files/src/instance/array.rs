//! `.npy`: an array of numbers, a matrix, or several matrices of one size.

use narscope_clrs::instance::user::Data;

use super::Named;
use crate::array_reader::ArrayReader;
use crate::error::{Misread, misread};

/// Parses an array with one axis, a matrix, or a stack of matrices along the first of three axes.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Named>, Misread> {
    let mut array = ArrayReader::npy(bytes)?;
    let shape = array.shape.clone();
    match *shape.as_slice() {
        [_] => Ok(vec![(None, Data::Matrix { columns: 1, cells: array.all()? })]),
        [_, columns] => Ok(vec![(None, Data::Matrix { columns, cells: array.all()? })]),
        [count, rows, columns] if count * rows * columns > 0 => {
            let cells = array.all()?;
            let matrices = cells.chunks_exact(rows * columns);
            let named = matrices.enumerate().map(|(i, cells)| {
                (Some(i.to_string()), Data::Matrix { columns, cells: cells.to_vec() })
            });
            Ok(named.collect())
        }
        _ => {
            let found = format!("shape {shape:?}");
            Err(misread("an array of numbers with one, two or three axes", found))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy as _, any, proptest};

    use super::*;

    /// Bytes of a `.npy` file as NumPy writes it.
    fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let order = if fortran { "True" } else { "False" };
        let literal =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let length = (literal.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], literal.as_bytes(), data].concat()
    }

    #[test]
    fn arrays_of_any_type_and_order_are_read() {
        let data = parse(&npy("|u1", true, "(2, 3)", &[1, 4, 2, 5, 3, 6])).unwrap();
        let cells = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(data, [(None, Data::Matrix { columns: 3, cells })]);
        let bytes: Vec<u8> = [0.25f32, -1.0].iter().flat_map(|x| x.to_be_bytes()).collect();
        let data = parse(&npy(">f4", false, "(2,)", &bytes)).unwrap();
        assert_eq!(data, [(None, Data::Matrix { columns: 1, cells: vec![0.25, -1.0] })]);
    }

    #[test]
    fn three_axes_are_several_matrices() {
        let data = parse(&npy("|u1", false, "(2, 2, 2)", &[0, 1, 1, 0, 0, 7, 8, 0])).unwrap();
        let matrix = |cells: [f64; 4]| Data::Matrix { columns: 2, cells: cells.to_vec() };
        let [first, second] = &data[..] else { panic!("{data:?}") };
        assert_eq!(*first, (Some("0".to_owned()), matrix([0.0, 1.0, 1.0, 0.0])));
        assert_eq!(*second, (Some("1".to_owned()), matrix([0.0, 7.0, 8.0, 0.0])));
    }

    #[test]
    fn a_truncated_array_is_refused_before_memory_is_allocated() {
        for shape in ["(3,)", "(9223372036854775807, 9)", "(2, 2, 2)", "()", "(1, 1, 1, 1)"] {
            assert!(parse(&npy("<f8", false, shape, &[0; 16])).is_err(), "{shape}");
        }
        assert!(parse(&npy("<c16", false, "(1,)", &[0; 16])).is_err());
        assert!(parse(&npy("|O", false, "(1,)", &[0; 16])).is_err());
    }

    proptest! {
        #[test]
        fn the_reader_does_not_panic_on_damaged_arrays(
            descr in "[<>|=]?[a-zA-Z][0-9]{0,3}",
            shape in "\\([0-9]{0,20},? ?[0-9]{0,20},? ?[0-9]{0,3}\\)",
            data in proptest::collection::vec(any::<u8>(), 0..64),
            cut in (0usize..200).prop_map(Some),
        ) {
            let mut bytes = npy(&descr, data.len() % 2 == 0, &shape, &data);
            let _ = parse(&bytes);
            bytes.truncate(cut.unwrap_or(bytes.len()));
            let _ = parse(&bytes);
        }
    }
}
