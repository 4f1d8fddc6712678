//! Where the values of a panel are, for the marks.

use crate::axis::Map;
use crate::scene::{Area, Pt};

/// The plot area of a panel and its axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) area: Area,
    pub(crate) x: Map,
    pub(crate) y: Map,
}

impl Frame {
    /// Where a pair of values is.
    pub(crate) fn at(&self, (x, y): Pt) -> Pt {
        (self.x.at(x), self.y.at(y))
    }
}

/// The values that a mark covers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Extent {
    pub(crate) x: Option<(f64, f64)>,
    pub(crate) y: Option<(f64, f64)>,
}

impl Extent {
    /// The extent of points; values that are not finite do not count.
    pub(crate) fn of(points: impl IntoIterator<Item = Pt>) -> Self {
        points
            .into_iter()
            .fold(Self::default(), |all, (x, y)| all.and(Self { x: Some((x, x)), y: Some((y, y)) }))
    }

    /// The extent of both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { x: both(self.x, other.x), y: both(self.y, other.y) }
    }
}

fn both(a: Option<(f64, f64)>, b: Option<(f64, f64)>) -> Option<(f64, f64)> {
    let finite = |it: &(f64, f64)| it.0.is_finite() && it.1.is_finite();
    match (a.filter(finite), b.filter(finite)) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (a, b) => a.or(b),
    }
}
