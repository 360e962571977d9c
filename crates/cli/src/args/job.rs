//! Options that keep a job in a file or in a database.

use std::path::PathBuf;

use clap::Args;

use super::DatabaseUrl;

/// The file or the database of a job.
#[derive(Debug, Args)]
#[command(next_help_heading = "Job")]
pub(crate) struct JobArgs {
    /// Keep the job in this file, so that it survives the end of the program, a crash and a power failure.
    /// The same command again goes on with the job and writes its documents again from the first one, also
    /// when it has ended; Ctrl-C stops the job and does not end it. Options of the network, the browser, the
    /// model and the output may change from run to run
    #[arg(long, value_name = "FILE")]
    pub(crate) job: Option<PathBuf>,

    /// Keep the job in this PostgreSQL database, such as postgresql://USER:PASSWORD@HOST/DATABASE, whose
    /// tables gleaner migrate creates. All processes with the same database work on the job. Ctrl-C stops
    /// this process and does not end the job
    #[arg(long, value_name = "URL", conflicts_with = "job")]
    pub(crate) database: Option<DatabaseUrl>,
}
