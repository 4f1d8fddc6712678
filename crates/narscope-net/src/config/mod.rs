//! The configuration of a run: every key and every default, declared once.
//!
//! Files, presets and flags all fill one [`Draft`], key by key, which then becomes a [`Config`]. The
//! comment above a key is its help text. Keys have the names of the reference's flags.

mod aliases;
mod check;
mod choices;
mod draft;
mod effective;

use serde::{Deserialize, Serialize};

pub use aliases::{ALIASES, key_of};
pub use choices::{
    Aggregation, Decay, DecayPlace, DecayTarget, EncoderInit, HintMode, Kernels, Part, RepredMode,
};
pub use draft::{Draft, PRESETS};
pub use effective::WithoutEffect;

use crate::processor::{self, Preset};

/// A key of the configuration, for help texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The name.
    pub name: &'static str,
    /// What it means.
    pub help: &'static str,
}

macro_rules! config {
    ($($(#[doc = $doc:literal])+ $(#[serde($($serde:tt)+)])? $key:ident: $Type:ty = $default:expr,)+) => {
        /// Everything that decides what a run does.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Config {
            $($(#[doc = $doc])+ $(#[serde($($serde)+)])? pub $key: $Type,)+
        }

        impl Default for Config {
            fn default() -> Self {
                Self { $($key: $default,)+ }
            }
        }

        impl Config {
            /// All keys, in order.
            pub const KEYS: &'static [Key] =
                &[$(Key { name: stringify!($key), help: concat!($($doc),+).trim_ascii() },)+];
        }
    };
}

config! {
    /// Algorithms to train on; several share one network
    algorithms: Vec<String> = vec!["bfs".to_owned()],
    /// Sizes of training samples, used in rotation; -1: the benchmark's training set
    train_lengths: Vec<i64> = vec![4, 7, 11, 13, 16],
    /// String matching: length of the needle; negative: random, from 1 to the absolute value; 0: a fifth of the sample's length
    length_needle: i64 = -8,
    /// Random seed: weights, data, dropout
    seed: u32 = 42,
    /// Random seed of data and dropout, if it should differ from `seed`, which then only draws the initial weights
    #[serde(skip_serializing_if = "Option::is_none")]
    data_seed: Option<u32> = None,
    /// Randomise the position input `pos` in training and validation
    random_pos: bool = true,
    /// Constrain pointer outputs that represent permutations to be permutations (Sinkhorn)
    enforce_permutations: bool = true,
    /// Turn hints that never change into inputs
    enforce_pred_as_input: bool = true,
    /// Train on directed graphs even if the algorithm's sampler makes undirected ones, as in the paper's code
    directed_training: bool = false,
    /// Samples per batch
    batch_size: usize = 32,
    /// Train on chunks of a fixed number of steps; the hidden state carries over to the next chunk
    chunked_training: bool = false,
    /// Steps per chunk
    chunk_length: usize = 16,
    /// Training steps: one update per algorithm each
    train_steps: usize = 10_000,
    /// Training steps between validations
    eval_every: usize = 50,
    /// Stop after this many validations without improvement; 0: never
    early_stop: usize = 0,
    /// Size of the hidden state of a node
    hidden_size: usize = 128,
    /// Number of attention heads
    nb_heads: usize = 1,
    /// Rounds of message passing per step
    nb_msg_passing_steps: usize = 1,
    /// Learning rate of Adam
    learning_rate: f64 = 0.001,
    /// Gradient clipping: largest global norm; 0: no clipping
    grad_clip_max_norm: f64 = 1.0,
    /// Dropout probability of hidden units
    dropout_prob: f64 = 0.0,
    /// Teacher forcing: probability that a training sample is fed the true hints
    hint_teacher_forcing: f64 = 0.0,
    /// How hints are used: `encoded_decoded` (predicted and fed back), `decoded_only` (predicted) or `none`
    hint_mode: HintMode = HintMode::EncodedDecoded,
    /// How predicted hints are fed back: `soft` (probabilities), `hard` (argmax) or `hard_on_eval`
    hint_repred_mode: RepredMode = RepredMode::Soft,
    /// Apply layer normalisation to the processor's output
    use_ln: bool = true,
    /// Apply an LSTM after message passing
    use_lstm: bool = false,
    /// Number of triplet features
    nb_triplet_fts: usize = 8,
    /// Initialisation of encoder weights: `default` or `xavier_on_scalars`
    encoder_init: EncoderInit = EncoderInit::XavierOnScalars,
    /// Processor; `narscope list processors` lists them
    processor_type: String = "triplet_gmpnn".to_owned(),
    /// Parts whose weights stay fixed: `processor`, `encoders`, `decoders`
    freeze: Vec<Part> = vec![],
    /// Folder of a run whose best weights some parts start from, instead of random ones
    #[serde(skip_serializing_if = "Option::is_none")]
    init_from: Option<String> = None,
    /// Parts that start from the weights of `init_from`: `processor`, `encoders`, `decoders`; all if not given
    #[serde(skip_serializing_if = "are_all")]
    init_parts: Vec<Part> = Part::ALL.to_vec(),
    /// How messages are aggregated: `max`, `min`, `mean`, `sum` or `softmax`
    aggregator: Aggregation = Aggregation::Max,
    /// Temperature of the softmax aggregator; 0 equals `max`
    temperature: f64 = 0.01,
    /// Train the temperature, starting from `temperature`
    learn_temperature: bool = false,
    /// Aggregator outside training: `as_trained`, or any value of `aggregator`
    #[serde(with = "as_trained")]
    eval_aggregator: Option<Aggregation> = None,
    /// Factor that scales the hidden state in each round of message passing; 1: no decay
    decay: f64 = 1.0,
    /// What the hidden state decays towards: `zero` or `mean` (of a node's channels)
    decay_towards: DecayTarget = DecayTarget::Zero,
    /// When the hidden state decays: `before_step` (as in the paper's code) or `after_step` (as in its text)
    decay_at: DecayPlace = DecayPlace::BeforeStep,
    /// Engine: `fused` kernels where available, or `generic` tensor operations; results agree up to rounding
    kernels: Kernels = Kernels::Fused,
}

/// Whether parts are the default, which configurations of earlier versions do not have.
fn are_all(parts: &[Part]) -> bool {
    parts == Part::ALL
}

/// TOML has no null, so "the aggregator of training" has a name.
mod as_trained {
    use super::{Aggregation, Deserialize, Serialize};

    const NAME: &str = "as_trained";

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Choice {
        Aggregation(Aggregation),
        Name(String),
    }

    #[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn serialize<S: serde::Serializer>(
        value: &Option<Aggregation>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(aggregation) => aggregation.serialize(serializer),
            None => NAME.serialize(serializer),
        }
    }

    pub(super) fn deserialize<'d, D: serde::Deserializer<'d>>(
        deserializer: D,
    ) -> Result<Option<Aggregation>, D::Error> {
        match Choice::deserialize(deserializer)? {
            Choice::Aggregation(aggregation) => Ok(Some(aggregation)),
            Choice::Name(name) if name == NAME => Ok(None),
            Choice::Name(name) => Err(serde::de::Error::custom(format!(
                "unknown aggregator {name:?}, expected as_trained, max, min, mean, sum or softmax"
            ))),
        }
    }
}

impl Config {
    /// The processor.
    ///
    /// # Panics
    /// If the configuration was not [checked](Config::check).
    #[track_caller]
    pub fn processor(&self) -> Preset {
        processor::find(&self.processor_type).expect("a checked configuration")
    }

    /// The seed of everything but the initial weights.
    pub fn data_seed(&self) -> u32 {
        self.data_seed.unwrap_or(self.seed)
    }

    /// The decay of the hidden state.
    pub fn decay(&self) -> Decay {
        Decay { factor: self.decay as f32, towards: self.decay_towards, place: self.decay_at }
    }

    /// The aggregator in a phase: training and evaluation may differ.
    pub fn aggregation(&self, phase: Phase) -> Aggregation {
        match phase {
            Phase::Train => self.aggregator,
            Phase::Predict => self.eval_aggregator.unwrap_or(self.aggregator),
        }
    }

    /// All keys as a TOML file, defaults included, with the version that wrote it.
    pub fn to_toml(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let table = toml::to_string(self).expect("a configuration is a table");
        format!("version = \"{version}\"\n{table}")
    }
}

/// What a network is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Training: with the training aggregator, and gradients.
    Train,
    /// Prediction: with the evaluation aggregator.
    Predict,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_survives_a_round_trip_through_toml() {
        let config = Config {
            eval_aggregator: Some(Aggregation::Mean),
            freeze: vec![Part::Processor],
            data_seed: Some(7),
            init_from: Some("runs/7".to_owned()),
            init_parts: vec![Part::Decoders],
            ..Config::default()
        };
        let read = Draft::parse(&config.to_toml()).unwrap().finish().unwrap();
        assert_eq!(read, config);
        let read = Draft::parse(&Config::default().to_toml()).unwrap().finish().unwrap();
        assert_eq!(read, Config::default());
    }

    #[test]
    fn an_unknown_key_is_answered_with_the_closest_one() {
        let error = Draft::parse("hiden_size = 4").unwrap_err().to_string();
        assert_eq!(error, r#"unknown key "hiden_size"; the closest name is "hidden_size""#);
    }

    #[test]
    fn flags_override_files_and_files_override_presets() {
        let mut draft = Draft::parse("preset = 'paper'\ntrain_steps = 7").unwrap();
        draft.set_text("seed", "3").unwrap();
        draft.set_text("algorithms", "bfs,dfs").unwrap();
        draft.set_text("decay", "1").unwrap();
        let config = draft.finish().unwrap();
        assert_eq!((config.train_steps, config.eval_every, config.seed), (7, 500, 3));
        assert_eq!(config.algorithms, ["bfs", "dfs"]);
        assert!(!config.random_pos);
    }

    #[test]
    fn flags_set_keys_that_are_not_written_by_default() {
        let mut draft = Draft::default();
        draft.set_text("init_from", "2026").unwrap();
        draft.set_text("init_parts", "encoders,decoders").unwrap();
        draft.set_text("data_seed", "3").unwrap();
        let config = draft.finish().unwrap();
        assert_eq!(config.init_from.as_deref(), Some("2026"), "a folder, not a number");
        assert_eq!(config.init_parts, [Part::Encoders, Part::Decoders]);
        assert_eq!(config.data_seed, Some(3));
        let text = Config::default().to_toml();
        assert!(!text.contains("init_") && !text.contains("data_seed"), "{text}");
    }

    #[test]
    fn a_value_of_the_wrong_type_is_named_with_its_key() {
        let mut draft = Draft::default();
        draft.set_text("hint_mode", "encoded").unwrap();
        let error = draft.finish().unwrap_err().to_string();
        assert_eq!(
            error,
            "hint_mode: unknown variant `encoded`, expected one of `encoded_decoded`, \
             `decoded_only`, `none` (found \"encoded\")"
        );
    }

    #[test]
    fn contradictions_are_refused() {
        let refused = |text: &str| Draft::parse(text).unwrap().finish().unwrap_err().to_string();
        assert_eq!(
            refused("processor_type = 'gat'\nnb_heads = 3"),
            "hidden_size 128 is not divisible by 3 heads (nb_heads)"
        );
        assert_eq!(
            refused("processor_type = 'gat'\naggregator = 'softmax'"),
            "aggregator: gat has no configurable aggregator; omit it, or use mpnn or pgn"
        );
        assert_eq!(refused("decay = 2"), "decay should be from 0 to 1, found 2");
        assert_eq!(
            refused("init_from = 'runs/a'\ninit_parts = []"),
            "init_parts: at least one part is needed with init_from"
        );
        assert_eq!(
            refused("processor_type = 'mpn'"),
            r#"unknown processor "mpn"; the closest name is "mpnn""#
        );
    }
}
