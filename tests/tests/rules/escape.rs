//! Attempts of a page to lead the crawl off the site: none gives a page of another site.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;

use gleaner_frontier::{CrawlScope, Decision};
use gleaner_testkit::Canary;
use gleaner_types::ErrorCode;

use crate::support::{engine, links_only, rules, url};

/// A server of a few pages by path, on a thread that runs until the process ends. A body that starts with
/// `->` is a redirect. A body that starts with a line `X-Robots-Tag: ...` is sent with that header.
pub(crate) struct PathServer {
    address: SocketAddr,
    requested: Arc<Mutex<Vec<String>>>,
}

impl PathServer {
    pub(crate) fn start(pages: Vec<(String, String)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requested = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&requested);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut reader = BufReader::new(&stream);
                let mut request = String::new();
                let mut line = String::new();
                while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                    if request.is_empty() {
                        request.clone_from(&line);
                    }
                    line.clear();
                }
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                let body = pages.iter().find(|(other, _)| *other == path).map(|(_, body)| body.as_str());
                let (tag, body) = match body.and_then(|body| body.split_once('\n')) {
                    Some((line, rest)) if line.starts_with("X-Robots-Tag: ") => {
                        (format!("{line}\r\n"), Some(rest))
                    }
                    _ => (String::new(), body),
                };
                let head = match body {
                    None => "404 Not Found\r\n".to_owned(),
                    Some(body) => match body.strip_prefix("->") {
                        Some(to) => format!("302 Found\r\nLocation: {to}\r\n"),
                        None => "200 OK\r\nContent-Type: text/html\r\n".to_owned(),
                    },
                };
                let body = body.unwrap_or("none");
                log.lock().unwrap().push(path);
                // The client may have closed the connection.
                let _ = write!(
                    &stream,
                    "HTTP/1.1 {head}{tag}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        Self { address, requested }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requested paths, in order.
    pub(crate) fn requested_paths(&self) -> Vec<String> {
        self.requested.lock().unwrap().clone()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_of_another_site_is_emitted() {
    let canary = Canary::start().unwrap();
    let out = canary.base_url();
    let port = url(&out).port().unwrap();
    let links = [
        "/redirect",
        "/twice",
        "/canonical",
        "/base",
        "/refresh",
        "/in",
        &format!("{out}/plain"),
        &format!("//127.0.0.1:{port}/relative"),
        // Full-width digits, the same IP address with the other port.
        &format!("http://\u{ff11}\u{ff12}\u{ff17}.0.0.1:{port}/homograph"),
        &format!("http://2130706433:{port}/number"),
        &format!("http://127.0.0.1:{port}@127.0.0.1:{port}/user"),
        &format!("\\\\127.0.0.1:{port}\\backslash"),
    ];
    let links: String = links.iter().map(|link| format!("<a href='{link}'>x</a>")).collect();
    let page = |path: &str, body: String| (path.to_owned(), body);
    let pages = PathServer::start(vec![
        page("/", links),
        page("/redirect", format!("->{out}/redirected")),
        page("/twice", "->/redirect".to_owned()),
        page("/canonical", format!("<link rel=canonical href='{out}/canonical'>Canonical elsewhere")),
        page("/base", format!("<base href='{out}/'><a href='child'>x</a><a href='?q'>y</a>")),
        page("/refresh", format!("<meta http-equiv=refresh content='0; url={out}/refreshed'>Refresh")),
        page("/in", "inside".to_owned()),
    ]);
    for entire in [false, true] {
        let request = links_only(pages.url("/")).crawl_entire_domain(entire).allow_subdomains(entire);
        let result = engine().crawl(request).await.unwrap().wait().await.unwrap();
        let emitted: Vec<&str> =
            result.documents.iter().filter_map(|document| document.metadata.url.as_deref()).collect();
        let off_scope = emitted.iter().filter(|emitted| !emitted.starts_with(&pages.url("/"))).count();
        println!("escape: {} pages, off-scope pages emitted {off_scope}", emitted.len());
        assert_eq!(off_scope, 0, "{emitted:?}");
        // A canonical link does not move a page, and a page whose refresh is not followed gives a document
        // itself. A redirect off the site gives no document.
        let emitted: BTreeSet<&str> =
            emitted.into_iter().filter_map(|emitted| emitted.strip_prefix(pages.url("").as_str())).collect();
        assert_eq!(emitted, BTreeSet::from(["/", "/canonical", "/base", "/refresh", "/in"]));
        let failures = &result.failures;
        let failed: BTreeSet<&str> = failures.iter().map(|failure| failure.url.path()).collect();
        assert_eq!(failed, BTreeSet::from(["/redirect", "/twice"]));
        assert!(failures.iter().all(|failure| failure.error.code == ErrorCode::CrawlDenial), "{failures:?}");
    }
    assert_eq!(canary.connections(), 0, "the other site gets no request");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_with_a_refresh_give_documents_as_well() {
    let page_with_refresh = |to: &str, after: u32| {
        format!("<meta http-equiv=refresh content='{after}; url={to}'><p>This page moves on to {to}.")
    };
    let pages = PathServer::start(vec![
        (
            "/".to_owned(),
            "<a href=/a>a</a> <a href=/b>b</a> <a href=/slides/1>slides</a> <a href=/old>old</a>".to_owned(),
        ),
        // A loop.
        ("/a".to_owned(), page_with_refresh("/b", 0)),
        ("/b".to_owned(), page_with_refresh("/a", 0)),
        // Slides with a delay. Only the refresh leads to the next one.
        ("/slides/1".to_owned(), page_with_refresh("/slides/2", 5)),
        ("/slides/2".to_owned(), page_with_refresh("/slides/3", 10)),
        ("/slides/3".to_owned(), page_with_refresh("/slides/1", 10)),
        // Moved permanently.
        ("/old".to_owned(), page_with_refresh("/new", 0)),
        ("/new".to_owned(), "here".to_owned()),
    ]);
    let result = engine().crawl(links_only(pages.url("/"))).await.unwrap().wait().await.unwrap();
    let base = pages.url("");
    let mut emitted: Vec<&str> = result
        .documents
        .iter()
        .filter_map(|document| document.metadata.url.as_deref()?.strip_prefix(base.as_str()))
        .collect();
    emitted.sort_unstable();
    assert_eq!(emitted, ["/", "/a", "/b", "/new", "/slides/1", "/slides/2", "/slides/3"]);
    assert_eq!(result.failures, []);
}

#[test]
fn similar_looking_hosts_are_other_hosts() {
    let mut rules = rules();
    (rules.allow_subdomains, rules.crawl_entire_domain) = (true, true);
    let scope = CrawlScope::new(&url("https://shop.example.com/"), &rules).unwrap();
    for (name, link) in [
        ("Cyrillic a", "https://shop.ex\u{430}mple.com/"),
        ("Greek omicron", "https://shop.example.c\u{3bf}m/"),
        ("dotless i", "https://sh\u{131}p.examp1e.com/"),
        ("its name as a prefix", "https://shop.example.com.evil.net/"),
        ("its name as a suffix", "https://notexample.com/"),
        ("hyphen for dot", "https://shop-example.com/"),
        ("its name as user", "https://shop.example.com@evil.net/"),
        ("its name as user and password", "https://shop.example.com:443@evil.net/"),
        ("backslash before the at sign", "https://evil.net\\@shop.example.com/"),
        ("its name in the query", "https://evil.net/?shop.example.com"),
        ("its name in the path", "https://evil.net/shop.example.com/"),
        ("a one dot leader", "https://shop\u{2024}example.com.evil.net/"),
        ("another port", "https://shop.example.com:8443/"),
        ("a public suffix of its own", "https://com/"),
    ] {
        // What does not parse is not a link.
        let Ok(link) = url::Url::parse(link) else { continue };
        assert!(matches!(scope.decide(&link, false), Decision::Rejected(_)), "{name}: {link}");
    }
    for (name, link) in [
        ("full-width letters are the same name", "https://\u{ff53}hop.example.com/x"),
        ("ideographic full stop is a dot", "https://shop\u{3002}example.com/x"),
        ("soft hyphens are dropped", "https://sh\u{ad}op.example.com/x"),
    ] {
        assert_eq!(scope.decide(&url(link), false), Decision::Inside, "{name}");
    }
}
