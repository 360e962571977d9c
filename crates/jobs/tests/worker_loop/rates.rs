//! How many requests a host gets at once, and who waits for whom: redirects between hosts, slow pages, pages that fail.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_frontier::FrontierConfig;
use gleaner_jobs::{
    Clock, Desk, DeskParts, Fetch, FetchError, FetchRequest, Fetched, HopCheck, MemoryShares, Parts, Room,
    Submit, Team, Transform, TransformTask, Transformed,
};
use gleaner_store::{MemoryConfig, MemoryStore, TeamId};
use gleaner_types::request::{BatchScrapeRequest, ScrapeRequest};
use gleaner_types::{CacheState, ErrorCode, PageError, ProxyUsed};
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::support::NOW;

/// Of a host: requests under way, the most of them at once, and when each began.
type Seen = (usize, usize, Vec<Instant>);

/// How long a redirect takes.
const REDIRECT: Duration = Duration::from_millis(10);

/// `apex.example` redirects every page to `www.example`. The first segment of the path is what becomes of a page there:
/// so many milliseconds until it is answered, or `busy`, or `broken`.
#[derive(Debug, Default)]
struct Hosts {
    /// By name: requests under way, the most that there were at once, and when each began.
    seen: Mutex<BTreeMap<String, Seen>>,
}

impl Hosts {
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
    async fn fetch(&self, request: FetchRequest<'_>, hops: &dyn HopCheck) -> Result<Fetched, FetchError> {
        let mut url = request.url.clone();
        let failure = |refused_hop| FetchError {
            error: PageError { code: ErrorCode::ScrapeSiteError, message: "the connection broke".to_owned() },
            retryable: true,
            refused_hop,
        };
        if url.host_str() == Some("apex.example") {
            self.0.exchange("apex.example", REDIRECT).await;
            let mut target = url.clone();
            target.set_host(Some("www.example")).unwrap();
            hops.check(&url, &target).await.map_err(|refusal| failure(Some(refusal)))?;
            url = target;
        }
        let what = url.path_segments().and_then(|mut segments| segments.next()).unwrap_or_default();
        let latency = Duration::from_millis(what.parse().unwrap_or(30));
        self.0.exchange(url.host_str().unwrap(), latency).await;
        if what == "broken" {
            return Err(failure(None));
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

fn room_with(hosts: &Arc<Hosts>, frontier: FrontierConfig) -> Arc<Room> {
    Room::new(Parts {
        store: Arc::new(MemoryStore::new(MemoryConfig { frontier, ..MemoryConfig::default() })),
        fetch: Arc::new(Port(Arc::clone(hosts))),
        transform: Arc::new(Port(Arc::clone(hosts))),
        pdfs: None,
        clock: Clock::starting_at(NOW),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
        memory: MemoryShares::default(),
    })
}

fn room(hosts: &Arc<Hosts>) -> Arc<Room> {
    room_with(hosts, FrontierConfig::default())
}

/// Scrapes these pages all at once; tells how many gave a document, and how long it took until the last one ended.
async fn scrape_at_once(room: &Arc<Room>, urls: impl Iterator<Item = String>) -> (usize, Duration) {
    let began = Instant::now();
    let mut scrapes = JoinSet::new();
    for url in urls {
        let (room, plan) = (Arc::clone(room), ScrapeRequest::new(url).check().unwrap());
        scrapes.spawn(async move { room.scrape(plan, Value::Null).await.is_ok() });
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
        let (done, took_directly) = scrape_at_once(&room(&direct), pages("www.example", "600", count)).await;
        assert_eq!(done, count);
        let hosts = Arc::new(Hosts::default());
        let (done, took) = scrape_at_once(&room(&hosts), pages("apex.example", "600", count)).await;
        assert_eq!(done, count, "none ran out of time");
        assert!(took <= took_directly + took_directly / 4, "{count}: {took:?}, directly {took_directly:?}");
        let (most, most_directly) = (hosts.most_at_once("www.example"), direct.most_at_once("www.example"));
        assert!((8..=most_directly + 1).contains(&most), "{count}: {most}, directly {most_directly}");
    }
}

#[tokio::test(start_paused = true)]
async fn redirects_and_leased_pages_share_the_places_of_a_host() {
    let mut frontier = FrontierConfig::default();
    (frontier.max_per_host, frontier.most_per_host) = (4, 4);
    let hosts = Arc::new(Hosts::default());
    let room = room_with(&hosts, frontier);
    let urls = pages("apex.example", "600", 20).chain(pages("www.example", "600", 20));
    let (done, _) = scrape_at_once(&room, urls).await;
    assert_eq!((done, hosts.most_at_once("www.example")), (40, 4));
}

#[tokio::test(start_paused = true)]
async fn a_host_that_refuses_what_redirects_lead_to_is_left_alone() {
    for host in ["www.example", "apex.example"] {
        let hosts = Arc::new(Hosts::default());
        let began = Instant::now();
        scrape_at_once(&room(&hosts), pages(host, "busy", 40)).await;
        let asked = hosts.asked_until("www.example", began + Duration::from_secs(10));
        assert!(asked <= 30, "{host}: {asked} requests in ten seconds");
        assert!(hosts.most_at_once("www.example") <= 2, "{host}: it never answered well");
    }
}

#[tokio::test(start_paused = true)]
async fn slow_pages_are_no_sign_of_overload() {
    let hosts = Arc::new(Hosts::default());
    let shared = room(&hosts);
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
    let batch = room(&Arc::new(Hosts::default())).batch(plan, Value::Null).await.unwrap();
    assert_eq!(batch.wait().await.unwrap().documents.len(), 80);
    assert!(began.elapsed() <= Duration::from_millis(4_200), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn one_failing_page_delays_nobody_else() {
    for what in ["busy", "broken"] {
        for host in ["www.example", "apex.example"] {
            let desk = Desk::new(room(&Arc::new(Hosts::default())), DeskParts::default());
            let scrape = |team: &str, url: String| {
                let (desk, team) = (Arc::clone(&desk), Team::new(TeamId::new(team)));
                let plan = ScrapeRequest::new(url).check().unwrap();
                async move { desk.scrape(&team, plan, Submit::default()).await.is_ok() }
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
