//! Appendix C.2: maximum, minimum and mean over nodes.

use narscope_analysis::analyses::dimensionality::{Dimensionality, PointIs};
use narscope_model::pooling::Pooling;

use super::draft::Draft;
use super::numbers::{Beside, shares};
use super::{LINEAR, PaperFigure};
use crate::figures::dimensionality::{in_few, pooling_name, trajectories, whole_trajectories};

pub(super) const FIGURE: PaperFigure = PaperFigure {
    file: "appendix-c2-node-aggregation",
    place: "appendix C.2, max, min and mean aggregation",
    compose: |networks| {
        let mut draft = Draft {
            title: "Trajectories with the maximum, the minimum and the mean over nodes".to_owned(),
            caption: "Whole trajectories of random graphs, a point each (left), and their states after every step, with \
                      trajectories in red (right); a row per reduction over nodes. What differs: the paper\u{2019}s three \
                      figures are one."
                .to_owned(),
            columns: 2,
            ..Draft::default()
        };
        let what = "reductions over nodes";
        let Some(network) = draft.find::<Dimensionality>(networks, LINEAR, what)? else {
            return Ok(draft);
        };
        let found = network.first();
        let all = || std::iter::once(&found.drawn).chain(&found.drawn_otherwise);
        for (pooling, [of_states, of_trajectories]) in PAPERS {
            let name = pooling_name(pooling);
            let Some(drawn) = all().find(|drawn| drawn.over_nodes == pooling) else {
                let missing =
                    format!("Left out: the {name} over nodes, because the answers lack it.");
                draft.left_out.push(missing);
                continue;
            };
            draft.panels.extend([
                whole_trajectories(format!("{name}: trajectories"), found, drawn),
                trajectories(found, drawn).by_step(format!("{name}: states")),
            ]);
            for (points, what, paper) in [
                (PointIs::Step, "states", of_states),
                (PointIs::Trajectory, "trajectories", of_trajectories),
            ] {
                let values = network.values(|found| in_few(found, pooling, points));
                let what = format!("variance of {what} in three components, {name}");
                draft.numbers.push(Beside::new(what, paper, shares(&values)));
            }
        }
        Ok(draft)
    },
};

/// What the paper says about the variance in three components of states and of whole trajectories.
const PAPERS: [(Pooling, [&str; 2]); 3] = [
    (Pooling::Max, ["96.4 %", "63.5 %"]),
    (Pooling::Min, ["nearly identical", "nearly identical"]),
    (Pooling::Mean, ["no number", "94 %"]),
];

#[cfg(test)]
mod tests {
    use super::super::samples::{changed, counterpart, panels};
    use super::*;

    #[test]
    fn it_has_a_row_for_each_reduction() {
        let titles = panels(FIGURE.file);
        let names = ["maximum", "minimum", "mean"];
        let expected = names.map(|it| [format!("{it}: trajectories"), format!("{it}: states")]);
        assert_eq!(titles, expected.concat());
    }

    #[test]
    fn a_reduction_that_was_not_recorded_is_left_out() {
        let networks = changed(|found: &mut Dimensionality| found.drawn_otherwise.truncate(1));
        let counterpart = counterpart(FIGURE.file, &networks);
        let reason = "Left out: the minimum over nodes, because the answers lack it.";
        assert_eq!(counterpart.left_out, [reason]);
        assert_eq!(counterpart.picture.unwrap().panels.len(), 4);
    }
}
