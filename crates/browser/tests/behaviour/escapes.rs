//! Nothing that a page does reaches the network past the guard.
//!
//! Each way has a canary of its own: a TCP and a UDP socket on an address that the policy forbids. A page
//! tries to reach it, and the canary must see no connection and no datagram. As a control, each way is tried
//! with a name that only the fetcher can resolve, at an address that the policy permits: there its request
//! arrives, or the browser shows that it refused one.
//!
//! The browser looks up no name and sends no datagram at all, which strace shows.

mod canary;
mod program;
mod rows;
mod traffic;

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use gleaner_browser::Browser;
use gleaner_fetch::{Fetcher, FollowAll};
use gleaner_testkit::browser::NOBODY;
use gleaner_testkit::{HostilePage, PageServer, ProcessGroup, listening_sockets};
use serde_json::json;
use url::Url;

use crate::support::{browser, builder, fetcher, fetcher_builder, request};
use canary::{Canary, Names};
use program::script;
use rows::{HINTS, LOADS, REFUSED, Trace, Way};
use traffic::{Traffic, can_trace, traced};

/// The address of the canaries. The policy of the tests permits 127.0.0.1 only.
const FORBIDDEN: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// How long a page has for its attempts, in milliseconds.
const ATTEMPT: u32 = 400;

/// How long a page has for attempts that must be seen, in milliseconds: each time more than before, for
/// machines with much else to do.
const WAITS: [u32; 3] = [ATTEMPT, 2_500, 10_000];

/// The switch that keeps the browser from looking up names.
const LOOKUPS: &[&str] = &["--host-resolver-rules"];

/// The switches that keep WebRTC from announcing local addresses by multicast. The features or the policy
/// would be enough; the policy has a name for each kind of Chromium.
const MULTICAST: &[&str] =
    &["--disable-features", "--force-webrtc-ip-handling-policy", "--webrtc-ip-handling-policy"];

/// Renders a page that may try to reach the host and port `at`. Returns its warnings.
async fn visit(browser: &Browser, fetcher: &Fetcher, page: &str, at: &str, wait: u32) -> Vec<String> {
    let page = format!("<!doctype html><body>text {}", page.replace("CANARY", at));
    let worker = format!(
        "fetch('http://{at}/').catch(() => {{}}); try {{ importScripts('http://{at}/x.js') }} catch {{}}\
         try {{ new WebSocket('ws://{at}/') }} catch {{}}"
    );
    let policy = format!("img-src 'none'; report-uri http://{at}/");
    let pages = vec![
        HostilePage::html("/", page),
        HostilePage::html("/other", "text"),
        HostilePage::html("/picture", format!("<img src='http://{at}/'>")),
        HostilePage::new("/worker.js", "text/javascript", worker),
        HostilePage::new("/outer.js", "text/javascript", "new Worker('/worker.js')"),
        HostilePage::html("/redirect", "").header("location", format!("http://{at}/")).status(302),
        HostilePage::html("/refresh", "text").header("refresh", format!("0;url=http://{at}/")),
        HostilePage::html("/reporting", "<img src=/x>").header("content-security-policy", policy),
    ];
    let server = PageServer::start(pages).unwrap();
    let url = Url::parse(&server.base_url()).unwrap();
    let request = request(url, json!({"waitFor": wait, "timeout": 30_000}));
    // Whether the page can be rendered does not matter here.
    let rendered = fetcher.render(browser, &request, &FollowAll).await;
    rendered.map(|rendered| rendered.page.warnings).unwrap_or_default()
}

/// Lets a page try each way to a canary at this address. Returns the ways whose canary was reached.
async fn escaped(browser: &Browser, ways: &[Way], address: Ipv4Addr) -> Vec<&'static str> {
    let fetcher = fetcher();
    let mut canaries = Vec::new();
    for (name, page) in ways {
        let canary = Canary::listen(address);
        visit(browser, &fetcher, page, &format!("{address}:{}", canary.port), ATTEMPT).await;
        canaries.push((*name, canary));
    }
    // Requests of pages that were closed may come later.
    tokio::time::sleep(Duration::from_millis(500)).await;
    canaries.iter().filter(|(_, canary)| canary.hits() > 0).map(|(name, _)| *name).collect()
}

/// A server that answers everything, at an address that the policy permits, and its port.
fn permitted() -> (PageServer, u16) {
    let server = PageServer::start(vec![HostilePage::anywhere("text/plain", "text")]).unwrap();
    let port = Url::parse(&server.base_url()).unwrap().port().unwrap();
    (server, port)
}

/// A fetcher that resolves every name to that address.
fn named_fetcher() -> (Fetcher, Arc<Names>) {
    let names = Arc::new(Names::default());
    let resolver = Arc::clone(&names);
    (fetcher_builder().resolver(resolver).build().unwrap(), names)
}

/// Whether a request arrives where the policy permits it.
async fn arrives(browser: &Browser, page: &str) -> bool {
    let (server, port) = permitted();
    let (fetcher, _) = named_fetcher();
    for wait in WAITS {
        visit(browser, &fetcher, page, &format!("canary.test:{port}"), wait).await;
        if server.requests("*") > 0 {
            return true;
        }
    }
    false
}

/// Whether a page is seen to try a way that is refused wherever it leads. No request may arrive.
async fn is_refused(page: &str, trace: Trace) -> bool {
    // Its counts are those of this way only.
    let browser = builder().unwrap().build().unwrap();
    let (server, port) = permitted();
    let (fetcher, _) = named_fetcher();
    let mut is_seen = false;
    for wait in WAITS {
        let warnings = visit(&browser, &fetcher, page, &format!("canary.test:{port}"), wait).await;
        is_seen = match trace {
            Trace::Warning(text) => warnings.iter().any(|warning| warning.starts_with(text)),
            Trace::Refusal => browser.stats().await.refused_connections > 0,
        };
        if is_seen {
            break;
        }
    }
    browser.close().await;
    is_seen && server.requests("*") == 0
}

#[tokio::test]
async fn no_way_out_reaches_its_canary() {
    let Some(browser) = browser() else { return };
    let refused = REFUSED.iter().map(|(way, _)| *way);
    let ways: Vec<Way> = LOADS.iter().copied().chain(refused).chain(HINTS.iter().copied()).collect();
    assert_eq!(escaped(&browser, &ways, FORBIDDEN).await, Vec::<&str>::new());
    assert!(
        browser.stats().await.refused_connections > 0,
        "WebSockets reach the dead end, so that it is in place"
    );
    browser.close().await;
}

#[tokio::test]
async fn each_way_arrives_where_the_policy_permits_it() {
    let Some(browser) = browser() else { return };
    let mut silent = Vec::new();
    for ways in LOADS.chunks(2) {
        let arrived = join_all(ways.iter().map(|(_, page)| arrives(&browser, page))).await;
        let tried = ways.iter().zip(arrived);
        silent.extend(tried.filter(|(_, arrived)| !arrived).map(|((name, _), _)| *name));
    }
    assert_eq!(silent, Vec::<&str>::new(), "these pages try nothing, or their requests are lost");
    browser.close().await;
}

#[tokio::test]
async fn each_refused_way_is_seen_to_be_tried() {
    if builder().is_none() {
        return;
    }
    let mut unseen = Vec::new();
    for ((name, page), trace) in REFUSED {
        if !is_refused(page, *trace).await {
            unseen.push(*name);
        }
    }
    assert_eq!(unseen, Vec::<&str>::new(), "these pages try nothing, or their requests arrive");
}

/// The only address that the browser may reach by itself is that of its dead end. Without the switch that
/// sends loopback to the dead end too, it reaches other ports of that address.
#[tokio::test]
async fn the_canaries_see_what_escapes_without_a_dead_end_for_loopback() {
    let Some(whole) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let program = script(folder.path(), &["--proxy-bypass-list"], "");
    let browser = Browser::builder().program(program).user_if_root(NOBODY, NOBODY).build().unwrap();
    let sockets: Vec<Way> =
        REFUSED.iter().map(|(way, _)| *way).filter(|(name, _)| *name == "WebSocket").collect();
    assert_eq!(escaped(&whole, &sockets, Ipv4Addr::LOCALHOST).await, Vec::<&str>::new());
    assert_eq!(escaped(&browser, &sockets, Ipv4Addr::LOCALHOST).await, ["WebSocket"]);
    whole.close().await;
    browser.close().await;
}

/// A page with names that exist nowhere, for all that looks names up.
const NAMED_PAGE: &str = "<link rel=dns-prefetch href='http://canary-1.test:PORT/'>\
    <link rel=preconnect href='http://canary-2.test:PORT/'>\
    <img src='http://canary-3.test:PORT/x.png'>\
    <iframe src='http://canary-4.test:PORT/'></iframe>\
    <script>fetch('http://canary-5.test:PORT/').catch(() => {});\
    new WebSocket('ws://canary-6.test:PORT/');\
    let p = new RTCPeerConnection({iceServers: [{urls: ['stun:canary-7.test', 'turn:canary-7.test',\
    'turn:canary-7.test?transport=tcp'], username: 'a', credential: 'b'}]}); p.createDataChannel('x');\
    p.createOffer().then(o => p.setLocalDescription(o))</script>";

/// Renders [`NAMED_PAGE`] in a browser without the switches that begin with one of `prefixes`. Returns what
/// the browser sent, and the names that the fetcher looked up for it.
async fn observe(prefixes: &[&str], wait: u32) -> (Traffic, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let program = traced(folder.path(), prefixes);
    let browser = Browser::builder().program(program).user_if_root(NOBODY, NOBODY).build().unwrap();
    let (_server, port) = permitted();
    let (fetcher, names) = named_fetcher();
    visit(&browser, &fetcher, &NAMED_PAGE.replace("PORT", &port.to_string()), "", wait).await;
    browser.close().await;
    (Traffic::read(folder.path()), names.asked())
}

/// How long a page has, in milliseconds, when a browser without these switches sends what `is_expected`
/// recognizes. `None` if it never does.
async fn time_to_see(prefixes: &[&str], is_expected: impl Fn(&Traffic) -> bool) -> Option<u32> {
    for wait in WAITS {
        if is_expected(&observe(prefixes, wait).await.0) {
            return Some(wait);
        }
    }
    None
}

#[tokio::test]
async fn the_browser_looks_up_no_name_and_sends_no_datagram() {
    if builder().is_none() {
        return;
    }
    if !can_trace() {
        println!("SKIPPED: strace is not installed (apt-get install strace)");
        return;
    }
    let looks_up = |traffic: &Traffic| traffic.datagrams.contains(&53) || !traffic.resolvers.is_empty();
    let lookups = time_to_see(LOOKUPS, looks_up).await.expect("strace sees lookups");
    let announces = |traffic: &Traffic| traffic.datagrams.contains(&5353);
    let multicast = time_to_see(MULTICAST, announces).await.expect("strace sees multicast");

    let (traffic, names) = observe(&[], lookups.max(multicast)).await;
    assert_eq!(names, ["canary-3.test", "canary-4.test", "canary-5.test"], "the fetcher looks up these");
    assert!(traffic.datagrams.is_empty() && traffic.resolvers.is_empty(), "{traffic:?}");
    // Those of the page's sockets.
    assert_eq!(traffic.connections.len(), 1, "all connections lead to the dead end: {traffic:?}");
    assert!(traffic.connections.iter().all(|to| to.contains("\"127.0.0.1\"")), "{traffic:?}");
}

#[tokio::test]
async fn the_browser_listens_on_no_socket() {
    let Some(browser) = browser() else { return };
    let server = PageServer::start(vec![HostilePage::html("/", "text")]).unwrap();
    let url = Url::parse(&server.base_url()).unwrap();
    fetcher().render(&browser, &request(url, json!({})), &FollowAll).await.unwrap();
    let group = ProcessGroup::new(browser.stats().await.process_id.unwrap());
    assert!(listening_sockets(std::process::id()) > 0, "the dead end of this process is seen");
    assert!(group.running().len() > 1, "the processes of the browser are seen");
    assert_eq!(group.listening_sockets(), 0);
    browser.close().await;
}
