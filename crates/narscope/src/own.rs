//! Instances of users: the flags, the one way to load them, and sentences about them.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use narscope::analysis::analysed::AnalysedModel;
use narscope::analysis::own::OwnSample;
use narscope::clrs::algorithms::Entry;
use narscope::clrs::instance::user::{DecidedBy, GraphReading, Reading, UserInstance};
use narscope::clrs::options::{Direction, OptionName, Options, names};
use narscope::clrs::trace::Traces;
use narscope::files::metadata::Metadata;
use narscope::files::{instance, memory};
use narscope::model::spec::check_precision;
use narscope::model::training_range::{Difference, SampleRange, TrainingRange};

use crate::progress::warn;
use crate::view::number;

/// An instance from a file of the user
#[derive(clap::Args)]
pub(crate) struct OwnOptions {
    /// Read your own instances: .csv, .tsv, .npy, .graphml, .json or .txt, or a folder of such files; an edge list
    /// starts with the line `source,target,weight`, and its nodes may have any names
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Source node, by name or number, with --input [default: the first]
    #[arg(long, requires = "input", value_name = "NODE", allow_hyphen_values = true)]
    source: Option<String>,
    /// Key to search for, with --input
    #[arg(long, requires = "input", allow_hyphen_values = true)]
    target: Option<f64>,
}

/// How a network takes the user's instances
#[derive(Clone, Copy, clap::Args)]
pub(crate) struct RescaleOption {
    /// Divide the weights of --input so that they are in the range that the network was trained on, and multiply
    /// distances back; for shortest paths and spanning trees
    #[arg(long, requires = "input")]
    rescale: bool,
}

/// The direction of the edges of a list, for commands without sampler options
#[derive(Clone, Copy, clap::Args)]
pub(crate) struct UndirectedOption {
    /// Read each edge of --input in both directions
    #[arg(long, requires = "input", conflicts_with = "directed")]
    undirected: bool,
}

impl UndirectedOption {
    /// The direction that was asked for.
    pub(crate) fn or(self, direction: Option<Direction>) -> Option<Direction> {
        if self.undirected { Some(Direction::Undirected) } else { direction }
    }
}

/// An instance of the user, and how the algorithm reads it.
pub(crate) struct Own {
    pub(crate) user: UserInstance,
    pub(crate) reading: Reading,
}

impl OwnOptions {
    /// Whether `--input` was given.
    pub(crate) fn is_given(&self) -> bool {
        self.input.is_some()
    }

    /// Refuses options that apply to random instances only.
    pub(crate) fn check_sampler(&self, options: &Options) -> anyhow::Result<()> {
        let mut given = options.given();
        given.retain(|name| *name != OptionName::Direction);
        if self.is_given() && !given.is_empty() {
            bail!("{} apply to random instances only, not to --input", names(&given));
        }
        Ok(())
    }

    /// Reads the instances for an algorithm; `None` without `--input`.
    pub(crate) fn load(
        self,
        entry: &Entry,
        direction: Option<Direction>,
    ) -> anyhow::Result<Option<Vec<Own>>> {
        let Self { input, source, target } = self;
        let Some(path) = input else { return Ok(None) };
        let own = instance::read(&path)?.into_iter().map(|user| {
            let source = source.clone();
            let user = UserInstance { source, target, direction, ..user };
            let read = || {
                let nodes = user.nodes();
                memory::require(entry.estimated_bytes(nodes), || {
                    format!("a trace of {} on {nodes} nodes", entry.name)
                })?;
                anyhow::Ok(entry.reading(&user)?)
            };
            let reading = read().with_context(|| user.origin.to_string())?;
            Ok(Own { user, reading })
        });
        own.collect::<anyhow::Result<_>>().map(Some)
    }
}

impl Own {
    /// What the instance is called.
    pub(crate) fn name(&self) -> String {
        self.user.origin.name()
    }

    /// Runs the algorithm.
    pub(crate) fn trace(&self, entry: &Entry) -> anyhow::Result<Traces> {
        entry.trace(&self.user).with_context(|| self.user.origin.to_string())
    }

    /// The instance with its size, and its direction if it is a graph.
    pub(crate) fn describe(&self, entry: &Entry) -> String {
        let name = self.name();
        match &self.reading.graph {
            Some(graph) => {
                let nodes = counted(graph.nodes, "node");
                format!("{name}: {nodes}, {}", self.describe_graph(graph, entry))
            }
            None => format!("{name}: {}", self.user.data),
        }
    }

    /// Edges, their direction and what decided it, weights and the source.
    pub(crate) fn describe_graph(&self, graph: &GraphReading, entry: &Entry) -> String {
        let GraphReading { edges, is_directed, decided_by, weights, source, .. } = *graph;
        let kind = if is_directed { "directed edge" } else { "undirected edge" };
        let why = match (decided_by, is_directed) {
            (DecidedBy::File, _) => "as the file states".to_owned(),
            (DecidedBy::Matrix, true) => "the matrix is not symmetric".to_owned(),
            (DecidedBy::Matrix, false) => "the matrix is symmetric".to_owned(),
            (DecidedBy::Caller, true) => "as --directed asks".to_owned(),
            (DecidedBy::Caller, false) => "as --undirected asks".to_owned(),
            (DecidedBy::Default, true) => format!("as {} needs them", entry.name),
            (DecidedBy::Default, false) => {
                format!("the default of {}; --directed reads one direction per edge", entry.name)
            }
        };
        let weights = weights.map(|bounds| format!(", weights {}", between(bounds, number)));
        let source = source.map(|source| format!(", source {}", self.reading.label(source)));
        let [weights, source] = [weights, source].map(Option::unwrap_or_default);
        format!("{} ({why}){weights}{source}", counted(edges, kind))
    }
}

/// The instances as samples for a network. Warns of what they have that training had not.
pub(crate) fn for_network(
    own: &[Own],
    model: &AnalysedModel,
    RescaleOption { rescale }: RescaleOption,
) -> anyhow::Result<Vec<OwnSample>> {
    let entry = model.spec().entry;
    if rescale && !entry.scales() {
        bail!(
            "--rescale is for shortest paths and spanning trees, whose answers do not depend on the unit of weights; {} is neither",
            entry.name
        );
    }
    let trained = model.training_range()?;
    let named = |own: &Own| own.user.origin.to_string();
    let mut samples = vec![];
    for own in own {
        samples.push(OwnSample::new(model, &own.user).with_context(|| named(own))?);
    }
    // One for all, so that their weights keep their proportions.
    let divisor = samples.iter().map(|it| trained.divisor(&it.range())).fold(1.0, f64::max);
    if rescale && divisor > 1.0 {
        for (own, sample) in own.iter().zip(&mut samples) {
            *sample = OwnSample::divided(model, &own.user, divisor).with_context(|| named(own))?;
        }
    }
    let offered = (entry.scales() && !rescale).then_some(divisor);
    for (own, sample) in own.iter().zip(&samples) {
        check_precision(&sample.traces).with_context(|| named(own))?;
    }
    for warning in warnings(&samples, &trained, offered) {
        warn(&warning);
    }
    Ok(samples)
}

/// Maximum number of warnings about one command's instances.
const MOST_WARNINGS: usize = 10;

/// What samples have that training had not, in sentences: one for all samples of which the same is to be said.
fn warnings(samples: &[OwnSample], trained: &TrainingRange, offered: Option<f64>) -> Vec<String> {
    let mut said: Vec<(String, &str, usize)> = vec![];
    for sample in samples {
        let differences = trained.differences(&sample.range());
        for predicate in predicates(&differences, sample.is_directed(), offered) {
            match said.iter_mut().find(|(known, ..)| *known == predicate) {
                Some((_, _, others)) => *others += 1,
                None => said.push((predicate, &sample.name, 0)),
            }
        }
    }
    let sentence = |(predicate, name, others): &(String, &str, usize)| match others {
        0 => format!("{name} {predicate}"),
        others => format!("{name} {predicate} (likewise {})", counted(*others, "other instance")),
    };
    let mut all: Vec<String> = said.iter().take(MOST_WARNINGS).map(sentence).collect();
    if let Some(more @ 1..) = said.len().checked_sub(MOST_WARNINGS) {
        all.push(format!("{} about other instances not shown", counted(more, "warning")));
    }
    all
}

/// Warns of what the samples of a file have that training had not, if they are instances of the user and not random
/// ones. Their weights are as they are: the file cannot be rescaled any more.
pub(crate) fn check_file(
    name: &str,
    traces: &Traces,
    about: &Metadata,
    model: &AnalysedModel,
) -> anyhow::Result<()> {
    let are_own = about.source.as_ref().is_some_and(serde_json::Value::is_array);
    if let Some(range) = SampleRange::of(traces).filter(|_| are_own) {
        let differences = model.training_range()?.differences(&range);
        for predicate in predicates(&differences, about.directed, None) {
            warn(&format!("{name} {predicate}"));
        }
    }
    Ok(())
}

/// What samples have that training had not: sentences that lack their subject, the name of the samples.
fn predicates(
    differences: &[Difference],
    is_directed: Option<bool>,
    offered: Option<f64>,
) -> Vec<String> {
    let sentence = |difference: &Difference| match difference {
        Difference::Input { probe, found, trained } => {
            let what =
                if probe == "A" { "edge weights".to_owned() } else { format!("values of {probe}") };
            let two = |value: f64| format!("{value:.2}");
            let (found, trained) = (between(*found, number), between(*trained, two));
            let offer = match offered {
                Some(divisor) if divisor > 1.0 => {
                    format!("; use --rescale to divide by {}", number(divisor))
                }
                _ => String::new(),
            };
            format!("has {what} from {found}; the network was trained on {trained}{offer}")
        }
        Difference::Nodes { found: (found, _), trained } => {
            let trained = between(*trained, |nodes| nodes.to_string());
            format!("has {}; the network was trained on {trained}", counted(*found, "node"))
        }
        Difference::Steps { found: (found, _), trained } => {
            let trained = between(*trained, |steps| steps.to_string());
            format!("takes {}; the network was trained on {trained}", counted(*found, "step"))
        }
        Difference::Density { found: (found, _), trained } => {
            let percent = |share: f64| format!("{:.0} %", 100.0 * share);
            let (found, trained) = (percent(*found), between(*trained, percent));
            format!("has {found} of all possible edges; the network was trained on {trained}")
        }
        Difference::Direction { is_directed: found_directed } => {
            let (found, trained) = match (*found_directed, is_directed) {
                (true, _) => ("is directed", "undirected"),
                (false, Some(true)) => ("has every edge in both directions", "directed"),
                (false, _) => ("is undirected", "directed"),
            };
            format!("{found}; the network was trained on {trained} graphs")
        }
    };
    differences.iter().map(sentence).collect()
}

/// Two numbers with `to` between them, or one if they are the same.
fn between<T: PartialEq + Copy>((low, high): (T, T), text: impl Fn(T) -> String) -> String {
    if low == high { text(low) } else { format!("{} to {}", text(low), text(high)) }
}

/// A number of things, in the singular if it is one.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// Says by what weights were divided, if they were, for answers that have the user's unit.
pub(crate) fn describe_divisor(divisor: f64) -> Option<String> {
    (divisor != 1.0).then(|| {
        let divisor = number(divisor);
        format!("weights divided by {divisor} for the network; lengths are in your unit")
    })
}

/// Says by what weights were divided, if they were, for files with what the network saw.
pub(crate) fn describe_file_divisor(divisor: f64) -> Option<String> {
    (divisor != 1.0).then(|| {
        let divisor = number(divisor);
        format!("weights and lengths in the file are divided by {divisor}")
    })
}

/// What a file says about instances of the user.
pub(crate) struct OwnMetadata {
    /// Names of the instances, and what their weights were divided by.
    pub(crate) source: serde_json::Value,
    /// Names of the nodes of each instance, unless all nodes are known by their numbers.
    pub(crate) names: Option<Vec<Vec<String>>>,
    /// Whether edges have a direction, if the instances are graphs of one kind.
    pub(crate) directed: Option<bool>,
}

impl OwnMetadata {
    /// What to say about instances, each with its name, its reading and its divisor.
    pub(crate) fn new(instances: &[(String, &Reading, f64)], nodes: usize) -> Self {
        let source = instances
            .iter()
            .map(|(name, _, divisor)| serde_json::json!({ "instance": name, "divisor": divisor }));
        let readings = || instances.iter().map(|(_, reading, _)| *reading);
        let is_named = readings().any(|reading| !reading.names.is_empty());
        let labels = |reading: &Reading| (0..nodes).map(|node| reading.label(node)).collect();
        let mut directed =
            readings().map(|reading| reading.graph.as_ref().map(|graph| graph.is_directed));
        let first = directed.next().flatten();
        Self {
            source: source.collect(),
            names: is_named.then(|| readings().map(labels).collect()),
            directed: first.filter(|_| directed.all(|other| other == first)),
        }
    }
}

/// The traces of all instances, for files, whose samples have one size.
pub(crate) fn together<'a>(
    all: impl IntoIterator<Item = (String, &'a Traces)>,
) -> anyhow::Result<Traces> {
    let mut all = all.into_iter();
    let (first, traces) = all.next().context("expected an instance, found none")?;
    let mut traces = traces.clone();
    for (name, more) in all {
        if more.nodes != traces.nodes {
            bail!(
                "expected instances of one size, because a file holds samples of one size, found {} nodes in {first} and {} in {name}",
                traces.nodes,
                more.nodes
            );
        }
        traces.push_from(more, 0);
    }
    Ok(traces)
}
