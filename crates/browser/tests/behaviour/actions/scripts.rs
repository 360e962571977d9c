//! Tests of scripts that a request runs in a page.

use gleaner_fetch::ActionResult;
use serde_json::json;

use super::{check, fails, passes, render, script};
use crate::support::browser;

/// Forbids `eval` to the page's own scripts.
const STRICT: &str = "<meta http-equiv=Content-Security-Policy
    content=\"default-src 'self'; script-src 'self'; require-trusted-types-for 'script'\"><p>P</p>";

#[tokio::test]
async fn scripts_have_values_of_every_type() {
    let Some(browser) = browser() else { return };
    let cases = [
        ("1 + 1", "number", "2"),
        ("'\\u{2028}\"'", "string", "\"\u{2028}\\\"\""),
        ("['a\\ud83d', 'b'.repeat(2)]", "object", "[\"a\u{fffd}\",\"bb\"]"),
        ("return 5", "number", "5"),
        ("if (true) { return [1, { a: null }]; }", "object", "[1,{\"a\":null}]"),
        ("await Promise.resolve({ a: 1 })", "object", "{\"a\":1}"),
        ("const x = await 3; return x + 1;", "number", "4"),
        ("Promise.resolve(true)", "boolean", "true"),
        ("let q = 7; q", "number", "7"),
        ("const o = {}; o.o = o; o.l = [o]; o", "object", "{\"o\":\"[Circular]\",\"l\":[\"[Circular]\"]}"),
        ("const same = { a: 1 }; [same, same]", "object", "[{\"a\":1},{\"a\":1}]"),
        ("undefined", "undefined", "null"),
        ("null", "object", "null"),
        ("NaN", "number", "null"),
        ("new Date(0)", "object", "\"1970-01-01T00:00:00.000Z\""),
        ("10n", "bigint", "\"10\""),
        ("(() => 1)", "function", "null"),
        ("Symbol('s')", "symbol", "null"),
        ("new Map([[1, 2]])", "object", "{}"),
        ("document.querySelector('p')", "object", "{}"),
        ("document.querySelectorAll('p').length", "number", "1"),
        ("// a comment", "undefined", "null"),
    ];
    let actions: Vec<_> = cases.iter().map(|(source, ..)| script(source)).collect();
    let page = render(&browser, STRICT, &actions).await.unwrap();
    for ((source, kind, json), result) in cases.iter().zip(&page.results) {
        let expected = ActionResult::Javascript { kind: (*kind).to_owned(), json: (*json).to_owned() };
        let ActionResult::Javascript { kind, json } = result else { panic!("{result:?}") };
        assert_eq!(result, &expected, "{source}: {kind} {json}");
    }
    assert_eq!(page.results.len(), cases.len());
    browser.close().await;
}

#[tokio::test]
async fn scripts_run_among_those_of_the_page() {
    check(vec![
        passes("its globals", "<script>window.a = 20; const b = 22</script>", json!([]), "a + b", json!(42)),
        passes(
            "a page that writes arrays and texts in its own way",
            "<script>Array.prototype.toJSON = String.prototype.toJSON = () => 'x'</script>",
            json!([]),
            "[['a'], typeof [].toJSON]",
            json!([["a"], "function"]),
        ),
        passes(
            "a page that has replaced `eval`",
            "<script>window.eval = () => { throw Error('no') }</script>",
            json!([script("const a = 2; window.b = a + 1")]),
            "window.b",
            json!(3),
        ),
        passes(
            "what one leaves, the next one sees",
            "<p>P</p>",
            json!([script("window.c = 3")]),
            "c",
            json!(3),
        ),
        passes(
            "a page without `eval`",
            STRICT,
            json!([]),
            "document.querySelector('p').textContent",
            json!("P"),
        ),
        passes(
            "what it renders is awaited",
            "<p id=p>P</p>",
            json!([script("setTimeout(() => fetch('/next').then(() => p.textContent = 'done'), 20); 0")]),
            "p.textContent",
            json!("done"),
        ),
    ])
    .await;
}

#[tokio::test]
async fn scripts_that_fail_say_why() {
    let fail = |name, source: &str, text: &str| {
        fails(name, "<p>P</p>", json!([script(source)]), format!("executeJavascript: {text}"))
    };
    check(vec![
        fail("an error", "throw new TypeError('bad')", "TypeError: bad"),
        fail("a value", "throw 'no'", "no"),
        fail("a rejected promise", "Promise.reject(new Error('late'))", "Error: late"),
        fail("a missing name", "nope()", "ReferenceError: nope is not defined"),
        fail("no script", "x y", "SyntaxError: "),
        fail(
            "a long text",
            "'x'.repeat(3e6)",
            "the result has 3000002 characters as JSON, more than 1000000",
        ),
        fail("many parts", "new Array(1e7).fill(0)", "the result cannot be written as JSON: RangeError"),
        fail(
            "a page that replaces JSON",
            "JSON.stringify = () => '{'; 1",
            "the script's value is not JSON: ",
        ),
        fail("a script without end", "for (;;);", "the script did not end within "),
        fail("a promise that never settles", "new Promise(() => 0)", "the script did not end within "),
    ])
    .await;
}
