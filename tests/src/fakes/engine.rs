//! Engines that reach fakes, and what they are asked for.

use gleaner::plan::SitemapMode;
use gleaner::request::Format;
use gleaner::{CrawlRequest, Engine, EngineBuilder};
use serde_json::{Map, Value, json};

/// A builder of an engine that may reach 127.0.0.1 and nothing else that is private.
#[must_use]
pub fn local() -> EngineBuilder {
    Engine::builder().allow_private("127.0.0.1/32".parse().unwrap())
}

/// Such an engine, all else at its defaults.
#[must_use]
pub fn engine() -> Engine {
    local().build().unwrap()
}

/// A crawl of a site by its links alone, without texts.
#[must_use]
pub fn links_only(start: impl Into<String>) -> CrawlRequest {
    CrawlRequest::new(start).sitemap(SitemapMode::Skip).formats([Format::Links])
}

/// The schema of an object with these properties.
#[must_use]
pub fn schema(properties: Value) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), properties)])
}
