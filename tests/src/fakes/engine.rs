//! Engines that may connect to the fakes, and requests for them.

use gleaner::plan::SitemapMode;
use gleaner::request::Format;
use gleaner::{CrawlRequest, Engine, EngineBuilder};
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;

/// A builder of an engine that may connect to 127.0.0.1 and to no other private address. It works in the
/// runtime of the test, if there is one, so that all tasks end with the test.
#[must_use]
pub fn engine_builder() -> EngineBuilder {
    let builder = Engine::builder().allow_private("127.0.0.1/32".parse().unwrap());
    match Handle::try_current() {
        Ok(runtime) => builder.on_runtime(runtime),
        Err(_) => builder,
    }
}

/// An engine with [`engine_builder`] and defaults otherwise.
#[must_use]
pub fn engine() -> Engine {
    engine_builder().build().unwrap()
}

/// A crawl that follows links only, without sitemaps, and asks for no text.
#[must_use]
pub fn links_only(start: impl Into<String>) -> CrawlRequest {
    CrawlRequest::new(start).sitemap(SitemapMode::Skip).formats([Format::Links])
}

/// The schema of an object with these properties.
#[must_use]
pub fn schema(properties: Value) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), properties)])
}
