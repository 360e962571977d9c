//! A store gives the same answers, whatever its journal has compacted.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops at the first error")]

use std::collections::BTreeMap;
use std::time::Duration;

use gleaner_frontier::{Candidate, JobRules, RobotsLine, UrlKey};
use gleaner_store::journal::{Part, VecJournal};
use gleaner_store::{
    FinishedPage, LeasedPage, LocalStore, MemoryConfig, NewJob, PageOutcome, ReadBound, Retention, Store,
    WorkerId,
};
use gleaner_types::{Document, ErrorCode, JobId, JobKind, JobState, PageError};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use url::Url;
use uuid::Uuid;

const NOW: Duration = Duration::from_secs(1_700_000_000);
const WORKER: WorkerId = WorkerId::from_uuid(Uuid::from_u128(1));
const JOB: JobId = JobId::from_uuid(Uuid::from_u128(7));
/// The number of the first job in a journal.
const NUMBER: u64 = 1;
const PAGES: usize = 24;

/// A page on a host of its own, so that politeness does not decide which pages are leased.
fn page(number: usize) -> Candidate {
    let url = Url::parse(&format!("https://p{number}.example/path?page={number}")).unwrap();
    let key = UrlKey::from_raw(number as u64 + 1);
    Candidate { url, key, external: false, priority: Candidate::NORMAL }
}

/// A store with its journal.
struct Crawl {
    journal: VecJournal,
    store: LocalStore<VecJournal>,
    held: BTreeMap<UrlKey, LeasedPage>,
}

impl Crawl {
    async fn start(max_depth: Option<u32>) -> Self {
        let journal = VecJournal::default();
        let store = open(&journal, NOW);
        let rules = JobRules { max_depth, ..JobRules::with_limit(u64::MAX) };
        let job = NewJob {
            retention: Retention::Keep,
            ..NewJob::new(JOB, Some(JobKind::Crawl), rules, vec![page(0)])
        };
        store.submit(job, NOW).await.unwrap();
        Self { journal, store, held: BTreeMap::new() }
    }

    /// Leases all pages. Returns what is known about each leased page.
    async fn lease(&mut self, now: Duration) -> Vec<(UrlKey, u32, u32)> {
        let leased = self.store.lease(WORKER, 1_000, now).await.unwrap().pages;
        self.held.extend(leased.into_iter().map(|page| (page.key, page)));
        self.held.values().map(|page| (page.key, page.depth, page.attempt)).collect()
    }

    async fn finish(&mut self, key: UrlKey, form: impl FnOnce(LeasedPage) -> FinishedPage, now: Duration) {
        let page = self.held.remove(&key).unwrap();
        assert!(self.store.finish(form(page), now).await.unwrap().accepted);
    }

    fn reopen(&mut self, now: Duration) {
        self.store = open(&self.journal, now);
        self.held.clear();
    }
}

fn open(journal: &VecJournal, now: Duration) -> LocalStore<VecJournal> {
    LocalStore::open(MemoryConfig::default(), journal.clone(), journal.stored(), now).unwrap()
}

/// A site, and how its pages answer.
#[derive(Debug, Clone)]
struct Site {
    links: Vec<Vec<usize>>,
    targets: Vec<Option<usize>>,
}

fn site() -> impl Strategy<Value = Site> {
    let links = vec(vec(0..PAGES, 0..5), PAGES);
    let targets = vec(option::weighted(0.2, 0..PAGES), PAGES);
    (links, targets).prop_map(|(links, targets)| Site { links, targets })
}

impl Site {
    /// The end of this page.
    fn finished(&self, lease: LeasedPage, choice: u8, now: Duration) -> FinishedPage {
        let number = usize::try_from(lease.key.to_raw() - 1).unwrap();
        let target = self.targets[number].filter(|target| *target != number);
        let message = "no answer".to_owned();
        let outcome = match choice % 8 {
            0 => PageOutcome::Failed(PageError { code: ErrorCode::ScrapeSiteError, message }),
            1 => PageOutcome::RobotsBlocked(Some(RobotsLine::new(2, "Disallow: /".to_owned()))),
            2 => PageOutcome::Retry(now),
            _ => PageOutcome::Document(Box::new(Document::of_markdown(lease.url.to_string())), 2),
        };
        let is_retry = matches!(outcome, PageOutcome::Retry(_));
        let links = &self.links[target.unwrap_or(number)];
        FinishedPage {
            redirected_to: target.filter(|_| !is_retry).map(|target| page(target).key),
            links: links.iter().map(|link| page(*link)).collect(),
            ..FinishedPage::new(lease, outcome)
        }
    }
}

/// What happens next.
#[derive(Debug, Clone, Copy)]
enum Step {
    Lease,
    /// A leased page ends.
    Finish(usize, u8),
    /// Some blocks of one journal are folded, and perhaps its queue is cleaned.
    Compact(usize, bool),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Lease),
        6 => (any::<usize>(), any::<u8>()).prop_map(|(page, choice)| Step::Finish(page, choice)),
        3 => (0..9_usize, any::<bool>()).prop_map(|(blocks, cleans)| Step::Compact(blocks, cleans)),
        1 => Just(Step::Reopen),
    ]
}

/// Runs both crawls to their end.
async fn run(site: &Site, max_depth: Option<u32>, steps: &[Step]) {
    let (mut plain, mut compacted) = (Crawl::start(max_depth).await, Crawl::start(max_depth).await);
    let mut now = NOW;
    let rest = std::iter::repeat([Step::Lease, Step::Finish(0, 7), Step::Compact(5, true)]).flatten();
    for step in steps.iter().copied().chain(rest) {
        now += Duration::from_secs(1);
        match step {
            Step::Lease => assert_eq!(compacted.lease(now).await, plain.lease(now).await),
            Step::Finish(index, choice) => {
                let Some(key) = plain.held.keys().nth(index % plain.held.len().max(1)).copied() else {
                    if plain.store.snapshot(JOB).await.unwrap().ended_at.is_some() {
                        break;
                    }
                    continue;
                };
                plain.finish(key, |lease| site.finished(lease, choice, now), now).await;
                compacted.finish(key, |lease| site.finished(lease, choice, now), now).await;
            }
            Step::Compact(blocks, cleans) => {
                compacted.journal.compact(NUMBER, blocks).unwrap();
                if cleans {
                    compacted.journal.clean(NUMBER).unwrap();
                }
            }
            Step::Reopen => {
                plain.reopen(now);
                compacted.reopen(now);
            }
        }
        let snapshot = plain.store.snapshot(JOB).await.unwrap();
        assert_eq!(compacted.store.snapshot(JOB).await.unwrap(), snapshot);
    }
    for _ in 0..2 {
        let snapshot = plain.store.snapshot(JOB).await.unwrap();
        assert_eq!(snapshot.state, JobState::Completed);
        assert_eq!(compacted.store.snapshot(JOB).await.unwrap(), snapshot);
        let failures = plain.store.failures(JOB).await.unwrap();
        assert_eq!(compacted.store.failures(JOB).await.unwrap(), failures);
        let all = ReadBound { documents: usize::MAX, bytes: usize::MAX };
        let documents = plain.store.read_json(JOB, 0, all).await.unwrap().documents;
        assert_eq!(compacted.store.read_json(JOB, 0, all).await.unwrap().documents, documents);
        compacted.journal.compact(NUMBER, usize::MAX).unwrap();
        plain.reopen(now);
        compacted.reopen(now);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_crawl_goes_on_after_compaction(
        site in site(),
        max_depth in option::of(0_u32..4),
        steps in vec(step(), 0..120),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(run(&site, max_depth, &steps));
    }
}

/// The sizes of the blocks of a part.
fn sizes(journal: &VecJournal, part: Part) -> Vec<usize> {
    let stored = journal.stored();
    let mut sizes = Vec::new();
    let mut add = |block: &[u8]| {
        sizes.push(block.len());
        Ok(())
    };
    stored.jobs[0].facts.blocks(part, &mut add).unwrap();
    sizes
}

#[tokio::test]
async fn an_ended_page_takes_a_key_and_an_ended_job_nothing() {
    let mut crawl = Crawl::start(None).await;
    let links = |from: usize| (from + 1..from + 3).map(page).collect::<Vec<_>>();
    let document = || PageOutcome::Document(Box::default(), 1);
    let mut now = NOW;
    for number in 0..500 {
        now += Duration::from_secs(1);
        crawl.lease(now).await;
        let key = page(number).key;
        let form = |lease| FinishedPage { links: links(number), ..FinishedPage::new(lease, document()) };
        crawl.finish(key, form, now).await;
    }
    crawl.journal.compact(NUMBER, usize::MAX).unwrap();
    crawl.journal.clean(NUMBER).unwrap();
    assert!(sizes(&crawl.journal, Part::Tail).is_empty());
    let ended = sizes(&crawl.journal, Part::Ended);
    assert!(ended.len() == 1 && ended[0] < 500 * 8 + 20, "{ended:?}");
    let queue: usize = sizes(&crawl.journal, Part::Queue).iter().sum();
    assert!(queue > 0 && queue < 2 * 80, "{queue} bytes for two pages that wait");
    crawl.store.cancel(JOB, now).await.unwrap();
    crawl.journal.compact(NUMBER, usize::MAX).unwrap();
    let all: usize = Part::COMPACTED.iter().flat_map(|part| sizes(&crawl.journal, *part)).sum();
    assert!(all < 100, "{all} bytes");
}
