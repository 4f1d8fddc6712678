//! Networks: opened from the bytes of a run, run with other aggregators and decays.

use narscope_net::config::{Aggregation, Config};
use narscope_net::processor::ProcessorConfig;
use narscope_net::{Model, Weights};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits;
use crate::{Error, Result};

/// Networks with other settings that are kept, so that a knob that goes back and forth costs nothing.
const KEPT: usize = 4;

/// A network of the page.
#[derive(Debug)]
pub(crate) struct Network {
    name: String,
    model: Model,
    scores: Vec<TestScore>,
    half: bool,
    /// The same weights with other settings, the latest last.
    turned: Vec<(Knobs, Model)>,
}

/// Settings that differ from those of the configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Knobs {
    pub(crate) aggregator: Option<Aggregation>,
    pub(crate) temperature: Option<f64>,
    pub(crate) decay: Option<f64>,
}

/// A score of `test.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct TestScore {
    algorithm: String,
    nodes: usize,
    score: f64,
}

/// A network as the page describes it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "independent properties")]
pub(crate) struct Summary {
    name: String,
    algorithms: Vec<String>,
    processor: String,
    hidden: usize,
    seed: u32,
    aggregator: Aggregation,
    temperature: f64,
    decay: f64,
    aggregates: bool,
    decodes_hints: bool,
    train_lengths: Vec<i64>,
    train_steps: usize,
    directed_training: bool,
    config: Config,
    scores: Vec<TestScore>,
    weights: usize,
    half: bool,
}

impl Network {
    /// Opens a network from its configuration, the text of its `test.json` and the bytes of its
    /// `best.safetensors`. The page reads `config.toml`: a TOML parser is a sixth of the module.
    ///
    /// # Errors
    /// A sentence that names the network, if anything is wrong with the files.
    pub(crate) fn open(
        name: String,
        mut config: Value,
        test: Option<&str>,
        weights: &[u8],
    ) -> Result<Self> {
        let named = |error: &dyn std::fmt::Display| {
            Error::new(format!("the network {name} cannot be opened: {error}"))
        };
        // The file of a run records the version that wrote it.
        if let Value::Object(keys) = &mut config {
            keys.remove("version");
        }
        let config: Config = serde_json::from_value(config).map_err(|error| named(&error))?;
        config.check().map_err(|error| named(&error))?;
        if !narscope_net::fused::exists(&config) {
            return Err(named(&format!(
                "the explorer runs message-passing networks without an LSTM, found the processor {}{}",
                config.processor_type,
                if config.use_lstm { " with an LSTM" } else { "" }
            )));
        }
        let half = Weights::are_half(weights).map_err(|error| named(&error))?;
        let weights = Weights::from_safetensors(weights).map_err(|error| named(&error))?;
        let broken = weights.iter().find(|(_, values)| !values.iter().all(|x| x.is_finite()));
        if let Some((parameter, _)) = broken {
            return Err(named(&format!(
                "expected finite weights, found NaN or infinity in {}: its training diverged, or the file is damaged",
                parameter.name
            )));
        }
        let scores = match test {
            None => vec![],
            Some(text) => serde_json::from_str(text)
                .map_err(|error| named(&format!("its test.json is damaged: {error}")))?,
        };
        let model = Model::new(config, weights).map_err(|error| named(&error))?;
        let model = model.with_memory_limit(limits::available);
        Ok(Self { name, model, scores, half, turned: vec![] })
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What the page shows of it.
    pub(crate) fn summary(&self) -> Summary {
        let config = self.model.config();
        let processor = config.processor().config;
        Summary {
            name: self.name.clone(),
            algorithms: config.algorithms.clone(),
            processor: config.processor_type.clone(),
            hidden: config.hidden_size,
            seed: config.seed,
            aggregator: config.eval_aggregator.unwrap_or(config.aggregator),
            temperature: config.temperature,
            decay: config.decay,
            aggregates: matches!(processor, ProcessorConfig::Pgn(_)) && !config.learn_temperature,
            decodes_hints: config.hint_mode.decodes(),
            train_lengths: config.train_lengths.clone(),
            train_steps: config.train_steps,
            directed_training: config.directed_training,
            config: config.clone(),
            scores: self.scores.clone(),
            weights: self.model.weights().values.len(),
            half: self.half,
        }
    }

    /// The network with other settings.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub(crate) fn with(&mut self, knobs: Knobs) -> Result<&Model> {
        if knobs == Knobs::default() {
            return Ok(&self.model);
        }
        if let Some(place) = self.turned.iter().position(|(kept, _)| *kept == knobs) {
            return Ok(&self.turned[place].1);
        }
        let own = self.model.config();
        let config = Config {
            eval_aggregator: knobs.aggregator.or(own.eval_aggregator),
            temperature: knobs.temperature.unwrap_or(own.temperature),
            decay: knobs.decay.unwrap_or(own.decay),
            ..own.clone()
        };
        config.check()?;
        let model = Model::new(config, self.model.weights().clone())?;
        if self.turned.len() == KEPT {
            self.turned.remove(0);
        }
        self.turned.push((knobs, model.with_memory_limit(limits::available)));
        Ok(&self.turned[self.turned.len() - 1].1)
    }
}

/// The network of a name.
pub(crate) fn find<'a>(networks: &'a mut [Network], name: &str) -> Result<&'a mut Network> {
    let known: Vec<String> = networks.iter().map(|network| network.name.clone()).collect();
    networks.iter_mut().find(|network| network.name == name).ok_or_else(|| {
        Error::new(format!("there is no network {name:?}; there are {}", known.join(", ")))
    })
}
