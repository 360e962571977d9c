//! Cache options: when a cached copy is served, and the cache state in the document.

use serde_json::{Value, json};

use crate::case::{Case, Step, case, send};

const SCRAPE: &str = "POST /v2/scrape";

pub(crate) fn cases() -> Vec<Case> {
    vec![
        // When the cache is used.
        scrape("the first scrape of a page is a miss", json!({}))
            .is("/data/metadata/cacheState", "miss")
            .absent("/data/metadata/cachedAt"),
        scrape("a second scrape is a hit with the time of the copy", json!({}))
            .after(scrape_first(json!({})))
            .is("/data/metadata/cacheState", "hit")
            .time("/data/metadata/cachedAt"),
        scrape("a maxAge of 0 does not use the cache", json!({ "maxAge": 0 }))
            .after(scrape_first(json!({})))
            .is("/success", true)
            .absent("/data/metadata/cacheState")
            .absent("/data/metadata/cachedAt"),
        scrape(
            "change tracking does not use the cache",
            json!({ "formats": ["markdown", "changeTracking"] }),
        )
        .after(scrape_first(json!({})))
        .is("/data/changeTracking/changeStatus", "new")
        .absent("/data/metadata/cacheState"),
        scrape("another format of a page uses the same copy", json!({ "formats": ["links"] }))
            .after(scrape_first(json!({})))
            .is("/data/metadata/cacheState", "hit"),
        scrape("a cached copy costs as much as the page", json!({}))
            .after(scrape_first(json!({})))
            .is("/data/metadata/cacheState", "hit")
            .is("/data/metadata/creditsUsed", 1),
        // Which options have separate copies.
        scrape("blockAds false is another variant", json!({ "blockAds": false }))
            .after(scrape_first(json!({})))
            .is("/data/metadata/cacheState", "miss"),
        scrape("a copy with advertisements is served with blockAds false", json!({ "blockAds": false }))
            .after(scrape_first(json!({ "blockAds": false })))
            .is("/data/metadata/cacheState", "hit"),
        scrape("mobile is another variant", json!({ "mobile": true }))
            .after(scrape_first(json!({})))
            .is("/data/metadata/cacheState", "miss"),
        scrape("another language is another variant", json!({ "location": { "languages": ["de"] } }))
            .after(scrape_first(json!({})))
            .is("/data/metadata/cacheState", "miss"),
        // What is stored.
        scrape("a page with storeInCache false is not stored", json!({}))
            .after(scrape_first(json!({ "storeInCache": false })))
            .is("/data/metadata/cacheState", "miss"),
        scrape("a page requested with custom headers is not stored", json!({}))
            .after(scrape_first(json!({ "headers": { "X-Shelf": "3" } })))
            .is("/data/metadata/cacheState", "miss"),
        scrape("a page with zero data retention is not stored", json!({}))
            .after(scrape_first(json!({ "zeroDataRetention": true })))
            .is("/data/metadata/cacheState", "miss"),
        // Cache-only scrapes.
        scrape("lockdown serves a cached copy", json!({ "lockdown": true }))
            .after(scrape_first(json!({})))
            .is("/data/metadata/cacheState", "hit"),
        scrape("lockdown fetches nothing", json!({ "lockdown": true }))
            .status(404)
            .code("SCRAPE_NO_CACHED_DATA")
            .kind("/error", "string"),
        scrape("a copy younger than minAge is not used", json!({ "minAge": 3_600_000 }))
            .after(scrape_first(json!({})))
            .status(404)
            .code("SCRAPE_NO_CACHED_DATA")
            .kind("/error", "string"),
        scrape("lockdown without a cache has the same error", json!({ "lockdown": true }))
            .embedder(|builder| builder.storage(gleaner::Storage::new().no_cache()))
            .key("whatever")
            .status(404)
            .code("SCRAPE_NO_CACHED_DATA")
            .kind("/error", "string"),
    ]
}

/// The body of a scrape of one page with these options.
fn page(options: Value) -> Value {
    let mut body = json!({ "url": "{site}/docs/a" });
    if let (Some(body), Value::Object(options)) = (body.as_object_mut(), options) {
        body.extend(options);
    }
    body
}

fn scrape(name: &str, options: Value) -> Case {
    case(name, SCRAPE).body(page(options))
}

/// Scrapes the same page first.
fn scrape_first(options: Value) -> Step {
    send(SCRAPE, page(options))
}
