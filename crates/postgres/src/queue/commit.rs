//! The transaction of finished pages.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;
use gleaner_frontier::{FrontierConfig, HostPace, Outcome};
use gleaner_store::{Receipt, TeamId};
use tokio_postgres::types::Type;

use super::admission::queue_space;
use super::block::{NewBlock, insert_blocks};
use super::caches::{Additions, Caches};
use super::effects::{Effects, Tokens};
use super::finished::{EndedRow, Group, GroupPage};
use super::host::HeldHosts;
use super::offer::{Step, Taken, offer};
use crate::database::Sql;
use crate::documents;
use crate::failure::Failure;
use crate::failures::insert_failures;
use crate::histories::record_histories;
use crate::job_row::JobRow;
use crate::jobs;
use crate::local::regrant;
use crate::operation::Operation;
use crate::outbox::insert_events_of_many;
use crate::transaction::Transaction;
use crate::units::{big, count, int, key, micros};

/// The time of the last success of a team is stored again after this time, in microseconds.
const SUCCESS_INTERVAL: i64 = 1_000_000;

/// Commits a group of finished pages.
pub(super) struct Commit<'a> {
    pub(super) sql: &'a Sql,
    pub(super) caches: &'a Caches,
    pub(super) config: &'a FrontierConfig,
    pub(super) held: &'a HeldHosts,
    pub(super) paces: &'a [(i32, HostPace)],
    /// Teams whose success was stored a moment ago.
    pub(super) recent_teams: &'a BTreeMap<TeamId, Duration>,
    pub(super) group: &'a Group,
}

/// What was committed.
#[derive(Debug)]
pub(super) struct Committed {
    /// For each page its receipt, and how it ended; `None` if it was not accepted.
    pub(super) pages: Vec<(Receipt, Option<Outcome>)>,
    /// The jobs as they are now.
    pub(super) rows: Vec<JobRow>,
    /// For each job new tokens for this worker, and those that were taken back.
    pub(super) tokens: Vec<(i32, u64, u64)>,
    pub(super) additions: Additions,
    pub(super) teams: BTreeSet<TeamId>,
}

/// What is known of a job without its lock.
#[derive(Debug, Clone, Copy)]
struct Glimpse {
    pending: u64,
    has_depths: bool,
    is_wanted: bool,
}

#[async_trait]
impl Operation for Commit<'_> {
    type Output = Committed;

    async fn run(&self, t: &Transaction<'_>) -> Result<Committed, Failure> {
        let (sql, group) = (self.sql, self.group);
        let glimpses = self.begin(t).await?;
        // Jobs with depths are locked before their graphs are read, all others as late as possible.
        let with_depths: Vec<i32> =
            glimpses.iter().filter(|(_, job)| job.has_depths).map(|(number, _)| *number).collect();
        let mut rows: BTreeMap<i32, JobRow> = BTreeMap::new();
        add_locked(t, sql, &with_depths, &mut rows).await?;
        let is_offered = |page: &GroupPage| {
            let job = page.entry.job;
            let is_open =
                |glimpse: &Glimpse| !glimpse.has_depths || rows.get(&job).is_some_and(JobRow::is_running);
            !page.page.returns() && glimpses.get(&job).is_some_and(is_open)
        };
        let is_offered: Vec<bool> = group.pages.iter().map(is_offered).collect();
        let mut space: HashMap<i32, u64> = glimpses
            .iter()
            .map(|(number, job)| {
                let pending = rows.get(number).map_or(job.pending, |row| row.pending);
                (*number, queue_space(pending, self.config))
            })
            .collect();
        let steps = group.pages.iter().zip(&is_offered).filter(|(_, is_offered)| **is_offered);
        let steps: Vec<Step<'_>> = steps.map(|(page, _)| step(page)).collect();
        let mut offered = offer(t, sql, self.caches, &mut space, &steps).await?;
        let blocks = offered.blocks(t, sql, self.caches, self.held).await?;
        self.store_paces(t).await?;
        let others: Vec<i32> =
            glimpses.iter().filter(|(_, job)| !job.has_depths).map(|(number, _)| *number).collect();
        add_locked(t, sql, &others, &mut rows).await?;
        add_ended(t, sql, group, &mut rows).await?;
        let is_running = |number: i32| rows.get(&number).is_some_and(JobRow::is_running);
        // A job may have ended between the insertion of its pages and the lock of its row.
        delete_pages(t, sql, &offered.new_pages(|number| !is_running(number))).await?;
        let blocks: Vec<NewBlock> = blocks.into_iter().filter(|block| is_running(block.job)).collect();
        insert_blocks(t, sql, &blocks).await?;
        let mut taken = offered.taken.iter().copied();
        let mut effects = Effects::default();
        let mut pages = Vec::with_capacity(group.pages.len());
        for (page, is_offered) in group.pages.iter().zip(is_offered) {
            let taken = if is_offered { taken.next().unwrap_or_default() } else { Taken::default() };
            let mut receipt = Receipt::default();
            let row = rows.get_mut(&page.entry.job).filter(|row| row.is_running());
            let outcome = row.map(|row| {
                (receipt.accepted, receipt.admitted) = (true, taken.admitted.new);
                effects.apply(page, taken, row, group.now)
            });
            pages.push((receipt, outcome));
        }
        let tokens = self.store_tokens(t, &effects.tokens, &glimpses, &mut rows).await?;
        let ended = self.store_effects(t, &effects, &mut rows).await?;
        self.store_ended(t).await?;
        for number in ended {
            let mut of_job = group.pages.iter().zip(&mut pages).rev();
            let last = of_job.find(|(page, (receipt, _))| page.entry.job == number && receipt.accepted);
            if let Some((_, (receipt, _))) = last {
                receipt.job_ended = true;
            }
        }
        let rows = rows.into_values().collect();
        Ok(Committed { pages, rows, tokens, additions: offered.additions, teams: effects.teams })
    }
}

fn step(page: &GroupPage) -> Step<'_> {
    Step {
        job: page.entry.job,
        max_depth: page.entry.max_depth,
        depth: page.entry.depth,
        page: Some(page.entry.key),
        redirected_to: page.page.redirected_to,
        from_links: true,
        offered: page.followed_links(),
    }
}

/// Locks the rows of jobs.
async fn add_locked(
    t: &Transaction<'_>,
    sql: &Sql,
    numbers: &[i32],
    rows: &mut BTreeMap<i32, JobRow>,
) -> Result<(), Failure> {
    if !numbers.is_empty() {
        let locked = JobRow::lock_many(t, sql, numbers).await?;
        rows.extend(locked.into_iter().map(|row| (row.number, row)));
    }
    Ok(())
}

/// Adds the rows of jobs that ended before, so that this process knows it.
async fn add_ended(
    t: &Transaction<'_>,
    sql: &Sql,
    group: &Group,
    rows: &mut BTreeMap<i32, JobRow>,
) -> Result<(), Failure> {
    let ended: BTreeSet<i32> = group.pages.iter().map(|page| page.entry.job).collect();
    let ended: Vec<i32> = ended.into_iter().filter(|number| !rows.contains_key(number)).collect();
    if !ended.is_empty() {
        let found = JobRow::find_many(t, sql, &ended).await?;
        rows.extend(found.into_iter().filter(|row| !row.is_running()).map(|row| (row.number, row)));
    }
    Ok(())
}

/// Deletes pages that the transaction has inserted for jobs that have ended.
async fn delete_pages(t: &Transaction<'_>, sql: &Sql, pages: &[(i32, i64)]) -> Result<(), Failure> {
    if pages.is_empty() {
        return Ok(());
    }
    let (jobs, keys): (Vec<i32>, Vec<i64>) = pages.iter().copied().unzip();
    let text = sql.text(
        "DELETE FROM {schema}.page p USING unnest($1::int[], $2::bigint[]) AS n (job, key) \
         WHERE p.job = n.job AND p.key = n.key",
    );
    t.execute_typed(&text, &[(&jobs, Type::INT4_ARRAY), (&keys, Type::INT8_ARRAY)]).await?;
    Ok(())
}

impl Commit<'_> {
    /// Makes sure that the term of the worker goes on until the commit, and looks at the jobs.
    async fn begin(&self, t: &Transaction<'_>) -> Result<BTreeMap<i32, Glimpse>, Failure> {
        let numbers: BTreeSet<i32> = self.group.pages.iter().map(|page| page.entry.job).collect();
        let numbers: Vec<i32> = numbers.into_iter().collect();
        let text = self.sql.text(
            "SELECT j.number, j.pending, j.max_depth IS NOT NULL, \
                 coalesce(j.wanted_at > now() - interval '3 seconds', false) \
             FROM {schema}.worker w \
             LEFT JOIN {schema}.job j ON j.number = ANY($2::int[]) AND j.state = 0 AND NOT j.removed \
             WHERE w.id = $1::bigint FOR KEY SHARE OF w",
        );
        let found =
            t.query_typed(&text, &[(&self.group.worker, Type::INT8), (&numbers, Type::INT4_ARRAY)]).await?;
        if found.is_empty() {
            return Err(Failure::TermEnded);
        }
        let mut glimpses = BTreeMap::new();
        for row in found {
            if let Some(number) = row.try_get::<_, Option<i32>>(0)? {
                let (pending, has_depths, is_wanted) =
                    (count(row.try_get(1)?), row.try_get(2)?, row.try_get(3)?);
                glimpses.insert(number, Glimpse { pending, has_depths, is_wanted });
            }
        }
        Ok(glimpses)
    }

    async fn store_paces(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        if self.paces.is_empty() {
            return Ok(());
        }
        let mut paces: Vec<&(i32, HostPace)> = self.paces.iter().collect();
        paces.sort_unstable_by_key(|(host, _)| *host);
        let hosts: Vec<i32> = paces.iter().map(|(host, _)| *host).collect();
        let ready: Vec<i64> = paces.iter().map(|(_, pace)| micros(pace.ready_at)).collect();
        let gaps: Vec<i64> = paces.iter().map(|(_, pace)| micros(pace.gap)).collect();
        let places: Vec<Option<i32>> = paces.iter().map(|(_, pace)| pace.places.map(int)).collect();
        let addresses: Vec<Option<IpAddr>> = paces.iter().map(|(_, pace)| pace.address).collect();
        let text = self.sql.text(
            "UPDATE {schema}.host h SET ready_at = n.ready_at, gap = n.gap, places = n.places, \
                 address = coalesce(n.address, h.address) \
             FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::int[], $5::inet[]) \
                 AS n (id, ready_at, gap, places, address) \
             WHERE h.id = n.id AND h.worker = $6::bigint",
        );
        t.execute_typed(
            &text,
            &[
                (&hosts, Type::INT4_ARRAY),
                (&ready, Type::INT8_ARRAY),
                (&gaps, Type::INT8_ARRAY),
                (&places, Type::INT4_ARRAY),
                (&addresses, Type::INET_ARRAY),
                (&self.group.worker, Type::INT8),
            ],
        )
        .await?;
        Ok(())
    }

    /// Takes used tokens, and grants new ones for them where there is room. Returns for each job the granted
    /// tokens, and those that were taken back.
    async fn store_tokens(
        &self,
        t: &Transaction<'_>,
        tokens: &BTreeMap<i32, Tokens>,
        glimpses: &BTreeMap<i32, Glimpse>,
        rows: &mut BTreeMap<i32, JobRow>,
    ) -> Result<Vec<(i32, u64, u64)>, Failure> {
        let mut granted = Vec::new();
        let (mut jobs, mut changes) = (Vec::new(), Vec::new());
        for (number, Tokens { used, taken_back }) in tokens {
            let Some(row) = rows.get_mut(number) else { continue };
            row.tokens_held = row.tokens_held.saturating_sub(used.saturating_add(*taken_back));
            let is_wanted = glimpses.get(number).is_some_and(|job| job.is_wanted);
            let new = match *used {
                0 => 0,
                used => regrant(used, row.room(), self.group.workers, is_wanted),
            };
            row.tokens_held = row.tokens_held.saturating_add(new);
            let change = big(new).saturating_sub(big(*used)).saturating_sub(big(*taken_back));
            if change != 0 {
                jobs.push(*number);
                changes.push(change);
            }
            granted.push((*number, new, *taken_back));
        }
        if !jobs.is_empty() {
            let text = self.sql.text(
                "UPDATE {schema}.job_share s SET tokens = greatest(s.tokens + n.change, 0) \
                 FROM unnest($1::int[], $2::bigint[]) AS n (job, change) \
                 WHERE s.job = n.job AND s.worker = $3::bigint",
            );
            t.execute_typed(
                &text,
                &[(&jobs, Type::INT4_ARRAY), (&changes, Type::INT8_ARRAY), (&self.group.worker, Type::INT8)],
            )
            .await?;
        }
        Ok(granted)
    }

    /// Stores documents, lists and events, and the rows of the jobs. Returns the jobs that ended.
    async fn store_effects(
        &self,
        t: &Transaction<'_>,
        effects: &Effects<'_>,
        rows: &mut BTreeMap<i32, JobRow>,
    ) -> Result<Vec<i32>, Failure> {
        let (sql, now) = (self.sql, self.group.now);
        if !effects.notes.is_empty() {
            jobs::apply_notes_many(t, sql, &effects.notes).await?;
        }
        if !effects.documents.is_empty() {
            documents::insert(t, sql, &effects.documents).await?;
        }
        if !effects.histories.is_empty() {
            record_histories(t, sql, &effects.histories).await?;
        }
        if !effects.failures.is_empty() {
            let failures = rows
                .iter_mut()
                .filter_map(|(number, row)| Some((row, effects.failures.get(number)?.as_slice())));
            insert_failures(t, sql, failures.collect()).await?;
        }
        if !effects.events.is_empty() {
            let events = rows
                .iter_mut()
                .filter_map(|(number, row)| Some((row, effects.events.get(number)?.as_slice())));
            insert_events_of_many(t, sql, events.collect(), now).await?;
        }
        let mut ended = Vec::new();
        for row in rows.values_mut().filter(|row| row.is_running()) {
            if jobs::end_if_done(t, sql, row, now).await? {
                ended.push(row.number);
            }
        }
        let changed: Vec<JobRow> =
            rows.values().filter(|row| self.is_changed(row, &ended)).cloned().collect();
        if !changed.is_empty() {
            JobRow::store_many(t, sql, &changed).await?;
        }
        self.store_successes(t, &effects.teams).await?;
        Ok(ended)
    }

    /// True for jobs with pages of this commit that were accepted.
    fn is_changed(&self, row: &JobRow, ended: &[i32]) -> bool {
        let ends =
            || self.group.pages.iter().any(|page| page.entry.job == row.number && !page.page.returns());
        ended.contains(&row.number) || (row.is_running() && ends())
    }

    /// Stores that teams had a success.
    async fn store_successes(&self, t: &Transaction<'_>, teams: &BTreeSet<TeamId>) -> Result<(), Failure> {
        let now = micros(self.group.now);
        let is_old = |team: &&TeamId| {
            let last = self.recent_teams.get(*team);
            last.is_none_or(|last| micros(*last).saturating_add(SUCCESS_INTERVAL) <= now)
        };
        let names: Vec<&str> = teams.iter().filter(is_old).map(TeamId::as_str).collect();
        if names.is_empty() {
            return Ok(());
        }
        let text = self.sql.text(
            "UPDATE {schema}.team t SET last_success = $2::bigint FROM ( \
                 SELECT name FROM {schema}.team WHERE name = ANY($1::text[]) \
                     AND (last_success IS NULL OR last_success <= $2::bigint - $3::bigint) \
                 ORDER BY name FOR NO KEY UPDATE \
             ) old WHERE t.name = old.name",
        );
        t.execute_typed(
            &text,
            &[(&names, Type::TEXT_ARRAY), (&now, Type::INT8), (&SUCCESS_INTERVAL, Type::INT8)],
        )
        .await?;
        Ok(())
    }

    /// Deletes complete blocks, and stores which pages of the other blocks have ended.
    async fn store_ended(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let EndedRow { number, pages, complete, obsolete } = &self.group.ended;
        if pages.is_empty() && complete.is_empty() && obsolete.is_empty() {
            return Ok(());
        }
        let complete_hosts: Vec<i32> = complete.iter().map(|block| block.host).collect();
        let complete_jobs: Vec<i32> = complete.iter().map(|block| block.job).collect();
        let complete_ids: Vec<i64> = complete.iter().map(|block| block.id).collect();
        let blocks: Vec<i64> = pages.iter().map(|page| page.block).collect();
        let hosts: Vec<i32> = pages.iter().map(|page| page.host).collect();
        let jobs: Vec<i32> = pages.iter().map(|page| page.job).collect();
        let keys: Vec<i64> = pages.iter().map(|page| key(page.key)).collect();
        let text = self.sql.text(
            "WITH complete AS ( \
                 DELETE FROM {schema}.block b \
                 USING unnest($1::int[], $2::int[], $3::bigint[]) AS n (host, job, id) \
                 WHERE b.host = n.host AND b.job = n.job AND b.id = n.id \
             ), obsolete AS ( \
                 DELETE FROM {schema}.ended WHERE worker = $4::bigint AND number = ANY($5::bigint[]) \
             ) \
             INSERT INTO {schema}.ended (worker, number, blocks, hosts, jobs, keys) \
             SELECT $4::bigint, $6::bigint, $7::bigint[], $8::int[], $9::int[], $10::bigint[] \
             WHERE cardinality($7::bigint[]) > 0",
        );
        t.execute_typed(
            &text,
            &[
                (&complete_hosts, Type::INT4_ARRAY),
                (&complete_jobs, Type::INT4_ARRAY),
                (&complete_ids, Type::INT8_ARRAY),
                (&self.group.worker, Type::INT8),
                (obsolete, Type::INT8_ARRAY),
                (number, Type::INT8),
                (&blocks, Type::INT8_ARRAY),
                (&hosts, Type::INT4_ARRAY),
                (&jobs, Type::INT4_ARRAY),
                (&keys, Type::INT8_ARRAY),
            ],
        )
        .await?;
        Ok(())
    }
}
