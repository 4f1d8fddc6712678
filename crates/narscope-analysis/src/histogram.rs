//! Counts in bins of equal width.

use serde::{Deserialize, Serialize};

/// Counts of correct and wrong predictions by the value of a variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// Lower end of the first bin.
    pub start: f64,
    /// Width of a bin.
    pub width: f64,
    /// Correct predictions in each bin. The last bin includes everything above it.
    pub right: Vec<usize>,
    /// Wrong predictions in each bin.
    pub wrong: Vec<usize>,
}

impl Histogram {
    /// Empty bins.
    pub fn new(start: f64, width: f64, bins: usize) -> Self {
        Self { start, width, right: vec![0; bins], wrong: vec![0; bins] }
    }

    /// Counts one prediction.
    pub fn add(&mut self, x: f64, is_right: bool) {
        // The cast saturates: values below the first bin and NaN count in the first bin.
        let bin = ((x - self.start) / self.width) as usize;
        let bin = bin.min(self.right.len() - 1);
        let counts = if is_right { &mut self.right } else { &mut self.wrong };
        counts[bin] += 1;
    }

    /// Share of wrong predictions at and above `x`, the lower end of a bin; `None` without predictions.
    pub fn wrong_from(&self, x: f64) -> Option<f64> {
        let first = ((x - self.start) / self.width).round() as usize;
        let count = |bins: &[usize]| bins.iter().skip(first).sum::<usize>();
        let (right, wrong) = (count(&self.right), count(&self.wrong));
        (right + wrong > 0).then(|| wrong as f64 / (right + wrong) as f64)
    }

    /// Share of wrong predictions in each bin; `None` for an empty bin.
    pub fn wrong_rates(&self) -> Vec<Option<f64>> {
        let bins = self.right.iter().zip(&self.wrong);
        bins.map(|(&right, &wrong)| {
            (right + wrong > 0).then(|| wrong as f64 / (right + wrong) as f64)
        })
        .collect()
    }
}

/// Counts in bins of equal width from the smallest to the largest value, as NumPy's `histogram` makes them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnRange {
    /// Lower end of the first bin.
    pub start: f64,
    /// Width of a bin.
    pub width: f64,
    /// Values in each bin; the upper end of the last one is part of it.
    pub counts: Vec<usize>,
}

impl OwnRange {
    /// Counts values in `bins` bins; `None` without values.
    pub fn of(values: &[f64], bins: usize) -> Option<Self> {
        let start = values.iter().copied().min_by(f64::total_cmp)?;
        let end = values.iter().copied().max_by(f64::total_cmp)?;
        // Equal values: a range of 1 around them.
        let (start, end) = if end > start { (start, end) } else { (start - 0.5, start + 0.5) };
        let width = (end - start) / bins as f64;
        let mut counts = vec![0; bins];
        for value in values {
            counts[(((value - start) / width) as usize).min(bins - 1)] += 1;
        }
        Some(Self { start, width, counts })
    }

    /// Lower end of a bin.
    pub fn edge(&self, bin: usize) -> f64 {
        self.start + bin as f64 * self.width
    }
}

/// Area under the ROC curve of a variable as a predictor of wrong predictions: the share of pairs of a wrong and a
/// correct prediction in which the wrong one has the larger value; ties count half. `None` without pairs.
pub fn auc(right: &[f64], wrong: &[f64]) -> Option<f64> {
    if right.is_empty() || wrong.is_empty() {
        return None;
    }
    let mut right = right.to_vec();
    right.sort_by(f64::total_cmp);
    let below = |x: f64| {
        let less = right.partition_point(|&y| y < x);
        let less_or_equal = right.partition_point(|&y| y <= x);
        f64::midpoint(less as f64, less_or_equal as f64)
    };
    let sum: f64 = wrong.iter().map(|&x| below(x)).sum();
    Some(sum / (right.len() as f64 * wrong.len() as f64))
}

/// Median; the mean of the two middle values if their number is even.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        length if length % 2 == 1 => Some(sorted[half]),
        _ => Some(f64::midpoint(sorted[half - 1], sorted[half])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_counted() {
        let mut histogram = Histogram::new(0.0, 0.5, 3);
        for x in [-1.0, 0.2, 0.5, 1.4, 99.0, f64::NAN] {
            histogram.add(x, x < 1.0);
        }
        assert_eq!(histogram.right, [2, 1, 0]);
        assert_eq!(histogram.wrong, [1, 0, 2]);
        assert_eq!(histogram.wrong_rates(), [Some(1.0 / 3.0), Some(0.0), Some(1.0)]);
    }

    #[test]
    fn bins_of_an_own_range_reach_from_the_smallest_to_the_largest_value() {
        let found = OwnRange::of(&[1.0, 2.0, 2.1, 5.0], 4).unwrap();
        assert_eq!((found.start, found.width, found.edge(3)), (1.0, 1.0, 4.0));
        assert_eq!(found.counts, [1, 2, 0, 1]);
        let equal = OwnRange::of(&[3.0, 3.0], 2).unwrap();
        assert_eq!((equal.start, equal.counts), (2.5, vec![0, 2]));
        assert_eq!(OwnRange::of(&[], 4), None);
    }

    #[test]
    fn auc_is_the_share_of_pairs_in_order() {
        assert_eq!(auc(&[1.0, 2.0], &[3.0, 4.0]), Some(1.0));
        assert_eq!(auc(&[3.0, 4.0], &[1.0]), Some(0.0));
        // Pairs: 1 < 2 counts, 2 = 2 counts half.
        assert_eq!(auc(&[1.0, 2.0], &[2.0]), Some(0.75));
        assert_eq!(auc(&[], &[2.0]), None);
    }

    #[test]
    fn the_median_of_an_even_number_of_values_is_the_mean_of_two() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }
}
