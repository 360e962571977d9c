//! Works on a job through one or more stores, in an order that a seed determines as far as the stores do.

use std::time::Duration;

use gleaner_frontier::{Candidate, JobRules, Observation};
use gleaner_store::{
    FinishedPage, JobSnapshot, LeasedPage, NewJob, PageOutcome, ReadBound, Retention, Store, WorkerId,
};
use gleaner_types::{Document, JobId, JobKind, JobState};
use uuid::Uuid;

use super::graph::{Graph, number};
use super::random::Random;
use super::world::{moment, now};

/// A job with this number that keeps its documents.
pub(crate) fn job(number: u128, limit: u64, pages: Vec<Candidate>) -> NewJob {
    let id = JobId::from_uuid(Uuid::from_u128(number << 64 | 1 << 63));
    let rules = JobRules::with_limit(limit);
    NewJob { retention: Retention::Keep, ..NewJob::new(id, Some(JobKind::BatchScrape), rules, pages) }
}

/// A page that gave a document with its path.
pub(crate) fn finished(lease: LeasedPage, graph: &Graph) -> FinishedPage {
    let document = Document::of_markdown(lease.url.path().to_owned());
    let links = graph.linked_from(&lease.url);
    let observed = Some(Observation { status: Some(200), latency: Duration::ZERO });
    let outcome = PageOutcome::Document(Box::new(document), 1);
    FinishedPage { observed, links, ..FinishedPage::new(lease, outcome) }
}

/// The numbers of the pages with a document, in the order of the documents.
pub(crate) async fn documents(store: &impl Store, job: JobId) -> Vec<usize> {
    let bound = ReadBound { documents: usize::MAX, bytes: usize::MAX };
    let slice = store.read(job, 0, bound).await.unwrap();
    slice.documents.into_iter().map(|document| number(&document.markdown.unwrap())).collect()
}

/// One page at a time of several workers, each with its store.
pub(crate) struct Workers<'s, S> {
    stores: Vec<(WorkerId, &'s S)>,
    pub(crate) random: Random,
    /// The leased pages, each with the index of its store.
    pub(crate) leased: Vec<(usize, LeasedPage)>,
    /// Documents that the stores have accepted.
    pub(crate) accepted: u64,
}

impl<'s, S: Store> Workers<'s, S> {
    pub(crate) fn new(stores: impl IntoIterator<Item = &'s S>, seed: u64) -> Self {
        let stores = stores.into_iter().map(|store| (WorkerId::random(), store)).collect();
        Self { stores, random: Random::new(seed), leased: Vec::new(), accepted: 0 }
    }

    /// Leases some pages from a random store, and waits for a moment if none is leased then. Two stores never
    /// lease pages of one host at once.
    pub(crate) async fn lease(&mut self) {
        let at = self.random.index(self.stores.len());
        let max = 1 + self.random.index(4);
        let (worker, store) = self.stores[at];
        for page in store.lease(worker, max, now()).await.unwrap().pages {
            let host = page.url.host_str().unwrap().to_owned();
            for (other, earlier) in &self.leased {
                let is_shared = *other != at && earlier.url.host_str() == Some(host.as_str());
                assert!(!is_shared, "{} and {} are leased from two stores", earlier.url, page.url);
            }
            self.leased.push((at, page));
        }
        if self.leased.is_empty() {
            moment().await;
        }
    }

    /// Finishes a random leased page, with links as in the graph.
    pub(crate) async fn finish(&mut self, graph: &Graph) {
        if self.leased.is_empty() {
            return;
        }
        let index = self.random.index(self.leased.len());
        let (at, lease) = self.leased.swap_remove(index);
        let receipt = self.stores[at].1.finish(finished(lease, graph), now()).await.unwrap();
        self.accepted += u64::from(receipt.accepted);
    }

    /// Leases and finishes until the job has ended. `check` runs after each step.
    pub(crate) async fn run(
        &mut self,
        job: JobId,
        graph: &Graph,
        mut check: impl AsyncFnMut(&Self),
    ) -> JobSnapshot {
        loop {
            self.lease().await;
            for _ in 0..self.random.below(4) {
                self.finish(graph).await;
            }
            check(&*self).await;
            let snapshot = self.stores[0].1.snapshot(job).await.unwrap();
            if snapshot.state != JobState::Scraping {
                return snapshot;
            }
        }
    }
}
