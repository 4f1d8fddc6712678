//! One network in a few numbers, on few graphs, to compare hundreds of networks: which algorithm its answers resemble,
//! and how it behaves where the algorithm has ended, on other graphs, and if it has to notice the end itself.
//!
//! The numbers are those of the analyses [`mispredicts`](crate::analyses::mispredicts),
//! [`attractors`](crate::analyses::attractors), [`stopping`] and
//! [`value_generalisation`](crate::analyses::value_generalisation), from two rollouts: one to eight steps beyond the
//! longest execution of the algorithm, and one on sparser graphs.

use std::sync::Arc;

use narscope_clrs::options::{Direction, Options};
use narscope_clrs::variants;
use narscope_model::pooling::Pooling;
use narscope_model::rollout::{NoHook, Steps};
use serde::{Deserialize, Serialize};

use crate::analyses::mispredicts::Answers;
use crate::analyses::stopping;
use crate::context::{Context, Progress, Request};
use crate::rollouts::{BEYOND, Rollouts};
use crate::{AnalysedModel, Error, Result, Sampling};

/// Name of this question in errors and progress.
const NAME: &str = "behaviour";
/// Probability of an edge of the directed graphs, as in training.
const DENSE: f64 = 0.5;
/// Probability of an edge of the undirected graphs.
const SPARSE: f64 = 0.25;

/// Graphs that behaviour is measured on: so many directed ones, and as many sparse undirected ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graphs {
    /// Number of graphs of each kind.
    pub count: usize,
    /// Number of nodes of each.
    pub nodes: usize,
    /// Seed of their sampling.
    pub seed: u32,
}

impl Default for Graphs {
    fn default() -> Self {
        Self { count: 256, nodes: 64, seed: 1 }
    }
}

/// One network in a few numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Behaviour {
    /// Share of nodes whose final pointer is that of the algorithm.
    pub agrees: f64,
    /// Faulty variants of the algorithm, and the share of nodes whose final pointer is theirs.
    pub agrees_with_variants: Vec<(String, f64)>,
    /// Share of nodes that never were right.
    pub never_right: f64,
    /// Score eight steps beyond the end of the algorithm minus score at the end.
    pub overrun_drift: f64,
    /// Score when stopping as soon as the state rests minus score at the known number of steps.
    pub stopping: f64,
    /// Score on undirected graphs with p = 0.25.
    pub sparse_score: f64,
}

impl Behaviour {
    /// Measures a network.
    ///
    /// # Errors
    /// If its algorithm has no faulty variants, or if the caller asked to stop.
    pub fn of(model: &AnalysedModel, graphs: Graphs, progress: &dyn Progress) -> Result<Self> {
        let algorithm = model.spec().entry.name;
        if !has_variants(algorithm) {
            let needed = "an algorithm with faulty variants";
            return Err(Error::unsuitable(NAME, needed, format!("{algorithm} has none")));
        }
        let Graphs { count, nodes, seed } = graphs;
        let sampling = Sampling { graphs: count, length: nodes, seed, ..Sampling::QUICK };
        let context = Context::new(model, sampling.check()?, progress);
        let rollouts = dense_rollouts(&context)?;
        let answers = Answers::of(&rollouts, NAME)?;
        let agreement = answers.agreement(algorithm, &rollouts.all.truth)?;
        let agreement = agreement.expect("the algorithm has variants");
        // The network itself comes first, then the algorithm.
        let mut shares = agreement.names.into_iter().zip(agreement.shares[0].clone()).skip(1);
        let (_, agrees) = shares.next().expect("the algorithm is always compared");
        let (all, outputs) = (&rollouts.all, rollouts.outputs());
        Ok(Self {
            agrees,
            agrees_with_variants: shares.collect(),
            never_right: answers.history(&rollouts).never_right,
            overrun_drift: overrun_drift(&rollouts),
            stopping: stopping::change_at_rest(all, outputs, &rollouts.steps),
            sparse_score: sparse_score(&context)?,
        })
    }

    /// Share of nodes that agree with a variant minus the share that agree with the algorithm; `None` if the algorithm
    /// has no such variant.
    pub fn leaning(&self, variant: &str) -> Option<f64> {
        let found = self.agrees_with_variants.iter().find(|(name, _)| name == variant);
        found.map(|(_, share)| share - self.agrees)
    }
}

fn has_variants(algorithm: &str) -> bool {
    let of = |name: &str| name.split_once(':').map(|(algorithm, _)| algorithm.to_owned());
    variants::all().any(|variant| of(variant.name).as_deref() == Some(algorithm))
}

fn request(context: &Context<'_>, direction: Direction, p: f64) -> Request {
    let (direction, p) = (Some(direction), Some(vec![p]));
    let options = Options { direction, p, ..Options::default() };
    Request { options, pooling: Pooling::Max, ..Request::new(context.sampling.graphs) }
}

/// Rollouts on directed graphs, all as long as the longest execution and eight steps more, so that every number about
/// them comes from one run of the network.
fn dense_rollouts(context: &Context<'_>) -> Result<Rollouts> {
    let request = request(context, Direction::Directed, DENSE);
    let traces = context.samples(NAME, &request)?;
    let longest = (0..traces.len()).map(|sample| Steps::Own.of(traces.steps(sample))).max();
    let steps = Steps::Exactly(longest.unwrap_or(1) + stopping::BEYOND);
    let request = Request { steps, every_output: true, ..request };
    let all = context.run(NAME, &traces, &request, &mut NoHook)?;
    Ok(Rollouts::of_network(Arc::new(all)))
}

fn overrun_drift(rollouts: &Rollouts) -> f64 {
    let (outputs, steps) = (rollouts.outputs(), &rollouts.steps);
    let drifts = steps.iter().enumerate().map(|(sample, &steps)| {
        let beyond = steps + BEYOND.unsigned_abs();
        outputs.score(sample, beyond - 1) - outputs.score(sample, steps - 1)
    });
    drifts.sum::<f64>() / steps.len() as f64
}

fn sparse_score(context: &Context<'_>) -> Result<f64> {
    let request = request(context, Direction::Undirected, SPARSE);
    let traces = context.samples(NAME, &request)?;
    Ok(context.run(NAME, &traces, &request, &mut NoHook)?.mean_score())
}

#[cfg(test)]
mod tests {
    use narscope_model::config::Draft;
    use narscope_model::{Model, OpenModel as _};

    use super::*;
    use crate::analyses::Analysis as _;
    use crate::analyses::attractors::Attractors;
    use crate::analyses::mispredicts::Mispredicts;
    use crate::context::NoProgress;

    fn model(algorithm: &str) -> AnalysedModel {
        let config = format!(
            "algorithms = ['{algorithm}']\nprocessor_type = 'mpnn'\nhidden_size = 8\nseed = 3"
        );
        let model = Model::initial(&Draft::parse(&config).unwrap().finish().unwrap()).unwrap();
        AnalysedModel::new("untrained".to_owned(), model, None).unwrap()
    }

    const GRAPHS: Graphs = Graphs { count: 24, nodes: 8, seed: 1 };

    #[test]
    fn the_numbers_are_those_of_the_analyses() {
        let model = model("bellman_ford");
        let found = Behaviour::of(&model, GRAPHS, &NoProgress).unwrap();
        // The analyses draw directed graphs with p = 0.5, if directed is asked for.
        let sampling = Sampling {
            graphs: GRAPHS.count,
            length: GRAPHS.nodes,
            direction: Some(Direction::Directed),
            ..Sampling::QUICK
        };
        let context = Context::new(&model, sampling, &NoProgress);
        let expected = Mispredicts::run(&context).unwrap();
        assert_eq!(found.never_right, expected.history.never_right);
        assert_eq!(found.agrees, expected.history.right);
        let shares = &expected.agreement.unwrap().shares[0];
        let variants: Vec<f64> = found.agrees_with_variants.iter().map(|it| it.1).collect();
        assert_eq!(variants, shares[2..]);
        let scores = Attractors::run(&context).unwrap().score_by_offset;
        let score = |offset| scores.iter().find(|it| it.0 == offset).unwrap().1;
        assert!((found.overrun_drift - (score(8) - score(0))).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_network_leans_towards_a_variant_by_the_difference_of_agreements() {
        let found = Behaviour {
            agrees: 0.5,
            agrees_with_variants: vec![("greedy".to_owned(), 0.25), ("decay".to_owned(), 0.75)],
            never_right: 0.0,
            overrun_drift: 0.0,
            stopping: 0.0,
            sparse_score: 0.0,
        };
        assert_eq!(found.leaning("decay"), Some(0.25));
        assert_eq!(found.leaning("other"), None);
    }

    #[test]
    fn an_algorithm_without_faulty_variants_is_refused() {
        let error = Behaviour::of(&model("bfs"), GRAPHS, &NoProgress).unwrap_err();
        assert_eq!(
            error.to_string(),
            "behaviour needs an algorithm with faulty variants, but bfs has none"
        );
    }
}
