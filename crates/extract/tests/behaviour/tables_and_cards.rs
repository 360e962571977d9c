//! Lists from what a page repeats in its main part: cards, rows and columns of tables. Menus, adverts and
//! related things are no rows, and a list that the page does not have is empty.

use serde_json::{Map, Value, json};

use crate::support::{at, read};

const MENU: &str = "<header><a href=/>Harbour & Co</a><nav><ul><li><a href=/>Home</a><li><a href=/shop/>Shop</a>\
    <li><a href=/about>About us</a><li><a href=/contact>Contact</a></ul></nav></header>";
const FOOT: &str = "<footer><p>© 2026 Harbour & Co</p><ul><li><a href=/imprint>Imprint</a><li><a href=/privacy>\
    Privacy</a></ul></footer>";

/// The rows of a list with this name whose rows have these fields with their types.
fn rows(name: &str, fields: &[(&str, &str)], main: &str) -> Vec<Value> {
    let row: Map<String, Value> =
        fields.iter().map(|(name, kind)| ((*name).to_owned(), json!({ "type": kind }))).collect();
    let schema = json!({ "properties": { name: {
        "type": "array", "items": { "type": "object", "properties": row },
    } } });
    let html = format!("<title>Lamps</title><body>{MENU}<main>{main}</main>{FOOT}</body>");
    let found = read("https://shop.example/lamps", &html, schema);
    at(&found, &format!("/{name}")).as_array().cloned().unwrap_or_default()
}

const PRODUCT: [(&str, &str); 2] = [("name", "string"), ("price", "number")];

#[test]
fn a_menu_is_no_list() {
    let about = "<h1>About us</h1><p>We build quays since 1987.</p><p>Our yard is in Oban.</p>";
    let menus = [
        "",
        "<ul class=breadcrumb><li><a href=/>Home</a><li><a href=/shop>Shop</a></ul>",
        "<div class=menu><ul><li><a href=/a>Lamps</a><li><a href=/b>Bulbs</a></ul></div>",
        "<aside><h3>Categories</h3><ul><li><a href=/a>Lamps</a><li><a href=/b>Bulbs</a></ul></aside>",
        "<div role=navigation><a href=/a>Lamps</a><a href=/b>Bulbs</a></div>",
        "<ul><li><a href=/a>Share</a><li><a href=/b>Print</a></ul>",
    ];
    for menu in menus {
        let main = format!("{about}{menu}");
        for (name, fields) in [
            ("products", &PRODUCT[..]),
            ("team", &[("name", "string"), ("role", "string")]),
            ("events", &[("title", "string"), ("date", "string"), ("location", "string")]),
            ("jobs", &[("title", "string"), ("salary", "string")]),
            ("courses", &[("name", "string"), ("url", "string")]),
        ] {
            assert!(rows(name, fields, &main).is_empty(), "{name}: {menu}");
        }
    }
}

#[test]
fn cards_of_one_kind_are_no_list_of_another() {
    let card = |at: usize| {
        format!("<div class=card><h2><a href=/p/{at}>Lamp {at}</a></h2><p class=price>${at}.50</p></div>")
    };
    let cards = format!("<h1>Lamps</h1><div class=grid>{}</div>", (1..5).map(card).collect::<String>());
    assert_eq!(rows("products", &PRODUCT, &cards).len(), 4);
    for (name, fields) in [
        ("team", &[("name", "string"), ("role", "string")][..]),
        ("events", &[("title", "string"), ("date", "string")]),
        ("articles", &[("title", "string"), ("author", "string")]),
    ] {
        assert!(rows(name, fields, &cards).is_empty(), "{name}");
    }
    let team = "<h1>About us</h1><h2>Our team</h2><ul><li><h3>Ada Holm</h3><p class=role>Skipper</p>\
                <li><h3>Bo Lind</h3><p class=role>Cook</p></ul>";
    let fields = [("name", "string"), ("role", "string")];
    let expected =
        [json!({ "name": "Ada Holm", "role": "Skipper" }), json!({ "name": "Bo Lind", "role": "Cook" })];
    assert_eq!(rows("team", &fields, team), expected);
    assert!(rows("products", &PRODUCT, team).is_empty());
}

#[test]
fn the_price_of_a_card_is_the_one_that_holds() {
    let table = [
        ("<del>$79.00</del> <ins>$59.00</ins>", json!(59)),
        ("<s class=old>$79.00</s> <b class=price>$59.00</b>", json!(59)),
        ("<span class=price-old>$79.00</span> <span class=price>$59.00</span>", json!(59)),
        ("Was $79.00, now $59.00", json!(59)),
        ("$59.00 <small>RRP $79.00</small>", json!(59)),
        ("<span>$59.00</span> <span>+ $5.00 delivery</span>", json!(59)),
        ("$59.00 <small>or $5.00 / month</small>", json!(59)),
        ("$59.00 – $79.00", json!(59)),
        ("from $59.00", json!(59)),
        ("$59.00 <small>($5.90 / kg)</small>", json!(59)),
        ("Save $20.00", Value::Null),
        ("Coming soon", Value::Null),
        ("$59.00 or $61.00", Value::Null),
    ];
    for (price, expected) in table {
        let card = |name: &str, price: &str| {
            format!("<div class=card><h2><a href=/p/{name}>{name}</a></h2><p>{price}</p></div>")
        };
        let cards = format!("{}{}", card("Iris", price), card("Lotus", "$45.00"));
        let found = rows("products", &PRODUCT, &format!("<h1>Lamps</h1><div class=grid>{cards}</div>"));
        assert_eq!((found.len(), at(&Value::from(found), "/0/price")), (2, expected), "{price}");
    }
}

#[test]
fn adverts_and_related_things_are_no_rows() {
    let card = |name: &str| {
        format!("<div class=card><h2><a href=/p/{name}>{name}</a></h2><p class=price>$45.00</p></div>")
    };
    let cards = [card("Iris"), card("Lotus"), card("Fern")].concat();
    for other in [
        "<div class='card ad'><h2><a href=/x>Bulbs</a></h2><p>from $3.99</p></div>",
        "<div class=card><p>Sponsored</p><h2><a href=/x>Bulbs</a></h2><p>$3.99</p></div>",
        "<div class='card sponsored'><h2><a href=/x>Bulbs</a></h2><p>$3.99</p></div>",
        "<div class=card><p class=price>$3.99</p></div>",
    ] {
        let main = format!("<h1>Lamps</h1><div class=grid>{cards}{other}</div>");
        let names: Vec<Value> =
            rows("products", &PRODUCT, &main).iter().map(|row| at(row, "/name")).collect();
        assert_eq!(names, ["Iris", "Lotus", "Fern"], "{other}");
    }
    let viewed = ["A", "B", "C", "D", "E"].map(card).concat();
    for around in [
        format!("<aside><h3>Recently viewed</h3>{viewed}</aside>"),
        format!("<section><h3>Related products</h3><div>{viewed}</div></section>"),
        format!("<h3>Customers also bought</h3><div>{viewed}</div>"),
    ] {
        let main = format!("<h1>Lamps</h1><div class=grid>{cards}</div>{around}");
        assert_eq!(rows("products", &PRODUCT, &main).len(), 3, "{around}");
    }
}

#[test]
fn declared_things_of_another_kind_are_no_rows() {
    let script = |item: Value| format!("<script type='application/ld+json'>{item}</script><h1>Lamp</h1>");
    let trail = json!({ "@type": "BreadcrumbList", "itemListElement": [
        { "@type": "ListItem", "position": 1, "name": "Home", "item": "https://shop.example/" },
        { "@type": "ListItem", "position": 2, "name": "Lamps", "item": "https://shop.example/lamps" },
    ] });
    let menu = json!([
        { "@type": "SiteNavigationElement", "name": "Home", "url": "/" },
        { "@type": "SiteNavigationElement", "name": "Shop", "url": "/shop" },
    ]);
    let related = json!({ "@type": "Product", "name": "Lamp", "isRelatedTo": [
        { "@type": "Product", "name": "Bulb", "offers": { "price": "5" } },
        { "@type": "Product", "name": "Shade", "offers": { "price": "9" } },
    ] });
    for item in [trail, menu, related] {
        assert!(rows("products", &PRODUCT, &script(item.clone())).is_empty(), "{item}");
        assert!(
            rows("team", &[("name", "string"), ("url", "string")], &script(item.clone())).is_empty(),
            "{item}"
        );
    }
    let products = json!([
        { "@type": "Product", "name": "Bulb", "offers": { "price": "5" } },
        { "@type": "Product", "name": "Shade", "offers": { "price": "9" } },
    ]);
    assert_eq!(rows("products", &PRODUCT, &script(products)).len(), 2);
}

#[test]
fn cells_over_several_rows_belong_to_each() {
    let table = "<h1>Timetable</h1><table><tr><th>Day<th>Time<th>Teacher<tr><td rowspan=2>Monday<td>18:00<td>Ida\
                 <tr><td>19:30<td>Ole<tr><td>Wednesday<td>18:00<td></table>";
    let fields = [("day", "string"), ("time", "string"), ("teacher", "string")];
    let found = Value::from(rows("classes", &fields, table));
    let days: Vec<Value> = (0..3).map(|row| at(&found, &format!("/{row}/day"))).collect();
    assert_eq!(days, ["Monday", "Monday", "Wednesday"]);
    assert_eq!((at(&found, "/1/time"), at(&found, "/1/teacher")), (json!("19:30"), json!("Ole")));
    assert_eq!(at(&found, "/2/teacher"), Value::Null);
}

#[test]
fn the_columns_of_a_comparison_are_its_rows() {
    let fields = [("name", "string"), ("price", "number"), ("storage", "string")];
    let head = "<thead><tr><th><th>Basic<th>Pro<th>Business</thead>";
    for body in [
        "<tr><th>Price per month<td>€9<td>€29<td>€99<tr><th>Storage<td>10 GB<td>100 GB<td>1 TB",
        "<tr><td>Price<td>€9<td>€29<td>€99<tr><td>Storage<td>10 GB<td>100 GB<td>1 TB",
    ] {
        let found = rows("plans", &fields, &format!("<h1>Compare plans</h1><table>{head}{body}</table>"));
        let expected = [("Basic", 9, "10 GB"), ("Pro", 29, "100 GB"), ("Business", 99, "1 TB")];
        let expected: Vec<Value> = expected
            .iter()
            .map(|(name, price, storage)| json!({ "name": name, "price": price, "storage": storage }))
            .collect();
        assert_eq!(found, expected, "{body}");
    }
}

#[test]
fn two_columns_that_fit_equally_well_give_none() {
    let table = "<table><tr><th>Name<th>Price 1 month<th>Price 1 year<tr><td>Basic<td>€9<td>€90<tr><td>Pro<td>€29\
                 <td>€290</table>";
    let found = Value::from(rows("plans", &PRODUCT, table));
    assert_eq!((at(&found, "/0/name"), at(&found, "/0/price")), (json!("Basic"), Value::Null));
}
