//! Figures: one file each, and the list of all.

mod aggregation;
mod attractors;
mod cluster_directions;
mod dimensionality;
mod mispredicts;
mod paper_comparison;
mod perturbations;
mod score;
mod stopping;
mod symmetries;
pub mod tables;
mod trajectories;
mod value_generalisation;
mod walkthrough;

use narscope_analysis::analyses::{Analysis, Answer};
use narscope_clrs::registry;
use serde::Serialize;

use crate::plot::Picture;
use crate::{Error, Result};
pub use paper_comparison::paper_comparison;

/// Makes drawings from an answer.
type Draw<T> = fn(&Answer) -> Result<Vec<T>>;

/// How the answer of an analysis is drawn.
pub struct Figure {
    /// Name of the figure, which is the name of its analysis.
    pub name: &'static str,
    /// The corresponding figure, table or section of the paper.
    pub paper: &'static str,
    /// Draws the pictures of an answer.
    pub draw: Draw<Picture>,
    /// Makes the trajectories for the interactive 3D view, if there are any.
    pub spaces: Option<Draw<Space>>,
}

impl Figure {
    /// Draws an answer. Returns file names and pictures.
    pub fn pictures(&self, answer: &Answer) -> Result<Vec<(String, Picture)>> {
        let name = |index: usize| match index {
            0 => self.name.to_owned(),
            _ => format!("{}-{}", self.name, index + 1),
        };
        let pictures = (self.draw)(answer)?.into_iter().enumerate();
        Ok(pictures.map(|(index, picture)| (name(index), picture)).collect())
    }
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

/// A number with its noun: `1 step`, `2 steps`.
fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_analysis_has_a_figure() {
        let figures: Vec<&str> = ALL.iter().map(|figure| figure.name).collect();
        let analyses: Vec<&str> =
            narscope_analysis::analyses::ALL.iter().map(|analysis| analysis.name).collect();
        assert_eq!(figures, analyses);
    }
}
