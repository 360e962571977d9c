//! What a page declares about several things: only what it says of its own thing counts.

use serde_json::{Value, json};

use crate::support::{at, read};

fn product(html: &str) -> Value {
    let schema = json!({ "properties": {
        "name": { "type": "string" }, "price": { "type": "number" }, "sku": { "type": "string" },
        "description": { "type": "string" }, "rating": { "type": "number" },
        "review_count": { "type": "integer" },
    } });
    read("https://boats.example/p/fjord", &format!("<title>Kayak Fjord 4</title><main>{html}</main>"), schema)
}

#[test]
fn what_another_thing_declares_is_not_of_the_page() {
    let head = "<div itemscope itemtype='https://schema.org/Product'><h1 itemprop=name>Kayak Fjord 4</h1>\
                <b itemprop=sku>KF-4</b>";
    let rating = "<div itemprop=aggregateRating itemscope><b itemprop=ratingValue>2.1</b> of \
                  <b itemprop=reviewCount>7</b></div>";
    for property in ["isRelatedTo", "isSimilarTo", "isAccessoryOrSparePartFor", "isConsumableFor"] {
        let other = format!(
            "<div itemprop={property} itemscope itemtype='https://schema.org/Product'><b itemprop=name>Paddle\
             </b><b itemprop=sku>PP-1</b>{rating}</div>"
        );
        let found = product(&format!("{head}{other}</div>"));
        assert_eq!(at(&found, "/sku"), "KF-4", "{property}");
        assert_eq!(at(&found, "/name"), "Kayak Fjord 4", "{property}");
        assert_eq!(at(&found, "/rating"), Value::Null, "{property}");
        assert_eq!(at(&found, "/review_count"), Value::Null, "{property}");
    }
}

#[test]
fn what_a_review_says_is_not_said_by_the_page() {
    let words = "<span itemprop=author>Ada</span><div itemprop=reviewRating itemscope>\
                 <span itemprop=ratingValue>1</span></div><p itemprop=description>Leaks at the bow.</p>";
    for property in ["review", "reviews", "comment"] {
        let found = product(&format!(
            "<div itemscope itemtype='https://schema.org/Product'><h1 itemprop=name>Kayak Fjord 4</h1>\
             <div itemprop={property} itemscope>{words}</div></div>"
        ));
        assert_eq!(at(&found, "/name"), "Kayak Fjord 4", "{property}");
        assert_eq!((at(&found, "/description"), at(&found, "/rating")), (Value::Null, Value::Null));
    }
}

#[test]
fn parts_of_a_thing_that_stand_elsewhere_are_its_own() {
    let found = product(
        "<div itemscope itemtype='https://schema.org/Product' itemref=more><h1 itemprop=name>Kayak Fjord 4\
         </h1></div><aside>Advert</aside><div id=more><b itemprop=sku>KF-4</b><div itemprop=offers itemscope>\
         <meta itemprop=priceCurrency content=EUR><b itemprop=price content=1499.00>1 499 €</b></div></div>",
    );
    assert_eq!((at(&found, "/sku"), at(&found, "/price")), (json!("KF-4"), json!(1499)));
}

#[test]
fn data_behind_marks_of_xml_is_read() {
    let item = r#"{"@type":"Product","name":"Kayak Fjord 4","sku":"KF-4","offers":{"price":"1499.00"}}"#;
    for (before, after) in [
        ("// <![CDATA[\n", "\n// ]]>"),
        ("<![CDATA[", "]]>"),
        ("/* <![CDATA[ */", "/* ]]> */"),
        ("<!--\n", "\n-->"),
    ] {
        let script = format!("<script type='application/ld+json'>{before}{item}{after}</script>");
        let found = product(&format!("{script}<h1>Kayak Fjord 4</h1>"));
        assert_eq!((at(&found, "/sku"), at(&found, "/price")), (json!("KF-4"), json!(1499)), "{before}");
    }
}

#[test]
fn declared_texts_have_no_tags() {
    let item = json!({
        "@type": "JobPosting", "title": "Sailor",
        "description": "<p>Sail the boat.</p><ul><li>Mend nets</li></ul>",
    });
    let html = format!("<script type='application/ld+json'>{item}</script><h1>Sailor</h1>");
    let schema = json!({ "properties": {
        "title": { "type": "string" }, "description": { "type": "string" },
    } });
    let found = read("https://jobs.example/3", &html, schema);
    let description = at(&found, "/description");
    let words: Vec<&str> = description.as_str().unwrap_or_default().split_whitespace().collect();
    assert_eq!(words.join(" "), "Sail the boat. Mend nets");
}
