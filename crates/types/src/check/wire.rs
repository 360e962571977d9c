//! Parses JSON bodies into requests and plans, for every request type of v1 and v2.

use std::sync::OnceLock;

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::bounds::{Checked, RequestBounds};
use super::path::Path;
use super::report::{Code, Report, Version};
use super::rules;
use super::shape::Record;
use super::walk;
use crate::error::{Faults, INVALID_JSON};
use crate::limits::{MAX_BODY_BYTES, MAX_BODY_DEPTH, MAX_BODY_VALUES};
use crate::plan::{
    BatchPlan, CrawlParamsPreviewPlan, CrawlPlan, ExtractPlan, MapPlan, ScrapeOptionsPlan, ScrapePlan,
};
use crate::request::{
    BatchScrapeRequest, CrawlParamsPreviewRequest, CrawlRequest, ExtractRequest, MapRequest, ScrapeOptions,
    ScrapeRequest, v1,
};

/// Reads the bytes of a body as JSON.
///
/// # Errors
///
/// One fault. Its [`error_code`](Faults::error_code) is `BAD_REQUEST_INVALID_JSON` if the bytes are not JSON,
/// and `BAD_REQUEST` if they are more than [`MAX_BODY_BYTES`] or contain more than [`MAX_BODY_VALUES`]
/// values.
pub fn parse_json(body: &[u8]) -> Result<Value, Faults> {
    if body.len() > MAX_BODY_BYTES {
        let message = format!("the body must be at most {MAX_BODY_BYTES} bytes, not {}", body.len());
        return Err(Faults::single("out_of_range", message));
    }
    if body.len() > MAX_BODY_VALUES && count_values(body) > MAX_BODY_VALUES {
        let message = format!("the body must contain at most {MAX_BODY_VALUES} values");
        return Err(Faults::single("out_of_range", message));
    }
    serde_json::from_slice(body).map_err(|error| {
        // The parser's message has the position and what was expected, and repeats nothing of the body.
        Faults::single(INVALID_JSON, format!("the body is not JSON: {error}"))
    })
}

/// The number of values in a JSON text, found by counting commas and opening brackets. Empty arrays and
/// objects count twice.
fn count_values(body: &[u8]) -> usize {
    let (mut count, mut in_text, mut escaped) = (1, false, false);
    for &byte in body {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' if !in_text => count += 1,
            _ => {}
        }
    }
    count
}

/// A request with a shape and rules.
trait Wire: Serialize + DeserializeOwned + JsonSchema {
    type Plan;
    const VERSION: Version;

    fn shape() -> &'static Record;
    fn rules(self, report: &mut Report) -> Option<Self::Plan>;
}

fn schema<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(close).transform(&mut schema);
    schema
}

/// Closes an object schema: unknown keys are not allowed.
fn close(schema: &mut Schema) {
    if schema.get("properties").is_some() {
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
}

/// Reads a body as a request, and returns it with the clean copy it was read from. Faults of the shape are
/// added to `report`.
fn clean<T: Wire>(value: &Value, report: &mut Report) -> Option<(T, Value)> {
    if !walk::depth_is_at_most(value, MAX_BODY_DEPTH) {
        report.fault(Code::OutOfRange, &Path::Root, |name| {
            format!("{name} must be at most {MAX_BODY_DEPTH} arrays and objects deep")
        });
        return None;
    }
    let clean = walk::body(T::shape(), value, report);
    match T::deserialize(&clean) {
        Ok(request) => Some((request, clean)),
        // Every value that fits the shape can be read. The error is not shown because it would name Rust
        // types.
        Err(_) => {
            report.fault(Code::InvalidValue, &Path::Root, |name| format!("{name} cannot be read"));
            None
        }
    }
}

fn from_json<T: Wire>(value: &Value, bounds: RequestBounds) -> Result<T, Faults> {
    let mut report = Report::new(T::VERSION, bounds);
    let request = clean(value, &mut report).map(|(request, _)| request);
    report.finish(request)
}

fn plan_from_json<T: Wire>(value: &Value, bounds: RequestBounds) -> Result<Checked<T::Plan>, Faults> {
    let mut report = Report::new(T::VERSION, bounds);
    let request = clean::<T>(value, &mut report);
    report.end_of_shape();
    let plan = match request {
        Some((request, clean)) if !report.is_full() => request.rules(&mut report).map(|plan| (plan, clean)),
        _ => None,
    };
    let warnings = report.warnings();
    report.finish(plan).map(|(plan, request)| Checked { plan, request, warnings })
}

/// Checks a request made in Rust. It is serialised and checked against the shape too, so that ranges are
/// defined once.
fn check<T: Wire>(request: T, bounds: RequestBounds) -> Result<T::Plan, Faults> {
    let mut report = Report::new(T::VERSION, bounds);
    match serde_json::to_value(&request) {
        Ok(value) if walk::depth_is_at_most(&value, MAX_BODY_DEPTH) => {
            walk::body(T::shape(), &value, &mut report);
        }
        Ok(_) => report.fault(Code::OutOfRange, &Path::Root, |name| {
            format!("{name} must be at most {MAX_BODY_DEPTH} arrays and objects deep")
        }),
        Err(_) => {
            report.fault(Code::InvalidValue, &Path::Root, |name| format!("{name} cannot be written as JSON"));
        }
    }
    report.end_of_shape();
    let plan = if report.is_full() { None } else { request.rules(&mut report) };
    report.finish(plan)
}

macro_rules! wire {
    ($request:ty, $plan:ty, $version:expr, $rules:expr) => {
        impl Wire for $request {
            type Plan = $plan;
            const VERSION: Version = $version;

            fn shape() -> &'static Record {
                static SHAPE: OnceLock<Record> = OnceLock::new();
                SHAPE.get_or_init(|| {
                    schema::<$request>().as_object().map(Record::from_schema).unwrap_or_default()
                })
            }

            fn rules(self, report: &mut Report) -> Option<$plan> {
                $rules(self, report)
            }
        }

        impl $request {
            /// Reads a JSON body. A field with `null` counts as left out, and `100.0` as `100`.
            ///
            /// # Errors
            ///
            /// All faults of the body's shape: unknown, missing and misshapen fields, and values out of
            /// range.
            pub fn from_json(body: &Value) -> Result<Self, Faults> {
                Self::from_json_within(body, RequestBounds::CONTRACT)
            }

            /// Like [`from_json`](Self::from_json), with the embedder's bounds.
            ///
            /// # Errors
            ///
            /// The same as for [`from_json`](Self::from_json).
            pub fn from_json_within(body: &Value, bounds: RequestBounds) -> Result<Self, Faults> {
                from_json(body, bounds)
            }

            /// Checks every rule and fills in every default.
            ///
            /// # Errors
            ///
            /// All faults of the request.
            pub fn check(self) -> Result<$plan, Faults> {
                self.check_within(RequestBounds::CONTRACT)
            }

            /// Like [`check`](Self::check), with the embedder's bounds.
            ///
            /// # Errors
            ///
            /// All faults of the request.
            pub fn check_within(self, bounds: RequestBounds) -> Result<$plan, Faults> {
                check(self, bounds)
            }

            /// Reads a JSON body and checks it.
            ///
            /// # Errors
            ///
            /// All faults of its shape, and the faults of its rules that do not depend on misshapen values.
            pub fn plan_from_json(body: &Value) -> Result<$plan, Faults> {
                Self::checked_from_json(body, RequestBounds::CONTRACT).map(|checked| checked.plan)
            }

            /// Like [`plan_from_json`](Self::plan_from_json), with the embedder's bounds. It also returns
            /// remarks for the sender.
            ///
            /// # Errors
            ///
            /// The same as for [`plan_from_json`](Self::plan_from_json).
            pub fn checked_from_json(body: &Value, bounds: RequestBounds) -> Result<Checked<$plan>, Faults> {
                plan_from_json::<Self>(body, bounds)
            }

            /// The JSON Schema (draft 2020-12) of the body, with every default and range.
            #[must_use]
            pub fn json_schema() -> Value {
                schema::<Self>().to_value()
            }
        }
    };
}

macro_rules! from_v2_json {
    ($plan:ty, $request:ty) => {
        impl $plan {
            /// Reads and checks the JSON body of a v2 request.
            ///
            /// # Errors
            ///
            /// All faults of its shape, and the faults of its rules that do not depend on misshapen values.
            pub fn from_json(body: &Value) -> Result<Self, Faults> {
                <$request>::plan_from_json(body)
            }
        }
    };
}

wire!(ScrapeOptions, ScrapeOptionsPlan, Version::V2, |options, report: &mut Report| {
    Some(rules::scrape_options(options, false, &Path::Root, report))
});
wire!(ScrapeRequest, ScrapePlan, Version::V2, rules::scrape);
wire!(BatchScrapeRequest, BatchPlan, Version::V2, rules::batch);
wire!(CrawlRequest, CrawlPlan, Version::V2, rules::crawl);
wire!(CrawlParamsPreviewRequest, CrawlParamsPreviewPlan, Version::V2, rules::preview);
wire!(MapRequest, MapPlan, Version::V2, rules::map);
wire!(ExtractRequest, ExtractPlan, Version::V2, rules::extract);

from_v2_json!(ScrapePlan, ScrapeRequest);
from_v2_json!(BatchPlan, BatchScrapeRequest);
from_v2_json!(CrawlPlan, CrawlRequest);
from_v2_json!(CrawlParamsPreviewPlan, CrawlParamsPreviewRequest);
from_v2_json!(MapPlan, MapRequest);
from_v2_json!(ExtractPlan, ExtractRequest);

wire!(v1::ScrapeRequest, ScrapePlan, Version::V1, |request: v1::ScrapeRequest, report: &mut Report| {
    rules::v1::scrape_options(&request.options, &Path::Root, report);
    rules::scrape(request.into(), report)
});
wire!(
    v1::BatchScrapeRequest,
    BatchPlan,
    Version::V1,
    |request: v1::BatchScrapeRequest, report: &mut Report| {
        rules::v1::scrape_options(&request.options, &Path::Root, report);
        rules::batch(request.into(), report)
    }
);
wire!(v1::CrawlRequest, CrawlPlan, Version::V1, |request: v1::CrawlRequest, report: &mut Report| {
    rules::v1::crawl(&request, report);
    if let Some(options) = &request.scrape_options {
        rules::v1::scrape_options(options, &Path::Root.key("scrapeOptions"), report);
    }
    rules::crawl(request.into(), report)
});
wire!(v1::MapRequest, MapPlan, Version::V1, |request: v1::MapRequest, report: &mut Report| {
    rules::v1::map(&request, report);
    rules::map(request.into(), report)
});
wire!(v1::ExtractRequest, ExtractPlan, Version::V1, |request: v1::ExtractRequest, report: &mut Report| {
    if let Some(options) = &request.scrape_options {
        rules::v1::scrape_options(options, &Path::Root.key("scrapeOptions"), report);
    }
    rules::extract(request.into(), report)
});

#[cfg(test)]
mod tests {
    use super::super::shape::Shape;
    use super::*;

    /// Collects the paths of a shape that accept any value, as `field.field[]`.
    fn any_paths(shape: &Shape, path: &str, found: &mut Vec<String>) {
        let mut record = |record: &Record, path: &str| {
            for (key, field) in &record.fields {
                any_paths(&field.shape, &format!("{path}.{key}"), found);
            }
        };
        match shape {
            Shape::Any => found.push(path.to_owned()),
            Shape::List { item, .. } => any_paths(item, &format!("{path}[]"), found),
            Shape::Map { value, .. } => any_paths(value, &format!("{path}{{}}"), found),
            Shape::Record(fields) => record(fields, path),
            Shape::Tagged { variants, .. } => {
                variants.iter().for_each(|(tag, fields)| record(fields, &format!("{path}<{tag}>")));
            }
            Shape::TextOr(inner) => any_paths(inner, path, found),
            _ => {}
        }
    }

    #[test]
    fn only_free_fields_accept_any_value() {
        let free = [
            "useMock",
            "profile",
            "auditMetadata",
            "checkPromptInjection",
            "threatProtection",
            "redactPII",
            "onlyCleanContent",
            "safeMode",
            "schema{}",
            "metadata{}",
        ];
        for shape in [
            ScrapeRequest::shape(),
            BatchScrapeRequest::shape(),
            CrawlRequest::shape(),
            CrawlParamsPreviewRequest::shape(),
            MapRequest::shape(),
            ExtractRequest::shape(),
            v1::ScrapeRequest::shape(),
            v1::BatchScrapeRequest::shape(),
            v1::CrawlRequest::shape(),
            v1::MapRequest::shape(),
            v1::ExtractRequest::shape(),
        ] {
            let mut found = Vec::new();
            any_paths(&Shape::Record(shape.clone()), "", &mut found);
            assert!(!found.is_empty());
            for path in found {
                let field = path.rsplit('.').next().unwrap();
                assert!(free.contains(&field), "{path} accepts any value");
            }
        }
    }

    #[test]
    fn a_body_that_is_not_json_is_reported_without_its_content() {
        let faults = parse_json(b"{\"url\": secret}").unwrap_err();
        assert_eq!(faults.error_code(), crate::ErrorCode::BadRequestInvalidJson);
        assert!(!faults.to_string().contains("secret"));
    }

    /// Ten megabytes of small objects took eighty times as much memory.
    #[test]
    fn the_number_of_values_of_a_body_is_limited() {
        for (text, values) in
            [("[]", 2), (r#"{"a,[{": "b\",[", "c": [1, 2]}"#, 5), ("7", 1), ("\"\\\\\",", 2)]
        {
            assert_eq!(count_values(text.as_bytes()), values, "{text}");
        }
        let body = |objects: usize| format!("[{}{{}}]", "{\"a\":0},".repeat(objects));
        let refused = parse_json(body(MAX_BODY_VALUES / 2).as_bytes()).unwrap_err();
        assert_eq!(refused.to_string(), "the body must contain at most 500000 values");
        assert_eq!(refused.error_code(), crate::ErrorCode::BadRequest);
        assert!(parse_json(body(MAX_BODY_VALUES / 2 - 2).as_bytes()).is_ok());
        assert!(parse_json(format!("\"{}\"", ",".repeat(MAX_BODY_VALUES + 1)).as_bytes()).is_ok());
    }

    #[test]
    fn published_schemas_allow_no_unknown_keys() {
        let schema = CrawlRequest::json_schema();
        assert_eq!(schema["additionalProperties"], Value::Bool(false));
        assert_eq!(schema["properties"]["scrapeOptions"]["additionalProperties"], Value::Bool(false));
        assert_eq!(schema["properties"]["limit"]["default"], Value::from(10_000));
    }
}
