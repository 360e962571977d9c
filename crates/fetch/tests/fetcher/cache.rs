//! Tests of the cache: age, policy, revalidation, personal pages.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, SystemTime};

use gleaner_fetch::{
    CachePolicy, CacheStore, CacheUse, CookieJar, DiskCache, EgressPolicy, Error, ErrorKind, Fetcher,
    FollowAll, MemoryCache, RedirectCheck, RedirectRefused, Request, Response,
};
use gleaner_types::BoxFuture;
use url::Url;

use super::support::{Site, answer, builder, page, redirect};

pub(crate) const HOUR: Duration = Duration::from_secs(3600);

/// Declares a wall clock for one test: a function for the fetcher, and a counter of seconds that moves it.
macro_rules! clock {
    ($seconds:ident, $now:ident) => {
        static $seconds: AtomicU64 = AtomicU64::new(1_700_000_000);
        fn $now() -> SystemTime {
            SystemTime::UNIX_EPOCH + Duration::from_secs($seconds.load(SeqCst))
        }
    };
}

pub(crate) fn caching() -> Fetcher {
    builder().cache(Arc::new(MemoryCache::default())).build().unwrap()
}

pub(crate) fn within(url: Url, max_age: Duration) -> Request {
    let mut request = Request::get(url);
    request.cache = Some(CachePolicy::max_age(max_age));
    request
}

pub(crate) async fn fetch(fetcher: &Fetcher, request: Request) -> Result<Response, Error> {
    fetcher.fetch(request, &FollowAll).await
}

pub(crate) fn used(response: &Response) -> CacheUse {
    response.cache.unwrap().used
}

/// A site with a new number in each answer.
async fn counting() -> Site {
    let calls = AtomicUsize::new(0);
    Site::serve(move |_| page(&format!("answer {}", calls.fetch_add(1, SeqCst)))).await
}

#[tokio::test]
async fn a_copy_is_served_until_it_is_too_old() {
    clock!(SECONDS, now);
    let site = counting().await;
    let fetcher = builder().cache(Arc::new(MemoryCache::default())).wall_clock(now).build().unwrap();
    let begun = now();
    let first = fetch(&fetcher, within(site.url("a.test", "/#one"), HOUR)).await.unwrap();
    assert_eq!((used(&first), first.cache.unwrap().stored_at), (CacheUse::Miss, Some(begun)));
    SECONDS.fetch_add(3599, SeqCst);
    let second = fetch(&fetcher, within(site.url("a.test", "/#two"), HOUR)).await.unwrap();
    assert_eq!((used(&second), second.cache.unwrap().stored_at), (CacheUse::Hit, Some(begun)));
    assert_eq!(
        (&second.body, second.status, second.header("content-type")),
        (&first.body, 200, Some("text/html"))
    );
    assert_eq!((second.url.fragment(), site.seen().len()), (Some("two"), 1));
    SECONDS.fetch_add(1, SeqCst);
    let third = fetch(&fetcher, within(site.url("a.test", "/"), HOUR)).await.unwrap();
    assert_eq!((used(&third), &third.body[..]), (CacheUse::Miss, &b"answer 1"[..]));
    SECONDS.fetch_sub(100, SeqCst);
    let fourth = fetch(&fetcher, within(site.url("a.test", "/"), HOUR)).await.unwrap();
    assert_eq!(used(&fourth), CacheUse::Miss, "the age of a copy from the future is unknown");
}

#[tokio::test]
async fn each_option_of_the_policy_is_respected() {
    clock!(SECONDS, now);
    let site = counting().await;
    let fetcher = builder().cache(Arc::new(MemoryCache::default())).wall_clock(now).build().unwrap();
    let url = site.url("a.test", "/");
    let with = |change: &dyn Fn(&mut CachePolicy)| {
        let mut policy = CachePolicy::max_age(HOUR);
        change(&mut policy);
        let mut request = Request::get(url.clone());
        request.cache = Some(policy);
        fetch(&fetcher, request)
    };
    let kind = |outcome: Result<Response, Error>| outcome.unwrap_err().kind();
    assert_eq!(kind(with(&|policy| policy.only = true).await), ErrorKind::NotCached);
    assert_eq!(site.connections(), 0, "a cache-only request causes no traffic");
    assert_eq!(used(&with(&|policy| policy.store = false).await.unwrap()), CacheUse::Miss);
    assert_eq!(kind(with(&|policy| policy.only = true).await), ErrorKind::NotCached, "it was not cached");
    assert_eq!(used(&with(&|policy| policy.max_age = Duration::ZERO).await.unwrap()), CacheUse::Miss);
    assert_eq!(used(&with(&|policy| policy.only = true).await.unwrap()), CacheUse::Hit, "cached for others");
    assert_eq!(
        used(&with(&|policy| policy.store = false).await.unwrap()),
        CacheUse::Hit,
        "reading stays allowed"
    );
    let old = |policy: &mut CachePolicy| policy.min_age = Some(Duration::from_secs(60));
    let error = with(&old).await.unwrap_err();
    assert_eq!((error.kind(), error.code().as_str()), (ErrorKind::NotCached, "SCRAPE_NO_CACHED_DATA"));
    SECONDS.fetch_add(60, SeqCst);
    assert_eq!(used(&with(&old).await.unwrap()), CacheUse::Hit);
    assert_eq!(fetch(&fetcher, Request::get(url.clone())).await.unwrap().cache, None);
    assert_eq!(site.seen().len(), 3);
    let without = builder().build().unwrap();
    let mut closed = within(url.clone(), HOUR);
    closed.cache.as_mut().unwrap().only = true;
    assert_eq!(kind(fetch(&without, closed).await), ErrorKind::NotCached);
    assert_eq!(fetch(&without, within(url.clone(), HOUR)).await.unwrap().status, 200);
}

#[tokio::test]
async fn only_whole_public_pages_are_cached() {
    let rows: &[(&str, Vec<u8>, bool)] = &[
        ("200", page("x"), true),
        ("203", answer(203, &[], b"x"), true),
        ("204", b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(), false),
        ("206", answer(206, &[("content-range", "bytes 0-0/9")], b"x"), false),
        ("404", answer(404, &[], b"x"), false),
        ("500", answer(500, &[], b"x"), false),
        ("redirect without end", redirect(302, "/"), false),
        ("no-store", answer(200, &[("cache-control", "no-store")], b"x"), false),
        ("private", answer(200, &[("cache-control", "Private, max-age=9")], b"x"), false),
        ("vary by anything", answer(200, &[("vary", "*")], b"x"), false),
        ("a bot challenge", page("<title>Just a moment...</title><p>Checking your browser"), false),
        ("vary by a header", answer(200, &[("vary", "accept-language, cookie")], b"x"), true),
        ("must be confirmed each time", answer(200, &[("cache-control", "no-cache")], b"x"), true),
        ("cut short", b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\nx".to_vec(), false),
        ("broken coding", answer(200, &[("content-encoding", "gzip")], b"\x1f\x8b"), false),
        ("a picture", answer(200, &[("content-type", "image/png")], b"x"), false),
    ];
    for (name, bytes, kept) in rows {
        let bytes = bytes.clone();
        let site = Site::serve(move |_| bytes.clone()).await;
        let fetcher = caching();
        let first = fetch(&fetcher, within(site.url("a.test", "/"), HOUR)).await;
        let sent = site.seen().len();
        let second = fetch(&fetcher, within(site.url("a.test", "/"), HOUR)).await;
        assert_eq!(site.seen().len() == sent, *kept, "{name}");
        assert_eq!(first.map(|first| first.body).ok(), second.map(|second| second.body).ok(), "{name}");
    }
}

#[tokio::test]
async fn a_redirect_that_is_not_followed_is_not_cached() {
    let site = Site::serve(|seen| if seen.path() == "/" { redirect(301, "/end") } else { page("end") }).await;
    let fetcher = caching();
    let mut request = within(site.url("a.test", "/"), HOUR);
    request.max_redirects = Some(0);
    for _ in 0..2 {
        assert_eq!(fetch(&fetcher, request.clone()).await.unwrap().status, 301);
    }
    assert_eq!(site.seen().len(), 2);
    let first = fetch(&fetcher, within(site.url("a.test", "/#x"), HOUR)).await.unwrap();
    let second = fetch(&fetcher, within(site.url("a.test", "/#x"), HOUR)).await.unwrap();
    assert_eq!((used(&first), used(&second)), (CacheUse::Miss, CacheUse::Hit));
    assert_eq!((first.url, first.requested, first.hops), (second.url, second.requested, second.hops));
}

/// Refuses redirects to this path.
struct Refuses(&'static str);

impl RedirectCheck for Refuses {
    fn check<'a>(&'a self, _: &'a Url, to: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefused>> {
        Box::pin(
            async move { if to.path() == self.0 { Err(RedirectRefused::new("not there")) } else { Ok(()) } },
        )
    }
}

#[tokio::test]
async fn a_copy_obeys_the_rules_of_a_fetch() {
    let site =
        Site::serve(|seen| if seen.path() == "/" { redirect(301, "/end") } else { page("some text") }).await;
    let store: Arc<dyn CacheStore> = Arc::new(MemoryCache::default());
    let open = builder().cache(Arc::clone(&store)).build().unwrap();
    let request = || within(site.url("a.test", "/"), HOUR);
    assert_eq!(used(&fetch(&open, request()).await.unwrap()), CacheUse::Miss);
    assert_eq!(used(&fetch(&open, request()).await.unwrap()), CacheUse::Hit);
    let error = open.fetch(request(), &Refuses("/end")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RedirectRefused, "another job has its own check");
    let mut small = request();
    small.max_body = Some(4);
    assert_eq!(fetch(&open, small).await.unwrap_err().kind(), ErrorKind::TooLarge);
    // The same store under a stricter policy.
    let literal = within(site.url("127.0.0.1", "/end"), HOUR);
    let loopback = EgressPolicy::public_only().allow_cidr("127.0.0.0/8".parse().unwrap());
    let loose = Fetcher::builder().egress(loopback).cache(Arc::clone(&store)).build().unwrap();
    assert_eq!(used(&fetch(&loose, literal.clone()).await.unwrap()), CacheUse::Miss);
    assert_eq!(used(&fetch(&loose, literal.clone()).await.unwrap()), CacheUse::Hit);
    let strict = Fetcher::builder().cache(store).build().unwrap();
    assert_eq!(fetch(&strict, literal).await.unwrap_err().kind(), ErrorKind::Blocked);
}

#[tokio::test]
async fn an_old_copy_is_revalidated() {
    clock!(SECONDS, now);
    let site = Site::serve(|seen| {
        match (seen.path(), seen.header("if-none-match"), seen.header("if-modified-since")) {
            ("/", None, None) => redirect(302, "/end"),
            ("/end", Some("\"one\""), Some("Sun, 06 Nov 1994 08:49:37 GMT")) => {
                b"HTTP/1.1 304 Not Modified\r\netag: \"one\"\r\nx-new: yes\r\n\r\n".to_vec()
            }
            ("/end", None, None) => {
                let headers = [
                    ("etag", "\"one\""),
                    ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
                    ("content-type", "text/html"),
                    ("set-cookie", "a=b"),
                ];
                answer(200, &headers, b"text")
            }
            other => answer(500, &[], format!("{other:?}").as_bytes()),
        }
    })
    .await;
    let fetcher = builder().cache(Arc::new(MemoryCache::default())).wall_clock(now).build().unwrap();
    let request = || within(site.url("a.test", "/"), HOUR);
    assert_eq!(used(&fetch(&fetcher, request()).await.unwrap()), CacheUse::Miss);
    for _ in 0..2 {
        SECONDS.fetch_add(7200, SeqCst);
        let response = fetch(&fetcher, request()).await.unwrap();
        assert_eq!(
            (used(&response), response.status, &response.body[..]),
            (CacheUse::Revalidated, 200, &b"text"[..])
        );
        assert_eq!(response.cache.unwrap().stored_at, Some(now()));
        assert_eq!(
            (response.header("x-new"), response.header("content-type")),
            (Some("yes"), Some("text/html"))
        );
        assert_eq!((response.url.path(), response.hops.len()), ("/end", 1));
        let again = fetch(&fetcher, request()).await.unwrap();
        assert_eq!((used(&again), again.header("x-new")), (CacheUse::Hit, Some("yes")), "it counts as new");
        assert_eq!(again.header("set-cookie"), None, "cookies are only for the request that fetched");
    }
    assert_eq!(site.seen().len(), 6);
}

#[tokio::test]
async fn a_copy_behind_a_redirect_with_a_fragment_is_revalidated() {
    clock!(SECONDS, now);
    let site = Site::serve(|seen| match (seen.path(), seen.header("if-none-match")) {
        ("/", _) => redirect(302, "/end#part"),
        (_, Some(_)) => b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec(),
        _ => answer(200, &[("etag", "\"one\""), ("content-type", "text/html")], b"text"),
    })
    .await;
    let fetcher = builder().cache(Arc::new(MemoryCache::default())).wall_clock(now).build().unwrap();
    for expected in [CacheUse::Miss, CacheUse::Revalidated] {
        let response = fetch(&fetcher, within(site.url("a.test", "/"), HOUR)).await.unwrap();
        assert_eq!((used(&response), response.status, &response.body[..]), (expected, 200, &b"text"[..]));
        assert_eq!(response.url.fragment(), Some("part"));
        SECONDS.fetch_add(7200, SeqCst);
    }
}

#[tokio::test]
async fn an_unexpected_304_is_not_a_page() {
    clock!(SECONDS, now);
    let calls = AtomicUsize::new(0);
    // The second time the redirect leads to a URL that gets no condition and answers 304 anyway.
    let site = Site::serve(move |seen| match (seen.path(), calls.fetch_add(1, SeqCst)) {
        ("/", 0) => redirect(302, "/one"),
        ("/", _) => redirect(302, "/two"),
        ("/two", 3) => b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec(),
        (path, _) => answer(200, &[("etag", "\"one\""), ("content-type", "text/html")], path.as_bytes()),
    })
    .await;
    let fetcher = builder().cache(Arc::new(MemoryCache::default())).wall_clock(now).build().unwrap();
    let get = || fetch(&fetcher, within(site.url("a.test", "/"), HOUR));
    assert_eq!(&get().await.unwrap().body[..], b"/one");
    SECONDS.fetch_add(7200, SeqCst);
    let response = get().await.unwrap();
    assert_eq!((used(&response), response.status, &response.body[..]), (CacheUse::Miss, 200, &b"/two"[..]));
    let never = Site::serve(|_| b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec()).await;
    let error = fetch(&fetcher, within(never.url("a.test", "/"), HOUR)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
}

#[tokio::test]
async fn cookies_of_a_later_hop_make_a_page_personal() {
    let site = Site::serve(|seen| match (seen.path(), seen.header("cookie")) {
        ("/", _) => redirect(302, "/in/page"),
        ("/in/login", _) => answer(200, &[("set-cookie", "id=7; path=/in")], b""),
        (_, cookie) => page(cookie.unwrap_or("nobody")),
    })
    .await;
    let fetcher = caching();
    let jar = CookieJar::new();
    for (path, with, expected) in
        [("/", false, "nobody"), ("/in/login", true, ""), ("/", true, "id=7"), ("/", false, "nobody")]
    {
        let mut request = within(site.url("a.test", path), HOUR);
        request.cookies = with.then(|| jar.clone());
        let response = fetch(&fetcher, request).await.unwrap();
        assert_eq!(&response.body[..], expected.as_bytes(), "{path} {with}");
    }
    assert_eq!(site.seen().len(), 5, "the public copy stays");
}

#[tokio::test]
async fn a_copy_is_served_only_under_its_own_policy() {
    let site = counting().await;
    let store: Arc<dyn CacheStore> = Arc::new(MemoryCache::default());
    let open = builder().cache(Arc::clone(&store)).build().unwrap();
    let request = || within(site.url("a.test", "/"), HOUR);
    for expected in [CacheUse::Miss, CacheUse::Hit] {
        assert_eq!(used(&fetch(&open, request()).await.unwrap()), expected);
    }
    let strict = builder().egress(EgressPolicy::public_only()).cache(store).build().unwrap();
    assert_eq!(fetch(&strict, request()).await.unwrap_err().kind(), ErrorKind::Blocked);
}

#[tokio::test]
async fn a_page_that_is_gone_is_not_served() {
    clock!(SECONDS, now);
    let calls = AtomicUsize::new(0);
    let site = Site::serve(move |_| match calls.fetch_add(1, SeqCst) {
        0 => page("text"),
        1 => answer(503, &[], b""),
        _ => answer(410, &[], b""),
    })
    .await;
    let fetcher = builder().cache(Arc::new(MemoryCache::default())).wall_clock(now).build().unwrap();
    let get = |age| fetch(&fetcher, within(site.url("a.test", "/"), age));
    get(HOUR).await.unwrap();
    SECONDS.fetch_add(7200, SeqCst);
    assert_eq!(get(HOUR).await.unwrap().status, 503);
    assert_eq!(get(24 * HOUR).await.unwrap().status, 200, "a 503 does not remove the copy");
    assert_eq!(get(HOUR).await.unwrap().status, 410);
    assert_eq!(get(24 * HOUR).await.unwrap().status, 410);
}

#[tokio::test]
async fn cookies_make_a_page_personal() {
    let site = Site::serve(|seen| match (seen.path(), seen.header("cookie")) {
        ("/login", _) => answer(302, &[("set-cookie", "id=7; path=/"), ("location", "/home")], b""),
        (_, cookie) => answer(200, &[("set-cookie", "seen=1")], cookie.unwrap_or("nobody").as_bytes()),
    })
    .await;
    let fetcher = caching();
    let get = |path: &str, jar: Option<CookieJar>| {
        let mut request = within(site.url("a.test", path), HOUR);
        request.cookies = jar;
        fetch(&fetcher, request)
    };
    assert_eq!(&get("/home", None).await.unwrap().body[..], b"nobody");
    let jar = CookieJar::new();
    assert_eq!(&get("/login", Some(jar.clone())).await.unwrap().body[..], b"id=7");
    assert_eq!(
        &get("/login", None).await.unwrap().body[..],
        b"id=7",
        "the cookie of its own redirect, and a new fetch"
    );
    let mine = get("/home", Some(jar)).await.unwrap();
    assert_eq!((&mine.body[..4], mine.cache), (&b"id=7"[..], None), "not the public copy");
    let hit = get("/home", None).await.unwrap();
    assert_eq!((used(&hit), &hit.body[..]), (CacheUse::Hit, &b"nobody"[..]));
}

#[tokio::test]
async fn a_disk_cache_survives_a_restart() {
    let site = counting().await;
    let folder = tempfile::tempdir().unwrap();
    for expected in [CacheUse::Miss, CacheUse::Hit] {
        let store = DiskCache::open(folder.path(), 1 << 20).unwrap();
        let fetcher = builder().cache(Arc::new(store)).build().unwrap();
        let response = fetch(&fetcher, within(site.url("a.test", "/"), HOUR)).await.unwrap();
        assert_eq!((used(&response), &response.body[..]), (expected, &b"answer 0"[..]));
    }
    assert_eq!(site.seen().len(), 1);
}

/// Every operation fails.
#[derive(Debug)]
struct Broken;

impl CacheStore for Broken {
    fn get<'a>(
        &'a self,
        _: &'a gleaner_fetch::CacheKey,
    ) -> BoxFuture<'a, std::io::Result<Option<Arc<gleaner_fetch::CacheEntry>>>> {
        Box::pin(async move { Err(std::io::ErrorKind::Other.into()) })
    }
    fn put(&self, _: Arc<gleaner_fetch::CacheEntry>) -> BoxFuture<'_, std::io::Result<()>> {
        Box::pin(async move { Err(std::io::ErrorKind::StorageFull.into()) })
    }
    fn remove<'a>(&'a self, _: &'a gleaner_fetch::CacheKey) -> BoxFuture<'a, std::io::Result<()>> {
        Box::pin(async move { Err(std::io::ErrorKind::Other.into()) })
    }
}

/// Operations that write never end.
#[derive(Debug)]
struct Hangs;

impl CacheStore for Hangs {
    fn get<'a>(
        &'a self,
        _: &'a gleaner_fetch::CacheKey,
    ) -> BoxFuture<'a, std::io::Result<Option<Arc<gleaner_fetch::CacheEntry>>>> {
        Box::pin(async move { Ok(None) })
    }
    fn put(&self, _: Arc<gleaner_fetch::CacheEntry>) -> BoxFuture<'_, std::io::Result<()>> {
        Box::pin(std::future::pending())
    }
    fn remove<'a>(&'a self, _: &'a gleaner_fetch::CacheKey) -> BoxFuture<'a, std::io::Result<()>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_does_not_delay_an_answer_past_its_deadline() {
    let site = counting().await;
    let fetcher = builder().cache(Arc::new(Hangs)).build().unwrap();
    let mut request = within(site.url("a.test", "/"), HOUR);
    request.timeout = Some(Duration::from_millis(500));
    assert_eq!(&fetch(&fetcher, request).await.unwrap().body[..], b"answer 0");
}

#[tokio::test]
async fn a_broken_store_fails_no_request() {
    let site = counting().await;
    let fetcher = builder().cache(Arc::new(Broken)).build().unwrap();
    for expected in ["answer 0", "answer 1"] {
        let response = fetch(&fetcher, within(site.url("a.test", "/"), HOUR)).await.unwrap();
        assert_eq!(&response.body[..], expected.as_bytes());
    }
}
