//! User data from a file, not yet validated for an algorithm.

use super::MAX_NODES;
use crate::options::Direction;
use crate::{Error, Result};

/// The contents of a data file.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// A matrix; an array is a single row or column.
    Matrix {
        /// The number of columns.
        columns: usize,
        /// The entries in row-major order.
        cells: Vec<f64>,
    },
    /// Named columns, possibly of different lengths.
    Table(Vec<(String, Vec<f64>)>),
    /// Edges `(source, target, weight)`.
    Edges(Vec<(usize, usize, f64)>),
    /// Lines of text.
    Text(Vec<String>),
}

/// User data and the settings that accompany it.
#[derive(Clone, Debug, PartialEq)]
pub struct UserInstance {
    /// The contents of the file.
    pub data: Data,
    /// The source of searches and shortest paths.
    pub source: Option<usize>,
    /// The number to search for.
    pub target: Option<f64>,
    /// The direction of the edges of a list; the algorithm's default if `None`.
    pub direction: Option<Direction>,
}

impl UserInstance {
    /// Data without settings.
    pub fn new(data: Data) -> Self {
        Self { data, source: None, target: None, direction: None }
    }

    /// The data as an array: one row, one column, or a table with one column.
    pub fn array(&self, wanted: &str) -> Result<Vec<f64>> {
        match &self.data {
            Data::Matrix { columns, cells } if *columns == 1 || *columns == cells.len() => {
                finite(cells.clone())
            }
            Data::Table(table) if table.len() == 1 => finite(table[0].1.clone()),
            other => Err(wrong_form(wanted, other)),
        }
    }

    /// The data as two columns: by name from a table, by position from a matrix.
    pub fn pair(&self, names: [&str; 2], wanted: &str) -> Result<(Vec<f64>, Vec<f64>)> {
        match &self.data {
            Data::Matrix { columns: 2, cells } => {
                let column = |index| cells.iter().skip(index).step_by(2).copied().collect();
                Ok((finite(column(0))?, finite(column(1))?))
            }
            Data::Table(table) => {
                let column = |column_name| {
                    let found = table.iter().find(|(name, _)| name == column_name);
                    found
                        .map(|(_, values)| values.clone())
                        .ok_or_else(|| wrong_form(wanted, &self.data))
                };
                Ok((finite(column(names[0])?)?, finite(column(names[1])?)?))
            }
            other => Err(wrong_form(wanted, other)),
        }
    }
}

/// One more than the largest node.
pub(crate) fn count_nodes(nodes: impl Iterator<Item = usize>) -> Result<usize> {
    match nodes.max() {
        Some(last) if last >= MAX_NODES => {
            let wanted = format!("nodes numbered from 0 to at most {}", MAX_NODES - 1);
            Err(invalid(wanted, format!("node {last}")))
        }
        last => Ok(last.map_or(0, |last| last + 1)),
    }
}

/// Error for data of the wrong form, such as text instead of a matrix.
pub(crate) fn wrong_form(wanted: &str, data: &Data) -> Error {
    Error::BadInstance { wanted: wanted.to_owned(), found: data.to_string() }
}

/// Error for data of the right form with an invalid value.
pub(crate) fn invalid(wanted: impl Into<String>, found: impl Into<String>) -> Error {
    Error::BadInstance { wanted: wanted.into(), found: found.into() }
}

/// Rejects NaN, which breaks comparisons, and infinity, which breaks sums.
pub(crate) fn finite(values: Vec<f64>) -> Result<Vec<f64>> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(values),
        Some(i) => Err(invalid("finite numbers", format!("{} at position {i}", values[i]))),
    }
}

impl std::fmt::Display for Data {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Matrix { columns, cells } => {
                write!(f, "a matrix of {} x {columns} numbers", cells.len() / (*columns).max(1))
            }
            Self::Table(table) => {
                let columns: Vec<String> = table
                    .iter()
                    .map(|(name, values)| format!("{name:?} ({} values)", values.len()))
                    .collect();
                write!(f, "a table with columns {}", columns.join(", "))
            }
            Self::Edges(edges) => write!(f, "a list of {} edges", edges.len()),
            Self::Text(lines) => write!(f, "{} lines of text", lines.len()),
        }
    }
}
