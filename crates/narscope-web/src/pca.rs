//! Principal components in plain Rust: `narscope-analysis` computes them with `faer`, whose code
//! alone is larger than this whole module. Centred, not scaled, with the same signs.

use crate::{Error, Result};

/// Sweeps of Jacobi rotations after which the smallest rounding is left; more never happen.
const SWEEPS: usize = 60;

/// Principal components of points.
#[derive(Debug)]
pub(crate) struct Pca {
    pub(crate) mean: Vec<f32>,
    /// Unit vectors in order of decreasing variance, `K * D`. The loading of largest magnitude is
    /// positive.
    pub(crate) directions: Vec<f32>,
    /// Variance along each, with divisor `n - 1`, and its share of the whole.
    pub(crate) variances: Vec<f32>,
    pub(crate) shares: Vec<f32>,
}

impl Pca {
    /// The first `components` components of points of `d` numbers each, or fewer if there are fewer.
    ///
    /// # Errors
    /// If there is only one point, or a number is not finite.
    pub(crate) fn of(points: &[f32], d: usize, components: usize) -> Result<Self> {
        let n = points.len() / d;
        if n < 2 {
            return Err(Error::new(format!("expected at least 2 points, found {n}")));
        }
        if !points.iter().all(|x| x.is_finite()) {
            return Err(Error::new("expected finite hidden states, found NaN or infinity"));
        }
        let mut mean = vec![0.0_f64; d];
        for point in points.chunks_exact(d) {
            mean.iter_mut().zip(point).for_each(|(sum, &x)| *sum += f64::from(x));
        }
        for sum in &mut mean {
            *sum /= n as f64;
        }
        let centred = points
            .chunks_exact(d)
            .flat_map(|point| point.iter().zip(&mean).map(|(&x, mean)| f64::from(x) - mean));
        let centred: Vec<f64> = centred.collect();
        let (values, vectors) =
            if n > d { by_covariance(&centred, d) } else { by_gram(&centred, d) };
        let scale = 1.0 / (n - 1) as f64;
        let total: f64 = values.iter().sum();
        let kept = components.min(values.len());
        let share = |value: &f64| if total > 0.0 { (value / total) as f32 } else { 0.0 };
        Ok(Self {
            mean: mean.iter().map(|&x| x as f32).collect(),
            directions: vectors[..kept].iter().flat_map(|vector| oriented(vector)).collect(),
            variances: values[..kept].iter().map(|value| (value * scale) as f32).collect(),
            shares: values[..kept].iter().map(share).collect(),
        })
    }

    /// Number of components.
    pub(crate) fn components(&self) -> usize {
        self.variances.len()
    }

    /// The coordinates of a point.
    pub(crate) fn project(&self, point: &[f32]) -> Vec<f32> {
        let along = |direction: &[f32]| {
            let centred = point.iter().zip(&self.mean).map(|(x, mean)| f64::from(x - mean));
            centred.zip(direction).map(|(x, &c)| x * f64::from(c)).sum::<f64>() as f32
        };
        self.directions.chunks_exact(self.mean.len()).map(along).collect()
    }
}

/// A direction with the sign that makes its loading of largest magnitude positive.
fn oriented(vector: &[f64]) -> Vec<f32> {
    let largest = vector.iter().fold(0.0_f64, |a, &b| if b.abs() > a.abs() { b } else { a });
    vector.iter().map(|&x| (x * largest.signum()) as f32).collect()
}

/// Eigenvalues in decreasing order, and their vectors.
type Eigen = (Vec<f64>, Vec<Vec<f64>>);

/// From the matrix of sums of products of dimensions, for more points than dimensions.
fn by_covariance(points: &[f64], d: usize) -> Eigen {
    let mut products = vec![0.0; d * d];
    for point in points.chunks_exact(d) {
        for (row, &x) in products.chunks_exact_mut(d).zip(point) {
            row.iter_mut().zip(point).for_each(|(sum, y)| *sum += x * y);
        }
    }
    eigen(products, d)
}

/// From the matrix of sums of products of points, for more dimensions than points.
fn by_gram(points: &[f64], d: usize) -> Eigen {
    let n = points.len() / d;
    let point = |i: usize| &points[i * d..][..d];
    let product =
        |i: usize, j: usize| -> f64 { point(i).iter().zip(point(j)).map(|(a, b)| a * b).sum() };
    let products = (0..n * n).map(|at| product(at / n, at % n)).collect();
    let (values, weights) = eigen(products, n);
    let vectors = weights.iter().zip(&values).map(|(weights, value)| {
        let mut vector = vec![0.0; d];
        for (i, weight) in weights.iter().enumerate() {
            vector.iter_mut().zip(point(i)).for_each(|(sum, x)| *sum += weight * x);
        }
        // A direction without variance has no length.
        let length = value.sqrt().max(f64::MIN_POSITIVE);
        for x in &mut vector {
            *x /= length;
        }
        vector
    });
    let vectors = vectors.collect();
    (values, vectors)
}

/// Eigenvalues and eigenvectors of a symmetric matrix by cyclic Jacobi rotations.
fn eigen(mut a: Vec<f64>, n: usize) -> Eigen {
    let mut vectors = vec![0.0; n * n];
    (0..n).for_each(|i| vectors[i * n + i] = 1.0);
    let size: f64 = a.iter().map(|x| x * x).sum();
    for _ in 0..SWEEPS {
        let off: f64 = (0..n)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| a[i * n + j].powi(2))
            .sum();
        if off <= f64::EPSILON.powi(2) * size {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut vectors, n, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[j * n + j].total_cmp(&a[i * n + i]));
    // Rounding may make zeros negative.
    let values = order.iter().map(|&i| a[i * n + i].max(0.0)).collect();
    let vectors = order.iter().map(|&i| vectors[i * n..][..n].to_vec()).collect();
    (values, vectors)
}

/// Makes element `(p, q)` zero by a rotation; rows of `vectors` rotate with it.
fn rotate(a: &mut [f64], vectors: &mut [f64], n: usize, p: usize, q: usize) {
    let off = a[p * n + q];
    if off == 0.0 {
        return;
    }
    let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * off);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    rotate_rows(a, n, p, q, c, s);
    for row in a.chunks_exact_mut(n) {
        let (x, y) = (row[p], row[q]);
        row[p] = c * x - s * y;
        row[q] = s * x + c * y;
    }
    rotate_rows(vectors, n, p, q, c, s);
}

/// Rotates two rows, `p` before `q`.
fn rotate_rows(a: &mut [f64], n: usize, p: usize, q: usize, c: f64, s: f64) {
    let (before, from_q) = a.split_at_mut(q * n);
    let rows = before[p * n..][..n].iter_mut().zip(&mut from_q[..n]);
    for (x, y) in rows {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}

#[cfg(test)]
mod tests {
    use narscope_net::random::{Purpose, Stream};

    use super::*;

    /// Points with standard deviations 4, 2, 1, 0.5, … along rotated axes.
    fn points(count: usize, d: usize) -> Vec<f32> {
        let mut noise = Stream::new(3, Purpose::Perturbation, 0);
        let point = |noise: &mut Stream| {
            let spread: Vec<f32> =
                (0..d).map(|i| 4.0 * 0.5_f32.powi(i as i32) * noise.normal()).collect();
            // Sums and differences of neighbours: an orthogonal map up to a factor.
            let pairs = spread.chunks_exact(2);
            pairs.flat_map(|pair| [pair[0] + pair[1], pair[0] - pair[1]]).collect::<Vec<_>>()
        };
        (0..count).flat_map(|_| point(&mut noise)).collect()
    }

    #[test]
    fn directions_are_orthonormal_and_variances_are_those_of_the_coordinates() {
        // More points than dimensions, and fewer.
        for (count, d) in [(200, 6), (5, 12)] {
            let all = points(count, d);
            let pca = Pca::of(&all, d, 3).unwrap();
            assert_eq!(pca.components(), 3);
            let direction = |i: usize| &pca.directions[i * d..][..d];
            for i in 0..3 {
                for j in 0..3 {
                    let dot: f32 = direction(i).iter().zip(direction(j)).map(|(a, b)| a * b).sum();
                    assert!((dot - f32::from(u8::from(i == j))).abs() < 1e-5, "{i} {j} {dot}");
                }
                let along = all.chunks_exact(d).map(|point| f64::from(pca.project(point)[i]));
                let variance = along.map(|x| x * x).sum::<f64>() / (count - 1) as f64;
                let found = f64::from(pca.variances[i]);
                assert!((variance - found).abs() < 1e-4 * found, "{variance} {found}");
            }
            assert!(pca.variances.is_sorted_by(|a, b| a >= b));
        }
    }

    #[test]
    fn the_shares_of_all_components_sum_to_one() {
        let pca = Pca::of(&points(50, 4), 4, 9).unwrap();
        assert_eq!(pca.components(), 4);
        assert!((pca.shares.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn equal_points_have_no_variance_and_nan_is_refused() {
        let pca = Pca::of(&[1.0, 2.0, 1.0, 2.0], 2, 2).unwrap();
        assert_eq!(pca.variances, [0.0, 0.0]);
        assert!(pca.directions.iter().all(|x| x.is_finite()));
        assert!(Pca::of(&[1.0, f32::NAN, 1.0, 2.0], 2, 2).is_err());
        assert!(Pca::of(&[1.0, 2.0], 2, 2).is_err());
    }
}
