//! The option `--json` of the summary of a command.

use clap::Args;

/// The summary at the end.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct SummaryArgs {
    /// Write the summary as one JSON object into the last line of standard error, in place of sentences and
    /// progress. It has command, exitCode and milliseconds; for scrape url and statusCode; for crawl and batch
    /// pages, earlierPages, failed, robotsBlocked, statuses and the first failures (url, code, error); for
    /// extract values, pages, pagesRead and tokens; and if there are any job, warnings, notes, error and hint.
    /// Results are printed as without it
    #[arg(long)]
    pub(crate) json: bool,
}
