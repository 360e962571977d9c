//! Checks responses of the service against its OpenAPI document.

use std::cell::RefCell;
use std::collections::HashMap;

use http::{Method, StatusCode};
use jsonschema::Validator;
use serde_json::{Value, json};

/// The document, and validators compiled from its schemas so far.
struct Document {
    whole: Value,
    validators: HashMap<String, Validator>,
}

thread_local! {
    static DOCUMENT: RefCell<Option<Document>> = const { RefCell::new(None) };
}

/// How the document describes a request.
enum Route<'a> {
    /// No path matches.
    Unknown,
    /// The path has other methods.
    OtherMethods,
    Operation(&'a Value),
}

impl Document {
    /// The operation of a request. HEAD uses GET.
    fn route(&self, method: &Method, path: &str) -> Route<'_> {
        let paths = self.whole.get("paths").and_then(Value::as_object);
        // Fixed segments come before `{id}`, in the document as in the service.
        let mut found = paths.into_iter().flatten().filter(|(template, _)| fits(template, path));
        let Some((_, item)) = found.next() else { return Route::Unknown };
        // Method names are case-sensitive (RFC 9110, 9.1); the document has them in lower case.
        let name = if method == Method::HEAD { "GET" } else { method.as_str() };
        let is_uppercase = !name.bytes().any(|byte| byte.is_ascii_lowercase());
        match item.get(name.to_ascii_lowercase()).filter(|_| is_uppercase) {
            Some(operation) => Route::Operation(operation),
            None => Route::OtherMethods,
        }
    }
}

fn fits(template: &str, path: &str) -> bool {
    let mut segments = path.split('/');
    let all = template.split('/').all(|wanted| match segments.next() {
        Some(segment) if wanted == "{id}" => !segment.is_empty(),
        segment => segment == Some(wanted),
    });
    all && segments.next().is_none()
}

/// Asserts that the document has this status for the request, and that the body matches its schema.
#[expect(clippy::panic, reason = "an oracle that fails must panic")]
pub(super) fn assert_documented(method: &Method, path: &str, status: StatusCode, body: &Value) {
    DOCUMENT.with_borrow_mut(|document| {
        let document = document
            .get_or_insert_with(|| Document { whole: gleaner_http::openapi(), validators: HashMap::new() });
        let schema = match document.route(method, path) {
            Route::Unknown => {
                assert_eq!(status, StatusCode::NOT_FOUND, "{method} {path}: {body}");
                return;
            }
            Route::OtherMethods => {
                assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}: {body}");
                return;
            }
            Route::Operation(operation) => {
                let pointer = format!("/responses/{}/content/application~1json/schema", status.as_u16());
                match operation.pointer(&pointer) {
                    Some(schema) => schema.to_string(),
                    None => panic!("{method} {path}: {status} is not documented: {body}"),
                }
            }
        };
        let Document { whole, validators } = document;
        let validator = validators.entry(schema).or_insert_with_key(|schema| compiled(schema, whole));
        if let Err(error) = validator.validate(body) {
            panic!(
                "{method} {path}: {status} violates its schema at {}: {error}: {body}",
                error.instance_path()
            );
        }
    });
}

#[expect(clippy::expect_used, reason = "does not depend on the input")]
fn compiled(schema: &str, document: &Value) -> Validator {
    let mut schema: Value = serde_json::from_str(schema).expect("serialized JSON parses");
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("components".to_owned(), document.get("components").cloned().unwrap_or(json!({})));
    }
    jsonschema::draft202012::new(&schema).expect("the document has valid schemas")
}
