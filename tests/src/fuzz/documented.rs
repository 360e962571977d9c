//! Holds answers of the service against its own OpenAPI document.

use std::cell::RefCell;
use std::collections::HashMap;

use http::{Method, StatusCode};
use jsonschema::Validator;
use serde_json::{Value, json};

/// The document, and the schemas of it that were needed so far.
struct Document {
    whole: Value,
    validators: HashMap<String, Validator>,
}

thread_local! {
    static DOCUMENT: RefCell<Option<Document>> = const { RefCell::new(None) };
}

/// What the document says of a request.
enum Told<'a> {
    /// There is no such address.
    Nothing,
    /// The address takes other methods.
    OtherMethods,
    Operation(&'a Value),
}

impl Document {
    /// The operation of a request. A HEAD is a GET.
    fn told(&self, method: &Method, path: &str) -> Told<'_> {
        let paths = self.whole.get("paths").and_then(Value::as_object);
        // Fixed segments stand before `{id}`, in the document as in the service.
        let mut found = paths.into_iter().flatten().filter(|(template, _)| fits(template, path));
        let Some((_, item)) = found.next() else { return Told::Nothing };
        // Names of methods are case-sensitive (RFC 9110, 9.1), and the document writes them small.
        let name = if method == Method::HEAD { "GET" } else { method.as_str() };
        let known = !name.bytes().any(|byte| byte.is_ascii_lowercase());
        match item.get(name.to_ascii_lowercase()).filter(|_| known) {
            Some(operation) => Told::Operation(operation),
            None => Told::OtherMethods,
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

/// The answer is one that the document has for this request, and its body has the form that stands there.
#[expect(clippy::panic, reason = "an oracle that fails must panic")]
pub(super) fn documented(method: &Method, path: &str, status: StatusCode, body: &Value) {
    DOCUMENT.with_borrow_mut(|document| {
        let document = document
            .get_or_insert_with(|| Document { whole: gleaner_http::openapi(), validators: HashMap::new() });
        let schema = match document.told(method, path) {
            Told::Nothing => {
                assert_eq!(status, StatusCode::NOT_FOUND, "{method} {path}: {body}");
                return;
            }
            Told::OtherMethods => {
                assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}: {body}");
                return;
            }
            Told::Operation(operation) => {
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
                "{method} {path}: {status} breaks its schema at {}: {error}: {body}",
                error.instance_path()
            );
        }
    });
}

#[expect(clippy::expect_used, reason = "nothing in it depends on the input")]
fn compiled(schema: &str, document: &Value) -> Validator {
    let mut schema: Value = serde_json::from_str(schema).expect("a schema that was just written");
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("components".to_owned(), document.get("components").cloned().unwrap_or(json!({})));
    }
    jsonschema::draft202012::new(&schema).expect("the document holds valid schemas")
}
