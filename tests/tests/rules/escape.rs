//! Ways out of the site that a page may take: none of them yields a page of another site.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;

use gleaner_frontier::{CrawlScope, Decision};
use gleaner_testkit::Canary;
use gleaner_types::ErrorCode;

use crate::support::{engine, links_only, rules, url};

/// Serves a few pages by path, on a thread that ends with the process. A body that begins with `->` redirects; one that
/// begins with a line `X-Robots-Tag: ...` has that header.
pub(crate) struct Pages {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Pages {
    pub(crate) fn serve(pages: Vec<(String, String)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
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
                let body = pages.iter().find(|(known, _)| *known == path).map(|(_, body)| body.as_str());
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
                // Whoever asked may have gone.
                let _ = write!(
                    &stream,
                    "HTTP/1.1 {head}{tag}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The paths that were asked for, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_of_another_site_comes() {
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
        // Full-width digits are the same address, with the other port.
        &format!("http://\u{ff11}\u{ff12}\u{ff17}.0.0.1:{port}/homograph"),
        &format!("http://2130706433:{port}/number"),
        &format!("http://127.0.0.1:{port}@127.0.0.1:{port}/user"),
        &format!("\\\\127.0.0.1:{port}\\backslash"),
    ];
    let links: String = links.iter().map(|link| format!("<a href='{link}'>x</a>")).collect();
    let page = |path: &str, body: String| (path.to_owned(), body);
    let pages = Pages::serve(vec![
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
        let came: Vec<&str> =
            result.documents.iter().filter_map(|document| document.metadata.url.as_deref()).collect();
        let off_scope = came.iter().filter(|came| !came.starts_with(&pages.url("/"))).count();
        println!("escape: {} pages, off-scope pages emitted {off_scope}", came.len());
        assert_eq!(off_scope, 0, "{came:?}");
        // A page keeps its place whatever page it calls the canonical one, and one that may not send its readers on is shown
        // itself. A redirect that leads out has nothing to show.
        let came: BTreeSet<&str> =
            came.into_iter().filter_map(|came| came.strip_prefix(pages.url("").as_str())).collect();
        assert_eq!(came, BTreeSet::from(["/", "/canonical", "/base", "/refresh", "/in"]));
        let failures = &result.failures;
        let failed: BTreeSet<&str> = failures.iter().map(|failure| failure.url.path()).collect();
        assert_eq!(failed, BTreeSet::from(["/redirect", "/twice"]));
        assert!(failures.iter().all(|failure| failure.error.code == ErrorCode::CrawlDenial), "{failures:?}");
    }
    assert_eq!(canary.connections(), 0, "nor is it asked");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_that_send_their_readers_on_are_pages_as_well() {
    let moves_on = |to: &str, after: u32| {
        format!("<meta http-equiv=refresh content='{after}; url={to}'><p>This page moves on to {to}.")
    };
    let pages = Pages::serve(vec![
        (
            "/".to_owned(),
            "<a href=/a>a</a> <a href=/b>b</a> <a href=/slides/1>slides</a> <a href=/old>old</a>".to_owned(),
        ),
        // In a circle.
        ("/a".to_owned(), moves_on("/b", 0)),
        ("/b".to_owned(), moves_on("/a", 0)),
        // To be read for a while. Nothing else leads to the next.
        ("/slides/1".to_owned(), moves_on("/slides/2", 5)),
        ("/slides/2".to_owned(), moves_on("/slides/3", 10)),
        ("/slides/3".to_owned(), moves_on("/slides/1", 10)),
        // Moved for good.
        ("/old".to_owned(), moves_on("/new", 0)),
        ("/new".to_owned(), "here".to_owned()),
    ]);
    let result = engine().crawl(links_only(pages.url("/"))).await.unwrap().wait().await.unwrap();
    let base = pages.url("");
    let mut came: Vec<&str> = result
        .documents
        .iter()
        .filter_map(|document| document.metadata.url.as_deref()?.strip_prefix(base.as_str()))
        .collect();
    came.sort_unstable();
    assert_eq!(came, ["/", "/a", "/b", "/new", "/slides/1", "/slides/2", "/slides/3"]);
    assert_eq!(result.failures, []);
}

#[test]
fn hosts_that_only_look_alike_are_other_hosts() {
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
        // What is no URL is no link either.
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
