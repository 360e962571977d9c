//! Extract jobs: `/v2/extract` and its routes.

use serde_json::{Value, json};

use crate::case::{Body, Case, case, send, start_job};
use crate::expect::Expect;

const SUBMIT: &str = "POST /v2/extract";
const STATUS: &str = "GET /v2/extract/{id}";

pub(crate) fn cases() -> Vec<Case> {
    [submits(), statuses(), refusals()].into_iter().flatten().collect()
}

fn schema() -> Value {
    json!({ "type": "object", "properties": { "name": { "type": "string" }, "brand": { "type": "string" } } })
}

fn cup(url: &str) -> Value {
    json!({ "urls": [url], "schema": schema() })
}

fn submits() -> Vec<Case> {
    vec![
        case("a submitted extract has an id and an empty trace", SUBMIT)
            .body(cup("{site}/cup"))
            .is("/success", true)
            .field("/id", Expect::Uuid7)
            .is("/urlTrace", json!([])),
        case("ignoreInvalidURLs lists invalid URLs of an extract", SUBMIT)
            .body(json!({
                "urls": ["{site}/cup", "ftp://files.example/"], "schema": schema(), "ignoreInvalidURLs": true,
            }))
            .is("/success", true)
            .is("/invalidURLs", json!(["ftp://files.example/"])),
        case("an extract accepts a wildcard URL", SUBMIT)
            .body(json!({ "urls": ["{site}/docs/*"], "schema": schema(), "limit": 1 }))
            .is("/success", true),
        case("a schema of an extract may have no properties", SUBMIT)
            .body(json!({ "urls": ["{site}/cup"], "schema": { "type": "object" } }))
            .is("/success", true),
    ]
}

fn statuses() -> Vec<Case> {
    let stuck = || cup("{stuck}/");
    let cancel = "DELETE /v2/extract/{id}";
    vec![
        case("a completed extract has data", STATUS)
            .after_job(SUBMIT, cup("{site}/cup"))
            .is("/success", true)
            .is("/status", "completed")
            .is("/data/brand", "Acme")
            .time("/expiresAt")
            .kind("/creditsUsed", "integer")
            .kind("/tokensUsed", "integer")
            .absent("/error"),
        case("showSources lists the source of each value", STATUS)
            .after_job(SUBMIT, json!({ "urls": ["{site}/cup"], "schema": schema(), "showSources": true }))
            .is("/data/brand", "Acme")
            .is("/sources/brand", json!(["{site}/cup"])),
        case("a running extract has no data yet", STATUS)
            .after(start_job(SUBMIT, stuck()))
            .is("/success", true)
            .is("/status", "processing")
            .is("/data", json!([]))
            .time("/expiresAt"),
        case("an extract whose pages all fail has the status failed with 200", STATUS)
            .after_job(SUBMIT, cup("{site}/loop"))
            .is("/success", false)
            .is("/status", "failed")
            .kind("/error", "string"),
        case("a running extract is cancelled", cancel)
            .after(start_job(SUBMIT, stuck()))
            .is("", json!({ "status": "cancelled" })),
        case("cancelling a cancelled extract changes nothing", cancel)
            .after(start_job(SUBMIT, stuck()))
            .after(send(cancel, Body::Empty))
            .is("", json!({ "status": "cancelled" })),
        case("a cancelled extract has the status cancelled", STATUS)
            .after(start_job(SUBMIT, stuck()))
            .after(send(cancel, Body::Empty))
            .is("/status", "cancelled")
            .is("/data", json!([])),
        case("a completed extract cannot be cancelled", cancel)
            .after_job(SUBMIT, cup("{site}/cup"))
            .status(409)
            .is("/success", false),
        case("an experimental key of an extract is ignored, with a warning", STATUS)
            .after_job(
                SUBMIT,
                json!({
                    "urls": ["{site}/cup"], "schema": schema(), "__experimental_showCostTracking": true,
                }),
            )
            .is("/status", "completed")
            .contains("/warning", "__experimental_showCostTracking"),
    ]
}

fn refusals() -> Vec<Case> {
    let eleven: Vec<String> = (0..11).map(|number| format!("{{site}}/cup?{number}")).collect();
    vec![
        case("an extract needs a prompt or a schema", SUBMIT)
            .body(json!({ "urls": ["{site}/cup"] }))
            .status(400)
            .code("BAD_REQUEST")
            .error_contains(["prompt", "schema"]),
        case("an extract without urls needs a prompt", SUBMIT)
            .body(json!({ "schema": schema() }))
            .status(400)
            .code("BAD_REQUEST")
            .error_contains(["prompt", "urls"]),
        case("an extract has at most ten urls", SUBMIT)
            .body(json!({ "urls": eleven, "schema": schema() }))
            .refused_at(json!(["urls"]))
            .error_contains(["urls", "10"]),
        case("the schema of an extract must be valid", SUBMIT)
            .body(json!({ "urls": ["{site}/cup"], "schema": { "type": "thing" } }))
            .refused_at(json!(["schema"]))
            .error_contains(["schema", "thing"]),
        case("an invalid selector in scrapeOptions of an extract", SUBMIT)
            .body(json!({
                "urls": ["{site}/cup"], "schema": schema(), "scrapeOptions": { "excludeTags": ["div["] },
            }))
            .refused_at(json!(["scrapeOptions", "excludeTags", 0]))
            .error_contains(["div["]),
        case("an extract with only a prompt needs a model", SUBMIT)
            .body(json!({ "urls": ["{site}/cup"], "prompt": "the brand" }))
            .status(400)
            .code("MODEL_NOT_CONFIGURED")
            .error_contains(["model"]),
        case("an extract without urls needs a search engine", SUBMIT)
            .body(json!({ "prompt": "the brands of cups", "schema": schema() }))
            .status(400)
            .code("SEARCH_NOT_CONFIGURED")
            .error_contains(["search"]),
        case("an invalid URL of an extract is refused with ignoreInvalidURLs false", SUBMIT)
            .body(json!({ "urls": ["ftp://files.example/"], "schema": schema(), "ignoreInvalidURLs": false }))
            .refused_at(json!(["urls", 0]))
            .error_contains(["ftp"]),
        case("the error for a misspelt key of an extract suggests the nearest one", SUBMIT)
            .body(json!({ "urls": ["{site}/cup"], "schema": schema(), "showSource": true }))
            .refused_at(json!(["showSource"]))
            .error_contains(["unknown field `showSource`", "`showSources`"]),
    ]
}
