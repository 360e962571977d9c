//! Pages without a document, for the reader of their job. Each job lists a limited number of them; the lists
//! of all jobs have no common limit, because they are not in memory.

use std::time::Duration;

use async_trait::async_trait;
use gleaner_frontier::RobotsLine;
use gleaner_store::{
    BlockedPage, Error, FailurePosition, JobWarning, MAX_LISTED_FAILURES, PageFailure, PageFailures, Store,
};
use gleaner_types::{ErrorCode, JobId, PageError};
use serde_json::Value;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};
use url::Url;

use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::text::clean;
use crate::transaction::Transaction;
use crate::units::{big, count, from_micros, micros};

/// Assumed size of an entry, for the number of rows that are read for a number of bytes.
const ENTRY_BYTES: usize = 512;

/// A page without a document.
#[derive(Debug)]
pub(crate) struct NewFailure {
    pub(crate) at: Duration,
    pub(crate) url: Url,
    pub(crate) slash_added: bool,
    pub(crate) cause: Cause,
}

/// Why a page has no document.
#[derive(Debug)]
pub(crate) enum Cause {
    Failed(PageError),
    /// robots.txt forbids it by this line, if it is known.
    Blocked(Option<RobotsLine>),
}

impl Cause {
    /// The values of the columns `code` and `message`: of a refusal, the number of the line and its rule.
    fn columns(&self) -> (String, String) {
        match self {
            Self::Failed(error) => (error.code.as_str().to_owned(), clean(&error.message).into_owned()),
            Self::Blocked(Some(line)) => (line.number.to_string(), clean(&line.rule).into_owned()),
            Self::Blocked(None) => Default::default(),
        }
    }
}

/// The columns of new entries.
#[derive(Debug, Default)]
struct Columns<'a> {
    jobs: Vec<i32>,
    sequences: Vec<i64>,
    refusals: Vec<bool>,
    times: Vec<i64>,
    urls: Vec<&'a str>,
    slashes: Vec<bool>,
    codes: Vec<String>,
    messages: Vec<String>,
}

impl<'a> Columns<'a> {
    /// Adds an entry, if the list of its job has space. The first one without space gives a warning.
    fn push(&mut self, job: &mut JobRow, new: &'a NewFailure) {
        let (listed, is_refusal) = match new.cause {
            Cause::Failed(_) => (&mut job.failures_listed, false),
            Cause::Blocked(_) => (&mut job.blocked_listed, true),
        };
        if *listed as usize >= MAX_LISTED_FAILURES {
            job.add_warning(JobWarning::FailuresNotListed);
            return;
        }
        self.jobs.push(job.number);
        self.sequences.push(i64::from(*listed));
        *listed += 1;
        self.refusals.push(is_refusal);
        self.times.push(micros(new.at));
        self.urls.push(new.url.as_str());
        self.slashes.push(new.slash_added);
        let (code, message) = new.cause.columns();
        self.codes.push(code);
        self.messages.push(message);
    }
}

/// Lists pages of jobs whose rows are locked. It changes the rows, which the caller stores; the number of
/// failed and refused pages is counted by the caller.
pub(crate) async fn insert_failures(
    t: &Transaction<'_>,
    sql: &Sql,
    failures: Vec<(&mut JobRow, &[NewFailure])>,
) -> Result<(), Failure> {
    let mut columns = Columns::default();
    for (job, new) in failures {
        new.iter().for_each(|new| columns.push(job, new));
    }
    if columns.jobs.is_empty() {
        return Ok(());
    }
    let text = sql.text(
        "INSERT INTO {schema}.failure (job, sequence, is_refusal, at, url, slash_added, code, message) \
         SELECT * FROM unnest($1::int[], $2::bigint[], $3::boolean[], $4::bigint[], $5::text[], \
         $6::boolean[], $7::text[], $8::text[])",
    );
    t.execute_typed(
        &text,
        &[
            (&columns.jobs, Type::INT4_ARRAY),
            (&columns.sequences, Type::INT8_ARRAY),
            (&columns.refusals, Type::BOOL_ARRAY),
            (&columns.times, Type::INT8_ARRAY),
            (&columns.urls, Type::TEXT_ARRAY),
            (&columns.slashes, Type::BOOL_ARRAY),
            (&columns.codes, Type::TEXT_ARRAY),
            (&columns.messages, Type::TEXT_ARRAY),
        ],
    )
    .await?;
    Ok(())
}

#[derive(Debug)]
struct ListFailures<'a> {
    sql: &'a Sql,
    job: JobId,
    from: FailurePosition,
    /// Maximum number of entries.
    max: usize,
}

#[async_trait]
impl Operation for ListFailures<'_> {
    type Output = PageFailures;

    async fn run(&self, t: &Transaction<'_>) -> Result<PageFailures, Failure> {
        let number = JobRow::find(t, self.sql, self.job).await?.number;
        let text = self.sql.text(
            "SELECT sequence, is_refusal, at, url, slash_added, code, message FROM {schema}.failure \
             WHERE job = $1 AND sequence >= CASE WHEN is_refusal THEN $3 ELSE $2 END \
             ORDER BY is_refusal, sequence LIMIT $4",
        );
        let [failures, refusals, max] =
            [self.from.failures, self.from.robots_blocked, self.max].map(|entries| big(entries as u64));
        let values: [(&(dyn ToSql + Sync), Type); 4] =
            [(&number, Type::INT4), (&failures, Type::INT8), (&refusals, Type::INT8), (&max, Type::INT8)];
        let mut listed = PageFailures::default();
        for row in t.query_typed(&text, &values).await? {
            match self.read(&row)? {
                Listed::Failure(page) => listed.failures.push(page),
                Listed::Refusal(page) => listed.robots_blocked.push(page),
            }
        }
        Ok(listed)
    }
}

impl ListFailures<'_> {
    fn read(&self, row: &Row) -> Result<Listed, Failure> {
        let url = Url::parse(row.try_get(3)?)
            .map_err(|_| Failure::damaged(format_args!("the list of failed pages of job {}", self.job)))?;
        let slash_added = row.try_get(4)?;
        let is_refusal: bool = row.try_get(1)?;
        let code: &str = row.try_get(5)?;
        if is_refusal {
            let number = code.parse().ok();
            let rule = number.map(|number| row.try_get(6).map(|rule| RobotsLine::new(number, rule)));
            let mut page = BlockedPage::new(url, rule.transpose()?);
            page.slash_added = slash_added;
            return Ok(Listed::Refusal(page));
        }
        let code = serde_json::from_value(Value::from(code)).unwrap_or(ErrorCode::UnknownError);
        let error = PageError { code, message: row.try_get(6)? };
        let (sequence, at) = (count(row.try_get(0)?), from_micros(row.try_get(2)?));
        let mut page = PageFailure::new(sequence, at, url, error);
        page.slash_added = slash_added;
        Ok(Listed::Failure(page))
    }
}

/// An entry of a list.
enum Listed {
    Failure(PageFailure),
    Refusal(BlockedPage),
}

impl Inner {
    pub(crate) async fn failures(&self, job: JobId) -> Result<PageFailures, Error> {
        if self.is_local(job) {
            return self.memory.failures(job).await;
        }
        let from = FailurePosition::default();
        Ok(self.db.read(&ListFailures { sql: &self.db.sql, job, from, max: usize::MAX }).await?)
    }

    pub(crate) async fn failures_from(
        &self,
        job: JobId,
        from: FailurePosition,
        bytes: usize,
    ) -> Result<PageFailures, Error> {
        if self.is_local(job) {
            return self.memory.failures_from(job, from, bytes).await;
        }
        let max = (bytes / ENTRY_BYTES).max(1);
        let listed = self.db.read(&ListFailures { sql: &self.db.sql, job, from, max }).await?;
        Ok(listed.part(FailurePosition::default(), bytes))
    }
}
