//! Figure 4: agreement with faulty algorithms, and when nodes were right.

use narscope_analysis::analyses::mispredicts::Mispredicts;

use super::draft::Draft;
use super::numbers::{Beside, shares};
use super::{LINEAR, PaperFigure};
use crate::figures::seeds::{Network, mean};
use crate::figures::words::counted;
use crate::plot::{Format, Heatmap, Panel};

pub(super) const FIGURE: PaperFigure = PaperFigure {
    file: "figure-4-mispredictions",
    place: "figure 4",
    compose: |networks| {
        let mut draft = Draft {
            title: "Agreement with Bellman\u{2013}Ford and its faulty variants, and when nodes were right"
                .to_owned(),
            columns: 2,
            ..Draft::default()
        };
        let Some(network) = draft.find::<Mispredicts>(networks, LINEAR, "mispredictions")? else {
            return Ok(draft);
        };
        let (agreement, names) = agreement(&network);
        draft.panels.extend(agreement);
        draft.panels.push(history(&network));
        let with = |wanted: &str| {
            let index = names.iter().position(|name| name == wanted);
            shares(
                &network
                    .values(|found| found.agreement.as_ref()?.shares.first()?.get(index?).copied()),
            )
        };
        for (name, words, paper) in PAPERS_AGREEMENT {
            draft.numbers.push(Beside::new(format!("same as {words}"), paper, with(name)));
        }
        let shares_of = |of: fn(&Mispredicts) -> f64| shares(&network.values(|it| Some(of(it))));
        for (what, paper, ours) in [
            ("right at the end", "91.2 %", shares_of(|it| it.history.right)),
            ("wrong, but right before", "7.7 %", shares_of(|it| it.history.was_right)),
            ("never right", "1.1 %", shares_of(|it| it.history.never_right)),
        ] {
            draft.numbers.push(Beside::new(what, paper, ours));
        }
        let first = network.first();
        draft.caption = format!(
            "a, share of nodes with the same final prediction, for every pair of the network, Bellman\u{2013}Ford and its faulty \
             variants. b, nodes by whether they are right at the end (rows) and were at some step (columns); the upper right is \
             empty by definition. {} of {}, mean of {}. What differs: the paper\u{2019}s numbers are of one network, from the \
             authors\u{2019} notebook; seeds of ours differ, so each is listed.",
            counted(first.graphs, "graph"),
            counted(first.nodes, "node"),
            counted(network.seeds.len(), "seed"),
        );
        if draft.panels.len() == 1 {
            let missing =
                "Left out: agreement with faulty algorithms, because the answers have none.";
            draft.left_out.push(missing.to_owned());
        }
        Ok(draft)
    },
};

/// Agreement of the network with the algorithm and its variants, as the authors' notebook prints it.
const PAPERS_AGREEMENT: [(&str, &str, &str); 4] = [
    ("bellman_ford", "Bellman\u{2013}Ford", "91 %"),
    ("noisy", "Noisy-Ford", "81 %"),
    ("decay", "Decay-Ford", "83 %"),
    ("greedy", "Greedy-Ford", "53 %"),
];

/// The matrix of agreement, as the mean over seeds, and the names of its rows.
fn agreement(network: &Network<'_, Mispredicts>) -> (Option<Panel>, Vec<String>) {
    let Some(first) = &network.first().agreement else { return (None, vec![]) };
    let names = first.names.clone();
    let cell = |row: usize, column: usize| {
        let of = |found: &Mispredicts| {
            let shares = &found.agreement.as_ref()?.shares;
            shares.get(row)?.get(column).copied()
        };
        mean(&network.values(of))
    };
    let count = names.len();
    let row = |row| (0..count).map(|column| cell(row, column)).collect();
    let values: Vec<Vec<f64>> = (0..count).map(row).collect();
    let words: Vec<String> = names
        .iter()
        .enumerate()
        .map(|(index, name)| if index == 0 { "network" } else { name })
        .map(|name| name.replace("bellman_ford", "true").replace('_', " "))
        .collect();
    let heatmap = Heatmap::new(values, words.clone(), words)
        .label("same prediction", Format::Percent)
        .range(0.5, 1.0);
    let panel = Panel {
        title: "same prediction at the end".to_owned(),
        marks: vec![heatmap.into()],
        ..Panel::default()
    };
    (Some(panel), names)
}

/// Nodes by whether they are right at the end, and were at some step.
fn history(network: &Network<'_, Mispredicts>) -> Panel {
    let of = |of: fn(&Mispredicts) -> f64| mean(&network.values(|found| Some(of(found))));
    let values = vec![
        vec![of(|it| it.history.right), 0.0],
        vec![of(|it| it.history.was_right), of(|it| it.history.never_right)],
    ];
    let names = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    let rows = names(["right at the end", "wrong at the end"]);
    let heatmap = Heatmap::new(values, rows, names(["right at a step", "never right"]))
        .label("nodes", Format::Percent)
        .range(0.0, 1.0);
    Panel {
        title: "was it right before?".to_owned(),
        marks: vec![heatmap.into()],
        ..Panel::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{changed, counterpart, panels};
    use super::*;

    #[test]
    fn it_has_the_matrix_of_agreement_and_the_history_of_nodes() {
        assert_eq!(panels(FIGURE.file), ["same prediction at the end", "was it right before?"]);
    }

    #[test]
    fn without_faulty_algorithms_the_history_remains() {
        let counterpart =
            counterpart(FIGURE.file, &changed(|found: &mut Mispredicts| found.agreement = None));
        assert_eq!(counterpart.picture.unwrap().panels.len(), 1);
        assert!(counterpart.left_out[0].contains("agreement with faulty algorithms"));
    }
}
