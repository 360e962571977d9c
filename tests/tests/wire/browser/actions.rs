//! Actions: their results, their failures, and those that are refused.

use serde_json::{Value, json};

use super::{LETTER_PDF, SCRAPE, WHOLE_PNG, WIDE_PDF, WINDOW_JPEG, WINDOW_PNG, rendered};
use crate::case::Case;

/// A scrape of `/form` with these actions.
pub(super) fn acting(name: &str, actions: Value) -> Case {
    rendered(name, SCRAPE).body(json!({ "url": "{site}/form", "actions": actions }))
}

pub(super) fn results() -> Vec<Case> {
    vec![
        acting(
            "actions of every kind have their results",
            json!([
                { "type": "wait", "milliseconds": 5 }, { "type": "wait", "selector": "#more" },
                { "type": "scrape" },
                { "type": "write", "text": "tea", "selector": "#name" }, { "type": "press", "key": "Enter" },
                { "type": "scroll", "direction": "up" },
                { "type": "click", "selector": "#more", "all": true },
                { "type": "screenshot", "quality": 50 }, { "type": "scrape" },
                { "type": "executeJavascript", "script": "document.title" },
                { "type": "pdf", "landscape": true, "scale": 0.5, "format": "A4" },
            ]),
        )
        .keys("/data/actions", &["screenshots", "scrapes", "javascriptReturns", "pdfs"])
        .is("/data/actions/screenshots", json!([WINDOW_JPEG]))
        .is("/data/actions/pdfs", json!([WIDE_PDF]))
        .is("/data/actions/javascriptReturns", json!([{ "type": "string", "value": "Form" }]))
        .len("/data/actions/scrapes", 2)
        .keys("/data/actions/scrapes/0", &["url", "html"])
        .is("/data/actions/scrapes/0/url", "{site}/form")
        .lacks("/data/actions/scrapes/0/html", "Wrote tea.")
        .contains("/data/actions/scrapes/1/html", "Wrote tea.")
        .contains("/data/markdown", "Pressed Enter.")
        .absent("/data/screenshot"),
        acting(
            "results of one kind are in the order of their actions",
            json!([
                { "type": "pdf" }, { "type": "screenshot", "fullPage": true }, { "type": "screenshot" },
                { "type": "pdf", "landscape": true, "scale": 0.5, "format": "A4" },
            ]),
        )
        .is("/data/actions/screenshots", json!([WHOLE_PNG, WINDOW_PNG]))
        .is("/data/actions/pdfs", json!([LETTER_PDF, WIDE_PDF])),
        acting(
            "values of scripts keep their types",
            json!([
                { "type": "executeJavascript", "script": "1 + 1" },
                { "type": "executeJavascript", "script": "[1, null]" },
                { "type": "executeJavascript", "script": "undefined" },
            ]),
        )
        .is(
            "/data/actions/javascriptReturns",
            json!([
                { "type": "number", "value": 2 }, { "type": "object", "value": [1, null] },
                { "type": "undefined", "value": null },
            ]),
        ),
        acting("actions without results give empty lists", json!([{ "type": "scroll" }])).is(
            "/data/actions",
            json!({
                "screenshots": [], "scrapes": [], "javascriptReturns": [], "pdfs": [],
            }),
        ),
        rendered("no actions give no results", SCRAPE)
            .body(json!({ "url": "{site}/form", "actions": [], "formats": ["screenshot"] }))
            .is("/data/screenshot", WINDOW_PNG)
            .absent("/data/actions"),
        acting("the document is read after the last action", json!([{ "type": "write", "text": "cocoa" }]))
            .contains("/data/markdown", "Wrote cocoa.")
            .is("/data/metadata/creditsUsed", 1),
    ]
}

pub(super) fn failures() -> Vec<Case> {
    let failing = |name: &str, actions: Value, error: &str| {
        acting(name, actions)
            .status(422)
            .code("SCRAPE_ACTION_ERROR")
            .error(&format!("{{site}}/form: {error}"))
            .absent("/data")
    };
    vec![
        failing(
            "a failed action is named by index, kind and selector",
            json!([{ "type": "scroll" }, { "type": "click", "selector": "#gone" }]),
            "action 1 failed: click \"#gone\": no element matches",
        ),
        failing(
            "a wait for a time and an element is one action",
            json!([
                { "type": "wait", "milliseconds": 1, "selector": "#name" },
                { "type": "wait", "milliseconds": 1, "selector": "#never" },
            ]),
            "action 1 failed: wait \"#never\": no element matches",
        ),
        failing(
            "a failed action does not show the text to write",
            json!([{ "type": "write", "text": "hunter2", "selector": "#password" }]),
            "action 0 failed: write \"#password\": no element matches",
        ),
        failing(
            "a script that throws is a failed action",
            json!([{ "type": "scrape" }, { "type": "executeJavascript", "script": "throw Error('no')" }]),
            "action 1 failed: executeJavascript: Error: no",
        ),
        rendered(
            "a failed action is listed with the errors of its batch",
            "GET /v2/batch/scrape/{id}/errors",
        )
        .after_job(
            "POST /v2/batch/scrape",
            json!({
                "urls": ["{site}/form", "{site}/docs/a"],
                "actions": [{ "type": "click", "selector": "#more" }],
            }),
        )
        .len("/errors", 1)
        .is("/errors/0/url", "{site}/docs/a")
        .is("/errors/0/code", "SCRAPE_ACTION_ERROR")
        .contains("/errors/0/error", "action 0 failed: click \"#more\""),
    ]
}

/// Actions that are refused before any work, in the same way with and without a browser.
pub(super) fn refusals() -> Vec<Case> {
    let refused = |name: &str, action: Value, field: &str, text: &str| {
        acting(name, json!([{ "type": "scrape" }, action]))
            .refused_at(json!(["actions", 1, field]))
            .error_contains([&format!("actions[1].{field}"), text])
    };
    let long = |length: usize| "x".repeat(length);
    vec![
        refused(
            "a click without a selector, for a browser",
            json!({ "type": "click" }),
            "selector",
            "missing",
        ),
        refused(
            "a click on an empty selector",
            json!({ "type": "click", "selector": "" }),
            "selector",
            "must not be empty",
        ),
        refused(
            "a click on a long selector",
            json!({ "type": "click", "selector": long(1_001) }),
            "selector",
            "1000",
        ),
        refused("a write without a text", json!({ "type": "write" }), "text", "missing"),
        refused("a press without a key", json!({ "type": "press" }), "key", "missing"),
        refused("a script without a source", json!({ "type": "executeJavascript" }), "script", "missing"),
        refused(
            "a wait of no time",
            json!({ "type": "wait", "milliseconds": 0 }),
            "milliseconds",
            "1 to 60000",
        ),
        refused("a print at no scale", json!({ "type": "pdf", "scale": 0 }), "scale", "0.1"),
        refused("a print on unknown paper", json!({ "type": "pdf", "format": "A9" }), "format", "A4"),
        refused(
            "a picture of no quality",
            json!({ "type": "screenshot", "quality": 0 }),
            "quality",
            "1 to 100",
        ),
    ]
}
