//! Pages read without a model.

use gleaner_extract::{Extraction, Method, MissingReason, Page, PagePart, extract};
use serde_json::{Value, json};

use crate::support::shape;

fn read(html: &str, schema: Value) -> Extraction {
    extract(
        &Page::new("https://shop.example/cups/red-cup-48213".parse().expect("a URL"), html),
        &shape(schema),
    )
}

fn product() -> Value {
    let text = json!({ "type": ["string", "null"] });
    json!({ "type": "object", "properties": {
        "name": text, "price": { "type": ["number", "null"] }, "currency": text, "sku": text, "brand": text,
        "availability": { "enum": ["InStock", "OutOfStock", null] }, "gtin": text,
    } })
}

#[test]
fn a_product_is_read_from_every_notation() {
    let json_ld = r#"<h1>Red cup</h1><script type="application/ld+json">{"@type":"Product","name":"Red cup","sku":"48213",
        "gtin13":"4006381333931","brand":{"@type":"Brand","name":"Acme"},"offers":{"@type":"Offer","price":"12.50",
        "priceCurrency":"EUR","availability":"https://schema.org/InStock"},}</script>"#;
    let microdata = r#"<div itemscope itemtype="https://schema.org/Product"><h1 itemprop=name>Red cup</h1><b itemprop=brand>Acme</b>
        <meta itemprop=sku content=48213><meta itemprop=gtin13 content=4006381333931><div itemprop=offers itemscope>
        <meta itemprop=price content=12.50><meta itemprop=priceCurrency content=EUR><link itemprop=availability href="http://schema.org/InStock"></div></div>"#;
    let state = r#"<h1>Red cup</h1><script>window.app = {page: {product: {name: 'Red cup', sku: '48213', brand: "Acme", price: 12.50,
        currency: "EUR", availability: "in stock", ean: "4006381333931"}}};</script>"#;
    let plain = r#"<h1>Red cup</h1><p class="price-now">12,50 €</p><p class=old-price><del>19,00 €</del></p><button>Add to cart</button>
        <table><tr><th>Brand<td>Acme<tr><th>EAN<td>4006381333931<tr><th>Article number<td>48213<tr><th>Currency<td>EUR</table>"#;
    for (notation, html) in
        [("JSON-LD", json_ld), ("microdata", microdata), ("state", state), ("plain", plain)]
    {
        let found = read(html, product());
        let expected = json!({ "name": "Red cup", "price": 12.5, "currency": "EUR", "sku": "48213", "brand": "Acme",
            "availability": "InStock", "gtin": "4006381333931" });
        let mut data = found.data.clone();
        if notation == "plain" && data["currency"] == "€" {
            data["currency"] = json!("EUR");
        }
        assert_eq!(data, expected, "{notation}");
        assert!(found.missing.is_empty(), "{notation}");
    }
}

#[test]
fn every_value_has_a_quote_from_the_page() {
    let html = "<h1>Red cup</h1><p class=price>12,50 €</p><dl><dt>Brand<dd>Acme &amp; Sons</dl>";
    let found = read(html, product());
    assert_eq!(found.data["brand"], "Acme & Sons");
    for leaf in &found.leaves {
        let proof = &leaf.provenance[0];
        let span = proof.span.as_ref().expect("a place");
        if span.part != PagePart::Html {
            continue;
        }
        let place = html.get(span.start..span.end).expect("within the page");
        assert!(
            place.replace("&amp;", "&").contains(&proof.quote) || proof.method == Method::Inferred,
            "{leaf:?}"
        );
    }
}

#[test]
fn unstated_values_are_null_with_a_reason() {
    let found = read("<h1>About us</h1><p>We like cups.</p>", product());
    assert_eq!(found.data["price"], Value::Null);
    assert!(
        found
            .missing
            .iter()
            .any(|missing| missing.pointer == "/price" && missing.reason == MissingReason::NotFound)
    );
    assert!(found.warning().is_some_and(|text| text.contains("price")));
}

#[test]
fn lists_come_from_tables_entities_and_cards() {
    let schema = json!({ "properties": { "products": { "type": "array", "items": { "properties": {
        "name": { "type": "string" }, "price": { "type": "number" } } } } } });
    let rows: Vec<(String, u32)> = (1..=30).map(|at| (format!("Cup {at}"), at * 3)).collect();
    let join = |row: fn(&(String, u32)) -> String| rows.iter().map(row).collect::<Vec<_>>();
    let table = format!(
        "<table><tr><th>Name<th>Price{}</table>",
        join(|(name, price)| format!("<tr><td>{name}<td>{price} €")).concat()
    );
    let cards = join(|(name, price)| {
        format!("<div class='card x'><h3><a href=/c>{name}</a></h3><span class=price>{price} €</span></div>")
    });
    let entities = join(|(name, price)| {
        format!("{{\"@type\":\"Product\",\"name\":\"{name}\",\"offers\":{{\"price\":{price}}}}}")
    });
    let entities = format!("<script type='application/ld+json'>[{}]</script>", entities.join(","));
    let expected: Vec<Value> =
        rows.iter().map(|(name, price)| json!({ "name": name, "price": price })).collect();
    for (source, html) in
        [("table", table), ("cards", format!("<div>{}</div>", cards.concat())), ("entities", entities)]
    {
        assert_eq!(read(&html, schema.clone()).data["products"], json!(expected), "{source}");
    }
}

#[test]
fn a_grid_and_numbers_with_their_names_state_values() {
    let schema = json!({ "properties": {
        "title": { "type": ["string", "null"] }, "publisher": { "type": ["string", "null"] },
        "pages": { "type": ["integer", "null"] }, "isbn": { "type": ["string", "null"] },
        "price": { "type": ["number", "null"] },
    } });
    let page = |facts: &str| {
        format!("<title>The Quiet Bees | Book House</title><h1>The Quiet Bees</h1><p>$ 18.00</p>{facts}")
    };
    let grid = "<div class=grid><div class=label>Publisher</div><div>Larkfield Press</div>\
                <div class=label>Pages</div><div>304</div><div class=label>ISBN</div><div>9781648215070</div></div>";
    let found = read(&page(grid), schema.clone()).data;
    let expected = json!(["Larkfield Press", 304, "9781648215070"]);
    assert_eq!(json!([found["publisher"], found["pages"], found["isbn"]]), expected);
    let found = read(&page("<p>Hardcover | 288 pages | 6 x 9 in</p>"), schema).data;
    assert_eq!(found["pages"], 288);
}
