//! The rules of a job, over its row. They are the same as those of the store in memory.

use gleaner_store::{
    Error, JobSnapshot, JobWarning, MAX_UNREAD_BYTES, MAX_UNREAD_DOCUMENTS, MAX_WARNINGS, WaitingFor,
};
use gleaner_types::JobState;

use crate::failure::Failure;
use crate::job_row::JobRow;

impl JobRow {
    pub(crate) fn is_running(&self) -> bool {
        self.state == JobState::Scraping
    }

    /// # Errors
    /// [`JobEnded`](gleaner_store::ErrorKind::JobEnded) unless it runs.
    pub(crate) fn require_running(&self) -> Result<(), Failure> {
        if self.is_running() { Ok(()) } else { Err(Error::job_ended(self.id).into()) }
    }

    /// Waiting and leased pages, without entries that are not pages.
    fn pending_pages(&self) -> u64 {
        self.pending.saturating_sub(self.pending_auxiliary)
    }

    /// Current and still possible documents.
    pub(crate) fn total(&self) -> u64 {
        if self.ended_at.is_some() {
            return self.documents;
        }
        let left = self.max_documents.saturating_sub(self.documents);
        self.documents.saturating_add(self.pending_pages().min(left))
    }

    /// Documents that the reader of a stream has not read.
    fn unread(&self) -> u64 {
        if self.keeps { 0 } else { self.documents.saturating_sub(self.read_position) }
    }

    /// True if too much is unread to fetch more pages.
    pub(crate) fn is_reader_behind(&self) -> bool {
        let is_large = self.unread_bytes >= MAX_UNREAD_BYTES as u64;
        !self.keeps && (self.unread() >= MAX_UNREAD_DOCUMENTS as u64 || is_large)
    }

    /// The number of tokens that may be granted now: the limit, the budget and the unread documents bound it.
    pub(crate) fn room(&self) -> u64 {
        if !self.is_running() || self.denied || self.is_reader_behind() {
            return 0;
        }
        let of_limit = self.max_documents.saturating_sub(self.documents);
        let of_stream = match self.keeps {
            true => u64::MAX,
            false => (MAX_UNREAD_DOCUMENTS as u64).saturating_sub(self.unread()),
        };
        of_limit.min(of_stream).min(self.affordable()).saturating_sub(self.tokens_held)
    }

    /// The number of pages that the budget covers, beside the documents so far.
    fn affordable(&self) -> u64 {
        let Some(budget) = self.budget else { return u64::MAX };
        let covered = match budget.checked_sub(self.credits_used) {
            Some(left) => left.checked_div(self.price).unwrap_or(u64::MAX),
            None => 0,
        };
        // A sitemap costs nothing, but begins with a token. One is enough for all of them.
        let only_auxiliary = self.pending_pages() == 0 && self.pending > 0;
        covered.max(u64::from(only_auxiliary))
    }

    /// The credits that are missing for one more page, if one more is wanted.
    pub(crate) fn missing_credits(&self) -> Option<u64> {
        let budget = self.budget?;
        let wanted = self.total() > self.documents.saturating_add(self.tokens_held);
        let started = self.tokens_held.saturating_mul(self.price).saturating_add(self.credits_used);
        let missing = started.saturating_add(self.price).checked_sub(budget);
        missing.filter(|missing| wanted && self.is_running() && *missing > 0)
    }

    /// True if it runs and has nothing left to do.
    pub(crate) fn is_done(&self) -> bool {
        let has_nothing_left = self.sealed && self.pending == 0;
        self.is_running() && (has_nothing_left || self.documents >= self.max_documents)
    }

    /// True if no page of it is leased any more, because its team can pay for none.
    pub(crate) fn is_denied(&self) -> bool {
        self.is_running() && self.denied && self.tokens_held == 0
    }

    /// True if it has undelivered events.
    pub(crate) fn has_events(&self) -> bool {
        self.next_event < self.events
    }

    fn waiting_for(&self) -> Option<WaitingFor> {
        let is_short = self.denied || self.missing_credits().is_some();
        let reasons = [
            (self.paused, WaitingFor::User),
            (self.is_reader_behind(), WaitingFor::Reader),
            (is_short, WaitingFor::Credits),
        ];
        let reason = reasons.into_iter().find(|(waits, _)| *waits)?;
        self.ended_at.is_none().then_some(reason.1)
    }

    pub(crate) fn snapshot(&self) -> JobSnapshot {
        let mut snapshot = JobSnapshot::new(self.id, self.state, self.created_at);
        snapshot.kind = self.kind;
        snapshot.team = self.team.clone();
        snapshot.completed = self.documents;
        snapshot.failed = self.failed;
        snapshot.robots_blocked = self.robots_blocked;
        snapshot.tokens_used = self.tokens_used;
        snapshot.credits_used = self.credits_used;
        snapshot.ended_at = self.ended_at;
        snapshot.waiting_for = self.waiting_for();
        snapshot.warnings = self.warnings.clone();
        snapshot.failure = self.failure;
        snapshot.error = self.error.clone();
        snapshot.with_open(self.total().saturating_sub(self.documents))
    }

    /// Adds a warning for the reader; a repeated warning is kept once. False if it is not added.
    pub(crate) fn add_warning(&mut self, warning: JobWarning) -> bool {
        let adds = self.warnings.len() < MAX_WARNINGS && !self.warnings.contains(&warning);
        if adds {
            self.warnings.push(warning);
        }
        adds
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use gleaner_types::{JobId, JobKind};
    use uuid::Uuid;

    use super::*;

    /// A running, sealed crawl without limits that keeps its documents.
    pub(crate) fn row() -> JobRow {
        JobRow {
            number: 1,
            kind: Some(JobKind::Crawl),
            ..JobRow::new(JobId::from_uuid(Uuid::from_u128(1)), Duration::ZERO)
        }
    }

    #[test]
    fn the_total_is_within_the_limit_and_has_pages_only() {
        let job = JobRow { pending: 7, pending_auxiliary: 2, documents: 1, max_documents: 10, ..row() };
        assert_eq!(job.total(), 6);
        assert_eq!(JobRow { max_documents: 4, ..job.clone() }.total(), 4);
        assert_eq!(JobRow { ended_at: Some(Duration::ZERO), ..job }.total(), 1);
    }

    #[test]
    fn the_room_shrinks_with_documents_tokens_and_the_budget() {
        let job = JobRow { max_documents: 10, documents: 3, tokens_held: 2, ..row() };
        assert_eq!(job.room(), 5);
        let paid = JobRow { budget: Some(11), credits_used: 4, price: 2, ..job.clone() };
        assert_eq!(paid.room(), 1, "three pages are affordable, and two tokens are held");
        assert_eq!(JobRow { credits_used: 12, ..paid.clone() }.room(), 0);
        assert_eq!(JobRow { price: 0, ..paid.clone() }.room(), 5);
        let spent =
            JobRow { credits_used: 11, tokens_held: 0, pending: 2, pending_auxiliary: 1, ..paid.clone() };
        assert_eq!(spent.room(), 0, "the page is not paid for");
        assert_eq!(JobRow { pending_auxiliary: 2, ..spent }.room(), 1, "a sitemap costs nothing");
        assert_eq!(JobRow { denied: true, ..paid }.room(), 0);
        assert_eq!(JobRow { state: JobState::Completed, ..job }.room(), 0);
    }

    #[test]
    fn a_stream_has_room_for_a_bounded_number_of_unread_documents() {
        let job = JobRow { keeps: false, documents: 100, read_position: 50, tokens_held: 4, ..row() };
        assert_eq!((job.room(), job.is_reader_behind()), (10, false));
        assert_eq!(JobRow { keeps: true, ..job.clone() }.room(), u64::MAX - 104);
        let behind = JobRow { read_position: 36, tokens_held: 0, ..job.clone() };
        assert_eq!((behind.room(), behind.snapshot().waiting_for), (0, Some(WaitingFor::Reader)));
        let large = JobRow { unread_bytes: MAX_UNREAD_BYTES as u64, ..job };
        assert_eq!((large.room(), large.is_reader_behind()), (0, true));
    }

    #[test]
    fn credits_are_missing_only_for_a_page_that_is_wanted() {
        let job = JobRow { budget: Some(5), price: 2, pending: 5, tokens_held: 2, ..row() };
        assert_eq!(job.missing_credits(), Some(1));
        assert_eq!(job.snapshot().waiting_for, Some(WaitingFor::Credits));
        assert_eq!(JobRow { budget: Some(6), ..job.clone() }.missing_credits(), None);
        assert_eq!(JobRow { budget: None, ..job.clone() }.missing_credits(), None);
        assert_eq!(JobRow { pending: 2, ..job.clone() }.missing_credits(), None, "both pages are paid");
        assert_eq!(JobRow { pending_auxiliary: 3, ..job.clone() }.missing_credits(), None);
        assert_eq!(JobRow { max_documents: 2, ..job.clone() }.missing_credits(), None);
        let ended = JobRow { state: JobState::Cancelled, ended_at: Some(Duration::ZERO), ..job };
        assert_eq!((ended.missing_credits(), ended.snapshot().waiting_for), (None, None));
    }

    #[test]
    fn a_job_is_done_without_pages_or_at_its_limit() {
        let job = row();
        assert!(job.is_done());
        assert!(!JobRow { sealed: false, ..job.clone() }.is_done());
        assert!(!JobRow { pending: 1, ..job.clone() }.is_done());
        let full = JobRow { sealed: false, pending: 9, documents: 3, max_documents: 3, ..job.clone() };
        assert!(full.is_done());
        assert!(!JobRow { state: JobState::Failed, ..full }.is_done(), "a job ends once");
        let denied = JobRow { pending: 1, denied: true, tokens_held: 1, ..job };
        assert!(!denied.is_denied() && JobRow { tokens_held: 0, ..denied }.is_denied());
    }

    #[test]
    fn a_pause_comes_before_other_reasons_and_warnings_are_kept_once() {
        let mut job = JobRow { paused: true, denied: true, ..row() };
        assert_eq!(job.snapshot().waiting_for, Some(WaitingFor::User));
        let warning = |number: usize| JobWarning::Request(number.to_string());
        assert!(job.add_warning(warning(0)) && !job.add_warning(warning(0)));
        let added = (1..1_000).filter(|number| job.add_warning(warning(*number))).count();
        assert_eq!((added + 1, job.warnings.len()), (MAX_WARNINGS, MAX_WARNINGS));
    }
}
