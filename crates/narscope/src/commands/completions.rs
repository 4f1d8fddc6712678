//! `narscope completions`: tab completion for shells.

/// Print a shell's completion script
#[derive(clap::Args)]
#[command(after_help = "Examples:
  source <(narscope completions bash)
  narscope completions zsh > ~/.zfunc/_narscope")]
pub(crate) struct Completions {
    /// Shell to complete for
    shell: clap_complete::Shell,
}

impl Completions {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { shell } = self;
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut crate::command(), "narscope", &mut text);
        std::io::Write::write_all(&mut std::io::stdout(), &text)?;
        Ok(())
    }
}
