//! Folding the facts of a journal into the state of a new store.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use bytes::Bytes;
use gleaner_frontier::{Candidate, JobSlot, PageEnd, QueuedPage, Restore, UrlKey};
use gleaner_types::{ErrorCode, JobId, JobState, PageError};
use serde_json::Value;
use url::Url;

use super::activity::logged;
use super::events::Event;
use super::facts::JobJournal;
use super::job::Job;
use super::orphans::has_no_pages;
use super::state::{Intent, State};
use crate::journal::{Block, Damage, Fact, NoteChange, Row, StoredFacts, StoredState};
use crate::outbox::EventData;
use crate::{
    BlockedPage, EndedJob, Error, JobFailure, JobWarning, MemoryConfig, Note, NoteKind, NoteValue,
    PageFailure, Reservation, TeamId,
};

/// The error of a failed job of which only the counts are written.
const NOTHING_KEPT: &str = "the process ended, and nothing of the job was kept";

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
        let StoredState { epoch, blocks, jobs, histories, scrapes } = stored;
        self.epoch = epoch;
        let mut globals = Globals::default();
        for block in &blocks {
            self.fold_global_block(block, &mut globals)
                .map_err(|damage| Error::io("the facts of the store cannot be read", &damage))?;
        }
        let mut unsettled = Vec::new();
        for job in jobs {
            let (number, id) = (job.number, job.job.id);
            self.next_number = self.next_number.max(number + 1);
            let ended = self.fold_job(job, &globals, config.retained_bytes, now).map_err(|damage| {
                Error::io(&format!("the facts of job {id}, number {number}, cannot be read"), &damage)
            })?;
            unsettled.extend(ended);
        }
        // Of jobs that ended at the same time, the first comes first.
        unsettled.sort_by_key(|ended| ended.snapshot.ended_at);
        unsettled.into_iter().for_each(|ended| self.unsettled.push(ended));
        for history in histories {
            self.histories.record(history.job, history.key, history.scrape);
        }
        for scrape in scrapes {
            self.scrapes.keep(&scrape.team, scrape.id, scrape.json, scrape.at);
        }
        if let Some(until) = now.checked_sub(config.retention) {
            self.keys.expire(until);
            self.scrapes.remove_expired(until);
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
                    self.intents.insert(operation, Intent { reservation, is_listed: true });
                }
                Fact::Withdrawn { operation } => {
                    self.intents.remove(&operation);
                }
                Fact::Settled { job } => {
                    globals.settled.insert(job);
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
    ) -> Result<Option<EndedJob>, Damage> {
        let StoredFacts { number, job: submitted, at, blocks, cookies, documents, conclusion, is_removed } =
            stored;
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
        let mut scrapes = HashMap::new();
        for block in &blocks {
            for fact in Block::open(block)?.facts() {
                let fact = fact?;
                if let Fact::Document { position, credits, scrape } = fact {
                    job.credits += credits;
                    scrapes.extend(scrape.map(|scrape| (position, scrape)));
                } else if !queue.apply(&fact)? {
                    self.apply(id, &mut job, &fact)?;
                }
            }
        }
        if let Some(value) = cookies {
            let _fits = job.notes.apply(Note { kind: NoteKind::Cookies, key: 0, value });
        }
        for (position, length) in documents {
            job.results.restore(position, length, scrapes.get(&position).copied());
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
                self.log.push(Some(number), &Fact::JobEnded { at, state, failure, error: None });
            }
            // The journal has no error texts of such jobs.
            job.error = (job.state == JobState::Failed).then(|| NOTHING_KEPT.to_owned());
        }
        if job.ended_at.is_some() {
            self.frontier.close(slot);
            job.drop_request();
        } else {
            self.teams.add_job(team, slots, slot, &mut self.frontier);
            self.running.insert(slot, (id, team));
            self.budgeted_jobs += usize::from(has_budget);
            self.fill(slot, &queue, &blocks, now)?;
        }
        Ok(self.add_folded((id, job), is_removed, globals, now))
    }

    /// Adds a folded job where it belongs. If it has ended and is not settled, returns what the accounts
    /// provider must be told.
    fn add_folded(
        &mut self,
        (id, mut job): (JobId, Job),
        is_removed: bool,
        globals: &Globals,
        now: Duration,
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
            self.fail_if_denied(id, now);
        }
        let ended = if is_unsettled { self.ended_job(id) } else { None };
        if is_removed && let Some(job) = self.jobs.remove(&id) {
            self.removed.insert(id, job);
        }
        ended
    }

    /// Fills the queue of a running job.
    fn fill(
        &mut self,
        slot: JobSlot,
        queue: &QueueFold,
        blocks: &[Bytes],
        now: Duration,
    ) -> Result<(), Damage> {
        self.frontier.restore(slot, now, |restore| queue.fill(blocks, restore)).unwrap_or(Ok(()))
    }

    /// Applies a fact that is not about the queue.
    fn apply(&mut self, id: JobId, job: &mut Job, fact: &Fact<'_>) -> Result<(), Damage> {
        match *fact {
            Fact::Failed { sequence, at, url, slash_added, code, message } => {
                let code = serde_json::from_value(Value::from(code)).unwrap_or(ErrorCode::UnknownError);
                let error = PageError { code, message: message.to_owned() };
                let url = parse(url)?;
                if self.failure_quota.reserve(job.team, job.failures.failures.len()) {
                    job.failures.failures.push(PageFailure { sequence, at, url, slash_added, error });
                }
            }
            Fact::Blocked { url, slash_added } => {
                job.robots_blocked += 1;
                let url = parse(url)?;
                if self.failure_quota.reserve(job.team, job.failures.robots_blocked.len()) {
                    job.failures.robots_blocked.push(BlockedPage { url, slash_added });
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
            Fact::Delivered { sequence, given_up, at } => {
                if let Some(outbox) = job.outbox.as_deref_mut() {
                    outbox.restore_delivered(id, sequence, given_up, at.unwrap_or_default());
                }
            }
            Fact::Read { position } => job.results.restore_read(position),
            Fact::Noted { kind, key, change } => {
                let kind = NoteKind::from_raw(kind).ok_or(Damage::Newer)?;
                let value = match change {
                    NoteChange::Set(bytes) => NoteValue::Set(Bytes::copy_from_slice(bytes)),
                    NoteChange::Add(number) => NoteValue::Add(number),
                    NoteChange::Remove => NoteValue::Remove,
                };
                let _fits = job.notes.apply(Note { kind, key, value });
            }
            Fact::JobEnded { at, state, failure, error } => {
                (job.state, job.ended_at, job.failure) = (state, Some(at), failure);
                job.error = error.map(str::to_owned);
            }
            // Leases begin anew, and pages whose copy in a file was lost wait again.
            Fact::Leased { .. } | Fact::Lost { .. } => {}
            _ => return Err(Damage::Invalid),
        }
        Ok(())
    }
}

fn parse(url: &str) -> Result<Url, Damage> {
    Url::parse(url).map_err(|_| Damage::Invalid)
}

/// What the facts of a job say about its queue, except for the pages that wait: a second pass reads them.
#[derive(Debug, Default)]
struct QueueFold {
    /// The job has a depth limit, so the depths of ended pages matter.
    has_max_depth: bool,
    done: HashSet<UrlKey>,
    /// Ended pages that have links or a target; of a job with a depth limit, all. In the order of their end.
    ended: Vec<EndedPage>,
    /// The last known depths, of a job with a depth limit.
    depths: HashMap<UrlKey, u32>,
    too_deep: BTreeMap<UrlKey, Candidate>,
    attempts: HashMap<UrlKey, u32>,
    documents: u64,
    failed: u64,
    skipped: u64,
}

#[derive(Debug)]
struct EndedPage {
    key: UrlKey,
    links: Box<[UrlKey]>,
    target: Option<UrlKey>,
}

impl QueueFold {
    fn new(has_max_depth: bool) -> Self {
        Self { has_max_depth, ..Self::default() }
    }

    /// Applies a fact. False if it is not about the queue.
    fn apply(&mut self, fact: &Fact<'_>) -> Result<bool, Damage> {
        match *fact {
            Fact::Admitted { pages, .. } if self.has_max_depth => {
                for page in pages.pages() {
                    let page = page?;
                    self.too_deep.remove(&page.key);
                    self.depths.insert(page.key, page.depth);
                }
            }
            Fact::Admitted { .. } => {}
            Fact::TooDeep { key, depth, external, priority, url } => {
                self.depths.insert(key, depth);
                self.too_deep.insert(key, Candidate { url: parse(url)?, key, external, priority });
            }
            Fact::Depths { depths } => {
                for item in depths {
                    let (key, depth) = item?;
                    self.depths.insert(key, depth);
                }
            }
            Fact::Ended { key, end, target, links, .. } => {
                match end {
                    PageEnd::Document => self.documents += 1,
                    PageEnd::Failed => self.failed += 1,
                    PageEnd::Skipped => self.skipped += 1,
                }
                self.attempts.remove(&key);
                self.done.insert(key);
                if let Some(target) = target {
                    self.too_deep.remove(&target);
                }
                if self.has_max_depth || target.is_some() || !links.is_empty() {
                    self.ended.push(EndedPage { key, links: links.iter().collect(), target });
                }
            }
            Fact::Retried { key, attempt } => {
                self.attempts.insert(key, attempt);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Fills the queue with the pages in these blocks.
    fn fill(&self, blocks: &[Bytes], restore: &mut Restore<'_>) -> Result<(), Damage> {
        let depth_of = |key: &UrlKey, otherwise: u32| self.depths.get(key).copied().unwrap_or(otherwise);
        for block in blocks {
            for fact in Block::open(block)?.facts() {
                let Fact::Admitted { pages, .. } = fact? else { continue };
                for page in pages.pages() {
                    let page = page?;
                    if !self.done.contains(&page.key) {
                        let attempt = self.attempts.get(&page.key).copied().unwrap_or_default();
                        let depth = depth_of(&page.key, page.depth);
                        restore.waiting(&QueuedPage { depth, ..page }, attempt);
                    }
                }
            }
        }
        for (key, page) in &self.too_deep {
            restore.too_deep(page, depth_of(key, 0));
        }
        if !self.has_max_depth {
            for key in &self.done {
                restore.ended(*key, 0, &[], None);
            }
        }
        for EndedPage { key, links, target } in &self.ended {
            restore.ended(*key, depth_of(key, 0), links, *target);
        }
        restore.counts(self.documents, self.failed, self.skipped);
        Ok(())
    }
}
