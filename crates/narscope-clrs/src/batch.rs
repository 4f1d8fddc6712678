//! Batches: traces padded to one number of steps, as the reference lays them out.

use crate::column::{Column, ColumnRows};
use crate::parallel;
use crate::probe::{Probe, Stage};
use crate::trace::Traces;
use crate::{Error, Result};

/// Traces and the number of steps that their hints are padded to.
///
/// Padding is applied when a dense array is made; networks that skip padded steps read the traces.
///
/// ```
/// use narscope_clrs::{Batch, Options, Rng, algorithms};
///
/// let bfs = algorithms::find("bfs")?;
/// let traces = bfs.generate(&mut Rng::seeded(1), 4, &Options::default(), 2)?;
/// let batch = Batch::new(traces, 0);
/// assert_eq!(batch.traces.probes[0].name, "pos");
/// assert_eq!(batch.shape(0), [2, 4]); // samples, nodes
/// assert_eq!(batch.dense(0), [0.0, 0.25, 0.5, 0.75, 0.0, 0.25, 0.5, 0.75]);
/// # Ok::<(), narscope_clrs::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The runs of the batch.
    pub traces: Traces,
    /// The number of steps of a dense array of hints: at least that of the longest run.
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

    /// Passes a dense array to `sink` slab by slab, in C order, so that it need not fit in memory.
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

    /// A whole dense array, in C order. Threads share the steps.
    pub fn dense(&self, probe: usize) -> Vec<f64> {
        let spec = &self.traces.probes[probe];
        let steps = if spec.stage == Stage::Hint { self.steps } else { 1 };
        let slab = spec.size(self.traces.nodes) * self.traces.len();
        // Memory that is zero from the start and never written, such as padding, takes no time.
        let mut dense = vec![0.0; steps * slab];
        if !dense.is_empty() {
            let at_once = steps.div_ceil(parallel::threads());
            parallel::for_each_chunk(&mut dense, at_once * slab, |index, part| {
                self.expand_steps(probe, index * at_once, part);
            });
        }
        dense
    }

    /// Writes the records of the steps from `first` on into zeros.
    fn expand_steps(&self, probe: usize, first: usize, zeros: &mut [f64]) {
        let Traces { probes, columns, nodes, .. } = &self.traces;
        let (spec, column) = (&probes[probe], &columns[probe]);
        let size = spec.size(*nodes);
        let slab = size * self.traces.len();
        for i in 0..self.traces.len() {
            let records = self.traces.records(spec.stage, i);
            if first >= records.len() {
                continue;
            }
            let mut rows = column.rows_from(records.start + first);
            for step in zeros.chunks_exact_mut(slab).take(records.len() - first) {
                let row = rows.next_row().expect("a run has its records");
                spec.expand(row, &mut step[i * size..][..size]);
            }
        }
    }
}

/// Builds a column from the slabs of a dense array, as made by [`Batch::try_for_each_slab`], and drops
/// the padding.
#[derive(Clone, Debug)]
pub struct Gather<'a> {
    probe: &'a Probe,
    nodes: usize,
    /// The number of hints of each run.
    steps: &'a [usize],
    /// A column per run: an array is ordered by step, a column by run.
    runs: Vec<Column>,
    /// The number of slabs so far.
    slabs: usize,
}

impl<'a> Gather<'a> {
    /// A gatherer for a probe of runs with the given numbers of hints.
    pub fn new(probe: &'a Probe, nodes: usize, steps: &'a [usize]) -> Self {
        let runs = vec![Column::of(probe, nodes); steps.len()];
        Self { probe, nodes, steps, runs, slabs: 0 }
    }

    /// Adds the next slab. Returns an error if a value that is not padding does not fit the probe.
    ///
    /// # Panics
    /// If the slab does not have one record per run.
    #[track_caller]
    pub fn push(&mut self, slab: &[f64]) -> Result<()> {
        let Self { probe, nodes, steps, runs, slabs } = self;
        let size = probe.size(*nodes);
        assert_eq!(slab.len(), size * runs.len(), "size of a slab of {}", probe.name);
        for (i, (dense, column)) in slab.chunks_exact(size).zip(runs).enumerate() {
            let position = match probe.stage {
                Stage::Hint if *slabs >= steps[i] => continue,
                Stage::Hint => format_args!("step {slabs} of sample {i}"),
                Stage::Input | Stage::Output => format_args!("sample {i}"),
            };
            probe.compact(*nodes, dense, column).map_err(|error| match error {
                Error::BadRecord { wanted, found } => {
                    Error::BadRecord { wanted, found: format!("{found} in {position}") }
                }
                other => other,
            })?;
        }
        *slabs += 1;
        Ok(())
    }

    /// The column, ordered by run.
    pub fn finish(self) -> Column {
        let mut all = Column::of(self.probe, self.nodes);
        for run in &self.runs {
            all.extend_from(run, 0..run.len());
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::ALL;
    use crate::convert;
    use crate::options::Options;
    use crate::rng::Rng;

    /// The batch that its dense arrays are read back as.
    fn through_dense(batch: &Batch) -> Batch {
        let Traces { probes, nodes, .. } = &batch.traces;
        let steps: Vec<usize> = (0..batch.traces.len()).map(|i| batch.traces.steps(i)).collect();
        let gather = |place| {
            let mut gather = Gather::new(&probes[place], *nodes, &steps);
            batch.try_for_each_slab(place, |slab| gather.push(slab)).unwrap();
            gather.finish()
        };
        let columns = (0..probes.len()).map(gather).collect();
        let traces = Traces::from_columns(probes.clone(), *nodes, columns, &steps);
        Batch { traces, steps: batch.steps }
    }

    #[test]
    fn dense_arrays_of_every_algorithm_are_read_back() {
        for entry in ALL {
            for nodes in [4, 8, 17] {
                let rng = &mut Rng::seeded(nodes as u32);
                let traces = entry.generate(rng, nodes, &Options::default(), 5).unwrap();
                let mut batch = Batch::new(traces, 7);
                // Bit for bit, with the same storage.
                assert_eq!(through_dense(&batch), batch, "{}", entry.name);

                convert::pred_as_input(&mut batch.traces);
                assert_eq!(through_dense(&batch), batch, "{}", entry.name);
                convert::permutations(&mut batch.traces, true).unwrap();
                let again = through_dense(&batch);
                assert_eq!(again.traces.unpacked(), batch.traces.unpacked(), "{}", entry.name);
            }
        }
    }

    #[test]
    fn a_whole_array_is_its_slabs_one_after_the_other() {
        for entry in ALL {
            let traces = entry.generate(&mut Rng::seeded(3), 9, &Options::default(), 4).unwrap();
            let batch = Batch::new(traces, 40);
            for probe in 0..batch.traces.probes.len() {
                let mut slabs = vec![];
                batch
                    .try_for_each_slab(probe, |slab| {
                        slabs.extend_from_slice(slab);
                        Ok::<(), std::convert::Infallible>(())
                    })
                    .unwrap();
                assert_eq!(batch.dense(probe), slabs, "{} {probe}", entry.name);
            }
        }
    }

    #[test]
    fn errors_name_sample_and_step_and_padding_is_not_checked() {
        let probe = ALL[0].probes.iter().find(|probe| probe.name == "pi_h").unwrap();
        let mut gather = Gather::new(probe, 2, &[1, 2]);
        gather.push(&[0.0, 1.0, 1.0, 1.0]).unwrap();
        let error = gather.push(&[9.0, 9.0, 0.0, 7.0]).unwrap_err().to_string();
        let sentence = "expected a node from 0 to 1, found 7 at node 1 in step 1 of sample 1";
        assert_eq!(error, sentence);
    }
}
