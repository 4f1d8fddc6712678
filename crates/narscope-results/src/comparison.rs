//! Our measures next to the paper's.

use narscope_analysis::analyses::{self, Answer, Measure};
use narscope_analysis::sampling::Sampling;
use narscope_model::config::Config;
use serde::Serialize;

use crate::comparable::is_comparable;
use crate::published::{self, Published};
use crate::statistics::Summary;

/// Answers of all analyses of one network.
#[derive(Clone, Debug)]
pub struct NetworkAnswers {
    /// Name of the network without its seed, see [`variant_name`](crate::variant_name).
    pub variant: String,
    /// Seed of the training.
    pub seed: u32,
    /// Configuration of the network.
    pub config: Config,
    /// Samples that were drawn; `None` for an instance of the user.
    pub sampling: Option<Sampling>,
    /// The answers.
    pub answers: Vec<Answer>,
}

/// Answers of one analysis for all seeds of one variant.
#[derive(Clone, Debug)]
pub struct AnswerGroup<'a> {
    /// The variant.
    pub variant: &'a str,
    /// Seeds and answers; at least one.
    pub answers: Vec<(u32, &'a Answer)>,
    /// Whether the answers are comparable with the paper's, see [`is_comparable`].
    pub is_comparable: bool,
}

impl<'a> AnswerGroup<'a> {
    /// Groups the answers of one analysis by variant, in the order of [`variants`].
    pub fn all(networks: &'a [NetworkAnswers], analysis: &str) -> Vec<Self> {
        let groups = variants(networks).into_iter().map(|variant| {
            let of_variant = networks.iter().filter(|network| network.variant == variant);
            let answers = of_variant
                .clone()
                .flat_map(|network| network.answers.iter().map(|answer| (network.seed, answer)))
                .filter(|(_, answer)| answer.analysis == analysis);
            let is_comparable = of_variant
                .clone()
                .all(|network| is_comparable(analysis, &network.config, network.sampling.as_ref()));
            Self { variant, answers: answers.collect(), is_comparable }
        });
        groups.filter(|group| !group.answers.is_empty()).collect()
    }

    /// Compares every measure with the paper's.
    pub fn comparisons(&self) -> Vec<Comparison> {
        let first = self.answers.first().map(|(_, answer)| answer.measures.as_slice());
        let measures = first.unwrap_or_default().iter();
        measures.map(|measure| Comparison::of(self, measure)).collect()
    }
}

/// Returns the names of all variants, in the order of their first networks.
pub fn variants(networks: &[NetworkAnswers]) -> Vec<&str> {
    let mut variants: Vec<&str> = vec![];
    for network in networks {
        if !variants.contains(&network.variant.as_str()) {
            variants.push(&network.variant);
        }
    }
    variants
}

/// Compares every measure of all networks with the paper's, in the order of the analyses.
pub fn comparisons(networks: &[NetworkAnswers]) -> Vec<Comparison> {
    let groups = analyses::ALL.iter().flat_map(|entry| AnswerGroup::all(networks, entry.name));
    groups.flat_map(|group| group.comparisons()).collect()
}

/// A measure over all seeds of one variant, and the paper's number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The analysis.
    pub analysis: String,
    /// The network.
    pub variant: String,
    /// Identifier of the measure.
    pub key: String,
    /// Description of the measure.
    pub label: String,
    /// Seeds and values.
    pub values: Vec<(u32, f64)>,
    /// Mean over seeds.
    pub mean: f64,
    /// Standard deviation over seeds; `None` for a single seed.
    pub std: Option<f64>,
    /// The published number, if there is one and our networks and samples are like the paper's.
    pub paper: Option<Published>,
    /// Whether the values are shares, which are shown in percent.
    pub is_share: bool,
}

impl Comparison {
    /// Compares one measure.
    fn of(group: &AnswerGroup<'_>, measure: &Measure) -> Self {
        let AnswerGroup { variant, answers, is_comparable } = group;
        let values: Vec<(u32, f64)> = answers
            .iter()
            .filter_map(|(seed, answer)| {
                let found = answer.measures.iter().find(|it| it.key == measure.key);
                found.map(|found| (*seed, found.value))
            })
            .collect();
        let summary = Summary::of(&values.iter().map(|(_, value)| *value).collect::<Vec<_>>());
        let analysis = &answers[0].1.analysis;
        let paper = published::measure(variant, analysis, &measure.key);
        Self {
            analysis: analysis.clone(),
            variant: (*variant).to_owned(),
            key: measure.key.clone(),
            label: measure.label.clone(),
            values,
            mean: summary.mean,
            std: summary.std,
            paper: paper.filter(|_| *is_comparable),
            is_share: measure.is_share,
        }
    }

    /// Our mean and standard deviation as text.
    pub fn ours(&self) -> String {
        self.text(self.mean, self.std)
    }

    /// The published number as text; empty if there is none.
    pub fn published(&self) -> String {
        self.paper.map(|paper| self.text(paper.value, paper.std)).unwrap_or_default()
    }

    /// Whether the paper has a number.
    pub fn is_published(&self) -> bool {
        self.paper.is_some()
    }

    fn text(&self, value: f64, std: Option<f64>) -> String {
        let (scale, unit, digits) = if self.is_share { (100.0, " %", 1) } else { (1.0, "", 3) };
        match std {
            Some(std) => format!("{:.digits$} ± {:.digits$}{unit}", scale * value, scale * std),
            None => format!("{:.digits$}{unit}", scale * value),
        }
    }
}

/// All comparisons with a published number, as a table in Markdown.
pub fn markdown(comparisons: &[Comparison]) -> String {
    const HEAD: &str = "| measure | network | seeds | ours | paper |\n\
                        | --- | --- | ---: | ---: | ---: |\n";
    let rows =
        comparisons.iter().filter(|comparison| comparison.is_published()).map(|comparison| {
            let Comparison { label, variant, values, .. } = comparison;
            let (ours, published) = (comparison.ours(), comparison.published());
            format!("| {label} | {variant} | {} | {ours} | {published} |\n", values.len())
        });
    std::iter::once(HEAD.to_owned()).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(value: f64) -> Answer {
        Answer {
            analysis: "perturbations".to_owned(),
            question: String::new(),
            sentence: String::new(),
            measures: vec![
                Measure::share("noise_free", "accuracy, noise free", value),
                Measure::number("other", "another", 1.0),
            ],
            data: serde_json::Value::Null,
        }
    }

    #[test]
    fn a_comparison_has_the_mean_over_seeds_and_the_published_value() {
        let (one, two) = (answer(0.93), answer(0.95));
        let all = |is_comparable: bool| {
            let answers = vec![(42, &one), (43, &two)];
            AnswerGroup { variant: "linear_pgn", answers, is_comparable }.comparisons()
        };
        let others = all(false);
        let all = all(true);
        assert_eq!(all[0].ours(), "94.0 ± 1.4 %");
        assert_eq!(all[0].published(), "93.6 ± 3.4 %");
        assert_eq!((all[1].published().as_str(), all[1].is_published()), ("", false));
        let table = markdown(&all);
        assert_eq!(table.lines().count(), 3, "{table}");
        assert!(table.ends_with("| 94.0 ± 1.4 % | 93.6 ± 3.4 % |\n"));
        assert!(!others[0].is_published(), "other graphs or training");
    }
}
