//! The `srcset` attribute. Input: its value.

use gleaner_transform::{Input, transform};
use gleaner_types::request::{Format, ScrapeOptions};
use url::Url;

use super::BASE;

/// Upper bound on the bytes read from an input.
const MAX_BYTES: usize = 4_096;

/// The width of the picture that is added as the largest.
const LARGE: f64 = 99_999_999_999.0;

/// An image has at most one address, and it is an `http` or `https` URL. Commas and white space around the
/// set change nothing. The largest candidate wins.
pub fn srcset(data: &[u8]) {
    let text = String::from_utf8_lossy(data.get(..MAX_BYTES).unwrap_or(data));
    // A body with many control characters counts as binary.
    let text = text.replace(|found: char| found.is_control() && !matches!(found, '\t' | '\n'), " ");
    let chosen = chosen(&text);
    if let Some(chosen) = &chosen {
        let url = Url::parse(chosen);
        assert!(url.is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host()), "{chosen}");
    }
    assert_eq!(self::chosen(&format!(" ,\n{text} ,")), chosen, "with commas around it");
    let is_larger =
        |part: &str| part.trim_end_matches(['w', 'x']).parse().is_ok_and(|size: f64| size >= LARGE);
    if !text.split(|found: char| found.is_ascii_whitespace() || found == ',').any(is_larger) {
        let more = format!("{text} , /large.png {LARGE}w");
        let large = Url::parse(BASE).and_then(|base| base.join("/large.png")).map(String::from);
        assert_eq!(self::chosen(&more), large.ok(), "the largest candidate of {more} is not chosen");
    }
}

/// The URL that is chosen for an image with this `srcset`.
fn chosen(srcset: &str) -> Option<String> {
    let value = srcset.replace('&', "&amp;").replace('"', "&quot;");
    let html = format!("<!doctype html><title>A</title><img srcset=\"{value}\">");
    let options = ScrapeOptions::new().formats([Format::Images]).check().ok()?;
    let url = Url::parse(BASE).ok()?;
    let input = Input::new(&url, Some("text/html; charset=utf-8"), html.as_bytes());
    let images = transform(input, &options).ok()?.document.images.unwrap_or_default();
    assert!(images.len() <= 1, "several URLs of one image: {images:?}");
    images.into_iter().next()
}
