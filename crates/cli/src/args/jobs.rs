use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  gleaner jobs crawl.db
  gleaner jobs crawl.db --json | jq -r 'select(.state == \"scraping\").id'

It only reads the file, also while another process writes it. An unfinished job goes on with the command that
started it, or with gleaner resume. Single scrapes are not listed.";

/// List the jobs in a file of --job
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct JobsArgs {
    /// The file of --job
    pub(crate) file: PathBuf,

    /// Print one JSON object per line instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}
