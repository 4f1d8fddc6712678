//! Generalisation to longer paths than in training (section 4.1 and appendix D of the paper).

use narscope_clrs::family::FamilyChoice;
use narscope_clrs::options::{Direction, Options};
use narscope_clrs::probe::Stage;
use narscope_model::pooling::Pooling;
use narscope_model::trajectory::Trajectories;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure, to_draw};
use crate::context::{Context, Request};
use crate::histogram::{Histogram, auc};
use crate::pointers::{Paths, Pointers, pointer_output};
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
    /// Some nodes: true distance, predicted distance, whether the pointer is correct.
    pub drawn: Vec<(f32, f32, bool)>,
}

/// Results for graphs of one direction and density.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// Direction of edges.
    pub direction: Direction,
    /// Probability of an edge.
    pub p: f64,
    /// Mean distance of reachable nodes.
    pub distance: f64,
    /// Largest distance.
    pub longest_distance: f64,
    /// Mean score.
    pub score: f64,
    /// Mean score with weights scaled so that the mean distance is that of directed graphs at p = 1/2, and the
    /// factor.
    pub rescaled: (f64, f64),
}

impl Analysis for ValueGeneralisation {
    const NAME: &'static str = "value_generalisation";
    const QUESTION: &'static str = "Does the network generalise to longer paths than in training?";
    const PAPER: &'static str = "Figure 5, section 4.1, appendix D";

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
            context.run(Self::NAME, &traces, request, &mut narscope_model::rollout::NoHook)
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
        let (usual_distance, _) = distances(&usual, &Paths::of(&usual).ok_or_else(no_paths)?);

        let mut settings = vec![];
        let mut nodes = vec![];
        for setting in SETTINGS {
            let other =
                if setting == TRAINING { None } else { Some(run(&request(setting, None))?) };
            let plain = other.as_ref().unwrap_or(&usual);
            let paths = Paths::of(plain).ok_or_else(no_paths)?;
            let (distance, longest_distance) = distances(plain, &paths);
            let scale = usual_distance / distance;
            if !(scale.is_finite() && scale > 0.0) {
                let found = "in some settings no node is reachable";
                return Err(Error::unsuitable(Self::NAME, "larger or more graphs", found));
            }
            let score = plain.mean_score();
            let rescaled = match other {
                Some(_) => run(&request(setting, Some(scale)))?.mean_score(),
                None => score,
            };
            let (direction, p) = setting;
            settings.push(Setting {
                direction,
                p,
                distance,
                longest_distance,
                score,
                rescaled: (rescaled, scale),
            });
            if setting == SPARSE {
                nodes = each_node(plain, &paths).ok_or_else(no_paths)?;
            }
        }
        Ok(Self::of_nodes(graphs, settings, &nodes))
    }

    fn sentence(&self) -> String {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let setting = |wanted| self.settings.iter().find(|it| (it.direction, it.p) == wanted);
        let (Some(usual), Some(sparse)) = (setting(TRAINING), setting(SPARSE)) else {
            return "Some settings are missing.".to_owned();
        };
        format!(
            "The score is {} on directed graphs with p = 0.5 (mean distance {:.2}) and {} on undirected graphs with p = 0.25 (mean distance \
             {:.2}); with their weights scaled by {:.2} it is {}.",
            percent(usual.score),
            usual.distance,
            percent(sparse.score),
            sparse.distance,
            sparse.rescaled.1,
            percent(sparse.rescaled.0),
        )
    }

    fn measures(&self) -> Vec<Measure> {
        let mut measures = vec![];
        for setting in &self.settings {
            let Setting { p, distance, score, rescaled: (rescaled, _), .. } = *setting;
            let direction = setting.direction_name();
            let key = format!("{direction}_{p}").replace('.', "_");
            let where_ = format!("{direction}, p = {p}");
            measures.push(Measure::share(
                format!("score_{key}"),
                format!("score, {where_}"),
                score,
            ));
            let label = format!("score, {where_}, weights rescaled");
            measures.push(Measure::share(format!("rescaled_{key}"), label, rescaled));
            let label = format!("mean distance, {where_}");
            measures.push(Measure::number(format!("distance_{key}"), label, distance));
        }
        let [below, above] = self.right_below_and_above;
        let label = "right among predicted distances below 1, undirected, p = 0.25";
        measures.extend(below.map(|share| Measure::share("right_below_1", label, share)));
        let label = "right among predicted distances above 1.2, undirected, p = 0.25";
        measures.extend(above.map(|share| Measure::share("right_above_1_2", label, share)));
        let label = "wrong among predicted distances above 1.5, undirected, p = 0.25";
        let wrong = self.by_predicted.wrong_from(1.5);
        measures.extend(wrong.map(|share| Measure::share("wrong_above_1_5", label, share)));
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
        let every = nodes.len().div_ceil(DRAWN).max(1);
        let drawn = nodes.iter().step_by(every);
        Self {
            graphs,
            settings,
            by_distance,
            by_predicted,
            auc: auc(&predicted(true), &predicted(false)),
            right_below_and_above: [share(&|d| d < 1.0), share(&|d| d > 1.2)],
            drawn: drawn
                .map(|&(d, predicted, right)| (to_draw(d), to_draw(predicted), right))
                .collect(),
        }
    }
}

/// Mean and largest distance of reachable nodes other than the source.
fn distances(all: &Trajectories, paths: &Paths) -> (f64, f64) {
    let (mut sum, mut count, mut longest) = (0.0, 0_usize, 0.0_f64);
    for sample in 0..all.len() {
        for &distance in paths.distances(all, sample).iter().filter(|&&distance| distance > 0.0) {
            sum += distance;
            count += 1;
            longest = longest.max(distance);
        }
    }
    (sum / count.max(1) as f64, longest)
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
