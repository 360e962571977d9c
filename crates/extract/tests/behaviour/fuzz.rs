//! What must hold for any input: bodies as fuzz targets have them, run here over seeds and some thousand variations of each.
//!
//! Each body takes any bytes and panics where an oracle fails.

use std::sync::Arc;

use gleaner_extract::model::scripted::{Scripted, block_on};
use gleaner_extract::{Dialect, Extraction, Extractor, Method, Page, Part, Shape, Task, WireSchema, extract};
use serde_json::{Map, Value, json};

use crate::support::shape;

const PAGE: &str = "# Cup\n\nPrice: £1,299.00. Made by [Acme](https://x.example/acme) on 4 March 2021.\n\n- one, 5 pieces\n- two, 6 pieces\n- three, 7 pieces\n";

fn wanted() -> Shape {
    shape(json!({ "type": "object", "properties": {
        "title": { "type": ["string", "null"] }, "price": { "type": ["number", "null"] }, "madeOn": { "type": ["string", "null"], "format": "date" },
        "makerUrl": { "type": ["string", "null"], "format": "uri" }, "sold": { "type": ["boolean", "null"] },
        "parts": { "type": "array", "items": { "type": "object", "properties": { "label": { "type": "string" }, "pieces": { "type": "integer" } } } },
    } }))
}

/// The data has the schema's keys and types, and every leaf stands in the data with a proof.
fn is_sound(found: &Extraction, shape: &Shape) {
    let data = found.data.as_object().expect("an object");
    assert!(data.keys().all(|key| shape.fields().iter().any(|field| field.name == *key)));
    for leaf in &found.leaves {
        assert_eq!(found.data.pointer(&leaf.pointer), Some(&leaf.value), "{}", leaf.pointer);
        assert!(!leaf.provenance.is_empty() && (0.0..=1.0).contains(&leaf.confidence));
    }
    for missing in &found.missing {
        let place = found.data.pointer(&missing.pointer);
        assert!(place.is_none_or(|value| value.is_null() || value.as_array().is_some_and(Vec::is_empty)));
    }
    for (key, kind) in [("title", "string"), ("price", "number"), ("sold", "boolean"), ("parts", "array")] {
        let value = data.get(key).unwrap_or(&Value::Null);
        let is = match kind {
            "string" => value.is_string(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            _ => value.is_array(),
        };
        assert!(is || value.is_null(), "{key}: {value}");
    }
}

/// Whatever a model writes, what comes out stands on the page.
fn model_output(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let page = Page::new("https://x.example/cup".parse().expect("a URL"), "").with_markdown(PAGE);
    let shape = wanted();
    let read = || {
        let answer = text.clone();
        let model = Scripted::with(move |_| Ok(answer.clone()));
        block_on(Extractor::new(Arc::new(model)).page(&page, Task::new(&shape)))
    };
    let found = read();
    is_sound(&found.extraction, &shape);
    assert!(found.calls <= 40, "{}", found.calls);
    for leaf in &found.extraction.leaves {
        let proof = &leaf.provenance[0];
        if proof.method == Method::Model && leaf.pointer != "/makerUrl" {
            let span = proof.span.as_ref().expect("a model's proof has a place");
            assert_eq!(span.part, Part::Markdown);
            assert!(
                PAGE.get(span.start..span.end).is_some_and(|words| words.contains(&proof.quote)),
                "{proof:?}"
            );
        }
    }
    let maker = &found.extraction.data["makerUrl"];
    assert!(maker.is_null() || maker == "https://x.example/acme", "{maker}");
    assert_eq!(read(), found);
}

/// Whatever a schema says, it is refused or it goes to each provider and back without losing a name.
fn schema(bytes: &[u8]) {
    let Ok(schema) = serde_json::from_slice::<Value>(bytes) else { return };
    let Ok(shape) = Shape::from_schema(&schema) else { return };
    let stored = serde_json::to_value(&shape).expect("a shape is data");
    assert_eq!(serde_json::from_value::<Shape>(stored).expect("and comes back"), shape);
    for dialect in [Dialect::Strict, Dialect::JsonSchema, Dialect::OpenApi] {
        let wire = WireSchema::new(&shape, dialect);
        let Some(names) = wire.as_value().get("properties").and_then(Value::as_object) else { continue };
        if shape.fields().is_empty() {
            continue;
        }
        assert_eq!(names.len(), shape.fields().len());
        let plain = |found: char| found.is_ascii_alphanumeric() || matches!(found, '_' | '.' | '-');
        assert!(names.keys().all(|name| !name.is_empty() && name.len() <= 64 && name.chars().all(plain)));
        let answer: Map<String, Value> = names.keys().map(|name| (name.clone(), Value::Null)).collect();
        let back = WireSchema::restore(&shape, Value::Object(answer));
        let back: Vec<&String> = back.as_object().expect("an object").keys().collect();
        assert_eq!(back.len(), shape.fields().len());
        assert!(shape.fields().iter().all(|field| back.contains(&&field.name)));
    }
}

fn read_html(html: &str) {
    let page = Page::new("https://x.example/cup".parse().expect("a URL"), html);
    let shape = wanted();
    let found = extract(&page, &shape);
    is_sound(&found, &shape);
    for proof in found.leaves.iter().flat_map(|leaf| &leaf.provenance) {
        if let Some(span) = proof.span.as_ref().filter(|span| span.part == Part::Html) {
            assert!(html.get(span.start..span.end).is_some(), "{span:?}");
        }
    }
    assert_eq!(extract(&page, &shape), found);
}

fn json_ld(bytes: &[u8]) {
    read_html(&format!("<h1>Cup</h1><script type=application/ld+json>{}", String::from_utf8_lossy(bytes)));
}

fn microdata(bytes: &[u8]) {
    read_html(&String::from_utf8_lossy(bytes));
}

/// Runs a body over seeds and variations of them: bytes dropped, doubled, changed and swapped between seeds.
fn run(body: fn(&[u8]), seeds: &[&str], rounds: usize) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    for seed in seeds {
        body(seed.as_bytes());
        for _ in 0..rounds {
            let mut bytes = seed.as_bytes().to_vec();
            for _ in 0..=next(4) {
                let at = next(bytes.len());
                match next(5) {
                    0 => bytes.truncate(at),
                    1 if !bytes.is_empty() => bytes[at] = b"{}[]\":,<>/\\0aL\n&#"[next(17)],
                    2 => {
                        let end = (at + next(20)).min(bytes.len());
                        bytes.drain(at..end);
                    }
                    3 => {
                        let end = (at + next(30)).min(bytes.len());
                        let part = bytes[at..end].to_vec();
                        bytes.splice(at..at, part);
                    }
                    _ => {
                        let other = seeds[next(seeds.len())].as_bytes();
                        let from = next(other.len());
                        let end = (from + next(40)).min(other.len());
                        bytes.splice(at..at, other[from..end].iter().copied());
                    }
                }
            }
            body(&bytes);
        }
    }
}

#[test]
fn whatever_a_model_writes_stays_on_the_page() {
    let seeds = [
        r#"{"title":{"value":"Cup","quote":"Cup"},"price":{"value":1299,"quote":"Price: £1,299.00"},"madeOn":{"value":"2021-03-04","quote":"on 4 March 2021"},"makerUrl":{"value":"L0","quote":"Acme"},"sold":{"value":true,"quote":"sold"}}"#,
        r#"{"rows":[{"label":{"value":"one","quote":"one"},"pieces":{"value":5,"quote":"5 pieces"}},{"label":{"value":"two","quote":"two"},"pieces":{"value":6,"quote":"6 pieces"}}]}"#,
        "```json\n{\"price\": \"£1,299.00\", \"title\": \"Cup\", \"makerUrl\": \"https://evil.example/\"}\n```",
        r#"{"title":{"value":null,"quote":null},"price":{"value":{"a":[1]},"quote":["x"]},"extra":1,"__proto__":{"x":1}}"#,
    ];
    run(model_output, &seeds, 400);
}

#[test]
fn whatever_a_schema_says_goes_there_and_back() {
    let seeds = [
        r##"{"$defs":{"a":{"type":"object","properties":{"b":{"$ref":"#/$defs/a"}}}},"properties":{"x y":{"$ref":"#/$defs/a"},"x_y":{"type":["null","number"]}},"required":["x y"]}"##,
        r#"{"type":"object","properties":{"":{"type":"string"},"é":{"enum":["a",null,1]},"list":{"type":"array","items":{"anyOf":[{"type":"null"},{"type":"integer"}]}}}}"#,
        r#"{"allOf":[{"properties":{"a":{"const":1}}},{"properties":{"a":{"type":"string"},"b":true}}],"properties":{"c":{"oneOf":[]}}}"#,
    ];
    run(schema, &seeds, 3_000);
}

#[test]
fn whatever_stands_in_structured_data_is_read_soundly() {
    let json = [
        r#"{"@type":"Product","name":"Cup","offers":{"@type":"Offer","price":"12.50"},"isSimilarTo":[{"@id":"a"}]}"#,
        r#"/*<![CDATA[*/ {"@graph":[{"@type":"Product","name":"Cup \u00e9 &amp; \ud83d","offers":[{"price":1},{"price":2}]},{"@id":"a","name":'b',}]} // end"#,
        r#"[{"@type":"ItemList","itemListElement":[{"item":{"name":"a","label":"one"}},{"item":{"name":"b","label":"two"}}]}]"#,
    ];
    run(json_ld, &json, 500);
    let html = [
        "<div itemscope itemtype='http://schema.org/Product'><h1 itemprop=name>Cup</h1><div itemprop=offers itemscope><meta itemprop=price content=5></div></div>",
        "<table><tr><th>Label<th>Pieces<tr><td>one<td>5<tr><td>two<td>6</table><dl><dt>Price<dd>5 €</dl><p class=price>&euro; 6",
        "<div typeof=Product vocab='https://schema.org/'><span property=name>Cup</span><script>x={title:'Cup',price:5}</script>",
    ];
    run(microdata, &html, 500);
}
