//! Finished pages on their way to the database and back.

use std::time::Duration;

use gleaner_frontier::{Candidate, Fingerprint, HostFeedback, Outcome, RobotsLine, UrlKey};
use gleaner_store::parts::given_up;
use gleaner_store::{Error, FinishedPage, LeasedPage, Note, PageOutcome};
use gleaner_types::PageError;
use url::Url;

use crate::documents::{self, EncodedDocument};
use crate::histories::{self, EncodedHistory};
use crate::local::LeasedEntry;

/// A page of a block that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EndedPage {
    pub(crate) block: i64,
    pub(crate) host: i32,
    pub(crate) job: i32,
    pub(crate) key: UrlKey,
}

/// A block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BlockId {
    pub(crate) host: i32,
    pub(crate) job: i32,
    pub(crate) id: i64,
}

/// What a commit changes in the blocks of a worker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct EndedRow {
    /// The number of the row in `ended`.
    pub(crate) number: i64,
    /// Ended pages of blocks that have others left.
    pub(crate) pages: Vec<EndedPage>,
    /// Blocks to delete: all their pages have ended.
    pub(crate) complete: Vec<BlockId>,
    /// Rows of `ended` to delete: their blocks are gone.
    pub(crate) obsolete: Vec<i64>,
}

/// A finished page after its commit, or without one if it only returns to the queue.
#[derive(Debug)]
pub(crate) struct CommittedPage {
    pub(crate) lease: LeasedPage,
    /// False if the lease was stale or the job had ended: only the lease ends.
    pub(crate) is_accepted: bool,
    pub(crate) outcome: Outcome,
    pub(crate) request_sent: bool,
    pub(crate) feedback: HostFeedback,
    pub(crate) fingerprint: Option<Fingerprint>,
}

/// A page whose leases kept expiring. It has no lease any more.
#[derive(Debug, Clone)]
pub(crate) struct GivenUp {
    pub(crate) entry: LeasedEntry,
    /// The term of its leases.
    pub(crate) epoch: i64,
    pub(crate) url: Url,
    /// Number of its leases.
    pub(crate) attempts: u32,
}

/// Where the page of a commit comes from.
#[derive(Debug)]
pub(super) enum Origin {
    Lease(Box<LeasedPage>),
    GivenUp { entry: LeasedEntry, epoch: i64 },
}

/// A finished page whose document is encoded.
#[derive(Debug)]
pub(super) struct PreparedPage {
    pub(super) origin: Origin,
    pub(super) url: Url,
    pub(super) outcome: Outcome,
    pub(super) is_blocked: bool,
    /// The line of robots.txt that forbids it.
    pub(super) rule: Option<RobotsLine>,
    /// With its price in credits.
    pub(super) document: Option<(EncodedDocument, u64)>,
    pub(super) failure: Option<PageError>,
    pub(super) redirected_to: Option<UrlKey>,
    pub(super) request_sent: bool,
    pub(super) feedback: HostFeedback,
    pub(super) fingerprint: Option<Fingerprint>,
    pub(super) links: Vec<Candidate>,
    pub(super) history: Option<EncodedHistory>,
    pub(super) slash_added: bool,
    pub(super) notes: Vec<Note>,
}

impl PreparedPage {
    /// Does the work on a finished page that needs no transaction. A page without another try has failed.
    pub(super) async fn prepare(page: FinishedPage, max_attempts: u32) -> Result<Self, Error> {
        let FinishedPage {
            lease,
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
        let mut prepared = Self {
            url: lease.url.clone(),
            outcome: outcome.queue_outcome(),
            is_blocked: matches!(outcome, PageOutcome::RobotsBlocked(_)),
            rule: None,
            document: None,
            failure: None,
            redirected_to,
            request_sent,
            feedback,
            fingerprint,
            links,
            history: None,
            slash_added,
            notes,
            origin: Origin::Lease(Box::new(lease)),
        };
        match outcome {
            PageOutcome::Document(document, credits) => {
                prepared.document = Some((documents::encode(document).await?, credits));
                if let Some(tracked_scrape) = tracked_scrape {
                    prepared.history = Some(histories::encode(*tracked_scrape).await?);
                }
            }
            PageOutcome::Failed(error) => prepared.failure = Some(error),
            PageOutcome::Retry(_) => prepared.check_attempts(max_attempts),
            PageOutcome::RobotsBlocked(rule) => prepared.rule = rule,
            PageOutcome::Skipped | PageOutcome::Return(_) => {}
        }
        if prepared.returns() {
            // Where it leads to is known when it has ended.
            prepared.redirected_to = None;
        }
        Ok(prepared)
    }

    fn check_attempts(&mut self, max_attempts: u32) {
        let attempts = self.lease().map_or(0, |lease| lease.attempt.saturating_add(1));
        if attempts >= max_attempts {
            (self.outcome, self.failure) = (Outcome::Failed, Some(given_up(attempts)));
            self.slash_added = false;
        }
    }

    /// A page whose leases kept expiring.
    pub(super) fn given_up(page: GivenUp) -> Self {
        let GivenUp { entry, epoch, url, attempts } = page;
        Self {
            origin: Origin::GivenUp { entry, epoch },
            url,
            outcome: Outcome::Failed,
            is_blocked: false,
            rule: None,
            document: None,
            failure: Some(given_up(attempts)),
            redirected_to: None,
            request_sent: false,
            feedback: HostFeedback::default(),
            fingerprint: None,
            links: Vec::new(),
            history: None,
            slash_added: false,
            notes: Vec::new(),
        }
    }

    /// It returns to the queue of this process.
    pub(super) fn returns(&self) -> bool {
        matches!(self.outcome, Outcome::Retry { .. } | Outcome::Return { .. })
    }

    /// Its lease, if it has one.
    pub(super) fn lease(&self) -> Option<&LeasedPage> {
        match &self.origin {
            Origin::Lease(lease) => Some(lease),
            Origin::GivenUp { .. } => None,
        }
    }

    /// The lease to end, with this outcome; `None` if it has none.
    pub(super) fn committed(&self, accepted: Option<Outcome>) -> Option<CommittedPage> {
        Some(CommittedPage {
            lease: self.lease()?.clone(),
            is_accepted: accepted.is_some(),
            outcome: accepted.unwrap_or(Outcome::Skipped),
            request_sent: self.request_sent,
            feedback: self.feedback,
            fingerprint: self.fingerprint,
        })
    }
}

/// Pages that are committed together.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) now: Duration,
    pub(super) worker: i64,
    /// Number of live workers.
    pub(super) workers: u64,
    pub(super) pages: Vec<GroupPage>,
    pub(super) ended: EndedRow,
}

/// A page of a group.
#[derive(Debug)]
pub(super) struct GroupPage {
    pub(super) entry: LeasedEntry,
    pub(super) page: PreparedPage,
}

impl GroupPage {
    /// The links that are offered: those of a page of the job itself that did not fail.
    pub(super) fn followed_links(&self) -> &[Candidate] {
        let is_followed = matches!(self.page.outcome, Outcome::Document | Outcome::Skipped);
        if is_followed && !self.entry.external { &self.page.links } else { &[] }
    }

    /// The page in its block, if it has ended.
    pub(super) fn ended(&self) -> Option<EndedPage> {
        let LeasedEntry { block, host, job, key, .. } = self.entry;
        (!self.page.returns()).then_some(EndedPage { block, host, job, key })
    }
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::{Frontier, FrontierConfig, JobRules};
    use gleaner_types::{ErrorCode, JobId};
    use uuid::Uuid;

    use super::*;

    fn leased(attempt: u32) -> LeasedPage {
        let mut frontier = Frontier::new(FrontierConfig::default());
        let job = frontier.open(JobRules::with_limit(1));
        let url = Url::parse("https://a.example/").unwrap();
        let (key, priority) = (UrlKey::from_raw(7), Candidate::NORMAL);
        frontier.admit(job, 0, [Candidate { url, key, external: false, priority }], Duration::ZERO);
        let lease = frontier.lease(1, Duration::ZERO).leases.pop().unwrap();
        let mut page = LeasedPage::new(lease, 16, JobId::from_uuid(Uuid::nil()), Duration::ZERO);
        page.attempt = attempt;
        page
    }

    async fn prepare(attempt: u32, outcome: PageOutcome) -> PreparedPage {
        let page = FinishedPage {
            redirected_to: Some(UrlKey::from_raw(9)),
            ..FinishedPage::new(leased(attempt), outcome)
        };
        PreparedPage::prepare(page, 3).await.unwrap()
    }

    #[tokio::test]
    async fn the_last_retry_is_a_failure() {
        let retry = || PageOutcome::Retry(Duration::from_secs(1));
        for attempt in 0..2 {
            let page = prepare(attempt, retry()).await;
            assert!(page.returns() && page.failure.is_none() && page.redirected_to.is_none());
        }
        let page = prepare(2, retry()).await;
        assert_eq!(page.outcome, Outcome::Failed);
        let failure = page.failure.unwrap();
        assert_eq!(failure.code, ErrorCode::ScrapeAllEnginesFailed);
        assert!(failure.message.contains("after 3 tries"), "{}", failure.message);
        assert_eq!(page.redirected_to, Some(UrlKey::from_raw(9)));
        // A page that returns without a request has as many tries as before.
        assert!(prepare(2, PageOutcome::Return(Duration::ZERO)).await.returns());
    }

    #[tokio::test]
    async fn a_lease_ends_with_the_outcome_of_its_commit() {
        let page = prepare(0, PageOutcome::Document(Box::default(), 2)).await;
        assert_eq!(page.document.as_ref().map(|(_, credits)| *credits), Some(2));
        let committed = page.committed(Some(Outcome::Skipped)).unwrap();
        assert_eq!((committed.is_accepted, committed.outcome), (true, Outcome::Skipped));
        assert!(!page.committed(None).unwrap().is_accepted);
    }
}
