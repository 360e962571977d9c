//! Arguments of `gleaner backup`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  gleaner backup crawl.db copy.db
  gleaner backup crawl.db copy.db --with-secrets

The copy has the state of one moment, also while another process writes the file. Requests with their headers \
and cookies, and webhooks, are not in the file but in the folder FILE-secrets beside it.";

/// Copy a file of --job
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BackupArgs {
    /// The file of --job
    pub(crate) file: PathBuf,

    /// The new file
    #[arg(value_name = "DEST")]
    pub(crate) to: PathBuf,

    /// Copy the secrets of its jobs too; without them, unfinished jobs cannot go on from the copy
    #[arg(long)]
    pub(crate) with_secrets: bool,
}
