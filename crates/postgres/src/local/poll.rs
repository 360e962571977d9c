//! Looking for changes of other processes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gleaner_types::JobId;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::{count, micros};

/// Polls after which due maintenance is reported again.
const REPEAT: u32 = 8;
/// Polls after which the blocks of held hosts are read while pages are missing.
const READ: u32 = 2;

/// A job as a poll found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PolledJob {
    id: JobId,
    pub(super) is_running: bool,
    pub(super) paused: bool,
    pub(super) denied: bool,
    pub(super) documents: u64,
    /// Another worker needs tokens or slots of it.
    pub(super) is_wanted: bool,
    /// Another worker needs slots of its team.
    pub(super) is_team_wanted: bool,
}

struct Look<'a> {
    sql: &'a Sql,
    jobs: Vec<i32>,
    now: i64,
    epoch: i64,
}

struct Found {
    jobs: HashMap<i32, PolledJob>,
    /// Free hosts have work.
    has_hosts: bool,
    /// Events are due, or ended jobs are not settled.
    has_maintenance: bool,
    /// Held hosts whose address a worker that was there before holds too, or that another worker waits for.
    conflicts: Vec<i32>,
}

#[async_trait::async_trait]
impl Operation for Look<'_> {
    type Output = Found;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<Found, Failure> {
        let text = self.sql.text(
            "SELECT EXISTS (SELECT FROM {schema}.host WHERE worker IS NULL AND has_work AND ready_at <= $2),
                 EXISTS (SELECT FROM {schema}.due WHERE at <= $2)
                     OR EXISTS (SELECT FROM {schema}.job WHERE unsettled),
                 ARRAY(SELECT h.id FROM {schema}.host h WHERE h.worker = $3
                     AND (h.wanted_at > now() - interval '2 seconds' OR EXISTS (SELECT
                         FROM {schema}.host o WHERE o.address = h.address AND o.worker < $3))),
                 j.number, j.id, j.state, j.paused, j.denied, j.documents,
                 COALESCE(j.wanted_at > now() - interval '1 second', false),
                 COALESCE((SELECT t.wanted_at > now() - interval '3 seconds' FROM {schema}.team t
                     WHERE t.name = j.team), false)
             FROM (SELECT 1) one LEFT JOIN {schema}.job j ON j.number = ANY($1) AND NOT j.removed",
        );
        let rows = transaction
            .query_typed(
                &text,
                &[(&self.jobs, Type::INT4_ARRAY), (&self.now, Type::INT8), (&self.epoch, Type::INT8)],
            )
            .await?;
        let mut found =
            Found { jobs: HashMap::new(), has_hosts: false, has_maintenance: false, conflicts: Vec::new() };
        for (place, row) in rows.iter().enumerate() {
            if place == 0 {
                found.has_hosts = row.try_get(0)?;
                found.has_maintenance = row.try_get(1)?;
                found.conflicts = row.try_get(2)?;
            }
            let number: Option<i32> = row.try_get(3)?;
            let Some(number) = number else { continue };
            let (id, state): (Uuid, i16) = (row.try_get(4)?, row.try_get(5)?);
            let job = PolledJob {
                id: JobId::from_uuid(id),
                is_running: state == 0,
                paused: row.try_get(6)?,
                denied: row.try_get(7)?,
                documents: count(row.try_get(8)?),
                is_wanted: row.try_get(9)?,
                is_team_wanted: row.try_get(10)?,
            };
            found.jobs.insert(number, job);
        }
        Ok(found)
    }
}

impl Inner {
    /// Looks for changes of other processes again and again.
    pub(crate) async fn poll(&self) {
        let mut seen: BTreeMap<i32, PolledJob> = BTreeMap::new();
        let (mut had_maintenance, mut tick) = (false, 0_u32);
        loop {
            tokio::time::sleep(self.config.poll).await;
            let (mirrored, now, epoch, changes) = {
                let local = self.local();
                (local.job_numbers(), micros(local.time()), local.epoch(), local.changes())
            };
            let watched = self.watchers.numbers();
            let jobs: BTreeSet<i32> = mirrored.iter().copied().chain(watched.iter().copied()).collect();
            let look = Look { sql: &self.db.sql, jobs: jobs.iter().copied().collect(), now, epoch };
            let found = match self.db.read(&look).await {
                Ok(found) => found,
                Err(failure) => {
                    tracing::debug!(%failure, "changes of other processes are not known");
                    continue;
                }
            };
            let mut ended = false;
            for number in mirrored {
                let is_ended = self.local().polled(number, found.jobs.get(&number), changes);
                if is_ended {
                    self.caches.job_ended(number);
                    ended = true;
                }
            }
            seen.retain(|number, _| jobs.contains(number));
            for number in jobs {
                match found.jobs.get(&number) {
                    Some(job) => {
                        if seen.insert(number, *job) != Some(*job) {
                            self.notify_progress(job.id);
                        }
                    }
                    None => {
                        if let Some(job) = seen.remove(&number) {
                            self.notify_progress(job.id);
                        }
                        self.watchers.remove(number);
                    }
                }
            }
            // What stays due may hide something new, so it is reported again from time to time.
            tick = tick.wrapping_add(1);
            if found.has_maintenance && (!had_maintenance || tick.is_multiple_of(REPEAT)) {
                self.notify_maintenance();
            }
            had_maintenance = found.has_maintenance;
            let reads = tick.is_multiple_of(READ);
            let is_due = self.local().polled_all(found.has_hosts, reads, &found.conflicts, epoch);
            if is_due {
                self.refills.request();
            }
            if ended {
                self.notify_work();
            }
        }
    }
}

impl super::Local {
    /// Applies what a poll found. True if a refill may bring work, or gives something back.
    fn polled_all(&mut self, has_hosts: bool, reads: bool, conflicts: &[i32], epoch: i64) -> bool {
        if epoch != self.epoch() {
            return false;
        }
        self.leave_hosts(conflicts);
        self.starved_jobs.clear();
        self.starved_teams.clear();
        let is_short = self.wanted > 0;
        self.has_free = has_hosts;
        // Others may have added pages to the hosts that are held.
        self.due |= is_short && (has_hosts || (reads && !self.hosts.is_empty()));
        let gives = self.others_hungry || self.jobs.values().any(|job| job.is_wanted);
        self.due || self.has_leaving() || gives
    }
}
