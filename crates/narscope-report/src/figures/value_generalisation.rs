//! Wrong predictions by distance, predicted and true distances, and scores by density.

use narscope_analysis::analyses::value_generalisation::{Setting, ValueGeneralisation};
use narscope_analysis::histogram::Histogram;
use narscope_clrs::options::Direction;

use super::{Figure, counted, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "value_generalisation",
    paper: "Figure 5; appendix D",
    draw: |answer| {
        let found: ValueGeneralisation = read(answer)?;
        Ok(vec![Picture {
            title: format!(
                "Longer paths than in training ({}, p = 0.25)",
                counted(found.graphs, "undirected graph")
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

/// Number of nodes, relative to the fullest bin, and share of wrong ones, by distance.
fn rates(of: &str, histogram: &Histogram) -> Panel {
    let middle = |bin: usize| histogram.start + (0.5 + bin as f64) * histogram.width;
    let rates = histogram.wrong_rates();
    let rates = rates.iter().enumerate().filter_map(|(bin, rate)| Some((middle(bin), (*rate)?)));
    let counts = histogram.right.iter().zip(&histogram.wrong).map(|(right, wrong)| right + wrong);
    let counts: Vec<usize> = counts.collect();
    let largest = counts.iter().max().copied().unwrap_or(1).max(1) as f64;
    let counts =
        counts.iter().enumerate().map(|(bin, &count)| (middle(bin), count as f64 / largest));
    let line = |points, colour, name: &str| Mark::Line {
        points,
        colour,
        width: 1.8,
        band: vec![],
        name: Some(name.to_owned()),
    };
    Panel {
        title: format!("wrong predictions by {of}"),
        x_label: of.to_owned(),
        y_label: "share".to_owned(),
        marks: vec![
            line(counts.collect(), Colour::Muted, "nodes, relative to the fullest bin"),
            line(rates.collect(), Colour::Wrong, "share of wrong nodes"),
        ],
        y_percent: true,
        y_range: Some((0.0, 1.0)),
        ..Panel::default()
    }
}

fn scatter(found: &ValueGeneralisation) -> Panel {
    let points = |correct: bool| {
        let of = found.drawn.iter().filter(move |(_, _, is_correct)| *is_correct == correct);
        of.map(|&(distance, predicted, _)| (f64::from(distance), f64::from(predicted))).collect()
    };
    let marks = [(true, Colour::Correct, "correct"), (false, Colour::Wrong, "wrong")];
    let longest = found.drawn.iter().map(|node| f64::from(node.0)).fold(0.0, f64::max);
    let mut marks: Vec<Mark> = marks
        .into_iter()
        .map(|(correct, colour, name)| Mark::Points {
            points: points(correct),
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
            band: vec![],
            name: None,
        },
    );
    Panel {
        title: "predicted and true distances".to_owned(),
        x_label: "true distance".to_owned(),
        y_label: "predicted distance".to_owned(),
        marks,
        ..Panel::default()
    }
}

/// Which score of a setting is drawn.
type Score = fn(&Setting) -> f64;

fn densities(found: &ValueGeneralisation) -> Panel {
    let line = |colour, name: &str, points: Vec<(f64, f64)>| Mark::Line {
        points,
        colour,
        width: 1.8,
        band: vec![],
        name: Some(name.to_owned()),
    };
    let by_density = |direction: Direction, score: Score| {
        let of = found.settings.iter().filter(|it| it.direction == direction);
        of.map(|it| (it.p, score(it))).collect()
    };
    let (plain, rescaled): (Score, Score) = (|it| it.score, |it| it.rescaled.0);
    let (undirected, directed) = (Direction::Undirected, Direction::Directed);
    Panel {
        title: "score by density".to_owned(),
        x_label: "probability of an edge, p".to_owned(),
        y_label: "score".to_owned(),
        marks: vec![
            line(Colour::Category(0), "undirected", by_density(undirected, plain)),
            line(
                Colour::Category(1),
                "undirected, weights rescaled",
                by_density(undirected, rescaled),
            ),
            line(Colour::Category(2), "directed", by_density(directed, plain)),
            line(Colour::Category(3), "directed, weights rescaled", by_density(directed, rescaled)),
        ],
        y_percent: true,
        ..Panel::default()
    }
}
