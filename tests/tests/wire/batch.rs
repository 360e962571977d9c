//! Batches: `/v2/batch/scrape` and what is below it.

use serde_json::{Value, json};

use crate::case::{Body, Case, case, send, start_job, wait_for_end};
use crate::expect::Expect;

const SUBMIT: &str = "POST /v2/batch/scrape";
/// The URL of a status in responses, without the id.
const STATUS_URL: &str = "http://api.example:8080/v2/batch/scrape/";

pub(crate) fn cases() -> Vec<Case> {
    [submits(), statuses(), pages(), cancels(), errors(), appends(), others()].into_iter().flatten().collect()
}

fn three() -> Value {
    json!({ "urls": ["{site}/docs/a", "{site}/docs/b", "{site}/rich"] })
}

/// A batch with a page that never answers, so it runs until the case ends.
fn stuck() -> Value {
    json!({ "urls": ["{stuck}/"] })
}

fn submits() -> Vec<Case> {
    vec![
        case("a submitted batch has an id and the absolute URL of its status", SUBMIT)
            .body(three())
            .keys("", &["success", "id", "url", "invalidURLs"])
            .is("/success", true)
            .field("/id", Expect::Uuid7)
            .field("/url", Expect::FollowedById(STATUS_URL.to_owned()))
            .is("/invalidURLs", json!([])),
        case("invalid URLs are left out and listed", SUBMIT)
            .body(json!({ "urls": ["{site}/docs/a", "ftp://files.example/", "not a url"] }))
            .is("/success", true)
            .is("/invalidURLs", json!(["ftp://files.example/", "not a url"])),
        case("invalid URLs are not listed with ignoreInvalidURLs false", SUBMIT)
            .body(json!({ "urls": ["{site}/docs/a"], "ignoreInvalidURLs": false }))
            .is("/success", true)
            .absent("/invalidURLs"),
        case("an invalid URL is refused with ignoreInvalidURLs false", SUBMIT)
            .body(json!({ "urls": ["{site}/docs/a", "ftp://files.example/"], "ignoreInvalidURLs": false }))
            .refused_at(json!(["urls", 1]))
            .error_contains(["urls", "ftp"]),
        case("a batch needs urls", SUBMIT)
            .body(json!({}))
            .refused_at(json!(["urls"]))
            .error_contains(["urls"]),
        case("a batch needs at least one url", SUBMIT)
            .body(json!({ "urls": [] }))
            .refused_at(json!(["urls"]))
            .error_contains(["urls", "empty"]),
        case("the urls of a batch are a list", SUBMIT)
            .body(json!({ "urls": "{site}/docs/a" }))
            .refused_at(json!(["urls"]))
            .error_contains(["urls", "array"]),
        case("the error for a misspelt key of a batch suggests the nearest one", SUBMIT)
            .body(json!({ "urls": ["{site}/docs/a"], "maxConcurency": 2 }))
            .refused_at(json!(["maxConcurency"]))
            .error_contains(["unknown field `maxConcurency`", "`maxConcurrency`"]),
        case("options of a batch have the bounds of scrape options", SUBMIT)
            .body(json!({ "urls": ["{site}/docs/a"], "timeout": 300_001 }))
            .refused_at(json!(["timeout"]))
            .error_contains(["timeout", "300000"]),
        case("a batch of screenshots needs a browser", SUBMIT)
            .body(json!({ "urls": ["{site}/docs/a"], "formats": ["screenshot"] }))
            .status(400)
            .code("SCRAPE_SCREENSHOT_NOT_SUPPORTED")
            .error_contains(["browser"]),
    ]
}

fn statuses() -> Vec<Case> {
    vec![
        case("a completed batch has all documents, counts and times", "GET /v2/batch/scrape/{id}")
            .after_job(SUBMIT, three())
            .is("/success", true)
            .is("/status", "completed")
            .is("/completed", 3)
            .is("/total", 3)
            .is("/creditsUsed", 3)
            .documents(["{site}/docs/a", "{site}/docs/b", "{site}/rich"])
            .absent("/next")
            .absent("/error")
            .time("/createdAt")
            .time("/completedAt")
            .field("/expiresAt", Expect::DayAfter("/completedAt")),
        case("a running batch has a next URL", "GET /v2/batch/scrape/{id}")
            .after(start_job(SUBMIT, stuck()))
            .is("/success", true)
            .is("/status", "scraping")
            .is("/completed", 0)
            .is("/total", 1)
            .is("/creditsUsed", 0)
            .is("/data", json!([]))
            .starts_with("/next", "http://api.example:8080/v2/batch/scrape/{id}?")
            .contains("/next", "skip=0")
            .time("/createdAt")
            .time("/expiresAt")
            .absent("/completedAt"),
        case("a reader at the end of a running batch waits and gets the same next URL", "GET {next}")
            .after(start_job(SUBMIT, stuck()))
            .after(send("GET /v2/batch/scrape/{id}", Body::Empty).keep("next", "/next"))
            .is("/status", "scraping")
            .is("/data", json!([]))
            .is("/next", "{next}"),
        case("a batch is readable at the crawl route too", "GET /v2/crawl/{id}")
            .after_job(SUBMIT, three())
            .is("/status", "completed")
            .is("/completed", 3)
            .len("/data", 3),
        case("a running batch can be cancelled at the crawl route too", "DELETE /v2/crawl/{id}")
            .after(start_job(SUBMIT, stuck()))
            .is("", json!({ "status": "cancelled" })),
        case("errors of a batch are readable at the crawl route too", "GET /v2/crawl/{id}/errors")
            .after_job(SUBMIT, json!({ "urls": ["{site}/loop"] }))
            .len("/errors", 1)
            .is("/errors/0/url", "{site}/loop"),
    ]
}

fn pages() -> Vec<Case> {
    let large = || json!({ "urls": ["{site}/large/1", "{site}/large/2", "{site}/large/3"], "maxAge": 0 });
    let path = |query: &str| format!("GET /v2/batch/scrape/{{id}}{query}");
    let refused = |name: &str, query: &str, key: &str| {
        case(name, path(query))
            .after(start_job(SUBMIT, stuck()))
            .refused_at(json!([key]))
            .error_contains([key])
    };
    vec![
        case("a page of two documents has the next URL", path("?limit=2"))
            .after_job(SUBMIT, three())
            .len("/data", 2)
            .is("/completed", 3)
            .starts_with("/next", "http://api.example:8080/v2/batch/scrape/{id}?")
            .contains("/next", "skip=2")
            .contains("/next", "limit=2"),
        case("the next page has the remaining documents", "GET {next}")
            .after_job(SUBMIT, three())
            .after(send(&path("?limit=2"), Body::Empty).keep("next", "/next"))
            .len("/data", 1)
            .absent("/next"),
        case("skip starts at the given document", path("?skip=2&limit=1"))
            .after_job(SUBMIT, three())
            .after(send(&path(""), Body::Empty).keep("third", "/data/2/metadata/scrapeId"))
            .len("/data", 1)
            .is("/data/0/metadata/scrapeId", "{third}")
            .absent("/next"),
        case("a skip beyond the end gives no documents", path("?skip=7"))
            .after_job(SUBMIT, three())
            .is("/status", "completed")
            .is("/data", json!([]))
            .absent("/next"),
        case("the maximum limit is accepted", path("?limit=1000")).after_job(SUBMIT, three()).len("/data", 3),
        refused("a skip below 0", "?skip=-1", "skip"),
        refused("a skip that is not a number", "?skip=two", "skip"),
        refused("a limit of 0", "?limit=0", "limit"),
        refused("a limit beyond its bound", "?limit=1001", "limit"),
        case("a response has at most ten million bytes", path(""))
            .after_job(SUBMIT, large())
            .is("/status", "completed")
            .is("/completed", 3)
            .len("/data", 2)
            .contains("/next", "skip=2"),
        case("a document that does not fit is in the next response", "GET {next}")
            .after_job(SUBMIT, large())
            .after(send(&path(""), Body::Empty).keep("next", "/next"))
            .len("/data", 1)
            .absent("/next"),
    ]
}

fn cancels() -> Vec<Case> {
    let cancel = "DELETE /v2/batch/scrape/{id}";
    vec![
        case("a running batch is cancelled", cancel)
            .after(start_job(SUBMIT, stuck()))
            .is("", json!({ "status": "cancelled" })),
        case("cancelling a cancelled batch changes nothing", cancel)
            .after(start_job(SUBMIT, stuck()))
            .after(send(cancel, Body::Empty))
            .is("", json!({ "status": "cancelled" })),
        case("a completed batch cannot be cancelled", cancel)
            .after_job(SUBMIT, three())
            .status(409)
            .is("/success", false)
            .kind("/error", "string"),
        case("a cancelled batch has the status cancelled", "GET /v2/batch/scrape/{id}")
            .after(start_job(SUBMIT, stuck()))
            .after(send(cancel, Body::Empty))
            .is("/success", true)
            .is("/status", "cancelled")
            .is("/completed", 0)
            .is("/data", json!([]))
            .absent("/next")
            .time("/completedAt"),
    ]
}

fn errors() -> Vec<Case> {
    let one_fails = || json!({ "urls": ["{site}/docs/a", "{site}/loop"] });
    vec![
        case("a failed page is listed with its code and time", "GET /v2/batch/scrape/{id}/errors")
            .after_job(SUBMIT, one_fails())
            .len("/errors", 1)
            .field("/errors/0/id", Expect::Uuid)
            .time("/errors/0/timestamp")
            .is("/errors/0/url", "{site}/loop")
            .is("/errors/0/code", "SCRAPE_SITE_ERROR")
            .contains("/errors/0/error", "redirect")
            .is("/robotsBlocked", json!([])),
        case("a failed page is not counted and not charged", "GET /v2/batch/scrape/{id}")
            .after_job(SUBMIT, one_fails())
            .is("/status", "completed")
            .is("/completed", 1)
            .is("/total", 1)
            .is("/creditsUsed", 1)
            .documents(["{site}/docs/a"]),
        case("a batch without failures lists no errors", "GET /v2/batch/scrape/{id}/errors")
            .after_job(SUBMIT, three())
            .is("/errors", json!([]))
            .is("/robotsBlocked", json!([])),
        case("a page that times out is listed with that code", "GET /v2/batch/scrape/{id}/errors")
            .after_job(SUBMIT, json!({ "urls": ["{stuck}/"], "timeout": 100 }))
            .len("/errors", 1)
            .is("/errors/0/code", "SCRAPE_TIMEOUT"),
        case("a page refused by the egress guard is listed with a code", "GET /v2/batch/scrape/{id}/errors")
            .after_job(SUBMIT, json!({ "urls": ["http://10.0.0.1/", "{site}/docs/a"] }))
            .len("/errors", 1)
            .is("/errors/0/url", "http://10.0.0.1/")
            .kind("/errors/0/code", "string"),
    ]
}

fn appends() -> Vec<Case> {
    let append = || json!({ "urls": ["{site}/docs/b"], "appendToId": "{id}" });
    vec![
        case("pages can be appended to a running batch", SUBMIT)
            .after(start_job(SUBMIT, stuck()))
            .body(append())
            .is("/success", true)
            .is("/id", "{id}")
            .field("/url", Expect::FollowedById(STATUS_URL.to_owned())),
        case("appended pages count in the total of the batch", "GET /v2/batch/scrape/{id}")
            .after(start_job(SUBMIT, stuck()))
            .after(send(SUBMIT, append()))
            .is("/status", "scraping")
            .is("/total", 2),
        case("pages cannot be appended to a completed batch", SUBMIT)
            .after_job(SUBMIT, three())
            .body(append())
            .status(409)
            .kind("/error", "string"),
        case("pages cannot be appended to an unknown batch", SUBMIT)
            .body(json!({ "urls": ["{site}/docs/b"], "appendToId": "{unknown}" }))
            .not_found(),
        case("appended pages cannot have their own webhook", SUBMIT)
            .after(start_job(SUBMIT, stuck()))
            .body(json!({ "urls": ["{site}/docs/b"], "appendToId": "{id}", "webhook": "{site}/hook" }))
            .refused_at(json!(["webhook"]))
            .error_contains(["webhook", "batch"]),
        case("appended pages cannot enable zero data retention", SUBMIT)
            .after(start_job(SUBMIT, stuck()))
            .body(json!({ "urls": ["{site}/docs/b"], "appendToId": "{id}", "zeroDataRetention": true }))
            .refused_at(json!(["zeroDataRetention"]))
            .error_contains(["zeroDataRetention", "batch"]),
        case("pages cannot be appended to a batch of another team", SUBMIT)
            .after(start_job(SUBMIT, stuck()))
            .key("other")
            .body(append())
            .not_found(),
    ]
}

fn others() -> Vec<Case> {
    let with_hook = |hook: Value| json!({ "urls": ["{site}/docs/a"], "webhook": hook });
    vec![
        case("a webhook may be a plain URL", SUBMIT)
            .body(with_hook(json!("{site}/hook")))
            .is("/success", true),
        case("webhook events have short and full names", SUBMIT)
            .body(with_hook(json!({
                "url": "{site}/hook", "events": ["started", "batch_scrape.page", "completed", "failed"],
                "headers": { "X-Shelf": "3" }, "metadata": { "order": 7 },
            })))
            .is("/success", true),
        case("a webhook event of another job kind is refused", SUBMIT)
            .body(with_hook(json!({ "url": "{site}/hook", "events": ["crawl.page"] })))
            .refused_at(json!(["webhook", "events", 0]))
            .error_contains(["crawl.page", "completed"]),
        case("the URL of a webhook must be valid", SUBMIT)
            .body(with_hook(json!({ "url": "nowhere at all" })))
            .refused_at(json!(["webhook", "url"]))
            .error_contains(["webhook"]),
        case("a webhook at a private address is refused", SUBMIT)
            .body(with_hook(json!("http://169.254.169.254/")))
            .status(403)
            .contains("/error", "webhook"),
        case("zero data retention must be allowed for the team", SUBMIT)
            .key("recorded")
            .body(json!({ "urls": ["{site}/docs/a"], "zeroDataRetention": true }))
            .status(403)
            .contains("/error", "zero data retention"),
        case("zero data retention costs one more credit", "GET /v2/batch/scrape/{id}")
            .after_job(SUBMIT, json!({ "urls": ["{site}/docs/a"], "zeroDataRetention": true }))
            .is("/creditsUsed", 2)
            .is("/data/0/metadata/creditsUsed", 2),
        case("an experimental key of a batch is ignored, with a warning", "GET /v2/batch/scrape/{id}")
            .after_job(SUBMIT, json!({ "urls": ["{site}/docs/a"], "__experimental_lane": 1 }))
            .is("/status", "completed")
            .contains("/warning", "__experimental_lane"),
        case(
            "a batch that runs out of credits fails, and its paid documents stay readable",
            "GET /v2/batch/scrape/{id}",
        )
        .after(
            start_job(
                SUBMIT,
                json!({ "urls": ["{site}/cup"], "formats": [{ "type": "json", "schema": {
                        "type": "object", "properties": { "brand": { "type": "string" } },
                    } }] }),
            )
            .key("poor"),
        )
        .after(wait_for_end("/v2/batch/scrape/{id}").key("poor"))
        .key("poor")
        .is("/status", "failed")
        .is("/error", "insufficient credits")
        .is("/completed", 0)
        .is("/creditsUsed", 0)
        .absent("/next"),
        case("a batch of more pages than credits is refused", SUBMIT)
            .key("poor")
            .body(json!({ "urls": ["{site}/docs/a", "{site}/docs/b", "{site}/rich", "{site}/cup"] }))
            .status(402)
            .contains("/error", "credits"),
    ]
}
