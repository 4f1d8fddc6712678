//! Wrong predictions by distance, predicted and true distances, and scores by density.

use narscope_analysis::analyses::value_generalisation::{Setting, ValueGeneralisation};
use narscope_analysis::histogram::Histogram;
use narscope_clrs::options::Direction;

use super::Figure;
use super::marks::{Row, curves, dots, right_and_wrong, wrong_rates};
use super::seeds::{Network, SHARE, Shown, means, networks, seeds_in_words};
use super::words::{change, counted, decimals, percents};
use crate::plot::{Axis, Colour, Line, Mark, Panel, Picture, Points, Reference};

pub(super) const FIGURE: Figure = Figure {
    name: "value_generalisation",
    paper: "Figure 5; appendix D",
    draw: |groups| {
        let networks = networks::<ValueGeneralisation>(groups)?;
        Ok(vec![by_distance(&networks), by_setting(&networks), scatters(&networks)])
    },
    details: None,
    spaces: None,
};

/// The graphs whose nodes the answer has.
pub(super) const SPARSE: (Direction, f64) = (Direction::Undirected, 0.25);
/// The graphs whose distances are those of training.
const TRAINING: (Direction, f64) = (Direction::Directed, 0.5);

pub(super) fn setting(found: &ValueGeneralisation, wanted: (Direction, f64)) -> Option<&Setting> {
    found.settings.iter().find(|it| (it.direction, it.p) == wanted)
}

/// What the score of a setting gains by rescaling.
fn change_by_rescaling(setting: &Setting) -> Option<f64> {
    setting.rescaled.map(|(score, _)| score - setting.score)
}

/// Wrong nodes by distance.
fn by_distance(networks: &[Network<'_, ValueGeneralisation>]) -> Picture {
    let all = networks.iter().flat_map(|network| &network.seeds);
    let histogram = Panel {
        title: "distances".to_owned(),
        x: Axis::new("true distance"),
        y: Axis::percent("share of nodes"),
        marks: right_and_wrong(all.map(|(_, found)| &found.by_distance)),
        ..Panel::default()
    };
    Picture {
        title: error_title(networks),
        caption: format!(
            "{}, p = 0.25, whose distances are longer than those of training; {}. a, distances of correct and of wrong nodes, \
             as shares of each, of all networks (the last bin holds all longer ones). b and c, share of wrong nodes by true and \
             by predicted distance.",
            counted(networks[0].first().graphs, "undirected graph"),
            seeds_in_words(networks, Shown::Lines),
        ),
        columns: 3,
        panels: vec![
            histogram,
            rates(networks, "errors by true distance", "true distance", |it| &it.by_distance),
            rates(networks, "errors by predicted distance", "predicted distance", |it| {
                &it.by_predicted
            }),
        ],
        ..Picture::default()
    }
}

/// Share of wrong nodes by a distance.
pub(super) fn rates(
    networks: &[Network<'_, ValueGeneralisation>],
    title: &str,
    label: &str,
    of: fn(&ValueGeneralisation) -> &Histogram,
) -> Panel {
    Panel {
        title: title.to_owned(),
        x: Axis::new(label),
        y: Axis::percent("wrong nodes").from_zero(),
        marks: curves(networks, |found| wrong_rates(of(found))),
        ..Panel::default()
    }
}

/// The shares of wrong nodes with a predicted distance below 1 and above 1.2.
fn error_title(networks: &[Network<'_, ValueGeneralisation>]) -> String {
    let wrong = |end: usize| {
        means(networks, |found| found.right_below_and_above[end].map(|right| 1.0 - right))
    };
    let (near, far) = (wrong(0), wrong(1));
    if near.is_empty() || far.is_empty() {
        return "Errors by distance".to_owned();
    }
    format!(
        "{} of nodes are wrong at predicted distances below 1, {} at those above 1.2",
        percents(&near),
        percents(&far)
    )
}

/// Scores by direction and density, and their change by rescaling.
fn by_setting(networks: &[Network<'_, ValueGeneralisation>]) -> Picture {
    let settings = || networks[0].first().settings.iter().map(|it| (it.direction, it.p));
    let rows = |value: fn(&Setting) -> Option<f64>| -> Vec<Row<'_, ValueGeneralisation>> {
        let row = |wanted: (Direction, f64)| {
            let name = setting(networks[0].first(), wanted).map_or("", Setting::direction_name);
            Row::new(format!("{name}, p = {}", wanted.1), move |found: &ValueGeneralisation| {
                setting(found, wanted).and_then(value)
            })
        };
        settings().map(row).collect()
    };
    let scores = dots(networks, &rows(|it| Some(it.score)), SHARE);
    let changes = dots(networks, &rows(change_by_rescaling), (-1.0, 1.0));
    let distances = means(networks, |found| setting(found, TRAINING).map(|it| it.distance));
    Picture {
        title: rescaling_title(networks),
        caption: format!(
            "a, scores by direction and probability p of edges. b, what changes if the weights are scaled so that the mean \
             distance is {}, that of directed graphs with p = 0.5, as in training. {} each, {}.",
            decimals(&distances, 2),
            counted(networks[0].first().graphs, "graph"),
            seeds_in_words(networks, Shown::Dots),
        ),
        columns: 2,
        panels: vec![
            Panel {
                title: "weights as drawn".to_owned(),
                x: Axis::percent("score"),
                marks: vec![scores.into()],
                ..Panel::default()
            },
            Panel {
                title: "change by rescaling".to_owned(),
                x: Axis::percent("score rescaled \u{2212} score as drawn"),
                marks: vec![Reference::x(0.0, "").into(), changes.into()],
                ..Panel::default()
            },
        ],
        ..Picture::default()
    }
}

fn rescaling_title(networks: &[Network<'_, ValueGeneralisation>]) -> String {
    let scores = means(networks, |found| setting(found, SPARSE).map(|it| it.score));
    let changes = means(networks, |found| setting(found, SPARSE).and_then(change_by_rescaling));
    if scores.is_empty() || changes.is_empty() {
        return "Scores by density".to_owned();
    }
    format!(
        "Paths longer than in training: {} on sparse undirected graphs; rescaling their weights {}",
        percents(&scores),
        change(&changes)
    )
}

/// Predicted and true distances, a panel per variant.
fn scatters(networks: &[Network<'_, ValueGeneralisation>]) -> Picture {
    let panels = networks.iter().map(scatter_panel);
    let ratios = means(networks, ratio_of_long);
    let title = if ratios.is_empty() {
        "Predicted and true distances".to_owned()
    } else {
        format!("Distances beyond 1.5 are predicted as {} of the truth", percents(&ratios))
    };
    Picture {
        title,
        caption: format!(
            "Each point is a node of {}, p = 0.25; at most 3,000 per network. On the line, predictions equal the truth.",
            counted(networks[0].first().graphs, "undirected graph"),
        ),
        columns: networks.len().min(4),
        panels: panels.collect(),
        ..Picture::default()
    }
}

/// Predicted and true distances of the first seed.
pub(super) fn scatter_panel(network: &Network<'_, ValueGeneralisation>) -> Panel {
    Panel {
        title: format!("{}, seed {}", network.variant, network.seeds[0].0),
        x: Axis::new("true distance").from_zero(),
        y: Axis::new("predicted distance").from_zero(),
        marks: scatter(network.first()),
        ..Panel::default()
    }
}

/// Mean predicted distance relative to the mean true one, among nodes beyond 1.5; `None` without such nodes.
pub(super) fn ratio_of_long(found: &ValueGeneralisation) -> Option<f64> {
    let long = found.drawn.iter().filter(|(distance, ..)| *distance > 1.5);
    let (sum, predicted) = long.fold((0.0, 0.0), |(sum, predicted), node| {
        (sum + f64::from(node.0), predicted + f64::from(node.1))
    });
    (sum > 0.0).then(|| predicted / sum)
}

fn scatter(found: &ValueGeneralisation) -> Vec<Mark> {
    let points = |correct: bool| {
        let of = found.drawn.iter().filter(move |(_, _, is_correct)| *is_correct == correct);
        of.map(|&(distance, predicted, _)| (f64::from(distance), f64::from(predicted))).collect()
    };
    let longest = found.drawn.iter().map(|node| f64::from(node.0)).fold(0.0, f64::max);
    vec![
        Line::new(vec![(0.0, 0.0), (longest, longest)], Colour::Muted).width(0.7).into(),
        Points::new(points(true), Colour::Correct).named("correct nodes").into(),
        // Few and between the others: drawn last and larger.
        Points::new(points(false), Colour::Wrong).radius(1.2).named("wrong nodes").into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(score: f64, rescaled: f64) -> Network<'static, ValueGeneralisation> {
        let setting = |(direction, p): (Direction, f64)| Setting {
            direction,
            p,
            distance: 1.0,
            distance_all_nodes: 1.0,
            longest_distance: 2.0,
            score,
            rescaled: Some((rescaled, 0.5)),
        };
        let histogram = Histogram::new(0.0, 0.1, 25);
        let found = ValueGeneralisation {
            graphs: 8,
            settings: vec![setting(SPARSE), setting(TRAINING)],
            by_distance: histogram.clone(),
            by_predicted: histogram,
            auc: None,
            right_below_and_above: [Some(0.75), Some(0.5)],
            rescaled_per_graph: None,
            coded: None,
            drawn: vec![(2.0, 1.0, true), (1.0, 1.0, false)],
        };
        Network { variant: "mpnn", seeds: vec![(42, found)], is_comparable: false }
    }

    #[test]
    fn titles_follow_the_data() {
        assert_eq!(
            rescaling_title(&[network(0.5, 0.75)]),
            "Paths longer than in training: 50 % on sparse undirected graphs; rescaling their weights gains 25.0 points"
        );
        assert!(rescaling_title(&[network(0.75, 0.5)]).ends_with("costs 25.0 points"));
        assert_eq!(
            error_title(&[network(0.5, 0.5)]),
            "25 % of nodes are wrong at predicted distances below 1, 50 % at those above 1.2"
        );
    }

    #[test]
    fn the_title_of_the_scatter_has_the_ratio_of_long_distances() {
        let mut network = network(0.5, 0.5);
        let title = scatters(std::slice::from_ref(&network)).title;
        assert_eq!(title, "Distances beyond 1.5 are predicted as 50 % of the truth");
        network.seeds[0].1.drawn.clear();
        assert_eq!(scatters(&[network]).title, "Predicted and true distances");
    }
}
