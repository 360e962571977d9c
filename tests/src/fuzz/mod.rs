//! What must hold for any input: the bodies of the fuzz targets.
//!
//! They live here and not beside their targets so that stable Rust can run them: `cargo test` replays the corpus of
//! `fuzz/corpus` through them, and some thousand variations of it. Each body takes any bytes and panics where an
//! oracle fails. "It does not panic" is the least of these; the others are laws that a user of the crate relies on.

mod cache;
mod charset;
mod documented;
mod extract;
mod html;
mod http;
mod markup;
mod metadata;
mod pdf;
mod proxy;
mod request;
mod robots;
mod sitemap;
mod url;

pub use cache::cache_entry;
pub use charset::charset;
pub use extract::{json_ld, microdata, model_output, schema};
pub use html::{body, html_to_markdown};
pub use http::http;
pub use metadata::metadata;
pub use pdf::pdf;
pub use proxy::proxy;
pub use request::request_json;
pub use robots::robots;
pub use sitemap::sitemap;
pub use url::url_canonical;

/// A fuzz body.
pub type Body = fn(&[u8]);

/// Every target: its name, which is also that of its corpus folder, and its body.
pub const TARGETS: [(&str, Body); 16] = [
    ("url_canonical", url_canonical),
    ("robots", robots),
    ("sitemap", sitemap),
    ("request_json", request_json),
    ("http", http),
    ("html_to_markdown", html_to_markdown),
    ("body", body),
    ("charset", charset),
    ("metadata", metadata),
    ("pdf", pdf),
    ("cache_entry", cache_entry),
    ("proxy", proxy),
    ("model_output", model_output),
    ("schema", schema),
    ("json_ld", json_ld),
    ("microdata", microdata),
];

/// The address that the inputs are said to come from.
pub(crate) const BASE: &str = "https://example.com/folder/page?query";
