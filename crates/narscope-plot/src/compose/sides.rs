//! The axes of a panel: ranges, ticks and names, and the room that they need.

use crate::axis::{Axis, Format, Map, Spacing};
use crate::frame::{Extent, Frame};
use crate::scene::{Anchor, Area, Label, Scene, Shape, Stroke};
use crate::size::{AXIS_WIDTH, GAP, GRID_WIDTH, INSET, TEXT, TICK, TICK_LENGTH};
use crate::text::{LEADING, Weight, longest_piece, width, wrap};
use crate::ticks::{Direction, Tick, ticks};
use crate::{Colour, Mark, Panel};

/// Slants of names that do not fit side by side, in degrees, from flat to steep.
const SLANTS: [f64; 3] = [-38.0, -60.0, -90.0];
/// Most lines of a wrapped name.
const MOST_LINES: usize = 4;

/// What stands along an axis.
#[derive(Clone, Debug, PartialEq)]
enum Labels {
    /// Numbers.
    Ticks(Vec<Tick>),
    /// Names, one per column or row, in lines.
    Names(Vec<Vec<String>>),
    /// Names that do not fit side by side, and their slant.
    Slanted(Vec<String>, f64),
    /// Nothing.
    None,
}

/// Both axes of a panel, fitted into its plot area.
#[derive(Clone, Debug)]
pub(super) struct Sides<'a> {
    panel: &'a Panel,
    pub(super) frame: Frame,
    x: Labels,
    y: Labels,
    /// Lines of the names of the axes.
    x_label: Vec<String>,
    y_label: Vec<String>,
}

/// Room around the plot area for what stands along the axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Room {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl<'a> Sides<'a> {
    /// Fits the axes of a panel into an area. Names of rows are at most `most_name` wide, if they can be broken.
    pub(super) fn new(panel: &'a Panel, area: Area, most_name: f64) -> Self {
        let frame = frame(panel, area);
        let columns = panel.marks.iter().find_map(Mark::columns);
        let rows = panel.marks.iter().find_map(Mark::rows);
        let x = match columns {
            _ if panel.bare => Labels::None,
            Some(names) => names_below(names, area.width()),
            None => numbers(&panel.x, &frame.x, Direction::Horizontal),
        };
        let y = match rows {
            _ if panel.bare => Labels::None,
            Some(names) => {
                let lines = |name: &String| wrap(name, TICK, Weight::Regular, most_name);
                Labels::Names(names.iter().map(lines).collect())
            }
            None => numbers(&panel.y, &frame.y, Direction::Vertical),
        };
        let label = |axis: &Axis, most: f64| {
            if panel.bare { vec![] } else { wrap(&axis.label, TEXT, Weight::Regular, most) }
        };
        let x_label = label(&panel.x, area.width().max(40.0));
        let y_label = label(&panel.y, area.height().max(40.0));
        Self { panel, frame, x, y, x_label, y_label }
    }

    /// The room that the labels need.
    pub(super) fn room(&self) -> Room {
        let area = self.frame.area;
        let leading = LEADING * TEXT;
        let beside = |length: f64| if length > 0.0 { TICK_LENGTH + GAP + length } else { 0.0 };
        let y_label = self.y_label.len() as f64 * leading;
        let y_label = if y_label > 0.0 { y_label + GAP } else { 0.0 };
        let below = match &self.x {
            Labels::Ticks(_) => TICK,
            Labels::Names(names) => {
                let lines = names.iter().map(Vec::len).max().unwrap_or(0);
                lines as f64 * LEADING * TICK
            }
            Labels::Slanted(..) => {
                let bottoms = self.x_labels().into_iter().map(|label| label.area().bottom);
                bottoms.fold(0.0, f64::max) - area.bottom - TICK_LENGTH - GAP
            }
            Labels::None => 0.0,
        };
        let x_label = self.x_label.len() as f64 * leading;
        let overhang = self.x_labels().into_iter().map(|label| label.area());
        let overhang: Vec<Area> = overhang.collect();
        let over_left = overhang.iter().map(|it| area.left - it.left).fold(0.0, f64::max);
        let over_right = overhang.iter().map(|it| it.right - area.right).fold(0.0, f64::max);
        Room {
            left: (beside(self.y_width()) + y_label).max(over_left),
            right: over_right,
            bottom: beside(below) + if x_label > 0.0 { x_label + GAP } else { 0.0 },
        }
    }

    fn y_width(&self) -> f64 {
        match &self.y {
            Labels::Ticks(ticks) => ticks.iter().map(|it| length(&it.label)).fold(0.0, f64::max),
            Labels::Names(names) => names.iter().flatten().map(|it| length(it)).fold(0.0, f64::max),
            Labels::Slanted(..) | Labels::None => 0.0,
        }
    }

    fn x_labels(&self) -> Vec<Label> {
        let top = self.frame.area.bottom + TICK_LENGTH + GAP;
        let x = |value: f64| self.frame.x.at(value);
        let below = |at, text: &str| {
            Label::new(at, text, TICK).colour(Colour::Subtle).anchor(Anchor::Middle)
        };
        match &self.x {
            Labels::Ticks(ticks) => {
                let label = |it: &Tick| below((x(it.value), top + 0.8 * TICK), &it.label);
                ticks.iter().map(label).collect()
            }
            Labels::Names(names) => {
                let lines = names.iter().enumerate().flat_map(|(index, lines)| {
                    lines.iter().enumerate().map(move |(line, text)| (index, line, text))
                });
                let label = |(index, line, text): (usize, usize, &String)| {
                    let y = top + 0.8 * TICK + line as f64 * LEADING * TICK;
                    below((x(index as f64), y), text).colour(Colour::Text)
                };
                lines.map(label).collect()
            }
            Labels::Slanted(names, angle) => {
                let label = |(index, name): (usize, &String)| {
                    let label = below((x(index as f64), top + 1.0), name).colour(Colour::Text);
                    label.anchor(Anchor::End).angle(*angle).centred()
                };
                names.iter().enumerate().map(label).collect()
            }
            Labels::None => vec![],
        }
    }

    fn y_labels(&self) -> Vec<Label> {
        let right = self.frame.area.left - TICK_LENGTH - GAP;
        let y = |value: f64| self.frame.y.at(value);
        let beside = |at, text: &str| Label::new(at, text, TICK).anchor(Anchor::End).centred();
        match &self.y {
            Labels::Ticks(ticks) => {
                let label = |it: &Tick| beside((right, y(it.value)), &it.label);
                ticks.iter().map(|it| label(it).colour(Colour::Subtle)).collect()
            }
            Labels::Names(names) => {
                let mut labels = vec![];
                for (index, lines) in names.iter().enumerate() {
                    let middle = 0.5 * (lines.len() as f64 - 1.0);
                    for (line, text) in lines.iter().enumerate() {
                        let offset = (line as f64 - middle) * 1.1 * TICK;
                        labels.push(beside((right, y(index as f64) + offset), text));
                    }
                }
                labels
            }
            Labels::Slanted(..) | Labels::None => vec![],
        }
    }

    /// Draws what is behind the marks.
    pub(super) fn draw_behind(&self, scene: &mut Scene) {
        let Frame { area, x, y } = self.frame;
        let grid = Stroke::new(Colour::Grid, GRID_WIDTH);
        if let Labels::Ticks(ticks) = &self.x {
            for tick in ticks {
                let x = x.at(tick.value);
                scene.push(Shape::line(vec![(x, area.bottom), (x, area.top)], grid));
            }
        }
        let rows = match &self.y {
            Labels::Ticks(ticks) => ticks.iter().map(|tick| tick.value).collect(),
            Labels::Names(names) if !self.is_heatmap() => {
                (0..names.len()).map(|row| row as f64).collect()
            }
            _ => vec![],
        };
        for value in rows {
            let y = y.at(value);
            scene.push(Shape::line(vec![(area.left, y), (area.right, y)], grid));
        }
    }

    /// Draws axes, ticks and labels.
    pub(super) fn draw(&self, scene: &mut Scene) {
        self.draw_lines(scene);
        for label in self.x_labels().into_iter().chain(self.y_labels()) {
            scene.text(label);
        }
        let area = self.frame.area;
        let room = self.room();
        let leading = LEADING * TEXT;
        let first = area.bottom + room.bottom - (self.x_label.len() as f64 - 0.75) * leading;
        for (line, text) in self.x_label.iter().enumerate() {
            let at = (area.centre().0, first + line as f64 * leading);
            scene.text(Label::new(at, text, TEXT).anchor(Anchor::Middle));
        }
        let beside = self.y_width();
        let beside = if beside > 0.0 { TICK_LENGTH + GAP + beside } else { 0.0 };
        let last = area.left - beside - GAP - 0.5 * leading;
        for (line, text) in self.y_label.iter().rev().enumerate() {
            let at = (last - line as f64 * leading, area.centre().1);
            let label = Label::new(at, text, TEXT).anchor(Anchor::Middle).angle(-90.0);
            scene.text(label.centred());
        }
    }

    fn draw_lines(&self, scene: &mut Scene) {
        let Frame { area, x, y } = self.frame;
        let stroke = Stroke::new(Colour::Axis, AXIS_WIDTH);
        if self.is_heatmap() || self.panel.bare {
            return;
        }
        let below = vec![(area.left, area.bottom), (area.right, area.bottom)];
        scene.push(Shape::line(below, stroke));
        if let Labels::Ticks(ticks) = &self.x {
            for tick in ticks {
                let x = x.at(tick.value);
                let line = vec![(x, area.bottom), (x, area.bottom + TICK_LENGTH)];
                scene.push(Shape::line(line, stroke));
            }
        }
        if let Labels::Ticks(ticks) = &self.y {
            let left = vec![(area.left, area.top), (area.left, area.bottom)];
            scene.push(Shape::line(left, stroke));
            for tick in ticks {
                let y = y.at(tick.value);
                let line = vec![(area.left, y), (area.left - TICK_LENGTH, y)];
                scene.push(Shape::line(line, stroke));
            }
        }
        self.draw_break(scene);
        if let (Some(zero), true) =
            (self.zero_line(), self.panel.marks.iter().any(Mark::stands_on_zero))
        {
            scene.push(Shape::line(vec![(area.left, zero), (area.right, zero)], stroke));
        }
    }

    /// Two slashes on a percent axis that does not start at zero.
    fn draw_break(&self, scene: &mut Scene) {
        let Frame { area, x, y } = self.frame;
        let is_cut = |axis: &Axis, map: &Map| {
            matches!(axis.format, Format::Percent)
                && map.spacing == Spacing::Linear
                && map.range.0 > 0.0
        };
        let is_y = matches!(self.y, Labels::Ticks(_)) && is_cut(&self.panel.y, &y);
        let is_x = matches!(self.x, Labels::Ticks(_)) && is_cut(&self.panel.x, &x);
        let stroke = Stroke::new(Colour::Axis, AXIS_WIDTH);
        let gap = Stroke::new(Colour::Background, 1.4);
        if is_y {
            let y = area.bottom - 2.6;
            scene.push(Shape::line(
                vec![(area.left - 2.2, y + 0.9), (area.left + 2.2, y - 0.9)],
                gap,
            ));
            for y in [y - 0.9, y + 0.9] {
                let slash = vec![(area.left - 2.2, y + 0.9), (area.left + 2.2, y - 0.9)];
                scene.push(Shape::line(slash, stroke));
            }
        }
        if is_x {
            let x = area.left + 2.6;
            scene.push(Shape::line(
                vec![(x - 0.9, area.bottom + 2.2), (x + 0.9, area.bottom - 2.2)],
                gap,
            ));
            for x in [x - 0.9, x + 0.9] {
                let slash = vec![(x - 0.9, area.bottom + 2.2), (x + 0.9, area.bottom - 2.2)];
                scene.push(Shape::line(slash, stroke));
            }
        }
    }

    /// Where zero is, if bars stand on it above the lower edge.
    fn zero_line(&self) -> Option<f64> {
        let y = self.frame.y;
        (y.spacing == Spacing::Linear && y.range.0 < 0.0 && y.range.1 > 0.0).then(|| y.at(0.0))
    }

    fn is_heatmap(&self) -> bool {
        self.panel.marks.iter().any(|mark| matches!(mark, Mark::Heatmap(_)))
    }
}

/// Width of a tick's label.
fn length(text: &str) -> f64 {
    width(text, TICK, Weight::Regular)
}

fn numbers(axis: &Axis, map: &Map, direction: Direction) -> Labels {
    if axis.ticks.is_empty() {
        return Labels::Ticks(ticks(map, axis.format, direction, TICK));
    }
    let own = axis.ticks.iter().map(|(value, label)| Tick { value: *value, label: label.clone() });
    Labels::Ticks(own.collect())
}

/// Names below columns: in lines if they fit, slanted if not.
fn names_below(names: &[String], total: f64) -> Labels {
    let slot = total / names.len().max(1) as f64 - 4.0;
    let wrapped: Vec<Vec<String>> =
        names.iter().map(|name| wrap(name, TICK, Weight::Regular, slot)).collect();
    let is_narrow = names.iter().all(|name| longest_piece(name, TICK, Weight::Regular) <= slot);
    if is_narrow && wrapped.iter().all(|lines| lines.len() <= MOST_LINES) {
        Labels::Names(wrapped)
    } else {
        // Slanted lines are as far apart as the sine of their angle says.
        let distance = |angle: &f64| (slot + 4.0) * angle.to_radians().sin().abs();
        let longest = names.iter().map(|name| length(name)).fold(0.0, f64::max);
        let reach = |angle: &f64| longest * angle.to_radians().cos();
        let fits = |angle: &f64| distance(angle) >= LEADING * TICK && reach(angle) <= 0.5 * total;
        let slant = SLANTS.into_iter().find(fits);
        let names = names.iter().map(|name| crate::text::clean(name)).collect();
        Labels::Slanted(names, slant.unwrap_or(SLANTS[2]))
    }
}

/// Ranges and positions of the axes.
fn frame(panel: &Panel, area: Area) -> Frame {
    let extent = panel.marks.iter().fold(Extent::default(), |all, mark| all.and(mark.extent()));
    let stands_on_zero = panel.marks.iter().any(Mark::stands_on_zero);
    let columns = panel.marks.iter().find_map(Mark::columns);
    let rows = panel.marks.iter().find_map(Mark::rows);
    let categories = |names: &[String], ends| Map {
        range: (-0.5, names.len() as f64 - 0.5),
        ends,
        spacing: Spacing::Linear,
    };
    let inset = panel.marks.iter().map(Mark::half_width).fold(INSET, f64::max);
    let mut x = match columns {
        Some(names) => categories(names, (area.left, area.right)),
        None => Map {
            range: panel.x.covers(extent.x, false),
            ends: (area.left + inset, area.right - inset),
            spacing: panel.x.spacing,
        },
    };
    let mut y = if let Some(names) = rows {
        categories(names, (area.top, area.bottom))
    } else {
        let range = panel.y.covers(extent.y, stands_on_zero);
        let on_axis = stands_on_zero && range.0 == 0.0;
        let bottom = if on_axis { area.bottom } else { area.bottom - INSET };
        Map { range, ends: (bottom, area.top + INSET), spacing: panel.y.spacing }
    };
    if panel.equal && columns.is_none() && rows.is_none() {
        same_scale(&mut x, &mut y);
    }
    Frame { area, x, y }
}

/// Widens one of two linear ranges so that a unit has the same length on both axes.
fn same_scale(x: &mut Map, y: &mut Map) {
    let unit = |map: &Map| (map.range.1 - map.range.0) / (map.ends.1 - map.ends.0).abs();
    let widen = |map: &mut Map, unit: f64| {
        let middle = 0.5 * (map.range.0 + map.range.1);
        let half = 0.5 * unit * (map.ends.1 - map.ends.0).abs();
        map.range = (middle - half, middle + half);
    };
    let (in_x, in_y) = (unit(x), unit(y));
    if in_x < in_y { widen(x, in_y) } else { widen(y, in_x) }
}
