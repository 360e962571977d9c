//! Folding the facts of a journal into the state of a new store.

use std::collections::HashSet;
use std::time::Duration;

use gleaner_frontier::{JobSlot, RobotsLine};
use gleaner_types::{ErrorCode, JobId, JobState, PageError};
use serde_json::Value;
use url::Url;

use super::activity::logged;
use super::events::Event;
use super::facts::JobJournal;
use super::job::Job;
use super::orphans::has_no_pages;
use super::queue_fold::QueueFold;
use super::state::State;
use crate::journal::{Block, Damage, Fact, Part, ReadFacts, Row, StoredFacts, StoredState};
use crate::outbox::EventData;
use crate::{
    BlockedPage, EndedJob, Error, ErrorKind, EventId, JobFailure, JobWarning, MemoryConfig, Note, NoteKind,
    PageFailure, Reservation, TeamId,
};

/// The error of a job that ended with its process, because only its counts are written.
const NOTHING_KEPT: &str = "the process ended, and nothing of the job was kept";
/// The error of a job that had failed before, if only its counts are written.
const REASON_NOT_KEPT: &str = "the job failed, and the reason was not kept";

/// Facts of the store itself that jobs need.
#[derive(Debug, Default)]
struct Globals {
    settled: HashSet<JobId>,
}

impl State {
    /// Fills an empty state. `now` is the time of the opening.
    pub(super) fn fold(
        &mut self,
        stored: StoredState,
        config: &MemoryConfig,
        now: Duration,
    ) -> Result<(), Error> {
        let StoredState { epoch, next_number, blocks, jobs, histories, scrapes } = stored;
        self.epoch = epoch;
        self.next_number = self.next_number.max(next_number);
        let mut globals = Globals::default();
        for block in &blocks {
            self.fold_global_block(block, &mut globals).map_err(|damage| {
                let kind = if damage == Damage::Newer { ErrorKind::Newer } else { ErrorKind::Damaged };
                Error::new(kind, format!("the facts of the store cannot be read: {damage}"))
            })?;
        }
        let mut unsettled = Vec::new();
        for job in jobs {
            let (number, id) = (job.number, job.job.id);
            self.next_number = self.next_number.max(number.saturating_add(1));
            let ended = self
                .fold_job(job, &globals, config.retained_bytes, now)
                .map_err(|error| Error::new(error.kind(), format!("job {id} cannot be opened: {error}")))?;
            unsettled.extend(ended);
        }
        // Of jobs that ended at the same time, the first comes first.
        unsettled.sort_by_key(|ended| ended.snapshot.ended_at);
        unsettled.into_iter().for_each(|ended| self.unsettled.push(ended));
        self.end_done_jobs(now);
        // The clock of this process may be behind that of an earlier one.
        self.advance_events(self.latest_time().saturating_sub(now));
        for history in histories {
            let log = (&mut self.log, None);
            self.histories.record_logged(log, history.job, history.key, history.scrape);
        }
        for scrape in scrapes {
            self.keep_scrape(&scrape.team, scrape.id, scrape.json, scrape.at);
        }
        if let Some(until) = now.checked_sub(config.retention) {
            self.expire_keys(until);
            self.expire_scrapes(until);
        }
        Ok(())
    }

    fn fold_global_block(&mut self, block: &[u8], globals: &mut Globals) -> Result<(), Damage> {
        for fact in Block::open(block)?.facts() {
            match fact? {
                Fact::KeyUsed { team, key, at } => {
                    self.keys.insert(&TeamId::new(team), key, at);
                }
                Fact::Intended { operation, job, team, credits } => {
                    let reservation = Reservation { operation, job, team: TeamId::new(team), credits };
                    self.intents.insert(reservation, true);
                }
                Fact::Withdrawn { operation } => {
                    self.intents.remove(operation);
                }
                Fact::Settled { job } => {
                    globals.settled.insert(job);
                }
                Fact::KeysExpired { until } => {
                    self.keys.expire(until);
                }
                fact => match logged(&fact)? {
                    Some(ended) => self.activities.add(ended),
                    None => return Err(Damage::Invalid),
                },
            }
        }
        Ok(())
    }

    /// Adds a job. If it has ended and is not settled, returns what the accounts provider must be told.
    fn fold_job(
        &mut self,
        stored: StoredFacts,
        globals: &Globals,
        retained_bytes: usize,
        now: Duration,
    ) -> Result<Option<EndedJob>, Error> {
        let StoredFacts { number, job: submitted, at, facts, cookies, conclusion, is_removed } = stored;
        let id = submitted.id;
        if submitted.account.as_ref().is_some_and(|account| account.part_of.is_some()) {
            // Only the process that started it can use it.
            self.log.row(Some(number), || Row::Removed { keeps_facts: false });
            return Ok(None);
        }
        let owner = submitted.account.as_ref().map(|account| &account.team);
        let (team, quota) = (self.teams.find_or_insert(owner), self.result_space.quota(owner));
        let slots = submitted.account.as_ref().and_then(|account| account.slots);
        let has_budget = submitted.account.as_ref().is_some_and(|account| account.budget.is_some());
        let journal = match submitted.in_memory || submitted.kind.is_none() {
            true => JobJournal::Counts(number),
            false => JobJournal::Everything(number),
        };
        let rules = submitted.rules.clone();
        let slot = self.frontier.open_for(team.group(), rules.clone());
        let mut job = Job::new(slot, team, journal, submitted, retained_bytes, quota, at);
        job.conclusion = conclusion;
        let mut queue = QueueFold::new(rules.max_depth.is_some());
        for part in [Part::State, Part::Kept, Part::Pending, Part::Tail] {
            facts.blocks(part, &mut |block| {
                for fact in Block::open(block)?.facts() {
                    let fact = fact?;
                    if !queue.apply(&fact)? {
                        self.apply(id, (&mut job, &mut queue), &fact)?;
                    }
                }
                Ok(())
            })?;
        }
        if let Some(value) = cookies {
            let _fits = job.notes.apply(Note { kind: NoteKind::Cookies, key: 0, value });
        }
        let mut is_complete = true;
        facts.documents(&mut |document| {
            is_complete &= job.results.restore(document.position, document.length, document.scrape);
        })?;
        let end = job.results.end();
        if !is_complete || end != queue.stored {
            let text = format!("document {} or its fact is missing", end.min(queue.stored));
            return Err(Error::new(ErrorKind::Damaged, text));
        }
        if let JobJournal::Everything(_) = journal {
            let counts = &mut job.final_counts;
            (counts.documents, counts.failed, counts.skipped) =
                (queue.documents, queue.failed, queue.skipped);
        }
        if let JobJournal::Counts(_) = journal {
            if job.ended_at.is_none() {
                let (at, state, failure) = (now.max(at), JobState::Failed, Some(JobFailure::Other));
                (job.ended_at, job.state, job.failure) = (Some(at), state, failure);
                job.error = Some(NOTHING_KEPT.to_owned());
                let error = Some(NOTHING_KEPT);
                self.log.push(Some(number), &Fact::JobEnded { at, state, failure, error });
            } else if job.state == JobState::Failed {
                job.error.get_or_insert_with(|| REASON_NOT_KEPT.to_owned());
            }
        }
        if job.ended_at.is_some() {
            job.final_counts.failed = job.final_counts.failed.saturating_add(job.lost_pages);
        } else if job.lost_pages > 0 {
            job.lost_pages = 0;
            self.log.push(Some(number), &Fact::Lost { pages: 0 });
        }
        if job.ended_at.is_some() {
            self.frontier.close(slot);
            job.drop_request();
        } else {
            self.teams.add_job(team, slots, slot, &mut self.frontier);
            self.running.insert(slot, (id, team));
            self.budgeted_jobs += usize::from(has_budget);
            self.fill(slot, &mut queue, &*facts, now)?;
        }
        Ok(self.add_folded((id, job), is_removed, globals))
    }

    /// Adds a folded job where it belongs. If it has ended and is not settled, returns what the accounts
    /// provider must be told.
    fn add_folded(
        &mut self,
        (id, mut job): (JobId, Job),
        is_removed: bool,
        globals: &Globals,
    ) -> Option<EndedJob> {
        // A job that gets no credits is held until it fails.
        job.short_of_credits = job.credits_denied;
        if let Some(outbox) = job.outbox.as_deref().filter(|outbox| !outbox.is_empty()) {
            self.event_schedule.restore(id, outbox);
        }
        // The process may have ended before its webhook was removed.
        job.log_delivered(&mut self.log);
        let (is_full, is_running) = (job.results.is_full(), job.ended_at.is_none());
        if is_running && has_no_pages(job.kind) {
            self.orphans.insert(id);
        }
        let is_unsettled = !is_running
            && !globals.settled.contains(&id)
            && job.account.as_ref().is_some_and(|account| account.part_of.is_none());
        self.jobs.insert(id, job);
        if is_running {
            self.check_budget(id);
            self.set_reader_behind(id, is_full);
        }
        let ended = if is_unsettled { self.ended_job(id) } else { None };
        if is_removed && let Some(mut job) = self.jobs.remove(&id) {
            self.drop_failures(&mut job);
            self.removed.insert(id, job);
        }
        ended
    }

    /// Fills the queue of a running job.
    fn fill(
        &mut self,
        slot: JobSlot,
        queue: &mut QueueFold,
        facts: &dyn ReadFacts,
        now: Duration,
    ) -> Result<(), Error> {
        self.frontier.restore(slot, now, |restore| queue.fill(facts, restore)).unwrap_or(Ok(()))
    }

    /// Applies a fact that is not only about the queue.
    fn apply(
        &mut self,
        id: JobId,
        (job, queue): (&mut Job, &mut QueueFold),
        fact: &Fact<'_>,
    ) -> Result<(), Damage> {
        match *fact {
            Fact::Totals { totals } => {
                queue.set_totals(&totals);
                job.restore_totals(&totals);
            }
            Fact::Document { position, .. } if position != queue.stored => return Err(Damage::Invalid),
            Fact::Document { position, credits, .. } => {
                queue.stored = position.saturating_add(1);
                job.credits = job.credits.saturating_add(credits);
            }
            Fact::Failed { sequence, at, url, slash_added, code, message } => {
                let code = serde_json::from_value(Value::from(code)).unwrap_or(ErrorCode::UnknownError);
                let error = PageError { code, message: message.to_owned() };
                let url = parse(url)?;
                if self.failure_quota.reserve(job.team, job.failures.failures.len()) {
                    job.failures.failures.push(PageFailure { sequence, at, url, slash_added, error });
                }
            }
            Fact::Blocked { url, slash_added, line, rule } => {
                job.robots_blocked += 1;
                let url = parse(url)?;
                let rule = line.zip(rule).map(|(line, rule)| RobotsLine::new(line, rule.to_owned()));
                if self.failure_quota.reserve(job.team, job.failures.robots_blocked.len()) {
                    job.failures.robots_blocked.push(BlockedPage { url, slash_added, rule });
                }
            }
            Fact::Sealed { .. } => job.sealed = true,
            Fact::Paused { paused } => job.paused = paused,
            Fact::Budget { added, denied } => {
                job.grant(added);
                job.credits_denied |= denied;
            }
            Fact::Paid { credits } => job.add_budget(credits),
            Fact::Charged { tokens, credits } => (job.tokens, job.credits) = (tokens, credits),
            Fact::Counts { documents, failed, blocked, credits } => {
                (job.final_counts.documents, job.final_counts.failed) = (documents, failed);
                (job.robots_blocked, job.credits) = (blocked, credits);
            }
            Fact::Warned { warning } => {
                let warning: JobWarning = serde_json::from_str(warning).map_err(|_| Damage::Newer)?;
                job.add_warning(warning);
            }
            Fact::Event { sequence, kind, document, url, slash_added, concludes, error } => {
                let data = match (document, url) {
                    (Some(position), _) => EventData::Document(position),
                    (None, Some(url)) => EventData::Failure { url: parse(url)?, slash_added },
                    (None, None) if concludes => EventData::Conclusion,
                    (None, None) => EventData::Nothing,
                };
                if let Some(outbox) = job.outbox.as_deref_mut() {
                    outbox.restore_event(sequence, Event { kind, data, error: error.map(Box::from) });
                }
            }
            Fact::Attempted { sequence, attempt, not_before } => {
                if let Some(outbox) = job.outbox.as_deref_mut() {
                    outbox.restore_attempt(sequence, attempt, not_before);
                }
            }
            Fact::Delivered { sequence, given_up, at, .. } => {
                if let Some(outbox) = job.outbox.as_deref_mut() {
                    outbox.restore_delivered(id, sequence, given_up, at.unwrap_or_default());
                }
            }
            Fact::GivenUp { sequence, kind, attempts, reason, at } => {
                if let Some(outbox) = job.outbox.as_deref_mut() {
                    let id = EventId { job: id, sequence };
                    outbox.restore_dead_letter(id, kind, attempts, reason.to_owned(), at);
                }
            }
            Fact::Read { position } => job.results.restore_read(position),
            Fact::Noted { kind, key, change } => {
                let _fits = job.notes.apply(change.note(kind, key)?);
            }
            Fact::JobEnded { at, state, failure, error } => {
                (job.state, job.ended_at, job.failure) = (state, Some(at), failure);
                job.error = error.map(str::to_owned);
            }
            Fact::Lost { pages: 0 } => job.lost_pages = 0,
            Fact::Lost { pages } => job.lost_pages = job.lost_pages.saturating_add(pages),
            // Leases begin anew.
            Fact::Leased { .. } => {}
            _ => return Err(Damage::Invalid),
        }
        Ok(())
    }
}

fn parse(url: &str) -> Result<Url, Damage> {
    Url::parse(url).map_err(|_| Damage::Invalid)
}
