//! All our numbers beside the paper's, and what every variant of a network scores.

use crate::comparison::Comparison;
use crate::paper::{Published, Verdict};
use crate::plot::{Colour, Dot, Mark, Panel, Picture};

/// The measure that variants are compared by.
const SCORE: (&str, &str) = ("score", "test");

/// A picture of what stands beside the paper, if anything does.
pub fn beside(comparisons: &[Comparison]) -> Option<Picture> {
    let comparable = comparisons.iter().filter(|row| row.verdict != Some(Verdict::Incomparable));
    let printed: Vec<(&Comparison, Published)> =
        comparable.filter_map(|row| Some((row, row.paper?))).collect();
    if printed.is_empty() {
        return None;
    }
    let scores: Vec<&Comparison> = comparisons
        .iter()
        .filter(|row| (row.analysis.as_str(), row.key.as_str()) == SCORE)
        .collect();
    Some(Picture {
        title: "Beside the paper".to_owned(),
        columns: 2,
        panels: vec![shares(&printed), variants(&scores)],
    })
}

/// Every share that the paper printed, and ours above it: on the line, they are the same.
fn shares(printed: &[(&Comparison, Published)]) -> Panel {
    let kinds = [
        (Verdict::Agrees, Colour::Right),
        (Verdict::Differs, Colour::Wrong),
        (Verdict::NoSpread, Colour::Muted),
    ];
    let of = |verdict: Verdict| {
        let rows = printed.iter().filter(|(row, _)| row.is_share && row.verdict == Some(verdict));
        rows.map(|(row, paper)| (paper.value, row.mean, row.std.unwrap_or(0.0))).collect::<Vec<_>>()
    };
    let line = Mark::Line {
        points: vec![(0.0, 0.0), (1.0, 1.0)],
        colour: Colour::Muted,
        width: 1.0,
        spread: vec![],
        name: None,
    };
    let points = kinds.iter().map(|&(verdict, colour)| (of(verdict), colour, verdict.words()));
    let points = points.filter(|(points, ..)| !points.is_empty());
    let points = points.map(|(points, colour, name)| Mark::Uncertain {
        points,
        colour,
        name: Some(name.to_owned()),
    });
    Panel {
        title: "every share that the paper gives".to_owned(),
        x: "paper".to_owned(),
        y: "ours, mean over seeds".to_owned(),
        marks: std::iter::once(line).chain(points).collect(),
        y_percent: true,
        x_percent: true,
        // Room for what is all or nothing.
        x_range: Some((-0.02, 1.02)),
        y_range: Some((-0.02, 1.02)),
        ..Panel::default()
    }
}

/// What variants score on the benchmark's test samples.
fn variants(scores: &[&Comparison]) -> Panel {
    let ours = scores.iter().map(|row| Some((row.mean, row.std.unwrap_or(0.0))));
    let papers = scores.iter().map(|row| {
        let paper = row.paper?;
        Some((paper.value, paper.std.unwrap_or(0.0)))
    });
    let (ours, papers): (Vec<Option<Dot>>, Vec<Option<Dot>>) = (ours.collect(), papers.collect());
    Panel {
        title: "test score".to_owned(),
        y: "score".to_owned(),
        marks: vec![Mark::Dots {
            names: scores.iter().map(|row| row.variant.clone()).collect(),
            series: vec![
                (Colour::Kind(0), "ours".to_owned(), ours),
                (Colour::Kind(1), "paper".to_owned(), papers),
            ],
        }],
        y_percent: true,
        ..Panel::default()
    }
}
