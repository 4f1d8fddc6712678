//! Analyses by name: their answers as data, and as pictures.

use std::path::{Path, PathBuf};

use narscope::analysis::analysed::AnalysedModel;
use narscope::analysis::analyses::{self, Entry};
use narscope::analysis::answers::CachedAnswers;
use narscope::analysis::context::{Context, Progress};
use narscope::analysis::recording;
use narscope::analysis::sampling::{Overrides, Sampling};
use narscope::model::run::Which;
use narscope::report::figures;
use narscope::report::plot::{Picture, Scheme, Style};
use narscope::results::{AnswerGroup, is_comparable, variant_name};
use narscope::study::output::{PictureFormat, Rendering};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde_json::{Map, json};

use crate::error::{self, Result, Stop, input_error};
use crate::json;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyAnswer>()?;
    module.add_class::<PyPicture>()?;
    module.add_function(wrap_pyfunction!(analyses_list, module)?)?;
    module.add_function(wrap_pyfunction!(analyse, module)?)
}

/// Name, question and source of every analysis.
#[pyfunction]
fn analyses_list(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let describe = |entry: &Entry| {
        let Entry { name, question, paper, compares_algorithms, .. } = *entry;
        json::to_python(
            py,
            &json!({
                "name": name,
                "question": question,
                "paper": paper,
                "compares_algorithms": compares_algorithms,
            }),
        )
    };
    let all: Vec<_> = analyses::ALL.iter().map(describe).collect::<PyResult<_>>()?;
    PyList::new(py, all)
}

/// The samples that Python asks for: keyword arguments that replace some of the defaults.
pub(crate) fn sampling(settings: &Bound<'_, PyDict>, full: bool) -> Result<Sampling> {
    let mut given = Map::new();
    for (name, value) in settings {
        let name: String = name.extract()?;
        let value = json::from_python(&name, &value)?;
        if !value.is_null() {
            // One at a time, so that the message names it.
            let one = Map::from_iter([(name.clone(), value.clone())]);
            serde_json::from_value::<Overrides>(one.into())
                .map_err(|error| input_error(format!("{name}: {error} (found {value})")))?;
            given.insert(name, value);
        }
    }
    let overrides: Overrides =
        serde_json::from_value(given.into()).expect("every setting was read above");
    let base = if full { Sampling::FULL } else { Sampling::QUICK };
    Ok(base.with(&overrides).check()?)
}

/// Work that ends early when Python has received a signal.
pub(crate) struct Interruptible<'a>(pub(crate) &'a Stop);

impl Progress for Interruptible<'_> {
    fn begin(&self, _: &str, _: usize) {}
    fn advance(&self, _: usize) {}
    fn is_interrupted(&self) -> bool {
        self.0.is_requested()
    }
}

/// The checkpoint of this name.
fn checkpoint(name: &str) -> Result<Which> {
    match name {
        "best" => Ok(Which::Best),
        "last" => Ok(Which::Last),
        _ => Err(input_error(format!("checkpoint should be 'best' or 'last', found {name:?}"))),
    }
}

/// Runs an analysis of a run or a recording, unless its answer is cached.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
fn analyse(
    py: Python<'_>,
    path: PathBuf,
    name: &str,
    settings: &Bound<'_, PyDict>,
    full: bool,
    algorithm: Option<String>,
    which: &str,
    again: bool,
) -> PyResult<PyAnswer> {
    let (entry, sampling, which) = error::guard(|| {
        Ok((analyses::find(name)?, sampling(settings, full)?, checkpoint(which)?))
    })?;
    error::interruptible(py, |stop| {
        if path.is_file() {
            if algorithm.is_some() {
                return Err(input_error(format!(
                    "{} is a recording, whose algorithm is fixed: leave out algorithm=",
                    path.display()
                )));
            }
            return of_recording(&path, entry, sampling);
        }
        let model = AnalysedModel::open(&path, which, algorithm.as_deref())?;
        let progress = Interruptible(stop);
        let cached = CachedAnswers::new(&path, &model, sampling, &progress);
        let answer = if again { cached.compute(entry)? } else { cached.answer(entry)? };
        Ok(PyAnswer {
            answer,
            variant: variant_name(model.config()),
            seed: model.config().seed,
            is_comparable: is_comparable(entry.name, model.config(), Some(&sampling)),
        })
    })
}

fn of_recording(path: &Path, entry: &Entry, sampling: Sampling) -> Result<PyAnswer> {
    let context = Context::from_recording(recording::read(path)?, sampling);
    let answer = (entry.run)(&context)?;
    let variant = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(PyAnswer { answer, variant, seed: 0, is_comparable: false })
}

/// The answer of an analysis.
#[pyclass(name = "Answer", module = "narscope._narscope", frozen)]
struct PyAnswer {
    answer: analyses::Answer,
    variant: String,
    seed: u32,
    is_comparable: bool,
}

#[pymethods]
impl PyAnswer {
    /// Analysis, question, sentence, measures and data.
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::to_python(py, &self.answer)
    }

    /// Draws the answer.
    fn pictures(&self, py: Python<'_>) -> PyResult<Vec<PyPicture>> {
        error::work(py, || {
            let group = AnswerGroup {
                variant: &self.variant,
                answers: vec![(self.seed, &self.answer)],
                is_comparable: self.is_comparable,
            };
            let figure = figures::find(&self.answer.analysis)?;
            let pictures = figure.all_pictures(&group)?.into_iter();
            Ok(pictures.map(|(name, picture)| PyPicture { name, picture }).collect())
        })
    }
}

/// A picture that is not rendered yet.
#[pyclass(name = "Picture", module = "narscope._narscope", frozen)]
struct PyPicture {
    /// The name of its file, without extension.
    #[pyo3(get)]
    name: String,
    picture: Picture,
}

#[pymethods]
impl PyPicture {
    /// What it shows.
    #[getter]
    fn title(&self) -> &str {
        &self.picture.title
    }

    /// How to read it.
    #[getter]
    fn caption(&self) -> &str {
        &self.picture.caption
    }

    /// The contents of a file of this format.
    fn render<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        width: Option<f64>,
        dpi: f64,
        dark: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = error::work(py, || {
            let format = PictureFormat::ALL
                .into_iter()
                .find(|known| known.extension() == format)
                .ok_or_else(|| {
                input_error(format!("a figure is saved as svg, png or pdf, not as {format:?}"))
            })?;
            if let Some(width) = width {
                within("width", width, &Rendering::WIDTHS)?;
            }
            within("dpi", dpi, &Rendering::RESOLUTIONS)?;
            let scheme = if dark { Scheme::Dark } else { Scheme::Light };
            let style = Style { width_mm: width, ..Style::of(scheme) };
            let rendering = Rendering { formats: vec![format], style, dpi };
            let bytes = format.render(&self.picture, &rendering);
            Ok(bytes.map_err(narscope::report::Error::from)?)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }
}

fn within(name: &str, found: f64, range: &std::ops::RangeInclusive<f64>) -> Result<()> {
    if range.contains(&found) {
        return Ok(());
    }
    let (least, most) = (range.start(), range.end());
    Err(input_error(format!("{name} should be a number from {least} to {most}, found {found}")))
}
