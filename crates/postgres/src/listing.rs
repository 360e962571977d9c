//! Lists the jobs of a database for command-line tools, without working on them.

use std::collections::HashMap;

use async_trait::async_trait;
use gleaner_store::{Error, JobSnapshot};
use tokio_postgres::types::Type;

use crate::config::PostgresConfig;
use crate::database::{Database, Sql};
use crate::failure::Failure;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// A job in a [`JobList`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ListedJob {
    /// Its state.
    pub snapshot: JobSnapshot,
    /// The URL under which it is listed, as the user wrote it.
    pub url: Option<String>,
}

/// The jobs of a database, of all teams and of none, for tools. It only reads, and works on nothing.
#[derive(Debug)]
pub struct JobList {
    database: Database,
}

impl JobList {
    /// Connects to the database.
    ///
    /// # Errors
    /// As for [`PostgresStore::open`](crate::PostgresStore::open).
    pub async fn open(config: &PostgresConfig) -> Result<Self, Error> {
        Ok(Self { database: Database::connect(config).await? })
    }

    /// The last `max` crawls, batches and extracts, in the order of their start. Parts of extracts are left
    /// out.
    ///
    /// # Errors
    /// [`Io`](gleaner_store::ErrorKind::Io).
    pub async fn jobs(&self, max: u32) -> Result<Vec<ListedJob>, Error> {
        self.list("", max).await
    }

    /// Like [`jobs`](Self::jobs), without those that have ended.
    ///
    /// # Errors
    /// [`Io`](gleaner_store::ErrorKind::Io).
    pub async fn unfinished(&self, max: u32) -> Result<Vec<ListedJob>, Error> {
        self.list("AND state = 0", max).await
    }

    async fn list(&self, condition: &'static str, max: u32) -> Result<Vec<ListedJob>, Error> {
        let list = List { sql: &self.database.sql, condition, max: i64::from(max) };
        Ok(self.database.read(&list).await?)
    }
}

struct List<'a> {
    sql: &'a Sql,
    condition: &'static str,
    max: i64,
}

#[async_trait]
impl Operation for List<'_> {
    type Output = Vec<ListedJob>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Self::Output, Failure> {
        let rest = format!(
            "WHERE NOT removed AND kind IS NOT NULL AND part_of IS NULL {} ORDER BY number DESC LIMIT $1",
            self.condition
        );
        let mut rows = JobRow::select(t, self.sql, &rest, &[(&self.max, Type::INT8)]).await?;
        rows.reverse();
        let numbers: Vec<i32> = rows.iter().map(|row| row.number).collect();
        let text = self.sql.text("SELECT job, url FROM {schema}.job_form WHERE job = ANY($1)");
        let mut urls = HashMap::new();
        for row in t.query_typed(&text, &[(&numbers, Type::INT4_ARRAY)]).await? {
            let (number, url): (i32, Option<String>) = (row.try_get(0)?, row.try_get(1)?);
            urls.insert(number, url);
        }
        let listed = |row: &JobRow| ListedJob {
            snapshot: row.snapshot(),
            url: urls.get(&row.number).cloned().flatten(),
        };
        Ok(rows.iter().map(listed).collect())
    }
}
