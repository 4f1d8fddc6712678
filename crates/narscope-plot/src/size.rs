//! The one style: sizes in points at print width.

/// Size of the title and of panel letters.
pub(crate) const TITLE: f64 = 9.0;
/// Size of labels, legends and panel titles.
pub(crate) const TEXT: f64 = 8.0;
/// Size of ticks, notes and captions.
pub(crate) const TICK: f64 = 7.0;
/// Distance of lines of a legend.
pub(crate) const LEGEND_LEADING: f64 = 12.0;
/// Around the picture.
pub(crate) const EDGE: f64 = 3.0;
/// Below a title and below a legend.
pub(crate) const LEGEND_GAP: f64 = 3.5;
/// Between columns of panels.
pub(crate) const COLUMN_GAP: f64 = 14.0;
/// Between rows of panels.
pub(crate) const ROW_GAP: f64 = 12.0;
/// Length of a tick.
pub(crate) const TICK_LENGTH: f64 = 2.5;
/// Between a tick and its label, and between other things that belong together.
pub(crate) const GAP: f64 = 2.5;
/// Between the ends of an axis and the first and last value: markers there are not cut.
pub(crate) const INSET: f64 = 4.5;
/// Width of axes and ticks.
pub(crate) const AXIS_WIDTH: f64 = 0.6;
/// Width of grid lines.
pub(crate) const GRID_WIDTH: f64 = 0.5;
