//! Tape of a block of samples: values of the forward pass that the backward pass needs. Its memory is
//! reused from update to update.

use narscope_kernels::Buffer;
use narscope_kernels::incoming::Incoming;
use narscope_kernels::sinkhorn;

/// One round of message passing.
#[derive(Debug, Default)]
pub(super) struct RoundTape {
    /// Features and state of each node.
    pub(super) x: Buffer,
    /// Linear maps of them.
    pub(super) y: Buffer,
    /// Inputs of the last layer of messages.
    pub(super) active: Buffer,
    /// Messages, if the backward pass needs them.
    pub(super) messages: Buffer,
    /// Index of the selected message.
    pub(super) selected: Buffer<u32>,
    /// Aggregated messages.
    pub(super) inbox: Buffer,
    /// New state before the layer norm.
    pub(super) next: Buffer,
    pub(super) normalised: Buffer,
    pub(super) inverse_std: Buffer,
    /// New state before the gate.
    pub(super) new: Buffer,
    /// Inputs of the new state and of the gate.
    pub(super) gate_inputs: Buffer,
    /// Gate, between 0 and 1.
    pub(super) gate: Buffer,
    /// State after the round.
    pub(super) state: Buffer,
}

/// Predictions of one probe.
#[derive(Debug, Default)]
pub(super) struct HeadTape {
    /// Raw predictions.
    pub(super) raw: Buffer,
    /// Raw predictions before the Sinkhorn iteration.
    pub(super) plain: Buffer,
    /// Mask of channels in which the target of a pointer was larger.
    pub(super) candidate_wins: Buffer<u8>,
    /// Rows of pairs.
    pub(super) pair: Buffer,
    /// Maximum over nodes, and its node.
    pub(super) max: Buffer,
    pub(super) argmax: Buffer<u32>,
    /// Per sample, index of the lowest score, if masked scores depend on it.
    pub(super) least: Vec<Option<u32>>,
}

/// Predictions of a stage for some samples.
#[derive(Debug, Default)]
pub(super) struct StageTape {
    /// Linear maps of the features and states of nodes.
    pub(super) y: Buffer,
    pub(super) heads: Vec<HeadTape>,
}

/// One step.
#[derive(Debug, Default)]
pub(super) struct StepTape {
    /// Features of nodes, edges and graphs.
    pub(super) node: Buffer,
    pub(super) edge: Buffer,
    pub(super) graph: Buffer,
    /// 1 where two nodes are linked.
    pub(super) links: Buffer<u8>,
    pub(super) incoming: Incoming,
    /// Per hint, the postprocessed prediction of the last step.
    pub(super) read: Vec<Buffer>,
    /// Whether this is the first step: the state before it is zero.
    pub(super) is_first: bool,
    /// State before and after the step.
    pub(super) before: Buffer,
    pub(super) after: Buffer,
    pub(super) rounds: Vec<RoundTape>,
    /// Triplet messages to pairs, the node of each maximum, and the resulting edge states.
    pub(super) pair: Buffer,
    pub(super) argmax: Buffer<u32>,
    pub(super) edge_states: Buffer,
    /// Inputs of decoders for each node, and encoded features of nodes.
    pub(super) view: Buffer,
    pub(super) dense: Buffer,
    pub(super) hints: StageTape,
    pub(super) outputs: StageTape,
}

/// Scratch memory of one step.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) first: Buffer,
    pub(super) second: Buffer,
    pub(super) third: Buffer,
    pub(super) row: Buffer,
    pub(super) values: Buffer,
    /// Adjacency of selected messages, their rows among all, and the selection of each channel.
    pub(super) retained: Incoming,
    pub(super) retained_rows: Vec<u32>,
    pub(super) retained_selected: Buffer<u32>,
    /// Linear maps of edge states, and their gradient.
    pub(super) pairs: Buffer,
    pub(super) sinkhorn: sinkhorn::Scratch,
    /// Gradients of states, features, pairs and predictions.
    pub(super) d_after: Buffer,
    pub(super) d_before: Buffer,
    pub(super) d_node: Buffer,
    pub(super) d_edge: Buffer,
    pub(super) d_graph: Buffer,
    pub(super) d_edge_states: Buffer,
    pub(super) d_dense: Buffer,
    pub(super) d_x: Buffer,
    pub(super) d_y: Buffer,
    pub(super) d_inbox: Buffer,
    pub(super) d_gate_inputs: Buffer,
    pub(super) d_raw: Vec<Buffer>,
    pub(super) d_outputs: Vec<Buffer>,
}

/// Tape and scratch memory of a block.
#[derive(Debug, Default)]
pub(super) struct Tape {
    pub(super) steps: Vec<StepTape>,
    pub(super) scratch: Scratch,
}
