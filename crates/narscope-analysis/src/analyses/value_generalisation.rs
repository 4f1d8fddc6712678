//! Generalisation to longer paths than in training (section 4.1 and appendix D of the paper).

use std::fmt::Write as _;

use narscope_clrs::column::Column;
use narscope_clrs::family::FamilyChoice;
use narscope_clrs::options::{Direction, Options};
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::records::Records;
use narscope_clrs::trace::Traces;
use narscope_model::pooling::Pooling;
use narscope_model::rollout::NoHook;
use narscope_model::trajectory::Trajectories;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure, to_draw};
use crate::context::{Context, Request};
use crate::histogram::{Histogram, OwnRange, auc};
use crate::pointers::{Paths, Pointers, pointer_output};
use crate::protocol::Protocol;
use crate::{Error, Result};

/// Directions and probabilities of edges. The paper gives a mean distance of 0.15 at p = 0.5, which is that of
/// directed graphs, and of 1.1 at p = 0.25, which is that of undirected ones (whose edges have probability p²).
const SETTINGS: [(Direction, f64); 7] = [
    (Direction::Undirected, 0.1),
    SPARSE,
    (Direction::Undirected, 0.5),
    (Direction::Undirected, 0.9),
    (Direction::Directed, 0.25),
    TRAINING,
    (Direction::Directed, 0.9),
];
/// The setting that the paper examines in detail.
const SPARSE: (Direction, f64) = (Direction::Undirected, 0.25);
/// The setting whose distances are those of training.
const TRAINING: (Direction, f64) = (Direction::Directed, 0.5);
/// Number of bins of each histogram as coded.
const CODED_BINS: usize = 100;
/// As coded, what the weights of a graph are divided by besides its largest distance.
const CODED_DIVISOR: f64 = 1.2;
/// Number of nodes that are drawn.
const DRAWN: usize = 3000;

/// Generalisation to longer paths than in training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueGeneralisation {
    /// Number of graphs in each setting.
    pub graphs: usize,
    /// Results by direction and probability of edges.
    pub settings: Vec<Setting>,
    /// Correct and wrong nodes of the sparse graphs, by true distance.
    pub by_distance: Histogram,
    /// The same by predicted distance.
    pub by_predicted: Histogram,
    /// AUC of the predicted distance as a predictor of wrong nodes: 1/2 for no information.
    pub auc: Option<f64>,
    /// Share of correct nodes among those with a predicted distance below 1, and above 1.2.
    pub right_below_and_above: [Option<f64>; 2],
    /// Mean score on the sparse graphs as coded, with the weights of each graph divided by 1.2 times its largest distance,
    /// or by 1.2 if that is below 1.
    pub rescaled_per_graph: Option<f64>,
    /// Predicted distances of right and of wrong nodes as coded, if there are both.
    pub coded: Option<CodedHistograms>,
    /// Some nodes: true distance, predicted distance, whether the pointer is correct.
    pub drawn: Vec<(f32, f32, bool)>,
}

/// Predicted distances of right and of wrong nodes in histograms with ranges of their own, divided bin by bin as the
/// authors' notebook does. Bins of the same number have different distances, so the quotient is not a rate at a
/// distance: [`ValueGeneralisation::by_predicted`] has the rates in common bins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodedHistograms {
    /// Predicted distances of right nodes.
    pub right: OwnRange,
    /// Predicted distances of wrong nodes.
    pub wrong: OwnRange,
    /// Per bin number, the count of wrong nodes divided by that of right and wrong ones; `None` without any.
    pub quotients: Vec<Option<f64>>,
}

impl CodedHistograms {
    fn of(right: &[f64], wrong: &[f64]) -> Option<Self> {
        let right = OwnRange::of(right, CODED_BINS)?;
        let wrong = OwnRange::of(wrong, CODED_BINS)?;
        let quotient = |(&right, &wrong): (&usize, &usize)| {
            (right + wrong > 0).then(|| wrong as f64 / (right + wrong) as f64)
        };
        let quotients = right.counts.iter().zip(&wrong.counts).map(quotient).collect();
        Some(Self { right, wrong, quotients })
    }

    /// Mean quotient of the bins that start above a predicted distance in the histogram of wrong nodes; `None` without
    /// such bins.
    pub fn mean_quotient_above(&self, x: f64) -> Option<f64> {
        let bins = (0..CODED_BINS).filter(|&bin| self.wrong.edge(bin) > x);
        let quotients: Vec<f64> = bins.filter_map(|bin| self.quotients[bin]).collect();
        (!quotients.is_empty()).then(|| quotients.iter().sum::<f64>() / quotients.len() as f64)
    }
}

/// Results for graphs of one direction and density.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// Direction of edges.
    pub direction: Direction,
    /// Probability of an edge.
    pub p: f64,
    /// Mean distance of reachable nodes other than the source.
    pub distance: f64,
    /// Mean distance of all nodes, where the source and unreachable nodes have distance 0.
    pub distance_all_nodes: f64,
    /// Largest distance.
    pub longest_distance: f64,
    /// Mean score.
    pub score: f64,
    /// Mean score with weights scaled as stated, by one factor such that the mean distance is that of directed graphs at
    /// p = 1/2, and the factor.
    pub rescaled: Option<(f64, f64)>,
}

impl Analysis for ValueGeneralisation {
    const NAME: &'static str = "value_generalisation";
    const QUESTION: &'static str = "Does the network generalise to longer paths than in training?";
    const PAPER: &'static str = "Figure 5, section 4.1, appendix D";
    const REVISION: u32 = 6;
    const PROTOCOLS: Option<&'static str> = Some(
        "As stated, all weights are scaled by one factor, so that the mean distance is that of training; as coded, the weights of each \
         graph are divided by 1.2 times its largest distance, or by 1.2 if that is below 1. As stated, the rate of wrong nodes is their \
         share among the nodes at a predicted distance; as coded, right and wrong nodes have a histogram each, with 100 bins over a range \
         of its own, and bins of the same number are divided although they are at different distances. Predicted distances are those at \
         the end of each graph; the authors' are those of the last hint of a batch, beyond the end of most graphs.",
    );

    fn run(context: &Context<'_>) -> Result<Self> {
        context.shortest_path_network(Self::NAME)?;
        let graphs = context.sampling.scored;
        let (plain, rescale) = (FamilyChoice::default(), "rescale".parse::<FamilyChoice>()?);
        let request = |(direction, p): (Direction, f64), scale: Option<f64>| Request {
            options: Options {
                direction: Some(direction),
                p: Some(vec![p]),
                // The same graphs, each a class of its own.
                family: if scale.is_some() { rescale.clone() } else { plain.clone() },
                classes: scale.map(|_| graphs),
                factor: scale,
                ..Options::default()
            },
            seed_offset: 500,
            pooling: Pooling::Max,
            ..Request::new(graphs)
        };
        let run = |request: &Request| -> Result<Trajectories> {
            let traces = context.samples(Self::NAME, request)?;
            context.run(Self::NAME, &traces, request, &mut NoHook)
        };
        let no_paths = || Paths::missing(Self::NAME);
        for setting in SETTINGS {
            let Request { options, .. } = request(setting, None);
            if context.model(Self::NAME)?.draw(4, &options, context.sampling.seed, 1).is_err() {
                let needed = "directed and undirected graphs";
                return Err(Error::unsuitable(Self::NAME, needed, "this algorithm takes others"));
            }
        }
        let usual = run(&request(TRAINING, None))?;
        let usual_distance = Distances::of(&usual, &Paths::of(&usual).ok_or_else(no_paths)?).mean;

        let as_stated = context.sampling.includes(Protocol::AsStated);
        let as_coded = context.sampling.includes(Protocol::AsCoded);
        let (mut settings, mut nodes, mut rescaled_per_graph) = (vec![], vec![], None);
        for setting in SETTINGS {
            let other =
                if setting == TRAINING { None } else { Some(run(&request(setting, None))?) };
            let plain = other.as_ref().unwrap_or(&usual);
            let paths = Paths::of(plain).ok_or_else(no_paths)?;
            let distances = Distances::of(plain, &paths);
            let scale = usual_distance / distances.mean;
            if !(scale.is_finite() && scale > 0.0) {
                let found = "in some settings no node is reachable";
                return Err(Error::unsuitable(Self::NAME, "larger or more graphs", found));
            }
            let score = plain.mean_score();
            let rescaled = match other {
                Some(_) if as_stated => {
                    Some((run(&request(setting, Some(scale)))?.mean_score(), scale))
                }
                None if as_stated => Some((score, scale)),
                _ => None,
            };
            let (direction, p) = setting;
            settings.push(Setting {
                direction,
                p,
                distance: distances.mean,
                distance_all_nodes: distances.mean_of_all,
                longest_distance: distances.longest,
                score,
                rescaled,
            });
            if setting == SPARSE {
                nodes = each_node(plain, &paths).ok_or_else(no_paths)?;
                if as_coded {
                    let traces = divided_per_graph(context, plain, &paths)?;
                    let request = request(setting, None);
                    let all = context.run(Self::NAME, &traces, &request, &mut NoHook)?;
                    rescaled_per_graph = Some(all.mean_score());
                }
            }
        }
        let found = Self::of_nodes(graphs, settings, &nodes);
        let coded = found.coded.clone().filter(|_| as_coded);
        Ok(Self { rescaled_per_graph, coded, ..found })
    }

    fn sentence(&self) -> String {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let setting = |wanted| self.settings.iter().find(|it| (it.direction, it.p) == wanted);
        let (Some(usual), Some(sparse)) = (setting(TRAINING), setting(SPARSE)) else {
            return "Some settings are missing.".to_owned();
        };
        let mut sentence = format!(
            "The score is {} on directed graphs with p = 0.5 (mean distance {:.2}) and {} on undirected graphs with p = 0.25 (mean distance \
             {:.2}).",
            percent(usual.score),
            usual.distance,
            percent(sparse.score),
            sparse.distance,
        );
        if let Some((score, factor)) = sparse.rescaled {
            let percent = percent(score);
            let _ = write!(sentence, " With their weights scaled by {factor:.2} it is {percent}.");
        }
        if let Some(score) = self.rescaled_per_graph {
            let _ = write!(sentence, " With each graph scaled by itself it is {}.", percent(score));
        }
        sentence
    }

    fn measures(&self) -> Vec<Measure> {
        let mut measures = vec![];
        for setting in &self.settings {
            let Setting { p, distance, distance_all_nodes, score, rescaled, .. } = *setting;
            let direction = setting.direction_name();
            let key = format!("{direction}_{p}").replace('.', "_");
            let where_ = format!("{direction}, p = {p}");
            measures.push(Measure::share(
                format!("score_{key}"),
                format!("score, {where_}"),
                score,
            ));
            if let Some((rescaled, _)) = rescaled {
                let label = format!("score, {where_}, weights rescaled by one factor");
                measures.push(Measure::share(format!("rescaled_{key}"), label, rescaled));
            }
            let label = format!("mean distance of reachable nodes, {where_}");
            measures.push(Measure::number(format!("distance_{key}"), label, distance));
            let label = format!("mean distance of all nodes, {where_}");
            let key = format!("distance_all_nodes_{key}");
            measures.push(Measure::number(key, label, distance_all_nodes));
        }
        let label = "score, undirected, p = 0.25, weights rescaled per graph as coded";
        let key = "rescaled_per_graph_undirected_0_25";
        measures.extend(self.rescaled_per_graph.map(|score| Measure::share(key, label, score)));
        let [below, above] = self.right_below_and_above;
        let label = "right among predicted distances below 1, undirected, p = 0.25";
        measures.extend(below.map(|share| Measure::share("right_below_1", label, share)));
        let label = "right among predicted distances above 1.2, undirected, p = 0.25";
        measures.extend(above.map(|share| Measure::share("right_above_1_2", label, share)));
        let label = "wrong among predicted distances above 1.5, undirected, p = 0.25";
        let wrong = self.by_predicted.wrong_from(1.5);
        measures.extend(wrong.map(|share| Measure::share("wrong_above_1_5", label, share)));
        let label = "quotient of histograms above 1.5, undirected, p = 0.25, as coded";
        let quotient = self.coded.as_ref().and_then(|coded| coded.mean_quotient_above(1.5));
        measures.extend(quotient.map(|it| Measure::share("wrong_above_1_5_as_coded", label, it)));
        let label = "how well the predicted distance tells wrong nodes (AUC)";
        measures.extend(self.auc.map(|auc| Measure::number("auc", label, auc)));
        measures
    }
}

impl Setting {
    /// Name of the direction of edges.
    pub fn direction_name(&self) -> &'static str {
        match self.direction {
            Direction::Undirected => "undirected",
            Direction::Directed => "directed",
            Direction::Acyclic => "acyclic",
        }
    }
}

/// A reachable node: true distance, predicted distance, whether its pointer is correct.
type Node = (f64, f64, bool);

impl ValueGeneralisation {
    fn of_nodes(graphs: usize, settings: Vec<Setting>, nodes: &[Node]) -> Self {
        let mut by_distance = Histogram::new(0.0, 0.1, 25);
        let mut by_predicted = by_distance.clone();
        for &(distance, predicted, is_right) in nodes {
            by_distance.add(distance, is_right);
            by_predicted.add(predicted, is_right);
        }
        let predicted = |wanted: bool| -> Vec<f64> {
            let of = nodes.iter().filter(|(_, _, is_right)| *is_right == wanted);
            of.map(|&(_, predicted, _)| predicted).collect()
        };
        let share = |chosen: &dyn Fn(f64) -> bool| {
            let there: Vec<bool> =
                nodes.iter().filter(|node| chosen(node.1)).map(|node| node.2).collect();
            let right = there.iter().filter(|&&is_right| is_right).count();
            (!there.is_empty()).then(|| right as f64 / there.len() as f64)
        };
        let (right, wrong) = (predicted(true), predicted(false));
        let every = nodes.len().div_ceil(DRAWN).max(1);
        let drawn = nodes.iter().step_by(every);
        Self {
            graphs,
            settings,
            by_distance,
            by_predicted,
            auc: auc(&right, &wrong),
            right_below_and_above: [share(&|d| d < 1.0), share(&|d| d > 1.2)],
            rescaled_per_graph: None,
            coded: CodedHistograms::of(&right, &wrong),
            drawn: drawn
                .map(|&(d, predicted, right)| (to_draw(d), to_draw(predicted), right))
                .collect(),
        }
    }
}

/// Distances of the nodes of all graphs.
struct Distances {
    /// Mean over reachable nodes other than the source.
    mean: f64,
    /// Mean over all nodes; the source and unreachable nodes have distance 0.
    mean_of_all: f64,
    longest: f64,
}

impl Distances {
    fn of(all: &Trajectories, paths: &Paths) -> Self {
        let (mut sum, mut count, mut nodes, mut longest) = (0.0, 0_usize, 0_usize, 0.0_f64);
        for sample in 0..all.len() {
            let distances = paths.distances(all, sample);
            nodes += distances.len();
            for &distance in distances.iter().filter(|&&distance| distance > 0.0) {
                sum += distance;
                count += 1;
                longest = longest.max(distance);
            }
        }
        Self { mean: sum / count.max(1) as f64, mean_of_all: sum / nodes.max(1) as f64, longest }
    }
}

/// The same graphs with the weights of each divided as coded, so that no distance is above 1 / 1.2.
fn divided_per_graph(context: &Context<'_>, all: &Trajectories, paths: &Paths) -> Result<Traces> {
    let entry = context.model(ValueGeneralisation::NAME)?.spec().entry;
    let truth = &all.truth;
    let is_input = |probe: &&Probe| probe.stage == Stage::Input;
    let inputs = truth.probes.iter().filter(is_input).count();
    let weights = truth.find(Stage::Input, "A").expect("paths have weights");
    let mut divided = Traces::new(truth.probes.clone(), truth.nodes);
    for sample in 0..all.len() {
        let longest = paths.distances(all, sample).iter().copied().fold(1.0, f64::max);
        let divisor = CODED_DIVISOR * longest;
        let graph: Vec<f64> = paths.weights(sample).iter().map(|it| it / divisor).collect();
        let mut columns = truth.select(&[sample]).columns;
        columns.truncate(inputs);
        columns[weights] = Column::Real(Records::from_plain(graph.len(), &graph));
        divided.push_from(&entry.replay(truth.nodes, &columns, 0)?, 0);
    }
    Ok(divided)
}

fn each_node(all: &Trajectories, paths: &Paths) -> Option<Vec<Node>> {
    let truth = &all.truth;
    let (_, probe) = pointer_output(&truth.probes)?;
    let right = &truth.columns[truth.find(Stage::Output, &probe.name)?];
    let predicted = &all.predicted.columns[all.predicted.find(Stage::Output, &probe.name)?];
    let (right, pointers) =
        (Pointers::of(right, truth.nodes), Pointers::of(predicted, truth.nodes));
    let mut nodes = vec![];
    for sample in 0..all.len() {
        let (distances, predicted) = (paths.distances(all, sample), paths.predicted(all, sample)?);
        let pairs = right.get(sample).iter().zip(pointers.get(sample));
        for ((&distance, &predicted), (right, pointer)) in
            distances.iter().zip(predicted).zip(pairs)
        {
            if distance > 0.0 {
                nodes.push((distance, predicted, right == pointer));
            }
        }
    }
    Some(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_as_coded_are_divided_by_bin_number_not_by_distance() {
        // Right nodes from 0 to 1, wrong ones from 1 to 3: bins of the same number never overlap.
        let right: Vec<f64> = (0..=100).map(|i| f64::from(i) / 100.0).collect();
        let wrong: Vec<f64> = (0..=100).map(|i| 1.0 + f64::from(i) / 50.0).collect();
        let found = CodedHistograms::of(&right, &wrong).unwrap();
        let sum: usize = found.right.counts.iter().sum();
        assert_eq!((sum, found.right.counts.len()), (101, 100));
        assert_eq!((found.right.width, found.wrong.width), (0.01, 0.02));
        let quotient = found.mean_quotient_above(1.5).unwrap();
        assert!((quotient - 0.5).abs() < 0.1, "{quotient}, though all above 1.5 are wrong");
        assert_eq!(found.mean_quotient_above(3.5), None);
        assert_eq!(CodedHistograms::of(&right, &[]), None);
    }
}
