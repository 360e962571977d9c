//! Taking hosts, and reading blocks of waiting pages.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;

use gleaner_frontier::HostPace;
use gleaner_types::JobId;
use tokio::time::Instant;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::Local;
use super::term::check_term;
use crate::database::Sql;
use crate::failure::Failure;
use crate::job_form::{JobForm, load_forms};
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::{from_micros, micros, number};

/// Maximum number of hosts that one refill takes.
const MAX_TAKEN: usize = 256;
/// Maximum number of hosts that a refill takes for jobs without loaded pages while others use all capacity.
const NEWCOMERS: usize = 8;
/// Maximum number of hosts that a process holds.
const MAX_HELD: usize = 10_000;
/// A process with this many loaded pages takes no further host.
const MAX_LOADED: u64 = 1_000_000;
/// Maximum number of hosts whose blocks one refill reads.
const MAX_READ: usize = 256;
/// Blocks of a job on a host are read below this number of loaded pages.
const LOW: u64 = 64;
/// Blocks of one job on one host that are read at a time.
const BLOCKS: i32 = 2;

/// What a refill asks for.
#[derive(Debug)]
pub(super) struct TakePlan {
    pub(super) epoch: i64,
    now: i64,
    /// There is capacity for more pages.
    is_short: bool,
    /// Maximum number of hosts to take.
    take: i32,
    /// Maximum number of hosts to take for jobs without loaded pages.
    newcomers: i32,
    /// Held hosts whose blocks are read.
    hosts: Vec<i32>,
    /// Their loaded blocks.
    loaded: Vec<i64>,
    /// In parallel: hosts and jobs with enough loaded pages.
    full_hosts: Vec<i32>,
    full_jobs: Vec<i32>,
    /// Jobs with loaded pages: hosts of others are preferred.
    busy: Vec<i32>,
    /// Jobs that are open.
    known: Vec<i32>,
}

impl TakePlan {
    /// True if hosts are to be taken.
    pub(super) fn takes(&self) -> bool {
        self.take > 0 || self.newcomers > 0
    }
}

/// A block to load.
#[derive(Debug)]
struct FoundBlock {
    host: i32,
    job: i32,
    id: i64,
    pages: Vec<u8>,
}

/// A host that was taken.
#[derive(Debug)]
pub(super) struct TakenHost {
    pub(super) id: i32,
    pub(super) name: String,
    pub(super) pace: HostPace,
}

impl TakenHost {
    /// A row with `id, name, ready_at, gap, places, address`.
    pub(super) fn read(row: &Row) -> Result<Self, Failure> {
        let places: Option<i32> = row.try_get(4)?;
        let address: Option<IpAddr> = row.try_get(5)?;
        let pace = HostPace {
            ready_at: from_micros(row.try_get(2)?),
            gap: from_micros(row.try_get(3)?),
            places: places.map(number),
            address,
        };
        Ok(Self { id: row.try_get(0)?, name: row.try_get(1)?, pace })
    }
}

/// The hosts that a refill took.
#[derive(Default)]
pub(super) struct Taken {
    hosts: Vec<TakenHost>,
}

/// The blocks that a refill read.
pub(super) struct Found {
    blocks: Vec<FoundBlock>,
    rows: Vec<JobRow>,
    forms: HashMap<i32, JobForm>,
    /// The limits of the teams of these jobs.
    teams: HashMap<String, Option<i32>>,
}

/// What a refill loaded.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    /// There are new pages.
    pub(super) has_pages: bool,
    /// Jobs with a block that cannot be read, and why they end.
    pub(super) damaged: BTreeMap<JobId, String>,
}

/// Takes hosts.
pub(super) struct TakeHosts<'a> {
    pub(super) sql: &'a Sql,
    pub(super) plan: &'a TakePlan,
}

impl TakeHosts<'_> {
    /// Free hosts with work: first some of each job without loaded pages, then any. A host whose address
    /// another worker holds is left to that one, and a host to the worker that waits for it. There are two
    /// conditions for the address, because many hosts may have one: an index finds the workers before and
    /// after this one.
    async fn take(&self, transaction: &Transaction<'_>) -> Result<Vec<TakenHost>, Failure> {
        let text = self.sql.text(
            "WITH of_jobs AS MATERIALIZED (
                SELECT b.host, max(j.number) AS newest FROM (SELECT number FROM {schema}.job
                        WHERE state = 0 AND NOT paused AND number <> ALL($4)
                        ORDER BY number DESC LIMIT 32) j
                CROSS JOIN LATERAL (SELECT w.host FROM
                        (SELECT host FROM {schema}.block WHERE job = j.number LIMIT 64) w
                    JOIN {schema}.host f ON f.id = w.host
                    WHERE f.worker IS NULL AND f.has_work AND f.ready_at <= $2 LIMIT 2) b GROUP BY b.host
            ), preferred AS MATERIALIZED (
                SELECT h.id FROM {schema}.host h JOIN of_jobs n ON n.host = h.id
                WHERE h.worker IS NULL AND h.has_work AND h.ready_at <= $2
                    AND NOT EXISTS (SELECT FROM {schema}.host o WHERE o.address = h.address AND o.worker < $1)
                    AND NOT EXISTS (SELECT FROM {schema}.host o WHERE o.address = h.address AND o.worker > $1)
                    AND (h.wanted_at IS NULL OR h.wanted_at < now() - interval '1 second')
                ORDER BY n.newest DESC LIMIT $5 FOR NO KEY UPDATE OF h SKIP LOCKED
            ), any_host AS MATERIALIZED (
                SELECT h.id FROM {schema}.host h WHERE h.worker IS NULL AND h.has_work AND h.ready_at <= $2
                    AND NOT EXISTS (SELECT FROM {schema}.host o WHERE o.address = h.address AND o.worker < $1)
                    AND NOT EXISTS (SELECT FROM {schema}.host o WHERE o.address = h.address AND o.worker > $1)
                    AND (h.wanted_at IS NULL OR h.wanted_at < now() - interval '1 second')
                ORDER BY h.ready_at LIMIT $3 FOR NO KEY UPDATE OF h SKIP LOCKED
            )
            UPDATE {schema}.host h SET worker = $1, wanted_at = NULL
            WHERE h.id IN (SELECT id FROM preferred UNION SELECT id FROM any_host) AND h.worker IS NULL
            RETURNING h.id, h.name, h.ready_at, h.gap, h.places, h.address",
        );
        let plan = self.plan;
        let rows = transaction
            .query_typed(
                &text,
                &[
                    (&plan.epoch, Type::INT8),
                    (&plan.now, Type::INT8),
                    (&i64::from(plan.take), Type::INT8),
                    (&plan.busy, Type::INT4_ARRAY),
                    (&i64::from(plan.newcomers), Type::INT8),
                ],
            )
            .await?;
        rows.iter().map(TakenHost::read).collect()
    }
}

#[async_trait::async_trait]
impl Operation for TakeHosts<'_> {
    type Output = Taken;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<Taken, Failure> {
        check_term(transaction, self.sql, self.plan.epoch).await?;
        Ok(Taken { hosts: self.take(transaction).await? })
    }
}

/// Reads blocks of these hosts, which this process holds. It locks nothing: a process that stops while it
/// receives blocks keeps nobody from ending its term.
pub(super) struct ReadBlocks<'a> {
    pub(super) sql: &'a Sql,
    pub(super) plan: &'a TakePlan,
    pub(super) hosts: &'a [i32],
}

impl ReadBlocks<'_> {
    /// The first blocks of each job on each host that are not loaded, by a loose scan of the index.
    async fn read(&self, transaction: &Transaction<'_>) -> Result<Vec<FoundBlock>, Failure> {
        let text = self.sql.text(
            "WITH RECURSIVE pairs (host, job) AS (
                SELECT w.host, (SELECT b.job FROM {schema}.block b WHERE b.host = w.host
                    ORDER BY b.job LIMIT 1) FROM unnest($1::int[]) AS w (host)
                UNION ALL
                SELECT p.host, (SELECT b.job FROM {schema}.block b WHERE b.host = p.host AND b.job > p.job
                    ORDER BY b.job LIMIT 1) FROM pairs p WHERE p.job IS NOT NULL
            )
            SELECT p.host, p.job, b.id, b.pages FROM pairs p
            CROSS JOIN LATERAL (SELECT n.id, n.pages FROM {schema}.block n WHERE n.host = p.host
                AND n.job = p.job AND n.id <> ALL($2::bigint[]) ORDER BY n.id LIMIT $5) b
            WHERE p.job IS NOT NULL AND NOT EXISTS (
                SELECT FROM unnest($3::int[], $4::int[]) AS f (host, job)
                WHERE f.host = p.host AND f.job = p.job)
            ORDER BY p.host, p.job, b.id",
        );
        let plan = self.plan;
        let rows = transaction
            .query_typed(
                &text,
                &[
                    (&self.hosts, Type::INT4_ARRAY),
                    (&plan.loaded, Type::INT8_ARRAY),
                    (&plan.full_hosts, Type::INT4_ARRAY),
                    (&plan.full_jobs, Type::INT4_ARRAY),
                    (&i64::from(BLOCKS), Type::INT8),
                ],
            )
            .await?;
        let mut blocks = Vec::with_capacity(rows.len());
        for row in rows {
            blocks.push(FoundBlock {
                host: row.try_get(0)?,
                job: row.try_get(1)?,
                id: row.try_get(2)?,
                pages: row.try_get(3)?,
            });
        }
        Ok(blocks)
    }
}

#[async_trait::async_trait]
impl Operation for ReadBlocks<'_> {
    type Output = Found;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<Found, Failure> {
        let blocks = self.read(transaction).await?;
        let jobs: BTreeSet<i32> = blocks.iter().map(|block| block.job).collect();
        let new: Vec<i32> = jobs.into_iter().filter(|job| !self.plan.known.contains(job)).collect();
        let (mut rows, mut forms, mut teams) = (Vec::new(), HashMap::new(), HashMap::new());
        if !new.is_empty() {
            rows = JobRow::find_many(transaction, self.sql, &new).await?;
            forms = load_forms(transaction, self.sql, &new).await?;
            let names: BTreeSet<&str> =
                rows.iter().filter_map(|row| Some(row.team.as_ref()?.as_str())).collect();
            let names: Vec<&str> = names.into_iter().collect();
            let text = self.sql.text("SELECT name, slots FROM {schema}.team WHERE name = ANY($1)");
            for row in transaction.query_typed(&text, &[(&names, Type::TEXT_ARRAY)]).await? {
                teams.insert(row.try_get(0)?, row.try_get(1)?);
            }
        }
        Ok(Found { blocks, rows, forms, teams })
    }
}

/// Which of these hosts have an address that another worker holds too.
pub(super) struct Conflicts<'a> {
    pub(super) sql: &'a Sql,
    pub(super) epoch: i64,
    pub(super) hosts: Vec<i32>,
}

#[async_trait::async_trait]
impl Operation for Conflicts<'_> {
    type Output = BTreeSet<i32>;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<BTreeSet<i32>, Failure> {
        let text = self.sql.text(
            "SELECT h.id FROM {schema}.host h WHERE h.id = ANY($1) AND (
                EXISTS (SELECT FROM {schema}.host o WHERE o.address = h.address AND o.worker < $2)
                OR EXISTS (SELECT FROM {schema}.host o WHERE o.address = h.address AND o.worker > $2))",
        );
        let rows = transaction
            .query_typed(&text, &[(&self.hosts, Type::INT4_ARRAY), (&self.epoch, Type::INT8)])
            .await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }
}

impl Taken {
    /// The taken hosts with a known address.
    pub(super) fn with_address(&self) -> Vec<i32> {
        let known = self.hosts.iter().filter(|host| host.pace.address.is_some());
        known.map(|host| host.id).collect()
    }
}

impl Local {
    /// What the next refill asks for; `None` outside a term.
    pub(super) fn plan_refill(&mut self) -> Option<TakePlan> {
        if !self.is_in_term() {
            return None;
        }
        let loaded: u64 = self.jobs.values().map(|job| job.waiting).sum();
        let held = if loaded < MAX_LOADED { MAX_HELD.saturating_sub(self.hosts.len()) } else { 0 };
        self.asked = self.wanted;
        let looks = self.due || self.has_free;
        // A refill that takes no host does not tell whether one is free.
        self.due &= self.asked == 0;
        let room = match self.others_hungry {
            true => held.min(self.fair_hosts().saturating_sub(self.hosts.len())),
            false => held,
        };
        let take = if looks { self.asked.min(MAX_TAKEN).min(room) } else { 0 };
        // A new job gets a turn also while others use all capacity. A process that has stopped takes nothing.
        let is_used = self.asked > 0 || !self.leases.is_empty();
        let newcomers = if self.has_free && is_used { take.max(NEWCOMERS.min(room)) } else { take };
        let mut stay: Vec<i32> =
            self.hosts.iter().filter(|(_, host)| !host.leaving).map(|(id, _)| *id).collect();
        stay.sort_unstable();
        // The refills take turns at the hosts.
        let first = stay.partition_point(|id| *id < self.next_host);
        let first = first.min(stay.len());
        stay.rotate_left(first);
        stay.truncate(MAX_READ);
        self.next_host = stay.last().map_or(0, |id| id.saturating_add(1));
        let (mut full_hosts, mut full_jobs) = (Vec::new(), Vec::new());
        for (id, host) in stay.iter().filter_map(|id| Some((*id, self.hosts.get(id)?))) {
            for (job, _) in host.jobs.iter().filter(|(_, waiting)| **waiting >= LOW) {
                full_hosts.push(id);
                full_jobs.push(*job);
            }
        }
        let is_short = self.asked > 0 && room > 0;
        // Without a plan nothing is found.
        self.starved = is_short;
        Some(TakePlan {
            epoch: self.epoch(),
            // The last caller may have come long ago.
            now: micros(self.time()),
            is_short,
            take: i32::try_from(take).unwrap_or(i32::MAX),
            newcomers: i32::try_from(newcomers).unwrap_or(i32::MAX),
            loaded: self.loaded_blocks(&stay),
            hosts: stay,
            full_hosts,
            full_jobs,
            busy: self.busy_jobs(),
            known: self.job_numbers(),
        })
    }

    /// Holds the hosts that a refill took. Those in `conflicts` are given back unused. Returns the hosts
    /// whose blocks are to be read.
    pub(super) fn apply_taken(
        &mut self,
        plan: &TakePlan,
        taken: &Taken,
        conflicts: &BTreeSet<i32>,
    ) -> Vec<i32> {
        if plan.epoch != self.epoch() {
            return Vec::new();
        }
        // There may be more than were asked for.
        self.due |= plan.take > 0 && taken.hosts.len() >= usize::try_from(plan.take).unwrap_or(usize::MAX);
        let mut to_read = plan.hosts.clone();
        for host in &taken.hosts {
            let leaves = conflicts.contains(&host.id);
            self.hold_host(host.id, &host.name, host.pace, leaves);
            to_read.extend((!leaves).then_some(host.id));
        }
        to_read
    }

    /// Loads the blocks that a refill found on these hosts.
    pub(super) fn apply_found(&mut self, plan: &TakePlan, hosts: &[i32], found: Found) -> Loaded {
        let mut loaded = Loaded::default();
        if plan.epoch != self.epoch() {
            return loaded;
        }
        loaded.has_pages = !found.blocks.is_empty();
        self.starved = plan.is_short && !loaded.has_pages && hosts.len() <= plan.hosts.len();
        for row in &found.rows {
            if let Some(form) = found.forms.get(&row.number) {
                let limit = row.team.as_ref().and_then(|team| found.teams.get(team.as_str()));
                self.open_job(row, form, limit.copied().flatten().map(number));
            }
        }
        // The blocks of jobs with enough loaded pages were not read.
        let mut with_more: BTreeSet<i32> = plan.full_hosts.iter().copied().collect();
        for block in found.blocks {
            with_more.insert(block.host);
            if let Err(failure) = self.load_block(block.id, block.host, block.job, &block.pages)
                && let Some(job) = self.jobs.get(&block.job)
            {
                let reason = format!(
                    "{failure} (table block, id {}); check the storage of the database, then submit the job \
                     again",
                    block.id
                );
                loaded.damaged.insert(job.id, reason);
            }
        }
        for id in hosts {
            if let Some(host) = self.hosts.get_mut(id) {
                host.is_exhausted = !with_more.contains(id);
                if host.is_exhausted && host.blocks.is_empty() {
                    host.idle_since.get_or_insert_with(Instant::now);
                } else {
                    host.idle_since = None;
                }
            }
        }
        loaded
    }

    /// True if few pages of a job are loaded on a host that has others.
    pub(super) fn is_low(&self, host: i32, job: i32) -> bool {
        let Some(host) = self.hosts.get(&host).filter(|host| !host.is_exhausted) else { return false };
        host.jobs.get(&job).is_none_or(|waiting| *waiting < LOW)
    }
}
