//! The test score, exact matches and valid outputs.

use narscope_analysis::analyses::score::Score;

use super::Figure;
use super::marks::{Row, dots};
use super::seeds::{Network, SHARE, Shown, mean, means, networks, seeds_in_words};
use super::words::{counted, percents};
use crate::plot::{Axis, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "score",
    paper: "Section 5 and appendix C",
    draw: |groups| {
        let networks = networks::<Score>(groups)?;
        Ok(vec![Picture {
            title: title(&networks),
            caption: caption(&networks),
            columns: 2,
            panels: vec![
                panel(&networks, "elements of outputs", |it| it.score, |it| Some(it.valid?.score)),
                panel(&networks, "whole outputs", |it| it.exact, |it| Some(it.valid?.whole)),
            ],
            ..Picture::default()
        }])
    },
    details: None,
    spaces: None,
};

fn title(networks: &[Network<'_, Score>]) -> String {
    let shares = |network: &Network<'_, Score>| {
        let share = |of: fn(&Score) -> f64| percents(&[mean(&network.values(|it| Some(of(it))))]);
        format!(
            "{} of elements and {} of whole outputs",
            share(|it| it.score),
            share(|it| it.exact)
        )
    };
    let score = |network: &&Network<'_, Score>| mean(&network.values(|it| Some(it.score)));
    if let [only] = networks {
        return format!("{} are correct", shares(only));
    }
    let best = networks.iter().max_by(|a, b| score(a).total_cmp(&score(b)));
    let best = best.expect("there is at least one network");
    format!("{} scores highest: {} are correct", best.variant, shares(best))
}

fn caption(networks: &[Network<'_, Score>]) -> String {
    let first = networks[0].first();
    let valid = match first.valid {
        Some(_) => {
            " The algorithm has several correct outputs; valid ones need not be those that it chooses."
        }
        None => "",
    };
    format!(
        "{} with {}, {}.{valid}",
        counted(first.samples, "test sample"),
        counted(first.nodes, "node"),
        seeds_in_words(networks, Shown::Dots),
    )
}

fn panel(
    networks: &[Network<'_, Score>],
    title: &str,
    same: fn(&Score) -> f64,
    valid: fn(&Score) -> Option<f64>,
) -> Panel {
    let mut rows = vec![Row::new("as the algorithm", move |found: &Score| Some(same(found)))];
    if !means(networks, valid).is_empty() {
        rows.push(Row::new("valid", valid));
    }
    Panel {
        title: title.to_owned(),
        x: Axis::percent("correct"),
        marks: vec![dots(networks, &rows, SHARE).into()],
        ..Panel::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(variant: &'static str, score: f64) -> Network<'static, Score> {
        let found = Score { samples: 32, nodes: 64, score, exact: 0.25, valid: None };
        Network { variant, seeds: vec![(42, found)], is_comparable: false }
    }

    #[test]
    fn the_title_names_the_best_network() {
        let title_of = |a, b| title(&[network("a", a), network("b", b)]);
        assert_eq!(
            title_of(0.5, 0.75),
            "b scores highest: 75 % of elements and 25 % of whole outputs are correct"
        );
        assert!(title_of(0.75, 0.5).starts_with("a scores highest"));
        let alone = title(&[network("a", 0.5)]);
        assert_eq!(alone, "50 % of elements and 25 % of whole outputs are correct");
    }
}
