//! CSS selectors. Input: a selector on the first line, a page on the others.

use gleaner_transform::{ErrorKind, Input, check_selector, transform};
use gleaner_types::Document;
use gleaner_types::request::{Format, ScrapeOptions};
use url::Url;

use super::BASE;

/// In the warning of a page on which selectors are given up.
const GIVEN_UP: &str = "take too many steps";

/// What became of a page.
#[derive(Debug)]
enum Narrowed {
    To(Box<Document>),
    /// A selector is refused.
    Refused,
    /// The body is no page, or the selectors are too many.
    Nothing,
}

/// A selector is refused at the check or nowhere. What it finds does not change where it is said twice or in
/// other words.
pub fn selector(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (selector, html) = text.split_once('\n').unwrap_or((&*text, ""));
    let once = narrowed(html, &[selector]);
    if check_selector(selector).is_err() {
        assert!(!matches!(once, Narrowed::To(_)), "{selector:?} passes, and is no selector");
        return;
    }
    assert!(!matches!(once, Narrowed::Refused), "{selector:?} is refused late");
    same(&once, &narrowed(html, &[selector, selector]), selector);
    // Without brackets, quotes, escapes and comments, which the end of a text would close, it means the same
    // in brackets.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" .#,>+~*-_:".contains(&byte);
    if selector.bytes().all(is_plain) {
        same(&once, &narrowed(html, &[&format!(":is({selector})")]), selector);
    }
}

/// A page with what selectors choose alone.
fn narrowed(html: &str, selectors: &[&str]) -> Narrowed {
    let options = ScrapeOptions::new()
        .formats([Format::Markdown, Format::Html, Format::Links])
        .only_main_content(false)
        .include_tags(selectors.iter().copied());
    let (Ok(url), Ok(options)) = (Url::parse(BASE), options.check()) else { return Narrowed::Nothing };
    match transform(
        Input { url: &url, content_type: Some("text/html; charset=utf-8"), body: html.as_bytes() },
        &options,
    ) {
        Ok(page) => Narrowed::To(Box::new(page.document)),
        Err(error) if matches!(error.kind(), ErrorKind::InvalidSelector { .. }) => Narrowed::Refused,
        Err(_) => Narrowed::Nothing,
    }
}

/// Did they find the same? Where they were given up, how far they came depends on how they are written.
fn same(one: &Narrowed, other: &Narrowed, selector: &str) {
    let (Narrowed::To(one), Narrowed::To(other)) = (one, other) else { return };
    let given_up = |page: &Document| page.warning.as_deref().unwrap_or_default().contains(GIVEN_UP);
    if !given_up(one) && !given_up(other) {
        assert_eq!(one, other, "{selector:?}");
    }
}
