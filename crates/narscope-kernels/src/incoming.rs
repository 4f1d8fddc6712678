//! Incoming edges of a block of samples, as a CSR adjacency.

use std::ops::Range;

/// Index that stands for "no message selected".
pub(crate) const NONE: u32 = u32::MAX;

/// CSR adjacency of incoming edges: for each receiver of a block its senders, one row per edge.
///
/// Nodes are numbered through the block: node `i` of sample `b` is `b N + i`.
#[derive(Clone, Debug, Default)]
pub struct Incoming {
    nodes: usize,
    /// First row of each receiver, and the end of the last one.
    starts: Vec<u32>,
    senders: Vec<u32>,
    /// Scratch of [`retain_selected`](Self::retain_selected): new indices of a receiver's messages.
    renumbered: Vec<u32>,
}

impl Incoming {
    /// Rebuilds the adjacency for `samples` samples of `nodes` nodes. `is_edge(sender, receiver)`
    /// takes the sender's index in the block and the receiver's index in its sample.
    pub fn fill(&mut self, samples: usize, nodes: usize, is_edge: impl Fn(usize, usize) -> bool) {
        self.nodes = nodes;
        self.starts.clear();
        self.senders.clear();
        self.starts.push(0);
        for sample in 0..samples {
            for receiver in 0..nodes {
                let senders = sample * nodes..(sample + 1) * nodes;
                let senders = senders.filter(|&sender| is_edge(sender, receiver));
                self.senders.extend(senders.map(|sender| sender as u32));
                self.starts.push(self.senders.len() as u32);
            }
        }
    }

    /// Rebuilds the adjacency from the edges of `all` whose message was selected in some channel:
    /// the others have no gradient.
    ///
    /// `selected` holds a row of `channels` message indices for each receiver; they are renumbered
    /// to those of the new adjacency. `rows` receives, for each new row, its row in `all`.
    pub fn retain_selected(
        &mut self,
        all: &Self,
        selected: &mut [u32],
        channels: usize,
        rows: &mut Vec<u32>,
    ) {
        self.nodes = all.nodes;
        self.starts.clear();
        self.senders.clear();
        self.starts.push(0);
        rows.clear();
        let renumbered = &mut self.renumbered;
        for (receiver, selected) in selected.chunks_exact_mut(channels).enumerate() {
            let (first, senders) = (all.starts[receiver], all.senders(receiver));
            renumbered.clear();
            renumbered.resize(all.nodes, NONE);
            for &message in selected.iter().filter(|&&message| message != NONE) {
                renumbered[message as usize] = 0;
            }
            let mut count = 0;
            for (message, (index, &sender)) in renumbered.iter_mut().zip(senders).enumerate() {
                if *index != NONE {
                    *index = count;
                    count += 1;
                    self.senders.push(sender);
                    rows.push(first + message as u32);
                }
            }
            for message in selected.iter_mut().filter(|message| **message != NONE) {
                *message = renumbered[*message as usize];
            }
            self.starts.push(self.senders.len() as u32);
        }
    }

    /// Number of nodes of each sample.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Rows of the edges into some receivers.
    #[inline(always)]
    pub fn rows(&self, receivers: Range<usize>) -> Range<usize> {
        self.starts[receivers.start] as usize..self.starts[receivers.end] as usize
    }

    /// Senders of the edges into one receiver.
    #[inline(always)]
    pub fn senders(&self, receiver: usize) -> &[u32] {
        &self.senders[self.rows(receiver..receiver + 1)]
    }

    /// A view of some receivers and the edges into them.
    pub fn tile(&self, receivers: Range<usize>) -> Tile<'_> {
        let first_row = self.starts[receivers.start] as usize;
        Tile { incoming: self, receivers, first_row }
    }

    /// Splits the first `receivers` receivers into tiles of at most `rows` rows, or of one receiver.
    pub fn tiles(&self, receivers: usize, rows: usize) -> impl Iterator<Item = Tile<'_>> {
        let mut start = 0;
        std::iter::from_fn(move || {
            if start == receivers {
                return None;
            }
            let most = self.starts[start] as usize + rows;
            let fits = self.starts[start + 1..=receivers].partition_point(|&s| s as usize <= most);
            let tile = self.tile(start..start + fits.max(1));
            start = tile.receivers.end;
            Some(tile)
        })
    }
}

/// Consecutive receivers of a block and the edges into them.
#[derive(Clone, Debug)]
pub struct Tile<'a> {
    /// Adjacency of the whole block.
    pub incoming: &'a Incoming,
    /// Receivers of this tile.
    pub receivers: Range<usize>,
    first_row: usize,
}

impl Tile<'_> {
    /// Rows of the edges into all receivers of the tile.
    #[inline(always)]
    pub fn rows(&self) -> Range<usize> {
        self.incoming.rows(self.receivers.clone())
    }

    /// Rows of the edges into one receiver, counted from the first row of the tile.
    #[inline(always)]
    pub(crate) fn rows_of(&self, receiver: usize) -> Range<usize> {
        let rows = self.incoming.rows(receiver..receiver + 1);
        rows.start - self.first_row..rows.end - self.first_row
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Incoming, NONE};
    use crate::oracle::{Random, cases};

    proptest! {
        #![proptest_config(cases(200))]

        #[test]
        fn rows_follow_receivers_and_senders_in_order(
            (samples, nodes, seed) in (1..4_usize, 1..=70_usize, any::<u64>())
        ) {
            let edges = Random(seed).edges(samples, nodes);
            let incoming = edges.incoming();
            prop_assert_eq!(incoming.nodes(), nodes);
            let mut rows = 0;
            for receiver in 0..samples * nodes {
                let expected = edges.senders(receiver);
                let senders: Vec<_> =
                    incoming.senders(receiver).iter().map(|&i| i as usize).collect();
                prop_assert_eq!(incoming.rows(receiver..receiver + 1), rows..rows + expected.len());
                prop_assert_eq!(incoming.rows(0..receiver + 1), 0..rows + expected.len());
                rows += expected.len();
                prop_assert_eq!(senders, expected);
            }
        }

        #[test]
        fn only_selected_messages_are_retained_and_they_are_renumbered(
            (samples, nodes, channels, seed) in (1..4_usize, 1..20_usize, 1..9_usize, any::<u64>())
        ) {
            let mut random = Random(seed);
            let all = random.edges(samples, nodes).incoming();
            let mut before: Vec<u32> = vec![];
            for receiver in 0..samples * nodes {
                let count = all.senders(receiver).len();
                for _ in 0..channels {
                    let none = count == 0 || random.below(4) == 0;
                    before.push(if none { NONE } else { random.below(count) as u32 });
                }
            }
            let (mut retained, mut selected, mut rows) =
                (Incoming::default(), before.clone(), vec![7]);
            retained.fill(1, 3, |_, _| true);
            retained.retain_selected(&all, &mut selected, channels, &mut rows);
            prop_assert_eq!(retained.nodes(), nodes);
            for receiver in 0..samples * nodes {
                let here = retained.rows(receiver..receiver + 1);
                let mut used = vec![false; here.len()];
                for at in receiver * channels..(receiver + 1) * channels {
                    if before[at] == NONE {
                        prop_assert_eq!(selected[at], NONE);
                        continue;
                    }
                    let row = here.start + selected[at] as usize;
                    used[selected[at] as usize] = true;
                    let old_row = all.rows(receiver..receiver + 1).start + before[at] as usize;
                    prop_assert_eq!(rows[row] as usize, old_row);
                    let sender = retained.senders(receiver)[selected[at] as usize];
                    prop_assert_eq!(sender, all.senders(receiver)[before[at] as usize]);
                }
                prop_assert!(
                    used.into_iter().all(|used| used),
                    "a message that no channel selected is retained"
                );
            }
        }

        #[test]
        fn tiles_cover_all_receivers_in_order_within_their_limit(
            (samples, nodes, most, seed) in (1..4_usize, 1..20_usize, 0..100_usize, any::<u64>())
        ) {
            let incoming = Random(seed).edges(samples, nodes).incoming();
            let mut next = 0;
            for tile in incoming.tiles(samples * nodes, most) {
                prop_assert_eq!(tile.receivers.start, next);
                prop_assert!(!tile.receivers.is_empty());
                prop_assert!(tile.rows().len() <= most || tile.receivers.len() == 1);
                next = tile.receivers.end;
            }
            prop_assert_eq!(next, samples * nodes);
        }
    }
}
