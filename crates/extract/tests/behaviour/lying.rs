//! A model that invents values, and one that states the truth in its own words.

use std::sync::Arc;

use gleaner_extract::model::scripted::{ScriptedModel, block_on};
use gleaner_extract::{Extractor, Method, PageExtraction, Task};
use serde_json::{Value, json};

use crate::support::{page, shape};

const FIELDS: [&str; 6] = ["director", "foundedOn", "employees", "turnover", "motto", "hasCanteen"];

fn schema() -> Value {
    json!({ "type": "object", "properties": {
        "director": { "type": ["string", "null"] },
        "foundedOn": { "type": ["string", "null"], "format": "date" },
        "employees": { "type": ["integer", "null"] },
        "turnover": { "type": ["number", "null"] },
        "motto": { "type": ["string", "null"] },
        "hasCanteen": { "type": ["boolean", "null"] },
    } })
}

const NAMES: [&str; 5] = ["Ada Holm", "Jean Moreau", "Zoë Núñez", "Tomasz Zieliński", "李小龍"];

/// A company's page in running text, and its true values with the words that state them.
fn firm(at: usize) -> (String, Vec<(Value, String)>) {
    let name = NAMES[at % NAMES.len()];
    let (day, employees, turnover) = (1 + at % 28, 1_000 + at * 7, 2.5 + at as f64);
    let canteen = at.is_multiple_of(2);
    let founded = format!("It was founded on {day} March {}", 1900 + at);
    let employs = format!("employs {},{:03} people", employees / 1_000, employees % 1_000);
    let turned = format!("a turnover of {turnover} million euros");
    let motto = format!("“Work — and *rest* {at}”");
    let food = if canteen { "There is a canteen in the yard." } else { "There is no canteen." };
    let text = format!(
        "# The firm\n\nIts head is **{name}**. {founded}\nand {employs}, with {turned}. Over its door \
            stands {motto}. {food}\n"
    );
    let truth = vec![
        (json!(name), format!("Its head is {name}")),
        (json!(format!("{}-03-{day:02}", 1900 + at)), founded),
        (json!(employees), employs),
        (json!(turnover * 1e6), turned),
        (json!(format!("Work - and rest {at}")), format!("stands \"Work - and rest {at}\"")),
        (json!(canteen), food.to_owned()),
    ];
    (text, truth)
}

fn ask(text: &str, answer: Vec<Value>) -> PageExtraction {
    let fields: serde_json::Map<String, Value> =
        FIELDS.iter().map(|name| (*name).to_owned()).zip(answer).collect();
    let text_of_answer = Value::Object(fields).to_string();
    let model = ScriptedModel::with(move |_| Ok(text_of_answer.clone()));
    let shape = shape(schema());
    block_on(Extractor::new(Arc::new(model)).page(&page(text), Task::new(&shape)))
}

fn by_model(found: &PageExtraction) -> usize {
    found
        .extraction
        .leaves
        .iter()
        .filter(|leaf| leaf.provenance.iter().any(|proof| proof.method == Method::Model))
        .count()
}

#[test]
fn no_invented_value_passes() {
    let mut planted = 0;
    let mut passed = 0;
    for at in 0..20 {
        let (text, truth) = firm(at);
        let lies = [
            json!("Maria Svensson"),
            json!("1899-01-01"),
            json!(99_999),
            json!(123_456_789),
            json!("Never late, never sorry"),
            json!(at % 2 == 1),
        ];
        // The lie with a true quote, with an invented quote, and without a quote.
        let tactics: [fn(&Value, &str) -> Value; 3] = [
            |lie, quote| json!({ "value": lie, "quote": quote }),
            |lie, _| json!({ "value": lie, "quote": format!("It is said to be {lie}") }),
            |lie, _| json!({ "value": lie, "quote": null }),
        ];
        for tactic in tactics {
            let answer: Vec<Value> =
                lies.iter().zip(&truth).map(|(lie, (_, quote))| tactic(lie, quote)).collect();
            planted += answer.len();
            let found = ask(&text, answer);
            for (name, lie) in FIELDS.iter().zip(&lies) {
                passed += usize::from(found.extraction.data.get(*name) == Some(lie));
            }
            passed += by_model(&found);
        }
    }
    println!("lying model: {passed} of {planted} ungrounded values passed");
    assert_eq!((planted, passed), (360, 0));
}

#[test]
fn true_values_pass_in_the_notation_of_the_model() {
    let (mut total, mut refused) = (0, 0);
    for at in 0..60 {
        let (text, truth) = firm(at);
        let answer = truth.iter().map(|(value, quote)| json!({ "value": value, "quote": quote })).collect();
        let found = ask(&text, answer);
        total += truth.len();
        refused += truth.len() - found.extraction.leaves.len();
        for leaf in &found.extraction.leaves {
            let span = leaf.provenance[0].span.as_ref().expect("a model's proof has a place");
            assert!(
                text.get(span.start..span.end).is_some_and(|words| words.contains(&leaf.provenance[0].quote))
            );
        }
    }
    println!("true values refused: {refused} of {total}");
    assert!(refused * 50 <= total, "{refused} of {total}");
}
