//! Five ways to decide when to stop, chosen on small graphs and tested on larger, denser and sparser ones (future work
//! in section 6 of the paper).
//!
//! A small network reads from the change of the hidden states, or from the states themselves, whether the algorithm
//! has ended; a threshold does so from the size of the change alone; a constant number of steps looks at nothing; the
//! known number of steps is the ceiling. Everything is trained and chosen on graphs of 16 nodes, as the networks
//! themselves are, so that the result says whether a rule generalises. [`stopping`](super::stopping) has rules that
//! read the answer.

use std::ops::Range;

use narscope_clrs::options::{OptionName, Options};
use narscope_clrs::trace::Traces;
use narscope_model::pooling::Pooling;
use narscope_model::rollout::{NoHook, Steps};
use narscope_model::trajectory::Trajectories;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::context::{Context, Request};
use crate::linalg::Points;
use crate::probe_network::{Classifier, Training};
use crate::step_outputs::StepOutputs;
use crate::{Error, Result};

/// Nodes of the graphs that rules are trained and chosen on; fewer if the tested ones are smaller.
const TRAINING_NODES: usize = 16;
/// Number of steps that a rule may continue beyond the longest execution of the algorithm.
const BEYOND: usize = 8;
/// Settings in which the algorithm takes more steps are left out: they would take hours.
const LONGEST: usize = 256;
/// Fewest graphs of a larger size: a mean over fewer says little, and they take longest.
const LEAST: usize = 8;
/// Most graphs that a classifier is trained on, and as many to choose thresholds.
const MOST_TRAINED: usize = 512;
/// Probability of edges where the size of graphs varies.
const DENSITY: f64 = 0.5;
/// Other probabilities of edges, and their names in keys.
const DENSITIES: [(f64, &str); 3] = [(0.1, "p0_1"), (0.25, "p0_25"), (0.9, "p0_9")];
/// How the classifiers are trained.
const TRAINING: Training = Training {
    hidden: 16,
    epochs: 40,
    batch: 64,
    learning_rate: 0.003,
    weight_decay: 1e-3,
    seed: 1,
};

/// Results of stopping rules that were chosen on small graphs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Termination {
    /// Nodes of the graphs that rules were trained and chosen on.
    pub nodes: usize,
    /// Number of graphs that the classifiers were trained on.
    pub trained: usize,
    /// Number of other graphs that all thresholds were chosen on.
    pub chosen: usize,
    /// Share of the steps of training graphs after which the algorithm has ended. Both classes weigh the same.
    pub ended: f64,
    /// The threshold of each rule: a probability, a relative change, a number of steps.
    pub thresholds: Vec<(Rule, f64)>,
    /// Results by size and density of graphs.
    pub settings: Vec<Setting>,
}

/// A stopping rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A small network on the change of the states since the step before.
    Differences,
    /// The same network on the states themselves.
    Embeddings,
    /// The norm of the change is below a share of that of the states.
    Residual,
    /// The same number of steps for all graphs.
    Constant,
    /// The number of steps that the algorithm takes.
    Known,
}

impl Rule {
    /// All rules.
    pub const ALL: [Self; 5] =
        [Self::Differences, Self::Embeddings, Self::Residual, Self::Constant, Self::Known];

    /// Its name in keys.
    pub fn key(self) -> &'static str {
        match self {
            Self::Differences => "differences",
            Self::Embeddings => "embeddings",
            Self::Residual => "residual",
            Self::Constant => "constant",
            Self::Known => "known",
        }
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Differences => "network on differences",
            Self::Embeddings => "network on embeddings",
            Self::Residual => "residual below a threshold",
            Self::Constant => "constant number of steps",
            Self::Known => "known number of steps",
        }
    }

    /// The thresholds to choose from, for executions of `most` steps. A rule stops after the first step whose signal
    /// reaches the threshold.
    fn candidates(self, most: usize) -> Vec<f64> {
        match self {
            Self::Differences | Self::Embeddings => (1..20).map(|i| f64::from(i) / 20.0).collect(),
            // Negative: the signal of a residual grows as the change shrinks.
            Self::Residual => (0..30).map(|i| -0.8_f64.powi(i)).collect(),
            Self::Constant => (1..=most).map(|steps| steps as f64).collect(),
            Self::Known => vec![1.0],
        }
    }
}

/// Graphs of one size and density.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// Its name in keys.
    pub key: String,
    /// Nodes of each graph.
    pub nodes: usize,
    /// Probability of edges; `None` for an algorithm on other data than graphs.
    pub p: Option<f64>,
    /// Number of graphs.
    pub graphs: usize,
    /// Steps after which every rule is stopped.
    pub most: usize,
    /// The result of every rule, in the order of [`Rule::ALL`].
    pub outcomes: Vec<Outcome>,
}

/// The result of a rule in a setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The rule.
    pub rule: Rule,
    /// Score of the answer at the step where it stops.
    pub score: Mean,
    /// Number of steps.
    pub steps: Mean,
    /// Share of graphs on which it never stops.
    pub never: Mean,
}

/// A mean over graphs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// Its standard error; `None` for a single graph.
    pub error: Option<f64>,
}

impl Mean {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let count = values.clone().count() as f64;
        let value = values.clone().sum::<f64>() / count;
        let squares: f64 = values.map(|x| (x - value).powi(2)).sum();
        let error = (count > 1.0).then(|| (squares / (count - 1.0) / count).sqrt());
        Self { value, error }
    }
}

impl Setting {
    /// The result of a rule.
    pub fn outcome(&self, rule: Rule) -> Option<&Outcome> {
        self.outcomes.iter().find(|outcome| outcome.rule == rule)
    }

    /// Size and density in words.
    fn words(&self) -> String {
        let p = self.p.map_or_else(String::new, |p| format!(", p = {p}"));
        format!("{} nodes{p}", self.nodes)
    }
}

impl Analysis for Termination {
    const NAME: &'static str = "termination";
    const QUESTION: &'static str = "Do stopping rules chosen on small graphs hold for larger ones?";
    const PAPER: &'static str = "Section 6, future work";

    fn run(context: &Context<'_>) -> Result<Self> {
        context.require_random_samples(Self::NAME)?;
        let plan = Plan::of(context)?;
        let training = plan.observe(context, &plan.training(700))?;
        let choosing = plan.observe(context, &plan.training(701))?;
        let (Some(training), Some(choosing)) = (training, choosing) else {
            return Err(plan.too_long(plan.nodes()));
        };
        plan.check_that_steps_vary(&training)?;

        let signals = Signals::train(&training)?;
        let thresholds = Rule::ALL.map(|rule| (rule, signals.best_threshold(rule, &choosing)));
        let mut settings = vec![];
        for draw in plan.tests() {
            let Some(observed) = plan.observe(context, &draw)? else { continue };
            let outcome =
                |&(rule, threshold): &(Rule, f64)| signals.outcome(rule, threshold, &observed);
            settings.push(Setting {
                key: draw.key,
                nodes: draw.nodes,
                p: draw.p,
                graphs: observed.graphs.len(),
                most: observed.most,
                outcomes: thresholds.iter().map(outcome).collect(),
            });
        }
        if settings.is_empty() {
            return Err(plan.too_long(context.sampling.length));
        }
        Ok(Self {
            nodes: plan.nodes(),
            trained: training.graphs.len(),
            chosen: choosing.graphs.len(),
            ended: training.ended(),
            thresholds: thresholds.map(|(rule, threshold)| (rule, threshold.abs())).to_vec(),
            settings,
        })
    }

    fn sentence(&self) -> String {
        let of_setting = |setting: &Setting| {
            let of_rule = |outcome: &Outcome| {
                let (score, steps) = (100.0 * outcome.score.value, outcome.steps.value);
                format!("{}: {score:.1} % in {steps:.1} steps", outcome.rule.name())
            };
            let rules: Vec<String> = setting.outcomes.iter().map(of_rule).collect();
            format!("At {}, {}.", setting.words(), rules.join("; "))
        };
        let sizes = self.settings.iter().filter(|setting| setting.key.starts_with('n'));
        let ends = [sizes.clone().next(), sizes.skip(1).last()];
        ends.into_iter().flatten().map(of_setting).collect::<Vec<_>>().join(" ")
    }

    fn measures(&self) -> Vec<Measure> {
        let of_setting = |setting: &Setting| {
            let words = setting.words();
            let of_rule = |outcome: &Outcome| {
                let Outcome { rule, score, steps, never } = *outcome;
                let key = |what: &str| format!("{what}_{}_{}", rule.key(), setting.key);
                let label = |what: &str| format!("{what}, {}, {words}", rule.name());
                let measure = |what: &str, label: String, mean: Mean| {
                    Measure::share(key(what), label, mean.value).with_error(mean.error)
                };
                let steps = Measure::number(key("steps"), label("steps"), steps.value)
                    .with_error(steps.error);
                let score = measure("score", label("score"), score);
                [score, steps, measure("never", label("never stops"), never)]
            };
            setting.outcomes.iter().flat_map(of_rule).collect::<Vec<_>>()
        };
        self.settings.iter().flat_map(of_setting).collect()
    }
}

/// Graphs of one size and density to draw.
struct Draw {
    key: String,
    nodes: usize,
    p: Option<f64>,
    graphs: usize,
    seed_offset: u32,
}

/// Which graphs are drawn for a network.
struct Plan {
    algorithm: &'static str,
    /// Nodes of the smallest tested graphs.
    length: usize,
    /// Number of them.
    scored: usize,
    /// Whether the sampler takes a probability of edges.
    has_density: bool,
    /// Hidden units of a node.
    hidden: usize,
}

impl Plan {
    fn of(context: &Context<'_>) -> Result<Self> {
        let model = context.model(Termination::NAME)?;
        let entry = model.spec().entry;
        Ok(Self {
            algorithm: entry.name,
            length: context.sampling.length,
            scored: context.sampling.scored,
            has_density: entry.options(&Options::default()).contains(&OptionName::P),
            hidden: model.config().hidden_size,
        })
    }

    /// Nodes of the graphs that rules are trained and chosen on.
    fn nodes(&self) -> usize {
        TRAINING_NODES.min(self.length)
    }

    fn density(&self) -> Option<f64> {
        self.has_density.then_some(DENSITY)
    }

    fn training(&self, seed_offset: u32) -> Draw {
        Draw {
            key: "training".to_owned(),
            nodes: self.nodes(),
            p: self.density(),
            graphs: (4 * self.scored).min(MOST_TRAINED),
            seed_offset,
        }
    }

    /// Graphs of one, two and four times the length, and of other densities. A graph of twice the nodes takes four
    /// times as long: of those there are half as many, and of the largest an eighth, if these are enough.
    fn tests(&self) -> Vec<Draw> {
        let sizes = [(1, 1), (2, 2), (4, 8)].map(|(factor, fewer)| {
            let nodes = factor * self.length;
            (format!("n{nodes}"), nodes, self.density(), self.scored.div_ceil(fewer))
        });
        let densities = DENSITIES.iter().filter(|_| self.has_density);
        let densities =
            densities.map(|&(p, key)| (key.to_owned(), self.length, Some(p), self.scored));
        let draws = sizes.into_iter().chain(densities).zip(702..);
        let is_enough = |nodes: usize, graphs: usize| nodes == self.length || graphs >= LEAST;
        draws
            .filter(|((_, nodes, _, graphs), _)| is_enough(*nodes, *graphs))
            .map(|((key, nodes, p, graphs), seed_offset)| Draw {
                key,
                nodes,
                p,
                graphs,
                seed_offset,
            })
            .collect()
    }

    /// Runs the network on graphs; `None` if the algorithm takes too many steps on them.
    fn observe(&self, context: &Context<'_>, draw: &Draw) -> Result<Option<Observed>> {
        /// Most bytes of states that are kept at once.
        const MEMORY: usize = 256 << 20;
        let mut request = Request {
            length: Some(draw.nodes),
            options: Options { p: draw.p.map(|p| vec![p]), ..Options::default() },
            seed_offset: draw.seed_offset,
            pooling: Pooling::All,
            every_output: true,
            ..Request::new(draw.graphs)
        };
        let traces = context.samples(Termination::NAME, &request)?;
        let longest = Steps::Own.of(traces.longest());
        if longest > LONGEST {
            return Ok(None);
        }
        let most = longest + BEYOND;
        request.steps = Steps::Exactly(most);
        let bytes = most * traces.nodes * self.hidden * size_of::<f32>();
        let at_once = (MEMORY / bytes).clamp(1, 256);
        let mut observed = Observed { most, graphs: vec![] };
        let all: Vec<usize> = (0..traces.len()).collect();
        for some in all.chunks(at_once) {
            let some: Traces = traces.select(some);
            let rollouts = context.run(Termination::NAME, &some, &request, &mut NoHook)?;
            observed.graphs.extend(Graph::all(&rollouts, most));
        }
        Ok(Some(observed))
    }

    fn too_long(&self, nodes: usize) -> Error {
        let needed = format!("an algorithm of at most {LONGEST} steps");
        let found = format!("{} takes more with {nodes} nodes", self.algorithm);
        Error::unsuitable(Termination::NAME, needed, found)
    }

    fn check_that_steps_vary(&self, training: &Observed) -> Result<()> {
        let first = training.graphs[0].known;
        if training.graphs.iter().any(|graph| graph.known != first) {
            return Ok(());
        }
        let needed = "an algorithm whose number of steps varies";
        let found = format!("{} takes {first} with {} nodes", self.algorithm, self.nodes());
        Err(Error::unsuitable(Termination::NAME, needed, found))
    }
}

/// Rollouts on graphs of a setting, with the same number of steps for all.
struct Observed {
    most: usize,
    graphs: Vec<Graph>,
}

impl Observed {
    /// Per graph and step, whether the algorithm has ended.
    fn labels(&self) -> Vec<bool> {
        let labels = self.graphs.iter().map(|graph| (1..=self.most).map(|it| it >= graph.known));
        labels.flatten().collect()
    }

    /// Share of steps after which the algorithm has ended.
    fn ended(&self) -> f64 {
        let labels = self.labels();
        labels.iter().filter(|&&ended| ended).count() as f64 / labels.len() as f64
    }

    /// What a classifier sees of all graphs and steps.
    fn features(&self, of: fn(&Graph) -> &Points) -> Points {
        let dimensions = of(&self.graphs[0]).dimensions;
        let data = self.graphs.iter().flat_map(|graph| &of(graph).data).copied();
        Points { dimensions, data: data.collect() }
    }
}

/// A rollout on one graph.
struct Graph {
    /// Number of steps that the algorithm takes.
    known: usize,
    /// Per step, the score of the outputs.
    scores: Vec<f64>,
    /// Per step, the norm of the change of all states relative to theirs.
    residuals: Vec<f64>,
    /// Per step, mean and maximum over nodes of the absolute change of each channel.
    differences: Points,
    /// Per step, mean and maximum over nodes of each channel.
    embeddings: Points,
}

impl Graph {
    fn all(rollouts: &Trajectories, most: usize) -> Vec<Self> {
        let outputs = StepOutputs::of(rollouts);
        (0..rollouts.len()).map(|sample| Self::of(rollouts, &outputs, sample, 0..most)).collect()
    }

    fn of(all: &Trajectories, outputs: &StepOutputs, sample: usize, steps: Range<usize>) -> Self {
        let hidden = all.hidden;
        let mut graph = Self {
            known: Steps::Own.of(all.truth.steps(sample)),
            scores: steps.clone().map(|step| outputs.score(sample, step)).collect(),
            residuals: vec![],
            differences: Points::new(2 * hidden),
            embeddings: Points::new(2 * hidden),
        };
        let mut before = vec![0.0; all.state(sample, 0).len()];
        for step in steps {
            let now = all.state(sample, step);
            let change: Vec<f32> = now.iter().zip(&before).map(|(a, b)| (a - b).abs()).collect();
            // The first state has none before it.
            let is_first = step == 0;
            let residual =
                if is_first { f64::INFINITY } else { length(&change) / length(now).max(1e-12) };
            graph.residuals.push(residual);
            for (states, features) in
                [(&*change, &mut graph.differences), (now, &mut graph.embeddings)]
            {
                Pooling::Mean.push(states, hidden, &mut features.data);
                Pooling::Max.push(states, hidden, &mut features.data);
            }
            before.copy_from_slice(now);
        }
        graph
    }
}

fn length(x: &[f32]) -> f64 {
    x.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt()
}

/// The trained classifiers. A rule is a signal per step, and stops when it reaches a threshold.
struct Signals {
    differences: Classifier,
    embeddings: Classifier,
}

impl Signals {
    fn train(training: &Observed) -> Result<Self> {
        let labels = training.labels();
        let train = |of: fn(&Graph) -> &Points| {
            Classifier::train(&training.features(of), &labels, &TRAINING)
        };
        let (differences, embeddings) =
            rayon::join(|| train(|graph| &graph.differences), || train(|graph| &graph.embeddings));
        Ok(Self { differences: differences?, embeddings: embeddings? })
    }

    /// The signal of a rule after each step.
    fn of(&self, rule: Rule, graph: &Graph) -> Vec<f64> {
        let probabilities = |classifier: &Classifier, points: &Points| {
            points.iter().map(|point| classifier.probability(point)).collect()
        };
        let steps = 1..=graph.scores.len();
        match rule {
            Rule::Differences => probabilities(&self.differences, &graph.differences),
            Rule::Embeddings => probabilities(&self.embeddings, &graph.embeddings),
            Rule::Residual => graph.residuals.iter().map(|change| -change).collect(),
            Rule::Constant => steps.map(|steps| steps as f64).collect(),
            Rule::Known => steps.map(|steps| f64::from(u8::from(steps >= graph.known))).collect(),
        }
    }

    /// The threshold with the best score; of equal ones, the one with the fewest steps.
    fn best_threshold(&self, rule: Rule, choosing: &Observed) -> f64 {
        let signals: Vec<Vec<f64>> =
            choosing.graphs.iter().map(|graph| self.of(rule, graph)).collect();
        let candidates = rule.candidates(choosing.most).into_iter();
        let outcomes =
            candidates.map(|threshold| (threshold, outcome(rule, threshold, &signals, choosing)));
        let best = outcomes.max_by(|(_, a), (_, b)| {
            let by_score = a.score.value.total_cmp(&b.score.value);
            by_score.then(b.steps.value.total_cmp(&a.steps.value))
        });
        best.expect("there are candidates").0
    }

    fn outcome(&self, rule: Rule, threshold: f64, observed: &Observed) -> Outcome {
        let signals: Vec<Vec<f64>> =
            observed.graphs.iter().map(|graph| self.of(rule, graph)).collect();
        outcome(rule, threshold, &signals, observed)
    }
}

/// The result of stopping at the first step whose signal reaches the threshold.
fn outcome(rule: Rule, threshold: f64, signals: &[Vec<f64>], observed: &Observed) -> Outcome {
    let stops: Vec<Option<usize>> = signals
        .iter()
        .map(|signal| signal.iter().position(|&signal| signal >= threshold))
        .collect();
    let last = |stop: &Option<usize>| stop.unwrap_or(observed.most - 1);
    let scores = observed.graphs.iter().zip(&stops).map(|(graph, stop)| graph.scores[last(stop)]);
    Outcome {
        rule,
        score: Mean::of(scores),
        steps: Mean::of(stops.iter().map(|stop| (last(stop) + 1) as f64)),
        never: Mean::of(stops.iter().map(|stop| f64::from(u8::from(stop.is_none())))),
    }
}

#[cfg(test)]
mod tests {
    use narscope_model::config::Draft;
    use narscope_model::{Model, OpenModel as _};

    use super::*;
    use crate::analysed::AnalysedModel;
    use crate::context::NoProgress;
    use crate::sampling::Sampling;

    const SAMPLING: Sampling = Sampling { length: 8, scored: 64, ..Sampling::QUICK };

    fn untrained(algorithm: &str) -> AnalysedModel {
        let config =
            format!("algorithms = ['{algorithm}']\nprocessor_type = 'linear_pgn'\nhidden_size = 4");
        let model = Model::initial(&Draft::parse(&config).unwrap().finish().unwrap()).unwrap();
        AnalysedModel::new("untrained".to_owned(), model, None).unwrap()
    }

    /// A rollout whose score is right at the step where the algorithm ends only.
    fn graph(known: usize, residuals: &[f64]) -> Graph {
        let scores = (1..=residuals.len()).map(|steps| f64::from(u8::from(steps == known)));
        let (differences, embeddings) = (Points::new(1), Points::new(1));
        Graph {
            known,
            scores: scores.collect(),
            residuals: residuals.to_vec(),
            differences,
            embeddings,
        }
    }

    #[test]
    fn a_rule_stops_at_the_first_step_that_reaches_its_threshold() {
        let graphs = vec![graph(2, &[1.0, 0.1, 0.01]), graph(3, &[1.0, 0.5, 0.3])];
        let observed = Observed { most: 3, graphs };
        let signals: Vec<Vec<f64>> = observed
            .graphs
            .iter()
            .map(|graph| graph.residuals.iter().map(|change| -change).collect())
            .collect();
        let found = outcome(Rule::Residual, -0.2, &signals, &observed);
        assert_eq!((found.score.value, found.steps.value, found.never.value), (1.0, 2.5, 0.5));
        assert_eq!(found.steps.error, Some(0.5));
        assert_eq!(observed.labels(), [false, true, true, false, false, true]);
        assert_eq!(observed.ended(), 0.5);
    }

    #[test]
    fn every_rule_has_a_result_in_every_setting_and_the_known_steps_always_stop() {
        let model = untrained("bellman_ford");
        let context = Context::new(&model, SAMPLING, &NoProgress);
        let found = Termination::run(&context).unwrap();
        let keys: Vec<(&str, usize, usize)> = found
            .settings
            .iter()
            .map(|setting| (setting.key.as_str(), setting.nodes, setting.graphs))
            .collect();
        let expected = [("n8", 8, 64), ("n16", 16, 32), ("n32", 32, 8), ("p0_1", 8, 64)];
        assert_eq!(keys[..4], expected);
        assert_eq!((found.nodes, found.trained, found.chosen), (8, 256, 256));
        assert!(found.ended > 0.5 && found.ended < 1.0, "{}", found.ended);
        for setting in &found.settings {
            let rules: Vec<Rule> = setting.outcomes.iter().map(|outcome| outcome.rule).collect();
            assert_eq!(rules, Rule::ALL);
            let known = setting.outcome(Rule::Known).unwrap();
            assert!(
                known.never.value == 0.0 && known.steps.value <= (setting.most - BEYOND) as f64
            );
            assert!(setting.outcomes.iter().all(|it| it.steps.value <= setting.most as f64));
        }
        let measures = found.measures();
        assert_eq!(measures.len(), 3 * Rule::ALL.len() * found.settings.len());
        assert!(measures.iter().any(|it| it.key == "score_differences_n32" && it.error.is_some()));
        assert!(found.sentence().contains("At 32 nodes, p = 0.5, network on differences: "));
        let again = Termination::run(&context).unwrap();
        assert_eq!(found, again, "the same seed");
    }

    #[test]
    fn the_constant_is_the_number_of_steps_with_the_best_score() {
        let observed = Observed {
            most: 3,
            graphs: vec![graph(2, &[1.0; 3]), graph(2, &[1.0; 3]), graph(3, &[1.0; 3])],
        };
        let points = Points { dimensions: 1, data: vec![0.0, 1.0] };
        let classifier = Classifier::train(&points, &[false, true], &TRAINING).unwrap();
        let signals = Signals { differences: classifier.clone(), embeddings: classifier };
        assert_eq!(signals.best_threshold(Rule::Constant, &observed), 2.0);
        // All residuals are 1: stopping at once, or never, are all that a threshold can do.
        let at_once = signals.outcome(Rule::Residual, -1.0, &observed);
        assert_eq!((at_once.steps.value, at_once.never.value), (1.0, 0.0));
    }

    #[test]
    fn algorithms_with_a_fixed_number_of_steps_are_unsuitable() {
        let model = untrained("minimum");
        let context = Context::new(&model, SAMPLING, &NoProgress);
        let error = Termination::run(&context).unwrap_err();
        assert!(error.is_unsuitable());
        assert!(
            error.to_string().starts_with(
                "termination needs an algorithm whose number of steps varies, but minimum takes "
            ),
            "{error}"
        );
    }
}
