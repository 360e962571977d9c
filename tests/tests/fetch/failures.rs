//! Every kind of failure: what it is, where it happened, what the contract calls it; and a canary in each
//! slot for a secret is seen in none of them.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use gleaner_fetch::{
    ActionResult, CacheEntry, CacheKey, CachePolicy, CacheStore, CookieJar, Error, ErrorKind, Fetcher,
    FollowAll, Proxy, RedirectCheck, RedirectRefused, RenderRequest, Rendered, Request,
};
use gleaner_testkit::{ClosedPort, ProcessLog, ProxyServer, RawServer, Step};
use gleaner_types::ErrorCode;
use gleaner_types::plan::ProxyMode;
use url::Url;

use super::support::{Loopback, fetcher_builder, page, pool};

const CANARY: &str = "c4nary5ecret";

struct Nowhere;

#[async_trait]
impl RedirectCheck for Nowhere {
    async fn check(&self, _: &Url, _: &Url) -> Result<(), RedirectRefused> {
        Err(RedirectRefused::new("robots.txt forbids it").with_code(ErrorCode::CrawlDenial))
    }
}

/// Resolves nothing under `invalid`, and the rest to 127.0.0.1.
#[derive(Debug)]
struct Names;

#[async_trait]
impl gleaner_fetch::Resolve for Names {
    async fn resolve(&self, host: &str) -> io::Result<Vec<std::net::IpAddr>> {
        if host.ends_with("invalid") {
            return Err(io::Error::other(format!("no such host, {CANARY}")));
        }
        gleaner_fetch::Resolve::resolve(&Loopback, host).await
    }
}

/// A request with a secret wherever one fits.
fn secretive(url: &str) -> Request {
    let mut url: Url = url.parse().unwrap();
    url.set_query(Some(&format!("token={CANARY}")));
    url.set_fragment(Some(CANARY));
    let mut request = Request::get(url);
    for (name, value) in [
        ("authorization", format!("Bearer {CANARY}")),
        ("cookie", format!("session={CANARY}")),
        ("x-api-key", CANARY.to_owned()),
        ("private-token", CANARY.to_owned()),
    ] {
        request = request.header(name, &value).unwrap();
    }
    request.timeout = Some(Duration::from_secs(20));
    request.cookies = Some(CookieJar::new());
    request
}

fn fetcher(proxy: &ProxyServer) -> Fetcher {
    fetcher_builder()
        .resolver(Arc::new(Names))
        .stealth_proxies(pool(&[&format!("http://{CANARY}:{CANARY}@{}", proxy.addr())]))
        .build()
        .unwrap()
}

/// Failures that a server brings about: its script.
fn by_servers() -> Vec<(ErrorKind, Vec<Step>)> {
    let cookie = format!("session={CANARY}; Path=/");
    let hop = |to: &str| Step::respond("302 Found", &[("Location", to), ("Set-Cookie", &cookie)], "");
    let typed =
        |kind: &str, more: (&str, &str)| Step::respond("200 OK", &[("Content-Type", kind), more], CANARY);
    let chain =
        (0..30).flat_map(|number| [Step::ReadRequest, hop(&format!("/{number}?k={CANARY}"))]).collect();
    let circle = (0..3).flat_map(|_| [Step::ReadRequest, hop(&format!("/?token={CANARY}"))]).collect();
    vec![
        (ErrorKind::Timeout, vec![Step::Hang]),
        (ErrorKind::TooManyRedirects, chain),
        (ErrorKind::RedirectLoop, circle),
        (ErrorKind::UnsupportedMedia, vec![Step::ReadRequest, typed("image/png", ("X-A", CANARY))]),
        (ErrorKind::Decode, vec![Step::ReadRequest, typed("text/html", ("Content-Encoding", "gzip"))]),
        (ErrorKind::Protocol, vec![Step::ReadRequest, Step::send(format!("220 {CANARY} ESMTP\r\n\r\n"))]),
        (
            ErrorKind::TooLarge,
            vec![Step::ReadRequest, Step::send("HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n")],
        ),
    ]
}

fn code_of(kind: ErrorKind) -> ErrorCode {
    match kind {
        ErrorKind::InvalidRequest => ErrorCode::BadRequest,
        ErrorKind::Scheme | ErrorKind::Port | ErrorKind::Blocked => ErrorCode::ScrapeBlocked,
        ErrorKind::RedirectRefused => ErrorCode::CrawlDenial,
        ErrorKind::Dns => ErrorCode::ScrapeDnsResolutionError,
        ErrorKind::Tls => ErrorCode::ScrapeSslError,
        ErrorKind::Timeout => ErrorCode::ScrapeTimeout,
        ErrorKind::TooLarge => ErrorCode::ScrapeBodyTooLarge,
        ErrorKind::UnsupportedMedia => ErrorCode::ScrapeUnsupportedFileError,
        ErrorKind::Action => ErrorCode::ScrapeActionError,
        ErrorKind::Proxy | ErrorKind::Render => ErrorCode::ScrapeAllEnginesFailed,
        ErrorKind::ProxyNotConfigured => ErrorCode::UnsupportedOption,
        _ => ErrorCode::ScrapeSiteError,
    }
}

/// Keeps one copy, to be looked at.
#[derive(Debug, Default)]
struct Shelf(Mutex<Option<Arc<CacheEntry>>>);

#[async_trait]
impl CacheStore for Shelf {
    async fn get(&self, _: &CacheKey) -> io::Result<Option<Arc<CacheEntry>>> {
        Ok(None)
    }
    async fn put(&self, entry: Arc<CacheEntry>) -> io::Result<()> {
        *self.0.lock().unwrap() = Some(entry);
        Ok(())
    }
    async fn remove(&self, _: &CacheKey) -> io::Result<()> {
        Ok(())
    }
}

/// A page full of secrets, as a cache keeps it.
async fn kept_copy() -> Arc<CacheEntry> {
    let headers = [("Content-Type", "text/html"), ("X-Secret", CANARY)];
    let server = RawServer::start([Step::ReadRequest, Step::respond("200 OK", &headers, CANARY)]).unwrap();
    let shelf = Arc::new(Shelf::default());
    let fetcher = fetcher_builder().cache(Arc::<Shelf>::clone(&shelf)).build().unwrap();
    let url = format!("http://site.example:{}/?token={CANARY}#{CANARY}", server.addr().port());
    let mut request = Request::get(url.parse().unwrap());
    request.cache = Some(CachePolicy::max_age(Duration::from_secs(60)));
    fetcher.fetch(request, &FollowAll).await.unwrap();
    let kept = shelf.0.lock().unwrap().take();
    kept.expect("the page was kept")
}

/// One of each kind at the host `site`, with what was said on the way. The log is that of all tests of this
/// process: a test knows its own lines by its own host.
async fn all_failures(site: &str) -> (Vec<(ErrorKind, Error)>, Vec<String>) {
    let proxy = ProxyServer::start_with_credentials("someone", "else").unwrap();
    let fetcher = fetcher(&proxy);
    let mut failures = Vec::new();
    let mut said = vec![format!("{fetcher:?} {fetcher:#?}")];
    let mut run = async |kind: ErrorKind, request: Request, hops: &dyn RedirectCheck| {
        said.push(format!("{request:?} {request:#?}"));
        failures.push((kind, fetcher.fetch(request, hops).await.unwrap_err()));
    };
    for (kind, script) in by_servers() {
        let server = RawServer::start(script).unwrap();
        let mut request = secretive(&format!("http://{site}:{}/", server.addr().port()));
        if kind == ErrorKind::Timeout {
            request.timeout = Some(Duration::from_millis(200));
        }
        run(kind, request, &FollowAll).await;
    }
    let server =
        RawServer::start([Step::ReadRequest, Step::respond("302 Found", &[("Location", "/next")], "")])
            .unwrap();
    let base = format!("http://{site}:{}/", server.addr().port());
    run(ErrorKind::RedirectRefused, secretive(&base), &Nowhere).await;
    let plain = RawServer::start([Step::send("HTTP/1.1 400 Bad Request\r\n\r\n")]).unwrap();
    run(ErrorKind::Tls, secretive(&format!("https://{site}:{}/", plain.addr().port())), &FollowAll).await;
    let dead = ClosedPort::take().unwrap();
    let url = format!("http://{site}:{}/", dead.addr().port());
    run(ErrorKind::Connect, secretive(&url), &FollowAll).await;
    run(ErrorKind::Dns, secretive("http://nowhere.invalid/"), &FollowAll).await;
    run(ErrorKind::Blocked, secretive("http://10.0.0.1/"), &FollowAll).await;
    run(ErrorKind::Port, secretive(&format!("http://{site}:25/")), &FollowAll).await;
    let long = format!("http://{}.example/", "a".repeat(250));
    run(ErrorKind::TooLong, secretive(&long), &FollowAll).await;
    run(ErrorKind::Scheme, secretive(&format!("ftp://{site}/")), &FollowAll).await;
    let userinfo = secretive(&format!("http://{CANARY}:{CANARY}@{site}/"));
    run(ErrorKind::InvalidRequest, userinfo, &FollowAll).await;
    let mut stealth = secretive(&base);
    stealth.proxy = ProxyMode::Stealth;
    run(ErrorKind::Proxy, stealth.clone(), &FollowAll).await;
    let unprepared = fetcher_builder().build().unwrap();
    failures.push((ErrorKind::ProxyNotConfigured, unprepared.fetch(stealth, &FollowAll).await.unwrap_err()));
    let url: Url = format!("http://{site}/?token={CANARY}#{CANARY}").parse().unwrap();
    failures.push((ErrorKind::Action, Error::action(&url, 3, "nothing matches its selector")));
    failures.push((ErrorKind::Render, Error::render(&url, "the browser has gone")));
    (failures, said)
}

#[tokio::test]
async fn no_failure_tells_a_secret() {
    let log = ProcessLog::listen();
    let (failures, mut sinks) = all_failures("logged.example").await;
    // What works is logged too.
    let server = RawServer::start([
        Step::ReadRequest,
        Step::respond(
            "200 OK",
            &[("Content-Type", "text/html"), ("Set-Cookie", &format!("k={CANARY}"))],
            "<p>fine",
        ),
    ])
    .unwrap();
    let request = secretive(&format!("http://site.example:{}/", server.addr().port()));
    let jar = request.cookies.clone().unwrap();
    let response = fetcher_builder().build().unwrap().fetch(request, &FollowAll).await.unwrap();
    assert_eq!(jar.len(), 1);
    sinks.push(format!("{response:?}"));
    let secret = format!("http://site.example/?token={CANARY}#{CANARY}");
    let body = serde_json::json!({
        "url": secret,
        "headers": { "Authorization": CANARY },
        "actions": [{ "type": "write", "text": CANARY }],
    });
    let plan = gleaner_types::plan::ScrapePlan::from_json(&body).unwrap();
    let rendering = RenderRequest::new(plan.target.url, &plan.options);
    sinks.push(format!("{rendering:?}"));
    let mut headers = response.headers.clone();
    headers.insert("x-secret", CANARY.parse().unwrap());
    let mut rendered = Rendered::new(rendering.url.clone(), 200, headers, CANARY.to_owned());
    rendered.results.push(ActionResult::Scrape { url: rendering.url.clone(), html: CANARY.to_owned() });
    sinks.push(format!("{rendered:?}"));
    sinks.push(format!("{:?}", kept_copy().await));
    sinks.push(format!("{jar:?}"));
    sinks.push(format!("{:?}", Proxy::parse(&format!("http://{CANARY}:{CANARY}@proxy.example/")).unwrap()));
    sinks.push(Proxy::parse(&format!("ftp://{CANARY}:{CANARY}@proxy.example/")).unwrap_err().to_string());
    // Nothing is kept of what comes later: the other tests of this program say much.
    let logged = log.end();
    assert!(logged.contains("gleaner_fetch"), "the log was listened to, and has {} bytes", logged.len());
    // Each request of a chain has a span of its own, which every line about it carries.
    for number in ["number=0}", "number=1}", "number=20}"] {
        let is_hop = |line: &str| {
            ["hop{method=GET", "url=http://logged.example", number].iter().all(|part| line.contains(part))
        };
        assert!(logged.lines().any(is_hop), "a span with {number}");
    }
    for (kind, error) in &failures {
        sinks.push(format!("{kind:?}: {error} {error:?} {error:#?} {}", error.to_page_error().message));
    }
    sinks.extend(logged.lines().map(str::to_owned));
    let sightings: Vec<&String> = sinks.iter().filter(|text| text.contains(CANARY)).collect();
    assert!(sightings.is_empty(), "{sightings:#?}");
    println!(
        "secrets: sightings 0 over {} sinks ({} failures, the log at its finest)",
        sinks.len(),
        failures.len()
    );
}

#[tokio::test]
async fn every_failure_has_its_kind_its_code_and_its_url() {
    let (failures, _) = all_failures("kinds.example").await;
    for (kind, error) in &failures {
        assert_eq!((error.kind(), error.code()), (*kind, code_of(*kind)), "{error}");
        let text = error.to_string();
        let host = error.url().expose().host_str().unwrap();
        assert!(text.contains(host), "{kind:?} names its URL: {text}");
        assert!(!error.detail().is_empty() && text.ends_with(error.detail()), "{text}");
        assert!(!text.contains("127.0.0.1"), "{kind:?} tells no resolved address: {text}");
    }
    println!("resolved addresses in {} kinds of errors: 0", failures.len());
}

#[tokio::test]
async fn what_works_is_no_failure() {
    let server = RawServer::start([Step::ReadRequest, page("fine")]).unwrap();
    let proxy = ProxyServer::start().unwrap();
    let request = secretive(&format!("http://site.example:{}/", server.addr().port()));
    assert_eq!(&fetcher(&proxy).fetch(request, &FollowAll).await.unwrap().body[..], b"fine");
}
