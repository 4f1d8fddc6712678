//! Blocks: how a batch is cut for the threads, and how much memory that takes.

use narscope_clrs::trace::Traces;

use super::Prepared;
use super::plan::Plan;
use super::run::{Mode, Run};
use crate::parallel;

/// Approximate number of nodes of a block: enough for fast matrix products, few enough to balance
/// the load of threads.
const NODES_PER_BLOCK: usize = 128;
/// Least and largest number of samples of a block, if the batch has enough.
const SAMPLES_PER_BLOCK: [usize; 2] = [4, 8];
/// Least number of blocks of a batch, so that several threads have work.
const BLOCKS: usize = 4;
/// Least number of messages of a block, if the batch has enough for two: each block costs a partial
/// gradient, however small it is.
const MESSAGES_PER_BLOCK: usize = 2048;
/// Number of floats above which a block is made smaller.
const LARGE: usize = 1 << 25;

/// Splits a sorted batch into blocks and returns their numbers of samples. The second half has smaller
/// blocks, so that threads finish at about the same time.
pub(super) fn blocks(plan: &Plan, lengths: &[usize], n: usize, keep: bool) -> Vec<usize> {
    let [few, many] = SAMPLES_PER_BLOCK;
    let most = lengths.len().div_ceil(BLOCKS);
    let usual = (NODES_PER_BLOCK / n).clamp(few, many).min(most);
    let mut rest = lengths;
    let mut blocks = vec![];
    while let [longest, ..] = rest {
        let fits = LARGE / plan.floats_per_sample(n, *longest, keep);
        let is_second_half = rest.len() <= lengths.len() / 2;
        let usual = if is_second_half { (usual / 2).max(few.min(usual)) } else { usual };
        let enough = (MESSAGES_PER_BLOCK / (n * n * longest)).min(lengths.len().div_ceil(2));
        let samples = usual.max(enough).min(fits.max(1)).min(rest.len());
        blocks.push(samples);
        rest = &rest[samples..];
    }
    blocks
}

/// Estimated memory of a batch in bytes. One block per thread is in memory at once, or all of them if
/// `side_by_side`. Tapes are reused and keep the size of their largest block.
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
        each.push(samples * plan.floats_per_sample(n, rest[0], keep));
        rest = &rest[samples..];
    }
    let of_blocks: usize = if side_by_side {
        each.iter().sum()
    } else {
        each.len().min(parallel::threads()) * each.iter().max().copied().unwrap_or(0)
    };
    let given: usize = lengths.iter().map(|&steps| plan.input_floats(n, steps, keep)).sum();
    let at_once = given + of_blocks;
    // Weights, their gradients and moments, and a partial gradient for each block.
    let partials = if keep { sizes.len() } else { 0 };
    4 * (at_once + (partials + 8) * plan.fold.folded)
}

/// Number of samples that run each step.
pub(super) fn running(lengths: &[usize]) -> Vec<usize> {
    let steps = lengths.first().copied().unwrap_or(0);
    (0..steps).map(|step| lengths.partition_point(|&length| length > step)).collect()
}

/// Reads the inputs of all blocks of a batch.
pub(super) fn begin<'a>(
    prepared: &'a Prepared<'a>,
    mode: Mode<'a>,
    traces: &Traces,
    order: &[usize],
    lengths: &[usize],
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
        let (order, lengths) = (&order[span.clone()], &lengths[span.clone()]);
        Run::new(prepared, mode, traces, order, lengths, span.start)
    })
}
