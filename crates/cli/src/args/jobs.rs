//! Arguments of `gleaner jobs`.

use std::path::PathBuf;

use clap::Args;

use super::DatabaseUrl;

const EXAMPLES: &str = "\
Examples:
  gleaner jobs crawl.db
  gleaner jobs --database postgresql://gleaner@db.example/gleaner
  gleaner jobs crawl.db --json | jq -r 'select(.state == \"scraping\").id'

It only reads the file, also while another process writes it. An unfinished job goes on with the command that \
started it, or with gleaner resume. Single scrapes are not listed.";

/// List the jobs in a file of --job, or in a database
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct JobsArgs {
    /// The file of --job
    #[arg(value_name = "FILE", conflicts_with = "database")]
    pub(crate) file: Option<PathBuf>,

    /// The PostgreSQL database with the jobs, in place of a file
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<DatabaseUrl>,

    /// Print one JSON object per line instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}
