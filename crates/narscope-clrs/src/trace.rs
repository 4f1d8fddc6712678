//! Traces: what an algorithm did, step by step.
//!
//! Not to be confused with a *trajectory*, which is what a network's hidden state did.

use std::ops::Range;

use crate::column::Column;
use crate::probe::{Probe, Stage};
use crate::signature::{Signature, Values};

/// Runs of one algorithm on problems of one size, one after the other, nothing padded.
#[derive(Clone, Debug, PartialEq)]
pub struct Traces {
    /// The spec that the columns follow.
    pub probes: Vec<Probe>,
    /// One column per probe: a record per run, or, for hints, a record per step of each run.
    pub columns: Vec<Column>,
    /// The size of every problem.
    pub nodes: usize,
    /// `starts[i]..starts[i + 1]` are the hint records of run `i`.
    starts: Vec<usize>,
}

impl Traces {
    /// No runs yet.
    pub fn new(probes: Vec<Probe>, nodes: usize) -> Self {
        let columns = probes.iter().map(|probe| Column::of(probe, nodes)).collect();
        Self { probes, columns, nodes, starts: vec![0] }
    }

    /// Runs whose columns are there already, with so many hints each.
    ///
    /// # Panics
    /// If there is not a column per probe with all the records of the runs.
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

    /// How many runs there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no runs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many hints run `i` left, the initial one included.
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

    /// The place of a probe in the spec. A name may stand for two probes of different stages.
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

    /// The same without its runs, but with the memory that they took.
    pub(crate) fn cleared(mut self) -> Self {
        for column in &mut self.columns {
            column.clear();
        }
        self.starts.truncate(1);
        self
    }

    /// One probe of run `i` as the reference lays it out: for a hint, step after step.
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

    /// The same runs with every record stored whole, for those who jump to and fro.
    #[must_use]
    pub fn unpacked(&self) -> Self {
        Self {
            probes: self.probes.clone(),
            columns: self.columns.iter().map(Column::unpacked).collect(),
            nodes: self.nodes,
            starts: self.starts.clone(),
        }
    }

    /// Runs `S` once and appends what it exposed.
    pub(crate) fn record<S: Signature>(
        &mut self,
        input: &S::Input,
        run: impl FnOnce(&S::Input, &mut Tracer<S::Hint>) -> S::Output,
    ) {
        let count = |stage| S::PROBES.iter().filter(|probe| probe.stage == stage).count();
        for column in &mut self.columns {
            column.begin();
        }
        let (inputs, rest) = self.columns.split_at_mut(count(Stage::Input));
        let (outputs, hints) = rest.split_at_mut(count(Stage::Output));
        input.write(inputs);
        let mut tracer = Tracer { columns: hints, steps: 0, hint: std::marker::PhantomData };
        let output = run(input, &mut tracer);
        let steps = tracer.steps;
        output.write(outputs);
        self.starts.push(self.starts[self.len()] + steps);
    }
}

#[cfg(test)]
impl Traces {
    /// The trace of one instance.
    pub(crate) fn of<A: crate::algorithms::Algorithm>(instance: A::Instance) -> Self {
        use crate::signature::Problem as _;
        let input = A::input(instance);
        let mut traces = Self::new(A::PROBES.to_vec(), input.nodes());
        traces.record::<A>(&input, A::run);
        traces
    }

    /// The last record of a probe.
    pub(crate) fn last<V: crate::signature::Value>(&self, name: &str) -> V {
        let probe = self.probes.iter().position(|probe| probe.name == name).expect("a probe");
        let last = self.records(self.probes[probe].stage, self.len() - 1).end - 1;
        V::read(self.nodes, &self.columns[probe], last)
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
