//! Analyses, one file each, and the one list that names them all.
//!
//! An analysis answers one question about one network with plain data. The data holds all that a
//! figure of it needs; its measures are the numbers that are compared between seeds, between
//! variants, and with the paper's.

pub mod aggregation;
pub mod attractors;
pub mod cluster_directions;
pub mod dimensionality;
pub mod mispredicts;
pub mod perturbations;
pub mod score;
pub mod stopping;
pub mod symmetries;
pub mod value_generalisation;
pub mod walkthrough;

use narscope_clrs::registry;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::study::Study;
use crate::{Error, Result};

/// A question, and how it is answered.
pub trait Analysis: Serialize + DeserializeOwned {
    /// The registered name: what is measured.
    const NAME: &'static str;
    /// The question.
    const QUESTION: &'static str;
    /// Where the paper asks it.
    const PAPER: &'static str;
    /// Whether it is best asked before all others, because they find what they need in its long runs.
    const FIRST: bool = false;

    /// Finds the answer.
    fn of(study: &Study<'_>) -> Result<Self>;
    /// The answer in a sentence, with numbers.
    fn sentence(&self) -> String;
    /// The numbers of the answer that are compared.
    fn measures(&self) -> Vec<Measure>;
}

/// A number of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Its name, the same for every network.
    pub key: String,
    /// What it is, for people.
    pub label: String,
    /// The number: shares are from 0 to 1.
    pub value: f64,
    /// Whether it is a share, and shown in percent.
    pub is_share: bool,
    /// Its standard error, where it hangs on the samples as well: these are the same for all networks, so
    /// that their spread does not show it.
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

    /// The same, with its standard error.
    #[must_use]
    pub fn with_error(self, error: Option<f64>) -> Self {
        Self { error, ..self }
    }
}

/// What was found, ready to be written down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The analysis.
    pub analysis: String,
    /// The question.
    pub question: String,
    /// The answer in a sentence.
    pub sentence: String,
    /// The numbers that are compared.
    pub measures: Vec<Measure>,
    /// All of it, as the analysis lays it out.
    pub data: Value,
}

impl Answer {
    /// What an analysis found.
    pub fn new<A: Analysis>(found: &A) -> Self {
        // By way of text: a number of few digits has many more as the same number in double precision.
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
    /// Where the paper asks it.
    pub paper: &'static str,
    /// Whether it is best asked before all others.
    pub first: bool,
    /// Finds the answer.
    pub answer: fn(&Study<'_>) -> Result<Answer>,
    /// What was found once, in today's words and numbers.
    pub retell: fn(Answer) -> Answer,
}

impl Entry {
    const fn of<A: Analysis>() -> Self {
        Self {
            name: A::NAME,
            question: A::QUESTION,
            paper: A::PAPER,
            first: A::FIRST,
            answer: |study| {
                let found = A::of(study).map_err(|error| match error {
                    Error::TooFewPoints { least, found } => Error::unsuitable(
                        A::NAME,
                        format!("more samples (at least {least} alike)"),
                        format!("there are {found}"),
                    ),
                    other => other,
                })?;
                Ok(Answer::new(&found))
            },
            retell: |answer| {
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
    Entry::of::<walkthrough::Walkthrough>(),
];

/// A coordinate with as many digits as a picture shows: answers are kept, and most of what is in them is
/// drawn.
pub(crate) fn to_draw(x: f64) -> f32 {
    format!("{x:.3e}").parse().expect("a number in decimals is a number")
}

/// Looks an analysis up by name.
pub fn find(name: &str) -> Result<&'static Entry> {
    Ok(registry::find("analysis", ALL, |entry| entry.name, name)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_has_four_digits() {
        let numbers = [0.123_456, -98.765_4, 1e-9, 0.0, f64::INFINITY];
        assert_eq!(numbers.map(to_draw), [0.1235, -98.77, 1e-9, 0.0, f32::INFINITY]);
        assert!(to_draw(f64::NAN).is_nan());
    }

    #[test]
    fn what_was_found_once_is_told_in_todays_words() {
        let found = score::Score { samples: 32, nodes: 64, score: 0.5, exact: 0.25, valid: None };
        let today = Answer::new(&found);
        let old = Answer { sentence: "Half.".to_owned(), measures: vec![], ..today.clone() };
        let entry = find("score").unwrap();
        assert_eq!((entry.retell)(old), today);
        let other = Answer { data: Value::Null, ..today };
        assert_eq!((entry.retell)(other.clone()), other, "of something else, as it is");
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
