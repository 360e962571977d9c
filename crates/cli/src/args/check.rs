//! Arguments of `gleaner check`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  gleaner check crawl.db && gleaner backup crawl.db copy.db

It verifies the structure of the file, the checksum of each record and document, and what they must agree on. \
Findings are printed, one per line.
Exit codes: 0 no damage, 1 findings, 2 no such file.";

/// Verify a file of --job
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    /// The file of --job
    pub(crate) file: PathBuf,

    /// Print one JSON object instead of lines: file, ok and findings
    #[arg(long)]
    pub(crate) json: bool,
}
