//! Where panels are in a picture, and what stands around them.

mod cell;
mod direct;
mod height;
mod legends;
mod marks;
mod sides;

use self::cell::Cell;
use crate::scene::{Label, Scene};
use crate::size::{COLUMN_GAP, EDGE, LEGEND_GAP, ROW_GAP, TICK, TITLE};
use crate::text::{LEADING, Weight, wrap};
use crate::{Colour, Picture, legend};

/// Draws a picture of a width in points.
pub(crate) fn compose(picture: &Picture, width: f64) -> Scene {
    let mut scene = Scene { width, height: 0.0, shapes: vec![] };
    let inner = width - 2.0 * EDGE;
    let mut top = EDGE;
    let lines = wrap(&picture.title, TITLE, Weight::Bold, inner);
    top = paragraph(&lines, |at, text| Label::new(at, text, TITLE).bold(), top, &mut scene);
    let widths = column_widths(picture, columns(picture, inner), inner);
    let (cells, shared) = cells(picture, &widths);
    if !lines.is_empty() {
        top += LEGEND_GAP;
    }
    if !shared.is_empty() {
        legend::draw(&shared, (EDGE, top), inner, &mut scene);
        top += legend::height(&shared, inner) + LEGEND_GAP;
    }
    for row in cells.chunks(widths.len()) {
        top = draw_row(row, &widths, top, &mut scene) + ROW_GAP;
    }
    if !cells.is_empty() {
        top -= ROW_GAP;
    }
    let lines = wrap(&picture.caption, TICK, Weight::Regular, inner);
    if !lines.is_empty() {
        top += 2.0 * LEGEND_GAP;
    }
    let label = |at, text: &str| Label::new(at, text, TICK).colour(Colour::Subtle);
    top = paragraph(&lines, label, top, &mut scene);
    scene.height = top + EDGE;
    scene
}

/// Draws lines of text from the left edge, and returns where they end.
fn paragraph(
    lines: &[String],
    label: impl Fn((f64, f64), &str) -> Label,
    mut top: f64,
    scene: &mut Scene,
) -> f64 {
    for line in lines {
        let size = label((0.0, 0.0), line).size;
        scene.text(label((EDGE, top + 0.85 * size), line));
        top += LEADING * size;
    }
    top
}

/// As many columns as are wanted and fit.
fn columns(picture: &Picture, inner: f64) -> usize {
    let wanted = picture.columns.clamp(1, picture.panels.len().max(1));
    let fits = |columns: &usize| {
        let widths = column_widths(picture, *columns, inner);
        let mut panels = picture.panels.iter().enumerate();
        panels.all(|(index, panel)| Cell::new(panel, widths[index % columns]).is_wide_enough())
    };
    (1..=wanted).rev().find(fits).unwrap_or(1)
}

fn column_widths(picture: &Picture, columns: usize, inner: f64) -> Vec<f64> {
    let all = inner - (columns as f64 - 1.0) * COLUMN_GAP;
    let shares = &picture.column_widths;
    let is_usable = shares.len() == columns && shares.iter().all(|it| *it > 0.0 && it.is_finite());
    if is_usable {
        let sum: f64 = shares.iter().sum();
        shares.iter().map(|share| all * share / sum).collect()
    } else {
        vec![all / columns as f64; columns]
    }
}

/// The panels with their sizes, letters and legends, and the legend of all.
fn cells<'a>(picture: &'a Picture, widths: &[f64]) -> (Vec<Cell<'a>>, Vec<legend::Item>) {
    let columns = widths.len();
    let panels = &picture.panels;
    let cell = |(index, panel)| Cell::new(panel, widths[index % columns]);
    let mut cells: Vec<Cell<'_>> = panels.iter().enumerate().map(cell).collect();
    for row in 0..cells.len().div_ceil(columns) {
        let of_row = row * columns..(columns * (row + 1)).min(cells.len());
        let height = cells[of_row.clone()].iter().map(|cell| cell.height).fold(0.0, f64::max);
        for index in of_row {
            cells[index].measure(height, legends::are_its_own(index, panels));
        }
    }
    for column in 0..columns {
        let of_column = || (column..panels.len()).step_by(columns);
        let lefts = of_column().map(|index| cells[index].left);
        let left = lefts.fold(0.0, f64::max);
        of_column().for_each(|index| cells[index].align(left));
    }
    let named: Vec<bool> = cells.iter().map(Cell::names_lines).collect();
    let legends = legends::legends(panels, &named);
    let are_many = panels.iter().filter(|panel| !panel.is_empty()).count() > 1;
    let mut letters = 'a'..='z';
    for (index, (own, in_title)) in legends.own.into_iter().zip(legends.in_title).enumerate() {
        let has_letter = are_many && !panels[index].is_empty();
        let letter = has_letter.then(|| letters.next()).flatten();
        cells[index].name(letter, in_title.as_deref(), &picture.title, own);
    }
    (cells, legends.shared)
}

/// Draws panels next to each other, with their plot areas aligned. Returns where they end.
fn draw_row(row: &[Cell<'_>], widths: &[f64], top: f64, scene: &mut Scene) -> f64 {
    let head = row.iter().map(Cell::head).fold(0.0, f64::max);
    let mut left = EDGE;
    let mut bottom = 0.0f64;
    for (cell, width) in row.iter().zip(widths) {
        bottom = bottom.max(cell.draw(left, top, head, scene));
        left += width + COLUMN_GAP;
    }
    bottom
}
