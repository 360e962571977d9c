//! Crawls: `/v2/crawl` and what is below it.

use serde_json::{Value, json};

use crate::case::{Body, Case, case, send, start_job};
use crate::expect::Expect;

const SUBMIT: &str = "POST /v2/crawl";
const STATUS: &str = "GET /v2/crawl/{id}";

pub(crate) fn cases() -> Vec<Case> {
    [
        submits(),
        statuses(),
        scope(),
        robots(),
        errors(),
        cancels(),
        prompts(),
        active(),
        refusals(),
        credits(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A crawl of a folder of the site, by links only, with these options.
fn folder(path: &str, options: Value) -> Value {
    let mut body = json!({ "url": format!("{{site}}{path}"), "sitemap": "skip" });
    if let (Some(body), Value::Object(options)) = (body.as_object_mut(), options) {
        body.extend(options);
    }
    body
}

fn docs(options: Value) -> Value {
    folder("/docs/", options)
}

/// A crawl that runs until the case ends.
fn stuck() -> Value {
    json!({ "url": "{stuck}/docs/", "limit": 7 })
}

fn submits() -> Vec<Case> {
    vec![
        case("a submitted crawl has only an id and the absolute URL of its status", SUBMIT)
            .body(docs(json!({})))
            .keys("", &["success", "id", "url"])
            .is("/success", true)
            .field("/id", Expect::Uuid7)
            .field("/url", Expect::FollowedById("http://api.example:8080/v2/crawl/".to_owned())),
        case("an experimental key of a crawl is ignored, with a warning", STATUS)
            .after_job(SUBMIT, docs(json!({ "__experimental_pace": true })))
            .is("/status", "completed")
            .contains("/warning", "__experimental_pace"),
        case("an experimental key within scrapeOptions is ignored, with a warning", STATUS)
            .after_job(SUBMIT, docs(json!({ "scrapeOptions": { "__experimental_omce": 1 } })))
            .is("/status", "completed")
            .contains("/warning", "__experimental_omce"),
    ]
}

fn statuses() -> Vec<Case> {
    vec![
        case("a completed crawl has as many documents as it counts", STATUS)
            .after_job(SUBMIT, docs(json!({})))
            .is("/success", true)
            .is("/status", "completed")
            .is("/completed", 3)
            .is("/total", 3)
            .is("/creditsUsed", 3)
            .documents(["{site}/docs/", "{site}/docs/a", "{site}/docs/b"])
            .absent("/next")
            .time("/createdAt")
            .time("/completedAt")
            .field("/expiresAt", Expect::DayAfter("/completedAt")),
        case("a running crawl has a next URL", STATUS)
            .after(start_job(SUBMIT, stuck()))
            .is("/status", "scraping")
            .is("/completed", 0)
            .field("/total", Expect::AtLeast(1))
            .is("/data", json!([]))
            .starts_with("/next", "http://api.example:8080/v2/crawl/{id}?")
            .absent("/completedAt"),
        case("a crawl is readable at the batch route too", "GET /v2/batch/scrape/{id}")
            .after_job(SUBMIT, docs(json!({})))
            .is("/status", "completed")
            .len("/data", 3),
        case("a crawl is read page by page", "GET /v2/crawl/{id}?limit=1&skip=1")
            .after_job(SUBMIT, docs(json!({})))
            .len("/data", 1)
            .starts_with("/next", "http://api.example:8080/v2/crawl/{id}?")
            .contains("/next", "skip=2")
            .contains("/next", "limit=1"),
        case("scrape options apply to every page of a crawl", STATUS)
            .after_job(SUBMIT, docs(json!({ "limit": 1, "scrapeOptions": { "formats": ["links"] } })))
            .len("/data", 1)
            .includes("/data/0/links", ["{site}/docs/a", "{site}/docs-old"])
            .absent("/data/0/markdown"),
    ]
}

fn scope() -> Vec<Case> {
    vec![
        case("a crawl has at most as many documents as its limit", STATUS)
            .after_job(SUBMIT, docs(json!({ "limit": 2 })))
            .is("/status", "completed")
            .is("/completed", 2)
            .is("/total", 2)
            .len("/data", 2),
        case("depth 0 crawls only the start page", STATUS)
            .after_job(SUBMIT, folder("/deep/", json!({ "maxDiscoveryDepth": 0 })))
            .documents(["{site}/deep/"]),
        case("depth 1 crawls pages linked from the start page too", STATUS)
            .after_job(SUBMIT, folder("/deep/", json!({ "maxDiscoveryDepth": 1 })))
            .documents(["{site}/deep/", "{site}/deep/1"]),
        case("without a depth limit all pages below the start page are crawled", STATUS)
            .after_job(SUBMIT, folder("/deep/", json!({})))
            .documents(["{site}/deep/", "{site}/deep/1", "{site}/deep/2"]),
        case("sitemap pages within the scope are crawled by default", STATUS)
            .after_job(SUBMIT, json!({ "url": "{site}/docs/" }))
            .documents(["{site}/docs/", "{site}/docs/a", "{site}/docs/b", "{site}/docs/from-sitemap"]),
        case("sitemap pages have depth 0", STATUS)
            .after_job(SUBMIT, json!({ "url": "{site}/docs/", "maxDiscoveryDepth": 0 }))
            .documents(["{site}/docs/", "{site}/docs/from-sitemap"]),
        case("a start page that no pattern includes gives no document", STATUS)
            .after_job(SUBMIT, docs(json!({ "includePaths": ["^/docs/a$"] })))
            .is("/completed", 1)
            .is("/total", 1)
            .documents(["{site}/docs/a"]),
        case("patterns match any part of the path", STATUS)
            .after_job(SUBMIT, docs(json!({ "excludePaths": ["b"] })))
            .documents(["{site}/docs/", "{site}/docs/a"]),
        case("regexOnFullURL matches patterns against the whole URL", STATUS)
            .after_job(
                SUBMIT,
                docs(json!({
                    "excludePaths": ["^http://127\\.0\\.0\\.1:[0-9]+/docs/b$"],
                    "regexOnFullURL": true,
                })),
            )
            .documents(["{site}/docs/", "{site}/docs/a"]),
        case("patterns match only the path by default", STATUS)
            .after_job(SUBMIT, docs(json!({ "excludePaths": ["127"] })))
            .documents(["{site}/docs/", "{site}/docs/a", "{site}/docs/b"]),
        case("URLs with different queries are different pages", STATUS)
            .after_job(SUBMIT, folder("/q/", json!({})))
            .documents(["{site}/q/", "{site}/q/?a=1", "{site}/q/?a=2", "{site}/q/x"]),
        case("ignoreQueryParameters treats URLs with different queries as one page", STATUS)
            .after_job(SUBMIT, folder("/q/", json!({ "ignoreQueryParameters": true })))
            .is("/completed", 2)
            .len("/data", 2),
        case("crawlEntireDomain includes any page of the host", STATUS)
            .after_job(
                SUBMIT,
                docs(json!({
                    "crawlEntireDomain": true,
                    "includePaths": ["^/docs-old$"],
                    "maxDiscoveryDepth": 1,
                })),
            )
            .documents(["{site}/docs-old"]),
    ]
}

fn robots() -> Vec<Case> {
    let crawl_walled = |more: Value| folder("/walled/", more);
    vec![
        case("pages forbidden by robots.txt are not crawled", STATUS)
            .after_job(SUBMIT, crawl_walled(json!({ "crawlEntireDomain": true })))
            .is("/status", "completed")
            .documents(["{site}/walled/", "{site}/walled/open"]),
        case("pages forbidden by robots.txt are listed", "GET /v2/crawl/{id}/errors")
            .after_job(SUBMIT, crawl_walled(json!({ "crawlEntireDomain": true })))
            .is("/errors", json!([]))
            .is("/robotsBlocked", json!(["{site}/private/paper"])),
        case("ignoreRobotsTxt crawls forbidden pages", STATUS)
            .after_job(SUBMIT, crawl_walled(json!({ "crawlEntireDomain": true, "ignoreRobotsTxt": true })))
            .documents(["{site}/walled/", "{site}/walled/open", "{site}/private/paper"]),
        case("a crawl with a forbidden start page completes with a warning", STATUS)
            .after_job(SUBMIT, json!({ "url": "{closed}/" }))
            .is("/success", true)
            .is("/status", "completed")
            .is("/completed", 0)
            .is("/total", 0)
            .is("/data", json!([]))
            .absent("/next")
            .contains("/warning", "robots.txt"),
        case("a forbidden start page is listed", "GET /v2/crawl/{id}/errors")
            .after_job(SUBMIT, json!({ "url": "{closed}/" }))
            .is("/errors", json!([]))
            .is("/robotsBlocked", json!(["{closed}/"])),
        case(
            "a forbidden start page is listed as given, without an added slash",
            "GET /v2/crawl/{id}/errors",
        )
        .after_job(SUBMIT, json!({ "url": "{closed}" }))
        .is("/robotsBlocked", json!(["{closed}"])),
    ]
}

fn errors() -> Vec<Case> {
    vec![
        case("a 404 page is a document, and its links are not followed", STATUS)
            .after_job(SUBMIT, folder("/mixed/", json!({})))
            .is("/status", "completed")
            .is("/completed", 3)
            .is("/total", 3)
            .documents(["{site}/mixed/", "{site}/mixed/good", "{site}/mixed/gone"]),
        case("a failed page of a crawl is listed with its code", "GET /v2/crawl/{id}/errors")
            .after_job(SUBMIT, folder("/mixed/", json!({})))
            .len("/errors", 1)
            .field("/errors/0/id", Expect::Uuid)
            .time("/errors/0/timestamp")
            .is("/errors/0/url", "{site}/mixed/loop")
            .is("/errors/0/code", "SCRAPE_SITE_ERROR")
            .kind("/errors/0/error", "string")
            .is("/robotsBlocked", json!([])),
    ]
}

fn cancels() -> Vec<Case> {
    let cancel = "DELETE /v2/crawl/{id}";
    vec![
        case("a running crawl is cancelled", cancel)
            .after(start_job(SUBMIT, stuck()))
            .is("", json!({ "status": "cancelled" })),
        case("cancelling a cancelled crawl changes nothing", cancel)
            .after(start_job(SUBMIT, stuck()))
            .after(send(cancel, Body::Empty))
            .is("", json!({ "status": "cancelled" })),
        case("a completed crawl cannot be cancelled", cancel)
            .after_job(SUBMIT, docs(json!({})))
            .status(409)
            .is("/success", false),
        case("a cancelled crawl has the status cancelled", STATUS)
            .after(start_job(SUBMIT, stuck()))
            .after(send(cancel, Body::Empty))
            .is("/status", "cancelled")
            .absent("/next"),
    ]
}

fn prompts() -> Vec<Case> {
    vec![
        case("an empty prompt counts as no prompt", SUBMIT)
            .body(docs(json!({ "prompt": "" })))
            .keys("", &["success", "id", "url"])
            .is("/success", true),
        case("a prompt generates options, and the response shows them", SUBMIT)
            .body(docs(json!({ "prompt": "at most 3 pages" })))
            .is("/success", true)
            .is("/promptGeneratedOptions/limit", 3)
            .is("/finalCrawlerOptions/limit", 3)
            .is("/finalCrawlerOptions/sitemap", "skip"),
        case("given options override those of the prompt", SUBMIT)
            .body(docs(json!({ "prompt": "at most 3 pages", "limit": 2 })))
            .is("/finalCrawlerOptions/limit", 2),
        case("a prompt that no rule understands needs a model", SUBMIT)
            .body(docs(json!({ "prompt": "tasty things" })))
            .status(400)
            .code("MODEL_NOT_CONFIGURED")
            .kind("/error", "string"),
        case("a preview generates options without a crawl", "POST /v2/crawl/params-preview")
            .body(json!({ "url": "{site}/docs/", "prompt": "at most 3 pages" }))
            .is("/success", true)
            .is("/data/url", "{site}/docs/")
            .is("/data/limit", 3),
        case("a preview has the URL as given", "POST /v2/crawl/params-preview")
            .body(json!({ "url": "{site}", "prompt": "at most 3 pages" }))
            .is("/data/url", "{site}"),
        case("a preview needs a prompt", "POST /v2/crawl/params-preview")
            .body(json!({ "url": "{site}/docs/" }))
            .refused_at(json!(["prompt"]))
            .error_contains(["prompt"]),
    ]
}

fn active() -> Vec<Case> {
    let list = "GET /v2/crawl/active";
    let secret = json!({
        "url": "{stuck}/docs/", "limit": 7,
        "scrapeOptions": { "headers": { "Cookie": "hush" }, "timeout": 5_000 },
    });
    vec![
        case("running crawls are listed with their options", list)
            .after(start_job(SUBMIT, stuck()))
            .keys("", &["success", "crawls"])
            .is("/success", true)
            .len("/crawls", 1)
            .keys("/crawls/0", &["id", "teamId", "url", "created_at", "options"])
            .is("/crawls/0/id", "{id}")
            .is("/crawls/0/teamId", "birds")
            .is("/crawls/0/url", "{stuck}/docs/")
            .is("/crawls/0/options/limit", 7)
            .time("/crawls/0/created_at"),
        case("the list of crawls contains no headers", list)
            .after(start_job(SUBMIT, secret))
            .len("/crawls", 1)
            .is("/crawls/0/options/scrapeOptions/timeout", 5_000)
            .absent("/crawls/0/options/scrapeOptions/headers"),
        case("completed crawls are not listed", list)
            .after_job(SUBMIT, docs(json!({})))
            .is("/crawls", json!([])),
        case("crawls of other teams are not listed", list)
            .after(start_job(SUBMIT, stuck()))
            .key("other")
            .is("/success", true)
            .is("/crawls", json!([])),
    ]
}

fn refusals() -> Vec<Case> {
    let refused = |name: &str, options: Value, path: Value, text: &str| {
        case(name, SUBMIT).body(docs(options)).refused_at(path).error_contains([text])
    };
    vec![
        case("a crawl needs a url", SUBMIT)
            .body(json!({}))
            .refused_at(json!(["url"]))
            .error_contains(["url"]),
        case("the error for a v1 key of a crawl names the v2 key", SUBMIT)
            .body(docs(json!({ "maxDepth": 2 })))
            .refused_at(json!(["maxDepth"]))
            .error("unknown field `maxDepth`: in v2 it is `maxDiscoveryDepth`"),
        refused(
            "the v1 key ignoreSitemap",
            json!({ "ignoreSitemap": true }),
            json!(["ignoreSitemap"]),
            "`sitemap`",
        ),
        refused(
            "the v1 key allowBackwardLinks",
            json!({ "allowBackwardLinks": true }),
            json!(["allowBackwardLinks"]),
            "`crawlEntireDomain`",
        ),
        refused(
            "a scrape option outside scrapeOptions",
            json!({ "formats": ["links"] }),
            json!(["formats"]),
            "`scrapeOptions`",
        ),
        refused(
            "a misspelt key within scrapeOptions",
            json!({ "scrapeOptions": { "maxage": 0 } }),
            json!(["scrapeOptions", "maxage"]),
            "`maxAge`",
        ),
        refused(
            "a scrape option out of bounds",
            json!({ "scrapeOptions": { "timeout": 0 } }),
            json!(["scrapeOptions", "timeout"]),
            "300000",
        ),
        refused(
            "an invalid selector in scrapeOptions",
            json!({ "scrapeOptions": { "includeTags": ["main", "div["] } }),
            json!(["scrapeOptions", "includeTags", 1]),
            "div[",
        ),
        refused("a crawl with a limit of 0", json!({ "limit": 0 }), json!(["limit"]), "limit"),
        refused("an unknown sitemap mode", json!({ "sitemap": "maybe" }), json!(["sitemap"]), "maybe"),
        refused("a delay below 0", json!({ "delay": -1 }), json!(["delay"]), "delay"),
        refused(
            "a depth below 0",
            json!({ "maxDiscoveryDepth": -1 }),
            json!(["maxDiscoveryDepth"]),
            "maxDiscoveryDepth",
        ),
        refused(
            "an invalid pattern",
            json!({ "includePaths": ["^/a", "/b("] }),
            json!(["includePaths", 1]),
            "/b(",
        ),
        refused(
            "a pattern with a look-behind",
            json!({ "excludePaths": ["(?<=a)b"] }),
            json!(["excludePaths", 0]),
            "(?<=a)b",
        ),
        refused(
            "too many patterns",
            json!({ "excludePaths": vec!["a"; 1_001] }),
            json!(["excludePaths"]),
            "1000",
        ),
        refused(
            "a pattern that is too long",
            json!({ "includePaths": ["a".repeat(2_001)] }),
            json!(["includePaths", 0]),
            "2000",
        ),
        refused(
            "a webhook event of another job kind",
            json!({ "webhook": { "url": "{site}/hook", "events": ["batch_scrape.page"] } }),
            json!(["webhook", "events", 0]),
            "batch_scrape.page",
        ),
        case("a crawl of screenshots needs a browser", SUBMIT)
            .body(docs(json!({ "scrapeOptions": { "formats": ["screenshot"] } })))
            .status(400)
            .code("SCRAPE_SCREENSHOT_NOT_SUPPORTED")
            .error_contains(["browser"]),
    ]
}

fn credits() -> Vec<Case> {
    vec![
        case("a crawl must have credits for its full limit", SUBMIT)
            .key("poor")
            .body(docs(json!({ "limit": 4 })))
            .status(402)
            .contains("/error", "credits"),
        case("a crawl without a limit must have credits for the default one", SUBMIT)
            .key("poor")
            .body(docs(json!({})))
            .status(402)
            .contains("/error", "credits"),
        case("a refused crawl reserves no credits", "GET /v2/team/credit-usage")
            .after(send(SUBMIT, docs(json!({ "limit": 4 }))).key("poor").status(402))
            .key("poor")
            .is("/data/remainingCredits", 3),
        case("credits of a crawl are reserved while it runs", "GET /v2/team/credit-usage")
            .after(start_job(SUBMIT, json!({ "url": "{stuck}/docs/", "limit": 2 })).key("poor"))
            .key("poor")
            .is("/data/remainingCredits", 1),
    ]
}
