//! Shapes in points of print, before they become SVG.

use crate::Colour;
use crate::text::{CAPITAL, DESCENT, Weight, clean, width};

/// A position in points, y downwards.
pub(crate) type Pt = (f64, f64);

/// An upright rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Area {
    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub(crate) fn centre(&self) -> Pt {
        (0.5 * (self.left + self.right), 0.5 * (self.top + self.bottom))
    }

    /// The rectangle, larger on every side.
    pub(crate) fn grown(&self, by: f64) -> Self {
        Self {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }

    pub(crate) fn contains(&self, (x, y): Pt) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }

    /// The smallest rectangle around positions.
    pub(crate) fn around(points: impl IntoIterator<Item = Pt>) -> Option<Self> {
        points.into_iter().fold(None, |area: Option<Self>, (x, y)| {
            let area = area.unwrap_or(Self { left: x, top: y, right: x, bottom: y });
            Some(Self {
                left: area.left.min(x),
                top: area.top.min(y),
                right: area.right.max(x),
                bottom: area.bottom.max(y),
            })
        })
    }
}

/// The inside of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fill {
    pub(crate) colour: Colour,
    pub(crate) opacity: f64,
}

impl From<Colour> for Fill {
    fn from(colour: Colour) -> Self {
        Self { colour, opacity: 1.0 }
    }
}

/// The outline of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) colour: Colour,
    pub(crate) width: f64,
    pub(crate) opacity: f64,
    /// Lengths of a dash and of a gap.
    pub(crate) dash: Option<(f64, f64)>,
}

impl Stroke {
    pub(crate) fn new(colour: Colour, width: f64) -> Self {
        Self { colour, width, opacity: 1.0, dash: None }
    }

    pub(crate) fn dashed(self, dashed: bool) -> Self {
        Self { dash: dashed.then_some((3.0, 2.2)), ..self }
    }
}

/// Which point of a text is at its position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    #[default]
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// One line of text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Label {
    /// End, middle or start of the baseline.
    pub(crate) at: Pt,
    pub(crate) text: String,
    pub(crate) size: f64,
    pub(crate) weight: Weight,
    pub(crate) colour: Colour,
    pub(crate) anchor: Anchor,
    /// Clockwise, in degrees.
    pub(crate) angle: f64,
    /// Whether a rim of the background separates it from what is below.
    pub(crate) halo: bool,
}

impl Label {
    pub(crate) fn new(at: Pt, text: &str, size: f64) -> Self {
        Self {
            at,
            text: clean(text),
            size,
            weight: Weight::Regular,
            colour: Colour::Text,
            anchor: Anchor::Start,
            angle: 0.0,
            halo: false,
        }
    }

    pub(crate) fn anchor(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub(crate) fn colour(self, colour: Colour) -> Self {
        Self { colour, ..self }
    }

    pub(crate) fn bold(self) -> Self {
        Self { weight: Weight::Bold, ..self }
    }

    pub(crate) fn angle(self, angle: f64) -> Self {
        Self { angle, ..self }
    }

    pub(crate) fn with_halo(self) -> Self {
        Self { halo: true, ..self }
    }

    /// Moves it down so that capitals are centred at its position.
    pub(crate) fn centred(mut self) -> Self {
        let by = 0.5 * CAPITAL * self.size;
        let angle = self.angle.to_radians();
        self.at.0 -= by * angle.sin();
        self.at.1 += by * angle.cos();
        self
    }

    pub(crate) fn width(&self) -> f64 {
        width(&self.text, self.size, self.weight)
    }

    /// Its four corners, turned by its angle.
    pub(crate) fn corners(&self) -> [Pt; 4] {
        let width = self.width();
        let left = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * width,
            Anchor::End => -width,
        };
        let (top, bottom) = (-CAPITAL * self.size, DESCENT * self.size);
        let (sin, cos) = self.angle.to_radians().sin_cos();
        [(left, top), (left + width, top), (left + width, bottom), (left, bottom)]
            .map(|(x, y)| (self.at.0 + x * cos - y * sin, self.at.1 + x * sin + y * cos))
    }

    /// Whether the turned rectangles of two texts overlap: no line along a side of either separates them.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (self.corners(), other.corners());
        let separates = |from: Pt, to: Pt| {
            // The shadow of all corners on the normal of a side.
            let normal = (to.1 - from.1, from.0 - to.0);
            let shadow = |corners: &[Pt; 4]| {
                let along = corners.map(|(x, y)| x * normal.0 + y * normal.1);
                (
                    along.iter().fold(f64::INFINITY, |a, b| a.min(*b)),
                    along.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b)),
                )
            };
            let (a, b) = (shadow(&a), shadow(&b));
            let tolerance = 1e-6 * normal.0.hypot(normal.1);
            a.1 <= b.0 + tolerance || b.1 <= a.0 + tolerance
        };
        let sides = |corners: &[Pt; 4]| [(corners[0], corners[1]), (corners[1], corners[2])];
        !sides(&a).into_iter().chain(sides(&b)).any(|(from, to)| separates(from, to))
    }

    /// The upright rectangle around it.
    pub(crate) fn area(&self) -> Area {
        Area::around(self.corners()).expect("there are four corners")
    }
}

/// Something to draw.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// Straight lines.
    Path { points: Vec<Pt>, closed: bool, fill: Option<Fill>, stroke: Option<Stroke> },
    /// A circle.
    Circle { at: Pt, radius: f64, fill: Option<Fill>, stroke: Option<Stroke> },
    /// An upright rectangle.
    Rect { area: Area, fill: Option<Fill>, stroke: Option<Stroke> },
    /// Text.
    Text(Label),
    /// Shapes that become one bitmap if they are many.
    Layer(Vec<Shape>),
    /// Such a bitmap, as PNG; `dark` if it differs on dark screens.
    Image { area: Area, light: Vec<u8>, dark: Option<Vec<u8>> },
}

impl Shape {
    pub(crate) fn line(points: Vec<Pt>, stroke: Stroke) -> Self {
        Self::Path { points, closed: false, fill: None, stroke: Some(stroke) }
    }

    pub(crate) fn polygon(points: Vec<Pt>, fill: impl Into<Fill>) -> Self {
        Self::Path { points, closed: true, fill: Some(fill.into()), stroke: None }
    }

    pub(crate) fn disc(at: Pt, radius: f64, fill: impl Into<Fill>) -> Self {
        Self::Circle { at, radius, fill: Some(fill.into()), stroke: None }
    }

    pub(crate) fn filled(area: Area, fill: impl Into<Fill>) -> Self {
        Self::Rect { area, fill: Some(fill.into()), stroke: None }
    }

    /// The smallest rectangle that holds it; `None` if it is empty.
    pub(crate) fn area(&self) -> Option<Area> {
        let rim = |stroke: &Option<Stroke>| stroke.map_or(0.0, |it| 0.5 * it.width);
        match self {
            Self::Path { points, stroke, .. } => {
                Some(Area::around(points.iter().copied())?.grown(rim(stroke)))
            }
            Self::Circle { at, radius, stroke, .. } => {
                Some(Area::around([*at])?.grown(radius + rim(stroke)))
            }
            Self::Rect { area, stroke, .. } => Some(area.grown(rim(stroke))),
            Self::Text(label) => Some(label.area()),
            Self::Image { area, .. } => Some(*area),
            Self::Layer(shapes) => {
                let areas = shapes.iter().filter_map(Self::area);
                Area::around(areas.flat_map(|it| [(it.left, it.top), (it.right, it.bottom)]))
            }
        }
    }
}

/// A picture as shapes, from back to front.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scene {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) shapes: Vec<Shape>,
}

impl Scene {
    pub(crate) fn push(&mut self, shape: Shape) {
        self.shapes.push(shape);
    }

    pub(crate) fn text(&mut self, label: Label) {
        if !label.text.is_empty() {
            self.shapes.push(Shape::Text(label));
        }
    }
}
