//! `.csv` and `.tsv`: edge lists, matrices with or without names, and tables.

use std::collections::HashMap;

use csv::StringRecord;
use narscope_clrs::instance::user::{Data, EdgeList, Place};

use super::Named;
use crate::error::{Misread, misread};

/// Column names of an edge list: source, target, and an optional weight.
const EDGE_COLUMNS: [[&str; 3]; 3] =
    [["source", "target", "weight"], ["from", "to", "weight"], ["u", "v", "w"]];

/// The column that tells which of several graphs a line belongs to.
const GRAPH_COLUMN: &str = "graph";

/// A line of the file.
struct Line {
    cells: Vec<String>,
    number: u64,
}

/// Parses numbers without a header as a matrix, and anything else by its header.
pub(super) fn parse(bytes: &[u8], delimiter: u8) -> Result<Vec<Named>, Misread> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    check_encoding(bytes)?;
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(bytes);
    let lines = reader.records().map(|record| {
        let record: StringRecord =
            record.map_err(|error| misread("comma-separated values", error.to_string()))?;
        let number = record.position().map_or(0, csv::Position::line);
        Ok(Line { cells: record.iter().map(str::to_owned).collect(), number })
    });
    let lines: Vec<Line> = lines.collect::<Result<_, Misread>>()?;
    let Some((header, rest)) = lines.split_first() else {
        return Err(misread("comma-separated values", "an empty file"));
    };
    check_delimiter(header, delimiter)?;
    if header.cells.iter().all(|cell| cell.parse::<f64>().is_ok()) {
        return Ok(vec![(None, matrix(&lines)?)]);
    }
    let is_graph = |name: &String| name.eq_ignore_ascii_case(GRAPH_COLUMN);
    match header.cells.iter().position(is_graph) {
        None => Ok(vec![(None, with_header(&header.cells, rest)?)]),
        Some(place) => {
            let mut columns = header.cells.clone();
            columns.remove(place);
            let parsed = split(place, rest)?.into_iter().map(|(graph, lines)| {
                let data = with_header(&columns, &lines);
                data.map(|data| (Some(graph), data))
            });
            parsed.collect()
        }
    }
}

/// Refuses text that is not UTF-8, such as Latin-1 of older spreadsheets.
fn check_encoding(bytes: &[u8]) -> Result<(), Misread> {
    let Err(error) = std::str::from_utf8(bytes) else { return Ok(()) };
    let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
    let line = 1 + before.matches('\n').count();
    Err(misread("text in UTF-8", format!("other bytes in line {line}")))
}

/// Refuses a first line whose only cell has another delimiter, as spreadsheets of some countries write it.
fn check_delimiter(header: &Line, delimiter: u8) -> Result<(), Misread> {
    let [cell] = header.cells.as_slice() else { return Ok(()) };
    let others = [(b',', "commas"), (b';', "semicolons"), (b'\t', "tabs")];
    let name = |wanted: u8| others.iter().find(|(it, _)| *it == wanted).map(|(_, name)| *name);
    let found = others.iter().find(|(it, _)| *it != delimiter && cell.contains(char::from(*it)));
    match (name(delimiter), found) {
        (Some(expected), Some((_, found))) => {
            let expected = format!("cells separated by {expected}, and decimal points");
            Err(misread(expected, format!("{found} in line {}", header.number)))
        }
        _ => Ok(()),
    }
}

/// The lines of each graph without its column, in order of first appearance.
fn split(place: usize, lines: &[Line]) -> Result<Vec<(String, Vec<Line>)>, Misread> {
    let mut graphs: Vec<(String, Vec<Line>)> = vec![];
    let mut indices: HashMap<String, usize> = HashMap::new();
    for Line { cells, number } in lines {
        let mut cells = cells.clone();
        if place >= cells.len() || cells[place].is_empty() {
            let found = format!("an empty cell in line {number}");
            return Err(misread(format!("a name in column {GRAPH_COLUMN}"), found));
        }
        let graph = cells.remove(place);
        let index = *indices.entry(graph.clone()).or_insert_with(|| {
            graphs.push((graph, vec![]));
            graphs.len() - 1
        });
        graphs[index].1.push(Line { cells, number: *number });
    }
    Ok(graphs)
}

fn with_header(header: &[String], lines: &[Line]) -> Result<Data, Misread> {
    if let Some(columns) = EdgeColumns::of(header) {
        return columns.parse(lines);
    }
    if is_unnamed_edge_list(header, lines) {
        let expected = "an edge list with the first line source,target or source,target,weight";
        return Err(misread(expected, format!("the first line {:?}", header.join(","))));
    }
    // Rows that start with the name of a column are those of a matrix.
    match lines {
        [Line { cells, .. }, ..]
            if header.len() > 1 && cells.first().is_some_and(|name| header[1..].contains(name)) =>
        {
            named_matrix(&header[1..], lines)
        }
        _ => table(header, lines),
    }
}

/// Whether this is an edge list whose first line does not say so: two columns have names of nodes, or the first line
/// has other columns besides them. Tables have numbers; a square table may be a matrix of nodes with such names.
fn is_unnamed_edge_list(header: &[String], lines: &[Line]) -> bool {
    let is_word = |cell: &&String| !cell.is_empty() && cell.parse::<f64>().is_err();
    let has_two_words = |line: &Line| line.cells.iter().take(2).filter(is_word).count() == 2;
    let names: Vec<String> = header.iter().map(|name| name.to_lowercase()).collect();
    let has_ends =
        |[from, to, _]: &[&str; 3]| [from, to].iter().all(|end| names.iter().any(|it| it == *end));
    let is_square = lines.len() == names.iter().filter(|name| !name.is_empty()).count();
    lines.first().is_some_and(has_two_words) || (!is_square && EDGE_COLUMNS.iter().any(has_ends))
}

fn matrix(lines: &[Line]) -> Result<Data, Misread> {
    let columns = lines[0].cells.len();
    let mut cells = Vec::with_capacity(columns * lines.len());
    for line in lines {
        if line.cells.len() != columns {
            let found = format!("{} in line {}", line.cells.len(), line.number);
            return Err(misread(format!("{columns} numbers per line"), found));
        }
        for cell in &line.cells {
            cells.push(number(cell, line)?);
        }
    }
    Ok(Data::Matrix { columns, cells })
}

/// Where the columns of an edge list are. A column without a name, as pandas writes for its index, is ignored.
struct EdgeColumns {
    count: usize,
    source: usize,
    target: usize,
    weight: Option<usize>,
}

impl EdgeColumns {
    /// `None` if the header is not that of an edge list.
    fn of(header: &[String]) -> Option<Self> {
        let names: Vec<String> = header.iter().map(|name| name.to_lowercase()).collect();
        let columns = EDGE_COLUMNS.iter().find_map(|known| {
            let place = |name: &str| names.iter().position(|it| it == name);
            let (source, target, weight) = (place(known[0])?, place(known[1])?, place(known[2]));
            Some(Self { count: names.len(), source, target, weight })
        })?;
        let known = 2 + usize::from(columns.weight.is_some());
        let named = names.iter().filter(|name| !name.is_empty()).count();
        (named == known).then_some(columns)
    }

    fn parse(&self, lines: &[Line]) -> Result<Data, Misread> {
        let mut list = EdgeList::default();
        for line in lines {
            let Line { cells, number: at } = line;
            if cells.len() != self.count {
                let found = format!("{} in line {at}", cells.len());
                return Err(misread(format!("{} cells per edge", self.count), found));
            }
            let (source, target) = (&cells[self.source], &cells[self.target]);
            if source.is_empty() || target.is_empty() {
                return Err(misread("two nodes per edge", format!("an empty cell in line {at}")));
            }
            let weight = self.weight.map_or(Ok(1.0), |weight| number(&cells[weight], line))?;
            list.add_edge(source, target, weight, Place::Line(*at));
        }
        Ok(Data::Edges(list))
    }
}

/// A square matrix whose rows and columns have names; an empty cell is no edge.
fn named_matrix(names: &[String], lines: &[Line]) -> Result<Data, Misread> {
    if lines.len() != names.len() {
        let expected = format!("a row for each of the {} columns", names.len());
        return Err(misread(expected, format!("{} rows", lines.len())));
    }
    let mut table: Vec<(String, Vec<f64>)> =
        names.iter().map(|name| (name.clone(), vec![])).collect();
    for (name, line) in names.iter().zip(lines) {
        let (label, cells) = line.cells.split_first().expect("a record has a cell");
        if label != name {
            let expected = format!("the row of {name:?}: rows and columns in the same order");
            return Err(misread(expected, format!("{label:?} in line {}", line.number)));
        }
        if cells.len() != names.len() {
            let found = format!("{} in line {}", cells.len(), line.number);
            return Err(misread(format!("{} numbers after the name", names.len()), found));
        }
        for (cell, (_, column)) in cells.iter().zip(&mut table) {
            column.push(if cell.is_empty() { 0.0 } else { number(cell, line)? });
        }
    }
    Ok(Data::Table(table))
}

fn table(names: &[String], lines: &[Line]) -> Result<Data, Misread> {
    let mut table: Vec<(String, Vec<f64>)> =
        names.iter().map(|name| (name.clone(), vec![])).collect();
    let mut ended = vec![false; table.len()];
    for line in lines {
        let Line { cells, number: at } = line;
        if cells.len() > table.len() {
            let found = format!("{} in line {at}", cells.len());
            return Err(misread(format!("at most {} cells per line", table.len()), found));
        }
        // A column may be shorter than others: its last cells are empty.
        let cells = cells.iter().map(String::as_str).chain(std::iter::repeat(""));
        for ((cell, (name, column)), has_ended) in cells.zip(&mut table).zip(&mut ended) {
            if !cell.is_empty() && *has_ended {
                let found = format!("{cell:?} below an empty cell in line {at}");
                return Err(misread(
                    format!("no empty cell between values in column {name}"),
                    found,
                ));
            }
            if cell.is_empty() {
                *has_ended = true;
            } else {
                column.push(number(cell, line)?);
            }
        }
    }
    Ok(Data::Table(table))
}

fn number(cell: &str, line: &Line) -> Result<f64, Misread> {
    cell.parse().map_err(|_| misread("a number", format!("{cell:?} in line {}", line.number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<Data, Misread> {
        let mut all = parse(text.as_bytes(), b',')?;
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].0, None);
        Ok(all.remove(0).1)
    }

    fn edges(listed: &[(&str, &str, f64, u64)]) -> Data {
        let mut list = EdgeList::default();
        for &(source, target, weight, line) in listed {
            list.add_edge(source, target, weight, Place::Line(line));
        }
        Data::Edges(list)
    }

    #[test]
    fn numbers_without_a_header_are_a_matrix() {
        let data = one("# a comment\n0, 1.5\n1.5, 0\n").unwrap();
        assert_eq!(data, Data::Matrix { columns: 2, cells: vec![0.0, 1.5, 1.5, 0.0] });
    }

    #[test]
    fn a_header_of_source_and_target_makes_an_edge_list_with_any_names() {
        let data = one("source,target\n0,1\n").unwrap();
        assert_eq!(data, edges(&[("0", "1", 1.0, 2)]));
        let data = one("From,To,Weight\nBerlin,\"Paris, Nord\",0.5\n").unwrap();
        assert_eq!(data, edges(&[("Berlin", "Paris, Nord", 0.5, 2)]));
        let data = one("weight,source,target\n0.5,-1,2\n").unwrap();
        assert_eq!(data, edges(&[("-1", "2", 0.5, 2)]), "columns in any order");
        let all = parse("u\tv\tw\na\tb\t3\n".as_bytes(), b'\t').unwrap();
        assert_eq!(all, [(None, edges(&[("a", "b", 3.0, 2)]))]);
    }

    #[test]
    fn a_column_without_a_name_is_an_index_as_pandas_writes_it() {
        let data = one(",source,target,weight\n0,a,b,2\n1,b,c,3\n").unwrap();
        assert_eq!(data, edges(&[("a", "b", 2.0, 2), ("b", "c", 3.0, 3)]));
    }

    #[test]
    fn an_edge_list_with_another_first_line_is_told_what_it_should_be() {
        for (text, header) in [
            ("source,target,distance\na,b,3\n", "source,target,distance"),
            ("from,to,km\n0,1,3\n", "from,to,km"),
            ("a,b,3\nb,c,2\n", "a,b,3"),
            ("a,b\nb,c\n", "a,b"),
            ("start,end\na,b\n", "start,end"),
        ] {
            let Misread { expected, found } = one(text).unwrap_err();
            assert!(expected.contains("source,target,weight"), "{text}: {expected}");
            assert_eq!(found, format!("the first line {header:?}"));
        }
    }

    #[test]
    fn other_delimiters_and_encodings_are_named() {
        let Misread { expected, found } = one("source;target;weight\na;b;1,5\n").unwrap_err();
        assert_eq!(expected, "cells separated by commas, and decimal points");
        assert_eq!(found, "semicolons in line 1");
        let Misread { found, .. } = one("u\tv\na\tb\n").unwrap_err();
        assert_eq!(found, "tabs in line 1");
        let Misread { expected, found } = parse(b"u,v\nK\xf6ln,Bonn\n", b',').unwrap_err();
        assert_eq!((expected.as_str(), found.as_str()), ("text in UTF-8", "other bytes in line 2"));
    }

    #[test]
    fn a_matrix_may_have_a_row_and_a_column_of_names() {
        let text = ",a,b,c\na,0,1,\nb,1,0,2\nc,,2,0\n";
        let column = |name: &str, values: [f64; 3]| (name.to_owned(), values.to_vec());
        let wanted = Data::Table(vec![
            column("a", [0.0, 1.0, 0.0]),
            column("b", [1.0, 0.0, 2.0]),
            column("c", [0.0, 2.0, 0.0]),
        ]);
        assert_eq!(one(text).unwrap(), wanted, "an empty cell is no edge");
        let Misread { expected, found } = one(",a,b\nb,0,1\na,1,0\n").unwrap_err();
        assert_eq!(expected, "the row of \"a\": rows and columns in the same order");
        assert_eq!(found, "\"b\" in line 2");
        assert!(one(",a,b\na,0,1\n").is_err(), "a row is missing");
        assert!(one("u,v,x\n0,1,2\n1,0,3\n2,3,0\n").is_ok(), "nodes called as columns of edges");
    }

    #[test]
    fn a_column_called_graph_separates_several() {
        let text = "graph,u,v\nnorth,a,b\nsouth,c,d\nnorth,b,c\n";
        let all = parse(text.as_bytes(), b',').unwrap();
        let north = edges(&[("a", "b", 1.0, 2), ("b", "c", 1.0, 4)]);
        let south = edges(&[("c", "d", 1.0, 3)]);
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(all, [(named("north"), north), (named("south"), south)]);
        assert!(parse(b"u,v,graph\na,b,\n", b',').is_err(), "a line without a graph");
    }

    #[test]
    fn any_other_header_makes_a_table_whose_columns_may_differ_in_length() {
        let data = one("p,q\n0.1,0.2\n,0.7\n").unwrap();
        assert_eq!(data, Data::Table(vec![("p".into(), vec![0.1]), ("q".into(), vec![0.2, 0.7])]));
        let data = one(",x,y\n0,0.5,1\n1,0.25,2\n").unwrap();
        let Data::Table(table) = data else { panic!("{data:?}") };
        assert_eq!(table[1], ("x".to_owned(), vec![0.5, 0.25]), "as pandas writes a table");
    }

    #[test]
    fn an_empty_cell_between_values_is_refused() {
        let Misread { expected, found } = one("s,f\n1,2\n,5\n3,6\n").unwrap_err();
        assert_eq!(expected, "no empty cell between values in column s");
        assert_eq!(found, "\"3\" below an empty cell in line 4");
    }

    #[test]
    fn a_word_among_numbers_is_reported_with_its_line() {
        let Misread { expected, found } = one("1,2\n3,four\n").unwrap_err();
        assert_eq!((expected.as_str(), found.as_str()), ("a number", "\"four\" in line 2"));
        let Misread { found, .. } = one("1,2\n3\n").unwrap_err();
        assert_eq!(found, "1 in line 2");
        let Misread { found, .. } = one("u,v,w\na,b,far\n").unwrap_err();
        assert_eq!(found, "\"far\" in line 2");
        let Misread { found, .. } = one("u,v\na,\n").unwrap_err();
        assert_eq!(found, "an empty cell in line 2");
    }
}
