//! Executes studies and counts what happens.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use narscope_analysis::context::Progress;
use narscope_analysis::sampling::Overrides;
use narscope_model::checkpoint;
use narscope_model::evaluation::Evaluation;
use narscope_model::run;
use narscope_results::NetworkAnswers;
use narscope_study::{Execution, Network, Observer, Only, Settings, Study};

/// Counts what happens.
#[derive(Default)]
pub(crate) struct Counter {
    opened: Mutex<BTreeMap<String, usize>>,
    analysed: Mutex<Vec<String>>,
    skipped: Mutex<Vec<String>>,
    pub(crate) trained: AtomicUsize,
    pub(crate) drawn: AtomicUsize,
    pub(crate) stops: AtomicBool,
}

impl Counter {
    pub(crate) fn opened(&self) -> Vec<usize> {
        self.opened.lock().unwrap().values().copied().collect()
    }

    pub(crate) fn analysed(&self) -> usize {
        self.analysed.lock().unwrap().len()
    }

    /// Why analyses were left out.
    pub(crate) fn skipped(&self) -> Vec<String> {
        self.skipped.lock().unwrap().clone()
    }
}

impl Progress for Counter {
    fn begin(&self, analysis: &str, _: usize) {
        self.analysed.lock().unwrap().push(analysis.to_owned());
    }
    fn advance(&self, _: usize) {}
    fn is_interrupted(&self) -> bool {
        self.stops.load(Ordering::Relaxed)
    }
}

impl Observer for Counter {
    fn opened(&self, network: &Network) {
        *self.opened.lock().unwrap().entry(network.name()).or_default() += 1;
    }
    fn training(&self, _: &Network) -> Box<dyn run::Observer + '_> {
        self.trained.fetch_add(1, Ordering::Relaxed);
        Box::new(Training(self))
    }
    fn skipped(&self, error: &narscope_analysis::Error) {
        self.skipped.lock().unwrap().push(error.to_string());
    }
    fn drawn(&self) {
        self.drawn.fetch_add(1, Ordering::Relaxed);
    }
}

pub(crate) struct Training<'a>(pub(crate) &'a Counter);

impl run::Observer for Training<'_> {
    fn stepped(&mut self, _: &checkpoint::Progress, _: f64) {}
    fn validated(&mut self, _: usize, _: &[Evaluation], _: bool) {}
    fn tested(&mut self, _: &str, _: usize, _: usize) {}
    fn notice(&mut self, _: &str) {}
    fn wants_to_stop(&mut self) -> bool {
        self.0.is_interrupted()
    }
}

pub(crate) fn settings(out: &Path) -> Settings<'_> {
    Settings {
        out,
        is_full: false,
        overrides: Overrides::default(),
        results: &[],
        pretrained: &[],
        only: Only::Everything,
    }
}

pub(crate) fn executed(out: &Path, study: &Study) -> (Vec<NetworkAnswers>, Counter) {
    let counter = Counter::default();
    let execution = Execution::prepare(study, &settings(out), &counter).unwrap();
    (execution.run(&counter).unwrap(), counter)
}

/// Names of the answers of each network.
pub(crate) fn names(networks: &[NetworkAnswers]) -> Vec<Vec<&str>> {
    let answers = networks.iter().map(|network| network.answers.iter());
    answers.map(|answers| answers.map(|answer| answer.analysis.as_str()).collect()).collect()
}
