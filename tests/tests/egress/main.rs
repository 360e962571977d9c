//! The egress guard as a user of the engine meets it: a canary listens where nobody may go, and sees no connection.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "code of tests: a broken assumption ends the test, and figures are printed"
)]

use gleaner::{CrawlRequest, Engine, ErrorCode, MapRequest, ScrapeRequest};
use gleaner_testkit::{Canary, RawServer, Step};

/// An engine that may reach 127.0.0.1 alone, where the servers of these tests are.
fn guarded() -> Engine {
    Engine::builder().allow_private("127.0.0.1/32".parse().unwrap()).build().unwrap()
}

async fn refuses(engine: &Engine, url: &str) {
    let error = engine.scrape(ScrapeRequest::new(url)).await.expect_err(url);
    assert_eq!(error.code(), ErrorCode::ScrapeBlocked, "{url}: {error}");
}

#[tokio::test]
async fn private_addresses_are_refused_however_they_are_written() {
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
        refuses(&engine, &format!("http://{host}:{port}/")).await;
    }
    // Whether this name resolves is the system's choice.
    assert!(engine.scrape(ScrapeRequest::new(format!("http://localhost.:{port}/"))).await.is_err());
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn a_range_that_is_opened_opens_nothing_else() {
    let server = RawServer::start([
        Step::ReadRequest,
        Step::respond("200 OK", &[("Content-Type", "text/html")], "<p>in"),
    ])
    .unwrap();
    let canary = Canary::start_on("127.0.0.2:0").unwrap();
    let engine = guarded();
    engine.scrape(ScrapeRequest::new(server.base_url())).await.unwrap();
    refuses(&engine, &canary.base_url()).await;
    assert_eq!(canary.connections(), 0);
}

/// The ways in which an answer sends its reader on.
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

/// An answer that sends its reader to `location` in this way, and closes its connection.
fn redirect(way: &str, location: &str) -> Vec<Step> {
    let close = ("Connection", "close");
    let html = ("Content-Type", "text/html");
    let answer = match way {
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

fn answering(status: &str, kind: &str, body: &str) -> Vec<Step> {
    let answer = Step::respond(status, &[("Content-Type", kind), ("Connection", "close")], body);
    vec![Step::ReadRequest, answer, Step::Close]
}

#[tokio::test]
async fn redirects_to_private_addresses_at_every_entry() {
    let canary = Canary::start_on("127.0.0.2:0").unwrap();
    let target = canary.base_url();
    let engine = guarded();
    let mut tried = 0;
    for way in REDIRECTS {
        // A page, behind so many redirects that are fine.
        for hops in 0..3 {
            let fine = (0..hops).map(|hop| redirect("302 Found", &format!("/{hop}")));
            let server = RawServer::start_per_connection(fine.chain([redirect(way, &target)])).unwrap();
            if matches!(way, "Refresh" | "meta") {
                // A page that may not send its reader on is shown itself.
                let page = engine.scrape(ScrapeRequest::new(server.base_url())).await.unwrap();
                assert_eq!(page.markdown.as_deref().map(str::trim), Some("wait"), "{way}");
            } else {
                refuses(&engine, &server.base_url()).await;
            }
            assert_eq!(server.connections(), hops + 1, "{way}");
        }
        // robots.txt; a sitemap, the page before it being fine; and a page that was found.
        let robots = [redirect(way, &target)].to_vec();
        let none = answering("404 Not Found", "text/plain", "");
        let home = answering("200 OK", "text/html", "<p>home<a href='/next'>next</a>");
        let later = [none, home, redirect(way, &target)].to_vec();
        for (door, scripts) in [("robots", robots), ("sitemap and link", later)] {
            let server = RawServer::start_per_connection(scripts).unwrap();
            let request = CrawlRequest::new(server.base_url());
            let done = engine.crawl(request).await.unwrap().wait().await.unwrap();
            assert!(server.connections() >= 1, "{door}, {way}: {done:?}");
        }
        // A map asks the same doors without a queue.
        let server = RawServer::start(redirect(way, &target)).unwrap();
        let _ = engine.map(MapRequest::new(server.base_url())).await;
        tried += 6;
        assert_eq!(canary.connections(), 0, "{way}");
    }
    println!(
        "{tried} redirects at 4 doors (page, robots, sitemap, map) x {} ways: canary 0",
        REDIRECTS.len()
    );
}

#[tokio::test]
async fn links_robots_and_sitemaps_lead_to_no_private_address() {
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
    let result = guarded().crawl(request).await.unwrap().wait().await.unwrap();
    assert_eq!(canary.connections(), 0);
    let codes: Vec<ErrorCode> = result.failures.failures.iter().map(|failure| failure.error.code).collect();
    assert!(codes.contains(&ErrorCode::ScrapeBlocked), "the refused link is listed: {codes:?}");
}

#[tokio::test]
async fn a_refusal_does_not_tell_what_a_name_resolves_to() {
    let engine = Engine::builder().build().unwrap();
    let error = engine.scrape(ScrapeRequest::new("http://localhost:8080/")).await.unwrap_err().to_string();
    assert!(error.contains("localhost"), "{error}");
    assert!(!error.contains("127.0.0.1") && !error.contains("::1"), "{error}");
}
