//! Panels of trajectories in principal components, shared by several figures.

use crate::plot::{Colour, Mark, Panel, Point3d};

/// Maximum number of trajectories with lines in three dimensions, where a line is many points.
const MAX_LINES_IN_SPACE: usize = 40;

/// The first two components: a line per trajectory, and points coloured by step.
pub(super) fn by_step(title: &str, trajectories: &[Vec<[f32; 3]>]) -> Panel {
    let steps = trajectories.iter().map(Vec::len).max().unwrap_or(0);
    let mut marks = lines(trajectories.iter().map(|all| all.iter().map(xy).collect()));
    for step in 0..steps {
        let points = trajectories.iter().filter_map(|all| all.get(step)).map(xy).collect();
        let colour = Colour::Scale(step as f64 / (steps - 1).max(1) as f64);
        marks.push(Mark::Points {
            points,
            colour,
            size: 1.6,
            name: Some(format!("step {}", step + 1)),
        });
    }
    Panel { title: title.to_owned(), marks, ..component_axes() }
}

/// The first component over time.
pub(super) fn by_time(title: &str, trajectories: &[Vec<[f32; 3]>]) -> Panel {
    let steps = trajectories.iter().map(Vec::len).max().unwrap_or(0);
    let point = |step: usize, state: &[f32; 3]| (1.0 + step as f64, f64::from(state[0]));
    let points = trajectories
        .iter()
        .map(|all| all.iter().enumerate().map(|(step, state)| point(step, state)).collect());
    let mut marks = lines(points);
    for step in 0..steps {
        let points = trajectories.iter().filter_map(|all| all.get(step));
        let points = points.map(|state| point(step, state)).collect();
        let colour = Colour::Scale(step as f64 / (steps - 1).max(1) as f64);
        marks.push(Mark::Points { points, colour, size: 1.6, name: None });
    }
    Panel {
        title: title.to_owned(),
        x_label: "step".to_owned(),
        y_label: "component 1".to_owned(),
        marks,
        x_integers: true,
        ..Panel::default()
    }
}

/// The first two components: a line per trajectory, and points coloured by class.
pub(super) fn by_class(title: &str, trajectories: &[Vec<[f32; 3]>], classes: &[usize]) -> Panel {
    let mut marks = lines(trajectories.iter().map(|all| all.iter().map(xy).collect()));
    let count = classes.iter().max().map_or(0, |most| most + 1);
    for class in 0..count {
        let of_class = trajectories.iter().zip(classes).filter(|(_, other)| **other == class);
        let points = of_class.flat_map(|(all, _)| all.iter().map(xy)).collect();
        let name = Some(format!("graph {}", class + 1));
        marks.push(Mark::Points { points, colour: Colour::Category(class), size: 1.6, name });
    }
    Panel { title: title.to_owned(), marks, ..component_axes() }
}

/// Three components, coloured by step.
pub(super) fn in_space(title: &str, trajectories: &[Vec<[f32; 3]>]) -> Panel {
    let steps = trajectories.iter().map(Vec::len).max().unwrap_or(0);
    let colour = |step: usize| Colour::Scale(step as f64 / (steps - 1).max(1) as f64);
    let points = trajectories
        .iter()
        .flat_map(|all| {
            all.iter()
                .enumerate()
                .map(|(step, state)| Point3d { position: *state, colour: colour(step) })
        })
        .collect();
    let lines = trajectories.iter().take(MAX_LINES_IN_SPACE).cloned().collect();
    let marks = vec![Mark::Space { points, lines }];
    Panel { title: title.to_owned(), marks, ..Panel::default() }
}

/// An empty panel with axes for two components.
pub(super) fn component_axes() -> Panel {
    Panel {
        x_label: "component 1".to_owned(),
        y_label: "component 2".to_owned(),
        ..Panel::default()
    }
}

/// The first two coordinates.
pub(super) fn xy(position: &[f32; 3]) -> (f64, f64) {
    (position[0].into(), position[1].into())
}

fn lines(trajectories: impl Iterator<Item = Vec<(f64, f64)>>) -> Vec<Mark> {
    trajectories
        .map(|points| Mark::Line {
            points,
            colour: Colour::Trajectory,
            width: 0.4,
            band: vec![],
            name: None,
        })
        .collect()
}
