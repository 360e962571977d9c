//! Tests that each setter of a request sets its field.

use gleaner_types::plan::{ChangeTrackingMode, PdfMode, SitemapMode};
use gleaner_types::request::{
    Action, Agent, AttributeSelector, AttributesFormat, BatchScrapeRequest, ChangeTrackingFormat,
    CrawlParamsPreviewRequest, CrawlRequest, ExtractRequest, Extras, Format, JsonFormat, Location,
    MapRequest, PdfParser, ProxyChoice, ScrapeOptions, ScrapeRequest, ScreenshotFormat, Viewport, Webhook,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::row::with;

/// Calls the setter of every scrape option.
macro_rules! with_every_option {
    ($request:expr) => {
        $request
            .formats([
                Format::Markdown,
                JsonFormat::new().schema(json!({ "type": "object" })).prompt("the price").into(),
                ScreenshotFormat::new().full_page(true).quality(80).viewport(Viewport::new(800, 600)).into(),
                AttributesFormat::new([AttributeSelector::new("a", "href")]).into(),
                ChangeTrackingFormat::new()
                    .modes([ChangeTrackingMode::Json])
                    .schema(json!({}))
                    .prompt("p")
                    .tag("t")
                    .into(),
            ])
            .only_main_content(false)
            .include_tags(["main"])
            .exclude_tags(["nav"])
            .max_age(1)
            .min_age(2)
            .lockdown(true)
            .headers([("X-Key", "v")])
            .wait_for(3)
            .mobile(true)
            .skip_tls_verification(false)
            .timeout(4)
            .parsers([PdfParser::new().mode(PdfMode::Fast).max_pages(5)])
            .actions([Action::Scrape])
            .location(Location::new().country("DE").languages(["de"]))
            .remove_base64_images(false)
            .block_ads(false)
            .proxy(ProxyChoice::Basic)
            .store_in_cache(false)
    };
}

/// The JSON of [`with_every_option`].
fn every_option() -> Value {
    json!({
        "formats": [
            "markdown",
            { "type": "json", "schema": { "type": "object" }, "prompt": "the price" },
            { "type": "screenshot", "fullPage": true, "quality": 80,
                "viewport": { "width": 800, "height": 600 } },
            { "type": "attributes", "selectors": [{ "selector": "a", "attribute": "href" }] },
            { "type": "changeTracking", "modes": ["json"], "schema": {}, "prompt": "p", "tag": "t" },
        ],
        "onlyMainContent": false, "includeTags": ["main"], "excludeTags": ["nav"],
        "maxAge": 1, "minAge": 2, "lockdown": true, "headers": { "X-Key": "v" }, "waitFor": 3, "mobile": true,
        "skipTlsVerification": false, "timeout": 4,
        "parsers": [{ "type": "pdf", "mode": "fast", "maxPages": 5 }], "actions": [{ "type": "scrape" }],
        "location": { "country": "DE", "languages": ["de"] }, "removeBase64Images": false, "blockAds": false,
        "proxy": "basic", "storeInCache": false,
    })
}

fn assert_json(request: impl Serialize, expected: &Value) {
    assert_eq!(&serde_json::to_value(request).unwrap(), expected);
}

#[test]
fn setters_set_their_field() {
    let url = "https://a.example/";
    let extras = || Extras::new().origin("o").integration("i").fast_mode(true);
    let with_extras =
        |value: &Value| with(value, &json!({ "origin": "o", "integration": "i", "fastMode": true }));
    let webhook = || Webhook::new("h.example").headers([("a", "b")]).metadata([("n", 1)]).events(["page"]);
    let webhook_json =
        json!({ "url": "h.example", "headers": { "a": "b" }, "metadata": { "n": 1 }, "events": ["page"] });

    assert_json(with_every_option!(ScrapeOptions::new()).extras(extras()), &with_extras(&every_option()));
    let scrape = with_every_option!(ScrapeRequest::new(url)).zero_data_retention(true).extras(extras());
    let expected = with(&every_option(), &json!({ "url": url, "zeroDataRetention": true }));
    assert_json(scrape, &with_extras(&expected));
    let batch = with_every_option!(BatchScrapeRequest::new([url]))
        .webhook(webhook())
        .max_concurrency(1)
        .ignore_invalid_urls(false)
        .append_to_id("x")
        .zero_data_retention(true)
        .extras(extras());
    let expected = with(
        &every_option(),
        &json!({
            "urls": [url], "webhook": webhook_json, "maxConcurrency": 1, "ignoreInvalidURLs": false,
            "appendToId": "x", "zeroDataRetention": true,
        }),
    );
    assert_json(batch, &with_extras(&expected));

    let crawl = with_every_option!(CrawlRequest::new(url))
        .prompt("the blog")
        .exclude_paths(["^/a"])
        .include_paths(["^/b"])
        .regex_on_full_url(true)
        .max_discovery_depth(1)
        .sitemap(SitemapMode::Only)
        .ignore_query_parameters(true)
        .deduplicate_similar_urls(false)
        .limit(2)
        .crawl_entire_domain(true)
        .allow_external_links(true)
        .allow_subdomains(true)
        .ignore_robots_txt(true)
        .robots_user_agent("bot")
        .delay(0.5)
        .max_concurrency(3)
        .webhook(webhook())
        .zero_data_retention(true)
        .extras(extras());
    assert_eq!(crawl.clone().max_path_depth(4).max_path_depth, Some(4));
    let expected = json!({
        "url": url, "prompt": "the blog", "excludePaths": ["^/a"], "includePaths": ["^/b"],
        "regexOnFullURL": true,
        "maxDiscoveryDepth": 1, "sitemap": "only", "ignoreQueryParameters": true,
        "deduplicateSimilarURLs": false,
        "limit": 2, "crawlEntireDomain": true, "allowExternalLinks": true, "allowSubdomains": true,
        "ignoreRobotsTxt": true, "robotsUserAgent": "bot", "delay": 0.5, "maxConcurrency": 3,
        "webhook": webhook_json, "zeroDataRetention": true, "scrapeOptions": every_option(),
    });
    assert_json(crawl, &with_extras(&expected));

    let map = MapRequest::new(url)
        .search("tea")
        .sitemap(SitemapMode::Skip)
        .include_subdomains(false)
        .ignore_query_parameters(false)
        .limit(1)
        .timeout(2)
        .location(Location::new().country("FR"))
        .extras(extras());
    let expected = json!({
        "url": url, "search": "tea", "sitemap": "skip", "includeSubdomains": false,
        "ignoreQueryParameters": false,
        "limit": 1, "timeout": 2, "location": { "country": "FR" },
    });
    assert_json(map, &with_extras(&expected));

    let extract = ExtractRequest::default()
        .urls([url])
        .prompt("the price")
        .system_prompt("be brief")
        .schema(json!({ "type": "object" }))
        .enable_web_search(true)
        .agent(Agent::new("m"))
        .ignore_invalid_urls(false)
        .show_sources(true)
        .include_subdomains(false)
        .ignore_sitemap(true)
        .allow_external_links(true)
        .limit(1)
        .scrape_options(with_every_option!(ScrapeOptions::new()))
        .webhook(webhook())
        .zero_data_retention(true)
        .extras(extras());
    let expected = json!({
        "urls": [url], "prompt": "the price", "systemPrompt": "be brief", "schema": { "type": "object" },
        "enableWebSearch": true, "agent": { "model": "m" }, "ignoreInvalidURLs": false, "showSources": true,
        "includeSubdomains": false, "ignoreSitemap": true, "allowExternalLinks": true, "limit": 1,
        "scrapeOptions": every_option(), "webhook": webhook_json, "zeroDataRetention": true,
    });
    assert_json(extract, &with_extras(&expected));

    let preview = CrawlParamsPreviewRequest::new(url, "the blog").extras(extras());
    assert_json(preview, &with_extras(&json!({ "url": url, "prompt": "the blog" })));
}

#[test]
fn options_set_together_are_changed_by_later_setters() {
    let options = ScrapeOptions::new().timeout(1_000).mobile(true);
    let request =
        CrawlRequest::new("https://a.example/").timeout(9_000).scrape_options(options).mobile(false);
    let options = request.scrape_options.unwrap();
    assert_eq!((options.timeout, options.mobile), (Some(1_000), Some(false)));
    assert_eq!(JsonFormat::new().system_prompt("be brief").system_prompt.as_deref(), Some("be brief"));
}
