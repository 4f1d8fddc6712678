//! `narscope evaluate`: how well trained networks do.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use narscope::clrs::split::Split;
use narscope::clrs::trace::Traces;
use narscope::model::data::{benchmark, drawn};
use narscope::model::evaluate::{self, Evaluation, Wanted};
use narscope::model::net::{Net, Spec, Use};
use narscope::model::rollout::Steps;
use narscope::model::run::{Run, Which};
use narscope::model::statistics::Summary;
use narscope::model::{Device, config::Config};
use serde_json::json;

use crate::options::{self, SamplerOptions};
use crate::progress::Progress;
use crate::table;

/// Score trained networks on the benchmark's samples or on any others
///
/// With several runs, such as seeds of one configuration, also the mean over them, the standard
/// deviation and a 95 % confidence interval.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope evaluate runs/bf                                    the benchmark's test samples
  narscope evaluate runs/bf --length 128 --num 16 --seed 7 --p 0.25
  narscope evaluate runs/bf --length 64 --num 32 --family grid --hints --json
  narscope evaluate runs/bellman_ford/mpnn/seed=*              mean and interval over seeds")]
pub(crate) struct Evaluate {
    /// Folders of runs
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Only these algorithms, of those that the networks have learnt
    #[arg(long, value_delimiter = ',')]
    algorithms: Option<Vec<String>>,
    /// Samples of the benchmark: train, val or test
    #[arg(long, default_value = "test", conflicts_with = "length")]
    split: Split,
    /// Size of new samples to draw in place of the benchmark's
    #[arg(long)]
    length: Option<usize>,
    /// Number of new samples
    #[arg(long, alias = "num_samples", default_value_t = 32, requires = "length",
          value_parser = clap::value_parser!(u32).range(1..))]
    num: u32,
    /// Seed of new samples
    #[arg(long, default_value_t = 3, requires = "length")]
    seed: u32,
    /// Which checkpoint: best or last
    #[arg(long, default_value = "best", value_parser = ["best", "last"])]
    checkpoint: String,
    /// Steps beyond the algorithm's own, or short of them if negative
    #[arg(long, alias = "more_steps", default_value_t = 0, allow_hyphen_values = true)]
    more_steps: isize,
    /// Score hints too, along time
    #[arg(long)]
    hints: bool,
    /// Score every sample by itself (with --json)
    #[arg(long, alias = "per_sample", requires = "json")]
    per_sample: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: SamplerOptions,
}

/// Further than anybody would follow a network.
const MOST_STEPS: usize = 100_000;

impl Evaluate {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { runs, algorithms, split, length, num, seed, checkpoint, .. } = &self;
        let which = options::checkpoint(checkpoint);
        let given = self.options.clone().plain().given();
        if length.is_none() && !given.is_empty() {
            bail!(
                "{} can be chosen for new samples only: give their --length, too",
                given.join(", ")
            );
        }
        if self.more_steps.unsigned_abs() > MOST_STEPS {
            bail!("--more-steps should be at most {MOST_STEPS}, found {}", self.more_steps);
        }
        let wanted = Wanted {
            hints: self.hints,
            per_sample: self.per_sample,
            steps: if self.more_steps == 0 { Steps::Own } else { Steps::OwnAnd(self.more_steps) },
        };
        let samples = |spec: &Spec, config: &Config| -> anyhow::Result<Traces> {
            let Some(length) = *length else { return Ok(benchmark(spec, *split, config)?) };
            let options = self.options.clone().into_options(spec.entry);
            Ok(drawn(spec, config, length, &options, *seed, *num as usize)?)
        };
        let mut all = vec![];
        for path in runs {
            let run = Run::open(path)?;
            let evaluations = evaluate(&run, which, algorithms.as_deref(), wanted, &samples)
                .with_context(|| path.display().to_string())?;
            all.push((path, evaluations));
        }

        let summaries = summarise(&all);
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
            let answer = json!({"runs": runs, "summaries": summaries});
            serde_json::to_writer_pretty(&mut out, &answer)?;
            writeln!(out)?;
            return Ok(());
        }
        for (path, evaluations) in &all {
            writeln!(out, "{}", path.display())?;
            table::scores(evaluations, &mut out)?;
            table::hints(evaluations, &mut out)?;
        }
        if all.len() > 1 {
            table::summaries(&summaries, &mut out)?;
        }
        Ok(())
    }
}

fn evaluate(
    run: &Run,
    which: Which,
    algorithms: Option<&[String]>,
    wanted: Wanted,
    samples: &dyn Fn(&Spec, &Config) -> anyhow::Result<Traces>,
) -> anyhow::Result<Vec<Evaluation>> {
    let (specs, weights) = (run.specs()?, run.checkpoint(which)?.weights);
    let config = &run.config;
    if let Some(other) =
        algorithms.into_iter().flatten().find(|name| !config.algorithms.contains(name))
    {
        bail!("the network has not learnt {other}; it has learnt {}", config.algorithms.join(", "));
    }
    let net = Net::bind(config, &specs, &weights, &Device::flex(), Use::Predict);
    // What is not predicted has no score.
    let wanted = Wanted { hints: wanted.hints && config.hint_mode.decodes(), ..wanted };
    let mut evaluations = vec![];
    for (task, spec) in specs.iter().enumerate() {
        if algorithms.is_some_and(|names| names.iter().all(|name| name != spec.entry.name)) {
            continue;
        }
        let traces = samples(spec, config)?;
        let progress = Progress::new(spec.entry.name, traces.len());
        let network = (&net, task, spec, config);
        let evaluation = evaluate::evaluate(network, &traces, wanted, &mut |samples| {
            progress.advance(samples);
            true
        })?;
        evaluations.extend(evaluation);
    }
    Ok(evaluations)
}

/// The scores of each algorithm over all runs that have learnt it.
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
    names.into_iter().map(|name| (name.to_owned(), Summary::of(&scores(name)))).collect()
}
