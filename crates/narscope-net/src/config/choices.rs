//! Values that keys of the configuration choose from.

use serde::{Deserialize, Serialize};

/// How messages are reduced to one, channel by channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aggregation {
    /// The maximum.
    #[default]
    Max,
    /// The minimum.
    Min,
    /// The mean.
    Mean,
    /// The sum.
    Sum,
    /// The mean weighted by a softmax of the messages; at temperature 0, the maximum.
    Softmax,
}

/// A part of a network, as far as training treats them differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The processor, shared by all tasks.
    Processor,
    /// The encoders of one task.
    Encoders,
    /// The decoders of one task.
    Decoders,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 3] = [Self::Processor, Self::Encoders, Self::Decoders];

    /// Its name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Processor => "processor",
            Self::Encoders => "encoders",
            Self::Decoders => "decoders",
        }
    }
}

/// Whether hints are encoded, decoded, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HintMode {
    /// Predicted at every step and fed to the next.
    EncodedDecoded,
    /// Predicted only: they enter the loss.
    DecodedOnly,
    /// No hints.
    None,
}

impl HintMode {
    /// Whether hints are fed to the network.
    pub fn encodes(self) -> bool {
        self == Self::EncodedDecoded
    }
    /// Whether hints are predicted.
    pub fn decodes(self) -> bool {
        self != Self::None
    }
}

/// How predicted hints are fed back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepredMode {
    /// As probabilities.
    Soft,
    /// As the most likely value.
    Hard,
    /// As probabilities in training, as the most likely value in evaluation.
    HardOnEval,
}

/// How encoders are initialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EncoderInit {
    /// Like all other layers.
    Default,
    /// Xavier for scalar hints.
    XavierOnScalars,
}

/// Which engine runs a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kernels {
    /// Fused kernels, where they exist.
    Fused,
    /// Generic tensor operations in Burn: the definition of a network.
    Generic,
}

/// What the hidden state decays towards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecayTarget {
    /// Zero.
    Zero,
    /// The mean of a node's channels.
    Mean,
}

/// When the hidden state decays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecayPlace {
    /// Before message passing, as in the paper's code: decoders see the undecayed state.
    BeforeStep,
    /// After message passing, as in the paper's text.
    AfterStep,
}

/// Decay of the hidden state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decay {
    /// Factor per round of message passing.
    pub factor: f32,
    /// What it decays towards.
    pub towards: DecayTarget,
    /// When it decays.
    pub place: DecayPlace,
}
