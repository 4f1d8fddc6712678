//! Agreement with other algorithms, correctness by step, and margins of wrong predictions.

use narscope_analysis::analyses::mispredicts::{Margins, Mispredicts};

use super::Figure;
use super::marks::{Row, curves, dots, right_and_wrong, wrong_rates};
use super::seeds::{Network, SHARE, Shown, means, networks, seeds_in_words};
use super::words::{counted, decimals, percents};
use crate::plot::{Axis, Colour, Panel, Picture, Series};

pub(super) const FIGURE: Figure = Figure {
    name: "mispredicts",
    paper: "Figure 4",
    draw: |groups| {
        let networks = networks::<Mispredicts>(groups)?;
        let panels = [
            Some(correct_by_step(&networks)),
            Some(kinds_of_errors(&networks)),
            agreement(&networks),
            margins(&networks),
            error_rates(&networks),
        ];
        Ok(vec![Picture {
            title: title(&networks),
            caption: caption(&networks),
            columns: 3,
            panels: panels.into_iter().flatten().collect(),
            ..Picture::default()
        }])
    },
    details: None,
    spaces: None,
};

fn median(of: fn(&Margins) -> Option<f64>) -> impl Fn(&Mispredicts) -> Option<f64> {
    move |found| found.margins.as_ref().and_then(of)
}

fn title(networks: &[Network<'_, Mispredicts>]) -> String {
    let (wrong, right) = (
        means(networks, median(|it| it.median_wrong)),
        means(networks, median(|it| it.median_right)),
    );
    if wrong.is_empty() || right.is_empty() {
        let lost = means(networks, |found| Some(found.history.was_right));
        let never = means(networks, |found| Some(found.history.never_right));
        return format!(
            "{} of nodes were correct before and are wrong at the end, {} never were correct",
            percents(&lost),
            percents(&never)
        );
    }
    // Half is far from equal, whatever the scale of weights.
    let are_ties = wrong.iter().zip(&right).all(|(wrong, right)| *wrong < 0.5 * right);
    let are = if are_ties { "are near-ties" } else { "are not near-ties" };
    format!(
        "Wrong nodes {are}: the second-best path is longer by {} (median), for correct nodes by {}",
        decimals(&wrong, 3),
        decimals(&right, 3)
    )
}

fn caption(networks: &[Network<'_, Mispredicts>]) -> String {
    let first = networks[0].first();
    let mut parts = vec![
        "share of nodes with the correct prediction, by step".to_owned(),
        "nodes that are wrong at the end, by their history".to_owned(),
    ];
    if first.agreement.is_some() {
        parts.push(
            "nodes for which the network predicts the same as an algorithm, the true one or a faulty one (grey: the true \
             algorithm and that one)"
                .to_owned(),
        );
    }
    if first.margins.is_some() {
        parts.push(
            "margins between the two shortest paths of a node, as shares of the correct and of the wrong nodes of all networks \
             (the last bin holds all larger margins)"
                .to_owned(),
        );
        parts.push("share of wrong nodes by margin".to_owned());
    }
    let parts = parts.iter().zip('a'..).map(|(part, letter)| format!("{letter}, {part}."));
    format!(
        "{} Predictions of {} on {} with {}, {}.",
        parts.collect::<Vec<_>>().join(" "),
        first.output,
        counted(first.graphs, "graph"),
        counted(first.nodes, "node"),
        seeds_in_words(networks, Shown::Both),
    )
}

fn correct_by_step(networks: &[Network<'_, Mispredicts>]) -> Panel {
    let marks = curves(networks, |found| {
        let shares = found.history.right_before_end.iter().enumerate().rev();
        shares.map(|(before, &share)| (-(before as f64), share)).collect()
    });
    Panel {
        title: "correct by step".to_owned(),
        x: Axis::integers("steps from the end"),
        y: Axis::percent("correct nodes").range(0.0, 1.0),
        marks,
        ..Panel::default()
    }
}

fn kinds_of_errors(networks: &[Network<'_, Mispredicts>]) -> Panel {
    let rows = [
        Row::new("correct before", |found: &Mispredicts| Some(found.history.was_right)),
        Row::new("never correct", |found: &Mispredicts| Some(found.history.never_right)),
    ];
    Panel {
        title: "wrong at the end".to_owned(),
        x: Axis::percent("nodes").from_zero(),
        marks: vec![dots(networks, &rows, SHARE).into()],
        ..Panel::default()
    }
}

/// Agreement of the network with algorithms; `None` without faulty ones.
fn agreement(networks: &[Network<'_, Mispredicts>]) -> Option<Panel> {
    let first = networks[0].first().agreement.as_ref()?;
    // Of the matrix, the network's row is the finding, and that of the true algorithm what to compare it with.
    let share = |row: usize, column: usize| {
        move |found: &Mispredicts| {
            let shares = &found.agreement.as_ref()?.shares;
            shares.get(row)?.get(column).copied()
        }
    };
    let others = first.names.iter().enumerate().skip(1);
    let rows = others.map(|(index, name)| Row::new(name.replace('_', " "), share(0, index)));
    let mut dots = dots(networks, &rows.collect::<Vec<_>>(), SHARE);
    let true_one = (1..first.names.len()).map(|index| {
        let share = share(1, index)(networks[0].first())?;
        (index > 1).then(|| crate::plot::Estimate::new(share))
    });
    dots.series.push(Series::new("the algorithm itself", Colour::Muted, true_one.collect()));
    Some(Panel {
        title: "same prediction as an algorithm".to_owned(),
        x: Axis::percent("nodes"),
        marks: vec![dots.into()],
        ..Panel::default()
    })
}

/// All margins of all networks.
fn margins(networks: &[Network<'_, Mispredicts>]) -> Option<Panel> {
    let all = networks.iter().flat_map(|network| &network.seeds);
    let all = all.filter_map(|(_, found)| Some(&found.margins.as_ref()?.histogram));
    let marks = right_and_wrong(all);
    (!marks.is_empty()).then(|| Panel {
        title: "margins".to_owned(),
        x: Axis::new("difference in length"),
        y: Axis::percent("share of nodes"),
        marks,
        ..Panel::default()
    })
}

fn error_rates(networks: &[Network<'_, Mispredicts>]) -> Option<Panel> {
    networks[0].first().margins.as_ref()?;
    let marks = curves(networks, |found| {
        found.margins.as_ref().map_or(vec![], |margins| wrong_rates(&margins.histogram))
    });
    Some(Panel {
        title: "errors by margin".to_owned(),
        x: Axis::new("difference in length"),
        y: Axis::percent("wrong nodes").from_zero(),
        marks,
        ..Panel::default()
    })
}

#[cfg(test)]
mod tests {
    use narscope_analysis::analyses::mispredicts::History;
    use narscope_analysis::histogram::Histogram;

    use super::*;

    fn network(medians: Option<(f64, f64)>) -> Network<'static, Mispredicts> {
        let history = History {
            right: 0.5,
            was_right: 0.2,
            never_right: 0.3,
            flips: 1.0,
            right_before_end: vec![0.5, 0.25],
        };
        let margins = medians.map(|(wrong, right)| Margins {
            histogram: Histogram::new(0.0, 0.1, 4),
            median_right: Some(right),
            median_wrong: Some(wrong),
            auc: None,
            median_regret: None,
            no_path: 0.0,
        });
        let output = "pi".to_owned();
        let found = Mispredicts { graphs: 8, nodes: 4, output, agreement: None, history, margins };
        Network { variant: "mpnn", seeds: vec![(42, found)], is_comparable: false }
    }

    #[test]
    fn the_title_says_whether_errors_are_near_ties() {
        assert_eq!(
            title(&[network(Some((0.005, 0.05)))]),
            "Wrong nodes are near-ties: the second-best path is longer by 0.005 (median), for correct nodes by 0.050"
        );
        assert!(
            title(&[network(Some((0.05, 0.005)))]).starts_with("Wrong nodes are not near-ties")
        );
        assert_eq!(
            title(&[network(None)]),
            "20 % of nodes were correct before and are wrong at the end, 30 % never were correct"
        );
    }

    #[test]
    fn margins_and_error_rates_have_panels_of_their_own() {
        let networks = [network(Some((0.005, 0.05)))];
        let (histogram, rate) = (margins(&networks).unwrap(), error_rates(&networks).unwrap());
        assert_ne!(histogram.title, rate.title);
        assert!(margins(&[network(None)]).is_none() && error_rates(&[network(None)]).is_none());
    }
}
