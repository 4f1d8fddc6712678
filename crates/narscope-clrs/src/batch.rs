//! Batches: traces padded to one number of steps, as the reference lays them out.

use crate::column::ColumnRows;
use crate::probe::Stage;
use crate::trace::Traces;

/// Traces and the number of steps that their hints are padded to.
///
/// Nothing is padded until somebody asks for a dense array: networks that skip padded steps read
/// the traces themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The runs of the batch.
    pub traces: Traces,
    /// How many steps a dense array of hints has: at least those of the longest run.
    pub steps: usize,
}

impl Batch {
    /// A batch padded to its longest run, or to `least` steps if that is more.
    pub fn new(traces: Traces, least: usize) -> Self {
        Self { steps: traces.longest().max(least), traces }
    }

    /// The number of hints of each run, as the reference stores it.
    pub fn lengths(&self) -> Vec<f64> {
        (0..self.traces.len()).map(|i| self.traces.steps(i) as f64).collect()
    }

    /// The shape of a dense array: `[B, …]`, or `[T, B, …]` for hints.
    pub fn shape(&self, probe: usize) -> Vec<usize> {
        let spec = &self.traces.probes[probe];
        let mut shape = match spec.stage {
            Stage::Hint => vec![self.steps, self.traces.len()],
            Stage::Input | Stage::Output => vec![self.traces.len()],
        };
        shape.extend(spec.shape(self.traces.nodes));
        shape
    }

    /// Hands out a dense array slab by slab, in C order, so that it need not fit in memory.
    ///
    /// Padding is 0 for every kind of probe.
    pub fn try_for_each_slab<E>(
        &self,
        probe: usize,
        mut sink: impl FnMut(&[f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Traces { probes, columns, nodes, .. } = &self.traces;
        let (spec, column) = (&probes[probe], &columns[probe]);
        let size = spec.size(*nodes);
        let mut slab = vec![0.0; size * self.traces.len()];
        let steps = if spec.stage == Stage::Hint { self.steps } else { 1 };
        let mut runs: Vec<ColumnRows<'_>> = (0..self.traces.len())
            .map(|i| column.rows_from(self.traces.records(spec.stage, i).start))
            .collect();
        for step in 0..steps {
            for (i, (dense, rows)) in slab.chunks_exact_mut(size).zip(&mut runs).enumerate() {
                let left = self.traces.records(spec.stage, i).len().checked_sub(step);
                match left {
                    None => {}
                    Some(0) => dense.fill(0.0),
                    Some(_) => spec.expand(rows.next_row().expect("a run has its records"), dense),
                }
            }
            sink(&slab)?;
        }
        Ok(())
    }

    /// A whole dense array, in C order.
    pub fn dense(&self, probe: usize) -> Vec<f64> {
        let mut dense = Vec::with_capacity(self.shape(probe).iter().product());
        let Ok(()) = self.try_for_each_slab(probe, |slab| {
            dense.extend_from_slice(slab);
            Ok::<(), std::convert::Infallible>(())
        });
        dense
    }
}
