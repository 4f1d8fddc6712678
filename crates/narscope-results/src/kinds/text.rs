//! The answer as Markdown.

use std::fmt::Write as _;

use super::{
    Decider, Findings, GridFindings, Kinds, Modality, OutcomeDifference, Threshold, ThresholdRule,
};
use crate::distribution::mixture::MixtureTest;
use crate::distribution::variance_components::Component;

impl Modality {
    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::TwoKinds => "two kinds",
            Self::SkewedOrHeavyTailed => "skewed or heavy-tailed, not two kinds",
            Self::SeveralModes => "more than one mode, but not two normal kinds",
            Self::OneRange => "one range, no kinds",
        }
    }
}

impl Decider {
    /// The seed in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Weights => "the seed of the weights",
            Self::Data => "the seed of the data",
        }
    }
}

impl Kinds {
    /// How many networks there are of those that were planned.
    pub fn progress(&self) -> String {
        format!("{} of {} networks", self.networks.len(), self.planned)
    }

    /// What `D` is.
    pub fn definition(&self) -> String {
        let Self { algorithm, variant, graphs, .. } = self;
        format!(
            "share of nodes that agree with {algorithm}:{variant} minus share that agree with {algorithm}, on {} directed \
             graphs of {} nodes with p = 0.5",
            graphs.count, graphs.nodes
        )
    }

    /// The answer as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!(
            "# Kinds of networks on {}: {}\n\nD: {}.\n\n",
            self.algorithm,
            self.progress(),
            self.definition()
        );
        let unlearned: Vec<String> = self
            .unlearned()
            .map(|it| {
                let score = it.network.validation.unwrap_or(f64::NAN);
                format!("{} ({}, D = {})", it.network.name, percent(score), percent(it.leaning))
            })
            .collect();
        text += "| | all networks | validation of at least 80 % |\n|---|---|---|\n";
        for ((name, all), (_, learned)) in rows(&self.all).into_iter().zip(rows(&self.learned)) {
            let _ = writeln!(text, "| {name} | {all} | {learned} |");
        }
        outcomes(&mut text, "all networks", &self.all);
        if !unlearned.is_empty() {
            outcomes(&mut text, "validation of at least 80 %", &self.learned);
            let _ = writeln!(text, "\nBelow 80 % in validation: {}.", unlearned.join("; "));
        }
        text
    }
}

/// Name and value of every answer about the distribution.
fn rows(found: &Findings) -> Vec<(&'static str, String)> {
    let Findings { networks, leaning, dip, mixture, modality, grid, threshold, .. } = found;
    let deviation = leaning.std.map_or(String::new(), |std| format!(" ± {}", percent(std)));
    let missing = || "not known: too few networks".to_owned();
    let test = |words: fn(&MixtureTest) -> String| mixture.as_ref().map_or_else(missing, words);
    vec![
        ("networks", networks.to_string()),
        ("D, mean ± standard deviation", percent(leaning.mean) + &deviation),
        ("dip", dip.map_or_else(missing, |it| format!("{:.4}, {}", it.dip, p(it.p)))),
        ("two normal distributions", test(components)),
        ("likelihood ratio against one", test(|it| format!("{:.1}, {}", it.ratio, p(it.p)))),
        ("Ashman's distance", test(|it| format!("{:.2}", it.ashmans_distance))),
        ("**are there two kinds?**", format!("**{}**", modality.words())),
        ("grid of seeds", grid_words(grid)),
        ("variance due to the seed of weights", component(grid, |it| it.rows)),
        ("variance due to the seed of data", component(grid, |it| it.columns)),
        ("variance due to neither", component(grid, |it| it.rest)),
        ("**which seed decides?**", format!("**{}**", decider(grid))),
        ("threshold", threshold.as_ref().map_or_else(missing, threshold_words)),
    ]
}

fn components(test: &MixtureTest) -> String {
    let one = |index: usize| {
        let it = test.mixture.components[index];
        let weight = percent(test.mixture.weights[index]);
        format!("{weight} at {} ± {}", percent(it.mean), percent(it.deviation))
    };
    format!("{}; {}", one(0), one(1))
}

fn grid_words(grid: &GridFindings) -> String {
    let (weights, data) = grid.seeds;
    let words = format!("{weights} seeds of weights × {data} seeds of data");
    match (&grid.remark, grid.networks) {
        (None, _) => words,
        (Some(remark), 0) => format!("none: {remark}"),
        (Some(remark), _) => {
            format!("{words}, the complete part ({remark}); {} networks left out", grid.left_out)
        }
    }
}

fn component(
    grid: &GridFindings,
    of: fn(&crate::distribution::variance_components::VarianceComponents) -> Component,
) -> String {
    let Some(found) = grid.components.as_ref().map(of) else {
        return "not known: no grid".to_owned();
    };
    let test = found.p.map_or(String::new(), |value| format!(", {}", p(value)));
    percent(found.share) + &test
}

fn decider(grid: &GridFindings) -> &'static str {
    match (grid.decider, &grid.components) {
        (Some(decider), _) => decider.words(),
        (None, Some(_)) => "neither alone",
        (None, None) => "not known",
    }
}

fn threshold_words(threshold: &Threshold) -> String {
    let rule = match threshold.rule {
        ThresholdRule::EqualPosterior => "equal posterior",
        ThresholdRule::Median => "median",
    };
    let Threshold { value, networks, .. } = threshold;
    format!("{}, {rule} of {networks} networks with even seeds", percent(*value))
}

/// Appends the table of outcomes.
fn outcomes(text: &mut String, which: &str, found: &Findings) {
    let Some(OutcomeDifference { networks: (above, below), .. }) = found.outcomes.first() else {
        let _ = writeln!(text, "\nOutcomes, {which}: not known, no network has two even seeds.");
        return;
    };
    let _ = writeln!(
        text,
        "\nOutcomes, {which}: networks with odd seeds, {above} above and {below} below the threshold\n\n\
         | outcome | above | below | difference [95 %] | p, corrected | AUC | rank correlation with D | predicted? |\n\
         |---|---|---|---|---|---|---|---|"
    );
    for outcome in &found.outcomes {
        let (above, below) = outcome.means;
        let or_dash = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
        let difference = outcome.test.map(|test| {
            let (low, high) = test.interval;
            format!("{} [{}, {}]", percent(test.difference), percent(low), percent(high))
        });
        let number = |value: Option<f64>| or_dash(value.map(|it| minus(&format!("{it:.2}"))));
        let _ = writeln!(
            text,
            "| {}: {} | {} | {} | {} | {} | {} | {} | {} |",
            outcome.label,
            outcome.unit,
            or_dash(above.map(percent)),
            or_dash(below.map(percent)),
            or_dash(difference),
            or_dash(outcome.corrected.map(p)),
            number(outcome.auc),
            number(outcome.correlation),
            if outcome.is_predicted { "**yes**" } else { "no" },
        );
    }
}

/// A share in percent.
fn percent(share: f64) -> String {
    minus(&format!("{:.1} %", 100.0 * share))
}

/// A number with a true minus, and none in front of zero.
fn minus(number: &str) -> String {
    let is_zero = number.chars().all(|digit| !('1'..='9').contains(&digit));
    if is_zero { number.replace('-', "") } else { number.replace('-', "\u{2212}") }
}

/// A p-value.
fn p(value: f64) -> String {
    /// Smaller ones look like zero.
    const LEAST: f64 = 0.0001;
    if value < LEAST { format!("p < {LEAST}") } else { format!("p = {value:.4}") }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{options, two_kinds};
    use super::*;

    #[test]
    fn the_answer_names_every_verdict_and_how_many_networks_there_are() {
        let mut networks = two_kinds(12, 8);
        networks[0].validation = Some(0.5);
        let text = Kinds::of(&networks, &options()).unwrap().markdown();
        for part in [
            "# Kinds of networks on bellman_ford: 96 of 200 networks\n",
            "| **are there two kinds?** | **two kinds** | **two kinds** |\n",
            "**the seed of the weights**",
            "12 seeds of weights × 8 seeds of data | 11 seeds of weights × 8 seeds of data, the complete part",
            "1 of 96 are missing); 7 networks left out",
            "| nodes that never were right: share of nodes |",
            "| **yes** |\n",
            "\nBelow 80 % in validation: data_seed=200/seed=100 (50.0 %, D = 10.0 %).\n",
        ] {
            assert!(text.contains(part), "{part:?} in {text}");
        }
        assert!(!text.contains("NaN"), "{text}");
    }

    #[test]
    fn numbers_have_a_true_minus_and_zero_has_none() {
        assert_eq!([-0.1234, -0.0001, 0.5].map(percent), ["\u{2212}12.3 %", "0.0 %", "50.0 %"]);
        assert_eq!([0.000_01, 0.01].map(p), ["p < 0.0001", "p = 0.0100"]);
    }
}
