use std::sync::atomic::{AtomicU32, Ordering};

use gleaner_types::plan::ProxyMode;

use super::*;

const AGENT: &str = "gleaner";

type Loads = Arc<AtomicU32>;

async fn get_by(
    cache: &RobotsCache,
    url: &str,
    route: Option<RouteKey>,
    at: u64,
    robots: Robots,
    loads: &Loads,
) -> Known {
    let (url, loads) = (Url::parse(url).unwrap(), Arc::clone(loads));
    let load = move |address: Url, _: StartSignal| {
        assert_eq!(address.path(), "/robots.txt");
        loads.fetch_add(1, Ordering::Relaxed);
        async move {
            tokio::task::yield_now().await;
            robots
        }
    };
    let now = move || Duration::from_secs(at);
    cache.get(AGENT, &url, route, ROBOTS_TIMEOUT, now, load).await.unwrap()
}

async fn get(cache: &RobotsCache, url: &str, at: u64, robots: Robots, loads: &Loads) -> Known {
    get_by(cache, url, None, at, robots, loads).await
}

fn allow() -> Robots {
    Robots::of(RobotsPolicy::parse(b"", AGENT))
}

fn failure() -> Robots {
    let error = PageError { code: ErrorCode::ScrapeSiteError, message: String::new() };
    Robots::unreachable(RobotsFailure { error, passes: true, answered: false })
}

#[tokio::test]
async fn it_is_fetched_once_for_all_who_wait_and_kept_for_a_day() {
    let (cache, loads) = (RobotsCache::default(), Loads::default());
    let (one, two) = tokio::join!(
        get(&cache, "https://a.example/x", 0, allow(), &loads),
        get(&cache, "https://a.example/y?z", 0, allow(), &loads)
    );
    assert!(one.fresh && two.fresh, "both waited for it");
    assert!(!get(&cache, "https://a.example/", 86_399, allow(), &loads).await.fresh);
    assert_eq!(loads.load(Ordering::Relaxed), 1);
    assert!(get(&cache, "https://a.example/", 86_400, allow(), &loads).await.fresh);
    assert!(get(&cache, "https://a.example:8443/", 86_400, allow(), &loads).await.fresh, "the port counts");
    assert_eq!(loads.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn a_failure_is_tried_again_soon() {
    let (cache, loads) = (RobotsCache::default(), Loads::default());
    get(&cache, "https://a.example/", 0, failure(), &loads).await;
    assert!(!get(&cache, "https://a.example/", 4, failure(), &loads).await.fresh);
    assert!(get(&cache, "https://a.example/", 5, allow(), &loads).await.fresh);
    assert!(!get(&cache, "https://a.example/", 1_000, allow(), &loads).await.fresh);
    assert_eq!(loads.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn the_life_of_a_failure_begins_with_its_end() {
    let (cache, url) = (RobotsCache::default(), Url::parse("https://a.example/").unwrap());
    let began = Instant::now();
    let hang = |_: Url, _: StartSignal| async {
        tokio::time::sleep(ROBOTS_TIMEOUT).await;
        failure()
    };
    let now = move || began.elapsed();
    for (wait, fresh) in [(0, true), (0, false), (4, false), (1, true), (4, false)] {
        tokio::time::advance(Duration::from_secs(wait)).await;
        let known = cache.get(AGENT, &url, None, ROBOTS_TIMEOUT, now, hang).await.unwrap();
        assert_eq!(known.fresh, fresh, "at {:?}", began.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn who_has_less_time_stops_waiting_and_the_others_lose_nothing() {
    let (cache, loads) = (RobotsCache::default(), Loads::default());
    let url = Url::parse("https://a.example/").unwrap();
    let began = Instant::now();
    let get = async |patience: u64| {
        let loads = Arc::clone(&loads);
        let load = move |_: Url, begun: StartSignal| async move {
            loads.fetch_add(1, Ordering::Relaxed);
            // The turn of its host, then bytes that drip.
            tokio::time::sleep(Duration::from_secs(3)).await;
            begun.now();
            tokio::time::sleep(Duration::from_secs(8)).await;
            allow()
        };
        let patience = Duration::from_secs(patience);
        let known = cache.get(AGENT, &url, None, patience, move || began.elapsed(), load).await;
        (known.map(|known| known.fresh), began.elapsed().as_secs())
    };
    assert_eq!(tokio::join!(get(5), get(60), get(9)), ((None, 8), (Some(true), 11), (Some(true), 11)));
    assert_eq!(get(5).await, (Some(false), 11));
    assert_eq!(loads.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn what_nobody_waits_for_is_given_up_and_asked_for_anew() {
    let (cache, loads) = (RobotsCache::default(), Loads::default());
    let url = Url::parse("https://a.example/").unwrap();
    let began = Instant::now();
    for round in 1..=3 {
        let loaded = Arc::clone(&loads);
        let load = move |_: Url, begun: StartSignal| async move {
            loaded.fetch_add(1, Ordering::Relaxed);
            begun.now();
            std::future::pending().await
        };
        let known = cache.get(AGENT, &url, None, Duration::from_secs(5), move || began.elapsed(), load);
        assert!(known.await.is_none());
        assert_eq!((began.elapsed().as_secs(), loads.load(Ordering::Relaxed)), (5 * round, round as u32));
    }
}

#[tokio::test]
async fn what_came_by_a_way_of_its_own_is_kept_apart() {
    let (cache, loads) = (RobotsCache::default(), Loads::default());
    let (url, route) =
        ("https://a.example/", || Some(RouteKey { proxy: ProxyMode::Stealth, country: "US".to_owned() }));
    get(&cache, url, 0, failure(), &loads).await;
    let own = get_by(&cache, url, route(), 0, allow(), &loads).await;
    assert!(own.fresh && own.robots.trouble.is_none());
    assert!(get(&cache, url, 1, allow(), &loads).await.robots.trouble.is_some());
    assert!(!get_by(&cache, url, route(), 1_000, failure(), &loads).await.fresh);
    let url = Url::parse(url).unwrap();
    let at = Duration::from_secs(1_000);
    assert!(cache.current(AGENT, &url, &route().unwrap(), at).is_some());
    let other = RouteKey { proxy: ProxyMode::Stealth, country: "DE".to_owned() };
    assert!(cache.current(AGENT, &url, &other, at).is_none());
    assert!(cache.peek(AGENT, &url, None).is_none(), "what could not be read forbids nothing for good");
    assert!(cache.peek(AGENT, &url, route().as_ref()).is_some());
    assert!(cache.peek("other", &url, route().as_ref()).is_none());
}

#[tokio::test]
async fn what_is_kept_takes_no_more_than_its_bound() {
    let cache = RobotsCache::default();
    let body: String = (0..20_000).map(|n| format!("Disallow: /{n}\n")).collect();
    let policy = RobotsPolicy::parse(format!("User-agent: *\n{body}").as_bytes(), AGENT);
    let weight = policy.weight();
    assert!(weight > 20_000 * 8, "{weight}");
    let (robots, loads) = (|| Robots::of(policy.clone()), Loads::default());
    let sites = 2 * MAX_ROBOTS_MEMORY / weight;
    for n in 0..sites {
        get(&cache, &format!("https://{n}.example/"), 0, robots(), &loads).await;
    }
    assert!(cache.lock().memory <= MAX_ROBOTS_MEMORY);
    let first = get(&cache, "https://0.example/", 0, robots(), &loads).await;
    let last = get(&cache, &format!("https://{}.example/", sites - 1), 0, robots(), &loads).await;
    assert!(first.fresh && !last.fresh, "the oldest went");
}
