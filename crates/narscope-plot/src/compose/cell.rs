//! A panel with its title, legend and axes.

use super::direct::{self, Direct};
use super::height::height;
use super::marks;
use super::sides::Sides;
use crate::legend::{self, Item};
use crate::scene::{Area, Label, Scene};
use crate::size::{TEXT, TITLE};
use crate::text::{LEADING, Weight, wrap};
use crate::{Mark, Panel};

/// Least width of a plot area, in points; columns that are narrower go below each other.
const LEAST_PLOT: f64 = 72.0;
/// Least width of a space or of a graph.
const LEAST_WHOLE: f64 = 140.0;
/// Between a panel letter and the title of the panel.
const LETTER_GAP: f64 = 11.0;
/// Between the title of a panel and its plot area.
const TITLE_GAP: f64 = 5.0;
/// Most share of the width that names of rows have, if they can be broken.
const MOST_NAME: f64 = 0.38;
/// Most share of the width that names at the ends of lines have.
const MOST_DIRECT: f64 = 0.36;

/// A panel and its sizes, in points.
pub(super) struct Cell<'a> {
    panel: &'a Panel,
    letter: Option<char>,
    title: Vec<String>,
    legend: Vec<Item>,
    /// Names at the ends of lines, where the plot area starts at zero.
    direct: Vec<Direct>,
    pub(super) width: f64,
    /// Height of the plot area.
    pub(super) height: f64,
    /// Room left and right of the plot area.
    pub(super) left: f64,
    right: f64,
}

impl<'a> Cell<'a> {
    /// A panel of a width.
    pub(super) fn new(panel: &'a Panel, width: f64) -> Self {
        let mut cell = Self {
            panel,
            letter: None,
            title: vec![],
            legend: vec![],
            direct: vec![],
            width,
            height: height(panel, width),
            left: 0.0,
            right: 0.0,
        };
        cell.measure(cell.height, false);
        cell
    }

    /// Whether marks stand on two axes; a graph or a space fills its panel, an empty panel has nothing.
    fn has_axes(&self) -> bool {
        let is_whole = |mark: &Mark| matches!(mark, Mark::Space(_) | Mark::Graph(_));
        !self.panel.is_empty() && !self.panel.marks.iter().any(is_whole)
    }

    /// Whether the plot area can be read.
    pub(super) fn is_wide_enough(&self) -> bool {
        let least = if self.has_axes() { LEAST_PLOT } else { LEAST_WHOLE };
        self.panel.is_empty() || self.width - self.left - self.right >= least
    }

    /// Finds the room that axes and labels need beside a plot area of a height.
    pub(super) fn measure(&mut self, height: f64, may_label: bool) {
        self.height = height;
        if !self.has_axes() {
            return;
        }
        let bar = self.panel.marks.iter().filter_map(|mark| match mark {
            Mark::Heatmap(heatmap) => Some(heatmap.bar_width()),
            _ => None,
        });
        let bar = bar.fold(0.0, f64::max);
        (self.left, self.right) = (30.0f64.min(0.3 * self.width), bar);
        // Room depends on ticks and slants, and these on room; after the first round it only grows.
        for round in 0..3 {
            let sides = self.sides(self.area(0.0, 0.0));
            let room = sides.room();
            if may_label {
                self.direct = direct::labels(self.panel, &sides.frame, MOST_DIRECT * self.width);
            }
            let names = self.direct.iter().map(Direct::width).fold(0.0, f64::max);
            let (left, right) = (room.left.min(0.7 * self.width), room.right.max(bar).max(names));
            let is_first = round == 0;
            self.left = if is_first { left } else { self.left.max(left) };
            self.right = if is_first { right } else { self.right.max(right) };
        }
    }

    /// Moves the plot area to the right, to align it with those above and below.
    pub(super) fn align(&mut self, left: f64) {
        if self.has_axes() && self.width - left - self.right >= LEAST_PLOT {
            self.left = self.left.max(left);
        }
    }

    /// Whether its lines have their names at their ends.
    pub(super) fn names_lines(&self) -> bool {
        !self.direct.is_empty()
    }

    /// Sets its letter, title and legend. Its only entry is part of the title, if nothing else says it.
    pub(super) fn name(
        &mut self,
        letter: Option<char>,
        only_entry: Option<&str>,
        picture_title: &str,
        legend: Vec<Item>,
    ) {
        let panel = self.panel;
        let said = [&panel.title, picture_title, &panel.x.label, &panel.y.label];
        let title = match (panel.title.as_str(), only_entry) {
            (title, None) => title.to_owned(),
            (title, Some(name)) if said.iter().any(|text| text.contains(name)) => title.to_owned(),
            ("", Some(name)) => name.to_owned(),
            (title, Some(name)) => format!("{title}: {name}"),
        };
        let indent = if letter.is_some() { LETTER_GAP } else { 0.0 };
        self.title = wrap(&title, TEXT, Weight::Regular, self.width - indent);
        (self.letter, self.legend) = (letter, legend);
    }

    fn area(&self, left: f64, top: f64) -> Area {
        Area {
            left: left + self.left,
            right: (left + self.width - self.right).max(left + self.left + 10.0),
            top,
            bottom: top + self.height,
        }
    }

    fn sides(&self, area: Area) -> Sides<'a> {
        Sides::new(self.panel, area, MOST_NAME * self.width)
    }

    /// Height of title and legend.
    pub(super) fn head(&self) -> f64 {
        let lines = self.title.len().max(usize::from(self.letter.is_some()));
        let title = lines as f64 * LEADING * TEXT;
        let legend = legend::height(&self.legend, self.width);
        title + legend + if title + legend > 0.0 { TITLE_GAP } else { 0.0 }
    }

    /// Draws it below a head of a height. Returns where it ends.
    pub(super) fn draw(&self, left: f64, top: f64, head: f64, scene: &mut Scene) -> f64 {
        let baseline = top + 0.85 * TEXT;
        let mut indent = 0.0;
        if let Some(letter) = self.letter {
            scene.text(Label::new((left, baseline), &letter.to_string(), TITLE).bold());
            indent = LETTER_GAP;
        }
        for (line, text) in self.title.iter().enumerate() {
            let at = (left + indent, baseline + line as f64 * LEADING * TEXT);
            scene.text(Label::new(at, text, TEXT));
        }
        let legend = legend::height(&self.legend, self.width);
        legend::draw(&self.legend, (left, top + head - TITLE_GAP - legend), self.width, scene);
        let area = self.area(left, top + head);
        let sides = self.sides(area);
        if !self.has_axes() {
            self.panel.marks.iter().for_each(|mark| mark.draw(&sides.frame, scene));
            return area.bottom;
        }
        sides.draw_behind(scene);
        let first = scene.shapes.len();
        marks::draw(&self.panel.marks, &sides.frame, scene);
        marks::draw_labels(self.panel, &sides.frame, first, scene);
        sides.draw(scene);
        self.direct.iter().for_each(|label| label.draw((area.right, area.top), scene));
        area.bottom + sides.room().bottom
    }
}
