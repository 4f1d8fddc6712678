//! Conversions of traces between sampler and model.

use crate::column::{Column, Stored as _};
use crate::probe::{Dtype, Kind, Location, Probe, Stage};
use crate::records::Records;
use crate::rng::Rng;
use crate::trace::Traces;
use crate::{Error, Result};

/// Replaces the even spacing of `pos` by sorted random numbers, so that a network cannot memorise
/// positions. Each string of a two-string problem is sorted separately.
pub fn random_positions(traces: &mut Traces, rng: &mut Rng) {
    let place = traces.find(Stage::Input, "pos").expect("every algorithm has positions");
    let nodes = traces.nodes;
    let column = &mut traces.columns[place];
    *column = column.unpacked();
    let positions = f64::of_mut(column).plain_mut();
    let mut random = rng.uniforms(0.0, 1.0, positions.len());
    for (old, new) in positions.chunks_exact_mut(nodes).zip(random.chunks_exact_mut(nodes)) {
        let starts = (0..nodes).filter(|&i| old[i] == 0.0).chain([nodes]).collect::<Vec<_>>();
        for stretch in starts.windows(2) {
            new[stretch[0]..stretch[1]].sort_by(f64::total_cmp);
        }
        old.copy_from_slice(new);
    }
}

/// Turns the hint that never changes, the order of the input, into an input: `pred_h` becomes `pred`.
///
/// Does nothing for algorithms without such a hint.
pub fn pred_as_input(traces: &mut Traces) {
    let Some(place) = traces.probes.iter().position(|probe| probe.constant) else { return };
    let hint = traces.probes.remove(place);
    let column = traces.columns.remove(place);
    let name = hint.name.strip_suffix("_h").unwrap_or(&hint.name).to_owned();
    let input = Probe { name: name.into(), stage: Stage::Input, constant: false, ..hint };

    let mut first = Records::new(input.locations(traces.nodes));
    for i in 0..traces.len() {
        let start = traces.records(Stage::Hint, i).start;
        first.begin();
        first.push(&u32::of(&column).get(start), |node| node);
    }
    let after = traces.probes.iter().filter(|probe| probe.stage == Stage::Input).count();
    traces.probes.insert(after, input);
    traces.columns.insert(after, Column::Index(first));
}

/// Prepares outputs of kind [`Kind::ShouldBePermutation`] for a model.
///
/// With `enforce`, each becomes a permutation matrix and a one-hot mask: the head of the chain points
/// to its tail, which closes the chain to a cycle, and the mask marks the head. Without, each becomes
/// a plain pointer.
pub fn permutations(traces: &mut Traces, enforce: bool) -> Result<()> {
    let chains: Vec<usize> = (0..traces.probes.len())
        .filter(|&place| traces.probes[place].kind == Kind::ShouldBePermutation)
        .collect();
    for place in chains.into_iter().rev() {
        if enforce {
            let (cycles, heads) = close_chains(traces, place)?;
            let probe = &mut traces.probes[place];
            probe.kind = Kind::PermutationPointer;
            probe.dtype = Dtype::Float64;
            let mark = Probe {
                name: format!("{}_mask", probe.name).into(),
                kind: Kind::MaskOne,
                location: Location::Node,
                meaning: "the head of the chain",
                ..probe.clone()
            };
            traces.columns[place] = Column::Index(Records::from_plain(traces.nodes, &cycles));
            traces.probes.insert(place + 1, mark);
            traces.columns.insert(place + 1, Column::Index(Records::from_plain(1, &heads)));
        } else {
            traces.probes[place].kind = Kind::Pointer;
        }
    }
    Ok(())
}

fn close_chains(traces: &Traces, place: usize) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut cycles = traces.columns[place].unpacked().plain().to_vec();
    let mut heads = Vec::with_capacity(traces.len());
    for pointers in cycles.chunks_exact_mut(traces.nodes) {
        let (cycle, head) = cyclic_predecessors(pointers)?;
        pointers.copy_from_slice(&cycle);
        heads.push(head);
    }
    Ok((cycles, heads))
}

/// Closes a chain to a cycle. Returns the predecessor of each node on the cycle, and the head.
pub fn cyclic_predecessors(pointers: &[u32]) -> Result<(Vec<u32>, u32)> {
    let mut followed = vec![false; pointers.len()];
    let heads: Vec<usize> = (0..pointers.len()).filter(|&i| pointers[i] as usize == i).collect();
    let &[head] = heads.as_slice() else {
        return Err(Error::Conversion(format!("a chain has one head, found {heads:?}")));
    };
    for (i, &pointer) in pointers.iter().enumerate() {
        let seen = followed.get_mut(pointer as usize).ok_or_else(|| {
            Error::Conversion(format!("node {i} of {} points to {pointer}", pointers.len()))
        })?;
        if i != head && std::mem::replace(seen, true) {
            return Err(Error::Conversion(format!("two nodes follow node {pointer} in a chain")));
        }
    }
    let tail = followed.iter().position(|&seen| !seen).expect("one node too few is followed");
    let mut cycle = pointers.to_vec();
    cycle[head] = tail as u32;
    Ok((cycle, head as u32))
}

/// Inverse of [`cyclic_predecessors`]: cuts the cycle at its head.
pub fn chain_from_cycle(cycle: &[u32], head: u32) -> Vec<u32> {
    let mut pointers = cycle.to_vec();
    pointers[head as usize] = head;
    pointers
}

/// The nodes of a chain, from head to tail.
pub fn order_of_chain(pointers: &[u32]) -> Result<Vec<u32>> {
    let (cycle, head) = cyclic_predecessors(pointers)?;
    let tail = cycle[head as usize];
    let mut order = vec![tail];
    while order.len() < pointers.len() {
        let last = order[order.len() - 1];
        if last == head {
            return Err(Error::Conversion(format!(
                "a chain of {} nodes ends after {}",
                pointers.len(),
                order.len()
            )));
        }
        order.push(pointers[last as usize]);
    }
    order.reverse();
    Ok(order)
}

/// The pointers of a chain of the nodes in this order. Inverse of [`order_of_chain`].
pub fn chain_of_order(order: &[u32]) -> Vec<u32> {
    let mut pointers = order.to_vec();
    if let Some(&head) = order.first() {
        pointers[head as usize] = head;
    }
    for pair in order.windows(2) {
        pointers[pair[1] as usize] = pair[0];
    }
    pointers
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy as _, prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn the_head_of_a_closed_chain_points_to_its_tail() {
        // 1 is the head, then 2, then 0.
        assert_eq!(cyclic_predecessors(&[2, 1, 1]).unwrap(), (vec![2, 0, 1], 1));
        assert_eq!(order_of_chain(&[2, 1, 1]).unwrap(), [1, 2, 0]);
    }

    #[test]
    fn pointers_that_do_not_form_a_chain_are_errors() {
        for broken in [vec![0, 1, 1], vec![1, 2, 0], vec![0, 0, 0], vec![0, 7]] {
            assert!(cyclic_predecessors(&broken).is_err(), "{broken:?}");
        }
        // A chain and a separate cycle.
        assert!(order_of_chain(&[0, 0, 3, 2]).is_err());
    }

    proptest! {
        #[test]
        fn a_closed_chain_is_cut_back_to_the_chain(
            order in (1u32..30).prop_flat_map(|n| Just((0..n).collect::<Vec<_>>()).prop_shuffle())
        ) {
            let chain = chain_of_order(&order);
            prop_assert_eq!(order_of_chain(&chain).unwrap(), order);
            let (cycle, head) = cyclic_predecessors(&chain).unwrap();
            prop_assert_eq!(chain_from_cycle(&cycle, head), chain);
        }
    }
}
