//! Rules for crawl requests, webhooks and option previews.

use std::time::Duration;

use gleaner_types::plan::{CrawlParamsPreviewPlan, CrawlPlan, EventKind, SitemapMode};
use gleaner_types::request::CrawlRequest;
use serde_json::json;

use crate::row::{no, ok, run, with};

#[test]
fn crawls() {
    let with = |fields| with(&json!({ "url": "https://a.example/docs/" }), &fields);
    run::<CrawlPlan>(
        vec![
            ok("defaults", with(json!({})), |p| {
                let r = &p.rules;
                p.limit == 10_000
                    && p.prompt.is_none()
                    && p.delay.is_none()
                    && p.max_concurrency.is_none()
                    && p.webhook.is_none()
                    && !p.zero_data_retention
                    && r.exclude_paths.is_empty()
                    && r.include_paths.is_empty()
                    && !r.regex_on_full_url
                    && r.max_discovery_depth.is_none()
                    && r.max_path_depth.is_none()
                    && r.sitemap == SitemapMode::Include
                    && !r.ignore_query_parameters
                    && r.deduplicate_similar_urls
                    && !r.crawl_entire_domain
                    && !r.allow_external_links
                    && !r.allow_subdomains
                    && !r.ignore_robots_txt
                    && r.robots_user_agent.is_none()
            }),
            no("no url", json!({ "limit": 5 }), "url", "is missing"),
            ok("limit", with(json!({ "limit": 1 })), |p| p.limit == 1),
            no("limit of 0", with(json!({ "limit": 0 })), "limit", "an integer of at least 1, not 0"),
            no("limit below zero", with(json!({ "limit": -5 })), "limit", "an integer of at least 1, not -5"),
            ok("prompt", with(json!({ "prompt": "only the blog" })), |p| {
                p.prompt.as_deref() == Some("only the blog")
            }),
            ok("an empty prompt is ignored", with(json!({ "prompt": "" })), |p| p.prompt.is_none()),
            ok("a blank prompt is ignored", with(json!({ "prompt": " \n" })), |p| p.prompt.is_none()),
            no(
                "long prompt",
                with(json!({ "prompt": "x".repeat(10_001) })),
                "prompt",
                "at most 10000 characters long, not 10001",
            ),
            ok(
                "paths",
                with(json!({ "includePaths": ["^/docs/.*$"], "excludePaths": ["\\.pdf$", "(?i)draft"] })),
                |p| p.rules.include_paths == ["^/docs/.*$"] && p.rules.exclude_paths.len() == 2,
            ),
            ok("no paths", with(json!({ "includePaths": [], "excludePaths": [] })), |p| {
                p.rules.include_paths.is_empty()
            }),
            no(
                "a bad pattern",
                with(json!({ "includePaths": ["ok", "("] })),
                "includePaths[1]",
                "is not a regular expression: unclosed group in \"(\"",
            ),
            no("look-around", with(json!({ "excludePaths": ["(?=a)"] })), "excludePaths[0]", "look-around"),
            no(
                "a backreference",
                with(json!({ "excludePaths": ["(a)\\1"] })),
                "excludePaths[0]",
                "backreferences",
            ),
            no(
                "an empty pattern",
                with(json!({ "excludePaths": [""] })),
                "excludePaths[0]",
                "must not be empty",
            ),
            ok("a pattern of 2000 characters", with(json!({ "includePaths": ["a".repeat(2000)] })), |p| {
                p.rules.include_paths.len() == 1
            }),
            no(
                "a pattern of 2001 characters",
                with(json!({ "includePaths": ["a".repeat(2001)] })),
                "includePaths[0]",
                "at most 2000 characters long, not 2001",
            ),
            ok("a thousand patterns", with(json!({ "includePaths": vec!["^/a"; 1000] })), |p| {
                p.rules.include_paths.len() == 1000
            }),
            no(
                "a thousand and one patterns",
                with(json!({ "includePaths": vec!["^/a"; 1001] })),
                "includePaths",
                "at most 1000 entries, not 1001",
            ),
            no(
                "a pattern that explodes",
                with(json!({ "includePaths": ["a", "(x{1000}){1000}"] })),
                "includePaths[1]",
                "it compiles to more than 1048576 bytes",
            ),
            no(
                "patterns that explode together",
                with(
                    json!({ "includePaths": (0..100).map(|n| format!("{n}a{{999}}b{{999}}c{{9}}")).collect::<Vec<_>>() }),
                ),
                "includePaths[9]",
                "makes the patterns too large together",
            ),
            no(
                "patterns that are too expensive to match",
                with(
                    json!({ "excludePaths": (0..1000).map(|n| format!("[ab]{{900}}c{{900}}{n}")).collect::<Vec<_>>() }),
                ),
                "excludePaths[11]",
                "states, but at most 20000 are allowed (\"[ab]{900}c{900}11\")",
            ),
            no(
                "too many classes",
                with(json!({ "includePaths": vec!["\\w".repeat(900); 3] })),
                "includePaths",
                "at most 2000 character classes together, not 2700",
            ),
            no(
                "too many characters together",
                with(json!({ "includePaths": vec!["a".repeat(2000); 51] })),
                "includePaths",
                "at most 100000 characters together, not 102000",
            ),
            no(
                "a pattern that is not a string",
                with(json!({ "includePaths": [{}] })),
                "includePaths[0]",
                "must be a string, not an object",
            ),
            ok("regexOnFullURL", with(json!({ "regexOnFullURL": true })), |p| p.rules.regex_on_full_url),
            ok("maxDiscoveryDepth of 0", with(json!({ "maxDiscoveryDepth": 0 })), |p| {
                p.rules.max_discovery_depth == Some(0)
            }),
            ok("maxDiscoveryDepth", with(json!({ "maxDiscoveryDepth": 7 })), |p| {
                p.rules.max_discovery_depth == Some(7)
            }),
            no(
                "maxDiscoveryDepth below zero",
                with(json!({ "maxDiscoveryDepth": -1 })),
                "maxDiscoveryDepth",
                "from 0 to 4294967295, not -1",
            ),
            ok("sitemap skip", with(json!({ "sitemap": "skip" })), |p| p.rules.sitemap == SitemapMode::Skip),
            ok("sitemap only", with(json!({ "sitemap": "only" })), |p| p.rules.sitemap == SitemapMode::Only),
            no(
                "sitemap as a boolean",
                with(json!({ "sitemap": false })),
                "sitemap",
                "one of `include`, `skip` or `only`, not false",
            ),
            ok("ignoreQueryParameters", with(json!({ "ignoreQueryParameters": true })), |p| {
                p.rules.ignore_query_parameters
            }),
            ok("deduplicateSimilarURLs off", with(json!({ "deduplicateSimilarURLs": false })), |p| {
                !p.rules.deduplicate_similar_urls
            }),
            ok("crawlEntireDomain", with(json!({ "crawlEntireDomain": true })), |p| {
                p.rules.crawl_entire_domain
            }),
            ok("allowExternalLinks", with(json!({ "allowExternalLinks": true })), |p| {
                p.rules.allow_external_links
            }),
            ok("allowSubdomains", with(json!({ "allowSubdomains": true })), |p| p.rules.allow_subdomains),
            ok("ignoreRobotsTxt", with(json!({ "ignoreRobotsTxt": true })), |p| p.rules.ignore_robots_txt),
            ok("robotsUserAgent", with(json!({ "robotsUserAgent": "bot" })), |p| {
                p.rules.robots_user_agent.as_deref() == Some("bot")
            }),
            no(
                "empty robotsUserAgent",
                with(json!({ "robotsUserAgent": "" })),
                "robotsUserAgent",
                "must not be empty",
            ),
            no(
                "robotsUserAgent of two lines",
                with(json!({ "robotsUserAgent": "a\nb" })),
                "robotsUserAgent",
                "in one line",
            ),
            ok("delay in seconds", with(json!({ "delay": 1.5 })), |p| {
                p.delay == Some(Duration::from_millis(1500))
            }),
            ok("delay of 0 means no delay", with(json!({ "delay": 0 })), |p| p.delay.is_none()),
            no("delay below zero", with(json!({ "delay": -1 })), "delay", "a number from 0 to 300, not -1"),
            no(
                "delay of a day",
                with(json!({ "delay": 86_400 })),
                "delay",
                "a number from 0 to 300, not 86400",
            ),
            no(
                "delay as text",
                with(json!({ "delay": "1s" })),
                "delay",
                "a number from 0 to 300, not \"1s\"",
            ),
            ok("maxConcurrency", with(json!({ "maxConcurrency": 2 })), |p| p.max_concurrency == Some(2)),
            no("maxConcurrency of 0", with(json!({ "maxConcurrency": 0 })), "maxConcurrency", "not 0"),
            ok("zeroDataRetention", with(json!({ "zeroDataRetention": true })), |p| {
                p.zero_data_retention && !p.options.store_in_cache
            }),
            no(
                "scrapeOptions of the wrong type",
                with(json!({ "scrapeOptions": ["markdown"] })),
                "scrapeOptions",
                "must be an object, not an array",
            ),
            no(
                "scrape options at the top",
                with(json!({ "formats": ["markdown"] })),
                "formats",
                "it belongs in `scrapeOptions`",
            ),
            no(
                "crawl options inside",
                with(json!({ "scrapeOptions": { "limit": 5 } })),
                "scrapeOptions.limit",
                "unknown field `limit` in `scrapeOptions`",
            ),
            no(
                "v1's maxDepth",
                with(json!({ "maxDepth": 2 })),
                "maxDepth",
                "in v2 it is `maxDiscoveryDepth`",
            ),
            no(
                "v1's ignoreSitemap",
                with(json!({ "ignoreSitemap": true })),
                "ignoreSitemap",
                "in v2 it is `sitemap`: \"skip\"",
            ),
            no(
                "v1's allowBackwardLinks",
                with(json!({ "allowBackwardLinks": true })),
                "allowBackwardLinks",
                "in v2 it is `crawlEntireDomain`",
            ),
            no(
                "v1's jsonOptions",
                with(json!({ "scrapeOptions": { "jsonOptions": {} } })),
                "scrapeOptions.jsonOptions",
                "in v2 it is an entry of `formats`",
            ),
            no(
                "v1's changeTrackingOptions",
                with(json!({ "scrapeOptions": { "changeTrackingOptions": {} } })),
                "scrapeOptions.changeTrackingOptions",
                "in v2 it is an entry of `formats`",
            ),
            no(
                "v0's pageOptions",
                with(json!({ "pageOptions": {} })),
                "pageOptions",
                "in v2 it is `scrapeOptions`",
            ),
            no(
                "v0's crawlerOptions",
                with(json!({ "crawlerOptions": {} })),
                "crawlerOptions",
                "in v2 its fields are next to `url`",
            ),
            no(
                "v0's extractorOptions",
                with(json!({ "scrapeOptions": { "extractorOptions": {} } })),
                "scrapeOptions.extractorOptions",
                "in v2 it is an entry of `formats`",
            ),
            no(
                "an unsupported option at the top",
                with(json!({ "threatProtection": true })),
                "threatProtection",
                "is not supported",
            ),
        ],
        "",
        CrawlPlan::from_json,
    );
}

#[test]
fn webhooks() {
    let with = |webhook| json!({ "url": "a.example", "webhook": webhook });
    run::<CrawlPlan>(
        vec![
            ok("a bare url", with(json!("https://h.example/in")), |p| {
                p.webhook
                    .as_ref()
                    .is_some_and(|w| w.url.as_str() == "https://h.example/in" && w.events.len() == 5)
            }),
            ok(
                "an object",
                with(json!({ "url": "https://h.example/", "headers": { "X-A": "b" },
                        "metadata": { "job": [1, { "a": null }] },
                        "events": ["started", "page", "completed"] })),
                |p| {
                    p.webhook.as_ref().is_some_and(|w| {
                        w.headers.contains_key("x-a")
                            && w.metadata["job"] == json!([1, { "a": null }])
                            && w.events == [EventKind::Started, EventKind::Page, EventKind::Completed]
                    })
                },
            ),
            ok(
                "full names",
                with(json!({ "url": "https://h.example/", "events": ["crawl.failed", "cancelled"] })),
                |p| p.webhook.as_ref().is_some_and(|w| w.events == [EventKind::Failed, EventKind::Cancelled]),
            ),
            ok("null means no webhook", with(json!(null)), |p| p.webhook.is_none()),
            no("no url", with(json!({ "events": ["page"] })), "webhook.url", "is missing"),
            no("a url of another scheme", with(json!("ftp://h.example/")), "webhook.url", "scheme `ftp`"),
            no(
                "credentials",
                with(json!({ "url": "https://me:hush@h.example/" })),
                "webhook.url",
                "send them in `headers`",
            ),
            no(
                "no events",
                with(json!({ "url": "https://h.example/", "events": [] })),
                "webhook.events",
                "must not be empty",
            ),
            no(
                "an unknown event",
                with(json!({ "url": "https://h.example/", "events": ["page", "paused"] })),
                "webhook.events[1]",
                "`started`, `page`, `completed`, `failed` or `cancelled`",
            ),
            no(
                "a bad header",
                with(json!({ "url": "https://h.example/", "headers": { "a": "\n" } })),
                "webhook.headers.a",
                "in one line",
            ),
            no(
                "metadata of the wrong type",
                with(json!({ "url": "https://h.example/", "metadata": "x" })),
                "webhook.metadata",
                "must be an object, not \"x\"",
            ),
            no(
                "huge metadata",
                with(json!({ "url": "https://h.example/", "metadata": { "a": "x".repeat(70_000) } })),
                "webhook.metadata",
                "at most 65536 bytes of JSON",
            ),
            no(
                "an unknown key",
                with(json!({ "url": "https://h.example/", "event": ["page"] })),
                "webhook.event",
                "did you mean `events`?",
            ),
            no(
                "a list",
                with(json!(["https://h.example/"])),
                "webhook",
                "a URL or an object with `url`, not an array",
            ),
        ],
        "",
        CrawlPlan::from_json,
    );
}

#[test]
fn params_previews() {
    run::<CrawlParamsPreviewPlan>(
        vec![
            ok("both", json!({ "url": "a.example", "prompt": "the blog", "origin": "x" }), |p| {
                p.prompt == "the blog"
            }),
            no("no prompt", json!({ "url": "a.example" }), "prompt", "is missing"),
            no("no url", json!({ "prompt": "the blog" }), "url", "is missing"),
            no("a blank prompt", json!({ "url": "a.example", "prompt": " " }), "prompt", "must not be blank"),
            no(
                "an option of crawls",
                json!({ "url": "a.example", "prompt": "x", "limit": 5 }),
                "limit",
                "unknown field `limit`",
            ),
        ],
        "",
        CrawlParamsPreviewPlan::from_json,
    );
}

/// Requests made in Rust have the same ranges as requests from JSON.
#[test]
fn requests_made_in_rust_are_checked_too() {
    let request = CrawlRequest::new("ftp://a.example").limit(0).delay(f64::INFINITY).timeout(0);
    let faults = request.check().unwrap_err();
    let mut paths: Vec<String> = faults.as_slice().iter().map(|fault| fault.path.to_string()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["delay", "limit", "scrapeOptions.timeout", "url"]);
}
