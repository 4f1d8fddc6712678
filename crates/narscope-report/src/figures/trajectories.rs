//! Panels of trajectories in principal components, shared by several figures.

use crate::plot::{Axis, Colour, ColourBar, Line, Line3d, Mark, Panel, Point3d, Points, Space};

/// Maximum number of trajectories with lines: more would cover the points.
pub(super) const MAX_LINES: usize = 60;
/// Width of the line of a trajectory, in points of print.
const WIDTH: f64 = 0.3;

/// The colour of a step, counted from 0.
pub(super) fn step_colour(step: usize, steps: usize) -> Colour {
    Colour::Scale(step as f64 / (steps.max(2) - 1) as f64)
}

/// Trajectories and the names of their components.
#[derive(Clone, Copy)]
pub(super) struct Trajectories<'a> {
    /// Positions, by graph and step.
    pub states: &'a [Vec<[f32; 3]>],
    /// Explained variance ratios of the components; empty if unknown.
    pub ratios: &'a [f64],
}

impl Trajectories<'_> {
    fn steps(&self) -> usize {
        self.states.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The first two components: a line per trajectory, and points coloured by step.
    pub(super) fn by_step(&self, title: impl Into<String>) -> Panel {
        let steps = self.steps();
        let mut marks = lines(self.states.iter().map(|all| all.iter().map(xy).collect()));
        marks.extend((0..steps).map(|step| {
            let points = self.states.iter().filter_map(|all| all.get(step)).map(xy);
            Points::new(points.collect(), step_colour(step, steps)).into()
        }));
        Panel { marks, colour_bar: Some(ColourBar::steps(steps)), ..components(title, self.ratios) }
    }

    /// The first component over time.
    pub(super) fn by_time(&self, title: impl Into<String>) -> Panel {
        let steps = self.steps();
        let point = |step: usize, state: &[f32; 3]| (1.0 + step as f64, f64::from(state[0]));
        let by_step = |all: &Vec<[f32; 3]>| -> Vec<(f64, f64)> {
            all.iter().enumerate().map(|(step, state)| point(step, state)).collect()
        };
        let mut marks = lines(self.states.iter().map(by_step));
        marks.extend((0..steps).map(|step| {
            let points = self.states.iter().filter_map(|all| all.get(step));
            let points = points.map(|state| point(step, state)).collect();
            Points::new(points, step_colour(step, steps)).into()
        }));
        Panel {
            title: title.into(),
            x: Axis::integers("step"),
            y: Axis::new(component(0, self.ratios)),
            marks,
            colour_bar: Some(ColourBar::steps(steps)),
            ..Panel::default()
        }
    }

    /// Three components, coloured by step.
    pub(super) fn in_space(&self, title: impl Into<String>) -> Panel {
        let steps = self.steps();
        let point = |(step, position): (usize, &[f32; 3])| Point3d {
            position: *position,
            colour: step_colour(step, steps),
        };
        let points = self.states.iter().flat_map(|all| all.iter().enumerate().map(point));
        let lines = self.states.iter().take(MAX_LINES);
        let lines = lines.map(|all| Line3d { points: all.clone(), colour: Colour::Trajectory });
        let bar = Some(ColourBar::steps(steps));
        Panel { colour_bar: bar, ..space(title, points.collect(), lines.collect(), self.ratios) }
    }
}

/// Points and lines in three components.
pub(super) fn space(
    title: impl Into<String>,
    points: Vec<Point3d>,
    lines: Vec<Line3d>,
    ratios: &[f64],
) -> Panel {
    let names = [0, 1, 2].map(|index| component(index, ratios));
    let space = Space::new(points, lines).axes(names.each_ref().map(String::as_str));
    Panel { title: title.into(), marks: vec![space.into()], ..Panel::default() }
}

/// An empty panel with axes for two components.
pub(super) fn components(title: impl Into<String>, ratios: &[f64]) -> Panel {
    Panel {
        title: title.into(),
        x: Axis::new(component(0, ratios)),
        y: Axis::new(component(1, ratios)),
        ..Panel::default()
    }
}

/// The name of a component with its share of the variance, if known. Lines do not break before the percent sign.
pub(super) fn component(index: usize, ratios: &[f64]) -> String {
    let name = format!("component {}", index + 1);
    let Some(ratio) = ratios.get(index) else { return name };
    let digits = usize::from(*ratio < 0.095);
    format!("{name} ({:.digits$}\u{a0}%)", 100.0 * ratio)
}

/// The first two coordinates.
pub(super) fn xy(position: &[f32; 3]) -> (f64, f64) {
    (position[0].into(), position[1].into())
}

/// Lines of some trajectories.
pub(super) fn lines(trajectories: impl Iterator<Item = Vec<(f64, f64)>>) -> Vec<Mark> {
    let some = trajectories.take(MAX_LINES);
    some.map(|points| Line::new(points, Colour::Trajectory).width(WIDTH).into()).collect()
}

/// Points of several classes with the ellipse of one standard deviation around each class.
pub(super) fn classes(groups: &[Vec<(f64, f64)>]) -> Vec<Mark> {
    let colour = |class: usize| Colour::Many(class, groups.len());
    let points = groups
        .iter()
        .enumerate()
        .map(|(class, points)| Points::new(points.clone(), colour(class)).opacity(0.6).into());
    let ellipses = groups.iter().enumerate();
    let ellipses = ellipses.map(|(class, points)| Line::new(ellipse(points), colour(class)).into());
    points.chain(ellipses).collect()
}

/// The ellipse of one standard deviation around the mean of points.
fn ellipse(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const CORNERS: usize = 48;
    let count = points.len().max(1) as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let centre = (mean(&|it| it.0), mean(&|it| it.1));
    let xx = mean(&|it| (it.0 - centre.0).powi(2));
    let yy = mean(&|it| (it.1 - centre.1).powi(2));
    let xy = mean(&|it| (it.0 - centre.0) * (it.1 - centre.1));
    // The Cholesky factor of the covariance maps the unit circle to the ellipse.
    let a = xx.sqrt();
    let b = if a > 0.0 { xy / a } else { 0.0 };
    let c = (yy - b * b).max(0.0).sqrt();
    let corner = |index: usize| {
        let (sin, cos) = (std::f64::consts::TAU * index as f64 / CORNERS as f64).sin_cos();
        (centre.0 + a * cos, centre.1 + b * cos + c * sin)
    };
    (0..=CORNERS).map(corner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_named_with_their_share() {
        let ratios = [0.343, 0.05];
        let names = [0, 1, 2].map(|index| component(index, &ratios));
        assert_eq!(names, ["component 1 (34\u{a0}%)", "component 2 (5.0\u{a0}%)", "component 3"]);
    }

    #[test]
    fn an_ellipse_has_the_standard_deviations_of_its_points() {
        let points = [(1.0, 0.0), (-1.0, 0.0), (1.0, 4.0), (-1.0, 4.0)];
        let ellipse = ellipse(&points);
        let most = |of: fn(&(f64, f64)) -> f64| ellipse.iter().map(of).fold(f64::MIN, f64::max);
        assert!((most(|it| it.0) - 1.0).abs() < 1e-9);
        assert!((most(|it| it.1) - 4.0).abs() < 1e-9, "centre 2, deviation 2");
    }

    #[test]
    fn one_step_has_a_colour() {
        assert_eq!(step_colour(0, 1), Colour::Scale(0.0));
        assert_eq!(step_colour(2, 3), Colour::Scale(1.0));
    }
}
