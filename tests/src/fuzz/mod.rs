//! Fuzz bodies: invariants that hold for any input.
//!
//! They are here and not in their targets so that stable Rust can run them: `cargo test` replays
//! `fuzz/corpus` and several thousand variations of it. Each body takes any bytes and panics if an invariant
//! fails. Not panicking is the weakest one; the others are properties that users of the crates rely on.

mod cache;
mod charset;
mod coding;
mod cookies;
mod devtools;
mod documented;
mod extract;
mod head;
mod html;
mod http;
mod journal;
mod json;
mod markup;
mod metadata;
mod models;
mod navigation_links;
mod patterns;
mod pdf;
mod prompt;
mod proxy;
mod request;
mod robots;
mod score_model;
mod segments;
mod selector;
mod signature;
mod site_pages;
mod sitemap;
mod srcset;
mod style;
mod summary;
mod typed;
mod url;
mod values;

pub use cache::cache_entry;
pub use charset::charset;
pub use coding::coding;
pub use cookies::cookies;
pub use devtools::devtools_messages;
pub use extract::{json_ld, microdata, model_output, schema};
pub use head::response_head;
pub use html::{body, html_to_markdown};
pub use http::http;
pub use journal::journal_record;
pub use json::lenient_json;
pub use metadata::metadata;
pub use models::{provider_reply, search_reply};
pub use navigation_links::navigation_links;
pub use patterns::patterns;
pub use pdf::{pdf, pdf_answer};
pub use prompt::crawl_prompt;
pub use proxy::proxy;
pub use request::request_json;
pub use robots::robots;
pub use score_model::score_model;
pub use segments::{segments, single_values};
pub use selector::selector;
pub use signature::signature;
pub use site_pages::site_pages;
pub use sitemap::sitemap;
pub use srcset::srcset;
pub use style::style;
pub use summary::summary_check;
pub use typed::typed_values;
pub use url::{safe_url, url_canonical};
pub use values::values;

/// A fuzz body.
pub type Body = fn(&[u8]);

/// Every target: its name, which is also the name of its corpus folder, and its body.
pub const TARGETS: [(&str, Body); 40] = [
    ("url_canonical", url_canonical),
    ("safe_url", safe_url),
    ("robots", robots),
    ("sitemap", sitemap),
    ("patterns", patterns),
    ("request_json", request_json),
    ("http", http),
    ("signature", signature),
    ("response_head", response_head),
    ("cookies", cookies),
    ("coding", coding),
    ("devtools_messages", devtools_messages),
    ("cache_entry", cache_entry),
    ("journal_record", journal_record),
    ("proxy", proxy),
    ("html_to_markdown", html_to_markdown),
    ("body", body),
    ("charset", charset),
    ("metadata", metadata),
    ("style", style),
    ("srcset", srcset),
    ("selector", selector),
    ("pdf", pdf),
    ("pdf_answer", pdf_answer),
    ("model_output", model_output),
    ("schema", schema),
    ("json_ld", json_ld),
    ("microdata", microdata),
    ("lenient_json", lenient_json),
    ("values", values),
    ("typed_values", typed_values),
    ("segments", segments),
    ("single_values", single_values),
    ("score_model", score_model),
    ("site_pages", site_pages),
    ("navigation_links", navigation_links),
    ("crawl_prompt", crawl_prompt),
    ("summary_check", summary_check),
    ("provider_reply", provider_reply),
    ("search_reply", search_reply),
];

/// The URL that inputs are loaded from.
pub(crate) const BASE: &str = "https://example.com/folder/page?query";
