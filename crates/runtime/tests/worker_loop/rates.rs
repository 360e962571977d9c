//! How many requests a host gets at once, and who waits for whom: redirects between hosts, slow pages, pages
//! that fail.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_frontier::{FrontierConfig, HostFeedback};
use gleaner_runtime::{
    Clock, Fetch, FetchError, FetchRequest, Fetched, MemoryBudget, RedirectCheck, Runtime, RuntimeConfig,
    StartOptions, Transform, TransformTask, Transformed,
};
use gleaner_store::{JobAccount, MemoryConfig, MemoryStore, Store as _, TeamId};
use gleaner_types::request::{BatchScrapeRequest, ScrapeRequest};
use gleaner_types::{CacheState, ErrorCode, PageError, ProxyUsed};
use tokio::task::JoinSet;
use tokio::time::Instant;
use url::Url;

use crate::support::NOW;

/// Of a host: requests under way, the most of them at once, and when each began.
type Seen = (usize, usize, Vec<Instant>);

/// How long a redirect takes.
const REDIRECT: Duration = Duration::from_millis(10);

/// `start.example` redirects every page to `apex.example`, and that to `www.example`. The first segment of
/// the path is what becomes of a page there: milliseconds until it is answered, or `busy`, or `broken`; or
/// what fails on the way there.
#[derive(Debug, Default)]
struct Hosts {
    /// By name: requests under way, the most that there were at once, and when each began.
    seen: Mutex<BTreeMap<String, Seen>>,
}

impl Hosts {
    fn began(&self, host: &str) -> Vec<Instant> {
        self.seen.lock().unwrap()[host].2.clone()
    }

    fn most_at_once(&self, host: &str) -> usize {
        self.seen.lock().unwrap().get(host).map_or(0, |(_, most, _)| *most)
    }

    /// Requests to a host that began before this.
    fn asked_until(&self, host: &str, until: Instant) -> usize {
        let seen = self.seen.lock().unwrap();
        seen.get(host).map_or(0, |(.., began)| began.iter().filter(|began| **began <= until).count())
    }

    async fn exchange(&self, host: &str, took: Duration) {
        let _under_way = UnderWay::begin(self, host);
        tokio::time::sleep(took).await;
    }
}

/// A request, which ends when it is answered or given up.
struct UnderWay<'a>(&'a Hosts, String);

impl<'a> UnderWay<'a> {
    fn begin(hosts: &'a Hosts, host: &str) -> Self {
        let mut seen = hosts.seen.lock().unwrap();
        let (now, most, began) = seen.entry(host.to_owned()).or_default();
        *now += 1;
        *most = (*most).max(*now);
        began.push(Instant::now());
        Self(hosts, host.to_owned())
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.seen.lock().unwrap().get_mut(&self.1).unwrap().0 -= 1;
    }
}

#[derive(Debug)]
struct Port(Arc<Hosts>);

#[async_trait]
impl Fetch for Port {
    async fn fetch(
        &self,
        request: FetchRequest<'_>,
        hops: &dyn RedirectCheck,
    ) -> Result<Fetched, FetchError> {
        let mut url = request.url.clone();
        let failure = |code, refused_hop| FetchError {
            error: PageError { code, message: "it failed".to_owned() },
            retryable: true,
            refused_hop,
        };
        for (from, to) in [("start.example", "apex.example"), ("apex.example", "www.example")] {
            if url.host_str() == Some(from) {
                self.0.exchange(from, REDIRECT).await;
                let mut target = url.clone();
                target.set_host(Some(to)).unwrap();
                let refused = |refusal| failure(ErrorCode::ScrapeBlocked, Some(refusal));
                hops.check(&url, &target).await.map_err(refused)?;
                url = target;
            }
        }
        let what = url.path_segments().and_then(|mut segments| segments.next()).unwrap_or_default();
        let latency = Duration::from_millis(what.parse().unwrap_or(30));
        self.0.exchange(url.host_str().unwrap(), latency).await;
        match what {
            "broken" => return Err(failure(ErrorCode::ScrapeSiteError, None)),
            "proxy" => return Err(failure(ErrorCode::ScrapeAllEnginesFailed, None)),
            "resolver" => return Err(failure(ErrorCode::ScrapeDnsResolutionError, None)),
            "memory" => return Err(failure(ErrorCode::ScrapeTimeout, None)),
            _ => {}
        }
        Ok(Fetched {
            status: if what == "busy" { 503 } else { 200 },
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
    }
}

impl Transform for Port {
    fn transform(&self, _: TransformTask<'_>) -> Result<Transformed, PageError> {
        Ok(Transformed::default())
    }
}

fn room_with(hosts: &Arc<Hosts>, frontier: FrontierConfig) -> Arc<Runtime> {
    room_over(hosts, MemoryStore::new(MemoryConfig { frontier, ..MemoryConfig::default() }))
}

fn room_over(hosts: &Arc<Hosts>, store: MemoryStore) -> Arc<Runtime> {
    Runtime::new(RuntimeConfig {
        store: Arc::new(store),
        fetch: Arc::new(Port(Arc::clone(hosts))),
        transform: Arc::new(Port(Arc::clone(hosts))),
        pdfs: None,
        clock: Clock::starting_at(NOW),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
        memory: MemoryBudget::default(),
    })
}

fn runtime(hosts: &Arc<Hosts>) -> Arc<Runtime> {
    room_with(hosts, FrontierConfig::default())
}

/// Scrapes these pages all at once; tells how many gave a document, and how long it took until the last one
/// ended.
async fn scrape_at_once(runtime: &Arc<Runtime>, urls: impl Iterator<Item = String>) -> (usize, Duration) {
    let began = Instant::now();
    let mut scrapes = JoinSet::new();
    for url in urls {
        let (runtime, plan) = (Arc::clone(runtime), ScrapeRequest::new(url).check().unwrap());
        scrapes.spawn(async move { runtime.scrape(plan, StartOptions::default()).await.is_ok() });
    }
    let done = scrapes.join_all().await.into_iter().filter(|done| *done).count();
    (done, began.elapsed())
}

fn pages(host: &'static str, what: &'static str, count: usize) -> impl Iterator<Item = String> {
    (0..count).map(move |n| format!("https://{host}/{what}/{n}"))
}

#[tokio::test(start_paused = true)]
async fn a_host_that_only_redirects_lead_to_has_the_places_of_one_that_is_asked_first() {
    for count in [20, 40] {
        let direct = Arc::new(Hosts::default());
        let (done, took_directly) =
            scrape_at_once(&runtime(&direct), pages("www.example", "600", count)).await;
        assert_eq!(done, count);
        let hosts = Arc::new(Hosts::default());
        let (done, took) = scrape_at_once(&runtime(&hosts), pages("apex.example", "600", count)).await;
        assert_eq!(done, count, "none ran out of time");
        assert!(took <= took_directly + took_directly / 4, "{count}: {took:?}, directly {took_directly:?}");
        let (most, most_directly) = (hosts.most_at_once("www.example"), direct.most_at_once("www.example"));
        assert!((8..=most_directly + 1).contains(&most), "{count}: {most}, directly {most_directly}");
    }
}

#[tokio::test(start_paused = true)]
async fn redirects_and_leased_pages_share_the_places_of_a_host() {
    let mut frontier = FrontierConfig::default();
    (frontier.initial_per_host, frontier.max_per_host) = (4, 4);
    let hosts = Arc::new(Hosts::default());
    let runtime = room_with(&hosts, frontier);
    let urls = pages("apex.example", "600", 20).chain(pages("www.example", "600", 20));
    let (done, _) = scrape_at_once(&runtime, urls).await;
    assert_eq!((done, hosts.most_at_once("www.example")), (40, 4));
}

#[tokio::test(start_paused = true)]
async fn a_host_that_refuses_what_redirects_lead_to_is_left_alone() {
    for host in ["www.example", "apex.example"] {
        let hosts = Arc::new(Hosts::default());
        let began = Instant::now();
        scrape_at_once(&runtime(&hosts), pages(host, "busy", 40)).await;
        let asked = hosts.asked_until("www.example", began + Duration::from_secs(10));
        assert!(asked <= 30, "{host}: {asked} requests in ten seconds");
        assert!(hosts.most_at_once("www.example") <= 2, "{host}: it never answered well");
    }
}

#[tokio::test(start_paused = true)]
async fn the_gap_of_a_host_is_kept_where_redirects_alone_lead_to_it() {
    let (hosts, store) = (Arc::new(Hosts::default()), MemoryStore::default());
    let apex = Url::parse("https://apex.example/").unwrap();
    let gap = Duration::from_secs(3);
    let feedback = HostFeedback { min_gap: Some(gap), answered: true, ..HostFeedback::default() };
    store.feedback(&apex, feedback, NOW).await.unwrap();
    let (done, _) = scrape_at_once(&room_over(&hosts, store), pages("start.example", "30", 6)).await;
    assert_eq!(done, 6);
    let began = hosts.began("apex.example");
    assert!(began.windows(2).all(|two| two[1] - two[0] >= gap + REDIRECT), "{began:?}");
}

#[tokio::test(start_paused = true)]
async fn what_fails_on_our_side_slows_no_host() {
    for what in ["proxy", "resolver", "memory"] {
        let runtime = runtime(&Arc::new(Hosts::default()));
        scrape_at_once(&runtime, pages("www.example", "50", 8)).await;
        let (done, _) = scrape_at_once(&runtime, pages("www.example", what, 20)).await;
        assert_eq!(done, 0);
        let (done, took) = scrape_at_once(&runtime, pages("www.example", "600", 20)).await;
        assert_eq!(done, 20);
        assert!(took <= Duration::from_millis(2_500), "{what}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn slow_pages_are_no_sign_of_overload() {
    let hosts = Arc::new(Hosts::default());
    let shared = runtime(&hosts);
    for url in pages("www.example", "60", 60) {
        scrape_at_once(&shared, std::iter::once(url)).await;
    }
    for round in 0..3 {
        let (done, took) = scrape_at_once(&shared, pages("www.example", "600", 20)).await;
        assert_eq!(done, 20);
        // Three rounds of eight places, or four while it is found out that the host is not busy.
        assert!(took <= Duration::from_millis(2_500), "round {round}: {took:?}");
    }
    let urls: Vec<String> = pages("www.example", "60", 40).chain(pages("www.example", "600", 40)).collect();
    let plan = BatchScrapeRequest::new(urls).check().unwrap();
    let began = Instant::now();
    let batch = runtime(&Arc::new(Hosts::default())).start(plan, StartOptions::default()).await.unwrap();
    assert_eq!(batch.wait().await.unwrap().documents.len(), 80);
    assert!(began.elapsed() <= Duration::from_millis(4_200), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn one_failing_page_delays_nobody_else() {
    for what in ["busy", "broken"] {
        for host in ["www.example", "apex.example"] {
            let runtime = runtime(&Arc::new(Hosts::default()));
            let scrape = |team: &str, url: String| {
                let account = Some(Box::new(JobAccount::of(TeamId::new(team))));
                let options = StartOptions { account, ..StartOptions::default() };
                let (runtime, plan) = (Arc::clone(&runtime), ScrapeRequest::new(url).check().unwrap());
                async move { runtime.scrape(plan, options).await.is_ok() }
            };
            let in_vain = async {
                for _ in 0..20 {
                    scrape("a", format!("https://{host}/{what}/0")).await;
                }
            };
            let others = async {
                // The first page of a host that nobody knows may wait for its turn.
                assert!(scrape("b", format!("https://{host}/50/first")).await);
                for n in 0..200 {
                    let began = Instant::now();
                    assert!(scrape("b", format!("https://{host}/50/{n}")).await);
                    let took = began.elapsed();
                    assert!(took <= Duration::from_millis(100), "{what}, {host}: page {n} took {took:?}");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            };
            tokio::join!(in_vain, others);
        }
    }
}
