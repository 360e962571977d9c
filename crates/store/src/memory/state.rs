//! What the lock of a [`MemoryStore`](super::MemoryStore) guards, and the steps that its operations are made of.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{Frontier, JobSlot, LeaseId, Leased};
use gleaner_types::plan::EventKind;
use gleaner_types::{JobId, JobState};
use serde_json::Value;
use uuid::Uuid;

use super::events::{Event, EventSchedule};
use super::histories::Histories;
use super::job::Job;
use super::keys::Keys;
use super::listing::Listing;
use super::scrapes::Scrapes;
use super::teams::{TeamSlot, Teams};
use super::unsettled::Unsettled;
use crate::outbox::EventData;
use crate::result_space::ResultSpace;
use crate::results::Held;
use crate::scrape;
use crate::{
    EndedJob, Error, JobAccount, JobFailure, JobSnapshot, NewJob, PageFailures, Retention, Shortage, TeamId,
};

/// Why a job fails whose team can pay for no further page.
const INSUFFICIENT_CREDITS: &str = "insufficient credits";

pub(super) struct State {
    pub(super) frontier: Frontier,
    pub(super) result_space: Arc<ResultSpace>,
    pub(super) max_in_flight: usize,
    /// By their ids, so that a scrape leads to its job.
    pub(super) jobs: BTreeMap<JobId, Job>,
    /// Jobs that were removed while events of theirs wait.
    pub(super) leftover: BTreeMap<JobId, Job>,
    pub(super) running: HashMap<JobSlot, (JobId, TeamSlot)>,
    pub(super) teams: Teams,
    pub(super) event_schedule: EventSchedule,
    pub(super) histories: Histories,
    pub(super) scrapes: Scrapes,
    pub(super) keys: Keys,
    /// Running jobs with a budget.
    pub(super) budgets: usize,
    pub(super) short: BTreeSet<JobId>,
    pub(super) ended: Unsettled,
    /// Something was added to the chores since this was last looked at.
    pub(super) has_chores: bool,
    /// Room for failures and refusals.
    pub(super) listing: Listing,
}

/// Pages that users name are taken in whole or not at all.
pub(super) fn no_room() -> Error {
    Error::full(
        "there is no room for these pages in the queue of all jobs, or in that of their job; it is made as others are done",
    )
}

impl State {
    pub(super) fn job(&mut self, id: JobId) -> Result<&mut Job, Error> {
        self.jobs.get_mut(&id).ok_or_else(|| Error::unknown_job(id))
    }

    /// The account of a job that is just begun, where a key of it may be used.
    pub(super) fn take_key(&mut self, account: Option<&JobAccount>, now: Duration) -> Result<(), Error> {
        let key = account.and_then(|account| Some((&account.team, account.idempotency_key?)));
        match key {
            Some((team, key)) if !self.keys.enter(team, key, now) => Err(Error::key_used()),
            _ => Ok(()),
        }
    }

    /// A keeper of accounts that is far behind holds up new jobs, lest what it is to be told grow without bound.
    pub(super) fn check_unsettled(&self, account: Option<&JobAccount>) -> Result<(), Error> {
        account.map_or(Ok(()), |account| self.ended.check(&account.team))
    }

    /// Is there room for what a new job will keep? Where none is left, it is not begun, lest it fail when its pages are paid.
    pub(super) fn check_result_space(&self, job: &NewJob) -> Result<(), Error> {
        let keeps = job.retention == Retention::Keep || job.webhook.is_some();
        if job.in_memory && keeps {
            self.result_space.quota(job.account.as_ref().map(|account| &account.team)).check_fixed()?;
        }
        Ok(())
    }

    /// Opens a queue for pages of a new job, where all of them find room in it.
    pub(super) fn open(&mut self, job: &NewJob) -> Result<JobSlot, Error> {
        let team = self.teams.slot(job.account.as_ref().map(|account| &account.team));
        let slot = self.frontier.open_for(team.group(), job.rules.clone());
        if job.in_memory {
            self.frontier.keep_in_memory(slot);
        }
        if !self.frontier.has_room(slot, &job.pages) {
            self.frontier.close(slot);
            return Err(no_room());
        }
        Ok(slot)
    }

    pub(super) fn begin(&mut self, slot: JobSlot, mut job: NewJob, retained_bytes: usize, now: Duration) {
        let id = job.id;
        let owner = job.account.as_ref().map(|account| &account.team);
        let (team, quota) = (self.teams.slot(owner), self.result_space.quota(owner));
        let slots = job.account.as_ref().and_then(|account| account.slots);
        self.teams.enter(team, slots, slot, &mut self.frontier);
        let pages = std::mem::take(&mut job.pages);
        job.url = job.url.or_else(|| pages.first().map(|page| page.url.to_string()));
        self.frontier.admit(slot, 0, pages, now);
        self.running.insert(slot, (id, team));
        self.budgets += usize::from(job.account.as_ref().is_some_and(|account| account.budget.is_some()));
        let mut record = Job::new(slot, team, job, retained_bytes, quota, now);
        if record.outbox.is_some() {
            let event = Event { kind: EventKind::Started, data: EventData::Nothing, error: None };
            self.event_schedule.tell(id, &mut record.outbox, event, now);
            self.has_chores = true;
        }
        self.jobs.insert(id, record);
        self.check_budget(id);
        self.end_if_dry(id, now);
    }

    /// Leases no page that its job cannot pay; fairly, as the frontier has it.
    ///
    /// With the leases comes which of them waited for a slot of their team.
    pub(super) fn lease(&mut self, max: usize, now: Duration) -> (Leased, BTreeSet<LeaseId>) {
        let mut leased = Leased::default();
        let mut waited = BTreeSet::new();
        while leased.leases.len() < max {
            // Whether a budget covers one page more is known when the last one is booked.
            let most = if self.budgets == 0 { max - leased.leases.len() } else { 1 };
            let mut part = self.frontier.lease(most, now);
            let is_all = part.leases.len() < most;
            for lease in &part.leases {
                let Some((id, team)) = self.running.get(&lease.job).copied() else { continue };
                if self.teams.leased(team) {
                    waited.insert(lease.id);
                }
                self.check_budget(id);
            }
            leased.leases.append(&mut part.leases);
            leased.next = part.next;
            if is_all {
                if self.frontier.in_flight() < self.max_in_flight {
                    self.teams.ran_dry(&self.frontier);
                }
                break;
            }
        }
        self.note_dropped(now);
        (leased, waited)
    }

    /// Holds a job whose budget does not cover its next page, and lets it go on when it does.
    pub(super) fn check_budget(&mut self, id: JobId) {
        let Some(job) = self.jobs.get_mut(&id) else { return };
        if job.denied || job.ended_at.is_some() || job.missing(&self.frontier).is_some() == job.short {
            return;
        }
        job.short = !job.short;
        if job.short {
            self.short.insert(id);
            self.has_chores = true;
        } else {
            self.short.remove(&id);
        }
        self.hold_as_needed(id);
    }

    pub(super) fn hold_as_needed(&mut self, id: JobId) {
        if let Some(job) = self.jobs.get(&id) {
            self.frontier.hold(job.slot, job.unread || job.short || job.paused);
        }
    }

    pub(super) fn set_unread(&mut self, id: JobId, unread: bool) {
        if let Some(job) = self.jobs.get_mut(&id) {
            job.unread = unread;
        }
        self.hold_as_needed(id);
    }

    pub(super) fn shortages(&self, max: usize) -> Vec<Shortage> {
        let missing = self.short.iter().filter_map(|id| {
            let job = self.jobs.get(id)?;
            let account = job.account.as_ref()?;
            let credits = job.missing(&self.frontier)?;
            Some(Shortage { job: *id, team: account.team.clone(), credits, price: account.price })
        });
        missing.take(max).collect()
    }

    pub(super) fn grant(&mut self, id: JobId, credits: u64, now: Duration) {
        let Some(job) = self.jobs.get_mut(&id).filter(|job| job.short && job.ended_at.is_none()) else {
            return;
        };
        if credits > 0 {
            job.add_budget(credits);
            self.check_budget(id);
        } else {
            job.denied = true;
            self.short.remove(&id);
            self.fail_if_denied(id, now);
        }
    }

    /// Ends a job that can pay for no further page once those in work are done.
    pub(super) fn fail_if_denied(&mut self, id: JobId, now: Duration) -> bool {
        let Some(job) = self.jobs.get_mut(&id).filter(|job| job.denied && job.ended_at.is_none()) else {
            return false;
        };
        if self.frontier.counts(job.slot).is_some_and(|counts| counts.leased > 0) {
            return false;
        }
        job.failure = Some(JobFailure::InsufficientCredits);
        job.error = Some(INSUFFICIENT_CREDITS.to_owned());
        self.end(id, JobState::Failed, now)
    }

    /// Ends the job if it is sealed and has run dry.
    pub(super) fn end_if_dry(&mut self, id: JobId, now: Duration) -> bool {
        let Some(job) = self.jobs.get(&id) else { return false };
        let documents = || self.frontier.counts(job.slot).unwrap_or_default().documents;
        let dry = job.state == JobState::Scraping
            && self.frontier.is_idle(job.slot)
            && (job.sealed || documents() >= job.limit);
        dry && self.end(id, JobState::Completed, now)
    }

    pub(super) fn fail(
        &mut self,
        id: JobId,
        failure: JobFailure,
        reason: &str,
        now: Duration,
    ) -> Result<(), Error> {
        self.running(id)?;
        let job = self.job(id)?;
        (job.failure, job.error) = (Some(failure), Some(reason.to_owned()));
        self.end(id, JobState::Failed, now);
        Ok(())
    }

    pub(super) fn end(&mut self, id: JobId, state: JobState, now: Duration) -> bool {
        let Some(job) = self.jobs.get_mut(&id) else { return false };
        job.final_counts = self.frontier.counts(job.slot).unwrap_or_default();
        self.teams.leave(job.team, job.slot, job.final_counts.leased, &self.frontier);
        self.frontier.close(job.slot);
        self.running.remove(&job.slot);
        job.state = state;
        job.ended_at = Some(now);
        // It is read of jobs that run, and may be large.
        job.request = Value::Null;
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
            self.event_schedule.tell(id, &mut job.outbox, Event { kind, data, error }, now);
            self.has_chores = true;
        }
        job.progressed();
        if let Some(account) = &job.account {
            self.budgets = self.budgets.saturating_sub(usize::from(account.budget.is_some()));
            self.short.remove(&id);
            if account.part_of.is_some() {
                return true;
            }
            self.has_chores = true;
            let team = account.team.clone();
            let url = job.url.clone().unwrap_or_default();
            let zero_data_retention = job.in_memory;
            if let Ok(snapshot) = self.snapshot(id) {
                self.ended.push(EndedJob { team, url, snapshot, zero_data_retention });
            }
        }
        true
    }

    /// Takes back the leases that are past their time. True where there were any.
    pub(super) fn take_back(&mut self, now: Duration) -> bool {
        if self.frontier.expire(now) == 0 {
            return false;
        }
        self.teams.forget_freed();
        self.list_lost(now);
        let mut running: Vec<JobId> = self.running.values().map(|(id, _)| *id).collect();
        running.sort_unstable();
        for id in running {
            self.check_budget(id);
            let _ended = self.end_if_dry(id, now) || self.fail_if_denied(id, now);
        }
        true
    }

    /// Has the team of a job that is about to begin a place for it?
    pub(super) fn check_jobs(&self, account: Option<&JobAccount>) -> Result<(), Error> {
        let Some((team, most)) = account.and_then(|account| Some((&account.team, account.max_jobs?))) else {
            return Ok(());
        };
        let running = self.teams.find(team).map_or(0, |slot| self.teams.count(slot));
        if running < u64::from(most) { Ok(()) } else { Err(Error::too_many_jobs(most)) }
    }

    pub(super) fn is_key_used(&self, account: Option<&JobAccount>) -> bool {
        let key = account.and_then(|account| Some((&account.team, account.idempotency_key?)));
        key.is_some_and(|(team, key)| self.keys.is_used(team, key))
    }

    pub(super) fn running(&mut self, id: JobId) -> Result<JobSlot, Error> {
        let job = self.job(id)?;
        if job.state == JobState::Scraping { Ok(job.slot) } else { Err(Error::job_ended(id)) }
    }

    /// Forgets a job, save for its events that wait.
    pub(super) fn forget(&mut self, id: JobId) {
        let Some(mut job) = self.jobs.remove(&id) else { return };
        let PageFailures { failures, robots_blocked } = std::mem::take(&mut job.failures);
        self.listing.give_back(job.team, failures.len() + robots_blocked.len());
        if job.outbox.as_ref().is_some_and(|outbox| !outbox.is_empty()) {
            self.leftover.insert(id, job);
        }
    }

    /// Forgets what was over then already, and returns the jobs among it.
    pub(super) fn forget_old(&mut self, until: Duration) -> Vec<JobId> {
        let ended = self.jobs.iter().filter(|(_, job)| job.ended_at.is_some_and(|ended| ended <= until));
        let mut forgotten: Vec<JobId> = ended.map(|(id, _)| *id).collect();
        forgotten.sort_unstable();
        for id in &forgotten {
            self.forget(*id);
        }
        self.drop_undelivered(until);
        self.keys.expire(until);
        self.scrapes.forget_old(until);
        // Those of jobs that ended as well: what these listed is counted under their teams.
        let used: HashSet<TeamSlot> = self.jobs.values().map(|job| job.team).collect();
        self.teams.forget_old(&used, until);
        forgotten
    }

    /// The document of a page of one of the team's jobs that keep their documents.
    pub(super) fn page_of_job(&mut self, team: &TeamId, scrape: Uuid) -> Option<Held> {
        let (first, last) = scrape::job_range(scrape);
        self.jobs.range_mut(first..=last).find_map(|(_, job)| {
            let is_theirs = job.account.as_ref().is_some_and(|account| account.team == *team);
            if is_theirs { job.results.scraped(scrape) } else { None }
        })
    }

    pub(super) fn snapshot(&self, id: JobId) -> Result<JobSnapshot, Error> {
        let job = self.jobs.get(&id).ok_or_else(|| Error::unknown_job(id))?;
        let counts = match job.ended_at {
            Some(_) => job.final_counts,
            None => self.frontier.counts(job.slot).unwrap_or_default(),
        };
        Ok(JobSnapshot {
            id,
            kind: job.kind,
            team: job.account.as_ref().map(|account| account.team.clone()),
            state: job.state,
            completed: counts.documents,
            // At the end nothing is in work any more: what was admitted and never done does not count.
            total: if job.ended_at.is_some() { counts.documents } else { counts.total },
            failed: counts.failed,
            robots_blocked: job.robots_blocked,
            tokens_used: job.tokens,
            credits_used: job.credits,
            created_at: job.created_at,
            ended_at: job.ended_at,
            warning: job.remarks(),
            failure: job.failure,
            error: job.error.clone(),
        })
    }
}
