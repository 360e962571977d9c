//! Engines that may connect to the fakes, and requests for them.

use gleaner::plan::SitemapMode;
use gleaner::request::Format;
use gleaner::{CrawlRequest, Engine, EngineBuilder};
use serde_json::{Map, Value, json};

/// A builder of an engine that may connect to 127.0.0.1 and to no other private address.
#[must_use]
pub fn engine_builder() -> EngineBuilder {
    Engine::builder().allow_private("127.0.0.1/32".parse().unwrap())
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
