//! `narscope report`: everything that was found about runs, on one page.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::bail;
use narscope::analysis::analyses::{self, Entry};
use narscope::analysis::study::Size;
use narscope::analysis::subject::Subject;
use narscope::clrs::options::Direction;
use narscope::files::whole::{self, Existing};
use narscope::model::run::Which;
use narscope::report::page::{About, page};
use narscope::results::{NetworkAnswers, variants};

use crate::ask::{Asker, SizeOptions};
use crate::progress::note;

/// Write one HTML page with all answers and pictures, beside the paper's numbers
///
/// The page needs nothing else: no network, no other file. Runs that differ in nothing but their
/// seed are shown together, with means and spread. What has not been asked yet is asked first.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope report runs/bf                           into runs/bf/report.html
  narscope report runs/linear-4? runs/softmax-42 --out paper.html")]
pub(crate) struct Report {
    /// Folders of runs
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// File to write [default: report.html in the folder of the first run]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Which of the algorithms of the runs
    #[arg(long)]
    algorithm: Option<String>,
    #[command(flatten)]
    size: SizeOptions,
}

impl Report {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { runs, out, algorithm, size } = self;
        let size = size.size()?;
        let questions: Vec<&Entry> = analyses::ALL.iter().collect();
        let mut told = vec![];
        for run in &runs {
            if runs.len() > 1 {
                note(&format!("{}", run.display()));
            }
            let subject = Subject::open(run, Which::Best, algorithm.as_deref())?;
            told.push(Asker::new(run, &subject, size).tell(&questions)?);
        }
        tell_apart(&mut told)?;
        let out = out.unwrap_or_else(|| runs[0].join("report.html"));
        let title = format!("What happens inside {}", variants(&told).join(", "));
        let megabytes = write(&out, &title, size, &told)?;
        writeln!(std::io::stdout(), "{}: {megabytes:.1} MB", out.display())?;
        Ok(())
    }
}

/// Writes the page of everything that was told, and returns its size in megabytes.
pub(crate) fn write(
    out: &Path,
    title: &str,
    size: Size,
    told: &[NetworkAnswers],
) -> anyhow::Result<f64> {
    let command = std::env::args_os().map(|it| it.to_string_lossy().into_owned());
    let command: Vec<String> = command.collect();
    let about = About {
        title: title.to_owned(),
        command: command.join(" "),
        version: format!("narscope {}", env!("CARGO_PKG_VERSION")),
        size: format!("{} {}graphs of {} nodes", size.graphs, kind(size), size.length),
    };
    let text = page(&about, told)?;
    whole::write(out, Existing::Replace, |file| file.write_all(text.as_bytes()))?;
    Ok(text.len() as f64 / 1e6)
}

/// Names what differs between networks of the same kind, so that nothing but seeds is averaged over.
fn tell_apart(told: &mut [NetworkAnswers]) -> anyhow::Result<()> {
    let settings = |one: &NetworkAnswers| -> BTreeSet<String> {
        let config = one.config.to_toml();
        config.lines().filter(|line| !line.starts_with("seed ")).map(str::to_owned).collect()
    };
    let all: Vec<(String, BTreeSet<String>)> =
        told.iter().map(|one| (one.variant.clone(), settings(one))).collect();
    for (one, (variant, own)) in told.iter_mut().zip(&all) {
        let others = all.iter().filter(|(other, _)| other == variant);
        let mut differs: Vec<&String> =
            others.flat_map(|(_, other)| own.difference(other)).collect();
        differs.sort_unstable();
        differs.dedup();
        for setting in differs {
            one.variant.extend([", ", setting]);
        }
    }
    let mut known = BTreeSet::new();
    for NetworkAnswers { variant, seed, .. } in told {
        if !known.insert((variant.clone(), *seed)) {
            bail!(
                "two runs are {variant} with seed {seed}: means need runs that differ in their seed"
            );
        }
    }
    Ok(())
}

/// What kind of graphs were looked at, if it is not the benchmark's.
fn kind(size: Size) -> &'static str {
    match size.direction {
        Some(Direction::Directed) => "directed ",
        _ => "",
    }
}
