//! The bounds of each option of a scrape.

use std::time::Duration;

use gleaner::EngineBuilder;
use serde_json::{Value, json};

use crate::case::{Case, ask};
use crate::runner::teams;

pub(crate) fn cases() -> Vec<Case> {
    [times(), longer_times(), formats(), files(), actions(), places(), selectors(), addresses(), keys()]
        .into_iter()
        .flatten()
        .collect()
}

/// A scrape of one page with these options.
fn page(options: Value) -> Value {
    let mut body = json!({ "url": "{site}/docs/a" });
    if let (Some(body), Value::Object(options)) = (body.as_object_mut(), options) {
        body.extend(options);
    }
    body
}

/// Refused, with a fault at this path and with these pieces of text.
fn refused<const N: usize>(name: &str, options: Value, path: Value, texts: [&str; N]) -> Case {
    ask(name, "POST /v2/scrape").with(page(options)).refused_at(path).error_has(texts)
}

fn taken(name: &str, options: Value) -> Case {
    ask(name, "POST /v2/scrape").with(page(options)).is("/success", true)
}

fn times() -> Vec<Case> {
    let half = "a waitFor of half the timeout is taken";
    vec![
        refused("a timeout of 0", json!({ "timeout": 0 }), json!(["timeout"]), ["timeout", "300000"]),
        refused(
            "a timeout beyond its bound",
            json!({ "timeout": 300_001 }),
            json!(["timeout"]),
            ["timeout", "300000"],
        ),
        taken("the longest timeout", json!({ "timeout": 300_000 })),
        refused("a timeout in words", json!({ "timeout": "30s" }), json!(["timeout"]), ["timeout", "30s"]),
        refused(
            "a timeout with a fraction",
            json!({ "timeout": 1.5 }),
            json!(["timeout"]),
            ["timeout", "1.5"],
        ),
        refused(
            "a waitFor beyond its bound",
            json!({ "waitFor": 60_001, "timeout": 300_000 }),
            json!(["waitFor"]),
            ["waitFor", "60000"],
        ),
        refused(
            "a waitFor of more than half the timeout",
            json!({ "waitFor": 501, "timeout": 1_000 }),
            json!(["waitFor"]),
            ["waitFor", "timeout", "500"],
        ),
        refused(
            "a waitFor of more than half the timeout by default",
            json!({ "waitFor": 15_001 }),
            json!(["waitFor"]),
            ["waitFor", "15000"],
        ),
        ask(half, "POST /v2/batch/scrape")
            .with(json!({ "urls": ["{site}/docs/a"], "waitFor": 500, "timeout": 1_000 }))
            .is("/success", true),
        refused("a maxAge below 0", json!({ "maxAge": -1 }), json!(["maxAge"]), ["maxAge"]),
    ]
}

/// An engine that takes timeouts of up to an hour.
fn patient(builder: EngineBuilder) -> EngineBuilder {
    teams(builder).max_timeout(Duration::from_secs(3_600))
}

/// An engine that would take timeouts of up to a day.
fn too_patient(builder: EngineBuilder) -> EngineBuilder {
    teams(builder).max_timeout(Duration::from_secs(86_400))
}

/// An engine that would take timeouts of up to a second.
fn impatient(builder: EngineBuilder) -> EngineBuilder {
    teams(builder).max_timeout(Duration::from_secs(1))
}

/// Where the embedder chose the bound of `timeout`.
fn longer_times() -> Vec<Case> {
    let beyond = |name: &str, line: &str, body: Value, path: Value| {
        ask(name, line).embedder(patient).with(body).refused_at(path).error_has(["timeout", "3600000"])
    };
    let longer = || json!({ "timeout": 3_600_001 });
    vec![
        taken("the longest timeout of an embedder's choice", json!({ "timeout": 3_600_000 }))
            .embedder(patient),
        beyond(
            "a timeout beyond the embedder's bound",
            "POST /v2/scrape",
            page(longer()),
            json!(["timeout"]),
        ),
        beyond(
            "a timeout beyond the embedder's bound in v1",
            "POST /v1/scrape",
            page(longer()),
            json!(["timeout"]),
        ),
        beyond(
            "a timeout of a batch beyond the embedder's bound",
            "POST /v2/batch/scrape",
            json!({ "urls": ["{site}/docs/a"], "timeout": 3_600_001 }),
            json!(["timeout"]),
        ),
        beyond(
            "a timeout of a crawl's pages beyond the embedder's bound",
            "POST /v2/crawl",
            json!({ "url": "{site}/docs/", "scrapeOptions": longer() }),
            json!(["scrapeOptions", "timeout"]),
        ),
        beyond(
            "a timeout of a map beyond the embedder's bound",
            "POST /v2/map",
            page(longer()),
            json!(["timeout"]),
        ),
        refused(
            "a waitFor has its own bound, whatever the embedder's for the timeout",
            json!({ "waitFor": 60_001, "timeout": 3_600_000 }),
            json!(["waitFor"]),
            ["waitFor", "60000"],
        )
        .embedder(patient),
        refused(
            "an embedder may allow an hour and no more",
            longer(),
            json!(["timeout"]),
            ["timeout", "3600000"],
        )
        .embedder(too_patient),
        taken("an embedder may not allow less than the contract", json!({ "timeout": 300_000 }))
            .embedder(impatient),
    ]
}

fn formats() -> Vec<Case> {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "text" } } });
    let of = |format: Value| json!({ "formats": [format] });
    vec![
        refused("an unknown format", of(json!("pictures")), json!(["formats", 0]), ["pictures", "markdown"]),
        refused(
            "formats that are no list",
            json!({ "formats": "markdown" }),
            json!(["formats"]),
            ["formats"],
        ),
        refused(
            "a name of v1 for the whole page's screenshot",
            of(json!("screenshot@fullPage")),
            json!(["formats", 0]),
            ["screenshot@fullPage"],
        ),
        refused("json as a bare name", of(json!("json")), json!(["formats", 0]), ["json"]),
        refused(
            "json without schema and prompt",
            of(json!({ "type": "json" })),
            json!(["formats", 0]),
            ["schema", "prompt"],
        ),
        refused(
            "json by a schema that is none",
            of(json!({ "type": "json", "schema": schema })),
            json!(["formats", 0, "schema"]),
            ["JSON Schema", "type"],
        ),
        taken("a schema may name no property", of(json!({ "type": "json", "schema": { "type": "object" } }))),
        refused(
            "a format without its type",
            of(json!({ "schema": {} })),
            json!(["formats", 0, "type"]),
            ["type", "json"],
        ),
        refused(
            "two screenshots that differ",
            json!({ "formats": ["screenshot", { "type": "screenshot", "fullPage": true }] }),
            json!(["formats"]),
            ["screenshot", "one"],
        ),
        refused(
            "a quality of 0",
            of(json!({ "type": "screenshot", "quality": 0 })),
            json!(["formats", 0, "quality"]),
            ["quality", "1", "100"],
        ),
        refused(
            "a quality of 101",
            of(json!({ "type": "screenshot", "quality": 101 })),
            json!(["formats", 0, "quality"]),
            ["quality", "100"],
        ),
        refused(
            "a viewport without height",
            of(json!({ "type": "screenshot", "viewport": { "width": 800 } })),
            json!(["formats", 0, "viewport", "height"]),
            ["height"],
        ),
        refused(
            "change tracking without Markdown",
            json!({ "formats": ["changeTracking"] }),
            json!(["formats"]),
            ["changeTracking", "markdown"],
        ),
        refused(
            "an unknown mode of change tracking",
            json!({ "formats": ["markdown", { "type": "changeTracking", "modes": ["words"] }] }),
            json!(["formats", 1, "modes", 0]),
            ["words", "git-diff", "json"],
        ),
        refused(
            "attributes without selectors",
            of(json!({ "type": "attributes" })),
            json!(["formats", 0, "selectors"]),
            ["selectors"],
        ),
        refused(
            "attributes of a selector that is no CSS",
            of(json!({ "type": "attributes", "selectors": [{ "selector": "a[", "attribute": "href" }] })),
            json!(["formats", 0, "selectors", 0, "selector"]),
            ["a["],
        ),
    ]
}

fn files() -> Vec<Case> {
    let of = |parser: Value| json!({ "parsers": [parser] });
    vec![
        taken("the PDF parser by its name", of(json!("pdf"))),
        taken(
            "the PDF parser with its options",
            of(json!({ "type": "pdf", "mode": "fast", "maxPages": 10_000 })),
        ),
        taken("no parser", json!({ "parsers": [] })),
        refused("an unknown parser", of(json!("doc")), json!(["parsers", 0]), ["doc", "pdf"]),
        refused(
            "an unknown mode of the PDF parser",
            of(json!({ "type": "pdf", "mode": "slow" })),
            json!(["parsers", 0, "mode"]),
            ["slow", "fast", "auto", "ocr"],
        ),
        refused(
            "no page of a PDF",
            of(json!({ "type": "pdf", "maxPages": 0 })),
            json!(["parsers", 0, "maxPages"]),
            ["maxPages", "10000"],
        ),
        refused(
            "too many pages of a PDF",
            of(json!({ "type": "pdf", "maxPages": 10_001 })),
            json!(["parsers", 0, "maxPages"]),
            ["maxPages", "10000"],
        ),
    ]
}

fn actions() -> Vec<Case> {
    let of = |action: Value| json!({ "actions": [action] });
    let many = |count: usize| json!({ "actions": vec![json!({ "type": "scroll" }); count] });
    vec![
        ask("as many actions as there may be", "POST /v2/scrape")
            .with(page(many(50)))
            .gives(400)
            .code("SCRAPE_ACTIONS_NOT_SUPPORTED"),
        refused("one action too many", many(51), json!(["actions"]), ["actions", "50"]),
        refused(
            "an unknown action",
            of(json!({ "type": "jump" })),
            json!(["actions", 0, "type"]),
            ["jump", "click", "scroll"],
        ),
        refused(
            "a wait for nothing",
            of(json!({ "type": "wait" })),
            json!(["actions", 0]),
            ["milliseconds", "selector"],
        ),
        refused(
            "waits of more than a minute together",
            json!({ "actions": [
                { "type": "wait", "milliseconds": 30_000 }, { "type": "wait", "milliseconds": 30_001 },
            ] }),
            json!(["actions"]),
            ["60001", "60000"],
        ),
        refused(
            "a click on nothing",
            of(json!({ "type": "click" })),
            json!(["actions", 0, "selector"]),
            ["selector"],
        ),
        refused(
            "a scroll to the moon",
            of(json!({ "type": "scroll", "direction": "away" })),
            json!(["actions", 0, "direction"]),
            ["away", "up", "down"],
        ),
    ]
}

fn places() -> Vec<Case> {
    vec![
        taken(
            "a country in any case, and languages",
            json!({ "location": { "country": "de", "languages": ["de-DE", "en"] } }),
        ),
        refused(
            "a country's name",
            json!({ "location": { "country": "Germany" } }),
            json!(["location", "country"]),
            ["Germany", "ISO 3166"],
        ),
        refused(
            "a language's name",
            json!({ "location": { "languages": ["en", "in German"] } }),
            json!(["location", "languages", 1]),
            ["in German", "BCP 47"],
        ),
        refused(
            "an unknown proxy",
            json!({ "proxy": "tor" }),
            json!(["proxy"]),
            ["tor", "basic", "stealth", "auto"],
        ),
        taken("a proxy by its name", json!({ "proxy": "basic" })),
        refused(
            "a header's name with a space",
            json!({ "headers": { "bad name": "x" } }),
            json!(["headers", "bad name"]),
            ["bad name"],
        ),
        refused(
            "a header's value with a line break, which is not repeated",
            json!({ "headers": { "x-secret": "hush\r\nhost: b" } }),
            json!(["headers", "x-secret"]),
            ["x-secret"],
        )
        .lacks("/error", "hush"),
        taken("headers", json!({ "headers": { "Accept-Language": "de", "Cookie": "a=b" } })),
    ]
}

fn selectors() -> Vec<Case> {
    vec![
        taken(
            "tags by their names and by CSS",
            json!({ "includeTags": ["main", "article > p"], "excludeTags": ["#ads", ".note"] }),
        ),
        refused(
            "includeTags that are no CSS",
            json!({ "includeTags": ["div["] }),
            json!(["includeTags"]),
            ["div["],
        ),
        refused(
            "excludeTags that are no CSS",
            json!({ "excludeTags": ["a", "b >"] }),
            json!(["excludeTags"]),
            ["b >"],
        ),
        refused(
            "a selector that is no text",
            json!({ "includeTags": [5] }),
            json!(["includeTags", 0]),
            ["includeTags", "5"],
        ),
        refused(
            "a switch that is no boolean",
            json!({ "onlyMainContent": "yes" }),
            json!(["onlyMainContent"]),
            ["onlyMainContent", "true", "yes"],
        ),
    ]
}

fn addresses() -> Vec<Case> {
    let of = |name: &str, body: Value, path: Value, text: &str| {
        ask(name, "POST /v2/scrape").with(body).refused_at(path).error_has([text])
    };
    vec![
        of("no url", json!({}), json!(["url"]), "url"),
        of("an empty url", json!({ "url": "" }), json!(["url"]), "url"),
        of("a url that is a number", json!({ "url": 5 }), json!(["url"]), "url"),
        of("a url of another scheme", json!({ "url": "ftp://files.example/" }), json!(["url"]), "ftp"),
        of("a url without a host", json!({ "url": "https://" }), json!(["url"]), "host"),
        of(
            "a url with an impossible port",
            json!({ "url": "https://a.example:99999/" }),
            json!(["url"]),
            "port",
        ),
    ]
}

fn keys() -> Vec<Case> {
    vec![
        refused(
            "a misspelt key is named with the nearest one",
            json!({ "fromats": ["markdown"] }),
            json!(["fromats"]),
            ["unknown field `fromats`", "`formats`"],
        ),
        refused(
            "a key of v1 is named with what v2 has",
            json!({ "parsePDF": true }),
            json!(["parsePDF"]),
            ["unknown field `parsePDF`", "`parsers`"],
        ),
        refused(
            "a key within a format is named with its place",
            json!({ "formats": [{ "type": "json", "schema": {}, "promt": "x" }] }),
            json!(["formats", 0, "promt"]),
            ["unknown field `promt`", "`prompt`"],
        ),
        refused(
            "everything that is wrong is listed",
            json!({ "timeout": 0, "proxy": "tor", "formats": ["pictures"] }),
            json!(["proxy"]),
            [],
        )
        .len("/details", 3),
    ]
}
