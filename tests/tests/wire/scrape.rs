//! `POST /v2/scrape` and `GET /v2/scrape/{id}`.

use serde_json::json;

use crate::case::{Body, Case, ask, send};
use crate::expect::Expect;

pub(crate) fn cases() -> Vec<Case> {
    [answers(), failures(), needs(), extras(), read_again()].into_iter().flatten().collect()
}

fn answers() -> Vec<Case> {
    vec![
        ask("a scrape gives Markdown and metadata, and nothing that was not asked for", "POST /v2/scrape")
            .with(json!({ "url": "{site}/docs/a" }))
            .keys("", &["success", "data"])
            .is("/success", true)
            .has("/data/markdown", "says what nobody else says")
            .kind("/data/metadata", "object")
            .absent("/data/html")
            .absent("/data/rawHtml")
            .absent("/data/links")
            .absent("/data/json")
            .absent("/data/screenshot"),
        ask("formats that are asked for come without Markdown", "POST /v2/scrape")
            .with(json!({ "url": "{site}/rich", "formats": ["html", "rawHtml", "links", "images"] }))
            .has("/data/html", "<h1")
            .has("/data/rawHtml", "<!doctype html>")
            .holds("/data/links", ["{site}/docs/a"])
            .holds("/data/images", ["{site}/leaf.png"])
            .absent("/data/markdown"),
        ask("a format that is named twice is as good as once", "POST /v2/scrape")
            .with(json!({ "url": "{site}/rich", "formats": ["markdown", { "type": "markdown" }, "markdown"] }))
            .kind("/data/markdown", "string"),
        ask("a summary is text, also without a model", "POST /v2/scrape")
            .with(json!({ "url": "{site}/rich", "formats": ["summary"] }))
            .kind("/data/summary", "string")
            .absent("/data/markdown"),
        ask("branding is an object of what the page looks like", "POST /v2/scrape")
            .with(json!({ "url": "{site}/rich", "formats": ["branding"] }))
            .kind("/data/branding", "object"),
        ask("attributes come for each selector", "POST /v2/scrape")
            .with(json!({
                "url": "{site}/rich",
                "formats": [{ "type": "attributes", "selectors": [{ "selector": "img", "attribute": "alt" }] }],
            }))
            .len("/data/attributes", 1)
            .is("/data/attributes/0/selector", "img")
            .is("/data/attributes/0/attribute", "alt")
            .is("/data/attributes/0/values", json!(["A leaf"])),
        ask("json by a schema has the values that the page states", "POST /v2/scrape")
            .with(json!({ "url": "{site}/cup", "formats": [{ "type": "json", "schema": {
                "type": "object", "properties": { "name": { "type": "string" }, "brand": { "type": "string" } },
            } }] }))
            .is("/data/json/brand", "Acme")
            .is("/data/metadata/creditsUsed", 5),
        ask("json has every property of its schema: what was not found is null, and the warning says so", "POST /v2/scrape")
            .with(json!({ "url": "{site}/cup", "formats": [{ "type": "json", "schema": {
                "type": "object",
                "properties": { "brand": { "type": "string" }, "warranty": { "type": "string" } },
            } }] }))
            .is("/data/json/brand", "Acme")
            .is("/data/json/warranty", json!(null))
            .has("/data/warning", "warranty"),
        ask("change tracking calls the first scrape new", "POST /v2/scrape")
            .with(json!({ "url": "{site}/docs/a", "formats": ["markdown", "changeTracking"] }))
            .is("/data/changeTracking/changeStatus", "new")
            .is("/data/changeTracking/visibility", "visible")
            .is("/data/changeTracking/previousScrapeAt", json!(null)),
        ask("change tracking tells when the same page was scraped before", "POST /v2/scrape")
            .after(send(
                "POST /v2/scrape",
                json!({ "url": "{site}/docs/a", "formats": ["markdown", "changeTracking"] }),
            ))
            .with(json!({
                "url": "{site}/docs/a",
                "formats": ["markdown", { "type": "changeTracking", "modes": ["git-diff"] }],
            }))
            .is("/data/changeTracking/changeStatus", "same")
            .time("/data/changeTracking/previousScrapeAt")
            .absent("/data/changeTracking/diff"),
        ask("change tracking keeps the histories of tags apart", "POST /v2/scrape")
            .after(send(
                "POST /v2/scrape",
                json!({ "url": "{site}/docs/a", "formats": ["markdown", { "type": "changeTracking", "tag": "daily" }] }),
            ))
            .with(json!({
                "url": "{site}/docs/a",
                "formats": ["markdown", { "type": "changeTracking", "tag": "weekly" }],
            }))
            .is("/data/changeTracking/changeStatus", "new"),
        ask("change tracking keeps the histories of teams apart", "POST /v2/scrape")
            .after(
                send(
                    "POST /v2/scrape",
                    json!({ "url": "{site}/docs/a", "formats": ["markdown", "changeTracking"] }),
                )
                .key("other"),
            )
            .with(json!({ "url": "{site}/docs/a", "formats": ["markdown", "changeTracking"] }))
            .is("/data/changeTracking/changeStatus", "new"),
        ask("a page that the user names is scraped whatever robots.txt says", "POST /v2/scrape")
            .with(json!({ "url": "{closed}/" }))
            .has("/data/markdown", "Nobody should read this."),
        ask("a certificate that nobody trusts is accepted by default", "POST /v2/scrape")
            .with(json!({ "url": "{secure}/" }))
            .has("/data/markdown", "Sent over TLS."),
    ]
}

fn failures() -> Vec<Case> {
    vec![
        ask("a page that takes longer than its timeout is 408", "POST /v2/scrape")
            .with(json!({ "url": "{stuck}/", "timeout": 100 }))
            .gives(408)
            .code("SCRAPE_TIMEOUT")
            .starts("/error", "Scrape timed out"),
        ask("the shortest timeout is taken", "POST /v2/scrape")
            .with(json!({ "url": "{stuck}/", "timeout": 1 }))
            .gives(408)
            .code("SCRAPE_TIMEOUT")
            .starts("/error", "Scrape timed out"),
        ask("a connection that breaks is 422", "POST /v2/scrape")
            .with(json!({ "url": "{broken}/" }))
            .gives(422)
            .code("SCRAPE_SITE_ERROR")
            .kind("/error", "string"),
        ask("redirects in a circle are 422", "POST /v2/scrape")
            .with(json!({ "url": "{site}/loop" }))
            .gives(422)
            .code("SCRAPE_SITE_ERROR")
            .has("/error", "redirect"),
        ask("a picture is 422", "POST /v2/scrape")
            .with(json!({ "url": "{almanac}/files/photo.png" }))
            .gives(422)
            .code("SCRAPE_UNSUPPORTED_FILE_ERROR")
            .kind("/error", "string"),
        ask("a certificate that nobody trusts is 422 where it is to be checked", "POST /v2/scrape")
            .with(json!({ "url": "{secure}/", "skipTlsVerification": false }))
            .gives(422)
            .code("SCRAPE_SSL_ERROR")
            .has("/error", "certificate")
            .lacks("/error", "CaUsedAsEndEntity"),
        ask("an address of a cloud's own services is 403", "POST /v2/scrape")
            .with(json!({ "url": "http://169.254.169.254/latest/meta-data/" }))
            .gives(403)
            .kind("/error", "string"),
        ask("a private address is 403", "POST /v2/scrape")
            .with(json!({ "url": "http://10.0.0.1/" }))
            .gives(403)
            .kind("/error", "string"),
    ]
}

/// What the engine was built without.
fn needs() -> Vec<Case> {
    vec![
        ask("a screenshot needs a browser", "POST /v2/scrape")
            .with(json!({ "url": "{site}/docs/a", "formats": ["screenshot"] }))
            .gives(400)
            .code("SCRAPE_SCREENSHOT_NOT_SUPPORTED")
            .error_has(["screenshot", "browser"]),
        ask("a screenshot with its options needs a browser", "POST /v2/scrape")
            .with(json!({ "url": "{site}/docs/a", "formats": [{
                "type": "screenshot", "fullPage": true, "quality": 100, "viewport": { "width": 800, "height": 600 },
            }] }))
            .gives(400)
            .code("SCRAPE_SCREENSHOT_NOT_SUPPORTED")
            .error_has(["screenshot", "browser"]),
        ask("actions need a browser", "POST /v2/scrape")
            .with(json!({ "url": "{site}/docs/a", "actions": [{ "type": "click", "selector": "a" }] }))
            .gives(400)
            .code("SCRAPE_ACTIONS_NOT_SUPPORTED")
            .error_has(["actions", "browser"]),
        ask("actions of every kind are understood", "POST /v2/scrape")
            .with(json!({ "url": "{site}/docs/a", "actions": [
                { "type": "wait", "milliseconds": 500 }, { "type": "wait", "selector": "#x" },
                { "type": "click", "selector": "a", "all": true }, { "type": "write", "text": "tea" },
                { "type": "press", "key": "Enter" }, { "type": "scroll" }, { "type": "scroll", "direction": "up" },
                { "type": "screenshot", "fullPage": true }, { "type": "scrape" },
                { "type": "executeJavascript", "script": "1" }, { "type": "pdf", "landscape": true },
            ] }))
            .gives(400)
            .code("SCRAPE_ACTIONS_NOT_SUPPORTED")
            .error_has(["actions", "browser"]),
        ask("json by a prompt alone needs a model", "POST /v2/scrape")
            .with(json!({ "url": "{site}/cup", "formats": [{ "type": "json", "prompt": "the brand" }] }))
            .gives(400)
            .code("MODEL_NOT_CONFIGURED")
            .error_has(["model", "schema"]),
    ]
}

/// What clients send beside the contract's own fields.
fn extras() -> Vec<Case> {
    let mut cases = vec![
        ask("origin, integration and fastMode are accepted", "POST /v2/scrape")
            .with(json!({
                "url": "{site}/docs/a", "origin": "python-sdk@4.55.0", "integration": "flow", "fastMode": true,
            }))
            .is("/success", true),
        ask("known options that are not offered may be there where they are off", "POST /v2/scrape")
            .with(json!({
                "url": "{site}/docs/a", "useMock": null, "redactPII": false, "safeMode": "off", "profile": {},
            }))
            .is("/success", true),
        ask("an experimental key is ignored, and the warning says so", "POST /v2/scrape")
            .with(json!({ "url": "{site}/docs/a", "__experimental_omce": true }))
            .is("/success", true)
            .has("/data/warning", "__experimental_omce"),
        ask("a key that only looks experimental is unknown", "POST /v2/scrape")
            .with(json!({ "url": "{site}/docs/a", "experimental_omce": true }))
            .refused_at(json!(["experimental_omce"]))
            .error_has(["unknown field `experimental_omce`"]),
    ];
    for option in ["useMock", "profile", "auditMetadata", "checkPromptInjection", "redactPII", "safeMode"] {
        let mut body = json!({ "url": "{site}/docs/a" });
        if let Some(fields) = body.as_object_mut() {
            fields.insert(option.to_owned(), json!(true));
        }
        cases.push(
            ask(format!("`{option}` is known and not offered"), "POST /v2/scrape")
                .with(body)
                .gives(422)
                .code("UNSUPPORTED_OPTION")
                .error_has([option]),
        );
    }
    cases
}

fn read_again() -> Vec<Case> {
    let scrape =
        || send("POST /v2/scrape", json!({ "url": "{site}/docs/a" })).keep("page", "/data/metadata/scrapeId");
    vec![
        ask("a scrape is read again by its id", "GET /v2/scrape/{page}")
            .after(scrape())
            .is("/success", true)
            .is("/data/metadata/scrapeId", "{page}")
            .is("/data/metadata/sourceURL", "{site}/docs/a")
            .has("/data/markdown", "says what nobody else says"),
        ask("a page of a batch is read by the id of its scrape", "GET /v2/scrape/{page}")
            .after_job("POST /v2/batch/scrape", json!({ "urls": ["{site}/docs/b"] }))
            .after(send("GET /v2/batch/scrape/{id}", Body::Empty).keep("page", "/data/0/metadata/scrapeId"))
            .is("/success", true)
            .is("/data/metadata/scrapeId", "{page}")
            .is("/data/metadata/sourceURL", "{site}/docs/b"),
        ask("a page of a crawl is read by the id of its scrape", "GET /v2/scrape/{page}")
            .after_job("POST /v2/crawl", json!({ "url": "{site}/deep/2", "limit": 1, "sitemap": "skip" }))
            .after(send("GET /v2/crawl/{id}", Body::Empty).keep("page", "/data/0/metadata/scrapeId"))
            .is("/success", true)
            .is("/data/metadata/sourceURL", "{site}/deep/2"),
        ask("the id of a scrape has version 7", "POST /v2/scrape")
            .with(json!({ "url": "{site}/docs/a" }))
            .must("/data/metadata/scrapeId", Expect::Uuid7),
        ask("a scrape with zero data retention is not kept", "GET /v2/scrape/{page}")
            .after(
                send("POST /v2/scrape", json!({ "url": "{site}/docs/a", "zeroDataRetention": true }))
                    .keep("page", "/data/metadata/scrapeId"),
            )
            .not_found(),
        ask("a scrape of another team is not found", "GET /v2/scrape/{page}")
            .after(scrape())
            .key("other")
            .not_found(),
    ]
}
