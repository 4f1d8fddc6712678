//! Principal component analysis: centred, not scaled, as in scikit-learn.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par, Side};
use serde::{Deserialize, Serialize};

use super::{Points, centred};
use crate::{Error, Result};

/// Principal components of points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pca {
    /// Mean of the points.
    pub mean: Vec<f64>,
    /// Unit vectors in order of decreasing variance. Signs are chosen such that the loading of largest magnitude (the
    /// first of equal ones) is positive.
    pub components: Vec<Vec<f64>>,
    /// Variance along each component, with divisor `n - 1`.
    pub variances: Vec<f64>,
    /// Explained variance ratio of each component.
    pub ratios: Vec<f64>,
    /// Effective number of dimensions: (sum of variances)² / sum of squared variances, over all components.
    pub participation_ratio: f64,
}

/// Number of points per matrix product.
const BLOCK: usize = 4096;

impl Pca {
    /// Computes the first `components` components, or fewer if there are fewer.
    pub fn of(points: &Points, components: usize) -> Result<Self> {
        points.check()?;
        let mean = points.mean();
        let directions =
            if points.len() > points.dimensions { by_covariance } else { by_singular_values };
        let (variances, vectors) = directions(points, &mean)?;

        let total: f64 = variances.iter().sum();
        let squares: f64 = variances.iter().map(|variance| variance * variance).sum();
        // Equal points have no variance.
        let share = |part: f64, of: f64| if of > 0.0 { part / of } else { 0.0 };
        let kept = components.min(variances.len());
        let components = (0..kept).map(|i| oriented(vectors.col(i).iter().copied().collect()));
        Ok(Self {
            components: components.collect(),
            ratios: variances[..kept].iter().map(|&variance| share(variance, total)).collect(),
            participation_ratio: share(total * total, squares),
            variances: variances[..kept].to_vec(),
            mean,
        })
    }

    /// Returns the coordinates of a point along the components.
    pub fn project(&self, point: &[f32]) -> Vec<f64> {
        let along = |component: &Vec<f64>| {
            let centred = point.iter().zip(&self.mean).map(|(&x, mean)| f64::from(x) - mean);
            centred.zip(component).map(|(x, c)| x * c).sum()
        };
        self.components.iter().map(along).collect()
    }

    /// Explained variance ratio of the first `components` components together.
    pub fn explained(&self, components: usize) -> f64 {
        self.ratios.iter().take(components).sum()
    }
}

/// Flips the sign of a component if its loading of largest magnitude is negative.
fn oriented(mut component: Vec<f64>) -> Vec<f64> {
    let mut largest = 0.0_f64;
    for &x in &component {
        if x.abs() > largest.abs() {
            largest = x;
        }
    }
    if largest < 0.0 {
        for x in &mut component {
            *x = -*x;
        }
    }
    component
}

/// Variances in decreasing order, and directions as columns.
type Directions = (Vec<f64>, Mat<f64>);

/// From the covariance matrix, for more points than dimensions.
fn by_covariance(points: &Points, mean: &[f64]) -> Result<Directions> {
    let d = points.dimensions;
    let mut covariance = Mat::<f64>::zeros(d, d);
    for block in points.data.chunks(BLOCK * d) {
        let block = centred(block, mean);
        let block = MatRef::from_row_major_slice(&block, block.len() / d, d);
        let scale = 1.0 / (points.len() - 1) as f64;
        matmul(covariance.as_mut(), Accum::Add, block.transpose(), block, scale, Par::Seq);
    }
    let eigen = covariance.self_adjoint_eigen(Side::Lower);
    let eigen = eigen.map_err(|error| Error::Diverged { what: format!("{error:?}") })?;
    // Eigenvalues are in increasing order; rounding may make zeros negative.
    let variances = eigen.S().column_vector().iter().rev().map(|&variance| variance.max(0.0));
    Ok((variances.collect(), eigen.U().reverse_cols().to_owned()))
}

/// From the singular values of the centred points, for more dimensions than points.
fn by_singular_values(points: &Points, mean: &[f64]) -> Result<Directions> {
    let (n, d) = (points.len(), points.dimensions);
    let all = centred(&points.data, mean);
    let svd = MatRef::from_row_major_slice(&all, n, d).thin_svd();
    let svd = svd.map_err(|error| Error::Diverged { what: format!("{error:?}") })?;
    let variances = svd.S().column_vector().iter().map(|&s| s * s / (n - 1) as f64).collect();
    Ok((variances, svd.V().to_owned()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, prop_assert, proptest};

    use super::*;

    fn points(rows: &[&[f32]]) -> Points {
        let mut points = Points::new(rows[0].len());
        for row in rows {
            points.push(row);
        }
        points
    }

    #[test]
    fn points_on_a_line_have_one_component() {
        let line = points(&[&[1.0, 2.0], &[2.0, 0.0], &[3.0, -2.0]]);
        let pca = Pca::of(&line, 2).unwrap();
        let [x, y] = [1.0 / 5.0_f64.sqrt(), -2.0 / 5.0_f64.sqrt()];
        // The second loading is the largest, so it is positive.
        assert!((pca.components[0][0] + x).abs() < 1e-12, "{:?}", pca.components);
        assert!((pca.components[0][1] + y).abs() < 1e-12, "{:?}", pca.components);
        assert!((pca.variances[0] - 5.0).abs() < 1e-12, "{:?}", pca.variances);
        assert!((pca.explained(1) - 1.0).abs() < 1e-12);
        assert!((pca.participation_ratio - 1.0).abs() < 1e-9);
        assert!((pca.project(&[3.0, -2.0])[0] + 5.0_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn too_few_points_and_nan_are_errors() {
        let error = Pca::of(&points(&[&[1.0, 2.0]]), 2).unwrap_err().to_string();
        assert_eq!(error, "at least 2 points are needed, found 1");
        let error = Pca::of(&points(&[&[1.0, 2.0], &[f32::NAN, 0.0]]), 2).unwrap_err().to_string();
        assert_eq!(error, "point 1 has a coordinate that is NaN: is the recording damaged?");
    }

    #[test]
    fn equal_points_have_no_variance() {
        let pca = Pca::of(&points(&[[1.0, 2.0].as_slice(); 4]), 2).unwrap();
        assert_eq!(pca.ratios, [0.0, 0.0]);
        assert_eq!(pca.participation_ratio, 0.0);
    }

    fn clouds() -> impl Strategy<Value = Points> {
        (2usize..30, 1usize..20).prop_flat_map(|(n, d)| {
            proptest::collection::vec(-100.0..100.0_f32, n * d)
                .prop_map(move |data| Points { dimensions: d, data })
        })
    }

    proptest! {
        #[test]
        fn covariance_and_singular_values_agree(points in clouds()) {
            let mean = points.mean();
            let (a, _) = by_covariance(&points, &mean).unwrap();
            let (b, _) = by_singular_values(&points, &mean).unwrap();
            let largest = a[0].max(1e-9);
            for (a, b) in a.iter().zip(&b) {
                prop_assert!((a - b).abs() < 1e-9 * largest, "{a} and {b}");
            }
        }

        #[test]
        fn components_are_orthonormal_and_have_their_variance(points in clouds()) {
            let pca = Pca::of(&points, 3).unwrap();
            for (i, a) in pca.components.iter().enumerate() {
                for (j, b) in pca.components.iter().enumerate() {
                    let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                    prop_assert!((dot - f64::from(u8::from(i == j))).abs() < 1e-9, "{i} {j}: {dot}");
                }
                let along: Vec<f64> = points.iter().map(|point| pca.project(point)[i]).collect();
                let squares: f64 = along.iter().map(|x| x * x).sum();
                let variance = squares / (points.len() - 1) as f64;
                let largest = pca.variances[0].max(1e-9);
                prop_assert!((variance - pca.variances[i]).abs() < 1e-9 * largest);
            }
        }

        #[test]
        fn translation_changes_only_the_mean(points in clouds(), by in -8i32..8) {
            // Shifts that round no coordinate.
            let whole = Points { data: points.data.iter().map(|x| x.round()).collect(), ..points };
            let moved =
                Points { data: whole.data.iter().map(|x| x + by as f32).collect(), ..whole.clone() };
            let (a, b) = (Pca::of(&whole, 2).unwrap(), Pca::of(&moved, 2).unwrap());
            for (a, b) in a.variances.iter().zip(&b.variances) {
                prop_assert!((a - b).abs() <= 1e-9 * a.max(1.0), "{a} and {b}");
            }
        }
    }
}
