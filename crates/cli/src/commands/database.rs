//! Databases of jobs, which several processes share.

use std::fmt::Display;
use std::path::Path;

use gleaner::JobId;
use gleaner::postgres::{JobList, PostgresConfig, PostgresStore};

use crate::args::MigrateArgs;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;

/// Upper bound on the jobs that a command looks at, the last ones.
pub(super) const MAX_LISTED: u32 = 10_000;

/// Creates or upgrades the tables.
pub(super) async fn migrate(console: &Console, args: &MigrateArgs) -> Result<u8, Failure> {
    gleaner::postgres::migrate(&args.database.database.config()).await.map_err(Failure::failed)?;
    console.note("the tables are up to date");
    Ok(exit::DONE)
}

/// The list of jobs.
///
/// # Errors
/// The database cannot be used.
pub(super) async fn list(config: &PostgresConfig) -> Result<JobList, Failure> {
    JobList::open(config).await.map_err(|error| unusable(&error))
}

/// The store, for a command that only reads.
///
/// # Errors
/// The database cannot be used.
pub(super) async fn store(config: &PostgresConfig) -> Result<PostgresStore, Failure> {
    PostgresStore::open(config.clone()).await.map_err(|error| unusable(&error))
}

/// The failure of a database that cannot be used. The text of the error contains no password.
pub(super) fn unusable(error: &dyn Display) -> Failure {
    Failure::Failed {
        message: format!("--database: {error}"),
        hint: Some("gleaner migrate --database URL creates or upgrades the tables".to_owned()),
    }
}

/// The id of a job in the place of a file.
///
/// # Errors
/// It is none.
pub(super) fn job_id(text: &Path) -> Result<JobId, Failure> {
    text.to_str().and_then(|text| text.parse().ok()).ok_or_else(|| {
        Failure::usage("[JOB]: with --database, name a job by its id; gleaner jobs --database URL lists them")
    })
}
