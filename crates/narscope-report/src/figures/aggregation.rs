//! Scores of the same weights with other aggregators.

use narscope_analysis::analyses::aggregation::Aggregation;

use super::Figure;
use super::marks::{Row, dots};
use super::seeds::{Network, SHARE, Shown, means, networks, seeds_in_words};
use super::words::{change, counted};
use crate::plot::{Axis, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "aggregation",
    paper: "Appendix C",
    draw: |groups| {
        let networks = networks::<Aggregation>(groups)?;
        let all = aggregators(&networks).into_iter().map(|name| {
            let label = name.clone();
            Row::new(label, move |found: &Aggregation| score(found, &name))
        });
        Ok(vec![Picture {
            title: title(&networks),
            caption: caption(&networks),
            panels: vec![Panel {
                x: Axis::percent("score").range(0.0, 1.0),
                marks: vec![dots(&networks, &all.collect::<Vec<_>>(), SHARE).into()],
                ..Panel::default()
            }],
            ..Picture::default()
        }])
    },
    details: None,
    spaces: None,
};

/// Names of all aggregators, in the order of the first network that has them.
fn aggregators(networks: &[Network<'_, Aggregation>]) -> Vec<String> {
    let mut names: Vec<String> = vec![];
    for way in networks.iter().flat_map(|network| &network.first().ways) {
        if !names.contains(&way.name) {
            names.push(way.name.clone());
        }
    }
    names
}

fn score(found: &Aggregation, name: &str) -> Option<f64> {
    found.ways.iter().find(|way| way.name == name).map(|way| way.score)
}

fn title(networks: &[Network<'_, Aggregation>]) -> String {
    let changes = aggregators(networks).into_iter().map(|name| {
        let change = |found: &Aggregation| Some(score(found, &name)? - found.as_trained);
        let changes = means(networks, change);
        let largest = changes.iter().map(|change| change.abs()).fold(0.0, f64::max);
        (name, changes, largest)
    });
    let mut changes: Vec<_> = changes.collect();
    changes.sort_by(|a, b| b.2.total_cmp(&a.2));
    let [(name, most, _), others @ ..] = &changes[..] else {
        return "No other aggregator was tried".to_owned();
    };
    let first = format!("Aggregating with {name} instead {}", change(most));
    match others {
        [] => first,
        [(_, _, next), ..] => {
            format!("{first}; other aggregators change the score by at most {:.1}", 100.0 * next)
        }
    }
}

fn caption(networks: &[Network<'_, Aggregation>]) -> String {
    let trained = networks.iter().map(|network| {
        format!("{} was trained with {}", network.variant, network.first().trained_with)
    });
    format!(
        "Scores of the same weights with another aggregator at inference; {}, {}. {}.",
        counted(networks[0].first().graphs, "graph"),
        seeds_in_words(networks, Shown::Dots),
        trained.collect::<Vec<_>>().join("; ")
    )
}

#[cfg(test)]
mod tests {
    use narscope_analysis::analyses::aggregation::Scored;

    use super::*;

    fn network(max: f64, mean: f64) -> Network<'static, Aggregation> {
        let scored =
            |name: &str, score: f64| Scored { key: name.to_owned(), name: name.to_owned(), score };
        let found = Aggregation {
            graphs: 8,
            trained_with: "max".to_owned(),
            as_trained: 0.9,
            ways: vec![scored("max", max), scored("mean", mean)],
        };
        Network { variant: "mpnn", seeds: vec![(42, found)], is_comparable: false }
    }

    #[test]
    fn the_title_names_the_aggregator_that_changes_most() {
        assert_eq!(
            title(&[network(0.9, 0.1)]),
            "Aggregating with mean instead costs 80.0 points; other aggregators change the score by at most 0.0"
        );
        assert!(
            title(&[network(0.9, 0.95)]).starts_with("Aggregating with mean instead gains 5.0")
        );
        assert!(
            title(&[network(0.5, 0.85)]).starts_with("Aggregating with max instead costs 40.0")
        );
    }
}
