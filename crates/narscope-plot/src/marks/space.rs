//! Points and lines in three dimensions.

use super::Draw;
use crate::axis::{Axis, Format, Map, Spacing};
use crate::frame::{Extent, Frame};
use crate::scene::{Anchor, Area, Fill, Label, Pt, Scene, Shape, Stroke};
use crate::size::{AXIS_WIDTH, GRID_WIDTH, TEXT, TICK};
use crate::text::{LEADING, Weight, width, wrap};
use crate::ticks::{Direction, Tick, at_most};
use crate::{Colour, Entry, Key};

/// A point in three dimensions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point3d {
    /// Coordinates.
    pub position: [f32; 3],
    /// Colour.
    pub colour: Colour,
}

/// A line in three dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Line3d {
    /// Its points.
    pub points: Vec<[f32; 3]>,
    /// Colour.
    pub colour: Colour,
}

/// How depth is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Parallels stay parallel.
    Orthographic,
    /// What is far is small. The eye is at this distance, in sides of the box; 2 and more.
    Perspective(f64),
}

/// From where the box is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Turn around the third axis, in degrees.
    pub azimuth: f64,
    /// Height of the eye above the plane of the first two axes, in degrees.
    pub elevation: f64,
    /// How depth is drawn.
    pub projection: Projection,
}

impl Default for View {
    fn default() -> Self {
        Self { azimuth: -52.0, elevation: 24.0, projection: Projection::Orthographic }
    }
}

/// Points and lines in a box with three axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    /// The points.
    pub points: Vec<Point3d>,
    /// Lines.
    pub lines: Vec<Line3d>,
    /// Names of the axes.
    pub axes: [String; 3],
    /// From where it is seen.
    pub view: View,
    /// Radius of points, in points of print; `None` chooses one by their number.
    pub radius: Option<f64>,
    /// Names of colours.
    pub names: Vec<(String, Colour)>,
}

impl Space {
    /// Points and lines; the axes are the first three components.
    pub fn new(points: Vec<Point3d>, lines: Vec<Line3d>) -> Self {
        let axes = [1, 2, 3].map(|axis| format!("component {axis}"));
        Self { points, lines, axes, view: View::default(), radius: None, names: vec![] }
    }

    /// The same with names of axes.
    #[must_use]
    pub fn axes(self, axes: [&str; 3]) -> Self {
        Self { axes: axes.map(str::to_owned), ..self }
    }

    /// The same from another side.
    #[must_use]
    pub fn view(self, view: View) -> Self {
        Self { view, ..self }
    }

    /// Range of each axis.
    fn ranges(&self) -> [(f64, f64); 3] {
        let on_lines = self.lines.iter().flat_map(|line| line.points.iter());
        let all = || self.points.iter().map(|it| &it.position).chain(on_lines.clone());
        std::array::from_fn(|axis| {
            let of_axis = all().map(|position| (f64::from(position[axis]), 0.0));
            let (low, high) = Axis::default().covers(Extent::of(of_axis).x, false);
            let room = 0.04 * (high - low);
            (low - room, high + room)
        })
    }
}

/// Maps the unit cube to the plane.
struct Camera {
    view: View,
    scale: f64,
    shift: Pt,
}

impl Camera {
    /// A camera that sees the whole cube inside of an area.
    fn new(view: View, area: Area) -> Self {
        let unit = Self { view, scale: 1.0, shift: (0.0, 0.0) };
        let corners = (0..8).map(|corner| unit.see(corner_of(corner)).0);
        let seen = Area::around(corners).expect("a cube has corners");
        let scale = (area.width() / seen.width()).min(area.height() / seen.height());
        let (centre, middle) = (area.centre(), seen.centre());
        Self { view, scale, shift: (centre.0 - scale * middle.0, centre.1 - scale * middle.1) }
    }

    /// Position on paper, and nearness: larger is nearer.
    fn see(&self, [x, y, z]: [f64; 3]) -> (Pt, f64) {
        let (x, y, z) = (x - 0.5, y - 0.5, z - 0.5);
        let (sin, cos) = self.view.azimuth.to_radians().sin_cos();
        // To the right, and towards the eye.
        let (right, towards) = (cos * y - sin * x, cos * x + sin * y);
        let (sin, cos) = self.view.elevation.to_radians().sin_cos();
        let (up, near) = (cos * z - sin * towards, cos * towards + sin * z);
        let size = match self.view.projection {
            Projection::Orthographic => 1.0,
            Projection::Perspective(distance) => distance.max(1.5) / (distance.max(1.5) - near),
        };
        let (dx, dy) = self.shift;
        ((dx + self.scale * size * right, dy - self.scale * size * up), near)
    }
}

/// A corner of the unit cube by its three bits.
fn corner_of(bits: usize) -> [f64; 3] {
    std::array::from_fn(|axis| f64::from(u8::from(bits >> axis & 1 == 1)))
}

impl Draw for Space {
    fn extent(&self) -> Extent {
        Extent::default()
    }

    fn entries(&self) -> Vec<Entry> {
        self.names.iter().map(|(name, colour)| Entry::new(name, *colour, Key::Dot)).collect()
    }

    fn draw(&self, frame: &Frame, scene: &mut Scene) {
        let ranges = self.ranges();
        let mut area = frame.area.grown(-2.0);
        // The cube shrinks until ticks and names around it have room.
        for _ in 0..6 {
            let mut around = Scene::default();
            self.draw_axes(&ranges, &Camera::new(self.view, area), &mut around);
            let seen = Shape::Layer(around.shapes).area().unwrap_or(area);
            area.left += (frame.area.left - seen.left).max(0.0);
            area.right -= (seen.right - frame.area.right).max(0.0);
            area.top += (frame.area.top - seen.top).max(0.0);
            area.bottom -= (seen.bottom - frame.area.bottom).max(0.0);
            area.right = area.right.max(area.left + 20.0);
            area.bottom = area.bottom.max(area.top + 20.0);
        }
        let camera = Camera::new(self.view, area);
        grid(&axes(&ranges, &camera), &camera, scene);
        self.content(&ranges, &camera, scene);
        self.draw_axes(&ranges, &camera, scene);
    }
}

/// The three axes.
fn axes(ranges: &[(f64, f64); 3], camera: &Camera) -> [AxisInSpace; 3] {
    std::array::from_fn(|axis| AxisInSpace::new(axis, ranges[axis], camera))
}

impl Space {
    fn draw_axes(&self, ranges: &[(f64, f64); 3], camera: &Camera, scene: &mut Scene) {
        for (axis, name) in axes(ranges, camera).iter().zip(&self.axes) {
            axis.draw(name, camera, scene);
        }
    }

    /// Points and pieces of lines, from far to near.
    fn content(&self, ranges: &[(f64, f64); 3], camera: &Camera, scene: &mut Scene) {
        let unit = |position: &[f32; 3]| -> [f64; 3] {
            std::array::from_fn(|axis| {
                let (low, high) = ranges[axis];
                (f64::from(position[axis]) - low) / (high - low)
            })
        };
        let radius = self.radius.unwrap_or_else(|| super::points::radius_of(self.points.len()));
        let mut shapes: Vec<(f64, Shape)> = vec![];
        for line in &self.lines {
            for pair in line.points.windows(2) {
                let [(from, a), (to, b)] = [&pair[0], &pair[1]].map(|it| camera.see(unit(it)));
                let near = 0.5 * (a + b);
                let stroke = Stroke { opacity: presence(near), ..Stroke::new(line.colour, 0.5) };
                shapes.push((near, Shape::line(vec![from, to], stroke)));
            }
        }
        for point in &self.points {
            let (at, near) = camera.see(unit(&point.position));
            let fill = Fill { colour: point.colour, opacity: presence(near) };
            // Points are in front of the lines through them.
            shapes.push((near + 1e-3, Shape::disc(at, radius * (1.0 + 0.25 * near), fill)));
        }
        shapes.retain(|(near, _)| near.is_finite());
        shapes.sort_by(|a, b| a.0.total_cmp(&b.0));
        scene.push(Shape::Layer(shapes.into_iter().map(|(_, shape)| shape).collect()));
    }
}

/// Opacity by nearness: what is far is paler.
fn presence(near: f64) -> f64 {
    let share = (near / 1.5 + 0.5).clamp(0.0, 1.0);
    (10.0 * (0.45 + 0.5 * share)).round() / 10.0
}

/// One axis of the cube: the edge that carries its ticks.
struct AxisInSpace {
    axis: usize,
    /// The other two coordinates of the edge are those of this corner.
    corner: usize,
    ticks: Vec<Tick>,
    range: (f64, f64),
}

impl AxisInSpace {
    fn new(axis: usize, range: (f64, f64), camera: &Camera) -> Self {
        let corners = (0..8).filter(|corner| corner >> axis & 1 == 0);
        let middle = |corner: usize| {
            let [from, to] = ends(axis, corner).map(|it| camera.see(it).0);
            (0.5 * (from.0 + to.0), 0.5 * (from.1 + to.1))
        };
        // The first two axes are at the lowest edge, the third at the leftmost.
        let rank = |corner: &usize| {
            let (x, y) = middle(*corner);
            if axis == 2 { -x } else { y }
        };
        let corner = corners.max_by(|a, b| rank(a).total_cmp(&rank(b)));
        let corner = corner.expect("a cube has edges");
        let [from, to] = ends(axis, corner).map(|it| camera.see(it).0);
        // Labels of a steep edge are on top of each other, those of a flat one side by side.
        let (dx, dy) = ((to.0 - from.0).abs(), (to.1 - from.1).abs());
        let direction = if dy > dx { Direction::Vertical } else { Direction::Horizontal };
        let length = 0.82 * dx.max(dy);
        let map = Map { range, ends: (0.0, length), spacing: Spacing::Linear };
        let ticks = at_most(4, &map, Format::Number, direction, TICK);
        Self { axis, corner, ticks, range }
    }

    /// The point of the edge at a share of its length.
    fn at(&self, share: f64) -> [f64; 3] {
        let [mut point, _] = ends(self.axis, self.corner);
        point[self.axis] = share;
        point
    }

    fn share(&self, value: f64) -> f64 {
        (value - self.range.0) / (self.range.1 - self.range.0)
    }

    fn draw(&self, name: &str, camera: &Camera, scene: &mut Scene) {
        let [from, to] = [0.0, 1.0].map(|share| camera.see(self.at(share)).0);
        scene.push(Shape::line(vec![from, to], Stroke::new(Colour::Axis, AXIS_WIDTH)));
        let centre = camera.see([0.5; 3]).0;
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(1e-9);
        let middle = (0.5 * (from.0 + to.0), 0.5 * (from.1 + to.1));
        // The normal that points away from the cube.
        let mut out = (-dy / length, dx / length);
        if out.0 * (middle.0 - centre.0) + out.1 * (middle.1 - centre.1) < 0.0 {
            out = (-out.0, -out.1);
        }
        let anchor = match out.0 {
            x if x < -0.3 => Anchor::End,
            x if x > 0.3 => Anchor::Start,
            _ => Anchor::Middle,
        };
        let mut widest = 0.0f64;
        for tick in &self.ticks {
            let at = camera.see(self.at(self.share(tick.value))).0;
            let by = |distance: f64| (at.0 + distance * out.0, at.1 + distance * out.1);
            scene.push(Shape::line(vec![at, by(2.5)], Stroke::new(Colour::Axis, AXIS_WIDTH)));
            let label = Label::new(by(5.0 + 1.5 * out.1.abs()), &tick.label, TICK);
            widest = widest.max(label.width());
            scene.text(label.anchor(anchor).colour(Colour::Subtle).centred());
        }
        // Beyond the tick labels.
        let distance = 8.0 + widest * out.0.abs() + TICK * out.1.abs() + 0.5 * TEXT;
        let at = (middle.0 + distance * out.0, middle.1 + distance * out.1);
        let mut angle = dy.atan2(dx).to_degrees();
        if angle > 90.0 {
            angle -= 180.0;
        }
        if angle <= -90.0 {
            angle += 180.0;
        }
        if self.axis == 2 {
            angle = -90.0;
        }
        // Lines follow each other away from the cube, or towards it if the text would stand on its head.
        let lines = name_lines(name, (1.1 * length).max(30.0));
        let (sin, cos) = angle.to_radians().sin_cos();
        let down = (-sin, cos);
        let is_outwards = down.0 * out.0 + down.1 * out.1 > 0.0;
        let first = if is_outwards { 0.0 } else { 1.0 - lines.len() as f64 };
        for (line, text) in lines.iter().enumerate() {
            let by = LEADING * TEXT * (first + line as f64);
            let at = (at.0 + by * down.0, at.1 + by * down.1);
            scene.text(Label::new(at, text, TEXT).anchor(Anchor::Middle).angle(angle).centred());
        }
    }
}

/// The name of an axis in lines; what stands in brackets is the first to get its own.
fn name_lines(name: &str, most: f64) -> Vec<String> {
    let fits = |text: &str| width(text, TEXT, Weight::Regular) <= most;
    match name.split_once(" (") {
        Some((name, more)) if !fits(&format!("{name} ({more}")) && fits(name) => {
            vec![name.to_owned(), format!("({more}")]
        }
        _ => wrap(name, TEXT, Weight::Regular, most),
    }
}

/// Both ends of an edge.
fn ends(axis: usize, corner: usize) -> [[f64; 3]; 2] {
    [corner_of(corner & !(1 << axis)), corner_of(corner | 1 << axis)]
}

/// The far walls of the cube with their grid.
fn grid(axes: &[AxisInSpace; 3], camera: &Camera, scene: &mut Scene) {
    // A wall is far if its centre is farther than that of the cube.
    let walls = (0..3).flat_map(|axis| [0.0, 1.0].map(|side| (axis, side)));
    for (axis, side) in walls {
        let mut centre = [0.5; 3];
        centre[axis] = side;
        if camera.see(centre).1 >= 0.0 {
            continue;
        }
        let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
        let on_wall = |along: usize, share: f64| {
            let other = 3 - axis - along;
            [0.0, 1.0].map(|end| {
                let mut point = [0.0; 3];
                (point[axis], point[along], point[other]) = (side, share, end);
                camera.see(point).0
            })
        };
        for along in [a, b] {
            let edges = [0.0, 1.0].into_iter();
            let inner = axes[along].ticks.iter().map(|tick| axes[along].share(tick.value));
            for share in edges.chain(inner) {
                let line = on_wall(along, share).to_vec();
                scene.push(Shape::line(line, Stroke::new(Colour::Grid, GRID_WIDTH)));
            }
        }
    }
}
