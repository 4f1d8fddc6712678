//! Appendix F: sequential views, one principal component analysis per step.

use narscope_analysis::analyses::dimensionality::Dimensionality;
use narscope_analysis::analyses::symmetries::Symmetries;

use super::draft::Draft;
use super::{LINEAR, PaperFigure, whole};
use crate::figures::symmetries::orbit;
use crate::figures::trajectories::{lines, step_colour};
use crate::plot::{Axis, ColourBar, Panel, Points};

/// Half of the width of the states after a step; steps are one apart.
const HALF_WIDTH: f64 = 0.36;

pub(super) const FIGURE: PaperFigure = PaperFigure {
    file: "appendix-f-sequential",
    place: "appendix F, sequential views",
    compose: |networks| {
        let mut draft = Draft {
            title: "States step by step, each step in its own principal components".to_owned(),
            caption: "Steps from left to right; a point is the state of a graph after a step, in the first two components of \
                      that step: the first to the right, the second upwards, in units of the largest first coordinate of the \
                      step. Red lines are trajectories; signs follow the step before. What differs: two dimensions instead of \
                      three, and components of a step are within the first three of all states, which answers keep."
                .to_owned(),
            columns: 1,
            ..Draft::default()
        };
        let what = "random graphs";
        if let Some(network) = draft.find::<Dimensionality>(networks, LINEAR, what)? {
            draft.panels.push(sequence("random graphs", &network.first().drawn.steps));
        }
        let what = "a scaled graph";
        if let Some(network) = draft.find::<Symmetries>(networks, LINEAR, what)? {
            let scaled = orbit(network.first(), "rescaling");
            draft.panels.extend(scaled.map(|it| sequence("one graph, scaled", &it.drawn)));
        }
        Ok(draft)
    },
};

/// States after every step, from left to right.
fn sequence(title: &str, drawn: &[Vec<[f32; 3]>]) -> Panel {
    let steps: Vec<Vec<(f64, f64)>> = whole::steps(drawn)
        .into_iter()
        .enumerate()
        .map(|(step, places)| {
            let largest = places.iter().map(|place| place.0.abs()).fold(0.0, f64::max);
            let unit = if largest > 0.0 { largest } else { 1.0 };
            let place = |(x, y): (f64, f64)| (1.0 + step as f64 + HALF_WIDTH * x / unit, y / unit);
            places.into_iter().map(place).collect()
        })
        .collect();
    let count = steps.first().map_or(0, Vec::len);
    let of_graph = |graph: usize| steps.iter().map(|places| places[graph]).collect();
    let mut marks = lines((0..count).map(of_graph));
    marks.extend(steps.iter().enumerate().map(|(step, places)| {
        Points::new(places.clone(), step_colour(step, steps.len())).radius(1.0).into()
    }));
    Panel {
        title: title.to_owned(),
        x: Axis::integers("step, and first component of the step")
            .range(0.5, steps.len() as f64 + 0.5),
        y: Axis::new("second component of the step"),
        marks,
        colour_bar: Some(ColourBar::steps(steps.len())),
        height_mm: Some(48.0),
        ..Panel::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::panels;
    use super::*;
    use crate::plot::Mark;

    #[test]
    fn it_has_random_and_scaled_graphs() {
        assert_eq!(panels(FIGURE.file), ["random graphs", "one graph, scaled"]);
    }

    #[test]
    fn steps_lie_side_by_side() {
        let graphs: Vec<Vec<[f32; 3]>> =
            (0..4).map(|graph| vec![[graph as f32, 0.0, 0.0], [0.0, graph as f32, 1.0]]).collect();
        let panel = sequence("", &graphs);
        let points = panel.marks.iter().filter_map(|mark| match mark {
            Mark::Points(points) => Some(points.points.clone()),
            _ => None,
        });
        for (step, points) in points.enumerate() {
            let centre = 1.0 + step as f64;
            assert_eq!(points.len(), 4);
            assert!(points.iter().all(|(x, _)| (x - centre).abs() <= HALF_WIDTH + 1e-9));
        }
    }
}
