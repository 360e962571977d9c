//! Arguments of `gleaner completions`.

use clap::Args;
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  gleaner completions bash > ~/.local/share/bash-completion/completions/gleaner
  gleaner completions zsh > ~/.zfunc/_gleaner
  gleaner completions fish > ~/.config/fish/completions/gleaner.fish

For zsh, the folder must be in fpath before compinit, as in: fpath=(~/.zfunc $fpath)";

/// Print a script with which a shell completes the options of this command
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}
