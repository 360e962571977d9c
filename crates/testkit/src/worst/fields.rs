//! Requests for structured data, with schemas and prompts, and pages that contain many values.

use serde_json::{Map, Value, json};

use super::shapes::PageShape;
use super::{Attack, Size, WorstCase};
use crate::hostile::HostilePage;

const SCHEMAS: &str = "schemas";
const PROMPTS: &str = "prompts";
const VALUES: &str = "values in texts";
const PATHS: &str = "JSON paths";

/// Maximum number of characters of a prompt.
const PROMPT_CHARS: usize = 10_000;

pub(super) const CASES: &[WorstCase] = &[
    WorstCase::new(SCHEMAS, "references that multiply", |size| {
        let level = |n: usize| {
            let next = json!({ "$ref": format!("#/$defs/a{}", n + 1) });
            (format!("a{n}"), json!({ "properties": { "x": next, "y": next, "z": next } }))
        };
        let mut levels: Map<String, Value> = (0..20).map(level).collect();
        levels.insert("a20".to_owned(), json!({ "type": "string" }));
        reading(json!({ "$ref": "#/$defs/a0", "$defs": levels }), labels(size))
    }),
    WorstCase::new(SCHEMAS, "a reference to itself", |size| {
        let own = json!({ "$ref": "#" });
        reading(
            json!({ "properties": { "price": own, "items": { "type": "array", "items": own } } }),
            labels(size),
        )
    }),
    WorstCase::new(SCHEMAS, "regular expressions", |size| {
        let pattern = |n: usize| {
            (format!("field{n}"), json!({ "type": "string", "pattern": format!("^(a+)+(.*a.*b){{5}}z{n}$") }))
        };
        reading(object((0..60).map(pattern)), labels(size))
    }),
    WorstCase::new(SCHEMAS, "a huge regular expression", |size| {
        let field = json!({ "type": "string", "pattern": "(\\w{999}){999}" });
        reading(json!({ "properties": { "name": field } }), labels(size)).refused("too large")
    }),
    WorstCase::new(SCHEMAS, "more regular expressions than are taken", |size| {
        let names: Map<String, Value> = (0..500).map(|n| (format!("^x{n}"), json!({}))).collect();
        reading(json!({ "patternProperties": names }), labels(size)).refused("regular expressions")
    }),
    WorstCase::new(SCHEMAS, "items that differ", |size| {
        let row = |n: usize| format!("<tr><td>Cup {n}<td>{n} €");
        let rows: String = (0..size.of(500, 20_000)).map(row).collect();
        let page = format!("<table><tr><th>Name<th>Price{rows}</table>");
        let item = json!({ "properties": { "name": { "type": "string" }, "price": { "type": "number" } } });
        let list = json!({ "type": "array", "uniqueItems": true, "items": item });
        reading(json!({ "properties": { "products": list } }), HostilePage::html("/", page))
    }),
    WorstCase::new(SCHEMAS, "values to choose from", |size| {
        let choices: Vec<String> = (0..8_000).map(|n| format!("value{n}")).collect();
        let field = json!({ "type": "string", "enum": choices });
        reading(json!({ "properties": { "price": field, "name": field } }), labels(size))
    }),
    WorstCase::new(SCHEMAS, "properties", |size| {
        let field = |n: usize| (format!("field{n}"), json!({ "type": ["string", "null"] }));
        reading(object((0..size.of(300, 1_000)).map(field)), labels(size))
    }),
    WorstCase::new(SCHEMAS, "alternatives", |size| {
        let one = |n: usize| object(std::iter::once((format!("field{n}"), json!({ "type": "string" }))));
        let alternatives: Vec<Value> = (0..500).map(one).collect();
        let schema = json!({ "properties": { "price": { "anyOf": alternatives, "oneOf": alternatives } } });
        reading(schema, labels(size))
    }),
    WorstCase::new(SCHEMAS, "more levels than are taken", |size| {
        let deep = (0..100).fold(json!({}), |inner, _| json!({ "not": inner }));
        reading(deep, labels(size)).refused("levels")
    }),
    WorstCase::new(SCHEMAS, "more bytes than are taken", |size| {
        reading(json!({ "description": "x".repeat(300 << 10) }), labels(size)).refused("bytes of JSON")
    }),
    WorstCase::new(SCHEMAS, "an extract", |size| {
        let body = json!({ "urls": ["{site}/"], "schema": product(), "scrapeOptions": { "timeout": 1_000 } });
        Attack::new("POST /v2/extract", body.to_string(), vec![labels(size)])
    }),
    WorstCase::new(PROMPTS, "letters of all kinds", |size| prompt(&odd_text(PROMPT_CHARS), size)),
    WorstCase::new(PROMPTS, "parts of the site", |size| {
        let part = |n: usize| format!("only /{n:06} pages and not /a{n:06}, at most {n} pages; ");
        let text: String = (0..).map(part).take(200).collect();
        prompt(&text.chars().take(PROMPT_CHARS).collect::<String>(), size)
    }),
    WorstCase::new(PROMPTS, "longer than is taken", |size| {
        prompt(&odd_text(PROMPT_CHARS + 1), size).refused("prompt")
    }),
    WorstCase::new(PROMPTS, "beside a schema", |size| {
        let format = json!({ "type": "json", "schema": product(), "prompt": odd_text(PROMPT_CHARS) });
        Attack::scrape(json!({ "formats": ["markdown", format] }), labels(size))
    }),
    WorstCase::new(PROMPTS, "a search", |size| {
        Attack::map(json!({ "search": odd_text(1_000) }), vec![links(size)])
    }),
    WorstCase::new(VALUES, "dates", |size| repeated("1.2.2024 3/4/05 May 6 2007 8 ", size)),
    WorstCase::new(VALUES, "phone numbers", |size| repeated("+49 (0) 30 1234-56 ( - ) ", size)),
    WorstCase::new(VALUES, "prices", |size| repeated("1.000,00 € $ 5 12.3.4,5 USD ", size)),
    WorstCase::new(VALUES, "addresses of mail", |size| repeated("a.b.c@d.e.f@@g@ ", size)),
    WorstCase::new(VALUES, "digits", |size| repeated("1234567890", size)),
    WorstCase::new(VALUES, "labels", |size| repeated("price: name: a: : ", size)),
    WorstCase::new(VALUES, "lines", |size| repeated("<br>price: 5 €", size)),
    WorstCase::new(VALUES, "entities", |size| shaped("entities of JSON-LD", size)),
    WorstCase::new(VALUES, "microdata", |size| shaped("microdata", size)),
    WorstCase::new(VALUES, "definitions", |size| shaped("definitions", size)),
    WorstCase::new(VALUES, "embedded state", |size| shaped("embedded state", size)),
    WorstCase::new(PATHS, "names with signs", |size| {
        let field =
            |n: usize| (format!("a/b~{n}/~1"), json!({ "properties": { "~0/": { "type": "string" } } }));
        let value = |n: usize| (format!("a/b~{n}/~1"), json!({ "~0/": "x" }));
        let state: Map<String, Value> = (0..size.of(2_000, 50_000)).map(value).collect();
        let page =
            format!("<script id=__NEXT_DATA__ type=application/json>{}</script>", Value::Object(state));
        reading(object((0..500).map(field)), HostilePage::html("/", page))
    }),
    WorstCase::new(PATHS, "depth", |size| {
        let schema =
            (0..50).fold(json!({ "type": "string" }), |inner, _| json!({ "properties": { "a": inner } }));
        let state = "{\"a\":".repeat(size.of(5_000, 200_000));
        reading(schema, HostilePage::html("/", format!("<script>window.__STATE__={state}</script>")))
    }),
    WorstCase::new(PATHS, "rows of a state", |size| {
        let row = |n: usize| json!({ "name": format!("Cup {n}"), "price": n, "image": { "url": "/x" } });
        let rows: Vec<Value> = (0..size.of(1_000, 40_000)).map(row).collect();
        let state = json!({ "props": { "pageProps": { "products": rows } } });
        let page = format!("<script id=__NEXT_DATA__ type=application/json>{state}</script>");
        let list = json!({ "type": "array", "items": product() });
        reading(json!({ "properties": { "products": list } }), HostilePage::html("/", page))
    }),
];

/// A scrape of the page with this schema.
fn reading(schema: Value, page: HostilePage) -> Attack {
    Attack::scrape(json!({ "formats": ["markdown", { "type": "json", "schema": schema }] }), page)
}

/// A schema of an object with these properties.
fn object(fields: impl Iterator<Item = (String, Value)>) -> Value {
    json!({ "type": "object", "properties": fields.collect::<Map<String, Value>>() })
}

/// The schema of a product page.
fn product() -> Value {
    let names = ["name", "price", "brand", "date", "phone", "email", "image", "url"];
    object(names.into_iter().map(|name| (name.to_owned(), json!({ "type": ["string", "null"] }))))
}

/// A page with many labels and their values.
fn labels(size: Size) -> HostilePage {
    let label = |n: usize| format!("<p>field{n}: value{n}<dl><dt>price<dd>{n} €</dl>");
    HostilePage::html("/", (0..size.of(1_000, 20_000)).map(label).collect::<String>())
}

fn links(size: Size) -> HostilePage {
    let link = |n: usize| format!("<a href=/{n:06}-word-of-the-page>x</a> ");
    HostilePage::html("/", (0..size.of(1_000, 50_000)).map(link).collect::<String>())
}

/// A scrape of a page that repeats a text, for fields of many types.
fn repeated(text: &str, size: Size) -> Attack {
    let page = format!("<main><p>{}", text.repeat(size.of(50_000, 2_000_000) / text.len()));
    reading(product(), HostilePage::html("/", page))
}

/// A scrape of a page of this shape, for fields of many types.
fn shaped(name: &str, size: Size) -> Attack {
    let shape = PageShape::named(name).expect("the shape exists");
    reading(product(), HostilePage::html("/", shape.page(size.of(100_000, 4_000_000))))
}

/// A preview of crawl options from a prompt, for a site with many links.
fn prompt(text: &str, size: Size) -> Attack {
    let body = json!({ "url": "{site}/", "prompt": text });
    Attack::new("POST /v2/crawl/params-preview", body.to_string(), vec![links(size)])
}

/// This many characters: combining marks, joiners, letters of both directions, characters beyond the basic
/// plane, and letters that become longer when their case changes.
fn odd_text(characters: usize) -> String {
    "a\u{301}\u{302}\u{202e}\u{5d0}\u{200d}\u{1f469}\u{200d}\u{1f680}\u{130}\u{df}\u{fb03}\u{0}\u{feff} "
        .chars()
        .cycle()
        .take(characters)
        .collect()
}
