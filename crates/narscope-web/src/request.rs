//! Requests of the page; `types.ts` documents them.

use narscope_clrs::options::{Direction, Options};
use narscope_net::config::Aggregation;
use serde::Deserialize;

use crate::interventions::Intervention;
use crate::network::Knobs;
use crate::problem::Problem;
use crate::{Error, Result};

/// A request.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(crate) enum Request {
    /// What there is, without networks.
    Hello,
    /// Opens a network, whose weights are the bytes of the frame.
    Open { name: String, config: serde_json::Value, test: Option<String> },
    /// A random problem.
    Random { algorithm: String, options: RandomOptions },
    /// Reads pasted text.
    Read { algorithm: String, text: String },
    /// Runs an algorithm.
    Trace { algorithm: String, problem: Problem },
    /// Runs a network.
    Rollout(RolloutRequest),
    /// Draws the samples of a corpus.
    CorpusBegin(CorpusRequest),
    /// Runs the network on some more samples of a corpus.
    CorpusMore { corpus: u32 },
    /// Fits the principal components of a corpus whose samples have all run.
    CorpusEnd { corpus: u32 },
    /// The problem of a sample of a corpus.
    CorpusProblem { corpus: u32, sample: usize },
    /// Frees a corpus.
    Forget { corpus: u32 },
}

/// How a random problem is drawn.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct RandomOptions {
    pub(crate) length: usize,
    pub(crate) seed: u32,
    #[serde(default)]
    pub(crate) index: usize,
    family: Option<String>,
    p: Option<f64>,
    direction: Option<Direction>,
    low: Option<f64>,
    high: Option<f64>,
    classes: Option<usize>,
}

impl RandomOptions {
    /// The options of the sampler.
    pub(crate) fn options(&self) -> Result<Options> {
        Ok(Options {
            family: self.family.as_deref().unwrap_or_default().parse()?,
            p: self.p.map(|p| vec![p]),
            direction: self.direction,
            low: self.low,
            high: self.high,
            classes: self.classes,
            ..Options::default()
        })
    }

    /// Number of base graphs, if samples are images of them.
    pub(crate) fn classes(&self, options: &Options) -> Option<usize> {
        options.has_symmetry().then(|| self.classes.unwrap_or(1))
    }
}

/// Settings of a network that the page has knobs for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct KnobSettings {
    aggregator: Option<Aggregation>,
    temperature: Option<f64>,
    decay: Option<f64>,
}

impl From<&KnobSettings> for Knobs {
    fn from(settings: &KnobSettings) -> Self {
        let KnobSettings { aggregator, temperature, decay } = *settings;
        Self { aggregator, temperature, decay }
    }
}

/// How a network is run on a problem.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RolloutRequest {
    pub(crate) network: String,
    pub(crate) algorithm: String,
    pub(crate) problem: Problem,
    #[serde(default)]
    pub(crate) extra_steps: isize,
    #[serde(flatten)]
    pub(crate) knobs: KnobSettings,
    #[serde(default)]
    pub(crate) interventions: Vec<Intervention>,
    #[serde(default)]
    pub(crate) logits: bool,
    pub(crate) corpus: Option<u32>,
}

/// What the points of a corpus are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PointKind {
    /// The maximum over the nodes.
    Pooled,
    /// The state of every node.
    Nodes,
}

/// How a corpus is made.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CorpusRequest {
    /// Chosen by the page, which outlives an engine.
    pub(crate) id: u32,
    pub(crate) network: String,
    pub(crate) algorithm: String,
    pub(crate) graphs: usize,
    #[serde(default)]
    pub(crate) extra_steps: isize,
    pub(crate) points: PointKind,
    pub(crate) components: Option<usize>,
    #[serde(flatten)]
    pub(crate) knobs: KnobSettings,
    #[serde(flatten)]
    pub(crate) random: RandomOptions,
}

/// Reads a request.
pub(crate) fn parse(json: &str) -> Result<Request> {
    serde_json::from_str(json)
        .map_err(|error| Error::new(format!("expected a request of the page, found {error}")))
}
