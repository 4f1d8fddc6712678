//! Chunks: windows of a fixed number of steps, in which samples follow each other without padding.

use std::collections::VecDeque;

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
    /// How many steps there are.
    pub length: usize,
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
#[derive(Clone, Debug)]
pub struct Chunks {
    length: usize,
    /// Batches that some lane still reads.
    buffer: VecDeque<Traces>,
    lanes: Vec<Lane>,
}

/// Where a lane has got to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// The batch it reads, counted from the oldest in the buffer.
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
        Self { length, buffer: VecDeque::new(), lanes: vec![] }
    }

    /// Goes on with batches that were in the buffer, from where the lanes had got to.
    ///
    /// # Panics
    /// If the lanes do not fit the batches.
    #[track_caller]
    pub fn restore(&mut self, batches: &[Traces], lanes: Vec<Lane>) {
        let fits = |(b, lane): (usize, &Lane)| match batches.get(lane.batch) {
            Some(batch) => b < batch.len() && lane.step < batch.steps(b),
            None => lane.batch == batches.len() && lane.step == 0,
        };
        assert!(lanes.iter().enumerate().all(fits), "lanes beyond their batches: {lanes:?}");
        self.buffer = batches.iter().map(Traces::unpacked).collect();
        self.lanes = lanes;
    }

    /// How many batches some lane still reads.
    pub fn buffered(&self) -> usize {
        self.buffer.len()
    }

    /// Where each lane has got to.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// The next chunk, for which `next_batch` is called as often as needed.
    pub fn next_chunk<E>(
        &mut self,
        mut next_batch: impl FnMut() -> Result<Traces, E>,
    ) -> Result<Chunk, E> {
        while self.lanes.is_empty() || (0..self.lanes.len()).any(|b| self.left(b) < self.length) {
            let batch = next_batch()?.unpacked();
            self.lanes.resize(batch.len(), Lane::default());
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
