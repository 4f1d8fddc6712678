//! Trajectories of random graphs, and how much of their variance a few dimensions hold.

use narscope_analysis::analyses::dimensionality::{Dimensionality, Drawn, PointIs};
use narscope_model::pooling::Pooling;

use super::trajectories::{by_step, components, flat, in_sequence, in_space};
use super::{Figure, Space, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "dimensionality",
    paper: "Figure 1 left; appendices C.2, F and G",
    draw: |answer| {
        let found: Dimensionality = read(answer)?;
        let trajectories = &found.drawn.steps;
        let title = format!("{} graphs that take {} steps", trajectories.len(), found.steps);
        let states = Picture {
            title: format!("Hidden states of {title}"),
            columns: 3,
            panels: vec![
                by_step("states, step-wise", trajectories),
                in_sequence("the same, step after step", trajectories),
                in_space("in three components", trajectories),
            ],
        };
        let variance = Picture {
            title: "How many dimensions it takes".to_owned(),
            columns: 2,
            panels: vec![whole("trajectory-wise", &found.drawn), explained(&found)],
        };
        let mut pictures = vec![states, variance];
        let otherwise = &found.drawn_otherwise;
        if !otherwise.is_empty() {
            let panels = otherwise.iter().flat_map(|drawn| {
                let over = format!("{:?} over nodes", drawn.over_nodes).to_lowercase();
                [
                    by_step(&format!("step-wise, {over}"), &drawn.steps),
                    in_space(&format!("in three components, {over}"), &drawn.steps),
                    whole(&format!("trajectory-wise, {over}"), drawn),
                ]
            });
            pictures.push(Picture {
                title: "Nodes reduced in other ways".to_owned(),
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
            title: format!("random graphs that take {steps} steps"),
            trajectories: drawn.steps,
            scores: Some(scores),
            classes: None,
        }])
    }),
};

/// Whole trajectories, each one point.
fn whole(title: &str, drawn: &Drawn) -> Panel {
    let points = drawn.trajectories.iter().map(flat).collect();
    let marks = vec![Mark::Points { points, colour: Colour::Kind(0), size: 1.6, name: None }];
    Panel { title: title.to_owned(), marks, ..components() }
}

/// The share of the variance that so many components hold.
fn explained(found: &Dimensionality) -> Panel {
    let mut marks = vec![];
    let reductions = [Pooling::Max, Pooling::Mean, Pooling::Min];
    for (kind, over_nodes) in reductions.into_iter().enumerate() {
        let ways = [(PointIs::Step, 0, "step-wise"), (PointIs::Trajectory, 3, "trajectory-wise")];
        for (points, first_kind, name) in ways {
            let Some(view) = found.view(over_nodes, points) else { continue };
            let sums = view.ratios.iter().scan(0.0, |sum, ratio| {
                *sum += ratio;
                Some(*sum)
            });
            let points = sums.enumerate().map(|(i, sum)| (1.0 + i as f64, sum)).collect();
            marks.push(Mark::Line {
                points,
                colour: Colour::Kind(first_kind + kind),
                width: 1.8,
                spread: vec![],
                name: Some(format!("{over_nodes:?} over nodes, {name}").to_lowercase()),
            });
        }
    }
    marks.push(Mark::Rule { at: 3.0, label: String::new() });
    Panel {
        title: "variance in the first components".to_owned(),
        x: "components".to_owned(),
        y: "share of the variance".to_owned(),
        marks,
        y_percent: true,
        y_range: Some((0.0, 1.0)),
        ..Panel::default()
    }
}
