//! Facts about pages. Input: the bytes of an HTML page.

use std::sync::OnceLock;

use gleaner_transform::{Input, transform};
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::request::{Format, ScrapeRequest};
use serde_json::Value;
use url::Url;

use super::BASE;

/// A byte of input gives at most so many of metadata: an address of some bytes becomes absolute, names are repeated.
const GROWTH: usize = 64;
const SLACK: usize = 16_384;

/// The metadata of any page are bounded, the same each time, free of control characters, and its icon is on the web; so
/// are its branding and its summary.
pub fn metadata(data: &[u8]) {
    let (Ok(url), Some(options)) = (Url::parse(BASE), options()) else { return };
    let input = Input { url: &url, content_type: Some("text/html"), body: data };
    let Ok(page) = transform(input, options) else { return };
    let Ok(again) = transform(input, options) else { return };
    assert_eq!(page.document, again.document, "not the same twice");
    let document = page.document;
    // What a page states by `og:image` and the like are its own words, handed on as they are.
    if let Some(address) = &document.metadata.favicon {
        let parsed = Url::parse(address);
        assert!(parsed.is_ok_and(|url| matches!(url.scheme(), "http" | "https")), "an address: {address}");
    }
    let json = [serde_json::to_value(&document.metadata), serde_json::to_value(&document.branding)];
    assert!(json.iter().all(Result::is_ok), "metadata that JSON cannot hold");
    let [metadata, branding] = json.map(Result::unwrap_or_default);
    let bytes = metadata.to_string().len() + branding.to_string().len();
    assert!(bytes <= GROWTH * data.len() + SLACK, "{} bytes give {bytes} of metadata", data.len());
    plain(&metadata);
    plain(&branding);
    let summary = document.summary.unwrap_or_default();
    assert!(summary.len() <= data.len() * 4 + 64 && !summary.contains('\u{1b}'), "a summary: {summary}");
}

/// No string holds what a terminal would obey.
fn plain(value: &Value) {
    match value {
        Value::String(text) => {
            assert!(
                !text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')),
                "controls: {text:?}"
            );
        }
        Value::Array(values) => values.iter().for_each(plain),
        Value::Object(values) => values.values().for_each(plain),
        _ => {}
    }
}

fn options() -> Option<&'static ScrapeOptionsPlan> {
    static PLAN: OnceLock<Option<ScrapeOptionsPlan>> = OnceLock::new();
    PLAN.get_or_init(|| {
        let request = ScrapeRequest::new(BASE).formats([Format::Summary, Format::Branding]);
        request.check().ok().map(|plan| plan.options)
    })
    .as_ref()
}
