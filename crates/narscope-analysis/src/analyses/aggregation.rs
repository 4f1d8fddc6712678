//! Score under different aggregators at inference (appendix C of the paper).
//!
//! The authors trained with softmax aggregation and tested with max, which the paper does not mention; so the same
//! weights are scored with both, and with others.

use narscope_model::config::Aggregation as Aggregator;
use narscope_model::config::Config;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::context::{Context, Request};
use crate::{Error, Result};

/// Aggregators: key, name, type, and temperature of a softmax.
const AGGREGATORS: [(&str, &str, Aggregator, f64); 5] = [
    ("max", "max", Aggregator::Max, 0.0),
    ("softmax_0_01", "softmax 0.01", Aggregator::Softmax, 0.01),
    ("softmax_0_1", "softmax 0.1", Aggregator::Softmax, 0.1),
    ("softmax_1", "softmax 1", Aggregator::Softmax, 1.0),
    ("mean", "mean", Aggregator::Mean, 0.0),
];

/// Score under different aggregators at inference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aggregation {
    /// Number of scored graphs.
    pub graphs: usize,
    /// Aggregator in training.
    pub trained_with: String,
    /// Score with that aggregator.
    pub as_trained: f64,
    /// Score with each aggregator.
    pub ways: Vec<Scored>,
}

/// Score of the same weights with one aggregator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// Identifier of the aggregator.
    pub key: String,
    /// Name of the aggregator.
    pub name: String,
    /// The score.
    pub score: f64,
}

impl Analysis for Aggregation {
    const NAME: &'static str = "aggregation";
    const QUESTION: &'static str = "Does the aggregator used at inference matter?";
    const PAPER: &'static str = "Appendix C: the temperature of the softmax";

    fn run(context: &Context<'_>) -> Result<Self> {
        let model = context.model(Self::NAME)?;
        if !model.config().processor().config.aggregates() {
            let needed = "a processor with a choice of aggregator, such as mpnn";
            let found = format!("{} has none", model.config().processor_type);
            return Err(Error::unsuitable(Self::NAME, needed, found));
        }
        let traces = context.samples(
            Self::NAME,
            &Request { seed_offset: 800, ..Request::new(context.sampling.scored) },
        )?;
        let config = model.config();
        let trained = model.with_aggregation(config.aggregator, config.temperature)?;
        let as_trained = context.evaluate(Self::NAME, &trained, &traces)?.score;
        // A learnt temperature is one of the weights and cannot be replaced.
        let fixed = !config.learn_temperature;
        let others =
            AGGREGATORS.iter().filter(|(_, _, other, _)| fixed || *other != Aggregator::Softmax);
        let scored = others.map(|&(key, name, other, temperature)| {
            let other = model.with_aggregation(other, temperature)?;
            let score = context.evaluate(Self::NAME, &other, &traces)?.score;
            Ok(Scored { key: key.to_owned(), name: name.to_owned(), score })
        });
        Ok(Self {
            graphs: traces.len(),
            trained_with: trained_with(config),
            as_trained,
            ways: scored.collect::<Result<_>>()?,
        })
    }

    fn sentence(&self) -> String {
        let others = self.ways.iter();
        let others = others.map(|it| format!("{:.1} % with {}", 100.0 * it.score, it.name));
        let graphs = match self.graphs {
            1 => "one graph".to_owned(),
            count => format!("{count} graphs"),
        };
        format!(
            "On {graphs}, the network scores {:.1} % with its training aggregator ({}); the same weights score {}.",
            100.0 * self.as_trained,
            self.trained_with,
            others.collect::<Vec<_>>().join(", ")
        )
    }

    fn measures(&self) -> Vec<Measure> {
        let as_trained =
            Measure::share("as_trained", "score on new graphs, as trained", self.as_trained);
        let others = self.ways.iter().map(|Scored { key, name, score }| {
            Measure::share(format!("used_with_{key}"), format!("score, used with {name}"), *score)
        });
        std::iter::once(as_trained).chain(others).collect()
    }
}

fn trained_with(config: &Config) -> String {
    let name = serde_json::to_value(config.aggregator).expect("a name");
    let name = name.as_str().expect("a name").to_owned();
    match config.aggregator {
        Aggregator::Softmax if config.learn_temperature => {
            format!("{name} with a learnt temperature")
        }
        Aggregator::Softmax => format!("{name} {}", config.temperature),
        _ => name,
    }
}
