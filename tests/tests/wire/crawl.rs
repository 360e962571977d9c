//! Crawls: `/v2/crawl` and what is below it.

use serde_json::{Value, json};

use crate::case::{Body, Case, ask, begin, send};
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

/// A crawl of a folder of the site by its links alone, with these options.
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

/// A crawl that runs as long as the case does.
fn stuck() -> Value {
    json!({ "url": "{stuck}/docs/", "limit": 7 })
}

fn submits() -> Vec<Case> {
    vec![
        ask("a submitted crawl has an id and the absolute address of its status, and nothing else", SUBMIT)
            .with(docs(json!({})))
            .keys("", &["success", "id", "url"])
            .is("/success", true)
            .must("/id", Expect::Uuid7)
            .must("/url", Expect::FollowedById("http://api.example:8080/v2/crawl/".to_owned())),
        ask("an experimental key of a crawl is ignored, and the warning says so", STATUS)
            .after_job(SUBMIT, docs(json!({ "__experimental_pace": true })))
            .is("/status", "completed")
            .has("/warning", "__experimental_pace"),
        ask("an experimental key within scrapeOptions is ignored, and the warning says so", STATUS)
            .after_job(SUBMIT, docs(json!({ "scrapeOptions": { "__experimental_omce": 1 } })))
            .is("/status", "completed")
            .has("/warning", "__experimental_omce"),
    ]
}

fn statuses() -> Vec<Case> {
    vec![
        ask("a crawl that has ended has as many documents as it counts", STATUS)
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
            .must("/expiresAt", Expect::DayAfter("/completedAt")),
        ask("a crawl that runs says where to read on", STATUS)
            .after(begin(SUBMIT, stuck()))
            .is("/status", "scraping")
            .is("/completed", 0)
            .must("/total", Expect::AtLeast(1))
            .is("/data", json!([]))
            .starts("/next", "http://api.example:8080/v2/crawl/{id}?")
            .absent("/completedAt"),
        ask("a crawl is read at the address of batches too", "GET /v2/batch/scrape/{id}")
            .after_job(SUBMIT, docs(json!({})))
            .is("/status", "completed")
            .len("/data", 3),
        ask("a crawl is read in pieces", "GET /v2/crawl/{id}?limit=1&skip=1")
            .after_job(SUBMIT, docs(json!({})))
            .len("/data", 1)
            .starts("/next", "http://api.example:8080/v2/crawl/{id}?")
            .has("/next", "skip=2")
            .has("/next", "limit=1"),
        ask("scrape options hold for every page of a crawl", STATUS)
            .after_job(SUBMIT, docs(json!({ "limit": 1, "scrapeOptions": { "formats": ["links"] } })))
            .len("/data", 1)
            .holds("/data/0/links", ["{site}/docs/a", "{site}/docs-old"])
            .absent("/data/0/markdown"),
    ]
}

fn scope() -> Vec<Case> {
    vec![
        ask("a crawl has no more documents than its limit", STATUS)
            .after_job(SUBMIT, docs(json!({ "limit": 2 })))
            .is("/status", "completed")
            .is("/completed", 2)
            .is("/total", 2)
            .len("/data", 2),
        ask("with depth 0 the start page is crawled alone", STATUS)
            .after_job(SUBMIT, folder("/deep/", json!({ "maxDiscoveryDepth": 0 })))
            .documents(["{site}/deep/"]),
        ask("with depth 1 the pages that the start page links to are crawled too", STATUS)
            .after_job(SUBMIT, folder("/deep/", json!({ "maxDiscoveryDepth": 1 })))
            .documents(["{site}/deep/", "{site}/deep/1"]),
        ask("without a depth all pages below the start page are crawled", STATUS)
            .after_job(SUBMIT, folder("/deep/", json!({})))
            .documents(["{site}/deep/", "{site}/deep/1", "{site}/deep/2"]),
        ask("pages of the sitemap are crawled by default, those within the scope", STATUS)
            .after_job(SUBMIT, json!({ "url": "{site}/docs/" }))
            .documents(["{site}/docs/", "{site}/docs/a", "{site}/docs/b", "{site}/docs/from-sitemap"]),
        ask("pages of the sitemap have depth 0", STATUS)
            .after_job(SUBMIT, json!({ "url": "{site}/docs/", "maxDiscoveryDepth": 0 }))
            .documents(["{site}/docs/", "{site}/docs/from-sitemap"]),
        ask("the start page is not in the results where no pattern includes it", STATUS)
            .after_job(SUBMIT, docs(json!({ "includePaths": ["^/docs/a$"] })))
            .is("/completed", 1)
            .is("/total", 1)
            .documents(["{site}/docs/a"]),
        ask("patterns are searched, not matched whole", STATUS)
            .after_job(SUBMIT, docs(json!({ "excludePaths": ["b"] })))
            .documents(["{site}/docs/", "{site}/docs/a"]),
        ask("patterns may be searched in the whole address", STATUS)
            .after_job(
                SUBMIT,
                docs(json!({ "excludePaths": ["^http://127\\.0\\.0\\.1:[0-9]+/docs/b$"], "regexOnFullURL": true })),
            )
            .documents(["{site}/docs/", "{site}/docs/a"]),
        ask("patterns are searched in the path alone by default", STATUS)
            .after_job(SUBMIT, docs(json!({ "excludePaths": ["127"] })))
            .documents(["{site}/docs/", "{site}/docs/a", "{site}/docs/b"]),
        ask("queries tell pages apart", STATUS)
            .after_job(SUBMIT, folder("/q/", json!({})))
            .documents(["{site}/q/", "{site}/q/?a=1", "{site}/q/?a=2", "{site}/q/x"]),
        ask("queries do not tell pages apart where they are to be ignored", STATUS)
            .after_job(SUBMIT, folder("/q/", json!({ "ignoreQueryParameters": true })))
            .is("/completed", 2)
            .len("/data", 2),
        ask("crawlEntireDomain takes any page of the host", STATUS)
            .after_job(
                SUBMIT,
                docs(json!({ "crawlEntireDomain": true, "includePaths": ["^/docs-old$"], "maxDiscoveryDepth": 1 })),
            )
            .documents(["{site}/docs-old"]),
    ]
}

fn robots() -> Vec<Case> {
    let walled = |more: Value| folder("/walled/", more);
    vec![
        ask("what robots.txt forbids is not crawled", STATUS)
            .after_job(SUBMIT, walled(json!({ "crawlEntireDomain": true })))
            .is("/status", "completed")
            .documents(["{site}/walled/", "{site}/walled/open"]),
        ask("what robots.txt forbids is listed", "GET /v2/crawl/{id}/errors")
            .after_job(SUBMIT, walled(json!({ "crawlEntireDomain": true })))
            .is("/errors", json!([]))
            .is("/robotsBlocked", json!(["{site}/private/paper"])),
        ask("robots.txt may be ignored", STATUS)
            .after_job(SUBMIT, walled(json!({ "crawlEntireDomain": true, "ignoreRobotsTxt": true })))
            .documents(["{site}/walled/", "{site}/walled/open", "{site}/private/paper"]),
        ask("a start page that robots.txt forbids ends the crawl completed, with a warning", STATUS)
            .after_job(SUBMIT, json!({ "url": "{closed}/" }))
            .is("/success", true)
            .is("/status", "completed")
            .is("/completed", 0)
            .is("/total", 0)
            .is("/data", json!([]))
            .absent("/next")
            .has("/warning", "robots.txt"),
        ask("a start page that robots.txt forbids is listed", "GET /v2/crawl/{id}/errors")
            .after_job(SUBMIT, json!({ "url": "{closed}/" }))
            .is("/errors", json!([]))
            .is("/robotsBlocked", json!(["{closed}/"])),
        ask(
            "a forbidden start page is listed as it was given: a bare host gains nothing",
            "GET /v2/crawl/{id}/errors",
        )
        .after_job(SUBMIT, json!({ "url": "{closed}" }))
        .is("/robotsBlocked", json!(["{closed}"])),
    ]
}

fn errors() -> Vec<Case> {
    vec![
        ask("a page that answers 404 is a document, and its links are not followed", STATUS)
            .after_job(SUBMIT, folder("/mixed/", json!({})))
            .is("/status", "completed")
            .is("/completed", 3)
            .is("/total", 3)
            .documents(["{site}/mixed/", "{site}/mixed/good", "{site}/mixed/gone"]),
        ask("a page of a crawl that failed is listed with its code", "GET /v2/crawl/{id}/errors")
            .after_job(SUBMIT, folder("/mixed/", json!({})))
            .len("/errors", 1)
            .must("/errors/0/id", Expect::Uuid)
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
        ask("a running crawl is cancelled", cancel)
            .after(begin(SUBMIT, stuck()))
            .is("", json!({ "status": "cancelled" })),
        ask("a cancelled crawl may be cancelled again", cancel)
            .after(begin(SUBMIT, stuck()))
            .after(send(cancel, Body::Empty))
            .is("", json!({ "status": "cancelled" })),
        ask("a completed crawl cannot be cancelled", cancel)
            .after_job(SUBMIT, docs(json!({})))
            .gives(409)
            .is("/success", false),
        ask("a cancelled crawl says so", STATUS)
            .after(begin(SUBMIT, stuck()))
            .after(send(cancel, Body::Empty))
            .is("/status", "cancelled")
            .absent("/next"),
    ]
}

fn prompts() -> Vec<Case> {
    vec![
        ask("an empty prompt is none", SUBMIT)
            .with(docs(json!({ "prompt": "" })))
            .keys("", &["success", "id", "url"])
            .is("/success", true),
        ask("a prompt gives options, and the answer shows them", SUBMIT)
            .with(docs(json!({ "prompt": "at most 3 pages" })))
            .is("/success", true)
            .is("/promptGeneratedOptions/limit", 3)
            .is("/finalCrawlerOptions/limit", 3)
            .is("/finalCrawlerOptions/sitemap", "skip"),
        ask("options that are given override those of the prompt", SUBMIT)
            .with(docs(json!({ "prompt": "at most 3 pages", "limit": 2 })))
            .is("/finalCrawlerOptions/limit", 2),
        ask("a prompt that no rule understands needs a model", SUBMIT)
            .with(docs(json!({ "prompt": "tasty things" })))
            .gives(400)
            .code("MODEL_NOT_CONFIGURED")
            .kind("/error", "string"),
        ask("options are generated without a crawl", "POST /v2/crawl/params-preview")
            .with(json!({ "url": "{site}/docs/", "prompt": "at most 3 pages" }))
            .is("/success", true)
            .is("/data/url", "{site}/docs/")
            .is("/data/limit", 3),
        ask("a preview of options has the address as it was given", "POST /v2/crawl/params-preview")
            .with(json!({ "url": "{site}", "prompt": "at most 3 pages" }))
            .is("/data/url", "{site}"),
        ask("a preview of options needs a prompt", "POST /v2/crawl/params-preview")
            .with(json!({ "url": "{site}/docs/" }))
            .refused_at(json!(["prompt"]))
            .error_has(["prompt"]),
    ]
}

fn active() -> Vec<Case> {
    let list = "GET /v2/crawl/active";
    let secret = json!({
        "url": "{stuck}/docs/", "limit": 7, "scrapeOptions": { "headers": { "Cookie": "hush" }, "timeout": 5_000 },
    });
    vec![
        ask("crawls that run are listed with their options", list)
            .after(begin(SUBMIT, stuck()))
            .keys("", &["success", "crawls"])
            .is("/success", true)
            .len("/crawls", 1)
            .keys("/crawls/0", &["id", "teamId", "url", "created_at", "options"])
            .is("/crawls/0/id", "{id}")
            .is("/crawls/0/teamId", "birds")
            .is("/crawls/0/url", "{stuck}/docs/")
            .is("/crawls/0/options/limit", 7)
            .time("/crawls/0/created_at"),
        ask("the list of crawls repeats no header", list)
            .after(begin(SUBMIT, secret))
            .len("/crawls", 1)
            .is("/crawls/0/options/scrapeOptions/timeout", 5_000)
            .absent("/crawls/0/options/scrapeOptions/headers"),
        ask("crawls that have ended are not listed", list)
            .after_job(SUBMIT, docs(json!({})))
            .is("/crawls", json!([])),
        ask("crawls of other teams are not listed", list)
            .after(begin(SUBMIT, stuck()))
            .key("other")
            .is("/success", true)
            .is("/crawls", json!([])),
    ]
}

fn refusals() -> Vec<Case> {
    let refused = |name: &str, options: Value, path: Value, text: &str| {
        ask(name, SUBMIT).with(docs(options)).refused_at(path).error_has([text])
    };
    vec![
        ask("a crawl needs a url", SUBMIT).with(json!({})).refused_at(json!(["url"])).error_has(["url"]),
        ask("a key of v1's crawl is named with what v2 has", SUBMIT)
            .with(docs(json!({ "maxDepth": 2 })))
            .refused_at(json!(["maxDepth"]))
            .error("unknown field `maxDepth`: in v2 it is `maxDiscoveryDepth`"),
        refused(
            "v1's switch of the sitemap",
            json!({ "ignoreSitemap": true }),
            json!(["ignoreSitemap"]),
            "`sitemap`",
        ),
        refused(
            "v1's switch of the domain",
            json!({ "allowBackwardLinks": true }),
            json!(["allowBackwardLinks"]),
            "`crawlEntireDomain`",
        ),
        refused(
            "an option of pages beside the url",
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
            "an option of pages out of its bounds",
            json!({ "scrapeOptions": { "timeout": 0 } }),
            json!(["scrapeOptions", "timeout"]),
            "300000",
        ),
        refused(
            "a selector of pages that is no CSS",
            json!({ "scrapeOptions": { "includeTags": ["main", "div["] } }),
            json!(["scrapeOptions", "includeTags", 1]),
            "div[",
        ),
        refused("a limit of no page", json!({ "limit": 0 }), json!(["limit"]), "limit"),
        refused(
            "a sitemap's mode that nobody knows",
            json!({ "sitemap": "maybe" }),
            json!(["sitemap"]),
            "maybe",
        ),
        refused("a delay below 0", json!({ "delay": -1 }), json!(["delay"]), "delay"),
        refused(
            "a depth below 0",
            json!({ "maxDiscoveryDepth": -1 }),
            json!(["maxDiscoveryDepth"]),
            "maxDiscoveryDepth",
        ),
        refused(
            "a pattern that is none",
            json!({ "includePaths": ["^/a", "/b("] }),
            json!(["includePaths", 1]),
            "/b(",
        ),
        refused(
            "a pattern of a look-behind",
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
            "a webhook's event of another kind of job",
            json!({ "webhook": { "url": "{site}/hook", "events": ["batch_scrape.page"] } }),
            json!(["webhook", "events", 0]),
            "batch_scrape.page",
        ),
        ask("a crawl of screenshots needs a browser", SUBMIT)
            .with(docs(json!({ "scrapeOptions": { "formats": ["screenshot"] } })))
            .gives(400)
            .code("SCRAPE_SCREENSHOT_NOT_SUPPORTED")
            .error_has(["browser"]),
    ]
}

fn credits() -> Vec<Case> {
    vec![
        ask("a crawl must have credits for its full limit", SUBMIT)
            .key("poor")
            .with(docs(json!({ "limit": 4 })))
            .gives(402)
            .has("/error", "credits"),
        ask("a crawl without a limit must have credits for the default one", SUBMIT)
            .key("poor")
            .with(docs(json!({})))
            .gives(402)
            .has("/error", "credits"),
        ask("a crawl that is refused reserves nothing", "GET /v2/team/credit-usage")
            .after(send(SUBMIT, docs(json!({ "limit": 4 }))).key("poor").gives(402))
            .key("poor")
            .is("/data/remainingCredits", 3),
        ask("a crawl's credits are reserved while it runs", "GET /v2/team/credit-usage")
            .after(begin(SUBMIT, json!({ "url": "{stuck}/docs/", "limit": 2 })).key("poor"))
            .key("poor")
            .is("/data/remainingCredits", 1),
    ]
}
