//! A crawl through the store and reads of its documents, compared with a set, a queue and a list.
#![expect(clippy::expect_used, reason = "a benchmark stops at the first error")]

use std::collections::{HashSet, VecDeque};
use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner::CrawlRequest;
use gleaner::plan::SitemapMode;
use gleaner_benches::{ORIGIN, graph, page_number};
use gleaner_frontier::{Candidate, CrawlScope, Decision, FrontierConfig, Identity, JobRules};
use gleaner_store::{
    FinishedPage, MemoryConfig, MemoryStore, NewJob, PageOutcome, ReadBound, Retention, Store as _, WorkerId,
};
use gleaner_types::{Document, JobId, JobKind};
use tokio::runtime::Runtime;
use url::Url;

const PAGES: u32 = 2_000;

/// Concurrent leases, and the limit of one host.
const CONCURRENCY: u32 = 16;

/// The time of all calls.
const NOW: Duration = Duration::from_secs(1_700_000_000);

/// A site, the rules for its links, and the document of each page.
struct Crawl {
    links: Vec<Vec<Url>>,
    start: Url,
    scope: CrawlScope,
    identity: Identity,
    document: Document,
}

impl Crawl {
    fn new() -> Self {
        let request = CrawlRequest::new(format!("{ORIGIN}/")).sitemap(SitemapMode::Skip);
        let rules = request.check().expect("the request is valid").rules;
        let start = Url::parse(ORIGIN).expect("the URL is valid");
        let markdown = "Some words of a page that repeats one sentence. ".repeat(50);
        Self {
            links: graph(PAGES),
            scope: CrawlScope::new(&start, &rules).expect("the scope is valid"),
            identity: Identity::new(&rules),
            start,
            document: Document { markdown: Some(markdown), ..Document::default() },
        }
    }

    fn candidate(&self, url: &Url) -> Candidate {
        Candidate {
            key: self.identity.key(url),
            url: url.clone(),
            external: false,
            priority: Candidate::NORMAL,
        }
    }

    /// The links in scope on the page at `url`.
    fn links_in_scope(&self, url: &Url) -> Vec<Candidate> {
        let links = self.links.get(page_number(url)).into_iter().flatten();
        links
            .filter(|link| self.scope.decide(link, false) == Decision::Inside)
            .map(|link| self.candidate(link))
            .collect()
    }

    /// The floor: a set of the URLs seen, a queue, and a list of documents.
    fn crawl_with_lists(&self) -> usize {
        let mut seen = HashSet::from([self.start.clone()]);
        let mut queue = VecDeque::from([self.start.clone()]);
        let mut documents = Vec::new();
        while let Some(url) = queue.pop_front() {
            for link in self.links_in_scope(&url) {
                if seen.insert(link.url.clone()) {
                    queue.push_back(link.url);
                }
            }
            documents.push(self.document.clone());
        }
        documents.len()
    }

    /// Submits a job, finishes its pages, and reads its documents as they arrive.
    async fn crawl_with_store(&self, store: &MemoryStore, id: JobId, retention: Retention) -> usize {
        let rules = JobRules::with_limit(1_000_000);
        let pages = vec![self.candidate(&self.start)];
        let job = NewJob { retention, ..NewJob::new(id, Some(JobKind::Crawl), rules, pages) };
        store.submit(job, NOW).await.expect("the job is submitted");
        let worker = WorkerId::random();
        let (mut from, mut read) = (0, 0);
        loop {
            for lease in store.lease(worker, CONCURRENCY as usize, NOW).await.expect("leases").pages {
                let links = self.links_in_scope(&lease.url);
                let outcome = PageOutcome::Document(Box::new(self.document.clone()), 1);
                let page = FinishedPage { links, ..FinishedPage::new(lease, outcome) };
                assert!(store.finish(page, NOW).await.expect("a receipt").accepted);
            }
            let slice = store.read(id, from, ReadBound::default()).await.expect("a slice");
            (from, read) = (slice.next, read + slice.documents.len());
            if slice.end {
                return read;
            }
        }
    }
}

fn store() -> MemoryStore {
    let mut frontier = FrontierConfig::default();
    frontier.initial_per_host = CONCURRENCY;
    MemoryStore::new(MemoryConfig { frontier, ..MemoryConfig::default() })
}

fn id() -> JobId {
    "0195c0de-0000-7000-8000-000000000001".parse().expect("the id is valid")
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("the runtime builds")
}

fn pages(criterion: &mut Criterion) {
    let (crawl, runtime) = (Crawl::new(), runtime());
    assert_eq!(crawl.crawl_with_lists(), PAGES as usize);
    let mut group = criterion.benchmark_group("store");
    group.throughput(Throughput::Elements(PAGES.into()));
    group.bench_function("floor: set, queue and list", |bencher| bencher.iter(|| crawl.crawl_with_lists()));
    for (name, retention) in [
        ("gleaner: memory store, documents streamed", Retention::Stream),
        ("gleaner: memory store, documents kept", Retention::Keep),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let read = runtime.block_on(crawl.crawl_with_store(&store(), id(), retention));
                assert_eq!(read, PAGES as usize);
            });
        });
    }
    group.finish();
}

fn slices(criterion: &mut Criterion) {
    let (crawl, runtime) = (Crawl::new(), runtime());
    let store = store();
    runtime.block_on(crawl.crawl_with_store(&store, id(), Retention::Keep));
    let bound = ReadBound::default();
    let documents = vec![crawl.document.clone(); PAGES as usize];
    let mut group = criterion.benchmark_group("store, slices of kept documents");
    group.throughput(Throughput::Elements(PAGES.into()));
    group.bench_function("floor: copy of a list of documents", |bencher| {
        bencher.iter(|| {
            for slice in documents.chunks(bound.documents) {
                black_box(slice.to_vec());
            }
        });
    });
    group.bench_function("gleaner: documents", |bencher| {
        bencher.iter(|| {
            runtime.block_on(async {
                let (mut from, mut read) = (0, 0);
                loop {
                    let slice = store.read(id(), from, bound).await.expect("a slice");
                    (from, read) = (slice.next, read + slice.documents.len());
                    if slice.end {
                        break assert_eq!(read, PAGES as usize);
                    }
                }
            });
        });
    });
    group.bench_function("gleaner: documents as JSON", |bencher| {
        bencher.iter(|| {
            runtime.block_on(async {
                let (mut from, mut read) = (0, 0);
                loop {
                    let slice = store.read_json(id(), from, bound).await.expect("a slice");
                    (from, read) = (slice.next, read + slice.documents.len());
                    if slice.end {
                        break assert_eq!(read, PAGES as usize);
                    }
                }
            });
        });
    });
    group.finish();
}

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = pages, slices }
criterion_main!(benches);
