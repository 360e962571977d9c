//! Settings of the network that an engine passes to its fetcher, and the errors that they cause.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use gleaner::plan::SitemapMode;
use gleaner::request::Defaults;
use gleaner::{
    BatchScrapeRequest, CrawlRequest, Engine, EngineBuilder, ErrorCode, ErrorKind, Limits, MapRequest,
    Network, ScrapeRequest, Storage,
};
use gleaner_fetch::data_uri;
use gleaner_testkit::{RawServer, Step};
use gleaner_tests::fakes::engine_builder;

use super::support::{Loopback, page};
use super::tls;

fn resolving() -> EngineBuilder {
    engine_builder().network(Network::new().resolver(Arc::new(Loopback)))
}

async fn scrape(engine: &Engine, url: &str) -> Result<gleaner::Document, gleaner::Error> {
    engine.scrape(ScrapeRequest::new(url)).await
}

#[tokio::test]
async fn the_resolver_and_the_root_certificates_are_used() {
    let identity = tls::Identity::new("site.example");
    let server = tls::Server::start(&identity, &["http/1.1"]).await;
    let url = format!("https://site.example:{}/", server.addr().port());
    let base64 = data_uri("", &identity.authority()).split_once(',').unwrap().1.to_owned();
    let pem = format!("-----BEGIN CERTIFICATE-----\n{base64}\n-----END CERTIFICATE-----\n");
    let document =
        scrape(&resolving().network(Network::new().add_root_certificates_pem(pem)).build().unwrap(), &url)
            .await
            .unwrap();
    assert_eq!(document.metadata.status_code, Some(200));
    let error = scrape(&resolving().build().unwrap(), &url).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ScrapeSslError, "{error}");
}

#[tokio::test]
async fn certificates_are_checked_unless_a_request_of_the_program_says_otherwise() {
    let server = tls::Server::start(&tls::Identity::new("site.example"), &["http/1.1"]).await;
    let url = format!("https://site.example:{}/", server.addr().port());
    let engine = resolving().build().unwrap();
    let strict = resolving().network(Network::new().check_certificates(true)).build().unwrap();
    let plain = ScrapeRequest::new(&url);
    for (name, engine, request, is_checked) in [
        ("a program", &engine, plain.clone(), true),
        ("a program that accepts any", &engine, plain.clone().skip_tls_verification(true), false),
        ("the contract", &engine, plain.clone().with_defaults(Defaults::Contract), false),
        ("a strict engine", &strict, plain.with_defaults(Defaults::Contract), true),
    ] {
        let code = engine.scrape(request).await.err().map(|error| error.code());
        assert_eq!(code, is_checked.then_some(ErrorCode::ScrapeSslError), "{name}");
    }
    for (skip, pages) in [(None, 0), (Some(true), 1)] {
        let (mut batch, mut crawl) = (BatchScrapeRequest::new([&url]), CrawlRequest::new(&url));
        let mut map = MapRequest::new(&url).sitemap(SitemapMode::Skip);
        if let Some(skip) = skip {
            (batch, crawl) = (batch.skip_tls_verification(skip), crawl.skip_tls_verification(skip));
            map = map.skip_tls_verification(skip);
        }
        let batched = engine.batch(batch).await.unwrap().wait().await.unwrap();
        let crawled = engine.crawl(crawl).await.unwrap().wait().await.unwrap();
        for end in [batched, crawled] {
            assert_eq!((end.documents.len(), end.failures.len()), (pages, 1 - pages), "{skip:?}");
            assert!(end.failures.iter().all(|page| page.error.code == ErrorCode::ScrapeSslError));
        }
        let refused = engine.map(map).await.err().map(|error| error.code());
        assert_eq!(refused, skip.is_none().then_some(ErrorCode::ScrapeSslError));
    }
}

#[tokio::test]
async fn a_resolver_cannot_pass_the_egress_guard() {
    let engine = Engine::builder().network(Network::new().resolver(Arc::new(Loopback))).build().unwrap();
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
    let engine = engine_builder()
        .limits(Limits::new().max_body(1_000))
        .storage(Storage::new().no_cache())
        .build()
        .unwrap();
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
    let engine =
        engine_builder().network(Network::new().read_timeout(Duration::from_millis(50))).build().unwrap();
    let error = scrape(&engine, &server.base_url()).await.unwrap_err();
    assert!(error.is_timeout() && error.is_page() && !error.is_blocked(), "{error}");
    assert!(error.to_string().contains("50 ms"), "{error}");
}

#[test]
fn unusable_settings_are_refused() {
    for builder in [
        engine_builder().network(Network::new().connect_timeout(Duration::ZERO)),
        engine_builder().network(Network::new().read_timeout(Duration::ZERO)),
        engine_builder().network(Network::new().add_root_certificates_pem("not PEM")),
    ] {
        assert_eq!(builder.build().unwrap_err().kind(), ErrorKind::Configuration);
    }
}
