//! Kinds of networks: the distribution of their leaning, the grid of both seeds, and what the leaning predicts.

use std::collections::BTreeSet;

use narscope_results::Kinds;
use narscope_results::kinds::{Findings, LeaningNetwork, Modality, OUTCOMES, Outcome};

use super::counted;
use crate::plot::{
    Axis, Colour, Format, Heatmap, Histogram, Line, Mark, Panel, Picture, Points, Reference,
};

/// Networks above the threshold, and below it.
const ABOVE: Colour = Colour::Category(1);
const BELOW: Colour = Colour::Category(0);
/// The leaning, as axes name it.
const LEANING: &str = "D";

/// Draws the answer.
pub fn picture(kinds: &Kinds) -> Picture {
    let mut panels = vec![distribution(kinds), grid(kinds)];
    panels.extend(OUTCOMES.iter().enumerate().map(|(index, it)| outcome(kinds, index, it)));
    Picture {
        title: title(kinds),
        columns: 2,
        panels,
        caption: caption(kinds),
        ..Picture::default()
    }
}

/// The finding.
fn title(kinds: &Kinds) -> String {
    let Findings { modality, grid, .. } = &kinds.all;
    let variant = format!("{}:{}", kinds.algorithm, kinds.variant);
    let kind = match modality {
        Modality::TwoKinds => {
            format!("networks are of two kinds by their agreement with {variant}")
        }
        other => format!("agreement of networks with {variant} is {}", other.words()),
    };
    let which = match (grid.decider, &grid.components) {
        (Some(decider), _) => format!("; {} decides", decider.words()),
        (None, Some(_)) => "; no seed alone decides".to_owned(),
        (None, None) => String::new(),
    };
    let text = format!("{kind}{which} ({})", kinds.progress());
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn caption(kinds: &Kinds) -> String {
    let chosen = kinds.all.threshold.map_or(0, |threshold| threshold.networks);
    format!(
        "D: {}. a, all networks, with one normal distribution and a mixture of two fitted to them. b, each cell is a network. \
         c to f, behaviour by D (d: p = 0.25); dashed, the threshold between kinds, chosen on {} whose two seeds are both even. Colours: \
         networks whose two seeds are both odd, on which differences are tested (Welch, Holm); grey, all others.",
        kinds.definition(),
        counted(chosen, "network"),
    )
}

/// Histogram of the leaning with both fits.
fn distribution(kinds: &Kinds) -> Panel {
    let leanings: Vec<f64> = kinds.networks.iter().map(|it| it.leaning).collect();
    let bins = (1.5 * (leanings.len() as f64).sqrt()).clamp(5.0, 30.0) as usize;
    let histogram = Histogram::of(&leanings, bins, Colour::Muted);
    let (low, high) = (histogram.edges[0], histogram.edges[bins]);
    let scale = leanings.len() as f64 * (high - low) / bins as f64;
    let curve = |density: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
        const POINTS: usize = 200;
        let at = |point: usize| low + (high - low) * point as f64 / POINTS as f64;
        (0..=POINTS).map(|point| (at(point), scale * density(at(point)))).collect()
    };
    let mut marks: Vec<Mark> = vec![histogram.into()];
    if let Some(test) = &kinds.all.mixture {
        let one = curve(&|x| test.single.density(x));
        marks.push(Line::new(one, BELOW).dashed().named("one normal").into());
        let two = curve(&|x| test.mixture.density(x));
        marks.push(Line::new(two, ABOVE).named("mixture of two").into());
    }
    let test =
        kinds.all.dip.map_or(String::new(), |it| format!(": dip {:.3}, {}", it.dip, p(it.p)));
    Panel {
        title: format!("distribution of D{test}"),
        x: leaning_axis(),
        y: Axis::integers("networks"),
        marks,
        ..Panel::default()
    }
}

fn leaning_axis() -> Axis {
    Axis::percent(LEANING)
}

/// The leaning by seed of weights and seed of data.
fn grid(kinds: &Kinds) -> Panel {
    let seeds = |of: fn(&LeaningNetwork) -> u32| -> Vec<u32> {
        kinds.networks.iter().map(of).collect::<BTreeSet<u32>>().into_iter().collect()
    };
    let (rows, columns) = (seeds(|it| it.network.seed), seeds(|it| it.network.data_seed));
    let at = |row: u32, column: u32| {
        let mut all = kinds.networks.iter();
        let found = all.find(|it| (it.network.seed, it.network.data_seed) == (row, column));
        found.map_or(f64::NAN, |it| it.leaning)
    };
    let values = rows.iter().map(|&row| columns.iter().map(|&column| at(row, column)).collect());
    let names = |seeds: &[u32]| seeds.iter().map(u32::to_string).collect();
    // Whole percent, for the ends of the colour bar.
    let whole = |bound: f64, round: fn(f64) -> f64| round(100.0 * bound) / 100.0;
    let leanings = || kinds.networks.iter().map(|it| it.leaning);
    let low = whole(leanings().fold(f64::INFINITY, f64::min), f64::floor);
    let high = whole(leanings().fold(f64::NEG_INFINITY, f64::max), f64::ceil);
    let map = Heatmap::new(values.collect(), names(&rows), names(&columns))
        .label(LEANING, Format::Percent)
        .range(low, high);
    let shares = kinds.all.grid.components.map_or(String::new(), |it| {
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        format!(
            ": {} due to weights, {} to data",
            percent(it.rows.share),
            percent(it.columns.share)
        )
    });
    Panel {
        title: format!("variance of D{shares}"),
        x: Axis::new("seed of data"),
        y: Axis::new("seed of weights"),
        marks: vec![map.into()],
        ..Panel::default()
    }
}

/// An outcome by the leaning.
fn outcome(kinds: &Kinds, index: usize, outcome: &Outcome) -> Panel {
    let threshold = kinds.all.threshold.map(|threshold| threshold.value);
    let points = |chosen: &dyn Fn(&LeaningNetwork) -> bool| -> Vec<(f64, f64)> {
        let of = |it: &LeaningNetwork| (it.leaning, (outcome.of)(&it.network.behaviour));
        kinds.networks.iter().filter(|it| chosen(it)).map(of).collect()
    };
    let is_odd = |it: &LeaningNetwork| it.network.seed % 2 == 1 && it.network.data_seed % 2 == 1;
    let is_above = |it: &LeaningNetwork| threshold.is_some_and(|value| it.leaning > value);
    let named = |points: Points, name: &str| if index == 0 { points.named(name) } else { points };
    let mut marks: Vec<Mark> = vec![
        named(Points::new(points(&|it| !is_odd(it)), Colour::Muted).opacity(0.5), "others").into(),
        named(Points::new(points(&|it| is_odd(it) && !is_above(it)), BELOW), "odd, below").into(),
        named(Points::new(points(&|it| is_odd(it) && is_above(it)), ABOVE), "odd, above").into(),
    ];
    marks.extend(threshold.map(|value| Reference::x(value, "").into()));
    let found = kinds.all.outcomes.iter().find(|it| it.key == outcome.key);
    let test = found.and_then(|it| it.corrected).map_or(String::new(), |it| format!(": {}", p(it)));
    Panel {
        title: format!("{}{test}", outcome.label),
        x: leaning_axis(),
        y: Axis::percent(outcome.unit),
        marks,
        ..Panel::default()
    }
}

/// A p-value.
fn p(value: f64) -> String {
    /// Smaller ones look like zero.
    const LEAST: f64 = 0.001;
    if value < LEAST { format!("p < {LEAST}") } else { format!("p = {value:.3}") }
}

#[cfg(test)]
mod tests {
    use narscope_analysis::Behaviour;
    use narscope_analysis::behaviour::Graphs;
    use narscope_results::kinds::{Draws, KindsOptions, MeasuredNetwork};

    use super::*;
    use crate::plot::Style;

    /// A grid of networks whose leanings depend on their seed of weights.
    fn kinds(rows: u32, columns: u32) -> Kinds {
        let network = |row: u32, column: u32| {
            let leaning = f64::from((row % 4) / 2) * 0.3
                + f64::from((13 * row + 7 * column + row * column) % 17) / 400.0;
            MeasuredNetwork {
                name: format!("{row}/{column}"),
                made: String::new(),
                algorithm: "bellman_ford".to_owned(),
                seed: 100 + row,
                data_seed: 200 + column,
                validation: None,
                graphs: Graphs::default(),
                behaviour: Behaviour {
                    agrees: 0.5,
                    agrees_with_variants: vec![("decay".to_owned(), 0.5 + leaning)],
                    never_right: leaning,
                    overrun_drift: -leaning,
                    stopping: f64::from((row + column) % 3) / -50.0,
                    sparse_score: 0.5,
                },
            }
        };
        let networks: Vec<MeasuredNetwork> = (0..rows)
            .flat_map(|row| (0..columns).map(move |column| network(row, column)))
            .collect();
        let options = KindsOptions {
            variant: "decay".to_owned(),
            planned: 200,
            draws: Draws { dip: 200, mixture: 119, permutations: 200 },
            seed: 1,
        };
        Kinds::of(&networks, &options).unwrap()
    }

    #[test]
    fn the_title_states_the_finding_and_how_many_networks_there_are() {
        assert_eq!(
            title(&kinds(12, 8)),
            "Networks are of two kinds by their agreement with bellman_ford:decay; the seed of the weights decides (96 of \
             200 networks)"
        );
        assert_eq!(
            title(&kinds(1, 1)),
            "Agreement of networks with bellman_ford:decay is one range, no kinds (1 of 200 networks)"
        );
    }

    #[test]
    fn texts_do_not_overlap_for_many_networks_and_for_few() {
        for (rows, columns) in [(20, 10), (3, 2), (1, 1)] {
            let picture = picture(&kinds(rows, columns));
            assert_eq!(picture.panels.len(), 6);
            for width in [85.0, 170.0] {
                let style = Style { width_mm: Some(width), ..Style::default() };
                let overlaps = picture.text_overlaps(&style);
                assert!(overlaps.is_empty(), "{rows} by {columns} at {width} mm: {overlaps:?}");
            }
        }
    }
}
