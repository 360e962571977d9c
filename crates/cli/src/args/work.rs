//! Arguments of `gleaner work`.

use clap::Args;

use super::WorkerArgs;
use super::database::DatabaseArgs;

const EXAMPLES: &str = "\
Examples:
  gleaner work --database postgresql://gleaner:PASSWORD@db.example/gleaner
  gleaner work --database \"$DATABASE\" --concurrency 200 --quiet

Start it as often as you like, on any machine, with the options of the network, the browser and the model of \
the command that started the job. It ends when no job of the database is unfinished. Ctrl-C and SIGTERM finish \
the pages in work and hand the rest to the other processes.";

/// Work on the jobs of a database until they have ended
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WorkArgs {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// Wait for new jobs when all have ended
    #[arg(long)]
    pub(crate) stay: bool,

    #[command(flatten)]
    pub(crate) worker: WorkerArgs,
}
