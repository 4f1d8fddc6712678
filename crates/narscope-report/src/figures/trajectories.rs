//! Trajectories in principal components: the marks that several figures share.

use crate::plot::{Colour, Mark, Panel};

/// How many trajectories have lines in space.
const LINES_IN_SPACE: usize = 40;

/// A thin line through the steps of each trajectory, and points coloured by step.
pub(super) fn by_step(title: &str, trajectories: &[Vec<[f32; 3]>]) -> Panel {
    let steps = trajectories.iter().map(Vec::len).max().unwrap_or(0);
    let mut marks = paths(trajectories.iter().map(|all| all.iter().map(flat).collect()));
    for step in 0..steps {
        let points = trajectories.iter().filter_map(|all| all.get(step)).map(flat).collect();
        let colour = Colour::Along(step as f64 / (steps - 1).max(1) as f64);
        marks.push(Mark::Points {
            points,
            colour,
            size: 1.6,
            name: Some(format!("step {}", step + 1)),
        });
    }
    Panel { title: title.to_owned(), marks, ..components() }
}

/// The same, with the steps laid out from left to right.
pub(super) fn in_sequence(title: &str, trajectories: &[Vec<[f32; 3]>]) -> Panel {
    let steps = trajectories.iter().map(Vec::len).max().unwrap_or(0);
    let place = |step: usize, state: &[f32; 3]| (1.0 + step as f64, f64::from(state[0]));
    let lines = trajectories
        .iter()
        .map(|all| all.iter().enumerate().map(|(step, state)| place(step, state)).collect());
    let mut marks = paths(lines);
    for step in 0..steps {
        let points = trajectories.iter().filter_map(|all| all.get(step));
        let points = points.map(|state| place(step, state)).collect();
        let colour = Colour::Along(step as f64 / (steps - 1).max(1) as f64);
        marks.push(Mark::Points { points, colour, size: 1.6, name: None });
    }
    Panel {
        title: title.to_owned(),
        x: "step".to_owned(),
        y: "component 1".to_owned(),
        marks,
        x_counts: true,
        ..Panel::default()
    }
}

/// Points of several classes, with lines through the steps of each trajectory.
pub(super) fn by_class(title: &str, trajectories: &[Vec<[f32; 3]>], classes: &[usize]) -> Panel {
    let mut marks = paths(trajectories.iter().map(|all| all.iter().map(flat).collect()));
    let count = classes.iter().max().map_or(0, |most| most + 1);
    for class in 0..count {
        let of_class = trajectories.iter().zip(classes).filter(|(_, other)| **other == class);
        let points = of_class.flat_map(|(all, _)| all.iter().map(flat)).collect();
        let name = Some(format!("graph {}", class + 1));
        marks.push(Mark::Points { points, colour: Colour::Kind(class), size: 1.6, name });
    }
    Panel { title: title.to_owned(), marks, ..components() }
}

/// Points in space, coloured by step.
pub(super) fn in_space(title: &str, trajectories: &[Vec<[f32; 3]>]) -> Panel {
    let steps = trajectories.iter().map(Vec::len).max().unwrap_or(0);
    let colour = |step: usize| Colour::Along(step as f64 / (steps - 1).max(1) as f64);
    let points = trajectories
        .iter()
        .flat_map(|all| all.iter().enumerate().map(|(step, state)| (*state, colour(step))))
        .collect();
    // There are no lines in space, only very many points: a few trajectories are enough.
    let lines = trajectories.iter().take(LINES_IN_SPACE).cloned().collect();
    let marks = vec![Mark::Space { points, lines }];
    Panel { title: title.to_owned(), marks, ..Panel::default() }
}

/// An empty panel of two components.
pub(super) fn components() -> Panel {
    Panel { x: "component 1".to_owned(), y: "component 2".to_owned(), ..Panel::default() }
}

pub(super) fn flat(place: &[f32; 3]) -> (f64, f64) {
    (place[0].into(), place[1].into())
}

fn paths(lines: impl Iterator<Item = Vec<(f64, f64)>>) -> Vec<Mark> {
    lines
        .map(|points| Mark::Line {
            points,
            colour: Colour::Path,
            width: 0.4,
            spread: vec![],
            name: None,
        })
        .collect()
}
