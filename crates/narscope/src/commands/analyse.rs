//! `narscope analyse`: analyses of the hidden states of a network, as sentences and numbers.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::bail;
use narscope::analysis::analysed::AnalysedModel;
use narscope::analysis::analyses::{self, Answer, Entry};
use narscope::analysis::answers::{CachedAnswers, run_order};
use narscope::analysis::context::Context;
use narscope::analysis::recording;

use crate::interrupt;
use crate::options;
use crate::own::{OwnOptions, RescaleOption, UndirectedOption, describe_divisor, for_network};
use crate::sampling::{PROGRESS, SamplingOptions, if_suitable, with_progress};

/// Analyse the hidden states of a network: dimensionality, symmetries, attractors, errors
///
/// Answers are printed as sentences with their numbers, and cached in `RUN/answers/NAME.json`
/// (`answers-full` with --full) until weights, configuration or samples change. On a recording, only
/// analyses that do not run the network are possible, and nothing is cached.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope analyse runs/bf                          # all analyses
  narscope analyse runs/bf dimensionality attractors --graphs 16384
  narscope analyse random.safetensors dimensionality --json
  narscope analyse runs/bf walkthrough --input cities.csv --source Berlin --rescale
  narscope list analyses                            # names of analyses")]
pub(crate) struct Analyse {
    /// Folder of the run, or a recording
    run: PathBuf,
    /// Names of analyses [default: all]
    analyses: Vec<String>,
    /// Algorithm to analyse, for a run of several
    #[arg(long)]
    algorithm: Option<String>,
    /// Checkpoint: best or last
    #[arg(long, default_value = "best", value_parser = ["best", "last"])]
    checkpoint: String,
    /// Ignore cached answers
    #[arg(long)]
    again: bool,
    /// Print JSON with all data, including that of figures
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    own: OwnOptions,
    #[command(flatten)]
    undirected: UndirectedOption,
    #[command(flatten)]
    rescale: RescaleOption,
    #[command(flatten)]
    sampling: SamplingOptions,
}

impl Analyse {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let mut entries: Vec<&Entry> = match self.analyses.as_slice() {
            [] => {
                let all: Vec<&Entry> = analyses::ALL.iter().collect();
                run_order(&all).into_iter().map(|place| all[place]).collect()
            }
            names => names.iter().map(|name| analyses::find(name)).collect::<Result<_, _>>()?,
        };
        let is_named = !self.analyses.is_empty();
        let sampling = self.sampling.sampling()?;
        let path = &self.run;
        let mut answers = vec![];
        if path.is_file() {
            if self.own.is_given() || self.algorithm.is_some() {
                bail!(
                    "{} is a recording, whose algorithm and samples are fixed: --input and --algorithm need a run",
                    path.display()
                );
            }
            let context = Context::from_recording(recording::read(path)?, sampling);
            for entry in entries {
                answers.extend(if_suitable((entry.run)(&context).map_err(Into::into), is_named)?);
            }
        } else {
            let which = options::checkpoint(&self.checkpoint);
            let model = AnalysedModel::open(path, which, self.algorithm.as_deref())?;
            if !is_named && model.config().algorithms.len() == 1 {
                entries.retain(|entry| !entry.compares_algorithms);
            }
            interrupt::save_before_exit();
            let entry = model.spec().entry;
            let direction = self.undirected.or(sampling.direction);
            self.sampling.check_own(self.own.is_given())?;
            let own = self.own.load(entry, direction)?;
            let samples = match &own {
                Some(own) => {
                    for_network(own, &model, self.rescale)?.into_iter().map(Some).collect()
                }
                None => vec![None],
            };
            for (i, sample) in samples.into_iter().enumerate() {
                let mut cached = CachedAnswers::new(path, &model, sampling, &PROGRESS);
                // Printed with the first answer: a command that fails prints nothing.
                let mut about = None;
                if let (Some(sample), Some(own)) = (sample, &own) {
                    about = Some((own[i].describe(entry), sample.divisor));
                    cached = cached.with_sample(sample);
                }
                for entry in &entries {
                    let answer = with_progress(|| {
                        if self.again { cached.compute(entry) } else { cached.answer(entry) }
                    });
                    let Some(answer) = if_suitable(answer, is_named)? else { continue };
                    if !self.json {
                        if let Some((description, divisor)) = about.take() {
                            print_own(&description, divisor)?;
                        }
                        print(&answer)?;
                    }
                    answers.push(answer);
                }
            }
        }
        if self.json {
            let mut out = std::io::stdout().lock();
            serde_json::to_writer_pretty(&mut out, &answers)?;
            writeln!(out)?;
        } else if path.is_file() {
            answers.iter().try_for_each(print)?;
        }
        Ok(())
    }
}

/// Says which instance the next answers are about.
fn print_own(description: &str, divisor: f64) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{description}")?;
    if let Some(divided) = describe_divisor(divisor) {
        writeln!(out, "{divided}")?;
    }
    Ok(writeln!(out)?)
}

fn print(answer: &Answer) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}: {}", answer.analysis, answer.question)?;
    writeln!(out, "  {}", answer.sentence)?;
    let width = answer.measures.iter().map(|measure| measure.label.chars().count()).max();
    let width = width.unwrap_or(0);
    for measure in &answer.measures {
        let value = if measure.is_share {
            format!("{:.2} %", 100.0 * measure.value)
        } else {
            format!("{:.4}", measure.value)
        };
        writeln!(out, "    {:width$}  {value:>10}", measure.label)?;
    }
    writeln!(out)?;
    Ok(())
}
