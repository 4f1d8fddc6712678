//! Figures, one file each, and the one list that names them all.

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

/// What becomes of an answer.
type Drawing<T> = fn(&Answer) -> Result<Vec<T>>;

/// A picture of an answer.
pub struct Figure {
    /// The registered name: that of the analysis whose answer it draws.
    pub name: &'static str,
    /// Which of the paper's it stands beside.
    pub paper: &'static str,
    /// Draws the answer.
    pub draw: Drawing<Picture>,
    /// What of it can be looked at from all sides.
    pub spaces: Option<Drawing<Space>>,
}

impl Figure {
    /// Pictures of an answer, each with the name of its file.
    pub fn pictures(&self, answer: &Answer) -> Result<Vec<(String, Picture)>> {
        let name = |place: usize| match place {
            0 => self.name.to_owned(),
            _ => format!("{}-{}", self.name, place + 1),
        };
        let pictures = (self.draw)(answer)?.into_iter().enumerate();
        Ok(pictures.map(|(place, picture)| (name(place), picture)).collect())
    }
}

/// Trajectories in three principal components.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Space {
    /// What they are of.
    pub title: String,
    /// Per graph and step.
    pub trajectories: Vec<Vec<[f32; 3]>>,
    /// The score of each graph, if it is known.
    pub scores: Option<Vec<f64>>,
    /// The class of each graph, if there are several.
    pub classes: Option<Vec<usize>>,
}

/// Every figure, in the order of the analyses. To add one: write its file, add its `mod`, then its
/// row.
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

/// Looks a figure up by name.
pub fn find(name: &str) -> Result<&'static Figure> {
    Ok(registry::find("figure", ALL, |figure| figure.name, name)?)
}

/// The answer as its analysis lays it out.
fn read<A: Analysis>(answer: &Answer) -> Result<A> {
    serde_json::from_value(answer.data.clone()).map_err(|error| Error::OtherVersion {
        analysis: answer.analysis.clone(),
        what: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_analysis_has_its_figure() {
        let drawn: Vec<&str> = ALL.iter().map(|figure| figure.name).collect();
        let asked: Vec<&str> =
            narscope_analysis::analyses::ALL.iter().map(|analysis| analysis.name).collect();
        assert_eq!(drawn, asked);
    }
}
