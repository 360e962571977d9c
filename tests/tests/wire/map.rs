//! `POST /v2/map`.

use serde_json::{Value, json};

use crate::case::{Case, case, send};

const MAP: &str = "POST /v2/map";

pub(crate) fn cases() -> Vec<Case> {
    let refused = |name: &str, options: Value, path: Value, text: &str| {
        let mut body = json!({ "url": "{site}/" });
        if let (Some(body), Value::Object(options)) = (body.as_object_mut(), options) {
            body.extend(options);
        }
        case(name, MAP).body(body).refused_at(path).error_contains([text])
    };
    vec![
        case("a map lists links as objects", MAP)
            .body(json!({ "url": "{site}/", "sitemap": "skip" }))
            .is("/success", true)
            .kind("/links/0/url", "string")
            .links(["{site}/docs/a", "{site}/rich"]),
        case("by default a map has links of the sitemap and of the start page", MAP)
            .body(json!({ "url": "{site}/" }))
            .links(["{site}/docs/a", "{site}/only-in-sitemap"]),
        case("a map with sitemap only has only its links", MAP)
            .body(json!({ "url": "{site}/", "sitemap": "only" }))
            .len("/links", 2)
            .links(["{site}/only-in-sitemap", "{site}/docs/from-sitemap"]),
        case("a map has at most as many links as its limit", MAP)
            .body(json!({ "url": "{site}/", "limit": 1 }))
            .len("/links", 1),
        case("search ranks the links", MAP)
            .body(json!({ "url": "{site}/", "sitemap": "skip", "search": "rich" }))
            .is("/links/0/url", "{site}/rich"),
        case("a map of a site forbidden by robots.txt is empty with a warning", MAP)
            .body(json!({ "url": "{closed}/", "sitemap": "skip" }))
            .is("/success", true)
            .is("/links", json!([]))
            .contains("/warning", "robots.txt"),
        case("a map that times out gives 408", MAP)
            .body(json!({ "url": "{stuck}/", "timeout": 100 }))
            .status(408)
            .code("SCRAPE_TIMEOUT")
            .starts_with("/error", "Map timed out"),
        case("a map accepts a location and client information", MAP)
            .body(json!({
                "url": "{site}/", "limit": 1, "location": { "country": "de", "languages": ["de"] },
                "origin": "js-sdk", "integration": "flow", "includeSubdomains": false,
                "ignoreQueryParameters": false,
            }))
            .is("/success", true),
        case("an experimental key of a map is ignored, with a warning", MAP)
            .body(json!({ "url": "{site}/", "limit": 1, "__experimental_index": true }))
            .is("/success", true)
            .contains("/warning", "__experimental_index"),
        case("a map of a private address is refused", MAP)
            .body(json!({ "url": "http://169.254.169.254/" }))
            .status(403)
            .kind("/error", "string"),
        case("a map costs one credit", "GET /v2/team/credit-usage")
            .after(send(MAP, json!({ "url": "{site}/", "limit": 1 })).key("poor"))
            .key("poor")
            .is("/data/remainingCredits", 2),
        case("a map needs a url", MAP).body(json!({})).refused_at(json!(["url"])).error_contains(["url"]),
        refused("a map with a limit of 0", json!({ "limit": 0 }), json!(["limit"]), "100000"),
        refused(
            "a map with a limit above the maximum",
            json!({ "limit": 100_001 }),
            json!(["limit"]),
            "100000",
        ),
        refused(
            "an unknown sitemap mode of a map",
            json!({ "sitemap": "never" }),
            json!(["sitemap"]),
            "include",
        ),
        refused(
            "a timeout of a map above the maximum",
            json!({ "timeout": 300_001 }),
            json!(["timeout"]),
            "300000",
        ),
        refused(
            "the v1 key sitemapOnly in a map",
            json!({ "sitemapOnly": true }),
            json!(["sitemapOnly"]),
            "`sitemap`",
        ),
    ]
}
