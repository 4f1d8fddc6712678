//! All comparable measures next to the paper's, in one picture.

use narscope_results::{Comparison, Published, Verdict};

use crate::plot::{Colour, DotSeries, ErrorPoint, Estimate, Mark, Panel, Picture};

/// Draws all comparisons with published numbers; `None` without any.
pub fn paper_comparison(comparisons: &[Comparison]) -> Option<Picture> {
    let comparable = comparisons.iter().filter(|row| row.verdict != Some(Verdict::Incomparable));
    let published: Vec<(&Comparison, Published)> =
        comparable.filter_map(|row| Some((row, row.paper?))).collect();
    if published.is_empty() {
        return None;
    }
    let scores = comparisons.iter().filter(|row| row.analysis == "score" && row.key == "test");
    let scores = scores.map(|row| (row.variant.clone(), row));
    let table_1 = published.iter().map(|(row, _)| *row);
    let table_1 = table_1.filter(|row| row.analysis == "perturbations");
    let short = |label: &str| label.replace("accuracy, ", "").replace(" direction", "");
    let table_1 = table_1.map(|row| (short(&row.label), row));
    let panels = [
        Some(shares(&published)),
        offsets(comparisons),
        dots("accuracy with perturbed states (table 1)", &table_1.collect::<Vec<_>>()),
        dots("test score", &scores.collect::<Vec<_>>()),
    ];
    Some(Picture {
        title: "Comparison with the paper".to_owned(),
        columns: 2,
        panels: panels.into_iter().flatten().collect(),
    })
}

/// Every published share and ours; they are equal on the diagonal.
fn shares(published: &[(&Comparison, Published)]) -> Panel {
    let verdicts = [
        (Verdict::Agrees, Colour::Correct),
        (Verdict::Differs, Colour::Wrong),
        (Verdict::NoSpread, Colour::Muted),
    ];
    let of = |verdict: Verdict| {
        let rows = published.iter().filter(|(row, _)| row.is_share && row.verdict == Some(verdict));
        let point = |row: &Comparison, paper: &Published| ErrorPoint {
            x: paper.value,
            y: row.mean,
            error: row.std.unwrap_or(0.0),
        };
        rows.map(|(row, paper)| point(row, paper)).collect::<Vec<_>>()
    };
    let line = Mark::Line {
        points: vec![(0.0, 0.0), (1.0, 1.0)],
        colour: Colour::Muted,
        width: 1.0,
        band: vec![],
        name: None,
    };
    let points = verdicts.iter().map(|&(verdict, colour)| (of(verdict), colour, verdict.words()));
    let points = points.filter(|(points, ..)| !points.is_empty());
    let points = points.map(|(points, colour, name)| Mark::ErrorBars {
        points,
        colour,
        name: Some(name.to_owned()),
    });
    Panel {
        title: "all published shares".to_owned(),
        x_label: "paper".to_owned(),
        y_label: "ours, mean over seeds".to_owned(),
        marks: std::iter::once(line).chain(points).collect(),
        y_percent: true,
        x_percent: true,
        // Room for points at 0 and 1.
        x_range: Some((-0.02, 1.02)),
        y_range: Some((-0.02, 1.02)),
        ..Panel::default()
    }
}

/// Scores with fewer or more steps than the algorithm takes, per variant and of the paper.
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
    let lines = of_variants.enumerate().map(|(index, rows)| Mark::Line {
        points: rows.iter().map(|(offset, row)| (*offset, row.mean)).collect(),
        colour: Colour::Category(index),
        width: 1.8,
        band: rows.iter().map(|(_, row)| row.std.unwrap_or(0.0)).collect(),
        name: Some(rows[0].1.variant.clone()),
    });
    let published = rows.iter().filter(|(_, row)| row.verdict != Some(Verdict::Incomparable));
    let published = published.filter_map(|(offset, row)| Some((*offset, row.paper?.value)));
    let published: Vec<(f64, f64)> = published.collect();
    let papers = (!published.is_empty()).then(|| Mark::Points {
        points: published,
        colour: Colour::Text,
        size: 3.0,
        name: Some("linear_pgn, paper".to_owned()),
    });
    let rule = Mark::VerticalLine { x: 0.0, label: String::new() };
    (!rows.is_empty()).then(|| Panel {
        title: "score with fewer or more steps".to_owned(),
        x_label: "steps relative to the algorithm".to_owned(),
        y_label: "score, mean over seeds".to_owned(),
        marks: lines.chain(papers).chain([rule]).collect(),
        y_percent: true,
        x_integers: true,
        ..Panel::default()
    })
}

/// Named measures, ours and the paper's, with standard deviations.
fn dots(title: &str, rows: &[(String, &Comparison)]) -> Option<Panel> {
    let estimate = |value: f64, std: Option<f64>| Estimate {
        value,
        interval: std.map(|by| (value - by, value + by)),
    };
    let ours = rows.iter().map(|(_, row)| Some(estimate(row.mean, row.std)));
    let papers = rows.iter().map(|(_, row)| row.paper.map(|it| estimate(it.value, it.std)));
    let mark = Mark::Dots {
        rows: rows.iter().map(|(name, _)| name.clone()).collect(),
        series: vec![
            DotSeries {
                colour: Colour::Category(0),
                name: "ours".to_owned(),
                dots: ours.collect(),
            },
            DotSeries {
                colour: Colour::Category(1),
                name: "paper".to_owned(),
                dots: papers.collect(),
            },
        ],
    };
    (!rows.is_empty()).then(|| Panel {
        title: title.to_owned(),
        x_label: "score".to_owned(),
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
    fn every_kind_of_comparison_has_a_panel() {
        let early = ("attractors", "offset_minus_3");
        let mut all = vec![
            row("a", early, 0.5, 0.6),
            row("a", ("attractors", "offset_4"), 0.75, 0.7),
            row("a", ("attractors", "steps_8"), 0.9, 0.9),
            row("b", early, 0.25, 0.3),
        ];
        let picture = paper_comparison(&all).unwrap();
        let [_, offsets] = &picture.panels[..] else { panic!("no scores, no table 1") };
        let lines = offsets.marks.iter().filter_map(|mark| match mark {
            Mark::Line { points, .. } => Some(points.clone()),
            _ => None,
        });
        let lines: Vec<_> = lines.collect();
        assert_eq!(
            lines,
            [vec![(-3.0, 0.5), (4.0, 0.75)], vec![(-3.0, 0.25)]],
            "a line per variant"
        );

        all.push(row("a", ("score", "test"), 0.9, 0.9));
        all.push(row("a", ("perturbations", "noise_free"), 0.9, 0.9));
        assert_eq!(paper_comparison(&all).unwrap().panels.len(), 4);
        for row in &mut all {
            row.verdict = Some(Verdict::Incomparable);
        }
        assert!(paper_comparison(&all).is_none(), "nothing is comparable");
    }
}
