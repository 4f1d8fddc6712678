//! `narscope evaluate`: scores of trained networks.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use narscope::clrs::options::names;
use narscope::clrs::split::Split;
use narscope::clrs::trace::Traces;
use narscope::model::evaluation::{EvaluateOptions, Evaluation};
use narscope::model::rollout::Steps;
use narscope::model::{Model, OpenModel as _, Task};
use narscope::results::Summary;
use narscope::results::run_comparison::variants_of;
use serde_json::json;

use crate::options::{self, SamplerOptions};
use crate::progress::{Progress, warn};
use crate::table;

/// Score trained networks on the benchmark or on newly drawn samples
///
/// For several runs of one configuration, which differ in their seed only, also prints their mean, standard
/// deviation and 95 % confidence interval (Student's t over the runs, limited to 0-100 %).
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope evaluate runs/bf                                 # the benchmark's test split
  narscope evaluate runs/bf --length 128 --num 16 --seed 7 --p 0.25
  narscope evaluate runs/bf --length 64 --num 32 --family grid --hints --json
  narscope evaluate runs/bellman_ford/mpnn/seed=*           # mean and interval over seeds")]
pub(crate) struct Evaluate {
    /// Folders of runs
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Evaluate only these algorithms [default: all that the network was trained on]
    #[arg(long, value_delimiter = ',')]
    algorithms: Option<Vec<String>>,
    /// Split of the benchmark: train, val or test
    #[arg(long, default_value = "test", conflicts_with = "length")]
    split: Split,
    /// Draw new samples of this size instead of using the benchmark
    #[arg(long)]
    length: Option<usize>,
    /// Number of new samples, with --length
    #[arg(long, alias = "num_samples", default_value_t = 32, requires = "length",
          value_parser = clap::value_parser!(u32).range(1..))]
    num: u32,
    /// Seed of new samples, with --length
    #[arg(long, default_value_t = 3, requires = "length")]
    seed: u32,
    /// Checkpoint: best (highest validation score) or last
    #[arg(long, default_value = "best", value_parser = ["best", "last"])]
    checkpoint: String,
    /// Run the network this many steps longer than the algorithm; negative: shorter
    #[arg(long, alias = "more_steps", default_value_t = 0, allow_hyphen_values = true)]
    more_steps: isize,
    /// Also score hints, step by step
    #[arg(long)]
    hints: bool,
    /// Include the score of every sample; needs --json
    #[arg(long, alias = "per_sample", requires = "json")]
    per_sample: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: SamplerOptions,
}

/// Largest absolute value of `--more-steps`.
const MOST_STEPS: usize = 100_000;

impl Evaluate {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { runs, algorithms, split, length, num, seed, checkpoint, .. } = &self;
        let which = options::checkpoint(checkpoint);
        let given = self.options.clone().unchecked().given();
        if length.is_none() && !given.is_empty() {
            bail!("{} apply to new samples only; add --length to draw some", names(&given));
        }
        if self.more_steps.unsigned_abs() > MOST_STEPS {
            bail!("--more-steps should be at most {MOST_STEPS}, found {}", self.more_steps);
        }
        let wanted = EvaluateOptions {
            hints: self.hints,
            per_sample: self.per_sample,
            losses: false,
            steps: if self.more_steps == 0 { Steps::Own } else { Steps::OwnAnd(self.more_steps) },
        };
        let samples = |task: Task<'_>| -> anyhow::Result<Traces> {
            let Some(length) = *length else { return Ok(task.benchmark(*split)?) };
            let options = self.options.clone().into_options(task.spec().entry);
            Ok(task.sample(length, &options, *seed, *num as usize)?)
        };
        let (mut all, mut configs) = (vec![], vec![]);
        for path in runs {
            let model = Model::open(path, which)?;
            let evaluations = evaluate(&model, algorithms.as_deref(), wanted, &samples)
                .with_context(|| path.display().to_string())?;
            all.push((path, evaluations));
            configs.push(model.config().clone());
        }

        let variants = variants_of(&configs.iter().collect::<Vec<_>>());
        // A mean over seeds is one over nothing else.
        let are_seeds = variants.iter().all(|variant| *variant == variants[0]);
        let summaries = if are_seeds { summarise(&all) } else { vec![] };
        let mut out = std::io::stdout().lock();
        if self.json {
            let runs: Vec<_> = all
                .iter()
                .map(|(path, evaluations)| {
                    json!({"run": path.display().to_string(), "evaluations": evaluations})
                })
                .collect();
            let summaries: Vec<_> = summaries
                .iter()
                .map(|(algorithm, summary)| json!({"algorithm": algorithm, "score": summary}))
                .collect();
            let result = json!({"runs": runs, "summaries": summaries});
            serde_json::to_writer_pretty(&mut out, &result)?;
            writeln!(out)?;
            return Ok(());
        }
        for (path, evaluations) in &all {
            writeln!(out, "{}", path.display())?;
            table::score_lines(evaluations, &mut out)?;
            table::hints(evaluations, &mut out)?;
        }
        table::definitions(&mut out)?;
        if all.len() > 1 && are_seeds {
            table::summaries(&summaries, &mut out)?;
        }
        if !are_seeds {
            warn(
                "no mean over these runs, which differ in more than their seed; see narscope compare, narscope table",
            );
        }
        Ok(())
    }
}

fn evaluate(
    model: &Model,
    algorithms: Option<&[String]>,
    options: EvaluateOptions,
    samples: &dyn Fn(Task<'_>) -> anyhow::Result<Traces>,
) -> anyhow::Result<Vec<Evaluation>> {
    let config = model.config();
    if let Some(other) =
        algorithms.into_iter().flatten().find(|name| !config.algorithms.contains(name))
    {
        bail!(
            "the network was not trained on {other}; it was trained on {}",
            config.algorithms.join(", ")
        );
    }
    // Hints that are not predicted have no score.
    let options = EvaluateOptions { hints: options.hints && config.hint_mode.decodes(), ..options };
    let mut evaluations = vec![];
    for task in model.tasks() {
        let name = task.spec().entry.name;
        if algorithms.is_some_and(|names| names.iter().all(|other| other != name)) {
            continue;
        }
        let traces = samples(task)?;
        let progress = Progress::new(name, traces.len());
        let evaluation = task.evaluate_with(&traces, options, &mut |samples| {
            progress.advance(samples);
            true
        })?;
        evaluations.extend(evaluation);
    }
    Ok(evaluations)
}

/// Score of each algorithm, summarised over all runs trained on it, which are seeds of one network.
fn summarise(all: &[(&PathBuf, Vec<Evaluation>)]) -> Vec<(String, Summary)> {
    let mut names: Vec<&str> = vec![];
    for evaluation in all.iter().flat_map(|(_, evaluations)| evaluations) {
        if !names.contains(&evaluation.algorithm.as_str()) {
            names.push(&evaluation.algorithm);
        }
    }
    let scores = |name: &str| -> Vec<f64> {
        let evaluations = all.iter().flat_map(|(_, evaluations)| evaluations);
        evaluations.filter(|one| one.algorithm == name).map(|one| one.score).collect()
    };
    names.into_iter().map(|name| (name.to_owned(), Summary::of_scores(&scores(name)))).collect()
}
