//! Who agrees with whom, when nodes were right, and how near wrong answers are to right ones.

use narscope_analysis::analyses::mispredicts::{History, Margins, Mispredicts};

use super::{Figure, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "mispredicts",
    paper: "Figure 4",
    draw: |answer| {
        let found: Mispredicts = read(answer)?;
        let mut panels = vec![];
        if let Some(agreement) = &found.agreement {
            let marks = vec![Mark::Cells {
                values: agreement.shares.clone(),
                rows: agreement.names.clone(),
                columns: agreement.names.clone(),
            }];
            let title = "share of nodes with the same answer".to_owned();
            panels.push(Panel { title, marks, ..Panel::default() });
        }
        panels.push(table(&found.history));
        panels.push(flips(&found.history));
        panels.extend(found.margins.as_ref().map(margins));
        Ok(vec![Picture {
            title: format!("Answers `{}` of {} graphs", found.output, found.graphs),
            columns: 2,
            panels,
        }])
    },
    spaces: None,
};

fn table(history: &History) -> Panel {
    let History { right, was_right, never_right, .. } = *history;
    let marks = vec![Mark::Cells {
        // Few nodes never were right: two digits of a share would not show them.
        values: [[right, 0.0], [was_right, never_right]]
            .map(|row| row.map(|share| 100.0 * share).to_vec())
            .to_vec(),
        rows: vec!["right at the end".to_owned(), "wrong at the end".to_owned()],
        columns: vec!["right at some step".to_owned(), "never right".to_owned()],
    }];
    Panel { title: "nodes, in percent".to_owned(), marks, ..Panel::default() }
}

fn flips(history: &History) -> Panel {
    let points = history.right_before_end.iter().enumerate();
    let points = points.map(|(before, &share)| (-(before as f64), share)).collect();
    Panel {
        title: "right, step by step".to_owned(),
        x: "steps from the end".to_owned(),
        y: "nodes that are right".to_owned(),
        marks: vec![Mark::Line {
            points,
            colour: Colour::Kind(0),
            width: 1.8,
            spread: vec![],
            name: None,
        }],
        y_percent: true,
        x_counts: true,
        ..Panel::default()
    }
}

fn margins(margins: &Margins) -> Panel {
    let histogram = &margins.histogram;
    let shares = |counts: &[usize]| -> Vec<(f64, f64)> {
        let all = counts.iter().sum::<usize>().max(1) as f64;
        let bins = counts.iter().enumerate();
        bins.map(|(bin, &count)| {
            (histogram.start + (0.5 + bin as f64) * histogram.width, count as f64 / all)
        })
        .collect()
    };
    let line = |colour, counts: &[usize], name: &str| Mark::Line {
        points: shares(counts),
        colour,
        width: 1.8,
        spread: vec![],
        name: Some(name.to_owned()),
    };
    Panel {
        title: "how much longer the second best path is".to_owned(),
        x: "difference of lengths".to_owned(),
        y: "share of nodes".to_owned(),
        marks: vec![
            line(Colour::Right, &histogram.right, "right"),
            line(Colour::Wrong, &histogram.wrong, "wrong"),
        ],
        y_percent: true,
        ..Panel::default()
    }
}
