//! Reading the user's own problem instances from `.csv`, `.tsv`, `.npy` and `.txt`.
//!
//! This module parses the file; the algorithm decides whether the data are a valid instance.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use narscope_clrs::instance::user::Data;

use crate::array_reader::ArrayReader;
use crate::error::{Misread, misread};
use crate::{Error, Result};

/// Reads a file; its extension selects the parser.
pub fn read(path: &Path) -> Result<Data> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let parse: fn(&[u8]) -> Result<Data, Misread> = match extension {
        "csv" => |bytes| parse_csv(bytes, b','),
        "tsv" => |bytes| parse_csv(bytes, b'\t'),
        "npy" => parse_npy,
        "txt" => parse_text,
        _ => {
            return Err(Error::UnknownExtension {
                expected: ".csv, .tsv, .npy or .txt",
                path: path.to_owned(),
            });
        }
    };
    let mut bytes = Vec::new();
    let mut file = File::open(path).map_err(Error::io("read", path))?;
    file.read_to_end(&mut bytes).map_err(Error::io("read", path))?;
    parse(&bytes).map_err(|misread| misread.in_file(path))
}

/// Column names of an edge list: source, target, and an optional weight.
const EDGE_COLUMNS: [[&str; 3]; 3] =
    [["source", "target", "weight"], ["from", "to", "weight"], ["u", "v", "w"]];

fn parse_csv(bytes: &[u8], delimiter: u8) -> Result<Data, Misread> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(bytes);
    let records: Vec<csv::StringRecord> = reader
        .records()
        .collect::<Result<_, _>>()
        .map_err(|error| misread("comma-separated numbers", error.to_string()))?;
    let Some(first) = records.first() else {
        return Err(misread("comma-separated numbers", "an empty file"));
    };
    if first.iter().all(|cell| cell.parse::<f64>().is_ok()) {
        let columns = first.len();
        let mut cells = Vec::with_capacity(columns * records.len());
        for record in &records {
            if record.len() != columns {
                let found = format!("{} in line {}", record.len(), line(record));
                return Err(misread(format!("{columns} numbers per line"), found));
            }
            for cell in record {
                cells.push(number(cell, record)?);
            }
        }
        return Ok(Data::Matrix { columns, cells });
    }
    let names: Vec<String> = first.iter().map(str::to_lowercase).collect();
    let is_edge_list = |columns: &[&str; 3]| names == columns[..2] || names == columns[..];
    if EDGE_COLUMNS.iter().any(is_edge_list) {
        parse_edges(&records[1..], names.len())
    } else {
        let names = first.iter().map(str::to_owned).collect();
        parse_table(names, &records[1..])
    }
}

fn parse_edges(records: &[csv::StringRecord], columns: usize) -> Result<Data, Misread> {
    let edge = |record: &csv::StringRecord| {
        if record.len() != columns {
            let found = format!("{} in line {}", record.len(), line(record));
            return Err(misread(format!("{columns} cells per edge"), found));
        }
        let node = |cell: &str| {
            cell.parse::<usize>().map_err(|_| {
                misread("nodes numbered from 0", format!("{cell:?} in line {}", line(record)))
            })
        };
        let weight = if columns == 3 { number(&record[2], record)? } else { 1.0 };
        Ok((node(&record[0])?, node(&record[1])?, weight))
    };
    records.iter().map(edge).collect::<Result<_, _>>().map(Data::Edges)
}

fn parse_table(names: Vec<String>, records: &[csv::StringRecord]) -> Result<Data, Misread> {
    let mut table: Vec<(String, Vec<f64>)> = names.into_iter().map(|name| (name, vec![])).collect();
    let mut ended = vec![false; table.len()];
    for record in records {
        if record.len() > table.len() {
            let found = format!("{} in line {}", record.len(), line(record));
            return Err(misread(format!("at most {} cells per line", table.len()), found));
        }
        // A column may be shorter than others: its last cells are empty.
        let cells = record.iter().chain(std::iter::repeat(""));
        for ((cell, (name, column)), has_ended) in cells.zip(&mut table).zip(&mut ended) {
            if !cell.is_empty() && *has_ended {
                let found = format!("{cell:?} below an empty cell in line {}", line(record));
                return Err(misread(
                    format!("no empty cell between values in column {name}"),
                    found,
                ));
            }
            if cell.is_empty() {
                *has_ended = true;
            } else {
                column.push(number(cell, record)?);
            }
        }
    }
    Ok(Data::Table(table))
}

fn number(cell: &str, record: &csv::StringRecord) -> Result<f64, Misread> {
    let found = || format!("{cell:?} in line {}", line(record));
    cell.parse().map_err(|_| misread("a number", found()))
}

fn line(record: &csv::StringRecord) -> u64 {
    record.position().map_or(0, csv::Position::line)
}

fn parse_text(bytes: &[u8]) -> Result<Data, Misread> {
    let text =
        std::str::from_utf8(bytes).map_err(|error| misread("text in UTF-8", error.to_string()))?;
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    Ok(Data::Text(lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()))
}

fn parse_npy(bytes: &[u8]) -> Result<Data, Misread> {
    let mut array = ArrayReader::npy(bytes)?;
    let columns = match array.shape.as_slice() {
        [_] => 1,
        &[_, columns] => columns,
        shape => {
            let found = format!("shape {shape:?}");
            return Err(misread("an array of numbers with one or two axes", found));
        }
    };
    Ok(Data::Matrix { columns, cells: array.all()? })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy as _, any, proptest};

    use super::*;

    #[test]
    fn numbers_without_a_header_are_a_matrix() {
        let data = parse_csv(b"# a comment\n0, 1.5\n1.5, 0\n", b',').unwrap();
        assert_eq!(data, Data::Matrix { columns: 2, cells: vec![0.0, 1.5, 1.5, 0.0] });
    }

    #[test]
    fn a_header_of_source_and_target_makes_an_edge_list() {
        let data = parse_csv(b"source,target\n0,1\n", b',').unwrap();
        assert_eq!(data, Data::Edges(vec![(0, 1, 1.0)]));
        let data = parse_csv(b"From,To,Weight\n2,1,0.5\n", b',').unwrap();
        assert_eq!(data, Data::Edges(vec![(2, 1, 0.5)]));
    }

    #[test]
    fn any_other_header_makes_a_table_whose_columns_may_differ_in_length() {
        let data = parse_csv(b"p,q\n0.1,0.2\n,0.7\n", b',').unwrap();
        assert_eq!(data, Data::Table(vec![("p".into(), vec![0.1]), ("q".into(), vec![0.2, 0.7])]));
    }

    #[test]
    fn an_empty_cell_between_values_is_refused() {
        let Misread { expected, found } = parse_csv(b"s,f\n1,2\n,5\n3,6\n", b',').unwrap_err();
        assert_eq!(expected, "no empty cell between values in column s");
        assert_eq!(found, "\"3\" below an empty cell in line 4");
    }

    #[test]
    fn a_word_among_numbers_is_reported_with_its_line() {
        let Misread { expected, found } = parse_csv(b"1,2\n3,four\n", b',').unwrap_err();
        assert_eq!((expected.as_str(), found.as_str()), ("a number", "\"four\" in line 2"));
        let Misread { found, .. } = parse_csv(b"1,2\n3\n", b',').unwrap_err();
        assert_eq!(found, "1 in line 2");
        let Misread { found, .. } = parse_csv(b"u,v\n-1,2\n", b',').unwrap_err();
        assert_eq!(found, "\"-1\" in line 2");
    }

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
        let data = parse_npy(&npy("|u1", true, "(2, 3)", &[1, 4, 2, 5, 3, 6])).unwrap();
        let cells = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(data, Data::Matrix { columns: 3, cells });
        let bytes: Vec<u8> = [0.25f32, -1.0].iter().flat_map(|x| x.to_be_bytes()).collect();
        let data = parse_npy(&npy(">f4", false, "(2,)", &bytes)).unwrap();
        assert_eq!(data, Data::Matrix { columns: 1, cells: vec![0.25, -1.0] });
    }

    #[test]
    fn a_truncated_array_is_refused_before_memory_is_allocated() {
        for shape in ["(3,)", "(9223372036854775807, 9)", "(2, 2, 2)", "()"] {
            assert!(parse_npy(&npy("<f8", false, shape, &[0; 16])).is_err(), "{shape}");
        }
        assert!(parse_npy(&npy("<c16", false, "(1,)", &[0; 16])).is_err());
        assert!(parse_npy(&npy("|O", false, "(1,)", &[0; 16])).is_err());
    }

    proptest! {
        #[test]
        fn no_parser_panics_on_any_bytes(
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
            text in "[-0-9a-zA-Z,.\n\"# \t]{0,80}",
        ) {
            for input in [bytes.as_slice(), text.as_bytes()] {
                let _ = parse_csv(input, b',');
                let _ = parse_csv(input, b'\t');
                let _ = parse_text(input);
                let _ = parse_npy(input);
            }
        }

        #[test]
        fn the_reader_does_not_panic_on_damaged_arrays(
            descr in "[<>|=]?[a-zA-Z][0-9]{0,3}",
            shape in "\\([0-9]{0,20},? ?[0-9]{0,20}\\)",
            data in proptest::collection::vec(any::<u8>(), 0..64),
            cut in (0usize..200).prop_map(Some),
        ) {
            let mut bytes = npy(&descr, data.len() % 2 == 0, &shape, &data);
            let _ = parse_npy(&bytes);
            bytes.truncate(cut.unwrap_or(bytes.len()));
            let _ = parse_npy(&bytes);
        }
    }
}
