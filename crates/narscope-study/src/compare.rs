//! Runs next to each other: scores on the same samples, hidden states on the same random samples.

use std::path::PathBuf;

use narscope_analysis::analysed::AnalysedModel;
use narscope_analysis::context::Progress;
use narscope_analysis::linalg::{
    Pca, Points, debiased_linear_cka, linear_cka, procrustes, representational_similarity,
};
use narscope_clrs::options::Options;
use narscope_model::config::Config;
use narscope_model::evaluation::EvaluateOptions;
use narscope_model::pooling::Pooling;
use narscope_model::rollout::NoHook;
use narscope_model::run::{Run, Which};
use narscope_model::trajectory::{RecordOptions, Trajectories};
use narscope_results::run_comparison::{
    AlignedTrajectories, ComparedRun, Estimates, HiddenStates, RunComparison, SampleResult,
    Similarity, StepSimilarity, TestResult, label, score_differences, setting_differences,
    variants_of,
};
use narscope_results::run_result::validation_curves;

use crate::{Error, Result};

/// Number of principal components of trajectories.
const COMPONENTS: usize = 3;
/// Most states whose pairwise distances are compared.
const MOST_DISTANCES: usize = 600;
/// Seed of the first untrained network; far from those that people choose.
const UNTRAINED_SEED: u32 = 1_000_001;

/// What runs are compared on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompareOptions {
    /// The algorithm, for runs with several in common.
    pub algorithm: Option<String>,
    /// The checkpoint of each run.
    pub checkpoint: Which,
    /// Number of random samples whose hidden states are compared.
    pub samples: usize,
    /// Nodes of these samples.
    pub nodes: usize,
    /// Seed of these samples.
    pub seed: u32,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self { algorithm: None, checkpoint: Which::Best, samples: 32, nodes: 64, seed: 1 }
    }
}

/// Compares runs that were trained on the same algorithm. Processors may differ.
///
/// # Errors
/// If a run cannot be opened or is listed twice, or if the runs have no algorithm in common.
pub fn compare_runs(
    paths: &[PathBuf],
    options: &CompareOptions,
    progress: &dyn Progress,
) -> Result<RunComparison> {
    if let Some((_, run)) =
        paths.iter().enumerate().find(|(index, path)| paths[..*index].contains(path))
    {
        return Err(Error::SameRun { run: run.clone() });
    }
    let runs = paths.iter().map(|path| Ok(Run::open(path)?)).collect::<Result<Vec<_>>>()?;
    let algorithm = options.algorithm.clone().map_or_else(|| common_algorithm(&runs), Ok)?;
    let open = |path: &PathBuf| AnalysedModel::open(path, options.checkpoint, Some(&algorithm));
    let models = paths.iter().map(|path| Ok(open(path)?)).collect::<Result<Vec<_>>>()?;

    let configs: Vec<&Config> = runs.iter().map(|run| &run.config).collect();
    let mut test_nodes = 0;
    let mut compared = vec![];
    let variants = variants_of(&configs);
    for (index, ((run, model), variant)) in runs.iter().zip(&models).zip(variants).enumerate() {
        let curves = validation_curves(run)?;
        let curve = curves.into_iter().find(|curve| curve.algorithm == algorithm);
        let (test, nodes) = test(model, progress)?;
        test_nodes = nodes;
        compared.push(ComparedRun {
            label: label(index),
            name: run.path.display().to_string(),
            variant,
            seed: run.config.seed,
            validation: curve.map(|curve| curve.points).unwrap_or_default(),
            test,
        });
    }
    Ok(RunComparison {
        settings: setting_differences(&configs),
        test_nodes,
        differences: score_differences(&compared),
        hidden_states: hidden_states(&models, options, progress)?,
        runs: compared,
        algorithm,
    })
}

/// The only algorithm that all runs have.
fn common_algorithm(runs: &[Run]) -> Result<String> {
    let first = &runs[0].config.algorithms;
    let has = |run: &Run, name: &String| run.config.algorithms.contains(name);
    let common: Vec<&String> =
        first.iter().filter(|name| runs.iter().all(|run| has(run, name))).collect();
    match common[..] {
        [one] => Ok(one.clone()),
        [] => {
            let about = |run: &Run| (run.path.clone(), run.config.algorithms.clone());
            let other = runs.iter().find(|run| !first.iter().any(|name| has(run, name)));
            let other = other.unwrap_or(&runs[1]);
            Err(Error::NoCommonAlgorithm { runs: vec![about(&runs[0]), about(other)] })
        }
        _ => {
            let algorithms = common.into_iter().cloned().collect();
            Err(Error::ChooseAlgorithm { algorithms })
        }
    }
}

/// Scores on the benchmark's test samples, and their number of nodes.
fn test(model: &AnalysedModel, progress: &dyn Progress) -> Result<(TestResult, usize)> {
    let traces = model.test_samples()?;
    progress.begin("test scores", traces.len());
    let options = EvaluateOptions { per_sample: true, ..EvaluateOptions::default() };
    let evaluation = model
        .task()
        .evaluate_with(&traces, options, &mut |samples| {
            progress.advance(samples);
            !progress.is_interrupted()
        })
        .map_err(narscope_analysis::Error::from)?
        .ok_or(Error::Interrupted)?;
    let samples = evaluation.per_sample.iter();
    let samples = samples.map(|it| SampleResult { score: it.score, exact: it.exact });
    let result = TestResult {
        score: evaluation.score,
        exact: evaluation.exact,
        valid: evaluation.valid.map(|valid| valid.score),
        samples: samples.collect(),
    };
    Ok((result, evaluation.nodes))
}

/// Runs all networks on the same random samples and compares their hidden states.
fn hidden_states(
    models: &[AnalysedModel],
    options: &CompareOptions,
    progress: &dyn Progress,
) -> Result<HiddenStates> {
    let all = recorded(models, options, progress)?;
    let steps: Vec<usize> = (0..all[0].len()).map(|sample| all[0].steps(sample)).collect();
    let longest = steps.iter().copied().max().unwrap_or(0);
    let by_step = (0..longest).map(|step| {
        let with_step: Vec<usize> =
            (0..steps.len()).filter(|&sample| steps[sample] > step).collect();
        let places: Vec<(usize, usize)> = with_step.iter().map(|&sample| (sample, step)).collect();
        let similarity = similarity(&points_of(&all, &places), linear_cka)?;
        Ok(StepSimilarity { step: step + 1, samples: with_step.len(), similarity })
    });
    let by_step = by_step.collect::<Result<Vec<_>>>()?;
    let places: Vec<(usize, usize)> = (0..steps.len())
        .flat_map(|sample| (0..steps[sample]).map(move |step| (sample, step)))
        .collect();
    let points = points_of(&all, &places);
    let untrained = (UNTRAINED_SEED..).zip(models).map(|(seed, model)| model.untrained(seed));
    let untrained = untrained.collect::<Result<Vec<_>, _>>()?;
    let floor = points_of(&recorded(&untrained, options, progress)?, &places);
    Ok(HiddenStates {
        samples: steps.len(),
        nodes: all[0].truth.nodes,
        similarity: similarity(&points, linear_cka)?,
        beyond_chance: estimates(&points)?,
        untrained: estimates(&floor)?,
        by_step,
        trajectories: aligned(&all, &places, &steps)?,
    })
}

/// Runs networks on the same random samples.
fn recorded(
    models: &[AnalysedModel],
    options: &CompareOptions,
    progress: &dyn Progress,
) -> Result<Vec<Trajectories>> {
    let CompareOptions { samples, nodes, seed, .. } = *options;
    let record = |model: &AnalysedModel| {
        let traces = model.draw(nodes, &Options::default(), seed, samples)?;
        progress.begin("hidden states", traces.len());
        let record = RecordOptions { pooling: Pooling::All, ..RecordOptions::default() };
        Ok(model.record(&traces, record, &mut NoHook, &mut |samples| {
            progress.advance(samples);
            !progress.is_interrupted()
        })?)
    };
    models.iter().map(record).collect()
}

/// Per run, the states of all nodes at the given samples and steps.
fn points_of(all: &[Trajectories], places: &[(usize, usize)]) -> Vec<Points> {
    let of = |run: &Trajectories| {
        let states = places.iter().map(|&(sample, step)| run.state(sample, step));
        Points { dimensions: run.hidden, data: states.flatten().copied().collect() }
    };
    all.iter().map(of).collect()
}

/// Debiased CKA and representational similarity of every pair of runs.
fn estimates(points: &[Points]) -> Result<Estimates> {
    // An untrained network may blow states up.
    let finite = |found: narscope_analysis::Result<Option<f64>>| match found {
        Err(narscope_analysis::Error::NotFinite { .. }) => Ok(None),
        found => found,
    };
    let few: Vec<Points> = points.iter().map(|points| points.spaced(MOST_DISTANCES)).collect();
    Ok(Estimates {
        debiased_cka: similarity(points, |a, b| finite(debiased_linear_cka(a, b)))?,
        rsa: similarity(&few, |a, b| finite(representational_similarity(a, b)))?,
    })
}

/// Similarity of every pair of runs.
fn similarity(
    points: &[Points],
    of: impl Fn(&Points, &Points) -> narscope_analysis::Result<Option<f64>>,
) -> Result<Similarity> {
    let mut matrix = vec![vec![None; points.len()]; points.len()];
    for one in 0..points.len() {
        for other in 0..=one {
            matrix[one][other] = of(&points[one], &points[other])?;
            matrix[other][one] = matrix[one][other];
        }
    }
    Ok(matrix)
}

/// Trajectories in principal components, those of later runs aligned with the first run's.
fn aligned(
    all: &[Trajectories],
    places: &[(usize, usize)],
    steps: &[usize],
) -> Result<Vec<AlignedTrajectories>> {
    let mut first: Option<Points> = None;
    let mut trajectories = vec![];
    for run in all {
        let mut pooled = Points::new(run.hidden);
        let mut state = vec![];
        for &(sample, step) in places {
            state.clear();
            Pooling::Max.push(run.state(sample, step), run.hidden, &mut state);
            pooled.push(&state);
        }
        let pca = Pca::of(&pooled, COMPONENTS)?;
        let mut projected = Points::new(COMPONENTS);
        for point in pooled.iter() {
            // A network with fewer units has fewer components; the others are zero.
            let mut position = [0.0; COMPONENTS];
            position.iter_mut().zip(pca.project(point)).for_each(|(to, from)| *to = from as f32);
            projected.push(&position);
        }
        let (positions, disparity) = match &first {
            None => (first.insert(projected).clone(), 0.0),
            Some(first) => {
                let aligned = procrustes::align(&projected, first)?;
                (aligned.points, aligned.disparity)
            }
        };
        let mut points = positions.iter().map(|point| [point[0], point[1], point[2]]);
        let positions = steps.iter().map(|&steps| points.by_ref().take(steps).collect()).collect();
        trajectories.push(AlignedTrajectories {
            positions,
            explained: pca.explained(COMPONENTS),
            disparity,
        });
    }
    Ok(trajectories)
}
