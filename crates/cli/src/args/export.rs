//! Arguments of `gleaner export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gleaner::JobId;

use super::{DatabaseUrl, value};

const EXAMPLES: &str = "\
Examples:
  gleaner export crawl.db > pages.jsonl
  gleaner export crawl.db --format markdown --out pages
  gleaner export crawl.db --follow | jq -r .metadata.title
  gleaner export jobs.db 0197c2f4-8d5e-7b1a-9c3d-2f60a1b4c8e7 --out pages.jsonl
  gleaner export 0197c2f4-8d5e-7b1a-9c3d-2f60a1b4c8e7 \\
      --database postgresql://gleaner@db.example/gleaner

It only reads the file, also while another process writes it, and holds at most a few documents in memory.";

/// Print the documents of a job in a file of --job, or in a database
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExportArgs {
    /// The file of --job; with --database, the id of a job in it
    #[arg(value_name = "FILE|JOB")]
    pub(crate) file: Option<PathBuf>,

    /// The PostgreSQL database with the jobs, in place of a file
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<DatabaseUrl>,

    /// The id of the job, if the file has several; gleaner jobs lists them
    #[arg(value_name = "JOB", value_parser = value::job)]
    pub(crate) job: Option<JobId>,

    /// The form of the documents: jsonl, one JSON document per line, or markdown [default: jsonl]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<ExportFormat>,

    /// Write to this file instead of standard output; with --format markdown, write one file per page into
    /// this folder, and index.jsonl, which lists them
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Wait for further documents until the job has ended
    #[arg(long)]
    pub(crate) follow: bool,
}

/// The form of exported documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// One JSON document per line.
    #[default]
    Jsonl,
    /// Markdown.
    Markdown,
}
