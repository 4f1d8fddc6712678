//! `narscope list`: the names of algorithms, processors, analyses and so on.

use std::io::Write as _;

use clap::ValueEnum;
use narscope::analysis::analyses;
use narscope::clrs::algorithms::{self, Entry};
use narscope::clrs::options::Options;
use narscope::clrs::split::Split;
use narscope::clrs::{family, symmetry, variants};
use narscope::model::processor;
use serde_json::{Value, json};

/// List algorithms, faulty variants, graph families, symmetries, splits, processors and analyses
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope list algorithms
  narscope list algorithms --json | jq '.algorithms[] | {name, options}'")]
pub(crate) struct List {
    /// What to list [default: everything]
    what: Option<What>,
    /// Print JSON; for algorithms with probes, sampler options and input files
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    Algorithms,
    Variants,
    Families,
    Symmetries,
    Splits,
    Processors,
    Analyses,
}

impl What {
    fn heading(self) -> &'static str {
        match self {
            Self::Algorithms => "algorithms",
            Self::Variants => "variants",
            Self::Families => "families",
            Self::Symmetries => "symmetries",
            Self::Splits => "splits",
            Self::Processors => "processors",
            Self::Analyses => "analyses",
        }
    }

    /// The items as JSON objects with at least `name` and `summary`.
    fn items(self) -> Vec<Value> {
        match self {
            Self::Algorithms => algorithms::all().into_iter().map(describe).collect(),
            Self::Variants => variants::all().map(describe).collect(),
            Self::Families => family::ALL
                .iter()
                .map(|f| json!({"name": f.name, "summary": f.summary, "options": f.options}))
                .collect(),
            Self::Symmetries => symmetry::ALL
                .iter()
                .map(|s| json!({"name": s.name, "summary": s.summary}))
                .collect(),
            Self::Splits => Split::ALL.into_iter().map(describe_split).collect(),
            Self::Analyses => analyses::ALL
                .iter()
                .map(|a| json!({"name": a.name, "summary": a.question, "paper": a.paper}))
                .collect(),
            Self::Processors => processor::all()
                .iter()
                .map(|preset| json!({"name": preset.name, "summary": preset.config.summary()}))
                .collect(),
        }
    }
}

impl List {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { what, json } = self;
        let all: Vec<What> = match what {
            Some(what) => vec![what],
            None => What::value_variants().to_vec(),
        };
        let mut out = std::io::stdout().lock();
        if json {
            let lists = all.iter().map(|what| (what.heading().to_owned(), what.items().into()));
            serde_json::to_writer_pretty(&mut out, &Value::Object(lists.collect()))?;
            writeln!(out)?;
            return Ok(());
        }
        for (i, what) in all.iter().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            writeln!(out, "{}", what.heading())?;
            let items = what.items();
            let text = |item: &Value, field: &str| item[field].as_str().unwrap_or("").to_owned();
            let width = items.iter().map(|item| text(item, "name").len()).max().unwrap_or(0);
            for item in &items {
                writeln!(out, "  {:width$}  {}", text(item, "name"), text(item, "summary"))?;
            }
        }
        Ok(())
    }
}

fn describe(entry: &Entry) -> Value {
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "category": entry.category,
        "clrs30": entry.in_clrs_30,
        "multiplier": entry.multiplier,
        "options": entry.options(&Options::default()),
        "input_file": entry.wanted(),
        "probes": entry.probes,
    })
}

fn describe_split(split: Split) -> Value {
    let (length, seed) = (split.length(), split.seed());
    let count = match split {
        Split::Train => "1000 samples",
        Split::Val | Split::Test => "32 samples times the algorithm's multiplier",
    };
    json!({
        "name": split.name(),
        "summary": format!("length {length}, seed {seed}, {count}"),
        "length": length,
        "seed": seed,
    })
}
