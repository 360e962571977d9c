//! CSS selectors. Input: a selector on the first line, a page on the others.

use gleaner_transform::{ErrorKind, Input, check_selector, transform};
use gleaner_types::Document;
use gleaner_types::request::{Format, ScrapeOptions};
use url::Url;

use super::BASE;

/// Part of the warning that is set when selectors exceed their step limit.
const STEP_LIMIT_WARNING: &str = "take too many steps";

/// The result of narrowing a page.
#[derive(Debug)]
enum Narrowed {
    To(Box<Document>),
    /// A selector is refused.
    Refused,
    /// The body is not a page, or there are too many selectors.
    NoPage,
}

/// The check and the transformer accept the same selectors. Repeating a selector or wrapping it in
/// `:is()` changes nothing.
pub fn selector(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (selector, html) = text.split_once('\n').unwrap_or((&*text, ""));
    let once = narrowed(html, &[selector]);
    if check_selector(selector).is_err() {
        assert!(
            !matches!(once, Narrowed::To(_)),
            "the transformer accepts the invalid selector {selector:?}"
        );
        return;
    }
    assert!(!matches!(once, Narrowed::Refused), "only the transformer refuses {selector:?}");
    assert_same(&once, &narrowed(html, &[selector, selector]), selector);
    // CSS closes open brackets, quotes and comments at the end of the text; inside `:is()` they would swallow
    // its bracket.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" .#,>+~*-_:".contains(&byte);
    if selector.bytes().all(is_plain) {
        assert_same(&once, &narrowed(html, &[&format!(":is({selector})")]), selector);
    }
}

/// The page reduced to what the selectors match.
fn narrowed(html: &str, selectors: &[&str]) -> Narrowed {
    let options = ScrapeOptions::new()
        .formats([Format::Markdown, Format::Html, Format::Links])
        .only_main_content(false)
        .include_tags(selectors.iter().copied());
    let (Ok(url), Ok(options)) = (Url::parse(BASE), options.check()) else { return Narrowed::NoPage };
    match transform(Input::new(&url, Some("text/html; charset=utf-8"), html.as_bytes()), &options) {
        Ok(page) => Narrowed::To(Box::new(page.document)),
        Err(error) if matches!(error.kind(), ErrorKind::InvalidSelector { .. }) => Narrowed::Refused,
        Err(_) => Narrowed::NoPage,
    }
}

/// Asserts that both found the same. Past the step limit the result depends on how a selector is
/// written.
fn assert_same(one: &Narrowed, other: &Narrowed, selector: &str) {
    let (Narrowed::To(one), Narrowed::To(other)) = (one, other) else { return };
    let over_limit =
        |page: &Document| page.warning.as_deref().unwrap_or_default().contains(STEP_LIMIT_WARNING);
    if !over_limit(one) && !over_limit(other) {
        assert_eq!(one, other, "{selector:?}");
    }
}
