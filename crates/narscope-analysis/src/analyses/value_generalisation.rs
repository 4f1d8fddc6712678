//! Whether a network can handle longer paths than it was trained on (section 4.1 and appendix D of
//! the paper).

use narscope_clrs::family::FamilyChoice;
use narscope_clrs::options::{Direction, Options};
use narscope_clrs::probe::Stage;
use narscope_model::trajectory::{Kept, Trajectories};
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure, to_draw};
use crate::histogram::{Histogram, auc};
use crate::pointers::{Paths, Pointers, pointer_output};
use crate::study::{Ask, Study};
use crate::{Error, Result};

/// Which way edges go, and how likely they are. The paper gives a mean distance of 0.15 at p = 0.5,
/// which is that of directed graphs, and of 1.1 at p = 0.25, which is that of undirected ones (whose
/// edges are as likely as p squared).
const SETTINGS: [(Direction, f64); 7] = [
    (Direction::Undirected, 0.1),
    LOOKED_AT,
    (Direction::Undirected, 0.5),
    (Direction::Undirected, 0.9),
    (Direction::Directed, 0.25),
    USUAL,
    (Direction::Directed, 0.9),
];
/// What the paper looks closely at.
const LOOKED_AT: (Direction, f64) = (Direction::Undirected, 0.25);
/// Where distances are what they should be.
const USUAL: (Direction, f64) = (Direction::Directed, 0.5);
/// How many nodes are kept to be drawn.
const DRAWN: usize = 3000;

/// Whether a network can handle longer paths than it was trained on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueGeneralisation {
    /// How many graphs there were in each setting.
    pub graphs: usize,
    /// By direction and probability of an edge.
    pub settings: Vec<Setting>,
    /// Nodes of the sparse graphs, by true distance.
    pub by_distance: Histogram,
    /// The same by predicted distance.
    pub by_predicted: Histogram,
    /// How well the predicted distance tells wrong nodes from right ones: 1/2 if not at all.
    pub auc: Option<f64>,
    /// The share of right nodes among those with a predicted distance below 1, and above 1.2.
    pub right_below_and_above: [Option<f64>; 2],
    /// Some nodes: true distance, predicted distance, whether they are right.
    pub drawn: Vec<(f32, f32, bool)>,
}

/// Graphs of one kind and density.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// Which way edges go.
    pub direction: Direction,
    /// The probability of an edge.
    pub p: f64,
    /// The mean distance of nodes that can be reached.
    pub distance: f64,
    /// The longest.
    pub longest_distance: f64,
    /// The mean score.
    pub score: f64,
    /// The mean score when weights are scaled so that the mean distance is that of directed graphs at
    /// p = 1/2, and by how much.
    pub rescaled: (f64, f64),
}

impl Analysis for ValueGeneralisation {
    const NAME: &'static str = "value_generalisation";
    const QUESTION: &'static str = "Can the network handle longer paths than it was trained on?";
    const PAPER: &'static str = "Figure 5, section 4.1, appendix D";

    fn of(study: &Study<'_>) -> Result<Self> {
        study.subject_of_lengths(Self::NAME)?;
        let graphs = study.size.scored;
        let (plain, rescale) = (FamilyChoice::default(), "rescale".parse::<FamilyChoice>()?);
        let ask = |(direction, p): (Direction, f64), scale: Option<f64>| Ask {
            options: Options {
                direction: Some(direction),
                p: Some(vec![p]),
                // The same graphs, each its own class.
                family: if scale.is_some() { rescale.clone() } else { plain.clone() },
                classes: scale.map(|_| graphs),
                factor: scale,
                ..Options::default()
            },
            offset: 500,
            kept: Kept::Max,
            ..Ask::new(graphs)
        };
        let run = |ask: &Ask| -> Result<Trajectories> {
            let traces = study.samples(Self::NAME, ask)?;
            study.run(Self::NAME, &traces, ask, &mut narscope_model::rollout::NoHook)
        };
        let no_paths = || Paths::missing(Self::NAME);
        for setting in SETTINGS {
            let Ask { options, .. } = ask(setting, None);
            if study.subject(Self::NAME)?.draw(4, &options, study.size.seed, 1).is_err() {
                let wanted = "directed and undirected graphs";
                return Err(Error::unsuitable(Self::NAME, wanted, "this algorithm takes others"));
            }
        }
        let usual = run(&ask(USUAL, None))?;
        let (usual_distance, _) = distances(&usual, &Paths::of(&usual).ok_or_else(no_paths)?);

        let mut settings = vec![];
        let mut nodes = vec![];
        for setting in SETTINGS {
            let other = if setting == USUAL { None } else { Some(run(&ask(setting, None))?) };
            let plain = other.as_ref().unwrap_or(&usual);
            let paths = Paths::of(plain).ok_or_else(no_paths)?;
            let (distance, longest_distance) = distances(plain, &paths);
            let scale = usual_distance / distance;
            if !(scale.is_finite() && scale > 0.0) {
                let found = "in some of these, no node can be reached";
                return Err(Error::unsuitable(Self::NAME, "larger or more graphs", found));
            }
            let score = plain.mean_score();
            let rescaled = match other {
                Some(_) => run(&ask(setting, Some(scale)))?.mean_score(),
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
            if setting == LOOKED_AT {
                nodes = each_node(plain, &paths).ok_or_else(no_paths)?;
            }
        }
        Ok(Self::of_nodes(graphs, settings, &nodes))
    }

    fn sentence(&self) -> String {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let setting = |wanted| self.settings.iter().find(|it| (it.direction, it.p) == wanted);
        let (Some(usual), Some(sparse)) = (setting(USUAL), setting(LOOKED_AT)) else {
            return "Some densities are missing.".to_owned();
        };
        format!(
            "The score is {} on directed graphs with p = 0.5, where distances are {:.2} on average, and {} on undirected ones with p = 0.25, where \
             they are {:.2}; with weights scaled by {:.2} it is {}.",
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
            let way = setting.way();
            let key = format!("{way}_{p}").replace('.', "_");
            let where_ = format!("{way}, p = {p}");
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
    /// Which way edges go, in a word.
    pub fn way(&self) -> &'static str {
        match self.direction {
            Direction::Undirected => "undirected",
            Direction::Directed => "directed",
            Direction::Acyclic => "acyclic",
        }
    }
}

/// A node that can be reached: true distance, predicted distance, whether its pointer is right.
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

/// The mean and the largest distance of nodes that can be reached, but for sources.
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
    let said = &all.predicted.columns[all.predicted.find(Stage::Output, &probe.name)?];
    let (right, said) = (Pointers::of(right, truth.nodes), Pointers::of(said, truth.nodes));
    let mut nodes = vec![];
    for sample in 0..all.len() {
        let (distances, predicted) = (paths.distances(all, sample), paths.predicted(all, sample)?);
        let pairs = right.get(sample).iter().zip(said.get(sample));
        for ((&distance, &predicted), (right, said)) in distances.iter().zip(predicted).zip(pairs) {
            if distance > 0.0 {
                nodes.push((distance, predicted, right == said));
            }
        }
    }
    Some(nodes)
}
