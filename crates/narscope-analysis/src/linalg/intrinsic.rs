//! Intrinsic dimension of a set of points.

use rayon::prelude::*;

use super::{Points, squared_distance};

/// Two-nearest-neighbours estimate of the intrinsic dimension (Facco et al., 2017).
///
/// For points that are locally uniform on a manifold of `d` dimensions, the ratio of the distances to the second and
/// to the first neighbour follows a power law with exponent `d`; this is its maximum-likelihood estimate. A line and a
/// curve both have dimension one, unlike with principal components. Duplicate points are ignored. Returns `None` if
/// fewer than three points remain.
pub fn two_nearest_neighbours(points: &Points) -> Option<f64> {
    let of = |point: usize| {
        let mut nearest = [f64::INFINITY; 2];
        for (other, x) in points.iter().enumerate() {
            if other == point {
                continue;
            }
            let squared = squared_distance(points.get(point), x);
            if squared < nearest[0] {
                nearest = [squared, nearest[0]];
            } else if squared < nearest[1] {
                nearest[1] = squared;
            }
        }
        let [first, second] = nearest;
        // Half the logarithm of the ratio of squares.
        (first > 0.0 && second.is_finite()).then(|| 0.5 * (second / first).ln())
    };
    let logs: Vec<f64> = (0..points.len()).into_par_iter().filter_map(of).collect();
    let sum: f64 = logs.iter().sum();
    (logs.len() > 2 && sum > 0.0).then(|| (logs.len() - 1) as f64 / sum)
}

#[cfg(test)]
mod tests {
    use narscope_model::random::{Purpose, Stream};

    use super::*;

    fn cloud(place: impl Fn(f32, f32) -> [f32; 3]) -> Points {
        let mut stream = Stream::new(1, Purpose::Noise, 0);
        let mut points = Points::new(3);
        for _ in 0..2000 {
            points.push(&place(stream.uniform(), stream.uniform()));
        }
        points
    }

    #[test]
    fn a_curve_has_one_dimension_and_a_curved_surface_two() {
        let curve = cloud(|t, _| [(5.0 * t).sin(), (5.0 * t).cos(), t * t]);
        let sheet = cloud(|s, t| [(5.0 * t).sin(), (5.0 * t).cos(), s]);
        let [one, two] = [curve, sheet].map(|points| two_nearest_neighbours(&points).unwrap());
        assert!((one - 1.0).abs() < 0.1, "{one}");
        assert!((two - 2.0).abs() < 0.2, "{two}");
    }

    #[test]
    fn equal_points_have_no_dimension() {
        assert_eq!(two_nearest_neighbours(&cloud(|_, _| [1.0; 3])), None);
    }
}
