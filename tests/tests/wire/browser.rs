//! Pages that a browser renders: screenshots, actions, and pages that are empty without their scripts.

mod actions;

use std::sync::Arc;

use gleaner::{EngineBuilder, Pages, RenderPolicy};
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
        actions::results(),
        actions::failures(),
        actions::refusals(),
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
    rendering(builder).pages(Pages::new().render_policy(RenderPolicy::WhenAsked))
}

fn rendering_never(builder: EngineBuilder) -> EngineBuilder {
    rendering(builder).pages(Pages::new().render_policy(RenderPolicy::Never))
}

/// A case of an engine with a browser.
fn rendered(name: &str, line: &str) -> Case {
    case(name, line).embedder(rendering)
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
        actions::acting("as many actions as allowed", Value::from(many))
            .len("/data/actions/javascriptReturns", 50),
        actions::acting(
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
    let formats = json!(["markdown", "changeTracking"]);
    let tracked = |text: &str| {
        let actions = json!([{ "type": "write", "text": text }]);
        json!({ "url": "{site}/form", "formats": formats, "actions": actions })
    };
    vec![
        rendered("an unchanged rendered page is the same", SCRAPE)
            .after(send(SCRAPE, tracked("tea")))
            .body(tracked("tea"))
            .is("/data/changeTracking/changeStatus", "same"),
        rendered("what actions change is a change", SCRAPE)
            .after(send(SCRAPE, tracked("tea")))
            .body(tracked("cocoa"))
            .is("/data/changeTracking/changeStatus", "changed")
            .contains("/data/markdown", "Wrote cocoa."),
        rendered("the branding of a rendered page comes from its computed styles", SCRAPE)
            .body(json!({ "url": "{site}/rich", "formats": ["branding"], "waitFor": 1 }))
            .is("/data/branding/colorScheme", "dark")
            .is("/data/branding/colors/primary", "#aabbcc"),
        rendered("fields come from the rendered page", SCRAPE)
            .body(json!({
                "url": "{site}/shell",
                "formats": [{
                    "type": "attributes", "selectors": [{ "selector": "a", "attribute": "href" }],
                }],
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
