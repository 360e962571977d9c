//! The state that the lock of a [`MemoryStore`](super::MemoryStore) guards, and the steps of its operations.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{Counts, Frontier, JobSlot, LeaseId, Leased, QueueSize};
use gleaner_types::plan::EventKind;
use gleaner_types::{JobId, JobState};
use uuid::Uuid;

use super::events::{Event, EventSchedule};
use super::facts::{FactLog, JobJournal};
use super::failure_quota::FailureQuota;
use super::histories::Histories;
use super::intents::Intents;
use super::job::{Job, has_record_of_pages};
use super::keys::IdempotencyKeys;
use super::leases::LeaseHolders;
use super::scrapes::Scrapes;
use super::teams::{TeamIndex, Teams};
use super::unsettled::Unsettled;
use crate::accounting::grant_operation;
use crate::journal::{Fact, MAX_JOB_NUMBER, Row};
use crate::outbox::EventData;
use crate::result_space::ResultSpace;
use crate::results::DocumentSource;
use crate::scrape;
use crate::{
    EndedJob, EndedJobs, Error, JobAccount, JobFailure, JobSnapshot, NewJob, Retention, Shortage, TeamId,
};

/// The error of a job whose team can pay for no further page.
const INSUFFICIENT_CREDITS: &str = "insufficient credits";

pub(super) struct State {
    pub(super) frontier: Frontier,
    /// Identifies this run of the store.
    pub(super) epoch: u64,
    pub(super) lease_holders: LeaseHolders,
    /// The facts of the current operation.
    pub(super) log: FactLog,
    /// The number of the next job in the journal.
    pub(super) next_number: u64,
    /// The ticket of the last facts.
    pub(super) ticket: u64,
    /// Credits that are reserved for jobs that are not submitted yet.
    pub(super) intents: Intents,
    pub(super) result_space: Arc<ResultSpace>,
    pub(super) max_in_flight: usize,
    /// Ordered by id, so that a scrape id leads to its job.
    pub(super) jobs: BTreeMap<JobId, Job>,
    /// Removed jobs whose events still wait.
    pub(super) removed: BTreeMap<JobId, Job>,
    pub(super) running: HashMap<JobSlot, (JobId, TeamIndex)>,
    pub(super) teams: Teams,
    pub(super) event_schedule: EventSchedule,
    pub(super) histories: Histories,
    pub(super) scrapes: Scrapes,
    pub(super) keys: IdempotencyKeys,
    /// Number of running jobs with a budget.
    pub(super) budgeted_jobs: usize,
    pub(super) short_of_credits: BTreeSet<JobId>,
    pub(super) unsettled: Unsettled,
    /// The latest settled jobs.
    pub(super) activities: EndedJobs,
    /// Running jobs without pages of their own that an earlier process worked on.
    pub(super) orphans: BTreeSet<JobId>,
    /// There is new maintenance work since the last check.
    pub(super) has_maintenance: bool,
    /// Capacity for listed failures and refusals.
    pub(super) failure_quota: FailureQuota,
}

/// The error if there is no space for pages from users, which are queued all or not at all.
pub(super) fn queue_full() -> Error {
    Error::full(
        "there is no space for these pages in the queue of all jobs, or in that of their job; space is freed \
         as other pages are done",
    )
}

/// The idempotency key of a submit or an append.
fn key_of(account: Option<&JobAccount>) -> Option<(&TeamId, Uuid)> {
    let account = account?;
    Some((&account.team, account.idempotency_key?))
}

impl State {
    pub(super) fn job(&mut self, id: JobId) -> Result<&mut Job, Error> {
        self.jobs.get_mut(&id).ok_or_else(|| Error::unknown_job(id))
    }

    /// Takes the idempotency key of a new job or of an append, if it has one.
    pub(super) fn take_key(&mut self, account: Option<&JobAccount>, now: Duration) -> Result<(), Error> {
        match key_of(account) {
            Some((team, key)) if !self.keys.insert(team, key, now) => Err(Error::key_used()),
            _ => Ok(()),
        }
    }

    /// Records that the [taken](Self::take_key) key is used.
    pub(super) fn log_key(&mut self, account: Option<&JobAccount>, now: Duration) {
        if let Some((team, key)) = key_of(account) {
            self.log.push_global(&Fact::KeyUsed { team: team.as_str(), key, at: now });
        }
    }

    /// Gives a [taken](Self::take_key) key back.
    pub(super) fn return_key(&mut self, account: Option<&JobAccount>) {
        if let Some((team, key)) = key_of(account) {
            self.keys.remove(team, key);
        }
    }

    /// Checks that a job may start, except for its pages.
    pub(super) fn check_new(&self, job: &NewJob) -> Result<(), Error> {
        self.check_id(job.id)?;
        if self.is_key_used(job.account.as_deref()) {
            return Err(Error::key_used());
        }
        self.check_job_limit(job.account.as_deref())?;
        self.check_unsettled(job.account.as_deref())?;
        self.check_result_space(job)?;
        self.check_numbers()
    }

    /// Checks that the id of a new job is free.
    pub(super) fn check_id(&self, id: JobId) -> Result<(), Error> {
        let is_free = !self.jobs.contains_key(&id) && !self.removed.contains_key(&id);
        if is_free { Ok(()) } else { Err(Error::job_exists(id)) }
    }

    /// Checks the number of unsettled jobs: an accounts provider that is far behind blocks new jobs, so that
    /// the list cannot grow without limit.
    pub(super) fn check_unsettled(&self, account: Option<&JobAccount>) -> Result<(), Error> {
        account.map_or(Ok(()), |account| self.unsettled.check_capacity(&account.team))
    }

    /// Checks the space for the documents of a new job. Without space it is rejected, rather than failing
    /// after its pages are paid for.
    pub(super) fn check_result_space(&self, job: &NewJob) -> Result<(), Error> {
        let keeps = job.retention == Retention::Keep || job.webhook.is_some();
        if job.in_memory && keeps {
            self.result_space
                .quota(job.account.as_ref().map(|account| &account.team))
                .check_pinned_capacity()?;
        }
        Ok(())
    }

    /// Checks that a journal has a number for a new job.
    pub(super) fn check_numbers(&self) -> Result<(), Error> {
        if !self.log.is_on() || self.next_number <= MAX_JOB_NUMBER {
            return Ok(());
        }
        Err(Error::full(
            "the journal has no number for another job; those of removed jobs are free after a restart",
        ))
    }

    /// Opens a queue for a new job, if all its pages fit.
    pub(super) fn open_queue(&mut self, job: &NewJob) -> Result<JobSlot, Error> {
        let team = self.teams.find_or_insert(job.account.as_ref().map(|account| &account.team));
        let slot = self.frontier.open_for(team.group(), job.rules.clone());
        if job.in_memory {
            self.frontier.keep_in_memory(slot);
        }
        if !self.frontier.has_capacity(slot, &job.pages) {
            self.frontier.close(slot);
            return Err(queue_full());
        }
        Ok(slot)
    }

    /// Opens a queue for a new job whose pages come in slices. It is held until the job
    /// [starts](Self::start_job).
    pub(super) fn open_for_slices(
        &mut self,
        job: &NewJob,
        size: QueueSize,
        now: Duration,
    ) -> Result<JobSlot, Error> {
        let slot = self.open_queue(job)?;
        if !self.frontier.reserve(slot, size, now) {
            self.frontier.close(slot);
            return Err(queue_full());
        }
        self.frontier.hold(slot, true);
        // The team keeps its index meanwhile, and the job counts for its limit.
        let owner = job.account.as_ref().map(|account| &account.team);
        let slots = job.account.as_ref().and_then(|account| account.slots);
        let team = self.teams.find_or_insert(owner);
        self.teams.add_job(team, slots, slot, &mut self.frontier);
        Ok(slot)
    }

    /// Closes a queue that was [opened for slices](Self::open_for_slices) without a start.
    pub(super) fn close_unstarted(&mut self, job: &NewJob, slot: JobSlot) {
        let team = self.teams.find_or_insert(job.account.as_ref().map(|account| &account.team));
        self.teams.remove_job(team, slot, 0, &self.frontier);
        self.frontier.close(slot);
    }

    /// Starts a job. `record` is what the journal gets of it, if there is one.
    pub(super) fn start_job(
        &mut self,
        slot: JobSlot,
        mut job: NewJob,
        record: Option<Box<NewJob>>,
        retained_bytes: usize,
        now: Duration,
    ) {
        let id = job.id;
        let owner = job.account.as_ref().map(|account| &account.team);
        let (team, quota) = (self.teams.find_or_insert(owner), self.result_space.quota(owner));
        let slots = job.account.as_ref().and_then(|account| account.slots);
        self.teams.add_job(team, slots, slot, &mut self.frontier);
        let pages = std::mem::take(&mut job.pages);
        self.frontier.admit(slot, 0, pages, now);
        self.running.insert(slot, (id, team));
        self.budgeted_jobs +=
            usize::from(job.account.as_ref().is_some_and(|account| account.budget.is_some()));
        let journal = self.log_submit(record, now);
        let mut record = Job::new(slot, team, journal, job, retained_bytes, quota, now);
        if record.outbox.is_some() {
            let event = Event { kind: EventKind::Started, data: EventData::Nothing, error: None };
            self.event_schedule.push(&mut self.log, (id, &mut record), event, now);
            self.has_maintenance = true;
        }
        self.jobs.insert(id, record);
        self.check_budget(id);
        self.end_if_done(id, now);
    }

    /// Records a new job without its pages, and ends the reservation for it.
    fn log_submit(&mut self, record: Option<Box<NewJob>>, now: Duration) -> JobJournal {
        let Some(job) = record else { return JobJournal::Nothing };
        for operation in self.intents.remove_job(job.id) {
            self.log.push_global(&Fact::Withdrawn { operation });
        }
        let has_pages = has_record_of_pages(&job);
        if !has_pages && job.account.is_none() {
            return JobJournal::Nothing;
        }
        let number = self.next_number;
        self.next_number += 1;
        let journal = if has_pages { JobJournal::Everything(number) } else { JobJournal::Counts(number) };
        self.log.row(Some(number), || Row::Submitted { job, at: now });
        journal
    }

    /// Leases pages that their jobs can pay for, in the fair order of the frontier. Also returns the leases
    /// whose page waited for a slot of its team.
    pub(super) fn lease(&mut self, max: usize, now: Duration) -> (Leased, BTreeSet<LeaseId>) {
        let mut leased = Leased::default();
        let mut waited = BTreeSet::new();
        while leased.leases.len() < max {
            // Only after one lease is recorded is it known whether the budget covers another page.
            let max_leases = if self.budgeted_jobs == 0 { max - leased.leases.len() } else { 1 };
            let mut batch = self.frontier.lease(max_leases, now);
            let is_last = batch.leases.len() < max_leases;
            for lease in &batch.leases {
                let Some((id, team)) = self.running.get(&lease.job).copied() else { continue };
                if self.teams.page_leased(team) {
                    waited.insert(lease.id);
                }
                self.check_budget(id);
            }
            leased.leases.append(&mut batch.leases);
            leased.next = batch.next;
            if is_last {
                if self.frontier.in_flight() < self.max_in_flight {
                    self.teams.nothing_to_lease(&self.frontier);
                }
                break;
            }
        }
        self.record_lost_pages(now);
        (leased, waited)
    }

    /// Holds a job whose budget does not cover its next page, and resumes it when it does.
    pub(super) fn check_budget(&mut self, id: JobId) {
        let Some(job) = self.jobs.get_mut(&id) else { return };
        if job.credits_denied
            || job.ended_at.is_some()
            || job.missing_credits(&self.frontier).is_some() == job.short_of_credits
        {
            return;
        }
        job.short_of_credits = !job.short_of_credits;
        if job.short_of_credits {
            self.short_of_credits.insert(id);
            self.has_maintenance = true;
        } else {
            self.short_of_credits.remove(&id);
        }
        self.update_hold(id);
    }

    pub(super) fn update_hold(&mut self, id: JobId) {
        if let Some(job) = self.jobs.get(&id) {
            let is_held = job.reader_behind || job.short_of_credits || job.paused || job.arriving > 0;
            self.frontier.hold(job.slot, is_held);
        }
    }

    pub(super) fn set_reader_behind(&mut self, id: JobId, reader_behind: bool) {
        if let Some(job) = self.jobs.get_mut(&id) {
            job.reader_behind = reader_behind;
        }
        self.update_hold(id);
    }

    pub(super) fn shortages(&self, max: usize) -> Vec<Shortage> {
        let missing = self.short_of_credits.iter().filter_map(|id| {
            let job = self.jobs.get(id)?;
            let account = job.account.as_ref()?;
            let credits = job.missing_credits(&self.frontier)?;
            let operation = grant_operation(*id, job.grants);
            Some(Shortage { job: *id, team: account.team.clone(), operation, credits, price: account.price })
        });
        missing.take(max).collect()
    }

    pub(super) fn grant(&mut self, id: JobId, credits: u64, now: Duration) {
        let Some(job) = self.jobs.get_mut(&id).filter(|job| job.short_of_credits && job.ended_at.is_none())
        else {
            return;
        };
        let fact = Fact::Budget { added: credits, denied: credits == 0 };
        self.log.push(job.journal.everything(), &fact);
        job.grant(credits);
        if credits > 0 {
            self.check_budget(id);
        } else {
            job.credits_denied = true;
            self.short_of_credits.remove(&id);
            self.fail_if_denied(id, now);
        }
    }

    /// Ends a job that can pay for no further page, once no page of it is leased.
    pub(super) fn fail_if_denied(&mut self, id: JobId, now: Duration) -> bool {
        let Some(job) = self.jobs.get_mut(&id).filter(|job| job.credits_denied && job.ended_at.is_none())
        else {
            return false;
        };
        if self.frontier.counts(job.slot).is_some_and(|counts| counts.leased > 0) {
            return false;
        }
        job.failure = Some(JobFailure::InsufficientCredits);
        job.error = Some(INSUFFICIENT_CREDITS.to_owned());
        self.end_job(id, JobState::Failed, now)
    }

    /// Ends the job if it is sealed and has nothing left to do.
    pub(super) fn end_if_done(&mut self, id: JobId, now: Duration) -> bool {
        let Some(job) = self.jobs.get(&id) else { return false };
        let documents = || self.frontier.counts(job.slot).unwrap_or_default().documents;
        let is_done = job.state == JobState::Scraping
            && job.arriving == 0
            && self.frontier.is_idle(job.slot)
            && (job.sealed || documents() >= job.rules.limit);
        is_done && self.end_job(id, JobState::Completed, now)
    }

    pub(super) fn fail(
        &mut self,
        id: JobId,
        failure: JobFailure,
        reason: &str,
        now: Duration,
    ) -> Result<(), Error> {
        self.running_slot(id)?;
        let job = self.job(id)?;
        (job.failure, job.error) = (Some(failure), Some(reason.to_owned()));
        self.end_job(id, JobState::Failed, now);
        Ok(())
    }

    pub(super) fn end_job(&mut self, id: JobId, state: JobState, now: Duration) -> bool {
        self.log_changes();
        self.log_counts(id);
        let Some(job) = self.jobs.get_mut(&id) else { return false };
        job.final_counts = self.frontier.counts(job.slot).unwrap_or_default();
        self.teams.remove_job(job.team, job.slot, job.final_counts.leased, &self.frontier);
        self.frontier.close(job.slot);
        self.running.remove(&job.slot);
        job.state = state;
        (job.ended_at, job.end) = (Some(now), self.log.durability());
        job.drop_request();
        // The text of a worker may contain what must not be written.
        let keeps_error = job.journal.everything().is_some() || job.failure != Some(JobFailure::Other);
        let error = job.error.as_deref().filter(|_| keeps_error);
        let fact = Fact::JobEnded { at: now, state, failure: job.failure, error };
        self.log.push(job.journal.number(), &fact);
        let (kind, error) = match state {
            JobState::Completed | JobState::Scraping => (EventKind::Completed, None),
            JobState::Failed => (EventKind::Failed, job.error.as_deref().map(Box::from)),
            JobState::Cancelled => (EventKind::Cancelled, None),
        };
        if job.outbox.is_some() {
            let data = match job.conclusion {
                Some(_) => EventData::Conclusion,
                None => EventData::Nothing,
            };
            let event = Event { kind, data, error };
            self.event_schedule.push(&mut self.log, (id, &mut *job), event, now);
            self.has_maintenance = true;
        }
        job.log_delivered(&mut self.log);
        job.notify_progress(&mut self.log);
        if let Some(account) = &job.account {
            self.budgeted_jobs = self.budgeted_jobs.saturating_sub(usize::from(account.budget.is_some()));
            self.short_of_credits.remove(&id);
            if account.part_of.is_some() {
                return true;
            }
            self.has_maintenance = true;
            if let Some(ended) = self.ended_job(id) {
                self.unsettled.push(ended);
            }
        }
        true
    }

    /// Records the counts of a running job if nothing else about it is written.
    pub(super) fn log_counts(&mut self, id: JobId) {
        let Some(job) = self.jobs.get(&id) else { return };
        if let (JobJournal::Counts(_), Some(counts)) = (job.journal, self.frontier.counts(job.slot)) {
            let Counts { documents, failed, .. } = counts;
            let fact = Fact::Counts { documents, failed, blocked: job.robots_blocked, credits: job.credits };
            self.log.push(job.journal.number(), &fact);
        }
    }

    /// What the accounts provider must be told about an ended job.
    pub(super) fn ended_job(&self, id: JobId) -> Option<EndedJob> {
        let job = self.jobs.get(&id)?;
        Some(EndedJob {
            team: job.account.as_ref()?.team.clone(),
            url: job.url.clone().unwrap_or_default(),
            snapshot: self.snapshot(id).ok()?,
            zero_data_retention: job.in_memory,
        })
    }

    /// Checks that the team of a new job may run one more job.
    pub(super) fn check_job_limit(&self, account: Option<&JobAccount>) -> Result<(), Error> {
        let Some((team, max)) = account.and_then(|account| Some((&account.team, account.max_jobs?))) else {
            return Ok(());
        };
        let running = self.teams.find(team).map_or(0, |slot| self.teams.job_count(slot));
        if running < u64::from(max) { Ok(()) } else { Err(Error::too_many_jobs(max)) }
    }

    pub(super) fn is_key_used(&self, account: Option<&JobAccount>) -> bool {
        key_of(account).is_some_and(|(team, key)| self.keys.is_used(team, key))
    }

    pub(super) fn running_slot(&mut self, id: JobId) -> Result<JobSlot, Error> {
        let job = self.job(id)?;
        if job.state == JobState::Scraping { Ok(job.slot) } else { Err(Error::job_ended(id)) }
    }

    /// Removes a job, except for its waiting events.
    pub(super) fn remove_job(&mut self, id: JobId) {
        let Some(mut job) = self.jobs.remove(&id) else { return };
        self.drop_failures(&mut job);
        let has_events = job.outbox.as_ref().is_some_and(|outbox| !outbox.is_empty());
        // A journal keeps its facts until it is settled.
        let keeps_facts = has_events || (job.journal.number().is_some() && self.unsettled.contains(id));
        self.log.row(job.journal.number(), || Row::Removed { keeps_facts });
        if keeps_facts {
            self.removed.insert(id, job);
        }
    }

    /// Forgets a removed job that nothing is left of.
    pub(super) fn forget_removed(&mut self, id: JobId) {
        let Some(job) = self.removed.get(&id) else { return };
        let has_events = job.outbox.as_ref().is_some_and(|outbox| !outbox.is_empty());
        if !has_events && (job.journal.number().is_none() || !self.unsettled.contains(id)) {
            self.log.row(job.journal.number(), || Row::Removed { keeps_facts: false });
            self.removed.remove(&id);
        }
    }

    /// Removes everything that ended at or before `until`, and returns the removed jobs.
    pub(super) fn remove_expired(&mut self, until: Duration) -> Vec<JobId> {
        let ended = self.jobs.iter().filter(|(_, job)| job.ended_at.is_some_and(|ended| ended <= until));
        let mut removed_jobs: Vec<JobId> = ended.map(|(id, _)| *id).collect();
        removed_jobs.sort_unstable();
        for id in &removed_jobs {
            self.remove_job(*id);
        }
        self.drop_expired_events(until);
        self.expire_keys(until);
        self.expire_scrapes(until);
        // This includes ended jobs, whose listed failures count for their team.
        let used: HashSet<TeamIndex> = self.jobs.values().map(|job| job.team).collect();
        self.teams.remove_expired(&used, until);
        removed_jobs
    }

    /// The document of this scrape, if it is a page of one of the jobs of the team that keep their documents.
    pub(super) fn job_document(&mut self, team: &TeamId, scrape: Uuid) -> Option<DocumentSource> {
        let (first, last) = scrape::job_range(scrape);
        self.jobs.range_mut(first..=last).find_map(|(_, job)| {
            let is_of_team = job.account.as_ref().is_some_and(|account| account.team == *team);
            if is_of_team { job.results.document_by_scrape(scrape) } else { None }
        })
    }

    pub(super) fn snapshot(&self, id: JobId) -> Result<JobSnapshot, Error> {
        let job = self.jobs.get(&id).ok_or_else(|| Error::unknown_job(id))?;
        let counts = match job.ended_at {
            Some(_) => job.final_counts,
            None => self.frontier.counts(job.slot).unwrap_or_default(),
        };
        // At the end no page is leased, and admitted pages that were never fetched do not count.
        let open = if job.ended_at.is_some() { 0 } else { counts.total.saturating_sub(counts.documents) };
        let snapshot = JobSnapshot {
            id,
            kind: job.kind,
            team: job.account.as_ref().map(|account| account.team.clone()),
            state: job.state,
            completed: counts.documents,
            total: 0,
            open: 0,
            failed: counts.failed,
            robots_blocked: job.robots_blocked,
            tokens_used: job.tokens,
            credits_used: job.credits,
            created_at: job.created_at,
            ended_at: job.ended_at,
            waiting_for: job.waiting_for(),
            warnings: job.warnings(),
            failure: job.failure,
            error: job.error.clone(),
        };
        Ok(snapshot.with_open(open))
    }
}
