//! Who hears whom in a block of samples, and what is known of pairs of nodes.

use std::ops::Range;

/// For each receiver of a block the senders that it hears, one row each.
///
/// Nodes of a block are numbered on: node `i` of sample `b` is `b N + i`.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    nodes: usize,
    /// Where the rows of each receiver begin, and where the last ones end.
    starts: Vec<u32>,
    senders: Vec<u32>,
}

impl Heard {
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

/// A few numbers for every pair of nodes of a block.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    numbers: &'a [f32],
    nodes: usize,
    width: usize,
}

impl<'a> Pairs<'a> {
    /// `width` numbers for each pair of a node of the block and a node of its sample.
    pub fn new(numbers: &'a [f32], nodes: usize, width: usize) -> Self {
        Self { numbers, nodes, width }
    }

    /// How many numbers a pair has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Where the numbers of a pair begin.
    #[inline(always)]
    pub fn start(&self, first: usize, second: usize) -> usize {
        (first * self.nodes + second) * self.width
    }

    /// The numbers of a pair.
    #[inline(always)]
    pub fn of(&self, first: usize, second: usize) -> &'a [f32] {
        &self.numbers[self.start(first, second)..][..self.width]
    }
}

/// A linear map of the numbers of pairs, and what is learnt of it on the way back.
#[derive(Debug)]
pub struct PairsBack<'a> {
    /// The numbers.
    pub pairs: Pairs<'a>,
    /// The map, a row for each number.
    pub map: &'a [f32],
    /// The gradient of the map, added to.
    pub map_gradient: &'a mut [f32],
    /// The gradient of the numbers, added to.
    pub gradient: &'a mut [f32],
    /// From which number on gradients are wanted: those before it are given.
    pub learnt_from: usize,
}

impl PairsBack<'_> {
    /// Adds what the gradient `d` of a pair's mapped numbers says.
    #[inline(always)]
    pub(crate) fn add(&mut self, first: usize, second: usize, d: &[f32]) {
        let (start, outputs) = (self.pairs.start(first, second), d.len());
        for (k, &number) in self.pairs.of(first, second).iter().enumerate() {
            if number != 0.0 {
                crate::vector::add_scaled(
                    &mut self.map_gradient[k * outputs..][..outputs],
                    number,
                    d,
                );
            }
            if k >= self.learnt_from {
                self.gradient[start + k] +=
                    crate::vector::dot(d, &self.map[k * outputs..][..outputs]);
            }
        }
    }
}

/// Adds the mapped numbers of a pair to `y`.
#[inline(always)]
pub(crate) fn add_mapped(y: &mut [f32], numbers: &[f32], map: &[f32]) {
    let outputs = y.len();
    for (k, &number) in numbers.iter().enumerate() {
        // Most are marks and pointers, 0 almost everywhere.
        if number != 0.0 {
            crate::vector::add_scaled(y, number, &map[k * outputs..][..outputs]);
        }
    }
}
