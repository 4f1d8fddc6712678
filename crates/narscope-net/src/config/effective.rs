//! Keys of a configuration that have no effect because of another key.

use narscope_clrs::algorithms;
use narscope_clrs::options::{OptionName, Options};

use super::{Aggregation, Config};
use crate::processor::{self, ProcessorConfig};

/// A key that has no effect, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithoutEffect {
    /// The key.
    pub key: &'static str,
    /// The key that makes it so.
    pub because_of: &'static str,
    /// What it would take, for example `aggregator softmax`.
    pub needs: String,
}

impl Config {
    /// The configuration with the default of every key that has no effect. Two configurations with the
    /// same effective configuration train the same network.
    ///
    /// ```
    /// use narscope_net::config::Config;
    ///
    /// let config = Config { temperature: 0.5, ..Config::default() };
    /// assert_eq!(config.effective(), Config::default(), "only softmax has a temperature");
    /// ```
    #[must_use]
    pub fn effective(&self) -> Self {
        let default = Self::default();
        let mut config = self.clone();
        for WithoutEffect { key, .. } in self.without_effect() {
            match key {
                "data_seed" => config.data_seed = default.data_seed,
                "init_parts" => config.init_parts.clone_from(&default.init_parts),
                "temperature" => config.temperature = default.temperature,
                "eval_aggregator" => config.eval_aggregator = default.eval_aggregator,
                "decay_towards" => config.decay_towards = default.decay_towards,
                "decay_at" => config.decay_at = default.decay_at,
                "chunk_length" => config.chunk_length = default.chunk_length,
                "nb_triplet_fts" => config.nb_triplet_fts = default.nb_triplet_fts,
                "hint_repred_mode" => config.hint_repred_mode = default.hint_repred_mode,
                "length_needle" => config.length_needle = default.length_needle,
                "directed_training" => config.directed_training = default.directed_training,
                other => unreachable!("{other} is in the list of `without_effect`"),
            }
        }
        config
    }

    /// The keys that have no effect, whatever their value.
    pub fn without_effect(&self) -> Vec<WithoutEffect> {
        let is_softmax = |aggregation| aggregation == Some(Aggregation::Softmax);
        let has_triplets = processor::find(&self.processor_type).is_ok_and(|preset| {
            // A processor of another crate may use any key.
            match preset.config {
                ProcessorConfig::Pgn(config) => config.triplets,
                ProcessorConfig::Gat(_) | ProcessorConfig::Gatv2(_) => false,
                ProcessorConfig::Custom(_) => true,
            }
        });
        let takes = |option: OptionName| {
            let mut entries = self.algorithms.iter().filter_map(|name| algorithms::find(name).ok());
            entries.any(|entry| entry.options(&Options::default()).contains(&option))
        };
        let no_decay = self.decay == 1.0;
        let rules = [
            ("data_seed", self.data_seed == Some(self.seed), "seed", "another value than seed"),
            ("init_parts", self.init_from.is_none(), "init_from", "init_from"),
            (
                "temperature",
                !is_softmax(Some(self.aggregator)) && !is_softmax(self.eval_aggregator),
                "aggregator",
                "aggregator softmax",
            ),
            (
                "eval_aggregator",
                self.eval_aggregator == Some(self.aggregator),
                "aggregator",
                "another value than aggregator",
            ),
            ("decay_towards", no_decay, "decay", "decay below 1"),
            ("decay_at", no_decay, "decay", "decay below 1"),
            ("chunk_length", !self.chunked_training, "chunked_training", "chunked_training"),
            ("nb_triplet_fts", !has_triplets, "processor_type", "a processor with triplets"),
            (
                "hint_repred_mode",
                !self.hint_mode.encodes(),
                "hint_mode",
                "hint_mode encoded_decoded",
            ),
            (
                "length_needle",
                !takes(OptionName::LengthNeedle),
                "algorithms",
                "a string matching algorithm",
            ),
            (
                "directed_training",
                !takes(OptionName::Direction),
                "algorithms",
                "an algorithm on graphs that can be directed",
            ),
        ];
        let rules = rules.into_iter().filter(|(_, is_without, ..)| *is_without);
        rules
            .map(|(key, _, because_of, needs)| WithoutEffect {
                key,
                because_of,
                needs: needs.to_owned(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{DecayTarget, HintMode, RepredMode};

    #[test]
    fn keys_have_an_effect_only_with_the_key_that_they_need() {
        let base = || Config { processor_type: "mpnn".to_owned(), ..Config::default() };
        let softmax =
            |temperature| Config { aggregator: Aggregation::Softmax, temperature, ..base() };
        let same = |a: Config, b: Config| a.effective() == b.effective();
        assert!(!same(softmax(0.1), softmax(0.2)));
        assert!(same(Config { temperature: 0.1, ..base() }, base()));
        let evaluated = |temperature| Config {
            eval_aggregator: Some(Aggregation::Softmax),
            temperature,
            ..base()
        };
        assert!(!same(evaluated(0.1), evaluated(0.2)));
        assert!(same(Config { eval_aggregator: Some(Aggregation::Max), ..base() }, base()));
        let to_mean = |decay| Config { decay, decay_towards: DecayTarget::Mean, ..base() };
        assert!(same(to_mean(1.0), base()) && !same(to_mean(0.9), Config { decay: 0.9, ..base() }));
        assert!(same(Config { chunk_length: 3, ..base() }, base()));
        assert!(same(Config { nb_triplet_fts: 3, ..base() }, base()));
        let triplets = Config::default();
        assert!(!same(Config { nb_triplet_fts: 3, ..triplets.clone() }, triplets));
        let hard = Config { hint_repred_mode: RepredMode::Hard, ..base() };
        assert!(!same(hard.clone(), base()));
        let no_hints = Config { hint_mode: HintMode::None, ..base() };
        assert!(same(Config { hint_mode: HintMode::None, ..hard }, no_hints));
        let of = |algorithm: &str| Config { algorithms: vec![algorithm.to_owned()], ..base() };
        let needle = |algorithm: &str| Config { length_needle: 2, ..of(algorithm) };
        assert!(same(needle("bfs"), of("bfs")));
        assert!(!same(needle("kmp_matcher"), of("kmp_matcher")));
        let directed = |algorithm: &str| Config { directed_training: true, ..of(algorithm) };
        assert!(same(directed("minimum"), of("minimum")));
        assert!(!same(directed("bellman_ford"), of("bellman_ford")));
    }

    #[test]
    fn every_key_without_effect_can_be_reset() {
        // Each of these has some keys without effect; together they have all.
        let alone = Config {
            processor_type: "mpnn".to_owned(),
            algorithms: vec!["minimum".to_owned()],
            hint_mode: HintMode::None,
            eval_aggregator: Some(Aggregation::Max),
            ..Config::default()
        };
        assert_eq!(alone.without_effect().len(), 10);
        assert_eq!(alone.effective().without_effect().len(), 9, "eval_aggregator is as trained");
    }
}
