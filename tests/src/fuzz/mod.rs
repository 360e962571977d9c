//! What must hold for any input: the bodies of the fuzz targets.
//!
//! They live here and not beside their targets so that stable Rust can run them: `cargo test` replays the corpus of
//! `fuzz/corpus` through them, and some thousand variations of it. Each body takes any bytes and panics where an
//! oracle fails. "It does not panic" is the least of these; the others are laws that a user of the crate relies on.

mod charset;
mod html;
mod http;
mod markup;
mod metadata;
mod pdf;
mod request;
mod robots;
mod sitemap;
mod url;

pub use charset::charset;
pub use html::html_to_markdown;
pub use http::http;
pub use metadata::metadata;
pub use pdf::pdf;
pub use request::request_json;
pub use robots::robots;
pub use sitemap::sitemap;
pub use url::url_canonical;

/// A fuzz body.
pub type Body = fn(&[u8]);

/// Every target: its name, which is also that of its corpus folder, and its body.
pub const TARGETS: [(&str, Body); 9] = [
    ("url_canonical", url_canonical),
    ("robots", robots),
    ("sitemap", sitemap),
    ("request_json", request_json),
    ("http", http),
    ("html_to_markdown", html_to_markdown),
    ("charset", charset),
    ("metadata", metadata),
    ("pdf", pdf),
];

/// The address that the inputs are said to come from.
pub(crate) const BASE: &str = "https://example.com/folder/page?query";
