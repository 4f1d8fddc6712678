//! Whether networks and samples are like the paper's, so that numbers can be compared.

use narscope_analysis::sampling::Sampling;
use narscope_clrs::options::Direction;
use narscope_model::config::{Config, Draft};

/// Number of steps from which a training is comparable with the paper's of 30,000.
pub(crate) const MIN_STEPS: usize = 10_000;

/// Whether a network was trained as those of the paper: on one algorithm, with the paper's settings, for at
/// least a third of its steps. Keys that the paper varies may have any value, and so may those that have no
/// effect.
///
/// ```
/// use narscope_model::config::{Config, Draft};
///
/// let paper = Draft::preset("paper")?.finish()?;
/// let paper = Config { directed_training: true, ..paper };
/// assert!(narscope_results::comparable::is_trained_as_published(&paper));
/// assert!(!narscope_results::comparable::is_trained_as_published(&Config { hidden_size: 8, ..paper }));
/// # Ok::<(), narscope_model::NetError>(())
/// ```
pub fn is_trained_as_published(config: &Config) -> bool {
    let Ok(paper) = Draft::preset("paper").and_then(Draft::finish) else { return false };
    let paper = Config {
        algorithms: config.algorithms.clone(),
        directed_training: true,
        seed: config.seed,
        data_seed: config.data_seed,
        processor_type: config.processor_type.clone(),
        aggregator: config.aggregator,
        temperature: config.temperature,
        eval_aggregator: config.eval_aggregator,
        decay: config.decay,
        decay_towards: config.decay_towards,
        train_steps: config.train_steps.max(MIN_STEPS),
        kernels: config.kernels,
        ..paper
    };
    config.algorithms.len() == 1 && paper.effective() == config.effective()
}

/// Whether measures of a network are comparable with the paper's: the network solves Bellman-Ford, was
/// [trained as the paper's](is_trained_as_published), and was analysed on graphs like the paper's. `size`
/// describes the random samples; `None` stands for an instance of the user.
pub fn is_comparable(analysis: &str, config: &Config, size: Option<&Sampling>) -> bool {
    let same_graphs = size.is_some_and(|size| match analysis {
        // It has its own test samples.
        "score" => true,
        // It has graphs of both directions.
        "value_generalisation" => size.length == Sampling::FULL.length,
        _ => size.length == Sampling::FULL.length && size.direction == Some(Direction::Directed),
    });
    config.algorithms == ["bellman_ford"] && is_trained_as_published(config) && same_graphs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_networks_and_graphs_like_those_of_the_paper_are_comparable() {
        let mut draft = Draft::preset("paper").unwrap();
        for (key, value) in [
            ("algorithms", "bellman_ford"),
            ("processor_type", "linear_pgn"),
            ("directed_training", "true"),
            ("decay", "0.9"),
            ("seed", "43"),
        ] {
            draft.set_text(key, value).unwrap();
        }
        let config = draft.finish().unwrap();
        let theirs = Sampling { direction: Some(Direction::Directed), ..Sampling::QUICK };
        let is = |analysis: &str, config: &Config, size: &Sampling| {
            is_comparable(analysis, config, Some(size))
        };
        assert!(is("perturbations", &config, &theirs));
        assert!(!is("perturbations", &config, &Sampling::QUICK), "undirected graphs");
        assert!(is("score", &config, &Sampling::QUICK), "it has its own test samples");
        assert!(
            is("value_generalisation", &config, &Sampling::QUICK),
            "it has graphs of both kinds"
        );
        assert!(!is("value_generalisation", &config, &Sampling { length: 16, ..theirs }));
        assert!(!is_comparable("score", &config, None), "an instance of the user");
        for other in [
            Config { hidden_size: 4, ..config.clone() },
            Config { train_steps: 6, ..config.clone() },
            Config { directed_training: false, ..config.clone() },
        ] {
            assert!(!is("score", &other, &theirs), "{other:?}");
        }
    }
}
