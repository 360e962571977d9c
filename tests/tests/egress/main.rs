//! The egress guard as a user of the engine meets it: a canary listens where nobody may go, and sees no connection.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "code of tests: a broken assumption ends the test"
)]

use gleaner::{CrawlRequest, Engine, ErrorCode, ScrapeRequest};
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

#[tokio::test]
async fn a_redirect_to_a_private_address_is_refused() {
    let canary = Canary::start_on("127.0.0.2:0").unwrap();
    let engine = guarded();
    for status in [
        "301 Moved Permanently",
        "302 Found",
        "303 See Other",
        "307 Temporary Redirect",
        "308 Permanent Redirect",
    ] {
        let location = canary.base_url();
        let answer = Step::respond(status, &[("Location", location.as_str())], "");
        let server = RawServer::start([Step::ReadRequest, answer]).unwrap();
        refuses(&engine, &server.base_url()).await;
        assert_eq!(server.connections(), 1);
    }
    assert_eq!(canary.connections(), 0);
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
    let server = RawServer::start_each(scripts).unwrap();
    let request = CrawlRequest { allow_external_links: Some(true), ..CrawlRequest::new(server.base_url()) };
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
