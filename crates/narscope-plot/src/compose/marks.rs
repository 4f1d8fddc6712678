//! Marks of a panel, from back to front, and labels where they leave room.

use crate::frame::Frame;
use crate::layout::place::Obstacles;
use crate::marks::{error_bars, points};
use crate::scene::{Anchor, Area, Label, Scene, Shape};
use crate::size::TICK;
use crate::text::{LEADING, Weight, width, wrap};
use crate::{Colour, Mark, Panel};

/// Draws marks. Points that follow each other are mixed, error bars that follow each other stand side by side.
pub(super) fn draw(marks: &[Mark], frame: &Frame, scene: &mut Scene) {
    let is_same = |a: &Mark, b: &Mark| {
        matches!(
            (a, b),
            (Mark::Points(_), Mark::Points(_)) | (Mark::ErrorBars(_), Mark::ErrorBars(_))
        )
    };
    for group in marks.chunk_by(is_same) {
        match &group[0] {
            Mark::Points(_) => {
                let all = group.iter().filter_map(|mark| match mark {
                    Mark::Points(points) => Some(points),
                    _ => None,
                });
                points::draw_together(&all.collect::<Vec<_>>(), frame, scene);
            }
            Mark::ErrorBars(_) => {
                let all = group.iter().filter_map(|mark| match mark {
                    Mark::ErrorBars(bars) => Some(bars),
                    _ => None,
                });
                error_bars::draw_together(&all.collect::<Vec<_>>(), frame, scene);
            }
            mark => mark.draw(frame, scene),
        }
    }
}

/// Draws the labels of reference lines and the panel's note where shapes from `first` on leave room.
pub(super) fn draw_labels(panel: &Panel, frame: &Frame, first: usize, scene: &mut Scene) {
    let mut obstacles = Obstacles::new(frame.area);
    scene.shapes[first..].iter().for_each(|shape: &Shape| obstacles.shape(shape));
    for mark in &panel.marks {
        let Mark::Reference(reference) = mark else { continue };
        let mut labels = reference.labels(frame);
        let areas: Vec<Area> = labels.iter().map(Label::area).collect();
        if let Some(best) = obstacles.best(&areas, true) {
            scene.text(labels.swap_remove(best));
        }
    }
    draw_note(&panel.note, frame.area, &mut obstacles, scene);
}

/// Draws a note in the freest corner.
fn draw_note(note: &str, area: Area, obstacles: &mut Obstacles, scene: &mut Scene) {
    let lines = wrap(note, TICK, Weight::Regular, 0.7 * area.width());
    if lines.is_empty() {
        return;
    }
    let widest = lines.iter().map(|it| width(it, TICK, Weight::Regular)).fold(0.0, f64::max);
    let height = lines.len() as f64 * LEADING * TICK;
    let (left, right) = (area.left + 4.0, area.right - 4.0 - widest);
    let (top, bottom) = (area.top + 2.0, area.bottom - 3.0 - height);
    let middle = 0.5 * (left + right);
    let corners = [
        (left, top),
        (right, top),
        (right, bottom),
        (left, bottom),
        (middle, top),
        (middle, bottom),
        (right, 0.5 * (top + bottom)),
        (left, 0.5 * (top + bottom)),
    ];
    let areas =
        corners.map(|(left, top)| Area { left, top, right: left + widest, bottom: top + height });
    let best = obstacles.best(&areas, true).expect("there are corners");
    for (line, text) in lines.iter().enumerate() {
        let at = (areas[best].left, areas[best].top + (0.8 + LEADING * line as f64) * TICK);
        let label = Label::new(at, text, TICK).anchor(Anchor::Start);
        scene.text(label.colour(Colour::Subtle).with_halo());
    }
}
