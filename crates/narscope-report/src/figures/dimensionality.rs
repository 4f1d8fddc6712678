//! Trajectories of random graphs, and the share of their variance in the first components.

use narscope_analysis::analyses::dimensionality::{Dimensionality, Drawn, PointIs};
use narscope_model::pooling::Pooling;

use super::trajectories::{by_step, by_time, component_axes, in_space, xy};
use super::{Figure, Space, counted, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "dimensionality",
    paper: "Figure 1 left; appendices C.2, F and G",
    draw: |answer| {
        let found: Dimensionality = read(answer)?;
        let trajectories = &found.drawn.steps;
        let graphs = counted(trajectories.len(), "graph");
        let states = Picture {
            title: format!("Hidden states of {graphs} with {}", counted(found.steps, "step")),
            columns: 3,
            panels: vec![
                by_step("states, step-wise", trajectories),
                by_time("first component by step", trajectories),
                in_space("in three components", trajectories),
            ],
        };
        let variance = Picture {
            title: "Explained variance".to_owned(),
            columns: 2,
            panels: vec![
                trajectory_wise("trajectory-wise", &found.drawn),
                explained_variance(&found),
            ],
        };
        let mut pictures = vec![states, variance];
        if !found.drawn_otherwise.is_empty() {
            let panels = found.drawn_otherwise.iter().flat_map(|drawn| {
                let over = format!("{:?} over nodes", drawn.over_nodes).to_lowercase();
                [
                    by_step(&format!("step-wise, {over}"), &drawn.steps),
                    in_space(&format!("in three components, {over}"), &drawn.steps),
                    trajectory_wise(&format!("trajectory-wise, {over}"), drawn),
                ]
            });
            pictures.push(Picture {
                title: "Other reductions over nodes".to_owned(),
                columns: 3,
                panels: panels.collect(),
            });
        }
        Ok(pictures)
    },
    spaces: Some(|answer| {
        let Dimensionality { drawn, steps, .. } = read(answer)?;
        let scores = drawn.scores[..drawn.steps.len()].to_vec();
        Ok(vec![Space {
            title: format!("random graphs with {}", counted(steps, "step")),
            trajectories: drawn.steps,
            scores: Some(scores),
            classes: None,
        }])
    }),
};

/// Trajectories, one point each.
fn trajectory_wise(title: &str, drawn: &Drawn) -> Panel {
    let points = drawn.trajectories.iter().map(xy).collect();
    let marks = vec![Mark::Points { points, colour: Colour::Category(0), size: 1.6, name: None }];
    Panel { title: title.to_owned(), marks, ..component_axes() }
}

/// Share of the variance in the first components.
fn explained_variance(found: &Dimensionality) -> Panel {
    let mut marks = vec![];
    let reductions = [Pooling::Max, Pooling::Mean, Pooling::Min];
    for (index, over_nodes) in reductions.into_iter().enumerate() {
        let views = [(PointIs::Step, 0, "step-wise"), (PointIs::Trajectory, 3, "trajectory-wise")];
        for (points, first_colour, name) in views {
            let Some(view) = found.view(over_nodes, points) else { continue };
            let sums = view.ratios.iter().scan(0.0, |sum, ratio| {
                *sum += ratio;
                Some(*sum)
            });
            let points = sums.enumerate().map(|(i, sum)| (1.0 + i as f64, sum)).collect();
            marks.push(Mark::Line {
                points,
                colour: Colour::Category(first_colour + index),
                width: 1.8,
                band: vec![],
                name: Some(format!("{over_nodes:?} over nodes, {name}").to_lowercase()),
            });
        }
    }
    marks.push(Mark::VerticalLine { x: 3.0, label: String::new() });
    Panel {
        title: "variance in the first components".to_owned(),
        x_label: "components".to_owned(),
        y_label: "share of the variance".to_owned(),
        marks,
        y_percent: true,
        y_range: Some((0.0, 1.0)),
        ..Panel::default()
    }
}
