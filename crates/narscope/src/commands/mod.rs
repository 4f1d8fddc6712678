//! The subcommands, one file each.

mod completions;
mod dataset;
mod demo;
mod list;
mod sample;
mod trace;

/// To add a subcommand: write its file, add its `mod`, its variant and its arm.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    Demo(demo::Demo),
    List(list::List),
    Trace(trace::Trace),
    Sample(sample::Sample),
    Dataset(dataset::Dataset),
    Completions(completions::Completions),
}

impl Command {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Demo(command) => command.run(),
            Self::List(command) => command.run(),
            Self::Trace(command) => command.run(),
            Self::Sample(command) => command.run(),
            Self::Dataset(command) => command.run(),
            Self::Completions(command) => command.run(),
        }
    }
}
