//! The OpenAPI 3.1 document, made from the same table and the same types as the service.

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

use crate::answers::{CreditUsageV1, ListedErrors, TokenUsageV1};
use crate::operation::{IDEMPOTENCY_KEY, Operation, Version};
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
    for (name, schema) in requests() {
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

/// The document as it is served.
pub(crate) fn bytes() -> Bytes {
    static WRITTEN: OnceLock<Bytes> = OnceLock::new();
    WRITTEN.get_or_init(|| openapi().to_string().into()).clone()
}

fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    settings.into_generator()
}

/// The bodies that are read, by the names they have in the document.
fn requests() -> [(&'static str, Value); 11] {
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

/// What an operation is told as.
struct Told {
    name: String,
    summary: &'static str,
    body: Option<String>,
    answer: Value,
    refusals: &'static [u16],
}

const READS: &[u16] = &[401, 404, 429, 500];
const FIGURES: &[u16] = &[401, 429, 500];
const SUBMITS: &[u16] = &[400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500];

fn told(operation: Operation, generator: &mut SchemaGenerator) -> Told {
    fn answer<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
        generator.subschema_for::<T>().to_value()
    }
    let of = |name: &str, summary, answer, refusals| Told {
        name: name.to_owned(),
        summary,
        body: None,
        answer,
        refusals,
    };
    let submit = |name: &str, body: &str, version: Version, summary, answer| Told {
        name: name.to_owned(),
        summary,
        body: Some(if version == Version::V1 { format!("V1{body}") } else { body.to_owned() }),
        answer,
        refusals: SUBMITS,
    };
    let noun = |kind| match kind {
        JobKind::Crawl => "Crawl",
        JobKind::BatchScrape => "BatchScrape",
        JobKind::Extract => "Extract",
    };
    match operation {
        Operation::OpenApi => of("openapi", "This document.", json!({ "type": "object" }), &[]),
        Operation::Scrape(version) => {
            let answer = answer::<ScrapeResponse>(generator);
            submit("scrape", "ScrapeRequest", version, "Scrape one page.", answer)
        }
        Operation::Scraped => of(
            "getScrape",
            "The document of a scrape, or of a page of a crawl or batch, while it is kept.",
            answer::<ScrapeResponse>(generator),
            READS,
        ),
        Operation::Batch(version) => {
            let answer = answer::<JobSubmitted>(generator);
            submit(
                "startBatchScrape",
                "BatchScrapeRequest",
                version,
                "Scrape many pages, or add to a batch.",
                answer,
            )
        }
        Operation::Crawl(version) => {
            let answer = answer::<JobSubmitted>(generator);
            submit("startCrawl", "CrawlRequest", version, "Crawl a site.", answer)
        }
        Operation::CrawlParams => {
            let answer = answer::<CrawlParamsPreview>(generator);
            let summary = "Crawl options from a description in words.";
            submit("crawlParamsPreview", "CrawlParamsPreviewRequest", Version::V2, summary, answer)
        }
        Operation::Map(version) => {
            let answer = match version {
                Version::V1 => answer::<MapResponseV1>(generator),
                Version::V2 => answer::<MapResponse>(generator),
            };
            submit("map", "MapRequest", version, "List the addresses of a site.", answer)
        }
        Operation::Extract(version) => {
            let answer = answer::<ExtractSubmitted>(generator);
            submit("startExtract", "ExtractRequest", version, "Extract structured data from pages.", answer)
        }
        Operation::Status(kind) => of(
            &format!("get{}Status", noun(kind)),
            "How a job stands, with a piece of its documents; as a WebSocket, a watch over it.",
            answer::<JobStatus>(generator),
            &[400, 401, 404, 429, 500],
        ),
        Operation::Errors(kind) => of(
            &format!("get{}Errors", noun(kind)),
            "The pages of a job that gave no document.",
            answer::<ListedErrors>(generator),
            READS,
        ),
        Operation::Cancel(kind) => of(
            &format!("cancel{}", noun(kind)),
            "End a job; what is done stays readable.",
            answer::<JobCancelled>(generator),
            &[401, 404, 409, 429, 500],
        ),
        Operation::ExtractStatus => of(
            "getExtractStatus",
            "How an extract stands, and its data.",
            answer::<ExtractStatus>(generator),
            READS,
        ),
        Operation::ActiveCrawls => {
            of("getActiveCrawls", "The crawls that run.", answer::<ActiveCrawls>(generator), FIGURES)
        }
        Operation::CreditUsage(version) => {
            let answer = match version {
                Version::V1 => answer::<TeamResponse<CreditUsageV1>>(generator),
                Version::V2 => answer::<TeamResponse<CreditUsage>>(generator),
            };
            of("getCreditUsage", "The team's credits.", answer, FIGURES)
        }
        Operation::TokenUsage(version) => {
            let answer = match version {
                Version::V1 => answer::<TeamResponse<TokenUsageV1>>(generator),
                Version::V2 => answer::<TeamResponse<TokenUsage>>(generator),
            };
            of("getTokenUsage", "The team's credits, counted in tokens.", answer, FIGURES)
        }
        Operation::QueueStatus => {
            of("getQueueStatus", "What the team has in the queue.", answer::<QueueStatus>(generator), FIGURES)
        }
        Operation::Activity => of(
            "getActivity",
            "The team's jobs and scrapes that have ended, the one that ended last first.",
            answer::<Activities>(generator),
            &[400, 401, 429, 500],
        ),
        Operation::Concurrency => {
            let answer = answer::<ConcurrencyCheck>(generator);
            of("getConcurrency", "How many pages the team has in work.", answer, FIGURES)
        }
    }
}

fn describe(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut told = told(route.operation, generator);
    if route.path.ends_with("/ongoing") {
        // The other name of the same list; names of operations are unique.
        told.name = told.name.replace("Active", "Ongoing");
    }
    let refusal = generator.subschema_for::<ErrorBody>().to_value();
    let version = if route.path.starts_with("/v1/") { "V1" } else { "" };
    let mut responses = Map::new();
    responses.insert("200".to_owned(), content("Done.", &told.answer));
    for status in told.refusals {
        responses.insert(status.to_string(), refused(*status, &refusal));
    }
    if matches!(route.operation, Operation::Status(_)) {
        let switched = json!({ "description": "A WebSocket that tells of the job until its end." });
        responses.insert("101".to_owned(), switched);
        responses.insert("426".to_owned(), content("Another version of WebSocket is needed.", &refusal));
    }
    let mut described = json!({
        "operationId": format!("{}{version}", told.name),
        "summary": told.summary,
        "responses": responses,
    });
    let Some(fields) = described.as_object_mut() else { return described };
    let parameters = parameters(route);
    if !parameters.is_empty() {
        fields.insert("parameters".to_owned(), parameters.into());
    }
    if let Some(body) = told.body {
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
        let named = match route.operation {
            Operation::Scraped => "The scrape: `metadata.scrapeId` of its document.",
            _ => "The job.",
        };
        parameters.push(
            json!({ "name": "id", "in": "path", "required": true, "description": named, "schema": schema }),
        );
    }
    match route.operation {
        Operation::Status(_) => {
            let whole =
                |least: u64, most: u64| json!({ "type": "integer", "minimum": least, "maximum": most });
            let skip = "The place of the first document; a running job that has none there yet is waited for a while.";
            parameters.push(
                json!({ "name": "skip", "in": "query", "description": skip, "schema": whole(0, u64::MAX) }),
            );
            let limit = "At most so many documents.";
            parameters.push(json!({ "name": "limit", "in": "query", "description": limit,
                "schema": whole(1, limits::MAX_STATUS_LIMIT) }));
        }
        Operation::Activity => {
            let (most, default) = (limits::MAX_ACTIVITY_LIMIT, limits::DEFAULT_ACTIVITY_LIMIT);
            let schema = json!({ "type": "integer", "minimum": 1, "maximum": most, "default": default });
            let limit = "At most this many entries.";
            parameters
                .push(json!({ "name": "limit", "in": "query", "description": limit, "schema": schema }));
        }
        operation if operation.has_body() => {
            let text = "A second submit under the same key is refused.";
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

fn refused(status: u16, schema: &Value) -> Value {
    let (description, header) = match status {
        400 => ("The request breaks rules, or needs what the engine was built without.", None),
        401 => ("No key, or an unknown one.", Some("WWW-Authenticate")),
        402 => ("Too few credits.", None),
        403 => ("Refused by policy.", None),
        404 => ("There is no such job or scrape, or no copy in the cache.", None),
        408 => ("The request's time ran out.", None),
        409 => ("The job has ended, or the idempotency key was used before.", None),
        413 => ("The body is too large.", None),
        422 => ("The page or its content failed.", None),
        429 => ("Too much at once.", Some("Retry-After")),
        _ => ("The engine failed; its log tells why.", None),
    };
    let mut refused = content(description, schema);
    if let (Some(name), Some(fields)) = (header, refused.as_object_mut()) {
        fields.insert("headers".to_owned(), json!({ name: { "schema": { "type": "string" } } }));
    }
    refused
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_checked_in_copy_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
        let copy = std::fs::read_to_string(path).unwrap();
        // To the byte: this is the form that the command prints.
        assert!(
            copy == format!("{:#}\n", openapi()),
            "run `cargo run -- openapi > crates/http/openapi.json`"
        );
    }

    /// Descriptions come from comments in Rust, whose links and examples lead nowhere for who reads the document.
    #[test]
    fn descriptions_are_for_who_calls_the_service() {
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
    fn every_reference_leads_somewhere_and_every_operation_has_its_own_name() {
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
