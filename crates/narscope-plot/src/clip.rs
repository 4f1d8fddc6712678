//! Cuts lines and areas at the edges of a panel. Clip paths would need ids.

use crate::scene::{Area, Pt};

/// The parts of a line inside of an area.
pub(crate) fn line(points: &[Pt], area: &Area) -> Vec<Vec<Pt>> {
    let mut parts: Vec<Vec<Pt>> = vec![];
    for pair in points.windows(2) {
        let Some((from, to)) = segment(pair[0], pair[1], area) else { continue };
        match parts.last_mut() {
            Some(part) if part.last() == Some(&from) => part.push(to),
            _ => parts.push(vec![from, to]),
        }
    }
    parts
}

/// The part of a segment inside of an area (Liang and Barsky).
fn segment(from: Pt, to: Pt, area: &Area) -> Option<(Pt, Pt)> {
    let finite = [from.0, from.1, to.0, to.1].iter().all(|value| value.is_finite());
    if !finite {
        return None;
    }
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    let sides = [
        (-dx, from.0 - area.left),
        (dx, area.right - from.0),
        (-dy, from.1 - area.top),
        (dy, area.bottom - from.1),
    ];
    for (speed, room) in sides {
        if speed == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if speed < 0.0 {
            enter = enter.max(room / speed);
        } else {
            leave = leave.min(room / speed);
        }
    }
    // Uncut ends stay exactly what they are, so that parts can be joined.
    let at = |share: f64| match share {
        0.0 => from,
        1.0 => to,
        share => (from.0 + share * dx, from.1 + share * dy),
    };
    (enter <= leave).then(|| (at(enter), at(leave)))
}

/// The part of a polygon inside of an area (Sutherland and Hodgman).
pub(crate) fn polygon(points: &[Pt], area: &Area) -> Vec<Pt> {
    type Inside = fn(Pt, &Area) -> f64;
    let sides: [Inside; 4] = [
        |point, area| point.0 - area.left,
        |point, area| area.right - point.0,
        |point, area| point.1 - area.top,
        |point, area| area.bottom - point.1,
    ];
    let mut points: Vec<Pt> =
        points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
    for side in sides {
        let mut kept = vec![];
        for index in 0..points.len() {
            let (from, to) = (points[index], points[(index + 1) % points.len()]);
            let (a, b) = (side(from, area), side(to, area));
            if a >= 0.0 {
                kept.push(from);
            }
            if (a < 0.0) != (b < 0.0) {
                let share = a / (a - b);
                kept.push((from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1)));
            }
        }
        points = kept;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };

    #[test]
    fn a_line_is_cut_at_the_edges_and_comes_back() {
        let zigzag = [(-5.0, 5.0), (5.0, 5.0), (5.0, 15.0), (8.0, 15.0), (8.0, 5.0)];
        let expected = [vec![(0.0, 5.0), (5.0, 5.0), (5.0, 10.0)], vec![(8.0, 10.0), (8.0, 5.0)]];
        assert_eq!(line(&zigzag, &AREA), expected);
    }

    #[test]
    fn a_line_inside_stays_whole() {
        let inside = [(1.0, 1.0), (2.0, 3.0), (10.0, 10.0)];
        assert_eq!(line(&inside, &AREA), [inside.to_vec()]);
        assert_eq!(line(&[(f64::NAN, 0.0), (1.0, 1.0)], &AREA), Vec::<Vec<Pt>>::new());
    }

    #[test]
    fn a_polygon_around_the_area_becomes_the_area() {
        let around = [(-5.0, -5.0), (15.0, -5.0), (15.0, 15.0), (-5.0, 15.0)];
        let cut = polygon(&around, &AREA);
        assert_eq!(Area::around(cut), Some(AREA));
    }
}
