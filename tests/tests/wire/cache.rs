//! Copies of pages: when one is served, and what the document says of it.

use serde_json::{Value, json};

use crate::case::{Case, Step, ask, send};

const SCRAPE: &str = "POST /v2/scrape";

pub(crate) fn cases() -> Vec<Case> {
    vec![
        // What is asked of the cache.
        one("a page that is scraped first is a miss", json!({}))
            .is("/data/metadata/cacheState", "miss")
            .absent("/data/metadata/cachedAt"),
        one("a page that was scraped before is a hit, and says when", json!({}))
            .after(before(json!({})))
            .is("/data/metadata/cacheState", "hit")
            .time("/data/metadata/cachedAt"),
        one("with a maxAge of 0 no cache is asked", json!({ "maxAge": 0 }))
            .after(before(json!({})))
            .is("/success", true)
            .absent("/data/metadata/cacheState")
            .absent("/data/metadata/cachedAt"),
        one("change tracking asks no cache", json!({ "formats": ["markdown", "changeTracking"] }))
            .after(before(json!({})))
            .is("/data/changeTracking/changeStatus", "new")
            .absent("/data/metadata/cacheState"),
        one("another format of a page is made of the same copy", json!({ "formats": ["links"] }))
            .after(before(json!({})))
            .is("/data/metadata/cacheState", "hit"),
        one("a copy costs what the page costs", json!({}))
            .after(before(json!({})))
            .is("/data/metadata/cacheState", "hit")
            .is("/data/metadata/creditsUsed", 1),
        // What tells copies apart.
        one("advertisements are part of a copy", json!({ "blockAds": false }))
            .after(before(json!({})))
            .is("/data/metadata/cacheState", "miss"),
        one("a copy with advertisements serves those who want them", json!({ "blockAds": false }))
            .after(before(json!({ "blockAds": false })))
            .is("/data/metadata/cacheState", "hit"),
        one("a phone's page is another", json!({ "mobile": true }))
            .after(before(json!({})))
            .is("/data/metadata/cacheState", "miss"),
        one("another language is another page", json!({ "location": { "languages": ["de"] } }))
            .after(before(json!({})))
            .is("/data/metadata/cacheState", "miss"),
        // What is kept.
        one("a page that is not to be kept is not", json!({}))
            .after(before(json!({ "storeInCache": false })))
            .is("/data/metadata/cacheState", "miss"),
        one("a page that was asked for with headers is not kept", json!({}))
            .after(before(json!({ "headers": { "X-Shelf": "3" } })))
            .is("/data/metadata/cacheState", "miss"),
        one("a page with zero data retention is not kept", json!({}))
            .after(before(json!({ "zeroDataRetention": true })))
            .is("/data/metadata/cacheState", "miss"),
        // Without a fetch.
        one("lockdown serves a copy", json!({ "lockdown": true }))
            .after(before(json!({})))
            .is("/data/metadata/cacheState", "hit"),
        one("lockdown fetches nothing", json!({ "lockdown": true }))
            .gives(404)
            .code("SCRAPE_NO_CACHED_DATA")
            .kind("/error", "string"),
        one("a copy that is too young is none", json!({ "minAge": 3_600_000 }))
            .after(before(json!({})))
            .gives(404)
            .code("SCRAPE_NO_CACHED_DATA")
            .kind("/error", "string"),
        one("lockdown without a cache is told as such", json!({ "lockdown": true }))
            .embedder(gleaner::EngineBuilder::no_cache)
            .key("whatever")
            .gives(404)
            .code("SCRAPE_NO_CACHED_DATA")
            .kind("/error", "string"),
    ]
}

/// A scrape of one page with these options.
fn page(options: Value) -> Value {
    let mut body = json!({ "url": "{site}/docs/a" });
    if let (Some(body), Value::Object(options)) = (body.as_object_mut(), options) {
        body.extend(options);
    }
    body
}

fn one(name: &str, options: Value) -> Case {
    ask(name, SCRAPE).with(page(options))
}

/// The same page, scraped first.
fn before(options: Value) -> Step {
    send(SCRAPE, page(options))
}
