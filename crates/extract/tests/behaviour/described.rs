//! Fields whose descriptions ask for what no rule knows: a model decides about them, if there is one.

use std::sync::Arc;

use gleaner_extract::model::scripted::{ScriptedModel, block_on};
use gleaner_extract::{Extractor, Method, MissingReason, Page, PageExtraction, Task};
use serde_json::{Value, json};

use crate::support::shape;

const HTML: &str = "<title>Red cup | Cup House</title><meta property=og:title content='Red cup'>\
                    <h1>Red cup</h1><p>Fired in kiln number 17.</p>";
const JSON_LD: &str = r#"<script type="application/ld+json">{"@type":"Product","name":"Red cup"}</script>"#;

fn read(html: &str, description: &str, extractor: &Extractor) -> PageExtraction {
    let name = json!({ "type": ["string", "null"], "description": description });
    let shape = shape(json!({ "properties": { "name": name } }));
    let page = Page::new("https://shop.example/cups/red".parse().expect("a URL"), html)
        .with_markdown("# Red cup\n\nFired in kiln number 17.\n");
    block_on(extractor.page(&page, Task::new(&shape)))
}

fn answering(answer: Value) -> Extractor {
    Extractor::new(Arc::new(ScriptedModel::with(move |_| Ok(answer.to_string()))))
}

#[test]
fn a_rule_does_not_answer_what_only_the_description_asks_for() {
    let kiln = || answering(json!({ "name": { "value": "17", "quote": "kiln number 17" } }));
    let (by_rule, by_model) = (json!("Red cup"), json!("17"));
    let declared = format!("{JSON_LD}{HTML}");
    for (case, html, description, extractor, expected, calls) in [
        ("no description", HTML, "", kiln(), &by_rule, 0),
        ("one that rules know", HTML, "Name of the product", kiln(), &by_rule, 0),
        ("one that no rule knows", HTML, "the kiln number", kiln(), &by_model, 1),
        ("the same without a model", HTML, "the kiln number", Extractor::model_free(), &by_rule, 0),
        ("declared under this name", declared.as_str(), "the kiln number", kiln(), &by_rule, 0),
    ] {
        let found = read(html, description, &extractor);
        assert_eq!((&found.extraction.data["name"], found.calls), (expected, calls), "{case}");
        let proofs = &found.extraction.leaves[0].provenance;
        assert_eq!(proofs[0].method == Method::Model, calls > 0, "{case}: {proofs:?}");
        assert!(found.extraction.missing.is_empty() && found.extraction.leaves.len() == 1, "{case}");
    }
}

#[test]
fn what_the_model_does_not_find_is_empty_and_what_it_could_not_read_is_by_rules() {
    let found = read(HTML, "the kiln number", &answering(json!({})));
    assert_eq!(found.extraction.data, json!({ "name": null }));
    assert_eq!(found.extraction.missing[0].reason, MissingReason::Unsure);
    // This model fails at once.
    let failing = Extractor::new(Arc::new(ScriptedModel::new(Vec::new())));
    let found = read(HTML, "the kiln number", &failing);
    assert!(found.stopped.is_some());
    assert_eq!(found.extraction.data, json!({ "name": "Red cup" }));
    assert!(found.extraction.missing.is_empty());
}
