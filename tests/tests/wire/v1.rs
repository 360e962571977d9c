//! The first version of the interface, where it differs from the second.

use serde_json::{Value, json};

use crate::case::{Body, Case, ask, begin, send};
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
        ask("v1: a scrape gives Markdown and metadata", SCRAPE)
            .with(json!({ "url": "{site}/docs/a" }))
            .is("/success", true)
            .kind("/data/markdown", "string")
            .is("/data/metadata/statusCode", 200)
            .is("/data/metadata/sourceURL", "{site}/docs/a")
            .is("/data/metadata/proxyUsed", "basic"),
        ask("v1: the cache is off by default", SCRAPE)
            .after(send(SCRAPE, json!({ "url": "{site}/docs/a" })))
            .with(json!({ "url": "{site}/docs/a" }))
            .is("/success", true)
            .absent("/data/metadata/cacheState"),
        ask("v1: the cache is on where it is asked for", SCRAPE)
            .after(send(SCRAPE, json!({ "url": "{site}/docs/a", "maxAge": 60_000 })))
            .with(json!({ "url": "{site}/docs/a", "maxAge": 60_000 }))
            .is("/data/metadata/cacheState", "hit"),
        ask("v1: certificates are checked by default", SCRAPE)
            .with(json!({ "url": "{secure}/" }))
            .gives(422)
            .code("SCRAPE_SSL_ERROR")
            .has("/error", "certificate"),
        ask("v1: certificates are not checked where that is asked for", SCRAPE)
            .with(json!({ "url": "{secure}/", "skipTlsVerification": true }))
            .has("/data/markdown", "Sent over TLS."),
        ask("v1: a PDF is converted by default, a credit a page", SCRAPE)
            .with(json!({ "url": "{almanac}/files/manual.pdf" }))
            .has("/data/markdown", "The manual has two pages.")
            .is("/data/metadata/creditsUsed", 2),
        ask("v1: a PDF is given as base64 without parsePDF, at a flat price", SCRAPE)
            .with(json!({ "url": "{almanac}/files/manual.pdf", "parsePDF": false }))
            .starts("/data/markdown", "JVBER")
            .is("/data/metadata/creditsUsed", 1),
        ask("v1: a scrape is read again by its id", "GET /v1/scrape/{page}")
            .after(send(SCRAPE, json!({ "url": "{site}/docs/a" })).keep("page", "/data/metadata/scrapeId"))
            .is("/success", true)
            .is("/data/metadata/scrapeId", "{page}"),
        ask("v1: a scrape that takes too long is 408", SCRAPE)
            .with(json!({ "url": "{stuck}/", "timeout": 100 }))
            .gives(408)
            .code("SCRAPE_TIMEOUT")
            .starts("/error", "Scrape timed out"),
        ask("v1: a key of v2 is named with what v1 has", SCRAPE)
            .with(json!({ "url": "{site}/docs/a", "parsers": ["pdf"] }))
            .refused_at(json!(["parsers"]))
            .error_has(["unknown field `parsers`", "`parsePDF`"]),
        ask("v1: an experimental key is ignored, and the warning says so", SCRAPE)
            .with(json!({ "url": "{site}/docs/a", "__experimental_engine": "x" }))
            .is("/success", true)
            .has("/data/warning", "__experimental_engine"),
    ]
}

fn formats() -> Vec<Case> {
    let refused = |name: &str, formats: Value, path: Value, text: &str| {
        ask(name, SCRAPE)
            .with(json!({ "url": "{site}/docs/a", "formats": formats }))
            .refused_at(path)
            .error_has([text])
    };
    vec![
        ask("v1: json has its options beside the formats", SCRAPE)
            .with(json!({ "url": "{site}/cup", "formats": ["json"], "jsonOptions": { "schema": schema() } }))
            .is("/data/json/brand", "Acme"),
        ask("v1: extract is an older name of json, with its own options and its own field", SCRAPE)
            .with(json!({ "url": "{site}/cup", "formats": ["extract"], "extract": { "schema": schema() } }))
            .is("/success", true)
            .is("/data/extract/brand", "Acme"),
        ask("v1: change tracking has its options beside the formats", SCRAPE)
            .with(json!({
                "url": "{site}/docs/a", "formats": ["markdown", "changeTracking"],
                "changeTrackingOptions": { "modes": ["git-diff"], "tag": null },
            }))
            .is("/data/changeTracking/changeStatus", "new"),
        ask("v1: options of change tracking alone have no effect", SCRAPE)
            .with(json!({ "url": "{site}/docs/a", "changeTrackingOptions": { "modes": ["git-diff"] } }))
            .is("/success", true)
            .absent("/data/changeTracking"),
        ask("v1: the screenshot of the whole page has a name", SCRAPE)
            .with(json!({ "url": "{site}/docs/a", "formats": ["screenshot@fullPage"] }))
            .gives(400)
            .code("SCRAPE_SCREENSHOT_NOT_SUPPORTED")
            .has("/error", "browser"),
        refused(
            "v1: one screenshot at most",
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
        refused("v1: a format of v2", json!(["branding"]), json!(["formats", 0]), "branding"),
        refused("v1: formats are names", json!([{ "type": "markdown" }]), json!(["formats", 0]), "formats"),
    ]
}

fn batches() -> Vec<Case> {
    vec![
        ask("v1: a submitted batch has an id and the absolute address of its status", BATCH)
            .with(json!({ "urls": ["{site}/docs/a"] }))
            .is("/success", true)
            .must("/id", Expect::Uuid7)
            .must("/url", Expect::FollowedById("http://api.example:8080/v1/batch/scrape/".to_owned()))
            .absent("/invalidURLs"),
        ask("v1: an invalid address is refused by default", BATCH)
            .with(json!({ "urls": ["{site}/docs/a", "nowhere at all"] }))
            .refused_at(json!(["urls", 1]))
            .error_has(["urls"]),
        ask("v1: invalid addresses are listed where they are to be ignored", BATCH)
            .with(json!({ "urls": ["{site}/docs/a", "nowhere at all"], "ignoreInvalidURLs": true }))
            .is("/invalidURLs", json!(["nowhere at all"])),
        ask("v1: a batch is read at its address", "GET /v1/batch/scrape/{id}")
            .after_job(BATCH, json!({ "urls": ["{site}/docs/a", "{site}/docs/b"] }))
            .is("/status", "completed")
            .is("/total", 2)
            .documents(["{site}/docs/a", "{site}/docs/b"])
            .must("/expiresAt", Expect::DayAfter("/completedAt")),
        ask("v1: a batch is read at the address of crawls, where its client looks", "GET /v1/crawl/{id}")
            .after_job(BATCH, json!({ "urls": ["{site}/docs/a", "{site}/docs/b"] }))
            .is("/success", true)
            .is("/status", "completed")
            .is("/completed", 2)
            .documents(["{site}/docs/a", "{site}/docs/b"]),
        ask("v1: a running batch read at the address of crawls says where to read on", "GET /v1/crawl/{id}")
            .after(begin(BATCH, json!({ "urls": ["{stuck}/"] })))
            .is("/status", "scraping")
            .starts("/next", "http://api.example:8080/v1/")
            .has("/next", "{id}?"),
        ask("v1: a batch is cancelled at the address of crawls", "DELETE /v1/crawl/{id}")
            .after(begin(BATCH, json!({ "urls": ["{stuck}/"] })))
            .is("/status", "cancelled"),
        ask("v1: what failed in a batch is read at the address of crawls", "GET /v1/crawl/{id}/errors")
            .after_job(BATCH, json!({ "urls": ["{site}/loop"] }))
            .len("/errors", 1)
            .is("/errors/0/code", "SCRAPE_SITE_ERROR"),
        ask("v1: a crawl is read at the address of batches", "GET /v1/batch/scrape/{id}")
            .after_job(CRAWL, json!({ "url": "{site}/deep/2", "limit": 1, "ignoreSitemap": true }))
            .is("/status", "completed"),
    ]
}

fn crawls() -> Vec<Case> {
    vec![
        ask("v1: a submitted crawl has an id and the absolute address of its status", CRAWL)
            .with(json!({ "url": "{site}/docs/", "ignoreSitemap": true }))
            .keys("", &["success", "id", "url"])
            .must("/url", Expect::FollowedById("http://api.example:8080/v1/crawl/".to_owned())),
        ask("v1: a crawl without the sitemap has the pages that are linked", "GET /v1/crawl/{id}")
            .after_job(CRAWL, json!({ "url": "{site}/docs/", "ignoreSitemap": true }))
            .is("/status", "completed")
            .documents(["{site}/docs/", "{site}/docs/a", "{site}/docs/b"]),
        ask("v1: allowBackwardLinks takes any page of the host", "GET /v1/crawl/{id}")
            .after_job(
                CRAWL,
                json!({
                    "url": "{site}/docs/", "ignoreSitemap": true, "allowBackwardLinks": true,
                    "includePaths": ["^/docs-old$"],
                }),
            )
            .documents(["{site}/docs-old"]),
        ask("v1: a maxDepth below the start's own depth", CRAWL)
            .with(json!({ "url": "{site}/docs/guide/a", "maxDepth": 1 }))
            .gives(400)
            .code("BAD_REQUEST")
            .has("/error", "maxDepth"),
        ask("v1: a maxDepth of the start's own depth", CRAWL)
            .with(json!({ "url": "{site}/docs/guide/a", "maxDepth": 3, "ignoreSitemap": true }))
            .is("/success", true),
        ask("v1: a crawl knows no prompt", CRAWL)
            .with(json!({ "url": "{site}/docs/", "prompt": "at most 3 pages" }))
            .refused_at(json!(["prompt"]))
            .error_has(["unknown field `prompt`", "v2"]),
        ask("v1: a crawl knows no sitemap mode", CRAWL)
            .with(json!({ "url": "{site}/docs/", "sitemap": "skip" }))
            .refused_at(json!(["sitemap"]))
            .error_has(["unknown field `sitemap`", "`ignoreSitemap`"]),
        ask("v1: pages of a crawl come from no cache by default", "GET /v1/crawl/{id}")
            .after_job(CRAWL, json!({ "url": "{site}/deep/2", "limit": 1, "ignoreSitemap": true }))
            .len("/data", 1)
            .absent("/data/0/metadata/cacheState"),
        ask("v1: a cancelled crawl may be cancelled again", "DELETE /v1/crawl/{id}")
            .after(begin(CRAWL, json!({ "url": "{stuck}/docs/", "limit": 2 })))
            .after(send("DELETE /v1/crawl/{id}", Body::Empty))
            .is("", json!({ "status": "cancelled" })),
    ]
}

fn others() -> Vec<Case> {
    vec![
        ask("v1: a map lists addresses as texts", "POST /v1/map")
            .with(json!({ "url": "{site}/", "ignoreSitemap": true }))
            .is("/success", true)
            .holds("/links", ["{site}/docs/a", "{site}/rich"]),
        ask("v1: a map of the sitemap alone", "POST /v1/map")
            .with(json!({ "url": "{site}/", "sitemapOnly": true }))
            .len("/links", 2)
            .holds("/links", ["{site}/only-in-sitemap", "{site}/docs/from-sitemap"]),
        ask("v1: a map that takes longer than its timeout is 408", "POST /v1/map")
            .with(json!({ "url": "{stuck}/", "timeout": 100 }))
            .gives(408)
            .starts("/error", "Map timed out"),
        ask("v1: an extract is submitted and read as in v2", "GET /v1/extract/{id}")
            .after_job("POST /v1/extract", json!({ "urls": ["{site}/cup"], "schema": schema() }))
            .is("/success", true)
            .is("/status", "completed")
            .is("/data/brand", "Acme")
            .time("/expiresAt"),
        ask("v1: pages in work are counted as in v2", "GET /v1/concurrency-check")
            .is("", json!({ "success": true, "concurrency": 0, "maxConcurrency": 50 })),
        ask("v1: crawls that run are listed as in v2", "GET /v1/crawl/active")
            .after(begin(CRAWL, json!({ "url": "{stuck}/docs/", "limit": 2 })))
            .len("/crawls", 1)
            .is("/crawls/0/id", "{id}"),
    ]
}
