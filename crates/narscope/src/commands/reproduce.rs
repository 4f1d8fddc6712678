//! `narscope reproduce`: the paper, from its networks to its last figure.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::bail;
use narscope::analysis::analyses::score::Score;
use narscope::analysis::analyses::{self, Analysis as _, Answer, Entry};
use narscope::analysis::answers;
use narscope::analysis::study::Size;
use narscope::analysis::subject::Subject;
use narscope::clrs::options::{Direction, Options};
use narscope::files::whole::{self, Existing};
use narscope::model::config::{Config, Draft};
use narscope::model::run::{Outcome, Run, Which};
use narscope::report::figures::paper_comparison;
use narscope::report::page::{Drawn, pictures};
use narscope::report::plot::Look;
use narscope::results::comparison::markdown;
use narscope::results::{
    NetworkAnswers, RunResult, comparisons, file_name, variant_name, variants,
};
use rayon::prelude::*;

use super::train::TrainingProgress;
use super::{figure, report};
use crate::ask::{Asker, SizeOptions};
use crate::estimate::{self, Training, in_time};
use crate::interrupt;
use crate::progress::{Progress, note};
use crate::shipped::{self, Shipped};

/// Do the paper's study again: its networks, analyses and figures, in one report beside its numbers
///
/// Without --full, networks that come with the program are looked at on fewer graphs, which takes
/// minutes. With it, as many graphs as in the paper are drawn, and networks that are missing are
/// trained, three of each kind: that takes hours. What is done is kept: after Ctrl-C the same
/// command goes on, and a change of anything only repeats what depends on it. Of a network whose answers
/// are all there, weights may be thrown away. Beside the report, every picture is a file of its own, below
/// `figures`, and the comparison a table for people and programs.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope reproduce                      in minutes, into reproduction/report.html, figures/ and comparison.md
  narscope reproduce --plan --full        what the whole study would do, and for how long
  narscope reproduce --full --out paper
  narscope reproduce --full --results experiments/results/ablations.jsonl --out paper")]
pub(crate) struct Reproduce {
    /// Folder for networks, answers and the report
    #[arg(long, default_value = "reproduction")]
    out: PathBuf,
    /// Print what would be done, and how long it takes, and do nothing
    #[arg(long)]
    plan: bool,
    /// Scores of networks that need not be trained again, as `narscope sweep collect` writes them
    #[arg(long, value_name = "FILE")]
    results: Vec<PathBuf>,
    #[command(flatten)]
    size: SizeOptions,
}

/// A kind of network: the processor, and what differs from its defaults.
type Kind = (&'static str, &'static [(&'static str, &'static str)]);

/// The networks that the paper looks into.
const STUDIED: [Kind; 4] = [
    ("linear_pgn", &[]),
    ("linear_pgn", &[("aggregator", "softmax"), ("temperature", "0.01")]),
    ("linear_pgn", &[("decay", "0.9")]),
    ("triplet_gmpnn", &[]),
];
/// The networks of its ablations, of which it gives scores.
const ABLATED: [Kind; 8] = [
    ("triplet_gmpnn", &[]),
    ("triplet_gmpnn", &[("decay", "0.9")]),
    ("triplet_gmpnn", &[("decay", "0.5")]),
    ("triplet_gmpnn", &[("decay", "0.9"), ("decay_towards", "mean")]),
    ("triplet_gmpnn", &[("decay", "0.5"), ("decay_towards", "mean")]),
    ("triplet_gmpnn", &[("aggregator", "softmax"), ("temperature", "0.01")]),
    ("triplet_gmpnn", &[("aggregator", "softmax"), ("temperature", "0.1")]),
    ("triplet_gmpnn", &[("aggregator", "softmax"), ("temperature", "1")]),
];
const SEEDS: [u32; 3] = [42, 43, 44];
/// How the authors trained them. The graphs that they looked at are directed, too: no others have the
/// distances and numbers of steps that they give.
const TRAINED: [(&str, &str); 2] = [("algorithms", "bellman_ford"), ("directed_training", "true")];
const PRESET: &str = "paper";
/// How many steps the graphs take whose trajectories the authors looked at: 9, as they count.
const STEPS: usize = 8;
/// For how many steps the networks of ablations are trained, as those of `experiments/ablations.toml` are: a
/// third of what the others get, but there are 24 of them, and only their scores matter. So the baseline is
/// among them once more.
const ABLATED_STEPS: &str = "10000";

/// A network of the study.
struct Network {
    /// Which kind it is.
    label: String,
    config: Config,
    folder: PathBuf,
    /// What is asked about it.
    questions: Vec<&'static Entry>,
}

/// How far a network has got.
enum Standing {
    /// It comes with the program, and has not been unpacked.
    Shipped(&'static Shipped),
    Trained,
    /// After so many steps.
    Begun(usize),
}

/// What is known before anybody is asked.
struct Known {
    size: Size,
    /// Scores of networks, found by this version.
    results: Vec<RunResult>,
}

impl Network {
    fn new((processor, changes): Kind, seed: u32, all: bool, out: &Path) -> anyhow::Result<Self> {
        let mut draft = Draft::preset(PRESET)?;
        draft.set_text("processor_type", processor)?;
        draft.set_text("seed", &seed.to_string())?;
        for (key, value) in TRAINED.iter().chain(changes) {
            draft.set_text(key, value)?;
        }
        if !all {
            draft.set_text("train_steps", ABLATED_STEPS)?;
        }
        let config = draft.finish()?;
        let steps = if all { String::new() } else { format!(", {ABLATED_STEPS} steps") };
        let label = variant_name(&config) + &steps;
        let name = file_name(&format!("{label} {seed}"));
        let questions =
            if all { analyses::ALL.iter().collect() } else { vec![analyses::find(Score::NAME)?] };
        Ok(Self { label, config, folder: out.join("networks").join(name), questions })
    }

    fn name(&self) -> String {
        format!("{}, seed {}", self.label, self.config.seed)
    }

    /// One that comes with the program, if there is any.
    fn shipped(&self) -> Option<&'static Shipped> {
        let name = self.folder.file_name()?;
        shipped::ALL.iter().find(|one| name == one.name)
    }

    /// How far it has got.
    fn standing(&self) -> anyhow::Result<Standing> {
        let is_run = self.folder.join("config.toml").exists();
        if is_run && Run::open(&self.folder)?.config != self.config {
            bail!(
                "{} should have {} as this study trains it, but its config.toml differs: choose another --out, or move it away",
                self.folder.display(),
                self.name()
            );
        }
        let has = |file: &str| is_run && self.folder.join(file).exists();
        if has("test.json") && has(Which::Best.file()) {
            return Ok(Standing::Trained);
        }
        if has(Which::Last.file()) {
            let last = Run::open(&self.folder)?.checkpoint(Which::Last)?;
            return Ok(Standing::Begun(last.progress.step));
        }
        Ok(self.shipped().map_or(Standing::Begun(0), Standing::Shipped))
    }

    /// Trains it to its end.
    fn train(&self) -> anyhow::Result<()> {
        let run = if self.folder.join("config.toml").exists() {
            Run::open(&self.folder)?
        } else {
            Run::create(&self.folder, self.config.clone())?
        };
        interrupt::save_before_exit();
        let mut watcher = TrainingProgress::new(run.config.train_steps);
        if let Outcome::Interrupted(step) = run.train(&mut watcher)? {
            drop(watcher);
            note(&format!("saved after step {step} of {}: the same command goes on", self.name()));
            std::process::exit(interrupt::EXIT_CODE);
        }
        Ok(())
    }

    /// What is known of each of its questions.
    fn answers(&self, known: &Known) -> anyhow::Result<Vec<Option<Answer>>> {
        let Known { size, results } = known;
        let questions = self.questions.iter();
        let answers: Vec<Option<Answer>> = if let Standing::Trained = self.standing()? {
            let subject = Subject::open(&self.folder, Which::Best, None)?;
            let asker = Asker::new(&self.folder, &subject, *size);
            questions.map(|entry| asker.known(entry)).collect()
        } else {
            let folder = answers::folder(&self.folder, size);
            let made = (&self.config, self.config.algorithms[0].as_str());
            questions.map(|entry| answers::remembered(&folder, entry, made, size)).collect()
        };
        let score = |entry: &Entry| (entry.name == Score::NAME).then(|| self.score(results))?;
        let answers = self.questions.iter().zip(answers);
        Ok(answers.map(|(entry, answer)| answer.or_else(|| score(entry))).collect())
    }

    /// What it scored, if that is among the results.
    fn score(&self, results: &[RunResult]) -> Option<Answer> {
        let tested = results.iter().find(|kept| kept.config == self.config)?.test.first()?;
        let score: Score = serde_json::from_value(serde_json::to_value(tested).ok()?).ok()?;
        Some(Answer::new(&score))
    }

    /// Everything about it: its weights are found or made, and asked.
    fn ask(&self, size: Size) -> anyhow::Result<Vec<Answer>> {
        match self.standing()? {
            Standing::Shipped(shipped) => shipped.unpack(&self.folder)?,
            Standing::Trained => {}
            Standing::Begun(_) => self.train()?,
        }
        let subject = Subject::open(&self.folder, Which::Best, None)?;
        Ok(Asker::new(&self.folder, &subject, size).tell(&self.questions)?.answers)
    }

    /// Everything about it.
    fn tell(&self, known: &Known) -> anyhow::Result<NetworkAnswers> {
        let answers = match self.answers(known)?.into_iter().collect() {
            Some(answers) => answers,
            None => self.ask(known.size)?,
        };
        let Self { label, config, .. } = self;
        let (variant, seed, config) = (label.clone(), config.seed, config.clone());
        Ok(NetworkAnswers { variant, seed, config, size: Some(known.size), answers })
    }
}

impl Reproduce {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { out, plan, results, size } = self;
        let is_full = size.is_full();
        let size = size.size()?;
        // Of smaller or fewer graphs, few or none take as many.
        let has_them = size.length == Size::QUICK.length && size.graphs >= Size::QUICK.graphs;
        let size = Size {
            direction: Some(Direction::Directed),
            steps: size.steps.or(has_them.then_some(STEPS)),
            ..size
        };
        let results =
            results.iter().map(|file| RunResult::read_file(file)).collect::<Result<Vec<_>, _>>()?;
        let mut results = results.concat();
        let all = results.len();
        results.retain(RunResult::is_current);
        if results.len() < all {
            note(&format!(
                "ignored {} of {all} results: written by versions that compute other numbers than {}; their networks are trained again",
                all - results.len(),
                env!("CARGO_PKG_VERSION")
            ));
        }
        let known = Known { size, results };
        let networks = networks(&out, is_full)?;
        let words = Plan::of(&networks, &known)?.in_words();
        if plan {
            writeln!(std::io::stdout(), "{words}")?;
            return Ok(());
        }
        note(&words);

        let start = Instant::now();
        let mut told = vec![];
        for (place, network) in networks.iter().enumerate() {
            note(&format!("[{}/{}] {}", place + 1, networks.len(), network.name()));
            told.push(network.tell(&known)?);
        }

        let title = "Latent spaces of neural algorithmic reasoners, once more";
        report::write(&out.join("report.html"), title, size, &told)?;
        let all = comparisons(&told);
        let json = serde_json::to_string_pretty(&all).expect("comparisons are JSON");
        let table = markdown(&all);
        for (name, text) in [("comparison.json", &json), ("comparison.md", &table)] {
            whole::write(&out.join(name), Existing::Replace, |file| writeln!(file, "{text}"))?;
        }
        if let Some(picture) = paper_comparison(&all) {
            figure::write(&picture, Look::Light, &out, "comparison")?;
        }
        draw(&told, &out.join("figures"))?;
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{table}")?;
        let seconds = start.elapsed().as_secs_f64();
        writeln!(stdout, "in {seconds:.0} s; open {}", out.join("report.html").display())?;
        Ok(())
    }
}

/// Draws all that was told, each variant into a folder of its own.
fn draw(told: &[NetworkAnswers], folder: &Path) -> anyhow::Result<()> {
    for variant in variants(told) {
        figure::make(&folder.join(file_name(variant)))?;
    }
    let pictures = pictures(told)?;
    let progress = Progress::new("pictures", pictures.len());
    pictures.par_iter().try_for_each(|Drawn { variant, name, picture }| {
        if interrupt::is_requested() {
            interrupt::exit_now();
        }
        figure::write(picture, Look::Light, &folder.join(file_name(variant)), name)?;
        progress.advance(1);
        Ok(())
    })
}

/// The networks of the whole study, or those of them that come with the program.
fn networks(out: &Path, is_full: bool) -> anyhow::Result<Vec<Network>> {
    let mut networks = vec![];
    for (kinds, all) in [(STUDIED.as_slice(), true), (&ABLATED, false)] {
        for &kind in kinds {
            for seed in SEEDS {
                networks.push(Network::new(kind, seed, all, out)?);
            }
        }
    }
    networks.retain(|network| is_full || network.shipped().is_some());
    Ok(networks)
}

/// What is left to do.
struct Plan {
    networks: usize,
    to_train: usize,
    training: Duration,
    to_answer: usize,
    answering: Duration,
    size: Size,
}

impl Plan {
    fn of(networks: &[Network], known: &Known) -> anyhow::Result<Self> {
        /// How many are tried.
        const SAMPLES: usize = 16;
        // Of each kind, how long training and a sample take.
        let mut speeds: BTreeMap<String, Training> = BTreeMap::new();
        let mut samples: BTreeMap<String, Duration> = BTreeMap::new();
        let size = known.size;
        let options = Options { direction: size.direction, ..Options::default() };
        let drawn = (size.length, &options);
        let mut plan = Self {
            networks: networks.len(),
            to_train: 0,
            training: Duration::ZERO,
            to_answer: 0,
            answering: Duration::ZERO,
            size,
        };
        for network in networks {
            let answers = network.answers(known)?;
            let unanswered = || {
                let questions = network.questions.iter().zip(&answers);
                questions.filter(|(_, answer)| answer.is_none()).map(|(entry, _)| entry.name)
            };
            if unanswered().count() == 0 {
                continue;
            }
            let standing = network.standing()?;
            let left = match standing {
                Standing::Shipped(_) | Standing::Trained => 0,
                Standing::Begun(step) => network.config.train_steps - step,
            };
            plan.to_train += usize::from(matches!(standing, Standing::Begun(_)));
            plan.to_answer += unanswered().count();
            // The test samples are few.
            let unanswered = unanswered().filter(|name| *name != Score::NAME).count();
            let kind = variant_name(&network.config);
            if left > 0 {
                let speed = match speeds.get(&kind) {
                    Some(speed) => *speed,
                    None => estimate::training(&network.config)?,
                };
                plan.training += speed.time(left, network.config.eval_every);
                speeds.insert(kind.clone(), speed);
            }
            if unanswered > 0 {
                let sample = match samples.get(&kind) {
                    Some(sample) => *sample,
                    None => estimate::prediction(&network.config, 0, drawn, SAMPLES)?,
                };
                let count = size.samples() * unanswered / (analyses::ALL.len() - 1);
                plan.answering += sample * count as u32;
                samples.insert(kind, sample);
            }
        }
        Ok(plan)
    }

    fn in_words(&self) -> String {
        let Self { networks, to_train, training, to_answer, answering, size } = self;
        let trained = networks - to_train;
        let to_come = match to_train {
            0 => String::new(),
            _ => format!(", {to_train} will be, about {}", in_time(*training)),
        };
        format!(
            "{networks} networks: {trained} are trained{to_come}\n\
             {to_answer} answers to find, on up to {} graphs of {} nodes, about {}",
            size.graphs,
            size.length,
            in_time(*answering)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_the_sweep_of_ablations_are_those_of_the_study() {
        let kept = Path::new("../../experiments/results/ablations.jsonl");
        let kept = RunResult::read_file(kept).unwrap();
        let networks = networks(Path::new("study"), true).unwrap();
        let (studied, ablated) = networks.split_at(STUDIED.len() * SEEDS.len());
        for network in ablated {
            let answer = network.score(&kept).unwrap_or_else(|| panic!("{}", network.name()));
            let config = network.config.clone();
            let run = kept.iter().find(|kept| kept.config == config).unwrap();
            assert_eq!(answer.measures[0].value, run.test[0].score, "{}", network.name());
        }
        // Those were trained for longer.
        assert!(studied.iter().all(|network| network.score(&kept).is_none()));
    }
}
