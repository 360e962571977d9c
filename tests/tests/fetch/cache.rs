//! The cache serves no copy to a request of another variant, and no damaged copy.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gleaner_fetch::{
    Accept, CachePolicy, CacheUse, CookieJar, DiskCache, Fetcher, FollowAll, MemoryCache, Request, Response,
};
use gleaner_testkit::{RawServer, Step};
use gleaner_types::plan::ProxyMode;

use super::support::{fetcher_builder, page, pool};

fn caching(url: &str) -> Request {
    let mut request = Request::get(url.parse().unwrap());
    request.cache = Some(CachePolicy::max_age(Duration::from_secs(86_400)));
    request
}

async fn fetch(fetcher: &Fetcher, request: &Request) -> Response {
    let outcome = fetcher.fetch(request.clone(), &FollowAll).await;
    outcome.unwrap_or_else(|error| panic!("{error} for {request:?}"))
}

fn is_hit(response: &Response) -> bool {
    response.cache.is_some_and(|facts| facts.used == CacheUse::Hit)
}

/// A jar with the session of a job. Cookies do not distinguish ports.
async fn session() -> CookieJar {
    let login = Step::respond("200 OK", &[("Set-Cookie", "session=1; path=/")], "welcome");
    let server = RawServer::start([Step::ReadRequest, login]).unwrap();
    let jar = CookieJar::new();
    let mut request = Request::get(server.base_url().parse().unwrap());
    request.cookies = Some(jar.clone());
    fetcher_builder().build().unwrap().fetch(request, &FollowAll).await.unwrap();
    assert_eq!(jar.len(), 1);
    jar
}

/// Requests for the same page with every option that may change the response.
fn variants(url: &str, session: &CookieJar) -> Vec<(&'static str, Request)> {
    let plain = || caching(url);
    let with = |change: &dyn Fn(&mut Request)| {
        let mut request = plain();
        change(&mut request);
        request
    };
    let header = |name: &str, value: &str| plain().header(name, value).unwrap();
    vec![
        ("plain", plain()),
        ("the key of one user", header("authorization", "Bearer one")),
        ("the key of another user", header("authorization", "Bearer two")),
        ("a cookie", header("cookie", "session=1")),
        ("another cookie", header("cookie", "session=2")),
        ("a job with a session", with(&|request| request.cookies = Some(session.clone()))),
        ("a user agent", header("user-agent", "mine")),
        ("another language", header("accept-language", "de")),
        ("languages", with(&|request| request.languages = vec!["fr".into()])),
        ("a custom header", header("x-tenant", "1")),
        ("the custom header with another value", header("x-tenant", "2")),
        ("mobile", with(&|request| request.mobile = true)),
        ("auto", with(&|request| request.proxy = ProxyMode::Auto)),
        ("stealth", with(&|request| request.proxy = ProxyMode::Stealth)),
        ("a country", with(&|request| request.country = Some("DE".into()))),
        ("any media type", with(&|request| request.accept = Accept::Any)),
        ("any certificate", with(&|request| request.skip_tls_verification = true)),
        ("no redirects", with(&|request| request.max_redirects = Some(0))),
        ("a range", header("range", "bytes=0-9")),
        ("by POST", with(&|request| request.method = gleaner_fetch::Method::POST)),
    ]
}

#[tokio::test]
async fn a_cached_copy_is_served_only_to_the_same_variant() {
    let server = RawServer::start([Step::ReadRequest, page("a page"), Step::Repeat]).unwrap();
    let url = format!("{}/page", server.base_url());
    let tunnel = [
        Step::ReadRequest,
        Step::send("HTTP/1.1 200 Connected\r\n\r\n"),
        Step::ReadRequest,
        Step::respond("200 OK", &[("Content-Type", "text/html"), ("Connection", "close")], "a page"),
        Step::Close,
    ];
    let proxy = RawServer::start(tunnel).unwrap();
    let proxy_url = proxy.base_url();
    let (mut pairs, mut crossings, mut own) = (0, 0, 0);
    let session = session().await;
    let names = variants(&url, &session);
    for (first, one) in &names {
        let store = Arc::new(MemoryCache::default());
        let fetcher =
            fetcher_builder().cache(store).stealth_proxies(pool(&[proxy_url.as_str()])).build().unwrap();
        let stored = fetch(&fetcher, one).await.cache.is_some_and(|facts| facts.stored_at.is_some());
        for (second, other) in variants(&url, &session) {
            let hit = is_hit(&fetch(&fetcher, &other).await);
            if *first == second {
                assert_eq!(hit, stored, "{first}: a stored copy is served to the same request");
                own += usize::from(hit);
            }
            // Each other variant is requested once, so none is stored yet.
            crossings += usize::from(hit && *first != second);
            pairs += usize::from(*first != second);
        }
    }
    println!("cache: cross-variant hits {crossings}/{pairs}, hits of the same variant {own}/{}", names.len());
    assert_eq!(crossings, 0);
    assert!(own >= 10, "too few hits to be meaningful: {own}");
}

#[tokio::test]
async fn partial_failed_and_forbidden_responses_are_not_cached() {
    const CLOSE: (&str, &str) = ("Connection", "close");
    let rows: &[(&str, Vec<Step>)] = &[
        (
            "206",
            vec![Step::respond("206 Partial Content", &[("Content-Range", "bytes 0-3/99"), CLOSE], "part")],
        ),
        ("cut short", vec![Step::send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf"), Step::Close]),
        (
            "cut chunks",
            vec![
                Step::send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"),
                Step::Close,
            ],
        ),
        ("404", vec![Step::respond("404 Not Found", &[CLOSE], "none")]),
        ("500", vec![Step::respond("500 Internal Server Error", &[CLOSE], "oops")]),
        ("redirect", vec![Step::respond("301 Moved Permanently", &[("Location", "/page"), CLOSE], "")]),
        ("no-store", vec![Step::respond("200 OK", &[("Cache-Control", "no-store"), CLOSE], "secret")]),
        ("Vary: *", vec![Step::respond("200 OK", &[("Vary", "*"), CLOSE], "yours")]),
    ];
    let mut stored = 0;
    for (name, answer) in rows {
        // The first connection sends the bad response; later ones serve the page.
        let first = [vec![Step::ReadRequest], answer.clone(), vec![Step::Close]].concat();
        let later = vec![Step::ReadRequest, page("the page"), Step::Repeat];
        let server = RawServer::start_per_connection([first, later]).unwrap();
        let fetcher = fetcher_builder().cache(Arc::new(MemoryCache::default())).build().unwrap();
        let request = caching(&format!("{}/page", server.base_url()));
        let mut without_redirects = request.clone();
        without_redirects.max_redirects = Some(0);
        let _ = fetcher.fetch(without_redirects.clone(), &FollowAll).await;
        let second = fetch(&fetcher, &without_redirects).await;
        stored += usize::from(is_hit(&second) || &second.body[..] != b"the page");
        assert!(is_hit(&fetch(&fetcher, &without_redirects).await), "{name}: the page is stored");
    }
    println!("cache: partial, failed and forbidden responses served again {stored}/{}", rows.len());
    assert_eq!(stored, 0);
}

/// The file of the only cache entry in `folder`.
fn entry_in(folder: &Path) -> PathBuf {
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for file in std::fs::read_dir(next).unwrap() {
            let path = file.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().unwrap().len() == 64 {
                return path;
            }
        }
    }
    unreachable!("the cache has an entry")
}

#[tokio::test]
async fn damaged_and_swapped_cache_entries_are_not_served() {
    const TEXT: &str = "<title>the page</title> as it was served";
    let server = RawServer::start([Step::ReadRequest, page(TEXT), Step::Repeat]).unwrap();
    let request = caching(&format!("{}/page", server.base_url()));
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let store = DiskCache::open(folder.path(), 1 << 20).unwrap();
        fetcher_builder().cache(Arc::new(store)).build().unwrap()
    };
    fetch(&open(), &request).await;
    assert!(is_hit(&fetch(&open(), &request).await), "the entry survives a restart");
    let path = entry_in(folder.path());
    let whole = std::fs::read(&path).unwrap();
    let (mut wrong, mut served, mut rounds) = (0, 0, 0);
    let flipped = (0..whole.len()).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        bytes
    });
    let cut = (0..whole.len()).step_by(16).map(|length| whole[..length].to_vec());
    for bytes in flipped.chain(cut) {
        std::fs::write(&path, bytes).unwrap();
        let response = fetch(&open(), &request).await;
        served += usize::from(is_hit(&response));
        wrong += usize::from(&response.body[..] != TEXT.as_bytes() || response.status != 200);
        rounds += 1;
    }
    // A valid entry of another page under this name, as after a hash collision.
    let other = caching(&format!("{}/other", server.base_url()));
    let elsewhere = tempfile::tempdir().unwrap();
    let store = DiskCache::open(elsewhere.path(), 1 << 20).unwrap();
    fetch(&fetcher_builder().cache(Arc::new(store)).build().unwrap(), &other).await;
    std::fs::copy(entry_in(elsewhere.path()), &path).unwrap();
    let response = fetch(&open(), &request).await;
    served += usize::from(is_hit(&response));
    println!(
        "cache on disk: wrong body served {wrong}/{rounds}, damaged or foreign entries served {served}/{}",
        rounds + 1
    );
    assert_eq!((wrong, served), (0, 0));
}
