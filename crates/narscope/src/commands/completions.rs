//! `narscope completions`: what a shell needs to complete our commands.

use clap::CommandFactory as _;

/// Print the completions of a shell, to be sourced by it
#[derive(clap::Args)]
#[command(after_help = "Example:
  narscope completions bash > /etc/bash_completion.d/narscope")]
pub(crate) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

impl Completions {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { shell } = self;
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut crate::Cli::command(), "narscope", &mut text);
        std::io::Write::write_all(&mut std::io::stdout(), &text)?;
        Ok(())
    }
}
