//! Ids: invalid ids, unknown ids, ids of another job kind and ids of another team all give the same 404.

use serde_json::json;

use crate::case::{Case, Step, case, send, start_job};

/// Every route with an id.
const ROUTES: [&str; 18] = [
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
    for route in ROUTES {
        let unknown = format!("unknown id: {route}");
        cases.push(case(unknown, route.replace("ID", "{unknown}")).not_found());
    }
    for route in ROUTES.iter().filter(|route| route.contains("/v2/")) {
        let not_uuid = format!("id that is not a UUID: {route}");
        cases.push(case(not_uuid, route.replace("ID", "abc")).not_found());
    }
    cases.extend(others());
    cases.extend(kinds());
    cases
}

/// Jobs that run until the case ends.
fn crawl() -> Step {
    start_job("POST /v2/crawl", json!({ "url": "{stuck}/docs/", "limit": 7 }))
}

fn batch() -> Step {
    start_job("POST /v2/batch/scrape", json!({ "urls": ["{stuck}/"] }))
}

fn extract() -> Step {
    start_job(
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
        .map(|(line, start)| {
            case(format!("job of another team: {line}"), line).after(start()).key("other").not_found()
        })
        .into();
    cases.push(
        case("another team cannot cancel a job", "GET /v2/crawl/{id}")
            .after(crawl())
            .after(send("DELETE /v2/crawl/{id}", "").key("other").status(404))
            .is("/status", "scraping"),
    );
    cases
}

/// Crawls and batches are readable at each other's routes, extracts only at their own.
fn kinds() -> Vec<Case> {
    vec![
        case("an extract is not readable as a crawl", "GET /v2/crawl/{id}").after(extract()).not_found(),
        case("an extract cannot be cancelled as a batch", "DELETE /v2/batch/scrape/{id}")
            .after(extract())
            .not_found(),
        case("a crawl is not readable as an extract", "GET /v2/extract/{id}").after(crawl()).not_found(),
        case("the id of a job is not the id of a scrape", "GET /v2/scrape/{id}").after(crawl()).not_found(),
        case("an id with a suffix", "GET /v2/crawl/{id}x").after(crawl()).not_found(),
    ]
}
