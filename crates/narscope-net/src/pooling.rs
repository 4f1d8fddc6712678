//! Pooling of node states: what is kept of the hidden states of all nodes of a graph.

use serde::{Deserialize, Serialize};

/// Reduction of node states `(N, H)` to the vectors that are kept of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// Maximum of each channel, as in the paper.
    #[default]
    Max,
    /// Mean of each channel.
    Mean,
    /// Minimum of each channel.
    Min,
    /// Maximum, mean and minimum, in this order.
    Each,
    /// The states of all nodes, unreduced.
    All,
}

impl Pooling {
    /// Number of vectors that are kept of a graph at one step.
    pub fn vectors(self, nodes: usize) -> usize {
        match self {
            Self::Max | Self::Mean | Self::Min => 1,
            Self::Each => 3,
            Self::All => nodes,
        }
    }

    /// Appends what is kept of the states of one graph, `(N, H)`.
    pub fn push(self, states: &[f32], hidden: usize, to: &mut Vec<f32>) {
        let fold = |to: &mut Vec<f32>, join: fn(f32, f32) -> f32| {
            let (first, others) = states.split_at(hidden);
            let start = to.len();
            to.extend_from_slice(first);
            for state in others.chunks_exact(hidden) {
                to[start..].iter_mut().zip(state).for_each(|(all, &x)| *all = join(*all, x));
            }
        };
        match self {
            Self::All => to.extend_from_slice(states),
            Self::Each => {
                for one in [Self::Max, Self::Mean, Self::Min] {
                    one.push(states, hidden, to);
                }
            }
            Self::Max => fold(to, f32::max),
            Self::Min => fold(to, f32::min),
            Self::Mean => {
                let (start, nodes) = (to.len(), states.len() / hidden);
                fold(to, |sum, x| sum + x);
                to[start..].iter_mut().for_each(|sum| *sum /= nodes as f32);
            }
        }
    }

    /// Appends what is kept of several graphs, `(B, N, H)`, each to its own vector.
    pub fn push_all(self, states: &[f32], nodes: usize, hidden: usize, to: &mut [Vec<f32>]) {
        for (states, to) in states.chunks_exact(nodes * hidden).zip(to) {
            self.push(states, hidden, to);
        }
    }
}
