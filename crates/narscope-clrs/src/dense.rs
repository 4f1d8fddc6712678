//! The reference's dense layout of records: [`Probe::expand`] writes it, [`Probe::compact`] reads it.

use crate::column::{Column, Row};
use crate::kind::Dense;
use crate::probe::{Dtype, Probe};
use crate::{Error, Result};

/// Where values come from.
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    Algorithm,
    Network,
}

impl Probe {
    /// Writes one record into `dense`, as the reference lays it out.
    ///
    /// # Panics
    /// If the record has another storage or size than the probe.
    #[track_caller]
    pub fn expand(&self, row: Row<'_>, dense: &mut [f64]) {
        let info = self.kind.info();
        assert_eq!(row.storage(), info.storage, "storage of {} {row:?}", self.name);
        match (info.dense, row) {
            (Dense::Number, Row::Real(row)) => dense.copy_from_slice(row),
            (Dense::Number, Row::Class(row)) => {
                for (to, &from) in dense.iter_mut().zip(row) {
                    *to = f64::from(from);
                }
            }
            (Dense::Number, Row::Index(row)) => {
                for (to, &from) in dense.iter_mut().zip(row) {
                    *to = f64::from(from);
                }
            }
            (Dense::OneHot, Row::Class(row)) => {
                dense.fill(0.0);
                for (cell, &code) in dense.chunks_exact_mut(self.classes.len()).zip(row) {
                    if code >= 0 {
                        cell[code as usize] = 1.0;
                    } else {
                        cell[!code as usize] = -1.0;
                    }
                }
            }
            (Dense::OneHot, Row::Index(row)) => {
                dense.fill(0.0);
                let nodes = dense.len() / row.len();
                for (cell, &node) in dense.chunks_exact_mut(nodes).zip(row) {
                    cell[node as usize] = 1.0;
                }
            }
            (Dense::OneHot, Row::Real(row)) => panic!("a real number is not one-hot: {row:?}"),
        }
    }

    /// Appends a record that is laid out as in the reference. Inverse of [`Probe::expand`].
    ///
    /// Returns an error if the probe cannot hold the values; they may come from a file.
    ///
    /// # Panics
    /// If the column has another storage than the probe, or `dense` another size than a record.
    #[track_caller]
    pub fn compact(&self, nodes: usize, dense: &[f64], column: &mut Column) -> Result<()> {
        self.compact_as(nodes, dense, column, Origin::Algorithm)
    }

    /// Appends a prediction that is laid out as in the reference. Unlike the values of an algorithm,
    /// it may be a number that is not finite, or mark a node twice where a permutation marks each once.
    ///
    /// # Panics
    /// As [`Probe::compact`].
    #[track_caller]
    pub fn compact_prediction(
        &self,
        nodes: usize,
        dense: &[f64],
        column: &mut Column,
    ) -> Result<()> {
        self.compact_as(nodes, dense, column, Origin::Network)
    }

    #[track_caller]
    fn compact_as(
        &self,
        nodes: usize,
        dense: &[f64],
        column: &mut Column,
        origin: Origin,
    ) -> Result<()> {
        assert_eq!(dense.len(), self.size(nodes), "size of a record of {}", self.name);
        let info = self.kind.info();
        assert_eq!(column.storage(), info.storage, "storage of {} {column:?}", self.name);
        match (info.dense, column) {
            (Dense::Number, Column::Real(records)) => {
                let whole = self.dtype == Dtype::Int64;
                let fits = |x: f64| x.is_finite() && (!whole || x.fract() == 0.0);
                let wanted = if whole { "a whole number" } else { "a finite number" };
                if origin == Origin::Algorithm {
                    self.items(nodes, dense, 1, wanted, |cell| fits(cell[0]).then_some(()))?;
                }
                records.push(dense, |x| x);
            }
            (Dense::Number, Column::Class(records)) => {
                let code = |cell: &[f64]| [-1, 0, 1].into_iter().find(|&c| f64::from(c) == cell[0]);
                records.push(&self.items(nodes, dense, 1, "-1, 0 or 1", code)?, |code| code);
            }
            (Dense::Number, Column::Index(records)) => {
                let wanted = format!("a node from 0 to {}", nodes - 1);
                let node = |x: f64| x >= 0.0 && x < nodes as f64 && x.fract() == 0.0;
                let read = |cell: &[f64]| node(cell[0]).then_some(cell[0] as u32);
                let pointers = self.items(nodes, dense, 1, &wanted, read)?;
                records.push(&pointers, |pointer| pointer);
            }
            (Dense::OneHot, Column::Class(records)) => {
                let classes = self.classes.len();
                let wanted = format!("a 1 (or a -1) and otherwise zeros for {classes} classes");
                let code = |cell: &[f64]| match one_nonzero(cell) {
                    Some((class, 1.0)) => Some(class as i8),
                    Some((class, -1.0)) => Some(!(class as i8)),
                    _ => None,
                };
                records.push(&self.items(nodes, dense, classes, &wanted, code)?, |code| code);
            }
            (Dense::OneHot, Column::Index(records)) => {
                let rows = if self.location_shape(nodes).is_empty() { "" } else { " in each row" };
                let wanted = format!("a 1 and otherwise zeros{rows} for {nodes} nodes");
                let one_node = |cell: &[f64]| match one_nonzero(cell) {
                    Some((node, 1.0)) => Some(node as u32),
                    _ => None,
                };
                let pointers = self.items(nodes, dense, nodes, &wanted, one_node)?;
                if info.distinct && origin == Origin::Algorithm {
                    check_distinct(nodes, &pointers)?;
                }
                records.push(&pointers, |pointer| pointer);
            }
            (Dense::OneHot, Column::Real(_)) => panic!("a real number is not one-hot"),
        }
        Ok(())
    }

    /// Reads items of `size` values each. An error names the location of the first bad one.
    fn items<T>(
        &self,
        nodes: usize,
        dense: &[f64],
        size: usize,
        wanted: &str,
        read: impl Fn(&[f64]) -> Option<T>,
    ) -> Result<Vec<T>> {
        let item = |(i, cell): (usize, &[f64])| {
            read(cell).ok_or_else(|| {
                let location = match self.location_shape(nodes).len() {
                    0 => String::new(),
                    1 => format!(" at node {i}"),
                    _ => format!(" at edge ({}, {})", i / nodes, i % nodes),
                };
                let found = format!("{}{location}", describe(cell));
                Error::BadRecord { wanted: wanted.to_owned(), found }
            })
        };
        dense.chunks_exact(size).enumerate().map(item).collect()
    }
}

/// Returns an error if two of the pointers are the same.
fn check_distinct(nodes: usize, pointers: &[u32]) -> Result<()> {
    let mut seen = vec![false; nodes];
    for &pointer in pointers {
        if std::mem::replace(&mut seen[pointer as usize], true) {
            let wanted = "a permutation of the nodes".to_owned();
            let found = format!("two rows that mark node {pointer}");
            return Err(Error::BadRecord { wanted, found });
        }
    }
    Ok(())
}

/// The index and value of the only nonzero value, if there is exactly one.
fn one_nonzero(cell: &[f64]) -> Option<(usize, f64)> {
    let mut nonzero = cell.iter().copied().enumerate().filter(|&(_, x)| x != 0.0);
    let first = nonzero.next()?;
    nonzero.next().is_none().then_some(first)
}

/// A number, or the nonzero values of a vector, for an error message.
fn describe(cell: &[f64]) -> String {
    if let [number] = cell {
        return number.to_string();
    }
    let nonzero: Vec<String> = cell.iter().filter(|&&x| x != 0.0).map(f64::to_string).collect();
    match nonzero.len() {
        0 => "only zeros".to_owned(),
        1..=4 => format!("{} and zeros", nonzero.join(", ")),
        count => format!("{count} nonzero values"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::Stored as _;
    use crate::instance::strings::Letter;
    use crate::kind::Kind;
    use crate::probe::Stage;
    use crate::values::{
        EdgeMask, GraphScalar, Node, NodeChain, NodeClass, NodeMaskOne, NodePointer, Whole,
    };

    /// The error for values that a probe cannot hold, with two nodes.
    fn refused(probe: &Probe, dense: &[f64]) -> String {
        let mut column = Column::of(probe, 2);
        let error = probe.compact(2, dense, &mut column).unwrap_err();
        assert!(column.is_empty(), "{error}");
        error.to_string()
    }

    #[test]
    fn an_error_names_the_location_of_the_value_that_a_probe_cannot_hold() {
        let scalar = Probe::of::<GraphScalar>("x", Stage::Hint, "");
        assert_eq!(refused(&scalar, &[f64::NAN]), "expected a finite number, found NaN");
        let whole = Probe::of::<Node<Whole>>("x", Stage::Input, "");
        assert_eq!(refused(&whole, &[1.0, 0.5]), "expected a whole number, found 0.5 at node 1");
        let mask = Probe::of::<EdgeMask>("x", Stage::Hint, "");
        let sentence = "expected -1, 0 or 1, found 2 at edge (1, 0)";
        assert_eq!(refused(&mask, &[0.0, -1.0, 2.0, 1.0]), sentence);
        for probe in [
            Probe::of::<NodePointer>("x", Stage::Hint, ""),
            Probe::of::<NodeChain>("x", Stage::Output, ""),
        ] {
            for bad in [2.0, -1.0, 0.5, f64::NAN, f64::INFINITY] {
                let sentence = format!("expected a node from 0 to 1, found {bad} at node 1");
                assert_eq!(refused(&probe, &[1.0, bad]), sentence);
            }
        }
        let one = Probe::of::<NodeMaskOne>("x", Stage::Hint, "");
        let wanted = "expected a 1 and otherwise zeros for 2 nodes, found";
        assert_eq!(refused(&one, &[1.0, 1.0]), format!("{wanted} 1, 1 and zeros"));
        assert_eq!(refused(&one, &[0.0, 0.0]), format!("{wanted} only zeros"));
        assert_eq!(refused(&one, &[0.0, -1.0]), format!("{wanted} -1 and zeros"));
    }

    #[test]
    fn an_ignored_class_is_minus_one() {
        let probe = Probe::of::<NodeClass<Letter>>("x", Stage::Hint, "");
        let mut column = Column::of(&probe, 2);
        let dense = [0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0];
        probe.compact(2, &dense, &mut column).unwrap();
        assert_eq!(i8::of(&column).get(0), [1, !0]);
        let sentence = "expected a 1 (or a -1) and otherwise zeros for 4 classes, found 1, -1 and \
                        zeros at node 0";
        assert_eq!(refused(&probe, &[1.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), sentence);
    }

    #[test]
    fn a_permutation_marks_every_node_once() {
        let chain = Probe::of::<NodeChain>("x", Stage::Output, "");
        let probe = Probe { kind: Kind::PermutationPointer, dtype: Dtype::Float64, ..chain };
        let mut column = Column::of(&probe, 2);
        probe.compact(2, &[0.0, 1.0, 1.0, 0.0], &mut column).unwrap();
        assert_eq!(column.plain::<u32>(), [1, 0]);
        let sentence = "expected a permutation of the nodes, found two rows that mark node 1";
        assert_eq!(refused(&probe, &[0.0, 1.0, 0.0, 1.0]), sentence);
        probe.compact_prediction(2, &[0.0, 1.0, 0.0, 1.0], &mut column).unwrap();
        assert_eq!(u32::of(&column).get(1), [1, 1], "a network may be wrong");
    }
}
