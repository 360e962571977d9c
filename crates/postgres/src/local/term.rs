//! The term of this process: its row, its heartbeat, and what is done when it has ended.

use std::collections::BTreeMap;
use std::time::Duration;

use gleaner_store::{Error, ErrorKind, WorkerId};
use tokio::time::Instant;
use tokio_postgres::types::Type;

use super::Local;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::jobs::Adopt;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::micros;

/// The part of a term that is not used, because clocks run at slightly different rates.
const MARGIN: u32 = 20;

/// Whether this process takes part in the work. One that only reads has no row, so the others share the work
/// without it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Part {
    /// Not so far.
    #[default]
    None,
    /// The next heartbeat begins a term.
    Beginning,
    /// It needs a term.
    Taken,
    /// Not any more: this worker stopped as the last one, and nothing is leased. The term ends when nothing
    /// refers to it.
    Left(WorkerId),
}

/// The term of a worker on the clock of this process.
#[derive(Debug, Default)]
pub(crate) struct Term {
    /// The id of its row; 0 before the first term.
    pub(super) epoch: i64,
    /// Its end; `None` after it was ended.
    ends: Option<Instant>,
    /// When the last heartbeat was sent.
    beat_at: Option<Instant>,
}

impl Local {
    /// Begins a term whose row was requested at this time.
    pub(crate) fn begin_term(&mut self, epoch: i64, sent: Instant, term: Duration) {
        self.reset();
        self.term = Term { epoch, ends: None, beat_at: None };
        self.renewed(epoch, sent, term);
    }

    /// The epoch of the term before, if there was one.
    pub(crate) fn former_epoch(&self) -> Option<i64> {
        (self.term.epoch > 0).then_some(self.term.epoch)
    }

    fn renewed(&mut self, epoch: i64, sent: Instant, term: Duration) {
        if self.term.epoch == epoch {
            self.term.ends = Some(sent + (term - term / MARGIN));
            self.term.beat_at = Some(sent);
        }
    }

    /// Ends this term, unless another one has begun: nothing of it can be committed any more.
    pub(crate) fn end_term(&mut self, epoch: i64) {
        if self.term.epoch == epoch {
            self.term.ends = None;
            self.reset();
        }
    }

    fn is_ended(&self) -> bool {
        self.term.ends.is_none()
    }

    /// The epoch of the term; `None` if it has ended.
    pub(crate) fn term_epoch(&self) -> Option<i64> {
        (!self.is_ended()).then_some(self.term.epoch)
    }

    /// Takes part from now on. True until the next heartbeat, if there is no term.
    pub(super) fn take_part(&mut self) -> bool {
        if self.part != Part::Taken {
            self.part = Part::Beginning;
        }
        self.part == Part::Beginning && self.is_ended()
    }

    /// A heartbeat has done what it could for those that wait for it.
    fn heartbeat_sent(&mut self, takes_part: bool) {
        if takes_part && self.part == Part::Beginning {
            self.part = Part::Taken;
        }
    }

    /// Takes part no more, as this worker has stopped.
    pub(super) const fn leave(&mut self, worker: WorkerId) {
        self.part = Part::Left(worker);
    }

    /// True if this worker stopped, and none has worked since.
    pub(super) fn has_left(&self, worker: WorkerId) -> bool {
        self.part == Part::Left(worker)
    }

    fn takes_part(&self) -> bool {
        matches!(self.part, Part::Beginning | Part::Taken)
    }

    /// True while no other process may end the term.
    pub(super) fn is_in_term(&self) -> bool {
        self.term.ends.is_some_and(|ends| Instant::now() < ends)
    }

    /// The end of the term on the clock of the caller.
    pub(super) fn term_ends(&self, now: Duration) -> Duration {
        let left = self.term.ends.map(|ends| ends.saturating_duration_since(Instant::now()));
        now.saturating_add(left.unwrap_or_default())
    }

    pub(super) fn is_heartbeat_due(&self, interval: Duration) -> bool {
        self.term.beat_at.is_none_or(|at| at.elapsed() >= interval)
    }

    /// True if this process has capacity, and found too little work.
    pub(super) const fn is_hungry(&self) -> bool {
        self.starved
    }

    /// The leased pages of each team, as JSON.
    fn leased_json(&self) -> String {
        let mut leased: BTreeMap<&str, u64> = BTreeMap::new();
        for job in self.jobs.values().filter(|job| job.leased > 0) {
            *leased.entry(job.team.as_ref().map_or("", |team| team.as_str())).or_default() += job.leased;
        }
        serde_json::to_string(&leased).unwrap_or_else(|_| "{}".to_owned())
    }
}

/// Adds the row of a worker.
pub(crate) struct Register<'a> {
    pub(crate) sql: &'a Sql,
    pub(crate) name: &'a str,
    pub(crate) term: Duration,
    /// The epoch of its term before.
    pub(crate) former: Option<i64>,
}

#[async_trait::async_trait]
impl Operation for Register<'_> {
    type Output = i64;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<i64, Failure> {
        let text = self.sql.text(
            "INSERT INTO {schema}.worker (name, until) \
             VALUES ($1, now() + $2 * interval '1 microsecond') RETURNING id",
        );
        let term = micros(self.term);
        let row =
            transaction.query_typed_one(&text, &[(&self.name, Type::TEXT), (&term, Type::INT8)]).await?;
        let epoch: i64 = row.try_get(0)?;
        if let Some(former) = self.former {
            Adopt { sql: self.sql, former, next: epoch }.run(transaction).await?;
        }
        Ok(epoch)
    }
}

/// Deletes the row of this worker, unless something refers to it.
struct Leave<'a> {
    sql: &'a Sql,
    epoch: i64,
}

#[async_trait::async_trait]
impl Operation for Leave<'_> {
    /// True if the row is deleted.
    type Output = bool;

    async fn run(&self, t: &Transaction<'_>) -> Result<bool, Failure> {
        // A commit of this process that is under way holds the row: it is tried again later.
        let text = self.sql.text("SELECT id FROM {schema}.worker WHERE id = $1 FOR UPDATE SKIP LOCKED");
        if t.query_typed_opt(&text, &[(&self.epoch, Type::INT8)]).await?.is_none() {
            return Ok(false);
        }
        // A statement of its own: it sees what those commits have written.
        let text = self.sql.text(
            "DELETE FROM {schema}.worker WHERE id = $1
                 AND NOT EXISTS (SELECT FROM {schema}.host WHERE worker = $1)
                 AND NOT EXISTS (SELECT FROM {schema}.job_share
                     WHERE worker = $1 AND (tokens > 0 OR slots > 0))
                 AND NOT EXISTS (SELECT FROM {schema}.team_share WHERE worker = $1 AND slots > 0)
                 AND NOT EXISTS (SELECT FROM {schema}.reservation WHERE worker = $1)
                 AND NOT EXISTS (SELECT FROM {schema}.due WHERE worker = $1)
                 AND NOT EXISTS (SELECT FROM {schema}.job WHERE runner = $1 AND state = 0)",
        );
        if t.execute_typed(&text, &[(&self.epoch, Type::INT8)]).await? == 0 {
            return Ok(false);
        }
        // Without hosts, the worker has no block with ended pages.
        let text = self.sql.text(
            "WITH ended AS (DELETE FROM {schema}.ended WHERE worker = $1),
                 shares AS (DELETE FROM {schema}.job_share WHERE worker = $1)
             DELETE FROM {schema}.team_share WHERE worker = $1",
        );
        t.execute_typed(&text, &[(&self.epoch, Type::INT8)]).await?;
        Ok(true)
    }
}

/// Extends the term.
struct Heartbeat<'a> {
    sql: &'a Sql,
    epoch: i64,
    term: Duration,
    grace: Duration,
    hungry: bool,
    leased: String,
}

/// What a heartbeat learns about the other workers.
struct Others {
    workers: i64,
    hungry: bool,
    /// Hosts that workers hold.
    hosts: i64,
    /// Workers whose term has ended.
    dead: Vec<i64>,
}

#[async_trait::async_trait]
impl Operation for Heartbeat<'_> {
    type Output = Others;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<Others, Failure> {
        let text = self.sql.text(
            "UPDATE {schema}.worker SET until = now() + $2 * interval '1 microsecond', hungry = $3, \
             leased = CAST($4::text AS jsonb) WHERE id = $1 \
             RETURNING (SELECT count(*) FROM {schema}.worker o WHERE o.until >= now() OR o.id = $1), \
             EXISTS (SELECT FROM {schema}.worker o WHERE o.until >= now() AND o.hungry AND o.id <> $1), \
             (SELECT count(*) FROM {schema}.host WHERE worker IS NOT NULL), \
             ARRAY(SELECT o.id FROM {schema}.worker o \
                   WHERE o.until < now() - $5 * interval '1 microsecond' AND o.id <> $1 \
                   ORDER BY o.id LIMIT 16)",
        );
        let (term, grace) = (micros(self.term), micros(self.grace));
        let row = transaction
            .query_typed_opt(
                &text,
                &[
                    (&self.epoch, Type::INT8),
                    (&term, Type::INT8),
                    (&self.hungry, Type::BOOL),
                    (&self.leased, Type::TEXT),
                    (&grace, Type::INT8),
                ],
            )
            .await?
            .ok_or(Failure::TermEnded)?;
        Ok(Others {
            workers: row.try_get(0)?,
            hungry: row.try_get(1)?,
            hosts: row.try_get(2)?,
            dead: row.try_get(3)?,
        })
    }
}

/// Locks the row of a worker until the end of the transaction, so that nobody ends its term.
pub(crate) async fn check_term(transaction: &Transaction<'_>, sql: &Sql, epoch: i64) -> Result<(), Failure> {
    let text = sql.text("SELECT id FROM {schema}.worker WHERE id = $1 FOR KEY SHARE");
    let row = transaction.query_typed_opt(&text, &[(&epoch, Type::INT8)]).await?;
    if row.is_some() { Ok(()) } else { Err(Failure::TermEnded) }
}

impl Inner {
    /// Extends the term again and again, and looks for dead workers.
    pub(crate) async fn beat(&self) {
        loop {
            let turn = self.heartbeats.next(self.config.heartbeat).await;
            let takes_part = self.local().takes_part();
            if let Err(failure) = self.heartbeat().await {
                tracing::warn!(%failure, "the term of this process was not renewed");
            }
            self.local().heartbeat_sent(takes_part);
            self.heartbeats.finish(turn);
        }
    }

    async fn heartbeat(&self) -> Result<(), Failure> {
        let (epoch, takes_part) = {
            let local = self.local();
            (local.term_epoch(), local.takes_part())
        };
        if let Some(epoch) = epoch.filter(|_| !takes_part)
            && self.leave(epoch).await?
        {
            self.local().end_term(epoch);
        }
        // It may take part again.
        let (is_ended, takes_part) = {
            let local = self.local();
            (local.is_ended(), local.takes_part())
        };
        if is_ended {
            return if takes_part { self.register().await } else { Ok(()) };
        }
        // Counted from before the request, so that it ends here before it ends there.
        let sent = Instant::now();
        let heartbeat = {
            let local = self.local();
            Heartbeat {
                sql: &self.db.sql,
                epoch: local.epoch(),
                term: self.config.term,
                grace: self.grace(),
                hungry: local.is_hungry(),
                leased: local.leased_json(),
            }
        };
        let others = match self.db.write_reserved(&heartbeat).await {
            Ok(others) => others,
            Err(Failure::TermEnded) => {
                self.local().end_term(heartbeat.epoch);
                if !self.local().takes_part() {
                    return Ok(());
                }
                tracing::warn!("the term of this process has ended; it begins another");
                self.notify_work();
                return self.register().await;
            }
            Err(failure) => return Err(failure),
        };
        {
            let mut local = self.local();
            local.renewed(heartbeat.epoch, sent, self.config.term);
            local.workers = u64::try_from(others.workers).unwrap_or(1).max(1);
            local.others_hungry = others.hungry;
            local.all_hosts = u64::try_from(others.hosts).unwrap_or(0);
        }
        if !others.dead.is_empty() {
            let _former = self.dead.send_replace(others.dead);
        }
        Ok(())
    }

    /// Deletes the row of this worker, unless something refers to it. True if it is deleted.
    pub(crate) async fn leave(&self, epoch: i64) -> Result<bool, Failure> {
        self.db.write_reserved(&Leave { sql: &self.db.sql, epoch }).await
    }

    /// Takes part from now on. If a term is needed, it waits for that, at most for this time.
    pub(crate) async fn take_part(&self, max: Duration) {
        let is_new = self.local().take_part();
        if is_new {
            self.heartbeats.wait(self.heartbeats.request(), max).await;
        }
    }

    /// Takes part from now on, in a term. Returns its epoch.
    async fn join(&self) -> Result<i64, Failure> {
        let epoch = {
            let mut local = self.local();
            local.take_part();
            local.term_epoch()
        };
        if let Some(epoch) = epoch {
            return Ok(epoch);
        }
        self.heartbeats.wait(self.heartbeats.request(), self.config.patience).await;
        let failed = || Error::new(ErrorKind::Io, "this process could not be registered in the database");
        self.local().term_epoch().ok_or_else(|| failed().into())
    }

    /// Runs an operation that [checks](check_term) the term of its epoch and leaves a reference to it: in
    /// another term if that one has ended.
    pub(crate) async fn write_in_term<O: Operation>(
        &self,
        operation: impl Fn(i64) -> O + Sync + Send,
    ) -> Result<O::Output, Failure> {
        loop {
            let epoch = self.join().await?;
            match self.db.write(&operation(epoch)).await {
                Ok(output) => {
                    self.adopt_from(epoch).await;
                    return Ok(output);
                }
                Err(Failure::TermEnded) => self.term_ended(epoch),
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Another term may have begun while a reference to this one was committed: it has not adopted that.
    async fn adopt_from(&self, mut former: i64) {
        while self.worker() != former {
            let next = self.worker();
            if let Err(failure) = self.db.write(&Adopt { sql: &self.db.sql, former, next }).await {
                tracing::warn!(%failure, "others may take jobs of this process for those of a dead one");
                return;
            }
            former = next;
        }
    }
}
