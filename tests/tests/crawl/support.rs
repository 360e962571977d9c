use std::collections::{BTreeMap, BTreeSet};

use gleaner::{CrawlRequest, Document, Engine, JobSnapshot, JobState, PageFailures};
use gleaner_testkit::{Role, Server, Site};
use gleaner_tests::fakes;
pub(crate) use gleaner_tests::fakes::engine;
use url::Url;

/// A crawl of the site by links alone, without texts.
pub(crate) fn links_only(server: &Server) -> CrawlRequest {
    fakes::links_only(server.url("/"))
}

/// What came of a crawl, by path and query.
pub(crate) struct Crawled {
    pub(crate) documents: BTreeMap<String, Document>,
    pub(crate) snapshot: JobSnapshot,
    pub(crate) failures: PageFailures,
}

impl Crawled {
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

/// Crawls to the end. No address may come twice, and the counts must agree with what came.
pub(crate) async fn crawl(engine: &Engine, request: CrawlRequest) -> Crawled {
    let result = engine.crawl(request).await.unwrap().wait().await.unwrap();
    let mut documents = BTreeMap::new();
    for document in result.documents {
        let url = Url::parse(document.metadata.source_url.as_deref().unwrap()).unwrap();
        let path = path_and_query(&url);
        assert!(documents.insert(path.clone(), document).is_none(), "{path} came twice");
    }
    let snapshot = result.snapshot;
    assert_eq!(snapshot.state, JobState::Completed);
    assert_eq!((snapshot.completed, snapshot.total), (documents.len() as u64, documents.len() as u64));
    Crawled { documents, snapshot, failures: result.failures }
}

pub(crate) fn path_and_query(url: &Url) -> String {
    url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()))
}

/// The numbered pages of the site within so many clicks of the start page.
pub(crate) fn pages_within(site: &Site, depth: u32) -> BTreeSet<String> {
    let pages = site.truth().paths().filter(|page| page.role == Role::Page);
    pages.filter(|page| page.depth.is_some_and(|clicks| clicks <= depth)).map(|page| page.path).collect()
}
