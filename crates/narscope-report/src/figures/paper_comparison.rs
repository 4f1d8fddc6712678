//! The whole comparison in one picture: all our numbers beside the paper's, and variants of a network beside each
//! other.

use narscope_results::{Comparison, Published, Verdict};

use crate::plot::{Beside, Colour, Mark, Panel, Picture};

/// A picture of what stands beside the paper, if anything does.
pub fn paper_comparison(comparisons: &[Comparison]) -> Option<Picture> {
    let comparable = comparisons.iter().filter(|row| row.verdict != Some(Verdict::Incomparable));
    let printed: Vec<(&Comparison, Published)> =
        comparable.filter_map(|row| Some((row, row.paper?))).collect();
    if printed.is_empty() {
        return None;
    }
    let scores = comparisons.iter().filter(|row| row.analysis == "score" && row.key == "test");
    let scores = scores.map(|row| (row.variant.clone(), row));
    let table_1 = printed.iter().map(|(row, _)| *row);
    let table_1 = table_1.filter(|row| row.analysis == "perturbations");
    let short = |label: &str| label.replace("accuracy, ", "").replace(" direction", "");
    let table_1 = table_1.map(|row| (short(&row.label), row));
    let panels = [
        Some(shares(&printed)),
        offsets(comparisons),
        rows("accuracy when states are moved (table 1)", &table_1.collect::<Vec<_>>()),
        rows("test score", &scores.collect::<Vec<_>>()),
    ];
    Some(Picture {
        title: "Beside the paper".to_owned(),
        columns: 2,
        panels: panels.into_iter().flatten().collect(),
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

/// What runs score that are shorter or longer than the algorithm takes, of every variant and of the paper.
fn offsets(comparisons: &[Comparison]) -> Option<Panel> {
    let offset = |row: &Comparison| -> Option<f64> {
        row.key.strip_prefix("offset_")?.replace("minus_", "-").parse().ok()
    };
    let rows: Vec<(f64, &Comparison)> = comparisons
        .iter()
        .filter(|row| row.analysis == "attractors")
        .filter_map(|row| Some((offset(row)?, row)))
        .collect();
    let of_variants = rows.chunk_by(|(_, a), (_, b)| a.variant == b.variant);
    let lines = of_variants.enumerate().map(|(kind, rows)| Mark::Line {
        points: rows.iter().map(|(offset, row)| (*offset, row.mean)).collect(),
        colour: Colour::Kind(kind),
        width: 1.8,
        spread: rows.iter().map(|(_, row)| row.std.unwrap_or(0.0)).collect(),
        name: Some(rows[0].1.variant.clone()),
    });
    let printed = rows.iter().filter(|(_, row)| row.verdict != Some(Verdict::Incomparable));
    let printed = printed.filter_map(|(offset, row)| Some((*offset, row.paper?.value)));
    let printed: Vec<(f64, f64)> = printed.collect();
    let papers = (!printed.is_empty()).then(|| Mark::Points {
        points: printed,
        colour: Colour::Ink,
        size: 3.0,
        name: Some("linear_pgn, paper".to_owned()),
    });
    let rule = Mark::Rule { at: 0.0, label: String::new() };
    (!rows.is_empty()).then(|| Panel {
        title: "score when runs are shorter or longer".to_owned(),
        x: "steps more than the algorithm takes".to_owned(),
        y: "score, mean over seeds".to_owned(),
        marks: lines.chain(papers).chain([rule]).collect(),
        y_percent: true,
        x_counts: true,
        ..Panel::default()
    })
}

/// Measures by their names, ours and the paper's, each with its standard deviation.
fn rows(title: &str, rows: &[(String, &Comparison)]) -> Option<Panel> {
    let spread = |value: f64, std: Option<f64>| Beside {
        value,
        interval: std.map(|by| (value - by, value + by)),
    };
    let ours = rows.iter().map(|(_, row)| Some(spread(row.mean, row.std)));
    let papers = rows.iter().map(|(_, row)| row.paper.map(|it| spread(it.value, it.std)));
    let mark = Mark::Rows {
        names: rows.iter().map(|(name, _)| name.clone()).collect(),
        series: vec![
            (Colour::Kind(0), "ours".to_owned(), ours.collect()),
            (Colour::Kind(1), "paper".to_owned(), papers.collect()),
        ],
    };
    (!rows.is_empty()).then(|| Panel {
        title: title.to_owned(),
        x: "score".to_owned(),
        marks: vec![mark],
        x_percent: true,
        ..Panel::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(variant: &str, (analysis, key): (&str, &str), mean: f64, paper: f64) -> Comparison {
        Comparison {
            analysis: analysis.to_owned(),
            variant: variant.to_owned(),
            key: key.to_owned(),
            label: key.to_owned(),
            values: vec![],
            mean,
            std: None,
            paper: Some(Published { value: paper, std: None }),
            claim: None,
            verdict: Some(Verdict::Agrees),
            is_share: true,
        }
    }

    #[test]
    fn there_is_a_panel_for_whatever_was_found() {
        let early = ("attractors", "offset_minus_3");
        let mut all = vec![
            row("a", early, 0.5, 0.6),
            row("a", ("attractors", "offset_4"), 0.75, 0.7),
            row("a", ("attractors", "steps_8"), 0.9, 0.9),
            row("b", early, 0.25, 0.3),
        ];
        let picture = paper_comparison(&all).unwrap();
        let [_, offsets] = &picture.panels[..] else { panic!("neither scores nor table 1") };
        let lines = offsets.marks.iter().filter_map(|mark| match mark {
            Mark::Line { points, .. } => Some(points.clone()),
            _ => None,
        });
        let lines: Vec<_> = lines.collect();
        assert_eq!(lines, [vec![(-3.0, 0.5), (4.0, 0.75)], vec![(-3.0, 0.25)]], "one of each");

        all.push(row("a", ("score", "test"), 0.9, 0.9));
        all.push(row("a", ("perturbations", "noise_free"), 0.9, 0.9));
        assert_eq!(paper_comparison(&all).unwrap().panels.len(), 4);
        for row in &mut all {
            row.verdict = Some(Verdict::Incomparable);
        }
        assert!(paper_comparison(&all).is_none(), "nothing that may stand beside the paper");
    }
}
