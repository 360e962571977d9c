//! Nothing that a page does reaches the network past the guard.
//!
//! Each way has a canary of its own: a TCP and a UDP socket on an address that the policy forbids. A page
//! tries to reach it, and the canary must see no connection and no datagram.

use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use gleaner_browser::Browser;
use gleaner_testkit::browser::NOBODY;
use gleaner_testkit::{HostilePage, PageServer, ProcessGroup, listening_sockets};
use serde_json::json;
use url::Url;

use crate::support::{browser, fetcher, request};

/// The address of the canaries. The policy of the tests permits 127.0.0.1 only.
const FORBIDDEN: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// How long a page has for its attempts, in milliseconds.
const ATTEMPT: u32 = 400;

/// Ways out: a name, and a page in which `CANARY` stands for the address and port of the canary.
const ESCAPES: &[(&str, &str)] = &[
    ("meta refresh", "<meta http-equiv=refresh content='0;url=http://CANARY/'>"),
    ("iframe", "<iframe src='http://CANARY/'></iframe>"),
    ("object", "<object data='http://CANARY/x.html'></object><embed src='http://CANARY/y.html'>"),
    ("picture", "<img src='http://CANARY/x.png'><img srcset='http://CANARY/y.png 2x'>"),
    ("video", "<video src='http://CANARY/x.mp4' autoplay muted></video>"),
    ("script", "<script src='http://CANARY/x.js'></script>"),
    ("module", "<script type=module>import('http://CANARY/x.js')</script>"),
    ("modulepreload", "<link rel=modulepreload href='http://CANARY/x.js'>"),
    ("style sheet", "<link rel=stylesheet href='http://CANARY/x.css'>"),
    ("import of a style sheet", "<style>@import url(http://CANARY/x.css);</style>"),
    ("background", "<body style='background:url(http://CANARY/x.png)'>text"),
    (
        "font",
        "<style>@font-face{font-family:x;src:url(http://CANARY/x.woff)}</style><p style='font-family:x'>x",
    ),
    ("icon", "<link rel=icon href='http://CANARY/x.ico'>"),
    ("manifest", "<link rel=manifest href='http://CANARY/x.json'>"),
    ("preload", "<link rel=preload as=image href='http://CANARY/x.png'>"),
    ("prefetch", "<link rel=prefetch href='http://CANARY/x.html'>"),
    ("preconnect", "<link rel=preconnect href='http://CANARY/'>"),
    ("dns-prefetch", "<link rel=dns-prefetch href='http://CANARY/'>"),
    (
        "speculation rules",
        "<script type=speculationrules>{\"prefetch\":[{\"source\":\"list\",\"urls\":[\"http://CANARY/\"],\
         \"eagerness\":\"immediate\"}],\"prerender\":[{\"source\":\"list\",\"urls\":[\"/other\"]}]}</script>",
    ),
    ("fetch", "<script>fetch('http://CANARY/').catch(() => {})</script>"),
    ("fetch without CORS", "<script>fetch('http://CANARY/', {mode: 'no-cors'}).catch(() => {})</script>"),
    (
        "CORS preflight",
        "<script>fetch('http://CANARY/', {method: 'PUT', headers: {'x-a': '1'}}).catch(() => {})</script>",
    ),
    (
        "fetch that outlives the page",
        "<script>fetch('http://CANARY/', {keepalive: true, mode: 'no-cors'})</script>",
    ),
    (
        "XMLHttpRequest",
        "<script>let x = new XMLHttpRequest(); x.open('GET', 'http://CANARY/'); x.send()</script>",
    ),
    ("beacon", "<script>navigator.sendBeacon('http://CANARY/', 'x')</script>"),
    (
        "beacon at the end",
        "<script>addEventListener('pagehide', () => navigator.sendBeacon('http://CANARY/', 'x'))</script>",
    ),
    ("ping", "<a id=a href=#x ping='http://CANARY/'>x</a><script>a.click()</script>"),
    ("EventSource", "<script>new EventSource('http://CANARY/')</script>"),
    ("WebSocket", "<script>new WebSocket('ws://CANARY/')</script>"),
    ("WebSocketStream", "<script>try { new WebSocketStream('ws://CANARY/') } catch {}</script>"),
    ("WebTransport", "<script>try { new WebTransport('https://CANARY/') } catch {}</script>"),
    (
        "WebRTC",
        "<script>let p = new RTCPeerConnection({iceServers: [{urls: ['stun:CANARY', 'turn:CANARY?transport=tcp'],\
         username: 'a', credential: 'b'}]}); p.createDataChannel('x');\
         p.createOffer().then(o => p.setLocalDescription(o))</script>",
    ),
    ("worker", "<script>new Worker('/worker.js')</script>"),
    ("shared worker", "<script>new SharedWorker('/worker.js')</script>"),
    ("worker of a worker", "<script>new Worker('/outer.js')</script>"),
    (
        "worker of a blob",
        "<script>new Worker(URL.createObjectURL(new Blob([\"fetch('http://CANARY/')\"])))</script>",
    ),
    ("service worker", "<script>navigator.serviceWorker.register('/worker.js')</script>"),
    ("popup", "<script>open('http://CANARY/')</script>"),
    ("link to a new window", "<a id=a target=_blank href='http://CANARY/'>x</a><script>a.click()</script>"),
    ("location", "<script>location = 'http://CANARY/'</script>"),
    (
        "form",
        "<form id=f method=post action='http://CANARY/'><input name=a></form><script>f.submit()</script>",
    ),
    (
        "form into a frame",
        "<iframe name=i></iframe><form id=f target=i action='http://CANARY/'></form><script>f.submit()</script>",
    ),
    ("download", "<a id=a download href='http://CANARY/x.zip'>x</a><script>a.click()</script>"),
    ("data: that leads on", "<iframe src=\"data:text/html,<img src='http://CANARY/x.png'>\"></iframe>"),
    ("srcdoc", "<iframe srcdoc=\"<img src='http://CANARY/x.png'>\"></iframe>"),
    ("redirect", "<img src=/redirect><iframe src=/redirect></iframe>"),
    ("refresh in a header", "<iframe src=/refresh></iframe>"),
    ("SVG", "<svg><image href='http://CANARY/x.png'/><use href='http://CANARY/x.svg#a'/></svg>"),
    (
        "report",
        "<meta http-equiv=Content-Security-Policy content=\"img-src 'none'; report-uri http://CANARY/\"><img src=/x>",
    ),
];

/// Sockets that count who reaches them.
struct Canary {
    port: u16,
    hits: Arc<AtomicUsize>,
}

impl Canary {
    fn listen(address: Ipv4Addr) -> Self {
        let tcp = TcpListener::bind((address, 0)).unwrap();
        let port = tcp.local_addr().unwrap().port();
        let udp = UdpSocket::bind((address, port)).unwrap();
        let hits = Arc::new(AtomicUsize::new(0));
        let (of_tcp, of_udp) = (Arc::clone(&hits), Arc::clone(&hits));
        thread::spawn(move || {
            for _ in tcp.incoming() {
                of_tcp.fetch_add(1, Relaxed);
            }
        });
        thread::spawn(move || {
            while udp.recv(&mut [0; 64]).is_ok() {
                of_udp.fetch_add(1, Relaxed);
            }
        });
        Self { port, hits }
    }

    fn hits(&self) -> usize {
        self.hits.load(Relaxed)
    }
}

/// Lets a page try each way to a canary at this address. Returns the ways whose canary was reached.
async fn escaped(browser: &Browser, ways: &[(&'static str, &str)], address: Ipv4Addr) -> Vec<&'static str> {
    let fetcher = fetcher();
    let mut canaries = Vec::new();
    for (name, page) in ways {
        let canary = Canary::listen(address);
        let at = format!("{address}:{}", canary.port);
        let page = format!("<!doctype html><body>text {}", page.replace("CANARY", &at));
        let worker = format!(
            "fetch('http://{at}/').catch(() => {{}}); try {{ importScripts('http://{at}/x.js') }} catch {{}}\
             try {{ new WebSocket('ws://{at}/') }} catch {{}}"
        );
        let redirect = |name| HostilePage::html(name, "").header("location", format!("http://{at}/"));
        let pages = vec![
            HostilePage::html("/", page),
            HostilePage::new("/worker.js", "text/javascript", worker),
            HostilePage::new("/outer.js", "text/javascript", "new Worker('/worker.js')"),
            redirect("/redirect").status(302),
            HostilePage::html("/refresh", "text").header("refresh", format!("0;url=http://{at}/")),
        ];
        let server = PageServer::start(pages).unwrap();
        let url = Url::parse(&server.base_url()).unwrap();
        // Whether the page can be rendered does not matter here.
        let request = request(url, json!({"waitFor": ATTEMPT, "timeout": 10_000}));
        let _ = fetcher.render(browser, &request, &gleaner_fetch::FollowAll).await;
        canaries.push((*name, canary));
    }
    // Requests of pages that were closed may come later.
    tokio::time::sleep(Duration::from_millis(500)).await;
    canaries.iter().filter(|(_, canary)| canary.hits() > 0).map(|(name, _)| *name).collect()
}

#[tokio::test]
async fn no_way_out_reaches_its_canary() {
    let Some(browser) = browser() else { return };
    assert_eq!(escaped(&browser, ESCAPES, FORBIDDEN).await, Vec::<&str>::new());
    assert!(
        browser.stats().await.refused_connections > 0,
        "WebSockets reach the dead end, so that it is in place"
    );
    browser.close().await;
}

/// A program that starts the installed browser without the switch that begins with `prefix`.
fn without_switch(folder: &Path, prefix: &str) -> std::path::PathBuf {
    let program = Browser::find().unwrap();
    let script = folder.join("browser");
    let text = format!(
        "#!/bin/bash\nkept=()\nfor switch in \"$@\"; do\n  [[ $switch == {prefix}* ]] || kept+=(\"$switch\")\n\
         done\nexec {} \"${{kept[@]}}\"\n",
        program.display()
    );
    std::fs::File::create(&script).unwrap().write_all(text.as_bytes()).unwrap();
    for path in [folder, &script] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    script
}

/// The only address that the browser may reach by itself is that of its dead end. Without the switch that
/// sends loopback to the dead end too, it reaches other ports of that address.
#[tokio::test]
async fn the_canaries_see_what_escapes_without_a_dead_end_for_loopback() {
    let Some(whole) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let program = without_switch(folder.path(), "--proxy-bypass-list");
    let browser = Browser::builder().program(program).user_if_root(NOBODY, NOBODY).build().unwrap();
    let sockets: Vec<_> = ESCAPES.iter().copied().filter(|(name, _)| *name == "WebSocket").collect();
    assert_eq!(escaped(&whole, &sockets, Ipv4Addr::LOCALHOST).await, Vec::<&str>::new());
    assert_eq!(escaped(&browser, &sockets, Ipv4Addr::LOCALHOST).await, ["WebSocket"]);
    whole.close().await;
    browser.close().await;
}

#[tokio::test]
async fn the_browser_listens_on_no_socket() {
    let Some(browser) = browser() else { return };
    let server = PageServer::start(vec![HostilePage::html("/", "text")]).unwrap();
    let url = Url::parse(&server.base_url()).unwrap();
    fetcher().render(&browser, &request(url, json!({})), &gleaner_fetch::FollowAll).await.unwrap();
    let group = ProcessGroup::new(browser.stats().await.process_id.unwrap());
    assert!(listening_sockets(std::process::id()) > 0, "the dead end of this process is seen");
    assert!(group.running().len() > 1, "the processes of the browser are seen");
    assert_eq!(group.listening_sockets(), 0);
    browser.close().await;
}
