//! What finished pages change in their jobs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use gleaner_frontier::Outcome;
use gleaner_store::{JobWarning, Note, TeamId};
use gleaner_types::plan::EventKind;

use super::finished::GroupPage;
use super::offer::Taken;
use crate::documents::NewDocument;
use crate::failures::{Cause, NewFailure};
use crate::histories::NewHistory;
use crate::job_row::JobRow;
use crate::outbox::{EventContent, NewEvent};

/// Tokens of one job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    /// Used for documents.
    pub(super) used: u64,
    /// Taken back, because no further page may begin.
    pub(super) taken_back: u64,
}

/// The rows to insert for the pages of a group, by job.
#[derive(Default)]
pub(super) struct Effects<'a> {
    pub(super) documents: Vec<NewDocument<'a>>,
    pub(super) histories: Vec<NewHistory<'a>>,
    pub(super) failures: BTreeMap<i32, Vec<NewFailure>>,
    pub(super) events: BTreeMap<i32, Vec<NewEvent>>,
    pub(super) notes: Vec<(i32, &'a [Note])>,
    pub(super) tokens: BTreeMap<i32, Tokens>,
    /// Teams with a new document.
    pub(super) teams: BTreeSet<TeamId>,
}

impl<'a> Effects<'a> {
    /// Applies a page to the row of its job, which runs. Returns how the page ended.
    pub(super) fn apply(
        &mut self,
        group_page: &'a GroupPage,
        taken: Taken,
        row: &mut JobRow,
        now: Duration,
    ) -> Outcome {
        let GroupPage { entry, page } = group_page;
        let job = row.number;
        if !page.notes.is_empty() {
            self.notes.push((job, page.notes.as_slice()));
        }
        if page.returns() {
            return page.outcome;
        }
        // The target of the redirect has its own entry in the queue.
        let outcome = if taken.is_duplicate { Outcome::Skipped } else { page.outcome };
        if let Some((document, credits)) = page.document.as_ref().filter(|_| !taken.is_duplicate) {
            let (position, day, keeps) = (row.documents, row.day(), row.keeps);
            row.documents = row.documents.saturating_add(1);
            row.credits_used = row.credits_used.saturating_add(*credits);
            if !keeps {
                row.unread_bytes = row.unread_bytes.saturating_add(document.size);
            }
            self.documents.push(NewDocument { job, day, position, credits: *credits, keeps, document });
            let history = page.history.as_ref().map(|history| NewHistory { job: row.id, history });
            self.histories.extend(history);
            self.teams.extend(row.team.clone());
            let content = EventContent::Document(position);
            self.event(row, NewEvent { kind: EventKind::Page, content, error: None });
        }
        self.list(group_page, row, now);
        row.pending = row.pending.saturating_add(taken.queued).saturating_sub(1);
        let auxiliary = u64::from(entry.auxiliary);
        row.pending_auxiliary =
            row.pending_auxiliary.saturating_add(taken.auxiliary).saturating_sub(auxiliary);
        row.failed = row.failed.saturating_add(u64::from(outcome == Outcome::Failed));
        if taken.admitted.overflow > 0 {
            row.add_warning(JobWarning::NotQueued);
        }
        self.count_token(outcome, entry.auxiliary, row);
        outcome
    }

    /// Lists a page that failed, or that robots.txt forbids.
    fn list(&mut self, GroupPage { page, .. }: &GroupPage, row: &mut JobRow, now: Duration) {
        let (url, slash_added) = (page.url.clone(), page.slash_added);
        let cause = match &page.failure {
            Some(failure) => {
                let content = EventContent::Failure { url: url.to_string(), slash_added };
                let error = Some(failure.message.clone());
                self.event(row, NewEvent { kind: EventKind::Page, content, error });
                Cause::Failed(failure.clone())
            }
            None if page.is_blocked => {
                row.robots_blocked = row.robots_blocked.saturating_add(1);
                Cause::Blocked(page.rule.clone())
            }
            None => return,
        };
        let failure = NewFailure { at: now, url, slash_added, cause };
        self.failures.entry(row.number).or_default().push(failure);
    }

    fn event(&mut self, row: &JobRow, event: NewEvent) {
        if row.has_webhook {
            self.events.entry(row.number).or_default().push(event);
        }
    }

    /// A document uses the token of its page. Other pages leave it to the worker, unless nothing more of the
    /// job is paid for.
    fn count_token(&mut self, outcome: Outcome, is_auxiliary: bool, row: &JobRow) {
        let tokens = self.tokens.entry(row.number).or_default();
        if outcome == Outcome::Document {
            tokens.used += 1;
        } else if row.denied && !is_auxiliary {
            tokens.taken_back += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::{HostFeedback, UrlKey};
    use gleaner_store::WorkerId;
    use gleaner_types::{ErrorCode, PageError};
    use url::Url;
    use uuid::Uuid;

    use super::super::finished::{Origin, PreparedPage};
    use super::*;
    use crate::documents::EncodedDocument;
    use crate::job_rules::tests::row;
    use crate::local::LeasedEntry;

    fn page(outcome: Outcome, auxiliary: bool) -> GroupPage {
        let entry = LeasedEntry {
            job: 1,
            max_depth: None,
            key: UrlKey::from_raw(7),
            depth: 0,
            host: 2,
            block: 3,
            auxiliary,
            external: false,
            worker: WorkerId::from_uuid(Uuid::nil()),
        };
        let document = EncodedDocument { scrape: None, size: 100, body: Vec::new() };
        let failure = PageError { code: ErrorCode::UnknownError, message: "no".to_owned() };
        let page = PreparedPage {
            origin: Origin::GivenUp { entry: entry.clone(), epoch: 16 },
            url: Url::parse("https://a.example/").unwrap(),
            outcome,
            is_blocked: false,
            rule: None,
            document: (outcome == Outcome::Document).then_some((document, 5)),
            failure: (outcome == Outcome::Failed).then_some(failure),
            redirected_to: None,
            request_sent: true,
            feedback: HostFeedback::default(),
            fingerprint: None,
            links: Vec::new(),
            history: None,
            slash_added: false,
            notes: Vec::new(),
        };
        GroupPage { entry, page }
    }

    fn running() -> JobRow {
        JobRow { pending: 10, pending_auxiliary: 2, documents: 3, has_webhook: true, keeps: false, ..row() }
    }

    #[test]
    fn a_document_takes_the_next_position_and_its_token() {
        let (mut effects, mut row, page) = (Effects::default(), running(), page(Outcome::Document, false));
        let taken = Taken { queued: 4, auxiliary: 1, ..Taken::default() };
        assert_eq!(effects.apply(&page, taken, &mut row, Duration::ZERO), Outcome::Document);
        assert_eq!((row.documents, row.credits_used, row.unread_bytes), (4, 5, 100));
        assert_eq!((row.pending, row.pending_auxiliary), (13, 3));
        assert_eq!(effects.documents[0].position, 3);
        assert_eq!(effects.tokens[&1], Tokens { used: 1, taken_back: 0 });
        assert!(matches!(effects.events[&1][0].content, EventContent::Document(3)));
    }

    #[test]
    fn a_duplicate_gives_no_document_but_its_links() {
        let (mut effects, mut row, page) = (Effects::default(), running(), page(Outcome::Document, false));
        let taken = Taken { queued: 2, is_duplicate: true, ..Taken::default() };
        assert_eq!(effects.apply(&page, taken, &mut row, Duration::ZERO), Outcome::Skipped);
        assert_eq!((row.documents, row.credits_used, row.pending), (3, 0, 11));
        assert!(effects.documents.is_empty() && effects.events.is_empty());
    }

    #[test]
    fn a_failure_is_listed_with_its_event_and_keeps_its_token() {
        let (mut effects, mut row, page) = (Effects::default(), running(), page(Outcome::Failed, false));
        effects.apply(&page, Taken::default(), &mut row, Duration::ZERO);
        assert_eq!((row.failed, row.pending), (1, 9));
        assert_eq!(effects.events[&1][0].error.as_deref(), Some("no"));
        assert_eq!(effects.failures[&1].len(), 1);
        assert_eq!(effects.tokens[&1], Tokens::default());
    }

    #[test]
    fn a_denied_job_takes_the_tokens_of_pages_back() {
        let (page, sitemap) = (page(Outcome::Skipped, false), page(Outcome::Skipped, true));
        let (mut effects, mut row) = (Effects::default(), JobRow { denied: true, ..running() });
        effects.apply(&page, Taken::default(), &mut row, Duration::ZERO);
        effects.apply(&sitemap, Taken::default(), &mut row, Duration::ZERO);
        assert_eq!(effects.tokens[&1], Tokens { used: 0, taken_back: 1 });
        assert_eq!((row.pending, row.pending_auxiliary), (8, 1));
    }
}
