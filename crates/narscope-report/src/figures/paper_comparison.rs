//! All comparable measures next to the paper's, in one picture.

use narscope_results::{Comparison, Published};

use super::seeds::{SHARE, estimate};
use super::words::{counted, percents};
use crate::plot::{
    Axis, Colour, Dots, ErrorBars, Estimate, Line, Mark, Marker, Panel, Picture, Points, Reference,
    Series,
};

/// Draws all comparisons with published numbers; `None` without any.
pub fn paper_comparison(comparisons: &[Comparison]) -> Option<Picture> {
    let published: Vec<(&Comparison, Published)> =
        comparisons.iter().filter_map(|row| Some((row, row.paper?))).collect();
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
        dots("scores with perturbed states (table 1)", &table_1.collect::<Vec<_>>()),
        dots("test scores", &scores.collect::<Vec<_>>()),
    ];
    Some(Picture {
        title: title(&published),
        caption: format!(
            "Every published number and ours. Ours: means over seeds with 95 % intervals, small dots and thin lines: seeds. \
             Diamonds: the paper\u{2019}s, with standard deviations where it gives them.{}",
            farthest(&published)
        ),
        columns: 2,
        panels: panels.into_iter().flatten().collect(),
        ..Picture::default()
    })
}

fn title(published: &[(&Comparison, Published)]) -> String {
    format!("Our networks next to {}", counted(published.len(), "published number"))
}

/// Names the share that differs most, among those that no panel names.
fn farthest(published: &[(&Comparison, Published)]) -> String {
    let unnamed =
        published.iter().filter(|(row, _)| row.is_share && row.analysis != "perturbations");
    let distance = |(row, paper): &&(&Comparison, Published)| (row.mean - paper.value).abs();
    let farthest = unnamed.max_by(|a, b| distance(a).total_cmp(&distance(b)));
    farthest.map_or(String::new(), |(row, paper)| {
        format!(
            " Farthest from the diagonal, besides table 1: {} ({}), ours {}, the paper\u{2019}s {}.",
            row.label,
            row.variant,
            percents(&[row.mean]),
            percents(&[paper.value])
        )
    })
}

fn ours(row: &Comparison) -> Estimate {
    let values: Vec<f64> = row.values.iter().map(|(_, value)| *value).collect();
    let range = if row.is_share { SHARE } else { (f64::NEG_INFINITY, f64::INFINITY) };
    estimate(&values, range).unwrap_or_else(|| Estimate::new(row.mean))
}

/// Every published share and ours; they are equal on the diagonal.
fn shares(published: &[(&Comparison, Published)]) -> Panel {
    let line = Line::new(vec![(0.0, 0.0), (1.0, 1.0)], Colour::Muted).width(0.7);
    let shares = published.iter().filter(|(row, _)| row.is_share);
    // Seeds are in the other panels; here they would cover each other.
    let points = shares.map(|(row, paper)| (paper.value, Estimate { seeds: vec![], ..ours(row) }));
    let points = ErrorBars::new(points.collect(), Colour::Category(0));
    Panel {
        title: "all published shares".to_owned(),
        x: Axis::percent("paper").range(0.0, 1.0),
        y: Axis::percent("ours").range(0.0, 1.0),
        marks: vec![line.into(), points.into()],
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
    let (mut thin, mut thick): (Vec<Mark>, Vec<Mark>) = (vec![], vec![]);
    let of_variants = rows.chunk_by(|(_, a), (_, b)| a.variant == b.variant);
    for (index, rows) in of_variants.enumerate() {
        let colour = Colour::Category(index);
        let seeds =
            rows[0].1.values.iter().map(|(seed, _)| *seed).filter(|_| rows[0].1.values.len() > 1);
        thin.extend(seeds.map(|seed| {
            let value =
                |row: &Comparison| row.values.iter().find(|(it, _)| *it == seed).map(|it| it.1);
            let points = rows.iter().filter_map(|(offset, row)| Some((*offset, value(row)?)));
            Mark::from(Line::new(points.collect(), colour).thin())
        }));
        let points = rows.iter().map(|(offset, row)| (*offset, row.mean)).collect();
        thick.push(Line::new(points, colour).marked().named(rows[0].1.variant.clone()).into());
    }
    let published = rows.iter().filter_map(|(offset, row)| Some((*offset, row.paper?.value)));
    let published: Vec<(f64, f64)> = published.collect();
    let papers = (!published.is_empty()).then(|| {
        let points = Points::new(published.clone(), Colour::Text).marker(Marker::Diamond);
        Mark::from(points.radius(2.2).named("paper"))
    });
    let end = Mark::from(Reference::x(0.0, "end of the algorithm"));
    (!rows.is_empty()).then(|| Panel {
        title: "score with fewer or more steps".to_owned(),
        x: Axis::integers("steps beyond the end of the algorithm"),
        y: Axis::percent("score"),
        marks: std::iter::once(end).chain(thin).chain(thick).chain(papers).collect(),
        ..Panel::default()
    })
}

/// Named measures, ours and the paper's.
fn dots(title: &str, rows: &[(String, &Comparison)]) -> Option<Panel> {
    let paper = |row: &Comparison| {
        let Published { value, std } = row.paper?;
        let interval = std.map(|by| ((value - by).max(0.0), (value + by).min(1.0)));
        Some(Estimate::new(value).interval(interval))
    };
    let names = rows.iter().map(|(name, _)| name.clone()).collect();
    let ours = rows.iter().map(|(_, row)| Some(ours(row))).collect();
    let papers: Vec<Option<Estimate>> = rows.iter().map(|(_, row)| paper(row)).collect();
    let mut series = vec![Series::new("ours", Colour::Category(0), ours)];
    if papers.iter().any(Option::is_some) {
        series.push(Series::new("paper", Colour::Text, papers).marker(Marker::Diamond));
    }
    (!rows.is_empty()).then(|| Panel {
        title: title.to_owned(),
        x: Axis::percent("score"),
        marks: vec![Dots::new(names, series).into()],
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
            values: vec![(42, mean)],
            mean,
            std: None,
            paper: Some(Published { value: paper, std: None }),
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
            Mark::Line(line) => Some(line.points.clone()),
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
            row.paper = None;
        }
        assert!(paper_comparison(&all).is_none(), "nothing is comparable");
    }

    #[test]
    fn the_caption_names_the_share_that_differs_most() {
        let mut rows =
            [("score", "a"), ("score", "b"), ("score", "c")].map(|of| row("v", of, 0.5, 0.5));
        rows[0].paper = Some(Published { value: 1.0, std: None });
        let picture = paper_comparison(&rows).unwrap();
        assert_eq!(picture.title, "Our networks next to 3 published numbers");
        let end = "a (v), ours 50 %, the paper\u{2019}s 100 %.";
        assert!(picture.caption.ends_with(end), "{}", picture.caption);
    }
}
