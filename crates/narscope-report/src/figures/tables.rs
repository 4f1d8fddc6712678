//! Pictures of tables: scores, differences from the baseline, and learning curves.

use narscope_results::{Cell, LearningCurve, Table};

use crate::plot::{Colour, DotSeries, Estimate, Mark, Panel, Picture};

/// Panels of learning curves per row.
const PANELS_PER_ROW: usize = 4;

/// Draws all tables. Returns file names and pictures.
pub fn pictures(tables: &[Table], curves: &[LearningCurve]) -> Vec<(String, Picture)> {
    let of = |table: &Table| {
        let name = |what: &str| format!("{what}-{}", table.processor.replace(['/', '\\'], "_"));
        let pictures = [
            ("scores", Some(scores(table))),
            ("differences", differences(table)),
            ("learning", learning(table, curves)),
        ];
        pictures.into_iter().filter_map(|(what, it)| Some((name(what), it?))).collect::<Vec<_>>()
    };
    tables.iter().flat_map(of).collect()
}

/// Which value of a cell is drawn.
type CellValue = fn(&Cell) -> Option<Estimate>;

/// A dot plot with a row per algorithm and a series per variant, and what its intervals are.
fn dots(table: &Table, variants: std::ops::Range<usize>, value: CellValue) -> (Mark, &'static str) {
    let series = variants.map(|index| {
        let dots = table.rows.iter().map(|row| row.cells[index].as_ref().and_then(value));
        DotSeries {
            colour: Colour::Category(index),
            name: table.variants[index].name.clone(),
            dots: dots.collect(),
        }
    });
    let series: Vec<DotSeries> = series.collect();
    let mut dots = series.iter().flat_map(|series| series.dots.iter().flatten());
    let intervals = match dots.clone().any(|dot| dot.interval.is_some()) {
        false => "one seed each",
        true if dots.all(|dot| dot.interval.is_some()) => "95 % intervals",
        true => "95 % intervals where there are several seeds",
    };
    let rows = table.rows.iter().map(|row| row.algorithm.clone()).collect();
    (Mark::Dots { rows, series }, intervals)
}

fn scores(table: &Table) -> Picture {
    let value: CellValue = |cell| Some(Estimate { value: cell.mean, interval: cell.interval });
    let (dots, intervals) = dots(table, 0..table.variants.len(), value);
    Picture {
        title: format!("{}: test scores, {intervals}", table.processor),
        columns: 1,
        panels: vec![Panel {
            x_label: "score".to_owned(),
            marks: vec![dots],
            x_percent: true,
            // A dot at 100 % must not be clipped.
            x_range: Some((0.0, 1.01)),
            ..Panel::default()
        }],
    }
}

/// Differences from the baseline; `None` without other variants.
fn differences(table: &Table) -> Option<Picture> {
    let value: CellValue = |cell| {
        let difference = cell.difference.as_ref()?;
        Some(Estimate { value: difference.mean, interval: difference.interval })
    };
    let has_difference = |cell: &Cell| cell.difference.is_some();
    if !table.rows.iter().flat_map(|row| row.cells.iter().flatten()).any(has_difference) {
        return None;
    }
    let (dots, intervals) = dots(table, 1..table.variants.len(), value);
    Some(Picture {
        title: format!("{}: variants minus baseline, {intervals}", table.processor),
        columns: 1,
        panels: vec![Panel {
            x_label: "difference in score, same seeds".to_owned(),
            marks: vec![dots, Mark::VerticalLine { x: 0.0, label: String::new() }],
            x_percent: true,
            ..Panel::default()
        }],
    })
}

/// Learning curves: a panel per algorithm, a line per variant with mean and standard deviation over seeds.
fn learning(table: &Table, curves: &[LearningCurve]) -> Option<Picture> {
    let of_table: Vec<&LearningCurve> =
        curves.iter().filter(|it| it.processor == table.processor).collect();
    let panels: Vec<Panel> = table
        .rows
        .iter()
        .filter_map(|row| {
            let of_row = |it: &&&LearningCurve| it.curve.algorithm == row.algorithm;
            let marks: Vec<Mark> = table
                .variants
                .iter()
                .enumerate()
                .filter_map(|(index, column)| {
                    let is_variant = |it: &&&LearningCurve| of_row(it) && column.is_of(&it.variant);
                    let curves: Vec<&LearningCurve> =
                        of_table.iter().filter(is_variant).copied().collect();
                    line(&curves, Colour::Category(index), &column.name)
                })
                .collect();
            (!marks.is_empty()).then(|| Panel {
                title: row.algorithm.clone(),
                x_label: "step".to_owned(),
                y_label: "validation score".to_owned(),
                marks,
                y_percent: true,
                y_range: Some((0.0, 1.0)),
                ..Panel::default()
            })
        })
        .collect();
    (!panels.is_empty()).then(|| Picture {
        title: format!("{}: validation scores during training", table.processor),
        columns: PANELS_PER_ROW.min(panels.len()),
        panels,
    })
}

/// Mean and standard deviation of curves; `None` if they have no step in common.
fn line(curves: &[&LearningCurve], colour: Colour, name: &str) -> Option<Mark> {
    let summaries = LearningCurve::summaries(curves);
    (!summaries.is_empty()).then(|| Mark::Line {
        points: summaries.iter().map(|(step, scores)| (*step as f64, scores.mean)).collect(),
        colour,
        width: 1.6,
        // A single seed has no standard deviation.
        band: summaries.iter().filter_map(|(_, scores)| scores.std).collect(),
        name: Some(name.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use narscope_results::{RunScore, ValidationCurve, tables};

    use super::*;

    fn learning_curve(variant: &str, points: &[(usize, f64)]) -> LearningCurve {
        LearningCurve {
            processor: "mpnn".to_owned(),
            variant: variant.to_owned(),
            curve: ValidationCurve { algorithm: "bfs".to_owned(), points: points.to_vec() },
        }
    }

    fn score(variant: &str, seed: u32, score: f64) -> RunScore {
        RunScore {
            algorithm: "bfs".to_owned(),
            processor: "mpnn".to_owned(),
            variant: variant.to_owned(),
            seed,
            steps: Some(20),
            score,
        }
    }

    #[test]
    fn learning_curves_are_averaged_at_steps_that_all_seeds_have() {
        let curves = [
            learning_curve("", &[(1, 0.2), (11, 0.4)]),
            learning_curve("", &[(1, 0.4), (21, 0.9)]),
        ];
        let curves: Vec<&LearningCurve> = curves.iter().collect();
        let Some(Mark::Line { points, band, .. }) = line(&curves, Colour::Category(0), "baseline")
        else {
            panic!("a line")
        };
        assert_eq!(points.len(), 1);
        assert!((points[0].1 - 0.3).abs() < 1e-12 && (band[0] - 0.02_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn intervals_are_drawn_for_several_seeds_only_and_the_title_says_so() {
        let one = [score("", 1, 0.5), score("decay", 1, 0.6)];
        let some = [&one[..], &[score("", 2, 0.7)]].concat();
        let all = [&some[..], &[score("decay", 2, 0.4)]].concat();
        for (all, expected, lines) in [
            (&one[..], "mpnn: test scores, one seed each", 0),
            (&some, "mpnn: test scores, 95 % intervals where there are several seeds", 1),
            (&all, "mpnn: test scores, 95 % intervals", 2),
        ] {
            let picture = scores(&tables(all)[0]);
            assert_eq!(picture.title, expected);
            let [Mark::Dots { series, .. }] = &picture.panels[0].marks[..] else { panic!("dots") };
            let dots = series.iter().flat_map(|series| series.dots.iter().flatten());
            assert_eq!(dots.filter(|dot| dot.interval.is_some()).count(), lines, "{expected}");
        }
    }

    #[test]
    fn many_panels_share_one_legend() {
        let of = |algorithm: &str, variant: &str| {
            let curve = ValidationCurve {
                algorithm: algorithm.to_owned(),
                points: vec![(1, 0.2), (2, 0.4)],
            };
            LearningCurve { curve, ..learning_curve(variant, &[]) }
        };
        let named = |algorithms: &[&str]| {
            let scores: Vec<RunScore> = algorithms
                .iter()
                .map(|it| RunScore { algorithm: (*it).to_owned(), ..score("decay", 1, 0.5) })
                .collect();
            // Only one panel has all variants.
            let curves =
                [("bfs", "decay"), ("dfs", "decay"), ("dijkstra", "decay"), ("dijkstra", "")];
            let curves = curves.map(|(algorithm, variant)| of(algorithm, variant));
            let scores = [&scores[..], &[score("", 1, 0.5)]].concat();
            let picture = learning(&tables(&scores)[0], &curves).unwrap();
            picture.svg(crate::plot::ColourScheme::Light).matches(">decay<").count()
        };
        assert_eq!(named(&["bfs", "dfs"]), 2);
        assert_eq!(named(&["bfs", "dfs", "dijkstra"]), 1);
    }

    #[test]
    fn pictures_without_data_are_left_out() {
        let names = |scores: &[RunScore], curves: &[LearningCurve]| -> Vec<String> {
            pictures(&tables(scores), curves).into_iter().map(|(name, _)| name).collect()
        };
        let alone = [score("", 1, 0.5)];
        assert_eq!(names(&alone, &[]), ["scores-mpnn"]);
        let pair = [score("", 1, 0.5), score("decay", 1, 0.6)];
        let curve = [learning_curve("decay", &[(1, 0.2), (11, 0.4)])];
        assert_eq!(names(&pair, &curve), ["scores-mpnn", "differences-mpnn", "learning-mpnn"]);
    }
}
