//! How the values of a probe lie in tensors: `(B, P, C)`, whatever their location and kind.
//!
//! `P` counts the places (one for a graph, the nodes, or the pairs of nodes), `C` what is chosen
//! from at each place: 1 for a number, the classes, or the nodes that a pointer may point to. With
//! this one shape, losses, scores and feedback are written once for all locations.

use burn_tensor::{Device, Int, Tensor, TensorData};
use narscope_clrs::column::{Column, ColumnRows, Row};
use narscope_clrs::probe::{Kind, Location, Probe, Stage};
use narscope_clrs::trace::Traces;

/// How many places a probe has.
pub fn places(probe: &Probe, nodes: usize) -> usize {
    match (probe.location, probe.kind) {
        (Location::Graph, _) | (Location::Node, Kind::MaskOne) => 1,
        (Location::Node, _) | (Location::Edge, Kind::MaskOne) => nodes,
        (Location::Edge, _) => nodes * nodes,
    }
}

/// How many things a probe chooses from at each place.
pub fn options(probe: &Probe, nodes: usize) -> usize {
    match probe.kind {
        Kind::Scalar | Kind::Mask => 1,
        Kind::Categorical => probe.classes.len(),
        Kind::MaskOne | Kind::Pointer | Kind::ShouldBePermutation | Kind::PermutationPointer => {
            nodes
        }
    }
}

/// How many numbers a prediction of a probe has for one sample.
pub fn size(probe: &Probe, nodes: usize) -> usize {
    places(probe, nodes) * options(probe, nodes)
}

/// The true values of a probe for a number of samples at one time, as they are stored.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Scalars, and masks of 0, 1 and -1 for "does not count".
    Numbers(Vec<f32>),
    /// What was chosen at each place, and whether the place counts.
    Choices {
        /// The choice.
        index: Vec<u32>,
        /// Whether it counts.
        counts: Vec<bool>,
    },
}

impl Values {
    /// No values yet, for a probe.
    pub fn of(probe: &Probe) -> Self {
        match probe.kind {
            Kind::Scalar | Kind::Mask => Self::Numbers(vec![]),
            _ => Self::Choices { index: vec![], counts: vec![] },
        }
    }

    /// Appends one record.
    #[track_caller]
    pub fn push(&mut self, row: Row<'_>) {
        match (self, row) {
            (Self::Numbers(numbers), Row::Real(row)) => {
                numbers.extend(row.iter().map(|&number| number as f32));
            }
            (Self::Numbers(numbers), Row::Class(row)) => {
                numbers.extend(row.iter().map(|&mark| f32::from(mark)));
            }
            (Self::Choices { index, counts }, Row::Class(row)) => {
                index.extend(row.iter().map(|&class| class.max(!class) as u32));
                counts.extend(row.iter().map(|&class| class >= 0));
            }
            (Self::Choices { index, counts }, Row::Index(row)) => {
                index.extend_from_slice(row);
                counts.resize(index.len(), true);
            }
            (values, row) => panic!("{row:?} appended to {values:?}"),
        }
    }

    /// Only some of so many samples.
    #[must_use]
    pub fn rows(&self, rows: &[u32], samples: usize) -> Self {
        fn pick<T: Copy>(all: &[T], rows: &[u32], samples: usize) -> Vec<T> {
            let size = all.len() / samples;
            rows.iter().flat_map(|&row| &all[row as usize * size..][..size]).copied().collect()
        }
        match self {
            Self::Numbers(numbers) => Self::Numbers(pick(numbers, rows, samples)),
            Self::Choices { index, counts } => Self::Choices {
                index: pick(index, rows, samples),
                counts: pick(counts, rows, samples),
            },
        }
    }

    /// As a network is given them: choices as one-hot vectors.
    pub fn dense(&self, probe: &Probe, nodes: usize, device: &Device) -> Tensor<3> {
        let (places, options) = (places(probe, nodes), options(probe, nodes));
        let dense = self.to_numbers(probe, nodes);
        let samples = dense.len() / (places * options);
        Tensor::from_data(TensorData::new(dense, [samples, places, options]), device)
    }

    /// The numbers of [`dense`](Self::dense).
    pub fn to_numbers(&self, probe: &Probe, nodes: usize) -> Vec<f32> {
        let options = options(probe, nodes);
        match self {
            Self::Numbers(numbers) => numbers.clone(),
            Self::Choices { index, counts } => {
                let mut dense = vec![0.0; index.len() * options];
                for (place, (&chosen, &counts)) in index.iter().zip(counts).enumerate() {
                    // Parity: what does not count is shown as -1, to the network as well.
                    dense[place * options + chosen as usize] = if counts { 1.0 } else { -1.0 };
                }
                dense
            }
        }
    }
}

/// Reads the true values of a batch, sample by sample in a given order, time after time.
pub struct Reader<'a> {
    traces: &'a Traces,
    /// Which probes are read, and where each sample has got to in the column.
    columns: Vec<(usize, Vec<ColumnRows<'a>>)>,
}

impl<'a> Reader<'a> {
    /// Reads the probes of a stage, for the samples in `order`.
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

    /// The next records of the first so many samples, as a column per probe.
    ///
    /// # Panics
    /// If one of these samples has no more.
    #[track_caller]
    pub fn next_rows(&mut self, samples: usize) -> Vec<Column> {
        let (probes, nodes) = (&self.traces.probes, self.traces.nodes);
        let read = self.columns.iter_mut().map(|(probe, rows)| {
            let mut column = Column::of(&probes[*probe], nodes);
            for rows in &mut rows[..samples] {
                column.push(rows.next_row().expect("a sample that runs has a record"));
            }
            column
        });
        read.collect()
    }

    /// The next values of the first so many samples, probe by probe.
    ///
    /// # Panics
    /// If one of these samples has no more.
    #[track_caller]
    pub fn next(&mut self, samples: usize) -> Vec<Values> {
        let probes = &self.traces.probes;
        let read = self.columns.iter_mut().map(|(probe, rows)| {
            let mut values = Values::of(&probes[*probe]);
            for rows in &mut rows[..samples] {
                values.push(rows.next_row().expect("a sample that runs has a record"));
            }
            values
        });
        read.collect()
    }
}

/// All probes of a stage.
pub fn of_stage(probes: &[Probe], stage: Stage) -> Vec<Probe> {
    probes.iter().filter(|probe| probe.stage == stage).cloned().collect()
}

/// Indices as a tensor.
pub(crate) fn indices<const D: usize>(
    index: &[u32],
    shape: [usize; D],
    device: &Device,
) -> Tensor<D, Int> {
    let index: Vec<i32> = index.iter().map(|&i| i as i32).collect();
    Tensor::from_data(TensorData::new(index, shape), device)
}

/// Numbers as a tensor.
pub(crate) fn tensor<const D: usize>(
    numbers: Vec<f32>,
    shape: [usize; D],
    device: &Device,
) -> Tensor<D> {
    Tensor::from_data(TensorData::new(numbers, shape), device)
}

/// The numbers of a tensor, in C order.
pub fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.try_into_vec_as::<f32>().expect("a tensor of floats on a device that answers")
}
