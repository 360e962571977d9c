//! What a finished page changes: its job, its documents, its events and the queue, together.

use std::time::Duration;

use gleaner_frontier::{Candidate, Fingerprint, Finished, HostFeedback, Outcome, UrlKey};
use gleaner_types::plan::EventKind;
use gleaner_types::{ErrorCode, PageError};

use super::events::Event;
use super::state::State;
use crate::outbox::EventData;
use crate::results::{Form, Prepared};
use crate::{Error, FinishedPage, JobFailure, LeasedPage, PageOutcome, Receipt, Remembered};

const STALE: Receipt = Receipt { accepted: false, admitted: 0, job_ended: false };

/// A finished page, its document in the form that it is kept in.
pub(super) struct Finish {
    page: LeasedPage,
    outcome: Outcome,
    /// With what it cost.
    document: Option<(Prepared, u64)>,
    listed: Listed,
    redirected_to: Option<UrlKey>,
    asked: bool,
    /// How the host answered, and where.
    feedback: HostFeedback,
    fingerprint: Option<Fingerprint>,
    links: Vec<Candidate>,
    remembered: Option<Box<Remembered>>,
    slash_added: bool,
}

/// Where a page without a document is listed.
enum Listed {
    Nowhere,
    Failure(PageError),
    RobotsBlocked,
}

impl Finish {
    /// Does what needs no lock. Where its job is gone there is no form, and the document is dropped.
    pub(super) fn prepare(page: FinishedPage, form: Option<&Form>) -> Result<Self, Error> {
        let FinishedPage { lease, outcome, redirected_to, asked, observed, address, .. } = page;
        let FinishedPage { fingerprint, links, remembered, slash_added, .. } = page;
        let feedback = HostFeedback { observed, address, ..HostFeedback::default() };
        let (outcome, document, listed) = match outcome {
            PageOutcome::Document(found, credits) => {
                let prepared = form.map(|form| form.prepare(found)).transpose()?;
                (Outcome::Document, prepared.map(|document| (document, credits)), Listed::Nowhere)
            }
            PageOutcome::Failed(error) => (Outcome::Failed, None, Listed::Failure(error)),
            PageOutcome::RobotsBlocked => (Outcome::Skipped, None, Listed::RobotsBlocked),
            PageOutcome::Skipped => (Outcome::Skipped, None, Listed::Nowhere),
            PageOutcome::Retry(not_before) => (Outcome::Retry { not_before }, None, Listed::Nowhere),
            PageOutcome::Return(not_before) => (Outcome::Return { not_before }, None, Listed::Nowhere),
        };
        Ok(Self {
            page: lease,
            outcome,
            document,
            listed,
            redirected_to,
            asked,
            feedback,
            fingerprint,
            links,
            remembered,
            slash_added,
        })
    }
}

impl State {
    pub(super) fn finish(&mut self, finish: Finish, now: Duration) -> Receipt {
        let Finish { page, mut outcome, mut document, mut listed, redirected_to, feedback, .. } = finish;
        let Finish { asked, fingerprint, links, remembered, slash_added, .. } = finish;
        if !asked {
            self.frontier.unasked(page.lease);
        }
        let mut full = None;
        let leased = self.frontier.is_leased(page.lease);
        let Some(job) = self.jobs.get_mut(&page.job).filter(|_| leased) else {
            // Its host is free again, though.
            self.frontier.finish(page.lease, Outcome::Skipped, [], now);
            return STALE;
        };
        if feedback != HostFeedback::default() {
            self.frontier.feedback(&page.url, feedback, now);
        }
        // Before its links, which are judged by it.
        if let Some(said) = fingerprint {
            self.frontier.fingerprinted(page.lease, said);
        }
        if let Some(target) = redirected_to
            && !self.frontier.redirected(page.lease, target, now)
        {
            // The target has a place of its own in the queue.
            (outcome, document) = (Outcome::Skipped, None);
        }
        if let Some((document, credits)) = document {
            let position = job.results.end();
            match job.results.push(document) {
                Ok(()) => {
                    job.credits += credits;
                    if let Some(remembered) = remembered {
                        let Remembered { key, scrape } = *remembered;
                        self.histories.remember(page.job, key, scrape);
                    }
                    self.teams.succeeded(job.team, now);
                    if job.outbox.is_some() {
                        let data = EventData::Document(position);
                        let event = Event { kind: EventKind::Page, data, error: None };
                        self.event_schedule.tell(page.job, &mut job.outbox, event, now);
                        self.has_chores = true;
                    }
                }
                // The page is done as far as the queue knows, so its loss must be told.
                Err(error) => {
                    outcome = Outcome::Failed;
                    let message = error.to_string();
                    full = error.is_full().then(|| message.clone());
                    listed = Listed::Failure(PageError { code: ErrorCode::UnknownError, message });
                }
            }
            job.progressed();
        }
        let (metered, fills) = (job.account.is_some(), !job.unread && job.results.is_full());
        self.teams.finished(job.team, &self.frontier);
        match listed {
            Listed::Nowhere => {}
            Listed::Failure(error) => self.page_failed(page.job, page.url, slash_added, error, now),
            Listed::RobotsBlocked => self.page_blocked(page.job, page.url, slash_added),
        }
        if fills {
            self.set_unread(page.job, true);
        }
        let Finished::Accepted { admitted, .. } = self.frontier.finish(page.lease, outcome, links, now)
        else {
            return STALE;
        };
        self.note_overflow(page.job, &admitted);
        self.list_lost(now);
        let mut job_ended = match full {
            // To fetch more that cannot be kept would be vain.
            Some(reason) => self.fail(page.job, JobFailure::NoRoom, &reason, now).is_ok(),
            None => self.end_if_dry(page.job, now),
        };
        if metered && !job_ended {
            self.check_budget(page.job);
            job_ended = self.fail_if_denied(page.job, now);
        }
        Receipt { accepted: true, admitted: admitted.new, job_ended }
    }
}
