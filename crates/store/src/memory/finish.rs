//! Finishing a page changes its job, its documents, its events and the queue together.

use std::time::Duration;

use gleaner_frontier::{Finished, HostFeedback, Outcome};
use gleaner_types::plan::EventKind;
use gleaner_types::{ErrorCode, PageError};

use super::LocalStore;
use super::events::Event;
use super::state::State;
use crate::journal::{Journal, Row, StoredHistory};
use crate::outbox::EventData;
use crate::results::{PreparedDocument, StorageForm};
use crate::{Error, FinishedPage, JobFailure, PageOutcome, Receipt, TrackedScrape};

/// Approximate bytes of the facts of a page, without its links.
const PAGE_BYTES: usize = 100;

/// A finished page whose document is ready to be stored.
pub(super) struct PreparedPage {
    page: FinishedPage,
    /// The document, taken out of `page`, with its price in credits.
    document: Option<(PreparedDocument, u64)>,
}

impl PreparedPage {
    /// Approximate bytes in the journal.
    pub(super) fn size(&self) -> usize {
        let document = self.document.as_ref().map_or(0, |(document, _)| document.size());
        document + self.page.links.iter().map(|link| link.url.as_str().len()).sum::<usize>() + PAGE_BYTES
    }

    /// If the job is gone, there is no form, and the document is dropped.
    fn prepare(mut page: FinishedPage, form: Option<&StorageForm>) -> Result<Self, Error> {
        let document = match (&mut page.outcome, form) {
            (PageOutcome::Document(document, credits), Some(form)) => {
                Some((form.prepare(std::mem::take(document))?, *credits))
            }
            _ => None,
        };
        Ok(Self { page, document })
    }
}

impl<J: Journal> LocalStore<J> {
    /// Does the work on finished pages that needs no lock.
    pub(super) fn prepare(&self, pages: Vec<FinishedPage>) -> Result<Vec<PreparedPage>, Error> {
        let state = self.lock();
        let job = |page: &FinishedPage| state.jobs.get(&page.lease.job);
        let forms: Vec<_> =
            pages.iter().map(|page| job(page).map(|job| job.results.storage_form())).collect();
        drop(state);
        pages.into_iter().zip(&forms).map(|(page, form)| PreparedPage::prepare(page, form.as_ref())).collect()
    }
}

impl State {
    pub(super) fn finish(&mut self, prepared: PreparedPage, now: Duration) -> Receipt {
        let PreparedPage { page, mut document } = prepared;
        let FinishedPage {
            lease: page,
            outcome,
            redirected_to,
            request_sent,
            observed,
            address,
            fingerprint,
            links,
            tracked_scrape,
            slash_added,
            notes,
        } = page;
        let feedback = HostFeedback { observed, address, ..HostFeedback::default() };
        let mut queue_outcome = outcome.queue_outcome();
        let (mut failure, blocked) = match outcome {
            PageOutcome::Failed(error) => (Some(error), None),
            PageOutcome::RobotsBlocked(rule) => (None, Some(rule)),
            _ => (None, None),
        };
        let mut full = None;
        let Some(lease) = self.queue_lease(page.lease) else { return Receipt::default() };
        self.lease_holders.remove(lease);
        if !request_sent {
            self.frontier.no_request_sent(lease);
        }
        let leased = self.frontier.is_leased(lease);
        let Some(job) = self.jobs.get_mut(&page.job).filter(|_| leased) else {
            // The lease still counts for its host until now.
            self.frontier.finish(lease, Outcome::Skipped, [], now);
            return Receipt::default();
        };
        job.note(page.job, notes, &mut self.log);
        self.log.set_page(Some((page.key, fingerprint)));
        if feedback != HostFeedback::default() {
            self.frontier.feedback(&page.url, feedback, now);
        }
        // Before the links are admitted, because it may defer them.
        if let Some(fingerprint) = fingerprint {
            self.frontier.record_fingerprint(lease, fingerprint);
        }
        if let Some(target) = redirected_to
            && !self.frontier.redirected(lease, target, now)
        {
            // The target has its own entry in the queue.
            (queue_outcome, document) = (Outcome::Skipped, None);
        }
        if let Some((document, credits)) = document {
            let position = job.results.end();
            match job.results.push(document) {
                Ok(document) => {
                    job.credits = job.credits.saturating_add(credits);
                    let journal = job.journal.everything();
                    if let Some(document) = document {
                        self.log.document(journal, document, credits);
                    }
                    if let Some(tracked_scrape) = tracked_scrape {
                        let TrackedScrape { key, scrape } = *tracked_scrape;
                        self.log.row(journal, || {
                            let (key, scrape) = (key.clone(), scrape.clone());
                            Row::History(StoredHistory { job: page.job, key, scrape })
                        });
                        let log = (&mut self.log, journal);
                        self.histories.record_logged(log, page.job, key, scrape);
                    }
                    self.teams.page_succeeded(job.team, now);
                    if job.outbox.is_some() {
                        let data = EventData::Document(position);
                        let event = Event { kind: EventKind::Page, data, error: None };
                        self.event_schedule.push(&mut self.log, (page.job, &mut *job), event, now);
                        self.has_maintenance = true;
                    }
                }
                // The queue will not offer the page again, so its loss must be reported.
                Err(error) => {
                    queue_outcome = Outcome::Failed;
                    let message = error.to_string();
                    full = error.is_full().then(|| message.clone());
                    failure = Some(PageError { code: ErrorCode::UnknownError, message });
                }
            }
            job.notify_progress(&mut self.log);
        }
        let (has_account, fills) = (job.account.is_some(), !job.reader_behind && job.results.is_full());
        self.teams.page_finished(job.team, &self.frontier);
        if let Some(error) = failure {
            self.page_failed(page.job, page.url, slash_added, error, now);
        } else if let Some(rule) = blocked {
            self.page_blocked(page.job, page.url, slash_added, rule);
        }
        if fills {
            self.set_reader_behind(page.job, true);
        }
        let Finished::Accepted { admitted, .. } = self.frontier.finish(lease, queue_outcome, links, now)
        else {
            return Receipt::default();
        };
        self.log_changes();
        self.log_counts(page.job);
        self.warn_overflow(page.job, &admitted);
        self.list_lost_pages(now);
        let mut job_ended = match full {
            // More documents could not be stored.
            Some(reason) => self.fail(page.job, JobFailure::StorageFull, &reason, now).is_ok(),
            None => self.end_if_done(page.job, now),
        };
        if has_account && !job_ended {
            self.check_budget(page.job);
            job_ended = self.fail_if_denied(page.job, now);
        }
        Receipt { accepted: true, admitted: admitted.new, job_ended }
    }
}
