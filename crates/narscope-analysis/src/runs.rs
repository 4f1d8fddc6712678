//! What a network does on the random samples of a study, up to their end or for a while beyond it.
//!
//! A run that ends sooner is the beginning of one that goes on: where several questions are asked, the
//! network runs once, if the one that needs most [comes first](crate::analyses::Analysis::FIRST).

use std::sync::Arc;

use narscope_model::rollout::Steps;
use narscope_model::trajectory::Trajectories;

use crate::Result;
use crate::every_step::EveryStep;
use crate::study::{Ask, Study};

/// How many steps runs go on after their end.
pub(crate) const BEYOND: isize = 8;

/// Runs on the random samples of a study.
pub(crate) struct Runs {
    /// All of them, perhaps with more than was asked for.
    pub(crate) all: Arc<Trajectories>,
    /// Per sample, after how many steps the run ends.
    pub(crate) steps: Vec<usize>,
    /// What would have been answered after every step, if that was asked for.
    answers: Option<EveryStep>,
}

impl Runs {
    /// Of a network, or as they were recorded.
    pub(crate) fn up_to_their_end(study: &Study<'_>, analysis: &'static str) -> Result<Self> {
        Self::of(study, analysis, &Ask::new(study.size.graphs))
    }

    /// With the answers of every step, which a recording does not have.
    pub(crate) fn with_answers(study: &Study<'_>, analysis: &'static str) -> Result<Self> {
        study.subject(analysis)?;
        let ask = Ask { every_output: true, ..Ask::new(study.size.graphs) };
        Self::of(study, analysis, &ask)
    }

    /// The same, and for a while after their end.
    pub(crate) fn beyond_their_end(study: &Study<'_>, analysis: &'static str) -> Result<Self> {
        study.subject(analysis)?;
        let steps = Steps::OwnAnd(BEYOND);
        let ask = Ask { steps, every_output: true, ..Ask::new(study.size.graphs) };
        Self::of(study, analysis, &ask)
    }

    fn of(study: &Study<'_>, analysis: &'static str, ask: &Ask) -> Result<Self> {
        let all = study.at_least(analysis, ask)?;
        let is_recorded = study.subject(analysis).is_err();
        let end = |sample| {
            if is_recorded { all.steps(sample) } else { Steps::Own.of(all.truth.steps(sample)) }
        };
        let steps = (0..all.len()).map(end).collect();
        let answers = (!all.every_output.is_empty()).then(|| EveryStep::of(&all));
        Ok(Self { all, steps, answers })
    }

    /// What would have been answered after every step.
    pub(crate) fn answers(&self) -> &EveryStep {
        self.answers.as_ref().expect("answers of every step were asked for")
    }

    /// The score at the end of a run.
    pub(crate) fn score(&self, sample: usize) -> f64 {
        match &self.answers {
            Some(answers) => answers.score(sample, self.steps[sample] - 1),
            None => self.all.scores[sample],
        }
    }

    /// The samples whose runs end after so many steps.
    pub(crate) fn ending_after(&self, steps: usize) -> Vec<usize> {
        (0..self.steps.len()).filter(|&sample| self.steps[sample] == steps).collect()
    }
}

#[cfg(test)]
mod tests {
    use narscope_model::config::Draft;
    use narscope_model::run::{Run, Which};
    use narscope_model::train::Trainer;
    use narscope_model::trajectory::Kept;

    use super::*;
    use crate::study::{Nobody, Size};
    use crate::subject::Subject;

    #[test]
    fn a_run_that_goes_on_begins_like_one_that_ends() {
        let folder = tempfile::tempdir().unwrap();
        let config = "algorithms = ['bellman_ford']\nprocessor_type = 'mpnn'\nhidden_size = 8";
        let config = Draft::parse(config).unwrap().finish().unwrap();
        let weights = Trainer::new(&config).unwrap().weights;
        let run = Run::install(&folder.path().join("run"), config, weights).unwrap();
        let subject = Subject::open(&run.path, Which::Best, None).unwrap();
        let size = Size { graphs: 40, length: 7, ..Size::QUICK };
        let study = Study::of(&subject, size, &Nobody);

        let ended = study.trajectories("test", &Ask::new(size.graphs)).unwrap();
        let runs = Runs::beyond_their_end(&study, "test").unwrap();
        let again = Runs::with_answers(&study, "test").unwrap();
        assert!(Arc::ptr_eq(&runs.all, &again.all), "who asks for less gets the same");
        assert!(runs.steps.iter().any(|steps| *steps != runs.steps[0]), "{:?}", runs.steps);
        for (sample, &steps) in runs.steps.iter().enumerate() {
            assert_eq!(steps, ended.steps(sample));
            assert_eq!(runs.all.steps(sample), steps + BEYOND as usize);
            assert_eq!(runs.score(sample), ended.scores[sample]);
            for step in 0..steps {
                let [long, short] = [&runs.all, &ended]
                    .map(|all| all.reduced(sample, step, Kept::Max).expect("it is kept"));
                let apart = long.iter().zip(short).map(|(a, b)| (a - b).abs());
                assert!(apart.fold(0.0, f32::max) < 1e-5, "sample {sample}, step {step}");
            }
        }
    }
}
