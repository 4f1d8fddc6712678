//! Pictures of runs next to each other: learning curves, test scores, similarity of hidden states, trajectories.

use narscope_results::run_comparison::{
    ComparedRun, Pairing, RunComparison, ScoreDifference, Similarity,
};

use super::counted;
use crate::plot::{
    Axis, Colour, Dots, Estimate, Format, Heatmap, Line, Mark, Panel, Picture, Points, Reference,
    Series, Width,
};

/// Draws a comparison. Returns file names and pictures; learning curves are left out if no run has any.
pub fn pictures(comparison: &RunComparison) -> Vec<(String, Picture)> {
    let pictures = [
        ("learning", learning(comparison)),
        ("scores", Some(scores(comparison))),
        ("similarity", Some(similarity(comparison))),
        ("estimates", Some(estimates(comparison))),
        ("trajectories", Some(trajectories(comparison))),
    ];
    let pictures = pictures.into_iter().filter_map(|(name, it)| Some((name.to_owned(), it?)));
    pictures.collect()
}

/// Label and variant of a run, as legends show it.
fn name(run: &ComparedRun) -> String {
    format!("{}: {}, seed {}", run.label, run.variant, run.seed)
}

/// Validation scores of all runs.
fn learning(comparison: &RunComparison) -> Option<Picture> {
    let runs = comparison.runs.iter().enumerate().filter(|(_, run)| !run.validation.is_empty());
    let marks: Vec<Mark> = runs
        .map(|(index, run)| {
            let points = run.validation.iter().map(|&(step, score)| (step as f64, score));
            Line::new(points.collect(), Colour::Category(index)).named(name(run)).into()
        })
        .collect();
    (!marks.is_empty()).then(|| Picture {
        title: format!("Validation scores on {} during training", comparison.algorithm),
        panels: vec![Panel {
            x: Axis::integers("training step"),
            y: Axis::percent("validation score").range(0.0, 1.0),
            marks,
            ..Panel::default()
        }],
        width: Width::Single,
        ..Picture::default()
    })
}

/// Test scores of all runs, and their differences with intervals.
fn scores(comparison: &RunComparison) -> Picture {
    let RunComparison { runs, differences, .. } = comparison;
    let row = |of: fn(&ComparedRun) -> f64| {
        runs.iter().map(|run| Some(Estimate::new(of(run)))).collect::<Vec<_>>()
    };
    let alone = Dots::new(
        runs.iter().map(name).collect(),
        vec![
            Series::new("score", Colour::Category(0), row(|run| run.test.score)),
            Series::new("exact", Colour::Category(1), row(|run| run.test.exact)),
        ],
    );
    let labels = |indices: &[usize]| -> String {
        indices.iter().map(|&index| runs[index].label.as_str()).collect::<Vec<_>>().join(", ")
    };
    let pairs = |it: &ScoreDifference| match it.pairing {
        Pairing::Seeds => counted(it.pairs, "seed"),
        Pairing::Samples => counted(it.pairs, "sample"),
    };
    let rows = differences
        .iter()
        .map(|it| format!("{} − {} ({})", labels(&it.of), labels(&it.from), pairs(it)));
    let points = |it: &ScoreDifference| {
        let interval = it.interval.map(|(low, high)| (100.0 * low, 100.0 * high));
        Some(Estimate::new(100.0 * it.mean).interval(interval))
    };
    let estimates = differences.iter().map(points).collect();
    let apart =
        Dots::new(rows.collect(), vec![Series::new("difference", Colour::Category(0), estimates)]);
    let samples = runs.first().map_or(0, |run| run.test.samples.len());
    Picture {
        title: format!("Test scores on {}", comparison.algorithm),
        columns: 2,
        panels: vec![
            Panel {
                title: format!("{} of {} nodes", counted(samples, "sample"), comparison.test_nodes),
                x: Axis::percent("share").range(0.0, 1.0),
                marks: vec![alone.into()],
                ..Panel::default()
            },
            Panel {
                title: "differences, 95 % intervals".to_owned(),
                x: Axis::new("difference in score, points"),
                marks: vec![Reference::x(0.0, "").into(), apart.into()],
                ..Panel::default()
            },
        ],
        caption: methods(differences),
        ..Picture::default()
    }
}

/// How the intervals of differences were made.
fn methods(differences: &[ScoreDifference]) -> String {
    let is_used = |pairing: Pairing| differences.iter().any(|it| it.pairing == pairing);
    let seeds = "Intervals over seeds: paired Student's t.";
    let samples = "Intervals over samples: bootstrap of the same test samples; they say nothing about other seeds.";
    let used = [(Pairing::Seeds, seeds), (Pairing::Samples, samples)];
    let used = used.into_iter().filter(|(pairing, _)| is_used(*pairing));
    used.map(|(_, sentence)| sentence).collect::<Vec<_>>().join(" ")
}

/// CKA of every pair of runs, and with the first run step by step.
fn similarity(comparison: &RunComparison) -> Picture {
    let RunComparison { runs, hidden_states: states, .. } = comparison;
    let labels: Vec<String> = runs.iter().map(|run| run.label.clone()).collect();
    let all = heatmap("linear CKA", &states.similarity, labels);
    let by_step = runs.iter().enumerate().skip(1).map(|(index, run)| {
        let at = |step: &narscope_results::run_comparison::StepSimilarity| {
            Some((step.step as f64, step.similarity[0][index]?))
        };
        let points = states.by_step.iter().filter_map(at).collect();
        Line::new(points, Colour::Category(index)).marked().named(name(run)).into()
    });
    let first = runs.first().map_or("", |run| run.label.as_str());
    Picture {
        title: format!("Similarity of hidden states on {}", comparison.algorithm),
        columns: 2,
        panels: vec![
            Panel { title: "all steps".to_owned(), marks: vec![all.into()], ..Panel::default() },
            Panel {
                title: format!("with {first}, step by step"),
                x: Axis::integers("step"),
                y: Axis::new("linear CKA").range(0.0, 1.0),
                marks: by_step.collect(),
                ..Panel::default()
            },
        ],
        caption: format!(
            "Node states on {} of {} nodes. 1: equal up to rotation and scale.",
            counted(states.samples, "random sample"),
            states.nodes
        ),
        ..Picture::default()
    }
}

/// A matrix of similarities.
fn heatmap(name: &str, similarity: &Similarity, labels: Vec<String>) -> Heatmap {
    let values = similarity.iter();
    let values = values.map(|row| row.iter().map(|it| it.unwrap_or(f64::NAN)).collect()).collect();
    Heatmap::new(values, labels.clone(), labels)
        .label(name, Format::Custom(|value| format!("{value:.2}")))
        .range(0.0, 1.0)
}

/// Debiased CKA and representational similarity of every pair, beside untrained networks.
fn estimates(comparison: &RunComparison) -> Picture {
    let RunComparison { runs, hidden_states: states, .. } = comparison;
    let panel = |title: &str, name: &str, similarity: &Similarity| {
        let labels = runs.iter().map(|run| run.label.clone()).collect();
        let map = heatmap(name, similarity, labels);
        Panel { title: title.to_owned(), marks: vec![map.into()], ..Panel::default() }
    };
    let (found, floor) = (&states.beyond_chance, &states.untrained);
    Picture {
        title: format!("Similarity beside untrained networks on {}", comparison.algorithm),
        columns: 2,
        panels: vec![
            panel("these runs", "debiased CKA", &found.debiased_cka),
            panel("untrained", "debiased CKA", &floor.debiased_cka),
            panel("these runs", "RSA", &found.rsa),
            panel("untrained", "RSA", &floor.rsa),
        ],
        caption: format!(
            "Untrained: networks with initial weights, of the configurations of the runs. Debiased CKA is 0 in expectation \
             for unrelated states; RSA is the rank correlation of the distances between states. {}.",
            runs.iter().map(name).collect::<Vec<_>>().join("; ")
        ),
        ..Picture::default()
    }
}

/// The first two components of all runs, aligned with the first run's.
fn trajectories(comparison: &RunComparison) -> Picture {
    let RunComparison { runs, hidden_states: states, .. } = comparison;
    let mut marks: Vec<Mark> = vec![];
    for (index, (run, of_run)) in runs.iter().zip(&states.trajectories).enumerate() {
        let colour = Colour::Category(index);
        let positions = of_run.positions.iter();
        let lines: Vec<Vec<(f64, f64)>> = positions
            .map(|steps| steps.iter().map(|it| (it[0].into(), it[1].into())).collect())
            .collect();
        let points = lines.concat();
        marks.extend(lines.into_iter().map(|line| Line::new(line, colour).thin().into()));
        marks.push(Points::new(points, colour).named(name(run)).into());
    }
    let left = runs.iter().zip(&states.trajectories).skip(1);
    let left: Vec<String> =
        left.map(|(run, it)| format!("{} {:.1} %", run.label, 100.0 * it.disparity)).collect();
    Picture {
        title: format!("Trajectories of hidden states on {}, aligned", comparison.algorithm),
        panels: vec![Panel {
            x: Axis::new("component 1"),
            y: Axis::new("component 2"),
            marks,
            equal: true,
            ..Panel::default()
        }],
        caption: format!(
            "Maximum over nodes in each run's principal components, rotated and scaled to the first run's (Procrustes). \
             Left unexplained: {}.",
            left.join(", ")
        ),
        width: Width::Single,
        ..Picture::default()
    }
}

#[cfg(test)]
mod tests {
    use narscope_results::run_comparison::{
        AlignedTrajectories, Estimates, HiddenStates, SampleResult, StepSimilarity, TestResult,
        label, score_differences,
    };

    use super::*;
    use crate::plot::Style;

    fn comparison(validation: &[(usize, f64)]) -> RunComparison {
        let run = |index: usize, scores: [f64; 3]| ComparedRun {
            label: label(index),
            name: format!("runs/{index}"),
            variant: ["mpnn", "mpnn + decay"][index].to_owned(),
            seed: 42,
            validation: validation.to_vec(),
            test: TestResult {
                score: scores.iter().sum::<f64>() / 3.0,
                exact: 0.5,
                valid: None,
                samples: scores.map(|score| SampleResult { score, exact: score == 1.0 }).to_vec(),
            },
        };
        let runs = vec![run(0, [0.5, 0.75, 1.0]), run(1, [1.0, 0.5, 1.0])];
        let similarity = vec![vec![Some(1.0), Some(0.8)], vec![Some(0.8), Some(1.0)]];
        let aligned = |shift: f32| AlignedTrajectories {
            positions: vec![vec![[shift, 0.0, 0.0], [1.0, 1.0 + shift, 0.0]]; 3],
            explained: 0.9,
            disparity: 0.25,
        };
        RunComparison {
            algorithm: "bfs".to_owned(),
            settings: vec![],
            test_nodes: 64,
            differences: score_differences(&runs),
            runs,
            hidden_states: HiddenStates {
                samples: 3,
                nodes: 16,
                similarity: similarity.clone(),
                beyond_chance: Estimates {
                    debiased_cka: similarity.clone(),
                    rsa: similarity.clone(),
                },
                untrained: Estimates {
                    debiased_cka: similarity.clone(),
                    rsa: vec![vec![None; 2]; 2],
                },
                by_step: vec![StepSimilarity { step: 1, samples: 3, similarity }],
                trajectories: vec![aligned(0.0), aligned(0.5)],
            },
        }
    }

    #[test]
    fn every_picture_names_all_runs_and_no_texts_overlap() {
        let all = pictures(&comparison(&[(1, 0.2), (50, 0.9)]));
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["learning", "scores", "similarity", "estimates", "trajectories"]);
        for (name, picture) in &all {
            let svg = picture.svg(&Style::default()).unwrap();
            assert!(svg.contains("mpnn + decay") || svg.contains("B:"), "{name}: {svg}");
            assert_eq!(picture.text_overlaps(&Style::default()), [], "{name}");
        }
        let (scores, trajectories) = (&all[1].1.caption, &all[4].1.caption);
        assert!(scores.starts_with("Intervals over samples:"), "only the method in use: {scores}");
        assert!(trajectories.contains("B 25.0 %"), "{trajectories}");
    }

    #[test]
    fn runs_without_validation_scores_have_no_learning_curves() {
        let all = pictures(&comparison(&[]));
        assert!(all.iter().all(|(name, _)| name != "learning"));
    }
}
