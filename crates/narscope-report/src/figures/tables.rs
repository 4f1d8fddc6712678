//! Pictures of tables: scores, what variants change, and how networks learned.

use narscope_results::{Cell, LearningCurve, Table};

use crate::plot::{Beside, Colour, Mark, Panel, Picture};

/// How many panels of learning stand in a row.
const IN_A_ROW: usize = 4;

/// A picture and the name of its file.
pub type Named = (String, Picture);

/// Every picture that there is something to draw in.
pub fn pictures(tables: &[Table], learned: &[LearningCurve]) -> Vec<Named> {
    let of = |table: &Table| {
        let name = |what: &str| format!("{what}-{}", table.processor.replace(['/', '\\'], "_"));
        let pictures = [
            ("scores", Some(scores(table))),
            ("differences", differences(table)),
            ("learning", learning(table, learned)),
        ];
        pictures.into_iter().filter_map(|(what, it)| Some((name(what), it?))).collect::<Vec<_>>()
    };
    tables.iter().flat_map(of).collect()
}

/// A cell by what is drawn of it.
type Drawn = fn(&Cell) -> Option<Beside>;

/// Algorithms from top to bottom, and variants beside each; and what is said of their intervals.
fn rows(table: &Table, variants: std::ops::Range<usize>, drawn: Drawn) -> (Mark, &'static str) {
    let series = variants.map(|place| {
        let dots = table.rows.iter().map(|row| row.cells[place].as_ref().and_then(drawn));
        (Colour::Kind(place), table.variants[place].name.clone(), dots.collect())
    });
    let series: Vec<(Colour, String, Vec<Option<Beside>>)> = series.collect();
    let mut dots = series.iter().flat_map(|(_, _, dots)| dots.iter().flatten());
    let intervals = match dots.clone().any(|dot| dot.interval.is_some()) {
        false => "one seed each",
        true if dots.all(|dot| dot.interval.is_some()) => "95 % intervals",
        true => "95 % intervals where there are several seeds",
    };
    let names = table.rows.iter().map(|row| row.algorithm.clone()).collect();
    (Mark::Rows { names, series }, intervals)
}

fn scores(table: &Table) -> Picture {
    let drawn: Drawn = |cell| Some(Beside { value: cell.mean, interval: cell.interval });
    let (rows, intervals) = rows(table, 0..table.variants.len(), drawn);
    Picture {
        title: format!("{}: test scores, {intervals}", table.processor),
        columns: 1,
        panels: vec![Panel {
            x: "score".to_owned(),
            marks: vec![rows],
            x_percent: true,
            // A dot at the end is drawn whole.
            x_range: Some((0.0, 1.01)),
            ..Panel::default()
        }],
    }
}

/// Nothing if there is nothing beside the baseline.
fn differences(table: &Table) -> Option<Picture> {
    let drawn: Drawn = |cell| {
        let difference = cell.difference.as_ref()?;
        Some(Beside { value: difference.mean, interval: difference.interval })
    };
    let is_there = |cell: &Cell| cell.difference.is_some();
    if !table.rows.iter().flat_map(|row| row.cells.iter().flatten()).any(is_there) {
        return None;
    }
    let (rows, intervals) = rows(table, 1..table.variants.len(), drawn);
    Some(Picture {
        title: format!("{}: variants minus baseline, {intervals}", table.processor),
        columns: 1,
        panels: vec![Panel {
            x: "difference of scores, same seeds".to_owned(),
            marks: vec![rows, Mark::Rule { at: 0.0, label: String::new() }],
            x_percent: true,
            ..Panel::default()
        }],
    })
}

/// A panel per algorithm, a line per variant: the mean over seeds, and how far they spread.
fn learning(table: &Table, learned: &[LearningCurve]) -> Option<Picture> {
    let of_table: Vec<&LearningCurve> =
        learned.iter().filter(|it| it.processor == table.processor).collect();
    let panels: Vec<Panel> = table
        .rows
        .iter()
        .filter_map(|row| {
            let of_row = |it: &&&LearningCurve| it.curve.algorithm == row.algorithm;
            let marks: Vec<Mark> = table
                .variants
                .iter()
                .enumerate()
                .filter_map(|(place, column)| {
                    let is_it = |it: &&&LearningCurve| of_row(it) && column.is_of(&it.variant);
                    let curves: Vec<&LearningCurve> =
                        of_table.iter().filter(is_it).copied().collect();
                    line(&curves, Colour::Kind(place), &column.name)
                })
                .collect();
            (!marks.is_empty()).then(|| Panel {
                title: row.algorithm.clone(),
                x: "step".to_owned(),
                y: "validation score".to_owned(),
                marks,
                y_percent: true,
                y_range: Some((0.0, 1.0)),
                ..Panel::default()
            })
        })
        .collect();
    (!panels.is_empty()).then(|| Picture {
        title: format!("{}: how it learned", table.processor),
        columns: IN_A_ROW.min(panels.len()),
        panels,
    })
}

/// The mean of curves at the steps that all of them have.
fn line(curves: &[&LearningCurve], colour: Colour, name: &str) -> Option<Mark> {
    let at = LearningCurve::summaries(curves);
    (!at.is_empty()).then(|| Mark::Line {
        points: at.iter().map(|(step, scores)| (*step as f64, scores.mean)).collect(),
        colour,
        width: 1.6,
        // One seed has none.
        spread: at.iter().filter_map(|(_, scores)| scores.std).collect(),
        name: Some(name.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use narscope_results::{RunScore, ValidationCurve, tables};

    use super::*;

    fn learned(variant: &str, points: &[(usize, f64)]) -> LearningCurve {
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
    fn curves_are_averaged_over_seeds_where_all_of_them_have_a_value() {
        let curves = [learned("", &[(1, 0.2), (11, 0.4)]), learned("", &[(1, 0.4), (21, 0.9)])];
        let curves: Vec<&LearningCurve> = curves.iter().collect();
        let Some(Mark::Line { points, spread, .. }) = line(&curves, Colour::Kind(0), "baseline")
        else {
            panic!("a line")
        };
        assert_eq!(points.len(), 1);
        assert!((points[0].1 - 0.3).abs() < 1e-12 && (spread[0] - 0.02_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn an_interval_is_drawn_of_several_seeds_only_and_the_title_says_so() {
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
            let [Mark::Rows { series, .. }] = &picture.panels[0].marks[..] else { panic!("rows") };
            let dots = series.iter().flat_map(|(_, _, dots)| dots.iter().flatten());
            assert_eq!(dots.filter(|dot| dot.interval.is_some()).count(), lines, "{expected}");
        }
    }

    #[test]
    fn a_legend_that_many_panels_would_repeat_stands_once() {
        let of = |algorithm: &str, variant: &str| {
            let curve = ValidationCurve {
                algorithm: algorithm.to_owned(),
                points: vec![(1, 0.2), (2, 0.4)],
            };
            LearningCurve { curve, ..learned(variant, &[]) }
        };
        let named = |algorithms: &[&str]| {
            let scores: Vec<RunScore> = algorithms
                .iter()
                .map(|it| RunScore { algorithm: (*it).to_owned(), ..score("decay", 1, 0.5) })
                .collect();
            // The others lack a variant that one has.
            let curves =
                [("bfs", "decay"), ("dfs", "decay"), ("dijkstra", "decay"), ("dijkstra", "")];
            let curves = curves.map(|(algorithm, variant)| of(algorithm, variant));
            let scores = [&scores[..], &[score("", 1, 0.5)]].concat();
            let picture = learning(&tables(&scores)[0], &curves).unwrap();
            picture.svg(crate::plot::Look::Light).matches(">decay<").count()
        };
        assert_eq!(named(&["bfs", "dfs"]), 2);
        assert_eq!(named(&["bfs", "dfs", "dijkstra"]), 1);
    }

    #[test]
    fn a_picture_is_drawn_of_what_is_known_only() {
        let names = |scores: &[RunScore], learned: &[LearningCurve]| -> Vec<String> {
            pictures(&tables(scores), learned).into_iter().map(|(name, _)| name).collect()
        };
        let alone = [score("", 1, 0.5)];
        assert_eq!(names(&alone, &[]), ["scores-mpnn"]);
        let pair = [score("", 1, 0.5), score("decay", 1, 0.6)];
        let curve = [learned("decay", &[(1, 0.2), (11, 0.4)])];
        assert_eq!(names(&pair, &curve), ["scores-mpnn", "differences-mpnn", "learning-mpnn"]);
    }
}
