//! Names of network variants, as the paper's tables have them.

use narscope_model::config::{Aggregation, Config, DecayTarget};

/// Decay and temperature of the paper's tables; names of variants omit them.
const DECAY: f64 = 0.9;
const TEMPERATURE: f64 = 0.01;

/// Returns the name of a network: its processor, aggregator and decay.
///
/// ```
/// use narscope_model::config::Config;
///
/// let config = Config { processor_type: "mpnn".to_owned(), decay: 0.9, ..Config::default() };
/// assert_eq!(narscope_results::variant_name(&config), "mpnn + decay");
/// ```
pub fn variant_name(config: &Config) -> String {
    let mut parts = vec![config.processor_type.clone()];
    match config.aggregator {
        Aggregation::Max => {}
        Aggregation::Min => parts.push("min".to_owned()),
        Aggregation::Mean => parts.push("mean".to_owned()),
        Aggregation::Sum => parts.push("sum".to_owned()),
        Aggregation::Softmax => {
            parts.push(with_value("softmax", config.temperature, TEMPERATURE));
        }
    }
    if config.decay != 1.0 {
        let to = if config.decay_towards == DecayTarget::Mean { " to mean" } else { "" };
        parts.push(decay_name(config.decay) + to);
    }
    parts.join(" + ")
}

/// Returns the name of a variant as a file name.
pub fn file_name(variant: &str) -> String {
    variant.replace(" + ", "-").replace(", ", "-").replace(' ', "-")
}

/// Returns the name of a decay factor.
pub(crate) fn decay_name(factor: f64) -> String {
    with_value("decay", factor, DECAY)
}

/// `name value`, or `name` if the value is the usual one.
fn with_value(name: &str, value: f64, usual: f64) -> String {
    if value == usual { name.to_owned() } else { format!("{name} {value}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_named_after_what_differs_from_the_papers_tables() {
        let config = Config {
            processor_type: "mpnn".to_owned(),
            aggregator: Aggregation::Softmax,
            decay: 0.9,
            ..Config::default()
        };
        assert_eq!(variant_name(&config), "mpnn + softmax + decay");
        assert_eq!(file_name("mpnn + softmax 0.1, 10000 steps"), "mpnn-softmax-0.1-10000-steps");
        let config =
            Config { temperature: 0.1, decay: 0.5, decay_towards: DecayTarget::Mean, ..config };
        assert_eq!(variant_name(&config), "mpnn + softmax 0.1 + decay 0.5 to mean");
    }
}
