//! The bounds of each scrape option.

use std::time::Duration;

use gleaner::{EngineBuilder, Limits};
use serde_json::{Value, json};

use crate::case::{Case, case};
use crate::runner::teams;

pub(crate) fn cases() -> Vec<Case> {
    [times(), embedder_timeouts(), formats(), files(), actions(), locations(), selectors(), urls(), keys()]
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

/// A scrape that is refused with a fault at this path and an error that contains these texts.
fn refused<const N: usize>(name: &str, options: Value, path: Value, texts: [&str; N]) -> Case {
    case(name, "POST /v2/scrape").body(page(options)).refused_at(path).error_contains(texts)
}

fn accepted(name: &str, options: Value) -> Case {
    case(name, "POST /v2/scrape").body(page(options)).is("/success", true)
}

fn times() -> Vec<Case> {
    let half = "a waitFor of half the timeout is accepted";
    vec![
        refused("a timeout of 0", json!({ "timeout": 0 }), json!(["timeout"]), ["timeout", "300000"]),
        refused(
            "a timeout above the maximum",
            json!({ "timeout": 300_001 }),
            json!(["timeout"]),
            ["timeout", "300000"],
        ),
        accepted("the maximum timeout", json!({ "timeout": 300_000 })),
        refused(
            "a timeout that is a string",
            json!({ "timeout": "30s" }),
            json!(["timeout"]),
            ["timeout", "30s"],
        ),
        refused(
            "a timeout with a fraction",
            json!({ "timeout": 1.5 }),
            json!(["timeout"]),
            ["timeout", "1.5"],
        ),
        refused(
            "a waitFor above the maximum",
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
            "a waitFor of more than half the default timeout",
            json!({ "waitFor": 15_001 }),
            json!(["waitFor"]),
            ["waitFor", "15000"],
        ),
        case(half, "POST /v2/batch/scrape")
            .body(json!({ "urls": ["{site}/docs/a"], "waitFor": 500, "timeout": 1_000 }))
            .is("/success", true),
        refused("a maxAge below 0", json!({ "maxAge": -1 }), json!(["maxAge"]), ["maxAge"]),
    ]
}

/// An engine with a maximum timeout of one hour.
fn max_one_hour(builder: EngineBuilder) -> EngineBuilder {
    teams(builder).limits(Limits::new().max_timeout(Duration::from_secs(3_600)))
}

/// An engine configured with a maximum timeout of one day, above the allowed maximum.
fn max_one_day(builder: EngineBuilder) -> EngineBuilder {
    teams(builder).limits(Limits::new().max_timeout(Duration::from_secs(86_400)))
}

/// An engine configured with a maximum timeout of one second, below the contract.
fn max_one_second(builder: EngineBuilder) -> EngineBuilder {
    teams(builder).limits(Limits::new().max_timeout(Duration::from_secs(1)))
}

/// The embedder sets the maximum of `timeout`.
fn embedder_timeouts() -> Vec<Case> {
    let above_maximum = |name: &str, line: &str, body: Value, path: Value| {
        case(name, line)
            .embedder(max_one_hour)
            .body(body)
            .refused_at(path)
            .error_contains(["timeout", "3600000"])
    };
    let over_an_hour = || json!({ "timeout": 3_600_001 });
    vec![
        accepted("the maximum timeout set by the embedder", json!({ "timeout": 3_600_000 }))
            .embedder(max_one_hour),
        above_maximum(
            "a timeout above the embedder's maximum",
            "POST /v2/scrape",
            page(over_an_hour()),
            json!(["timeout"]),
        ),
        above_maximum(
            "a timeout above the embedder's maximum in v1",
            "POST /v1/scrape",
            page(over_an_hour()),
            json!(["timeout"]),
        ),
        above_maximum(
            "a timeout of a batch above the embedder's maximum",
            "POST /v2/batch/scrape",
            json!({ "urls": ["{site}/docs/a"], "timeout": 3_600_001 }),
            json!(["timeout"]),
        ),
        above_maximum(
            "a timeout in scrapeOptions above the embedder's maximum",
            "POST /v2/crawl",
            json!({ "url": "{site}/docs/", "scrapeOptions": over_an_hour() }),
            json!(["scrapeOptions", "timeout"]),
        ),
        above_maximum(
            "a timeout of a map above the embedder's maximum",
            "POST /v2/map",
            page(over_an_hour()),
            json!(["timeout"]),
        ),
        refused(
            "the maximum of waitFor does not depend on that of the timeout",
            json!({ "waitFor": 60_001, "timeout": 3_600_000 }),
            json!(["waitFor"]),
            ["waitFor", "60000"],
        )
        .embedder(max_one_hour),
        refused(
            "an embedder can allow at most one hour",
            over_an_hour(),
            json!(["timeout"]),
            ["timeout", "3600000"],
        )
        .embedder(max_one_day),
        accepted("an embedder cannot allow less than the contract", json!({ "timeout": 300_000 }))
            .embedder(max_one_second),
    ]
}

fn formats() -> Vec<Case> {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "text" } } });
    let of = |format: Value| json!({ "formats": [format] });
    vec![
        refused("an unknown format", of(json!("pictures")), json!(["formats", 0]), ["pictures", "markdown"]),
        refused(
            "formats that are not a list",
            json!({ "formats": "markdown" }),
            json!(["formats"]),
            ["formats"],
        ),
        refused(
            "the v1 name of a full-page screenshot",
            of(json!("screenshot@fullPage")),
            json!(["formats", 0]),
            ["screenshot@fullPage"],
        ),
        refused("json as a plain name", of(json!("json")), json!(["formats", 0]), ["json"]),
        refused(
            "json without schema and prompt",
            of(json!({ "type": "json" })),
            json!(["formats", 0]),
            ["schema", "prompt"],
        ),
        refused(
            "json with an invalid schema",
            of(json!({ "type": "json", "schema": schema })),
            json!(["formats", 0, "schema"]),
            ["JSON Schema", "type"],
        ),
        accepted(
            "a schema may have no properties",
            of(json!({ "type": "json", "schema": { "type": "object" } })),
        ),
        refused(
            "a format without its type",
            of(json!({ "schema": {} })),
            json!(["formats", 0, "type"]),
            ["type", "json"],
        ),
        refused(
            "two different screenshots",
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
            "a viewport without a height",
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
            "attributes with an invalid selector",
            of(json!({ "type": "attributes", "selectors": [{ "selector": "a[", "attribute": "href" }] })),
            json!(["formats", 0, "selectors", 0, "selector"]),
            ["a["],
        ),
    ]
}

fn files() -> Vec<Case> {
    let of = |parser: Value| json!({ "parsers": [parser] });
    vec![
        accepted("the PDF parser by its name", of(json!("pdf"))),
        accepted(
            "the PDF parser with its options",
            of(json!({ "type": "pdf", "mode": "fast", "maxPages": 10_000 })),
        ),
        accepted("no parser", json!({ "parsers": [] })),
        refused("an unknown parser", of(json!("doc")), json!(["parsers", 0]), ["doc", "pdf"]),
        refused(
            "an unknown mode of the PDF parser",
            of(json!({ "type": "pdf", "mode": "slow" })),
            json!(["parsers", 0, "mode"]),
            ["slow", "fast", "auto", "ocr"],
        ),
        refused(
            "a PDF with maxPages 0",
            of(json!({ "type": "pdf", "maxPages": 0 })),
            json!(["parsers", 0, "maxPages"]),
            ["maxPages", "10000"],
        ),
        refused(
            "a PDF with maxPages above the maximum",
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
        case("the maximum number of actions", "POST /v2/scrape")
            .body(page(many(50)))
            .status(400)
            .code("SCRAPE_ACTIONS_NOT_SUPPORTED"),
        refused("more actions than the maximum", many(51), json!(["actions"]), ["actions", "50"]),
        refused(
            "an unknown action",
            of(json!({ "type": "jump" })),
            json!(["actions", 0, "type"]),
            ["jump", "click", "scroll"],
        ),
        refused(
            "a wait without a time or a selector",
            of(json!({ "type": "wait" })),
            json!(["actions", 0]),
            ["milliseconds", "selector"],
        ),
        refused(
            "waits of more than a minute in total",
            json!({ "actions": [
                { "type": "wait", "milliseconds": 30_000 }, { "type": "wait", "milliseconds": 30_001 },
            ] }),
            json!(["actions"]),
            ["60001", "60000"],
        ),
        refused(
            "a click without a selector",
            of(json!({ "type": "click" })),
            json!(["actions", 0, "selector"]),
            ["selector"],
        ),
        refused(
            "a scroll in an unknown direction",
            of(json!({ "type": "scroll", "direction": "away" })),
            json!(["actions", 0, "direction"]),
            ["away", "up", "down"],
        ),
    ]
}

fn locations() -> Vec<Case> {
    vec![
        accepted(
            "a country in any case, and languages",
            json!({ "location": { "country": "de", "languages": ["de-DE", "en"] } }),
        ),
        refused(
            "a country name instead of a code",
            json!({ "location": { "country": "Germany" } }),
            json!(["location", "country"]),
            ["Germany", "ISO 3166"],
        ),
        refused(
            "a language name instead of a tag",
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
        accepted("a proxy by its name", json!({ "proxy": "basic" })),
        refused(
            "a header name with a space",
            json!({ "headers": { "bad name": "x" } }),
            json!(["headers", "bad name"]),
            ["bad name"],
        ),
        refused(
            "a header value with a line break, which the error does not repeat",
            json!({ "headers": { "x-secret": "hush\r\nhost: b" } }),
            json!(["headers", "x-secret"]),
            ["x-secret"],
        )
        .lacks("/error", "hush"),
        accepted("headers", json!({ "headers": { "Accept-Language": "de", "Cookie": "a=b" } })),
    ]
}

fn selectors() -> Vec<Case> {
    vec![
        accepted(
            "tags by name and by CSS selector",
            json!({ "includeTags": ["main", "article > p"], "excludeTags": ["#ads", ".note"] }),
        ),
        refused(
            "includeTags with an invalid selector",
            json!({ "includeTags": ["div["] }),
            json!(["includeTags"]),
            ["div["],
        ),
        refused(
            "excludeTags with an invalid selector",
            json!({ "excludeTags": ["a", "b >"] }),
            json!(["excludeTags"]),
            ["b >"],
        ),
        refused(
            "a selector that is not a string",
            json!({ "includeTags": [5] }),
            json!(["includeTags", 0]),
            ["includeTags", "5"],
        ),
        refused(
            "an option that is not a boolean",
            json!({ "onlyMainContent": "yes" }),
            json!(["onlyMainContent"]),
            ["onlyMainContent", "true", "yes"],
        ),
    ]
}

fn urls() -> Vec<Case> {
    let of = |name: &str, body: Value, path: Value, text: &str| {
        case(name, "POST /v2/scrape").body(body).refused_at(path).error_contains([text])
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
            "the error for a misspelt key suggests the nearest one",
            json!({ "fromats": ["markdown"] }),
            json!(["fromats"]),
            ["unknown field `fromats`", "`formats`"],
        ),
        refused(
            "the error for a v1 key names the v2 key",
            json!({ "parsePDF": true }),
            json!(["parsePDF"]),
            ["unknown field `parsePDF`", "`parsers`"],
        ),
        refused(
            "the error for a key within a format has its path",
            json!({ "formats": [{ "type": "json", "schema": {}, "promt": "x" }] }),
            json!(["formats", 0, "promt"]),
            ["unknown field `promt`", "`prompt`"],
        ),
        refused(
            "every fault is listed",
            json!({ "timeout": 0, "proxy": "tor", "formats": ["pictures"] }),
            json!(["proxy"]),
            [],
        )
        .len("/details", 3),
    ]
}
