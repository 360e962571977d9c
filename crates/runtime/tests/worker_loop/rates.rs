//! The request rates of hosts: redirects between hosts, slow pages, pages that fail.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use gleaner_frontier::{DEFAULT_INITIAL_PER_ADDRESS, FrontierConfig, HostFeedback};
use gleaner_runtime::{
    Clock, Executor, Fetch, FetchError, FetchRequest, Fetched, MemoryBudget, RedirectCheck, Runtime,
    RuntimeConfig, StartOptions, Transform, TransformTask, Transformed,
};
use gleaner_store::{JobAccount, MemoryConfig, MemoryStore, Store as _, TeamId};
use gleaner_types::request::{BatchScrapeRequest, ScrapeRequest};
use gleaner_types::{BoxFuture, CacheState, ErrorCode, PageError, ProxyUsed};
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::Instant;
use url::Url;

use crate::support::NOW;

/// The requests of a host: in flight now, maximum in flight, and the start of each.
type HostRequests = (usize, usize, Vec<Instant>);

/// The latency of a redirect.
const REDIRECT: Duration = Duration::from_millis(10);

/// `start.example` redirects every page to `apex.example`, which redirects to `www.example`. The first
/// segment of the path sets the outcome there: the latency in milliseconds, `busy`, `broken`, or the part
/// that fails on the engine's side. `from-N.example` redirects to `to-N.example`, which all have one address.
#[derive(Debug, Default)]
struct Hosts {
    /// By name.
    requests: Mutex<BTreeMap<String, HostRequests>>,
}

impl Hosts {
    fn starts(&self, host: &str) -> Vec<Instant> {
        self.requests.lock().unwrap()[host].2.clone()
    }

    fn max_in_flight(&self, host: &str) -> usize {
        self.requests.lock().unwrap().get(host).map_or(0, |(_, max, _)| *max)
    }

    /// The number of requests to a host that started until this time.
    fn started_until(&self, host: &str, until: Instant) -> usize {
        let requests = self.requests.lock().unwrap();
        requests.get(host).map_or(0, |(.., starts)| starts.iter().filter(|start| **start <= until).count())
    }

    async fn exchange(&self, host: &str, latency: Duration) {
        let _in_flight = InFlight::start(self, host);
        tokio::time::sleep(latency).await;
    }
}

/// A request in flight; dropping it ends it.
struct InFlight<'a>(&'a Hosts, String);

impl<'a> InFlight<'a> {
    fn start(hosts: &'a Hosts, host: &str) -> Self {
        let mut requests = hosts.requests.lock().unwrap();
        let (now, max, starts) = requests.entry(host.to_owned()).or_default();
        *now += 1;
        *max = (*max).max(*now);
        starts.push(Instant::now());
        Self(hosts, host.to_owned())
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.requests.lock().unwrap().get_mut(&self.1).unwrap().0 -= 1;
    }
}

#[derive(Debug)]
struct HostsPort(Arc<Hosts>);

impl Fetch for HostsPort {
    fn fetch<'a>(
        &'a self,
        request: FetchRequest<'a>,
        redirects: &'a dyn RedirectCheck,
    ) -> BoxFuture<'a, Result<Fetched, FetchError>> {
        Box::pin(async move {
            let mut url = request.url.clone();
            let failure = |code, refused_redirect| FetchError {
                error: PageError { code, message: "it failed".to_owned() },
                retryable: true,
                browser_crashed: false,
                exhausted: false,
                refused_redirect,
            };
            let many =
                url.host_str().and_then(|host| host.strip_prefix("from-")).map(|rest| format!("to-{rest}"));
            if let Some(to) = many {
                self.0.exchange("from", REDIRECT).await;
                let mut target = url.clone();
                target.set_host(Some(&to)).unwrap();
                let refused = |refusal| failure(ErrorCode::ScrapeBlocked, Some(refusal));
                redirects.check(&url, &target).await.map_err(refused)?;
                url = target;
            }
            for (from, to) in [("start.example", "apex.example"), ("apex.example", "www.example")] {
                if url.host_str() == Some(from) {
                    self.0.exchange(from, REDIRECT).await;
                    let mut target = url.clone();
                    target.set_host(Some(to)).unwrap();
                    let refused = |refusal| failure(ErrorCode::ScrapeBlocked, Some(refusal));
                    redirects.check(&url, &target).await.map_err(refused)?;
                    url = target;
                }
            }
            let kind = url.path_segments().and_then(|mut segments| segments.next()).unwrap_or_default();
            let latency = Duration::from_millis(kind.parse().unwrap_or(30));
            let host = url.host_str().unwrap();
            self.0.exchange(if host.starts_with("to-") { "to" } else { host }, latency).await;
            match kind {
                "broken" => return Err(failure(ErrorCode::ScrapeSiteError, None)),
                "proxy" => return Err(failure(ErrorCode::ScrapeAllEnginesFailed, None)),
                "resolver" => return Err(failure(ErrorCode::ScrapeDnsResolutionError, None)),
                "memory" => return Err(failure(ErrorCode::ScrapeTimeout, None)),
                _ => {}
            }
            Ok(Fetched {
                status: if kind == "busy" { 503 } else { 200 },
                url,
                content_type: None,
                body: Bytes::new(),
                retry_after: None,
                latency,
                address: None,
                proxy_used: ProxyUsed::Basic,
                cache_state: Some(CacheState::Miss),
                cached_at: None,
                rendering: None,
                robots_tag: String::new(),
            })
        })
    }

    fn address<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<IpAddr>> {
        Box::pin(async move {
            url.host_str()?.starts_with("to-").then_some(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)))
        })
    }
}

impl Transform for HostsPort {
    fn transform(&self, _: TransformTask<'_>) -> Result<Transformed, PageError> {
        Ok(Transformed::default())
    }
}

fn runtime_with(hosts: &Arc<Hosts>, frontier: FrontierConfig) -> Arc<Runtime> {
    runtime_over(hosts, MemoryStore::new(MemoryConfig::default().frontier(frontier)))
}

fn runtime_over(hosts: &Arc<Hosts>, store: MemoryStore) -> Arc<Runtime> {
    Runtime::new(RuntimeConfig {
        executor: Executor::of(Handle::current()),
        store: Arc::new(store),
        fetch: Arc::new(HostsPort(Arc::clone(hosts))),
        transform: Arc::new(HostsPort(Arc::clone(hosts))),
        pdfs: None,
        rendering: None,
        clock: Clock::starting_at(NOW),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
        memory: MemoryBudget::default(),
    })
}

fn runtime(hosts: &Arc<Hosts>) -> Arc<Runtime> {
    runtime_with(hosts, FrontierConfig::default())
}

/// Scrapes these pages concurrently. Returns how many gave a document, and the time until the last one ended.
async fn scrape_concurrently(
    runtime: &Arc<Runtime>,
    urls: impl Iterator<Item = String>,
) -> (usize, Duration) {
    let began = Instant::now();
    let mut scrapes = JoinSet::new();
    for url in urls {
        let (runtime, plan) = (Arc::clone(runtime), ScrapeRequest::new(url).check().unwrap());
        scrapes.spawn(async move { runtime.scrape(plan, StartOptions::default()).await.is_ok() });
    }
    let done = scrapes.join_all().await.into_iter().filter(|done| *done).count();
    (done, began.elapsed())
}

fn pages(host: &'static str, kind: &'static str, count: usize) -> impl Iterator<Item = String> {
    (0..count).map(move |n| format!("https://{host}/{kind}/{n}"))
}

#[tokio::test(start_paused = true)]
async fn a_host_behind_redirects_has_the_same_limits_as_a_direct_one() {
    for count in [20, 40] {
        let direct = Arc::new(Hosts::default());
        let (done, took_directly) =
            scrape_concurrently(&runtime(&direct), pages("www.example", "600", count)).await;
        assert_eq!(done, count);
        let hosts = Arc::new(Hosts::default());
        let (done, took) = scrape_concurrently(&runtime(&hosts), pages("apex.example", "600", count)).await;
        assert_eq!(done, count, "no scrape timed out");
        assert!(took <= took_directly + took_directly / 4, "{count}: {took:?}, directly {took_directly:?}");
        let (max, max_directly) = (hosts.max_in_flight("www.example"), direct.max_in_flight("www.example"));
        assert!((8..=max_directly + 1).contains(&max), "{count}: {max}, directly {max_directly}");
    }
}

#[tokio::test(start_paused = true)]
async fn redirects_and_leased_pages_share_the_limit_of_a_host() {
    let mut frontier = FrontierConfig::default();
    (frontier.initial_per_host, frontier.max_per_host) = (4, 4);
    let hosts = Arc::new(Hosts::default());
    let runtime = runtime_with(&hosts, frontier);
    let urls = pages("apex.example", "600", 20).chain(pages("www.example", "600", 20));
    let (done, _) = scrape_concurrently(&runtime, urls).await;
    assert_eq!((done, hosts.max_in_flight("www.example")), (40, 4));
}

#[tokio::test(start_paused = true)]
async fn redirects_to_many_names_of_one_address_share_its_places() {
    let hosts = Arc::new(Hosts::default());
    let urls = (0..120).map(|n| format!("https://from-{n}.example/600/{n}"));
    let (done, _) = scrape_concurrently(&runtime(&hosts), urls).await;
    assert_eq!((done, hosts.max_in_flight("to")), (120, DEFAULT_INITIAL_PER_ADDRESS as usize));
}

#[tokio::test(start_paused = true)]
async fn a_busy_host_behind_redirects_gets_few_requests() {
    for host in ["www.example", "apex.example"] {
        let hosts = Arc::new(Hosts::default());
        let began = Instant::now();
        scrape_concurrently(&runtime(&hosts), pages(host, "busy", 40)).await;
        let requests = hosts.started_until("www.example", began + Duration::from_secs(10));
        assert!(requests <= 30, "{host}: {requests} requests in ten seconds");
        assert!(hosts.max_in_flight("www.example") <= 2, "{host}: no answer was a success");
    }
}

#[tokio::test(start_paused = true)]
async fn the_gap_of_a_host_applies_to_redirects() {
    let (hosts, store) = (Arc::new(Hosts::default()), MemoryStore::default());
    let apex = Url::parse("https://apex.example/").unwrap();
    let gap = Duration::from_secs(3);
    let feedback = HostFeedback { min_gap: Some(gap), answered: true, ..HostFeedback::default() };
    store.feedback(&apex, feedback, NOW);
    let (done, _) = scrape_concurrently(&runtime_over(&hosts, store), pages("start.example", "30", 6)).await;
    assert_eq!(done, 6);
    let starts = hosts.starts("apex.example");
    assert!(starts.windows(2).all(|pair| pair[1] - pair[0] >= gap + REDIRECT), "{starts:?}");
}

#[tokio::test(start_paused = true)]
async fn failures_of_the_engine_do_not_slow_a_host() {
    for kind in ["proxy", "resolver", "memory"] {
        let runtime = runtime(&Arc::new(Hosts::default()));
        scrape_concurrently(&runtime, pages("www.example", "50", 8)).await;
        let (done, _) = scrape_concurrently(&runtime, pages("www.example", kind, 20)).await;
        assert_eq!(done, 0);
        let (done, took) = scrape_concurrently(&runtime, pages("www.example", "600", 20)).await;
        assert_eq!(done, 20);
        assert!(took <= Duration::from_millis(2_500), "{kind}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn slow_pages_do_not_count_as_overload() {
    let hosts = Arc::new(Hosts::default());
    let shared = runtime(&hosts);
    for url in pages("www.example", "60", 60) {
        scrape_concurrently(&shared, std::iter::once(url)).await;
    }
    for round in 0..3 {
        let (done, took) = scrape_concurrently(&shared, pages("www.example", "600", 20)).await;
        assert_eq!(done, 20);
        // Three rounds of eight requests, or four rounds until the host proves not to be overloaded.
        assert!(took <= Duration::from_millis(2_500), "round {round}: {took:?}");
    }
    let urls: Vec<String> = pages("www.example", "60", 40).chain(pages("www.example", "600", 40)).collect();
    let plan = BatchScrapeRequest::new(urls).check().unwrap();
    let began = Instant::now();
    let mut batch = runtime(&Arc::new(Hosts::default())).start(plan, StartOptions::default()).await.unwrap();
    assert_eq!(batch.wait().await.unwrap().documents.len(), 80);
    assert!(began.elapsed() <= Duration::from_millis(4_200), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_failing_page_does_not_delay_other_pages() {
    for kind in ["busy", "broken"] {
        for host in ["www.example", "apex.example"] {
            let runtime = runtime(&Arc::new(Hosts::default()));
            let scrape = |team: &str, url: String| {
                let account = Some(Box::new(JobAccount::of(TeamId::new(team))));
                let options = StartOptions { account, ..StartOptions::default() };
                let (runtime, plan) = (Arc::clone(&runtime), ScrapeRequest::new(url).check().unwrap());
                async move { runtime.scrape(plan, options).await.is_ok() }
            };
            let failing = async {
                for _ in 0..20 {
                    scrape("a", format!("https://{host}/{kind}/0")).await;
                }
            };
            let others = async {
                // The first page of an unknown host may wait.
                assert!(scrape("b", format!("https://{host}/50/first")).await);
                for n in 0..200 {
                    let began = Instant::now();
                    assert!(scrape("b", format!("https://{host}/50/{n}")).await);
                    let took = began.elapsed();
                    assert!(took <= Duration::from_millis(100), "{kind}, {host}: page {n} took {took:?}");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            };
            tokio::join!(failing, others);
        }
    }
}
