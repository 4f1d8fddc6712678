//! Traces: the inputs, the hints of every step, and the outputs of an algorithm.
//!
//! A *trajectory* is something else: the hidden states of a network.

use std::ops::Range;

use crate::column::Column;
use crate::probe::{Kind, Probe, Stage};
use crate::signature::{Signature, Value, Values};
use crate::values::{EdgeScalar, NodeMaskOne};

/// Runs of one algorithm on problems of one size, without padding. [`Traces::of`] makes the trace of
/// one instance, [`Entry::generate`](crate::Entry::generate) those of random ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Traces {
    /// The spec that the columns follow.
    pub probes: Vec<Probe>,
    /// One column per probe: a record per run, or, for hints, a record per step of each run.
    pub columns: Vec<Column>,
    /// The number of nodes.
    pub nodes: usize,
    /// `starts[i]..starts[i + 1]` are the hint records of run `i`.
    starts: Vec<usize>,
}

impl Traces {
    /// Traces without runs.
    pub fn new(probes: Vec<Probe>, nodes: usize) -> Self {
        let columns = probes.iter().map(|probe| Column::of(probe, nodes)).collect();
        Self { probes, columns, nodes, starts: vec![0] }
    }

    /// Traces from columns; `steps` are the numbers of hints of the runs.
    ///
    /// # Panics
    /// If a probe has no column, or a column does not have all records of the runs.
    #[track_caller]
    pub fn from_columns(
        probes: Vec<Probe>,
        nodes: usize,
        columns: Vec<Column>,
        steps: &[usize],
    ) -> Self {
        assert_eq!(columns.len(), probes.len(), "a column per probe");
        let mut starts = vec![0];
        for steps in steps {
            starts.push(starts[starts.len() - 1] + steps);
        }
        for (probe, column) in probes.iter().zip(&columns) {
            let hint = probe.stage == Stage::Hint;
            let records = if hint { starts[steps.len()] } else { steps.len() };
            assert_eq!(column.len(), records, "records of {}", probe.name);
        }
        Self { probes, columns, nodes, starts }
    }

    /// The number of runs.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no runs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of hints of run `i`, including the initial one.
    pub fn steps(&self, i: usize) -> usize {
        self.starts[i + 1] - self.starts[i]
    }

    /// The number of hints of the longest run.
    pub fn longest(&self) -> usize {
        (0..self.len()).map(|i| self.steps(i)).max().unwrap_or(0)
    }

    /// The records that belong to run `i`, in a column of a probe of this stage.
    pub fn records(&self, stage: Stage, i: usize) -> Range<usize> {
        match stage {
            Stage::Hint => self.starts[i]..self.starts[i + 1],
            Stage::Input | Stage::Output => i..i + 1,
        }
    }

    /// The index of a probe in the spec. Probes of different stages may share a name.
    pub fn find(&self, stage: Stage, name: &str) -> Option<usize> {
        self.probes.iter().position(|probe| probe.stage == stage && probe.name == name)
    }

    /// Appends run `i` of `other`.
    #[track_caller]
    pub fn push_from(&mut self, other: &Self, i: usize) {
        self.append(other, i..i + 1);
    }

    /// Appends a range of runs of `other`.
    #[track_caller]
    pub(crate) fn append(&mut self, other: &Self, runs: Range<usize>) {
        assert_eq!(self.nodes, other.nodes, "traces of different sizes");
        let hints = other.starts[runs.start]..other.starts[runs.end];
        for ((probe, to), from) in self.probes.iter().zip(&mut self.columns).zip(&other.columns) {
            let records = if probe.stage == Stage::Hint { &hints } else { &runs };
            to.extend_from(from, records.clone());
        }
        let end = self.starts[self.len()];
        let ends = other.starts[runs.start + 1..=runs.end].iter();
        self.starts.extend(ends.map(|start| end + start - hints.start));
    }

    /// The given runs, in the given order; a run may be given twice.
    #[must_use]
    pub fn select(&self, runs: &[usize]) -> Self {
        let mut selection = Self::new(self.probes.clone(), self.nodes);
        for &i in runs {
            selection.push_from(self, i);
        }
        selection
    }

    /// Removes all runs; keeps the allocations.
    pub(crate) fn cleared(mut self) -> Self {
        for column in &mut self.columns {
            column.clear();
        }
        self.starts.truncate(1);
        self
    }

    /// One probe of run `i` in the reference's dense layout; hints are ordered by step.
    pub fn dense(&self, probe: usize, i: usize) -> Vec<f64> {
        let (spec, column) = (&self.probes[probe], &self.columns[probe]);
        let (records, size) = (self.records(spec.stage, i), spec.size(self.nodes));
        let mut dense = vec![0.0; records.len() * size];
        let mut rows = column.rows_from(records.start);
        for dense in dense.chunks_exact_mut(size) {
            spec.expand(rows.next_row().expect("a run has all its records"), dense);
        }
        dense
    }

    /// Whether run `i` has a source `s` from which every node can be reached along edges `A`; `None` if
    /// the algorithm has no source or no edges.
    pub fn reaches_every_node(&self, i: usize) -> Option<bool> {
        let (source, edges) = (self.find(Stage::Input, "s")?, self.find(Stage::Input, "A")?);
        if self.probes[source].kind != Kind::MaskOne || self.probes[edges].kind != Kind::Scalar {
            return None;
        }
        let weights = EdgeScalar::read(self.nodes, &self.columns[edges], i);
        let NodeMaskOne(source) = NodeMaskOne::read(self.nodes, &self.columns[source], i);
        let mut reached = vec![false; self.nodes];
        reached[source] = true;
        let mut open = vec![source];
        while let Some(u) = open.pop() {
            for (v, _) in weights.neighbours(u) {
                if !std::mem::replace(&mut reached[v], true) {
                    open.push(v);
                }
            }
        }
        Some(reached.into_iter().all(|is_reached| is_reached))
    }

    /// How many bytes [`Traces::unpacked`] takes.
    pub fn unpacked_bytes(&self) -> usize {
        let columns = self.probes.iter().zip(&self.columns);
        let bytes = columns
            .map(|(probe, column)| probe.record_bytes(self.nodes).saturating_mul(column.len()));
        bytes.fold(0, usize::saturating_add)
    }

    /// The same runs with every record stored in full, for random access.
    #[must_use]
    pub fn unpacked(&self) -> Self {
        Self {
            probes: self.probes.clone(),
            columns: self.columns.iter().map(Column::unpacked).collect(),
            nodes: self.nodes,
            starts: self.starts.clone(),
        }
    }

    /// The last value of a probe: its value after the last step of the last run.
    ///
    /// # Panics
    /// If there is no such probe, or it is not of type `V`.
    pub fn last<V: Value>(&self, name: &str) -> V {
        let probe = self.probes.iter().position(|probe| probe.name == name).expect("a probe");
        let last = self.records(self.probes[probe].stage, self.len() - 1).end - 1;
        V::read(self.nodes, &self.columns[probe], last)
    }

    /// Runs `S` once and appends its trace.
    pub(crate) fn record<S: Signature>(
        &mut self,
        input: &S::Input,
        run: impl FnOnce(&S::Input, &mut Tracer<S::Hint>) -> S::Output,
    ) {
        let [inputs, outputs, hints] = self.begin_run();
        input.write(inputs);
        let mut tracer = Tracer { columns: hints, steps: 0, hint: std::marker::PhantomData };
        let output = run(input, &mut tracer);
        let steps = tracer.steps;
        output.write(outputs);
        self.end_run(steps);
    }

    /// Starts a run. Returns the columns of inputs, outputs and hints, which take one record each, and
    /// one per step.
    pub(crate) fn begin_run(&mut self) -> [&mut [Column]; 3] {
        let count = |stage| self.probes.iter().filter(|probe| probe.stage == stage).count();
        let (inputs, outputs) = (count(Stage::Input), count(Stage::Output));
        for column in &mut self.columns {
            column.begin();
        }
        let (inputs, rest) = self.columns.split_at_mut(inputs);
        let (outputs, hints) = rest.split_at_mut(outputs);
        [inputs, outputs, hints]
    }

    /// Ends the run that [`Traces::begin_run`] started.
    pub(crate) fn end_run(&mut self, steps: usize) {
        self.starts.push(self.starts[self.len()] + steps);
    }
}

/// Records the hints of a running algorithm.
pub struct Tracer<'a, H> {
    columns: &'a mut [Column],
    steps: usize,
    hint: std::marker::PhantomData<H>,
}

impl<H: Values> Tracer<'_, H> {
    /// Records the state of the algorithm as the next step.
    pub fn hint(&mut self, state: &H) {
        state.write(self.columns);
        self.steps += 1;
    }
}
