//! The same with the installed Chromium, for the parts of an answer that a real page decides.

use std::sync::Arc;

use gleaner::EngineBuilder;
use serde_json::json;

use crate::case::{Case, case};
use crate::installed;
use crate::runner::teams;

pub(crate) fn cases() -> Vec<Case> {
    let rendered = |name: &str, line: &str| case(name, line).embedder(with_chromium);
    vec![
        rendered("Chromium: a page that is empty without its scripts", "POST /v2/scrape")
            .body(json!({ "url": "{site}/shell" }))
            .is("/data/metadata/engine", "browser")
            .is("/data/metadata/title", "Application")
            .contains("/data/markdown", "The script of this page wrote these words")
            .absent("/data/warning"),
        rendered("Chromium: queries in the encoding of the page as served", "POST /v2/scrape")
            .body(json!({ "url": "{site}/cyrillic", "formats": ["links", "markdown", "screenshot"] }))
            .is("/data/metadata/engine", "browser")
            .is("/data/metadata/title", "Чай")
            .is("/data/metadata/contentType", "text/html; charset=utf-8")
            .contains("/data/markdown", "/docs/b?q=%FF")
            .includes("/data/links", ["{site}/docs/a?q=%FF", "{site}/docs/b?q=%FF"]),
        rendered("Chromium: actions of every kind", "POST /v2/scrape")
            .body(json!({ "url": "{site}/form", "actions": [
                { "type": "wait", "milliseconds": 5, "selector": "#name" },
                { "type": "write", "text": "tea", "selector": "#name" },
                { "type": "press", "key": "!" }, { "type": "scroll" },
                { "type": "click", "selector": "#more" },
                { "type": "executeJavascript", "script": "document.querySelector('#name').value" },
                { "type": "scrape" }, { "type": "screenshot" }, { "type": "pdf" },
            ] }))
            .is("/data/actions/javascriptReturns", json!([{ "type": "string", "value": "tea!" }]))
            .is("/data/actions/scrapes/0/url", "{site}/form")
            .contains("/data/actions/scrapes/0/html", "</button><p>Clicked #more.</p>")
            // The first bytes of a PNG and of a PDF.
            .starts_with("/data/actions/screenshots/0", "data:image/png;base64,iVBORw0KGgo")
            .starts_with("/data/actions/pdfs/0", "data:application/pdf;base64,JVBERi0")
            .contains("/data/markdown", "Clicked"),
        rendered("Chromium: a failed action", "POST /v2/scrape")
            .body(json!({ "url": "{site}/form", "actions": [
                { "type": "scroll" }, { "type": "click", "selector": "#gone" },
            ] }))
            .status(422)
            .code("SCRAPE_ACTION_ERROR")
            .error_contains(["{site}/form: action 1 failed: click \"#gone\": no element matches"]),
        rendered("Chromium: a JPEG of the whole page", "POST /v2/scrape")
            .body(json!({ "url": "{site}/rich", "formats": [
                { "type": "screenshot", "fullPage": true, "quality": 60 }, "markdown",
            ] }))
            .starts_with("/data/screenshot", "data:image/jpeg;base64,/9j/")
            .contains("/data/markdown", "All our teas"),
        rendered("Chromium, v1: a picture of the whole page", "POST /v1/scrape")
            .body(json!({ "url": "{site}/rich", "formats": ["screenshot@fullPage"] }))
            .starts_with("/data/screenshot", "data:image/png;base64,iVBORw0KGgo"),
        rendered("Chromium: a server that never answers", "POST /v2/scrape")
            .body(json!({ "url": "{stuck}/", "formats": ["screenshot"], "timeout": 2_000 }))
            .status(408)
            .code("SCRAPE_TIMEOUT")
            .starts_with("/error", "Scrape timed out"),
        rendered("Chromium: a crawl of screenshots", "GET /v2/crawl/{id}")
            .after_job(
                "POST /v2/crawl",
                json!({
                    "url": "{site}/shell", "sitemap": "skip", "scrapeOptions": { "formats": ["screenshot"] },
                }),
            )
            .documents(["{site}/shell", "{site}/shell/first"])
            .starts_with("/data/1/screenshot", "data:image/png;base64,iVBORw0KGgo"),
    ]
}

fn with_chromium(builder: EngineBuilder) -> EngineBuilder {
    match installed::open() {
        Some(browser) => teams(builder).renderer(Arc::new(browser)),
        None => teams(builder),
    }
}
