//! Agreement with other algorithms, correctness by step, and margins of wrong predictions.

use narscope_analysis::analyses::mispredicts::{History, Margins, Mispredicts};

use super::{Figure, counted, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "mispredicts",
    paper: "Figure 4",
    draw: |answer| {
        let found: Mispredicts = read(answer)?;
        let mut panels = vec![];
        if let Some(agreement) = &found.agreement {
            let marks = vec![Mark::Heatmap {
                values: agreement.shares.clone(),
                rows: agreement.names.clone(),
                columns: agreement.names.clone(),
            }];
            let title = "share of nodes with the same prediction".to_owned();
            panels.push(Panel { title, marks, ..Panel::default() });
        }
        panels.push(correct_at_end(&found.history));
        panels.push(correct_by_step(&found.history));
        panels.extend(found.margins.as_ref().map(margins));
        Ok(vec![Picture {
            title: format!(
                "Predictions of `{}` on {}",
                found.output,
                counted(found.graphs, "graph")
            ),
            columns: 2,
            panels,
        }])
    },
    spaces: None,
};

fn correct_at_end(history: &History) -> Panel {
    let History { right, was_right, never_right, .. } = *history;
    let marks = vec![Mark::Heatmap {
        // In percent: few nodes are never correct, and two digits of a share would not show them.
        values: [[right, 0.0], [was_right, never_right]]
            .map(|row| row.map(|share| 100.0 * share).to_vec())
            .to_vec(),
        rows: vec!["correct at the end".to_owned(), "wrong at the end".to_owned()],
        columns: vec!["correct at some step".to_owned(), "never correct".to_owned()],
    }];
    Panel { title: "nodes, in percent".to_owned(), marks, ..Panel::default() }
}

fn correct_by_step(history: &History) -> Panel {
    let points = history.right_before_end.iter().enumerate();
    let points = points.map(|(before, &share)| (-(before as f64), share)).collect();
    Panel {
        title: "correct nodes by step".to_owned(),
        x_label: "steps from the end".to_owned(),
        y_label: "correct nodes".to_owned(),
        marks: vec![Mark::Line {
            points,
            colour: Colour::Category(0),
            width: 1.8,
            band: vec![],
            name: None,
        }],
        y_percent: true,
        x_integers: true,
        ..Panel::default()
    }
}

fn margins(margins: &Margins) -> Panel {
    let histogram = &margins.histogram;
    let shares = |counts: &[usize]| -> Vec<(f64, f64)> {
        let total = counts.iter().sum::<usize>().max(1) as f64;
        let bins = counts.iter().enumerate();
        bins.map(|(bin, &count)| {
            (histogram.start + (0.5 + bin as f64) * histogram.width, count as f64 / total)
        })
        .collect()
    };
    let line = |colour, counts: &[usize], name: &str| Mark::Line {
        points: shares(counts),
        colour,
        width: 1.8,
        band: vec![],
        name: Some(name.to_owned()),
    };
    Panel {
        title: "margin between the two shortest paths".to_owned(),
        x_label: "difference in length".to_owned(),
        y_label: "share of nodes".to_owned(),
        marks: vec![
            line(Colour::Correct, &histogram.right, "correct"),
            line(Colour::Wrong, &histogram.wrong, "wrong"),
        ],
        y_percent: true,
        ..Panel::default()
    }
}
