//! The versions of the schema.
//!
//! A program works with the schema of its own version, and with a later one whose `compatible_from` is not
//! after it. So a rolling upgrade migrates first, and then replaces the processes one after another. Where
//! the new schema is not compatible, all processes are stopped first. A program refuses an older schema.

use async_trait::async_trait;
use gleaner_store::{Error, ErrorKind};
use tokio_postgres::types::Type;

use crate::config::PostgresConfig;
use crate::database::{Database, Sql};
use crate::failure::Failure;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// Makes one version from the version before.
struct Migration {
    statements: &'static str,
    /// The first version of the program that works with the result.
    compatible_from: i32,
}

/// The first makes version 1.
const MIGRATIONS: [Migration; 2] = [
    Migration { statements: include_str!("schema/1.sql"), compatible_from: 1 },
    Migration { statements: include_str!("schema/2.sql"), compatible_from: 1 },
];

/// The version of the schema that this program is written for: the number of migrations.
const VERSION: i32 = 2;

/// Makes the schema, or brings it to the version of this program. It may have that version already, or a
/// later one that this program works with.
pub(crate) async fn migrate(config: &PostgresConfig) -> Result<(), Error> {
    let database = Database::new(config)?;
    let operation = Migrate { sql: &database.sql, schema: &config.schema };
    Ok(database.write_plain(&operation).await?)
}

/// The version of the server, whatever the schema has.
pub(crate) async fn server_version(config: &PostgresConfig) -> Result<u32, Error> {
    Ok(Database::new(config)?.read(&ReadServerVersion).await?)
}

/// Checks that the program works with the schema.
pub(crate) async fn check(database: &Database) -> Result<(), Error> {
    require(database.read(&ReadVersion { sql: &database.sql }).await?)
}

/// Deletes markers that no process reads any more.
pub(crate) async fn delete_old_markers(database: &Database) -> Result<(), Error> {
    Ok(database.write(&DeleteOldMarkers { sql: &database.sql }).await?)
}

/// The version of a schema, and the first of the program that works with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Version {
    version: i32,
    compatible_from: i32,
}

/// Refuses what this program does not work with.
fn require(found: Option<Version>) -> Result<(), Error> {
    let refused = |kind, text: String| Err(Error::new(kind, text));
    match found {
        None => refused(
            ErrorKind::Unsuitable,
            "the database has no tables of gleaner in this schema; run `gleaner migrate`".to_owned(),
        ),
        Some(found) if found.version < VERSION => refused(
            ErrorKind::Unsuitable,
            format!(
                "the schema has version {}, and the program {VERSION}; run `gleaner migrate`",
                found.version
            ),
        ),
        Some(found) if found.compatible_from > VERSION => refused(
            ErrorKind::Newer,
            format!(
                "the schema has version {}, which works with programs from version {}; this has {VERSION}",
                found.version, found.compatible_from
            ),
        ),
        Some(_) => Ok(()),
    }
}

struct ReadVersion<'a> {
    sql: &'a Sql,
}

#[async_trait]
impl Operation for ReadVersion<'_> {
    type Output = Option<Version>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Option<Version>, Failure> {
        version(t, self.sql).await
    }
}

struct ReadServerVersion;

#[async_trait]
impl Operation for ReadServerVersion {
    type Output = u32;

    async fn run(&self, t: &Transaction<'_>) -> Result<u32, Failure> {
        let row = t.query_typed_one("SELECT current_setting('server_version_num')::int4", &[]).await?;
        Ok(row.try_get::<_, i32>(0)?.unsigned_abs())
    }
}

struct DeleteOldMarkers<'a> {
    sql: &'a Sql,
}

#[async_trait]
impl Operation for DeleteOldMarkers<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let text = "DELETE FROM {schema}.operation WHERE at < now() - interval '1 day'";
        t.execute_typed(&self.sql.text(text), &[]).await?;
        Ok(())
    }
}

struct Migrate<'a> {
    sql: &'a Sql,
    schema: &'a str,
}

#[async_trait]
impl Operation for Migrate<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        // One process at a time, whatever the schema. The lock ends with the transaction.
        t.query_typed("SELECT pg_advisory_xact_lock(hashtextextended('gleaner migrate', 0))", &[]).await?;
        let found = version(t, self.sql).await?;
        if let Some(found) = found
            && found.version >= VERSION
        {
            return Ok(require(Some(found))?);
        }
        if found.is_none() {
            self.create_schema(t).await?;
        }
        let done = usize::try_from(found.map_or(0, |found| found.version)).unwrap_or(0);
        for migration in MIGRATIONS.iter().skip(done) {
            t.batch_execute(&self.sql.text(migration.statements)).await?;
        }
        let compatible_from = MIGRATIONS.last().map_or(VERSION, |migration| migration.compatible_from);
        let text = "WITH old AS (DELETE FROM {schema}.meta) \
                    INSERT INTO {schema}.meta (version, compatible_from) VALUES ($1, $2)";
        let values = [VERSION, compatible_from];
        let [version, compatible_from] = &values;
        t.execute_typed(&self.sql.text(text), &[(version, Type::INT4), (compatible_from, Type::INT4)])
            .await?;
        Ok(())
    }
}

impl Migrate<'_> {
    /// Makes the schema if there is none: `IF NOT EXISTS` needs the right to make it in any case.
    async fn create_schema(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let text = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1";
        if t.query_typed_opt(text, &[(&self.schema, Type::TEXT)]).await?.is_none() {
            t.batch_execute(&self.sql.text("CREATE SCHEMA {schema}")).await?;
        }
        Ok(())
    }
}

/// The version of the schema; `None` if it has no tables.
async fn version(t: &Transaction<'_>, sql: &Sql) -> Result<Option<Version>, Failure> {
    let table = sql.text("{schema}.meta");
    let exists = t.query_typed_one("SELECT to_regclass($1) IS NOT NULL", &[(&table, Type::TEXT)]).await?;
    if !exists.try_get::<_, bool>(0)? {
        return Ok(None);
    }
    let text = sql.text("SELECT version, compatible_from FROM {schema}.meta");
    let Some(row) = t.query_typed_opt(&text, &[]).await? else { return Ok(None) };
    Ok(Some(Version { version: row.try_get(0)?, compatible_from: row.try_get(1)? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_works_with_its_schema_and_compatible_later_ones() {
        let version = |version, compatible_from| Some(Version { version, compatible_from });
        for found in [version(VERSION, VERSION), version(VERSION + 1, VERSION), version(VERSION + 2, 1)] {
            assert!(require(found).is_ok(), "{found:?}");
        }
        for found in [None, version(VERSION - 1, 1)] {
            let error = require(found).unwrap_err();
            assert!(error.is_unsuitable() && error.to_string().contains("gleaner migrate"), "{error}");
        }
        assert!(require(version(VERSION + 1, VERSION + 1)).unwrap_err().is_newer());
    }

    #[test]
    fn each_version_has_a_migration_and_each_table_a_purpose() {
        assert_eq!(MIGRATIONS.len(), usize::try_from(VERSION).unwrap());
        let text = MIGRATIONS.iter().map(|migration| migration.statements).collect::<String>();
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("CREATE TABLE")) {
            assert!(line.starts_with("CREATE TABLE {schema}."), "{line}");
            let before = lines[..at].iter().rev().find(|line| !line.is_empty()).unwrap();
            assert!(before.starts_with("-- ") || *before == ");", "{line}");
        }
    }
}
