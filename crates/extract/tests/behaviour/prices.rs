//! Amounts of money that are not the price: each is its own property, and never the value of another.

use serde_json::{Value, json};

use crate::support::{at, read};

/// The amounts of a page for fields of these names.
fn sums(html: &str, names: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({ "type": "number" }))).collect();
    let html = format!("<title>Combi drill</title><main><h1>Combi drill</h1>{html}</main>");
    read("https://tools.example/p/drill", &html, json!({ "properties": properties }))
}

#[test]
fn an_amount_belongs_to_the_field_that_its_words_name() {
    let rows = [
        ("<p>£129 per night</p><p>£387 total for 3 nights</p>", "total_price", 387.0),
        ("<p>£129 per night</p><p>£387 total for 3 nights</p>", "price_per_night", 129.0),
        ("<p>129 € / Nacht</p><p>Gesamt: 387 €</p>", "nightly_rate", 129.0),
        ("<p><b>£83.33 <i>ex. VAT</i></b> <b>£100.00 <i>inc. VAT</i></b></p>", "price_ex_vat", 83.33),
        ("<p><b>£83.33 <i>ex. VAT</i></b> <b>£100.00 <i>inc. VAT</i></b></p>", "price_inc_vat", 100.0),
        ("<p>£100</p><p>Was £120.00 inc. VAT</p><p>RRP £149.99</p>", "was_price", 120.0),
        ("<p>£100</p><p>Was £120.00 inc. VAT</p><p>RRP £149.99</p>", "rrp", 149.99),
        ("<p>£100</p><p>Delivery: £5.95</p>", "delivery_cost", 5.95),
        ("<dl><dt>Price<dd>£100<dt>Shipping<dd>£5.95</dl>", "shipping_price", 5.95),
        ("<p>ou 12x de <b>R$ 164,90</b> sem juros</p><p>R$ 1.978,80</p>", "installment_amount", 164.9),
        ("<p>€100</p><p>or €12 / month</p>", "monthly_payment", 12.0),
        ("<p><s>$79.00</s> $59.00</p>", "original_price", 79.0),
        ("<p>$59</p><p>Deposit: $20</p>", "deposit_amount", 20.0),
    ];
    for (html, name, expected) in rows {
        let found = at(&sums(html, &[name]), &format!("/{name}"));
        assert_eq!(found.as_f64(), Some(expected), "{name}: {html}: {found}");
    }
}

#[test]
fn an_amount_of_another_kind_is_no_price() {
    let rows = [
        "<p>Delivery £5.95</p>",
        "<p>Free delivery over £50</p>",
        "<p>RRP £149.99</p>",
        "<p>Was £120</p>",
        "<p><del>£120</del></p>",
        "<p>Save £20</p>",
        "<p>£20 off</p>",
        "<p>Deposit £20</p>",
        "<p>Up to £500</p>",
        "<dl><dt>Versandkosten<dd>5,95 €</dl>",
        "<p>Extended warranty £15</p>",
    ];
    for html in rows {
        assert_eq!(at(&sums(html, &["price"]), "/price"), Value::Null, "{html}");
    }
}

#[test]
fn a_price_is_no_amount_of_another_kind() {
    let html = "<p class=price>£100.00</p><button>Add to cart</button>";
    for name in [
        "shipping_cost",
        "was_price",
        "rrp",
        "price_per_night",
        "monthly_payment",
        "delivery_fee",
        "savings_amount",
    ] {
        assert_eq!(at(&sums(html, &["price", name]), &format!("/{name}")), Value::Null, "{name}");
    }
}

#[test]
fn amounts_that_disagree_give_none() {
    let html = "<p>£100</p><p>Was £120</p><p>Was £130</p>";
    assert_eq!(at(&sums(html, &["was_price"]), "/was_price"), Value::Null);
    let html = "<p>£100</p><p>Was £120</p><p>Was £120.00</p>";
    assert_eq!(at(&sums(html, &["was_price"]), "/was_price"), json!(120));
}
