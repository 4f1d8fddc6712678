//! `narscope reproduce`: the paper's study, from training to the report.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use narscope::analysis::{self, context};
use narscope::clrs::options::Options;
use narscope::model::numerics::Agreement;
use narscope::model::run;
use narscope::report::page::Report;
use narscope::results::{RunResult, claims, variant_name};
use narscope::study::{
    Error, Execution, Network, Observer, Only, Plan, RemainingSamples, RemainingTraining, Settings,
    Study, about, output,
};

use super::report::command;
use super::train::TrainingProgress;
use crate::estimate::{self, Training, in_time};
use crate::progress::{Progress, note};
use crate::sampling::{PROGRESS, SamplingOptions, checked, skipped};
use crate::{interrupt, shipped};

/// The study of the paper.
const PAPER: &str = include_str!("../../../../experiments/paper.toml");

/// Reproduce the paper: train and analyse its networks, and judge every claim over all seeds
///
/// Without --full, the networks that come with the program are analysed on fewer graphs, which takes
/// minutes. With --full, all networks of the study are trained, with all their seeds, and analysed on as
/// many graphs as in the paper, which takes hours. Finished work is cached: after Ctrl-C the same command
/// continues, and after a change only what depends on it is repeated. Weights of a network whose
/// answers are complete may be deleted. Writes report.html, comparison.md, comparison.json and, below
/// `figures`, every figure; below `figures/paper`, the counterpart of each figure of the paper.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope reproduce                      # in minutes, into the folder reproduction
  narscope reproduce --plan --full        # what the full study would do, and how long it takes
  narscope reproduce --full --out paper
  narscope reproduce --full --results experiments/results/ablations/results.jsonl --out paper")]
pub(crate) struct Reproduce {
    /// Folder for networks, answers and the report
    #[arg(long, default_value = "reproduction")]
    out: PathBuf,
    /// Study file: its networks and samples [default: the paper's, experiments/paper.toml]
    #[arg(long, value_name = "FILE")]
    study: Option<PathBuf>,
    /// Print what would be done and how long it takes, and do nothing
    #[arg(long)]
    plan: bool,
    /// Skip networks that are not trained yet, instead of training them
    #[arg(long)]
    trained: bool,
    /// Scores of networks that need no training, as written by `narscope sweep collect`
    #[arg(long, value_name = "FILE")]
    results: Vec<PathBuf>,
    #[command(flatten)]
    sampling: SamplingOptions,
}

impl Reproduce {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { out, study, plan, trained, results, sampling } = self;
        let is_full = sampling.is_full();
        let only = match (&study, is_full, trained) {
            (_, _, true) => Only::Trained,
            (None, false, _) => Only::Pretrained,
            // Networks of another study do not come with the program.
            _ => Only::Everything,
        };
        let study = match study {
            Some(path) => Study::read(&path)?,
            None => Study::parse(PAPER, "experiments/paper.toml")?,
        };
        let overrides = sampling.overrides();
        let sampling = checked(study.sampling(is_full, &overrides))?;
        let results = read_results(&results)?;
        let settings = Settings {
            out: &out,
            is_full,
            overrides,
            results: &results,
            pretrained: shipped::ALL,
            only,
        };
        let progress = StudyProgress::default();
        let execution = Execution::prepare(&study, &settings, &progress).map_err(advise)?;
        let words = describe(&execution.plan())?;
        if plan {
            writeln!(std::io::stdout(), "{words}")?;
            return Ok(());
        }
        note(&words);

        interrupt::save_before_exit();
        let start = Instant::now();
        let networks = or_exit(execution.run(&progress))?;
        let report = Report::new(&networks)?.with_runs(&results);
        let runs = out.join("networks").join("*");
        let about = about(study.title.clone(), command(), &runs.display().to_string(), &sampling);
        or_exit(output::write(&out, &report, &about, &progress))?;
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{}", claims::markdown::verdicts(report.claims()))?;
        let seconds = start.elapsed().as_secs_f64();
        writeln!(stdout, "in {seconds:.0} s; open {}", out.join("report.html").display())?;
        Ok(())
    }
}

/// Reads results; ignores those of versions that compute other numbers.
fn read_results(files: &[PathBuf]) -> anyhow::Result<Vec<RunResult>> {
    let results =
        files.iter().map(|file| RunResult::read_file(file)).collect::<Result<Vec<_>, _>>();
    let mut results = results?.concat();
    let all = results.len();
    results.retain(|run| run.agreement() != Agreement::None);
    if results.len() < all {
        note(&format!(
            "ignored {} of {all} results: written by versions that compute other numbers than {}; their networks are trained again",
            all - results.len(),
            env!("CARGO_PKG_VERSION")
        ));
    }
    let rounded = results.iter().filter(|run| run.agreement() == Agreement::UpToRounding).count();
    if rounded > 0 {
        note(&format!("{rounded} of {all} results are of versions that round softmax differently"));
    }
    Ok(results)
}

/// Exits if the study was interrupted.
fn or_exit<T>(result: narscope::study::Result<T>) -> anyhow::Result<T> {
    result.map_err(|error| match error {
        Error::Interrupted => interrupt::exit_now(),
        Error::TrainingInterrupted { network, step } => {
            note(&format!(
                "saved {network} after step {step}; run the same command again to continue"
            ));
            std::process::exit(interrupt::EXIT_CODE);
        }
        error => advise(error),
    })
}

/// Adds advice about flags.
fn advise(error: Error) -> anyhow::Error {
    match error {
        Error::OtherNetwork { .. } => {
            anyhow::anyhow!("{error}: choose another --out, or move the folder away")
        }
        error => error.into(),
    }
}

/// Shows the progress of a study.
#[derive(Default)]
struct StudyProgress {
    /// The bar of pictures.
    pictures: Mutex<Option<Progress>>,
}

impl context::Progress for StudyProgress {
    fn begin(&self, analysis: &str, samples: usize) {
        PROGRESS.begin(analysis, samples);
    }

    fn advance(&self, samples: usize) {
        PROGRESS.advance(samples);
    }

    fn is_interrupted(&self) -> bool {
        interrupt::is_requested()
    }

    fn not_cached(&self, error: &analysis::Error) {
        PROGRESS.not_cached(error);
    }

    fn changed(&self, file: &Path) {
        PROGRESS.changed(file);
    }
}

impl Observer for StudyProgress {
    fn network(&self, network: &Network, index: usize, count: usize) {
        PROGRESS.clear();
        note(&format!("[{}/{count}] {}", index + 1, network.name()));
    }

    fn training(&self, network: &Network) -> Box<dyn run::Observer + '_> {
        Box::new(TrainingProgress::new(network.config.train_steps))
    }

    fn skipped(&self, error: &analysis::Error) {
        skipped(error);
    }

    fn drawing(&self, pictures: usize) {
        PROGRESS.clear();
        let bar = Progress::new("pictures", pictures);
        *self.pictures.lock().expect("the lock is not poisoned") = Some(bar);
    }

    fn drawn(&self) {
        if let Some(bar) = &*self.pictures.lock().expect("the lock is not poisoned") {
            bar.advance(1);
        }
    }
}

/// Describes what remains to be done and how long it takes, from measurements of each kind of network.
fn describe(plan: &Plan) -> anyhow::Result<String> {
    /// Number of samples to measure.
    const SAMPLES: usize = 16;
    let Plan { networks, training, answers, samples, sampling } = plan;
    let mut speeds: BTreeMap<String, Training> = BTreeMap::new();
    let mut training_time = Duration::ZERO;
    for RemainingTraining { config, steps } in training.iter().filter(|it| it.steps > 0) {
        let kind = variant_name(config);
        if !speeds.contains_key(&kind) {
            speeds.insert(kind.clone(), estimate::training(config)?);
        }
        training_time += speeds[&kind].time(*steps, config.eval_every);
    }
    let options = Options { direction: sampling.direction, ..Options::default() };
    let mut predictions: BTreeMap<String, Duration> = BTreeMap::new();
    let mut analysis_time = Duration::ZERO;
    for RemainingSamples { config, samples } in samples {
        let kind = variant_name(config);
        if !predictions.contains_key(&kind) {
            let drawn = (sampling.length, &options);
            let each = estimate::prediction(config, 0, drawn, SAMPLES)?;
            predictions.insert(kind.clone(), each);
        }
        analysis_time += predictions[&kind] * *samples as u32;
    }
    let to_train = match training.len() {
        0 => String::new(),
        count => format!(", {count} to train, about {}", in_time(training_time)),
    };
    Ok(format!(
        "{networks} networks: {} trained{to_train}\n\
         {answers} answers to compute, on up to {} graphs of {} nodes, about {}",
        networks - training.len(),
        sampling.graphs,
        sampling.length,
        in_time(analysis_time)
    ))
}
