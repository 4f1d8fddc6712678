//! Points in the plane.

use super::user::{UserInstance, invalid};
use super::{Instance, at_least};
use crate::options::{OptionName, Options, bad};
use crate::rng::Rng;
use crate::{Error, Result};

/// Points in the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// Horizontal coordinates.
    pub x: Vec<f64>,
    /// Vertical coordinates.
    pub y: Vec<f64>,
}

/// The kind of point set that an algorithm takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Uniform in a disc, no three points collinear.
    Disc,
    /// The endpoints of two segments in a square, which cross with probability 1/2.
    TwoSegments,
}

impl Instance for Points {
    type Params = Shape;

    fn options(params: &Shape, _options: &Options) -> Vec<OptionName> {
        match params {
            Shape::Disc => vec![
                OptionName::OriginX,
                OptionName::OriginY,
                OptionName::Radius,
                OptionName::CollinearityAttempts,
                OptionName::CollinearityEps,
                OptionName::TruncateDecimals,
            ],
            Shape::TwoSegments => {
                vec![OptionName::Low, OptionName::High, OptionName::TruncateDecimals]
            }
        }
    }

    fn sample(params: &Shape, rng: &mut Rng, length: usize, options: &Options) -> Result<Self> {
        match params {
            Shape::Disc => sample_disc(rng, length, options),
            Shape::TwoSegments => sample_segments(rng, options),
        }
    }

    fn wanted(params: &Shape) -> String {
        match params {
            Shape::Disc => "at least 2 points: columns x and y",
            Shape::TwoSegments => {
                "4 points, the endpoints of one segment and then of the other: columns x and y"
            }
        }
        .to_owned()
    }

    fn read(params: &Shape, user: &UserInstance) -> Result<Self> {
        let wanted = Self::wanted(params);
        let (x, y) = user.pair(["x", "y"], &wanted)?;
        if x.len() != y.len() || (*params == Shape::TwoSegments && x.len() != 4) {
            return Err(invalid(wanted, format!("{} values of x and {} of y", x.len(), y.len())));
        }
        at_least(2, x.len())?;
        Ok(Self { x, y })
    }
}

/// The cross product of the vectors from point `i` to `j` and from `i` to `k`: positive if the
/// second is counterclockwise of the first.
#[inline]
pub(crate) fn cross_product(x: &[f64], y: &[f64], i: usize, j: usize, k: usize) -> f64 {
    (x[j] - x[i]) * (y[k] - y[i]) - (y[j] - y[i]) * (x[k] - x[i])
}

/// Index of the lowest point; the leftmost one wins ties.
pub(crate) fn lowest(x: &[f64], y: &[f64]) -> usize {
    (1..x.len()).fold(0, |best, i| if (y[i], x[i]) < (y[best], x[best]) { i } else { best })
}

fn sample_disc(rng: &mut Rng, length: usize, options: &Options) -> Result<Points> {
    at_least(2, length)?;
    let centre = (options.origin_x.unwrap_or(0.0), options.origin_y.unwrap_or(0.0));
    let radius = options.radius.unwrap_or(2.0);
    if !centre.0.is_finite() || !centre.1.is_finite() {
        return Err(bad("origin_x and origin_y", "finite", format!("{centre:?}")));
    }
    if !(radius > 0.0 && radius.is_finite()) {
        return Err(bad("radius", "a positive number", radius));
    }
    let eps = options.collinearity_eps.unwrap_or(1e-12);
    // 0 attempts: no test, as in the data sets of 2022.
    let attempts = options.collinearity_attempts.unwrap_or(1000);
    for _ in 0..attempts.max(1) {
        let angles = rng.uniforms(0.0, std::f64::consts::TAU, length);
        let radii: Vec<f64> =
            rng.uniforms(0.0, 1.0, length).iter().map(|u| radius * u.sqrt()).collect();
        let polar = || radii.iter().zip(&angles);
        let mut x: Vec<f64> = polar().map(|(r, angle)| r * angle.cos() + centre.0).collect();
        let mut y: Vec<f64> = polar().map(|(r, angle)| r * angle.sin() + centre.1).collect();
        options.truncate(&mut x);
        options.truncate(&mut y);
        if attempts == 0 || !any_three_collinear(&x, &y, eps) {
            // Parity: the reference truncates points both before and after this test, and the
            // second truncation can remove another unit: 0.57 becomes 0.56.
            options.truncate(&mut x);
            options.truncate(&mut y);
            return Ok(Points { x, y });
        }
    }
    Err(Error::NoInstance { attempts, reason: "each had three collinear points" })
}

/// Whether twice the area of any triangle of three points is less than `eps`.
fn any_three_collinear(x: &[f64], y: &[f64], eps: f64) -> bool {
    let n = x.len();
    (0..n).any(|i| {
        (i + 1..n).any(|j| {
            let (dx, dy) = (x[j] - x[i], y[j] - y[i]);
            let flat = |(xk, yk): (&f64, &f64)| {
                u32::from((dx * (yk - y[i]) - dy * (xk - x[i])).abs() < eps)
            };
            // A sum instead of `any`: without an early exit the loop is vectorised.
            x[j + 1..].iter().zip(&y[j + 1..]).map(flat).sum::<u32>() > 0
        })
    })
}

fn sample_segments(rng: &mut Rng, options: &Options) -> Result<Points> {
    // Far more attempts than random segments need, so that a degenerate range terminates.
    const ATTEMPTS: usize = 10_000;
    let (low, high) = options.range(0.0, 1.0)?;
    let crossing = rng.coins(0.5, 1)[0];
    for _ in 0..ATTEMPTS {
        let mut x = rng.uniforms(low, high, 4);
        let mut y = rng.uniforms(low, high, 4);
        if cross(&x, &y) == crossing {
            // Parity: truncated only after the test, so the truncated segments may differ.
            options.truncate(&mut x);
            options.truncate(&mut y);
            return Ok(Points { x, y });
        }
    }
    Err(Error::NoInstance { attempts: ATTEMPTS, reason: "no two segments cross" })
}

/// Whether the segments 0-1 and 2-3 cross, if no three of the points are collinear.
fn cross(x: &[f64], y: &[f64]) -> bool {
    let turns_left = |a: usize, b: usize, c: usize| {
        (y[c] - y[a]) * (x[b] - x[a]) > (y[b] - y[a]) * (x[c] - x[a])
    };
    turns_left(0, 2, 3) != turns_left(1, 2, 3) && turns_left(0, 1, 2) != turns_left(0, 1, 3)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    fn decimals(truncate_decimals: u32) -> Options {
        Options { truncate_decimals: Some(truncate_decimals), ..Options::default() }
    }

    #[test]
    fn points_of_a_hull_are_truncated_twice_as_in_the_reference() {
        let mut rng = Rng::seeded(0);
        let mut draw = || Points::sample(&Shape::Disc, &mut rng, 4, &decimals(2)).unwrap();
        draw();
        // The last x is -0.58 after the first truncation.
        let wanted =
            Points { x: vec![1.46, -1.43, 0.13, -0.57], y: vec![-0.34, 1.28, -0.51, -0.1] };
        assert_eq!(draw(), wanted);
    }

    #[test]
    fn of_equally_low_points_the_leftmost_and_then_the_first_is_the_lowest() {
        assert_eq!(lowest(&[0.0, 2.0, 1.0, 1.0], &[5.0, -0.0, 0.0, -0.0]), 2);
    }

    #[test]
    fn a_cross_product_is_positive_to_the_left() {
        let (x, y) = ([0.0, 2.0, 1.0], [0.0, 0.0, 3.0]);
        assert_eq!(cross_product(&x, &y, 0, 1, 2), 6.0);
        assert_eq!(cross_product(&x, &y, 0, 2, 1), -6.0);
    }

    proptest! {
        #[test]
        fn segments_are_accepted_before_they_are_truncated(seed: u32) {
            let draw = |options: &Options| {
                Points::sample(&Shape::TwoSegments, &mut Rng::seeded(seed), 4, options).unwrap()
            };
            let mut wanted = draw(&Options::default());
            prop_assert_eq!(&draw(&decimals(0)), &wanted);
            decimals(1).truncate(&mut wanted.x);
            decimals(1).truncate(&mut wanted.y);
            prop_assert_eq!(draw(&decimals(1)), wanted);
        }
    }
}
