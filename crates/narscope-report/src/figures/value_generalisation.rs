//! Mispredictions by distance, and predicted distances beside true ones.

use narscope_analysis::analyses::value_generalisation::{Setting, ValueGeneralisation};
use narscope_analysis::histogram::Histogram;
use narscope_clrs::options::Direction;

use super::{Figure, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "value_generalisation",
    paper: "Figure 5; appendix D",
    draw: |answer| {
        let found: ValueGeneralisation = read(answer)?;
        Ok(vec![Picture {
            title: format!(
                "Longer paths than in training ({} undirected graphs, p = 0.25)",
                found.graphs
            ),
            columns: 2,
            panels: vec![
                rates("true distance", &found.by_distance),
                rates("predicted distance", &found.by_predicted),
                scatter(&found),
                densities(&found),
            ],
        }])
    },
    spaces: None,
};

/// How many nodes there are, and the share of wrong ones, by distance.
fn rates(of: &str, histogram: &Histogram) -> Panel {
    let middle = |bin: usize| histogram.start + (0.5 + bin as f64) * histogram.width;
    let rates = histogram.wrong_rates();
    let rates = rates.iter().enumerate().filter_map(|(bin, rate)| Some((middle(bin), (*rate)?)));
    let counts = histogram.right.iter().zip(&histogram.wrong).map(|(right, wrong)| right + wrong);
    let counts: Vec<usize> = counts.collect();
    let most = counts.iter().max().copied().unwrap_or(1).max(1) as f64;
    let counts = counts.iter().enumerate().map(|(bin, &count)| (middle(bin), count as f64 / most));
    let line = |points, colour, name: &str| Mark::Line {
        points,
        colour,
        width: 1.8,
        spread: vec![],
        name: Some(name.to_owned()),
    };
    Panel {
        title: format!("mispredictions by {of}"),
        x: of.to_owned(),
        y: "share of nodes".to_owned(),
        marks: vec![
            line(counts.collect(), Colour::Muted, "how many (of the most)"),
            line(rates.collect(), Colour::Wrong, "of them wrong"),
        ],
        y_percent: true,
        y_range: Some((0.0, 1.0)),
        ..Panel::default()
    }
}

fn scatter(found: &ValueGeneralisation) -> Panel {
    let points = |wanted: bool| {
        let of = found.drawn.iter().filter(move |(_, _, is_right)| *is_right == wanted);
        of.map(|&(distance, predicted, _)| (f64::from(distance), f64::from(predicted))).collect()
    };
    let marks = [(true, Colour::Right, "right"), (false, Colour::Wrong, "wrong")];
    let longest = found.drawn.iter().map(|node| f64::from(node.0)).fold(0.0, f64::max);
    let mut marks: Vec<Mark> = marks
        .into_iter()
        .map(|(wanted, colour, name)| Mark::Points {
            points: points(wanted),
            colour,
            size: 1.4,
            name: Some(name.to_owned()),
        })
        .collect();
    marks.insert(
        0,
        Mark::Line {
            points: vec![(0.0, 0.0), (longest, longest)],
            colour: Colour::Muted,
            width: 1.0,
            spread: vec![],
            name: None,
        },
    );
    Panel {
        title: "predicted beside true distances".to_owned(),
        x: "true distance".to_owned(),
        y: "predicted distance".to_owned(),
        marks,
        ..Panel::default()
    }
}

/// What is drawn of a setting.
type Score = fn(&Setting) -> f64;

fn densities(found: &ValueGeneralisation) -> Panel {
    let line = |colour, name: &str, points: Vec<(f64, f64)>| Mark::Line {
        points,
        colour,
        width: 1.8,
        spread: vec![],
        name: Some(name.to_owned()),
    };
    let along = |direction: Direction, score: Score| {
        let of = found.settings.iter().filter(|it| it.direction == direction);
        of.map(|it| (it.p, score(it))).collect()
    };
    let (plain, rescaled): (Score, Score) = (|it| it.score, |it| it.rescaled.0);
    let (both, one) = (Direction::Undirected, Direction::Directed);
    Panel {
        title: "score by density".to_owned(),
        x: "probability of an edge, p".to_owned(),
        y: "score".to_owned(),
        marks: vec![
            line(Colour::Kind(0), "undirected", along(both, plain)),
            line(Colour::Kind(1), "undirected, weights rescaled", along(both, rescaled)),
            line(Colour::Kind(2), "directed", along(one, plain)),
            line(Colour::Kind(3), "directed, weights rescaled", along(one, rescaled)),
        ],
        y_percent: true,
        ..Panel::default()
    }
}
