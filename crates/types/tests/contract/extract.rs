//! Rules for extract requests of v1 and v2.

use gleaner_types::plan::ExtractPlan;
use gleaner_types::request::{ExtractRequest, v1};
use serde_json::{Value, json};

use crate::row::{no, ok, run, with};

#[test]
fn extracts() {
    let with = |fields| with(&json!({ "urls": ["https://a.example/"], "prompt": "the price" }), &fields);
    run::<ExtractPlan>(
        vec![
            ok("defaults", with(json!({})), |p| {
                p.sources.len() == 1
                    && !p.sources[0].wildcard
                    && p.invalid_urls.as_ref().is_some_and(Vec::is_empty)
                    && p.schema.is_none()
                    && !p.enable_web_search
                    && !p.show_sources
                    && p.include_subdomains
                    && !p.ignore_sitemap
                    && !p.allow_external_links
                    && p.limit.is_none()
                    && p.agent_model.is_none()
            }),
            ok("a wildcard", with(json!({ "urls": ["https://a.example/*"] })), |p| {
                p.sources[0].wildcard && p.sources[0].target.url.as_str() == "https://a.example/"
            }),
            ok("a wildcard below a path", with(json!({ "urls": ["a.example/docs/*"] })), |p| {
                p.sources[0].wildcard && p.sources[0].target.url.path() == "/docs"
            }),
            no(
                "a star without a slash",
                with(json!({ "urls": ["https://a.example/docs*"], "ignoreInvalidURLs": false })),
                "urls[0]",
                "a wildcard is written `/*`",
            ),
            no(
                "a star in the host",
                with(json!({ "urls": ["https://*.a.example/"], "ignoreInvalidURLs": false })),
                "urls[0]",
                "`*` in its host",
            ),
            no(
                "a wildcard without a host",
                with(json!({ "urls": ["/*"], "ignoreInvalidURLs": false })),
                "urls[0]",
                "it is empty",
            ),
            ok("ten urls", with(json!({ "urls": vec!["a.example"; 10] })), |p| p.sources.len() == 10),
            no(
                "eleven urls",
                with(json!({ "urls": vec!["a.example"; 11] })),
                "urls",
                "at most 10 entries, not 11",
            ),
            ok("invalid urls are left out", with(json!({ "urls": ["a.example", "ftp://b.example"] })), |p| {
                p.sources.len() == 1 && p.invalid_urls.as_deref() == Some(&["ftp://b.example".to_owned()])
            }),
            no(
                "invalid urls are refused on request",
                with(json!({ "urls": ["a.example", "ftp://b.example"], "ignoreInvalidURLs": false })),
                "urls[1]",
                "scheme `ftp`",
            ),
            no(
                "only invalid urls",
                with(json!({ "urls": ["ftp://b.example"] })),
                "urls",
                "has no entry that is a valid URL",
            ),
            ok("prompt only", json!({ "prompt": "who founded it" }), |p| p.sources.is_empty()),
            ok("prompt and schema only", json!({ "prompt": "who founded it", "schema": {} }), |p| {
                p.sources.is_empty() && p.schema.is_some()
            }),
            ok("an empty list of urls", json!({ "urls": [], "prompt": "x" }), |p| p.sources.is_empty()),
            no("schema only", json!({ "schema": {} }), "prompt", "it is required without `urls`"),
            ok(
                "schema instead of prompt",
                json!({ "urls": ["a.example"],
                    "schema": { "type": "object", "properties": { "price": { "type": "number" } },
                    "required": ["price"] } }),
                |p| p.prompt.is_none() && p.schema.is_some(),
            ),
            no(
                "neither prompt nor schema",
                json!({ "urls": ["a.example"] }),
                "prompt",
                "one of `prompt` and `schema` is required",
            ),
            no("nothing at all", json!({}), "prompt", "one of `prompt` and `schema` is required"),
            no(
                "a blank prompt",
                json!({ "urls": ["a.example"], "prompt": " " }),
                "prompt",
                "must not be blank",
            ),
            no(
                "a schema as a string",
                with(json!({ "schema": "{}" })),
                "schema",
                "must be an object, not \"{}\"",
            ),
            no(
                "a schema in a list",
                with(json!({ "schema": [] })),
                "schema",
                "must be an object, not an array",
            ),
            no(
                "an invalid schema",
                with(json!({ "schema": { "type": "object", "properties": { "a": { "type": "text" } } } })),
                "schema",
                "/properties/a/type must be one of",
            ),
            no(
                "a schema that refers to another",
                with(json!({ "schema": { "$ref": "https://b.example/s.json" } })),
                "schema",
                "/$ref must be a reference to a part of the same schema",
            ),
            no(
                "a schema that refers to nothing",
                with(json!({ "schema": { "$ref": "#/$defs/A" } })),
                "schema",
                "/$ref must be a reference",
            ),
            no(
                "a schema with an invalid required",
                with(json!({ "schema": { "required": "a" } })),
                "schema",
                "/required must be a list of names, not \"a\"",
            ),
            ok(
                "switches",
                with(json!({ "enableWebSearch": true, "showSources": true, "includeSubdomains": false,
                        "ignoreSitemap": true, "allowExternalLinks": true, "limit": 5 })),
                |p| {
                    p.enable_web_search
                        && p.show_sources
                        && !p.include_subdomains
                        && p.ignore_sitemap
                        && p.allow_external_links
                        && p.limit == Some(5)
                },
            ),
            ok("agent", with(json!({ "agent": { "model": "m-1" } })), |p| {
                p.agent_model.as_deref() == Some("m-1")
            }),
            no("agent without model", with(json!({ "agent": {} })), "agent.model", "is missing"),
            no("agent as text", with(json!({ "agent": "m-1" })), "agent", "must be an object, not \"m-1\""),
            ok("system prompt", with(json!({ "systemPrompt": "be brief" })), |p| {
                p.system_prompt.as_deref() == Some("be brief")
            }),
            no("limit of 0", with(json!({ "limit": 0 })), "limit", "at least 1, not 0"),
            ok(
                "webhook",
                with(json!({ "webhook": { "url": "https://h.example/", "events": ["extract.completed"] } })),
                |p| p.webhook.as_ref().is_some_and(|w| w.events.len() == 1),
            ),
            ok("all events of an extract", with(json!({ "webhook": "https://h.example/" })), |p| {
                p.webhook.as_ref().is_some_and(|w| w.events.len() == 4)
            }),
            no(
                "an extract has no page events",
                with(json!({ "webhook": { "url": "https://h.example/", "events": ["page"] } })),
                "webhook.events[0]",
                "`started`, `completed`, `failed` or `cancelled`",
            ),
            no(
                "a misspelled key",
                with(json!({ "enableWebsearch": true })),
                "enableWebsearch",
                "did you mean `enableWebSearch`?",
            ),
        ],
        "",
        ExtractPlan::from_json,
    );
}

#[test]
fn extracts_of_v1() {
    let with = |fields| with(&json!({ "urls": ["https://a.example/"], "prompt": "the price" }), &fields);
    run::<ExtractPlan>(
        vec![
            ok("defaults", with(json!({})), |p| {
                p.invalid_urls.is_none() && !p.options.skip_tls_verification && p.options.max_age.is_zero()
            }),
            no(
                "invalid urls are refused",
                with(json!({ "urls": ["ftp://b.example"] })),
                "urls[0]",
                "scheme `ftp`",
            ),
            ok("v1's scrape options", with(json!({ "scrapeOptions": { "parsePDF": false } })), |p| {
                p.options.pdf.is_none()
            }),
            no(
                "v2's scrape options",
                with(json!({ "scrapeOptions": { "parsers": [] } })),
                "scrapeOptions.parsers",
                "in v1 it is `parsePDF`",
            ),
        ],
        "",
        v1::ExtractRequest::plan_from_json,
    );
}

#[test]
fn a_schema_set_in_rust_must_be_an_object() {
    let request = || ExtractRequest::new(["https://a.example/"]);
    let faults = request().schema("{}").check().unwrap_err();
    assert_eq!(faults.to_string(), "`schema` must be an object, not \"{}\"");
    let plan = request().prompt("the price").schema(Value::Null).check().unwrap();
    assert_eq!(plan.schema, None);
    let faults = request().schema(Value::Null).check().unwrap_err();
    assert!(faults.to_string().contains("one of `prompt` and `schema` is required"), "{faults}");
}
