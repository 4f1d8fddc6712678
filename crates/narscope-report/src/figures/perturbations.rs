//! Scores with states perturbed along the directions of clusters.

use narscope_analysis::Protocol;
use narscope_analysis::analyses::perturbations::Perturbations;
use narscope_analysis::hooks::{Along, Perturbation};
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
            panels: protocols(&networks)
                .into_iter()
                .map(|protocol| panel(&networks, protocol))
                .collect(),
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

/// The protocols that the first network was analysed with.
fn protocols(networks: &[Network<'_, Perturbations>]) -> Vec<Protocol> {
    networks[0].first().protocols().collect()
}

fn title(networks: &[Network<'_, Perturbations>]) -> String {
    let protocol = protocols(networks).first().copied().unwrap_or(Protocol::AsStated);
    let cost = |perturbation| {
        let score = move |found: &Perturbations, it| found.score(it, Along::Closest, protocol);
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
    let has_paper = networks.iter().any(|network| papers(network, Protocol::AsCoded).is_some());
    let paper = if has_paper {
        " Black diamonds: the paper's table 1, mean and standard deviation."
    } else {
        ""
    };
    format!(
        "Scores on {} with states changed after every step, along the leading directions of {} of reweighted graphs: those of \
         the closest cluster, or the mean directions; as the paper states it and as its code does it; {}.{paper}",
        counted(first.graphs, "graph"),
        counted(first.clusters, "cluster"),
        seeds_in_words(networks, Shown::Dots),
    )
}

fn panel(networks: &[Network<'_, Perturbations>], protocol: Protocol) -> Panel {
    let rows = ROWS.map(|(perturbation, along, name)| {
        Row::new(name, move |found: &Perturbations| found.score(perturbation, along, protocol))
    });
    let mut dots = dots(networks, &rows, SHARE);
    dots.series.extend(networks.iter().find_map(|network| papers(network, protocol)));
    Panel {
        title: protocol.words().to_owned(),
        x: Axis::percent("score").range(0.0, 1.0),
        marks: vec![dots.into()],
        ..Panel::default()
    }
}

/// The paper's scores of a network that is comparable with it.
fn papers(network: &Network<'_, Perturbations>, protocol: Protocol) -> Option<Series> {
    let number = |(perturbation, along, _): (Perturbation, Along, &str)| {
        let name = perturbation.name();
        let along = along.name();
        let mut key =
            if perturbation.is_directed() { format!("{name}_{along}") } else { name.to_owned() };
        if perturbation != Perturbation::NoiseFree {
            key += protocol.suffix();
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
            protocol: Some(Protocol::AsStated),
            score,
            graph_std: 0.0,
        };
        let rows = vec![
            row(Perturbation::NoiseFree, None, 0.9),
            row(Perturbation::Directional, Some(Along::Closest), directional),
            row(Perturbation::Random, None, random),
        ];
        let found = Perturbations { graphs: 8, clusters: 4, components: 2, rows };
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
        let series = papers(&network, Protocol::AsCoded).unwrap();
        assert_eq!(series.values[0].as_ref().unwrap().value, 0.9358);
        assert_eq!(series.values[2].as_ref().unwrap().value, 0.8855);
        network.is_comparable = false;
        assert!(papers(&network, Protocol::AsStated).is_none());
    }
}
