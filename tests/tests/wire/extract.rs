//! Extract jobs: `/v2/extract` and what is below it.

use serde_json::{Value, json};

use crate::case::{Body, Case, ask, begin, send};
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
        ask("a submitted extract has an id and an empty trace", SUBMIT)
            .with(cup("{site}/cup"))
            .is("/success", true)
            .must("/id", Expect::Uuid7)
            .is("/urlTrace", json!([])),
        ask("invalid addresses of an extract are left out and listed where they are to be ignored", SUBMIT)
            .with(json!({
                "urls": ["{site}/cup", "ftp://files.example/"], "schema": schema(), "ignoreInvalidURLs": true,
            }))
            .is("/success", true)
            .is("/invalidURLs", json!(["ftp://files.example/"])),
        ask("an extract takes a site by a wildcard", SUBMIT)
            .with(json!({ "urls": ["{site}/docs/*"], "schema": schema(), "limit": 1 }))
            .is("/success", true),
        ask("a schema of an extract may name no property", SUBMIT)
            .with(json!({ "urls": ["{site}/cup"], "schema": { "type": "object" } }))
            .is("/success", true),
    ]
}

fn statuses() -> Vec<Case> {
    let stuck = || cup("{stuck}/");
    let cancel = "DELETE /v2/extract/{id}";
    vec![
        ask("an extract that has ended has its data", STATUS)
            .after_job(SUBMIT, cup("{site}/cup"))
            .is("/success", true)
            .is("/status", "completed")
            .is("/data/brand", "Acme")
            .time("/expiresAt")
            .kind("/creditsUsed", "integer")
            .kind("/tokensUsed", "integer")
            .absent("/error"),
        ask("sources tell where each value was found, where they are asked for", STATUS)
            .after_job(SUBMIT, json!({ "urls": ["{site}/cup"], "schema": schema(), "showSources": true }))
            .is("/data/brand", "Acme")
            .is("/sources/brand", json!(["{site}/cup"])),
        ask("an extract that is worked on has no data yet", STATUS)
            .after(begin(SUBMIT, stuck()))
            .is("/success", true)
            .is("/status", "processing")
            .is("/data", json!([]))
            .time("/expiresAt"),
        ask("an extract whose pages all fail has failed, and is read with 200", STATUS)
            .after_job(SUBMIT, cup("{site}/loop"))
            .is("/success", false)
            .is("/status", "failed")
            .kind("/error", "string"),
        ask("a running extract is cancelled", cancel)
            .after(begin(SUBMIT, stuck()))
            .is("", json!({ "status": "cancelled" })),
        ask("a cancelled extract may be cancelled again", cancel)
            .after(begin(SUBMIT, stuck()))
            .after(send(cancel, Body::Empty))
            .is("", json!({ "status": "cancelled" })),
        ask("a cancelled extract says so", STATUS)
            .after(begin(SUBMIT, stuck()))
            .after(send(cancel, Body::Empty))
            .is("/status", "cancelled")
            .is("/data", json!([])),
        ask("a completed extract cannot be cancelled", cancel)
            .after_job(SUBMIT, cup("{site}/cup"))
            .gives(409)
            .is("/success", false),
        ask("an experimental key of an extract is ignored, and the warning says so", STATUS)
            .after_job(
                SUBMIT,
                json!({ "urls": ["{site}/cup"], "schema": schema(), "__experimental_showCostTracking": true }),
            )
            .is("/status", "completed")
            .has("/warning", "__experimental_showCostTracking"),
    ]
}

fn refusals() -> Vec<Case> {
    let eleven: Vec<String> = (0..11).map(|number| format!("{{site}}/cup?{number}")).collect();
    vec![
        ask("an extract needs a prompt or a schema", SUBMIT)
            .with(json!({ "urls": ["{site}/cup"] }))
            .gives(400)
            .code("BAD_REQUEST")
            .error_has(["prompt", "schema"]),
        ask("an extract without urls needs a prompt", SUBMIT)
            .with(json!({ "schema": schema() }))
            .gives(400)
            .code("BAD_REQUEST")
            .error_has(["prompt", "urls"]),
        ask("an extract has ten urls at most", SUBMIT)
            .with(json!({ "urls": eleven, "schema": schema() }))
            .refused_at(json!(["urls"]))
            .error_has(["urls", "10"]),
        ask("the schema of an extract must be one", SUBMIT)
            .with(json!({ "urls": ["{site}/cup"], "schema": { "type": "thing" } }))
            .refused_at(json!(["schema"]))
            .error_has(["schema", "thing"]),
        ask("a selector of an extract's pages that is no CSS", SUBMIT)
            .with(json!({
                "urls": ["{site}/cup"], "schema": schema(), "scrapeOptions": { "excludeTags": ["div["] },
            }))
            .refused_at(json!(["scrapeOptions", "excludeTags", 0]))
            .error_has(["div["]),
        ask("an extract by a prompt alone needs a model", SUBMIT)
            .with(json!({ "urls": ["{site}/cup"], "prompt": "the brand" }))
            .gives(400)
            .code("MODEL_NOT_CONFIGURED")
            .error_has(["model"]),
        ask("an extract without urls needs a search engine", SUBMIT)
            .with(json!({ "prompt": "the brands of cups", "schema": schema() }))
            .gives(400)
            .code("SEARCH_NOT_CONFIGURED")
            .error_has(["search"]),
        ask("an invalid address of an extract is refused where it is not to be ignored", SUBMIT)
            .with(json!({ "urls": ["ftp://files.example/"], "schema": schema(), "ignoreInvalidURLs": false }))
            .refused_at(json!(["urls", 0]))
            .error_has(["ftp"]),
        ask("a misspelt key of an extract is named with the nearest one", SUBMIT)
            .with(json!({ "urls": ["{site}/cup"], "schema": schema(), "showSource": true }))
            .refused_at(json!(["showSource"]))
            .error_has(["unknown field `showSource`", "`showSources`"]),
    ]
}
