//! Rules for scrape options, at every place where a request has them.

use std::time::Duration;

use gleaner_types::ErrorCode;
use gleaner_types::plan::{
    BatchPlan, CrawlPlan, ExtractPlan, PdfMode, ProxyMode, ScrapeOptionsPlan, ScrapePlan,
};
use serde_json::{Value, json};

use crate::row::{Row, no, ok, run, with};

pub(crate) type Rows = Vec<Row<ScrapeOptionsPlan>>;

/// Runs the rows at the top level of a scrape and of a batch, and in a crawl's or an extract's
/// `scrapeOptions`.
pub(crate) fn run_everywhere(rows: fn() -> Rows) {
    run(rows(), "", |body| {
        ScrapePlan::from_json(&with(&json!({ "url": "a.example" }), body)).map(|plan| plan.options)
    });
    run(rows(), "", |body| {
        BatchPlan::from_json(&with(&json!({ "urls": ["a.example"] }), body)).map(|plan| plan.options)
    });
    run(rows(), "scrapeOptions.", |body| {
        CrawlPlan::from_json(&json!({ "url": "a.example", "scrapeOptions": body })).map(|plan| plan.options)
    });
    run(rows(), "scrapeOptions.", |body| {
        let body = json!({ "urls": ["a.example"], "prompt": "x", "scrapeOptions": body });
        ExtractPlan::from_json(&body).map(|plan| plan.options)
    });
}

#[test]
fn defaults() {
    run_everywhere(|| {
        vec![
            ok("formats", json!({}), |p| p.formats.markdown && !p.formats.html && p.formats.json.is_none()),
            ok("onlyMainContent", json!({}), |p| p.only_main_content),
            ok("maxAge", json!({}), |p| p.max_age == Duration::from_secs(172_800)),
            ok("minAge and lockdown", json!({}), |p| p.min_age.is_none() && !p.lockdown),
            ok("headers", json!({}), |p| p.headers.is_empty()),
            ok("waitFor", json!({}), |p| p.wait_for.is_zero()),
            ok("mobile", json!({}), |p| !p.mobile),
            ok("skipTlsVerification", json!({}), |p| p.skip_tls_verification),
            ok("timeout", json!({}), |p| p.timeout == Duration::from_secs(30)),
            ok("parsers", json!({}), |p| p.pdf.is_some_and(|pdf| pdf.mode == PdfMode::Auto)),
            ok("actions", json!({}), |p| p.actions.is_empty()),
            ok("location", json!({}), |p| p.location.country == "US" && p.location.languages.is_empty()),
            ok("removeBase64Images", json!({}), |p| p.remove_base64_images),
            ok("blockAds", json!({}), |p| p.block_ads),
            ok("proxy", json!({}), |p| p.proxy == ProxyMode::Auto),
            ok("storeInCache", json!({}), |p| p.store_in_cache),
            ok("null counts as left out", json!({ "timeout": null, "formats": null, "proxy": null }), |p| {
                p.timeout == Duration::from_secs(30) && p.formats.markdown && p.proxy == ProxyMode::Auto
            }),
        ]
    });
}

#[test]
fn switches_and_times() {
    run_everywhere(|| {
        vec![
            ok("onlyMainContent off", json!({ "onlyMainContent": false }), |p| !p.only_main_content),
            no(
                "onlyMainContent as a string",
                json!({ "onlyMainContent": "no" }),
                "onlyMainContent",
                "must be `true` or `false`, not \"no\"",
            ),
            ok("mobile", json!({ "mobile": true }), |p| p.mobile),
            ok("skipTlsVerification off", json!({ "skipTlsVerification": false }), |p| {
                !p.skip_tls_verification
            }),
            ok("removeBase64Images off", json!({ "removeBase64Images": false }), |p| !p.remove_base64_images),
            ok("blockAds off", json!({ "blockAds": false }), |p| !p.block_ads),
            no(
                "blockAds as number",
                json!({ "blockAds": 1 }),
                "blockAds",
                "must be `true` or `false`, not 1",
            ),
            ok("timeout of 1", json!({ "timeout": 1 }), |p| p.timeout == Duration::from_millis(1)),
            ok("timeout of 300000", json!({ "timeout": 300_000 }), |p| p.timeout == Duration::from_secs(300)),
            ok("timeout as a whole double", json!({ "timeout": 1000.0 }), |p| {
                p.timeout == Duration::from_secs(1)
            }),
            no("timeout of 0", json!({ "timeout": 0 }), "timeout", "an integer from 1 to 300000, not 0"),
            no(
                "timeout of 300001",
                json!({ "timeout": 300_001 }),
                "timeout",
                "an integer from 1 to 300000, not 300001",
            ),
            no("timeout below zero", json!({ "timeout": -1 }), "timeout", "not -1"),
            no("a fractional timeout", json!({ "timeout": 1.5 }), "timeout", "must be an integer"),
            no(
                "timeout as a string",
                json!({ "timeout": "30000" }),
                "timeout",
                "must be an integer from 1 to 300000, not \"30000\"",
            ),
            no("a huge timeout", json!({ "timeout": 1e300 }), "timeout", "must be an integer"),
            ok("waitFor of half the timeout", json!({ "timeout": 1000, "waitFor": 500 }), |p| {
                p.wait_for == Duration::from_millis(500)
            }),
            no(
                "waitFor of more than half",
                json!({ "timeout": 1000, "waitFor": 501 }),
                "waitFor",
                "at most half of `timeout` (500 of 1000 milliseconds), not 501",
            ),
            no(
                "waitFor over half of the default timeout",
                json!({ "waitFor": 15_001 }),
                "waitFor",
                "(15000 of 30000 milliseconds)",
            ),
            ok("waitFor of a minute", json!({ "timeout": 120_000, "waitFor": 60_000 }), |p| {
                p.wait_for == Duration::from_secs(60)
            }),
            no(
                "waitFor of more than a minute",
                json!({ "timeout": 300_000, "waitFor": 60_001 }),
                "waitFor",
                "from 0 to 60000",
            ),
            ok("maxAge of 0", json!({ "maxAge": 0 }), |p| p.max_age.is_zero()),
            ok("maxAge of a year", json!({ "maxAge": 31_536_000_000_u64 }), |p| {
                p.max_age.as_secs() == 31_536_000
            }),
            no("maxAge below zero", json!({ "maxAge": -1 }), "maxAge", "an integer of at least 0, not -1"),
            ok("minAge", json!({ "minAge": 5000 }), |p| p.min_age == Some(Duration::from_secs(5))),
            no(
                "minAge above maxAge",
                json!({ "minAge": 5000, "maxAge": 1000 }),
                "minAge",
                "at most `maxAge`",
            ),
            ok("lockdown", json!({ "lockdown": true }), |p| p.lockdown),
            ok("proxy basic", json!({ "proxy": "basic" }), |p| p.proxy == ProxyMode::Basic),
            ok("proxy stealth", json!({ "proxy": "stealth" }), |p| p.proxy == ProxyMode::Stealth),
            ok("proxy enhanced is stealth", json!({ "proxy": "enhanced" }), |p| {
                p.proxy == ProxyMode::Stealth
            }),
            no(
                "an unknown proxy",
                json!({ "proxy": "turbo" }),
                "proxy",
                "one of `basic`, `stealth`, `enhanced` or `auto`, not \"turbo\"",
            ),
            no("proxy in capitals", json!({ "proxy": "Basic" }), "proxy", "not \"Basic\""),
            ok("storeInCache off", json!({ "storeInCache": false }), |p| !p.store_in_cache),
            ok(
                "headers switch storeInCache off",
                json!({ "storeInCache": true, "headers": { "A": "b" } }),
                |p| !p.store_in_cache,
            ),
            ok(
                "actions switch storeInCache off",
                json!({ "storeInCache": true, "actions": [{ "type": "scrape" }] }),
                |p| !p.store_in_cache,
            ),
            ok(
                "empty headers do not switch storeInCache off",
                json!({ "headers": {}, "actions": [] }),
                |p| p.store_in_cache,
            ),
        ]
    });
}

#[test]
fn parsers() {
    run_everywhere(|| {
        vec![
            ok("by name", json!({ "parsers": ["pdf"] }), |p| {
                p.pdf.is_some_and(|pdf| pdf.max_pages.is_none())
            }),
            ok("none", json!({ "parsers": [] }), |p| p.pdf.is_none()),
            ok(
                "with options",
                json!({ "parsers": [{ "type": "pdf", "mode": "ocr", "maxPages": 10_000 }] }),
                |p| p.pdf.is_some_and(|pdf| pdf.mode == PdfMode::Ocr && pdf.max_pages == Some(10_000)),
            ),
            ok("mode fast", json!({ "parsers": [{ "type": "pdf", "mode": "fast" }] }), |p| {
                p.pdf.is_some_and(|pdf| pdf.mode == PdfMode::Fast)
            }),
            ok("the same twice", json!({ "parsers": ["pdf", { "type": "pdf", "mode": "auto" }] }), |p| {
                p.pdf.is_some()
            }),
            no(
                "two with different options",
                json!({ "parsers": ["pdf", { "type": "pdf", "mode": "ocr" }] }),
                "parsers[1]",
                "second `pdf` with other options",
            ),
            no(
                "an unknown kind",
                json!({ "parsers": ["docx"] }),
                "parsers[0]",
                "one of `pdf`, or an object with that `type`, not \"docx\"",
            ),
            no(
                "an unknown mode",
                json!({ "parsers": [{ "type": "pdf", "mode": "slow" }] }),
                "parsers[0].mode",
                "one of `fast`, `auto` or `ocr`",
            ),
            no(
                "no pages",
                json!({ "parsers": [{ "type": "pdf", "maxPages": 0 }] }),
                "parsers[0].maxPages",
                "from 1 to 10000, not 0",
            ),
            no(
                "too many pages",
                json!({ "parsers": [{ "type": "pdf", "maxPages": 10_001 }] }),
                "parsers[0].maxPages",
                "from 1 to 10000, not 10001",
            ),
            no(
                "not a list",
                json!({ "parsers": { "pdf": true } }),
                "parsers",
                "must be an array, not an object",
            ),
            no("v1's name", json!({ "parsePDF": false }), "parsePDF", "in v2 it is `parsers`"),
        ]
    });
}

#[test]
fn selectors_headers_and_location() {
    run_everywhere(|| {
        vec![
            ok("selectors", json!({ "includeTags": ["article", "#a > .b"], "excludeTags": ["nav"] }), |p| {
                p.include_tags.len() == 2 && p.exclude_tags == ["nav"]
            }),
            no("an empty selector", json!({ "includeTags": [""] }), "includeTags[0]", "must not be empty"),
            no(
                "a blank selector",
                json!({ "excludeTags": ["a", " "] }),
                "excludeTags[1]",
                "must not be blank",
            ),
            no(
                "a selector that is not a string",
                json!({ "includeTags": [1] }),
                "includeTags[0]",
                "must be a string, not 1",
            ),
            no(
                "selectors in one string",
                json!({ "includeTags": "a,b" }),
                "includeTags",
                "must be an array of strings, not \"a,b\"",
            ),
            ok(
                "the greatest number of selectors",
                json!({ "excludeTags": vec![".a0001,.b0002".repeat(14); 100],
                    "includeTags": vec!["a"; 500] }),
                |p| p.exclude_tags.len() == 100 && p.include_tags.len() == 500,
            ),
            no(
                "too many comma-separated selectors",
                json!({ "excludeTags": vec!["a,".repeat(250) + "a"; 400] }),
                "excludeTags",
                "at most 100000 comma-separated selectors, not 100400",
            ),
            ok("headers in lower case", json!({ "headers": { "X-Key": "v", "Cookie": "a=b; c=d" } }), |p| {
                p.headers.get("x-key").map(String::as_str) == Some("v") && p.headers.len() == 2
            }),
            no(
                "a header twice",
                json!({ "headers": { "X-Key": "v", "x-key": "w" } }),
                "headers.x-key",
                "is repeated",
            ),
            no(
                "a header's name with a space",
                json!({ "headers": { "x key": "v" } }),
                "headers[\"x key\"]",
                "is not a header name",
            ),
            no(
                "a header without a name",
                json!({ "headers": { "": "v" } }),
                "headers[\"\"]",
                "is not a header name",
            ),
            no(
                "a header of two lines",
                json!({ "headers": { "a": "b\r\nc: d" } }),
                "headers.a",
                "printable text in one line",
            ),
            ok("a cookie beyond ASCII", json!({ "headers": { "Cookie": "town=Köln" } }), |p| {
                p.headers.get("cookie").is_some_and(|value| value == "town=Köln")
            }),
            no(
                "a header with a control character",
                json!({ "headers": { "a": "é\u{7}" } }),
                "headers.a",
                "printable text in one line",
            ),
            no(
                "a header that is a number",
                json!({ "headers": { "a": 5 } }),
                "headers.a",
                "must be a string, not a number",
            ),
            no(
                "a header that is too long",
                json!({ "headers": { "a": "b".repeat(16_385) } }),
                "headers.a",
                "at most 16384 bytes long, not 16385",
            ),
            no(
                "headers in a list",
                json!({ "headers": ["a: b"] }),
                "headers",
                "must be an object, not an array",
            ),
            ok(
                "a country in any case",
                json!({ "location": { "country": "de", "languages": ["de-AT", "en"] } }),
                |p| p.location.country == "DE" && p.location.languages == ["de-AT", "en"],
            ),
            ok("languages without a country", json!({ "location": { "languages": ["fr"] } }), |p| {
                p.location.country == "US"
            }),
            no(
                "an unassigned country code",
                json!({ "location": { "country": "UK" } }),
                "location.country",
                "ISO 3166-1 alpha-2 code such as `DE`, not \"UK\"",
            ),
            no(
                "a country in three letters",
                json!({ "location": { "country": "DEU" } }),
                "location.country",
                "alpha-2",
            ),
            no("an empty country", json!({ "location": { "country": "" } }), "location.country", "alpha-2"),
            no(
                "a language with an underscore",
                json!({ "location": { "languages": ["en", "en_US"] } }),
                "location.languages[1]",
                "BCP 47 tag such as `en-US`, not \"en_US\"",
            ),
            no(
                "too many languages",
                json!({ "location": { "languages": vec!["en"; 21] } }),
                "location.languages",
                "at most 20 entries",
            ),
            no(
                "an unknown key of location",
                json!({ "location": { "contry": "DE" } }),
                "location.contry",
                "did you mean `country`?",
            ),
        ]
    });
}

#[test]
fn extras() {
    run_everywhere(|| {
        vec![
            ok(
                "origin and integration",
                json!({ "origin": "js-sdk@4", "integration": "n8n", "fastMode": true }),
                |p| p.formats.markdown,
            ),
            ok(
                "options that are off",
                json!({ "useMock": null, "profile": "", "auditMetadata": {}, "checkPromptInjection": false,
                    "threatProtection": [], "redactPII": "off", "onlyCleanContent": false,
                    "safeMode": "none" }),
                |p| p.formats.markdown,
            ),
            no("useMock", json!({ "useMock": "x" }), "useMock", "is not supported by this engine"),
            no("profile", json!({ "profile": { "name": "x" } }), "profile", "is not supported"),
            no("auditMetadata", json!({ "auditMetadata": { "a": 1 } }), "auditMetadata", "is not supported"),
            no(
                "checkPromptInjection",
                json!({ "checkPromptInjection": true }),
                "checkPromptInjection",
                "is not supported",
            ),
            no(
                "threatProtection",
                json!({ "threatProtection": true }),
                "threatProtection",
                "is not supported",
            ),
            no("redactPII", json!({ "redactPII": true }), "redactPII", "is not supported"),
            no(
                "onlyCleanContent",
                json!({ "onlyCleanContent": true }),
                "onlyCleanContent",
                "is not supported",
            ),
            no("safeMode", json!({ "safeMode": 1 }), "safeMode", "is not supported"),
            no("an unknown key", json!({ "fromats": [] }), "fromats", "did you mean `formats`?"),
            no(
                "a key in snake case",
                json!({ "only_main_content": true }),
                "only_main_content",
                "`onlyMainContent`",
            ),
            no(
                "a key without a similar one",
                json!({ "zzzzzzzz": 1 }),
                "zzzzzzzz",
                "unknown field `zzzzzzzz`",
            ),
        ]
    });
}

#[test]
fn unsupported_options_have_their_own_status() {
    let status = |body: &Value| {
        let faults = ScrapePlan::from_json(body).unwrap_err();
        (faults.http_status(), faults.error_code())
    };
    let refused = json!({ "url": "a.example", "redactPII": true, "profile": "x" });
    assert_eq!(status(&refused), (422, ErrorCode::UnsupportedOption));
    let mixed = json!({ "url": "a.example", "redactPII": true, "timeout": 0 });
    assert_eq!(status(&mixed), (400, ErrorCode::BadRequest));
}

#[test]
fn zero_data_retention_keeps_the_page_out_of_the_cache() {
    let plan = ScrapePlan::from_json(&json!({ "url": "a.example", "zeroDataRetention": true })).unwrap();
    assert!(plan.zero_data_retention && !plan.options.store_in_cache);
}
