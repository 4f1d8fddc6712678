//! Principal components and silhouettes equal those of scikit-learn.
//!
//! The fixture is made by `tools/reference/pca_fixture.py`.

use narscope_analysis::linalg::clusters::silhouette;
use narscope_analysis::linalg::{Pca, Points};
use serde::Deserialize;

#[derive(Deserialize)]
struct Fixture {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    dimensions: usize,
    points: Vec<f32>,
    mean: Vec<f64>,
    components: Vec<Vec<f64>>,
    variances: Vec<f64>,
    ratios: Vec<f64>,
    projected: Vec<Vec<f64>>,
    silhouette: Option<f64>,
}

fn cases() -> Vec<Case> {
    let text = include_str!("fixtures/scikit_learn.json");
    serde_json::from_str::<Fixture>(text).unwrap().cases
}

#[track_caller]
fn assert_close(ours: &[f64], theirs: &[f64], what: &str) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert!((ours - theirs).abs() < 1e-9, "{what}: {ours} and {theirs}");
    }
}

#[test]
fn components_variances_ratios_and_projections_are_those_of_scikit_learn() {
    for case in cases() {
        let points = Points { dimensions: case.dimensions, data: case.points };
        let pca = Pca::of(&points, case.components.len()).unwrap();
        assert_close(&pca.mean, &case.mean, "mean");
        assert_close(&pca.variances, &case.variances, "variances");
        assert_close(&pca.ratios, &case.ratios, "ratios");
        for (ours, theirs) in pca.components.iter().zip(&case.components) {
            assert_close(ours, theirs, "component");
        }
        for (point, theirs) in points.iter().zip(&case.projected) {
            assert_close(&pca.project(point), theirs, "projection");
        }
    }
}

#[test]
fn silhouettes_are_those_of_scikit_learn() {
    for case in cases() {
        let points = Points { dimensions: case.dimensions, data: case.points };
        let clusters: Vec<usize> = (0..points.len()).map(|point| point % 3).collect();
        if let Some(theirs) = case.silhouette {
            assert_close(&[silhouette(&points, &clusters)], &[theirs], "silhouette");
        }
    }
}
