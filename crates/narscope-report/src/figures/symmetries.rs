//! Orbits of graphs under symmetries of shortest paths.

use narscope_analysis::analyses::symmetries::Symmetries;

use super::trajectories::{by_class, by_step, by_time};
use super::{Figure, Space, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "symmetries",
    paper: "Figure 1 middle and right; appendices F and G",
    draw: |answer| {
        let found: Symmetries = read(answer)?;
        let orbits = found.orbits.iter().map(|orbit| {
            if orbit.classes > 1 {
                by_class(&orbit.name, &orbit.drawn, &orbit.drawn_classes)
            } else {
                by_step(&orbit.name, &orbit.drawn)
            }
        });
        let by_time = found.orbits.iter().map(|orbit| by_time(&orbit.name, &orbit.drawn));
        let pictures = vec![
            Picture {
                title: "Images of graphs under symmetries".to_owned(),
                columns: 3,
                panels: orbits.collect(),
            },
            Picture {
                title: "Images of graphs under symmetries, by step".to_owned(),
                columns: 3,
                panels: by_time.collect(),
            },
            Picture {
                title: "Dimensions and separation of the images".to_owned(),
                columns: 2,
                panels: vec![dimensions(&found), separations(&found)],
            },
        ];
        Ok(pictures)
    },
    spaces: Some(|answer| {
        let found: Symmetries = read(answer)?;
        let orbits = found.orbits.into_iter().map(|orbit| Space {
            title: orbit.name,
            trajectories: orbit.drawn,
            scores: None,
            classes: (orbit.classes > 1).then_some(orbit.drawn_classes),
        });
        Ok(orbits.collect())
    }),
};

fn line(points: Vec<(f64, f64)>, index: usize, name: &str) -> Mark {
    Mark::Line {
        points,
        colour: Colour::Category(index),
        width: 1.8,
        band: vec![],
        name: Some(name.to_owned()),
    }
}

/// Intrinsic dimension per step.
fn dimensions(found: &Symmetries) -> Panel {
    let marks = found.orbits.iter().enumerate().map(|(index, orbit)| {
        let steps = orbit.by_step.iter().enumerate();
        let points =
            steps.filter_map(|(step, it)| it.intrinsic_dimension.map(|d| (1.0 + step as f64, d)));
        line(points.collect(), index, &orbit.name)
    });
    Panel {
        title: "intrinsic dimension".to_owned(),
        x_label: "step".to_owned(),
        y_label: "dimensions (two nearest neighbours)".to_owned(),
        marks: marks.collect(),
        x_integers: true,
        ..Panel::default()
    }
}

/// Separation of the classes per step.
fn separations(found: &Symmetries) -> Panel {
    let mut marks = vec![];
    for (index, orbit) in found.orbits.iter().filter(|orbit| orbit.classes > 1).enumerate() {
        let steps = orbit.by_step.iter().enumerate();
        let known = steps.filter_map(|(step, it)| Some((1.0 + step as f64, it.separation?)));
        let known: Vec<_> = known.collect();
        let nearest = known.iter().map(|(x, it)| (*x, it.nearest_centroid)).collect();
        let silhouette = known.iter().map(|(x, it)| (*x, it.silhouette)).collect();
        marks.push(line(nearest, 2 * index, &format!("nearest centre, {}", orbit.name)));
        marks.push(line(silhouette, 2 * index + 1, &format!("silhouette, {}", orbit.name)));
    }
    Panel {
        title: "separation of the classes".to_owned(),
        x_label: "step".to_owned(),
        y_label: "accuracy or silhouette".to_owned(),
        marks,
        x_integers: true,
        y_range: Some((-0.25, 1.0)),
        ..Panel::default()
    }
}
