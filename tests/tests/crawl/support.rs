//! Runs a crawl of a generated site and collects its result.

use std::collections::{BTreeMap, BTreeSet};

use gleaner::{CrawlRequest, Document, Engine, JobSnapshot, JobState, PageFailures};
use gleaner_testkit::{Role, Server, Site};
use gleaner_tests::fakes;
pub(crate) use gleaner_tests::fakes::engine;
use url::Url;

/// A crawl that follows links only, without sitemaps, and asks for no text.
pub(crate) fn links_only(server: &Server) -> CrawlRequest {
    fakes::links_only(server.url("/"))
}

/// The result of a crawl, with documents by path and query.
pub(crate) struct CrawlOutcome {
    pub(crate) documents: BTreeMap<String, Document>,
    pub(crate) snapshot: JobSnapshot,
    pub(crate) failures: PageFailures,
}

impl CrawlOutcome {
    pub(crate) fn paths(&self) -> BTreeSet<&str> {
        self.documents.keys().map(String::as_str).collect()
    }

    pub(crate) fn failed_paths(&self) -> BTreeSet<String> {
        self.failures.failures.iter().map(|failure| path_and_query(&failure.url)).collect()
    }

    pub(crate) fn blocked_paths(&self) -> BTreeSet<String> {
        self.failures.robots_blocked.iter().map(|page| path_and_query(&page.url)).collect()
    }
}

/// Crawls to the end. Asserts that each URL gives one document and that the counts agree with the documents.
pub(crate) async fn crawl(engine: &Engine, request: CrawlRequest) -> CrawlOutcome {
    let result = engine.crawl(request).await.unwrap().wait().await.unwrap();
    let mut documents = BTreeMap::new();
    for document in result.documents {
        let url = Url::parse(document.metadata.source_url.as_deref().unwrap()).unwrap();
        let path = path_and_query(&url);
        assert!(documents.insert(path.clone(), document).is_none(), "two documents of {path}");
    }
    let snapshot = result.snapshot;
    assert_eq!(snapshot.state, JobState::Completed);
    assert_eq!((snapshot.completed, snapshot.open), (documents.len() as u64, 0));
    assert_eq!(snapshot.total, snapshot.completed + snapshot.failed + snapshot.robots_blocked);
    let mut failures = PageFailures::default();
    (failures.failures, failures.robots_blocked) = (result.failures, result.robots_blocked);
    CrawlOutcome { documents, snapshot, failures }
}

pub(crate) fn path_and_query(url: &Url) -> String {
    url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()))
}

/// The numbered pages of the site within `depth` clicks of the start page.
pub(crate) fn pages_within(site: &Site, depth: u32) -> BTreeSet<String> {
    let pages = site.truth().paths().filter(|page| page.role == Role::Page);
    pages.filter(|page| page.depth.is_some_and(|clicks| clicks <= depth)).map(|page| page.path).collect()
}
