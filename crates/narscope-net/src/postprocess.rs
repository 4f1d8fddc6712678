//! Postprocessing: hard predictions from logits, in the form that traces have.

use std::borrow::Cow;

use narscope_clrs::column::{Column, Stored as _};
use narscope_clrs::convert::chain_from_cycle;
use narscope_clrs::kind::{Activation, Choices, Storage};
use narscope_clrs::probe::{Kind, Probe};
use narscope_clrs::records::Records;
use narscope_kernels::sinkhorn::{Scratch, log_sinkhorn};

use crate::sinkhorn::ROUNDS_IN_POSTPROCESSING;

/// Hard predictions from the logits `(B, P, C)` of a probe, one record per row.
pub fn postprocess(probe: &Probe, logits: &[f32], nodes: usize) -> Column {
    let info = probe.kind.info();
    let width = probe.locations(nodes);
    let scores = match info.activation {
        Activation::Identity | Activation::Sigmoid | Activation::Softmax => Cow::Borrowed(logits),
        Activation::Sinkhorn => Cow::Owned(sinkhorn(logits, nodes)),
    };
    let argmaxes = || scores.chunks_exact(probe.choices(nodes)).map(argmax);
    match (info.choices, info.storage) {
        (Choices::One, Storage::Real) => {
            let values: Vec<f64> = scores.iter().map(|&x| f64::from(x)).collect();
            Column::Real(Records::from_plain(width, &values))
        }
        (Choices::One, Storage::Class) => {
            let mask: Vec<i8> = scores.iter().map(|&x| i8::from(x > 0.0)).collect();
            Column::Class(Records::from_plain(width, &mask))
        }
        (Choices::Classes | Choices::Nodes, Storage::Class) => {
            let classes: Vec<i8> = argmaxes().map(|class| class as i8).collect();
            Column::Class(Records::from_plain(width, &classes))
        }
        (Choices::Classes | Choices::Nodes, Storage::Index) => {
            let indices: Vec<u32> = argmaxes().map(|index| index as u32).collect();
            Column::Index(Records::from_plain(width, &indices))
        }
        (choices, storage) => panic!("{choices:?} cannot be stored as {storage:?}"),
    }
}

/// Probabilities of permutations from their logits.
// Parity: the logits have been through this iteration before.
fn sinkhorn(logits: &[f32], nodes: usize) -> Vec<f32> {
    let mut scores = logits.to_vec();
    let mut scratch = Scratch::default();
    for matrix in scores.chunks_exact_mut(nodes * nodes) {
        log_sinkhorn(matrix, nodes, ROUNDS_IN_POSTPROCESSING, &mut scratch);
        for x in matrix.iter_mut() {
            *x = x.exp();
        }
    }
    scores
}

/// Index of the largest score; the first one wins ties.
pub fn argmax(scores: &[f32]) -> usize {
    let mut best = 0;
    for (i, score) in scores.iter().enumerate() {
        // NaN counts as the largest, as in NumPy, so that it does not go unseen.
        if score > &scores[best] || (score.is_nan() && !scores[best].is_nan()) {
            best = i;
        }
    }
    best
}

/// Merges each cyclic permutation and its head mask, two probes, into one pointer to predecessors:
/// the inverse of the conversion that splits them for training.
pub fn merge_permutations(probes: &[Probe], columns: Vec<Column>) -> (Vec<Probe>, Vec<Column>) {
    let mut merged: (Vec<Probe>, Vec<Column>) = (vec![], vec![]);
    let mut rest = probes.iter().zip(columns).peekable();
    while let Some((probe, column)) = rest.next() {
        let mask = format!("{}_mask", probe.name);
        let heads = (probe.kind == Kind::PermutationPointer)
            .then(|| rest.next_if(|(next, _)| next.name == mask))
            .flatten();
        let Some((_, heads)) = heads else {
            merged.0.push(probe.clone());
            merged.1.push(column);
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
        merged.0.push(Probe { kind: Kind::Pointer, ..probe.clone() });
        merged.1.push(Column::Index(Records::from_plain(width, &chains)));
    }
    merged
}
