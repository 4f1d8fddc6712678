//! Appendix D: distributions of predicted distances, with decay and with softmax.

use narscope_analysis::analyses::value_generalisation::ValueGeneralisation;

use super::draft::Draft;
use super::networks::Networks;
use super::numbers::{Beside, shares};
use super::{DECAY, LINEAR, PaperFigure, SOFTMAX};
use crate::Result;
use crate::figures::marks::right_and_wrong;
use crate::figures::seeds::{Network, Shown, seeds_in_words};
use crate::figures::value_generalisation::{SPARSE, rates, setting};
use crate::figures::words::counted;
use crate::plot::{Axis, Panel};

pub(super) const DECAYED: PaperFigure = PaperFigure {
    file: "appendix-d-decay",
    place: "appendix D, distribution of distances with decay",
    compose: |networks| {
        let mut draft = distances(
            networks,
            DECAY,
            "Predicted distances of right and of wrong nodes, with decay",
            "In the paper, all wrong nodes lie to the right of d = 1, and nearly all nodes to the right of d = 1.2 are wrong; the \
             numbers say how far ours are from that. What differs: linear_pgn is drawn for comparison.",
        )?;
        if let Some(network) = networks.find::<ValueGeneralisation>(DECAY)? {
            let right =
                |end: usize| shares(&network.values(|found| found.right_below_and_above[end]));
            draft.numbers = vec![
                Beside::new("right below d = 1", "almost all", right(0)),
                Beside::new("right above d = 1.2", "almost none", right(1)),
            ];
        }
        Ok(draft)
    },
};

pub(super) const SOFTENED: PaperFigure = PaperFigure {
    file: "appendix-d-softmax",
    place: "appendix D, distribution of distances with softmax",
    compose: |networks| {
        let mut draft = distances(
            networks,
            SOFTMAX,
            "Predicted distances of right and of wrong nodes, with softmax",
            "In the paper, softmax improves much on linear_pgn. What differs: linear_pgn is drawn for comparison, and softmax is \
             the stated one (temperature 0.01 in training and in evaluation).",
        )?;
        let measure = |variant| (variant, "value_generalisation", "score_undirected_0_25");
        for variant in [SOFTMAX, LINEAR] {
            if let Some(network) = networks.find::<ValueGeneralisation>(variant)? {
                let score = network.values(|found| setting(found, SPARSE).map(|it| it.score));
                let what = format!("score at p = 0.25, {variant}");
                draft.numbers.push(Beside::share(what, measure(variant), &score));
            }
        }
        Ok(draft)
    },
};

/// The distribution of predicted distances of a variant, and its errors by predicted distance next to those of
/// `linear_pgn`.
fn distances(networks: &Networks<'_>, variant: &str, title: &str, differs: &str) -> Result<Draft> {
    let mut draft = Draft { title: title.to_owned(), columns: 2, ..Draft::default() };
    let Some(network) = draft.find(networks, variant, "the distribution of distances")? else {
        return Ok(draft);
    };
    let baseline = draft.find(networks, LINEAR, "the errors of linear_pgn")?;
    let all: Vec<Network<'_, ValueGeneralisation>> =
        std::iter::once(network).chain(baseline).collect();
    draft.panels = vec![
        Panel {
            title: variant.to_owned(),
            x: Axis::new("predicted distance"),
            y: Axis::percent("share of nodes"),
            marks: right_and_wrong(all[0].seeds.iter().map(|(_, found)| &found.by_predicted)),
            ..Panel::default()
        },
        rates(&all, "wrong nodes by predicted distance", "predicted distance", |it| {
            &it.by_predicted
        }),
    ];
    draft.caption = format!(
        "a, predicted distances of right and of wrong nodes, as shares of each. b, share of wrong nodes by predicted distance, in \
         bins with at least 20 nodes; {} with p = 0.25, {}. {differs}",
        counted(all[0].first().graphs, "undirected graph"),
        seeds_in_words(&all, Shown::Lines),
    );
    Ok(draft)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{counterpart, networks, panels};
    use super::*;

    #[test]
    fn they_have_the_distribution_and_the_rate() {
        let rate = "wrong nodes by predicted distance";
        assert_eq!(panels(DECAYED.file), [DECAY, rate]);
        assert_eq!(panels(SOFTENED.file), [SOFTMAX, rate]);
        let numbers = counterpart(SOFTENED.file, &networks()).numbers;
        let papers: Vec<&str> = numbers.iter().map(|number| number.paper.as_str()).collect();
        assert_eq!(papers, ["96.5 %", "87.0 %"]);
    }
}
