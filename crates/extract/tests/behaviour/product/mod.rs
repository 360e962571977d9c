//! Small product pages in the notations and layouts of real shops, with the values that a reader would find.

mod pages;

use gleaner_extract::{Extraction, Page, extract};
use serde_json::{Map, Value, json};

use crate::support::shape;
use pages::PAGES;

fn read(html: &str) -> Extraction {
    let text = json!({ "type": ["string", "null"] });
    let schema = json!({ "type": "object", "properties": {
        "name": text, "price": { "type": ["number", "null"] }, "currency": text, "sku": text, "brand": text,
        "availability": { "enum": ["InStock", "OutOfStock", null] }, "gtin": text, "mpn": text,
    } });
    let url = "https://shop.example/kitchen/red-cup".parse().expect("a URL");
    extract(&Page::new(url, html), &shape(schema))
}

#[test]
fn products_are_read_as_a_reader_would() {
    let mut wrong = Vec::new();
    for (name, html, expected) in PAGES {
        let found = read(html);
        let expected: Map<String, Value> = serde_json::from_str(expected).expect("a row's truth is JSON");
        for (key, value) in &expected {
            let got = found.data.get(key).unwrap_or(&Value::Null);
            if got != value {
                let proof = found.leaves.iter().find(|leaf| leaf.pointer == format!("/{key}"));
                let proof = proof.map(|leaf| format!("{:?} {}", leaf.provenance[0], leaf.confidence));
                wrong.push(format!("{name}: {key} is {got}, not {value}: {proof:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} pages' values:\n{}", wrong.len(), PAGES.len(), wrong.join("\n"));
}

#[test]
fn a_currency_has_the_form_that_the_schema_requests() {
    let rows = [
        (json!({ "type": "string" }), json!("zł")),
        (json!({ "type": "string", "description": "ISO 4217 code" }), json!("PLN")),
        (json!({ "enum": ["EUR", "PLN"] }), json!("PLN")),
    ];
    for (currency, expected) in rows {
        let schema = json!({ "properties": { "price": { "type": "number" }, "currency": currency } });
        let page =
            Page::new("https://shop.example/".parse().expect("a URL"), "<h1>Kubek</h1><p>89,99 zł</p>");
        let found = extract(&page, &shape(schema.clone()));
        assert_eq!(found.data, json!({ "price": 89.99, "currency": expected }), "{schema}");
    }
}
