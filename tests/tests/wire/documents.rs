//! The fields of a document, for pages and files of every kind.

use serde_json::json;

use crate::case::{Case, ask, begin, ended};
use crate::expect::Expect;

const SCRAPE: &str = "POST /v2/scrape";

pub(crate) fn cases() -> Vec<Case> {
    [metadata(), statuses(), content(), files()].into_iter().flatten().collect()
}

fn metadata() -> Vec<Case> {
    vec![
        ask("facts of the fetch", SCRAPE)
            .with(json!({ "url": "{site}/rich" }))
            .is("/data/metadata/sourceURL", "{site}/rich")
            .is("/data/metadata/url", "{site}/rich")
            .is("/data/metadata/statusCode", 200)
            .is("/data/metadata/contentType", "text/html; charset=utf-8")
            .must("/data/metadata/scrapeId", Expect::Uuid)
            .is("/data/metadata/proxyUsed", "basic")
            .is("/data/metadata/cacheState", "miss")
            .is("/data/metadata/creditsUsed", 1)
            .is("/data/metadata/concurrencyLimited", false)
            .absent("/data/metadata/error")
            .absent("/data/metadata/cachedAt")
            .absent("/data/metadata/numPages"),
        ask("facts of the page", SCRAPE)
            .with(json!({ "url": "{site}/rich" }))
            .is("/data/metadata/title", "All our teas")
            .is("/data/metadata/language", "en-GB")
            .is("/data/metadata/description", "Teas of the season")
            .is("/data/metadata/keywords", "tea, green")
            .is("/data/metadata/robots", "index")
            .is("/data/metadata/favicon", "{site}/icon.png")
            .is("/data/metadata/articleSection", "Teas")
            .is("/data/metadata/dcSubject", "Leaves"),
        ask("Open Graph under the contract's names", SCRAPE)
            .with(json!({ "url": "{site}/rich" }))
            .is("/data/metadata/ogTitle", "Teas, all of them")
            .is("/data/metadata/ogDescription", "Forty teas from the hills")
            .is("/data/metadata/ogImage", "https://tea.example/cover.png")
            .is("/data/metadata/ogSiteName", "Tea house")
            .is("/data/metadata/ogLocale", "en_GB")
            .is("/data/metadata/ogLocaleAlternate", json!(["de_DE", "fr_FR"])),
        ask("Open Graph under its own names too", SCRAPE)
            .with(json!({ "url": "{site}/rich" }))
            .is("/data/metadata/og:title", "Teas, all of them")
            .is("/data/metadata/og:description", "Forty teas from the hills")
            .is("/data/metadata/og:image", "https://tea.example/cover.png"),
        ask("other names of the page as they are, a repeated one as a list", SCRAPE)
            .with(json!({ "url": "{site}/rich" }))
            .is("/data/metadata/shelf", "third")
            .is("/data/metadata/colour", json!(["green", "black"])),
        ask("the address as it was given: a bare host gains nothing", SCRAPE)
            .with(json!({ "url": "{site}" }))
            .is("/data/metadata/sourceURL", "{site}")
            .is("/data/metadata/statusCode", 200),
        ask("the address as it was given, in a batch", "GET /v2/batch/scrape/{id}")
            .after_job("POST /v2/batch/scrape", json!({ "urls": ["{site}", "{site}/docs/a?x=%41"] }))
            .documents(["{site}", "{site}/docs/a?x=%41"]),
        ask("after a redirect, the address that was asked and the one that answered", SCRAPE)
            .with(json!({ "url": "{site}/moved" }))
            .is("/data/metadata/sourceURL", "{site}/moved")
            .is("/data/metadata/url", "{site}/rich")
            .is("/data/metadata/statusCode", 200),
        ask("stealth was not used where there is none", SCRAPE)
            .with(json!({ "url": "{site}/docs/a", "proxy": "auto" }))
            .is("/data/metadata/proxyUsed", "basic")
            .is("/data/metadata/creditsUsed", 1),
        ask("each page has a scrape of its own", "GET /v2/batch/scrape/{id}")
            .after(begin("POST /v2/batch/scrape", json!({ "urls": ["{site}/docs/a", "{site}/docs/b"] })))
            .after(ended("/v2/batch/scrape/{id}"))
            .must("/data/0/metadata/scrapeId", Expect::Uuid)
            .must("/data/1/metadata/scrapeId", Expect::Uuid),
    ]
}

/// A page that answers is a document, whatever it answers.
fn statuses() -> Vec<Case> {
    [("/gone", 404), ("/forbidden", 403), ("/failing", 500)]
        .map(|(path, status)| {
            ask(format!("a page that answers {status} is a document"), SCRAPE)
                .with(json!({ "url": format!("{{site}}{path}") }))
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
        ask("the main content begins with the title", SCRAPE)
            .with(json!({ "url": "{site}/rich" }))
            .starts("/data/markdown", "# All our teas")
            .has("/data/markdown", "picked by hand in May")
            .has("/data/markdown", "[the guide]({site}/docs/a)")
            .lacks("/data/markdown", "Navigation of the house")
            .lacks("/data/markdown", "Imprint of the house"),
        ask("the whole page has navigation and footer", SCRAPE)
            .with(json!({ "url": "{site}/rich", "onlyMainContent": false }))
            .has("/data/markdown", "Navigation of the house")
            .has("/data/markdown", "Imprint of the house"),
        ask("links are those of the whole page, absolute", SCRAPE)
            .with(json!({ "url": "{site}/rich", "formats": ["links"] }))
            .holds("/data/links", ["{site}/nav", "{site}/docs/a"]),
        ask("a link to a bare host gains nothing", SCRAPE)
            .with(json!({ "url": "{site}/rich", "formats": ["links"] }))
            .holds("/data/links", ["https://bare.example"]),
        ask("tags that are left out leave the links too", SCRAPE)
            .with(json!({ "url": "{site}/rich", "formats": ["links"], "excludeTags": ["nav", "footer"] }))
            .is("/data/links", json!(["{site}/docs/a", "https://bare.example"])),
        ask("tags that are asked for are all there is", SCRAPE)
            .with(json!({ "url": "{site}/rich", "includeTags": ["h1"] }))
            .is("/data/markdown", "# All our teas"),
        ask("HTML keeps a frame that is asked for", SCRAPE)
            .with(json!({ "url": "{site}/film", "formats": ["html"], "includeTags": ["iframe"] }))
            .has("/data/html", "<iframe")
            .has("/data/html", "https://film.example/1"),
        ask("a picture within the page becomes a placeholder with its text", SCRAPE)
            .with(json!({ "url": "{site}/dot", "onlyMainContent": false }))
            .has("/data/markdown", "![A dot](<Base64-Image-Removed>)"),
        ask("a picture within the page stays where that is asked for", SCRAPE)
            .with(json!({ "url": "{site}/dot", "onlyMainContent": false, "removeBase64Images": false }))
            .has("/data/markdown", "data:image/png;base64,iVBORw0KGgo="),
        ask("a page that needs JavaScript says so", SCRAPE)
            .with(json!({ "url": "{site}/shell" }))
            .is("/success", true)
            .has("/data/warning", "JavaScript"),
    ]
}

fn files() -> Vec<Case> {
    vec![
        ask("plain text stands in a fence", SCRAPE)
            .with(json!({ "url": "{site}/notes.txt" }))
            .starts("/data/markdown", "```")
            .has("/data/markdown", "The gate opens at nine."),
        ask("JSON stands in a fence", SCRAPE)
            .with(json!({ "url": "{site}/data.json" }))
            .starts("/data/markdown", "```json")
            .has("/data/markdown", "\"season\": 2026"),
        ask("CSV becomes a table", SCRAPE)
            .with(json!({ "url": "{site}/table.csv" }))
            .starts("/data/markdown", "| station")
            .has("/data/markdown", "| North gate"),
        ask("Markdown stays itself", SCRAPE)
            .with(json!({ "url": "{almanac}/files/readme.md" }))
            .starts("/data/markdown", "# Read me first"),
        ask("a feed becomes a list of its entries", SCRAPE)
            .with(json!({ "url": "{almanac}/files/feed.xml" }))
            .has("/data/markdown", "The first entry of the feed")
            .has("/data/markdown", "The second entry of the feed"),
        ask("a PDF becomes Markdown, a credit a page", SCRAPE)
            .with(json!({ "url": "{almanac}/files/manual.pdf" }))
            .has("/data/markdown", "The manual has two pages.")
            .is("/data/metadata/numPages", 2)
            .is("/data/metadata/contentType", "application/pdf")
            .is("/data/metadata/creditsUsed", 2),
        ask("a PDF is converted as far as is asked for, and costs as much", SCRAPE)
            .with(
                json!({ "url": "{almanac}/files/manual.pdf", "parsers": [{ "type": "pdf", "maxPages": 1 }] }),
            )
            .has("/data/markdown", "This is the first one.")
            .lacks("/data/markdown", "The second page ends the manual.")
            .is("/data/metadata/creditsUsed", 1),
        ask("a PDF is given as base64 without a parser, at a flat price", SCRAPE)
            .with(json!({ "url": "{almanac}/files/manual.pdf", "parsers": [] }))
            .starts("/data/markdown", "JVBER")
            .is("/data/metadata/creditsUsed", 1),
    ]
}
