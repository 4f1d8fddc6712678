//! Appendix C.1: the latent space of `triplet_gmpnn`.

use narscope_analysis::analyses::dimensionality::{Dimensionality, PointIs};

use super::draft::Draft;
use super::numbers::{Beside, shares};
use super::{LINEAR, PaperFigure, TRIPLETS};
use crate::figures::dimensionality::{in_few, trajectories, whole_trajectories};

pub(super) const FIGURE: PaperFigure = PaperFigure {
    file: "appendix-c1-triplet-gmpnn",
    place: "appendix C.1, latent space of Triplet-GMPNN",
    compose: |networks| {
        let mut draft = Draft {
            title: "Trajectories of triplet_gmpnn, and those of linear_pgn".to_owned(),
            caption: "Whole trajectories of random graphs, a point each (left), and their states after every step, with \
                      trajectories in red (right), in principal components; maximum over nodes. A row per network, the first \
                      seed of each. What differs: linear_pgn is drawn next to it, and components are of each network alone, so \
                      that only shapes can be compared."
                .to_owned(),
            columns: 2,
            ..Draft::default()
        };
        for (variant, paper) in [(TRIPLETS, "slightly more than linear_pgn"), (LINEAR, "")] {
            let Some(network) = draft.find::<Dimensionality>(networks, variant, variant)? else {
                continue;
            };
            let found = network.first();
            draft.panels.extend([
                whole_trajectories(format!("{variant}: trajectories"), found, &found.drawn),
                trajectories(found, &found.drawn).by_step(format!("{variant}: states")),
            ]);
            for (points, name, number) in [
                (PointIs::Step, "states", "96.4 %"),
                (PointIs::Trajectory, "trajectories", "63.5 %"),
            ] {
                let of = |found: &Dimensionality| in_few(found, found.drawn.over_nodes, points);
                let what = format!("variance of {name} in three components, {variant}");
                let paper = if paper.is_empty() { number } else { paper };
                draft.numbers.push(Beside::new(what, paper, shares(&network.values(of))));
            }
        }
        Ok(draft)
    },
};

#[cfg(test)]
mod tests {
    use super::super::samples::{counterpart, networks, panels};
    use super::*;

    #[test]
    fn it_has_a_row_for_each_network() {
        let titles = panels(FIGURE.file);
        assert_eq!(
            titles,
            [
                "triplet_gmpnn: trajectories",
                "triplet_gmpnn: states",
                "linear_pgn: trajectories",
                "linear_pgn: states"
            ]
        );
    }

    #[test]
    fn a_network_that_was_not_trained_is_left_out_with_a_sentence() {
        let mut networks = networks();
        networks.retain(|network| network.variant != TRIPLETS);
        let counterpart = counterpart(FIGURE.file, &networks);
        let picture = counterpart.picture.unwrap();
        let reason = "Left out: triplet_gmpnn, because no triplet_gmpnn was trained and analysed (dimensionality).";
        assert_eq!((picture.panels.len(), counterpart.left_out), (2, vec![reason.to_owned()]));
        assert!(picture.caption.ends_with(reason));
    }
}
