//! Counts in bins of equal width.

use serde::{Deserialize, Serialize};

/// How many of two kinds of things fall where: right ones and wrong ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// Where the first bin begins.
    pub start: f64,
    /// How wide each is.
    pub width: f64,
    /// Right ones in each bin. The last bin has all that is beyond.
    pub right: Vec<usize>,
    /// Wrong ones in each bin.
    pub wrong: Vec<usize>,
}

impl Histogram {
    /// So many empty bins.
    pub fn new(start: f64, width: f64, bins: usize) -> Self {
        Self { start, width, right: vec![0; bins], wrong: vec![0; bins] }
    }

    /// Counts one.
    pub fn add(&mut self, x: f64, is_right: bool) {
        // What is below the first bin, or no number, goes into the first.
        let bin = ((x - self.start) / self.width) as usize;
        let bin = bin.min(self.right.len() - 1);
        let counts = if is_right { &mut self.right } else { &mut self.wrong };
        counts[bin] += 1;
    }

    /// The share of wrong ones among all from a number on at which a bin begins, if there are any.
    pub fn wrong_from(&self, x: f64) -> Option<f64> {
        let first = ((x - self.start) / self.width).round() as usize;
        let count = |bins: &[usize]| bins.iter().skip(first).sum::<usize>();
        let (right, wrong) = (count(&self.right), count(&self.wrong));
        (right + wrong > 0).then(|| wrong as f64 / (right + wrong) as f64)
    }

    /// The share of wrong ones in each bin that has any.
    pub fn wrong_rates(&self) -> Vec<Option<f64>> {
        let bins = self.right.iter().zip(&self.wrong);
        bins.map(|(&right, &wrong)| {
            (right + wrong > 0).then(|| wrong as f64 / (right + wrong) as f64)
        })
        .collect()
    }
}

/// The share of pairs of a wrong and a right one in which the wrong one has the larger number;
/// equal numbers count half. 1/2 if the number says nothing. `None` without any pair.
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

/// The middle one of numbers, or the mean of the two in the middle.
pub fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
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
    fn everything_is_counted_somewhere() {
        let mut histogram = Histogram::new(0.0, 0.5, 3);
        for x in [-1.0, 0.2, 0.5, 1.4, 99.0, f64::NAN] {
            histogram.add(x, x < 1.0);
        }
        assert_eq!(histogram.right, [2, 1, 0]);
        assert_eq!(histogram.wrong, [1, 0, 2]);
        assert_eq!(histogram.wrong_rates(), [Some(1.0 / 3.0), Some(0.0), Some(1.0)]);
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
    fn the_median_of_an_even_number_lies_between_two() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }
}
