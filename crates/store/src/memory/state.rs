//! What the lock of a [`MemoryStore`](super::MemoryStore) guards, and the steps that its operations are made of.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{Admitted, Counts, Frontier, JobSlot, LeaseId, Leased};
use gleaner_types::plan::EventKind;
use gleaner_types::{ErrorCode, JobId, JobKind, JobState, PageError};
use serde_json::Value;
use tokio::sync::watch;
use url::Url;

use super::events::{Agenda, Event, Outbox};
use super::histories::Histories;
use super::keys::Keys;
use super::teams::{TeamSlot, Teams};
use super::{ALWAYS_LISTED_FAILURES, MAX_ALL_LISTED_FAILURES, MAX_LISTED_FAILURES};
use crate::outbox::{self, EventData};
use crate::results::Results;
use crate::shelf::Shelf;
use crate::{
    Conclusion, DueEvent, EndedJob, Error, EventId, JobAccount, JobSnapshot, NewJob, PageFailure,
    PageFailures, Retention, Shortage,
};

/// What the reader is told where not all pages without a document could be listed.
const NOT_ALL_LISTED: &str = "not all pages without a document are listed";
/// Why a job fails whose team can pay for no further page.
const INSUFFICIENT_CREDITS: &str = "insufficient credits";

pub(super) struct State {
    pub(super) frontier: Frontier,
    pub(super) shelf: Arc<Shelf>,
    pub(super) max_in_flight: usize,
    pub(super) jobs: HashMap<JobId, Job>,
    /// Jobs that were removed while events of theirs wait.
    pub(super) leftover: BTreeMap<JobId, Job>,
    pub(super) running: HashMap<JobSlot, (JobId, TeamSlot)>,
    pub(super) teams: Teams,
    pub(super) agenda: Agenda,
    pub(super) histories: Histories,
    pub(super) keys: Keys,
    /// Running jobs with a budget.
    pub(super) budgets: usize,
    pub(super) short: BTreeSet<JobId>,
    pub(super) ended: VecDeque<EndedJob>,
    /// Something was added to the chores since this was last looked at.
    pub(super) has_chores: bool,
    /// Failures and refusals that are listed, those of all jobs.
    pub(super) listed: usize,
}

pub(super) struct Job {
    pub(super) slot: JobSlot,
    pub(super) kind: Option<JobKind>,
    pub(super) request: Value,
    pub(super) state: JobState,
    limit: u64,
    pub(super) sealed: bool,
    /// The reader is behind.
    pub(super) unread: bool,
    /// Its reader wants it to wait.
    pub(super) paused: bool,
    pub(super) retention: Retention,
    in_memory: bool,
    pub(super) results: Results,
    pub(super) failures: PageFailures,
    robots_blocked: u64,
    pub(super) credits: u64,
    created_at: Duration,
    pub(super) ended_at: Option<Duration>,
    /// As they were at the end; the frontier counts while the job runs.
    final_counts: Counts,
    pub(super) warning: Option<String>,
    error: Option<String>,
    pub(super) progress: watch::Sender<u64>,
    pub(super) team: TeamSlot,
    turn: u64,
    url: Option<Url>,
    pub(super) account: Option<Box<JobAccount>>,
    /// The budget does not cover the next page.
    short: bool,
    /// Nor will it.
    denied: bool,
    pub(super) outbox: Option<Box<Outbox>>,
    pub(super) conclusion: Option<Box<Conclusion>>,
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

    /// Opens a queue for pages of a new job, where all of them find room in it.
    pub(super) fn open(&mut self, job: &NewJob) -> Result<JobSlot, Error> {
        let slot = self.frontier.open(job.rules.clone());
        if !self.frontier.has_room(slot, &job.pages) {
            self.frontier.close(slot);
            return Err(no_room());
        }
        Ok(slot)
    }

    pub(super) fn begin(&mut self, slot: JobSlot, job: NewJob, retained_bytes: usize, now: Duration) {
        let id = job.id;
        let retention = if job.webhook.is_some() { Retention::Keep } else { job.retention };
        let limit = job.rules.limit;
        let team = self.teams.slot(job.account.as_ref().map(|account| &account.team));
        let slots = job.account.as_ref().and_then(|account| account.slots);
        let turn = self.teams.enter(team, slots, slot, &mut self.frontier);
        let url = job.url.or_else(|| job.pages.first().map(|page| page.url.clone()));
        self.frontier.admit(slot, 0, job.pages, now);
        self.running.insert(slot, (id, team));
        self.budgets += usize::from(job.account.as_ref().is_some_and(|account| account.budget.is_some()));
        let kind = job.kind;
        let mut record = Job {
            slot,
            kind,
            // Nobody asks for that of another job.
            request: if kind == Some(JobKind::Crawl) { job.request } else { Value::Null },
            state: JobState::Scraping,
            limit,
            sealed: job.sealed,
            unread: false,
            paused: false,
            retention,
            in_memory: job.in_memory,
            results: Results::new(retention, retained_bytes, job.in_memory, Arc::clone(&self.shelf)),
            failures: PageFailures::default(),
            robots_blocked: 0,
            credits: 0,
            created_at: now,
            ended_at: None,
            final_counts: Counts::default(),
            warning: None,
            error: None,
            progress: watch::Sender::new(0),
            team,
            turn,
            url,
            account: job.account,
            short: false,
            denied: false,
            outbox: job.webhook.zip(kind).map(|(webhook, kind)| Box::new(Outbox::new(webhook, kind))),
            conclusion: None,
        };
        if record.outbox.is_some() {
            let event = Event { kind: EventKind::Started, data: EventData::Nothing, error: None };
            self.agenda.tell(id, &mut record.outbox, event, now);
            self.has_chores = true;
        }
        self.jobs.insert(id, record);
        self.check_budget(id);
        self.end_if_dry(id, now);
    }

    /// Leases fairly between teams, and no page that its job cannot pay.
    ///
    /// With the leases comes which of them waited for a slot of their team.
    pub(super) fn lease(&mut self, max: usize, now: Duration) -> (Leased, BTreeSet<LeaseId>) {
        let mut leased = Leased::default();
        let mut waited = BTreeSet::new();
        if !self.teams.take_turns() && self.budgets == 0 {
            let max = max.min(self.teams.room());
            if max > 0 {
                leased = self.frontier.lease(max, now);
                let count = leased.leases.len();
                let first = self.teams.leased_alone(count as u64, count < max);
                waited.extend(leased.leases.iter().map(|lease| lease.id).take(first as usize));
            }
            return (leased, waited);
        }
        let mut spent = BTreeSet::new();
        while leased.leases.len() < max && self.frontier.in_flight() < self.max_in_flight {
            let Some(team) = self.teams.next(&spent) else { break };
            let one = self.teams.in_turn(team, &mut self.frontier, |frontier| {
                let leased = frontier.lease(1, now);
                let found = !leased.leases.is_empty();
                (leased, found)
            });
            if let Some(lease) = one.leases.into_iter().next() {
                if self.teams.waited(team) {
                    waited.insert(lease.id);
                }
                if let Some(job) = self.book(lease.job) {
                    self.check_budget(job);
                }
                leased.leases.push(lease);
            } else {
                self.teams.ran_dry(team);
                spent.insert(team);
                leased.next = [leased.next, one.next].into_iter().flatten().min();
            }
        }
        if leased.leases.len() >= max {
            leased.next = Some(now);
        }
        (leased, waited)
    }

    /// Counts a lease for the job's team, whose next turn is another job's.
    fn book(&mut self, slot: JobSlot) -> Option<JobId> {
        let (id, team) = *self.running.get(&slot)?;
        if let Some(job) = self.jobs.get_mut(&id) {
            job.turn = self.teams.leased(team, job.turn);
        }
        Some(id)
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
            self.teams.hold(job.team, job.turn, job.unread || job.short || job.paused, &mut self.frontier);
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

    pub(super) fn fail(&mut self, id: JobId, reason: &str, now: Duration) -> Result<(), Error> {
        self.running(id)?;
        self.job(id)?.error = Some(reason.to_owned());
        self.end(id, JobState::Failed, now);
        Ok(())
    }

    pub(super) fn end(&mut self, id: JobId, state: JobState, now: Duration) -> bool {
        let Some(job) = self.jobs.get_mut(&id) else { return false };
        job.final_counts = self.frontier.counts(job.slot).unwrap_or_default();
        self.teams.leave(job.team, job.turn, job.final_counts.leased, &mut self.frontier);
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
            self.agenda.tell(id, &mut job.outbox, Event { kind, data, error }, now);
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
            let url = job.url.as_ref().map(Url::to_string).unwrap_or_default();
            let zero_data_retention = job.in_memory;
            if let Ok(snapshot) = self.snapshot(id) {
                self.ended.push_back(EndedJob { team, url, snapshot, zero_data_retention });
            }
        }
        true
    }

    /// Takes back the leases that are past their time. True where there were any.
    pub(super) fn take_back(&mut self, now: Duration) -> bool {
        if self.frontier.expire(now) == 0 {
            return false;
        }
        self.teams.recount(&self.frontier);
        self.list_lost(now);
        let mut running: Vec<JobId> = self.running.values().map(|(id, _)| *id).collect();
        running.sort_unstable();
        for id in running {
            self.check_budget(id);
            let _ended = self.end_if_dry(id, now) || self.fail_if_denied(id, now);
        }
        true
    }

    /// Lists the pages that were given up because their leases kept being lost.
    pub(super) fn list_lost(&mut self, now: Duration) {
        for lost in self.frontier.take_lost() {
            let Some((id, _)) = self.running.get(&lost.job).copied() else { continue };
            let message = format!("the page was given up after {} tries", lost.attempts);
            let error = PageError { code: ErrorCode::ScrapeAllEnginesFailed, message };
            self.page_failed(id, lost.url, error, now);
        }
    }

    /// Lists a page that failed, and tells the webhook.
    pub(super) fn page_failed(&mut self, id: JobId, url: Url, error: PageError, now: Duration) {
        let Some(job) = self.jobs.get_mut(&id) else { return };
        if job.outbox.is_some() {
            let data = EventData::Failure(url.clone());
            let text = Some(error.message.clone().into_boxed_str());
            self.agenda.tell(id, &mut job.outbox, Event { kind: EventKind::Page, data, error: text }, now);
            self.has_chores = true;
        }
        let sequence = job.failures.failures.len();
        let room = sequence < ALWAYS_LISTED_FAILURES || self.listed < MAX_ALL_LISTED_FAILURES;
        if sequence < MAX_LISTED_FAILURES && room {
            self.listed += 1;
            job.failures.failures.push(PageFailure { sequence: sequence as u64, at: now, url, error });
        } else {
            job.warn(NOT_ALL_LISTED);
        }
    }

    /// Lists a page that robots.txt forbids.
    pub(super) fn page_blocked(&mut self, id: JobId, url: Url) {
        let Some(job) = self.jobs.get_mut(&id) else { return };
        job.robots_blocked += 1;
        if job.failures.robots_blocked.len() < MAX_LISTED_FAILURES && self.listed < MAX_ALL_LISTED_FAILURES {
            self.listed += 1;
            job.failures.robots_blocked.push(url);
        } else {
            job.warn(NOT_ALL_LISTED);
        }
    }

    /// Tells the reader of a job that pages of it were left out.
    pub(super) fn note_overflow(&mut self, id: JobId, admitted: &Admitted) {
        if admitted.overflow > 0
            && let Some(job) = self.jobs.get_mut(&id)
        {
            job.warn("pages were left out: too many of the job wait already, or an address is too long");
        }
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
        self.listed = self.listed.saturating_sub(failures.len() + robots_blocked.len());
        if job.outbox.as_ref().is_some_and(|outbox| !outbox.is_empty()) {
            self.leftover.insert(id, job);
        }
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
            credits_used: job.credits,
            created_at: job.created_at,
            ended_at: job.ended_at,
            warning: job.warning.clone(),
            error: job.error.clone(),
        })
    }
}

impl Job {
    pub(super) fn progressed(&self) {
        self.progress.send_modify(|version| *version = version.wrapping_add(1));
    }

    /// Adds a remark for the reader; repeated ones are kept once.
    pub(super) fn warn(&mut self, warning: &str) {
        match &mut self.warning {
            Some(all) if all.contains(warning) => {}
            Some(all) => {
                all.push_str("; ");
                all.push_str(warning);
            }
            none => *none = Some(warning.to_owned()),
        }
    }

    pub(super) fn add_budget(&mut self, credits: u64) {
        if let Some(budget) = self.account.as_mut().and_then(|account| account.budget.as_mut()) {
            *budget = budget.saturating_add(credits);
        }
    }

    /// How many credits are missing for one page more, where one more is wanted.
    fn missing(&self, frontier: &Frontier) -> Option<u64> {
        let account = self.account.as_ref()?;
        let budget = account.budget?;
        let counts = frontier.counts(self.slot)?;
        let wanted = counts.total > counts.documents.saturating_add(counts.leased);
        let started = counts.leased.saturating_mul(account.price).saturating_add(self.credits);
        started.saturating_add(account.price).checked_sub(budget).filter(|missing| wanted && *missing > 0)
    }

    /// The event of the job that is to be delivered next.
    pub(super) fn due_event(&mut self, id: JobId, outbox: &Outbox) -> Option<DueEvent> {
        let (sequence, name, event) = outbox.next()?;
        let id = EventId { job: id, sequence };
        let (mut error, mut data) = (event.error.as_deref(), None);
        match &event.data {
            EventData::Nothing => {}
            EventData::Document(position) => {
                data = self.results.json(*position).ok().flatten();
                if data.is_none() {
                    error = Some("the document could not be read back");
                }
            }
            EventData::Failure(url) => data = serde_json::to_vec(&outbox::failed_page(url)).ok(),
            EventData::Conclusion => {
                data = self.conclusion.as_ref().and_then(|found| serde_json::to_vec(&found.data).ok());
            }
        }
        let body = outbox::body(id, name, data.as_deref(), &outbox.webhook.metadata, error).ok()?;
        Some(DueEvent {
            id,
            team: self.account.as_ref().map(|account| account.team.clone()).unwrap_or_default(),
            webhook: Arc::clone(&outbox.webhook),
            name,
            body,
            attempt: outbox.attempt,
            faltering: outbox.faltering,
        })
    }
}
