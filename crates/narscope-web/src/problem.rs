//! Problems that the user of the page edits: graphs, arrays, columns of numbers, texts.

use std::collections::BTreeMap;

use narscope_clrs::Entry;
use narscope_clrs::column::Row;
use narscope_clrs::instance::user::{Data, UserInstance};
use narscope_clrs::kind::Kind;
use narscope_clrs::location::Location;
use narscope_clrs::options::Direction;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;
use serde::{Deserialize, Serialize};

use crate::limits::LIMITS;
use crate::{Error, Result};

/// A problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Problem {
    /// A graph; an undirected edge is listed once.
    Graph {
        nodes: usize,
        edges: Vec<(usize, usize, f64)>,
        directed: bool,
        source: usize,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        names: Vec<String>,
    },
    /// An array, perhaps with a number to search for.
    Array {
        values: Vec<f64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<f64>,
    },
    /// Named columns of numbers.
    Columns { columns: BTreeMap<String, Vec<f64>> },
    /// Lines of text.
    Text { lines: Vec<String> },
}

/// The kind of problem of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A graph, perhaps with a source.
    Graph { has_source: bool },
    /// The array of an input, perhaps with a target.
    Array { probe: &'static str, has_target: bool },
    /// Inputs as columns.
    Columns(Vec<&'static str>),
    /// Two strings.
    Text,
}

impl Form {
    /// Derives the form from the inputs of an algorithm.
    ///
    /// # Errors
    /// If the explorer cannot edit such problems.
    pub(crate) fn of(entry: &'static Entry) -> Result<Self> {
        let inputs: Vec<&Probe> =
            entry.probes.iter().filter(|probe| probe.stage == Stage::Input).collect();
        let has = |name: &str| inputs.iter().any(|probe| probe.name == name);
        // A flow network is derived from a bipartite graph, which has no sides here.
        if has("A") && !has("t") {
            return Ok(Self::Graph { has_source: has("s") });
        }
        if has("string") {
            return Ok(Self::Text);
        }
        let columns: Vec<&'static str> = inputs
            .iter()
            .filter(|probe| probe.location == Location::Node && probe.kind == Kind::Scalar)
            .filter(|probe| probe.name != "pos")
            .filter_map(|probe| match probe.name {
                std::borrow::Cow::Borrowed(name) => Some(name),
                std::borrow::Cow::Owned(_) => None,
            })
            .collect();
        match (columns.as_slice(), has("A")) {
            ([probe], false) => Ok(Self::Array { probe, has_target: has("target") }),
            ([_, ..], false) => Ok(Self::Columns(columns)),
            _ => Err(Error::new(format!(
                "the explorer has no editor for the problems of {}; `narscope trace {}` runs it",
                entry.name, entry.name
            ))),
        }
    }
}

impl Problem {
    /// The problem of a run of an algorithm.
    pub(crate) fn of(form: &Form, traces: &Traces, run: usize) -> Self {
        let numbers = |name: &str| {
            let probe = traces.find(Stage::Input, name).expect("the form names inputs");
            let mut rows = traces.columns[probe].rows_from(run);
            match rows.next_row().expect("a record per run") {
                Row::Real(row) => row.to_vec(),
                Row::Class(row) => row.iter().map(|&class| f64::from(class)).collect(),
                Row::Index(row) => row.iter().map(|&index| f64::from(index)).collect(),
            }
        };
        match form {
            Form::Graph { has_source } => {
                let source = if *has_source { numbers("s")[0] as usize } else { 0 };
                graph(traces.nodes, &numbers("A"), source)
            }
            Form::Array { probe, has_target } => Self::Array {
                values: numbers(probe),
                target: has_target.then(|| numbers("target")[0]),
            },
            Form::Columns(names) => Self::Columns {
                columns: names.iter().map(|&name| (name.to_owned(), numbers(name))).collect(),
            },
            Form::Text => {
                let (letters, second) = (numbers("key"), numbers("string"));
                let line = |of: f64| {
                    let own = letters.iter().zip(&second).filter(|(_, string)| **string == of);
                    own.map(|(&letter, _)| char::from(b'A' + letter as u8)).collect()
                };
                Self::Text { lines: vec![line(0.0), line(1.0)] }
            }
        }
    }

    /// About how many nodes it has.
    fn size(&self) -> usize {
        match self {
            Self::Graph { nodes, .. } => *nodes,
            Self::Array { values, .. } => values.len(),
            Self::Columns { columns } => columns.values().map(Vec::len).max().unwrap_or(0),
            Self::Text { lines } => lines.iter().map(|line| line.chars().count()).sum(),
        }
    }

    /// The problem as this algorithm reads it.
    ///
    /// # Errors
    /// If it is too large, or refers to nodes that do not exist. The algorithm checks the rest.
    pub(crate) fn instance(&self, entry: &'static Entry) -> Result<UserInstance> {
        LIMITS.check_nodes(self.size())?;
        // A source is an error where there is none.
        let has_source = Form::of(entry)? == Form::Graph { has_source: true };
        Ok(match self {
            Self::Graph { nodes, edges, directed, source, .. } => UserInstance {
                direction: Some(if *directed {
                    Direction::Directed
                } else {
                    Direction::Undirected
                }),
                source: has_source.then(|| source.to_string()),
                ..UserInstance::new(matrix(*nodes, edges, *directed)?)
            },
            Self::Array { values, target } => UserInstance {
                target: *target,
                ..UserInstance::new(Data::Matrix { columns: 1, cells: values.clone() })
            },
            Self::Columns { columns } => UserInstance::new(Data::Table(
                columns.iter().map(|(name, values)| (name.clone(), values.clone())).collect(),
            )),
            Self::Text { lines } => UserInstance::new(Data::Text(lines.clone())),
        })
    }
}

/// The graph of a matrix of weights.
fn graph(nodes: usize, weights: &[f64], source: usize) -> Problem {
    let weight = |u: usize, v: usize| weights[u * nodes + v];
    let pairs = || (0..nodes).flat_map(|u| (0..nodes).map(move |v| (u, v)));
    let directed = pairs().any(|(u, v)| weight(u, v) != weight(v, u));
    let edges = pairs()
        .filter(|&(u, v)| weight(u, v) != 0.0 && (directed || u <= v))
        .map(|(u, v)| (u, v, weight(u, v)))
        .collect();
    Problem::Graph { nodes, edges, directed, source, names: vec![] }
}

/// The matrix of weights of a list of edges.
fn matrix(nodes: usize, edges: &[(usize, usize, f64)], directed: bool) -> Result<Data> {
    let mut cells = vec![0.0; nodes * nodes];
    for &(u, v, weight) in edges {
        if u >= nodes || v >= nodes {
            return Err(Error::new(format!(
                "expected edges between the nodes 0 to {}, found one from {u} to {v}",
                nodes.saturating_sub(1)
            )));
        }
        cells[u * nodes + v] = weight;
        if !directed {
            cells[v * nodes + u] = weight;
        }
    }
    Ok(Data::Matrix { columns: nodes, cells })
}

#[cfg(test)]
mod tests {
    use narscope_clrs::algorithms;
    use narscope_clrs::options::Options;
    use narscope_clrs::rng::Rng;

    use super::*;

    #[test]
    fn every_algorithm_of_clrs_30_solves_the_problem_of_its_own_trace_as_before() {
        for entry in algorithms::ALL.iter().filter(|entry| entry.in_clrs_30) {
            let form = Form::of(entry).unwrap();
            let traces = entry.generate(&mut Rng::seeded(5), 16, &Options::default(), 2).unwrap();
            for run in 0..2 {
                let problem = Problem::of(&form, &traces, run);
                let json = serde_json::to_string(&problem).unwrap();
                let problem: Problem = serde_json::from_str(&json).unwrap();
                let again = entry.trace(&problem.instance(entry).unwrap()).unwrap();
                assert_eq!(again, traces.select(&[run]), "{} {json}", entry.name);
            }
        }
    }

    #[test]
    fn bipartite_matching_has_no_editor() {
        let entry = algorithms::find("bipartite_matching").unwrap();
        let sentence = Form::of(entry).unwrap_err().0;
        assert!(sentence.contains("narscope trace bipartite_matching"), "{sentence}");
    }

    #[test]
    fn edges_to_nodes_that_do_not_exist_and_large_graphs_are_refused() {
        let entry = algorithms::find("bfs").unwrap();
        let problem = |nodes, edges| Problem::Graph {
            nodes,
            edges,
            directed: true,
            source: 0,
            names: vec![],
        };
        let sentence = problem(3, vec![(0, 3, 1.0)]).instance(entry).unwrap_err().0;
        assert_eq!(sentence, "expected edges between the nodes 0 to 2, found one from 0 to 3");
        assert!(problem(2000, vec![]).instance(entry).is_err());
    }
}
