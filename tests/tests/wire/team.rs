//! Figures of a team: credits, tokens, the queue, and the jobs that ended.

use gleaner::EngineBuilder;
use serde_json::json;

use crate::case::{Body, Case, Step, ask, begin, ended, send, until};
use crate::expect::Expect;

const CREDITS: &str = "GET /v2/team/credit-usage";
const TOKENS: &str = "GET /v2/team/token-usage";
const QUEUE: &str = "GET /v2/team/queue-status";
const CONCURRENCY: &str = "GET /v2/concurrency-check";
const ACTIVITY: &str = "GET /v2/team/activity";
/// More than any plan has.
const UNLIMITED: i64 = 1_000_000_000;

pub(crate) fn cases() -> Vec<Case> {
    [credits(), queue(), activity()].into_iter().flatten().collect()
}

/// An engine whose embedder says nothing of accounts.
fn without_accounts(builder: EngineBuilder) -> EngineBuilder {
    builder
}

fn stuck() -> Step {
    begin("POST /v2/crawl", json!({ "url": "{stuck}/docs/", "limit": 7 }))
}

fn credits() -> Vec<Case> {
    vec![
        ask("a team with a plan reads its credits", CREDITS)
            .key("poor")
            .is("", json!({ "success": true, "data": { "remainingCredits": 3, "planCredits": 3 } })),
        ask("a team with a plan reads its tokens, fifteen to a credit", TOKENS)
            .key("poor")
            .is("", json!({ "success": true, "data": { "remainingTokens": 45, "planTokens": 45 } })),
        ask("a scrape is charged", CREDITS)
            .after(send("POST /v2/scrape", json!({ "url": "{site}/docs/a" })).key("poor"))
            .after(until(CREDITS, "/data/remainingCredits", 2).key("poor"))
            .key("poor")
            .is("/data/remainingCredits", 2)
            .is("/data/planCredits", 3),
        ask("a scrape that fails is not charged", CREDITS)
            .after(send("POST /v2/scrape", json!({ "url": "{site}/loop" })).key("poor").gives(422))
            .after(until(CREDITS, "/data/remainingCredits", 3).key("poor"))
            .key("poor")
            .is("/data/remainingCredits", 3),
        ask("a crawl's credits that were not used come back", CREDITS)
            .after(
                begin(
                    "POST /v2/crawl",
                    json!({ "url": "{site}/deep/", "limit": 3, "sitemap": "skip", "maxDiscoveryDepth": 0 }),
                )
                .key("poor"),
            )
            .after(ended("/v2/crawl/{id}").key("poor"))
            .after(until(CREDITS, "/data/remainingCredits", 2).key("poor"))
            .key("poor")
            .is("/data/remainingCredits", 2),
        ask("a team without a plan has credits without end", CREDITS)
            .is("/success", true)
            .must("/data/remainingCredits", Expect::AtLeast(UNLIMITED))
            .must("/data/planCredits", Expect::AtLeast(UNLIMITED)),
        ask("a team without a plan has tokens without end", TOKENS)
            .must("/data/remainingTokens", Expect::AtLeast(UNLIMITED))
            .must("/data/planTokens", Expect::AtLeast(UNLIMITED)),
        ask("without accounts every key has credits without end", CREDITS)
            .embedder(without_accounts)
            .key("whatever")
            .must("/data/remainingCredits", Expect::AtLeast(UNLIMITED))
            .must("/data/planCredits", Expect::AtLeast(UNLIMITED)),
    ]
}

fn queue() -> Vec<Case> {
    vec![
        ask("an idle team has nothing in the queue", QUEUE).is(
            "",
            json!({
                "success": true, "jobsInQueue": 0, "activeJobsInQueue": 0, "waitingJobsInQueue": 0,
                "maxConcurrency": 50, "mostRecentSuccess": null,
            }),
        ),
        ask("the queue remembers the last success", QUEUE)
            .after_job("POST /v2/batch/scrape", json!({ "urls": ["{site}/docs/a"] }))
            .is("/jobsInQueue", 0)
            .time("/mostRecentSuccess"),
        ask("a page in work is in the queue", QUEUE)
            .after(stuck())
            .after(until(QUEUE, "/activeJobsInQueue", 1))
            .is("/jobsInQueue", 1)
            .is("/activeJobsInQueue", 1)
            .is("/waitingJobsInQueue", 0),
        ask("what other teams have in the queue is not told", QUEUE)
            .after(stuck())
            .after(until(QUEUE, "/activeJobsInQueue", 1))
            .key("other")
            .is("/jobsInQueue", 0),
        ask("an idle team has no page in work", CONCURRENCY)
            .is("", json!({ "success": true, "concurrency": 0, "maxConcurrency": 50 })),
        ask("a page in work counts", CONCURRENCY)
            .after(stuck())
            .after(until(CONCURRENCY, "/concurrency", 1))
            .is("/concurrency", 1),
        ask("a job that was cancelled has no page in work", CONCURRENCY)
            .after(stuck())
            .after(until(CONCURRENCY, "/concurrency", 1))
            .after(send("DELETE /v2/crawl/{id}", Body::Empty))
            .after(until(CONCURRENCY, "/concurrency", 0))
            .is("/concurrency", 0),
    ]
}

fn activity() -> Vec<Case> {
    // Two crawls, one after the other; `{first}` and `{id}` are their ids. A job is noted behind its end.
    let two = |case: Case| {
        let crawl = |path: &str| {
            begin(
                "POST /v2/crawl",
                json!({ "url": format!("{{site}}{path}"), "limit": 1, "sitemap": "skip" }),
            )
        };
        case.after(crawl("/deep/").keep("first", "/id"))
            .after(ended("/v2/crawl/{id}"))
            .after(until(ACTIVITY, "/data/0/id", "{first}"))
            .after(crawl("/docs/"))
            .after(ended("/v2/crawl/{id}"))
            .after(until(ACTIVITY, "/data/0/id", "{id}"))
    };
    vec![
        ask("a team without jobs has no activity", ACTIVITY).is("", json!({ "success": true, "data": [] })),
        two(ask("jobs that ended are listed, the newest first", ACTIVITY))
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
        two(ask("as many jobs are listed as are asked for", "GET /v2/team/activity?limit=1"))
            .len("/data", 1)
            .is("/data/0/id", "{id}"),
        two(ask("jobs of other teams are no activity", ACTIVITY)).key("other").is("/data", json!([])),
        ask("a cancelled job is listed as such", ACTIVITY)
            .after(stuck())
            .after(send("DELETE /v2/crawl/{id}", Body::Empty))
            .after(until(ACTIVITY, "/data/0/id", "{id}"))
            .is("/data/0/status", "cancelled")
            .is("/data/0/creditsUsed", 0),
        ask("a scrape is listed too", ACTIVITY)
            .after(send("POST /v2/scrape", json!({ "url": "{site}/docs/a" })))
            .after(until(ACTIVITY, "/data/0/kind", "scrape"))
            .len("/data", 1)
            .is("/data/0/url", "{site}/docs/a")
            .is("/data/0/status", "completed")
            .is("/data/0/creditsUsed", 1),
        ask("a scrape that was answered with an error is listed as failed", ACTIVITY)
            .after(send("POST /v2/scrape", json!({ "url": "{site}/loop" })).gives(422))
            .after(until(ACTIVITY, "/data/0/kind", "scrape"))
            .is("/data/0/status", "failed")
            .is("/data/0/creditsUsed", 0),
        ask("an extract that failed is listed as such", ACTIVITY)
            .after(begin(
                "POST /v2/extract",
                json!({ "urls": ["{site}/loop"], "schema": {
                    "type": "object", "properties": { "brand": { "type": "string" } },
                } }),
            ))
            .after(until(ACTIVITY, "/data/0/id", "{id}"))
            .is("/data/0/kind", "extract")
            .is("/data/0/status", "failed"),
        ask("a batch is listed without its address where nothing may be kept", ACTIVITY)
            .after(begin(
                "POST /v2/batch/scrape",
                json!({ "urls": ["{site}/docs/a"], "zeroDataRetention": true }),
            ))
            .after(until(ACTIVITY, "/data/0/id", "{id}"))
            .is("/data/0/kind", "batch_scrape")
            .is("/data/0/url", "")
            .is("/data/0/creditsUsed", 2),
        ask("a job that runs is no activity yet", ACTIVITY).after(stuck()).is("/data", json!([])),
        ask("an activity without a key", ACTIVITY)
            .anonymous()
            .gives(401)
            .error("Unauthorized: Token missing"),
        ask("an activity of a number in words", "GET /v2/team/activity?limit=ten")
            .refused_at(json!(["limit"]))
            .error_has(["limit", "100"]),
        ask("an activity of an empty limit", "GET /v2/team/activity?limit=")
            .refused_at(json!(["limit"]))
            .error_has(["limit", "100"]),
        ask("an activity of no job", "GET /v2/team/activity?limit=0")
            .refused_at(json!(["limit"]))
            .error_has(["limit", "100"]),
        ask("an activity beyond its bound", "GET /v2/team/activity?limit=101")
            .refused_at(json!(["limit"]))
            .error_has(["limit", "100"]),
        ask("the longest activity", "GET /v2/team/activity?limit=100").is("/success", true),
    ]
}
