//! Errors shared by all endpoints: routes, methods, API keys, bodies, idempotency keys, limits.

use std::sync::Arc;
use std::time::Duration;

use gleaner::service::{Accounts, Balance, Operation, Secret, Team, TeamId};
use gleaner::{EngineBuilder, JobError, JobId};
use gleaner_types::BoxFuture;
use serde_json::json;
use uuid::Uuid;

use crate::case::{Case, case, send, start_job};
use crate::expect::Expect;

const IDEMPOTENCY_KEY: &str = "0195c0de-0000-7000-8000-00000000000a";

pub(crate) fn cases() -> Vec<Case> {
    [routes(), methods(), keys(), bodies(), idempotency(), limits()].into_iter().flatten().collect()
}

fn routes() -> Vec<Case> {
    let mut cases: Vec<Case> = [
        "GET /",
        "POST /v3/scrape",
        "POST /v2/scrapes",
        "POST /v2/scrape/",
        "GET /v2/crawl/{unknown}/pages",
        "GET /v2/crawl/{unknown}/errors/1",
        "GET /v2/team",
    ]
    .map(|line| {
        case(format!("unknown route: {line}"), line)
            .status(404)
            .is("/success", false)
            .kind("/error", "string")
    })
    .into();
    cases.push(
        case("the OpenAPI document needs no API key", "GET /openapi.json")
            .anonymous()
            .is("/openapi", "3.1.0"),
    );
    cases
}

/// Each route with a wrong method, and one or two allowed methods.
fn methods() -> Vec<Case> {
    [
        ("GET /v2/scrape", "POST", "POST"),
        ("PUT /v2/scrape/{unknown}", "GET", "GET"),
        ("GET /v2/batch/scrape", "POST", "POST"),
        ("POST /v2/batch/scrape/{unknown}", "GET", "DELETE"),
        ("DELETE /v2/batch/scrape/{unknown}/errors", "GET", "GET"),
        ("GET /v2/crawl", "POST", "POST"),
        ("PUT /v2/crawl/{unknown}", "GET", "DELETE"),
        ("POST /v2/crawl/{unknown}/errors", "GET", "GET"),
        ("POST /v2/crawl/active", "GET", "GET"),
        ("GET /v2/crawl/params-preview", "POST", "POST"),
        ("GET /v2/map", "POST", "POST"),
        ("GET /v2/extract", "POST", "POST"),
        ("PATCH /v2/extract/{unknown}", "GET", "DELETE"),
        ("POST /v2/team/credit-usage", "GET", "GET"),
        ("POST /v2/team/token-usage", "GET", "GET"),
        ("DELETE /v2/team/queue-status", "GET", "GET"),
        ("POST /v2/team/activity", "GET", "GET"),
        ("POST /v2/concurrency-check", "GET", "GET"),
        ("POST /v1/concurrency-check", "GET", "GET"),
        ("DELETE /v1/scrape", "POST", "POST"),
        ("POST /v1/scrape/{unknown}", "GET", "GET"),
        ("POST /v1/crawl/{unknown}", "GET", "DELETE"),
        ("PUT /v1/batch/scrape/{unknown}", "GET", "DELETE"),
        ("GET /v1/map", "POST", "POST"),
    ]
    .map(|(line, allowed, also_allowed)| {
        case(format!("wrong method: {line}"), line)
            .status(405)
            .is("/success", false)
            .kind("/error", "string")
            .response_header("allow", Expect::Contains(allowed.to_owned()))
            .response_header("allow", Expect::Contains(also_allowed.to_owned()))
            .response_header("allow", Expect::Lacks(line.split(' ').next().unwrap_or_default().to_owned()))
    })
    .into()
}

fn keys() -> Vec<Case> {
    let missing = "Unauthorized: Token missing";
    let invalid = "Unauthorized: Invalid token";
    vec![
        case("no key", "POST /v2/scrape")
            .anonymous()
            .body(json!({}))
            .status(401)
            .error(missing)
            .is("/success", false),
        case("no key to read a status", "GET /v2/crawl/{unknown}").anonymous().status(401).error(missing),
        case("a key of another scheme", "GET /v2/team/credit-usage")
            .anonymous()
            .header("authorization", "Basic a2V5")
            .status(401)
            .error(missing),
        case("an empty key", "GET /v2/team/credit-usage")
            .anonymous()
            .header("authorization", "Bearer ")
            .status(401)
            .error(missing),
        case("an unknown key", "POST /v2/crawl")
            .key("stranger")
            .status(401)
            .error(invalid)
            .is("/success", false),
        case("an unknown key in v1", "GET /v1/crawl/{unknown}").key("stranger").status(401).error(invalid),
        case("the scheme of a key in any case", "GET /v2/concurrency-check")
            .anonymous()
            .header("authorization", "bearer key")
            .is("/success", true),
    ]
}

fn bodies() -> Vec<Case> {
    let invalid_json = |name: &str, line: &str, body: &str| {
        case(name, line).body(body).status(400).code("BAD_REQUEST_INVALID_JSON").contains("/error", "JSON")
    };
    let large = format!("{{\"url\":\"{}\"}}", "a".repeat(10 * 1024 * 1024));
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    vec![
        invalid_json("a truncated body", "POST /v2/scrape", "{\"url\": "),
        invalid_json("a body that is a form", "POST /v2/crawl", "url=https%3A%2F%2Fa.example")
            .header("content-type", "application/x-www-form-urlencoded"),
        invalid_json("no body at all", "POST /v2/map", ""),
        invalid_json("a body that is not JSON in v1", "POST /v1/batch/scrape", "urls: [a]"),
        invalid_json("a body in single quotes", "POST /v2/extract", "{\"urls\": ['a']}"),
        case("a body that is a list", "POST /v2/scrape")
            .body(json!(["{site}/docs/a"]))
            .status(400)
            .code("BAD_REQUEST")
            .contains("/error", "object"),
        case("a body that is a string", "POST /v2/batch/scrape")
            .body(json!("{site}/docs/a"))
            .status(400)
            .code("BAD_REQUEST")
            .contains("/error", "object"),
        case("a body with too many levels", "POST /v2/scrape")
            .body(deep)
            .status(400)
            .kind("/error", "string"),
        case("a body with too many values", "POST /v2/scrape")
            .body(format!("[{}0]", "0,".repeat(500_000)))
            .status(400)
            .code("BAD_REQUEST")
            .error("the body must contain at most 500000 values"),
        case("a body of more than 10 MiB", "POST /v2/scrape")
            .body(large)
            .status(413)
            .is("/success", false)
            .kind("/error", "string"),
    ]
}

/// Submissions with idempotency keys.
fn idempotency() -> Vec<Case> {
    let crawl = || json!({ "url": "{stuck}/docs/", "limit": 7 });
    let first_crawl = || start_job("POST /v2/crawl", crawl()).header("x-idempotency-key", IDEMPOTENCY_KEY);
    vec![
        case("a second crawl with the same idempotency key", "POST /v2/crawl")
            .after(first_crawl())
            .header("x-idempotency-key", IDEMPOTENCY_KEY)
            .body(crawl())
            .status(409)
            .is("/success", false)
            .kind("/error", "string"),
        case("another job kind with the same idempotency key", "POST /v2/batch/scrape")
            .after(first_crawl())
            .header("x-idempotency-key", IDEMPOTENCY_KEY)
            .body(json!({ "urls": ["{site}/docs/a"] }))
            .status(409)
            .is("/success", false),
        case("a repeated idempotency key starts no second job", "GET /v2/crawl/active")
            .after(first_crawl())
            .after(send("POST /v2/crawl", crawl()).header("x-idempotency-key", IDEMPOTENCY_KEY).status(409))
            .len("/crawls", 1),
        case("another team may use the same idempotency key", "POST /v2/crawl")
            .after(first_crawl())
            .header("x-idempotency-key", IDEMPOTENCY_KEY)
            .key("other")
            .body(crawl())
            .is("/success", true),
        case("an idempotency key that is not a UUID", "POST /v2/crawl")
            .header("x-idempotency-key", "once")
            .body(crawl())
            .refused_at(json!(["x-idempotency-key"]))
            .error_contains(["x-idempotency-key", "UUID"]),
    ]
}

fn limits() -> Vec<Case> {
    vec![
        case("too many scrapes in a minute", "POST /v2/scrape")
            .after(send("POST /v2/scrape", json!({ "url": "{site}/docs/a" })).key("hasty"))
            .key("hasty")
            .body(json!({ "url": "{site}/docs/a" }))
            .status(429)
            .kind("/error", "string")
            .response_header("retry-after", Expect::Kind("string")),
        case("too many concurrent jobs", "POST /v2/batch/scrape")
            .after(start_job("POST /v2/crawl", json!({ "url": "{stuck}/docs/", "limit": 7 })).key("single"))
            .key("single")
            .body(json!({ "urls": ["{site}/docs/a"] }))
            .status(429)
            .kind("/error", "string")
            .response_header("retry-after", Expect::Kind("string")),
        case("a scrape without credits", "POST /v2/scrape")
            .after(start_job("POST /v2/crawl", json!({ "url": "{stuck}/docs/", "limit": 3 })).key("poor"))
            .key("poor")
            .body(json!({ "url": "{site}/docs/a" }))
            .status(402)
            .is("/success", false)
            .contains("/error", "credits"),
        case("a map without credits", "POST /v2/map")
            .after(start_job("POST /v2/crawl", json!({ "url": "{stuck}/docs/", "limit": 3 })).key("poor"))
            .key("poor")
            .body(json!({ "url": "{site}/" }))
            .status(402)
            .contains("/error", "credits"),
        case("an internal error has an id and no details", "GET /v2/team/credit-usage")
            .embedder(with_broken_accounts)
            .status(500)
            .code("UNKNOWN_ERROR")
            .field("/error", Expect::HasUuid)
            .lacks("/error", "hush"),
    ]
}

fn with_broken_accounts(builder: EngineBuilder) -> EngineBuilder {
    builder.accounts(Arc::new(BrokenAccounts))
}

/// An accounts provider that panics on the first call.
#[derive(Debug)]
struct BrokenAccounts;

impl Accounts for BrokenAccounts {
    #[expect(clippy::panic, reason = "what is tested")]
    fn authenticate<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<Team>, JobError>> {
        Box::pin(async move { std::panic::panic_any("the password of the accounts is hush") })
    }

    fn throttle<'a>(
        &'a self,
        _: &'a TeamId,
        _: Operation,
        _: Duration,
    ) -> BoxFuture<'a, Result<Option<Duration>, JobError>> {
        Box::pin(async move { Ok(None) })
    }

    fn is_metered<'a>(&'a self, _: &'a TeamId) -> BoxFuture<'a, Result<bool, JobError>> {
        Box::pin(async move { Ok(false) })
    }

    fn balance<'a>(&'a self, _: &'a TeamId) -> BoxFuture<'a, Result<Balance, JobError>> {
        Box::pin(async move { Ok(Balance::default()) })
    }

    fn reserve<'a>(
        &'a self,
        _: &'a TeamId,
        _: JobId,
        _: Uuid,
        _: u64,
    ) -> BoxFuture<'a, Result<bool, JobError>> {
        Box::pin(async move { Ok(true) })
    }

    fn draw<'a>(
        &'a self,
        _: &'a TeamId,
        _: JobId,
        _: Uuid,
        credits: u64,
    ) -> BoxFuture<'a, Result<u64, JobError>> {
        Box::pin(async move { Ok(credits) })
    }

    fn release<'a>(
        &'a self,
        _: &'a TeamId,
        _: JobId,
        _: Uuid,
        _: u64,
    ) -> BoxFuture<'a, Result<(), JobError>> {
        Box::pin(async move { Ok(()) })
    }

    fn settle<'a>(&'a self, _: &'a TeamId, _: JobId, _: u64) -> BoxFuture<'a, Result<(), JobError>> {
        Box::pin(async move { Ok(()) })
    }

    fn webhook_secret<'a>(&'a self, _: &'a TeamId) -> BoxFuture<'a, Result<Option<Secret>, JobError>> {
        Box::pin(async move { Ok(None) })
    }
}
