//! Rules for requests of v1.

use std::time::Duration;

use gleaner_types::plan::{
    BatchPlan, ChangeTrackingMode, CrawlPlan, PdfMode, ProxyMode, ScrapeOptionsPlan, SitemapMode,
};
use gleaner_types::request::v1;
use serde_json::json;

use crate::row::{Row, no, ok, run, with};

/// Runs the rows at the top level of a scrape and of a batch, and in a crawl's `scrapeOptions`.
fn run_everywhere(rows: fn() -> Vec<Row<ScrapeOptionsPlan>>) {
    run(rows(), "", |body| {
        let body = with(&json!({ "url": "a.example" }), body);
        v1::ScrapeRequest::plan_from_json(&body).map(|plan| plan.options)
    });
    run(rows(), "", |body| {
        let body = with(&json!({ "urls": ["a.example"] }), body);
        v1::BatchScrapeRequest::plan_from_json(&body).map(|plan| plan.options)
    });
    run(rows(), "scrapeOptions.", |body| {
        let body = json!({ "url": "a.example", "scrapeOptions": body });
        v1::CrawlRequest::plan_from_json(&body).map(|plan| plan.options)
    });
}

#[test]
fn options() {
    run_everywhere(|| {
        vec![
            ok("maxAge is 0", json!({}), |p| p.max_age.is_zero()),
            ok("certificates are checked", json!({}), |p| !p.skip_tls_verification),
            ok("proxy is basic", json!({}), |p| p.proxy == ProxyMode::Basic),
            ok("the other defaults are v2's", json!({}), |p| {
                p.formats.markdown
                    && p.only_main_content
                    && p.timeout == Duration::from_secs(30)
                    && p.remove_base64_images
                    && p.block_ads
                    && p.store_in_cache
            }),
            ok("PDFs are parsed", json!({}), |p| p.pdf.is_some_and(|pdf| pdf.mode == PdfMode::Auto)),
            ok("parsePDF off", json!({ "parsePDF": false }), |p| p.pdf.is_none()),
            no("parsers", json!({ "parsers": [] }), "parsers", "in v1 it is `parsePDF`"),
            ok(
                "explicit values override v1's defaults",
                json!({ "maxAge": 1000, "skipTlsVerification": true, "proxy": "auto" }),
                |p| {
                    p.max_age == Duration::from_secs(1)
                        && p.skip_tls_verification
                        && p.proxy == ProxyMode::Auto
                },
            ),
            ok("minAge with the default maxAge", json!({ "minAge": 1000 }), |p| {
                p.min_age == Some(Duration::from_secs(1))
            }),
            ok(
                "all names",
                json!({ "formats": ["markdown", "html", "rawHtml", "links", "screenshot",
                    "changeTracking"] }),
                |p| {
                    let f = &p.formats;
                    f.markdown
                        && f.html
                        && f.raw_html
                        && f.links
                        && f.screenshot.is_some()
                        && f.change_tracking.is_some()
                },
            ),
            ok("a whole screenshot", json!({ "formats": ["screenshot@fullPage"] }), |p| {
                p.formats.screenshot.as_ref().is_some_and(|s| s.full_page)
            }),
            no(
                "both screenshots",
                json!({ "formats": ["screenshot", "screenshot@fullPage"] }),
                "formats[1]",
                "second `screenshot`",
            ),
            no("v2's names", json!({ "formats": ["summary"] }), "formats[0]", "`screenshot@fullPage`"),
            no("an object", json!({ "formats": [{ "type": "markdown" }] }), "formats[0]", "not an object"),
            ok(
                "json",
                json!({ "formats": ["json"],
                    "jsonOptions": { "schema": { "type": "object" }, "systemPrompt": "s", "prompt": "p" } }),
                |p| {
                    p.formats.json.as_ref().is_some_and(|j| {
                        j.schema.is_some()
                            && j.system_prompt.as_deref() == Some("s")
                            && j.prompt.as_deref() == Some("p")
                    })
                },
            ),
            ok("json twice", json!({ "formats": ["json", "json"], "jsonOptions": { "prompt": "p" } }), |p| {
                p.formats.json.is_some()
            }),
            no(
                "json without options",
                json!({ "formats": ["json"] }),
                "jsonOptions",
                "needs a `schema`, a `prompt` or both",
            ),
            no(
                "json with empty options",
                json!({ "formats": ["json"], "jsonOptions": {} }),
                "jsonOptions",
                "needs a `schema`, a `prompt` or both",
            ),
            no(
                "an invalid schema",
                json!({ "formats": ["json"], "jsonOptions": { "schema": { "type": 5 } } }),
                "jsonOptions.schema",
                "/type must be one of",
            ),
            no(
                "options without json",
                json!({ "formats": ["markdown"], "jsonOptions": { "prompt": "p" } }),
                "jsonOptions",
                "needs `json` in `formats`",
            ),
            no(
                "options without formats",
                json!({ "jsonOptions": { "prompt": "p" } }),
                "jsonOptions",
                "needs `json` in `formats`",
            ),
            ok(
                "change tracking",
                json!({ "formats": ["markdown", "changeTracking"],
                    "changeTrackingOptions": { "modes": ["git-diff"], "tag": null } }),
                |p| {
                    p.formats
                        .change_tracking
                        .as_ref()
                        .is_some_and(|c| c.modes == [ChangeTrackingMode::GitDiff] && c.tag.is_none())
                },
            ),
            no(
                "change tracking without markdown",
                json!({ "formats": ["changeTracking"] }),
                "formats",
                "also needs `markdown`",
            ),
            ok(
                "change tracking options alone have no effect",
                json!({ "changeTrackingOptions": { "modes": ["json"] } }),
                |p| p.formats.change_tracking.is_none(),
            ),
            no(
                "change tracking options with an unknown mode",
                json!({ "changeTrackingOptions": { "modes": ["x"] } }),
                "changeTrackingOptions.modes[0]",
                "one of `git-diff` or `json`",
            ),
            no("timeout", json!({ "timeout": 300_001 }), "timeout", "from 1 to 300000"),
            no(
                "v0's extractorOptions",
                json!({ "extractorOptions": {} }),
                "extractorOptions",
                "in v1 it is `jsonOptions`",
            ),
            ok(
                "extract",
                json!({ "formats": ["extract"],
                    "extract": { "schema": { "type": "object" }, "systemPrompt": "s", "prompt": "p" } }),
                |p| {
                    p.formats.json.as_ref().is_some_and(|j| {
                        j.as_extract
                            && j.schema.is_some()
                            && j.system_prompt.as_deref() == Some("s")
                            && j.prompt.as_deref() == Some("p")
                    })
                },
            ),
            no(
                "extract without options",
                json!({ "formats": ["extract"] }),
                "extract",
                "requests `extract`, which needs a `schema`, a `prompt` or both",
            ),
            no(
                "extract with the options of json",
                json!({ "formats": ["extract"], "extract": { "prompt": "p" },
                    "jsonOptions": { "prompt": "p" } }),
                "jsonOptions",
                "needs `json` in `formats`",
            ),
            no(
                "options without extract",
                json!({ "extract": { "prompt": "p" } }),
                "extract",
                "needs `extract` in `formats`",
            ),
            no(
                "extract together with json",
                json!({ "formats": ["json", "extract"], "extract": { "prompt": "p" },
                    "jsonOptions": { "prompt": "p" } }),
                "formats[1]",
                "second `json` (`extract` is its older name) with other options",
            ),
            no(
                "an invalid schema of extract",
                json!({ "formats": ["extract"], "extract": { "schema": { "type": 5 } } }),
                "extract.schema",
                "/type must be one of",
            ),
            no(
                "agent",
                json!({ "agent": { "model": "m" } }),
                "agent",
                "agents are not supported: use `actions`",
            ),
            no("content", json!({ "formats": ["content"] }), "formats[0]", "one of `markdown`"),
        ]
    });
}

#[test]
fn batches() {
    let with = |fields| with(&json!({ "urls": ["https://a.example/"] }), &fields);
    run::<BatchPlan>(
        vec![
            ok("invalid urls are not ignored", with(json!({})), |p| p.invalid_urls.is_none()),
            no("an invalid url", json!({ "urls": ["a.example", "nope nope"] }), "urls[1]", "invalid host"),
            ok(
                "ignoreInvalidURLs",
                json!({ "urls": ["a.example", "nope nope"], "ignoreInvalidURLs": true }),
                |p| p.invalid_urls.as_ref().is_some_and(|urls| urls.len() == 1),
            ),
            ok(
                "webhook",
                with(json!({ "webhook": { "url": "https://h.example/", "events": ["completed"] } })),
                |p| p.webhook.is_some(),
            ),
            ok("zeroDataRetention", with(json!({ "zeroDataRetention": true })), |p| p.zero_data_retention),
        ],
        "",
        v1::BatchScrapeRequest::plan_from_json,
    );
}

#[test]
fn crawls() {
    let with = |fields| with(&json!({ "url": "https://a.example/" }), &fields);
    run::<CrawlPlan>(
        vec![
            ok("defaults", with(json!({})), |p| {
                p.limit == 10_000
                    && p.rules.sitemap == SitemapMode::Include
                    && !p.rules.crawl_entire_domain
                    && p.rules.max_path_depth.is_none()
                    && !p.options.skip_tls_verification
                    && p.options.max_age.is_zero()
                    && p.options.proxy == ProxyMode::Basic
            }),
            ok("ignoreSitemap", with(json!({ "ignoreSitemap": true })), |p| {
                p.rules.sitemap == SitemapMode::Skip
            }),
            ok("maxDepth counts path segments", with(json!({ "maxDepth": 2 })), |p| {
                p.rules.max_path_depth == Some(2) && p.rules.max_discovery_depth.is_none()
            }),
            no(
                "maxDepth below the start's own depth",
                json!({ "url": "https://a.example/docs/guide/", "maxDepth": 1 }),
                "maxDepth",
                "must be at least 2, the depth of `url` itself, not 1",
            ),
            ok(
                "maxDepth of the start's own depth",
                json!({ "url": "https://a.example/docs/index.html", "maxDepth": 1 }),
                |p| p.rules.max_path_depth == Some(1),
            ),
            ok("maxDepth of a home page", with(json!({ "maxDepth": 0 })), |p| {
                p.rules.max_path_depth == Some(0)
            }),
            ok("maxDiscoveryDepth", with(json!({ "maxDiscoveryDepth": 2 })), |p| {
                p.rules.max_discovery_depth == Some(2)
            }),
            ok("allowBackwardLinks", with(json!({ "allowBackwardLinks": true })), |p| {
                p.rules.crawl_entire_domain
            }),
            ok(
                "crawlEntireDomain overrides it",
                with(json!({ "allowBackwardLinks": true, "crawlEntireDomain": false })),
                |p| !p.rules.crawl_entire_domain,
            ),
            ok(
                "the rest is v2's",
                with(json!({ "includePaths": ["a"], "excludePaths": ["b"], "limit": 3, "delay": 1,
                        "allowExternalLinks": true, "allowSubdomains": true, "ignoreRobotsTxt": true,
                        "ignoreQueryParameters": true, "deduplicateSimilarURLs": false,
                        "regexOnFullURL": true })),
                |p| {
                    p.limit == 3
                        && p.delay.is_some()
                        && p.rules.allow_subdomains
                        && p.rules.regex_on_full_url
                        && !p.rules.deduplicate_similar_urls
                },
            ),
            no("v2's sitemap", with(json!({ "sitemap": "skip" })), "sitemap", "in v1 it is `ignoreSitemap`"),
            no("v2's prompt", with(json!({ "prompt": "x" })), "prompt", "it is new in v2"),
            no(
                "a bad pattern",
                with(json!({ "includePaths": ["["] })),
                "includePaths[0]",
                "is not a regular expression",
            ),
            no("v0's includes", with(json!({ "includes": ["a"] })), "includes", "in v1 it is `includePaths`"),
        ],
        "",
        v1::CrawlRequest::plan_from_json,
    );
}
