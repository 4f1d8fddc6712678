//! Analyses, one file each, and their registry.
//!
//! An analysis answers one question about one network with plain data. The data contains everything that its figure
//! needs; its measures are the numbers that are compared between seeds, between variants, and with the paper's.

pub mod aggregation;
pub mod attractors;
pub mod cluster_directions;
pub mod dimensionality;
pub mod mispredicts;
pub mod perturbations;
pub mod score;
pub mod shared_space;
pub mod stopping;
pub mod symmetries;
pub mod termination;
pub mod value_generalisation;
pub mod walkthrough;

use narscope_clrs::registry;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::Context;
use crate::{Error, Result};

/// A question about a network, and the computation that answers it.
pub trait Analysis: Serialize + DeserializeOwned {
    /// Registered name.
    const NAME: &'static str;
    /// The question.
    const QUESTION: &'static str;
    /// Where the paper treats it.
    const PAPER: &'static str;
    /// Whether to run it before all others: they reuse its trajectories, which are the longest.
    const RUNS_FIRST: bool = false;
    /// Incremented whenever the analysis computes something else from the same samples, so that its cached answers
    /// expire. Changes of wording need no increment: sentences and measures are derived from the stored data when it
    /// is read.
    const REVISION: u32 = 5;
    /// What its two [protocols](crate::Protocol) do differently, in a paragraph, if it has two.
    const PROTOCOLS: Option<&'static str> = None;
    /// Whether it compares the algorithms of a network of several, so that it never applies to one of a single one.
    const COMPARES_ALGORITHMS: bool = false;

    /// Runs the analysis.
    fn run(context: &Context<'_>) -> Result<Self>;
    /// The answer in a sentence, with numbers.
    fn sentence(&self) -> String;
    /// The numbers of the answer that are compared between networks.
    fn measures(&self) -> Vec<Measure>;
}

/// One number of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Identifier, the same for every network.
    pub key: String,
    /// Label for people.
    pub label: String,
    /// The number; a share is between 0 and 1.
    pub value: f64,
    /// Whether it is a share, which is shown in percent.
    pub is_share: bool,
    /// Standard error with respect to the samples, if estimated. All networks get the same samples, so the spread
    /// over networks does not include it.
    #[serde(default)]
    pub error: Option<f64>,
}

impl Measure {
    /// A share, shown in percent.
    pub fn share(key: impl Into<String>, label: impl Into<String>, value: f64) -> Self {
        Self { key: key.into(), label: label.into(), value, is_share: true, error: None }
    }

    /// Any other number.
    pub fn number(key: impl Into<String>, label: impl Into<String>, value: f64) -> Self {
        Self { is_share: false, ..Self::share(key, label, value) }
    }

    /// Returns the measure with a standard error.
    #[must_use]
    pub fn with_error(self, error: Option<f64>) -> Self {
        Self { error, ..self }
    }
}

/// The result of an analysis, ready to be serialised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The analysis.
    pub analysis: String,
    /// The question.
    pub question: String,
    /// The answer in a sentence.
    pub sentence: String,
    /// The numbers that are compared between networks.
    pub measures: Vec<Measure>,
    /// All data, serialised from the analysis' own type.
    pub data: Value,
}

impl Answer {
    /// The answer with the given data.
    pub fn new<A: Analysis>(found: &A) -> Self {
        // By way of text, which keeps f32 short: as f64 in a `Value`, 0.1 would become 0.10000000149011612.
        let text = serde_json::to_string(found).expect("answers are JSON");
        Self {
            analysis: A::NAME.to_owned(),
            question: A::QUESTION.to_owned(),
            sentence: found.sentence(),
            measures: found.measures(),
            data: serde_json::from_str(&text).expect("JSON is read back"),
        }
    }
}

/// A registered analysis.
pub struct Entry {
    /// The registered name.
    pub name: &'static str,
    /// The question.
    pub question: &'static str,
    /// Where the paper treats it.
    pub paper: &'static str,
    /// Whether to run it before all others.
    pub runs_first: bool,
    /// Incremented whenever the analysis computes something else from the same samples.
    pub revision: u32,
    /// What its two [protocols](crate::Protocol) do differently, in a paragraph, if it has two.
    pub protocols: Option<&'static str>,
    /// Whether it needs a network of several algorithms.
    pub compares_algorithms: bool,
    /// Runs the analysis.
    pub run: fn(&Context<'_>) -> Result<Answer>,
    /// Derives sentence and measures of a stored answer from its data, as this version words them.
    pub refresh: fn(Answer) -> Answer,
}

impl Entry {
    const fn of<A: Analysis>() -> Self {
        Self {
            name: A::NAME,
            question: A::QUESTION,
            paper: A::PAPER,
            runs_first: A::RUNS_FIRST,
            revision: A::REVISION,
            protocols: A::PROTOCOLS,
            compares_algorithms: A::COMPARES_ALGORITHMS,
            run: |context| {
                let found = A::run(context).map_err(|error| match error {
                    Error::TooFewPoints { least, found } => Error::unsuitable(
                        A::NAME,
                        format!("at least {least} samples with the same number of steps"),
                        format!("there are {found}"),
                    ),
                    other => other,
                })?;
                Ok(Answer::new(&found))
            },
            refresh: |answer| {
                A::deserialize(&answer.data).map_or(answer, |found| Answer::new(&found))
            },
        }
    }
}

/// Every analysis, in the order in which reports show them. To add one: write its file, add its
/// `pub mod`, then its row.
pub static ALL: &[Entry] = &[
    Entry::of::<dimensionality::Dimensionality>(),
    Entry::of::<symmetries::Symmetries>(),
    Entry::of::<cluster_directions::ClusterDirections>(),
    Entry::of::<perturbations::Perturbations>(),
    Entry::of::<attractors::Attractors>(),
    Entry::of::<mispredicts::Mispredicts>(),
    Entry::of::<value_generalisation::ValueGeneralisation>(),
    Entry::of::<score::Score>(),
    Entry::of::<aggregation::Aggregation>(),
    Entry::of::<stopping::Stopping>(),
    Entry::of::<termination::Termination>(),
    Entry::of::<shared_space::SharedSpace>(),
    Entry::of::<walkthrough::Walkthrough>(),
];

/// Every analysis that can apply to a network of so many algorithms.
pub fn for_algorithms(count: usize) -> impl Iterator<Item = &'static Entry> {
    ALL.iter().filter(move |entry| !entry.compares_algorithms || count > 1)
}

/// Rounds a coordinate to four digits, which is enough for a figure: coordinates are most of a cached answer.
pub(crate) fn to_draw(x: f64) -> f32 {
    format!("{x:.3e}").parse().expect("a formatted number parses")
}

/// Looks an analysis up by name.
pub fn find(name: &str) -> Result<&'static Entry> {
    Ok(registry::find("analysis", ALL, |entry| entry.name, name)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_of_figures_have_four_digits() {
        let numbers = [0.123_456, -98.765_4, 1e-9, 0.0, f64::INFINITY];
        assert_eq!(numbers.map(to_draw), [0.1235, -98.77, 1e-9, 0.0, f32::INFINITY]);
        assert!(to_draw(f64::NAN).is_nan());
    }

    #[test]
    fn stored_answers_are_reworded_by_this_version() {
        let found = score::Score { samples: 32, nodes: 64, score: 0.5, exact: 0.25, valid: None };
        let new = Answer::new(&found);
        let old = Answer { sentence: "Half.".to_owned(), measures: vec![], ..new.clone() };
        let entry = find("score").unwrap();
        assert_eq!((entry.refresh)(old), new);
        let other = Answer { data: Value::Null, ..new };
        assert_eq!((entry.refresh)(other.clone()), other, "data of another shape stays as it is");
    }

    #[test]
    fn every_file_is_registered_and_asks_a_question() {
        let files = std::fs::read_dir("src/analyses").unwrap();
        let mut files: Vec<String> = files
            .map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .filter(|name| name != "mod")
            .collect();
        files.sort();
        let mut registered: Vec<&str> = ALL.iter().map(|entry| entry.name).collect();
        registered.sort_unstable();
        assert_eq!(files, registered);
        for entry in ALL {
            assert!(entry.question.ends_with('?'), "{}", entry.question);
            assert_eq!(find(entry.name).unwrap().name, entry.name);
        }
    }
}
