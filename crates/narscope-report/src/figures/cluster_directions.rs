//! Clusters of reweighted graphs and their directions of largest variance.

use narscope_analysis::analyses::cluster_directions::{
    ClusterDirections, Crowded, DirectionStep, Found,
};

use super::Figure;
use super::marks::curves;
use super::seeds::{Network, Shown, mean, means, network, networks, seeds_in_words};
use super::trajectories::{classes, components, step_colour, xy};
use super::words::{counted, decimals, percents};
use crate::plot::{Axis, Colour, ColourBar, Line, Mark, Panel, Picture, Points, Reference};

pub(super) const FIGURE: Figure = Figure {
    name: "cluster_directions",
    paper: "Figure 2",
    draw: |groups| {
        let networks = networks::<ClusterDirections>(groups)?;
        Ok(vec![measures(&networks), over_states(&networks)])
    },
    details: Some(|group| Ok(vec![clusters(&network(group)?)])),
    spaces: None,
};

/// Maximum number of directions that are drawn per step.
const MAX_DIRECTIONS: usize = 60;

/// The clusters that are drawn: those of the first protocol.
fn shown(found: &ClusterDirections) -> &Found {
    &found.found[0]
}

/// The mean over steps.
fn over_steps(found: &ClusterDirections, of: fn(&DirectionStep) -> f64) -> Option<f64> {
    let values: Vec<f64> = shown(found).by_step.iter().map(of).collect();
    (!values.is_empty()).then(|| mean(&values))
}

fn title(networks: &[Network<'_, ClusterDirections>]) -> String {
    let of = |of: fn(&DirectionStep) -> f64| means(networks, |found| over_steps(found, of));
    let (shares, cosines) = (of(|it| it.share), of(|it| it.in_tangent));
    let relation = relation(networks);
    if shares.is_empty() {
        return "Directions of clusters".to_owned();
    }
    format!(
        "The leading direction holds {} of a cluster\u{2019}s variance and {relation} (cosine {})",
        percents(&shares),
        decimals(&cosines, 2)
    )
}

/// How directions are related to the states of random graphs.
fn relation(networks: &[Network<'_, ClusterDirections>]) -> &'static str {
    let of = |of: fn(&DirectionStep) -> f64| means(networks, |found| over_steps(found, of));
    let (cosines, chance) = (of(|it| it.in_tangent), of(|it| it.random_in_tangent));
    let leaves = cosines.iter().zip(&chance).all(|(cosine, chance)| *cosine < 2.0 * chance);
    match cosines.iter().all(|&cosine| cosine > 0.85) {
        true => "runs along the manifold of states",
        false if leaves => "leaves the manifold of states",
        false => "is oblique to the manifold of states",
    }
}

fn measures(networks: &[Network<'_, ClusterDirections>]) -> Picture {
    let panel = |title: &str, y: Axis, of: fn(&DirectionStep) -> f64| Panel {
        title: title.to_owned(),
        x: Axis::integers("step"),
        y: y.range(0.0, 1.0),
        marks: curves(networks, |found| {
            let steps = shown(found).by_step.iter().enumerate();
            steps.map(|(step, it)| (1.0 + step as f64, of(it))).collect()
        }),
        ..Panel::default()
    };
    let mut tangent =
        panel("agreement with the manifold", Axis::new("cosine with the tangent"), |it| {
            it.in_tangent
        });
    let chance = over_steps(networks[0].first(), |it| it.random_in_tangent);
    tangent.marks.extend(chance.map(|it| Mark::from(Reference::y(it, "a random direction"))));
    let first = networks[0].first();
    Picture {
        title: title(networks),
        caption: format!(
            "Leading directions of {} of {} each, {}. a, share of a cluster\u{2019}s \
             variance along its direction. b, cosine between a direction and the mean of all. c, cosine between a direction and \
             the tangent space of the states of random graphs.",
            counted(first.clusters, "cluster"),
            counted(first.images, "reweighted graph"),
            seeds_in_words(networks, Shown::Lines),
        ),
        columns: 3,
        panels: vec![
            panel("strength", Axis::percent("variance along the direction"), |it| it.share),
            panel("agreement with each other", Axis::new("cosine with the mean"), |it| {
                it.alignment
            }),
            tangent,
        ],
        ..Picture::default()
    }
}

/// States of random graphs with directions of clusters, a panel per variant.
fn over_states(networks: &[Network<'_, ClusterDirections>]) -> Picture {
    let panels = networks.iter().map(|network| {
        let found = network.first();
        let title = format!("{}, seed {}", network.variant, network.seeds[0].0);
        states_with_directions(title, found, shown(found))
    });
    Picture {
        title: format!("The direction of a cluster {}", relation(networks)),
        caption: format!(
            "Points: states of random graphs in their first two principal components, by step. Black lines: directions of up to \
             {MAX_DIRECTIONS} clusters per step, of length 1 in all dimensions and centred on the cluster.",
        ),
        columns: networks.len().min(4),
        panels: panels.collect(),
        ..Picture::default()
    }
}

/// States of random graphs after every step, with directions of clusters.
pub(super) fn states_with_directions(
    title: impl Into<String>,
    found: &ClusterDirections,
    clusters: &Found,
) -> Panel {
    let steps = found.background_steps.iter().max().map_or(1, |last| last + 1);
    let states = (0..steps).map(|step| {
        let states = found.background.iter().zip(&found.background_steps);
        let states = states.filter(|(_, other)| **other == step).map(|(state, _)| xy(state));
        Points::new(states.collect(), step_colour(step, steps)).opacity(0.5).into()
    });
    let directions = (0..steps).flat_map(|step| {
        let of_step = clusters.arrows.iter().filter(move |(_, _, other)| *other == step);
        of_step.take(MAX_DIRECTIONS).map(|(from, to, _)| direction(from, to))
    });
    Panel {
        marks: states.chain(directions).collect(),
        colour_bar: Some(ColourBar::steps(steps)),
        ..components(title, &[])
    }
}

/// A direction as a line through the centre of its cluster: its sign has no meaning.
fn direction(from: &[f32; 3], to: &[f32; 3]) -> Mark {
    let (centre, tip) = (xy(from), xy(to));
    let half = (0.5 * (tip.0 - centre.0), 0.5 * (tip.1 - centre.1));
    let ends = vec![(centre.0 - half.0, centre.1 - half.1), (centre.0 + half.0, centre.1 + half.1)];
    Line::new(ends, Colour::Text).width(0.5).into()
}

/// Clusters of one network, a row per seed.
fn clusters(network: &Network<'_, ClusterDirections>) -> Picture {
    let panels = network.seeds.iter().flat_map(|(seed, found)| {
        [
            few_clusters(format!("whole trajectories, seed {seed}"), shown(found)),
            many_clusters(format!("states after the last step, seed {seed}"), shown(found)),
        ]
    });
    let first = network.first();
    Picture {
        title: format!("{}: clusters of reweighted graphs", network.variant),
        caption: format!(
            "Left, trajectories of {} of {}, a point each, with an ellipse of one standard deviation. Right, states of {} after \
             the last step (grey), their centres, and their leading directions.",
            counted(shown(first).drawn.len(), "cluster"),
            counted(first.images, "graph"),
            counted(shown(first).crowd.len(), "cluster"),
        ),
        columns: 2,
        panels: panels.collect(),
        ..Picture::default()
    }
}

/// Whole trajectories of some clusters, a colour each.
pub(super) fn few_clusters(title: impl Into<String>, found: &Found) -> Panel {
    let groups: Vec<Vec<(f64, f64)>> =
        found.drawn.iter().map(|points| points.iter().map(xy).collect()).collect();
    Panel { marks: classes(&groups), ..components(title, &[]) }
}

/// Many clusters at their last step, with their directions.
pub(super) fn many_clusters(title: impl Into<String>, found: &Found) -> Panel {
    Panel { marks: crowd(&found.crowd), ..components(title, &[]) }
}

/// Many clusters: colours could not tell them apart, so only centres and directions are drawn over their states.
fn crowd(clusters: &[Crowded]) -> Vec<Mark> {
    let states = clusters.iter().flat_map(|it| it.states.iter().map(xy)).collect();
    let states = Points::new(states, Colour::Muted).opacity(0.35);
    let directions = clusters.iter().map(|it| direction(&it.arrow.0, &it.arrow.1));
    let centres = clusters.iter().map(|it| xy(&it.arrow.0)).collect();
    let centres = Points::new(centres, Colour::Category(0)).radius(1.2);
    std::iter::once(states.into()).chain(directions).chain([centres.into()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(in_tangent: f64) -> Network<'static, ClusterDirections> {
        let by_step = vec![DirectionStep {
            clusters: 4,
            share: 0.75,
            alignment: 0.9,
            in_tangent,
            random_in_tangent: 0.15,
        }];
        let found = ClusterDirections {
            clusters: 4,
            images: 8,
            background: vec![],
            background_steps: vec![],
            found: vec![Found {
                protocol: narscope_analysis::Protocol::AsStated,
                by_step,
                drawn: vec![],
                arrows: vec![],
                crowd: vec![],
            }],
        };
        Network { variant: "mpnn", seeds: vec![(42, found)], is_comparable: false }
    }

    #[test]
    fn the_title_says_whether_directions_leave_the_manifold() {
        let title_of = |cosine| title(&[network(cosine)]);
        assert_eq!(
            title_of(0.95),
            "The leading direction holds 75 % of a cluster\u{2019}s variance and runs along the manifold of states (cosine 0.95)"
        );
        assert!(title_of(0.2).contains("leaves the manifold"));
        assert!(title_of(0.6).contains("is oblique to the manifold"));
    }

    #[test]
    fn a_direction_is_centred_because_its_sign_has_no_meaning() {
        let (one, other) = (
            direction(&[1.0, 1.0, 0.0], &[2.0, 3.0, 0.0]),
            direction(&[1.0, 1.0, 0.0], &[0.0, -1.0, 0.0]),
        );
        let (Mark::Line(one), Mark::Line(other)) = (one, other) else { panic!("lines") };
        assert_eq!(one.points, [(0.5, 0.0), (1.5, 2.0)]);
        assert_eq!(other.points, [(1.5, 2.0), (0.5, 0.0)]);
    }
}
