//! A study: one network, how many samples it is shown, and what was recorded of it already.

use std::sync::{Arc, Mutex};

use narscope_clrs::options::{Direction, Options};
use narscope_clrs::trace::Traces;
use narscope_model::evaluate::Evaluation;
use narscope_model::rollout::{NoHook, StepHook, Steps};
use narscope_model::trajectory::{Kept, Trajectories, Wanted};
use serde::{Deserialize, Serialize};

use crate::recording::Recording;
use crate::subject::Subject;
use crate::{Error, Result};

/// How much an analysis looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Size {
    /// Random graphs whose trajectories are looked at.
    pub graphs: usize,
    /// The size of each.
    pub length: usize,
    /// Which way their edges go, if not as in the benchmark.
    pub direction: Option<Direction>,
    /// How many steps the graphs take whose trajectories are looked at as a whole, if not as most do.
    pub steps: Option<usize>,
    /// The seed of all samples.
    pub seed: u32,
    /// Images of each base graph under a symmetry.
    pub images: usize,
    /// Clusters of reweighted graphs that directions are taken from.
    pub clusters: usize,
    /// Images in each of them.
    pub cluster_images: usize,
    /// Graphs that scores are measured on, in each setting.
    pub scored: usize,
}

impl Size {
    /// As in the paper.
    pub const FULL: Self = Self {
        graphs: 16_384,
        length: 64,
        direction: None,
        steps: None,
        seed: 1,
        images: 512,
        clusters: 400,
        cluster_images: 64,
        scored: 1024,
    };
    /// On how many samples all analyses together let a network run, if those count twice that go on for as
    /// long again after their end: an estimate of their work.
    pub fn samples(&self) -> usize {
        2 * self.graphs + 28 * self.images + self.clusters * self.cluster_images + 41 * self.scored
    }

    /// Enough to see everything, in minutes.
    pub const QUICK: Self = Self {
        graphs: 640,
        images: 48,
        clusters: 64,
        cluster_images: 16,
        scored: 48,
        ..Self::FULL
    };
}

impl Default for Size {
    fn default() -> Self {
        Self::QUICK
    }
}

/// Samples to run a network on, and what to record of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// How many samples.
    pub num: usize,
    /// Their size, if not the study's.
    pub length: Option<usize>,
    /// What they are like.
    pub options: Options,
    /// Their seed is the study's and this.
    pub offset: u32,
    /// What is kept of the nodes.
    pub kept: Kept,
    /// How many steps the network takes.
    pub steps: Steps,
    /// Whether outputs are read off at every step.
    pub every_output: bool,
}

impl Ask {
    /// So many of the algorithm's own samples.
    pub fn new(num: usize) -> Self {
        Self {
            num,
            length: None,
            options: Options::default(),
            offset: 0,
            kept: Kept::Each,
            steps: Steps::Own,
            every_output: false,
        }
    }

    /// Whether what is recorded for this has all that is recorded for another.
    fn holds(&self, other: &Self) -> bool {
        let Self { steps, every_output, .. } = *other;
        let same_otherwise = Self { steps, every_output, ..self.clone() } == *other;
        let goes_on = matches!((self.steps, steps), (Steps::OwnAnd(0..), Steps::Own));
        same_otherwise && (self.steps == steps || goes_on) && (self.every_output || !every_output)
    }
}

/// Hears how far a study has got.
pub trait Watcher: Sync {
    /// So many samples are about to be run, for this.
    fn begins(&self, what: &str, samples: usize);
    /// So many more of them are done.
    fn advances(&self, samples: usize);
    /// Whether the user wants to stop.
    fn wants_to_stop(&self) -> bool;
}

/// The watcher who does not look.
pub struct Nobody;

impl Watcher for Nobody {
    fn begins(&self, _: &str, _: usize) {}
    fn advances(&self, _: usize) {}
    fn wants_to_stop(&self) -> bool {
        false
    }
}

/// What is looked at.
enum Source<'a> {
    Network(&'a Subject),
    Recording(Arc<Trajectories>, Option<Vec<usize>>),
}

/// One network, or a recording of one, that questions are asked about.
pub struct Study<'a> {
    source: Source<'a>,
    /// How much is looked at.
    pub size: Size,
    watcher: &'a dyn Watcher,
    /// Samples of the user's own, which take the place of all others.
    own: Option<Traces>,
    /// Several analyses look at the same trajectories.
    known: Mutex<Vec<(Ask, Arc<Trajectories>)>>,
}

impl<'a> Study<'a> {
    /// A study of a network.
    pub fn of(subject: &'a Subject, size: Size, watcher: &'a dyn Watcher) -> Self {
        let source = Source::Network(subject);
        Self { source, size, watcher, own: None, known: Mutex::default() }
    }

    /// The same on samples of the user's own instead of random ones.
    #[must_use]
    pub fn on_own(self, samples: Traces) -> Self {
        Self { own: Some(samples), ..self }
    }

    /// A study of what was recorded.
    pub fn of_recording(recording: Recording, size: Size) -> Self {
        let Recording { trajectories, clusters, .. } = recording;
        let source = Source::Recording(Arc::new(trajectories), clusters);
        Self { source, size, watcher: &Nobody, own: None, known: Mutex::default() }
    }

    /// The network, for analyses that let it run themselves.
    pub fn subject(&self, analysis: &'static str) -> Result<&'a Subject> {
        match self.source {
            Source::Network(subject) => Ok(subject),
            Source::Recording(..) => {
                let wanted = "a run, to let its network run again";
                Err(Error::unsuitable(analysis, wanted, "this is a recording"))
            }
        }
    }

    /// Refuses samples of the user's own, for analyses that need many.
    pub fn on_random_samples(&self, analysis: &'static str) -> Result<()> {
        if self.own.is_some() {
            let found = "there is one of your own";
            return Err(Error::unsuitable(analysis, "many random samples", found));
        }
        Ok(())
    }

    /// The network of an algorithm whose weights are lengths of paths, which symmetries of shortest paths
    /// keep.
    pub fn subject_of_lengths(&self, analysis: &'static str) -> Result<&'a Subject> {
        const NODES: usize = 4;
        let subject = self.subject(analysis)?;
        self.on_random_samples(analysis)?;
        let options = Options { family: "reweight".parse()?, ..Options::default() };
        let takes_them = subject.spec().entry.options(&options).contains(&"family")
            && subject.draw(NODES, &options, self.size.seed, 1).is_ok();
        if takes_them {
            return Ok(subject);
        }
        let found = format!("{} is none", subject.spec().entry.name);
        Err(Error::unsuitable(analysis, "an algorithm of shortest paths", found))
    }

    /// What was recorded of images of graphs, and which graph each is an image of.
    pub fn recorded_images(&self) -> Option<(&Trajectories, &[usize])> {
        match &self.source {
            Source::Recording(trajectories, Some(classes)) => Some((trajectories, classes)),
            _ => None,
        }
    }

    /// Samples as the network takes them.
    pub fn samples(&self, analysis: &'static str, ask: &Ask) -> Result<Traces> {
        if let Some(own) = &self.own {
            return Ok(own.clone());
        }
        let seed = self.size.seed.wrapping_add(ask.offset);
        let length = ask.length.unwrap_or(self.size.length);
        let direction = ask.options.direction.or(self.size.direction);
        let options = Options { direction, ..ask.options.clone() };
        self.subject(analysis)?.draw(length, &options, seed, ask.num)
    }

    /// The benchmark's test samples.
    pub fn test_samples(&self, analysis: &'static str) -> Result<Traces> {
        self.own.clone().map_or_else(|| self.subject(analysis)?.test_samples(), Ok)
    }

    /// What the network does on samples; of a recording, what is in it, whatever was asked for.
    pub fn trajectories(&self, analysis: &'static str, ask: &Ask) -> Result<Arc<Trajectories>> {
        self.remembered(analysis, ask, |known| known == ask)
    }

    /// The same, or what is known already if it has that and more: longer runs, or the answers of every step.
    pub fn at_least(&self, analysis: &'static str, ask: &Ask) -> Result<Arc<Trajectories>> {
        self.remembered(analysis, ask, |known| known.holds(ask))
    }

    fn remembered(
        &self,
        analysis: &'static str,
        ask: &Ask,
        will_do: impl Fn(&Ask) -> bool,
    ) -> Result<Arc<Trajectories>> {
        if let Source::Recording(trajectories, _) = &self.source {
            return Ok(trajectories.clone());
        }
        let known = || self.known.lock().expect("nobody panics here");
        if let Some((_, known)) = known().iter().find(|(known, _)| will_do(known)) {
            return Ok(known.clone());
        }
        let traces = self.samples(analysis, ask)?;
        let all = Arc::new(self.run(analysis, &traces, ask, &mut NoHook)?);
        known().push((ask.clone(), all.clone()));
        Ok(all)
    }

    /// Lets the network run on samples, with somebody who touches its states.
    pub fn run(
        &self,
        analysis: &'static str,
        traces: &Traces,
        ask: &Ask,
        hook: &mut dyn StepHook,
    ) -> Result<Trajectories> {
        let subject = self.subject(analysis)?;
        let Ask { kept, steps, every_output, .. } = *ask;
        self.watcher.begins(analysis, traces.len());
        subject.record(traces, Wanted { steps, kept, every_output }, hook, &mut |samples| {
            self.watcher.advances(samples);
            !self.watcher.wants_to_stop()
        })
    }

    /// How a network does on samples: the study's own, or one that was made of it.
    pub fn evaluate(
        &self,
        analysis: &'static str,
        subject: &Subject,
        traces: &Traces,
    ) -> Result<Evaluation> {
        self.watcher.begins(analysis, traces.len());
        subject.evaluate(traces, &mut |samples| {
            self.watcher.advances(samples);
            !self.watcher.wants_to_stop()
        })
    }
}
