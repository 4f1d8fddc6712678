//! Blocks: how a batch is cut for the threads, and how much memory that takes.

use narscope_clrs::trace::Traces;

use super::Prepared;
use super::plan::Plan;
use super::run::{Manner, Run};
use crate::parallel;

/// How many nodes a block has, about: enough for products of matrices to be fast, few enough for
/// blocks to be shared out evenly.
const NODES_PER_BLOCK: usize = 128;
/// How few and how many samples a block has, if the batch has enough.
const SAMPLES_PER_BLOCK: [usize; 2] = [4, 8];
/// How many blocks a batch has at least, so that there is work for several threads.
const BLOCKS: usize = 4;
/// How many messages a block makes at least, if the batch makes enough for two: each block costs a
/// lane of gradients, whatever it does.
const MESSAGES_PER_BLOCK: usize = 2048;
/// How many numbers a block may need before it is made smaller.
const LARGE: usize = 1 << 25;

/// Cuts a sorted batch into blocks: how many samples each has. The second half is cut finer, so that
/// threads finish at about the same time.
pub(super) fn blocks(plan: &Plan, lengths: &[usize], n: usize, keep: bool) -> Vec<usize> {
    let [few, many] = SAMPLES_PER_BLOCK;
    let most = lengths.len().div_ceil(BLOCKS);
    let usual = (NODES_PER_BLOCK / n).clamp(few, many).min(most);
    let mut rest = lengths;
    let mut blocks = vec![];
    while let [longest, ..] = rest {
        let fits = LARGE / plan.values_per_sample(n, *longest, keep);
        let is_second_half = rest.len() <= lengths.len() / 2;
        let usual = if is_second_half { (usual / 2).max(few.min(usual)) } else { usual };
        let enough = (MESSAGES_PER_BLOCK / (n * n * longest)).min(lengths.len().div_ceil(2));
        let samples = usual.max(enough).min(fits.max(1)).min(rest.len());
        blocks.push(samples);
        rest = &rest[samples..];
    }
    blocks
}

/// About how many bytes a batch needs: as many blocks as there are threads are in memory at once, or
/// all of them if they go side by side. Memory goes from block to block and stays as large as the largest
/// of them, whichever that was.
pub(super) fn bytes(
    plan: &Plan,
    lengths: &[usize],
    n: usize,
    keep: bool,
    side_by_side: bool,
) -> usize {
    let sizes = blocks(plan, lengths, n, keep);
    let mut rest = lengths;
    let mut each = vec![];
    for &samples in &sizes {
        each.push(samples * plan.values_per_sample(n, rest[0], keep));
        rest = &rest[samples..];
    }
    let of_blocks: usize = if side_by_side {
        each.iter().sum()
    } else {
        each.len().min(parallel::threads()) * each.iter().max().copied().unwrap_or(0)
    };
    let given: usize = lengths.iter().map(|&steps| plan.input_values(n, steps, keep)).sum();
    let at_once = given + of_blocks;
    // Weights, their gradients and moments, and a lane of gradients for each block.
    let lanes = if keep { sizes.len() } else { 0 };
    4 * (at_once + (lanes + 8) * plan.fold.folded)
}

/// How many samples take each step.
pub(super) fn running(lengths: &[usize]) -> Vec<usize> {
    let steps = lengths.first().copied().unwrap_or(0);
    (0..steps).map(|step| lengths.partition_point(|&length| length > step)).collect()
}

/// Reads what the blocks of a batch are given.
pub(super) fn begin<'a>(
    prepared: &'a Prepared<'a>,
    manner: Manner<'a>,
    traces: &Traces,
    (order, lengths): (&[usize], &[usize]),
    sizes: &[usize],
) -> Vec<Run<'a>> {
    let starts: Vec<usize> = sizes
        .iter()
        .scan(0, |start, size| {
            *start += size;
            Some(*start - size)
        })
        .collect();
    let spans: Vec<_> =
        starts.iter().zip(sizes).map(|(start, size)| *start..start + size).collect();
    parallel::map(&spans, |span| {
        let rows = (&order[span.clone()], &lengths[span.clone()]);
        Run::new(prepared, manner, traces, rows, span.start)
    })
}
