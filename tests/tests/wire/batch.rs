//! Batches: `/v2/batch/scrape` and what is below it.

use serde_json::{Value, json};

use crate::case::{Body, Case, ask, begin, ended, send};
use crate::expect::Expect;

const SUBMIT: &str = "POST /v2/batch/scrape";
/// Where a status is read, as answers name it.
const ADDRESS: &str = "http://api.example:8080/v2/batch/scrape/";

pub(crate) fn cases() -> Vec<Case> {
    [submits(), statuses(), pages(), cancels(), errors(), appends(), others()].into_iter().flatten().collect()
}

fn three() -> Value {
    json!({ "urls": ["{site}/docs/a", "{site}/docs/b", "{site}/rich"] })
}

/// A page that never answers, so the batch runs as long as the case does.
fn stuck() -> Value {
    json!({ "urls": ["{stuck}/"] })
}

fn submits() -> Vec<Case> {
    vec![
        ask("a submitted batch has an id and the absolute address of its status", SUBMIT)
            .with(three())
            .keys("", &["success", "id", "url", "invalidURLs"])
            .is("/success", true)
            .must("/id", Expect::Uuid7)
            .must("/url", Expect::FollowedById(ADDRESS.to_owned()))
            .is("/invalidURLs", json!([])),
        ask("invalid addresses are left out and listed", SUBMIT)
            .with(json!({ "urls": ["{site}/docs/a", "ftp://files.example/", "not a url"] }))
            .is("/success", true)
            .is("/invalidURLs", json!(["ftp://files.example/", "not a url"])),
        ask("no list of invalid addresses where they are not to be ignored", SUBMIT)
            .with(json!({ "urls": ["{site}/docs/a"], "ignoreInvalidURLs": false }))
            .is("/success", true)
            .absent("/invalidURLs"),
        ask("an invalid address is refused where it is not to be ignored", SUBMIT)
            .with(json!({ "urls": ["{site}/docs/a", "ftp://files.example/"], "ignoreInvalidURLs": false }))
            .refused_at(json!(["urls", 1]))
            .error_has(["urls", "ftp"]),
        ask("a batch needs urls", SUBMIT).with(json!({})).refused_at(json!(["urls"])).error_has(["urls"]),
        ask("a batch needs one url at least", SUBMIT)
            .with(json!({ "urls": [] }))
            .refused_at(json!(["urls"]))
            .error_has(["urls", "empty"]),
        ask("the urls of a batch are a list", SUBMIT)
            .with(json!({ "urls": "{site}/docs/a" }))
            .refused_at(json!(["urls"]))
            .error_has(["urls", "array"]),
        ask("a misspelt key of a batch is named with the nearest one", SUBMIT)
            .with(json!({ "urls": ["{site}/docs/a"], "maxConcurency": 2 }))
            .refused_at(json!(["maxConcurency"]))
            .error_has(["unknown field `maxConcurency`", "`maxConcurrency`"]),
        ask("options of a batch have the bounds of a scrape's", SUBMIT)
            .with(json!({ "urls": ["{site}/docs/a"], "timeout": 300_001 }))
            .refused_at(json!(["timeout"]))
            .error_has(["timeout", "300000"]),
        ask("a batch of screenshots needs a browser", SUBMIT)
            .with(json!({ "urls": ["{site}/docs/a"], "formats": ["screenshot"] }))
            .gives(400)
            .code("SCRAPE_SCREENSHOT_NOT_SUPPORTED")
            .error_has(["browser"]),
    ]
}

fn statuses() -> Vec<Case> {
    vec![
        ask("a batch that has ended has all documents, counts and times", "GET /v2/batch/scrape/{id}")
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
            .must("/expiresAt", Expect::DayAfter("/completedAt")),
        ask("a batch that runs says where to read on", "GET /v2/batch/scrape/{id}")
            .after(begin(SUBMIT, stuck()))
            .is("/success", true)
            .is("/status", "scraping")
            .is("/completed", 0)
            .is("/total", 1)
            .is("/creditsUsed", 0)
            .is("/data", json!([]))
            .starts("/next", "http://api.example:8080/v2/batch/scrape/{id}?")
            .has("/next", "skip=0")
            .time("/createdAt")
            .time("/expiresAt")
            .absent("/completedAt"),
        ask("a reader who is at the end of a running batch waits a while and is told to go on", "GET {next}")
            .after(begin(SUBMIT, stuck()))
            .after(send("GET /v2/batch/scrape/{id}", Body::Empty).keep("next", "/next"))
            .is("/status", "scraping")
            .is("/data", json!([]))
            .is("/next", "{next}"),
        ask("a batch is read at the address of crawls too", "GET /v2/crawl/{id}")
            .after_job(SUBMIT, three())
            .is("/status", "completed")
            .is("/completed", 3)
            .len("/data", 3),
        ask("a running batch is cancelled at the address of crawls too", "DELETE /v2/crawl/{id}")
            .after(begin(SUBMIT, stuck()))
            .is("", json!({ "status": "cancelled" })),
        ask("what failed in a batch is read at the address of crawls too", "GET /v2/crawl/{id}/errors")
            .after_job(SUBMIT, json!({ "urls": ["{site}/loop"] }))
            .len("/errors", 1)
            .is("/errors/0/url", "{site}/loop"),
    ]
}

fn pages() -> Vec<Case> {
    let large = || json!({ "urls": ["{site}/large/1", "{site}/large/2", "{site}/large/3"], "maxAge": 0 });
    let path = |query: &str| format!("GET /v2/batch/scrape/{{id}}{query}");
    let refused = |name: &str, query: &str, key: &str| {
        ask(name, path(query)).after(begin(SUBMIT, stuck())).refused_at(json!([key])).error_has([key])
    };
    vec![
        ask("a piece of two documents says where the next one is", path("?limit=2"))
            .after_job(SUBMIT, three())
            .len("/data", 2)
            .is("/completed", 3)
            .starts("/next", "http://api.example:8080/v2/batch/scrape/{id}?")
            .has("/next", "skip=2")
            .has("/next", "limit=2"),
        ask("the next piece is the rest", "GET {next}")
            .after_job(SUBMIT, three())
            .after(send(&path("?limit=2"), Body::Empty).keep("next", "/next"))
            .len("/data", 1)
            .absent("/next"),
        ask("the next piece begins where the last one ended", path("?skip=2&limit=1"))
            .after_job(SUBMIT, three())
            .after(send(&path(""), Body::Empty).keep("third", "/data/2/metadata/scrapeId"))
            .len("/data", 1)
            .is("/data/0/metadata/scrapeId", "{third}")
            .absent("/next"),
        ask("beyond the end there is nothing", path("?skip=7"))
            .after_job(SUBMIT, three())
            .is("/status", "completed")
            .is("/data", json!([]))
            .absent("/next"),
        ask("the greatest limit is taken", path("?limit=1000")).after_job(SUBMIT, three()).len("/data", 3),
        refused("a skip below 0", "?skip=-1", "skip"),
        refused("a skip that is no number", "?skip=two", "skip"),
        refused("a limit of 0", "?limit=0", "limit"),
        refused("a limit beyond its bound", "?limit=1001", "limit"),
        ask("an answer holds ten million bytes at most", path(""))
            .after_job(SUBMIT, large())
            .is("/status", "completed")
            .is("/completed", 3)
            .len("/data", 2)
            .has("/next", "skip=2"),
        ask("what has no room in an answer is in the next one", "GET {next}")
            .after_job(SUBMIT, large())
            .after(send(&path(""), Body::Empty).keep("next", "/next"))
            .len("/data", 1)
            .absent("/next"),
    ]
}

fn cancels() -> Vec<Case> {
    let cancel = "DELETE /v2/batch/scrape/{id}";
    vec![
        ask("a running batch is cancelled", cancel)
            .after(begin(SUBMIT, stuck()))
            .is("", json!({ "status": "cancelled" })),
        ask("a cancelled batch may be cancelled again", cancel)
            .after(begin(SUBMIT, stuck()))
            .after(send(cancel, Body::Empty))
            .is("", json!({ "status": "cancelled" })),
        ask("a completed batch cannot be cancelled", cancel)
            .after_job(SUBMIT, three())
            .gives(409)
            .is("/success", false)
            .kind("/error", "string"),
        ask("a cancelled batch says so", "GET /v2/batch/scrape/{id}")
            .after(begin(SUBMIT, stuck()))
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
        ask("a page that failed is listed with its code and its time", "GET /v2/batch/scrape/{id}/errors")
            .after_job(SUBMIT, one_fails())
            .len("/errors", 1)
            .must("/errors/0/id", Expect::Uuid)
            .time("/errors/0/timestamp")
            .is("/errors/0/url", "{site}/loop")
            .is("/errors/0/code", "SCRAPE_SITE_ERROR")
            .has("/errors/0/error", "redirect")
            .is("/robotsBlocked", json!([])),
        ask("a page that failed leaves the counts, and costs nothing", "GET /v2/batch/scrape/{id}")
            .after_job(SUBMIT, one_fails())
            .is("/status", "completed")
            .is("/completed", 1)
            .is("/total", 1)
            .is("/creditsUsed", 1)
            .documents(["{site}/docs/a"]),
        ask("of a batch whose pages were all had no failure is listed", "GET /v2/batch/scrape/{id}/errors")
            .after_job(SUBMIT, three())
            .is("/errors", json!([]))
            .is("/robotsBlocked", json!([])),
        ask(
            "a page that takes longer than its timeout is listed as such",
            "GET /v2/batch/scrape/{id}/errors",
        )
        .after_job(SUBMIT, json!({ "urls": ["{stuck}/"], "timeout": 100 }))
        .len("/errors", 1)
        .is("/errors/0/code", "SCRAPE_TIMEOUT"),
        ask("a page that is refused by policy is listed as such", "GET /v2/batch/scrape/{id}/errors")
            .after_job(SUBMIT, json!({ "urls": ["http://10.0.0.1/", "{site}/docs/a"] }))
            .len("/errors", 1)
            .is("/errors/0/url", "http://10.0.0.1/")
            .kind("/errors/0/code", "string"),
    ]
}

fn appends() -> Vec<Case> {
    let append = || json!({ "urls": ["{site}/docs/b"], "appendToId": "{id}" });
    vec![
        ask("pages are appended to a batch that runs", SUBMIT)
            .after(begin(SUBMIT, stuck()))
            .with(append())
            .is("/success", true)
            .is("/id", "{id}")
            .must("/url", Expect::FollowedById(ADDRESS.to_owned())),
        ask("pages that were appended belong to the batch", "GET /v2/batch/scrape/{id}")
            .after(begin(SUBMIT, stuck()))
            .after(send(SUBMIT, append()))
            .is("/status", "scraping")
            .is("/total", 2),
        ask("a batch that has ended takes no more pages", SUBMIT)
            .after_job(SUBMIT, three())
            .with(append())
            .gives(409)
            .kind("/error", "string"),
        ask("pages cannot be appended to a batch that nobody knows", SUBMIT)
            .with(json!({ "urls": ["{site}/docs/b"], "appendToId": "{unknown}" }))
            .not_found(),
        ask("appended pages cannot have a webhook of their own", SUBMIT)
            .after(begin(SUBMIT, stuck()))
            .with(json!({ "urls": ["{site}/docs/b"], "appendToId": "{id}", "webhook": "{site}/hook" }))
            .refused_at(json!(["webhook"]))
            .error_has(["webhook", "batch"]),
        ask("appended pages cannot be kept less than those of their batch", SUBMIT)
            .after(begin(SUBMIT, stuck()))
            .with(json!({ "urls": ["{site}/docs/b"], "appendToId": "{id}", "zeroDataRetention": true }))
            .refused_at(json!(["zeroDataRetention"]))
            .error_has(["zeroDataRetention", "batch"]),
        ask("pages cannot be appended to another team's batch", SUBMIT)
            .after(begin(SUBMIT, stuck()))
            .key("other")
            .with(append())
            .not_found(),
    ]
}

fn others() -> Vec<Case> {
    let with_hook = |hook: Value| json!({ "urls": ["{site}/docs/a"], "webhook": hook });
    vec![
        ask("a webhook may be a bare address", SUBMIT)
            .with(with_hook(json!("{site}/hook")))
            .is("/success", true),
        ask("events of a webhook have short and full names", SUBMIT)
            .with(with_hook(json!({
                "url": "{site}/hook", "events": ["started", "batch_scrape.page", "completed", "failed"],
                "headers": { "X-Shelf": "3" }, "metadata": { "order": 7 },
            })))
            .is("/success", true),
        ask("a webhook's event of another kind of job is refused", SUBMIT)
            .with(with_hook(json!({ "url": "{site}/hook", "events": ["crawl.page"] })))
            .refused_at(json!(["webhook", "events", 0]))
            .error_has(["crawl.page", "completed"]),
        ask("a webhook's address must be one", SUBMIT)
            .with(with_hook(json!({ "url": "nowhere at all" })))
            .refused_at(json!(["webhook", "url"]))
            .error_has(["webhook"]),
        ask("a webhook inside is refused by policy", SUBMIT)
            .with(with_hook(json!("http://169.254.169.254/")))
            .gives(403)
            .has("/error", "webhook"),
        ask("zero data retention needs leave", SUBMIT)
            .key("recorded")
            .with(json!({ "urls": ["{site}/docs/a"], "zeroDataRetention": true }))
            .gives(403)
            .has("/error", "zero data retention"),
        ask("zero data retention costs a credit more", "GET /v2/batch/scrape/{id}")
            .after_job(SUBMIT, json!({ "urls": ["{site}/docs/a"], "zeroDataRetention": true }))
            .is("/creditsUsed", 2)
            .is("/data/0/metadata/creditsUsed", 2),
        ask(
            "an experimental key of a batch is ignored, and the warning says so",
            "GET /v2/batch/scrape/{id}",
        )
        .after_job(SUBMIT, json!({ "urls": ["{site}/docs/a"], "__experimental_lane": 1 }))
        .is("/status", "completed")
        .has("/warning", "__experimental_lane"),
        ask(
            "a batch whose credits run out fails, and what was paid for is readable",
            "GET /v2/batch/scrape/{id}",
        )
        .after(
            begin(
                SUBMIT,
                json!({ "urls": ["{site}/cup"], "formats": [{ "type": "json", "schema": {
                        "type": "object", "properties": { "brand": { "type": "string" } },
                    } }] }),
            )
            .key("poor"),
        )
        .after(ended("/v2/batch/scrape/{id}").key("poor"))
        .key("poor")
        .is("/status", "failed")
        .is("/error", "insufficient credits")
        .is("/completed", 0)
        .is("/creditsUsed", 0)
        .absent("/next"),
        ask("a batch of more pages than there are credits is refused", SUBMIT)
            .key("poor")
            .with(json!({ "urls": ["{site}/docs/a", "{site}/docs/b", "{site}/rich", "{site}/cup"] }))
            .gives(402)
            .has("/error", "credits"),
    ]
}
