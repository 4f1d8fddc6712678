//! How states come to rest, and what cutting short or prolonging a run does.

use narscope_analysis::analyses::attractors::{Attractors, Spread};

use super::{Figure, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "attractors",
    paper: "Figure 3",
    draw: |answer| {
        let found: Attractors = read(answer)?;
        Ok(vec![Picture {
            title: format!(
                "{} graphs, {} of them of {} steps",
                found.graphs, found.followed, found.steps
            ),
            columns: 2,
            panels: vec![by_steps(&found), by_offset(&found), lengths(&found), to_the_end(&found)],
        }])
    },
    spaces: None,
};

fn line(points: Vec<(f64, f64)>, spread: Vec<f64>) -> Mark {
    Mark::Line { points, colour: Colour::Kind(0), width: 1.8, spread, name: None }
}

fn by_steps(found: &Attractors) -> Panel {
    let points: Vec<(f64, f64)> =
        found.score_by_steps.iter().map(|&(steps, score, _)| (steps as f64, score)).collect();
    let dots =
        Mark::Points { points: points.clone(), colour: Colour::Kind(0), size: 3.0, name: None };
    Panel {
        title: "score by needed steps".to_owned(),
        x: "steps that the algorithm takes".to_owned(),
        y: "score".to_owned(),
        marks: vec![line(points, vec![]), dots],
        y_percent: true,
        x_counts: true,
        ..Panel::default()
    }
}

fn by_offset(found: &Attractors) -> Panel {
    let points: Vec<(f64, f64)> =
        found.score_by_offset.iter().map(|&(offset, score)| (offset as f64, score)).collect();
    let dots =
        Mark::Points { points: points.clone(), colour: Colour::Kind(0), size: 3.0, name: None };
    Panel {
        title: "score when runs are shorter or longer".to_owned(),
        x: "steps more than the algorithm takes".to_owned(),
        y: "score".to_owned(),
        marks: vec![line(points, vec![]), dots, Mark::Rule { at: 0.0, label: String::new() }],
        y_percent: true,
        x_counts: true,
        ..Panel::default()
    }
}

/// A mean with its spread at each step, the first of which is `first`.
fn along(title: &str, y: &str, spreads: &[Spread], first: usize, end: usize) -> Panel {
    let points = spreads.iter().enumerate();
    let points = points.map(|(i, it)| ((first + i) as f64, it.mean)).collect();
    let spread = spreads.iter().map(|it| it.std).collect();
    let highest = spreads.iter().map(|it| it.mean + it.std).fold(0.0, f64::max);
    Panel {
        title: title.to_owned(),
        x: "step".to_owned(),
        y: y.to_owned(),
        marks: vec![line(points, spread), Mark::Rule { at: end as f64, label: "end".to_owned() }],
        x_counts: true,
        x_range: Some((0.0, (first + spreads.len()) as f64)),
        y_range: Some((0.0, 1.05 * highest)),
        ..Panel::default()
    }
}

fn lengths(found: &Attractors) -> Panel {
    along(
        "how far states move",
        "distance from the state before",
        &found.step_lengths,
        2,
        found.steps,
    )
}

fn to_the_end(found: &Attractors) -> Panel {
    along("how far from the end", "distance from the last state", &found.to_the_end, 1, found.steps)
}
