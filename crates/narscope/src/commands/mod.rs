//! The subcommands, one file each.

mod analyse;
mod bench;
mod compare;
mod completions;
mod convert;
mod dataset;
mod demo;
mod evaluate;
mod examples;
mod explore;
mod export;
mod figure;
mod import;
mod kinds;
mod list;
mod predict;
mod record;
mod report;
mod reproduce;
mod sample;
mod sweep;
mod table;
mod trace;
mod train;

/// All subcommands. A new one needs a file, its `mod`, a variant and an arm in `run`.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    Demo(demo::Demo),
    List(list::List),
    Examples(examples::Examples),
    Trace(trace::Trace),
    Sample(sample::Sample),
    Dataset(dataset::Dataset),
    Train(Box<train::Train>),
    Evaluate(Box<evaluate::Evaluate>),
    Predict(predict::Predict),
    Record(Box<record::Record>),
    Convert(convert::Convert),
    Analyse(analyse::Analyse),
    Figure(figure::Figure),
    Report(report::Report),
    Explore(explore::Explore),
    Compare(compare::Compare),
    Kinds(kinds::Kinds),
    Reproduce(reproduce::Reproduce),
    Sweep(sweep::Sweep),
    Table(table::Table),
    Bench(Box<bench::Bench>),
    Import(import::Import),
    Export(export::Export),
    Completions(completions::Completions),
}

impl Command {
    /// Runs the subcommand.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Demo(command) => command.run(),
            Self::List(command) => command.run(),
            Self::Examples(command) => command.run(),
            Self::Trace(command) => command.run(),
            Self::Sample(command) => command.run(),
            Self::Dataset(command) => command.run(),
            Self::Train(command) => command.run(),
            Self::Evaluate(command) => command.run(),
            Self::Predict(command) => command.run(),
            Self::Record(command) => command.run(),
            Self::Convert(command) => command.run(),
            Self::Analyse(command) => command.run(),
            Self::Figure(command) => command.run(),
            Self::Report(command) => command.run(),
            Self::Explore(command) => command.run(),
            Self::Compare(command) => command.run(),
            Self::Kinds(command) => command.run(),
            Self::Reproduce(command) => command.run(),
            Self::Sweep(command) => command.run(),
            Self::Table(command) => command.run(),
            Self::Bench(command) => command.run(),
            Self::Import(command) => command.run(),
            Self::Export(command) => command.run(),
            Self::Completions(command) => command.run(),
        }
    }
}
