//! Stated, inferred and missing values, read without a model.

use gleaner_extract::{Extraction, Page, extract};
use serde_json::{Value, json};

use crate::support::shape;

fn read(html: &str, schema: Value) -> Extraction {
    extract(&Page::new("https://shop.example/lamp".parse().expect("a URL"), html), &shape(schema))
}

#[test]
fn availability_is_inferred_only_if_none_is_stated() {
    let schema = json!({ "properties": {
        "price": { "type": ["number", "null"] },
        "availability": { "type": ["string", "null"], "enum": ["InStock", "OutOfStock", null] },
    } });
    const SHOP: &str = r#"<meta property="og:type" content="product">"#;
    let (missing, in_stock, out) = (Value::Null, json!("InStock"), json!("OutOfStock"));
    let rows = [
        ("a shop says nothing", SHOP, "", &in_stock, true),
        ("no mark of a shop", "", "", &missing, false),
        ("sold out", SHOP, "<p>If it is in stock we ship within a day. Currently sold out.</p>", &out, false),
        ("in stock", SHOP, "<p>In stock</p>", &in_stock, false),
        ("a condition alone", SHOP, "<p>Sign up to know when it is in stock again</p>", &missing, false),
        ("sold", SHOP, "<p>SOLD</p>", &out, false),
        ("this is sold", SHOP, "<p>This item is sold</p>", &out, false),
        ("sold to somebody", SHOP, "<p>Sold to a private collector</p>", &missing, false),
        ("sold in German", SHOP, "<p>Verkauft</p>", &out, false),
        ("sold in French", SHOP, "<p>Vendu</p>", &out, false),
        ("announced", SHOP, "<p>Coming soon</p>", &out, false),
        ("not for sale", SHOP, "<p>Not for sale</p>", &out, false),
        ("kept for somebody", SHOP, "<p>Reserved</p>", &out, false),
        ("out of print", SHOP, "<p>Out of print</p>", &out, false),
        ("a button that does not work", SHOP, "<button disabled>Add to cart</button>", &missing, false),
        ("a menu's cart", "", "<header><a href=/cart>Cart</a></header>", &missing, false),
    ];
    for (name, head, line, expected, inferred) in rows {
        let page = format!("<title>Lamp</title>{head}<h1>Lamp</h1><p class=price>€20.00</p>{line}");
        let found = read(&page, schema.clone());
        assert_eq!(&found.data["availability"], expected, "{name}");
        let warning = found.warning().unwrap_or_default();
        let says_inferred = warning.contains("inferred from the price, not stated: availability");
        assert_eq!(says_inferred, inferred, "{name}: {warning}");
    }
}

#[test]
fn availability_uses_the_states_of_the_schema() {
    let states = json!({ "enum": ["InStock", "OutOfStock", "SoldOut", "PreOrder", "Reserved", null] });
    let schema = json!({ "properties": { "availability": states } });
    for (line, expected) in [
        ("Sold", "SoldOut"),
        ("Pre-order now", "PreOrder"),
        ("Reserviert", "Reserved"),
        ("Out of stock", "OutOfStock"),
    ] {
        let found = read(&format!("<h1>Lamp</h1><p>{line}</p>"), schema.clone());
        assert_eq!(found.data["availability"], expected, "{line}");
    }
}

#[test]
fn as_many_entities_as_records_are_read() {
    let text = json!({ "type": ["string", "null"] });
    let schema = json!({
        "properties": {
            "cups": { "type": "array", "items": { "properties": { "name": text, "sku": text } } },
        },
    });
    let cups: Vec<Value> = (0..5_000)
        .map(|at| json!({ "@type": "Product", "name": format!("Cup {at}"), "sku": format!("C-{at}") }))
        .collect();
    let html = format!(r#"<h1>Cups</h1><script type="application/ld+json">{}</script>"#, Value::Array(cups));
    assert_eq!(read(&html, schema).data["cups"].as_array().map(Vec::len), Some(5_000));
}

#[test]
fn the_longest_known_label_counts() {
    let schema = |name: &str| json!({ "properties": { name: { "type": ["string", "null"] } } });
    for name in ["articleCode", "sku"] {
        let found = read("<h1>Lamp</h1><p>Article number XY-12-B</p>", schema(name));
        assert_eq!(found.data[name], "XY-12-B", "{name}");
    }
    let score = json!({ "properties": { "score": { "type": ["number", "null"] } } });
    assert_eq!(read("<h1>Cup final</h1><p>Score 10:30</p>", score).data["score"], Value::Null);
}

#[test]
fn a_column_belongs_to_the_field_of_its_header() {
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
    // The heading is not a person's job title.
    let person = json!({ "properties": { "name": text, "jobTitle": text } });
    assert_eq!(
        read("<title>Ada Berg</title><h1>Ada Berg</h1>", person).data,
        json!({ "name": "Ada Berg", "jobTitle": null })
    );
    // For a job, the heading is the title.
    let job = json!({ "properties": { "jobTitle": text, "company": text } });
    assert_eq!(read("<title>Baker</title><h1>Baker</h1>", job).data["jobTitle"], "Baker");
}

#[test]
fn tables_with_the_same_columns_are_one_list() {
    let text = json!({ "type": ["string", "null"] });
    let schema = json!({
        "properties": {
            "cups": { "type": "array", "items": { "properties": { "name": text, "colour": text } } },
        },
    });
    let table = |name: &str| {
        format!(
            "<table><tr><th>Name</th><th>Colour</th></tr><tr><td>{name} 1</td><td>red</td></tr><tr><td>{name} 2</td><td>blue</td></tr></table>"
        )
    };
    let html = format!("<h2>Small</h2>{}<h2>Large</h2>{}", table("Cup"), table("Jug"));
    assert_eq!(read(&html, schema).data["cups"].as_array().map(Vec::len), Some(4));
}

#[test]
fn the_figures_of_dates_and_hours_are_no_amounts() {
    let schema = json!({ "properties": {
        "title": { "type": ["string", "null"] }, "salary_min": { "type": ["number", "null"] },
        "salary_max": { "type": ["number", "null"] }, "date_posted": { "type": ["string", "null"] },
    } });
    let found = read(
        "<h1>Baker</h1><ul><li>Posted 3 March 2026</li><li>32–38 hours a week</li></ul><p>Apply until 30 April \
         2026.</p>",
        schema,
    );
    assert_eq!(found.data["date_posted"], "2026-03-03");
    assert_eq!((&found.data["salary_min"], &found.data["salary_max"]), (&Value::Null, &Value::Null));
}

#[test]
fn pages_of_one_site_teach_which_part_of_a_title_is_the_name() {
    let schema = json!({ "properties": {
        "name": { "type": ["string", "null"] }, "price": { "type": ["number", "null"] },
    } });
    let names = ["Red mug", "Blue pot", "Old jug", "Tall vase", "Green bowl", "White plate"];
    let pages: Vec<Page> = names
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let html =
                format!("<title>{name} | Cup House</title><h1>Cup House</h1><b class=price>1{at} €</b>");
            Page::new(format!("https://shop.example/things/{at}").parse().unwrap(), html)
        })
        .collect();
    let found = gleaner_extract::extract_pages(&pages, &shape(schema));
    let found: Vec<&Value> = found.iter().map(|page| &page.data["name"]).collect();
    assert_eq!(found, names);
}
