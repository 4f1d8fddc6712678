//! Scores with states perturbed along the directions of clusters.

use narscope_analysis::analyses::perturbations::Perturbations;
use narscope_analysis::hooks::{Along, Perturbation, Reading};
use narscope_results::published;

use super::Figure;
use super::marks::{Row, dots};
use super::seeds::{Network, SHARE, Shown, means, networks, seeds_in_words};
use super::words::{change, counted};
use crate::plot::{Axis, Colour, Estimate, Marker, Panel, Picture, Series};

pub(super) const FIGURE: Figure = Figure {
    name: "perturbations",
    paper: "Table 1",
    draw: |groups| {
        let networks = networks::<Perturbations>(groups)?;
        Ok(vec![Picture {
            title: title(&networks),
            caption: caption(&networks),
            columns: 2,
            panels: vec![
                panel(&networks, Reading::Graph, "the same noise for all nodes of a graph"),
                panel(&networks, Reading::Node, "other noise for each node"),
            ],
            ..Picture::default()
        }])
    },
    details: None,
    spaces: None,
};

/// All perturbations with the direction that they use, and their names.
const ROWS: [(Perturbation, Along, &str); 9] = [
    (Perturbation::NoiseFree, Along::Closest, "unperturbed"),
    (Perturbation::Random, Along::Closest, "noise, random direction"),
    (Perturbation::Directional, Along::Closest, "noise, closest cluster"),
    (Perturbation::Directional, Along::Mean, "noise, mean direction"),
    (Perturbation::Out, Along::Closest, "projected out, closest"),
    (Perturbation::Out, Along::Mean, "projected out, mean"),
    (Perturbation::Onto, Along::Closest, "projected onto, closest"),
    (Perturbation::Onto, Along::Mean, "projected onto, mean"),
    (Perturbation::Corrupt, Along::Closest, "last state replaced"),
];

fn title(networks: &[Network<'_, Perturbations>]) -> String {
    let cost = |perturbation| {
        let score =
            move |found: &Perturbations, it| found.score(it, Along::Closest, Reading::Graph);
        let change_of = move |found: &Perturbations| {
            Some(score(found, perturbation)? - score(found, Perturbation::NoiseFree)?)
        };
        change(&means(networks, change_of))
    };
    format!(
        "Noise along cluster directions {}, noise in a random direction {}",
        cost(Perturbation::Directional),
        cost(Perturbation::Random)
    )
}

fn caption(networks: &[Network<'_, Perturbations>]) -> String {
    let first = networks[0].first();
    let has_paper = networks.iter().any(|network| papers(network, Reading::Graph).is_some());
    let paper = if has_paper {
        " Black diamonds: the paper's table 1, mean and standard deviation."
    } else {
        ""
    };
    format!(
        "Scores on {} with states changed after every step, along the leading directions of {} of reweighted graphs: that of \
         the closest cluster, or their mean. a, projections are relative to the cluster's centre; b, to the origin; {}.{paper}",
        counted(first.graphs, "graph"),
        counted(first.clusters, "cluster"),
        seeds_in_words(networks, Shown::Dots),
    )
}

fn panel(networks: &[Network<'_, Perturbations>], reading: Reading, title: &str) -> Panel {
    let rows = ROWS.map(|(perturbation, along, name)| {
        Row::new(name, move |found: &Perturbations| found.score(perturbation, along, reading))
    });
    let mut dots = dots(networks, &rows, SHARE);
    dots.series.extend(networks.iter().find_map(|network| papers(network, reading)));
    Panel {
        title: title.to_owned(),
        x: Axis::percent("score").range(0.0, 1.0),
        marks: vec![dots.into()],
        ..Panel::default()
    }
}

/// The paper's scores of a network that is comparable with it.
fn papers(network: &Network<'_, Perturbations>, reading: Reading) -> Option<Series> {
    let number = |(perturbation, along, _): (Perturbation, Along, &str)| {
        let name = perturbation.name();
        let along = along.name();
        let mut key =
            if perturbation.is_directed() { format!("{name}_{along}") } else { name.to_owned() };
        if reading == Reading::Node && perturbation != Perturbation::NoiseFree {
            key += "_by_node";
        }
        let published = published::measure(network.variant, "perturbations", &key)?;
        let (value, std) = (published.value, published.std);
        let interval = std.map(|by| ((value - by).max(0.0), (value + by).min(1.0)));
        Some(Estimate::new(value).interval(interval))
    };
    let values = ROWS.map(number).to_vec();
    let is_published = network.is_comparable && values.iter().any(Option::is_some);
    is_published.then(|| {
        let name = format!("{}, paper", network.variant);
        Series::new(name, Colour::Text, values).marker(Marker::Diamond)
    })
}

#[cfg(test)]
mod tests {
    use narscope_analysis::analyses::perturbations::Row as Found;

    use super::*;

    fn network(directional: f64, random: f64) -> Network<'static, Perturbations> {
        let row = |perturbation, along, score| Found {
            perturbation,
            along,
            reading: Some(Reading::Graph),
            score,
        };
        let rows = vec![
            row(Perturbation::NoiseFree, None, 0.9),
            row(Perturbation::Directional, Some(Along::Closest), directional),
            row(Perturbation::Random, None, random),
        ];
        let found = Perturbations { graphs: 8, clusters: 4, rows };
        Network { variant: "linear_pgn", seeds: vec![(42, found)], is_comparable: true }
    }

    #[test]
    fn the_title_follows_the_sign_of_each_change() {
        assert_eq!(
            title(&[network(0.78, 0.87)]),
            "Noise along cluster directions costs 12.0 points, noise in a random direction costs 3.0 points"
        );
        assert_eq!(
            title(&[network(0.92, 0.9)]),
            "Noise along cluster directions gains 2.0 points, noise in a random direction changes nothing"
        );
    }

    #[test]
    fn the_papers_numbers_are_drawn_for_comparable_networks_only() {
        let mut network = network(0.8, 0.9);
        let series = papers(&network, Reading::Node).unwrap();
        assert_eq!(series.values[0].as_ref().unwrap().value, 0.9358);
        assert_eq!(series.values[2].as_ref().unwrap().value, 0.8855);
        network.is_comparable = false;
        assert!(papers(&network, Reading::Graph).is_none());
    }
}
