//! NumPy arrays: made from what Rust has computed, without a copy, and read whatever their type and layout.

use narscope::clrs::batch::Gather;
use narscope::clrs::{Batch, Dtype, Entry, Probe, Stage, Traces};
use numpy::{IntoPyArray as _, PyArrayDyn, PyArrayMethods as _, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict as _, PyDict};

use crate::error::{Result, input_error};

/// A vector as an array of this shape; the array owns the vector's memory.
///
/// # Panics
/// If the shape has another number of elements.
pub(crate) fn array<'py, T: numpy::Element>(
    py: Python<'py>,
    values: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    assert_eq!(values.len(), shape.iter().product::<usize>(), "elements of shape {shape:?}");
    let array: Bound<'py, PyArrayDyn<T>> = values.into_pyarray(py).reshape(shape.to_vec())?;
    Ok(array.into_any())
}

/// The values of a probe in the reference's layout and type, before they are an array of Python.
pub(crate) enum Dense {
    /// Floats.
    Float(Vec<f64>, Vec<usize>),
    /// Whole numbers.
    Whole(Vec<i64>, Vec<usize>),
}

impl Dense {
    /// The values of a probe of a batch: `[B, …]`, or `[T, B, …]` for hints.
    pub(crate) fn of(batch: &Batch, probe: usize) -> Self {
        let shape = batch.shape(probe);
        match batch.traces.probes[probe].dtype {
            Dtype::Float64 => Self::Float(batch.dense(probe), shape),
            Dtype::Int64 => {
                let mut whole = Vec::with_capacity(shape.iter().product());
                let Ok(()) = batch.try_for_each_slab(probe, |slab| {
                    whole.extend(slab.iter().map(|&value| value as i64));
                    Ok::<(), std::convert::Infallible>(())
                });
                Self::Whole(whole, shape)
            }
        }
    }

    /// The array.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Self::Float(values, shape) => array(py, values, &shape),
            Self::Whole(values, shape) => array(py, values, &shape),
        }
    }
}

/// A whole batch in the reference's layout, before it is arrays of Python.
pub(crate) struct DenseBatch {
    probes: Vec<(Stage, String, Dense)>,
    lengths: Vec<f64>,
    nodes: usize,
}

/// What Python gets of a batch: the number of nodes, inputs, hints, outputs, and the number of hints of each sample.
pub(crate) type PyBatch<'py> =
    (usize, Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyAny>);

impl DenseBatch {
    /// All probes of a batch.
    pub(crate) fn of(batch: &Batch) -> Self {
        let probes = batch.traces.probes.iter().enumerate();
        let probes = probes
            .map(|(place, probe)| (probe.stage, probe.name.to_string(), Dense::of(batch, place)));
        Self { probes: probes.collect(), lengths: batch.lengths(), nodes: batch.traces.nodes }
    }

    /// The arrays.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<PyBatch<'_>> {
        let (inputs, hints, outputs) = (PyDict::new(py), PyDict::new(py), PyDict::new(py));
        for (stage, name, dense) in self.probes {
            let of_stage = match stage {
                Stage::Input => &inputs,
                Stage::Hint => &hints,
                Stage::Output => &outputs,
            };
            of_stage.set_item(name, dense.into_python(py)?)?;
        }
        Ok((self.nodes, inputs, hints, outputs, self.lengths.into_pyarray(py).into_any()))
    }
}

/// How many bytes the arrays of a batch take.
pub(crate) fn dense_bytes(batch: &Batch) -> usize {
    let sizes = (0..batch.traces.probes.len()).map(|probe| {
        let shape = batch.shape(probe);
        shape.into_iter().fold(size_of::<f64>(), usize::saturating_mul)
    });
    sizes.fold(0, usize::saturating_add)
}

/// An array of any numeric type and layout, as floats in C order. `name` is what errors call it.
pub(crate) fn floats<'py>(
    name: &str,
    object: &Bound<'py, PyAny>,
) -> Result<PyReadonlyArrayDyn<'py, f64>> {
    let contiguous = contiguous(name, object, "float64")?;
    Ok(contiguous.cast::<PyArrayDyn<f64>>()?.readonly())
}

/// Like [`floats`], in single precision.
pub(crate) fn single_floats<'py>(
    name: &str,
    object: &Bound<'py, PyAny>,
) -> Result<PyReadonlyArrayDyn<'py, f32>> {
    let contiguous = contiguous(name, object, "float32")?;
    Ok(contiguous.cast::<PyArrayDyn<f32>>()?.readonly())
}

/// An array of numbers, as one of another type in C order; the same one if it is that already.
fn contiguous<'py>(
    name: &str,
    object: &Bound<'py, PyAny>,
    dtype: &str,
) -> Result<Bound<'py, PyAny>> {
    let numpy = object.py().import("numpy")?;
    let given = numpy.call_method1("asarray", (object,)).map_err(|_| {
        input_error(format!("{name} should be an array of numbers, found rows of different sizes"))
    })?;
    let found = given.getattr("dtype")?;
    let kind: String = found.getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "b" | "i" | "u" | "f") {
        let sentence = "should be an array of numbers, found one of type";
        return Err(input_error(format!("{name} {sentence} {found}")));
    }
    // A number is an array without axes, which `ascontiguousarray` would give one.
    let in_order = [("dtype", dtype), ("order", "C")].into_py_dict(object.py())?;
    Ok(numpy.call_method("asarray", (given,), Some(&in_order))?)
}

/// What Python gives of a batch.
#[derive(FromPyObject)]
pub(crate) struct GivenBatch<'py> {
    inputs: Bound<'py, PyDict>,
    hints: Bound<'py, PyDict>,
    outputs: Bound<'py, PyDict>,
    lengths: Bound<'py, PyAny>,
    pub(crate) n: usize,
}

impl GivenBatch<'_> {
    /// Reads the arrays as traces of an algorithm, and checks every value that is not padding.
    pub(crate) fn read(&self, entry: &Entry) -> Result<Batch> {
        let lengths = floats("lengths", &self.lengths)?;
        let lengths = lengths.as_slice().map_err(PyErr::from)?;
        let is_count = |&length: &f64| length >= 1.0 && length.fract() == 0.0;
        if let Some(wrong) = lengths.iter().find(|length| !is_count(length)) {
            return Err(input_error(format!(
                "lengths should be whole numbers of hints, at least 1, found {wrong}"
            )));
        }
        let steps: Vec<usize> = lengths.iter().map(|&length| length as usize).collect();
        let longest = steps.iter().copied().max().unwrap_or(0);
        let mut most = longest;
        let mut columns = vec![];
        for probe in entry.probes {
            let (field, arrays) = match probe.stage {
                Stage::Input => ("inputs", &self.inputs),
                Stage::Hint => ("hints", &self.hints),
                Stage::Output => ("outputs", &self.outputs),
            };
            let name = format!("{field}[{:?}]", probe.name);
            let given = arrays.get_item(&*probe.name)?.ok_or_else(|| {
                input_error(format!("{} needs {name}, which the batch does not have", entry.name))
            })?;
            let array = floats(&name, &given)?;
            let shape = array.as_array().shape().to_vec();
            check_shape(&name, probe, &shape, self.n, steps.len(), longest)?;
            if probe.stage == Stage::Hint {
                most = most.max(shape[0]);
            }
            let mut gather = Gather::new(probe, self.n, &steps);
            let slab = probe.size(self.n) * steps.len();
            for values in array.as_slice().map_err(PyErr::from)?.chunks_exact(slab.max(1)) {
                gather.push(values).map_err(|error| input_error(format!("{name}: {error}")))?;
            }
            columns.push(gather.finish());
        }
        let traces = Traces::from_columns(entry.probes.to_vec(), self.n, columns, &steps);
        Ok(Batch { traces, steps: most })
    }
}

/// Refuses arrays of another shape than the probe's.
fn check_shape(
    name: &str,
    probe: &Probe,
    found: &[usize],
    nodes: usize,
    samples: usize,
    longest: usize,
) -> Result<()> {
    let mut expected = vec![samples];
    expected.extend(probe.shape(nodes));
    let fits = match probe.stage {
        Stage::Hint => {
            found.first().is_some_and(|&steps| steps >= longest) && found[1..] == *expected
        }
        Stage::Input | Stage::Output => *found == *expected,
    };
    if fits {
        return Ok(());
    }
    let sizes: Vec<String> = expected.iter().map(usize::to_string).collect();
    let expected = match probe.stage {
        Stage::Hint => format!("({longest} or more, {})", sizes.join(", ")),
        Stage::Input | Stage::Output => format!("({})", sizes.join(", ")),
    };
    let found: Vec<String> = found.iter().map(usize::to_string).collect();
    let found = found.join(", ");
    Err(input_error(format!("{name} should have the shape {expected}, found ({found})")))
}
