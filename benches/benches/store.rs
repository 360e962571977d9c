//! A crawl through the store and reads of its documents, compared with a set, a queue and a list. And the
//! journal of a durable store: writing the facts of a page, and folding those of a job.
#![expect(clippy::expect_used, reason = "a benchmark stops at the first error")]

use std::collections::{HashSet, VecDeque};
use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use gleaner::CrawlRequest;
use gleaner::plan::SitemapMode;
use gleaner_benches::{ORIGIN, graph, page_number};
use gleaner_frontier::{
    Candidate, CrawlScope, Decision, FrontierConfig, Identity, JobRules, PageEnd, QueuedPage, UrlKey,
};
use gleaner_store::journal::{BlockWriter, Fact, Keys, PageListWriter, StoredState, VecJournal};
use gleaner_store::{
    FinishedPage, LeasedPage, LocalStore, MemoryConfig, MemoryStore, NewJob, PageOutcome, ReadBound,
    Retention, Store, WorkerId,
};
use gleaner_types::{Document, JobId, JobKind};
use tokio::runtime::Runtime;
use url::Url;

const PAGES: u32 = 2_000;

/// Pages of the site whose job is folded. Half of them are done.
const FOLDED_PAGES: u32 = 10_000;

/// New links of a page whose facts are written.
const LINKS: u64 = 10;

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
    fn new(pages: u32) -> Self {
        let request = CrawlRequest::new(format!("{ORIGIN}/")).sitemap(SitemapMode::Skip);
        let rules = request.check().expect("the request is valid").rules;
        let start = Url::parse(ORIGIN).expect("the URL is valid");
        let markdown = "Some words of a page that repeats one sentence. ".repeat(50);
        Self {
            links: graph(pages),
            scope: CrawlScope::new(&start, &rules).expect("the scope is valid"),
            identity: Identity::new(&rules),
            start,
            document: Document::of_markdown(markdown),
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

    /// The end of a leased page, with its document and its links.
    fn finished(&self, lease: LeasedPage) -> FinishedPage {
        let links = self.links_in_scope(&lease.url);
        let outcome = PageOutcome::Document(Box::new(self.document.clone()), 1);
        FinishedPage { links, ..FinishedPage::new(lease, outcome) }
    }

    async fn submit(&self, store: &impl Store, id: JobId, retention: Retention) {
        let rules = JobRules::with_limit(1_000_000);
        let pages = vec![self.candidate(&self.start)];
        let job = NewJob { retention, ..NewJob::new(id, Some(JobKind::Crawl), rules, pages) };
        store.submit(job, NOW).await.expect("the job is submitted");
    }

    /// Submits a job and finishes this number of its pages.
    async fn begin(&self, store: &impl Store, id: JobId, pages: u32) {
        self.submit(store, id, Retention::Keep).await;
        let (worker, mut done) = (WorkerId::random(), 0);
        while done < pages {
            let max = CONCURRENCY.min(pages - done) as usize;
            for lease in store.lease(worker, max, NOW).await.expect("leases").pages {
                assert!(store.finish(self.finished(lease), NOW).await.expect("a receipt").accepted);
                done += 1;
            }
        }
    }

    /// Submits a job, finishes its pages, and reads its documents as they arrive.
    async fn crawl_with_store(&self, store: &impl Store, id: JobId, retention: Retention) -> usize {
        self.submit(store, id, retention).await;
        let worker = WorkerId::random();
        let (mut from, mut read) = (0, 0);
        loop {
            for lease in store.lease(worker, CONCURRENCY as usize, NOW).await.expect("leases").pages {
                assert!(store.finish(self.finished(lease), NOW).await.expect("a receipt").accepted);
            }
            let slice = store.read(id, from, ReadBound::default()).await.expect("a slice");
            (from, read) = (slice.next, read + slice.documents.len());
            if slice.end {
                return read;
            }
        }
    }
}

fn config() -> MemoryConfig {
    let mut frontier = FrontierConfig::default();
    frontier.initial_per_host = CONCURRENCY;
    MemoryConfig::default().frontier(frontier)
}

fn store() -> MemoryStore {
    MemoryStore::new(config())
}

/// The store of a journal that has this state.
fn durable_store(journal: VecJournal, stored: StoredState) -> LocalStore<VecJournal> {
    LocalStore::open(config(), journal, stored, NOW).expect("the facts are valid")
}

fn id() -> JobId {
    "0195c0de-0000-7000-8000-000000000001".parse().expect("the id is valid")
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("the runtime builds")
}

fn pages(criterion: &mut Criterion) {
    let (crawl, runtime) = (Crawl::new(PAGES), runtime());
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
    let (crawl, runtime) = (Crawl::new(PAGES), runtime());
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

/// Finishes pages with facts for a journal in memory, beside the store without a journal.
fn finishes(criterion: &mut Criterion) {
    let (crawl, runtime) = (Crawl::new(PAGES), runtime());
    let mut group = criterion.benchmark_group("journal, finished pages");
    group.throughput(Throughput::Elements(PAGES.into()));
    group.bench_function("floor: memory store", |bencher| {
        bencher.iter(|| runtime.block_on(crawl.begin(&store(), id(), PAGES)));
    });
    group.bench_function("gleaner: store with a journal in memory", |bencher| {
        bencher.iter(|| {
            let store = durable_store(VecJournal::default(), StoredState::default());
            runtime.block_on(crawl.begin(&store, id(), PAGES));
        });
    });
    group.finish();
}

/// Writes the facts of one finished page.
fn blocks(criterion: &mut Criterion) {
    let paths: Vec<String> = (0..LINKS).map(|link| format!("/catalogue/item-{link:08}")).collect();
    let mut group = criterion.benchmark_group("journal, facts of a page");
    group.throughput(Throughput::Elements(1));
    group.bench_function("floor: keys and paths in a vector", |bencher| {
        bencher.iter(|| {
            let mut bytes = Vec::new();
            for (key, path) in (0..LINKS).zip(&paths) {
                bytes.extend_from_slice(&black_box(key).to_le_bytes());
                bytes.extend_from_slice(path.as_bytes());
            }
            bytes
        });
    });
    let (mut writer, mut pages) = (BlockWriter::default(), PageListWriter::default());
    group.bench_function("gleaner: block", |bencher| {
        bencher.iter(|| {
            let by = UrlKey::from_raw(black_box(7));
            let (end, links) = (PageEnd::Document, Keys::default());
            writer.push(&Fact::Ended { key: by, end, target: None, fingerprint: None, links });
            writer.push(&Fact::Document { position: 5, credits: 1, scrape: Some(9) });
            for (key, path) in (0..LINKS).zip(&paths) {
                pages.push(&QueuedPage {
                    key: UrlKey::from_raw(key),
                    https: true,
                    external: false,
                    host: "www.example.com",
                    path,
                    depth: 2,
                    priority: Candidate::NORMAL,
                    deferral: 0,
                });
            }
            writer.push(&Fact::Admitted { by: Some(by), pages: pages.finish() });
            pages.clear();
            writer.finish()
        });
    });
    group.finish();
}

/// Opens a store whose job is half done.
fn folds(criterion: &mut Criterion) {
    let (crawl, runtime) = (Crawl::new(FOLDED_PAGES), runtime());
    let journal = VecJournal::default();
    let store = durable_store(journal.clone(), StoredState::default());
    runtime.block_on(crawl.begin(&store, id(), FOLDED_PAGES / 2));
    let stored = journal.stored();
    let distinct: HashSet<&Url> = crawl.links.iter().flatten().collect();
    let mut group = criterion.benchmark_group("journal, fold");
    group.throughput(Throughput::Elements(FOLDED_PAGES.into()));
    group.bench_function("floor: set of the URLs seen and a queue", |bencher| {
        bencher.iter(|| {
            let seen: HashSet<Url> = distinct.iter().map(|url| (*url).clone()).collect();
            let queue: VecDeque<Url> = distinct.iter().map(|url| (*url).clone()).collect();
            (seen, queue)
        });
    });
    group.bench_function("gleaner: facts to a store", |bencher| {
        bencher.iter_batched(
            || (journal.clone(), stored.clone()),
            |(journal, stored)| durable_store(journal, stored),
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = pages, slices, finishes, blocks, folds
}
criterion_main!(benches);
