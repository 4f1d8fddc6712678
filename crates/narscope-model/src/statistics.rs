//! What several runs of one configuration say together.

use serde::Serialize;

/// Mean, spread and confidence of a few numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How many numbers.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, with `count - 1` below; none for a single number.
    pub std: Option<f64>,
    /// Half the width of the 95 % confidence interval of the mean, by Student's distribution.
    pub interval: Option<f64>,
}

impl Summary {
    /// Summarises numbers.
    pub fn of(numbers: &[f64]) -> Self {
        let count = numbers.len();
        let mean = numbers.iter().sum::<f64>() / count as f64;
        let squares: f64 = numbers.iter().map(|x| (x - mean) * (x - mean)).sum();
        let std = (count > 1).then(|| (squares / (count - 1) as f64).sqrt());
        let interval = std.map(|std| student(count - 1) * std / (count as f64).sqrt());
        Self { count, mean, std, interval }
    }
}

/// The 97.5 % point of Student's distribution with so many degrees of freedom.
fn student(freedom: usize) -> f64 {
    /// From 1 to 10 degrees of freedom; any book of tables has them.
    const FEW: [f64; 10] =
        [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281];
    if let Some(&point) = FEW.get(freedom - 1) {
        return point;
    }
    // Cornish and Fisher's expansion around the normal point.
    let (z, v) = (1.959_963_985_f64, freedom as f64);
    z + (z.powi(3) + z) / (4.0 * v)
        + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * v * v)
        + (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / (384.0 * v.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_textbook_sample_has_its_textbook_interval() {
        let summary = Summary::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!((summary.count, summary.mean), (8, 5.0));
        assert!((summary.std.unwrap() - 2.1381).abs() < 1e-4);
        assert!((summary.interval.unwrap() - 2.3646 * 2.1381 / 8_f64.sqrt()).abs() < 1e-3);
    }

    #[test]
    fn one_number_has_no_spread() {
        let summary = Summary::of(&[0.5]);
        assert_eq!((summary.mean, summary.std, summary.interval), (0.5, None, None));
    }

    #[test]
    fn the_expansion_joins_the_table_and_reaches_the_normal_distribution() {
        assert!((student(11) - 2.2010).abs() < 2e-3, "{}", student(11));
        assert!((student(30) - 2.0423).abs() < 1e-3, "{}", student(30));
        assert!((student(100_000) - 1.96).abs() < 1e-3);
    }
}
