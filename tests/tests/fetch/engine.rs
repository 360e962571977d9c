//! The fetcher in the engine: options of a request reach the fetcher, and its metadata reaches the document.

use std::sync::Arc;

use gleaner::request::Defaults;
use gleaner::{Document, Engine, EngineBuilder, ErrorCode, Network, ScrapeRequest, Storage};
use gleaner_fetch::{
    Error, Load, LoadKind, MemoryCache, Picture, Render, RenderProxy, RenderRequest, Rendered, Request,
};
use gleaner_testkit::{ProxyServer, RawServer, Step};
use gleaner_tests::fakes::engine_builder;
use gleaner_types::plan::ScrapePlan;
use gleaner_types::{BoxFuture, CacheState, ProxyUsed};
use serde_json::{Value, json};

use super::support::{page, pool};

/// A scrape of `url` with these options, which pass the same check as a request over HTTP and have the same
/// defaults.
async fn scrape(engine: &Engine, url: &str, mut options: Value) -> Result<Document, gleaner::Error> {
    options.as_object_mut().unwrap().insert("url".to_owned(), url.into());
    ScrapePlan::from_json(&options).unwrap();
    let request = serde_json::from_value::<ScrapeRequest>(options).unwrap();
    engine.scrape(request.with_defaults(Defaults::Contract)).await
}

/// A server of one page, which counts requests.
fn site() -> RawServer {
    RawServer::start([Step::ReadRequest, page("<title>t</title><p>text"), Step::Repeat]).unwrap()
}

fn is_hit(document: &Document) -> bool {
    let metadata = &document.metadata;
    let hit = metadata.cache_state == Some(CacheState::Hit);
    assert_eq!(hit, metadata.cached_at.is_some(), "a cached copy has a time");
    hit
}

#[tokio::test]
async fn options_decide_whether_a_cached_copy_is_served() {
    let engine = engine_builder().build().unwrap();
    // The options of the first and the second scrape, and whether the second one is served from the cache.
    let rows = [
        (json!({}), json!({}), true),
        (json!({}), json!({ "maxAge": 0 }), false),
        (json!({}), json!({ "lockdown": true }), true),
        (json!({}), json!({ "formats": ["changeTracking", "markdown"] }), false),
        (json!({}), json!({ "formats": ["html"] }), true),
        (json!({}), json!({ "mobile": true }), false),
        (json!({}), json!({ "blockAds": false }), false),
        (json!({ "blockAds": false }), json!({ "blockAds": false, "onlyMainContent": false }), true),
        (json!({}), json!({ "headers": { "X-Tenant": "1" } }), false),
        (json!({}), json!({ "location": { "country": "DE", "languages": ["de"] } }), false),
        (json!({ "storeInCache": false }), json!({}), false),
        (json!({ "headers": { "X-Tenant": "1" } }), json!({ "headers": { "X-Tenant": "1" } }), false),
        (json!({ "maxAge": 0 }), json!({}), true),
    ];
    for (before, then, expect_hit) in rows {
        let server = site();
        assert!(!is_hit(&scrape(&engine, &server.base_url(), before.clone()).await.unwrap()), "{before}");
        let document = scrape(&engine, &server.base_url(), then.clone()).await.unwrap();
        assert_eq!(is_hit(&document), expect_hit, "{before} and then {then}");
        assert_eq!(server.requests().len(), if expect_hit { 1 } else { 2 }, "{before} and then {then}");
    }
}

#[tokio::test]
async fn a_program_gets_a_copy_only_if_it_asks_for_one() {
    let engine = engine_builder().build().unwrap();
    let server = site();
    let request = || ScrapeRequest::new(server.base_url());
    for (name, request, state, requests) in [
        ("first", request(), None, 1),
        ("again", request(), None, 2),
        ("a copy of a minute", request().max_age(60_000), Some(CacheState::Hit), 2),
        ("a copy of any age", request().lockdown(true), Some(CacheState::Hit), 2),
        // A copy of a connection with a checked certificate is none of one without.
        ("the contract", request().with_defaults(Defaults::Contract), Some(CacheState::Miss), 3),
        ("the contract again", request().with_defaults(Defaults::Contract), Some(CacheState::Hit), 3),
    ] {
        let document = engine.scrape(request).await.unwrap();
        assert_eq!(document.metadata.cache_state, state, "{name}");
        assert_eq!(server.requests().len(), requests, "{name}");
    }
}

#[tokio::test]
async fn the_cache_state_is_absent_if_the_cache_was_not_used() {
    let engine = engine_builder().build().unwrap();
    let server = site();
    for (options, state) in [
        (json!({ "maxAge": 0 }), None),
        (json!({ "formats": ["changeTracking", "markdown"] }), None),
        (json!({ "headers": { "Cookie": "a=1" } }), Some(CacheState::Miss)),
        (json!({ "storeInCache": false, "mobile": true }), Some(CacheState::Miss)),
        (json!({}), Some(CacheState::Hit)),
        (json!({ "lockdown": true }), Some(CacheState::Hit)),
    ] {
        let document = scrape(&engine, &server.base_url(), options.clone()).await.unwrap();
        assert_eq!(document.metadata.cache_state, state, "{options}");
        let written = serde_json::to_value(&document.metadata).unwrap();
        assert_eq!(written.get("cacheState").is_some(), state.is_some(), "{options}");
    }
}

#[tokio::test]
async fn cache_only_options_send_no_requests() {
    let server = site();
    let with_cache =
        engine_builder().storage(Storage::new().cache(Arc::new(MemoryCache::default()))).build().unwrap();
    for options in [json!({ "lockdown": true }), json!({ "minAge": 1 })] {
        let error = scrape(&with_cache, &server.base_url(), options.clone()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::ScrapeNoCachedData, "{options}: {error}");
        let without = engine_builder().storage(Storage::new().no_cache()).build().unwrap();
        let error = scrape(&without, &server.base_url(), options.clone()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::ScrapeNoCachedData, "{options}: {error}");
        assert!(
            error.to_string().contains("from the cache alone, and this engine was built without one"),
            "{error}"
        );
    }
    assert_eq!(server.connections(), 0);
    let without = engine_builder().storage(Storage::new().no_cache()).build().unwrap();
    for _ in 0..2 {
        assert!(!is_hit(&scrape(&without, &server.base_url(), json!({})).await.unwrap()));
    }
}

#[tokio::test]
async fn the_document_has_the_proxy_mode_that_was_used() {
    let challenge = Step::respond("403 Forbidden", &[("Content-Type", "text/html")], "go away");
    let server = RawServer::start_per_connection([
        vec![Step::ReadRequest, challenge, Step::Close],
        vec![Step::ReadRequest, page("<p>welcome"), Step::Repeat],
    ])
    .unwrap();
    let proxy = ProxyServer::start().unwrap();
    let engine = |builder: EngineBuilder| {
        builder
            .storage(Storage::new().no_cache())
            .network(Network::new().stealth_proxies(pool(&[&format!("http://{}", proxy.addr())])))
            .build()
            .unwrap()
    };
    let with_pool = engine(engine_builder());
    for (mode, used) in
        [("auto", ProxyUsed::Stealth), ("basic", ProxyUsed::Basic), ("stealth", ProxyUsed::Stealth)]
    {
        let document = scrape(&with_pool, &server.base_url(), json!({ "proxy": mode })).await.unwrap();
        assert_eq!(document.metadata.status_code, Some(200), "{mode}");
        assert_eq!(document.metadata.proxy_used, Some(used), "{mode}");
    }
    assert_eq!(proxy.destinations().len(), 1, "one tunnel is used twice");
    let without = engine_builder().build().unwrap();
    let error = scrape(&without, &server.base_url(), json!({ "proxy": "stealth" })).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::UnsupportedOption);
    assert!(error.to_string().contains("stealth proxies") && error.to_string().contains("basic"), "{error}");
}

#[tokio::test]
async fn cookies_are_shared_within_a_job_and_not_between_jobs() {
    let set =
        Step::respond("200 OK", &[("Content-Type", "text/html"), ("Set-Cookie", "k=c4nary; Path=/")], "<p>1");
    let server = RawServer::start([Step::ReadRequest, set, Step::Repeat]).unwrap();
    let engine = engine_builder().storage(Storage::new().no_cache()).concurrency(1).build().unwrap();
    let has_cookie = || {
        let heads = server.requests();
        heads.iter().map(|head| String::from_utf8_lossy(head).contains("c4nary")).collect::<Vec<_>>()
    };
    let batch = |count: usize| {
        let urls: Vec<String> = (0..count).map(|page| format!("{}/{page}", server.base_url())).collect();
        serde_json::from_value(json!({ "urls": urls })).unwrap()
    };
    let first = engine.batch(batch(3)).await.unwrap().wait().await.unwrap();
    assert_eq!(first.documents.len(), 3);
    assert_eq!(has_cookie(), [false, true, true], "pages of a job share cookies");
    engine.batch(batch(2)).await.unwrap().wait().await.unwrap();
    scrape(&engine, &server.base_url(), json!({})).await.unwrap();
    assert_eq!(has_cookie().get(3..), Some(&[false, true, false][..]), "another job starts without cookies");
    println!("cookies of one job in requests of another: 0 of 3 jobs");
}

/// Replaces the HTML of every page, as a script would.
#[derive(Debug)]
struct FakeBrowser;

impl Render for FakeBrowser {
    fn render<'a>(
        &'a self,
        request: &'a RenderRequest,
        proxy: &'a RenderProxy<'a>,
    ) -> BoxFuture<'a, Result<Rendered, Error>> {
        Box::pin(async move {
            let load = Load::new(Request::get(request.url.clone()), LoadKind::Navigation);
            let response = proxy.fetch(load).await?;
            let html = "<title>by script</title><p>rendered".to_owned();
            let mut page = Rendered::new(response.url, html);
            if request.url.path() == "/late" {
                page.warnings.push("the page was not ready in time".to_owned());
            }
            if request.url.path() == "/request" {
                let agent = request.user_agent.as_ref().and_then(|agent| agent.to_str().ok());
                page.html = format!("<p>agent {agent:?}, no retention {}", request.zero_data_retention);
            }
            page.styles = request
                .styles
                .then(|| json!({ "colorScheme": "dark", "colors": { "primary": "#ABC", "link": "<b>" } }));
            page.screenshot = request
                .screenshot
                .as_ref()
                .map(|_| Picture::new("image/png", bytes::Bytes::from_static(b"foob")));
            Ok(page)
        })
    }
}

#[tokio::test]
async fn options_that_need_a_browser_use_the_configured_one() {
    let server = site();
    let plain = engine_builder().build().unwrap();
    let rendering = engine_builder().renderer(Arc::new(FakeBrowser)).build().unwrap();
    let rows = [
        (json!({ "waitFor": 10 }), None),
        (json!({ "mobile": true }), None),
        (json!({ "formats": ["screenshot"] }), Some(ErrorCode::ScrapeScreenshotNotSupported)),
        (json!({ "actions": [{ "type": "scrape" }] }), Some(ErrorCode::ScrapeActionsNotSupported)),
    ];
    for (options, refused) in rows {
        let outcome = scrape(&plain, &server.base_url(), options.clone()).await;
        assert_eq!(outcome.as_ref().err().map(gleaner::Error::code), refused, "{options}");
        if let Err(error) = outcome {
            assert!(error.to_string().contains("built without one: its operator can add one"), "{error}");
        }
        let document = scrape(&rendering, &server.base_url(), options.clone()).await.unwrap();
        assert_eq!(document.metadata.title.as_deref(), Some("by script"), "{options}");
        assert_eq!(document.warning, None, "{options}");
        let picture = options.to_string().contains("screenshot").then_some("data:image/png;base64,Zm9vYg==");
        assert_eq!(document.screenshot.as_deref(), picture, "{options}");
        assert_eq!(document.actions.is_some(), options.to_string().contains("actions"), "{options}");
    }
    let document = scrape(&rendering, &server.base_url(), json!({})).await.unwrap();
    assert_eq!(
        document.metadata.title.as_deref(),
        Some("t"),
        "a page that needs no browser is fetched without one"
    );
    let error = scrape(&rendering, &server.base_url(), json!({ "mobile": true, "lockdown": true }))
        .await
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::ScrapeNoCachedData, "{error}");
}

#[tokio::test]
async fn a_rendered_document_has_the_facts_of_its_answer() {
    let engine = engine_builder().renderer(Arc::new(FakeBrowser)).build().unwrap();
    let rows = [
        // Content type as sent, body, content type of the document, text that comes from the body.
        ("Text/HTML; charset=latin1", "<p>static", "text/html; charset=utf-8", "rendered"),
        ("text/plain", "plain words", "text/plain", "plain words"),
    ];
    for (sent, body, content_type, text) in rows {
        let answer = Step::respond("203 Non-Authoritative Information", &[("Content-Type", sent)], body);
        let server = RawServer::start([Step::ReadRequest, answer, Step::Repeat]).unwrap();
        let document = scrape(&engine, &server.base_url(), json!({ "waitFor": 1 })).await.unwrap();
        assert_eq!(document.metadata.status_code, Some(203));
        assert_eq!(document.metadata.content_type.as_deref(), Some(content_type));
        assert!(document.markdown.as_deref().unwrap_or_default().contains(text), "{:?}", document.markdown);
        assert_eq!(document.warning, None);
    }
    let server = site();
    let url = format!("{}/late", server.base_url());
    let document = scrape(&engine, &url, json!({ "mobile": true })).await.unwrap();
    assert_eq!(document.warning.as_deref(), Some("the page was not ready in time"));
}

#[tokio::test]
async fn branding_of_a_rendered_page_has_its_computed_styles() {
    let body = "<style>:root{--primary:#111111} a{color:#222222}</style><p>text";
    let server = RawServer::start([Step::ReadRequest, page(body), Step::Repeat]).unwrap();
    let engine = engine_builder().renderer(Arc::new(FakeBrowser)).build().unwrap();
    for (wait, scheme, colors) in [
        (0, "light", json!({ "primary": "#111111", "link": "#222222" })),
        // The page that the browser returns has no style sheet.
        (1, "dark", json!({ "primary": "#aabbcc" })),
    ] {
        let options = json!({ "formats": ["branding"], "waitFor": wait });
        let branding = scrape(&engine, &server.base_url(), options).await.unwrap().branding.unwrap();
        assert_eq!((&branding["colorScheme"], &branding["colors"]), (&json!(scheme), &colors), "{wait}");
    }
    let options = json!({ "formats": ["markdown"], "waitFor": 1 });
    assert_eq!(scrape(&engine, &server.base_url(), options).await.unwrap().branding, None);
}

#[tokio::test]
async fn the_browser_gets_the_user_agent_and_the_retention_of_the_request() {
    let server = site();
    let url = format!("{}/request", server.base_url());
    let engine = engine_builder().user_agent("mine/1.0").renderer(Arc::new(FakeBrowser)).build().unwrap();
    for (options, expected) in [
        (json!({ "waitFor": 1 }), "agent Some(\"mine/1.0\"), no retention false"),
        (json!({ "waitFor": 1, "zeroDataRetention": true }), "agent Some(\"mine/1.0\"), no retention true"),
        (
            json!({ "waitFor": 1, "headers": { "User-Agent": "theirs" } }),
            "agent Some(\"theirs\"), no retention false",
        ),
    ] {
        let document = scrape(&engine, &url, options).await.unwrap();
        assert_eq!(document.markdown.as_deref(), Some(expected));
    }
}
