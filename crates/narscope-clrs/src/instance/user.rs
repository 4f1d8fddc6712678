//! User data from a file, not yet validated for an algorithm.

pub use super::edge_list::{EdgeList, ListedEdge, Numbering, Place};
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
    /// Named columns, possibly of different lengths. As many columns as rows are a matrix with the
    /// names of its nodes.
    Table(Vec<(String, Vec<f64>)>),
    /// A list of edges.
    Edges(EdgeList),
    /// Lines of text.
    Text(Vec<String>),
}

/// User data and the settings that accompany it.
#[derive(Clone, Debug, PartialEq)]
pub struct UserInstance {
    /// The contents of the file.
    pub data: Data,
    /// Where they come from.
    pub origin: Origin,
    /// The source of searches and shortest paths: the name of a node, or its number if nodes have no
    /// names.
    pub source: Option<String>,
    /// The number to search for.
    pub target: Option<f64>,
    /// The direction of the edges of a list; what the file states or the algorithm's default if
    /// `None`.
    pub direction: Option<Direction>,
}

/// Where an instance comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file, as the user named it; empty if there is none.
    pub file: String,
    /// The graph in the file, if it has several.
    pub graph: Option<String>,
}

impl Origin {
    /// A short name: the name of the file without its folders, and that of the graph.
    pub fn name(&self) -> String {
        let file = self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file);
        match &self.graph {
            Some(graph) => format!("{file}/{graph}"),
            None => file.to_owned(),
        }
    }
}

/// The file with its folders, and the graph.
impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.graph {
            Some(graph) => write!(f, "{}/{graph}", self.file),
            None => write!(f, "{}", self.file),
        }
    }
}

/// How an algorithm reads a user's instance, for people who want to know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The name of each node; empty if nodes are known by their numbers.
    pub names: Vec<String>,
    /// The graph, if it is one.
    pub graph: Option<GraphReading>,
}

impl Reading {
    /// What a node is called.
    pub fn label(&self, node: usize) -> String {
        self.names.get(node).cloned().unwrap_or_else(|| node.to_string())
    }
}

/// How an algorithm reads a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphReading {
    /// The number of nodes.
    pub nodes: usize,
    /// The number of edges; an undirected edge counts once.
    pub edges: usize,
    /// Whether edges have a direction.
    pub is_directed: bool,
    /// What decided that.
    pub decided_by: DecidedBy,
    /// The smallest and the largest weight, if the algorithm uses weights.
    pub weights: Option<(f64, f64)>,
    /// The source, if the algorithm has one.
    pub source: Option<usize>,
}

/// What decides whether a graph is directed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// The file states it.
    File,
    /// A matrix is symmetric or not.
    Matrix,
    /// The caller asked for it.
    Caller,
    /// The algorithm's default, because nothing else tells.
    Default,
}

impl UserInstance {
    /// Data without settings.
    pub fn new(data: Data) -> Self {
        let origin = Origin::default();
        Self { data, origin, source: None, target: None, direction: None }
    }

    /// The same instance with all numbers divided by `divisor`.
    #[must_use]
    pub fn divided(&self, divisor: f64) -> Self {
        let divided = |values: &[f64]| values.iter().map(|value| value / divisor).collect();
        let data = match &self.data {
            Data::Matrix { columns, cells } => {
                Data::Matrix { columns: *columns, cells: divided(cells) }
            }
            Data::Table(table) => Data::Table(
                table.iter().map(|(name, values)| (name.clone(), divided(values))).collect(),
            ),
            Data::Edges(list) => Data::Edges(list.divided(divisor)),
            text @ Data::Text(_) => text.clone(),
        };
        Self { data, ..self.clone() }
    }

    /// About how many nodes the trace of the instance has, to estimate its memory.
    pub fn nodes(&self) -> usize {
        match &self.data {
            Data::Matrix { columns, cells } => {
                let rows = cells.len() / (*columns).max(1);
                match (rows, *columns) {
                    (1, count) | (count, 1) => count,
                    (rows, columns) => rows.max(columns),
                }
            }
            Data::Table(table) => table.iter().map(|(_, values)| values.len()).max().unwrap_or(0),
            Data::Edges(list) => list.nodes(),
            Data::Text(lines) => lines.iter().map(String::len).sum(),
        }
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
                const MOST: usize = 6;
                let columns = table.iter().take(MOST);
                let columns: Vec<String> = columns
                    .map(|(name, values)| format!("{name:?} ({} values)", values.len()))
                    .collect();
                write!(f, "a table with columns {}", columns.join(", "))?;
                match table.len() {
                    count if count > MOST => write!(f, " and {} more", count - MOST),
                    _ => Ok(()),
                }
            }
            Self::Edges(list) => write!(f, "a list of {} edges", list.len()),
            Self::Text(lines) => write!(f, "{} lines of text", lines.len()),
        }
    }
}
