//! Tests of the learned choice with hand-made models.

use serde_json::{Value, json};

use super::model::tests::one_split;
use super::options::options_per_field;
use super::*;
use crate::bind::{bind_with, leaf_targets};
use crate::evidence::Evidence;
use crate::leaf::Extraction;
use crate::page::{Method, Page};
use crate::schema::Shape;

fn page(html: &str) -> Page {
    Page::new("https://shop.example/cup".parse().unwrap(), html)
}

fn shape(properties: &Value) -> Shape {
    Shape::from_schema(&json!({ "properties": properties })).unwrap()
}

fn extract(html: &str, shape: &Shape, model: &Model) -> Extraction {
    let page = page(html);
    let evidence = Evidence::read(&page);
    bind_with(&PageSegments::new(&evidence), shape, model)
}

/// A model that finds options likely by one feature.
fn model(feature: &str, threshold: f32, likely: f32) -> Model {
    let at = feature_names().iter().position(|name| name == feature).unwrap();
    Model::read(&one_split(at, threshold, likely)).unwrap()
}

#[test]
fn without_a_model_the_rules_choose() {
    let html = r#"<h1>Red cup</h1><p class="price">12,50 €</p><dl><dt>Brand</dt><dd>Acme</dd></dl>
        <p>Keeper</p><p>In stock</p>"#;
    let shape = shape(&json!({
        "name": { "type": "string" }, "price": { "type": "number" }, "currency": { "type": "string" },
        "brand": { "type": "string" }, "sku": { "type": "string" }, "availability": { "type": "string" },
    }));
    let page = page(html);
    let evidence = Evidence::read(&page);
    let segments = PageSegments::new(&evidence);
    let targets = leaf_targets(&shape);
    let chosen = choose(&segments, shape.fields(), &targets, &Model::default());
    assert_eq!(chosen, rules::choose(&evidence, &targets));
    assert!(chosen.iter().filter(|choice| choice.is_ok()).count() >= 4, "{chosen:?}");
}

#[test]
fn a_labelled_price_wins_against_data_for_machines_and_other_texts_do_not() {
    let html = r#"<script type="application/ld+json">
        {"@type": "Product", "name": "Red cup of clay", "offers": {"price": 20, "priceCurrency": "EUR"}}
        </script><h1>Red cup</h1><p class="price">€15.00</p>"#;
    let shape = shape(&json!({ "name": { "type": "string" }, "price": { "type": "number" } }));
    let found = extract(html, &shape, &model("rules_score", 0.2, 3.0));
    assert_eq!(found.data, json!({ "name": "Red cup of clay", "price": 15 }));
    let proofs = |pointer: &str| {
        let leaf = found.leaves.iter().find(|leaf| leaf.pointer == pointer).unwrap();
        let proofs: Vec<(Method, &str)> =
            leaf.provenance.iter().map(|proof| (proof.method, proof.quote.as_str())).collect();
        (*proofs.first().unwrap(), *proofs.last().unwrap())
    };
    let (first, last) = proofs("/price");
    assert_eq!((first.1, last), ("€15.00", (Method::JsonLd, "20")));
    let (first, last) = proofs("/name");
    assert_eq!((first.0, last.1), (Method::JsonLd, "Red cup"));
}

#[test]
fn a_value_is_chosen_by_the_features_that_the_model_reads() {
    let shape = shape(&json!({ "keeper": { "type": "string" }, "feeder": { "type": ["string", "null"] } }));
    let html = "<h1>Lions</h1><p>Ann likes them.</p><div><b>Keeper</b> <i>Bob</i></div>";
    let found = extract(html, &shape, &model("names_label_whole", 0.5, 3.0));
    assert_eq!(found.data, json!({ "keeper": "Bob", "feeder": null }));
    assert_eq!(found.missing[0].reason, MissingReason::NotFound);
    assert!((found.leaves[0].confidence - 0.953).abs() < 1e-9);
    let span = found.leaves[0].provenance[0].span.clone().unwrap();
    assert_eq!(html.get(span.start..span.end), Some("Bob"));
}

/// Seen with `extract --proofs`: every text of a page counted as a value that was not sure enough.
#[test]
fn a_field_that_the_page_does_not_name_is_not_found_and_a_named_one_is_unsure() {
    let html = "<h1>Lions</h1><p>Ann likes them.</p><div><b>Keeper</b> <i>Bob</i></div>";
    for (field, reason) in [("keeper", MissingReason::Unsure), ("feeder", MissingReason::NotFound)] {
        let shape = shape(&json!({ field: { "type": ["string", "null"] } }));
        // No score is that high.
        let found = extract(html, &shape, &model("rules_score", 2.0, 3.0));
        assert_eq!(found.data, json!({ field: null }));
        assert_eq!(found.missing[0].reason, reason, "{field}");
    }
}

#[test]
fn two_fields_take_one_text_only_if_both_are_nearly_certain() {
    let shape = shape(&json!({ "keeper": { "type": "string" }, "feeder": { "type": "string" } }));
    for (likely, filled) in [(1.0, 1), (3.0, 2)] {
        let found = extract("<p class='keeper feeder'>Ann</p>", &shape, &model("rules_score", -1.0, likely));
        assert_eq!(found.leaves.len(), filled, "{:?}", found.data);
    }
}

#[test]
fn a_price_on_request_stays_empty() {
    let shape = shape(&json!({ "price": { "type": ["number", "null"] } }));
    let html = "<h1>Lamp</h1><p>Price on request</p><p>Delivery <span class=price>€9.00</span></p>";
    let found = extract(html, &shape, &model("rules_score", -1.0, 3.0));
    assert_eq!(found.data["price"], Value::Null);
}

#[test]
fn options_are_bounded() {
    let html = [
        "<h1>Cup</h1>".to_owned(),
        "<div class='price sku name brand'>sku: 1 € </div>".repeat(3_000),
        (0..5_000).map(|number| format!("<p class=c{number}>Label {number}: value {number}</p>")).collect(),
        "<div id=a>".repeat(20_000),
    ]
    .concat();
    let page = page(&html);
    let evidence = Evidence::read(&page);
    let segments = PageSegments::new(&evidence);
    for fields in [3, 300] {
        let names = (0..fields).map(|number| (format!("label {number}"), json!({ "type": "string" })));
        let shape = shape(&Value::Object(names.collect()));
        let tables = option_tables(&segments, shape.fields(), &leaf_targets(&shape));
        assert_eq!(tables.len(), fields);
        for table in tables {
            assert!(table.options.len() <= options_per_field(fields), "{}", table.options.len());
            assert_eq!(table.rows.len(), table.options.len() * WIDTH);
            assert!(table.rows.iter().all(|value| value.is_finite()));
        }
    }
}
