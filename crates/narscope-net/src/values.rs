//! True values of probes in the layout of tensors: `(B, P, C)`, whatever the location and kind.
//!
//! `P` is the number of [locations](Probe::locations) of a probe (1, the nodes, or the pairs of
//! nodes), `C` the number of [choices](Probe::choices) at each (1, the classes, or the nodes). With
//! this one layout, losses, scores and feedback are written once for all locations.

use narscope_clrs::column::{Column, ColumnRows, Row};
use narscope_clrs::kind::Choices;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;

/// Number of values of a prediction of a probe for one sample: locations times choices.
pub fn size(probe: &Probe, nodes: usize) -> usize {
    probe.locations(nodes) * probe.choices(nodes)
}

/// True values of a probe for several samples at one time.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Scalars and masks; a mask is 0, 1, or -1 where it is not scored.
    Real(Vec<f32>),
    /// Classes and pointers.
    Index {
        /// The true choice at each location.
        index: Vec<u32>,
        /// Whether the location is scored.
        valid: Vec<bool>,
    },
}

impl Values {
    /// An empty list for the values of a probe.
    pub fn of(probe: &Probe) -> Self {
        match probe.kind.info().choices {
            Choices::One => Self::Real(vec![]),
            Choices::Classes | Choices::Nodes => Self::Index { index: vec![], valid: vec![] },
        }
    }

    /// Appends one record.
    #[track_caller]
    pub fn push(&mut self, row: Row<'_>) {
        match (self, row) {
            (Self::Real(values), Row::Real(row)) => {
                values.extend(row.iter().map(|&value| value as f32));
            }
            (Self::Real(values), Row::Class(row)) => {
                values.extend(row.iter().map(|&value| f32::from(value)));
            }
            (Self::Index { index, valid }, Row::Class(row)) => {
                index.extend(row.iter().map(|&class| class.max(!class) as u32));
                valid.extend(row.iter().map(|&class| class >= 0));
            }
            (Self::Index { index, valid }, Row::Index(row)) => {
                index.extend_from_slice(row);
                valid.resize(index.len(), true);
            }
            (values, row) => panic!("{row:?} appended to {values:?}"),
        }
    }

    /// The values of some of `samples` samples.
    #[must_use]
    pub fn rows(&self, rows: &[u32], samples: usize) -> Self {
        fn pick<T: Copy>(all: &[T], rows: &[u32], samples: usize) -> Vec<T> {
            let size = all.len() / samples;
            rows.iter().flat_map(|&row| &all[row as usize * size..][..size]).copied().collect()
        }
        match self {
            Self::Real(values) => Self::Real(pick(values, rows, samples)),
            Self::Index { index, valid } => {
                Self::Index { index: pick(index, rows, samples), valid: pick(valid, rows, samples) }
            }
        }
    }

    /// The values as the network is fed with them, `(B, P, C)`: indices as one-hot vectors.
    pub fn to_dense(&self, probe: &Probe, nodes: usize) -> Vec<f32> {
        let choices = probe.choices(nodes);
        match self {
            Self::Real(values) => values.clone(),
            Self::Index { index, valid } => {
                let mut dense = vec![0.0; index.len() * choices];
                for (location, (&choice, &valid)) in index.iter().zip(valid).enumerate() {
                    // Parity: a location that is not scored is fed as -1.
                    dense[location * choices + choice as usize] = if valid { 1.0 } else { -1.0 };
                }
                dense
            }
        }
    }
}

/// Reads the true values of a batch step by step, with the samples in a given order.
pub struct Reader<'a> {
    traces: &'a Traces,
    /// Index of each probe, and the unread records of each sample.
    columns: Vec<(usize, Vec<ColumnRows<'a>>)>,
}

impl<'a> Reader<'a> {
    /// Reader of the probes of a stage, for the samples in `order`.
    pub fn new(traces: &'a Traces, stage: Stage, order: &[usize]) -> Self {
        let columns = (0..traces.probes.len())
            .filter(|&probe| traces.probes[probe].stage == stage)
            .map(|probe| {
                let start = |&i: &usize| traces.records(stage, i).start;
                let rows = order.iter().map(start);
                (probe, rows.map(|start| traces.columns[probe].rows_from(start)).collect())
            })
            .collect();
        Self { traces, columns }
    }

    /// The next records of the first `samples` samples, as a column per probe.
    ///
    /// # Panics
    /// If one of these samples has no record left.
    #[track_caller]
    pub fn next_rows(&mut self, samples: usize) -> Vec<Column> {
        let (probes, nodes) = (&self.traces.probes, self.traces.nodes);
        let read = self.columns.iter_mut().map(|(probe, rows)| {
            let mut column = Column::of(&probes[*probe], nodes);
            for rows in &mut rows[..samples] {
                column.push(rows.next_row().expect("a running sample has a record"));
            }
            column
        });
        read.collect()
    }

    /// The next values of the first `samples` samples, one item per probe.
    ///
    /// # Panics
    /// If one of these samples has no record left.
    #[track_caller]
    pub fn next(&mut self, samples: usize) -> Vec<Values> {
        let probes = &self.traces.probes;
        let read = self.columns.iter_mut().map(|(probe, rows)| {
            let mut values = Values::of(&probes[*probe]);
            for rows in &mut rows[..samples] {
                values.push(rows.next_row().expect("a running sample has a record"));
            }
            values
        });
        read.collect()
    }
}

/// The probes of a stage.
pub fn of_stage(probes: &[Probe], stage: Stage) -> Vec<Probe> {
    probes.iter().filter(|probe| probe.stage == stage).cloned().collect()
}
