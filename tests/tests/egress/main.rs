//! The egress guard of the engine: a canary listens on a forbidden address and gets no connection.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "test code: a broken assumption ends the test, and figures are printed"
)]

use gleaner::{CrawlRequest, Engine, ErrorCode, MapRequest, ScrapeRequest};
use gleaner_testkit::{Canary, RawServer, Step};

/// An engine that may connect to 127.0.0.1, where the servers of these tests are, and to no other private
/// address.
fn loopback_engine() -> Engine {
    Engine::builder().allow_private("127.0.0.1/32".parse().unwrap()).build().unwrap()
}

async fn assert_refused(engine: &Engine, url: &str) {
    let error = engine.scrape(ScrapeRequest::new(url)).await.expect_err(url);
    assert_eq!(error.code(), ErrorCode::ScrapeBlocked, "{url}: {error}");
}

#[tokio::test]
async fn private_addresses_are_refused_in_every_spelling() {
    let canary = Canary::start().unwrap();
    let port = canary.addr().port();
    let engine = Engine::builder().build().unwrap();
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "１２７.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "localhost",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "[fe80::1]",
        "[fc00::1]",
    ] {
        assert_refused(&engine, &format!("http://{host}:{port}/")).await;
    }
    // Whether this name resolves depends on the system.
    assert!(engine.scrape(ScrapeRequest::new(format!("http://localhost.:{port}/"))).await.is_err());
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn allowing_a_range_allows_no_other_address() {
    let server = RawServer::start([
        Step::ReadRequest,
        Step::respond("200 OK", &[("Content-Type", "text/html")], "<p>in"),
    ])
    .unwrap();
    let canary = Canary::start_on("127.0.0.2:0").unwrap();
    let engine = loopback_engine();
    engine.scrape(ScrapeRequest::new(server.base_url())).await.unwrap();
    assert_refused(&engine, &canary.base_url()).await;
    assert_eq!(canary.connections(), 0);
}

/// Kinds of redirects.
const REDIRECTS: [&str; 8] = [
    "301 Moved Permanently",
    "302 Found",
    "303 See Other",
    "307 Temporary Redirect",
    "308 Permanent Redirect",
    "without a scheme",
    "Refresh",
    "meta",
];

/// A response that redirects to `location` and closes the connection.
fn redirect(kind: &str, location: &str) -> Vec<Step> {
    let close = ("Connection", "close");
    let html = ("Content-Type", "text/html");
    let answer = match kind {
        "Refresh" => {
            Step::respond("200 OK", &[("Refresh", &format!("0; url={location}")), html, close], "<p>wait")
        }
        "meta" => Step::respond(
            "200 OK",
            &[html, close],
            format!("<meta http-equiv=refresh content='0; url={location}'><p>wait"),
        ),
        "without a scheme" => {
            Step::respond("302 Found", &[("Location", location.trim_start_matches("http:")), close], "")
        }
        status => Step::respond(status, &[("Location", location), close], ""),
    };
    vec![Step::ReadRequest, answer, Step::Close]
}

fn response_script(status: &str, content_type: &str, body: &str) -> Vec<Step> {
    let answer = Step::respond(status, &[("Content-Type", content_type), ("Connection", "close")], body);
    vec![Step::ReadRequest, answer, Step::Close]
}

#[tokio::test]
async fn redirects_to_private_addresses_are_refused_at_every_entry_point() {
    let canary = Canary::start_on("127.0.0.2:0").unwrap();
    let target = canary.base_url();
    let engine = loopback_engine();
    let mut tried = 0;
    for kind in REDIRECTS {
        // A page behind 0 to 2 allowed redirects.
        for hops in 0..3 {
            let allowed = (0..hops).map(|hop| redirect("302 Found", &format!("/{hop}")));
            let server = RawServer::start_per_connection(allowed.chain([redirect(kind, &target)])).unwrap();
            if matches!(kind, "Refresh" | "meta") {
                // A page whose refresh is refused gives a document itself.
                let page = engine.scrape(ScrapeRequest::new(server.base_url())).await.unwrap();
                assert_eq!(page.markdown.as_deref().map(str::trim), Some("wait"), "{kind}");
            } else {
                assert_refused(&engine, &server.base_url()).await;
            }
            assert_eq!(server.connections(), hops + 1, "{kind}");
        }
        // robots.txt, and a sitemap and a linked page after an allowed start page.
        let robots = [redirect(kind, &target)].to_vec();
        let none = response_script("404 Not Found", "text/plain", "");
        let home = response_script("200 OK", "text/html", "<p>home<a href='/next'>next</a>");
        let later = [none, home, redirect(kind, &target)].to_vec();
        for (entry_point, scripts) in [("robots", robots), ("sitemap and link", later)] {
            let server = RawServer::start_per_connection(scripts).unwrap();
            let request = CrawlRequest::new(server.base_url());
            let done = engine.crawl(request).await.unwrap().wait().await.unwrap();
            assert!(server.connections() >= 1, "{entry_point}, {kind}: {done:?}");
        }
        // A map uses the same entry points without a queue.
        let server = RawServer::start(redirect(kind, &target)).unwrap();
        let _ = engine.map(MapRequest::new(server.base_url())).await;
        tried += 6;
        assert_eq!(canary.connections(), 0, "{kind}");
    }
    println!(
        "{tried} redirects at 4 entry points (page, robots, sitemap, map) x {} kinds: canary 0",
        REDIRECTS.len()
    );
}

#[tokio::test]
async fn links_and_sitemaps_of_robots_txt_lead_to_no_private_address() {
    let canary = Canary::start_on("127.0.0.2:0").unwrap();
    let private = canary.base_url();
    let robots = format!("Sitemap: {private}/sitemap.xml\n");
    let page = format!("<a href='{private}/secret'>secret</a>");
    let scripts = [
        vec![
            Step::ReadRequest,
            Step::respond("200 OK", &[("Content-Type", "text/plain"), ("Connection", "close")], robots),
        ],
        vec![
            Step::ReadRequest,
            Step::respond("200 OK", &[("Content-Type", "text/html"), ("Connection", "close")], page),
        ],
    ];
    let server = RawServer::start_per_connection(scripts).unwrap();
    let request = CrawlRequest::new(server.base_url()).allow_external_links(true);
    let result = loopback_engine().crawl(request).await.unwrap().wait().await.unwrap();
    assert_eq!(canary.connections(), 0);
    let codes: Vec<ErrorCode> = result.failures.iter().map(|failure| failure.error.code).collect();
    assert!(codes.contains(&ErrorCode::ScrapeBlocked), "the refused link is listed: {codes:?}");
}

#[tokio::test]
async fn the_error_of_a_refusal_does_not_name_the_resolved_address() {
    let engine = Engine::builder().build().unwrap();
    let error = engine.scrape(ScrapeRequest::new("http://localhost:8080/")).await.unwrap_err().to_string();
    assert!(error.contains("localhost"), "{error}");
    assert!(!error.contains("127.0.0.1") && !error.contains("::1"), "{error}");
}
