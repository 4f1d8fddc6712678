//! Training in a run folder: from the last checkpoint to the test scores, saved all the while.

use std::io::Write as _;
use std::time::Instant;

use narscope_clrs::split::Split;
use narscope_files::atomic::{self, Existing};
use narscope_net::evaluation::{EvaluateOptions, Evaluation, Evaluator};
use narscope_net::model::progress_batch;

use crate::checkpoint::Checkpoint;
use crate::engines;
use crate::recorder::Recorder;
use crate::run::{Lock, Observer, Outcome, Run, Which};
use crate::run_log::{Begun, RunLog, TakenWeights};
use crate::taken_weights;
use crate::test_progress::{BETWEEN_SAVES, TestProgress};
use crate::train::Trainer;
use crate::{Error, Result};

impl Run {
    /// Trains from the last checkpoint to the end, or until the observer stops it.
    pub fn train(&self, observer: &mut dyn Observer) -> Result<Outcome> {
        self.train_locked(&self.lock()?, observer)
    }

    /// Like [`train`](Self::train), under a lock that the caller holds.
    pub fn train_locked(&self, _lock: &Lock, observer: &mut dyn Observer) -> Result<Outcome> {
        // Temporary files of a process that was killed while writing.
        atomic::remove_stale(&self.path)?;
        let (mut trainer, taken) = self.restored(observer)?;
        let step = trainer.progress.step;
        let begun = Begun { step, taken };
        let mut log =
            RunLog::begin(&self.file("run.json"), observer.info(), begun, &mut |notice| {
                observer.notice(&notice);
            })?;
        observer.started(step);
        let outcome = self.continue_training(&mut trainer, &mut log, observer);
        let logged = log.end(match &outcome {
            Ok(Outcome::Done(_)) => "done".to_owned(),
            Ok(Outcome::Interrupted(_)) => "interrupted".to_owned(),
            Err(error) => format!("failed: {error}"),
        });
        // An error of training says more than one of its log.
        outcome.and_then(|outcome| logged.map(|()| outcome))
    }

    /// A trainer in the state of the newest checkpoint, or at the start with the weights that are taken from
    /// another run.
    fn restored(&self, observer: &mut dyn Observer) -> Result<(Trainer, Option<TakenWeights>)> {
        let mut trainer = Trainer::new(&self.config)?;
        let Some((checkpoint, best_is_intact)) = self.newest(observer)? else {
            let taken = taken_weights::take(&self.config, &mut trainer.weights)?;
            return Ok((trainer, taken));
        };
        if !checkpoint.has_training() {
            let what =
                "this run has only its weights: it can predict, but its training cannot continue";
            return Err(self.error(what));
        }
        trainer.restore(checkpoint).map_err(|generator| {
            self.error(&format!("the checkpoint lacks the generator {generator}"))
        })?;
        if !best_is_intact {
            trainer.progress.best = None;
        }
        Ok((trainer, None))
    }

    /// The newest intact checkpoint, if there is one, and whether the best one is intact.
    fn newest(&self, observer: &mut dyn Observer) -> Result<Option<(Checkpoint, bool)>> {
        let mut newest: Option<Checkpoint> = None;
        let mut best_is_intact = false;
        let mut damaged = vec![];
        for which in [Which::Last, Which::Best] {
            if !self.file(which.file()).exists() {
                continue;
            }
            match self.checkpoint(which) {
                Ok(checkpoint) => {
                    best_is_intact |= which == Which::Best;
                    let step = checkpoint.progress.step;
                    if newest.as_ref().is_none_or(|newest| step > newest.progress.step) {
                        newest = Some(checkpoint);
                    }
                }
                Err(error @ Error::Checkpoint { .. }) => damaged.push(error),
                Err(error) => return Err(error),
            }
        }
        match (&newest, damaged.pop()) {
            (None, Some(error)) => return Err(error),
            (Some(newest), Some(error)) => {
                let step = newest.progress.step;
                observer.notice(&format!(
                    "{error}; continuing from the newest intact checkpoint, step {step}"
                ));
            }
            (_, None) => {}
        }
        Ok(newest.map(|newest| (newest, best_is_intact)))
    }

    fn continue_training(
        &self,
        trainer: &mut Trainer,
        log: &mut RunLog,
        observer: &mut dyn Observer,
    ) -> Result<Outcome> {
        if !trainer.is_done() {
            // Test scores belong to weights that may not stay the best.
            atomic::remove(&self.file("test.json"))?;
            atomic::remove(&self.file("testing.json"))?;
        }
        let step = trainer.progress.step;
        let mut notice = |notice: String| observer.notice(&notice);
        let mut recorder = Recorder::open(&self.path, &self.config, step, &mut notice)?;
        let mut saved = Instant::now();
        while !trainer.is_done() {
            if observer.wants_to_stop() {
                trainer.checkpoint().write(&self.file(Which::Last.file()))?;
                return Ok(Outcome::Interrupted(trainer.progress.step));
            }
            let begun = Instant::now();
            let loss = trainer.step()?;
            recorder.stepped(begun.elapsed());
            observer.stepped(&trainer.progress, loss);
            if trainer.log_is_due() {
                recorder.training(&mut trainer.progress)?;
            }
            if trainer.validation_is_due() && validate(trainer, &mut recorder, observer)? {
                trainer.checkpoint().write(&self.file(Which::Best.file()))?;
            }
            if saved.elapsed() >= BETWEEN_SAVES {
                trainer.checkpoint().write(&self.file(Which::Last.file()))?;
                saved = Instant::now();
            }
            log.stepped(trainer.progress.step)?;
        }
        trainer.checkpoint().write(&self.file(Which::Last.file()))?;
        let step = trainer.progress.step;
        let tested = self.test(&mut recorder, step, observer)?;
        Ok(tested.map_or(Outcome::Interrupted(step), Outcome::Done))
    }

    /// Scores the best weights on the remaining test samples of the benchmark. Returns `None` if the
    /// observer stops it.
    fn test(
        &self,
        recorder: &mut Recorder<'_>,
        step: usize,
        observer: &mut dyn Observer,
    ) -> Result<Option<Vec<Evaluation>>> {
        let best = self.checkpoint(Which::Best).map_err(|error| Error::NoBest {
            reason: error.to_string(),
            path: self.path.clone(),
        })?;
        let mut test = TestProgress::open(&self.file("testing.json"), &best.weights);
        let model = engines::model(&self.config, best.weights)?;
        let mut evaluations = vec![];
        for task in model.tasks() {
            let traces = task.benchmark(Split::Test)?;
            let (name, all) = (task.spec().entry.name, traces.len());
            let mut evaluator = Evaluator::new(task.spec(), EvaluateOptions::default());
            let counted = test.counted(task.index());
            let done = counted.map_or(0, |counted| evaluator.resume(counted));
            observer.tested(name, done, all);
            let mut goes_on = |evaluator: &Evaluator<'_>| -> Result<bool> {
                let counted = evaluator.counted();
                test.count(task.index(), counted)?;
                observer.tested(name, counted.samples, all);
                Ok(!observer.wants_to_stop())
            };
            let left = traces.select(&(done..all).collect::<Vec<_>>());
            let at_once = progress_batch();
            if !left.is_empty()
                && !task.evaluate_into(&mut evaluator, &left, at_once, &mut goes_on)?
            {
                test.save()?;
                return Ok(None);
            }
            evaluations.push(evaluator.finish());
        }
        recorder.test(step, &evaluations)?;
        let text = serde_json::to_string_pretty(&evaluations).expect("scores are JSON");
        atomic::write(&self.file("test.json"), Existing::Replace, |file| writeln!(file, "{text}"))?;
        test.finish()?;
        Ok(Some(evaluations))
    }
}

/// Validates, writes the scores, and returns whether they are the best so far.
fn validate(
    trainer: &mut Trainer,
    recorder: &mut Recorder<'_>,
    observer: &mut dyn Observer,
) -> Result<bool> {
    let evaluations = trainer.validate()?;
    let step = trainer.progress.step;
    let score: f64 = evaluations.iter().map(|evaluation| evaluation.score).sum();
    let is_best = trainer.progress.best.is_none_or(|(best, _)| score > best);
    if is_best {
        trainer.progress.best = Some((score, step));
        trainer.progress.stale = 0;
    } else {
        trainer.progress.stale += 1;
    }
    recorder.validation(step, &evaluations)?;
    observer.validated(step, &evaluations, is_best);
    Ok(is_best)
}
