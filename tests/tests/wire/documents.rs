//! The fields of a document, for pages and files of each kind.

use serde_json::json;

use crate::case::{Case, case, start_job, wait_for_end};
use crate::expect::Expect;

const SCRAPE: &str = "POST /v2/scrape";

pub(crate) fn cases() -> Vec<Case> {
    [metadata(), statuses(), content(), files()].into_iter().flatten().collect()
}

fn metadata() -> Vec<Case> {
    vec![
        case("metadata of the fetch", SCRAPE)
            .body(json!({ "url": "{site}/rich" }))
            .is("/data/metadata/sourceURL", "{site}/rich")
            .is("/data/metadata/url", "{site}/rich")
            .is("/data/metadata/statusCode", 200)
            .is("/data/metadata/contentType", "text/html; charset=utf-8")
            .field("/data/metadata/scrapeId", Expect::Uuid)
            .is("/data/metadata/proxyUsed", "basic")
            .is("/data/metadata/cacheState", "miss")
            .is("/data/metadata/creditsUsed", 1)
            .is("/data/metadata/concurrencyLimited", false)
            .absent("/data/metadata/error")
            .absent("/data/metadata/cachedAt")
            .absent("/data/metadata/numPages"),
        case("metadata of the page", SCRAPE)
            .body(json!({ "url": "{site}/rich" }))
            .is("/data/metadata/title", "All our teas")
            .is("/data/metadata/language", "en-GB")
            .is("/data/metadata/description", "Teas of the season")
            .is("/data/metadata/keywords", "tea, green")
            .is("/data/metadata/robots", "index")
            .is("/data/metadata/favicon", "{site}/icon.png")
            .is("/data/metadata/articleSection", "Teas")
            .is("/data/metadata/dcSubject", "Leaves"),
        case("Open Graph properties have the names of the contract", SCRAPE)
            .body(json!({ "url": "{site}/rich" }))
            .is("/data/metadata/ogTitle", "Teas, all of them")
            .is("/data/metadata/ogDescription", "Forty teas from the hills")
            .is("/data/metadata/ogImage", "https://tea.example/cover.png")
            .is("/data/metadata/ogSiteName", "Tea house")
            .is("/data/metadata/ogLocale", "en_GB")
            .is("/data/metadata/ogLocaleAlternate", json!(["de_DE", "fr_FR"])),
        case("Open Graph properties also keep their own names", SCRAPE)
            .body(json!({ "url": "{site}/rich" }))
            .is("/data/metadata/og:title", "Teas, all of them")
            .is("/data/metadata/og:description", "Forty teas from the hills")
            .is("/data/metadata/og:image", "https://tea.example/cover.png"),
        case("other meta names are kept, repeated ones as lists", SCRAPE)
            .body(json!({ "url": "{site}/rich" }))
            .is("/data/metadata/shelf", "third")
            .is("/data/metadata/colour", json!(["green", "black"])),
        case("sourceURL is the URL as given, without an added slash", SCRAPE)
            .body(json!({ "url": "{site}" }))
            .is("/data/metadata/sourceURL", "{site}")
            .is("/data/metadata/statusCode", 200),
        case("sourceURL in a batch is the URL as given", "GET /v2/batch/scrape/{id}")
            .after_job("POST /v2/batch/scrape", json!({ "urls": ["{site}", "{site}/docs/a?x=%41"] }))
            .documents(["{site}", "{site}/docs/a?x=%41"]),
        case("after a redirect, sourceURL is the requested URL and url the final one", SCRAPE)
            .body(json!({ "url": "{site}/moved" }))
            .is("/data/metadata/sourceURL", "{site}/moved")
            .is("/data/metadata/url", "{site}/rich")
            .is("/data/metadata/statusCode", 200),
        case("without stealth proxies, auto reports basic", SCRAPE)
            .body(json!({ "url": "{site}/docs/a", "proxy": "auto" }))
            .is("/data/metadata/proxyUsed", "basic")
            .is("/data/metadata/creditsUsed", 1),
        case("each page has its own scrape id", "GET /v2/batch/scrape/{id}")
            .after(start_job("POST /v2/batch/scrape", json!({ "urls": ["{site}/docs/a", "{site}/docs/b"] })))
            .after(wait_for_end("/v2/batch/scrape/{id}"))
            .field("/data/0/metadata/scrapeId", Expect::Uuid)
            .field("/data/1/metadata/scrapeId", Expect::Uuid),
    ]
}

/// A page with any status is a document.
fn statuses() -> Vec<Case> {
    [("/gone", 404), ("/forbidden", 403), ("/failing", 500)]
        .map(|(path, status)| {
            case(format!("a page with status {status} is a document"), SCRAPE)
                .body(json!({ "url": format!("{{site}}{path}") }))
                .is("/success", true)
                .is("/data/metadata/statusCode", status)
                .kind("/data/metadata/error", "string")
                .is("/data/metadata/creditsUsed", 1)
                .kind("/data/markdown", "string")
        })
        .into()
}

fn content() -> Vec<Case> {
    vec![
        case("the main content starts with the title", SCRAPE)
            .body(json!({ "url": "{site}/rich" }))
            .starts_with("/data/markdown", "# All our teas")
            .contains("/data/markdown", "picked by hand in May")
            .contains("/data/markdown", "[the guide]({site}/docs/a)")
            .lacks("/data/markdown", "Navigation of the house")
            .lacks("/data/markdown", "Imprint of the house"),
        case("the whole page has navigation and footer", SCRAPE)
            .body(json!({ "url": "{site}/rich", "onlyMainContent": false }))
            .contains("/data/markdown", "Navigation of the house")
            .contains("/data/markdown", "Imprint of the house"),
        case("links are absolute and from the whole page", SCRAPE)
            .body(json!({ "url": "{site}/rich", "formats": ["links"] }))
            .includes("/data/links", ["{site}/nav", "{site}/docs/a"]),
        case("a link to a bare host has no added slash", SCRAPE)
            .body(json!({ "url": "{site}/rich", "formats": ["links"] }))
            .includes("/data/links", ["https://bare.example"]),
        case("excludeTags removes links too", SCRAPE)
            .body(json!({ "url": "{site}/rich", "formats": ["links"], "excludeTags": ["nav", "footer"] }))
            .is("/data/links", json!(["{site}/docs/a", "https://bare.example"])),
        case("includeTags keeps only matching elements", SCRAPE)
            .body(json!({ "url": "{site}/rich", "includeTags": ["h1"] }))
            .is("/data/markdown", "# All our teas"),
        case("HTML keeps an iframe named in includeTags", SCRAPE)
            .body(json!({ "url": "{site}/film", "formats": ["html"], "includeTags": ["iframe"] }))
            .contains("/data/html", "<iframe")
            .contains("/data/html", "https://film.example/1"),
        case("an inline image becomes a placeholder with its alt text", SCRAPE)
            .body(json!({ "url": "{site}/dot", "onlyMainContent": false }))
            .contains("/data/markdown", "![A dot](<Base64-Image-Removed>)"),
        case("removeBase64Images false keeps inline images", SCRAPE)
            .body(json!({ "url": "{site}/dot", "onlyMainContent": false, "removeBase64Images": false }))
            .contains("/data/markdown", "data:image/png;base64,iVBORw0KGgo="),
        case("a page that needs JavaScript has a warning", SCRAPE)
            .body(json!({ "url": "{site}/shell" }))
            .is("/success", true)
            .contains("/data/warning", "JavaScript"),
    ]
}

fn files() -> Vec<Case> {
    vec![
        case("plain text becomes a code block", SCRAPE)
            .body(json!({ "url": "{site}/notes.txt" }))
            .starts_with("/data/markdown", "```")
            .contains("/data/markdown", "The gate opens at nine."),
        case("JSON becomes a code block", SCRAPE)
            .body(json!({ "url": "{site}/data.json" }))
            .starts_with("/data/markdown", "```json")
            .contains("/data/markdown", "\"season\": 2026"),
        case("CSV becomes a table", SCRAPE)
            .body(json!({ "url": "{site}/table.csv" }))
            .starts_with("/data/markdown", "| station")
            .contains("/data/markdown", "| North gate"),
        case("Markdown is unchanged", SCRAPE)
            .body(json!({ "url": "{almanac}/files/readme.md" }))
            .starts_with("/data/markdown", "# Read me first"),
        case("a feed becomes a list of its entries", SCRAPE)
            .body(json!({ "url": "{almanac}/files/feed.xml" }))
            .contains("/data/markdown", "The first entry of the feed")
            .contains("/data/markdown", "The second entry of the feed"),
        case("a PDF becomes Markdown and costs one credit per page", SCRAPE)
            .body(json!({ "url": "{almanac}/files/manual.pdf" }))
            .contains("/data/markdown", "The manual has two pages.")
            .is("/data/metadata/numPages", 2)
            .is("/data/metadata/contentType", "application/pdf")
            .is("/data/metadata/creditsUsed", 2),
        case("maxPages limits the pages of a PDF and its price", SCRAPE)
            .body(
                json!({ "url": "{almanac}/files/manual.pdf", "parsers": [{ "type": "pdf", "maxPages": 1 }] }),
            )
            .contains("/data/markdown", "This is the first one.")
            .lacks("/data/markdown", "The second page ends the manual.")
            .is("/data/metadata/creditsUsed", 1),
        case("without a parser a PDF is base64 at a flat price", SCRAPE)
            .body(json!({ "url": "{almanac}/files/manual.pdf", "parsers": [] }))
            .starts_with("/data/markdown", "JVBER")
            .is("/data/metadata/creditsUsed", 1),
    ]
}
