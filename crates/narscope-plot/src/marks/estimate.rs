//! Values with their uncertainty.

use super::Marker;

/// A value, its interval, and the values of single seeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The value, such as a mean over seeds.
    pub value: f64,
    /// Lower and upper end, if known: an interval of zero width would look exact.
    pub interval: Option<(f64, f64)>,
    /// The value of each seed, drawn as small points.
    pub seeds: Vec<f64>,
}

impl Estimate {
    /// A value without an interval.
    pub fn new(value: f64) -> Self {
        Self { value, interval: None, seeds: vec![] }
    }

    /// The same value with an interval.
    #[must_use]
    pub fn interval(self, interval: Option<(f64, f64)>) -> Self {
        Self { interval, ..self }
    }

    /// The same value with those of single seeds.
    #[must_use]
    pub fn seeds(self, seeds: Vec<f64>) -> Self {
        Self { seeds, ..self }
    }

    /// All its numbers.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        let ends = self.interval.into_iter().flat_map(|(low, high)| [low, high]);
        ends.chain([self.value]).chain(self.seeds.iter().copied())
    }
}

/// One colour of a dot plot or of bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Colour.
    pub colour: crate::Colour,
    /// What a dot looks like; bars have none.
    pub marker: Marker,
    /// One value per row or group; `None` leaves it out.
    pub values: Vec<Option<Estimate>>,
}

impl Series {
    /// A series.
    pub fn new(
        name: impl Into<String>,
        colour: crate::Colour,
        values: Vec<Option<Estimate>>,
    ) -> Self {
        Self { name: name.into(), colour, marker: Marker::Dot, values }
    }

    /// The same series with other dots.
    #[must_use]
    pub fn marker(self, marker: Marker) -> Self {
        Self { marker, ..self }
    }
}

/// Offsets of values of seeds from the middle of their group, from -1 to 1: equal values side by side.
pub(crate) fn spread(count: usize) -> impl Iterator<Item = f64> {
    (0..count).map(
        move |index| {
            if count < 2 { 0.0 } else { 2.0 * index as f64 / (count - 1) as f64 - 1.0 }
        },
    )
}
