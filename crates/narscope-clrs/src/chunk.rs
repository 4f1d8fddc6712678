//! Chunks: windows of a fixed number of steps, filled with consecutive samples without padding.

use std::collections::VecDeque;

use crate::column::Column;
use crate::probe::{Probe, Stage};
use crate::trace::Traces;

/// A window of `length` steps; each batch row is a sequence of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// The spec that the columns follow.
    pub probes: Vec<Probe>,
    /// One column per probe with a record per step and batch row, ordered by step. Inputs and
    /// outputs are repeated at every step of their sample.
    pub columns: Vec<Column>,
    /// The number of nodes.
    pub nodes: usize,
    /// The number of steps.
    pub length: usize,
    /// Whether each step of each row is the first of its sample.
    pub is_first: Vec<bool>,
    /// Whether each step of each row is the last of its sample.
    pub is_last: Vec<bool>,
}

impl Chunk {
    /// One probe as the reference lays it out: `[length, B, …]`.
    pub fn dense(&self, probe: usize) -> Vec<f64> {
        let (spec, column) = (&self.probes[probe], &self.columns[probe]);
        let size = spec.size(self.nodes);
        let mut dense = vec![0.0; self.is_first.len() * size];
        let mut rows = column.rows_from(0);
        for dense in dense.chunks_exact_mut(size) {
            spec.expand(rows.next_row().expect("a record per step and row"), dense);
        }
        dense
    }
}

/// Cuts batches into chunks. Row `b` is the sequence of run `b` of every batch.
#[derive(Clone, Debug)]
pub struct Chunks {
    length: usize,
    /// Batches that some row still reads.
    buffer: VecDeque<Traces>,
    rows: Vec<RowPosition>,
}

/// The read position of a batch row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowPosition {
    /// The index of its batch in the buffer.
    pub batch: usize,
    /// The next step of its run.
    pub step: usize,
}

impl Chunks {
    /// Chunks of `length` steps.
    ///
    /// # Panics
    /// If `length` is 0.
    #[track_caller]
    pub fn new(length: usize) -> Self {
        assert!(length > 0, "a chunk has at least one step");
        Self { length, buffer: VecDeque::new(), rows: vec![] }
    }

    /// Restores the buffered batches and the read positions of the rows.
    ///
    /// # Panics
    /// If a position lies outside the batches.
    #[track_caller]
    pub fn restore(&mut self, batches: &[Traces], rows: Vec<RowPosition>) {
        let fits = |(b, row): (usize, &RowPosition)| match batches.get(row.batch) {
            Some(batch) => b < batch.len() && row.step < batch.steps(b),
            None => row.batch == batches.len() && row.step == 0,
        };
        assert!(rows.iter().enumerate().all(fits), "positions outside the batches: {rows:?}");
        self.buffer = batches.iter().map(Traces::unpacked).collect();
        self.rows = rows;
    }

    /// The number of buffered batches.
    pub fn buffered(&self) -> usize {
        self.buffer.len()
    }

    /// The read position of each row.
    pub fn positions(&self) -> &[RowPosition] {
        &self.rows
    }

    /// The next chunk; calls `next_batch` as often as needed.
    pub fn next_chunk<E>(
        &mut self,
        mut next_batch: impl FnMut() -> Result<Traces, E>,
    ) -> Result<Chunk, E> {
        while self.rows.is_empty() || (0..self.rows.len()).any(|b| self.left(b) < self.length) {
            let batch = next_batch()?.unpacked();
            self.rows.resize(batch.len(), RowPosition::default());
            self.buffer.push_back(batch);
        }
        let Traces { probes, nodes, .. } = &self.buffer[0];
        let mut chunk = Chunk {
            probes: probes.clone(),
            columns: probes.iter().map(|probe| Column::of(probe, *nodes)).collect(),
            nodes: *nodes,
            length: self.length,
            is_first: vec![],
            is_last: vec![],
        };
        for _ in 0..self.length {
            for (b, row) in self.rows.iter_mut().enumerate() {
                let traces = &self.buffer[row.batch];
                let last = row.step + 1 == traces.steps(b);
                for (place, probe) in traces.probes.iter().enumerate() {
                    let records = traces.records(probe.stage, b);
                    let step = if probe.stage == Stage::Hint { row.step } else { 0 };
                    let record = records.start + step;
                    chunk.columns[place].extend_from(&traces.columns[place], record..record + 1);
                }
                chunk.is_first.push(row.step == 0);
                chunk.is_last.push(last);
                *row = if last {
                    RowPosition { batch: row.batch + 1, step: 0 }
                } else {
                    RowPosition { step: row.step + 1, ..*row }
                };
            }
        }
        while self.rows.iter().all(|row| row.batch > 0) {
            self.buffer.pop_front();
            for row in &mut self.rows {
                row.batch -= 1;
            }
        }
        Ok(chunk)
    }

    /// The number of buffered steps of row `b` that are not read yet.
    fn left(&self, b: usize) -> usize {
        let RowPosition { batch, step } = self.rows[b];
        self.buffer.iter().skip(batch).map(|traces| traces.steps(b)).sum::<usize>() - step
    }
}
