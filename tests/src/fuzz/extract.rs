//! Structured data: answers of a model, schemas, and structured markup of pages.

use std::sync::{Arc, OnceLock};

use gleaner_extract::model::scripted::{ScriptedModel, block_on};
use gleaner_extract::{
    Dialect, Extraction, Extractor, MAX_QUOTE_BYTES, Method, Page, PagePart, Shape, Task, WireSchema, extract,
};
use serde_json::{Map, Value, json};
use url::Url;

use super::BASE;

/// The page that answers are checked against.
const PAGE: &str = "# Cup\n\nPrice: £1,299.00. Made by [Acme](https://x.example/acme) on 4 March 2021.\n\n\
    - one, 5 pieces\n- two, 6 pieces\n- three, 7 pieces\n";
/// Upper bound on calls: values are requested twice, the list until a call adds no row.
const MAX_CALLS: usize = 40;
/// Upper bound on bytes of data per byte of page, plus `SLACK` for the schema.
const GROWTH: usize = 64;
const SLACK: usize = 16_384;

/// For any answer of a model, the result has the keys and types of the schema, is on the page, and is
/// deterministic.
pub fn model_output(data: &[u8]) {
    let (Ok(url), Some(shape)) = (Url::parse(BASE), product_shape()) else { return };
    let text = String::from_utf8_lossy(data).into_owned();
    let page = Page::new(url, "").with_markdown(PAGE);
    let read = || {
        let answer = text.clone();
        let model = ScriptedModel::with(move |_| Ok(answer.clone()));
        block_on(Extractor::new(Arc::new(model)).page(&page, Task::new(shape)))
    };
    let found = read();
    assert_valid(&found.extraction, shape);
    assert!(found.calls <= MAX_CALLS, "{} calls", found.calls);
    assert!(found.extraction.data.to_string().len() <= PAGE.len() * 4, "more data than the page has");
    for leaf in found.extraction.leaves.iter().filter(|leaf| leaf.pointer != "/makerUrl") {
        for proof in leaf.provenance.iter().filter(|proof| proof.method == Method::Model) {
            let span = proof.span.as_ref().filter(|span| span.part == PagePart::Markdown);
            let words = span.and_then(|span| PAGE.get(span.start..span.end));
            assert!(words.is_some_and(|words| words.contains(&proof.quote)), "not on the page: {proof:?}");
        }
    }
    let maker = found.extraction.data.get("makerUrl").unwrap_or(&Value::Null);
    assert!(maker.is_null() || maker == "https://x.example/acme", "a URL that is not on the page: {maker}");
    assert_eq!(read(), found, "a second run differs");
}

/// A schema is refused, or it translates to each dialect and back without losing a name.
pub fn schema(data: &[u8]) {
    let Ok(schema) = serde_json::from_slice::<Value>(data) else { return };
    let Ok(shape) = Shape::from_schema(&schema) else { return };
    let stored =
        serde_json::to_value(&shape).ok().and_then(|stored| serde_json::from_value::<Shape>(stored).ok());
    assert_eq!(stored.as_ref(), Some(&shape), "a stored shape changes");
    for dialect in [Dialect::Strict, Dialect::JsonSchema, Dialect::OpenApi] {
        let wire = WireSchema::new(&shape, dialect);
        let Some(names) = wire.as_value().get("properties").and_then(Value::as_object) else { continue };
        if shape.fields().is_empty() {
            continue;
        }
        assert_eq!(names.len(), shape.fields().len(), "two names become one");
        let plain = |found: char| found.is_ascii_alphanumeric() || matches!(found, '_' | '.' | '-');
        let fits = |name: &String| (1..=64).contains(&name.len()) && name.chars().all(plain);
        assert!(names.keys().all(fits), "providers refuse a name: {names:?}");
        let answer: Map<String, Value> = names.keys().map(|name| (name.clone(), Value::Null)).collect();
        let back = WireSchema::restore(&shape, Value::Object(answer));
        let back = back.as_object().map(|back| back.keys().collect::<Vec<_>>()).unwrap_or_default();
        assert_eq!(back.len(), shape.fields().len(), "a name is lost");
        assert!(shape.fields().iter().all(|field| back.contains(&&field.name)), "a name is changed");
    }
}

/// Any JSON-LD gives valid data.
pub fn json_ld(data: &[u8]) {
    assert_extraction(&format!(
        "<h1>Cup</h1><script type=application/ld+json>{}",
        String::from_utf8_lossy(data)
    ));
}

/// Any microdata, RDFa or other markup gives valid data.
pub fn microdata(data: &[u8]) {
    assert_extraction(&String::from_utf8_lossy(data));
}

fn assert_extraction(html: &str) {
    let (Ok(url), Some(shape)) = (Url::parse(BASE), product_shape()) else { return };
    let page = Page::new(url, html);
    let found = extract(&page, shape);
    assert_proven(&found, html, shape);
    for proof in found.leaves.iter().flat_map(|leaf| &leaf.provenance) {
        let Some(source) = proof.span.as_ref().filter(|span| span.part == PagePart::Html) else { continue };
        let source = html.get(source.start..source.end).unwrap_or_default();
        let is_rewritten = is_encoded(html) || proof.quote.parse::<f64>().is_ok();
        assert!(is_rewritten || in_order(&proof.quote, source), "not where it says: {proof:?}");
    }
    assert_eq!(extract(&page, shape), found, "a second run differs");
}

/// Asserts that the data of a page is valid and bounded, and that each proof has words of the page.
pub(super) fn assert_proven(found: &Extraction, html: &str, shape: &Shape) {
    assert_valid(found, shape);
    let bytes = found.data.to_string().len();
    assert!(bytes <= GROWTH * html.len() + SLACK, "{} bytes give {bytes} bytes of data", html.len());
    for proof in found.leaves.iter().flat_map(|leaf| &leaf.provenance) {
        assert!(proof.quote.len() <= MAX_QUOTE_BYTES, "a quote of {} bytes", proof.quote.len());
        if let Some(span) = proof.span.as_ref().filter(|span| span.part == PagePart::Html) {
            assert!(html.get(span.start..span.end).is_some(), "the span is not on the page: {proof:?}");
        }
        let is_of_page = proof.method == Method::Url || is_grounded(&proof.quote, html);
        assert!(is_of_page, "not on the page: {proof:?}");
    }
}

/// True if a page has escapes or character references, so that its values differ from how it writes them.
fn is_encoded(html: &str) -> bool {
    html.contains(['&', '\\'])
}

/// True if a page or its URL has the letters of each word of a text, in order and in any case. Numbers may be
/// formatted differently, and so may any word of a page with escapes. A value in parts, such as an address,
/// may have another order of words.
pub(super) fn is_grounded(text: &str, html: &str) -> bool {
    let is_number = |word: &str| {
        word.trim_matches(|found: char| !found.is_alphanumeric() && found != '-').parse::<f64>().is_ok()
    };
    let page = format!("{html} {BASE}").to_lowercase();
    is_encoded(html)
        || text.to_lowercase().split_whitespace().all(|word| is_number(word) || in_order(word, &page))
}

/// True if the letters and digits of a quote occur in a text, in order.
fn in_order(quote: &str, text: &str) -> bool {
    let mut remaining = text.chars();
    quote.chars().filter(char::is_ascii_alphanumeric).all(|wanted| remaining.any(|char| char == wanted))
}

/// Asserts that the data has the keys and types of the schema, and that every leaf is in the data with
/// provenance.
fn assert_valid(found: &Extraction, shape: &Shape) {
    let Some(data) = found.data.as_object() else {
        return assert!(found.data.is_object(), "the data is not an object");
    };
    assert!(
        data.keys().all(|key| shape.fields().iter().any(|field| field.name == *key)),
        "a key that is not in the schema"
    );
    for leaf in &found.leaves {
        assert_eq!(found.data.pointer(&leaf.pointer), Some(&leaf.value), "{}", leaf.pointer);
        assert!(!leaf.provenance.is_empty() && (0.0..=1.0).contains(&leaf.confidence), "{leaf:?}");
    }
    for missing in &found.missing {
        let value = found.data.pointer(&missing.pointer);
        let empty = value.is_none_or(|value| value.is_null() || value.as_array().is_some_and(Vec::is_empty));
        assert!(empty, "listed as missing but present: {missing:?}");
    }
    type Kind = (&'static str, fn(&Value) -> bool);
    let kinds: [Kind; 4] = [
        ("title", Value::is_string),
        ("price", Value::is_number),
        ("sold", Value::is_boolean),
        ("parts", Value::is_array),
    ];
    for (key, is) in kinds {
        let value = data.get(key).unwrap_or(&Value::Null);
        assert!(value.is_null() || is(value), "{key}: {value}");
    }
}

fn product_shape() -> Option<&'static Shape> {
    static SHAPE: OnceLock<Option<Shape>> = OnceLock::new();
    let text = json!({ "type": ["string", "null"] });
    SHAPE
        .get_or_init(|| {
            Shape::from_schema(&json!({ "type": "object", "properties": {
                "title": text, "sku": text, "brand": text, "price": { "type": ["number", "null"] },
                "madeOn": { "type": ["string", "null"], "format": "date" },
                "makerUrl": { "type": ["string", "null"], "format": "uri" },
                "sold": { "type": ["boolean", "null"] },
                "parts": { "type": "array", "items": { "type": "object", "properties": {
                    "label": { "type": "string" }, "pieces": { "type": "integer" } } } },
            } }))
            .ok()
        })
        .as_ref()
}
