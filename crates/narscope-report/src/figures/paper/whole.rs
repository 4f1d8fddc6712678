//! Principal components of drawn trajectories.
//!
//! Answers keep drawn states in the first three components of all states. Components of whole trajectories and of single
//! steps are computed from these coordinates: positions on paper, not a measure.

use narscope_analysis::linalg::{Pca, Points};

/// Trajectories that have as many steps as the first one; they are drawn with the others.
fn of_equal_length(drawn: &[Vec<[f32; 3]>]) -> (usize, impl Iterator<Item = &Vec<[f32; 3]>>) {
    let steps = drawn.first().map_or(0, Vec::len);
    (steps, drawn.iter().filter(move |states| states.len() == steps))
}

/// Coordinates in the first three components, and the share of the variance along each; `None` if there are too few
/// points for any.
fn components(points: &Points) -> Option<(Vec<[f32; 3]>, Vec<f64>)> {
    let pca = Pca::of(points, 3).ok()?;
    let place = |point: &[f32]| {
        let along = pca.project(point);
        std::array::from_fn(|axis| along.get(axis).map_or(0.0, |&x| x as f32))
    };
    Some((points.iter().map(place).collect(), pca.ratios.clone()))
}

/// Whole trajectories in their first three components, and the shares of these.
pub(super) fn trajectories(drawn: &[Vec<[f32; 3]>]) -> Option<(Vec<[f32; 3]>, Vec<f64>)> {
    let (steps, drawn) = of_equal_length(drawn);
    let data = drawn.flatten().flatten().copied().collect();
    components(&Points { dimensions: 3 * steps.max(1), data })
}

/// The states after every step in the first two components of that step. Signs of components have no meaning, so they
/// are chosen such that coordinates are not anti-correlated with those of the step before.
pub(super) fn steps(drawn: &[Vec<[f32; 3]>]) -> Vec<Vec<(f64, f64)>> {
    let (steps, drawn) = of_equal_length(drawn);
    let drawn: Vec<&Vec<[f32; 3]>> = drawn.collect();
    let mut all: Vec<Vec<(f64, f64)>> = vec![];
    for step in 0..steps {
        let data = drawn.iter().flat_map(|states| states[step]).collect();
        let Some((places, _)) = components(&Points { dimensions: 3, data }) else { continue };
        let mut places: Vec<(f64, f64)> =
            places.iter().map(|it| (it[0].into(), it[1].into())).collect();
        if let Some(before) = all.last() {
            let products = || places.iter().zip(before);
            let x = products().map(|(now, before)| now.0 * before.0).sum::<f64>();
            let y = products().map(|(now, before)| now.1 * before.1).sum::<f64>();
            let sign = |product: f64| if product < 0.0 { -1.0 } else { 1.0 };
            for place in &mut places {
                *place = (sign(x) * place.0, sign(y) * place.1);
            }
        }
        all.push(places);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Graphs along a line that turns by 90 degrees from the first to the second step.
    fn line() -> Vec<Vec<[f32; 3]>> {
        (0..5).map(|x| x as f32 - 2.0).map(|x| vec![[x, 0.0, 0.0], [0.0, -x, 0.0]]).collect()
    }

    #[test]
    fn trajectories_along_a_line_have_one_component() {
        let (places, ratios) = trajectories(&line()).unwrap();
        assert!((ratios[0] - 1.0).abs() < 1e-6, "{ratios:?}");
        assert_eq!(places.len(), 5);
        assert!((places[4][0] - places[0][0]).abs() > 5.0 && places[0][1].abs() < 1e-5);
        assert!(trajectories(&[]).is_none());
    }

    #[test]
    fn components_of_steps_are_of_that_step_and_keep_their_sign() {
        let steps = steps(&line());
        assert_eq!(steps.len(), 2);
        for (before, after) in steps[0].iter().zip(&steps[1]) {
            assert!((before.0 - after.0).abs() < 1e-5, "{before:?} {after:?}");
        }
    }
}
