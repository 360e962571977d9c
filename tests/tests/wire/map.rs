//! `POST /v2/map`.

use serde_json::{Value, json};

use crate::case::{Case, ask, send};

const MAP: &str = "POST /v2/map";

pub(crate) fn cases() -> Vec<Case> {
    let refused = |name: &str, options: Value, path: Value, text: &str| {
        let mut body = json!({ "url": "{site}/" });
        if let (Some(body), Value::Object(options)) = (body.as_object_mut(), options) {
            body.extend(options);
        }
        ask(name, MAP).with(body).refused_at(path).error_has([text])
    };
    vec![
        ask("a map lists addresses as objects", MAP)
            .with(json!({ "url": "{site}/", "sitemap": "skip" }))
            .is("/success", true)
            .kind("/links/0/url", "string")
            .links(["{site}/docs/a", "{site}/rich"]),
        ask("a map by default has what the sitemap names and what the start page links to", MAP)
            .with(json!({ "url": "{site}/" }))
            .links(["{site}/docs/a", "{site}/only-in-sitemap"]),
        ask("a map of the sitemap alone has nothing else", MAP)
            .with(json!({ "url": "{site}/", "sitemap": "only" }))
            .len("/links", 2)
            .links(["{site}/only-in-sitemap", "{site}/docs/from-sitemap"]),
        ask("a map has no more addresses than its limit", MAP)
            .with(json!({ "url": "{site}/", "limit": 1 }))
            .len("/links", 1),
        ask("words rank the addresses", MAP)
            .with(json!({ "url": "{site}/", "sitemap": "skip", "search": "rich" }))
            .is("/links/0/url", "{site}/rich"),
        ask("a map of a site that robots.txt closes is empty, with a warning", MAP)
            .with(json!({ "url": "{closed}/", "sitemap": "skip" }))
            .is("/success", true)
            .is("/links", json!([]))
            .has("/warning", "robots.txt"),
        ask("a map that takes longer than its timeout is 408", MAP)
            .with(json!({ "url": "{stuck}/", "timeout": 100 }))
            .gives(408)
            .code("SCRAPE_TIMEOUT")
            .starts("/error", "Map timed out"),
        ask("a map takes a location, and what clients send beside it", MAP)
            .with(json!({
                "url": "{site}/", "limit": 1, "location": { "country": "de", "languages": ["de"] },
                "origin": "js-sdk", "integration": "flow", "includeSubdomains": false, "ignoreQueryParameters": false,
            }))
            .is("/success", true),
        ask("an experimental key of a map is ignored, and the warning says so", MAP)
            .with(json!({ "url": "{site}/", "limit": 1, "__experimental_index": true }))
            .is("/success", true)
            .has("/warning", "__experimental_index"),
        ask("a map of an address inside is refused by policy", MAP)
            .with(json!({ "url": "http://169.254.169.254/" }))
            .gives(403)
            .kind("/error", "string"),
        ask("a map costs a credit", "GET /v2/team/credit-usage")
            .after(send(MAP, json!({ "url": "{site}/", "limit": 1 })).key("poor"))
            .key("poor")
            .is("/data/remainingCredits", 2),
        ask("a map needs a url", MAP).with(json!({})).refused_at(json!(["url"])).error_has(["url"]),
        refused("a map of no address", json!({ "limit": 0 }), json!(["limit"]), "100000"),
        refused("a map beyond its bound", json!({ "limit": 100_001 }), json!(["limit"]), "100000"),
        refused("a map's sitemap in a way that nobody knows", json!({ "sitemap": "never" }), json!(["sitemap"]), "include"),
        refused("a map's timeout beyond its bound", json!({ "timeout": 300_001 }), json!(["timeout"]), "300000"),
        refused("v1's switch of the sitemap in a map", json!({ "sitemapOnly": true }), json!(["sitemapOnly"]), "`sitemap`"),
    ]
}
