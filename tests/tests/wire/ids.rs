//! Identifiers: one that is no UUID, one that no job has, and one of another team are not found, everywhere alike.

use serde_json::json;

use crate::case::{Case, Step, ask, begin, send};

/// Every address with an identifier.
const ADDRESSES: [&str; 18] = [
    "GET /v2/scrape/ID",
    "GET /v2/crawl/ID",
    "DELETE /v2/crawl/ID",
    "GET /v2/crawl/ID/errors",
    "GET /v2/batch/scrape/ID",
    "DELETE /v2/batch/scrape/ID",
    "GET /v2/batch/scrape/ID/errors",
    "GET /v2/extract/ID",
    "DELETE /v2/extract/ID",
    "GET /v1/scrape/ID",
    "GET /v1/crawl/ID",
    "DELETE /v1/crawl/ID",
    "GET /v1/crawl/ID/errors",
    "GET /v1/batch/scrape/ID",
    "DELETE /v1/batch/scrape/ID",
    "GET /v1/batch/scrape/ID/errors",
    "GET /v1/extract/ID",
    "DELETE /v1/extract/ID",
];

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for address in ADDRESSES {
        let unknown = format!("an unknown id: {address}");
        cases.push(ask(unknown, address.replace("ID", "{unknown}")).not_found());
    }
    for address in ADDRESSES.iter().filter(|address| address.contains("/v2/")) {
        let no_uuid = format!("an id that is no UUID: {address}");
        cases.push(ask(no_uuid, address.replace("ID", "abc")).not_found());
    }
    cases.extend(others());
    cases.extend(kinds());
    cases
}

/// Jobs that run as long as a case does.
fn crawl() -> Step {
    begin("POST /v2/crawl", json!({ "url": "{stuck}/docs/", "limit": 7 }))
}

fn batch() -> Step {
    begin("POST /v2/batch/scrape", json!({ "urls": ["{stuck}/"] }))
}

fn extract() -> Step {
    begin(
        "POST /v2/extract",
        json!({ "urls": ["{stuck}/"], "schema": {
        "type": "object", "properties": { "name": { "type": "string" } },
    } }),
    )
}

/// Jobs of another team.
fn others() -> Vec<Case> {
    type Row = (&'static str, fn() -> Step);
    let rows: [Row; 8] = [
        ("GET /v2/crawl/{id}", crawl),
        ("DELETE /v2/crawl/{id}", crawl),
        ("GET /v2/crawl/{id}/errors", crawl),
        ("GET /v2/batch/scrape/{id}", batch),
        ("DELETE /v2/batch/scrape/{id}", batch),
        ("GET /v2/batch/scrape/{id}/errors", batch),
        ("GET /v2/extract/{id}", extract),
        ("DELETE /v2/extract/{id}", extract),
    ];
    let mut cases: Vec<Case> = rows
        .map(|(line, begun)| {
            ask(format!("another team's job: {line}"), line).after(begun()).key("other").not_found()
        })
        .into();
    cases.push(
        ask("another team's cancel does not end a job", "GET /v2/crawl/{id}")
            .after(crawl())
            .after(send("DELETE /v2/crawl/{id}", "").key("other").gives(404))
            .is("/status", "scraping"),
    );
    cases
}

/// Crawls and batches are read at each other's addresses, and extracts at theirs alone.
fn kinds() -> Vec<Case> {
    vec![
        ask("an extract is no crawl", "GET /v2/crawl/{id}").after(extract()).not_found(),
        ask("an extract is no batch", "DELETE /v2/batch/scrape/{id}").after(extract()).not_found(),
        ask("a crawl is no extract", "GET /v2/extract/{id}").after(crawl()).not_found(),
        ask("a job is no page", "GET /v2/scrape/{id}").after(crawl()).not_found(),
        ask("an id with more behind it", "GET /v2/crawl/{id}x").after(crawl()).not_found(),
    ]
}
