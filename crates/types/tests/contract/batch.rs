//! Rules for batch requests.

use gleaner_types::plan::{BatchPlan, EventKind};
use serde_json::json;

use crate::row::{no, ok, run, with};

#[test]
fn batches() {
    let with = |fields| with(&json!({ "urls": ["https://a.example/"] }), &fields);
    run::<BatchPlan>(
        vec![
            ok("defaults", with(json!({})), |p| {
                p.targets.len() == 1
                    && p.invalid_urls.as_ref().is_some_and(Vec::is_empty)
                    && p.max_concurrency.is_none()
                    && p.append_to.is_none()
                    && p.webhook.is_none()
                    && !p.zero_data_retention
            }),
            no("no urls", json!({}), "urls", "is missing: it must be an array of strings"),
            no("empty urls", json!({ "urls": [] }), "urls", "must not be empty"),
            no(
                "urls as text",
                json!({ "urls": "https://a.example/" }),
                "urls",
                "must be an array of strings, not",
            ),
            no(
                "a url that is no text",
                json!({ "urls": ["https://a.example/", 5] }),
                "urls[1]",
                "must be a string, not 5",
            ),
            ok(
                "repeated urls are kept in order",
                json!({ "urls": ["b.example", "a.example", "b.example"] }),
                |p| {
                    p.targets.iter().filter_map(|t| t.url.host_str()).eq([
                        "b.example",
                        "a.example",
                        "b.example",
                    ])
                },
            ),
            ok(
                "invalid urls are left out by default",
                json!({ "urls": ["https://a.example/", "ftp://b.example/", ""] }),
                |p| {
                    p.targets.len() == 1
                        && p.invalid_urls.as_deref() == Some(&["ftp://b.example/".to_owned(), String::new()])
                },
            ),
            ok("only invalid urls do not fail the request", json!({ "urls": ["ftp://b.example/"] }), |p| {
                p.targets.is_empty() && p.invalid_urls.as_ref().is_some_and(|urls| urls.len() == 1)
            }),
            ok(
                "invalid urls are not listed where they are not ignored",
                with(json!({ "ignoreInvalidURLs": false })),
                |p| p.invalid_urls.is_none(),
            ),
            no(
                "invalid urls are refused on wish",
                json!({ "urls": ["a.example", "ftp://b.example/"], "ignoreInvalidURLs": false }),
                "urls[1]",
                "scheme `ftp`",
            ),
            ok("maxConcurrency", with(json!({ "maxConcurrency": 3 })), |p| p.max_concurrency == Some(3)),
            no(
                "maxConcurrency of 0",
                with(json!({ "maxConcurrency": 0 })),
                "maxConcurrency",
                "from 1 to 4294967295, not 0",
            ),
            ok("appendToId", with(json!({ "appendToId": "0190b5a0-6ac7-7000-8000-000000000000" })), |p| {
                p.append_to.is_some()
            }),
            no(
                "appendToId of another form",
                with(json!({ "appendToId": "job-5" })),
                "appendToId",
                "which is a UUID",
            ),
            ok("zeroDataRetention", with(json!({ "zeroDataRetention": true })), |p| {
                p.zero_data_retention && !p.options.store_in_cache
            }),
            ok(
                "events by both names",
                with(json!({ "webhook": { "url": "https://h.example/",
                        "events": ["completed", "batch_scrape.page", "completed"] } })),
                |p| p.webhook.as_ref().is_some_and(|w| w.events == [EventKind::Completed, EventKind::Page]),
            ),
            no(
                "events of a crawl",
                with(json!({ "webhook": { "url": "https://h.example/", "events": ["crawl.page"] } })),
                "webhook.events[0]",
                "alone or after `batch_scrape.`, not \"crawl.page\"",
            ),
            no("crawl options", with(json!({ "limit": 5 })), "limit", "unknown field `limit`"),
            no(
                "scrapeOptions",
                with(json!({ "scrapeOptions": {} })),
                "scrapeOptions",
                "unknown field `scrapeOptions`",
            ),
            no(
                "url in place of urls",
                json!({ "urls": ["a.example"], "url": "b.example" }),
                "url",
                "did you mean `urls`?",
            ),
        ],
        "",
        BatchPlan::from_json,
    );
}
