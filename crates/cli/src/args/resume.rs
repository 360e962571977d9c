//! Arguments of `gleaner resume`.

use std::path::PathBuf;

use clap::Args;

use super::{DatabaseUrl, OutputArgs, WorkerArgs};

const EXAMPLES: &str = "\
Examples:
  gleaner resume crawl.db --out pages
  gleaner resume 0197c2f4-8d5e-7b1a-9c3d-2f60a1b4c8e7 \\
      --database postgresql://gleaner@db.example/gleaner
  gleaner resume crawl.db --quiet > /dev/null &&
      gleaner export crawl.db > pages.jsonl

The jobs go on with the options that they were started with. Options of the network (such as --allow-private), \
the browser, the model and the output are those of this command: give them again. Documents are written from \
the first one of each job; the data of an extract is printed.";

/// Go on with all jobs of a file that have not ended, or with jobs of a database
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ResumeArgs {
    /// The file of --job; with --database, the id of one job, or nothing for all unfinished ones
    #[arg(value_name = "FILE|JOB")]
    pub(crate) file: Option<PathBuf>,

    /// The PostgreSQL database with the jobs, in place of a file
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<DatabaseUrl>,

    #[command(flatten)]
    pub(crate) worker: WorkerArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// List the pages without a document in this file, one JSON object per line [default: failures.jsonl in
    /// --out]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) failures: Option<PathBuf>,
}
