//! Metadata of pages. Input: the bytes of an HTML page.

use std::sync::OnceLock;

use gleaner_transform::{Input, transform};
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::request::{Format, ScrapeRequest};
use serde_json::Value;
use url::Url;

use super::BASE;

/// Upper bound on bytes of metadata per byte of input, plus `SLACK`: short relative URLs become absolute, and
/// field names are repeated.
const GROWTH: usize = 64;
const SLACK: usize = 16_384;

/// Metadata, branding and summary of any page are bounded, deterministic and free of control characters. The
/// URL of the icon is `http` or `https`.
pub fn metadata(data: &[u8]) {
    let (Ok(url), Some(options)) = (Url::parse(BASE), options()) else { return };
    let input = Input::new(&url, Some("text/html"), data);
    let Ok(page) = transform(input, options) else { return };
    let Ok(again) = transform(input, options) else { return };
    assert_eq!(page.document, again.document, "a second run differs");
    let document = page.document;
    // `og:image` and similar properties are passed on as the page writes them.
    if let Some(url) = &document.metadata.favicon {
        let parsed = Url::parse(url);
        assert!(parsed.is_ok_and(|parsed| matches!(parsed.scheme(), "http" | "https")), "the icon is {url}");
    }
    let json = [serde_json::to_value(&document.metadata), serde_json::to_value(&document.branding)];
    assert!(json.iter().all(Result::is_ok), "metadata does not serialize to JSON");
    let [metadata, branding] = json.map(Result::unwrap_or_default);
    let bytes = metadata.to_string().len() + branding.to_string().len();
    assert!(bytes <= GROWTH * data.len() + SLACK, "{} bytes give {bytes} bytes of metadata", data.len());
    assert_printable(&metadata);
    assert_printable(&branding);
    let summary = document.summary.unwrap_or_default();
    assert!(summary.len() <= data.len() * 4 + 64 && !summary.contains('\u{1b}'), "summary: {summary}");
}

/// Asserts that no string has control characters, which a terminal could interpret.
fn assert_printable(value: &Value) {
    match value {
        Value::String(text) => {
            assert!(
                !text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')),
                "control characters: {text:?}"
            );
        }
        Value::Array(values) => values.iter().for_each(assert_printable),
        Value::Object(values) => values.values().for_each(assert_printable),
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
