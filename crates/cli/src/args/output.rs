use std::path::PathBuf;

use clap::Args;

/// Where documents go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write one Markdown file a page into this folder, and index.jsonl, which lists them (a page asked for in other
    /// formats too gets a .json file with all of them). A crawl or batch begins the index anew and leaves files of an
    /// earlier run where they are; a scrape adds its page to the index
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
