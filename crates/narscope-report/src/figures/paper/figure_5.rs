//! Figure 5: errors by distance.

use narscope_analysis::analyses::value_generalisation::{CodedHistograms, ValueGeneralisation};

use super::draft::Draft;
use super::numbers::{Beside, shares};
use super::{LINEAR, PaperFigure};
use crate::figures::seeds::{Shown, seeds_in_words};
use crate::figures::value_generalisation::{SPARSE, rates, setting};
use crate::figures::words::counted;
use crate::plot::{Axis, Colour, Panel, Points, Reference};

/// The distance above which the paper finds every node wrong.
const FAR: f64 = 1.5;

pub(super) const FIGURE: PaperFigure = PaperFigure {
    file: "figure-5-errors-by-distance",
    place: "figure 5",
    compose: |networks| {
        let mut draft = Draft {
            title: "Wrong nodes by true distance, by predicted distance, and as coded".to_owned(),
            columns: 3,
            ..Draft::default()
        };
        let what = "errors by distance";
        let Some(network) = draft.find::<ValueGeneralisation>(networks, LINEAR, what)? else {
            return Ok(draft);
        };
        let wrong = network.values(|found| found.by_predicted.wrong_from(FAR));
        let coded = network.values(|found| found.coded.as_ref()?.mean_quotient_above(FAR));
        let score = network.values(|found| setting(found, SPARSE).map(|it| it.score));
        let measure = |key: &'static str| (LINEAR, "value_generalisation", key);
        draft.numbers = vec![
            Beside::share("wrong above 1.5", measure("wrong_above_1_5"), &wrong),
            Beside::new("quotient of histograms above 1.5", "100.0 %", shares(&coded)),
            Beside::share("score at p = 0.25", measure("score_undirected_0_25"), &score),
        ];
        let coded = network.first().coded.as_ref().map(quotients);
        if coded.is_none() {
            let missing = "Left out: the quotient of histograms, because no node is wrong or the answers lack it.";
            draft.left_out.push(missing.to_owned());
        }
        let (seed, graphs) = (network.seeds[0].0, network.first().graphs);
        let networks = [network];
        draft.panels = vec![
            rates(&networks, "by true distance", "true distance", |it| &it.by_distance),
            rates(&networks, "by predicted distance", "predicted distance", |it| &it.by_predicted),
        ];
        draft.panels.extend(coded);
        draft.caption = format!(
            "Share of wrong nodes by true distance (a) and by predicted distance (b), {} with p = 0.25, {}; bins with at least \
             20 nodes. c, the recipe of the authors\u{2019} notebook (seed {seed}): counts of wrong nodes divided by those of all, \
             though right and wrong nodes have bins of their own ranges, so that a quotient is not a rate at a distance. What \
             differs: in the paper all nodes above 1.5 are wrong.",
            counted(graphs, "undirected graph"),
            seeds_in_words(&networks, Shown::Lines),
        );
        Ok(draft)
    },
};

/// The quotients of the histograms as coded, at the distances of the wrong nodes.
fn quotients(coded: &CodedHistograms) -> Panel {
    let points = coded.quotients.iter().enumerate();
    let points = points.filter_map(|(bin, quotient)| Some((coded.wrong.edge(bin), (*quotient)?)));
    Panel {
        title: "as coded".to_owned(),
        x: Axis::new("predicted distance").from_zero(),
        y: Axis::percent("quotient").range(0.0, 1.0),
        marks: vec![
            Reference::x(FAR, "").into(),
            Points::new(points.collect(), Colour::Category(0)).radius(1.4).into(),
        ],
        ..Panel::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{changed, counterpart, panels};
    use super::*;

    #[test]
    fn it_has_rates_by_both_distances_and_the_quotients() {
        let titles = panels(FIGURE.file);
        assert_eq!(titles, ["by true distance", "by predicted distance", "as coded"]);
    }

    #[test]
    fn without_wrong_nodes_there_are_no_quotients() {
        let networks = changed(|found: &mut ValueGeneralisation| found.coded = None);
        let counterpart = counterpart(FIGURE.file, &networks);
        assert_eq!(counterpart.picture.unwrap().panels.len(), 2);
        assert!(counterpart.left_out[0].starts_with("Left out: the quotient of histograms"));
    }
}
