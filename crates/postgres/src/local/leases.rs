//! Leasing pages, and workers that stop or renew their terms.

use std::collections::HashSet;
use std::time::Duration;

use gleaner_frontier::{Deferral, HostFeedback, HostLimits, LeaseId, Outcome};
use gleaner_store::{Error, LeasedPage, Leases, Renewal, Store, TeamId, WorkerId};
use gleaner_types::JobId;
use url::{Position, Url};

use super::{HeldLease, LeasedEntry, Local};
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// The longest time that a lease waits for pages of the database. It is asked on meanwhile.
const MAX_REFILL: Duration = Duration::from_secs(2);

/// Pages that their worker has not got yet. If it stops waiting for them, they return to the queue.
struct Undelivered<'a> {
    inner: &'a Inner,
    pages: Vec<LeasedPage>,
    now: Duration,
}

impl Drop for Undelivered<'_> {
    fn drop(&mut self) {
        if !self.pages.is_empty() {
            self.inner.local().return_pages(&self.pages, self.now);
        }
    }
}

/// Refuses unless the job runs.
struct RequireRunning<'a> {
    sql: &'a Sql,
    job: JobId,
}

#[async_trait::async_trait]
impl Operation for RequireRunning<'_> {
    type Output = ();

    async fn run(&self, transaction: &Transaction<'_>) -> Result<(), Failure> {
        JobRow::find(transaction, self.sql, self.job).await?.require_running()
    }
}

impl Inner {
    /// Leases pages of the database, and of the jobs in memory.
    pub(crate) async fn lease(&self, worker: WorkerId, max: usize, now: Duration) -> Result<Leases, Error> {
        let memory_first = self.local().next_turn();
        let mut leases = Leases::default();
        if memory_first {
            leases = self.memory.lease(worker, max, now).await?;
        }
        let left = max.saturating_sub(leases.pages.len());
        let own = self.lease_own(worker, left, leases.pages.is_empty(), now).await;
        let renew_before = own.renew_before;
        let next = earliest(leases.next, own.next);
        leases.pages.extend(own.pages);
        (leases.next, leases.renew_before) = (next, renew_before);
        if !memory_first && leases.pages.len() < max {
            // The memory store does not wait, so no page is lost here.
            let more = self.memory.lease(worker, max - leases.pages.len(), now).await?;
            leases.pages.extend(more.pages);
            leases.next = earliest(leases.next, more.next);
        }
        Ok(leases)
    }

    /// Leases pages of the database. If there are too few, and the database may have some, it waits for them.
    async fn lease_own(&self, worker: WorkerId, max: usize, waits: bool, now: Duration) -> Leases {
        if waits {
            self.take_part(MAX_REFILL).await;
        } else if self.local().take_part() {
            self.heartbeats.request();
        }
        let is_new = {
            let mut local = self.local();
            local.expire_leases(now);
            // While it waits, pages of the memory store would be lost if the caller stopped.
            waits && local.asks_for_newcomer(max)
        };
        if is_new {
            self.refills.wait(self.refills.request(), MAX_REFILL).await;
        }
        let (first, is_due) = self.local().lease(worker, max, now);
        if !is_due {
            return first;
        }
        let turn = self.refills.request();
        if !waits {
            // The caller has pages already, and is notified of others.
            return first;
        }
        let mut undelivered = Undelivered { inner: self, pages: first.pages, now };
        self.refills.wait(turn, MAX_REFILL).await;
        let (mut leases, _) = self.local().lease(worker, max.saturating_sub(undelivered.pages.len()), now);
        let mut pages = std::mem::take(&mut undelivered.pages);
        pages.append(&mut leases.pages);
        leases.pages = pages;
        leases
    }

    /// Extends the term if the last heartbeat is older than the interval. A worker that stopped begins none.
    pub(crate) async fn renew(&self, worker: WorkerId, now: Duration) -> Result<Renewal, Error> {
        let is_old = {
            let mut local = self.local();
            let is_new = !local.has_left(worker) && local.take_part();
            is_new || local.is_heartbeat_due(self.config.heartbeat)
        };
        if is_old {
            let turn = self.heartbeats.request();
            self.heartbeats.wait(turn, self.config.heartbeat).await;
        }
        let mut local = self.local();
        let mut renewal = Renewal::unlimited();
        renewal.renew_before = Some(local.term_ends(now));
        renewal.lost = local.take_lost(worker);
        Ok(renewal)
    }

    /// Returns the pages of a worker to the queue. A process without leases gives all back, and ends its
    /// term.
    pub(crate) async fn release(&self, worker: WorkerId, now: Duration) -> Result<(), Error> {
        self.memory.release(worker, now).await?;
        let is_idle = self.local().release(worker, now);
        let turn = self.refills.request();
        if is_idle {
            self.refills.wait(turn, self.config.patience).await;
        }
        self.wake();
        Ok(())
    }

    /// Reports what was learned about a host.
    pub(crate) fn feedback(&self, url: &Url, feedback: HostFeedback, now: Duration) {
        self.memory.feedback(url, feedback, now);
        self.local().feedback(url, feedback, now);
        self.notify_work();
    }

    /// The limits of a host for requests without a lease.
    pub(crate) fn limits(&self, url: &Url) -> HostLimits {
        let (one, other) = (self.memory.limits(url), self.local().frontier.limits(url));
        HostLimits::new(one.max_concurrent.min(other.max_concurrent), one.not_before.max(other.not_before))
    }

    /// Whether a link would be deferred. A job without loaded pages defers none.
    pub(crate) async fn would_defer(&self, job: JobId, url: &Url) -> Result<Option<Deferral>, Error> {
        self.db.read(&RequireRunning { sql: &self.db.sql, job }).await?;
        let local = self.local();
        Ok(local.slot_of(job).and_then(|slot| local.frontier.would_defer(slot, url)))
    }

    /// Ends expired leases, and commits the pages that were given up as failed.
    pub(crate) async fn expire_leases(&self, now: Duration) -> Result<(), Error> {
        let pages = {
            let mut local = self.local();
            local.expire_leases(now);
            local.take_given_up()
        };
        if !pages.is_empty()
            && let Err(error) = self.give_up(pages.clone(), now).await
        {
            self.local().keep_given_up(pages);
            return Err(error);
        }
        Ok(())
    }
}

fn earliest(one: Option<Duration>, other: Option<Duration>) -> Option<Duration> {
    [one, other].into_iter().flatten().min()
}

impl Local {
    /// True if the memory store leases first: they take turns.
    fn next_turn(&mut self) -> bool {
        self.memory_first = !self.memory_first;
        self.memory_first
    }

    /// True if a job without loaded pages has changed since the last call: the next refill looks for it.
    fn asks_for_newcomer(&mut self, max: usize) -> bool {
        let asks = std::mem::take(&mut self.newcomer) && max > 0 && self.is_in_term();
        if asks {
            self.wanted = self.wanted.max(1);
        }
        asks
    }

    /// Leases at most `max` loaded pages. True if there were fewer, and the database may have others.
    fn lease(&mut self, worker: WorkerId, max: usize, now: Duration) -> (Leases, bool) {
        let now = self.at(now);
        let mut leases = Leases::default();
        leases.renew_before = Some(self.term_ends(now));
        if !self.is_in_term() {
            // Until the term is renewed, or another one begins.
            leases.next = Some(now.saturating_add(Duration::from_millis(100)));
            return (leases, false);
        }
        let leased = self.frontier.lease(max, now);
        leases.next = leased.next;
        let expires_at = now.saturating_add(self.config.lease_time);
        let epoch = self.term.epoch.cast_unsigned();
        let mut touched = Vec::new();
        for lease in leased.leases {
            let Some(&number) = self.by_slot.get(&lease.job) else { continue };
            let Some(job) = self.jobs.get_mut(&number) else { continue };
            let Some(&place) = job.pages.get(&lease.key) else {
                // Its block has gone with its host.
                self.frontier.finish(lease.id, Outcome::Skipped, [], now);
                continue;
            };
            job.leased += 1;
            job.leased_auxiliary += u64::from(lease.auxiliary);
            let (id, max_depth, team) = (job.id, job.max_depth, job.team.clone());
            let entry = LeasedEntry {
                job: number,
                max_depth,
                key: lease.key,
                depth: lease.depth,
                host: place.host,
                block: place.block,
                auxiliary: lease.auxiliary,
                external: lease.external,
                worker,
            };
            self.count_waiting(number, place.host, false);
            if self.is_low(place.host, number) {
                self.due = true;
            }
            self.leases.insert(lease.id.to_raw(), HeldLease { entry, expires_at });
            if lease.auxiliary {
                touched.push(number);
            }
            let mut page = LeasedPage::new(lease, epoch, id, expires_at);
            page.waited_for_slot = self.teams.page_leased(team.as_ref());
            leases.pages.push(page);
        }
        for number in touched {
            self.update_job(number);
        }
        let missing = max.saturating_sub(leases.pages.len());
        if missing == 0 {
            self.wanted = 0;
            return (leases, false);
        }
        let free = usize::try_from(self.config.max_in_flight).unwrap_or(usize::MAX);
        let free = free.saturating_sub(self.frontier.in_flight());
        if free > 0 {
            let moving = self.jobs.values().filter(|job| job.has_offer()).map(|job| job.team.clone());
            let moving: HashSet<Option<TeamId>> = moving.collect();
            self.teams.nothing_to_lease(&self.frontier, &moving);
        }
        self.wanted = missing.min(free);
        (leases, free > 0 && (self.due || self.needs_shares()))
    }

    /// Returns leased pages that no worker has received.
    fn return_pages(&mut self, pages: &[LeasedPage], now: Duration) {
        let now = self.at(now);
        let epoch = self.term.epoch.cast_unsigned();
        for page in pages.iter().filter(|page| page.lease.epoch == epoch) {
            let Some(held) = self.leases.remove(&page.lease.number) else { continue };
            let lease = LeaseId::from_raw(page.lease.number);
            self.frontier.no_request_sent(lease);
            self.end_lease(lease, Some(held.entry), Outcome::Return { not_before: now }, now);
        }
    }

    /// Returns the pages of a worker to the queue, without an attempt. True if no page is leased any more.
    fn release(&mut self, worker: WorkerId, now: Duration) -> bool {
        let now = self.at(now);
        self.lost.remove(&worker);
        let held = self.leases.extract_if(|_, lease| lease.entry.worker == worker);
        let mut held: Vec<(u64, HeldLease)> = held.collect();
        held.sort_unstable_by_key(|(number, _)| *number);
        for (number, lease) in held {
            // A request may have been sent, so the gap of the host begins now.
            let outcome = Outcome::Return { not_before: now };
            self.end_lease(LeaseId::from_raw(number), Some(lease.entry), outcome, now);
        }
        if self.leases.is_empty() {
            // What is not leased is given back, and nothing is taken before the next lease.
            (self.drains, self.wanted) = (true, 0);
            self.leave(worker);
        }
        self.leases.is_empty()
    }

    /// True if all is to be given back, once.
    pub(super) fn take_drain(&mut self) -> bool {
        let drains = std::mem::take(&mut self.drains) && self.leases.is_empty();
        self.starved &= !drains;
        drains
    }

    /// Takes the leases that a worker has lost since the last call.
    fn take_lost(&mut self, worker: WorkerId) -> Vec<gleaner_store::LeaseId> {
        let mut lost = self.lost.remove(&worker).unwrap_or_default();
        lost.sort_unstable();
        lost.dedup();
        lost
    }

    fn feedback(&mut self, url: &Url, feedback: HostFeedback, now: Duration) {
        let now = self.at(now);
        self.frontier.feedback(url, feedback, now);
        let name = &url[Position::BeforeHost..Position::AfterPort];
        if let Some(id) = self.by_name.get(name) {
            self.paced.insert(*id);
        }
    }
}
