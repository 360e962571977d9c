//! The OpenAPI 3.1 document, generated from the route table and the types of the service.

use std::sync::OnceLock;

use bytes::Bytes;
use gleaner::request::{
    BatchScrapeRequest, CrawlParamsPreviewRequest, CrawlRequest, ExtractRequest, MapRequest, ScrapeRequest,
    v1,
};
use gleaner::response::{
    ActiveCrawls, Activities, ConcurrencyCheck, CrawlParamsPreview, CreditUsage, ErrorBody, ExtractStatus,
    ExtractSubmitted, JobCancelled, JobStatus, JobSubmitted, MapResponse, MapResponseV1, QueueStatus,
    ScrapeResponse, TeamResponse, TokenUsage,
};
use gleaner::{JobKind, limits};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::operation::{IDEMPOTENCY_KEY, Operation, Version};
use crate::responses::{CreditUsageV1, ListedErrors, TokenUsageV1};
use crate::routes::{ROUTES, Route};

/// The OpenAPI 3.1 document of the service.
#[must_use]
pub fn openapi() -> Value {
    let mut generator = generator();
    let mut paths = Map::new();
    for route in ROUTES {
        let described = describe(route, &mut generator);
        let entry = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(entry) = entry.as_object_mut() {
            entry.insert(route.method.as_str().to_ascii_lowercase(), described);
        }
    }
    let mut schemas = generator.take_definitions(true);
    for (name, schema) in request_schemas() {
        schemas.insert(name.to_owned(), schema);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "gleaner",
            "summary": "Web pages as clean Markdown, links and structured data.",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" }
        },
        "security": [{ "key": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "key": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas
        }
    })
}

/// The serialized document.
pub(crate) fn bytes() -> Bytes {
    static SERIALIZED: OnceLock<Bytes> = OnceLock::new();
    SERIALIZED.get_or_init(|| openapi().to_string().into()).clone()
}

fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    settings.into_generator()
}

/// The schemas of request bodies, with their names in the document.
fn request_schemas() -> [(&'static str, Value); 11] {
    [
        ("ScrapeRequest", ScrapeRequest::json_schema()),
        ("BatchScrapeRequest", BatchScrapeRequest::json_schema()),
        ("CrawlRequest", CrawlRequest::json_schema()),
        ("CrawlParamsPreviewRequest", CrawlParamsPreviewRequest::json_schema()),
        ("MapRequest", MapRequest::json_schema()),
        ("ExtractRequest", ExtractRequest::json_schema()),
        ("V1ScrapeRequest", v1::ScrapeRequest::json_schema()),
        ("V1BatchScrapeRequest", v1::BatchScrapeRequest::json_schema()),
        ("V1CrawlRequest", v1::CrawlRequest::json_schema()),
        ("V1MapRequest", v1::MapRequest::json_schema()),
        ("V1ExtractRequest", v1::ExtractRequest::json_schema()),
    ]
    .map(|(name, mut schema)| {
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("$schema");
            schema.remove("title");
        }
        (name, schema)
    })
}

/// The description of an operation.
struct Description {
    name: String,
    summary: &'static str,
    body: Option<String>,
    response: Value,
    errors: &'static [u16],
}

/// Error statuses of reads by id.
const READ_ERRORS: &[u16] = &[401, 404, 429, 500];
/// Error statuses of reads of the team.
const TEAM_ERRORS: &[u16] = &[401, 429, 500];
/// Error statuses of operations with a body.
const SUBMIT_ERRORS: &[u16] = &[400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500];

fn description(operation: Operation, generator: &mut SchemaGenerator) -> Description {
    fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
        generator.subschema_for::<T>().to_value()
    }
    let read = |name: &str, summary, response, errors| Description {
        name: name.to_owned(),
        summary,
        body: None,
        response,
        errors,
    };
    let submit = |name: &str, body: &str, version: Version, summary, response| Description {
        name: name.to_owned(),
        summary,
        body: Some(if version == Version::V1 { format!("V1{body}") } else { body.to_owned() }),
        response,
        errors: SUBMIT_ERRORS,
    };
    let noun = |kind| match kind {
        JobKind::Crawl => "Crawl",
        JobKind::BatchScrape => "BatchScrape",
        JobKind::Extract => "Extract",
    };
    match operation {
        Operation::OpenApi => read("openapi", "This document.", json!({ "type": "object" }), &[]),
        Operation::Scrape(version) => {
            let response = schema::<ScrapeResponse>(generator);
            submit("scrape", "ScrapeRequest", version, "Scrape one page.", response)
        }
        Operation::ScrapedDocument => read(
            "getScrape",
            "The document of a scrape, or of a page of a crawl or batch, while it is kept.",
            schema::<ScrapeResponse>(generator),
            READ_ERRORS,
        ),
        Operation::Batch(version) => {
            let response = schema::<JobSubmitted>(generator);
            submit(
                "startBatchScrape",
                "BatchScrapeRequest",
                version,
                "Scrape many pages, or add to a batch.",
                response,
            )
        }
        Operation::Crawl(version) => {
            let response = schema::<JobSubmitted>(generator);
            submit("startCrawl", "CrawlRequest", version, "Crawl a site.", response)
        }
        Operation::CrawlParams => {
            let response = schema::<CrawlParamsPreview>(generator);
            let summary = "Crawl options from a description in natural language.";
            submit("crawlParamsPreview", "CrawlParamsPreviewRequest", Version::V2, summary, response)
        }
        Operation::Map(version) => {
            let response = match version {
                Version::V1 => schema::<MapResponseV1>(generator),
                Version::V2 => schema::<MapResponse>(generator),
            };
            submit("map", "MapRequest", version, "List the addresses of a site.", response)
        }
        Operation::Extract(version) => {
            let response = schema::<ExtractSubmitted>(generator);
            submit("startExtract", "ExtractRequest", version, "Extract structured data from pages.", response)
        }
        Operation::Status(kind) => read(
            &format!("get{}Status", noun(kind)),
            "The status of a job, with a page of its documents. As a WebSocket: a live watch of the job.",
            schema::<JobStatus>(generator),
            &[400, 401, 404, 429, 500],
        ),
        Operation::Errors(kind) => read(
            &format!("get{}Errors", noun(kind)),
            "The pages of a job that produced no document.",
            schema::<ListedErrors>(generator),
            READ_ERRORS,
        ),
        Operation::Cancel(kind) => read(
            &format!("cancel{}", noun(kind)),
            "Cancel a job. Its results so far stay readable.",
            schema::<JobCancelled>(generator),
            &[401, 404, 409, 429, 500],
        ),
        Operation::ExtractStatus => read(
            "getExtractStatus",
            "The status of an extract, and its data.",
            schema::<ExtractStatus>(generator),
            READ_ERRORS,
        ),
        Operation::ActiveCrawls => {
            read("getActiveCrawls", "The running crawls.", schema::<ActiveCrawls>(generator), TEAM_ERRORS)
        }
        Operation::CreditUsage(version) => {
            let response = match version {
                Version::V1 => schema::<TeamResponse<CreditUsageV1>>(generator),
                Version::V2 => schema::<TeamResponse<CreditUsage>>(generator),
            };
            read("getCreditUsage", "The team's credits.", response, TEAM_ERRORS)
        }
        Operation::TokenUsage(version) => {
            let response = match version {
                Version::V1 => schema::<TeamResponse<TokenUsageV1>>(generator),
                Version::V2 => schema::<TeamResponse<TokenUsage>>(generator),
            };
            read("getTokenUsage", "The team's credits, converted to tokens.", response, TEAM_ERRORS)
        }
        Operation::QueueStatus => read(
            "getQueueStatus",
            "The queued and active pages of the team.",
            schema::<QueueStatus>(generator),
            TEAM_ERRORS,
        ),
        Operation::Activity => read(
            "getActivity",
            "The team's ended jobs and scrapes, the latest end first.",
            schema::<Activities>(generator),
            &[400, 401, 429, 500],
        ),
        Operation::Concurrency => {
            let response = schema::<ConcurrencyCheck>(generator);
            read(
                "getConcurrency",
                "The number of pages of the team that are in progress.",
                response,
                TEAM_ERRORS,
            )
        }
    }
}

fn describe(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut operation = description(route.operation, generator);
    if route.path.ends_with("/ongoing") {
        // Another path of the same list; operation names must be unique.
        operation.name = operation.name.replace("Active", "Ongoing");
    }
    let error = generator.subschema_for::<ErrorBody>().to_value();
    let version = if route.path.starts_with("/v1/") { "V1" } else { "" };
    let mut responses = Map::new();
    responses.insert("200".to_owned(), content("Done.", &operation.response));
    for status in operation.errors {
        responses.insert(status.to_string(), error_response(*status, &error));
    }
    if matches!(route.operation, Operation::Status(_)) {
        let switched = json!({ "description": "A WebSocket that reports the job until its end." });
        responses.insert("101".to_owned(), switched);
        responses.insert("426".to_owned(), content("Another WebSocket version is required.", &error));
    }
    let mut described = json!({
        "operationId": format!("{}{version}", operation.name),
        "summary": operation.summary,
        "responses": responses,
    });
    let Some(fields) = described.as_object_mut() else { return described };
    let parameters = parameters(route);
    if !parameters.is_empty() {
        fields.insert("parameters".to_owned(), parameters.into());
    }
    if let Some(body) = operation.body {
        let schema = json!({ "$ref": format!("#/components/schemas/{body}") });
        let content = json!({ "application/json": { "schema": schema } });
        fields.insert("requestBody".to_owned(), json!({ "required": true, "content": content }));
    }
    if route.operation.counted_as().is_none() {
        fields.insert("security".to_owned(), json!([]));
    }
    described
}

fn parameters(route: &Route) -> Vec<Value> {
    let mut parameters = Vec::new();
    if route.path.contains("{id}") {
        let schema = json!({ "type": "string", "format": "uuid" });
        let description = match route.operation {
            Operation::ScrapedDocument => "The scrape: `metadata.scrapeId` of its document.",
            _ => "The job.",
        };
        parameters.push(json!({ "name": "id", "in": "path", "required": true,
            "description": description, "schema": schema }));
    }
    match route.operation {
        Operation::Status(_) => {
            let integer = |min: u64, max: u64| json!({ "type": "integer", "minimum": min, "maximum": max });
            let skip = "Index of the first document. A read of a running job waits briefly for it.";
            parameters.push(
                json!({ "name": "skip", "in": "query", "description": skip, "schema": integer(0, u64::MAX) }),
            );
            let limit = "Maximum number of documents.";
            parameters.push(json!({ "name": "limit", "in": "query", "description": limit,
                "schema": integer(1, limits::MAX_STATUS_LIMIT) }));
        }
        Operation::Activity => {
            let (max, default) = (limits::MAX_ACTIVITY_LIMIT, limits::DEFAULT_ACTIVITY_LIMIT);
            let schema = json!({ "type": "integer", "minimum": 1, "maximum": max, "default": default });
            let limit = "Maximum number of entries.";
            parameters
                .push(json!({ "name": "limit", "in": "query", "description": limit, "schema": schema }));
        }
        operation if operation.has_body() => {
            let text = "A second submit with the same key is refused.";
            parameters.push(json!({ "name": IDEMPOTENCY_KEY, "in": "header", "description": text,
                "schema": { "type": "string", "format": "uuid" } }));
        }
        _ => {}
    }
    parameters
}

fn content(description: &str, schema: &Value) -> Value {
    json!({ "description": description, "content": { "application/json": { "schema": schema } } })
}

fn error_response(status: u16, schema: &Value) -> Value {
    let (description, header) = match status {
        400 => ("The request is invalid, or needs a capability that the engine was built without.", None),
        401 => ("No key, or an unknown one.", Some("WWW-Authenticate")),
        402 => ("Too few credits.", None),
        403 => ("Forbidden by policy.", None),
        404 => ("There is no such job or scrape, or no cached copy.", None),
        408 => ("The request timed out.", None),
        409 => ("The job has ended, or the idempotency key was used before.", None),
        413 => ("The body is too large.", None),
        422 => ("The page or its content failed.", None),
        429 => ("Too many requests or jobs at once.", Some("Retry-After")),
        _ => ("The engine failed; its log has the reason.", None),
    };
    let mut response = content(description, schema);
    if let (Some(name), Some(fields)) = (header, response.as_object_mut()) {
        fields.insert("headers".to_owned(), json!({ name: { "schema": { "type": "string" } } }));
    }
    response
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_checked_in_copy_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
        let copy = std::fs::read_to_string(path).unwrap();
        // Byte for byte, in the format that the command prints.
        assert!(
            copy == format!("{:#}\n", openapi()),
            "run `cargo run -- openapi > crates/http/openapi.json`"
        );
    }

    /// Descriptions come from Rust doc comments, whose links and examples mean nothing to readers of the
    /// document.
    #[test]
    fn descriptions_contain_no_rust() {
        fn texts<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
            match value {
                Value::Object(fields) => fields.values().for_each(|value| texts(value, found)),
                Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
                Value::String(text) => found.push(text),
                _ => {}
            }
        }
        let document = openapi();
        let mut found = Vec::new();
        texts(&document, &mut found);
        assert!(found.len() > 500, "{}", found.len());
        for text in found {
            for mark in ["::", "[`", "](", "```", "EngineBuilder"] {
                assert!(!text.contains(mark), "{mark} in {text:?}");
            }
        }
    }

    #[test]
    fn references_resolve_and_operation_names_are_unique() {
        fn references(value: &Value, found: &mut BTreeSet<String>) {
            match value {
                Value::Object(fields) => fields.iter().for_each(|(name, value)| match value {
                    Value::String(target) if name == "$ref" => drop(found.insert(target.clone())),
                    value => references(value, found),
                }),
                Value::Array(items) => items.iter().for_each(|item| references(item, found)),
                _ => {}
            }
        }
        let document = openapi();
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        assert!(found.len() > 20, "{found:?}");
        for target in found {
            let pointer = target.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{target}");
        }
        let mut names = BTreeSet::new();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let name = operation["operationId"].as_str().unwrap().to_owned();
                assert!(names.insert(name), "{method} {path}");
            }
        }
        assert_eq!(names.len(), ROUTES.len());
    }
}
