//! Rollouts of a network on its random samples: to the end of the algorithm, or some steps beyond.
//!
//! A rollout is a prefix of a longer one. Several analyses share the same rollouts if the one that needs the longest
//! [runs first](crate::analyses::Analysis::RUNS_FIRST).

use std::sync::Arc;

use narscope_model::rollout::Steps;
use narscope_model::trajectory::Trajectories;

use crate::Result;
use crate::context::{Context, Request};
use crate::step_outputs::StepOutputs;

/// Number of steps that extended rollouts go beyond the end of the algorithm.
pub(crate) const BEYOND: isize = 8;

/// Rollouts of a network on random samples.
pub(crate) struct Rollouts {
    /// Their trajectories, which may be longer than requested.
    pub(crate) all: Arc<Trajectories>,
    /// Per sample, the number of steps to the end of the algorithm.
    pub(crate) steps: Vec<usize>,
    /// Outputs of every step, if recorded.
    outputs: Option<StepOutputs>,
}

impl Rollouts {
    /// Rollouts to the end of the algorithm.
    pub(crate) fn to_end(context: &Context<'_>, analysis: &'static str) -> Result<Self> {
        Self::of(context, analysis, &Request::new(context.sampling.graphs))
    }

    /// Rollouts to the end of the algorithm, with the outputs of every step, which a recording does not have.
    pub(crate) fn with_outputs(context: &Context<'_>, analysis: &'static str) -> Result<Self> {
        context.model(analysis)?;
        let request = Request { every_output: true, ..Request::new(context.sampling.graphs) };
        Self::of(context, analysis, &request)
    }

    /// Rollouts that go one step beyond the end of the algorithm, as the authors' trajectories do.
    pub(crate) fn one_beyond(context: &Context<'_>, analysis: &'static str) -> Result<Self> {
        context.model(analysis)?;
        let steps = Steps::OwnAnd(1);
        // Outputs of every step, for the score at the end of the algorithm.
        let request =
            Request { steps, every_output: true, ..Request::new(context.sampling.graphs) };
        Self::of(context, analysis, &request)
    }

    /// Rollouts that go [`BEYOND`] steps further, with the outputs of every step.
    pub(crate) fn extended(context: &Context<'_>, analysis: &'static str) -> Result<Self> {
        context.model(analysis)?;
        let steps = Steps::OwnAnd(BEYOND);
        let request =
            Request { steps, every_output: true, ..Request::new(context.sampling.graphs) };
        Self::of(context, analysis, &request)
    }

    fn of(context: &Context<'_>, analysis: &'static str, request: &Request) -> Result<Self> {
        let all = context.trajectories_covering(analysis, request)?;
        if context.model(analysis).is_ok() {
            return Ok(Self::of_network(all));
        }
        let steps = (0..all.len()).map(|sample| all.steps(sample)).collect();
        Ok(Self::new(all, steps))
    }

    /// Trajectories of a network, which may be longer than the algorithm.
    pub(crate) fn of_network(all: Arc<Trajectories>) -> Self {
        let end = |sample| Steps::Own.of(all.truth.steps(sample));
        let steps = (0..all.len()).map(end).collect();
        Self::new(all, steps)
    }

    fn new(all: Arc<Trajectories>, steps: Vec<usize>) -> Self {
        let outputs = (!all.every_output.is_empty()).then(|| StepOutputs::of(&all));
        Self { all, steps, outputs }
    }

    /// Outputs of every step.
    ///
    /// # Panics
    /// If they were not requested.
    pub(crate) fn outputs(&self) -> &StepOutputs {
        self.outputs.as_ref().expect("outputs of every step were requested")
    }

    /// Score of a sample at the end of the algorithm.
    pub(crate) fn score(&self, sample: usize) -> f64 {
        match &self.outputs {
            Some(outputs) => outputs.score(sample, self.steps[sample] - 1),
            None => self.all.scores[sample],
        }
    }

    /// Samples on which the algorithm takes `steps` steps.
    pub(crate) fn with_steps(&self, steps: usize) -> Vec<usize> {
        (0..self.steps.len()).filter(|&sample| self.steps[sample] == steps).collect()
    }
}

#[cfg(test)]
mod tests {
    use narscope_model::config::Draft;
    use narscope_model::pooling::Pooling;
    use narscope_model::run::{Run, Which};
    use narscope_model::train::Trainer;

    use super::*;
    use crate::analysed::AnalysedModel;
    use crate::context::NoProgress;
    use crate::sampling::Sampling;

    #[test]
    fn a_rollout_is_a_prefix_of_an_extended_one() {
        let folder = tempfile::tempdir().unwrap();
        let config = "algorithms = ['bellman_ford']\nprocessor_type = 'mpnn'\nhidden_size = 8";
        let config = Draft::parse(config).unwrap().finish().unwrap();
        let weights = Trainer::new(&config).unwrap().weights;
        let run = Run::install(&folder.path().join("run"), config, weights).unwrap();
        let model = AnalysedModel::open(&run.path, Which::Best, None).unwrap();
        let sampling = Sampling { graphs: 40, length: 7, ..Sampling::QUICK };
        let context = Context::new(&model, sampling, &NoProgress);

        let short = context.trajectories("test", &Request::new(sampling.graphs)).unwrap();
        let extended = Rollouts::extended(&context, "test").unwrap();
        let again = Rollouts::with_outputs(&context, "test").unwrap();
        assert!(Arc::ptr_eq(&extended.all, &again.all), "longer rollouts are reused");
        let again = Rollouts::one_beyond(&context, "test").unwrap();
        assert!(Arc::ptr_eq(&extended.all, &again.all), "and those that are a little longer");
        assert!(
            extended.steps.iter().any(|steps| *steps != extended.steps[0]),
            "{:?}",
            extended.steps
        );
        for (sample, &steps) in extended.steps.iter().enumerate() {
            assert_eq!(steps, short.steps(sample));
            assert_eq!(extended.all.steps(sample), steps + BEYOND as usize);
            assert_eq!(extended.score(sample), short.scores[sample]);
            for step in 0..steps {
                let [long, short] = [&extended.all, &short].map(|all| {
                    all.reduced(sample, step, Pooling::Max)
                        .expect("the maximum over nodes is recorded")
                });
                let apart = long.iter().zip(short).map(|(a, b)| (a - b).abs());
                assert!(apart.fold(0.0, f32::max) < 1e-5, "sample {sample}, step {step}");
            }
        }
    }
}
