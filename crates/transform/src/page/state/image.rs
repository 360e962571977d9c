//! Writes the pictures of a state.

use super::leaf;
use super::value::{ValueId, Values};
use crate::html::escape;

/// Upper bound on the values of a picture that are read.
const MAX_VALUES: usize = 40;

/// Members with the address of a picture.
const SOURCE_KEYS: [&str; 4] = ["src", "url", "originalSrc", "sourceUrl"];

/// True for an object that only describes a picture.
pub(super) fn is_image(values: &Values, object: ValueId) -> bool {
    let is_source = |text: &str| {
        let path = text.split(['?', '#']).next().unwrap_or_default();
        let extension = path.rsplit('.').next().unwrap_or_default();
        ["jpg", "jpeg", "png", "webp", "gif", "avif"]
            .iter()
            .any(|known| known.eq_ignore_ascii_case(extension))
    };
    let has_more = || values.member_of(object, &["alt", "altText", "width", "caption"]).is_some();
    values.string_of(object, &SOURCE_KEYS).is_some_and(is_source) && has_more()
}

/// Writes a picture with its caption.
pub(super) fn write(values: &Values, object: ValueId, out: &mut String) {
    let end = values.end(object).min(object.index() + MAX_VALUES);
    let find = |wanted: &[&str]| {
        values.range(object.index() + 1, end).find_map(|value| {
            let text = values.string(value).filter(|text| !text.is_empty())?;
            wanted.contains(&values.key(value)).then_some(text)
        })
    };
    let Some(source) = find(&SOURCE_KEYS) else { return };
    out.push_str("<img src=\"");
    escape(source, true, out);
    out.push_str("\" alt=\"");
    escape(find(&["alt", "altText", "alternativeText"]).unwrap_or_default(), true, out);
    out.push_str("\">");
    if let Some(caption) = find(&["caption"]) {
        out.push_str("<p>");
        leaf::write_text(caption, out);
        out.push_str("</p>");
    }
}
