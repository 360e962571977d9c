//! A job in the store.

use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{Counts, Frontier, JobRules, JobSlot};
use gleaner_types::{JobId, JobKind, JobState};
use tokio::sync::watch;
use uuid::Uuid;

use super::events::Outbox;
use super::facts::{FactLog, JobJournal};
use super::teams::TeamIndex;
use crate::journal::{Durability, Fact, Row, Totals};
use crate::note::Notes;
use crate::result_space::TeamQuota;
use crate::results::Results;
use crate::{
    Conclusion, JobAccount, JobFailure, JobRequest, JobWarning, MAX_WARNINGS, NewJob, Note, PageFailures,
    Retention, WaitingFor,
};

pub(super) struct Job {
    pub(super) slot: JobSlot,
    /// What is written about it.
    pub(super) journal: JobJournal,
    pub(super) kind: Option<JobKind>,
    pub(super) request: JobRequest,
    pub(super) state: JobState,
    pub(super) rules: JobRules,
    pub(super) sealed: bool,
    /// Too many documents are unread.
    pub(super) reader_behind: bool,
    /// It was paused by the user.
    pub(super) paused: bool,
    /// Appends whose pages are being queued.
    pub(super) arriving: u32,
    pub(super) in_memory: bool,
    pub(super) results: Results,
    pub(super) failures: PageFailures,
    pub(super) robots_blocked: u64,
    /// Pages that could not be read back from their file.
    pub(super) lost_pages: u64,
    /// Documents that could not be read back from their file, and are removed.
    pub(super) lost_documents: u64,
    pub(super) tokens: u64,
    pub(super) credits: u64,
    pub(super) created_at: Duration,
    pub(super) ended_at: Option<Duration>,
    /// Whether its end is durable; `None` if it is.
    pub(super) end: Option<Durability>,
    /// The counts at the end; while the job runs, the frontier counts.
    pub(super) final_counts: Counts,
    pub(super) warnings: Vec<JobWarning>,
    pub(super) failure: Option<JobFailure>,
    pub(super) error: Option<String>,
    pub(super) progress: watch::Sender<u64>,
    pub(super) team: TeamIndex,
    pub(super) url: Option<String>,
    pub(super) account: Option<Box<JobAccount>>,
    /// Number of grants of credits.
    pub(super) grants: u64,
    /// The budget does not cover the next page.
    pub(super) short_of_credits: bool,
    /// No further credits will be granted.
    pub(super) credits_denied: bool,
    pub(super) outbox: Option<Box<Outbox>>,
    pub(super) conclusion: Option<Arc<Conclusion>>,
    pub(super) notes: Notes,
}

/// Whether a journal gets everything about a job. Nobody reads a single scrape of a process that has ended.
pub(super) fn has_record_of_pages(job: &NewJob) -> bool {
    !job.in_memory && job.kind.is_some()
}

/// What a journal gets of a submitted job: all but its pages.
pub(super) fn record(job: &NewJob) -> Box<NewJob> {
    let NewJob { id, kind, sealed, retention, in_memory, .. } = *job;
    let (rules, account) = (job.rules.clone(), job.account.clone());
    let (request, url, webhook) = match has_record_of_pages(job) {
        true => (job.request.clone(), job.url.clone(), job.webhook.clone()),
        false => (JobRequest::default(), None, None),
    };
    let pages = Vec::new();
    Box::new(NewJob { id, kind, request, rules, url, pages, sealed, retention, in_memory, account, webhook })
}

impl Job {
    /// A new job.
    pub(super) fn new(
        slot: JobSlot,
        team: TeamIndex,
        journal: JobJournal,
        job: NewJob,
        retained_bytes: usize,
        quota: TeamQuota,
        now: Duration,
    ) -> Self {
        let kind = job.kind;
        let retention = if job.webhook.is_some() { Retention::Keep } else { job.retention };
        Self {
            slot,
            journal,
            kind,
            // Nobody reads the request of a single scrape.
            request: if kind.is_some() { job.request } else { JobRequest::default() },
            state: JobState::Scraping,
            rules: job.rules,
            sealed: job.sealed,
            reader_behind: false,
            paused: false,
            arriving: 0,
            in_memory: job.in_memory,
            results: Results::new(retention, retained_bytes, job.in_memory, journal.everything(), quota),
            failures: PageFailures::default(),
            robots_blocked: 0,
            lost_pages: 0,
            lost_documents: 0,
            tokens: 0,
            credits: 0,
            created_at: now,
            ended_at: None,
            end: None,
            final_counts: Counts::default(),
            warnings: Vec::new(),
            failure: None,
            error: None,
            progress: watch::Sender::new(0),
            team,
            url: job.url,
            account: job.account,
            grants: 0,
            short_of_credits: false,
            credits_denied: false,
            outbox: job.webhook.zip(kind).map(|(webhook, kind)| Box::new(Outbox::new(webhook, kind))),
            conclusion: None,
            notes: Notes::default(),
        }
    }

    /// The warnings for the reader, with the count of what was lost.
    pub(super) fn warnings(&self) -> Vec<JobWarning> {
        let pages = (self.lost_pages > 0).then_some(JobWarning::PagesLost(self.lost_pages));
        let documents = (self.lost_documents > 0).then_some(JobWarning::DocumentsLost(self.lost_documents));
        self.warnings.iter().cloned().chain(pages).chain(documents).collect()
    }

    pub(super) fn waiting_for(&self) -> Option<WaitingFor> {
        let reasons = [
            (self.paused, WaitingFor::User),
            (self.reader_behind, WaitingFor::Reader),
            (self.short_of_credits, WaitingFor::Credits),
        ];
        let reason = reasons.into_iter().find(|(waits, _)| *waits)?;
        self.ended_at.is_none().then_some(reason.1)
    }

    /// Whether the job has ended, and no crash can undo it.
    pub(super) fn has_durable_end(&self) -> bool {
        self.ended_at.is_some() && self.end.as_ref().is_none_or(Durability::is_reached)
    }

    /// Notifies those who watch the job, when its facts are durable.
    pub(super) fn notify_progress(&self, log: &mut FactLog) {
        if !log.notify(self.journal.number(), &self.progress) {
            self.progress.send_modify(|version| *version = version.wrapping_add(1));
        }
    }

    /// Adds a warning for the reader; a repeated warning is kept once. False if it is not added.
    pub(super) fn add_warning(&mut self, warning: JobWarning) -> bool {
        let adds = self.warnings.len() < MAX_WARNINGS && !self.warnings.contains(&warning);
        if adds {
            self.warnings.push(warning);
        }
        adds
    }

    /// As [`add_warning`](Self::add_warning), with its fact.
    pub(super) fn warn(&mut self, warning: JobWarning, log: &mut FactLog) {
        let journal = self.journal.everything().filter(|_| log.is_on());
        let json = journal.and_then(|_| serde_json::to_string(&warning).ok());
        if self.add_warning(warning)
            && let Some(warning) = json.as_deref()
        {
            log.push(journal, &Fact::Warned { warning });
        }
    }

    /// Records that the webhook of an ended job is not needed any more: no event waits, and no list of events
    /// that were given up names it.
    pub(super) fn log_delivered(&self, log: &mut FactLog) {
        let is_done = |outbox: &Outbox| outbox.is_empty() && outbox.dead_letters.is_empty();
        if self.ended_at.is_some() && self.outbox.as_deref().is_some_and(is_done) {
            log.row(self.journal.everything(), || Row::Delivered);
        }
    }

    /// Drops what is needed only while the job runs, and may be large.
    pub(super) fn drop_request(&mut self) {
        (self.request, self.notes) = (JobRequest::default(), Notes::default());
    }

    /// Changes notes of this job. They are hints: one that does not fit is dropped.
    pub(super) fn note(&mut self, id: JobId, notes: Vec<Note>, log: &mut FactLog) {
        for note in notes {
            let kind = note.kind;
            log.note(self.journal.everything(), id, &note);
            if !self.notes.apply(note) {
                tracing::debug!(?kind, "a note of a job does not fit and is dropped");
            }
        }
    }

    /// Restores the sums of facts that are no longer kept one by one.
    pub(super) fn restore_totals(&mut self, totals: &Totals) {
        (self.credits, self.tokens, self.grants) = (totals.credits, totals.tokens, totals.grants);
        (self.robots_blocked, self.lost_pages) = (totals.unlisted_refusals, totals.lost);
        self.credits_denied = totals.is_denied;
        self.add_budget(totals.added);
        if let Some(outbox) = self.outbox.as_deref_mut() {
            outbox.restore_first(totals.delivered);
        }
    }

    /// The account of the job, with the key of an append.
    pub(super) fn append_account(&self, idempotency_key: Option<Uuid>) -> Option<JobAccount> {
        let account = self.account.as_deref()?;
        Some(JobAccount { idempotency_key, ..account.clone() })
    }

    /// Adds credits of a grant, which may be none.
    pub(super) fn grant(&mut self, credits: u64) {
        self.grants += 1;
        self.add_budget(credits);
    }

    pub(super) fn add_budget(&mut self, credits: u64) {
        if let Some(budget) = self.account.as_mut().and_then(|account| account.budget.as_mut()) {
            *budget = budget.saturating_add(credits);
        }
    }

    /// The credits that are missing for one more page, if one more is wanted.
    pub(super) fn missing_credits(&self, frontier: &Frontier) -> Option<u64> {
        let account = self.account.as_ref()?;
        let budget = account.budget?;
        let counts = frontier.counts(self.slot)?;
        // A sitemap costs nothing.
        let leased = counts.leased.saturating_sub(counts.auxiliary);
        let wanted = counts.total > counts.documents.saturating_add(leased);
        let started = leased.saturating_mul(account.price).saturating_add(self.credits);
        started
            .saturating_add(account.price)
            .checked_sub(budget)
            .filter(|missing_credits| wanted && *missing_credits > 0)
    }
}
