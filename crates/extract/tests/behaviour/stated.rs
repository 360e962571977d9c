//! What a page states and what it does not, read without a model.

use gleaner_extract::{Extraction, Page, extract};
use serde_json::{Value, json};

use crate::support::shape;

fn read(html: &str, schema: Value) -> Extraction {
    extract(&Page::new("https://shop.example/lamp".parse().expect("a URL"), html), &shape(schema))
}

#[test]
fn availability_is_inferred_only_where_nothing_is_stated() {
    let schema = json!({ "properties": {
        "price": { "type": ["number", "null"] }, "availability": { "type": ["string", "null"], "enum": ["InStock", "OutOfStock", null] },
    } });
    let rows = [
        ("nothing is said", "", "InStock", true),
        (
            "it is sold out",
            "<p>If it is in stock we ship within a day. Currently sold out.</p>",
            "OutOfStock",
            false,
        ),
        ("it is in stock", "<p>In stock</p>", "InStock", false),
        ("a condition alone", "<p>Sign up to know when it is in stock again</p>", "InStock", true),
    ];
    for (name, line, expected, inferred) in rows {
        let found =
            read(&format!("<title>Lamp</title><h1>Lamp</h1><p class=price>€20.00</p>{line}"), schema.clone());
        assert_eq!(found.data["availability"], expected, "{name}");
        let warning = found.warning().unwrap_or_default();
        assert_eq!(
            warning.contains("inferred from the price, not stated: availability"),
            inferred,
            "{name}: {warning}"
        );
    }
}

#[test]
fn a_label_is_the_longest_that_is_known() {
    let schema = |name: &str| json!({ "properties": { name: { "type": ["string", "null"] } } });
    for name in ["articleCode", "sku"] {
        let found = read("<h1>Lamp</h1><p>Article number XY-12-B</p>", schema(name));
        assert_eq!(found.data[name], "XY-12-B", "{name}");
    }
    let score = json!({ "properties": { "score": { "type": ["number", "null"] } } });
    assert_eq!(read("<h1>Cup final</h1><p>Score 10:30</p>", score).data["score"], Value::Null);
}

#[test]
fn a_column_is_what_its_header_says() {
    let text = json!({ "type": ["string", "null"] });
    let row = json!({ "name": text, "jobTitle": text, "phone": text, "email": text, "salary": text });
    let schema = json!({ "properties": { "people": { "type": "array", "items": { "properties": row } } } });
    let html = "<h1>Things of the shop</h1><table><tr><th>Name</th><th>Phone</th><th>Email</th></tr>\
        <tr><td>Ada Berg</td><td>555 1000</td><td>ada@shop.example</td></tr>\
        <tr><td>Ole Lund</td><td>n/a</td><td>ole@shop.example</td></tr></table>";
    let found = read(html, schema);
    let phones: Vec<&Value> =
        found.data["people"].as_array().unwrap().iter().map(|row| &row["phone"]).collect();
    assert_eq!(phones, [&json!("555 1000"), &Value::Null]);
    assert_eq!(found.data["people"][0]["jobTitle"], Value::Null);
    let warning = found.warning().unwrap_or_default();
    assert!(warning.contains("people/*/salary") && warning.contains("people/*/jobTitle"), "{warning}");
    // Nor is the heading what a person is.
    let person = json!({ "properties": { "name": text, "jobTitle": text } });
    assert_eq!(
        read("<title>Ada Berg</title><h1>Ada Berg</h1>", person).data,
        json!({ "name": "Ada Berg", "jobTitle": null })
    );
    // Of a job, it is the title.
    let job = json!({ "properties": { "jobTitle": text, "company": text } });
    assert_eq!(read("<title>Baker</title><h1>Baker</h1>", job).data["jobTitle"], "Baker");
}

#[test]
fn tables_of_the_same_columns_are_one_list() {
    let text = json!({ "type": ["string", "null"] });
    let schema = json!({ "properties": { "cups": { "type": "array", "items": { "properties": { "name": text, "colour": text } } } } });
    let table = |name: &str| {
        format!(
            "<table><tr><th>Name</th><th>Colour</th></tr><tr><td>{name} 1</td><td>red</td></tr><tr><td>{name} 2</td><td>blue</td></tr></table>"
        )
    };
    let html = format!("<h2>Small</h2>{}<h2>Large</h2>{}", table("Cup"), table("Jug"));
    assert_eq!(read(&html, schema).data["cups"].as_array().map(Vec::len), Some(4));
}
