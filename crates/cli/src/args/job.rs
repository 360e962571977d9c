use std::path::PathBuf;

use clap::Args;

/// The file of a job.
#[derive(Debug, Args)]
#[command(next_help_heading = "Job")]
pub(crate) struct JobArgs {
    /// Keep the job in this file, so that it survives the end of the program, a crash and a power failure.
    /// The same command again goes on with the job and writes its documents again from the first one, also
    /// when it has ended; Ctrl-C stops the job and does not end it. Options of the network, the browser, the
    /// model and the output may change from run to run
    #[arg(long, value_name = "FILE")]
    pub(crate) job: Option<PathBuf>,
}
