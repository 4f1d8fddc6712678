//! Our numbers beside the paper's.

use narscope_analysis::analyses::{Answer, Measure};
use narscope_model::statistics::Summary;
use serde::Serialize;

use crate::paper::{Published, Verdict, claimed, published};

/// A measure of all seeds of one variant, and what the paper printed of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The analysis.
    pub analysis: String,
    /// The network.
    pub variant: String,
    /// The measure, for programs.
    pub key: String,
    /// The measure, for people.
    pub label: String,
    /// The seeds that networks were trained with, and the numbers of each.
    pub values: Vec<(u32, f64)>,
    /// The mean over seeds.
    pub mean: f64,
    /// The standard deviation over seeds, if there are several.
    pub std: Option<f64>,
    /// What the paper printed, if anything.
    pub paper: Option<Published>,
    /// What it says without a number.
    pub claim: Option<&'static str>,
    /// How the two stand to each other.
    pub verdict: Option<Verdict>,
    /// Whether numbers are shares, and shown in percent.
    pub is_share: bool,
}

impl Comparison {
    /// One measure of the answers of several seeds.
    fn of(
        variant: &str,
        answers: &[(u32, &Answer)],
        measure: &Measure,
        is_comparable: bool,
    ) -> Self {
        let values: Vec<(u32, f64)> = answers
            .iter()
            .filter_map(|(seed, answer)| {
                let found = answer.measures.iter().find(|it| it.key == measure.key);
                found.map(|found| (*seed, found.value))
            })
            .collect();
        let numbers: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
        let summary = Summary::of(&numbers);
        let analysis = &answers[0].1.analysis;
        let paper = published(variant, analysis, &measure.key);
        let unjudged = Self {
            analysis: analysis.clone(),
            variant: variant.to_owned(),
            key: measure.key.clone(),
            label: measure.label.clone(),
            values,
            mean: summary.mean,
            std: summary.std,
            paper,
            claim: claimed(variant, analysis, &measure.key),
            verdict: None,
            is_share: measure.is_share,
        };
        let verdict = if is_comparable {
            paper.map(|paper| Verdict::of(&summary, measure.error, paper))
        } else {
            unjudged.is_in_paper().then_some(Verdict::Incomparable)
        };
        Self { verdict, ..unjudged }
    }

    /// Every measure of the answers of several seeds to one question, judged by the paper's if they may be.
    pub fn all(variant: &str, answers: &[(u32, &Answer)], is_comparable: bool) -> Vec<Self> {
        let first = answers.first().map(|(_, answer)| answer.measures.as_slice());
        let measures = first.unwrap_or_default().iter();
        measures.map(|measure| Self::of(variant, answers, measure, is_comparable)).collect()
    }

    /// Our mean and its spread, as people read them.
    pub fn ours(&self) -> String {
        self.shown(self.mean, self.std)
    }

    /// The paper's, or what it says without a number, or nothing.
    pub fn papers(&self) -> String {
        let printed = self.paper.map(|paper| self.shown(paper.value, paper.std));
        printed.or_else(|| self.claim.map(str::to_owned)).unwrap_or_default()
    }

    /// Whether the paper says anything of it.
    pub fn is_in_paper(&self) -> bool {
        self.paper.is_some() || self.claim.is_some()
    }

    /// The verdict in words, or nothing.
    pub fn words(&self) -> &'static str {
        let without_number = self.claim.map(|_| "no number to judge by");
        self.verdict.map(Verdict::words).or(without_number).unwrap_or_default()
    }

    fn shown(&self, value: f64, std: Option<f64>) -> String {
        let (scale, unit, digits) = if self.is_share { (100.0, " %", 1) } else { (1.0, "", 3) };
        match std {
            Some(std) => format!("{:.digits$} ± {:.digits$}{unit}", scale * value, scale * std),
            None => format!("{:.digits$}{unit}", scale * value),
        }
    }
}

/// What the paper printed beside what we found, as a table in Markdown.
pub fn markdown(comparisons: &[Comparison]) -> String {
    const HEAD: &str = "| measure | network | seeds | ours | paper | verdict |\n\
                        | --- | --- | ---: | ---: | ---: | --- |\n";
    let rows = comparisons.iter().filter(|row| row.is_in_paper()).map(|row| {
        let Comparison { label, variant, values, .. } = row;
        let (seeds, ours, papers, words) = (values.len(), row.ours(), row.papers(), row.words());
        format!("| {label} | {variant} | {seeds} | {ours} | {papers} | {words} |\n")
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
    fn seeds_become_a_mean_with_its_spread_beside_what_was_printed() {
        let (one, two) = (answer(0.93), answer(0.95));
        let all = Comparison::all("linear_pgn", &[(42, &one), (43, &two)], true);
        assert_eq!(all[0].ours(), "94.0 ± 1.4 %");
        assert_eq!(all[0].papers(), "93.6 ± 3.4 %");
        assert_eq!((all[1].papers().as_str(), all[1].words()), ("", ""));
        let table = markdown(&all);
        assert_eq!(table.lines().count(), 3, "{table}");
        assert!(table.ends_with("| 94.0 ± 1.4 % | 93.6 ± 3.4 % | agrees within spread |\n"));
        let others = Comparison::all("linear_pgn", &[(42, &one), (43, &two)], false);
        assert_eq!(
            (others[0].papers(), others[0].words()),
            (all[0].papers(), "other graphs or training")
        );
    }
}
