//! Convergence of states, and the effect of fewer or more steps.

use narscope_analysis::analyses::attractors::{Attractors, Spread};

use super::{Figure, counted, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "attractors",
    paper: "Figure 3",
    draw: |answer| {
        let found: Attractors = read(answer)?;
        Ok(vec![Picture {
            title: format!(
                "{}, {} of them with {}",
                counted(found.graphs, "graph"),
                found.followed,
                counted(found.steps, "step")
            ),
            columns: 2,
            panels: vec![
                by_steps(&found),
                by_offset(&found),
                step_lengths(&found),
                to_last_state(&found),
            ],
        }])
    },
    spaces: None,
};

fn line(points: Vec<(f64, f64)>, band: Vec<f64>) -> Mark {
    Mark::Line { points, colour: Colour::Category(0), width: 1.8, band, name: None }
}

fn by_steps(found: &Attractors) -> Panel {
    let points: Vec<(f64, f64)> =
        found.score_by_steps.iter().map(|&(steps, score, _)| (steps as f64, score)).collect();
    let dots =
        Mark::Points { points: points.clone(), colour: Colour::Category(0), size: 3.0, name: None };
    Panel {
        title: "score by number of steps".to_owned(),
        x_label: "steps of the algorithm".to_owned(),
        y_label: "score".to_owned(),
        marks: vec![line(points, vec![]), dots],
        y_percent: true,
        x_integers: true,
        ..Panel::default()
    }
}

fn by_offset(found: &Attractors) -> Panel {
    let points: Vec<(f64, f64)> =
        found.score_by_offset.iter().map(|&(offset, score)| (offset as f64, score)).collect();
    let dots =
        Mark::Points { points: points.clone(), colour: Colour::Category(0), size: 3.0, name: None };
    Panel {
        title: "score with fewer or more steps".to_owned(),
        x_label: "steps relative to the algorithm".to_owned(),
        y_label: "score".to_owned(),
        marks: vec![
            line(points, vec![]),
            dots,
            Mark::VerticalLine { x: 0.0, label: String::new() },
        ],
        y_percent: true,
        x_integers: true,
        ..Panel::default()
    }
}

/// Mean and standard deviation per step. The first step is `first`; the algorithm ends after step `end`.
fn by_time(title: &str, y_label: &str, spreads: &[Spread], first: usize, end: usize) -> Panel {
    let points = spreads.iter().enumerate();
    let points = points.map(|(i, it)| ((first + i) as f64, it.mean)).collect();
    let band = spreads.iter().map(|it| it.std).collect();
    let highest = spreads.iter().map(|it| it.mean + it.std).fold(0.0, f64::max);
    Panel {
        title: title.to_owned(),
        x_label: "step".to_owned(),
        y_label: y_label.to_owned(),
        marks: vec![
            line(points, band),
            Mark::VerticalLine { x: end as f64, label: "end".to_owned() },
        ],
        x_integers: true,
        x_range: Some((0.0, (first + spreads.len()) as f64)),
        y_range: Some((0.0, 1.05 * highest)),
        ..Panel::default()
    }
}

fn step_lengths(found: &Attractors) -> Panel {
    by_time(
        "distance between consecutive states",
        "distance from the previous state",
        &found.step_lengths,
        2,
        found.steps,
    )
}

fn to_last_state(found: &Attractors) -> Panel {
    by_time("distance from the last state", "distance", &found.to_the_end, 1, found.steps)
}
