//! Appendix D: predicted against true distances.

use narscope_analysis::analyses::value_generalisation::ValueGeneralisation;

use super::draft::Draft;
use super::numbers::{Beside, shares};
use super::{LINEAR, PaperFigure, SOFTMAX};
use crate::figures::value_generalisation::{ratio_of_long, scatter_panel};

pub(super) const FIGURE: PaperFigure = PaperFigure {
    file: "appendix-d-predicted-and-true",
    place: "appendix D, predicted and true distances",
    compose: |networks| {
        let mut draft = Draft {
            title: "Predicted and true distances, without and with softmax".to_owned(),
            caption: "Each point is a node of an undirected graph with p = 0.25; on the line, predictions equal the truth. Right \
                      nodes are blue, wrong ones orange and larger. What differs: at most 3,000 nodes of one seed each."
                .to_owned(),
            columns: 2,
            ..Draft::default()
        };
        for variant in [LINEAR, SOFTMAX] {
            let what = format!("the distances of {variant}");
            if let Some(network) = draft.find::<ValueGeneralisation>(networks, variant, &what)? {
                draft.panels.push(scatter_panel(&network));
                let ratio = shares(&network.values(ratio_of_long));
                let what = format!("predicted over true distance beyond 1.5, {variant}");
                draft.numbers.push(Beside::new(what, "no number", ratio));
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
    fn it_has_both_networks_side_by_side() {
        assert_eq!(panels(FIGURE.file), ["linear_pgn, seed 42", "linear_pgn + softmax, seed 42"]);
        let mut networks = networks();
        networks.retain(|network| network.variant != SOFTMAX);
        let counterpart = counterpart(FIGURE.file, &networks);
        assert_eq!(counterpart.picture.unwrap().panels.len(), 1);
        assert_eq!(counterpart.left_out.len(), 1);
    }
}
