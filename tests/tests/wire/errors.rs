//! Refusals that no single endpoint owns: routes, methods, keys, bodies, limits.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use gleaner::service::{Accounts, Balance, Error, Operation, Secret, Team, TeamId};
use gleaner::{EngineBuilder, JobId};
use serde_json::json;

use crate::case::{Case, ask, begin, send};
use crate::expect::Expect;

const ONCE: &str = "0195c0de-0000-7000-8000-00000000000a";

pub(crate) fn cases() -> Vec<Case> {
    [routes(), methods(), keys(), bodies(), repeated(), limits()].into_iter().flatten().collect()
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
        ask(format!("an unknown route: {line}"), line)
            .gives(404)
            .is("/success", false)
            .kind("/error", "string")
    })
    .into();
    cases.push(
        ask("the description of the interface is for everybody", "GET /openapi.json")
            .anonymous()
            .is("/openapi", "3.1.0"),
    );
    cases
}

/// Each address, asked in a way that it does not take, and one or two ways that it does.
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
    .map(|(line, taken, also)| {
        ask(format!("a wrong method: {line}"), line)
            .gives(405)
            .is("/success", false)
            .kind("/error", "string")
            .answers_with("allow", Expect::Has(taken.to_owned()))
            .answers_with("allow", Expect::Has(also.to_owned()))
            .answers_with("allow", Expect::Lacks(line.split(' ').next().unwrap_or_default().to_owned()))
    })
    .into()
}

fn keys() -> Vec<Case> {
    let missing = "Unauthorized: Token missing";
    let invalid = "Unauthorized: Invalid token";
    vec![
        ask("no key", "POST /v2/scrape")
            .anonymous()
            .with(json!({}))
            .gives(401)
            .error(missing)
            .is("/success", false),
        ask("no key for a status", "GET /v2/crawl/{unknown}").anonymous().gives(401).error(missing),
        ask("a key of another scheme", "GET /v2/team/credit-usage")
            .anonymous()
            .header("authorization", "Basic a2V5")
            .gives(401)
            .error(missing),
        ask("an empty key", "GET /v2/team/credit-usage")
            .anonymous()
            .header("authorization", "Bearer ")
            .gives(401)
            .error(missing),
        ask("a key that nobody has", "POST /v2/crawl")
            .key("stranger")
            .gives(401)
            .error(invalid)
            .is("/success", false),
        ask("a key that nobody has in v1", "GET /v1/crawl/{unknown}")
            .key("stranger")
            .gives(401)
            .error(invalid),
        ask("the scheme of a key in any case", "GET /v2/concurrency-check")
            .anonymous()
            .header("authorization", "bearer key")
            .is("/success", true),
    ]
}

fn bodies() -> Vec<Case> {
    let no_json = |name: &str, line: &str, body: &str| {
        ask(name, line).with(body).gives(400).code("BAD_REQUEST_INVALID_JSON").has("/error", "JSON")
    };
    let large = format!("{{\"url\":\"{}\"}}", "a".repeat(10 * 1024 * 1024));
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    vec![
        no_json("a body that breaks off", "POST /v2/scrape", "{\"url\": "),
        no_json("a body that is a form", "POST /v2/crawl", "url=https%3A%2F%2Fa.example")
            .header("content-type", "application/x-www-form-urlencoded"),
        no_json("no body at all", "POST /v2/map", ""),
        no_json("a body that is no JSON in v1", "POST /v1/batch/scrape", "urls: [a]"),
        no_json("a body in single quotes", "POST /v2/extract", "{\"urls\": ['a']}"),
        ask("a body that is a list", "POST /v2/scrape")
            .with(json!(["{site}/docs/a"]))
            .gives(400)
            .code("BAD_REQUEST")
            .has("/error", "object"),
        ask("a body that is a text", "POST /v2/batch/scrape")
            .with(json!("{site}/docs/a"))
            .gives(400)
            .code("BAD_REQUEST")
            .has("/error", "object"),
        ask("a body of too many levels", "POST /v2/scrape").with(deep).gives(400).kind("/error", "string"),
        ask("a body of too many values", "POST /v2/scrape")
            .with(format!("[{}0]", "0,".repeat(500_000)))
            .gives(400)
            .code("BAD_REQUEST")
            .error("the body must contain at most 500000 values"),
        ask("a body of more than ten mebibytes", "POST /v2/scrape")
            .with(large)
            .gives(413)
            .is("/success", false)
            .kind("/error", "string"),
    ]
}

/// Submits under a key that makes them count once.
fn repeated() -> Vec<Case> {
    let crawl = || json!({ "url": "{stuck}/docs/", "limit": 7 });
    let once = || begin("POST /v2/crawl", crawl()).header("x-idempotency-key", ONCE);
    vec![
        ask("a second crawl under the same key", "POST /v2/crawl")
            .after(once())
            .header("x-idempotency-key", ONCE)
            .with(crawl())
            .gives(409)
            .is("/success", false)
            .kind("/error", "string"),
        ask("another kind of job under the same key", "POST /v2/batch/scrape")
            .after(once())
            .header("x-idempotency-key", ONCE)
            .with(json!({ "urls": ["{site}/docs/a"] }))
            .gives(409)
            .is("/success", false),
        ask("no second job starts under the same key", "GET /v2/crawl/active")
            .after(once())
            .after(send("POST /v2/crawl", crawl()).header("x-idempotency-key", ONCE).gives(409))
            .len("/crawls", 1),
        ask("another team may use the same key", "POST /v2/crawl")
            .after(once())
            .header("x-idempotency-key", ONCE)
            .key("other")
            .with(crawl())
            .is("/success", true),
        ask("a key that is no UUID", "POST /v2/crawl")
            .header("x-idempotency-key", "once")
            .with(crawl())
            .refused_at(json!(["x-idempotency-key"]))
            .error_has(["x-idempotency-key", "UUID"]),
    ]
}

fn limits() -> Vec<Case> {
    vec![
        ask("too many scrapes in a minute", "POST /v2/scrape")
            .after(send("POST /v2/scrape", json!({ "url": "{site}/docs/a" })).key("hasty"))
            .key("hasty")
            .with(json!({ "url": "{site}/docs/a" }))
            .gives(429)
            .kind("/error", "string")
            .answers_with("retry-after", Expect::Kind("string")),
        ask("too many jobs at once", "POST /v2/batch/scrape")
            .after(begin("POST /v2/crawl", json!({ "url": "{stuck}/docs/", "limit": 7 })).key("single"))
            .key("single")
            .with(json!({ "urls": ["{site}/docs/a"] }))
            .gives(429)
            .kind("/error", "string")
            .answers_with("retry-after", Expect::Kind("string")),
        ask("a scrape without credits", "POST /v2/scrape")
            .after(begin("POST /v2/crawl", json!({ "url": "{stuck}/docs/", "limit": 3 })).key("poor"))
            .key("poor")
            .with(json!({ "url": "{site}/docs/a" }))
            .gives(402)
            .is("/success", false)
            .has("/error", "credits"),
        ask("a map without credits", "POST /v2/map")
            .after(begin("POST /v2/crawl", json!({ "url": "{stuck}/docs/", "limit": 3 })).key("poor"))
            .key("poor")
            .with(json!({ "url": "{site}/" }))
            .gives(402)
            .has("/error", "credits"),
        ask("a fault of the engine has an id and tells nothing else", "GET /v2/team/credit-usage")
            .embedder(with_broken_accounts)
            .gives(500)
            .code("UNKNOWN_ERROR")
            .must("/error", Expect::HasUuid)
            .lacks("/error", "hush"),
    ]
}

fn with_broken_accounts(builder: EngineBuilder) -> EngineBuilder {
    builder.accounts(Arc::new(Broken))
}

/// Accounts whose keeper fails at the first question.
#[derive(Debug)]
struct Broken;

#[async_trait]
impl Accounts for Broken {
    #[expect(clippy::panic, reason = "what is tested")]
    async fn authenticate(&self, _: &str) -> Result<Option<Team>, Error> {
        std::panic::panic_any("the password of the accounts is hush")
    }

    async fn throttle(&self, _: &TeamId, _: Operation, _: Duration) -> Result<Option<Duration>, Error> {
        Ok(None)
    }

    async fn is_metered(&self, _: &TeamId) -> Result<bool, Error> {
        Ok(false)
    }

    async fn balance(&self, _: &TeamId) -> Result<Balance, Error> {
        Ok(Balance::default())
    }

    async fn reserve(&self, _: &TeamId, _: JobId, _: u64) -> Result<bool, Error> {
        Ok(true)
    }

    async fn draw(&self, _: &TeamId, _: JobId, credits: u64) -> Result<u64, Error> {
        Ok(credits)
    }

    async fn release(&self, _: &TeamId, _: JobId, _: u64) -> Result<(), Error> {
        Ok(())
    }

    async fn settle(&self, _: &TeamId, _: JobId, _: u64) -> Result<(), Error> {
        Ok(())
    }

    async fn webhook_secret(&self, _: &TeamId) -> Result<Option<Secret>, Error> {
        Ok(None)
    }
}
