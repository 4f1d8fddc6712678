//! `narscope analyse`: questions about what a network does inside, answered with numbers.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::bail;
use narscope::analysis::analyses::{self, Answer, Entry};
use narscope::analysis::recording;
use narscope::analysis::study::Study;
use narscope::analysis::subject::Subject;

use crate::ask::{Asker, SizeOptions, wanted};
use crate::options::{self, OwnOptions};

/// Ask what happens inside a network: dimensions, symmetries, attractors, mistakes
///
/// Answers are kept in `RUN/answers/NAME.json` (`answers-full` with --full), for the next time that nothing has
/// changed, and printed as sentences with their numbers. Of a recording, only what needs no network can be asked;
/// nothing is written then.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope analyse runs/bf                          every question
  narscope analyse runs/bf dimensionality attractors --graphs 16384
  narscope analyse random.safetensors dimensionality --json
  narscope list analyses                            what can be asked")]
pub(crate) struct Analyse {
    /// Folder of the run, or a recording
    subject: PathBuf,
    /// Names of analyses; all if none is given
    analyses: Vec<String>,
    /// Which of the algorithms of the run
    #[arg(long)]
    algorithm: Option<String>,
    /// Which checkpoint: best or last
    #[arg(long, default_value = "best", value_parser = ["best", "last"])]
    checkpoint: String,
    /// Ask again what is known already
    #[arg(long)]
    again: bool,
    /// Print JSON, with everything that a figure needs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    own: OwnOptions,
    #[command(flatten)]
    size: SizeOptions,
}

impl Analyse {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let chosen: Vec<&Entry> = match self.analyses.as_slice() {
            [] => {
                let mut all: Vec<&Entry> = analyses::ALL.iter().collect();
                // The others find what they need in its runs.
                all.sort_by_key(|entry| !entry.first);
                all
            }
            names => names.iter().map(|name| analyses::find(name)).collect::<Result<_, _>>()?,
        };
        let is_named = !self.analyses.is_empty();
        let size = self.size.size()?;
        let path = &self.subject;
        let mut answers = vec![];
        if path.is_file() {
            if self.own.is_given() || self.algorithm.is_some() {
                bail!(
                    "{} is a recording of one algorithm on samples that were given to it: --input and --algorithm need a run",
                    path.display()
                );
            }
            let recording = recording::read(path)?;
            let study = Study::of_recording(recording, size);
            for entry in chosen {
                answers.extend(wanted((entry.answer)(&study).map_err(Into::into), is_named)?);
            }
        } else {
            let which = options::checkpoint(&self.checkpoint);
            let subject = Subject::open(path, which, self.algorithm.as_deref())?;
            let asker = Asker::new(path, &subject, size).on(self.own.read(size.direction)?)?;
            for entry in chosen {
                let answer = if self.again { asker.ask(entry) } else { asker.answer(entry) };
                let Some(answer) = wanted(answer, is_named)? else { continue };
                if !self.json {
                    print(&answer)?;
                }
                answers.push(answer);
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
