//! Answers: predictions read as definite values, in the form that traces have.

use burn_tensor::Tensor;
use narscope_clrs::column::{Column, Stored as _};
use narscope_clrs::convert::chain_from_cycle;
use narscope_clrs::probe::{Kind, Probe};
use narscope_clrs::records::Records;

use crate::sinkhorn::{ROUNDS_AT_THE_END, log_sinkhorn};
use crate::values::numbers;

/// The definite values of raw predictions `(B, P, C)`, a record per row.
pub fn definite(probe: &Probe, raw: Tensor<3>, nodes: usize) -> Column {
    let [_, _, options] = raw.dims();
    let width = probe.locations(nodes);
    let raw = match probe.kind {
        // Parity: the prediction has been through this iteration before.
        Kind::PermutationPointer => log_sinkhorn(raw, ROUNDS_AT_THE_END).exp(),
        _ => raw,
    };
    let raw = numbers(raw);
    let likeliest = || raw.chunks_exact(options).map(argmax);
    match probe.kind {
        Kind::Scalar => {
            let values: Vec<f64> = raw.iter().map(|&x| f64::from(x)).collect();
            Column::Real(Records::from_plain(width, &values))
        }
        Kind::Mask => {
            let marks: Vec<i8> = raw.iter().map(|&x| i8::from(x > 0.0)).collect();
            Column::Class(Records::from_plain(width, &marks))
        }
        Kind::Categorical => {
            let classes: Vec<i8> = likeliest().map(|class| class as i8).collect();
            Column::Class(Records::from_plain(width, &classes))
        }
        Kind::MaskOne | Kind::Pointer | Kind::ShouldBePermutation | Kind::PermutationPointer => {
            let nodes: Vec<u32> = likeliest().map(|node| node as u32).collect();
            Column::Index(Records::from_plain(width, &nodes))
        }
    }
}

/// The first of the largest.
pub(crate) fn argmax(scores: &[f32]) -> usize {
    let mut best = 0;
    for (i, score) in scores.iter().enumerate() {
        // A score that is not a number counts as large, as in NumPy, and so does not go unseen.
        if score > &scores[best] || (score.is_nan() && !scores[best].is_nan()) {
            best = i;
        }
    }
    best
}

/// Puts permutations and their marks back together, as pointers of a chain.
pub fn fuse(probes: &[Probe], columns: Vec<Column>) -> (Vec<Probe>, Vec<Column>) {
    let mut fused: (Vec<Probe>, Vec<Column>) = (vec![], vec![]);
    let mut rest = probes.iter().zip(columns).peekable();
    while let Some((probe, column)) = rest.next() {
        let mark = format!("{}_mask", probe.name);
        let marks = (probe.kind == Kind::PermutationPointer)
            .then(|| rest.next_if(|(next, _)| next.name == mark))
            .flatten();
        let Some((_, heads)) = marks else {
            fused.0.push(probe.clone());
            fused.1.push(column);
            continue;
        };
        let width = u32::of(&column).width();
        let (cycles, heads) = (column.unpacked(), heads.unpacked());
        let (cycles, heads) = (cycles.plain::<u32>(), heads.plain::<u32>());
        let chains: Vec<u32> = cycles
            .chunks_exact(width)
            .zip(heads)
            .flat_map(|(cycle, &head)| chain_from_cycle(cycle, head))
            .collect();
        fused.0.push(Probe { kind: Kind::Pointer, ..probe.clone() });
        fused.1.push(Column::Index(Records::from_plain(width, &chains)));
    }
    fused
}
