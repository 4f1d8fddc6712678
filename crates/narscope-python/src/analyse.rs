//! Analyses by name: their answers as data, and as pictures.

use std::path::{Path, PathBuf};

use narscope::analysis::analysed::AnalysedModel;
use narscope::analysis::analyses::{self, Entry};
use narscope::analysis::answers::CachedAnswers;
use narscope::analysis::context::{Context, Progress};
use narscope::analysis::own::OwnSample;
use narscope::analysis::recording;
use narscope::analysis::sampling::{Overrides, Sampling};
use narscope::clrs::instance::user::UserInstance;
use narscope::model::spec::check_precision;
use narscope::report::figures;
use narscope::report::plot::{Picture, Scheme, Style};
use narscope::results::{AnswerGroup, is_comparable, variant_name};
use narscope::study::output::{PictureFormat, Rendering};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde_json::{Map, json};

use crate::error::{self, Result, Stop, input_error};
use crate::trace::{Given, instance_of};
use crate::{json, run};

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

/// Runs an analysis of a run or a recording, unless its answer is cached.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
fn analyse(
    py: Python<'_>,
    path: PathBuf,
    name: &str,
    settings: &Bound<'_, PyDict>,
    full: bool,
    algorithm: Option<&str>,
    which: &str,
    again: bool,
    instance: Option<Given<'_>>,
    rescale: bool,
) -> PyResult<PyAnswer> {
    let (entry, sampling, which, own) = error::guard(|| {
        let own = instance.map(instance_of).transpose()?;
        Ok((analyses::find(name)?, sampling(settings, full)?, run::which(which)?, own))
    })?;
    error::interruptible(py, move |stop| {
        if path.is_file() {
            if algorithm.is_some() || own.is_some() {
                return Err(input_error(format!(
                    "{} is a recording, whose algorithm and samples are fixed: leave out algorithm and instance",
                    path.display()
                )));
            }
            return of_recording(&path, entry, sampling);
        }
        let model = AnalysedModel::open(&path, which, algorithm)?;
        let progress = Interruptible(stop);
        let mut cached = CachedAnswers::new(&path, &model, sampling, &progress);
        if let Some(own) = own {
            cached = cached.with_sample(own_sample(&model, &own, rescale)?);
        }
        let drawn = cached.sampling();
        let answer = if again { cached.compute(entry)? } else { cached.answer(entry)? };
        Ok(PyAnswer {
            answer,
            variant: variant_name(model.config()),
            seed: model.config().seed,
            is_comparable: is_comparable(entry.name, model.config(), drawn.as_ref()),
        })
    })
}

/// An instance of the user as the network takes it.
fn own_sample(model: &AnalysedModel, own: &UserInstance, rescale: bool) -> Result<OwnSample> {
    let entry = model.spec().entry;
    if rescale && !entry.scales() {
        return Err(input_error(format!(
            "rescale is for shortest paths and spanning trees, whose answers do not depend on the unit of weights; {} is neither",
            entry.name
        )));
    }
    let mut sample = OwnSample::new(model, own)?;
    let divisor = model.training_range()?.divisor(&sample.range());
    if rescale && divisor > 1.0 {
        sample = OwnSample::divided(model, own, divisor)?;
    }
    check_precision(&sample.traces)?;
    Ok(sample)
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
