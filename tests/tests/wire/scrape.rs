//! `POST /v2/scrape` and `GET /v2/scrape/{id}`.

use serde_json::json;

use crate::case::{Body, Case, case, send};
use crate::expect::Expect;

pub(crate) fn cases() -> Vec<Case> {
    [answers(), failures(), needs(), extras(), reads()].into_iter().flatten().collect()
}

fn answers() -> Vec<Case> {
    vec![
        case("a scrape gives only Markdown and metadata by default", "POST /v2/scrape")
            .body(json!({ "url": "{site}/docs/a" }))
            .keys("", &["success", "data"])
            .is("/success", true)
            .contains("/data/markdown", "says what nobody else says")
            .kind("/data/metadata", "object")
            .absent("/data/html")
            .absent("/data/rawHtml")
            .absent("/data/links")
            .absent("/data/json")
            .absent("/data/screenshot"),
        case("requested formats come without Markdown", "POST /v2/scrape")
            .body(json!({ "url": "{site}/rich", "formats": ["html", "rawHtml", "links", "images"] }))
            .contains("/data/html", "<h1")
            .contains("/data/rawHtml", "<!doctype html>")
            .includes("/data/links", ["{site}/docs/a"])
            .includes("/data/images", ["{site}/leaf.png"])
            .absent("/data/markdown"),
        case("a duplicate format has no effect", "POST /v2/scrape")
            .body(json!({
                "url": "{site}/rich", "formats": ["markdown", { "type": "markdown" }, "markdown"],
            }))
            .kind("/data/markdown", "string"),
        case("a summary is a string, even without a model", "POST /v2/scrape")
            .body(json!({ "url": "{site}/rich", "formats": ["summary"] }))
            .kind("/data/summary", "string")
            .absent("/data/markdown"),
        case("branding is an object", "POST /v2/scrape")
            .body(json!({ "url": "{site}/rich", "formats": ["branding"] }))
            .kind("/data/branding", "object"),
        case("attributes are listed per selector", "POST /v2/scrape")
            .body(json!({
                "url": "{site}/rich",
                "formats": [{
                    "type": "attributes", "selectors": [{ "selector": "img", "attribute": "alt" }],
                }],
            }))
            .len("/data/attributes", 1)
            .is("/data/attributes/0/selector", "img")
            .is("/data/attributes/0/attribute", "alt")
            .is("/data/attributes/0/values", json!(["A leaf"])),
        case("json with a schema has values of the page", "POST /v2/scrape")
            .body(json!({ "url": "{site}/cup", "formats": [{ "type": "json", "schema": {
                "type": "object",
                "properties": { "name": { "type": "string" }, "brand": { "type": "string" } },
            } }] }))
            .is("/data/json/brand", "Acme")
            .is("/data/metadata/creditsUsed", 5),
        case("missing properties of json are null and named in the warning", "POST /v2/scrape")
            .body(json!({ "url": "{site}/cup", "formats": [{ "type": "json", "schema": {
                "type": "object",
                "properties": { "brand": { "type": "string" }, "warranty": { "type": "string" } },
            } }] }))
            .is("/data/json/brand", "Acme")
            .is("/data/json/warranty", json!(null))
            .contains("/data/warning", "warranty"),
        case("the first scrape has the change status new", "POST /v2/scrape")
            .body(json!({ "url": "{site}/docs/a", "formats": ["markdown", "changeTracking"] }))
            .is("/data/changeTracking/changeStatus", "new")
            .is("/data/changeTracking/visibility", "visible")
            .is("/data/changeTracking/previousScrapeAt", json!(null)),
        case("the second scrape of an unchanged page has the status same", "POST /v2/scrape")
            .after(send(
                "POST /v2/scrape",
                json!({ "url": "{site}/docs/a", "formats": ["markdown", "changeTracking"] }),
            ))
            .body(json!({
                "url": "{site}/docs/a",
                "formats": ["markdown", { "type": "changeTracking", "modes": ["git-diff"] }],
            }))
            .is("/data/changeTracking/changeStatus", "same")
            .time("/data/changeTracking/previousScrapeAt")
            .absent("/data/changeTracking/diff"),
        case("each tag has its own change history", "POST /v2/scrape")
            .after(send(
                "POST /v2/scrape",
                json!({
                    "url": "{site}/docs/a",
                    "formats": ["markdown", { "type": "changeTracking", "tag": "daily" }],
                }),
            ))
            .body(json!({
                "url": "{site}/docs/a",
                "formats": ["markdown", { "type": "changeTracking", "tag": "weekly" }],
            }))
            .is("/data/changeTracking/changeStatus", "new"),
        case("each team has its own change history", "POST /v2/scrape")
            .after(
                send(
                    "POST /v2/scrape",
                    json!({ "url": "{site}/docs/a", "formats": ["markdown", "changeTracking"] }),
                )
                .key("other"),
            )
            .body(json!({ "url": "{site}/docs/a", "formats": ["markdown", "changeTracking"] }))
            .is("/data/changeTracking/changeStatus", "new"),
        case("robots.txt does not apply to a page that the user requests", "POST /v2/scrape")
            .body(json!({ "url": "{closed}/" }))
            .contains("/data/markdown", "Nobody should read this."),
        case("an untrusted certificate is accepted by default", "POST /v2/scrape")
            .body(json!({ "url": "{secure}/" }))
            .contains("/data/markdown", "Sent over TLS."),
    ]
}

fn failures() -> Vec<Case> {
    vec![
        case("a page that times out gives 408", "POST /v2/scrape")
            .body(json!({ "url": "{stuck}/", "timeout": 100 }))
            .status(408)
            .code("SCRAPE_TIMEOUT")
            .starts_with("/error", "Scrape timed out"),
        case("the shortest timeout is accepted", "POST /v2/scrape")
            .body(json!({ "url": "{stuck}/", "timeout": 1 }))
            .status(408)
            .code("SCRAPE_TIMEOUT")
            .starts_with("/error", "Scrape timed out"),
        case("a broken connection gives 422", "POST /v2/scrape")
            .body(json!({ "url": "{broken}/" }))
            .status(422)
            .code("SCRAPE_SITE_ERROR")
            .kind("/error", "string"),
        case("a redirect loop gives 422", "POST /v2/scrape")
            .body(json!({ "url": "{site}/loop" }))
            .status(422)
            .code("SCRAPE_SITE_ERROR")
            .contains("/error", "redirect"),
        case("an image gives 422", "POST /v2/scrape")
            .body(json!({ "url": "{almanac}/files/photo.png" }))
            .status(422)
            .code("SCRAPE_UNSUPPORTED_FILE_ERROR")
            .kind("/error", "string"),
        case("an untrusted certificate gives 422 with skipTlsVerification false", "POST /v2/scrape")
            .body(json!({ "url": "{secure}/", "skipTlsVerification": false }))
            .status(422)
            .code("SCRAPE_SSL_ERROR")
            .contains("/error", "certificate")
            .lacks("/error", "CaUsedAsEndEntity"),
        case("a cloud metadata address gives 403", "POST /v2/scrape")
            .body(json!({ "url": "http://169.254.169.254/latest/meta-data/" }))
            .status(403)
            .kind("/error", "string"),
        case("a private address gives 403", "POST /v2/scrape")
            .body(json!({ "url": "http://10.0.0.1/" }))
            .status(403)
            .kind("/error", "string"),
    ]
}

/// Requests that need something the engine lacks.
fn needs() -> Vec<Case> {
    vec![
        case("a screenshot needs a browser", "POST /v2/scrape")
            .body(json!({ "url": "{site}/docs/a", "formats": ["screenshot"] }))
            .status(400)
            .code("SCRAPE_SCREENSHOT_NOT_SUPPORTED")
            .error_contains(["screenshot", "browser"]),
        case("a screenshot with options needs a browser", "POST /v2/scrape")
            .body(json!({ "url": "{site}/docs/a", "formats": [{
                "type": "screenshot", "fullPage": true, "quality": 100,
                "viewport": { "width": 800, "height": 600 },
            }] }))
            .status(400)
            .code("SCRAPE_SCREENSHOT_NOT_SUPPORTED")
            .error_contains(["screenshot", "browser"]),
        case("actions need a browser", "POST /v2/scrape")
            .body(json!({ "url": "{site}/docs/a", "actions": [{ "type": "click", "selector": "a" }] }))
            .status(400)
            .code("SCRAPE_ACTIONS_NOT_SUPPORTED")
            .error_contains(["actions", "browser"]),
        case("actions of every kind are parsed", "POST /v2/scrape")
            .body(json!({ "url": "{site}/docs/a", "actions": [
                { "type": "wait", "milliseconds": 500 }, { "type": "wait", "selector": "#x" },
                { "type": "click", "selector": "a", "all": true }, { "type": "write", "text": "tea" },
                { "type": "press", "key": "Enter" }, { "type": "scroll" },
                { "type": "scroll", "direction": "up" },
                { "type": "screenshot", "fullPage": true }, { "type": "scrape" },
                { "type": "executeJavascript", "script": "1" }, { "type": "pdf", "landscape": true },
            ] }))
            .status(400)
            .code("SCRAPE_ACTIONS_NOT_SUPPORTED")
            .error_contains(["actions", "browser"]),
        case("json with only a prompt needs a model", "POST /v2/scrape")
            .body(json!({ "url": "{site}/cup", "formats": [{ "type": "json", "prompt": "the brand" }] }))
            .status(400)
            .code("MODEL_NOT_CONFIGURED")
            .error_contains(["model", "schema"]),
    ]
}

/// Fields that clients send in addition to those of the contract.
fn extras() -> Vec<Case> {
    let mut cases = vec![
        case("origin, integration and fastMode are accepted", "POST /v2/scrape")
            .body(json!({
                "url": "{site}/docs/a", "origin": "python-sdk@4.55.0", "integration": "flow",
                "fastMode": true,
            }))
            .is("/success", true),
        case("known but unsupported options are accepted if they are off", "POST /v2/scrape")
            .body(json!({
                "url": "{site}/docs/a", "useMock": null, "redactPII": false, "safeMode": "off", "profile": {},
            }))
            .is("/success", true),
        case("an experimental key is ignored, with a warning", "POST /v2/scrape")
            .body(json!({ "url": "{site}/docs/a", "__experimental_omce": true }))
            .is("/success", true)
            .contains("/data/warning", "__experimental_omce"),
        case("a key without the experimental prefix is unknown", "POST /v2/scrape")
            .body(json!({ "url": "{site}/docs/a", "experimental_omce": true }))
            .refused_at(json!(["experimental_omce"]))
            .error_contains(["unknown field `experimental_omce`"]),
    ];
    for option in ["useMock", "profile", "auditMetadata", "checkPromptInjection", "redactPII", "safeMode"] {
        let mut body = json!({ "url": "{site}/docs/a" });
        if let Some(fields) = body.as_object_mut() {
            fields.insert(option.to_owned(), json!(true));
        }
        cases.push(
            case(format!("`{option}` is known and unsupported"), "POST /v2/scrape")
                .body(body)
                .status(422)
                .code("UNSUPPORTED_OPTION")
                .error_contains([option]),
        );
    }
    cases
}

fn reads() -> Vec<Case> {
    let scrape =
        || send("POST /v2/scrape", json!({ "url": "{site}/docs/a" })).keep("page", "/data/metadata/scrapeId");
    vec![
        case("a scrape is readable by its id", "GET /v2/scrape/{page}")
            .after(scrape())
            .is("/success", true)
            .is("/data/metadata/scrapeId", "{page}")
            .is("/data/metadata/sourceURL", "{site}/docs/a")
            .contains("/data/markdown", "says what nobody else says"),
        case("a page of a batch is readable by its scrape id", "GET /v2/scrape/{page}")
            .after_job("POST /v2/batch/scrape", json!({ "urls": ["{site}/docs/b"] }))
            .after(send("GET /v2/batch/scrape/{id}", Body::Empty).keep("page", "/data/0/metadata/scrapeId"))
            .is("/success", true)
            .is("/data/metadata/scrapeId", "{page}")
            .is("/data/metadata/sourceURL", "{site}/docs/b"),
        case("a page of a crawl is readable by its scrape id", "GET /v2/scrape/{page}")
            .after_job("POST /v2/crawl", json!({ "url": "{site}/deep/2", "limit": 1, "sitemap": "skip" }))
            .after(send("GET /v2/crawl/{id}", Body::Empty).keep("page", "/data/0/metadata/scrapeId"))
            .is("/success", true)
            .is("/data/metadata/sourceURL", "{site}/deep/2"),
        case("a scrape id is a version 7 UUID", "POST /v2/scrape")
            .body(json!({ "url": "{site}/docs/a" }))
            .field("/data/metadata/scrapeId", Expect::Uuid7),
        case("a scrape with zero data retention is not stored", "GET /v2/scrape/{page}")
            .after(
                send("POST /v2/scrape", json!({ "url": "{site}/docs/a", "zeroDataRetention": true }))
                    .keep("page", "/data/metadata/scrapeId"),
            )
            .not_found(),
        case("a scrape of another team is not found", "GET /v2/scrape/{page}")
            .after(scrape())
            .key("other")
            .not_found(),
    ]
}
