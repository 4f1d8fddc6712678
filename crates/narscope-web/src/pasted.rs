//! Reads pasted text as a problem: lists of edges, matrices, arrays, columns, strings.
//!
//! Files with more structure (`GraphML`, JSON) are read by the command line, `narscope-files`.

use narscope_clrs::Entry;
use narscope_clrs::instance::user::{EdgeList, Place};
use narscope_clrs::options::Direction;

use crate::limits::LIMITS;
use crate::problem::{Form, Problem};
use crate::{Error, Result};

/// Smallest square of numbers that is a matrix and not a list of edges.
const SMALLEST_MATRIX: usize = 4;

/// Reads the problem of an algorithm from text.
pub(crate) fn read(entry: &'static Entry, text: &str) -> Result<Problem> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return Err(Error::new(format!("expected {}, found no text", entry.wanted())));
    }
    let rows: Vec<Vec<&str>> = lines.iter().map(|line| cells(line)).collect();
    let problem = match Form::of(entry)? {
        Form::Text => Problem::Text { lines: lines.iter().map(|&line| line.to_owned()).collect() },
        Form::Array { has_target, .. } => array(&rows, has_target)?,
        Form::Columns(names) => columns(&names, &rows)?,
        Form::Graph { .. } => graph(entry, &rows)?,
    };
    // Says at once what is wrong with it.
    entry.trace(&problem.instance(entry)?)?;
    Ok(problem)
}

/// The cells of a line: separated by commas, semicolons, tabs or spaces.
fn cells(line: &str) -> Vec<&str> {
    let separator = [',', ';', '\t'].into_iter().find(|&separator| line.contains(separator));
    match separator {
        Some(separator) => line.split(separator).map(str::trim).collect(),
        None => line.split_whitespace().collect(),
    }
}

fn number(line: usize, cell: &str) -> Result<f64> {
    cell.parse()
        .map_err(|_| Error::new(format!("expected a number in line {}, found {cell:?}", line + 1)))
}

fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok()
}

/// An array; the number to search for is in a line of its own, `target: 0.5`, or else the middle one.
fn array(rows: &[Vec<&str>], has_target: bool) -> Result<Problem> {
    let (mut values, mut target) = (vec![], None);
    for (line, row) in rows.iter().enumerate() {
        if let Some(named) = row.iter().find_map(|cell| cell.strip_prefix("target:")) {
            let cell = if named.trim().is_empty() { row[row.len() - 1] } else { named.trim() };
            target = Some(number(line, cell)?);
            continue;
        }
        for cell in row {
            values.push(number(line, cell)?);
        }
    }
    let middle = values.get(values.len() / 2).copied();
    Ok(Problem::Array { values, target: if has_target { target.or(middle) } else { None } })
}

/// Columns, with a first line of names or in the order of the algorithm.
fn columns(names: &[&str], rows: &[Vec<&str>]) -> Result<Problem> {
    let has_header = !rows[0].iter().all(|cell| is_number(cell));
    let header: Vec<&str> = if has_header { rows[0].clone() } else { names.to_vec() };
    let mut columns = vec![vec![]; header.len()];
    for (line, row) in rows.iter().enumerate().skip(usize::from(has_header)) {
        if row.len() > header.len() {
            return Err(Error::new(format!(
                "expected {} columns ({}), found {} in line {}",
                header.len(),
                header.join(", "),
                row.len(),
                line + 1
            )));
        }
        // A column may be shorter than others: its last cells are empty.
        for (cell, column) in row.iter().zip(&mut columns).filter(|(cell, _)| !cell.is_empty()) {
            column.push(number(line, cell)?);
        }
    }
    let columns = header.into_iter().map(str::to_owned).zip(columns).collect();
    Ok(Problem::Columns { columns })
}

/// A graph from a square matrix of weights, or from lines `source,target` or `source,target,weight`.
fn graph(entry: &'static Entry, rows: &[Vec<&str>]) -> Result<Problem> {
    let is_matrix = rows.len() >= SMALLEST_MATRIX
        && rows.iter().all(|row| row.len() == rows.len() && row.iter().all(|cell| is_number(cell)));
    let (nodes, list, names) = if is_matrix { from_matrix(rows)? } else { from_list(entry, rows)? };
    LIMITS.check_nodes(nodes)?;
    let reverse = |(u, v, w): &(usize, usize, f64)| list.contains(&(*v, *u, *w));
    let is_symmetric = list.iter().all(reverse);
    let undirected = |edges: Vec<(usize, usize, f64)>| Problem::Graph {
        nodes,
        edges,
        directed: false,
        source: 0,
        names: names.clone(),
    };
    // A list states each undirected edge once, a matrix twice.
    let once = if is_matrix || is_symmetric {
        list.iter().filter(|(u, v, _)| u <= v).copied().collect()
    } else {
        list.clone()
    };
    let takes = |problem: &Problem| {
        problem.instance(entry).is_ok_and(|instance| entry.trace(&instance).is_ok())
    };
    let either = undirected(once);
    if (!is_matrix || is_symmetric) && takes(&either) {
        return Ok(either);
    }
    Ok(Problem::Graph { nodes, edges: list, directed: true, source: 0, names })
}

/// The number of nodes, the edges and the names of the nodes.
type Graph = (usize, Vec<(usize, usize, f64)>, Vec<String>);

fn from_matrix(rows: &[Vec<&str>]) -> Result<Graph> {
    let mut edges = vec![];
    for (u, row) in rows.iter().enumerate() {
        for (v, cell) in row.iter().enumerate() {
            let weight = number(u, cell)?;
            if weight != 0.0 {
                edges.push((u, v, weight));
            }
        }
    }
    Ok((rows.len(), edges, vec![]))
}

fn from_list(entry: &Entry, rows: &[Vec<&str>]) -> Result<Graph> {
    let has_header =
        rows[0].len() >= 2 && ["source", "from", "u"].contains(&rows[0][0].to_lowercase().as_str());
    let mut list = EdgeList::new(None::<Direction>);
    for (line, row) in rows.iter().enumerate().skip(usize::from(has_header)) {
        let (ends, weight) = match row.as_slice() {
            [u, v] => ([u, v], 1.0),
            [u, v, weight] => ([u, v], number(line, weight)?),
            other => {
                return Err(Error::new(format!(
                    "expected {}: two or three cells in line {}, found {}",
                    entry.wanted(),
                    line + 1,
                    other.len()
                )));
            }
        };
        list.add_edge(ends[0], ends[1], weight, Place::Line(line as u64 + 1));
    }
    let numbering = list.numbered()?;
    let edges = list.edges().iter().map(|edge| {
        let (u, v) = edge.ends(&numbering, &numbering);
        (u, v, edge.weight)
    });
    Ok((numbering.nodes, edges.collect(), numbering.names.clone()))
}

#[cfg(test)]
mod tests {
    use narscope_clrs::algorithms;

    use super::*;

    fn pasted(algorithm: &str, text: &str) -> Result<Problem> {
        read(algorithms::find(algorithm).unwrap(), text)
    }

    #[test]
    fn edges_may_have_names_a_header_and_any_separator() {
        let expected = Problem::Graph {
            nodes: 3,
            edges: vec![(0, 1, 0.5), (1, 2, 0.25)],
            directed: false,
            source: 0,
            names: ["Aix", "Bonn", "Cork"].map(str::to_owned).to_vec(),
        };
        for text in [
            "source,target,weight\nAix,Bonn,0.5\nBonn,Cork,0.25",
            "Aix Bonn 0.5\n\nBonn\tCork\t0.25",
        ] {
            assert_eq!(pasted("dijkstra", text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn a_symmetric_matrix_is_undirected_and_another_one_directed() {
        let matrix = "0 1 0 0\n1 0 2 0\n0 2 0 3\n0 0 3 0";
        let Problem::Graph { edges, directed, .. } = pasted("bellman_ford", matrix).unwrap() else {
            panic!("expected a graph")
        };
        assert_eq!((edges.len(), directed), (3, false));
        let matrix = "0 1 0 0\n0 0 2 0\n0 0 0 3\n0 0 0 0";
        let Problem::Graph { edges, directed, .. } = pasted("topological_sort", matrix).unwrap()
        else {
            panic!("expected a graph")
        };
        assert_eq!((edges.len(), directed), (3, true));
    }

    #[test]
    fn arrays_columns_and_strings_are_read() {
        let array = pasted("binary_search", "0.1, 0.4\n0.7\ntarget: 0.5").unwrap();
        let values = vec![0.1, 0.4, 0.7];
        assert_eq!(array, Problem::Array { values: values.clone(), target: Some(0.5) });
        let array = pasted("quicksort", "0.1 0.4 0.7").unwrap();
        assert_eq!(array, Problem::Array { values, target: None });
        let columns = |text| pasted("activity_selector", text).unwrap();
        assert_eq!(columns("0.1 0.2\n0.3 0.5"), columns("f,s\n0.2,0.1\n0.5,0.3"));
        let text = pasted("naive_string_matcher", "abcab\nca").unwrap();
        assert_eq!(text, Problem::Text { lines: vec!["abcab".to_owned(), "ca".to_owned()] });
    }

    #[test]
    fn what_cannot_be_read_is_a_sentence() {
        let sentence = |algorithm, text| pasted(algorithm, text).unwrap_err().0;
        assert_eq!(sentence("quicksort", "1 2 x"), "expected a number in line 1, found \"x\"");
        assert!(sentence("bfs", "1 2 3 4").contains("two or three cells in line 1, found 4"));
        assert!(sentence("bfs", " \n").ends_with("found no text"));
        assert!(sentence("dijkstra", "0,1,-1").contains("positive weights"));
    }
}
