//! What a page is decides what it can give: error pages, walls and pages about the site give no things, and a
//! company is called what its site is called.

use serde_json::{Value, json};

use crate::support::{at, read};

fn page(title: &str, heading: &str, main: &str) -> String {
    format!(
        "<title>{title}</title><body><header><a class=logo href=/>Harbour &amp; Co</a><nav><a href=/shop>Shop</a>\
         <a href=/about>About us</a></nav></header><main><h1>{heading}</h1>{main}</main>\
         <footer><p>© 2026 Harbour &amp; Co</p></footer></body>"
    )
}

fn product(html: &str) -> Value {
    let schema = json!({ "properties": {
        "product_name": { "type": "string" }, "price": { "type": "number" }, "brand": { "type": "string" },
        "description": { "type": "string" }, "products": { "type": "array", "items": { "properties": {
            "name": { "type": "string" }, "price": { "type": "number" },
        } } },
    } });
    read("https://harbour.example/p/9", html, schema)
}

#[test]
fn error_pages_and_walls_give_nothing() {
    let rows = [
        ("Not found – Harbour & Co", "Not found", "<p>Sorry.</p>"),
        ("404 Not Found", "404", "<p>The page has moved.</p>"),
        ("Error 404 | Harbour & Co", "Oops! Page not found", "<p>Try our <a href=/>start page</a>.</p>"),
        ("Just a moment...", "Checking your browser", "<p>Enable JavaScript and cookies to continue.</p>"),
        (
            "Attention Required! | Guard",
            "Sorry, you have been blocked",
            "<p>You are unable to access it.</p>",
        ),
        ("harbour.example", "harbour.example", "<p>Verify you are human by completing the action below.</p>"),
        ("Access Denied", "Access Denied", "<p>You don't have permission to access this page.</p>"),
        ("503 Service Temporarily Unavailable", "503 Service Temporarily Unavailable", ""),
        ("Seite nicht gefunden – Harbour & Co", "Seite nicht gefunden", "<p>Leider.</p>"),
        ("Page introuvable", "Page introuvable", "<p>Désolé.</p>"),
        ("Login – Harbour & Co", "Log in", "<form><input name=user><input name=password></form>"),
        ("Search – Harbour & Co", "No results found", "<p>Try another word.</p>"),
        ("Something went wrong", "Something went wrong", "<p>Please try again later.</p>"),
    ];
    for (title, heading, main) in rows {
        assert_eq!(product(&page(title, heading, main)), json!({ "products": [] }), "{heading}");
    }
}

#[test]
fn things_with_the_name_of_an_error_are_things() {
    let price = "<p class=price>$12.00</p><button>Add to cart</button>";
    for name in ["Just a moment", "Something went wrong"] {
        let found = product(&page(&format!("{name} – Harbour & Co"), name, price));
        assert_eq!(at(&found, "/price"), json!(12), "{name}");
    }
    let item = json!({ "@type": "Product", "name": "Not found", "offers": { "price": "12" } });
    let found = product(&page(
        "Not found",
        "Not found",
        &format!("<script type='application/ld+json'>{item}</script>"),
    ));
    assert_eq!((at(&found, "/product_name"), at(&found, "/price")), (json!("Not found"), json!(12)));
}

#[test]
fn pages_about_the_site_name_no_thing() {
    let headings = [
        "About us",
        "Contact",
        "Contact us",
        "Imprint",
        "Privacy policy",
        "Terms and conditions",
        "FAQ",
        "Shop",
        "Our team",
        "Impressum",
        "Über uns",
        "À propos",
        "Careers",
        "Your cart",
    ];
    for heading in headings {
        let html =
            page(&format!("{heading} – Harbour &amp; Co"), heading, "<p>We build quays since 1987.</p>");
        assert_eq!(at(&product(&html), "/product_name"), Value::Null, "{heading}");
    }
}

#[test]
fn a_company_is_called_what_its_site_is_called() {
    let schema = json!({ "properties": {
        "company_name": { "type": "string" }, "phone": { "type": "string" }, "address": { "type": "string" },
        "industry": { "type": "string" },
    } });
    for (path, title, heading) in [
        ("/contact", "Contact – Harbour &amp; Co", "Contact us"),
        ("/", "Harbour &amp; Co – quays and piers", "Your partner for quays"),
        ("/", "Harbour &amp; Co", "We build quays."),
        ("/about", "About us – Harbour &amp; Co", "About us"),
        ("/imprint", "Imprint – Harbour &amp; Co", "Imprint"),
    ] {
        let html = page(title, heading, "<p>Phone: 01631 555012</p><p>We build quays since 1987.</p>");
        let found = read(&format!("https://harbour.example{path}"), &html, schema.clone());
        let name = at(&found, "/company_name");
        assert!(name.is_null() || name == "Harbour & Co", "{heading}: {name}");
        assert_eq!(at(&found, "/address"), Value::Null, "{heading}");
    }
}

#[test]
fn a_shop_is_not_the_publisher_of_its_books() {
    let schema = json!({ "properties": {
        "title": { "type": "string" }, "author": { "type": "string" }, "publisher": { "type": "string" },
        "isbn": { "type": "string" }, "price": { "type": "number" },
    } });
    let head = "<meta property=og:site_name content='Harbour & Co'>";
    let book = "<p>by Ada Holm</p><p class=price>$12.00</p><p>ISBN 978-1-4028-9462-6</p>";
    let html = page("Mosses – Harbour &amp; Co", "Mosses", &format!("{head}{book}"));
    let found = read("https://harbour.example/b/mosses", &html, schema.clone());
    assert_eq!(at(&found, "/publisher"), Value::Null);
    let stated = "<dl><dt>Publisher</dt><dd>Moss Press</dd></dl>";
    let html = page("Mosses – Harbour &amp; Co", "Mosses", &format!("{head}{book}{stated}"));
    assert_eq!(at(&read("https://harbour.example/b/mosses", &html, schema), "/publisher"), "Moss Press");
}

#[test]
fn what_a_reader_sees_as_sold_out_is_not_in_stock() {
    let item = json!({ "@type": "Product", "name": "Desk lamp", "offers": {
        "price": "59.00", "priceCurrency": "USD", "availability": "https://schema.org/InStock",
    } });
    let schema = json!({ "properties": {
        "price": { "type": "number" }, "in_stock": { "type": "boolean" }, "availability": { "type": "string" },
    } });
    for line in ["Sold out", "Out of stock", "Currently unavailable", "Ausverkauft"] {
        let main = format!(
            "<script type='application/ld+json'>{item}</script><p class=price>$59.00</p><p class=badge>{line}</p>\
             <button disabled>{line}</button>"
        );
        let found =
            read("https://shop.example/p/lamp", &page("Desk lamp", "Desk lamp", &main), schema.clone());
        assert_ne!(at(&found, "/in_stock"), json!(true), "{line}");
        assert_eq!(at(&found, "/price"), json!(59), "{line}");
    }
    let main = format!(
        "<script type='application/ld+json'>{item}</script><p class=price>$59.00</p><button>Add to cart</button>"
    );
    let found = read("https://shop.example/p/lamp", &page("Desk lamp", "Desk lamp", &main), schema);
    assert_eq!(at(&found, "/in_stock"), json!(true));
}

#[test]
fn a_sum_in_a_sentence_is_no_pay() {
    let schema = json!({ "properties": {
        "title": { "type": "string" }, "company": { "type": "string" }, "salary_min": { "type": "number" },
        "salary_max": { "type": "number" },
    } });
    let pay = |main: &str| {
        let html = page("Support Associate", "Support Associate", main);
        let found = read("https://jobs.example/1", &html, schema.clone());
        (at(&found, "/salary_min"), at(&found, "/salary_max"))
    };
    for text in [
        "We raised $45 million in 2024 and serve 200,000 patients.",
        "A signing bonus of $5,000 awaits you.",
        "Our customers saved $3,000,000 with us.",
    ] {
        assert_eq!(
            pay(&format!("<p>{text}</p><p>Part-time, Oban.</p>")),
            (Value::Null, Value::Null),
            "{text}"
        );
    }
    let (_, highest) = pay("<p>From £30,000 a year</p>");
    assert_eq!(highest, Value::Null);
    let (lowest, _) = pay("<p>Up to £30,000 a year</p>");
    assert_eq!(lowest, Value::Null);
}
