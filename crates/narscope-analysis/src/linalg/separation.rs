//! How far groups of points are apart: share of the variance between them, and the accuracy of the nearest centroid.

use super::{Points, squared_distance};

/// Share of the variance of all points that lies between the means of the groups: from 0 (equal means) to 1 (every
/// group is one point). All groups weigh the same. `None` if all points are equal.
pub fn variance_between(groups: &[Points]) -> Option<f64> {
    let means: Vec<Vec<f32>> = groups.iter().map(centroid).collect();
    let of_means = Points { dimensions: groups.first()?.dimensions, data: means.concat() };
    let between = spread(&of_means, &centroid(&of_means));
    let within = groups.iter().zip(&means).map(|(group, mean)| spread(group, mean)).sum::<f64>();
    let all = between + within / groups.len() as f64;
    (all > 0.0).then(|| between / all)
}

/// Accuracy of telling the group of a point by the nearest of the groups' centroids, which are computed without the
/// fold of the point. `fold` tells the fold of each point of a group; all groups weigh the same.
///
/// # Panics
/// If a group has points in one fold only.
pub fn nearest_centroid_accuracy(groups: &[Points], fold: impl Fn(usize) -> usize) -> f64 {
    let folds = groups.iter().map(|group| (0..group.len()).map(&fold).max().unwrap_or(0) + 1);
    let folds = folds.max().unwrap_or(1);
    let mut right = vec![0_usize; groups.len()];
    for held_out in 0..folds {
        let centroids: Vec<Vec<f32>> = groups
            .iter()
            .map(|group| {
                let others = group.select((0..group.len()).filter(|&it| fold(it) != held_out));
                assert!(!others.is_empty(), "points in several folds");
                centroid(&others)
            })
            .collect();
        for (own, (group, right)) in groups.iter().zip(&mut right).enumerate() {
            let tested = (0..group.len()).filter(|&it| fold(it) == held_out);
            *right += tested.filter(|&it| nearest(&centroids, group.get(it)) == own).count();
        }
    }
    let shares = right.iter().zip(groups).map(|(&right, group)| right as f64 / group.len() as f64);
    shares.sum::<f64>() / groups.len() as f64
}

/// Index of the nearest centroid; of equally near ones, the first.
fn nearest(centroids: &[Vec<f32>], point: &[f32]) -> usize {
    let distances: Vec<f64> = centroids.iter().map(|it| squared_distance(it, point)).collect();
    let nearest = (0..distances.len()).min_by(|&a, &b| distances[a].total_cmp(&distances[b]));
    nearest.expect("there are groups")
}

fn centroid(points: &Points) -> Vec<f32> {
    points.mean().into_iter().map(|x| x as f32).collect()
}

/// Mean squared distance of points from their mean.
fn spread(points: &Points, mean: &[f32]) -> f64 {
    let sum: f64 = points.iter().map(|point| squared_distance(point, mean)).sum();
    sum / points.len() as f64
}

#[cfg(test)]
mod tests {
    use narscope_model::random::Stream;

    use super::*;

    /// Normal points around a place.
    fn around(place: f32, name: &str) -> Points {
        let mut stream = Stream::named(1, name);
        Points { dimensions: 2, data: (0..400).map(|_| place + stream.normal()).collect() }
    }

    #[test]
    fn distant_groups_are_told_apart_and_equal_ones_by_chance() {
        let apart = [around(0.0, "a"), around(20.0, "b"), around(40.0, "c")];
        assert_eq!(nearest_centroid_accuracy(&apart, |point| point % 5), 1.0);
        assert!(variance_between(&apart).unwrap() > 0.98);
        let equal = [around(0.0, "a"), around(0.0, "b")];
        let found = nearest_centroid_accuracy(&equal, |point| point % 5);
        assert!((found - 0.5).abs() < 0.1, "{found}");
        assert!(variance_between(&equal).unwrap() < 0.03);
    }

    #[test]
    fn the_share_of_variance_is_that_of_the_means() {
        let pair = |a: f32, b: f32| Points { dimensions: 1, data: vec![a, b] };
        // Means 1 and 5: variance 4 between, 1 within.
        assert_eq!(variance_between(&[pair(0.0, 2.0), pair(4.0, 6.0)]), Some(0.8));
        assert_eq!(variance_between(&[pair(1.0, 1.0), pair(1.0, 1.0)]), None);
    }

    #[test]
    fn centroids_do_not_see_the_points_that_they_are_tested_on() {
        // Far points of each group, alone in their folds: without them, both centroids favour the other group.
        let of = |near: f32, far: f32| Points { dimensions: 1, data: vec![near, far] };
        let groups = [of(0.0, 10.0), of(9.0, -1.0)];
        assert_eq!(nearest_centroid_accuracy(&groups, |point| point), 0.0);
    }
}
