//! Who hears whom in a block of samples, and what is known of pairs of nodes.

use std::ops::Range;

/// Nobody's message was taken.
pub(crate) const NONE: u32 = u32::MAX;

/// For each receiver of a block the senders that it hears, one row each.
///
/// Nodes of a block are numbered on: node `i` of sample `b` is `b N + i`.
#[derive(Clone, Debug, Default)]
pub struct Incoming {
    nodes: usize,
    /// Where the rows of each receiver begin, and where the last ones end.
    starts: Vec<u32>,
    senders: Vec<u32>,
    /// New numbers of a receiver's messages, while those that nobody took are dropped.
    numbers: Vec<u32>,
}

impl Incoming {
    /// Lists whom each node of `samples` samples hears; `hears(sender, receiver)` takes the number
    /// of the sender in the block and that of the receiver in its sample.
    pub fn fill(&mut self, samples: usize, nodes: usize, hears: impl Fn(usize, usize) -> bool) {
        self.nodes = nodes;
        self.starts.clear();
        self.senders.clear();
        self.starts.push(0);
        for sample in 0..samples {
            for receiver in 0..nodes {
                let senders = sample * nodes..(sample + 1) * nodes;
                let heard = senders.filter(|&sender| hears(sender, receiver));
                self.senders.extend(heard.map(|sender| sender as u32));
                self.starts.push(self.senders.len() as u32);
            }
        }
    }

    /// Lists only messages that were taken in some channel: no other has a gradient. `chosen` has a row
    /// of channels for each receiver, with numbers of messages that become those of this list;
    /// `rows` says which of all rows each row of this list was.
    pub fn retain_selected(
        &mut self,
        all: &Self,
        chosen: &mut [u32],
        channels: usize,
        rows: &mut Vec<u32>,
    ) {
        self.nodes = all.nodes;
        self.starts.clear();
        self.senders.clear();
        self.starts.push(0);
        rows.clear();
        let numbers = &mut self.numbers;
        for (receiver, chosen) in chosen.chunks_exact_mut(channels).enumerate() {
            let (first, senders) = (all.starts[receiver], all.senders(receiver));
            numbers.clear();
            numbers.resize(all.nodes, NONE);
            for &taken in chosen.iter().filter(|&&taken| taken != NONE) {
                numbers[taken as usize] = 0;
            }
            let mut count = 0;
            for (message, (number, &sender)) in numbers.iter_mut().zip(senders).enumerate() {
                if *number != NONE {
                    *number = count;
                    count += 1;
                    self.senders.push(sender);
                    rows.push(first + message as u32);
                }
            }
            for taken in chosen.iter_mut().filter(|taken| **taken != NONE) {
                *taken = numbers[*taken as usize];
            }
            self.starts.push(self.senders.len() as u32);
        }
    }

    /// The nodes of each sample.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The rows of some receivers.
    #[inline(always)]
    pub fn rows(&self, receivers: Range<usize>) -> Range<usize> {
        self.starts[receivers.start] as usize..self.starts[receivers.end] as usize
    }

    /// The senders that a receiver hears.
    #[inline(always)]
    pub fn senders(&self, receiver: usize) -> &[u32] {
        &self.senders[self.rows(receiver..receiver + 1)]
    }

    /// Cuts receivers into runs of about `rows` rows, but at least one receiver.
    pub fn tiles(&self, receivers: usize, rows: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = 0;
        std::iter::from_fn(move || {
            if start == receivers {
                return None;
            }
            let most = self.starts[start] as usize + rows;
            let fits = self.starts[start + 1..=receivers].partition_point(|&s| s as usize <= most);
            let tile = start..start + fits.max(1);
            start = tile.end;
            Some(tile)
        })
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
            let hearing = Random(seed).hearing(samples, nodes);
            let heard = hearing.heard();
            prop_assert_eq!(heard.nodes(), nodes);
            let mut rows = 0;
            for receiver in 0..samples * nodes {
                let expected = hearing.senders(receiver);
                let senders: Vec<_> = heard.senders(receiver).iter().map(|&i| i as usize).collect();
                prop_assert_eq!(heard.rows(receiver..receiver + 1), rows..rows + expected.len());
                prop_assert_eq!(heard.rows(0..receiver + 1), 0..rows + expected.len());
                rows += expected.len();
                prop_assert_eq!(senders, expected);
            }
        }

        #[test]
        fn messages_that_are_kept_are_those_that_were_taken_under_new_numbers(
            (samples, nodes, channels, seed) in (1..4_usize, 1..20_usize, 1..9_usize, any::<u64>())
        ) {
            let mut random = Random(seed);
            let all = random.hearing(samples, nodes).heard();
            let mut taken: Vec<u32> = vec![];
            for receiver in 0..samples * nodes {
                let count = all.senders(receiver).len();
                for _ in 0..channels {
                    let nobody = count == 0 || random.below(4) == 0;
                    taken.push(if nobody { NONE } else { random.below(count) as u32 });
                }
            }
            let (mut kept, mut chosen, mut rows) = (Incoming::default(), taken.clone(), vec![7]);
            kept.fill(1, 3, |_, _| true);
            kept.retain_selected(&all, &mut chosen, channels, &mut rows);
            prop_assert_eq!(kept.nodes(), nodes);
            for receiver in 0..samples * nodes {
                let here = kept.rows(receiver..receiver + 1);
                let mut used = vec![false; here.len()];
                for at in receiver * channels..(receiver + 1) * channels {
                    if taken[at] == NONE {
                        prop_assert_eq!(chosen[at], NONE);
                        continue;
                    }
                    let row = here.start + chosen[at] as usize;
                    used[chosen[at] as usize] = true;
                    let before = all.rows(receiver..receiver + 1).start + taken[at] as usize;
                    prop_assert_eq!(rows[row] as usize, before);
                    let sender = kept.senders(receiver)[chosen[at] as usize];
                    prop_assert_eq!(sender, all.senders(receiver)[taken[at] as usize]);
                }
                prop_assert!(used.into_iter().all(|used| used), "a message that nobody took is kept");
            }
        }

        #[test]
        fn tiles_cover_all_receivers_in_order_and_none_is_larger_than_it_must_be(
            (samples, nodes, most, seed) in (1..4_usize, 1..20_usize, 0..100_usize, any::<u64>())
        ) {
            let heard = Random(seed).hearing(samples, nodes).heard();
            let mut next = 0;
            for tile in heard.tiles(samples * nodes, most) {
                prop_assert_eq!(tile.start, next);
                prop_assert!(!tile.is_empty());
                prop_assert!(heard.rows(tile.clone()).len() <= most || tile.len() == 1);
                next = tile.end;
            }
            prop_assert_eq!(next, samples * nodes);
        }
    }
}
