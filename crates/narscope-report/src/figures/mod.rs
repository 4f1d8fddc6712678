//! Figures: one file each, and the list of all.

mod aggregation;
mod attractors;
mod cluster_directions;
pub mod compare;
mod dimensionality;
#[cfg(test)]
pub(crate) mod kept;
pub mod kinds;
mod marks;
mod mispredicts;
pub mod paper;
mod paper_comparison;
mod perturbations;
mod score;
mod seeds;
mod shared_space;
mod stopping;
mod symmetries;
pub mod tables;
mod termination;
mod trajectories;
mod value_generalisation;
mod walkthrough;
mod words;

use narscope_analysis::analyses::{Analysis, Answer};
use narscope_clrs::registry;
use narscope_results::AnswerGroup;
use serde::Serialize;

use crate::plot::Picture;
use crate::{Error, Result};
pub use paper_comparison::paper_comparison;
pub(crate) use words::counted;

/// Draws pictures of a single network.
type DrawDetails = fn(&AnswerGroup<'_>) -> Result<Vec<Picture>>;
/// Makes trajectories for the interactive view.
type MakeSpaces = fn(&Answer) -> Result<Vec<Space>>;

/// How the answer of an analysis is drawn.
pub struct Figure {
    /// Name of the figure, which is the name of its analysis.
    pub name: &'static str,
    /// The corresponding figure, table or section of the paper.
    pub paper: &'static str,
    /// Draws the networks of one analysis side by side, with every seed; at least one group.
    pub draw: fn(&[AnswerGroup<'_>]) -> Result<Vec<Picture>>,
    /// Draws pictures of a single network, such as the trajectories of each seed.
    pub details: Option<DrawDetails>,
    /// Makes the trajectories for the interactive 3D view, if there are any.
    pub spaces: Option<MakeSpaces>,
}

impl Figure {
    /// Draws the networks side by side. Returns file names and pictures.
    pub fn pictures(&self, groups: &[AnswerGroup<'_>]) -> Result<Vec<(String, Picture)>> {
        Ok(numbered(self.name, (self.draw)(groups)?))
    }

    /// Draws the details of a single network. Returns file names and pictures.
    pub fn detail_pictures(&self, group: &AnswerGroup<'_>) -> Result<Vec<(String, Picture)>> {
        let pictures = self.details.map_or_else(|| Ok(vec![]), |draw| draw(group))?;
        Ok(numbered(&format!("{}-details", self.name), pictures))
    }

    /// Draws everything about a single network. Returns file names and pictures.
    pub fn all_pictures(&self, group: &AnswerGroup<'_>) -> Result<Vec<(String, Picture)>> {
        let mut pictures = self.pictures(std::slice::from_ref(group))?;
        pictures.extend(self.detail_pictures(group)?);
        Ok(pictures)
    }
}

/// Names pictures: `name`, `name-2`, `name-3`, …
fn numbered(name: &str, pictures: Vec<Picture>) -> Vec<(String, Picture)> {
    let file = |index: usize| match index {
        0 => name.to_owned(),
        _ => format!("{name}-{}", index + 1),
    };
    let pictures = pictures.into_iter().enumerate();
    pictures.map(|(index, picture)| (file(index), picture)).collect()
}

/// Trajectories in three principal components, for the interactive view.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Space {
    /// Title.
    pub title: String,
    /// Positions, by graph and step.
    pub trajectories: Vec<Vec<[f32; 3]>>,
    /// Score per graph, if known.
    pub scores: Option<Vec<f64>>,
    /// Class per graph, if there are several.
    pub classes: Option<Vec<usize>>,
}

/// All figures, in the order of the analyses. To add one: write its file, add its `mod` and its row here.
pub static ALL: &[Figure] = &[
    dimensionality::FIGURE,
    symmetries::FIGURE,
    cluster_directions::FIGURE,
    perturbations::FIGURE,
    attractors::FIGURE,
    mispredicts::FIGURE,
    value_generalisation::FIGURE,
    score::FIGURE,
    aggregation::FIGURE,
    stopping::FIGURE,
    termination::FIGURE,
    shared_space::FIGURE,
    walkthrough::FIGURE,
];

/// Looks up a figure by name.
pub fn find(name: &str) -> Result<&'static Figure> {
    Ok(registry::find("figure", ALL, |figure| figure.name, name)?)
}

/// Deserialises the data of an answer.
fn read<A: Analysis>(answer: &Answer) -> Result<A> {
    serde_json::from_value(answer.data.clone()).map_err(|error| Error::OtherVersion {
        analysis: answer.analysis.clone(),
        what: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use narscope_results::NetworkAnswers;

    use super::*;

    #[test]
    fn every_analysis_has_a_figure() {
        let figures: Vec<&str> = ALL.iter().map(|figure| figure.name).collect();
        let analyses: Vec<&str> =
            narscope_analysis::analyses::ALL.iter().map(|analysis| analysis.name).collect();
        assert_eq!(figures, analyses);
    }

    /// Analyses of networks of several algorithms, which the study has not.
    const NOT_IN_THE_STUDY: [&str; 1] = ["shared_space"];

    #[test]
    fn texts_of_kept_answers_do_not_overlap_and_titles_say_something() {
        let kept = kept::kept_networks();
        let first = kept.iter().map(|network| network.seed).min();
        let of_one_variant = |network: &NetworkAnswers| network.variant == "linear_pgn";
        let of_one_seed = |network: &NetworkAnswers| {
            Some(network.seed) == first
                && ["linear_pgn", "triplet_gmpnn"].contains(&network.variant.as_str())
        };
        let cases: [&dyn Fn(&NetworkAnswers) -> bool; 2] = [&of_one_variant, &of_one_seed];
        for is_wanted in cases {
            let networks = kept.iter().filter(|network| is_wanted(network)).cloned();
            let networks: Vec<NetworkAnswers> = networks.collect();
            for figure in ALL.iter().filter(|figure| !NOT_IN_THE_STUDY.contains(&figure.name)) {
                let groups = AnswerGroup::all(&networks, figure.name);
                let details = figure.detail_pictures(&groups[0]).unwrap();
                for (name, picture) in figure.pictures(&groups).unwrap().into_iter().chain(details)
                {
                    kept::check_texts(&name, &picture);
                }
            }
        }
    }
}
