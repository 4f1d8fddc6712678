//! Spearman's rank correlation: does one number rise with another, however strongly?

/// Spearman's correlation, from -1 to 1: the linear correlation of ranks, where ties share their mean rank. `None`
/// if either number has the same value everywhere, or for fewer than two pairs.
///
/// ```
/// use narscope_results::distribution::rank_correlation::spearman;
///
/// assert_eq!(spearman(&[(1.0, 2.0), (2.0, 4.0), (3.0, 8.0)]), Some(1.0), "every rise counts the same");
/// assert_eq!(spearman(&[(1.0, 2.0), (2.0, 2.0)]), None);
/// ```
pub fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let first = ranks(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
    let second = ranks(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
    let middle = f64::midpoint(1.0, pairs.len() as f64);
    let product = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum()
    };
    let scale = (product(&first, &first) * product(&second, &second)).sqrt();
    (scale > 0.0).then(|| product(&first, &second) / scale)
}

/// Rank of each value, from 1; ties share their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let sorted = super::sorted(values);
    let rank = |value: &f64| {
        let below = sorted.partition_point(|other| other < value);
        let not_above = sorted.partition_point(|other| other <= value);
        f64::midpoint((below + 1) as f64, not_above as f64)
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_correlation_of_a_textbook_sample_is_the_published_one() {
        // Intelligence quotient and hours of television: 1 - 6 * 194 / (10 * 99).
        let first = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110];
        let second = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17];
        let pairs: Vec<(f64, f64)> =
            first.into_iter().zip(second).map(|(a, b)| (f64::from(a), f64::from(b))).collect();
        let found = spearman(&pairs).unwrap();
        assert!((found + 29.0 / 165.0).abs() < 1e-12, "{found}");
    }

    #[test]
    fn ties_share_their_mean_rank() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 9.0]), [2.5, 1.0, 2.5, 4.0]);
        assert_eq!(spearman(&[]), None);
    }

    proptest! {
        #[test]
        fn only_the_order_of_values_counts(
            pairs in prop::collection::vec((-9..9_i32, -9..9_i32), 2..20),
        ) {
            let plain: Vec<(f64, f64)> =
                pairs.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).collect();
            let bent: Vec<(f64, f64)> = plain.iter().map(|&(a, b)| (a.exp(), -b)).collect();
            match (spearman(&plain), spearman(&bent)) {
                (Some(plain), Some(bent)) => {
                    prop_assert!((plain + bent).abs() < 1e-9 && plain.abs() <= 1.0 + 1e-9);
                }
                found => prop_assert_eq!(found, (None, None)),
            }
        }
    }
}
