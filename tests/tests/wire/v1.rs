//! Version 1 of the API, where it differs from version 2.

use serde_json::{Value, json};

use crate::case::{Body, Case, case, send, start_job};
use crate::expect::Expect;

const SCRAPE: &str = "POST /v1/scrape";
const BATCH: &str = "POST /v1/batch/scrape";
const CRAWL: &str = "POST /v1/crawl";

pub(crate) fn cases() -> Vec<Case> {
    [scrapes(), formats(), batches(), crawls(), others()].into_iter().flatten().collect()
}

fn schema() -> Value {
    json!({ "type": "object", "properties": { "brand": { "type": "string" } } })
}

fn scrapes() -> Vec<Case> {
    vec![
        case("v1: a scrape gives Markdown and metadata", SCRAPE)
            .body(json!({ "url": "{site}/docs/a" }))
            .is("/success", true)
            .kind("/data/markdown", "string")
            .is("/data/metadata/statusCode", 200)
            .is("/data/metadata/sourceURL", "{site}/docs/a")
            .is("/data/metadata/proxyUsed", "basic"),
        case("v1: the cache is off by default", SCRAPE)
            .after(send(SCRAPE, json!({ "url": "{site}/docs/a" })))
            .body(json!({ "url": "{site}/docs/a" }))
            .is("/success", true)
            .absent("/data/metadata/cacheState"),
        case("v1: the cache is used with maxAge", SCRAPE)
            .after(send(SCRAPE, json!({ "url": "{site}/docs/a", "maxAge": 60_000 })))
            .body(json!({ "url": "{site}/docs/a", "maxAge": 60_000 }))
            .is("/data/metadata/cacheState", "hit"),
        case("v1: certificates are checked by default", SCRAPE)
            .body(json!({ "url": "{secure}/" }))
            .status(422)
            .code("SCRAPE_SSL_ERROR")
            .contains("/error", "certificate"),
        case("v1: certificates are not checked with skipTlsVerification", SCRAPE)
            .body(json!({ "url": "{secure}/", "skipTlsVerification": true }))
            .contains("/data/markdown", "Sent over TLS."),
        case("v1: a PDF is converted by default and costs one credit per page", SCRAPE)
            .body(json!({ "url": "{almanac}/files/manual.pdf" }))
            .contains("/data/markdown", "The manual has two pages.")
            .is("/data/metadata/creditsUsed", 2),
        case("v1: a PDF is base64 with parsePDF false, at a flat price", SCRAPE)
            .body(json!({ "url": "{almanac}/files/manual.pdf", "parsePDF": false }))
            .starts_with("/data/markdown", "JVBER")
            .is("/data/metadata/creditsUsed", 1),
        case("v1: a scrape is readable by its id", "GET /v1/scrape/{page}")
            .after(send(SCRAPE, json!({ "url": "{site}/docs/a" })).keep("page", "/data/metadata/scrapeId"))
            .is("/success", true)
            .is("/data/metadata/scrapeId", "{page}"),
        case("v1: a scrape that times out gives 408", SCRAPE)
            .body(json!({ "url": "{stuck}/", "timeout": 100 }))
            .status(408)
            .code("SCRAPE_TIMEOUT")
            .starts_with("/error", "Scrape timed out"),
        case("v1: the error for a v2 key names the v1 key", SCRAPE)
            .body(json!({ "url": "{site}/docs/a", "parsers": ["pdf"] }))
            .refused_at(json!(["parsers"]))
            .error_contains(["unknown field `parsers`", "`parsePDF`"]),
        case("v1: an experimental key is ignored, with a warning", SCRAPE)
            .body(json!({ "url": "{site}/docs/a", "__experimental_engine": "x" }))
            .is("/success", true)
            .contains("/data/warning", "__experimental_engine"),
    ]
}

fn formats() -> Vec<Case> {
    let refused = |name: &str, formats: Value, path: Value, text: &str| {
        case(name, SCRAPE)
            .body(json!({ "url": "{site}/docs/a", "formats": formats }))
            .refused_at(path)
            .error_contains([text])
    };
    vec![
        case("v1: options of json are outside the formats", SCRAPE)
            .body(json!({ "url": "{site}/cup", "formats": ["json"], "jsonOptions": { "schema": schema() } }))
            .is("/data/json/brand", "Acme"),
        case("v1: extract is json with its own options and field", SCRAPE)
            .body(json!({ "url": "{site}/cup", "formats": ["extract"], "extract": { "schema": schema() } }))
            .is("/success", true)
            .is("/data/extract/brand", "Acme"),
        case("v1: options of change tracking are outside the formats", SCRAPE)
            .body(json!({
                "url": "{site}/docs/a", "formats": ["markdown", "changeTracking"],
                "changeTrackingOptions": { "modes": ["git-diff"], "tag": null },
            }))
            .is("/data/changeTracking/changeStatus", "new"),
        case("v1: options of change tracking have no effect without the format", SCRAPE)
            .body(json!({ "url": "{site}/docs/a", "changeTrackingOptions": { "modes": ["git-diff"] } }))
            .is("/success", true)
            .absent("/data/changeTracking"),
        case("v1: a full-page screenshot has its own format name", SCRAPE)
            .body(json!({ "url": "{site}/docs/a", "formats": ["screenshot@fullPage"] }))
            .status(400)
            .code("SCRAPE_SCREENSHOT_NOT_SUPPORTED")
            .contains("/error", "browser"),
        refused(
            "v1: at most one screenshot",
            json!(["screenshot", "screenshot@fullPage"]),
            json!(["formats"]),
            "screenshot",
        ),
        refused(
            "v1: change tracking needs Markdown",
            json!(["changeTracking"]),
            json!(["formats"]),
            "markdown",
        ),
        refused("v1: a v2 format is unknown", json!(["branding"]), json!(["formats", 0]), "branding"),
        refused(
            "v1: formats must be names",
            json!([{ "type": "markdown" }]),
            json!(["formats", 0]),
            "formats",
        ),
    ]
}

fn batches() -> Vec<Case> {
    vec![
        case("v1: a submitted batch has an id and the absolute URL of its status", BATCH)
            .body(json!({ "urls": ["{site}/docs/a"] }))
            .is("/success", true)
            .field("/id", Expect::Uuid7)
            .field("/url", Expect::FollowedById("http://api.example:8080/v1/batch/scrape/".to_owned()))
            .absent("/invalidURLs"),
        case("v1: an invalid URL is refused by default", BATCH)
            .body(json!({ "urls": ["{site}/docs/a", "nowhere at all"] }))
            .refused_at(json!(["urls", 1]))
            .error_contains(["urls"]),
        case("v1: ignoreInvalidURLs lists invalid URLs", BATCH)
            .body(json!({ "urls": ["{site}/docs/a", "nowhere at all"], "ignoreInvalidURLs": true }))
            .is("/invalidURLs", json!(["nowhere at all"])),
        case("v1: a batch is readable at its route", "GET /v1/batch/scrape/{id}")
            .after_job(BATCH, json!({ "urls": ["{site}/docs/a", "{site}/docs/b"] }))
            .is("/status", "completed")
            .is("/total", 2)
            .documents(["{site}/docs/a", "{site}/docs/b"])
            .field("/expiresAt", Expect::DayAfter("/completedAt")),
        case(
            "v1: a batch is readable at the crawl route, where the v1 client reads it",
            "GET /v1/crawl/{id}",
        )
        .after_job(BATCH, json!({ "urls": ["{site}/docs/a", "{site}/docs/b"] }))
        .is("/success", true)
        .is("/status", "completed")
        .is("/completed", 2)
        .documents(["{site}/docs/a", "{site}/docs/b"]),
        case("v1: a running batch at the crawl route has a next URL", "GET /v1/crawl/{id}")
            .after(start_job(BATCH, json!({ "urls": ["{stuck}/"] })))
            .is("/status", "scraping")
            .starts_with("/next", "http://api.example:8080/v1/")
            .contains("/next", "{id}?"),
        case("v1: a batch can be cancelled at the crawl route", "DELETE /v1/crawl/{id}")
            .after(start_job(BATCH, json!({ "urls": ["{stuck}/"] })))
            .is("/status", "cancelled"),
        case("v1: errors of a batch are readable at the crawl route", "GET /v1/crawl/{id}/errors")
            .after_job(BATCH, json!({ "urls": ["{site}/loop"] }))
            .len("/errors", 1)
            .is("/errors/0/code", "SCRAPE_SITE_ERROR"),
        case("v1: a crawl is readable at the batch route", "GET /v1/batch/scrape/{id}")
            .after_job(CRAWL, json!({ "url": "{site}/deep/2", "limit": 1, "ignoreSitemap": true }))
            .is("/status", "completed"),
    ]
}

fn crawls() -> Vec<Case> {
    vec![
        case("v1: a submitted crawl has an id and the absolute URL of its status", CRAWL)
            .body(json!({ "url": "{site}/docs/", "ignoreSitemap": true }))
            .keys("", &["success", "id", "url"])
            .field("/url", Expect::FollowedById("http://api.example:8080/v1/crawl/".to_owned())),
        case("v1: a crawl with ignoreSitemap has linked pages", "GET /v1/crawl/{id}")
            .after_job(CRAWL, json!({ "url": "{site}/docs/", "ignoreSitemap": true }))
            .is("/status", "completed")
            .documents(["{site}/docs/", "{site}/docs/a", "{site}/docs/b"]),
        case("v1: allowBackwardLinks includes any page of the host", "GET /v1/crawl/{id}")
            .after_job(
                CRAWL,
                json!({
                    "url": "{site}/docs/", "ignoreSitemap": true, "allowBackwardLinks": true,
                    "includePaths": ["^/docs-old$"],
                }),
            )
            .documents(["{site}/docs-old"]),
        case("v1: a maxDepth below the depth of the start URL", CRAWL)
            .body(json!({ "url": "{site}/docs/guide/a", "maxDepth": 1 }))
            .status(400)
            .code("BAD_REQUEST")
            .contains("/error", "maxDepth"),
        case("v1: a maxDepth equal to the depth of the start URL", CRAWL)
            .body(json!({ "url": "{site}/docs/guide/a", "maxDepth": 3, "ignoreSitemap": true }))
            .is("/success", true),
        case("v1: a crawl has no prompt", CRAWL)
            .body(json!({ "url": "{site}/docs/", "prompt": "at most 3 pages" }))
            .refused_at(json!(["prompt"]))
            .error_contains(["unknown field `prompt`", "v2"]),
        case("v1: a crawl has no sitemap mode", CRAWL)
            .body(json!({ "url": "{site}/docs/", "sitemap": "skip" }))
            .refused_at(json!(["sitemap"]))
            .error_contains(["unknown field `sitemap`", "`ignoreSitemap`"]),
        case("v1: pages of a crawl do not use the cache by default", "GET /v1/crawl/{id}")
            .after_job(CRAWL, json!({ "url": "{site}/deep/2", "limit": 1, "ignoreSitemap": true }))
            .len("/data", 1)
            .absent("/data/0/metadata/cacheState"),
        case("v1: cancelling a cancelled crawl changes nothing", "DELETE /v1/crawl/{id}")
            .after(start_job(CRAWL, json!({ "url": "{stuck}/docs/", "limit": 2 })))
            .after(send("DELETE /v1/crawl/{id}", Body::Empty))
            .is("", json!({ "status": "cancelled" })),
    ]
}

fn others() -> Vec<Case> {
    vec![
        case("v1: a map lists links as strings", "POST /v1/map")
            .body(json!({ "url": "{site}/", "ignoreSitemap": true }))
            .is("/success", true)
            .includes("/links", ["{site}/docs/a", "{site}/rich"]),
        case("v1: a map with sitemapOnly has only links of the sitemap", "POST /v1/map")
            .body(json!({ "url": "{site}/", "sitemapOnly": true }))
            .len("/links", 2)
            .includes("/links", ["{site}/only-in-sitemap", "{site}/docs/from-sitemap"]),
        case("v1: a map that times out gives 408", "POST /v1/map")
            .body(json!({ "url": "{stuck}/", "timeout": 100 }))
            .status(408)
            .starts_with("/error", "Map timed out"),
        case("v1: an extract is submitted and read as in v2", "GET /v1/extract/{id}")
            .after_job("POST /v1/extract", json!({ "urls": ["{site}/cup"], "schema": schema() }))
            .is("/success", true)
            .is("/status", "completed")
            .is("/data/brand", "Acme")
            .time("/expiresAt"),
        case("v1: pages in work are counted as in v2", "GET /v1/concurrency-check")
            .is("", json!({ "success": true, "concurrency": 0, "maxConcurrency": 50 })),
        case("v1: running crawls are listed as in v2", "GET /v1/crawl/active")
            .after(start_job(CRAWL, json!({ "url": "{stuck}/docs/", "limit": 2 })))
            .len("/crawls", 1)
            .is("/crawls/0/id", "{id}"),
    ]
}
