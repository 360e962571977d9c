//! One engine in many tokio runtimes, and without any.

use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use gleaner::service::{SubmitContext, Team, TeamId};
use gleaner::{
    BatchScrapeRequest, CrawlRequest, Engine, Error, ErrorKind, MapRequest, Politeness, ScrapeRequest,
    Storage,
};
use gleaner_testkit::{RawServer, Server, Site, SiteSpec, Step};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::on_loopback;

/// After this time, something hangs.
const PATIENCE: Duration = Duration::from_secs(600);

/// Runtimes side by side, and on each of these threads one after the other, with this many operations each.
const THREADS: u64 = 8;
const RUNTIMES: usize = 5;
const OPERATIONS: usize = 25;

/// Pages in work at once: so few that leases that do not come back are missed.
const PLACES: u32 = 8;

/// Pages of a crawl, and of a batch.
const PAGES: usize = 3;

/// An engine of all tests, each of which has a runtime of its own.
static ENGINE: LazyLock<Engine> = LazyLock::new(|| on_loopback().build().unwrap());

fn site() -> Server {
    Site::generate(SiteSpec::pages(20)).serve().unwrap()
}

/// A server that never answers.
fn silent() -> RawServer {
    RawServer::start([Step::ReadRequest, Step::Hang]).unwrap()
}

/// Wakes a thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future without any tokio runtime.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let (mut future, mut context) = (pin!(future), Context::from_waker(&waker));
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        thread::park();
    }
}

/// Does something that may hang.
fn watched<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, ended) = channel();
    let thread = thread::spawn(move || sender.send(work()).unwrap());
    match ended.recv_timeout(PATIENCE) {
        Ok(result) => result,
        Err(error) => {
            assert_ne!(error, RecvTimeoutError::Timeout, "it hangs");
            resume_unwind(thread.join().unwrap_err())
        }
    }
}

fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn multi_thread() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }
}

/// What the runtimes of a test have in common.
#[derive(Clone)]
struct Shared {
    engine: Engine,
    root: String,
    team: Team,
    /// The links of the site.
    mapped: usize,
}

/// One operation. It gets all of its documents.
async fn operate(shared: Shared, kind: usize) {
    let Shared { engine, root, team, mapped } = shared;
    match kind {
        0 => {
            let plan = ScrapeRequest::new(&root).check().unwrap();
            let page = engine.service().scrape(&team, plan, SubmitContext::default()).await.unwrap();
            assert_eq!(page.metadata.status_code, Some(200));
        }
        1 => {
            let page = engine.scrape(ScrapeRequest::new(&root)).await.unwrap();
            assert_eq!(page.metadata.status_code, Some(200));
        }
        2 => {
            let mut job = engine.crawl(CrawlRequest::new(&root).limit(PAGES as u64)).await.unwrap();
            assert_eq!(job.wait().await.unwrap().documents.len(), PAGES);
        }
        3 => {
            let urls = (0..PAGES).map(|page| format!("{root}?page={page}"));
            let mut job = engine.batch(BatchScrapeRequest::new(urls)).await.unwrap();
            for _ in 0..PAGES {
                job.next().await.unwrap().unwrap();
            }
            assert!(job.next().await.is_none());
        }
        _ => {
            let map = engine.map(MapRequest::new(&root)).await.unwrap();
            assert_eq!(map.links.len(), mapped);
        }
    }
}

/// The life of a runtime: it ends after some of its operations, with the others in the midst.
fn live(shared: &Shared, random: &mut Random) {
    let runtime = if random.below(2) == 0 { current_thread() } else { multi_thread() };
    let awaited = if random.below(3) == 0 { OPERATIONS } else { random.below(OPERATIONS) };
    runtime.block_on(async {
        let mut running = JoinSet::new();
        for _ in 0..OPERATIONS {
            running.spawn(operate(shared.clone(), random.below(5)));
        }
        for _ in 0..awaited {
            running.join_next().await.unwrap().unwrap();
        }
        running.detach_all();
    });
    if random.below(2) == 0 {
        runtime.shutdown_background();
    }
}

#[test]
fn nothing_hangs_or_is_lost_while_the_runtimes_of_callers_end_at_any_moment() {
    let server = site();
    let engine = on_loopback()
        .storage(Storage::new().no_cache())
        .concurrency(PLACES)
        .politeness(Politeness::new().concurrency_per_host(PLACES))
        .build()
        .unwrap();
    let team = Team::new(TeamId::new("birds")).max_concurrency(u32::MAX).max_jobs(u32::MAX);
    let root = server.url("/");
    let mapped = block_on(engine.map(MapRequest::new(&root))).unwrap().links.len();
    let shared = Shared { engine, root, team, mapped };
    let result = watched(move || {
        let threads = (0..THREADS).map(|number| {
            let (shared, mut random) = (shared.clone(), Random(number + 1));
            thread::spawn(move || (0..RUNTIMES).for_each(|_| live(&shared, &mut random)))
        });
        threads.collect::<Vec<_>>().into_iter().for_each(|thread| thread.join().unwrap());
        // What was dropped ends, and gives its leases back.
        while block_on(shared.engine.service().queue_status(&shared.team)).unwrap().jobs_in_queue > 0 {
            thread::yield_now();
        }
        let mut job = block_on(shared.engine.crawl(CrawlRequest::new(&shared.root))).unwrap();
        block_on(job.wait()).unwrap()
    });
    assert_eq!(result.documents.len(), 20);
}

#[test]
fn an_engine_needs_no_runtime_of_its_caller() {
    let server = site();
    let engine = on_loopback().build().unwrap();
    let page = block_on(engine.scrape(ScrapeRequest::new(server.url("/")))).unwrap();
    assert!(page.markdown.is_some_and(|text| !text.is_empty()));
    let mut job = block_on(engine.crawl(CrawlRequest::new(server.url("/")))).unwrap();
    assert_eq!(block_on(job.wait()).unwrap().documents.len(), 20);
    block_on(engine.stop());
    let error = block_on(engine.scrape(ScrapeRequest::new(server.url("/")))).unwrap_err();
    assert!(error.is_stopped(), "{error}");
}

#[test]
fn a_job_ends_with_the_runtime_that_waits_for_it() {
    let server = silent();
    let runtime = current_thread();
    let id = runtime.block_on(async {
        let mut job = ENGINE.batch(BatchScrapeRequest::new([server.base_url()])).await.unwrap();
        let id = job.id();
        drop(tokio::spawn(async move { job.wait().await }));
        id
    });
    drop(runtime);
    watched(move || while !block_on(ENGINE.job(id)).is_err_and(|error| error.is_unknown_job()) {});
}

#[test]
fn an_engine_whose_runtime_has_ended_says_so() {
    let (server, silent, runtime) = (site(), silent(), multi_thread());
    let engine = on_loopback().on_runtime(runtime.handle().clone()).build().unwrap();
    let mut job = block_on(engine.crawl(CrawlRequest::new(server.url("/")))).unwrap();
    block_on(job.next()).unwrap().unwrap();
    let waiting = thread::spawn({
        let (engine, url) = (engine.clone(), silent.base_url());
        move || block_on(engine.scrape(ScrapeRequest::new(url)))
    });
    while silent.connections() == 0 {
        thread::yield_now();
    }
    drop(runtime);
    watched(move || {
        let url = server.url("/");
        for error in [
            waiting.join().unwrap().unwrap_err(),
            block_on(engine.scrape(ScrapeRequest::new(&url))).unwrap_err(),
            block_on(engine.batch(BatchScrapeRequest::new([&url]))).unwrap_err(),
            block_on(engine.map(MapRequest::new(&url))).unwrap_err(),
            Error::from(block_on(job.status()).unwrap_err()),
            Error::from(block_on(job.wait()).unwrap_err()),
        ] {
            assert!(error.is_stopped(), "{error}");
            assert!(error.to_string().contains("the tokio runtime of this engine has ended"), "{error}");
        }
        block_on(engine.stop());
    });
}

#[test]
fn a_runtime_without_timers_or_sockets_is_refused() {
    let mut builder = Builder::new_current_thread();
    for (runtime, missing) in [(builder.build(), "no timers"), (builder.enable_time().build(), "no I/O")] {
        let runtime = runtime.unwrap();
        let error = on_loopback().on_runtime(runtime.handle().clone()).build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
        assert!(error.to_string().contains(missing), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_engine_in_the_runtime_of_a_test_follows_its_paused_time() {
    let (server, began) = (silent(), Instant::now());
    let engine = on_loopback().on_runtime(Handle::current()).build().unwrap();
    let request = ScrapeRequest::new(server.base_url()).timeout(20_000);
    let error = engine.scrape(request).await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    assert!(began.elapsed() > Duration::from_secs(5));
}

/// Each of these tests has a runtime of its own, which ends with it.
mod shared {
    use super::{CrawlRequest, Duration, ENGINE, Instant, PAGES, ScrapeRequest, site};

    async fn use_engine() {
        let server = site();
        let page = ENGINE.scrape(ScrapeRequest::new(server.url("/"))).await.unwrap();
        assert_eq!(page.metadata.status_code, Some(200));
        let mut job = ENGINE.crawl(CrawlRequest::new(server.url("/")).limit(PAGES as u64)).await.unwrap();
        assert_eq!(job.wait().await.unwrap().documents.len(), PAGES);
    }

    #[tokio::test]
    async fn an_engine_works_in_the_runtime_of_one_test() {
        use_engine().await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_engine_works_in_the_runtime_of_another_test() {
        use_engine().await;
    }

    #[tokio::test(start_paused = true)]
    async fn an_engine_works_in_real_time_while_that_of_a_test_is_paused() {
        let began = Instant::now();
        use_engine().await;
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
