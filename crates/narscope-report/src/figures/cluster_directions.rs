//! Clusters of reweighted graphs and their directions of largest variance.

use narscope_analysis::analyses::cluster_directions::{ClusterDirections, DirectionStep};

use super::trajectories::{component_axes, xy};
use super::{Figure, counted, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "cluster_directions",
    paper: "Figure 2",
    draw: |answer| {
        let found: ClusterDirections = read(answer)?;
        Ok(vec![Picture {
            title: format!(
                "Directions of {} of reweighted graphs",
                counted(found.clusters, "cluster")
            ),
            columns: 2,
            panels: vec![clusters(&found), crowd(&found), directions(&found), cosines(&found)],
        }])
    },
    spaces: None,
};

/// Trajectories of a few clusters, one point each.
fn clusters(found: &ClusterDirections) -> Panel {
    let marks = found.drawn.iter().enumerate().map(|(cluster, points)| Mark::Points {
        points: points.iter().map(xy).collect(),
        colour: Colour::Category(cluster),
        size: 1.8,
        name: Some(format!("cluster {}", cluster + 1)),
    });
    Panel { title: "trajectory-wise".to_owned(), marks: marks.collect(), ..component_axes() }
}

/// Many clusters with their directions.
fn crowd(found: &ClusterDirections) -> Panel {
    let states = found.crowd.iter().enumerate().map(|(cluster, it)| Mark::Points {
        points: it.states.iter().map(xy).collect(),
        colour: Colour::Category(cluster),
        size: 1.4,
        name: None,
    });
    let arrows = found.crowd.iter().map(|it| arrow(&it.arrow.0, &it.arrow.1));
    let marks = states.chain(arrows).collect();
    Panel { title: "many clusters, after the last step".to_owned(), marks, ..component_axes() }
}

fn arrow(from: &[f32; 3], to: &[f32; 3]) -> Mark {
    Mark::Line {
        points: vec![xy(from), xy(to)],
        colour: Colour::Wrong,
        width: 0.8,
        band: vec![],
        name: None,
    }
}

/// States of random graphs with directions of clusters.
fn directions(found: &ClusterDirections) -> Panel {
    let steps = found.background_steps.iter().max().map_or(1, |most| most + 1);
    let mut marks = vec![];
    for step in 0..steps {
        let states = found.background.iter().zip(&found.background_steps);
        let states = states.filter(|(_, other)| **other == step).map(|(state, _)| xy(state));
        let colour = Colour::Scale(step as f64 / (steps - 1).max(1) as f64);
        let name = Some(format!("step {}", step + 1));
        marks.push(Mark::Points { points: states.collect(), colour, size: 1.2, name });
    }
    marks.extend(found.arrows.iter().map(|(from, to, _)| arrow(from, to)));
    Panel {
        title: "random graphs with directions of clusters".to_owned(),
        marks,
        ..component_axes()
    }
}

/// Cosines per step.
fn cosines(found: &ClusterDirections) -> Panel {
    let line = |category: usize, name: &str, of: fn(&DirectionStep) -> f64| {
        let points = found.by_step.iter().enumerate();
        Mark::Line {
            points: points.map(|(step, it)| (1.0 + step as f64, of(it))).collect(),
            colour: Colour::Category(category),
            width: 1.8,
            band: vec![],
            name: Some(name.to_owned()),
        }
    };
    Panel {
        title: "agreement of directions".to_owned(),
        x_label: "step".to_owned(),
        y_label: "share or cosine".to_owned(),
        marks: vec![
            line(0, "variance along the direction", |it| it.share),
            line(1, "cosine with the mean direction", |it| it.alignment),
            line(2, "cosine with the tangent", |it| it.in_tangent),
            line(7, "cosine of a random direction with the tangent", |it| it.random_in_tangent),
        ],
        x_integers: true,
        y_range: Some((0.0, 1.0)),
        ..Panel::default()
    }
}
