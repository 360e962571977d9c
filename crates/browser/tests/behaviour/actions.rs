//! The actions of a request, on pages of every kind that made some automation fail.
//!
//! Each case is a page, the actions on it, and either a script with the value that it must have afterwards,
//! or the reason that the actions must fail with.

mod click;
mod keys;
mod leave;
mod print;
mod scripts;
mod scroll;
mod select;
mod write;

use futures_util::stream::{self, StreamExt as _};
use gleaner_browser::Browser;
use gleaner_fetch::{ActionResult, Error, ErrorKind, Rendered};
use gleaner_testkit::HostilePage;
use serde_json::{Value, json};

use crate::support::{browser, render_pages};

/// Records events in `window.log`, those that a script made with a `!`.
const LOG: &str = "<script>window.log = [];
    for (const type of ['keydown', 'keypress', 'beforeinput', 'input', 'keyup', 'change', 'pointerdown',
        'mousedown', 'pointerup', 'mouseup', 'click'])
      addEventListener(type, event => log.push(type + (event.isTrusted ? '' : '!')), true);
    </script>";

/// What every other address of the site shows.
const NEXT: &str = "<!doctype html><title>next</title><p>The next page.</p>
    <button id=n onclick=\"document.title = 'clicked'\">N</button>";

/// Cases that run at the same time.
const AT_ONCE: usize = 3;

struct Case {
    name: &'static str,
    page: String,
    actions: Vec<Value>,
    outcome: Outcome,
}

enum Outcome {
    /// The JSON value of a script after the actions.
    Value(&'static str, Value),
    /// A part of the error.
    Fails(String),
}

/// After the actions, the script has this value.
fn passes(
    name: &'static str,
    page: impl Into<String>,
    actions: Value,
    script: &'static str,
    value: Value,
) -> Case {
    case(name, page, actions, Outcome::Value(script, value))
}

/// The actions fail with an error that contains this text.
fn fails(name: &'static str, page: impl Into<String>, actions: Value, text: impl Into<String>) -> Case {
    case(name, page, actions, Outcome::Fails(text.into()))
}

fn case(name: &'static str, page: impl Into<String>, actions: Value, outcome: Outcome) -> Case {
    let Value::Array(actions) = actions else { panic!("{name}: its actions are no list") };
    Case { name, page: page.into(), actions, outcome }
}

fn click(selector: &str) -> Value {
    json!({ "type": "click", "selector": selector })
}

fn write(text: &str, selector: &str) -> Value {
    json!({ "type": "write", "text": text, "selector": selector })
}

fn press(key: &str) -> Value {
    json!({ "type": "press", "key": key })
}

fn script(script: &str) -> Value {
    json!({ "type": "executeJavascript", "script": script })
}

/// Renders a page and carries out the actions.
async fn render(browser: &Browser, page: &str, actions: &[Value]) -> Result<Rendered, Error> {
    render_as(browser, page, json!({ "actions": actions })).await
}

/// Renders a page with these options of a scrape.
async fn render_as(browser: &Browser, page: &str, options: Value) -> Result<Rendered, Error> {
    let page = format!("<!doctype html><meta charset=utf-8><title>page</title>{page}");
    let pages = vec![HostilePage::html("/", page), HostilePage::anywhere("text/html", NEXT)];
    Ok(render_pages(browser, pages, options).await?.page)
}

/// Why a case does not hold.
async fn fault(browser: &Browser, case: &Case) -> Option<String> {
    let mut actions = case.actions.clone();
    if let Outcome::Value(check, _) = &case.outcome {
        actions.push(script(check));
    }
    let rendered = render(browser, &case.page, &actions).await;
    let name = case.name;
    match (&case.outcome, rendered) {
        (Outcome::Value(_, expected), Ok(page)) => {
            let Some(ActionResult::Javascript { json, .. }) = page.results.last() else {
                return Some(format!("{name}: no value"));
            };
            let value: Value = serde_json::from_str(json).unwrap();
            (value != *expected).then(|| format!("{name}: {value} instead of {expected}"))
        }
        (Outcome::Value(..), Err(error)) => Some(format!("{name}: {error}")),
        (Outcome::Fails(text), Err(error)) => {
            let is_right = error.kind() == ErrorKind::Action && error.to_string().contains(text);
            (!is_right).then(|| format!("{name}: {error}, which does not contain {text:?}"))
        }
        (Outcome::Fails(text), Ok(_)) => Some(format!("{name}: no error with {text:?}")),
    }
}

/// Runs all cases, and reports all that do not hold.
async fn check(cases: Vec<Case>) {
    let Some(browser) = browser() else { return };
    let faults: Vec<String> = stream::iter(&cases)
        .map(|case| fault(&browser, case))
        .buffer_unordered(AT_ONCE)
        .filter_map(|fault| async move { fault })
        .collect()
        .await;
    browser.close().await;
    assert!(faults.is_empty(), "{} of {} cases:\n{}", faults.len(), cases.len(), faults.join("\n"));
}

#[tokio::test]
async fn results_are_in_the_order_of_their_actions() {
    let Some(browser) = browser() else { return };
    let page = "<p id=p>before</p><button id=b onclick=\"p.textContent = 'after'\">B</button>";
    let actions = [
        json!({ "type": "scrape" }),
        click("#b"),
        json!({ "type": "wait", "milliseconds": 1 }),
        json!({ "type": "scrape" }),
        json!({ "type": "screenshot" }),
        script("p.textContent"),
        json!({ "type": "pdf" }),
    ];
    let page = render(&browser, page, &actions).await.unwrap();
    let [first, second, picture, value, file] = page.results.as_slice() else { panic!("{:?}", page.results) };
    for (scrape, text) in [(first, "<p id=\"p\">before</p>"), (second, "<p id=\"p\">after</p>")] {
        let ActionResult::Scrape { url, html } = scrape else { panic!("{scrape:?}") };
        assert!(html.contains(text) && url.path() == "/", "{url}: {html}");
    }
    let ActionResult::Screenshot(picture) = picture else { panic!("{picture:?}") };
    assert!(picture.bytes.starts_with(b"\x89PNG"));
    let text = ActionResult::Javascript { kind: "string".to_owned(), json: "\"after\"".to_owned() };
    assert_eq!(value, &text);
    let ActionResult::Pdf(file) = file else { panic!("{file:?}") };
    assert!(file.starts_with(b"%PDF-"));
    browser.close().await;
}

#[tokio::test]
async fn mobile_pages_are_tapped() {
    let Some(browser) = browser() else { return };
    let page = "<script>window.log = [];
        for (const type of ['touchstart', 'touchend', 'click'])
          addEventListener(type, event => log.push(type + event.isTrusted), true);
        </script><div style=height:2000px></div><button id=a>A</button>";
    for viewport in ["<meta name=viewport content='width=device-width'>", ""] {
        let actions = json!([click("#a"), script("log.join()")]);
        let options = json!({ "mobile": true, "actions": actions });
        let page = render_as(&browser, &format!("{viewport}{page}"), options).await.unwrap();
        let [ActionResult::Javascript { json, .. }] = page.results.as_slice() else { panic!("{page:?}") };
        assert_eq!(json, "\"touchstarttrue,touchendtrue,clicktrue\"", "{viewport}");
    }
    browser.close().await;
}

#[tokio::test]
async fn an_error_names_the_action_by_its_index_in_the_request() {
    check(vec![
        fails(
            "the wait for a time and an element is one action",
            "<button id=a>A</button>",
            json!([{ "type": "wait", "milliseconds": 1, "selector": "#a" }, click("<<"), click("#a")]),
            "action 1 failed: click \"<<\": the selector cannot be read: ",
        ),
        fails(
            "text to write is not shown",
            "<p>",
            json!([write("hunter2", "<<")]),
            "action 0 failed: write \"<<\": ",
        ),
    ])
    .await;
}

#[tokio::test]
async fn waits_end_when_an_element_is_visible() {
    let after =
        |source: &str, selector: &str| json!([script(source), { "type": "wait", "selector": selector }]);
    let later = "<p id=p style=display:none>P</p><script>
        const show = () => setTimeout(() => p.style.display = '', 300);
        const add = () => setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<i>I</i>'), 300);
        </script>";
    check(vec![
        passes("it is shown", later, after("show()", "#p"), "p.checkVisibility()", json!(true)),
        passes("it is added", later, after("add()", "i"), "document.querySelectorAll('i').length", json!(1)),
        passes(
            "the first match is a hidden template",
            "<p class=r hidden>template</p><p class=r>shown</p>",
            after("0", ".r"),
            "1",
            json!(1),
        ),
        passes(
            "it is in the next document",
            "<a id=a href=/next>A</a>",
            json!([
                click("#a"),
                { "type": "wait", "selector": "#n" },
            ]),
            "document.title",
            json!("next"),
        ),
    ])
    .await;
}
