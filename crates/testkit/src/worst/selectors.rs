//! Selectors of requests (`includeTags`, `excludeTags`, the format `attributes`), applied to pages with many
//! elements.

use serde_json::{Value, json};

use super::{Attack, Size, WorstCase};
use crate::hostile::HostilePage;

const KIND: &str = "selectors";

/// Part of the warning of a page on which the evaluation of selectors was stopped.
const GIVEN_UP: &str = "too many steps";

pub(super) const CASES: &[WorstCase] = &[
    WorstCase::new(KIND, "tens of thousands of classes", |size| {
        excluding(classes(size.of(100, 500), 120), size)
    }),
    WorstCase::new(KIND, "more selectors than are taken", |size| {
        let list = ".a,".repeat(249) + ".a";
        excluding(vec![list; 500], size).refused("at most 100000 comma-separated selectors")
    }),
    WorstCase::new(KIND, "classes that are included", |size| {
        scraped(json!({ "includeTags": classes(size.of(100, 500), 120) }), size)
    }),
    WorstCase::new(KIND, "siblings before each element", |size| {
        excluding(vec!["i ~ p".to_owned()], size).warned(GIVEN_UP)
    }),
    WorstCase::new(KIND, "no siblings before each element", |size| {
        excluding(vec!["p:not(i ~ p)".to_owned()], size).warned(GIVEN_UP)
    }),
    WorstCase::new(KIND, "the nth of siblings", |size| {
        excluding(vec!["p:nth-last-child(2n + 1 of i ~ p)".to_owned()], size).warned(GIVEN_UP)
    }),
    WorstCase::new(KIND, "what comes behind each element", |size| {
        excluding((0..100).map(|n| format!("p:has(~ .b{n}):has(~ .c{n})")).collect(), size)
    }),
    WorstCase::new(KIND, "lists in pseudo-classes", |size| {
        let list = format!(":is({})", [":not(*)"; 100].join(","));
        excluding(vec![list; size.of(50, 500)], size)
    }),
    WorstCase::new(KIND, "long compounds", |size| {
        let one = |n: usize| format!("p{}", format!(".a{n}").repeat(100));
        excluding((0..size.of(50, 500)).map(one).collect(), size)
    }),
    WorstCase::new(KIND, "chains of descendants", |size| {
        let one = |n: usize| format!("{}.z{n} p", ".a ".repeat(100));
        let page = format!("{}{}", "<div class=a>".repeat(400), "<p>x".repeat(size.of(4_000, 20_000)));
        let selectors: Vec<String> = (0..size.of(50, 500)).map(one).collect();
        Attack::scrape(json!({ "excludeTags": selectors }), HostilePage::html("/", page))
    }),
    WorstCase::new(KIND, "pieces of long attributes", |size| {
        let page = format!("<p class='{}'>x", "a".repeat(10_000)).repeat(size.of(5, 20));
        let selectors: Vec<String> = (0..500).map(|n| format!("[class*=b{n}]")).collect();
        Attack::scrape(json!({ "excludeTags": selectors }), HostilePage::html("/", page))
    }),
    WorstCase::new(KIND, "everything in everything", |size| {
        scraped(
            json!({ "includeTags": ["*", ":root *", "* *"], "excludeTags": ["p:empty", "p:only-child"] }),
            size,
        )
    }),
    WorstCase::new(KIND, "brackets in brackets", |size| {
        let list = format!("{}p{}", ":not(".repeat(40), ")".repeat(40));
        excluding(vec![list], size).refused("levels deep")
    }),
    WorstCase::new(KIND, "attributes of everything", |size| {
        let asked = |n: usize| json!({ "selector": format!("p:not([data-y{n}])"), "attribute": "class" });
        let selectors: Vec<Value> = (0..100).map(asked).collect();
        scraped(json!({ "formats": ["markdown", { "type": "attributes", "selectors": selectors }] }), size)
    }),
    WorstCase::new(KIND, "a light page", |size| {
        let selectors: Vec<String> = (0..20).map(|n| format!("p:has(~ .b{n})")).collect();
        let page = "<p class=a>x".repeat(size.of(2_000, 7_900));
        Attack::scrape(json!({ "excludeTags": selectors }), HostilePage::html("/", page))
    }),
];

/// Selector lists of `each` classes. All classes are different.
fn classes(lists: usize, each: usize) -> Vec<String> {
    let class = |number: usize| format!(".a{number:05}");
    let list = |at: usize| (0..each).map(|n| class(at * each + n)).collect::<Vec<_>>().join(",");
    (0..lists).map(list).collect()
}

/// A scrape of a page with many small elements, most of them siblings.
fn scraped(options: Value, size: Size) -> Attack {
    let page = format!("{}<p class=b>kept", "<p class=a>x".repeat(size.of(7_000, 21_000)));
    Attack::scrape(options, HostilePage::html("/", page))
}

fn excluding(selectors: Vec<String>, size: Size) -> Attack {
    scraped(json!({ "excludeTags": selectors, "onlyMainContent": false }), size)
}
