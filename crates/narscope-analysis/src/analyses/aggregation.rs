//! What the network's way of summing up messages has to do with its score (appendix C of the paper).
//!
//! The authors trained with a softmax and tested with the maximum, which the paper does not say: the
//! same weights are scored with either.

use narscope_model::aggregate::Aggregation as Way;
use narscope_model::config::Config;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::study::{Ask, Study};
use crate::{Error, Result};

/// Ways to sum up messages: the key and the name, and the temperature where there is one.
const WAYS: [(&str, &str, Way, f64); 5] = [
    ("max", "max", Way::Max, 0.0),
    ("softmax_0_01", "softmax 0.01", Way::Softmax, 0.01),
    ("softmax_0_1", "softmax 0.1", Way::Softmax, 0.1),
    ("softmax_1", "softmax 1", Way::Softmax, 1.0),
    ("mean", "mean", Way::Mean, 0.0),
];

/// What the network scores, however its messages are summed up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aggregation {
    /// How many graphs were scored.
    pub graphs: usize,
    /// How messages were summed up in training.
    pub trained_with: String,
    /// The score as the network was trained.
    pub as_trained: f64,
    /// The score with each of the ways there are.
    pub ways: Vec<Scored>,
}

/// The score of the same weights with one way to sum up messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// The way, for programs.
    pub key: String,
    /// The way, for people.
    pub name: String,
    /// The score.
    pub score: f64,
}

impl Analysis for Aggregation {
    const NAME: &'static str = "aggregation";
    const QUESTION: &'static str =
        "Does it matter how messages are summed up when the network is used?";
    const PAPER: &'static str = "Appendix C: the temperature of the softmax";

    fn of(study: &Study<'_>) -> Result<Self> {
        let subject = study.subject(Self::NAME)?;
        if !subject.config.preset_of_processor().config.aggregates() {
            let wanted = "a processor that aggregates messages, such as mpnn";
            let found = format!("{} has no aggregator to choose", subject.config.processor_type);
            return Err(Error::unsuitable(Self::NAME, wanted, found));
        }
        let traces =
            study.samples(Self::NAME, &Ask { offset: 800, ..Ask::new(study.size.scored) })?;
        let config = &subject.config;
        let trained = subject.aggregating(config.aggregator, config.temperature);
        let as_trained = study.evaluate(Self::NAME, &trained, &traces)?.score;
        // A temperature that was learnt is part of the weights, and no other fits them.
        let fixed = !config.learn_temperature;
        let ways = WAYS.iter().filter(|(_, _, way, _)| fixed || *way != Way::Softmax);
        let ways = ways.map(|&(key, name, way, temperature)| {
            let other = subject.aggregating(way, temperature);
            let score = study.evaluate(Self::NAME, &other, &traces)?.score;
            Ok(Scored { key: key.to_owned(), name: name.to_owned(), score })
        });
        Ok(Self {
            graphs: traces.len(),
            trained_with: trained_with(config),
            as_trained,
            ways: ways.collect::<Result<_>>()?,
        })
    }

    fn sentence(&self) -> String {
        let ways = self.ways.iter();
        let ways = ways.map(|it| format!("{:.1} % with {}", 100.0 * it.score, it.name));
        format!(
            "On {} graphs, it scores {:.1} % as trained (with {}); the same weights score {}.",
            self.graphs,
            100.0 * self.as_trained,
            self.trained_with,
            ways.collect::<Vec<_>>().join(", ")
        )
    }

    fn measures(&self) -> Vec<Measure> {
        let as_trained =
            Measure::share("as_trained", "score on new graphs, as trained", self.as_trained);
        let ways = self.ways.iter().map(|Scored { key, name, score }| {
            Measure::share(format!("used_with_{key}"), format!("score, used with {name}"), *score)
        });
        std::iter::once(as_trained).chain(ways).collect()
    }
}

fn trained_with(config: &Config) -> String {
    let way = serde_json::to_value(config.aggregator).expect("a name");
    let way = way.as_str().expect("a name").to_owned();
    match config.aggregator {
        Way::Softmax if config.learn_temperature => format!("{way}, its temperature learnt"),
        Way::Softmax => format!("{way} {}", config.temperature),
        _ => way,
    }
}
