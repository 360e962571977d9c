//! Tests of the robots.txt cache.

use std::sync::atomic::{AtomicU32, Ordering};

use gleaner_types::plan::ProxyMode;

use super::*;

const AGENT: &str = "gleaner";

type FetchCount = Arc<AtomicU32>;

async fn get_over(
    cache: &RobotsCache,
    url: &str,
    route: Option<RouteKey>,
    at: u64,
    robots: Robots,
    fetches: &FetchCount,
) -> RobotsLookup {
    let (url, fetches) = (Url::parse(url).unwrap(), Arc::clone(fetches));
    let load = move |robots_url: Url, _: RequestStartReporter| {
        assert_eq!(robots_url.path(), "/robots.txt");
        fetches.fetch_add(1, Ordering::Relaxed);
        async move {
            tokio::task::yield_now().await;
            robots
        }
    };
    let now = move || Duration::from_secs(at);
    cache.get(AGENT, &url, route, ROBOTS_TIMEOUT, now, load).await.unwrap()
}

async fn get(cache: &RobotsCache, url: &str, at: u64, robots: Robots, fetches: &FetchCount) -> RobotsLookup {
    get_over(cache, url, None, at, robots, fetches).await
}

fn allow() -> Robots {
    Robots::with_policy(RobotsPolicy::parse(b"", AGENT))
}

fn failure() -> Robots {
    let error = PageError { code: ErrorCode::ScrapeSiteError, message: String::new() };
    Robots::unreachable(RobotsFailure { error, is_transient: true, answered: true, exhausted: false })
}

#[tokio::test]
async fn it_is_fetched_once_for_all_callers_and_cached_for_a_day() {
    let (cache, fetches) = (RobotsCache::default(), FetchCount::default());
    let (one, two) = tokio::join!(
        get(&cache, "https://a.example/x", 0, allow(), &fetches),
        get(&cache, "https://a.example/y?z", 0, allow(), &fetches)
    );
    assert!(one.fresh && two.fresh, "both waited for the fetch");
    assert!(!get(&cache, "https://a.example/", 86_399, allow(), &fetches).await.fresh);
    assert_eq!(fetches.load(Ordering::Relaxed), 1);
    assert!(get(&cache, "https://a.example/", 86_400, allow(), &fetches).await.fresh);
    assert!(get(&cache, "https://a.example:8443/", 86_400, allow(), &fetches).await.fresh, "the port counts");
    assert_eq!(fetches.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn a_failure_is_fetched_again_soon() {
    let (cache, fetches) = (RobotsCache::default(), FetchCount::default());
    get(&cache, "https://a.example/", 0, failure(), &fetches).await;
    assert!(!get(&cache, "https://a.example/", 4, failure(), &fetches).await.fresh);
    assert!(get(&cache, "https://a.example/", 5, allow(), &fetches).await.fresh);
    assert!(!get(&cache, "https://a.example/", 1_000, allow(), &fetches).await.fresh);
    assert_eq!(fetches.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn the_lifetime_of_a_failure_starts_at_its_end() {
    let (cache, url) = (RobotsCache::default(), Url::parse("https://a.example/").unwrap());
    let began = Instant::now();
    let hang = |_: Url, _: RequestStartReporter| async {
        tokio::time::sleep(ROBOTS_TIMEOUT).await;
        failure()
    };
    let now = move || began.elapsed();
    for (wait, fresh) in [(0, true), (0, false), (4, false), (1, true), (4, false)] {
        tokio::time::advance(Duration::from_secs(wait)).await;
        let lookup = cache.get(AGENT, &url, None, ROBOTS_TIMEOUT, now, hang).await.unwrap();
        assert_eq!(lookup.fresh, fresh, "at {:?}", began.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_with_a_short_timeout_stops_waiting_and_the_fetch_continues() {
    let (cache, fetches) = (RobotsCache::default(), FetchCount::default());
    let url = Url::parse("https://a.example/").unwrap();
    let began = Instant::now();
    let get = async |timeout: u64| {
        let fetches = Arc::clone(&fetches);
        let load = move |_: Url, reporter: RequestStartReporter| async move {
            fetches.fetch_add(1, Ordering::Relaxed);
            // The wait for the host, then a slow answer.
            tokio::time::sleep(Duration::from_secs(3)).await;
            reporter.report_now();
            tokio::time::sleep(Duration::from_secs(8)).await;
            allow()
        };
        let timeout = Duration::from_secs(timeout);
        let lookup = cache.get(AGENT, &url, None, timeout, move || began.elapsed(), load).await;
        (lookup.map(|lookup| lookup.fresh), began.elapsed().as_secs())
    };
    assert_eq!(tokio::join!(get(5), get(60), get(9)), ((None, 8), (Some(true), 11), (Some(true), 11)));
    assert_eq!(get(5).await, (Some(false), 11));
    assert_eq!(fetches.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_fetch_without_callers_is_dropped_and_started_again() {
    let (cache, fetches) = (RobotsCache::default(), FetchCount::default());
    let url = Url::parse("https://a.example/").unwrap();
    let began = Instant::now();
    for round in 1..=3 {
        let counter = Arc::clone(&fetches);
        let load = move |_: Url, reporter: RequestStartReporter| async move {
            counter.fetch_add(1, Ordering::Relaxed);
            reporter.report_now();
            std::future::pending().await
        };
        let lookup = cache.get(AGENT, &url, None, Duration::from_secs(5), move || began.elapsed(), load);
        assert!(lookup.await.is_none());
        assert_eq!((began.elapsed().as_secs(), fetches.load(Ordering::Relaxed)), (5 * round, round as u32));
    }
}

#[tokio::test]
async fn results_are_cached_per_route() {
    let (cache, fetches) = (RobotsCache::default(), FetchCount::default());
    let (url, route) =
        ("https://a.example/", || Some(RouteKey { proxy: ProxyMode::Stealth, country: "US".to_owned() }));
    get(&cache, url, 0, failure(), &fetches).await;
    let own = get_over(&cache, url, route(), 0, allow(), &fetches).await;
    assert!(own.fresh && own.robots.failure.is_none());
    assert!(get(&cache, url, 1, allow(), &fetches).await.robots.failure.is_some());
    assert!(!get_over(&cache, url, route(), 1_000, failure(), &fetches).await.fresh);
    let url = Url::parse(url).unwrap();
    let at = Duration::from_secs(1_000);
    assert!(cache.current(AGENT, &url, &route().unwrap(), at).is_some());
    let other = RouteKey { proxy: ProxyMode::Stealth, country: "DE".to_owned() };
    assert!(cache.current(AGENT, &url, &other, at).is_none());
    assert!(cache.peek(AGENT, &url, None).is_none(), "a failure has no rules to look up");
    assert!(cache.peek(AGENT, &url, route().as_ref()).is_some());
    assert!(cache.peek("other", &url, route().as_ref()).is_none());
}

#[tokio::test]
async fn the_memory_of_the_cache_is_bounded() {
    let cache = RobotsCache::default();
    let body: String = (0..20_000).map(|n| format!("Disallow: /{n}\n")).collect();
    let policy = RobotsPolicy::parse(format!("User-agent: *\n{body}").as_bytes(), AGENT);
    let weight = policy.weight();
    assert!(weight > 20_000 * 8, "{weight}");
    let (robots, fetches) = (|| Robots::with_policy(policy.clone()), FetchCount::default());
    let sites = 2 * MAX_ROBOTS_MEMORY / weight;
    for n in 0..sites {
        get(&cache, &format!("https://{n}.example/"), 0, robots(), &fetches).await;
    }
    assert!(cache.lock().memory <= MAX_ROBOTS_MEMORY);
    let first = get(&cache, "https://0.example/", 0, robots(), &fetches).await;
    let last = get(&cache, &format!("https://{}.example/", sites - 1), 0, robots(), &fetches).await;
    assert!(first.fresh && !last.fresh, "the oldest was evicted");
}
