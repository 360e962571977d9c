//! Structured data: what a model answers, what a schema says, what a page states for machines.

use std::sync::{Arc, OnceLock};

use gleaner_extract::model::scripted::{ScriptedModel, block_on};
use gleaner_extract::{
    Dialect, Extraction, Extractor, MAX_QUOTE_BYTES, Method, Page, PagePart, Shape, Task, WireSchema, extract,
};
use serde_json::{Map, Value, json};
use url::Url;

use super::BASE;

/// The page that answers are held against.
const PAGE: &str = "# Cup\n\nPrice: £1,299.00. Made by [Acme](https://x.example/acme) on 4 March 2021.\n\n- one, 5 pieces\n- two, 6 pieces\n- three, 7 pieces\n";
/// Calls that an answer may cause: the values are asked for twice, the list as long as any call gains a row.
const MAX_CALLS: usize = 40;
/// A byte of a page gives at most so many of data, beside what the schema itself takes.
const GROWTH: usize = 64;
const SLACK: usize = 16_384;

/// Whatever a model writes, what comes out has the schema's keys and types, stands on the page, and is the same each time.
pub fn model_output(data: &[u8]) {
    let (Ok(url), Some(shape)) = (Url::parse(BASE), wanted()) else { return };
    let text = String::from_utf8_lossy(data).into_owned();
    let page = Page::new(url, "").with_markdown(PAGE);
    let read = || {
        let answer = text.clone();
        let model = ScriptedModel::with(move |_| Ok(answer.clone()));
        block_on(Extractor::new(Arc::new(model)).page(&page, Task::new(shape)))
    };
    let found = read();
    sound(&found.extraction, shape);
    assert!(found.calls <= MAX_CALLS, "{} calls", found.calls);
    assert!(found.extraction.data.to_string().len() <= PAGE.len() * 4, "more than the page holds");
    for leaf in found.extraction.leaves.iter().filter(|leaf| leaf.pointer != "/makerUrl") {
        for proof in leaf.provenance.iter().filter(|proof| proof.method == Method::Model) {
            let span = proof.span.as_ref().filter(|span| span.part == PagePart::Markdown);
            let words = span.and_then(|span| PAGE.get(span.start..span.end));
            assert!(words.is_some_and(|words| words.contains(&proof.quote)), "not on the page: {proof:?}");
        }
    }
    let maker = found.extraction.data.get("makerUrl").unwrap_or(&Value::Null);
    assert!(maker.is_null() || maker == "https://x.example/acme", "an address that the page lacks: {maker}");
    assert_eq!(read(), found, "not the same twice");
}

/// Whatever a schema says, it is refused, or it goes to each provider and back without losing a name.
pub fn schema(data: &[u8]) {
    let Ok(schema) = serde_json::from_slice::<Value>(data) else { return };
    let Ok(shape) = Shape::from_schema(&schema) else { return };
    let stored =
        serde_json::to_value(&shape).ok().and_then(|stored| serde_json::from_value::<Shape>(stored).ok());
    assert_eq!(stored.as_ref(), Some(&shape), "a stored shape comes back as another");
    for dialect in [Dialect::Strict, Dialect::JsonSchema, Dialect::OpenApi] {
        let wire = WireSchema::new(&shape, dialect);
        let Some(names) = wire.as_value().get("properties").and_then(Value::as_object) else { continue };
        if shape.fields().is_empty() {
            continue;
        }
        assert_eq!(names.len(), shape.fields().len(), "names fall together");
        let plain = |found: char| found.is_ascii_alphanumeric() || matches!(found, '_' | '.' | '-');
        let fits = |name: &String| (1..=64).contains(&name.len()) && name.chars().all(plain);
        assert!(names.keys().all(fits), "a name that providers refuse: {names:?}");
        let answer: Map<String, Value> = names.keys().map(|name| (name.clone(), Value::Null)).collect();
        let back = WireSchema::restore(&shape, Value::Object(answer));
        let back = back.as_object().map(|back| back.keys().collect::<Vec<_>>()).unwrap_or_default();
        assert_eq!(back.len(), shape.fields().len(), "a name is lost");
        assert!(shape.fields().iter().all(|field| back.contains(&&field.name)), "a name is changed");
    }
}

/// Whatever stands in a page's JSON-LD is read soundly.
pub fn json_ld(data: &[u8]) {
    stated(&format!("<h1>Cup</h1><script type=application/ld+json>{}", String::from_utf8_lossy(data)));
}

/// Whatever stands in a page's microdata and RDFa is read soundly, and so is all else that its markup says.
pub fn microdata(data: &[u8]) {
    stated(&String::from_utf8_lossy(data));
}

fn stated(html: &str) {
    let (Ok(url), Some(shape)) = (Url::parse(BASE), wanted()) else { return };
    let page = Page::new(url, html);
    let found = extract(&page, shape);
    sound(&found, shape);
    let bytes = found.data.to_string().len();
    assert!(bytes <= GROWTH * html.len() + SLACK, "{} bytes give {bytes} of data", html.len());
    for proof in found.leaves.iter().flat_map(|leaf| &leaf.provenance) {
        assert!(proof.quote.len() <= MAX_QUOTE_BYTES, "a quote of {} bytes", proof.quote.len());
        let place = match proof.span.as_ref().filter(|span| span.part == PagePart::Html) {
            Some(span) => html.get(span.start..span.end),
            None => Some(html),
        };
        assert!(place.is_some(), "no place of the page: {proof:?}");
        // Escapes and references hide what a page says, and a number may be written in another way; else its letters stand
        // there in their order, with tags between them.
        let hidden = html.contains(['&', '\\']) || proof.quote.parse::<f64>().is_ok();
        if proof.method != Method::Url && !hidden {
            assert!(in_order(&proof.quote, place.unwrap_or_default()), "not on the page: {proof:?}");
        }
    }
    assert_eq!(extract(&page, shape), found, "not the same twice");
}

/// Do the letters and digits of a quote stand in a text, in their order?
fn in_order(quote: &str, text: &str) -> bool {
    let mut left = text.chars();
    quote.chars().filter(char::is_ascii_alphanumeric).all(|wanted| left.any(|found| found == wanted))
}

/// The data has the schema's keys and types, and every leaf stands in the data with a proof.
fn sound(found: &Extraction, shape: &Shape) {
    let Some(data) = found.data.as_object() else { return assert!(found.data.is_object(), "no object") };
    assert!(data.keys().all(|key| shape.fields().iter().any(|field| field.name == *key)), "a key too many");
    for leaf in &found.leaves {
        assert_eq!(found.data.pointer(&leaf.pointer), Some(&leaf.value), "{}", leaf.pointer);
        assert!(!leaf.provenance.is_empty() && (0.0..=1.0).contains(&leaf.confidence), "{leaf:?}");
    }
    for missing in &found.missing {
        let place = found.data.pointer(&missing.pointer);
        let empty = place.is_none_or(|value| value.is_null() || value.as_array().is_some_and(Vec::is_empty));
        assert!(empty, "missing and there: {missing:?}");
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

fn wanted() -> Option<&'static Shape> {
    static SHAPE: OnceLock<Option<Shape>> = OnceLock::new();
    let text = json!({ "type": ["string", "null"] });
    SHAPE
        .get_or_init(|| {
            Shape::from_schema(&json!({ "type": "object", "properties": {
                "title": text, "sku": text, "brand": text, "price": { "type": ["number", "null"] },
                "madeOn": { "type": ["string", "null"], "format": "date" },
                "makerUrl": { "type": ["string", "null"], "format": "uri" }, "sold": { "type": ["boolean", "null"] },
                "parts": { "type": "array", "items": { "type": "object", "properties": {
                    "label": { "type": "string" }, "pieces": { "type": "integer" } } } },
            } }))
            .ok()
        })
        .as_ref()
}
