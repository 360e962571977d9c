//! Arguments of `gleaner migrate`.

use clap::Args;

use super::database::DatabaseArgs;

const EXAMPLES: &str = "\
Examples:
  gleaner migrate --database postgresql://gleaner:PASSWORD@db.example/gleaner

It creates the tables in the schema gleaner, or changes those of an earlier version. Tables that are up to \
date stay as they are.";

/// Create or upgrade the tables of a database of jobs
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MigrateArgs {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}
