//! Stopping rules that were chosen on small graphs: scores and steps on larger, denser and sparser ones.

use narscope_analysis::analyses::termination::{Mean, Outcome, Rule, Setting, Termination};

use super::Figure;
use super::seeds::{Network, mean, networks};
use super::words::{counted, list, percents};
use crate::plot::{Axis, Colour, Line, Mark, Panel, Picture, Reference, Spacing};

pub(super) const FIGURE: Figure = Figure {
    name: "termination",
    paper: "Section 6, future work",
    draw: |groups| {
        let networks = networks::<Termination>(groups)?;
        Ok(networks.iter().map(picture).collect())
    },
    details: None,
    spaces: None,
};

/// A number of a rule in a setting.
type Value = fn(&Outcome) -> Mean;
/// One variant: scores by size and by density, and steps by the true number.
fn picture(network: &Network<'_, Termination>) -> Picture {
    let panel = |title: &str, x: Axis, y: Axis, marks: Vec<Mark>| Panel {
        title: title.to_owned(),
        x,
        y,
        marks,
        ..Panel::default()
    };
    let score: Value = |outcome| outcome.score;
    let smallest = network.first().settings.iter().map(|setting| setting.nodes).min().unwrap_or(0);
    let mut panels = vec![panel(
        "by number of nodes",
        Axis::new("nodes").spacing(Spacing::Log2).ticks(sizes(network.first())),
        Axis::percent("score"),
        lines(network, |it| has_size(it).then_some(it.nodes as f64), score),
    )];
    if network.first().settings.iter().any(|setting| setting.p.is_some()) {
        panels.push(panel(
            "by density",
            Axis::new("probability of edges p"),
            Axis::percent("score"),
            // All densities have the smallest size.
            lines(network, |it| it.p.filter(|_| it.nodes == smallest), score),
        ));
    }
    let mut steps: Vec<Mark> = vec![Reference::diagonal("").into()];
    steps.extend(lines(network, known_steps, |outcome| outcome.steps));
    panels.push(panel(
        "steps in all settings",
        Axis::new("steps of the algorithm"),
        Axis::new("steps of the rule"),
        steps,
    ));
    Picture {
        title: title(network),
        caption: caption(network),
        columns: 3,
        panels,
        ..Picture::default()
    }
}

/// Whether a setting is one of a size, not of a density.
fn has_size(setting: &Setting) -> bool {
    setting.key.starts_with('n')
}

fn known_steps(setting: &Setting) -> Option<f64> {
    setting.outcome(Rule::Known).map(|known| known.steps.value)
}

/// Ticks at the sizes of graphs.
fn sizes(found: &Termination) -> Vec<(f64, String)> {
    let sizes = found.settings.iter().filter(|setting| has_size(setting));
    sizes.map(|setting| (setting.nodes as f64, setting.nodes.to_string())).collect()
}

/// A line per rule through the means over seeds, and thin ones of seeds if there are several.
fn lines(
    network: &Network<'_, Termination>,
    place: impl Fn(&Setting) -> Option<f64>,
    value: Value,
) -> Vec<Mark> {
    let of_seed = |found: &Termination, rule: Rule| -> Vec<(f64, f64)> {
        let points = found
            .settings
            .iter()
            .filter_map(|setting| Some((place(setting)?, value(setting.outcome(rule)?).value)));
        sorted(points.collect())
    };
    let rules = Rule::ALL.iter().enumerate();
    let lines = rules.flat_map(|(index, &rule)| {
        let colour = Colour::Category(index);
        let seeds: Vec<Vec<(f64, f64)>> =
            network.seeds.iter().map(|(_, found)| of_seed(found, rule)).collect();
        let thin = seeds.iter().filter(|_| seeds.len() > 1);
        let thin = thin.map(|points| Mark::from(Line::new(points.clone(), colour).thin()));
        let thick = Line::new(mean_line(&seeds), colour).marked().named(short_name(rule));
        thin.chain([thick.into()]).collect::<Vec<_>>()
    });
    lines.collect()
}

fn sorted(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// Means over seeds, point by point. All seeds have the same settings and the same graphs.
fn mean_line(seeds: &[Vec<(f64, f64)>]) -> Vec<(f64, f64)> {
    let point = |index: usize| {
        let all: Vec<(f64, f64)> =
            seeds.iter().filter_map(|points| points.get(index).copied()).collect();
        let of = |part: fn(&(f64, f64)) -> f64| mean(&all.iter().map(part).collect::<Vec<_>>());
        (of(|it| it.0), of(|it| it.1))
    };
    (0..seeds.iter().map(Vec::len).min().unwrap_or(0)).map(point).collect()
}

fn short_name(rule: Rule) -> &'static str {
    match rule {
        Rule::Differences => "differences",
        Rule::Embeddings => "embeddings",
        Rule::Residual => "residual",
        Rule::Constant => "constant",
        Rule::Known => "known steps",
    }
}

/// What the best rule that does not know the number of steps scores at the largest size.
fn title(network: &Network<'_, Termination>) -> String {
    let largest = |found: &Termination| {
        found.settings.iter().filter(|setting| has_size(setting)).max_by_key(|it| it.nodes).cloned()
    };
    let Some(nodes) = largest(network.first()).map(|setting| setting.nodes) else {
        return format!("{}: no setting was tried", network.variant);
    };
    let scores =
        |rule: Rule| network.values(|found| Some(largest(found)?.outcome(rule)?.score.value));
    let known = percents(&scores(Rule::Known));
    let unknown = Rule::ALL.iter().filter(|rule| **rule != Rule::Known);
    let best = unknown.max_by(|a, b| mean(&scores(**a)).total_cmp(&mean(&scores(**b))));
    let best = best.copied().unwrap_or(Rule::Known);
    format!(
        "{}: at {nodes} nodes the rule \u{201c}{}\u{201d} scores {}, known steps {known}",
        network.variant,
        short_name(best),
        percents(&scores(best)),
    )
}

fn caption(network: &Network<'_, Termination>) -> String {
    let first = network.first();
    let graphs: Vec<String> =
        first.settings.iter().filter(|it| has_size(it)).map(|it| it.graphs.to_string()).collect();
    let seeds = match network.seeds.as_slice() {
        [(seed, _)] => format!("seed {seed}"),
        all => format!("{} (thin lines; thick lines: means)", counted(all.len(), "seed")),
    };
    format!(
        "Rules chosen on {} of {} nodes: small networks that read from differences of successive embeddings or from the \
         embeddings whether the algorithm has ended, a threshold of the residual, and a constant number of steps; with \
         known steps, the number is that of the algorithm. {} graphs of each size, {} of each density; {seeds}.",
        counted(first.trained + first.chosen, "graph"),
        first.nodes,
        list(&graphs),
        first.settings.first().map_or(0, |setting| setting.graphs),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Style;

    fn setting(key: &str, nodes: usize, p: Option<f64>, score: f64) -> Setting {
        let mean = |value: f64| Mean { value, error: Some(0.01) };
        let outcome = |(index, &rule): (usize, &Rule)| Outcome {
            rule,
            score: mean(score - 0.1 * (4 - index) as f64),
            steps: mean(8.0 * score + index as f64),
            never: mean(0.0),
        };
        let outcomes = Rule::ALL.iter().enumerate().map(outcome).collect();
        Setting { key: key.to_owned(), nodes, p, graphs: 48, most: 16, outcomes }
    }

    fn network(settings: Vec<Setting>, seeds: u32) -> Network<'static, Termination> {
        let found = Termination {
            nodes: 16,
            trained: 192,
            chosen: 192,
            ended: 0.7,
            thresholds: vec![],
            settings,
        };
        let seeds = (42..42 + seeds).map(|seed| (seed, found.clone())).collect();
        Network { variant: "linear_pgn", seeds, is_comparable: false }
    }

    fn settings() -> Vec<Setting> {
        vec![
            setting("n64", 64, Some(0.5), 0.95),
            setting("n128", 128, Some(0.5), 0.875),
            setting("n256", 256, Some(0.5), 0.75),
            setting("p0_1", 64, Some(0.1), 0.5),
            setting("p0_25", 64, Some(0.25), 0.625),
            setting("p0_9", 64, Some(0.9), 1.0),
        ]
    }

    #[test]
    fn the_title_compares_the_best_rule_with_the_known_steps_on_the_largest_graphs() {
        assert_eq!(
            picture(&network(settings(), 1)).title,
            "linear_pgn: at 256 nodes the rule \u{201c}constant\u{201d} scores 65 %, known steps 75 %"
        );
        assert_eq!(picture(&network(vec![], 1)).title, "linear_pgn: no setting was tried");
    }

    #[test]
    fn every_rule_has_a_line_through_the_settings_of_a_panel() {
        let picture = picture(&network(settings(), 1));
        let lines = |panel: usize| -> Vec<&Line> {
            let marks = picture.panels[panel].marks.iter();
            marks
                .filter_map(|mark| if let Mark::Line(it) = mark { Some(it) } else { None })
                .collect()
        };
        for (panel, points) in [(0, 3), (1, 4), (2, 6)] {
            assert_eq!(lines(panel).len(), Rule::ALL.len());
            assert!(lines(panel).iter().all(|line| line.points.len() == points), "{panel}");
        }
        let p: Vec<f64> = lines(1)[0].points.iter().map(|point| point.0).collect();
        assert_eq!(p, [0.1, 0.25, 0.5, 0.9]);
    }

    #[test]
    fn texts_do_not_overlap_with_one_seed_or_several_and_without_densities() {
        let without = vec![setting("n64", 64, None, 0.5), setting("n128", 128, None, 0.4)];
        for (settings, seeds) in [(settings(), 1), (settings(), 3), (without, 1)] {
            let picture = picture(&network(settings, seeds));
            for width in [85.0, 170.0] {
                let style = Style { width_mm: Some(width), ..Style::default() };
                assert_eq!(picture.text_overlaps(&style), [], "{width} mm");
            }
        }
    }
}
