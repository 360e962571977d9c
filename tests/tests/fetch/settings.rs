//! Settings of the network that an engine passes to its fetcher, and the errors that they cause.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use gleaner::{Engine, EngineBuilder, ErrorCode, ErrorKind, ScrapeRequest};
use gleaner_fetch::data_uri;
use gleaner_testkit::{RawServer, Step};
use gleaner_tests::fakes::engine_builder;

use super::support::{Loopback, page};
use super::tls;

fn resolving() -> EngineBuilder {
    engine_builder().resolver(Arc::new(Loopback))
}

async fn scrape(engine: &Engine, url: &str) -> Result<gleaner::Document, gleaner::Error> {
    engine.scrape(ScrapeRequest::new(url)).await
}

#[tokio::test]
async fn the_resolver_and_the_root_certificates_are_used() {
    let identity = tls::Identity::new("site.example");
    let server = tls::Server::start(&identity, &["http/1.1"]).await;
    let url = format!("https://site.example:{}/", server.addr().port());
    let strict = || resolving().check_certificates(true);

    let base64 = data_uri("", &identity.authority()).split_once(',').unwrap().1.to_owned();
    let pem = format!("-----BEGIN CERTIFICATE-----\n{base64}\n-----END CERTIFICATE-----\n");
    let document = scrape(&strict().add_root_certificates_pem(pem).build().unwrap(), &url).await.unwrap();
    assert_eq!(document.metadata.status_code, Some(200));
    let error = scrape(&strict().build().unwrap(), &url).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ScrapeSslError, "{error}");
}

#[tokio::test]
async fn a_resolver_cannot_pass_the_egress_guard() {
    let engine = Engine::builder().resolver(Arc::new(Loopback)).build().unwrap();
    let error = scrape(&engine, "http://site.example/?token=hush").await.unwrap_err();
    assert!(error.is_egress_denied() && error.is_blocked() && !error.is_timeout(), "{error}");
    let source = error.source().unwrap();
    assert!(source.is::<gleaner::JobError>(), "{source:?}");
    for text in [error.to_string(), format!("{error:?}"), source.to_string(), format!("{source:?}")] {
        assert!(!text.contains("hush") && !text.contains("127.0.0.1"), "{text}");
    }
}

#[tokio::test]
async fn a_body_above_the_limit_is_an_error() {
    let engine = engine_builder().max_body(1_000).no_cache().build().unwrap();
    for (bytes, expected) in [(1_000, None), (1_001, Some(ErrorCode::ScrapeBodyTooLarge))] {
        let body = format!("<p>{}", "a".repeat(bytes - 3));
        let server = RawServer::start([Step::ReadRequest, page(&body), Step::Repeat]).unwrap();
        let outcome = scrape(&engine, &server.base_url()).await;
        assert_eq!(outcome.err().map(|error| error.code()), expected, "{bytes} bytes");
    }
}

#[tokio::test]
async fn a_silent_server_is_a_timeout() {
    let server = RawServer::start([Step::ReadRequest, Step::Hang]).unwrap();
    let engine = engine_builder().read_timeout(Duration::from_millis(50)).build().unwrap();
    let error = scrape(&engine, &server.base_url()).await.unwrap_err();
    assert!(error.is_timeout() && error.is_page() && !error.is_blocked(), "{error}");
    assert!(error.to_string().contains("50 ms"), "{error}");
}

#[test]
fn unusable_settings_are_refused() {
    for builder in [
        engine_builder().connect_timeout(Duration::ZERO),
        engine_builder().read_timeout(Duration::ZERO),
        engine_builder().add_root_certificates_pem("not PEM"),
    ] {
        assert_eq!(builder.build().unwrap_err().kind(), ErrorKind::Configuration);
    }
}
