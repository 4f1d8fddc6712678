//! Counterparts of the paper's figures: same content, composed from answers. One file each, and the list of all.
//!
//! Every other figure shows all networks for one analysis. These follow the paper: each has the panels of one of its
//! figures, the paper's numbers next to ours, and says what differs. What the answers lack is left out with a sentence.

mod appendix_c1;
mod appendix_c2;
mod appendix_d_distances;
mod appendix_d_scatter;
mod appendix_e;
mod appendix_f;
mod appendix_g;
mod draft;
mod figure_1;
mod figure_2;
mod figure_3;
mod figure_4;
mod figure_5;
mod networks;
mod numbers;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
mod whole;

use std::fmt::Write as _;

use narscope_results::NetworkAnswers;

use self::draft::Draft;
use self::networks::Networks;
pub use self::numbers::Beside;
use crate::Result;
use crate::plot::Picture;

/// The paper's networks.
const LINEAR: &str = "linear_pgn";
const SOFTMAX: &str = "linear_pgn + softmax";
const DECAY: &str = "linear_pgn + decay";
const TRIPLETS: &str = "triplet_gmpnn";

/// A figure of the paper.
pub struct PaperFigure {
    /// Name of the file of its counterpart, without extension.
    pub file: &'static str,
    /// Where it is in the paper.
    pub place: &'static str,
    /// Composes the counterpart.
    compose: fn(&Networks<'_>) -> Result<Draft>,
}

/// All of them, in the order of the paper. To add one: write its file, add its `mod` and its row here.
pub static ALL: &[PaperFigure] = &[
    figure_1::FIGURE,
    figure_2::FIGURE,
    figure_3::FIGURE,
    figure_4::FIGURE,
    figure_5::FIGURE,
    appendix_c1::FIGURE,
    appendix_c2::FIGURE,
    appendix_d_distances::DECAYED,
    appendix_d_distances::SOFTENED,
    appendix_d_scatter::FIGURE,
    appendix_e::FIGURE,
    appendix_f::FIGURE,
    appendix_g::RANDOM,
    appendix_g::RELABELLED,
    appendix_g::SCALED,
    appendix_g::REWEIGHTED,
    appendix_g::CLUSTERS,
];

/// What became of a figure of the paper.
pub struct Counterpart {
    /// The figure.
    pub figure: &'static PaperFigure,
    /// The picture; `None` if the answers have nothing to draw.
    pub picture: Option<Picture>,
    /// The paper's numbers about it, and ours.
    pub numbers: Vec<Beside>,
    /// What is left out and why, a sentence each.
    pub left_out: Vec<String>,
}

/// Composes the counterparts of all figures; nothing if none of the networks solves Bellman-Ford, as those of the
/// paper do.
pub fn counterparts(answers: &[NetworkAnswers]) -> Result<Vec<Counterpart>> {
    let networks = Networks::new(answers);
    if networks.is_empty() {
        return Ok(vec![]);
    }
    let counterpart = |figure: &'static PaperFigure| {
        let draft = (figure.compose)(&networks)?;
        let (numbers, left_out) = (draft.numbers.clone(), draft.left_out.clone());
        let picture = draft.picture(figure.place, networks.are_comparable());
        Ok(Counterpart { figure, picture, numbers, left_out })
    };
    ALL.iter().map(counterpart).collect()
}

/// The table of all figures in Markdown: a row per number, or one row for a figure without any.
pub fn markdown(counterparts: &[Counterpart]) -> String {
    let mut text =
        "| figure of the paper | our file | number | paper | ours |\n| --- | --- | --- | --- | --- |\n"
            .to_owned();
    for Counterpart { figure, picture, numbers, left_out } in counterparts {
        let file = match picture {
            Some(_) => format!("`{}`", figure.file),
            None => left_out.join(" "),
        };
        let mut row = |cells: [&str; 3]| {
            let [what, paper, ours] = cells;
            writeln!(text, "| {} | {file} | {what} | {paper} | {ours} |", figure.place)
                .expect("strings grow");
        };
        for Beside { what, paper, ours } in numbers {
            row([what, paper, ours]);
        }
        if numbers.is_empty() {
            row(["", "", ""]);
        }
    }
    text
}
