//! Pictures of tables: scores, differences from the baseline, and learning curves.

use narscope_results::{Cell, Difference, LearningCurve, Outcome, Table};

use super::words::counted;
use crate::plot::{Axis, Colour, Dots, Estimate, Line, Mark, Panel, Picture, Reference, Series};

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

/// A dot plot with a row per algorithm and a series per variant.
fn dots(table: &Table, variants: std::ops::Range<usize>, value: CellValue) -> Dots {
    let series = variants.map(|index| {
        let values = table.rows.iter().map(|row| row.cells[index].as_ref().and_then(value));
        Series::new(&table.variants[index].name, Colour::Category(index), values.collect())
    });
    Dots::new(table.rows.iter().map(|row| row.algorithm.clone()).collect(), series.collect())
}

/// What the dots of a plot are, in words.
fn intervals(dots: &Dots) -> &'static str {
    let mut values = dots.series.iter().flat_map(|series| series.values.iter().flatten());
    match values.clone().any(|value| value.interval.is_some()) {
        false => "One seed each.",
        true if values.all(|value| value.interval.is_some()) => {
            "Large dots: means with 95 % intervals; small dots: seeds."
        }
        true => {
            "Large dots: means, with 95 % intervals where there are several seeds; small dots: seeds."
        }
    }
}

fn scores(table: &Table) -> Picture {
    let value: CellValue = |cell| {
        let seeds = cell.scores.iter().map(|(_, score)| *score).collect();
        Some(Estimate::new(cell.mean).interval(cell.interval).seeds(seeds))
    };
    let dots = dots(table, 0..table.variants.len(), value);
    Picture {
        title: scores_title(table),
        caption: format!("Test scores of {}. {}", table.processor, intervals(&dots)),
        columns: 1,
        panels: vec![Panel {
            x: Axis::percent("test score").range(0.0, 1.0),
            marks: vec![dots.into()],
            ..Panel::default()
        }],
        ..Picture::default()
    }
}

/// The variant with the highest mean over the algorithms that all have.
fn scores_title(table: &Table) -> String {
    let means = table.variants.iter().filter_map(|it| Some((&it.name, it.mean.as_ref()?.ours)));
    let over = counted(table.common, "algorithm");
    match means.clone().max_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((name, score)) if table.variants.len() > 1 => format!(
            "{}: {name} has the highest mean over {over}, {:.1} %",
            table.processor,
            100.0 * score
        ),
        Some((_, score)) => {
            format!("{}: {:.1} % on average over {over}", table.processor, 100.0 * score)
        }
        None => format!("{}: test scores", table.processor),
    }
}

/// Differences from the baseline; `None` without other variants.
fn differences(table: &Table) -> Option<Picture> {
    let value: CellValue = |cell| {
        let difference = cell.difference.as_ref()?;
        Some(Estimate::new(difference.mean).interval(difference.interval))
    };
    let cells = || table.rows.iter().flat_map(|row| row.cells.iter().flatten());
    let all: Vec<&Difference> = cells().filter_map(|cell| cell.difference.as_ref()).collect();
    if all.is_empty() {
        return None;
    }
    let count = |outcome: Outcome| all.iter().filter(|it| it.outcome() == outcome).count();
    let dots = dots(table, 1..table.variants.len(), value);
    Some(Picture {
        title: format!(
            "{}: of {}, {} significantly better and {} worse than {}",
            table.processor,
            counted(all.len(), "difference"),
            count(Outcome::Better),
            count(Outcome::Worse),
            table.variants[0].name,
        ),
        caption: format!(
            "Differences from {}, paired by seed; significance by t-tests with Holm\u{2019}s correction. {}",
            table.variants[0].name,
            intervals(&dots)
        ),
        columns: 1,
        panels: vec![Panel {
            x: Axis::percent(format!("score minus that of {}", table.variants[0].name)),
            marks: vec![Reference::x(0.0, "").into(), dots.into()],
            ..Panel::default()
        }],
        ..Picture::default()
    })
}

/// Learning curves: a panel per algorithm, for each variant a thin line per seed and a line through their means.
fn learning(table: &Table, curves: &[LearningCurve]) -> Option<Picture> {
    let of_table: Vec<&LearningCurve> =
        curves.iter().filter(|it| it.processor == table.processor).collect();
    let panels: Vec<Panel> = table
        .rows
        .iter()
        .filter_map(|row| {
            let of_row = |it: &&&LearningCurve| it.curve.algorithm == row.algorithm;
            let (mut thin, mut thick) = (vec![], vec![]);
            for (index, column) in table.variants.iter().enumerate() {
                let is_variant = |it: &&&LearningCurve| of_row(it) && column.is_of(&it.variant);
                let curves: Vec<&LearningCurve> =
                    of_table.iter().filter(is_variant).copied().collect();
                let (seeds, mean) = lines(&curves, Colour::Category(index), &column.name);
                thin.extend(seeds);
                thick.extend(mean);
            }
            (!thick.is_empty()).then(|| Panel {
                title: row.algorithm.clone(),
                x: Axis::new("training step"),
                y: Axis::percent("validation score").range(0.0, 1.0),
                marks: thin.into_iter().chain(thick).map(Mark::from).collect(),
                ..Panel::default()
            })
        })
        .collect();
    (!panels.is_empty()).then(|| Picture {
        title: format!("{}: validation scores during training", table.processor),
        caption: "Thin lines: seeds; thick lines: their means at the steps that all have."
            .to_owned(),
        columns: PANELS_PER_ROW.min(panels.len()),
        panels,
        ..Picture::default()
    })
}

/// A thin line per curve if there are several, and a line through their means; no mean if they have no step in common.
fn lines(curves: &[&LearningCurve], colour: Colour, name: &str) -> (Vec<Line>, Option<Line>) {
    let points = |it: &&LearningCurve| -> Vec<(f64, f64)> {
        it.curve.points.iter().map(|&(step, score)| (step as f64, score)).collect()
    };
    let seeds = curves.iter().filter(|_| curves.len() > 1);
    let seeds = seeds.map(|curve| Line::new(points(curve), colour).thin()).collect();
    let means = LearningCurve::summaries(curves);
    let means: Vec<(f64, f64)> =
        means.iter().map(|(step, scores)| (*step as f64, scores.mean)).collect();
    let is_known = !means.is_empty();
    (seeds, is_known.then(|| Line::new(means, colour).named(name)))
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
        let (seeds, mean) = lines(&curves, Colour::Category(0), "baseline");
        assert_eq!(seeds.len(), 2, "every seed is drawn");
        let mean = mean.unwrap();
        assert_eq!(mean.points.len(), 1);
        assert!((mean.points[0].1 - 0.3).abs() < 1e-12);
        let (seeds, mean) = lines(&curves[..1], Colour::Category(0), "baseline");
        assert!(seeds.is_empty() && mean.unwrap().points.len() == 2, "one seed is its own mean");
    }

    #[test]
    fn intervals_are_drawn_for_several_seeds_only_and_the_caption_says_so() {
        let one = [score("", 1, 0.5), score("decay", 1, 0.6)];
        let some = [&one[..], &[score("", 2, 0.7)]].concat();
        let all = [&some[..], &[score("decay", 2, 0.4)]].concat();
        for (all, expected, lines) in [
            (&one[..], "One seed each.", 0),
            (&some, "with 95 % intervals where there are several seeds; small dots: seeds.", 1),
            (&all, "means with 95 % intervals; small dots: seeds.", 2),
        ] {
            let picture = scores(&tables(all)[0]);
            assert!(picture.caption.ends_with(expected), "{}", picture.caption);
            let [Mark::Dots(dots)] = &picture.panels[0].marks[..] else { panic!("dots") };
            let values = dots.series.iter().flat_map(|series| series.values.iter().flatten());
            assert_eq!(values.filter(|it| it.interval.is_some()).count(), lines, "{expected}");
        }
    }

    #[test]
    fn titles_follow_the_scores() {
        let title_of =
            |decay: f64| scores(&tables(&[score("", 1, 0.5), score("decay", 1, decay)])[0]).title;
        assert_eq!(title_of(0.75), "mpnn: decay has the highest mean over 1 algorithm, 75.0 %");
        assert_eq!(title_of(0.25), "mpnn: baseline has the highest mean over 1 algorithm, 50.0 %");
        let alone = scores(&tables(&[score("", 1, 0.5)])[0]).title;
        assert_eq!(alone, "mpnn: 50.0 % on average over 1 algorithm");
        let better = |decay: f64| {
            let seeds = [(1, 0.500), (2, 0.503), (3, 0.499)];
            let all = seeds.iter().flat_map(|&(seed, it)| {
                [score("", seed, it), score("decay", seed, it + decay + 0.001 * f64::from(seed))]
            });
            differences(&tables(&all.collect::<Vec<_>>())[0]).unwrap().title
        };
        let (up, down) = (better(0.2), better(-0.2));
        assert_eq!(up, "mpnn: of 1 difference, 1 significantly better and 0 worse than baseline");
        assert_eq!(down, "mpnn: of 1 difference, 0 significantly better and 1 worse than baseline");
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
