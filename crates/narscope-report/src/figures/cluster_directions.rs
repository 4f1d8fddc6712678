//! Clusters of reweighted graphs and the directions in which they are spread out.

use narscope_analysis::analyses::cluster_directions::{ClusterDirections, DirectionStep};

use super::trajectories::{components, flat};
use super::{Figure, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "cluster_directions",
    paper: "Figure 2",
    draw: |answer| {
        let found: ClusterDirections = read(answer)?;
        Ok(vec![Picture {
            title: format!("Directions of {} clusters of reweighted graphs", found.clusters),
            columns: 2,
            panels: vec![clusters(&found), crowd(&found), directions(&found), angles(&found)],
        }])
    },
    spaces: None,
};

/// Whole trajectories of a few clusters.
fn clusters(found: &ClusterDirections) -> Panel {
    let marks = found.drawn.iter().enumerate().map(|(cluster, points)| Mark::Points {
        points: points.iter().map(flat).collect(),
        colour: Colour::Kind(cluster),
        size: 1.8,
        name: Some(format!("cluster {}", cluster + 1)),
    });
    Panel { title: "trajectory-wise".to_owned(), marks: marks.collect(), ..components() }
}

/// Many clusters with their directions over them.
fn crowd(found: &ClusterDirections) -> Panel {
    let states = found.crowd.iter().enumerate().map(|(cluster, it)| Mark::Points {
        points: it.states.iter().map(flat).collect(),
        colour: Colour::Kind(cluster),
        size: 1.4,
        name: None,
    });
    let arrows = found.crowd.iter().map(|it| arrow(&it.arrow.0, &it.arrow.1));
    let marks = states.chain(arrows).collect();
    Panel { title: "many clusters, after the last step".to_owned(), marks, ..components() }
}

fn arrow(from: &[f32; 3], to: &[f32; 3]) -> Mark {
    Mark::Line {
        points: vec![flat(from), flat(to)],
        colour: Colour::Wrong,
        width: 0.8,
        spread: vec![],
        name: None,
    }
}

/// States of random graphs with directions over them.
fn directions(found: &ClusterDirections) -> Panel {
    let steps = found.background_steps.iter().max().map_or(1, |most| most + 1);
    let mut marks = vec![];
    for step in 0..steps {
        let here = found.background.iter().zip(&found.background_steps);
        let here = here.filter(|(_, other)| **other == step).map(|(place, _)| flat(place));
        let colour = Colour::Along(step as f64 / (steps - 1).max(1) as f64);
        let name = Some(format!("step {}", step + 1));
        marks.push(Mark::Points { points: here.collect(), colour, size: 1.2, name });
    }
    marks.extend(found.arrows.iter().map(|(from, to, _)| arrow(from, to)));
    Panel { title: "random graphs, and directions over them".to_owned(), marks, ..components() }
}

/// Cosines at each step.
fn angles(found: &ClusterDirections) -> Panel {
    let line = |kind: usize, name: &str, of: fn(&DirectionStep) -> f64| {
        let points = found.by_step.iter().enumerate();
        Mark::Line {
            points: points.map(|(step, it)| (1.0 + step as f64, of(it))).collect(),
            colour: Colour::Kind(kind),
            width: 1.8,
            spread: vec![],
            name: Some(name.to_owned()),
        }
    };
    Panel {
        title: "how far directions agree".to_owned(),
        x: "step".to_owned(),
        y: "share, cosine".to_owned(),
        marks: vec![
            line(0, "variance along the direction", |it| it.share),
            line(1, "cosine with the mean direction", |it| it.alignment),
            line(2, "cosine with the tangent", |it| it.in_tangent),
            line(7, "the same of a random direction", |it| it.random_in_tangent),
        ],
        x_counts: true,
        y_range: Some((0.0, 1.0)),
        ..Panel::default()
    }
}
