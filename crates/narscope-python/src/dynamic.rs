//! Algorithms that are written in Python: `narscope/algorithm.py` checks and converts what functions take and give.

use narscope::clrs::column::Column;
use narscope::clrs::dynamic::{Definition, NewProbe, Problems, Record, Run, Steps};
use narscope::clrs::{
    Batch, Category, Entry, Error, Foreign, Kind, Location, Stage, algorithms, registry,
};
use numpy::{PyArrayDyn, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arguments;
use crate::arrays::{DenseBatch, PyBatch, array, floats};
use crate::error::{self, Result, input_error};
use crate::json;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(define_algorithm, module)?)?;
    module.add_function(wrap_pyfunction!(run_algorithm, module)?)
}

const STAGES: [Stage; 3] = [Stage::Input, Stage::Output, Stage::Hint];
const LOCATIONS: [Location; 3] = [Location::Node, Location::Edge, Location::Graph];
const CATEGORIES: [Category; 8] = [
    Category::Sorting,
    Category::Searching,
    Category::DivideAndConquer,
    Category::Greedy,
    Category::DynamicProgramming,
    Category::Graphs,
    Category::Strings,
    Category::Geometry,
];

/// The item that serialises to `name`.
fn named<T: serde::Serialize + Copy>(what: &'static str, all: &[T], name: &str) -> Result<T> {
    let names: Vec<(String, T)> = all
        .iter()
        .map(|&item| (json::value(&item).as_str().expect("a name").to_owned(), item))
        .collect();
    Ok(registry::find(what, &names, |(known, _)| known.as_str(), name)?.1)
}

/// A row of a spec: name, stage, location, type, names of classes.
type Row = (String, String, String, String, Vec<String>);

fn probe((name, stage, location, kind, classes): Row) -> Result<NewProbe> {
    let stage = named("stage", &STAGES, &stage)?;
    let location = named("location", &LOCATIONS, &location)?;
    let kind = named("type", Kind::ALL, &kind)?;
    Ok(NewProbe { name, stage, location, kind, classes, meaning: String::new() })
}

/// Makes an algorithm known. `run` takes the number of nodes and the inputs, and returns the hints of all steps and the
/// outputs; `draw`, if instances are not those of the algorithm `instances`, takes a seed and the number of nodes, and
/// returns the inputs. All values are in the reference's layout, in the order of the spec.
#[pyfunction]
fn define_algorithm(
    name: String,
    summary: String,
    category: Option<&str>,
    spec: Vec<Row>,
    instances: Option<&str>,
    draw: Option<Py<PyAny>>,
    run: Py<PyAny>,
) -> PyResult<()> {
    error::guard(|| {
        let base = instances.map(arguments::algorithm).transpose()?;
        let category = match (category, base) {
            (Some(name), _) => named("category", &CATEGORIES, name)?,
            (None, Some(base)) => base.category,
            (None, None) => Category::Graphs,
        };
        let probes: Vec<NewProbe> = spec.into_iter().map(probe).collect::<Result<_>>()?;
        let problems = match (base, draw) {
            (Some(base), None) => Problems::Of(base),
            (None, Some(draw)) => Problems::Drawn(Box::new(move |seed, nodes| {
                call(|py| record(&draw.bind(py).call1((seed, nodes))?))
            })),
            _ => return Err(input_error("an algorithm has either instances or a sampler")),
        };
        let run: Box<Run> =
            Box::new(move |nodes: usize, values: &[Vec<f64>], steps: &mut Steps<'_>| {
                let (hints, outputs) = call(|py| {
                    // Python knows the shapes.
                    let arrays =
                        values.iter().map(|values| array(py, values.clone(), &[values.len()]));
                    let arrays = PyList::new(py, arrays.collect::<PyResult<Vec<_>>>()?)?;
                    let found = run.bind(py).call1((nodes, arrays))?;
                    let (hints, outputs): (Vec<Bound<'_, PyAny>>, Bound<'_, PyAny>) =
                        found.extract()?;
                    let hints: Vec<Record> = hints.iter().map(record).collect::<PyResult<_>>()?;
                    Ok((hints, record(&outputs)?))
                })?;
                hints.iter().try_for_each(|hint| steps.hint(hint))?;
                Ok(outputs)
            });
        Definition { name, summary, category, probes, problems, run }.define()?;
        Ok(())
    })
}

/// Calls Python. What it raises comes back to the caller of narscope untouched.
fn call<T>(work: impl FnOnce(Python<'_>) -> PyResult<T>) -> narscope::clrs::Result<T> {
    Python::attach(work).map_err(|error| Error::Foreign(Foreign::new(error)))
}

/// A list of arrays of floats in C order, as `narscope/algorithm.py` makes them.
fn record(arrays: &Bound<'_, PyAny>) -> PyResult<Record> {
    let values = arrays.try_iter()?.map(|array| {
        let array = array?;
        let array = array.cast::<PyArrayDyn<f64>>()?.readonly();
        Ok(array.as_slice()?.to_vec())
    });
    values.collect()
}

/// Runs an algorithm on the given inputs: one array per input probe, in the reference's layout.
#[pyfunction]
fn run_algorithm<'py>(
    py: Python<'py>,
    algorithm: &str,
    n: usize,
    inputs: Vec<Bound<'py, PyAny>>,
) -> PyResult<PyBatch<'py>> {
    let (entry, columns) = error::guard(|| {
        let entry: &'static Entry = algorithms::find(algorithm)?;
        let probes = entry.probes.iter().filter(|probe| probe.stage == Stage::Input);
        let columns = probes.zip(inputs).map(|(probe, values)| {
            let values = floats(&probe.name, &values)?;
            let mut column = Column::of(probe, n);
            let dense = values.as_slice().map_err(PyErr::from)?;
            probe
                .compact(n, dense, &mut column)
                .map_err(|error| input_error(format!("{}: {error}", probe.name)))?;
            Ok(column)
        });
        Ok((entry, columns.collect::<Result<Vec<_>>>()?))
    })?;
    let dense =
        error::work(py, || Ok(DenseBatch::of(&Batch::new(entry.replay(n, &columns, 0)?, 0))))?;
    dense.into_python(py)
}
