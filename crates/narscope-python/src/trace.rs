//! Traces of the user's own instances.

use std::path::PathBuf;

use narscope::clrs::instance::user::{Data, EdgeList, Place, UserInstance};
use narscope::clrs::options::Direction;
use narscope::clrs::{Batch, Entry};
use narscope::files::{instance, memory};
use pyo3::prelude::*;

use crate::arguments;
use crate::arrays::{DenseBatch, PyBatch, dense_bytes, floats};
use crate::error::{self, Result, input_error};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(trace, module)?)
}

/// An edge list: labels of all nodes, ends and weights of the edges, and whether edges have a direction, if known.
type Edges = (Vec<String>, Vec<(usize, usize, f64)>, Option<bool>);

/// The instances that `narscope/_instance.py` makes of graphs, arrays and files, by the name of their form; several if
/// a file holds several.
fn read(form: &str, content: &Bound<'_, PyAny>) -> Result<Vec<UserInstance>> {
    let data = match form {
        "file" => return Ok(instance::read(&content.extract::<PathBuf>()?)?),
        "text" => Data::Text(content.extract()?),
        "edges" => Data::Edges(edge_list(content.extract()?)),
        "table" => {
            let columns: Vec<(String, Bound<'_, PyAny>)> = content.extract()?;
            let read = |(name, values): (String, Bound<'_, PyAny>)| {
                let numbers = floats(&name, &values)?;
                let numbers = numbers.as_slice().map_err(PyErr::from)?.to_vec();
                Ok((name, numbers))
            };
            Data::Table(columns.into_iter().map(read).collect::<Result<_>>()?)
        }
        _ => {
            let numbers = floats("the array", content)?;
            let shape = numbers.as_array().shape().to_vec();
            let cells = numbers.as_slice().map_err(PyErr::from)?.to_vec();
            match shape[..] {
                [_] => Data::Matrix { columns: 1, cells },
                [_, columns] => Data::Matrix { columns, cells },
                _ => {
                    let found = shape.len();
                    let sentence = "an instance is an array with one or two axes, found";
                    return Err(input_error(format!("{sentence} {found}")));
                }
            }
        }
    };
    Ok(vec![UserInstance::new(data)])
}

fn edge_list((labels, edges, is_directed): Edges) -> EdgeList {
    let mut list = EdgeList::new(is_directed.map(direction));
    for label in &labels {
        list.add_node(label);
    }
    for (i, (source, target, weight)) in edges.into_iter().enumerate() {
        list.add_edge(&labels[source], &labels[target], weight, Place::Edge(i));
    }
    list
}

fn direction(is_directed: bool) -> Direction {
    if is_directed { Direction::Directed } else { Direction::Undirected }
}

/// What Python gives of an instance: form and content, source, target, whether its edges have a direction.
pub(crate) type Given<'py> = (String, Bound<'py, PyAny>, Option<String>, Option<f64>, Option<bool>);

/// The one instance that Python gives.
pub(crate) fn instance_of(given: Given<'_>) -> Result<UserInstance> {
    let (form, content, source, target, directed) = given;
    let mut all = read(&form, &content)?;
    let user = all.pop().filter(|_| all.is_empty()).ok_or_else(|| {
        input_error("the file holds several instances; give one of them at a time")
    })?;
    let direction = directed.map(direction);
    Ok(UserInstance { source, target, direction, ..user })
}

/// What Python gets of a trace: its arrays, the names of its nodes, and whether its edges have a direction.
type PyTrace<'py> = (PyBatch<'py>, Vec<String>, Option<bool>);

/// Runs an algorithm on the user's instance.
#[pyfunction]
fn trace<'py>(
    py: Python<'py>,
    algorithm: &str,
    form: &str,
    content: &Bound<'py, PyAny>,
    source: Option<String>,
    target: Option<f64>,
    directed: Option<bool>,
) -> PyResult<PyTrace<'py>> {
    let (entry, user) = error::guard(|| {
        let entry = arguments::algorithm(algorithm)?;
        Ok((entry, instance_of((form.to_owned(), content.clone(), source, target, directed))?))
    })?;
    let (dense, names, is_directed) = error::work(py, || run(entry, &user))?;
    Ok((dense.into_python(py)?, names, is_directed))
}

fn run(entry: &Entry, user: &UserInstance) -> Result<(DenseBatch, Vec<String>, Option<bool>)> {
    let nodes = user.nodes();
    let what = || format!("a trace of {} on {nodes} nodes", entry.name);
    memory::require(entry.estimated_bytes(nodes), what)?;
    let reading = entry.reading(user)?;
    let batch = Batch::new(entry.trace(user)?, 0);
    memory::require(dense_bytes(&batch), what)?;
    let is_directed = reading.graph.map(|graph| graph.is_directed);
    Ok((DenseBatch::of(&batch), reading.names, is_directed))
}
