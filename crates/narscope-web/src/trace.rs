//! Traces as the page draws them: the values of every probe over time.

use narscope_clrs::algorithms;
use narscope_clrs::column::{Column, Row};
use narscope_clrs::kind::Kind;
use narscope_clrs::location::Location;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;
use serde::Serialize;

use crate::Result;
use crate::frame::{Array, Bytes};
use crate::limits::check_trace;
use crate::problem::Problem;

/// A probe, as the page knows it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ProbeInfo {
    name: String,
    stage: Stage,
    location: Location,
    kind: Kind,
    meaning: &'static str,
    classes: usize,
    #[serde(rename = "classNames")]
    class_names: &'static [&'static str],
}

impl From<&Probe> for ProbeInfo {
    fn from(probe: &Probe) -> Self {
        Self {
            name: probe.name.clone().into_owned(),
            stage: probe.stage,
            location: probe.location,
            kind: probe.kind,
            meaning: probe.meaning,
            classes: probe.classes.len(),
            class_names: probe.classes,
        }
    }
}

/// The values of a probe over time.
#[derive(Debug, Serialize)]
pub(crate) struct ProbeValues {
    probe: ProbeInfo,
    records: usize,
    locations: usize,
    values: Array,
}

impl ProbeValues {
    /// Values of `records` records.
    pub(crate) fn new(probe: &Probe, nodes: usize, values: &[f64], bytes: &mut Bytes) -> Self {
        let locations = probe.locations(nodes);
        Self {
            probe: probe.into(),
            records: values.len() / locations,
            locations,
            values: bytes.f64(values),
        }
    }
}

/// Appends a record as numbers: ignored masks and classes are -1.
pub(crate) fn push_row(row: Row<'_>, to: &mut Vec<f64>) {
    match row {
        Row::Real(row) => to.extend_from_slice(row),
        Row::Class(row) => to.extend(row.iter().map(|&class| f64::from(class.max(-1)))),
        Row::Index(row) => to.extend(row.iter().map(|&index| f64::from(index))),
    }
}

/// All records of a column from one on, `count` of them, as numbers.
pub(crate) fn numbers(column: &Column, first: usize, count: usize) -> Vec<f64> {
    let (mut rows, mut values) = (column.rows_from(first), vec![]);
    for _ in 0..count {
        push_row(rows.next_row().expect("a column has all its records"), &mut values);
    }
    values
}

/// What an algorithm did on a problem.
#[derive(Debug)]
pub(crate) struct Trace {
    algorithm: &'static str,
    traces: Traces,
}

/// A trace for the page.
#[derive(Debug, Serialize)]
pub(crate) struct TraceValue {
    algorithm: &'static str,
    nodes: usize,
    records: usize,
    values: Vec<ProbeValues>,
}

impl Trace {
    /// Runs an algorithm, or a faulty variant of one.
    pub(crate) fn of(algorithm: &str, problem: &Problem) -> Result<Self> {
        let entry = algorithms::find(algorithm)?;
        let traces = entry.trace(&problem.instance(entry)?)?;
        check_trace(&traces)?;
        Ok(Self { algorithm: entry.name, traces })
    }

    /// The trace for the page.
    pub(crate) fn into_value(self, bytes: &mut Bytes) -> TraceValue {
        let Self { algorithm, traces } = self;
        let (nodes, records) = (traces.nodes, traces.steps(0));
        let columns = traces.probes.iter().zip(&traces.columns);
        let values = columns.map(|(probe, column)| {
            let values = numbers(column, 0, traces.records(probe.stage, 0).len());
            ProbeValues::new(probe, nodes, &values, bytes)
        });
        TraceValue { algorithm, nodes, records, values: values.collect() }
    }
}
