//! Every kind of error has the right kind, URL and error code. A canary in each place for a secret appears in
//! no output.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gleaner_fetch::{
    ActionResult, CacheEntry, CacheKey, CachePolicy, CacheStore, CookieJar, Error, ErrorKind, Fetcher,
    FollowAll, JarCookie, Load, LoadKind, Proxy, RedirectCheck, RedirectRefused, RenderProxy, RenderRequest,
    Rendered, Request,
};
use gleaner_testkit::{ClosedPort, ProcessLog, ProxyServer, RawServer, Step};
use gleaner_tests::process::{run_in_process, url_from_parent};
use gleaner_types::plan::ProxyMode;
use gleaner_types::{BoxFuture, ErrorCode};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use url::Url;

use super::support::{Loopback, fetcher_builder, page, pool};

const CANARY: &str = "c4nary5ecret";

struct RefuseRedirects;

impl RedirectCheck for RefuseRedirects {
    fn check<'a>(&'a self, _: &'a Url, _: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefused>> {
        Box::pin(async move {
            Err(RedirectRefused::new("robots.txt forbids it").with_code(ErrorCode::CrawlDenial))
        })
    }
}

/// Fails for names under `invalid` and resolves the rest to 127.0.0.1.
#[derive(Debug)]
struct TestResolver;

impl gleaner_fetch::Resolve for TestResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<std::net::IpAddr>>> {
        Box::pin(async move {
            if host.ends_with("invalid") {
                return Err(io::Error::other(format!("no such host, {CANARY}")));
            }
            gleaner_fetch::Resolve::resolve(&Loopback, host).await
        })
    }
}

/// A request with a secret in every place that can hold one.
fn request_with_secrets(url: &str) -> Request {
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
        .resolver(Arc::new(TestResolver))
        .stealth_proxies(pool(&[&format!("http://{CANARY}:{CANARY}@{}", proxy.addr())]))
        .build()
        .unwrap()
}

/// Errors that a server causes, with the script of the server.
fn server_failures() -> Vec<(ErrorKind, Vec<Step>)> {
    let cookie = format!("session={CANARY}; Path=/");
    let hop = |to: &str| Step::respond("302 Found", &[("Location", to), ("Set-Cookie", &cookie)], "");
    let typed =
        |kind: &str, more: (&str, &str)| Step::respond("200 OK", &[("Content-Type", kind), more], CANARY);
    let chain =
        (0..30).flat_map(|number| [Step::ReadRequest, hop(&format!("/{number}?k={CANARY}"))]).collect();
    let redirect_loop = (0..3).flat_map(|_| [Step::ReadRequest, hop(&format!("/?token={CANARY}"))]).collect();
    vec![
        (ErrorKind::Timeout, vec![Step::Hang]),
        (ErrorKind::TooManyRedirects, chain),
        (ErrorKind::RedirectLoop, redirect_loop),
        (ErrorKind::UnsupportedMedia, vec![Step::ReadRequest, typed("image/png", ("X-A", CANARY))]),
        (
            ErrorKind::Decode,
            vec![
                Step::ReadRequest,
                Step::respond(
                    "200 OK",
                    &[("Content-Type", "text/html"), ("Content-Encoding", "gzip")],
                    format!("\x1f{CANARY}"),
                ),
            ],
        ),
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
        ErrorKind::Exhausted => ErrorCode::UnknownError,
        _ => ErrorCode::ScrapeSiteError,
    }
}

/// A cache store that keeps the last entry for inspection.
#[derive(Debug, Default)]
struct LastEntry(Mutex<Option<Arc<CacheEntry>>>);

impl CacheStore for LastEntry {
    fn get<'a>(&'a self, _: &'a CacheKey) -> BoxFuture<'a, io::Result<Option<Arc<CacheEntry>>>> {
        Box::pin(async move { Ok(None) })
    }
    fn put(&self, entry: Arc<CacheEntry>) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(async move {
            *self.0.lock().unwrap() = Some(entry);
            Ok(())
        })
    }
    fn remove<'a>(&'a self, _: &'a CacheKey) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move { Ok(()) })
    }
}

/// The cache entry of a page full of secrets.
async fn cached_page() -> Arc<CacheEntry> {
    let headers = [("Content-Type", "text/html"), ("X-Secret", CANARY)];
    let server = RawServer::start([Step::ReadRequest, Step::respond("200 OK", &headers, CANARY)]).unwrap();
    let last_entry = Arc::new(LastEntry::default());
    let fetcher = fetcher_builder().cache(Arc::<LastEntry>::clone(&last_entry)).build().unwrap();
    let url = format!("http://site.example:{}/?token={CANARY}#{CANARY}", server.addr().port());
    let mut request = Request::get(url.parse().unwrap());
    request.cache = Some(CachePolicy::max_age(Duration::from_secs(60)));
    fetcher.fetch(request, &FollowAll).await.unwrap();
    let entry = last_entry.0.lock().unwrap().take();
    entry.expect("the page was cached")
}

/// One error of each kind at the host `site`, with debug output of fetcher and requests. The log is shared by
/// all tests of this process: a test recognizes its lines by its host.
async fn all_failures(site: &str) -> (Vec<(ErrorKind, Error)>, Vec<String>) {
    let proxy = ProxyServer::start_with_credentials("someone", "else").unwrap();
    let fetcher = fetcher(&proxy);
    let mut failures = Vec::new();
    let mut outputs = vec![format!("{fetcher:?} {fetcher:#?}")];
    let mut run = async |kind: ErrorKind, request: Request, hops: &dyn RedirectCheck| {
        outputs.push(format!("{request:?} {request:#?}"));
        failures.push((kind, fetcher.fetch(request, hops).await.unwrap_err()));
    };
    for (kind, script) in server_failures() {
        let server = RawServer::start(script).unwrap();
        let mut request = request_with_secrets(&format!("http://{site}:{}/", server.addr().port()));
        if kind == ErrorKind::Timeout {
            request.timeout = Some(Duration::from_millis(200));
        }
        run(kind, request, &FollowAll).await;
    }
    let server =
        RawServer::start([Step::ReadRequest, Step::respond("302 Found", &[("Location", "/next")], "")])
            .unwrap();
    let base = format!("http://{site}:{}/", server.addr().port());
    run(ErrorKind::RedirectRefused, request_with_secrets(&base), &RefuseRedirects).await;
    let plain = RawServer::start([Step::send("HTTP/1.1 400 Bad Request\r\n\r\n")]).unwrap();
    run(
        ErrorKind::Tls,
        request_with_secrets(&format!("https://{site}:{}/", plain.addr().port())),
        &FollowAll,
    )
    .await;
    let dead = ClosedPort::take().unwrap();
    let url = format!("http://{site}:{}/", dead.addr().port());
    run(ErrorKind::Connect, request_with_secrets(&url), &FollowAll).await;
    run(ErrorKind::Dns, request_with_secrets("http://nowhere.invalid/"), &FollowAll).await;
    run(ErrorKind::Blocked, request_with_secrets("http://10.0.0.1/"), &FollowAll).await;
    run(ErrorKind::Port, request_with_secrets(&format!("http://{site}:25/")), &FollowAll).await;
    let long = format!("http://{}.example/", "a".repeat(250));
    run(ErrorKind::TooLong, request_with_secrets(&long), &FollowAll).await;
    run(ErrorKind::Scheme, request_with_secrets(&format!("ftp://{site}/")), &FollowAll).await;
    let userinfo = request_with_secrets(&format!("http://{CANARY}:{CANARY}@{site}/"));
    run(ErrorKind::InvalidRequest, userinfo, &FollowAll).await;
    let mut stealth = request_with_secrets(&base);
    stealth.proxy = ProxyMode::Stealth;
    run(ErrorKind::Proxy, stealth.clone(), &FollowAll).await;
    let without_proxies = fetcher_builder().build().unwrap();
    failures
        .push((ErrorKind::ProxyNotConfigured, without_proxies.fetch(stealth, &FollowAll).await.unwrap_err()));
    let url: Url = format!("http://{site}/?token={CANARY}#{CANARY}").parse().unwrap();
    failures.push((ErrorKind::Action, Error::action(&url, 3, "nothing matches its selector")));
    failures.push((ErrorKind::Render, Error::render(&url, "it has no window")));
    failures.push((ErrorKind::Render, Error::browser_crashed(&url)));
    failures.push((ErrorKind::Render, Error::browser_unavailable(&url, "it is not installed")));
    failures.push((ErrorKind::Exhausted, Error::exhausted(&url)));
    failures.push((ErrorKind::Render, Error::unresponsive(&url, "its scripts did not end within 5 s")));
    failures.push((ErrorKind::TooLarge, Error::result_too_large(&url, "its HTML")));
    failures.push((ErrorKind::TooManyRedirects, Error::too_many_redirects(&url)));
    (failures, outputs)
}

#[tokio::test]
async fn no_error_or_log_line_contains_a_secret() {
    let log = ProcessLog::listen();
    let (failures, mut sinks) = all_failures("logged.example").await;
    // Successful requests are logged too.
    let server = RawServer::start([
        Step::ReadRequest,
        Step::respond(
            "200 OK",
            &[("Content-Type", "text/html"), ("Set-Cookie", &format!("k={CANARY}"))],
            "<p>fine",
        ),
    ])
    .unwrap();
    let request = request_with_secrets(&format!("http://site.example:{}/", server.addr().port()));
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
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    let rendering = RenderRequest::new(plan.target.url, &plan.options, deadline);
    sinks.push(format!("{rendering:?}"));
    let fetcher = fetcher_builder().build().unwrap();
    let render_proxy = RenderProxy::new(&fetcher, &rendering, &FollowAll);
    sinks.push(format!("{render_proxy:?}"));
    let load = Load::new(request_with_secrets(&secret), LoadKind::Resource);
    sinks.push(format!("{:?}", load.from_document(rendering.url.clone())));
    sinks.push(format!("{:?}", JarCookie::new("session", CANARY, "site.example")));
    let mut rendered = Rendered::new(rendering.url.clone(), CANARY.to_owned());
    rendered.results.push(ActionResult::Scrape { url: rendering.url.clone(), html: CANARY.to_owned() });
    sinks.push(format!("{rendered:?}"));
    sinks.push(format!("{:?}", cached_page().await));
    sinks.push(format!("{jar:?}"));
    sinks.push(format!("{:?}", Proxy::parse(&format!("http://{CANARY}:{CANARY}@proxy.example/")).unwrap()));
    sinks.push(Proxy::parse(&format!("ftp://{CANARY}:{CANARY}@proxy.example/")).unwrap_err().to_string());
    // Stops recording here, because other tests of this program log a lot.
    let logged = log.end();
    assert!(
        logged.contains("gleaner_fetch"),
        "the log has lines of the fetcher; it has {} bytes",
        logged.len()
    );
    // Each request of a redirect chain has its own span, which is on every line about it.
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
        "secrets: sightings 0 over {} sinks ({} failures, the log at trace level)",
        sinks.len(),
        failures.len()
    );
}

#[tokio::test]
async fn every_error_has_its_kind_code_and_url() {
    let (failures, _) = all_failures("kinds.example").await;
    for (kind, error) in &failures {
        assert_eq!((error.kind(), error.code()), (*kind, code_of(*kind)), "{error}");
        let text = error.to_string();
        let host = error.url().expose().host_str().unwrap();
        assert!(text.contains(host), "the {kind:?} error names its URL: {text}");
        assert!(!error.detail().is_empty() && text.ends_with(error.detail()), "{text}");
        assert!(!text.contains("127.0.0.1"), "the {kind:?} error names no resolved address: {text}");
    }
    println!("resolved addresses in {} kinds of errors: 0", failures.len());
}

#[tokio::test]
async fn a_request_with_secrets_can_succeed() {
    let server = RawServer::start([Step::ReadRequest, page("fine")]).unwrap();
    let proxy = ProxyServer::start().unwrap();
    let request = request_with_secrets(&format!("http://site.example:{}/", server.addr().port()));
    assert_eq!(&fetcher(&proxy).fetch(request, &FollowAll).await.unwrap().body[..], b"fine");
}

/// A batch over 3,000 hosts in a process that may open 256 files lost its pages, as faults of their sites.
#[test]
fn a_process_without_descriptors_blames_no_host() {
    let server = RawServer::start([Step::ReadRequest, page("here"), Step::Repeat]).unwrap();
    assert_eq!(run_in_process("failures::exhausted_child", &server.base_url()).trim(), "Exhausted 200");
}

#[tokio::test]
#[ignore = "run in its own process, which opens all files that it may"]
async fn exhausted_child() {
    let Some(url) = url_from_parent() else { return };
    let url: Url = url.parse().unwrap();
    let fetcher = fetcher_builder().build().unwrap();
    let present = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(64), maximum: present.maximum }).unwrap();
    let mut files = Vec::new();
    while let Ok(file) = std::fs::File::open("/dev/null") {
        files.push(file);
    }
    let failed = fetcher.fetch(Request::get(url.clone()), &FollowAll).await.unwrap_err();
    drop(files);
    let answer = fetcher.fetch(Request::get(url), &FollowAll).await.unwrap();
    println!("CHILD {:?} {}", failed.kind(), answer.status);
}
