//! Arguments of `gleaner man`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  gleaner man ~/.local/share/man/man1
  gleaner man . && man ./gleaner-crawl.1";

/// Write the manual pages: gleaner.1, and one for each command
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArgs {
    /// The folder to write to; it is created if it is missing
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}
