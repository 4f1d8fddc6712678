//! Figures: one file each, and the list of all.

mod aggregation;
mod attractors;
mod cluster_directions;
pub mod compare;
mod dimensionality;
pub mod kinds;
mod marks;
mod mispredicts;
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
    use super::*;
    use crate::plot::Style;

    #[test]
    fn every_analysis_has_a_figure() {
        let figures: Vec<&str> = ALL.iter().map(|figure| figure.name).collect();
        let analyses: Vec<&str> =
            narscope_analysis::analyses::ALL.iter().map(|analysis| analysis.name).collect();
        assert_eq!(figures, analyses);
    }

    /// Analyses of networks of several algorithms, which the study has not.
    const NOT_IN_THE_STUDY: [&str; 1] = ["shared_space"];

    /// Kept answers of the repository.
    fn kept(
        analysis: &str,
        variants: &[&'static str],
        seeds: &[u32],
    ) -> Vec<(&'static str, Vec<(u32, Answer)>)> {
        let folder =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/results/paper-quick/networks");
        let answer = |variant: &str, seed: u32| {
            let path = format!("{folder}/{variant}-{seed}/answers/{analysis}.json");
            let text = std::fs::read_to_string(&path).expect(&path);
            serde_json::from_str(&text).expect(&path)
        };
        let of = |&variant: &&'static str| {
            (variant, seeds.iter().map(|&seed| (seed, answer(variant, seed))).collect())
        };
        variants.iter().map(of).collect()
    }

    #[test]
    fn texts_of_kept_answers_do_not_overlap_and_titles_say_something() {
        let cases: [(&[&str], &[u32]); 2] =
            [(&["linear_pgn"], &[42, 43, 44]), (&["linear_pgn", "triplet_gmpnn"], &[42])];
        for (variants, seeds) in cases {
            for figure in ALL.iter().filter(|figure| !NOT_IN_THE_STUDY.contains(&figure.name)) {
                let kept = kept(figure.name, variants, seeds);
                let groups: Vec<AnswerGroup<'_>> = kept
                    .iter()
                    .map(|(variant, answers)| AnswerGroup {
                        variant,
                        answers: answers.iter().map(|(seed, answer)| (*seed, answer)).collect(),
                        is_comparable: true,
                    })
                    .collect();
                let details = figure.detail_pictures(&groups[0]).unwrap();
                for (name, picture) in figure.pictures(&groups).unwrap().into_iter().chain(details)
                {
                    assert!(!picture.panels.is_empty() && !picture.caption.is_empty(), "{name}");
                    let texts = format!("{} {}", picture.title, picture.caption);
                    assert!(!texts.contains('`') && !texts.contains("NaN"), "{name}: {texts}");
                    for width in [85.0, 170.0] {
                        let style = Style { width_mm: Some(width), ..Style::default() };
                        let overlaps = picture.text_overlaps(&style);
                        assert!(overlaps.is_empty(), "{name} at {width} mm: {overlaps:?}");
                    }
                }
            }
        }
    }
}
