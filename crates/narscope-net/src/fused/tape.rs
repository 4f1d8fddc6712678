//! What a block of samples leaves behind on its way forward, for the way back. Memory is kept from
//! update to update.

use narscope_kernels::Buffer;
use narscope_kernels::incoming::Incoming;
use narscope_kernels::sinkhorn;

/// One round of message passing.
#[derive(Debug, Default)]
pub(super) struct RoundTape {
    /// Numbers and state of each node.
    pub(super) x: Buffer,
    /// All that is linear in them.
    pub(super) y: Buffer,
    /// What the last layer of messages is given.
    pub(super) active: Buffer,
    /// The messages, where the way back needs them.
    pub(super) messages: Buffer,
    /// Whose message was taken.
    pub(super) chosen: Buffer<u32>,
    /// What was heard.
    pub(super) inbox: Buffer,
    /// The next state before it is normalised.
    pub(super) next: Buffer,
    pub(super) normal: Buffer,
    pub(super) spread: Buffer,
    /// The next state before the gate.
    pub(super) new: Buffer,
    /// What the gate heard.
    pub(super) gate: Buffer,
    /// How far it is open.
    pub(super) open: Buffer,
    /// The state after the round.
    pub(super) state: Buffer,
}

/// Predictions of one probe.
#[derive(Debug, Default)]
pub(super) struct HeadTape {
    /// Raw predictions.
    pub(super) raw: Buffer,
    /// The same before a permutation was made of them.
    pub(super) plain: Buffer,
    /// Where the candidate of a pointer was the larger.
    pub(super) taken: Buffer<u8>,
    /// What pairs said.
    pub(super) pair: Buffer,
    /// The largest over nodes, and whose it was.
    pub(super) most: Buffer,
    pub(super) most_of: Buffer<u32>,
    /// Per sample, the place of the worst score, which those of the unlinked depend on.
    pub(super) least: Vec<Option<u32>>,
}

/// Predictions of a stage for some samples.
#[derive(Debug, Default)]
pub(super) struct StageTape {
    /// All that is linear in the nodes' numbers and states.
    pub(super) y: Buffer,
    pub(super) heads: Vec<HeadTape>,
}

/// One step.
#[derive(Debug, Default)]
pub(super) struct StepTape {
    /// Numbers of nodes, edges and graphs.
    pub(super) node: Buffer,
    pub(super) edge: Buffer,
    pub(super) graph: Buffer,
    /// 1 where two nodes are linked.
    pub(super) links: Buffer<u8>,
    pub(super) heard: Incoming,
    /// Per hint, what was read off the last prediction.
    pub(super) read: Vec<Buffer>,
    /// Whether it is the first step, so that the state before it is zero.
    pub(super) from_nothing: bool,
    /// The state before the step, and after it.
    pub(super) before: Buffer,
    pub(super) after: Buffer,
    pub(super) rounds: Vec<RoundTape>,
    /// What pairs heard, from whom, and what the processor makes of it.
    pub(super) pair: Buffer,
    pub(super) third: Buffer<u32>,
    pub(super) processed: Buffer,
    /// What decoders see of nodes, and their features as such.
    pub(super) view: Buffer,
    pub(super) dense: Buffer,
    pub(super) hints: StageTape,
    pub(super) outputs: StageTape,
}

/// Memory that is written and read within one step.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) first: Buffer,
    pub(super) second: Buffer,
    pub(super) third: Buffer,
    pub(super) row: Buffer,
    pub(super) values: Buffer,
    /// Messages that were taken, which of all they were, and whose message each channel took.
    pub(super) taken: Incoming,
    pub(super) taken_rows: Vec<u32>,
    pub(super) taken_chosen: Buffer<u32>,
    /// What is read off the processor's word on pairs, and its gradient.
    pub(super) pairs: Buffer,
    pub(super) sinkhorn: sinkhorn::Scratch,
    /// Gradients: of states, numbers, pairs and predictions.
    pub(super) d_after: Buffer,
    pub(super) d_before: Buffer,
    pub(super) d_node: Buffer,
    pub(super) d_edge: Buffer,
    pub(super) d_graph: Buffer,
    pub(super) d_processed: Buffer,
    pub(super) d_dense: Buffer,
    pub(super) d_x: Buffer,
    pub(super) d_y: Buffer,
    pub(super) d_inbox: Buffer,
    pub(super) d_heard: Buffer,
    pub(super) d_raw: Vec<Buffer>,
    pub(super) d_outputs: Vec<Buffer>,
}

/// All that a block leaves behind.
#[derive(Debug, Default)]
pub(super) struct Tape {
    pub(super) steps: Vec<StepTape>,
    pub(super) scratch: Scratch,
}
