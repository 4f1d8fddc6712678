//! The user's own data, as read from a file and not yet known to fit an algorithm.

use super::MAX_NODES;
use crate::options::Direction;
use crate::{Error, Result};

/// What a file can hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Numbers in rows and columns; an array is a single row or column.
    Matrix {
        /// The number of columns.
        columns: usize,
        /// The numbers, row after row.
        cells: Vec<f64>,
    },
    /// Named columns of numbers, not necessarily of one length.
    Table(Vec<(String, Vec<f64>)>),
    /// Edges with their weights.
    Edges(Vec<(usize, usize, f64)>),
    /// Lines of text.
    Text(Vec<String>),
}

/// The user's own data, and what goes with it on the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct UserInstance {
    /// What the file holds.
    pub data: Data,
    /// Where searches and shortest paths start.
    pub source: Option<usize>,
    /// What is searched for.
    pub target: Option<f64>,
    /// Which way the edges of a list go, if not as the algorithm would have it.
    pub direction: Option<Direction>,
}

impl UserInstance {
    /// Data with nothing said about it.
    pub fn new(data: Data) -> Self {
        Self { data, source: None, target: None, direction: None }
    }

    /// An array: one row, one column, or a table with one column.
    pub fn array(&self, wanted: &str) -> Result<Vec<f64>> {
        match &self.data {
            Data::Matrix { columns, cells } if *columns == 1 || *columns == cells.len() => {
                finite(cells.clone())
            }
            Data::Table(table) if table.len() == 1 => finite(table[0].1.clone()),
            other => Err(misfit(wanted, other)),
        }
    }

    /// Two columns: by name from a table, by place from a matrix.
    pub fn pair(&self, names: [&str; 2], wanted: &str) -> Result<(Vec<f64>, Vec<f64>)> {
        match &self.data {
            Data::Matrix { columns: 2, cells } => {
                let column = |place| cells.iter().skip(place).step_by(2).copied().collect();
                Ok((finite(column(0))?, finite(column(1))?))
            }
            Data::Table(table) => {
                let column = |wanted_name| {
                    let found = table.iter().find(|(name, _)| name == wanted_name);
                    found
                        .map(|(_, values)| values.clone())
                        .ok_or_else(|| misfit(wanted, &self.data))
                };
                Ok((finite(column(names[0])?)?, finite(column(names[1])?)?))
            }
            other => Err(misfit(wanted, other)),
        }
    }
}

/// How many nodes there are if the largest of these is the last.
pub(crate) fn count_nodes(nodes: impl Iterator<Item = usize>) -> Result<usize> {
    match nodes.max() {
        Some(last) if last >= MAX_NODES => {
            let wanted = format!("nodes numbered from 0 to at most {}", MAX_NODES - 1);
            Err(refuse(wanted, format!("node {last}")))
        }
        last => Ok(last.map_or(0, |last| last + 1)),
    }
}

/// Data of the wrong form.
pub(crate) fn misfit(wanted: &str, data: &Data) -> Error {
    Error::BadInstance { wanted: wanted.to_owned(), found: data.to_string() }
}

/// Data of the right form with a value that cannot be.
pub(crate) fn refuse(wanted: impl Into<String>, found: impl Into<String>) -> Error {
    Error::BadInstance { wanted: wanted.into(), found: found.into() }
}

/// NaN breaks every comparison that an algorithm makes, and infinity most of its sums.
pub(crate) fn finite(values: Vec<f64>) -> Result<Vec<f64>> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(values),
        Some(place) => Err(refuse("finite numbers", format!("{} at place {place}", values[place]))),
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
