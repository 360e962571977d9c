//! Usage of a team: credits, tokens, the queue and the activity list.

use gleaner::EngineBuilder;
use serde_json::json;

use crate::case::{Body, Case, Step, case, send, start_job, wait_for_end, wait_until};
use crate::expect::Expect;

const CREDITS: &str = "GET /v2/team/credit-usage";
const TOKENS: &str = "GET /v2/team/token-usage";
const QUEUE: &str = "GET /v2/team/queue-status";
const CONCURRENCY: &str = "GET /v2/concurrency-check";
const ACTIVITY: &str = "GET /v2/team/activity";
/// More credits than any plan has.
const UNLIMITED: i64 = 1_000_000_000;

pub(crate) fn cases() -> Vec<Case> {
    [credits(), queue(), activity()].into_iter().flatten().collect()
}

/// An engine without an accounts provider.
fn without_accounts(builder: EngineBuilder) -> EngineBuilder {
    builder
}

fn stuck() -> Step {
    start_job("POST /v2/crawl", json!({ "url": "{stuck}/docs/", "limit": 7 }))
}

fn credits() -> Vec<Case> {
    vec![
        case("a team with a plan reads its credits", CREDITS)
            .key("poor")
            .is("", json!({ "success": true, "data": { "remainingCredits": 3, "planCredits": 3 } })),
        case("a team with a plan reads its tokens, 15 per credit", TOKENS)
            .key("poor")
            .is("", json!({ "success": true, "data": { "remainingTokens": 45, "planTokens": 45 } })),
        case("a scrape is charged", CREDITS)
            .after(send("POST /v2/scrape", json!({ "url": "{site}/docs/a" })).key("poor"))
            .after(wait_until(CREDITS, "/data/remainingCredits", 2).key("poor"))
            .key("poor")
            .is("/data/remainingCredits", 2)
            .is("/data/planCredits", 3),
        case("a failed scrape is not charged", CREDITS)
            .after(send("POST /v2/scrape", json!({ "url": "{site}/loop" })).key("poor").status(422))
            .after(wait_until(CREDITS, "/data/remainingCredits", 3).key("poor"))
            .key("poor")
            .is("/data/remainingCredits", 3),
        case("unused credits of a crawl are returned", CREDITS)
            .after(
                start_job(
                    "POST /v2/crawl",
                    json!({ "url": "{site}/deep/", "limit": 3, "sitemap": "skip", "maxDiscoveryDepth": 0 }),
                )
                .key("poor"),
            )
            .after(wait_for_end("/v2/crawl/{id}").key("poor"))
            .after(wait_until(CREDITS, "/data/remainingCredits", 2).key("poor"))
            .key("poor")
            .is("/data/remainingCredits", 2),
        case("a team without a plan has unlimited credits", CREDITS)
            .is("/success", true)
            .field("/data/remainingCredits", Expect::AtLeast(UNLIMITED))
            .field("/data/planCredits", Expect::AtLeast(UNLIMITED)),
        case("a team without a plan has unlimited tokens", TOKENS)
            .field("/data/remainingTokens", Expect::AtLeast(UNLIMITED))
            .field("/data/planTokens", Expect::AtLeast(UNLIMITED)),
        case("without accounts every key has unlimited credits", CREDITS)
            .embedder(without_accounts)
            .key("whatever")
            .field("/data/remainingCredits", Expect::AtLeast(UNLIMITED))
            .field("/data/planCredits", Expect::AtLeast(UNLIMITED)),
    ]
}

fn queue() -> Vec<Case> {
    vec![
        case("an idle team has nothing in the queue", QUEUE).is(
            "",
            json!({
                "success": true, "jobsInQueue": 0, "activeJobsInQueue": 0, "waitingJobsInQueue": 0,
                "maxConcurrency": 50, "mostRecentSuccess": null,
            }),
        ),
        case("the queue has the time of the last success", QUEUE)
            .after_job("POST /v2/batch/scrape", json!({ "urls": ["{site}/docs/a"] }))
            .is("/jobsInQueue", 0)
            .time("/mostRecentSuccess"),
        case("a page in work is in the queue", QUEUE)
            .after(stuck())
            .after(wait_until(QUEUE, "/activeJobsInQueue", 1))
            .is("/jobsInQueue", 1)
            .is("/activeJobsInQueue", 1)
            .is("/waitingJobsInQueue", 0),
        case("the queue of other teams is not visible", QUEUE)
            .after(stuck())
            .after(wait_until(QUEUE, "/activeJobsInQueue", 1))
            .key("other")
            .is("/jobsInQueue", 0),
        case("an idle team has no page in work", CONCURRENCY)
            .is("", json!({ "success": true, "concurrency": 0, "maxConcurrency": 50 })),
        case("a page in work is counted", CONCURRENCY)
            .after(stuck())
            .after(wait_until(CONCURRENCY, "/concurrency", 1))
            .is("/concurrency", 1),
        case("a cancelled job has no page in work", CONCURRENCY)
            .after(stuck())
            .after(wait_until(CONCURRENCY, "/concurrency", 1))
            .after(send("DELETE /v2/crawl/{id}", Body::Empty))
            .after(wait_until(CONCURRENCY, "/concurrency", 0))
            .is("/concurrency", 0),
    ]
}

fn activity() -> Vec<Case> {
    // Two sequential crawls; `{first}` and `{id}` are their ids. The activity is recorded after a job has
    // ended.
    let after_two_crawls = |case: Case| {
        let crawl = |path: &str| {
            start_job(
                "POST /v2/crawl",
                json!({ "url": format!("{{site}}{path}"), "limit": 1, "sitemap": "skip" }),
            )
        };
        case.after(crawl("/deep/").keep("first", "/id"))
            .after(wait_for_end("/v2/crawl/{id}"))
            .after(wait_until(ACTIVITY, "/data/0/id", "{first}"))
            .after(crawl("/docs/"))
            .after(wait_for_end("/v2/crawl/{id}"))
            .after(wait_until(ACTIVITY, "/data/0/id", "{id}"))
    };
    vec![
        case("a team without jobs has no activity", ACTIVITY).is("", json!({ "success": true, "data": [] })),
        after_two_crawls(case("finished jobs are listed, newest first", ACTIVITY))
            .is("/success", true)
            .len("/data", 2)
            .keys("/data/0", &["id", "kind", "url", "status", "creditsUsed", "createdAt", "completedAt"])
            .is("/data/0/id", "{id}")
            .is("/data/0/kind", "crawl")
            .is("/data/0/url", "{site}/docs/")
            .is("/data/0/status", "completed")
            .is("/data/0/creditsUsed", 1)
            .time("/data/0/createdAt")
            .time("/data/0/completedAt")
            .is("/data/1/id", "{first}")
            .is("/data/1/url", "{site}/deep/"),
        after_two_crawls(case("limit bounds the number of listed jobs", "GET /v2/team/activity?limit=1"))
            .len("/data", 1)
            .is("/data/0/id", "{id}"),
        after_two_crawls(case("jobs of other teams are not listed", ACTIVITY))
            .key("other")
            .is("/data", json!([])),
        case("a cancelled job is listed as cancelled", ACTIVITY)
            .after(stuck())
            .after(send("DELETE /v2/crawl/{id}", Body::Empty))
            .after(wait_until(ACTIVITY, "/data/0/id", "{id}"))
            .is("/data/0/status", "cancelled")
            .is("/data/0/creditsUsed", 0),
        case("a scrape is listed too", ACTIVITY)
            .after(send("POST /v2/scrape", json!({ "url": "{site}/docs/a" })))
            .after(wait_until(ACTIVITY, "/data/0/kind", "scrape"))
            .len("/data", 1)
            .is("/data/0/url", "{site}/docs/a")
            .is("/data/0/status", "completed")
            .is("/data/0/creditsUsed", 1),
        case("a failed scrape is listed as failed", ACTIVITY)
            .after(send("POST /v2/scrape", json!({ "url": "{site}/loop" })).status(422))
            .after(wait_until(ACTIVITY, "/data/0/kind", "scrape"))
            .is("/data/0/status", "failed")
            .is("/data/0/creditsUsed", 0),
        case("a failed extract is listed as failed", ACTIVITY)
            .after(start_job(
                "POST /v2/extract",
                json!({ "urls": ["{site}/loop"], "schema": {
                    "type": "object", "properties": { "brand": { "type": "string" } },
                } }),
            ))
            .after(wait_until(ACTIVITY, "/data/0/id", "{id}"))
            .is("/data/0/kind", "extract")
            .is("/data/0/status", "failed"),
        case("a batch with zero data retention is listed without its URL", ACTIVITY)
            .after(start_job(
                "POST /v2/batch/scrape",
                json!({ "urls": ["{site}/docs/a"], "zeroDataRetention": true }),
            ))
            .after(wait_until(ACTIVITY, "/data/0/id", "{id}"))
            .is("/data/0/kind", "batch_scrape")
            .is("/data/0/url", "")
            .is("/data/0/creditsUsed", 2),
        case("a running job is not listed yet", ACTIVITY).after(stuck()).is("/data", json!([])),
        case("activity without an API key", ACTIVITY)
            .anonymous()
            .status(401)
            .error("Unauthorized: Token missing"),
        case("activity with a limit that is not a number", "GET /v2/team/activity?limit=ten")
            .refused_at(json!(["limit"]))
            .error_contains(["limit", "100"]),
        case("activity with an empty limit", "GET /v2/team/activity?limit=")
            .refused_at(json!(["limit"]))
            .error_contains(["limit", "100"]),
        case("activity with a limit of 0", "GET /v2/team/activity?limit=0")
            .refused_at(json!(["limit"]))
            .error_contains(["limit", "100"]),
        case("activity with a limit above the maximum", "GET /v2/team/activity?limit=101")
            .refused_at(json!(["limit"]))
            .error_contains(["limit", "100"]),
        case("activity with the maximum limit", "GET /v2/team/activity?limit=100").is("/success", true),
    ]
}
