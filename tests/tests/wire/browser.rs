//! Pages that a browser renders: screenshots, actions, and pages that are empty without their scripts.

use std::sync::Arc;

use gleaner::{EngineBuilder, RenderPolicy};
use serde_json::{Value, json};

use crate::case::{Case, case, send};
use crate::expect::Expect;
use crate::fake_browser::FakeBrowser;
use crate::runner::teams;

const SCRAPE: &str = "POST /v2/scrape";

/// The pictures of [`FakeBrowser`]: bytes that name the options.
const WINDOW_PNG: &str = "data:image/png;base64,d2luZG93IHEwIDB4MA==";
const WHOLE_PNG: &str = "data:image/png;base64,cGFnZSBxMCAweDA=";
const WHOLE_JPEG: &str = "data:image/jpeg;base64,cGFnZSBxODAgODAweDYwMA==";
const WINDOW_JPEG: &str = "data:image/jpeg;base64,d2luZG93IHE1MCAweDA=";
const WINDOW_WEBP: &str = "data:image/webp;base64,d2luZG93IHExIDB4MA==";
const WIDE_PDF: &str = "data:application/pdf;base64,JVBERiBBNCBsYW5kc2NhcGUgMC41";
const LETTER_PDF: &str = "data:application/pdf;base64,JVBERiBMZXR0ZXIgcG9ydHJhaXQgMQ==";

pub(crate) fn cases() -> Vec<Case> {
    [
        screenshots(),
        actions(),
        failed_actions(),
        refused_actions(),
        engines(),
        limits(),
        other_formats(),
        jobs(),
        v1(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn rendering(builder: EngineBuilder) -> EngineBuilder {
    teams(builder).renderer(Arc::new(FakeBrowser))
}

fn rendering_when_asked(builder: EngineBuilder) -> EngineBuilder {
    rendering(builder).render_policy(RenderPolicy::WhenAsked)
}

fn rendering_never(builder: EngineBuilder) -> EngineBuilder {
    rendering(builder).render_policy(RenderPolicy::Never)
}

/// A case of an engine with a browser.
fn rendered(name: &str, line: &str) -> Case {
    case(name, line).embedder(rendering)
}

/// A scrape of `/form` with these actions.
fn acting(name: &str, actions: Value) -> Case {
    rendered(name, SCRAPE).body(json!({ "url": "{site}/form", "actions": actions }))
}

fn screenshots() -> Vec<Case> {
    let with_format = |name: &str, format: Value, uri: &str| {
        rendered(name, SCRAPE)
            .body(json!({ "url": "{site}/docs/a", "formats": [format] }))
            .is("/data/screenshot", uri)
    };
    vec![
        with_format("a screenshot is a data URI", json!("screenshot"), WINDOW_PNG)
            .absent("/data/markdown")
            .absent("/data/actions")
            .absent("/data/warning")
            .is("/data/metadata/statusCode", 200)
            .is("/data/metadata/contentType", "text/html; charset=utf-8")
            .is("/data/metadata/creditsUsed", 1),
        with_format(
            "a screenshot with options",
            json!({
                "type": "screenshot", "fullPage": true, "quality": 80,
                "viewport": { "width": 800, "height": 600 },
            }),
            WHOLE_JPEG,
        ),
        with_format(
            "a screenshot keeps the type of its picture",
            json!({ "type": "screenshot", "quality": 1 }),
            WINDOW_WEBP,
        ),
        rendered("a screenshot of an error page", SCRAPE)
            .body(json!({ "url": "{site}/gone", "formats": ["screenshot", "markdown"] }))
            .is("/data/screenshot", WINDOW_PNG)
            .contains("/data/markdown", "There is nothing here.")
            .is("/data/metadata/statusCode", 404)
            .is("/data/metadata/error", "Not Found"),
        rendered("a screenshot after a redirect", SCRAPE)
            .body(json!({ "url": "{site}/moved", "formats": ["screenshot"] }))
            .is("/data/screenshot", WINDOW_PNG)
            .is("/data/metadata/sourceURL", "{site}/moved")
            .is("/data/metadata/url", "{site}/rich"),
        rendered("a page without a screenshot has none", SCRAPE)
            .body(json!({ "url": "{site}/docs/a", "waitFor": 1 }))
            .kind("/data/markdown", "string")
            .absent("/data/screenshot")
            .absent("/data/actions"),
    ]
}

fn actions() -> Vec<Case> {
    vec![
        acting(
            "actions of every kind have their results",
            json!([
                { "type": "wait", "milliseconds": 5 }, { "type": "wait", "selector": "#more" },
                { "type": "scrape" },
                { "type": "write", "text": "tea", "selector": "#name" }, { "type": "press", "key": "Enter" },
                { "type": "scroll", "direction": "up" }, { "type": "click", "selector": "#more", "all": true },
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
        acting("results of one kind are in the order of their actions", json!([
            { "type": "pdf" }, { "type": "screenshot", "fullPage": true }, { "type": "screenshot" },
            { "type": "pdf", "landscape": true, "scale": 0.5, "format": "A4" },
        ]))
        .is("/data/actions/screenshots", json!([WHOLE_PNG, WINDOW_PNG]))
        .is("/data/actions/pdfs", json!([LETTER_PDF, WIDE_PDF])),
        acting("values of scripts keep their types", json!([
            { "type": "executeJavascript", "script": "1 + 1" },
            { "type": "executeJavascript", "script": "[1, null]" },
            { "type": "executeJavascript", "script": "undefined" },
        ]))
        .is("/data/actions/javascriptReturns", json!([
            { "type": "number", "value": 2 }, { "type": "object", "value": [1, null] },
            { "type": "undefined", "value": null },
        ])),
        acting("actions without results give empty lists", json!([{ "type": "scroll" }]))
            .is("/data/actions", json!({
                "screenshots": [], "scrapes": [], "javascriptReturns": [], "pdfs": [],
            })),
        rendered("no actions give no results", SCRAPE)
            .body(json!({ "url": "{site}/form", "actions": [], "formats": ["screenshot"] }))
            .is("/data/screenshot", WINDOW_PNG)
            .absent("/data/actions"),
        acting("the document is read after the last action", json!([{ "type": "write", "text": "cocoa" }]))
            .contains("/data/markdown", "Wrote cocoa.")
            .is("/data/metadata/creditsUsed", 1),
    ]
}

fn failed_actions() -> Vec<Case> {
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
        rendered("a failed action is listed with the errors of its batch", "GET /v2/batch/scrape/{id}/errors")
            .after_job("POST /v2/batch/scrape", json!({
                "urls": ["{site}/form", "{site}/docs/a"], "actions": [{ "type": "click", "selector": "#more" }],
            }))
            .len("/errors", 1)
            .is("/errors/0/url", "{site}/docs/a")
            .is("/errors/0/code", "SCRAPE_ACTION_ERROR")
            .contains("/errors/0/error", "action 0 failed: click \"#more\""),
    ]
}

/// Actions that are refused before any work, in the same way with and without a browser.
fn refused_actions() -> Vec<Case> {
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

/// What made a page.
fn engines() -> Vec<Case> {
    let of = |name: &str, embedder: fn(EngineBuilder) -> EngineBuilder, options: Value| {
        let mut body = json!({ "url": "{site}/shell" });
        if let (Some(body), Value::Object(options)) = (body.as_object_mut(), options) {
            body.extend(options);
        }
        case(name, SCRAPE).embedder(embedder).body(body)
    };
    let built = "wrote these words";
    vec![
        of("a page that is empty without its scripts is rendered", rendering, json!({}))
            .is("/data/metadata/engine", "browser")
            .is("/data/metadata/creditsUsed", 1)
            .contains("/data/markdown", built)
            .absent("/data/warning"),
        of("its links are those that the scripts wrote", rendering, json!({ "formats": ["links"] }))
            .is("/data/metadata/engine", "browser")
            .is("/data/links", json!(["{site}/shell/first"])),
        of("with waitFor the page is rendered", rendering_when_asked, json!({ "waitFor": 1 }))
            .is("/data/metadata/engine", "browser")
            .contains("/data/markdown", built)
            .absent("/data/warning"),
        of("with mobile the page is rendered", rendering_when_asked, json!({ "mobile": true }))
            .is("/data/metadata/engine", "browser")
            .absent("/data/warning"),
        of("a browser that renders only pages that ask for it", rendering_when_asked, json!({}))
            .is("/data/metadata/engine", "static")
            .contains("/data/warning", "JavaScript")
            .contains("/data/warning", "`waitFor`"),
        of("a browser that is switched off is none", rendering_never, json!({}))
            .absent("/data/metadata/engine")
            .contains("/data/warning", "no browser"),
        of(
            "a browser that is switched off takes no screenshots",
            rendering_never,
            json!({
                "formats": ["screenshot"],
            }),
        )
        .status(400)
        .code("SCRAPE_SCREENSHOT_NOT_SUPPORTED")
        .error_contains(["screenshot", "browser"]),
        of("without a browser no engine is named", teams, json!({ "waitFor": 1 }))
            .absent("/data/metadata/engine")
            .contains("/data/warning", "waitFor has no effect"),
        rendered("a page with text is not rendered", SCRAPE)
            .body(json!({ "url": "{site}/docs/a" }))
            .is("/data/metadata/engine", "static")
            .absent("/data/warning"),
        rendered("a document that is no page stays as served", SCRAPE)
            .body(json!({ "url": "{site}/notes.txt", "waitFor": 1 }))
            .is("/data/metadata/engine", "browser")
            .is("/data/metadata/contentType", "text/plain; charset=utf-8")
            .starts_with("/data/markdown", "```"),
        rendered("a warning of the browser is one of the document", SCRAPE)
            .body(json!({ "url": "{site}/late", "waitFor": 1 }))
            .contains("/data/markdown", "came late")
            .contains("/data/warning", "the page was not complete in time"),
        rendered("rendered pages are not cached", SCRAPE)
            .after(send(SCRAPE, json!({ "url": "{site}/docs/a", "waitFor": 1 })))
            .body(json!({ "url": "{site}/docs/a", "waitFor": 1 }))
            .is("/data/metadata/cacheState", "miss"),
    ]
}

fn limits() -> Vec<Case> {
    let many = vec![json!({ "type": "executeJavascript", "script": "1 + 1" }); 50];
    vec![
        acting("as many actions as allowed", Value::from(many)).len("/data/actions/javascriptReturns", 50),
        acting(
            "waits of a minute together",
            json!([
                { "type": "wait", "milliseconds": 30_000 }, { "type": "wait", "milliseconds": 30_000 },
            ]),
        )
        .is("/data/metadata/engine", "browser"),
        rendered("the longest waitFor", SCRAPE)
            .body(json!({ "url": "{site}/docs/a", "waitFor": 60_000, "timeout": 120_000 }))
            .is("/data/metadata/engine", "browser"),
        rendered("a page that a browser does not get ends in time", SCRAPE)
            .body(json!({ "url": "{stuck}/", "waitFor": 1, "timeout": 200 }))
            .status(408)
            .code("SCRAPE_TIMEOUT")
            .starts_with("/error", "Scrape timed out"),
        rendered("a page that never lets its browser go ends in time", SCRAPE)
            .body(json!({ "url": "{site}/endless", "formats": ["screenshot"], "timeout": 200 }))
            .status(408)
            .code("SCRAPE_TIMEOUT")
            .starts_with("/error", "Scrape timed out"),
        rendered("a broken connection of a browser", SCRAPE)
            .body(json!({ "url": "{broken}/", "formats": ["screenshot"] }))
            .status(422)
            .code("SCRAPE_SITE_ERROR")
            .kind("/error", "string"),
        rendered("a browser passes the egress guard", SCRAPE)
            .body(json!({ "url": "http://169.254.169.254/", "formats": ["screenshot"] }))
            .status(403)
            .kind("/error", "string"),
        rendered("the cache has no screenshots", SCRAPE)
            .body(json!({ "url": "{site}/docs/a", "formats": ["screenshot"], "lockdown": true }))
            .status(404)
            .code("SCRAPE_NO_CACHED_DATA")
            .error_contains(["`lockdown`", "browser"]),
    ]
}

/// Formats that read the rendered page.
fn other_formats() -> Vec<Case> {
    let tracked = |actions: Value| json!({ "url": "{site}/form", "formats": ["markdown", "changeTracking"], "actions": actions });
    let write = |text: &str| json!([{ "type": "write", "text": text }]);
    vec![
        rendered("an unchanged rendered page is the same", SCRAPE)
            .after(send(SCRAPE, tracked(write("tea"))))
            .body(tracked(write("tea")))
            .is("/data/changeTracking/changeStatus", "same"),
        rendered("what actions change is a change", SCRAPE)
            .after(send(SCRAPE, tracked(write("tea"))))
            .body(tracked(write("cocoa")))
            .is("/data/changeTracking/changeStatus", "changed")
            .contains("/data/markdown", "Wrote cocoa."),
        rendered("the branding of a rendered page comes from its computed styles", SCRAPE)
            .body(json!({ "url": "{site}/rich", "formats": ["branding"], "waitFor": 1 }))
            .is("/data/branding/colorScheme", "dark")
            .is("/data/branding/fonts/0/family", "Lora"),
        rendered("fields come from the rendered page", SCRAPE)
            .body(json!({
                "url": "{site}/shell",
                "formats": [{ "type": "attributes", "selectors": [{ "selector": "a", "attribute": "href" }] }],
                "waitFor": 1,
            }))
            .len("/data/attributes/0/values", 1),
    ]
}

fn jobs() -> Vec<Case> {
    let page = || send(SCRAPE, json!({ "url": "{site}/form", "formats": ["screenshot"] }));
    vec![
        rendered("a batch of screenshots", "GET /v2/batch/scrape/{id}")
            .after_job(
                "POST /v2/batch/scrape",
                json!({
                    "urls": ["{site}/docs/a", "{site}/docs/b"], "formats": ["screenshot"],
                }),
            )
            .documents(["{site}/docs/a", "{site}/docs/b"])
            .field("/data", Expect::ItemsExactly("/screenshot", vec![WINDOW_PNG.into(), WINDOW_PNG.into()]))
            .is("/creditsUsed", 2),
        rendered("a crawl of screenshots", "GET /v2/crawl/{id}")
            .after_job(
                "POST /v2/crawl",
                json!({
                    "url": "{site}/deep/", "sitemap": "skip", "limit": 2,
                    "scrapeOptions": { "formats": ["screenshot"] },
                }),
            )
            .documents(["{site}/deep/", "{site}/deep/1"])
            .field("/data", Expect::ItemsExactly("/screenshot", vec![WINDOW_PNG.into(), WINDOW_PNG.into()])),
        rendered("a crawl follows the links that scripts write", "GET /v2/crawl/{id}")
            .after_job("POST /v2/crawl", json!({ "url": "{site}/shell", "sitemap": "skip" }))
            .documents(["{site}/shell", "{site}/shell/first"])
            .is("/creditsUsed", 2)
            .field(
                "/data",
                Expect::ItemsExactly("/metadata/engine", vec!["browser".into(), "static".into()]),
            ),
        rendered("a map has the links that scripts write", "POST /v2/map")
            .body(json!({ "url": "{site}/shell", "sitemap": "skip" }))
            .links(["{site}/shell/first"]),
        rendered("a screenshot is readable by the id of its scrape", "GET /v2/scrape/{page}")
            .after(page().keep("page", "/data/metadata/scrapeId"))
            .is("/data/screenshot", WINDOW_PNG),
        rendered("a screenshot with zero data retention is not stored", "GET /v2/scrape/{page}")
            .after(
                send(
                    SCRAPE,
                    json!({
                        "url": "{site}/form", "formats": ["screenshot"], "zeroDataRetention": true,
                    }),
                )
                .keep("page", "/data/metadata/scrapeId"),
            )
            .not_found(),
        rendered("the errors of a batch without failures", "GET /v2/batch/scrape/{id}/errors")
            .after_job(
                "POST /v2/batch/scrape",
                json!({
                    "urls": ["{site}/form"], "actions": [{ "type": "click", "selector": "#more" }],
                }),
            )
            .is("/errors", json!([])),
    ]
}

fn v1() -> Vec<Case> {
    const SCRAPE: &str = "POST /v1/scrape";
    vec![
        rendered("v1: a screenshot of the window", SCRAPE)
            .body(json!({ "url": "{site}/docs/a", "formats": ["screenshot"] }))
            .is("/data/screenshot", WINDOW_PNG),
        rendered("v1: a screenshot of the whole page", SCRAPE)
            .body(json!({ "url": "{site}/docs/a", "formats": ["screenshot@fullPage"] }))
            .is("/data/screenshot", WHOLE_PNG)
            .is("/data/metadata/engine", "browser"),
        rendered("v1: actions have the results of v2", SCRAPE)
            .body(json!({ "url": "{site}/form", "formats": ["markdown"], "actions": [
                { "type": "write", "text": "tea", "selector": "#name" }, { "type": "screenshot" },
                { "type": "executeJavascript", "script": "1 + 1" }, { "type": "scrape" }, { "type": "pdf" },
            ] }))
            .is("/data/actions/screenshots", json!([WINDOW_PNG]))
            .is("/data/actions/javascriptReturns", json!([{ "type": "number", "value": 2 }]))
            .is("/data/actions/scrapes/0/url", "{site}/form")
            .is("/data/actions/pdfs", json!([LETTER_PDF]))
            .contains("/data/markdown", "Wrote tea."),
        rendered("v1: a failed action", SCRAPE)
            .body(json!({ "url": "{site}/form", "actions": [{ "type": "click", "selector": "#gone" }] }))
            .status(422)
            .code("SCRAPE_ACTION_ERROR")
            .error("{site}/form: action 0 failed: click \"#gone\": no element matches"),
        rendered("v1: a batch of whole pages", "GET /v1/batch/scrape/{id}")
            .after_job(
                "POST /v1/batch/scrape",
                json!({
                    "urls": ["{site}/docs/a"], "formats": ["screenshot@fullPage"],
                }),
            )
            .field("/data", Expect::ItemsExactly("/screenshot", vec![WHOLE_PNG.into()])),
        rendered("v1: a failed action of a batch", "GET /v1/batch/scrape/{id}/errors")
            .after_job(
                "POST /v1/batch/scrape",
                json!({
                    "urls": ["{site}/form"], "actions": [{ "type": "click", "selector": "#gone" }],
                }),
            )
            .is("/errors/0/code", "SCRAPE_ACTION_ERROR"),
        rendered("v1: a job has no document of a failed action", "GET /v1/batch/scrape/{id}")
            .after_job(
                "POST /v1/batch/scrape",
                json!({
                    "urls": ["{site}/form"], "actions": [{ "type": "click", "selector": "#gone" }],
                }),
            )
            .is("/data", json!([]))
            .is("/creditsUsed", 0),
    ]
}
