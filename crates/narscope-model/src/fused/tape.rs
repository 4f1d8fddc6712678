//! What a block of samples leaves behind on its way forward, for the way back. Memory is kept from
//! update to update.

use narscope_kernels::heard::Heard;
use narscope_kernels::sinkhorn;

/// Makes a buffer have so many numbers. What they are does not matter.
pub(super) fn sized<T: Copy + Default>(buffer: &mut Vec<T>, size: usize) -> &mut [T] {
    if buffer.len() < size {
        buffer.resize(size, T::default());
    }
    &mut buffer[..size]
}

/// Makes a buffer have so many zeros.
pub(super) fn zeroed(buffer: &mut Vec<f32>, size: usize) -> &mut [f32] {
    let numbers = sized(buffer, size);
    numbers.fill(0.0);
    numbers
}

/// One round of message passing.
#[derive(Debug, Default)]
pub(super) struct RoundTape {
    /// Numbers and state of each node.
    pub(super) x: Vec<f32>,
    /// All that is linear in them.
    pub(super) y: Vec<f32>,
    /// What the last layer of messages is given.
    pub(super) active: Vec<f32>,
    /// The messages, where the way back needs them.
    pub(super) messages: Vec<f32>,
    /// Whose message was taken.
    pub(super) chosen: Vec<u32>,
    /// What was heard.
    pub(super) inbox: Vec<f32>,
    /// The next state before it is normalised.
    pub(super) next: Vec<f32>,
    pub(super) normal: Vec<f32>,
    pub(super) spread: Vec<f32>,
    /// The next state before the gate.
    pub(super) new: Vec<f32>,
    /// What the gate heard.
    pub(super) gate: Vec<f32>,
    /// How far it is open.
    pub(super) open: Vec<f32>,
    /// The state after the round.
    pub(super) state: Vec<f32>,
}

/// Predictions of one probe.
#[derive(Debug, Default)]
pub(super) struct HeadTape {
    /// Raw predictions.
    pub(super) raw: Vec<f32>,
    /// The same before a permutation was made of them.
    pub(super) plain: Vec<f32>,
    /// Where the candidate of a pointer was the larger.
    pub(super) taken: Vec<u8>,
    /// What pairs said.
    pub(super) pair: Vec<f32>,
    /// The largest over nodes, and whose it was.
    pub(super) most: Vec<f32>,
    pub(super) most_of: Vec<u32>,
    /// Per sample, the place of the worst score, which those of the unlinked depend on.
    pub(super) least: Vec<Option<u32>>,
}

/// Predictions of a stage for some samples.
#[derive(Debug, Default)]
pub(super) struct StageTape {
    /// All that is linear in the nodes' numbers and states.
    pub(super) y: Vec<f32>,
    pub(super) heads: Vec<HeadTape>,
}

/// One step.
#[derive(Debug, Default)]
pub(super) struct StepTape {
    /// Numbers of nodes, edges and graphs.
    pub(super) node: Vec<f32>,
    pub(super) edge: Vec<f32>,
    pub(super) graph: Vec<f32>,
    /// 1 where two nodes are linked.
    pub(super) links: Vec<u8>,
    pub(super) heard: Heard,
    /// Per hint, what was read off the last prediction.
    pub(super) read: Vec<Vec<f32>>,
    /// The state before the step, and after it.
    pub(super) before: Vec<f32>,
    pub(super) after: Vec<f32>,
    pub(super) rounds: Vec<RoundTape>,
    /// What pairs heard, from whom, and what the processor makes of it.
    pub(super) pair: Vec<f32>,
    pub(super) third: Vec<u32>,
    pub(super) processed: Vec<f32>,
    /// What decoders see of nodes, and their features as such.
    pub(super) view: Vec<f32>,
    pub(super) dense: Vec<f32>,
    pub(super) hints: StageTape,
    pub(super) outputs: StageTape,
}

/// Memory that is written and read within one step.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) first: Vec<f32>,
    pub(super) second: Vec<f32>,
    pub(super) third: Vec<f32>,
    pub(super) row: Vec<f32>,
    pub(super) values: Vec<f32>,
    /// What is read off the processor's word on pairs, and its gradient.
    pub(super) pairs: Vec<f32>,
    pub(super) sinkhorn: sinkhorn::Scratch,
    /// Gradients: of states, numbers, pairs and predictions.
    pub(super) d_after: Vec<f32>,
    pub(super) d_before: Vec<f32>,
    pub(super) d_node: Vec<f32>,
    pub(super) d_edge: Vec<f32>,
    pub(super) d_graph: Vec<f32>,
    pub(super) d_processed: Vec<f32>,
    pub(super) d_dense: Vec<f32>,
    pub(super) d_x: Vec<f32>,
    pub(super) d_y: Vec<f32>,
    pub(super) d_inbox: Vec<f32>,
    pub(super) d_heard: Vec<f32>,
    pub(super) d_raw: Vec<Vec<f32>>,
    pub(super) d_outputs: Vec<Vec<f32>>,
}

/// All that a block leaves behind.
#[derive(Debug, Default)]
pub(super) struct Tape {
    pub(super) steps: Vec<StepTape>,
    pub(super) scratch: Scratch,
}
