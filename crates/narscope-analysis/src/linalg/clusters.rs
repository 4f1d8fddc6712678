//! Measures of the separation of clusters.

use rayon::prelude::*;

use super::{Points, distance, squared_distance};

/// Mean silhouette coefficient: near 1 for well separated clusters, 0 for overlapping ones, negative for points in the
/// wrong cluster.
///
/// For a point with mean distance `a` to its own cluster and `b` to the nearest other one it is
/// `(b - a) / max(a, b)`, and 0 for a cluster of one point, as in scikit-learn.
pub fn silhouette(points: &Points, clusters: &[usize]) -> f64 {
    let count = clusters.iter().max().map_or(0, |most| most + 1);
    let mut sizes = vec![0usize; count];
    for &cluster in clusters {
        sizes[cluster] += 1;
    }
    let of = |point: usize| {
        let own = clusters[point];
        if sizes[own] < 2 {
            return 0.0;
        }
        let mut sums = vec![0.0; count];
        for (other, &cluster) in points.iter().zip(clusters) {
            sums[cluster] += distance(points.get(point), other);
        }
        let inside = sums[own] / (sizes[own] - 1) as f64;
        let others = (0..count).filter(|&cluster| cluster != own && sizes[cluster] > 0);
        let outside = others.map(|cluster| sums[cluster] / sizes[cluster] as f64);
        let outside = outside.fold(f64::INFINITY, f64::min);
        let larger = inside.max(outside);
        if larger > 0.0 { (outside - inside) / larger } else { 0.0 }
    };
    let each: Vec<f64> = (0..points.len()).into_par_iter().map(of).collect();
    each.iter().sum::<f64>() / each.len().max(1) as f64
}

/// Share of points that are nearest to the centroid of their own cluster, computed without the point itself.
pub fn nearest_centroid_accuracy(points: &Points, clusters: &[usize]) -> f64 {
    let count = clusters.iter().max().map_or(0, |most| most + 1);
    let mut sums = vec![vec![0.0_f64; points.dimensions]; count];
    let mut sizes = vec![0usize; count];
    for (point, &cluster) in points.iter().zip(clusters) {
        sums[cluster].iter_mut().zip(point).for_each(|(sum, &x)| *sum += f64::from(x));
        sizes[cluster] += 1;
    }
    let right = points.iter().zip(clusters).filter(|&(point, &own)| {
        let to = |cluster: usize| {
            let (mut sum, mut size) = (sums[cluster].clone(), sizes[cluster]);
            if cluster == own {
                sum.iter_mut().zip(point).for_each(|(sum, &x)| *sum -= f64::from(x));
                size -= 1;
            }
            if size == 0 {
                return f64::INFINITY;
            }
            let centroid: Vec<f32> = sum.iter().map(|sum| (sum / size as f64) as f32).collect();
            squared_distance(point, &centroid)
        };
        let own_distance = to(own);
        (0..count).all(|cluster| cluster == own || to(cluster) > own_distance)
    });
    right.count() as f64 / points.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(xs: &[f32]) -> Points {
        Points { dimensions: 1, data: xs.to_vec() }
    }

    #[test]
    fn two_pairs_far_apart_have_a_silhouette_near_one() {
        // Of 0: a = 1, b = (10 + 11) / 2; of 1: a = 1, b = 9.5; and the same from the other side.
        let silhouette = silhouette(&line(&[0.0, 1.0, 10.0, 11.0]), &[0, 0, 1, 1]);
        let wanted = f64::midpoint(9.5 / 10.5, 8.5 / 9.5);
        assert!((silhouette - wanted).abs() < 1e-12, "{silhouette} and {wanted}");
    }

    #[test]
    fn mixed_clusters_score_lower_than_separate_ones() {
        let apart = line(&[0.0, 1.0, 10.0, 11.0]);
        assert_eq!(nearest_centroid_accuracy(&apart, &[0, 0, 1, 1]), 1.0);
        assert!(silhouette(&apart, &[0, 1, 0, 1]) < 0.0);
        assert_eq!(nearest_centroid_accuracy(&apart, &[0, 1, 0, 1]), 0.0);
    }

    #[test]
    fn a_cluster_of_one_point_counts_as_zero() {
        assert_eq!(silhouette(&line(&[0.0, 5.0]), &[0, 1]), 0.0);
        assert_eq!(nearest_centroid_accuracy(&line(&[0.0, 5.0]), &[0, 1]), 0.0);
    }
}
