//! Checks of a configuration: values out of range, and keys that contradict each other.

use narscope_clrs::algorithms;

use super::{Aggregation, Config};
use crate::{Error, Result, processor};

/// Upper bound of sizes: larger networks fit into no machine.
const MAX_SIZE: usize = 1 << 16;
/// Lower bound of a learnable temperature: the square of a smaller one underflows in f32.
const MIN_LEARNABLE_TEMPERATURE: f64 = 1e-12;

impl Config {
    /// Checks every value, and values that depend on each other.
    pub fn check(&self) -> Result<()> {
        let refuse = |message: String| Err(Error::Config(message));
        let processor = processor::find(&self.processor_type)?;
        if self.algorithms.is_empty() {
            return refuse("algorithms: at least one is needed".to_owned());
        }
        for (i, name) in self.algorithms.iter().enumerate() {
            algorithms::find(name)?;
            if self.algorithms[..i].contains(name) {
                return refuse(format!("algorithms: {name} is listed twice"));
            }
        }
        if self.train_lengths.is_empty() {
            return refuse("train_lengths: at least one is needed".to_owned());
        }
        if let Some(length) = self.train_lengths.iter().find(|&&length| length < 1 && length != -1)
        {
            return refuse(format!(
                "train_lengths: expected a size, or -1 for the benchmark's training set, found {length}"
            ));
        }
        for (key, value, most) in [
            ("batch_size", self.batch_size, MAX_SIZE),
            ("chunk_length", self.chunk_length, MAX_SIZE),
            ("eval_every", self.eval_every, usize::MAX),
            ("train_steps", self.train_steps, usize::MAX),
            ("hidden_size", self.hidden_size, MAX_SIZE),
            ("nb_heads", self.nb_heads, MAX_SIZE),
            ("nb_msg_passing_steps", self.nb_msg_passing_steps, MAX_SIZE),
            ("nb_triplet_fts", self.nb_triplet_fts, MAX_SIZE),
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
                "hidden_size {hidden} is not divisible by {heads} heads (nb_heads)"
            ));
        }
        if !processor.config.attends() && self.nb_heads != 1 {
            return refuse(format!(
                "nb_heads: {name} has no attention heads; omit it, or use gat or gatv2"
            ));
        }
        let plain = self.aggregator == Aggregation::Max
            && self.eval_aggregator.is_none_or(|other| other == Aggregation::Max);
        if !processor.config.aggregates() && !plain {
            return refuse(format!(
                "aggregator: {name} has no configurable aggregator; omit it, or use mpnn or pgn"
            ));
        }
        if self.learn_temperature
            && (self.aggregator != Aggregation::Softmax
                || self.temperature < MIN_LEARNABLE_TEMPERATURE)
        {
            return refuse(format!(
                "learn_temperature needs aggregator softmax and a temperature of at least {MIN_LEARNABLE_TEMPERATURE:e}"
            ));
        }
        if self.hint_teacher_forcing > 0.0 && !self.hint_mode.encodes() {
            return refuse("hint_teacher_forcing needs hint_mode encoded_decoded: other modes feed no hints to the network".to_owned());
        }
        if self.init_from.is_some() && self.init_parts.is_empty() {
            return refuse("init_parts: at least one part is needed with init_from".to_owned());
        }
        if self.chunked_training && !self.hint_mode.encodes() {
            return refuse("chunked_training needs hint_mode encoded_decoded".to_owned());
        }
        Ok(())
    }
}
