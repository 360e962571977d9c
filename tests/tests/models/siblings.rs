//! Pages of one template without a model: what recurs on them is not a value.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use gleaner::{Budget, ExtractRequest, Limits};
use gleaner_extract::{Page, Shape, extract};
use gleaner_tests::fakes::{FakeResponse, FakeServer, ReceivedRequest, engine, engine_builder};
use serde_json::{Value, json};

const NAMES: [&str; 10] = [
    "Red mug",
    "Blue pot",
    "Old jug",
    "Tall vase",
    "Green bowl",
    "White plate",
    "Oak spoon",
    "Glass carafe",
    "Iron kettle",
    "Clay teapot",
];
/// Two more than those that teach.
const THINGS: usize = NAMES.len();

/// A page whose title ends with the name of the shop, which is also its only heading.
fn html(at: usize, text: &str) -> String {
    let (name, price) = (NAMES[at], 10 + at);
    format!("<title>{name} | Cup House</title><h1>Cup House</h1><b class=price>{price} €</b><p>{text}</p>")
}

/// A shop. Its slow page is sent once all others were requested; its missing page does not exist.
fn shop(text: String, slow: Option<usize>, missing: Option<usize>) -> FakeServer {
    let requested = (Mutex::new(0_usize), Condvar::new());
    FakeServer::start(move |_, request: &ReceivedRequest| {
        let at = request.target().strip_prefix("/things/").and_then(|at| at.parse::<usize>().ok());
        let Some(at) = at.filter(|at| *at < THINGS) else { return FakeResponse::not_found() };
        let (others, changed) = &requested;
        if slow == Some(at) {
            let (wait, is_early) = (Duration::from_secs(10), |others: &mut usize| *others + 1 < THINGS);
            let waited = changed.wait_timeout_while(others.lock().unwrap(), wait, is_early).unwrap();
            assert!(!waited.1.timed_out(), "the other pages are not fetched meanwhile");
        } else {
            *others.lock().unwrap() += 1;
            changed.notify_all();
        }
        if missing == Some(at) { FakeResponse::not_found() } else { FakeResponse::html(&html(at, &text)) }
    })
}

fn thing() -> Value {
    json!({ "type": "object", "properties": { "name": { "type": "string" }, "price": { "type": "number" } } })
}

fn all_things(shop: &FakeServer) -> ExtractRequest {
    let urls: Vec<String> = (0..THINGS).map(|at| shop.url(&format!("/things/{at}"))).collect();
    ExtractRequest::new(urls).schema(json!({ "type": "array", "items": thing() }))
}

/// The rows of these pages.
fn rows(pages: impl Iterator<Item = usize>) -> Value {
    pages.map(|at| json!({ "name": NAMES[at], "price": 10 + at })).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn values_are_clean_whichever_page_is_slow_or_missing() {
    let short = "It is made by hand.".to_owned();
    let long = "It is made by hand, and it is sent in a box. ".repeat(2_000);
    let table = [
        (&short, None, None),
        (&short, Some(0), None),
        (&short, Some(4), Some(0)),
        (&short, Some(THINGS - 1), Some(1)),
        (&long, None, None),
        (&long, Some(0), Some(THINGS - 1)),
    ];
    for (text, slow, missing) in table {
        let shop = shop(text.clone(), slow, missing);
        let found = engine().extract(all_things(&shop)).await.unwrap();
        let expected = rows((0..THINGS).filter(|at| missing != Some(*at)));
        assert_eq!(found.data, expected, "slow: {slow:?}, missing: {missing:?}, {} bytes", text.len());
        assert_eq!(found.spent.pages, 10);
        let fetched = shop.requests().into_iter().filter(|request| request.target().contains("/things/"));
        assert_eq!(fetched.count(), THINGS, "each page is fetched once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_over_the_budget_keep_no_page_waiting() {
    let shop = shop(String::new(), None, None);
    let budget = Budget::default().pages(4);
    let engine = engine_builder().limits(Limits::new().extract_budget(budget)).build().unwrap();
    let found = engine.extract(all_things(&shop)).await.unwrap();
    assert_eq!(found.data, rows(0..4), "{:?}", found.warning);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_single_page_is_read_as_without_a_job() {
    let shop = shop(String::new(), None, None);
    let url = shop.url("/things/0");
    let page = Page::new(url.parse().unwrap(), html(0, ""));
    let alone = extract(&page, &Shape::from_schema(&thing()).unwrap());
    let found = engine().extract(ExtractRequest::new([url]).schema(thing())).await.unwrap();
    assert_eq!(found.data, alone.data);
}
