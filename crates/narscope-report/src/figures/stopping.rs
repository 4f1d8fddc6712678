//! Scores and numbers of steps of stopping rules.

use narscope_analysis::analyses::stopping::{Outcome, Stopping};

use super::Figure;
use super::marks::{Row, dots};
use super::seeds::{Network, SHARE, Shown, means, networks, seeds_in_words};
use super::words::{counted, decimals, percents};
use crate::plot::{Axis, Colour, Line, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "stopping",
    paper: "Section 6, future work",
    draw: |groups| {
        let networks = networks::<Stopping>(groups)?;
        let rows = |value: fn(&Outcome) -> f64| -> Vec<Row<'_, Stopping>> {
            let rules = networks[0].first().rules.iter().enumerate();
            let row = |(index, rule): (usize, &Outcome)| {
                let name = rule_name(networks[0].first(), rule);
                Row::new(name, move |found: &Stopping| found.rules.get(index).map(value))
            };
            rules.map(row).collect()
        };
        let most = networks[0].first().most as f64;
        Ok(vec![Picture {
            title: title(&networks),
            caption: caption(&networks),
            columns: 3,
            panels: vec![
                Panel {
                    title: "score".to_owned(),
                    x: Axis::percent("score"),
                    marks: vec![dots(&networks, &rows(|it| it.score), SHARE).into()],
                    ..Panel::default()
                },
                Panel {
                    title: "length".to_owned(),
                    x: Axis::new("mean number of steps").from_zero(),
                    marks: vec![dots(&networks, &rows(|it| it.steps), (1.0, most)).into()],
                    ..Panel::default()
                },
                thresholds(&networks),
            ],
            ..Picture::default()
        }])
    },
    details: None,
    spaces: None,
};

/// A short name of a rule. Thresholds differ between networks, so that their rule has a common name.
fn rule_name(found: &Stopping, rule: &Outcome) -> String {
    let is_threshold = found.thresholds.iter().any(|(_, other)| other.rule == rule.rule);
    if is_threshold || rule.rule.starts_with("state changes") {
        return "state rests".to_owned();
    }
    // Answers of earlier versions have the plural.
    let name = rule.rule.replace("for 1 steps", "for 1 step");
    name.replace("answer unchanged for", "same for")
        .replace("the known number of steps", "known steps")
        .replace("the maximum number of steps", "all steps")
}

/// Scores by number of steps, for every threshold.
fn thresholds(networks: &[Network<'_, Stopping>]) -> Panel {
    let mut marks: Vec<Mark> = vec![];
    for (index, network) in networks.iter().enumerate() {
        for (place, (_, found)) in network.seeds.iter().enumerate() {
            let points = found.thresholds.iter().map(|(_, it)| (it.steps, it.score)).collect();
            let line = Line::new(points, Colour::Category(index)).width(0.7);
            marks.push(if place == 0 { line.named(network.variant) } else { line }.into());
        }
    }
    Panel {
        title: "every threshold of a resting state".to_owned(),
        x: Axis::new("mean number of steps").from_zero(),
        y: Axis::percent("score"),
        marks,
        ..Panel::default()
    }
}

fn title(networks: &[Network<'_, Stopping>]) -> String {
    let words = |index: usize| {
        let of =
            |value: fn(&Outcome) -> f64| means(networks, |found| found.rules.get(index).map(value));
        let (scores, steps) = (of(|it| it.score), of(|it| it.steps));
        let known = !scores.is_empty();
        known.then(|| format!("{} in {} steps", percents(&scores), decimals(&steps, 1)))
    };
    match (words(1), words(0)) {
        (Some(rests), Some(told)) => format!(
            "Stopping when the state rests scores {rests}; with the known number of steps, {told}"
        ),
        _ => "No stopping rule was tried".to_owned(),
    }
}

fn caption(networks: &[Network<'_, Stopping>]) -> String {
    let first = networks[0].first();
    format!(
        "a and b, stopping rules that do not know the number of steps, below the one that does: the state changes by less than \
         a threshold that was chosen on other graphs, the answer stays the same, or never ({}). c, each line is a seed: its \
         score with each threshold. {}, {}.",
        counted(first.most, "step"),
        counted(first.graphs, "graph"),
        seeds_in_words(networks, Shown::Dots),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(rules: &[(&str, f64, f64)]) -> Network<'static, Stopping> {
        let rules = rules.iter().map(|&(rule, score, steps)| Outcome {
            rule: rule.to_owned(),
            score,
            steps,
            never: 0.0,
        });
        let found = Stopping { graphs: 8, most: 16, rules: rules.collect(), thresholds: vec![] };
        Network { variant: "mpnn", seeds: vec![(42, found)], is_comparable: false }
    }

    #[test]
    fn the_title_compares_the_resting_state_with_the_known_number_of_steps() {
        let network = network(&[
            ("the known number of steps", 0.75, 7.5),
            ("state changes by less than 5.0 %", 0.5, 6.0),
        ]);
        assert_eq!(
            title(&[network]),
            "Stopping when the state rests scores 50 % in 6.0 steps; with the known number of steps, 75 % in 7.5 steps"
        );
        assert_eq!(title(&[self::network(&[])]), "No stopping rule was tried");
    }

    #[test]
    fn one_step_is_singular_in_answers_of_earlier_versions() {
        let network = network(&[("answer unchanged for 1 steps", 0.5, 6.0)]);
        let found = network.first();
        assert_eq!(rule_name(found, &found.rules[0]), "same for 1 step");
    }
}
