//! Chunks: windows of a fixed number of steps, in which samples follow each other without padding.

use std::collections::VecDeque;

use crate::Result;
use crate::batch::Batch;
use crate::column::Column;
use crate::probe::{Probe, Stage};
use crate::trace::Traces;

/// A window of `length` steps of a batch of lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// The spec that the columns follow.
    pub probes: Vec<Probe>,
    /// One column per probe with a record per step and lane, step after step. Inputs and outputs
    /// are repeated at every step of their sample.
    pub columns: Vec<Column>,
    /// The size of every problem.
    pub nodes: usize,
    /// Whether each step and lane is the first of its sample.
    pub is_first: Vec<bool>,
    /// Whether each step and lane is the last of its sample.
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
            spec.expand(rows.next_row().expect("a record per step and lane"), dense);
        }
        dense
    }
}

/// Cuts batches into chunks. Lane `b` is made of run `b` of every batch, one after the other.
pub struct Chunks<F> {
    next_batch: F,
    length: usize,
    /// Batches that some lane still reads.
    buffer: VecDeque<Traces>,
    lanes: Vec<Lane>,
}

/// Where a lane has got to.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    /// The batch it reads, counted from the oldest in the buffer.
    batch: usize,
    /// The next step of its run.
    step: usize,
}

impl<F: FnMut() -> Result<Batch>> Chunks<F> {
    /// Chunks of `length` steps from the batches that `next_batch` returns.
    ///
    /// # Panics
    /// If `length` is 0.
    #[track_caller]
    pub fn new(length: usize, next_batch: F) -> Self {
        assert!(length > 0, "a chunk has at least one step");
        Self { next_batch, length, buffer: VecDeque::new(), lanes: vec![] }
    }

    /// The next chunk.
    pub fn next_chunk(&mut self) -> Result<Chunk> {
        while self.lanes.is_empty() || (0..self.lanes.len()).any(|b| self.left(b) < self.length) {
            let batch = (self.next_batch)()?.traces.unpacked();
            self.lanes.resize(batch.len(), Lane::default());
            self.buffer.push_back(batch);
        }
        let Traces { probes, nodes, .. } = &self.buffer[0];
        let mut chunk = Chunk {
            probes: probes.clone(),
            columns: probes.iter().map(|probe| Column::of(probe, *nodes)).collect(),
            nodes: *nodes,
            is_first: vec![],
            is_last: vec![],
        };
        for _ in 0..self.length {
            for (b, lane) in self.lanes.iter_mut().enumerate() {
                let traces = &self.buffer[lane.batch];
                let last = lane.step + 1 == traces.steps(b);
                for (place, probe) in traces.probes.iter().enumerate() {
                    let records = traces.records(probe.stage, b);
                    let step = if probe.stage == Stage::Hint { lane.step } else { 0 };
                    let record = records.start + step;
                    chunk.columns[place].extend_from(&traces.columns[place], record..record + 1);
                }
                chunk.is_first.push(lane.step == 0);
                chunk.is_last.push(last);
                *lane = if last {
                    Lane { batch: lane.batch + 1, step: 0 }
                } else {
                    Lane { step: lane.step + 1, ..*lane }
                };
            }
        }
        while self.lanes.iter().all(|lane| lane.batch > 0) {
            self.buffer.pop_front();
            for lane in &mut self.lanes {
                lane.batch -= 1;
            }
        }
        Ok(chunk)
    }

    /// How many steps of lane `b` are in the buffer and not yet read.
    fn left(&self, b: usize) -> usize {
        let Lane { batch, step } = self.lanes[b];
        self.buffer.iter().skip(batch).map(|traces| traces.steps(b)).sum::<usize>() - step
    }
}
