//! The configuration of a run: every switch and every default, once.
//!
//! Files, presets and the command line all fill the same table, key by key, before it becomes a
//! [`Config`]; the comment above a key is its help text. Keys keep the names of the reference's
//! flags.

use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::aggregate::Aggregation;
use crate::processors::{PRESETS, Preset};
use crate::weights::Part;
use crate::{Error, Result};

/// More than any machine could hold.
const MOST: usize = 1 << 16;
/// The least temperature that can be learnt: the square of a smaller one is 0 in single precision.
const LEAST_LEARNT: f64 = 1e-12;

/// Which hints a network is given and asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HintMode {
    /// Predicted at every step and given to the next.
    EncodedDecoded,
    /// Predicted only: they shape the loss.
    DecodedOnly,
    /// No hints.
    None,
}

impl HintMode {
    /// Whether hints are given to the network.
    pub fn encodes(self) -> bool {
        self == Self::EncodedDecoded
    }
    /// Whether hints are asked of the network.
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
    /// As the likeliest value.
    Hard,
    /// As probabilities while learning, as the likeliest value afterwards.
    HardOnEval,
}

/// How encoders start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EncoderInit {
    /// As all other layers.
    Default,
    /// Smaller for hints that are numbers.
    XavierOnScalars,
}

/// What runs a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kernels {
    /// Kernels made for these networks, where there are any.
    Fused,
    /// Tensors, operation by operation: the definition of a network.
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
    /// Before the processor sees it, as in the paper's code: decoders see the state undecayed.
    BeforeStep,
    /// When the processor has made it, as in the paper's text.
    AfterStep,
}

/// How the hidden state shrinks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decay {
    /// What is left after a step.
    pub factor: f32,
    /// What it shrinks towards.
    pub towards: DecayTarget,
    /// When.
    pub place: DecayPlace,
}

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

/// TOML has no null: an aggregator that is that of training has a name.
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

/// Settings under one name: what differs from the defaults.
pub const SETTINGS: &[(&str, &str)] = &[
    // The reference's defaults are ours.
    ("clrs", ""),
    // Those of the older reference that the paper's authors built on.
    (
        "paper",
        "random_pos = false
         enforce_permutations = false
         grad_clip_max_norm = 0.0
         encoder_init = 'default'
         train_steps = 30000
         eval_every = 500",
    ),
];

/// A table that will become a configuration: what was said so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft(Table);

impl Draft {
    /// What a named group of settings says.
    pub fn preset(name: &str) -> Result<Self> {
        let known = SETTINGS.iter().find(|(known, _)| *known == name);
        let (_, settings) = known
            .ok_or_else(|| unknown("preset", name, SETTINGS.iter().map(|(known, _)| *known)))?;
        Ok(Self(settings.parse().expect("settings of ours are TOML")))
    }

    /// What a file says. A `preset` in it is taken for what it stands for.
    pub fn read(path: &Path) -> Result<Self> {
        let fail = |message: String| Error::ConfigFile { message, path: path.to_owned() };
        let text = std::fs::read_to_string(path)
            .map_err(|error| fail(format!("the configuration cannot be read ({error})")))?;
        Self::parse(&text).map_err(|error| fail(error.to_string()))
    }

    /// What a text says.
    pub fn parse(text: &str) -> Result<Self> {
        let mut table: Table = text.parse().map_err(|error| Error::Config(format!("{error}")))?;
        // A run's own file says which version wrote it.
        table.remove("version");
        let mut draft = match table.remove("preset") {
            Some(Value::String(name)) => Self::preset(&name)?,
            Some(other) => {
                return Err(Error::Config(format!("preset should be a name, found {other}")));
            }
            None => Self::default(),
        };
        for (key, value) in table {
            draft.set(&key, value)?;
        }
        Ok(draft)
    }

    /// Says one thing, in place of what was said of it before.
    pub fn set(&mut self, key: &str, value: Value) -> Result<()> {
        if !Config::KEYS.iter().any(|known| known.name == key) {
            let known = Config::KEYS.iter().map(|known| known.name);
            return Err(unknown("key", key, known));
        }
        self.0.insert(key.to_owned(), value);
        Ok(())
    }

    /// Says one thing as on a command line: lists are joined by commas.
    pub fn set_text(&mut self, key: &str, text: &str) -> Result<()> {
        let value = match Table::try_from(Config::default()).expect("a table").get(key) {
            Some(Value::Array(items)) => {
                let whole = matches!(items.first(), Some(Value::Integer(_)));
                let items = text.split(',').filter(|item| !item.is_empty());
                let items = items.map(|item| if whole { number(item.trim()) } else { item.into() });
                Value::Array(items.collect())
            }
            Some(Value::String(_)) => text.into(),
            Some(Value::Float(_)) => match number(text) {
                // 1 is a fine way to write 1.0.
                Value::Integer(whole) => Value::Float(whole as f64),
                other => other,
            },
            _ => number(text),
        };
        self.set(key, value)
    }

    /// What `other` says goes before what was said here.
    #[must_use]
    pub fn under(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The configuration, with defaults for what was not said.
    pub fn finish(self) -> Result<Config> {
        let mut table = Table::new();
        for (key, value) in self.0 {
            // A whole number is a fine way to write a real one.
            let default = Table::try_from(Config::default()).expect("a table");
            let value = match (&default[&key], value) {
                (Value::Float(_), Value::Integer(whole)) => Value::Float(whole as f64),
                (_, value) => value,
            };
            // One by one, so that the message names the key.
            Config::deserialize(Table::from_iter([(key.clone(), value.clone())])).map_err(
                |error| {
                    let message = error.message();
                    Error::Config(format!("{key}: {message} (found {value})"))
                },
            )?;
            table.insert(key, value);
        }
        let config = Config::deserialize(table).expect("every key was read by itself");
        config.check()?;
        Ok(config)
    }
}

/// A number, a truth value, or, if it is neither, the text.
fn number(text: &str) -> Value {
    let whole = text.parse().map(Value::Integer);
    let real = || text.parse().map(Value::Float);
    let truth = || text.parse().map(Value::Boolean);
    whole.or_else(|_| real()).or_else(|_| truth()).unwrap_or_else(|_| text.into())
}

/// The error for a name that is in no list.
pub(crate) fn unknown<'a>(
    what: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> Error {
    let closest = known
        .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
    let closest = closest.expect("the list is not empty").to_owned();
    Error::Unknown { what, name: name.to_owned(), closest }
}

impl Config {
    /// The processor that is asked for.
    ///
    /// # Panics
    /// If the configuration was not [checked](Config::check).
    #[track_caller]
    pub fn preset_of_processor(&self) -> &'static Preset {
        find_processor(&self.processor_type).expect("a checked configuration")
    }

    /// How the hidden state shrinks.
    pub fn decay(&self) -> Decay {
        Decay { factor: self.decay as f32, towards: self.decay_towards, place: self.decay_at }
    }

    /// As a file, everything spelled out.
    pub fn to_toml(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let table = toml::to_string(self).expect("a configuration is a table");
        format!("version = \"{version}\"\n{table}")
    }

    /// Refuses what makes no sense, alone or together.
    pub fn check(&self) -> Result<()> {
        let refuse = |message: String| Err(Error::Config(message));
        let processor = find_processor(&self.processor_type)?;
        if self.algorithms.is_empty() {
            return refuse("algorithms: at least one is needed".to_owned());
        }
        for (i, name) in self.algorithms.iter().enumerate() {
            narscope_clrs::algorithms::find(name)?;
            if self.algorithms[..i].contains(name) {
                return refuse(format!("algorithms: {name} is there twice"));
            }
        }
        if self.train_lengths.is_empty() {
            return refuse("train_lengths: at least one is needed".to_owned());
        }
        if let Some(length) = self.train_lengths.iter().find(|&&length| length < 1 && length != -1)
        {
            return refuse(format!(
                "train_lengths: a size, or -1 for the benchmark's, found {length}"
            ));
        }
        for (key, value, most) in [
            ("batch_size", self.batch_size, MOST),
            ("chunk_length", self.chunk_length, MOST),
            ("eval_every", self.eval_every, usize::MAX),
            ("train_steps", self.train_steps, usize::MAX),
            ("hidden_size", self.hidden_size, MOST),
            ("nb_heads", self.nb_heads, MOST),
            ("nb_msg_passing_steps", self.nb_msg_passing_steps, MOST),
            ("nb_triplet_fts", self.nb_triplet_fts, MOST),
        ] {
            if value == 0 {
                return refuse(format!("{key} should be at least 1"));
            }
            if value > most {
                return refuse(format!("{key} should be at most {most}, found {value}"));
            }
        }
        for (key, value, within) in [
            ("learning_rate", self.learning_rate, 0.0..=f64::MAX),
            ("grad_clip_max_norm", self.grad_clip_max_norm, 0.0..=f64::MAX),
            ("dropout_prob", self.dropout_prob, 0.0..=0.999_999),
            ("hint_teacher_forcing", self.hint_teacher_forcing, 0.0..=1.0),
            ("temperature", self.temperature, 0.0..=f64::MAX),
            ("decay", self.decay, 0.0..=1.0),
        ] {
            if !within.contains(&value) {
                let (low, high) = within.into_inner();
                let bounds = if high == f64::MAX {
                    "not negative".to_owned()
                } else {
                    format!("from {low} to {high}")
                };
                return refuse(format!("{key} should be {bounds}, found {value}"));
            }
        }
        let name = processor.name;
        if processor.config.attends() && !self.hidden_size.is_multiple_of(self.nb_heads) {
            let (hidden, heads) = (self.hidden_size, self.nb_heads);
            return refuse(format!(
                "hidden_size {hidden} cannot be shared by {heads} heads (nb_heads)"
            ));
        }
        if !processor.config.attends() && self.nb_heads != 1 {
            return refuse(format!(
                "nb_heads: {name} has no attention; drop it, or take gat or gatv2"
            ));
        }
        let plain = self.aggregator == Aggregation::Max
            && self.eval_aggregator.is_none_or(|other| other == Aggregation::Max);
        if !processor.config.aggregates() && !plain {
            return refuse(format!(
                "aggregator: {name} has none to choose; drop it, or take mpnn or pgn"
            ));
        }
        if self.learn_temperature
            && (self.aggregator != Aggregation::Softmax || self.temperature < LEAST_LEARNT)
        {
            return refuse(format!(
                "learn_temperature needs --aggregator softmax and a temperature of at least {LEAST_LEARNT:e}"
            ));
        }
        if self.hint_teacher_forcing > 0.0 && !self.hint_mode.encodes() {
            return refuse("hint_teacher_forcing needs --hint_mode encoded_decoded: no hints are given otherwise".to_owned());
        }
        if self.chunked_training && !self.hint_mode.encodes() {
            return refuse("chunked_training needs --hint_mode encoded_decoded".to_owned());
        }
        Ok(())
    }
}

/// The processor of a name.
pub fn find_processor(name: &str) -> Result<&'static Preset> {
    PRESETS
        .iter()
        .find(|preset| preset.name == name)
        .ok_or_else(|| unknown("processor", name, PRESETS.iter().map(|preset| preset.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let config = Config {
            eval_aggregator: Some(Aggregation::Mean),
            freeze: vec![Part::Processor],
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
    fn flags_go_before_files_and_files_before_presets() {
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
    fn what_contradicts_itself_is_refused() {
        let refused = |text: &str| Draft::parse(text).unwrap().finish().unwrap_err().to_string();
        assert_eq!(
            refused("processor_type = 'gat'\nnb_heads = 3"),
            "hidden_size 128 cannot be shared by 3 heads (nb_heads)"
        );
        assert_eq!(
            refused("processor_type = 'gat'\naggregator = 'softmax'"),
            "aggregator: gat has none to choose; drop it, or take mpnn or pgn"
        );
        assert_eq!(refused("decay = 2"), "decay should be from 0 to 1, found 2");
        assert_eq!(
            refused("processor_type = 'mpn'"),
            r#"unknown processor "mpn"; the closest name is "mpnn""#
        );
    }
}
