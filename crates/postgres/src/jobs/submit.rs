//! A new job.

use std::time::Duration;

use async_trait::async_trait;
use gleaner_frontier::FrontierConfig;
use gleaner_store::{Error, JobAccount, NewJob, Retention, Store as _};
use gleaner_types::JobKind;
use gleaner_types::plan::EventKind;
use tokio_postgres::types::Type;

use super::end::end_if_done;
use super::keys::{ForgetKey, use_key};
use super::teams::check_limits;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_form;
use crate::job_row::JobRow;
use crate::local::term::check_term;
use crate::operation::Operation;
use crate::outbox::{EventContent, NewEvent, insert_events};
use crate::queue::{Additions, Caches, HeldHosts, NewPages, admit, check_capacity, queue_space};
use crate::transaction::Transaction;

struct Submit<'a> {
    sql: &'a Sql,
    job: &'a NewJob,
    caches: &'a Caches,
    queue: &'a FrontierConfig,
    /// The worker of a job without pages of its own, or of a part of such a job.
    runner: Option<i64>,
    /// Running jobs of the team in the memory of this process.
    local: u64,
    now: Duration,
}

#[async_trait]
impl Operation for Submit<'_> {
    type Output = (JobRow, Additions);

    async fn run(&self, t: &Transaction<'_>) -> Result<Self::Output, Failure> {
        let Self { sql, job, now, .. } = *self;
        let account = job.account.as_deref();
        if let Some(worker) = self.runner {
            check_term(t, sql, worker).await?;
        }
        let mut row = new_row(job, self.runner, now);
        if !row.insert(t, sql).await? {
            return Err(Error::job_exists(job.id).into());
        }
        use_key(t, sql, account, now).await?;
        check_capacity(&job.pages, 0, self.queue)?;
        job_form::insert(t, sql, row.number, job).await?;
        let pages = NewPages {
            job: row.number,
            max_depth: row.max_depth,
            depth: 0,
            from_links: false,
            space: queue_space(0, self.queue),
            pages: &job.pages,
        };
        let (admitted, additions) = admit(t, sql, self.caches, &HeldHosts::default(), &[pages]).await?;
        for pages in &admitted {
            pages.count(&mut row);
        }
        // After the hosts, because finished pages lock teams last, too.
        if let Some(account) = account {
            check_limits(t, sql, account, row.number, self.local).await?;
        }
        let text = sql.text("DELETE FROM {schema}.reservation WHERE job = $1");
        t.execute_typed(&text, &[(job.id.as_uuid(), Type::UUID)]).await?;
        let event = NewEvent { kind: EventKind::Started, content: EventContent::Nothing, error: None };
        insert_events(t, sql, &mut row, &[event], now).await?;
        end_if_done(t, sql, &mut row, now).await?;
        JobRow::store_many(t, sql, std::slice::from_ref(&row)).await?;
        Ok((row, additions))
    }
}

/// True if one process runs the job: it has no pages of its own, or is a part of such a job.
fn is_task(job: &NewJob) -> bool {
    let is_part = job.account.as_deref().is_some_and(|account| account.part_of.is_some());
    job.kind == Some(JobKind::Extract) || is_part
}

/// The row of a new job without pages. Its number is unknown.
fn new_row(job: &NewJob, runner: Option<i64>, now: Duration) -> JobRow {
    let account = job.account.as_deref();
    JobRow {
        team: account.map(|account| account.team.clone()),
        kind: job.kind,
        sealed: job.sealed,
        keeps: job.retention == Retention::Keep || job.webhook.is_some(),
        max_documents: job.rules.limit,
        max_in_flight: job.rules.max_in_flight,
        max_depth: job.rules.max_depth,
        price: account.map_or(1, |account| account.price),
        budget: account.and_then(|account| account.budget),
        has_webhook: job.webhook.is_some() && job.kind.is_some(),
        part_of: account.and_then(|account| account.part_of),
        runner,
        ..JobRow::new(job.id, now)
    }
}

/// Checks of a job in memory that concern other processes. It leaves the reservation of the job until the job
/// is settled, so that a later process can give its credits back.
struct SubmitInMemory<'a> {
    sql: &'a Sql,
    account: &'a JobAccount,
    local: u64,
    now: Duration,
}

#[async_trait]
impl Operation for SubmitInMemory<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        use_key(t, self.sql, Some(self.account), self.now).await?;
        check_limits(t, self.sql, self.account, 0, self.local).await
    }
}

impl Inner {
    /// Single scrapes, and jobs that must not be stored, stay in the memory of this process.
    pub(crate) async fn submit(&self, job: NewJob, now: Duration) -> Result<(), Error> {
        if self.is_local(job.id) {
            return Err(Error::job_exists(job.id));
        }
        let local = match job.account.as_deref().filter(|account| account.max_jobs.is_some()) {
            Some(account) => self.memory.load(&account.team).await?.jobs,
            None => 0,
        };
        if job.in_memory || job.kind.is_none() {
            return self.submit_in_memory(job, local, now).await;
        }
        self.ensure_day(now).await?;
        let submit = |runner| Submit {
            sql: &self.db.sql,
            job: &job,
            caches: &self.caches,
            queue: &self.config.memory.frontier,
            runner,
            local,
            now,
        };
        let (row, additions) = match is_task(&job) {
            true => self.write_in_term(|worker| submit(Some(worker))).await?,
            false => self.db.write(&submit(None)).await?,
        };
        self.pages_committed(&row, additions);
        Ok(())
    }

    async fn submit_in_memory(&self, mut job: NewJob, local: u64, now: Duration) -> Result<(), Error> {
        let account = job.account.clone();
        let key = account.as_deref().and_then(|account| account.idempotency_key);
        if let Some(account) = account.as_deref()
            && (key.is_some() || account.max_jobs.is_some())
        {
            self.db.write(&SubmitInMemory { sql: &self.db.sql, account, local, now }).await?;
        }
        if let Some(account) = job.account.as_deref_mut() {
            (account.idempotency_key, account.max_jobs) = (None, None);
        }
        let submitted = self.memory.submit(job, now).await;
        if let (Err(_), Some(account), Some(key)) = (&submitted, account.as_deref(), key) {
            self.db.write(&ForgetKey { sql: &self.db.sql, team: &account.team, key }).await?;
        }
        submitted
    }
}
