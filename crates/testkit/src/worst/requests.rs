//! Large requests and responses, headers, and pages that are compared with their previous version.

use serde_json::{Map, Value, json};

use super::{Attack, WorstCase};
use crate::hostile::HostilePage;

const BODIES: &str = "request bodies";
const STATUS: &str = "status answers";
const HEADERS: &str = "headers";
const DIFFS: &str = "diffs";

const MIB: usize = 1 << 20;

/// Bytes of a request body just below the size limit.
const BODY_BYTES: usize = 10 * MIB - 1_000;

pub(super) const CASES: &[WorstCase] = &[
    WorstCase::new(BODIES, "addresses of a batch", |size| {
        let count = size.of(100, 90_000);
        let below = format!("/{}/", "a".repeat(60));
        let page = HostilePage::anywhere("text/html", "<p>A small page.");
        Attack::batch(json!({ "formats": ["links"] }), &below, count, vec![page])
    }),
    WorstCase::new(BODIES, "addresses that are none", |size| {
        let urls = vec!["http://[zz]/%"; size.of(1_000, 100_000)];
        let body = json!({ "urls": urls, "ignoreInvalidURLs": false });
        Attack::new("POST /v2/batch/scrape", body.to_string(), Vec::new()).refused("urls[0]")
    }),
    WorstCase::new(BODIES, "lists in lists", |size| {
        Attack::new("POST /v2/scrape", "[".repeat(size.of(100_000, BODY_BYTES)), Vec::new())
            .refused("not JSON")
    }),
    WorstCase::new(BODIES, "values beside each other", |size| {
        let body = format!("{{\"url\":[{}1]}}", "1,".repeat(size.of(50_000, BODY_BYTES / 2 - 10)));
        Attack::new("POST /v2/scrape", body, Vec::new()).refused("url")
    }),
    WorstCase::new(BODIES, "fields that are unknown", |size| {
        let mut fields: Map<String, Value> =
            (0..size.of(5_000, 600_000)).map(|n| (format!("x{n}"), json!(1))).collect();
        fields.insert("url".to_owned(), json!("a.example"));
        let body = Value::Object(fields).to_string();
        Attack::new("POST /v2/scrape", body, Vec::new()).refused("unknown field")
    }),
    WorstCase::new(BODIES, "escapes", |size| {
        let body = format!("{{\"url\":\"{}\"}}", "\\u0041".repeat(size.of(10_000, BODY_BYTES / 6)));
        Attack::new("POST /v2/crawl", body, Vec::new()).refused("url")
    }),
    WorstCase::new(BODIES, "formats", |size| {
        let formats: Vec<Value> = (0..size.of(1_000, 300_000)).map(|n| json!({ "type": n })).collect();
        let body = json!({ "url": "a.example", "formats": formats });
        Attack::new("POST /v2/scrape", body.to_string(), Vec::new()).refused("formats")
    }),
    WorstCase::new(BODIES, "headers", |size| {
        let value = "x".repeat(size.of(1_000, 16_000));
        let headers: Map<String, Value> = (0..100).map(|n| (format!("x-{n}"), json!(value))).collect();
        Attack::scrape(json!({ "headers": headers }), small())
    }),
    WorstCase::new(STATUS, "large documents", |size| {
        let page = format!("<main><p>{}", "word ".repeat(size.of(10_000, 300_000)));
        batch_of(size.of(4, 16), page)
    }),
    WorstCase::new(STATUS, "many small documents", |size| batch_of(size.of(50, 1_000), "<p>x".to_owned())),
    WorstCase::new(STATUS, "documents of escapes", |size| {
        let page = format!("<main><pre>{}", "\u{1}\\\"\u{7f}\n".repeat(size.of(10_000, 300_000)));
        batch_of(size.of(4, 8), page)
    }),
    WorstCase::new(HEADERS, "long ones", |_| {
        let add = |page: HostilePage, n: usize| page.header(format!("x-{n}"), "x".repeat(4_000));
        Attack::scrape(json!({}), (0..90).fold(small(), add))
    }),
    WorstCase::new(HEADERS, "many", |size| {
        let add = |page: HostilePage, n: usize| page.header(format!("x-{n}"), "x");
        Attack::scrape(json!({}), (0..size.of(1_000, 50_000)).fold(small(), add))
    }),
    WorstCase::new(HEADERS, "cookies", |_| {
        let add =
            |page: HostilePage, n: usize| page.header("Set-Cookie", format!("a{n}={}", "x".repeat(3_000)));
        Attack::scrape(json!({}), (0..90).fold(small(), add))
    }),
    WorstCase::new(HEADERS, "orders for robots", |size| {
        let orders = "gleaner: nofollow, other: noindex, ".repeat(size.of(100, 400));
        let links = format!("<p>{}", "<a href=/x>y</a> ".repeat(size.of(2_000, 20_000)));
        let page = HostilePage::html("/", links).header("X-Robots-Tag", orders);
        Attack::crawl(json!({ "sitemap": "skip" }), vec![page])
    }),
    WorstCase::new(DIFFS, "few lines in common", |size| {
        let lines = size.of(2_000, 40_000);
        compared(paragraphs(lines, |n| n * 7 % 1_000), paragraphs(lines, |n| n * 11 % 1_000))
    }),
    WorstCase::new(DIFFS, "lines in reverse", |size| {
        let lines = size.of(2_000, 40_000);
        compared(paragraphs(lines, |n| n), paragraphs(lines, |n| 1_000_000 - n))
    }),
    WorstCase::new(DIFFS, "one line over and over", |size| {
        let lines = size.of(4_000, 100_000);
        compared(paragraphs(lines, |_| 1), paragraphs(lines, |n| n % 2))
    }),
    WorstCase::new(DIFFS, "large texts", |size| {
        let lines = size.of(8_000, 500_000);
        compared(paragraphs(lines, |n| n), paragraphs(lines, |n| n + 1))
    }),
    WorstCase::new(DIFFS, "fields", |size| {
        let row = |n: usize| format!("<tr><td>Cup {n}<td>{n} €");
        let table = |from: usize| {
            let rows: String = (from..from + size.of(200, 5_000)).map(row).collect();
            format!("<table><tr><th>Name<th>Price{rows}</table>")
        };
        let item = json!({ "properties": { "name": { "type": "string" }, "price": { "type": "number" } } });
        let schema = json!({ "properties": { "products": { "type": "array", "items": item } } });
        let tracking = json!({ "type": "changeTracking", "modes": ["git-diff", "json"], "schema": schema });
        let page = HostilePage::html("/", table(0)).then(table(1));
        Attack::scrape(json!({ "formats": ["markdown", tracking] }), page).second()
    }),
];

fn small() -> HostilePage {
    HostilePage::html("/", "<p>A small page.")
}

/// A batch of `count` URLs that all serve this page.
fn batch_of(count: usize, page: String) -> Attack {
    let formats = json!({ "formats": ["markdown", "html", "rawHtml"], "onlyMainContent": false });
    Attack::batch(formats, "/", count, vec![HostilePage::anywhere("text/html", page)])
}

/// This many paragraphs, each with a number as its text.
fn paragraphs(lines: usize, number: fn(usize) -> usize) -> String {
    (0..lines).map(|line| format!("<p>{}</p>", number(line))).collect()
}

/// A scrape of a page whose content changed since the previous scrape.
fn compared(before: String, after: String) -> Attack {
    let formats = json!(["markdown", { "type": "changeTracking", "modes": ["git-diff"] }]);
    let page = HostilePage::html("/", before).then(after);
    Attack::scrape(json!({ "formats": formats, "onlyMainContent": false }), page).second()
}
