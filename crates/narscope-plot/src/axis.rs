//! Axes: what they show, and where a value is.

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spacing {
    /// Equal differences, equal distances.
    #[default]
    Linear,
    /// Equal ratios, equal distances; ticks at powers of ten.
    Log10,
    /// Equal ratios, equal distances; ticks at powers of two.
    Log2,
}

/// How values are written.
#[derive(Clone, Copy, Debug, Default)]
pub enum Format {
    /// As numbers, with the decimals that the ticks need.
    #[default]
    Number,
    /// As numbers, with ticks at integers only.
    Integer,
    /// Shares in percent.
    Percent,
    /// As the function says.
    Custom(fn(f64) -> String),
}

/// An axis of a panel.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// What the values are, with their unit.
    pub label: String,
    /// First and last value; `None` for those of the marks.
    pub range: Option<(f64, f64)>,
    /// Whether the axis starts at zero though the marks do not.
    pub from_zero: bool,
    /// How values are spread.
    pub spacing: Spacing,
    /// How values are written.
    pub format: Format,
    /// Ticks with their names, in place of the computed ones.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// An axis of numbers.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// An axis of shares in percent.
    pub fn percent(label: impl Into<String>) -> Self {
        Self { format: Format::Percent, ..Self::new(label) }
    }

    /// An axis with ticks at integers.
    pub fn integers(label: impl Into<String>) -> Self {
        Self { format: Format::Integer, ..Self::new(label) }
    }

    /// The same axis from a first to a last value. Values at both ends are drawn whole.
    #[must_use]
    pub fn range(self, low: f64, high: f64) -> Self {
        Self { range: Some((low, high)), ..self }
    }

    /// The same axis, from zero.
    #[must_use]
    pub fn from_zero(self) -> Self {
        Self { from_zero: true, ..self }
    }

    /// The same axis with another spacing.
    #[must_use]
    pub fn spacing(self, spacing: Spacing) -> Self {
        Self { spacing, ..self }
    }

    /// The same axis with another way to write values.
    #[must_use]
    pub fn format(self, format: Format) -> Self {
        Self { format, ..self }
    }

    /// The same axis with its own ticks.
    #[must_use]
    pub fn ticks(self, ticks: Vec<(f64, String)>) -> Self {
        Self { ticks, ..self }
    }
}

/// Maps values to points of print.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Map {
    /// First and last value.
    pub(crate) range: (f64, f64),
    /// Where they are.
    pub(crate) ends: (f64, f64),
    pub(crate) spacing: Spacing,
}

impl Map {
    /// Where a value is. Values outside of the range are outside of the ends.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        let share = match self.spacing {
            Spacing::Linear => (value - low) / (high - low),
            Spacing::Log10 | Spacing::Log2 => (value / low).ln() / (high / low).ln(),
        };
        let (start, end) = self.ends;
        start + share * (end - start)
    }
}

impl Axis {
    /// The range of an axis with marks of this extent.
    pub(crate) fn covers(&self, extent: Option<(f64, f64)>, from_zero: bool) -> (f64, f64) {
        let is_log = self.spacing != Spacing::Linear;
        let whole = |extent| match self.format {
            Format::Percent if !is_log => to_whole_shares(extent),
            _ => extent,
        };
        let (mut low, mut high) = self.range.or(extent.map(whole)).unwrap_or((0.0, 1.0));
        if (self.from_zero || from_zero) && !is_log {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        if !low.is_finite() || !high.is_finite() {
            (low, high) = (0.0, 1.0);
        }
        if low > high {
            (low, high) = (high, low);
        }
        if is_log {
            let least = f64::MIN_POSITIVE.max(1e-300);
            (low, high) = (low.max(least), high.max(least));
            if low == high { (low / 2.0, high * 2.0) } else { (low, high) }
        } else if low == high {
            // One value: room on both sides.
            let room = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
            (low - room, high + room)
        } else {
            (low, high)
        }
    }
}

/// Extends a range of shares to 100 % if it nearly reaches it, and to 0 % if that takes less than half of the axis.
fn to_whole_shares((low, high): (f64, f64)) -> (f64, f64) {
    let high = if (0.9..1.0).contains(&high) { 1.0 } else { high };
    let low = if (0.0..0.5 * high).contains(&low) { 0.0 } else { low };
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ratios_have_equal_distances_on_a_logarithmic_axis() {
        let map = Map { range: (1.0, 100.0), ends: (0.0, 10.0), spacing: Spacing::Log10 };
        assert_eq!([1.0, 10.0, 100.0].map(|value| map.at(value)), [0.0, 5.0, 10.0]);
    }

    #[test]
    fn an_axis_of_shares_starts_at_zero_unless_that_wastes_most_of_it() {
        let axis = Axis::percent("");
        assert_eq!(axis.covers(Some((0.4, 0.97)), false), (0.0, 1.0));
        assert_eq!(axis.covers(Some((0.8, 0.97)), false), (0.8, 1.0));
        assert_eq!(axis.covers(Some((-0.1, 0.2)), false), (-0.1, 0.2));
        assert_eq!(axis.range(0.2, 0.97).covers(Some((0.4, 0.9)), false), (0.2, 0.97));
    }

    #[test]
    fn a_range_is_never_empty() {
        for spacing in [Spacing::Linear, Spacing::Log10] {
            let axis = Axis::new("").spacing(spacing);
            for extent in [None, Some((3.0, 3.0)), Some((0.0, 0.0)), Some((f64::NAN, 1.0))] {
                let (low, high) = axis.covers(extent, false);
                assert!(low < high && low.is_finite() && high.is_finite(), "{extent:?}");
            }
        }
    }
}
