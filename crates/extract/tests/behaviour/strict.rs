//! Values are right or absent: numbers, units, currencies and the limits of the schema.

use gleaner_extract::{Extraction, Page, check_schema, extract};
use serde_json::{Map, Value, json};

use crate::support::shape;

fn read(html: &str, schema: Value) -> Extraction {
    extract(&Page::new("https://shop.example/things/lamp".parse().expect("a URL"), html), &shape(schema))
}

/// What a page of this language gives for properties of these types.
fn of_page(language: &str, body: &str, properties: &[(&str, Value)]) -> Value {
    let properties: Map<String, Value> =
        properties.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    let html =
        format!("<!DOCTYPE html><html lang={language}><title>Lamp</title><main><h1>Lamp</h1>{body}</main>");
    read(&html, json!({ "type": "object", "properties": properties })).data
}

/// Whether a value is the right one, or absent.
fn is_right_or_absent(data: &Value, name: &str, right: &Value) -> bool {
    data.get(name).is_none_or(|found| found.is_null() || found == right)
}

#[test]
fn a_price_keeps_its_magnitude_its_cents_and_the_separators_of_its_language() {
    let rows = [
        ("en", "$1.2M", json!(1_200_000)),
        ("en", "$450k", json!(450_000)),
        ("en", "£0.068", json!(0.068)),
        ("en", "89¢", json!(0.89)),
        ("de", "2,5 Mio. €", json!(2_500_000)),
        ("de", "250 Tsd. €", json!(250_000)),
        ("de", "89 ct", json!(0.89)),
        ("de", ",39 €", json!(0.39)),
        ("en", "1.299 €", json!(1_299)),
        ("de", "$1,299", json!(1_299)),
        ("fr", "1,789 €", json!(1.789)),
        ("fr", "12 €90", json!(12.9)),
        ("ja", "12.8万円", json!(128_000)),
        ("id", "Rp 2,5 juta", json!(2_500_000)),
        ("en-IN", "₹ 1.25 Cr", json!(12_500_000)),
        ("pl", "2,5 mln zł", json!(2_500_000)),
        ("ru", "1,2 млн ₽", json!(1_200_000)),
    ];
    for (language, price, right) in rows {
        let body = format!("<p class=price>{price}</p><button>Add to cart</button>");
        let data = of_page(language, &body, &[("price", json!({ "type": "number" }))]);
        assert!(is_right_or_absent(&data, "price", &right), "{language} {price}: {data}");
    }
}

#[test]
fn a_label_states_a_number_with_its_sign_its_fraction_and_its_unit() {
    let rows = [
        ("Bathrooms", "bathrooms", "2½", json!(2.5)),
        ("Elevation", "elevation", "–12 m", json!(-12)),
        ("Area", "area", "65 m<sup>2</sup>", json!(65)),
        ("Population", "population", "8,100<sup>1</sup>", json!(8_100)),
        ("Latitude", "latitude", "53.796", json!(53.796)),
        ("Longitude", "longitude", "-1.547", json!(-1.547)),
    ];
    for (label, name, text, right) in rows {
        let body = format!("<dl><dt>{label}</dt><dd>{text}</dd></dl>");
        let data = of_page("en-GB", &body, &[(name, json!({ "type": "number" }))]);
        assert!(is_right_or_absent(&data, name, &right), "{text}: {data}");
    }
}

#[test]
fn a_column_shows_its_decimal_separator() {
    let row = json!({ "currency": { "type": "string" }, "rate": { "type": "number" } });
    let schema = json!({ "properties": { "rates": { "type": "array", "items": { "properties": row } } } });
    let html = "<h1>Rates</h1><table><tr><th>Currency<th>Rate<tr><td>USD<td>1.085<tr><td>GBP<td>0.842\
        <tr><td>JPY<td>163.250</table>";
    let found = read(html, schema);
    let rates: Vec<&Value> =
        found.data["rates"].as_array().into_iter().flatten().map(|row| &row["rate"]).collect();
    assert_eq!(rates, [&json!(1.085), &json!(0.842), &json!(163.25)]);
}

#[test]
fn a_unit_in_the_name_of_a_property_is_a_condition() {
    let number = json!({ "type": "number" });
    let rows = [
        ("Weight", "31 kg", "weight_g", number.clone(), json!(31_000)),
        ("Weight", "31 kg", "weight_kg", number.clone(), json!(31)),
        ("Weight", "31 kg", "weight_lbs", number.clone(), Value::Null),
        ("Weight", "31", "weight_kg", number.clone(), Value::Null),
        ("Length", "4.2 m", "length_cm", number.clone(), json!(420)),
        ("Lot size", "0.25 acres", "lot_size_sqft", number.clone(), json!(10_890)),
        ("Living area", "1,700 sq ft", "living_area_m2", number.clone(), Value::Null),
        ("Power", "150 hp", "power_kw", number.clone(), Value::Null),
        ("Height", "5 ft 11 in", "height_in", number.clone(), json!(71)),
        ("Warranty", "5 years", "warranty_months", number.clone(), json!(60)),
        (
            "Weight",
            "31 kg",
            "weight",
            json!({ "type": "number", "description": "weight in grams" }),
            json!(31_000),
        ),
    ];
    for (label, text, name, schema, right) in rows {
        let body = format!("<dl><dt>{label}</dt><dd>{text}</dd></dl>");
        let data = of_page("en", &body, &[(name, schema)]);
        assert!(is_right_or_absent(&data, name, &right), "{name} of {text}: {data}");
    }
}

#[test]
fn a_currency_in_the_name_of_a_property_is_a_condition() {
    let number = json!({ "type": "number" });
    let names = ["price_usd", "price_eur", "price_gbp"];
    let properties: Vec<(&str, Value)> = names.iter().map(|name| (*name, number.clone())).collect();
    let pages = [
        ("<p class=price>€1,499.00</p>", [Value::Null, json!(1_499), Value::Null]),
        ("<p class=price>$49.99 / €45.99 / £39.99</p>", [json!(49.99), json!(45.99), json!(39.99)]),
        (
            r#"<script type="application/ld+json">{"@type":"Product","name":"Lamp","offers":{"price":"20.50",
            "priceCurrency":"GBP"}}</script>"#,
            [Value::Null, Value::Null, json!(20.5)],
        ),
    ];
    for (body, right) in pages {
        let data = of_page("en", body, &properties);
        for (name, right) in names.iter().zip(&right) {
            assert!(is_right_or_absent(&data, name, right), "{name} of {body}: {data}");
        }
    }
}

#[test]
fn a_value_that_breaks_the_schema_is_no_value() {
    let data = of_page(
        "en",
        "<p class=price>€1,499.00</p><p>SKU: KF-4</p><p>Warranty: 5 years</p>",
        &[
            ("price", json!({ "type": "number", "maximum": 1_000 })),
            ("sku", json!({ "type": "string", "pattern": "^[0-9]+$" })),
            ("warranty", json!({ "type": "integer", "minimum": 10 })),
            ("name", json!({ "type": "string", "maxLength": 3 })),
        ],
    );
    for name in ["price", "sku", "warranty", "name"] {
        assert!(data.get(name).is_none_or(Value::is_null), "{name}: {data}");
    }
}

#[test]
fn patterns_with_lookahead_and_tuples_are_accepted() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "price": { "type": "number" },
            "sku": { "type": "string", "pattern": "^(?=.*\\d)[A-Z0-9-]+$" },
            "host": { "type": "string", "pattern": "^(?=.{1,253}\\.?$)[a-z.]+$" },
            "size": {
                "type": "array", "prefixItems": [{ "type": "number" }, { "type": "string" }], "items": false,
                "minItems": 2, "maxItems": 2,
            },
        },
        "required": ["price"],
    });
    assert!(check_schema(&schema).is_ok());
    let found = read("<h1>Lamp</h1><p class=price>€20.00</p><p>SKU: KF-4</p>", schema);
    assert_eq!(found.data["price"], 20);
    assert_eq!(found.data.get("size"), None);
}

#[test]
fn a_moment_with_the_format_of_rfc_3339_has_an_offset() {
    let moment = json!({ "type": "string", "format": "date-time" });
    let body =
        "<dl><dt>Start</dt><dd>12 Dec 2025, 19:00 GMT</dd><dt>End</dt><dd>12 Dec 2025, 21:00</dd></dl>";
    let data = of_page("en", body, &[("start", moment.clone()), ("end", moment)]);
    assert!(is_right_or_absent(&data, "start", &json!("2025-12-12T19:00:00Z")), "{data}");
    assert!(data.get("end").is_none_or(Value::is_null), "{data}");
}

#[test]
fn embedded_amounts_that_may_be_cents_need_a_shown_price() {
    let state = r#"<script>var meta = {"product":{"title":"Lamp","vendor":"Nook","price":2950,"compare_at_price":3900}};</script>"#;
    let properties =
        [("price", json!({ "type": "number" })), ("compare_at_price", json!({ "type": "number" }))];
    let data = of_page("en", state, &properties);
    assert!(data.get("price").is_none_or(Value::is_null), "{data}");
    let shown = format!("<s>$39.00</s> <span class=price>$29.50</span><button>Add to cart</button>{state}");
    let data = of_page("en", &shown, &properties);
    assert!(is_right_or_absent(&data, "price", &json!(29.5)), "{data}");
    assert!(is_right_or_absent(&data, "compare_at_price", &json!(39)), "{data}");
}
