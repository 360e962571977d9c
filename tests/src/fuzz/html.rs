//! HTML pages, and bodies of other types. Input: the bytes of the body, for other types after two bytes of
//! options.

use std::sync::OnceLock;

use comrak::nodes::NodeValue;
use gleaner_transform::{Input, MAX_RESOLVED_BYTES, links, transform};
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::request::{Format, ScrapeRequest};
use url::Url;

use super::{BASE, markup};

/// Upper bound on bytes of output per byte of input. The most expensive known inputs are a line end in code
/// within two dozen quotes, which is written with a prefix of 48 columns, and a table row of nine bytes,
/// which is padded to 128 columns.
const GROWTH: usize = 64;

/// Bytes of output for any input: the limit on resolved URLs, which include the base, once in the main
/// content and once around it.
const SLACK: usize = 2 * 65_536;

/// Markdown and HTML of any page are bounded and inert, and its links are `http` or `https`.
pub fn html_to_markdown(data: &[u8]) {
    let Ok(url) = Url::parse(BASE) else { return };
    assert_invariants(Input::new(&url, Some("text/html"), data), SLACK);
    // A fragment without a base: URLs may be relative, but never run code.
    assert_inert_markdown(&gleaner_transform::html_to_markdown(&String::from_utf8_lossy(data), None));
}

/// Declared content types.
const TYPES: [Option<&str>; 15] = [
    None,
    Some("text/html"),
    Some("text/markdown"),
    Some("text/csv"),
    Some("text/tab-separated-values"),
    Some("application/rss+xml"),
    Some("application/atom+xml"),
    Some("text/xml"),
    Some("application/json"),
    Some("text/plain"),
    Some("application/octet-stream"),
    Some("application/rtf"),
    Some("application/x-ipynb+json"),
    Some("application/feed+json"),
    Some("application/xhtml+xml"),
];

/// The same for a body of any type, at a URL of any length. Input: a byte that chooses the type, a byte that
/// adds 33 bytes times itself to the URL, and the body.
pub fn body(data: &[u8]) {
    let [kind, length, body @ ..] = data else { return };
    let Some(content_type) = TYPES.get(usize::from(*kind) % TYPES.len()) else { return };
    let folder = "folder/0123456789/0123456789/abc/".repeat(usize::from(*length));
    let Ok(url) = Url::parse(&format!("https://example.com/{folder}")) else { return };
    let slack = if *length == 0 { SLACK } else { SLACK + MAX_RESOLVED_BYTES };
    assert_invariants(Input::new(&url, *content_type, body), slack);
}

/// Asserts the invariants for a body; its output has at most `GROWTH` times its bytes plus `slack`.
fn assert_invariants(input: Input<'_>, slack: usize) {
    let data = input.body;
    for only_main_content in [true, false] {
        let Some(options) = options(only_main_content) else { return };
        let Ok(page) = transform(input, options) else { continue };
        let document = page.document;
        let bound = GROWTH * data.len() + slack;
        if let Some(markdown) = &document.markdown {
            assert!(
                markdown.len() <= bound,
                "{} bytes give {} bytes of Markdown",
                data.len(),
                markdown.len()
            );
            assert_inert_markdown(markdown);
        }
        if let Some(html) = &document.html {
            assert!(html.len() <= bound, "{} bytes give {} bytes of HTML", data.len(), html.len());
            assert!(markup::is_inert(html), "active HTML: {html}");
        }
        for link in document.links.iter().flatten() {
            assert_web_url(link);
        }
        for link in page.links.links {
            assert_web_url(link.url.as_str());
        }
    }
    // The faster path that extracts only links.
    for link in links(input).into_iter().flat_map(|page| page.links) {
        assert_web_url(link.url.as_str());
    }
}

fn assert_web_url(link: &str) {
    let url = Url::parse(link);
    assert!(url.is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host()), "{link}");
}

/// Parses the Markdown as a renderer would: no active HTML, no URL that runs code.
pub(super) fn assert_inert_markdown(markdown: &str) {
    let arena = comrak::Arena::new();
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    let root = comrak::parse_document(&arena, markdown, &options);
    for node in root.descendants() {
        match &node.data.borrow().value {
            NodeValue::HtmlInline(html) => {
                assert!(markup::is_inert(html), "raw HTML {html:?}");
            }
            NodeValue::HtmlBlock(block) => {
                assert!(markup::is_inert(&block.literal), "a block of raw HTML {:?}", block.literal);
            }
            NodeValue::Link(link) | NodeValue::Image(link) => {
                assert!(!markup::runs_code(&link.url), "a URL that runs code: {}", link.url);
            }
            _ => {}
        }
    }
}

/// The formats that need neither a browser nor a model.
fn options(only_main_content: bool) -> Option<&'static ScrapeOptionsPlan> {
    static PLANS: [OnceLock<Option<ScrapeOptionsPlan>>; 2] = [OnceLock::new(), OnceLock::new()];
    let [all, main] = &PLANS;
    let plan = if only_main_content { main } else { all };
    let make = || {
        let formats = [Format::Markdown, Format::Html, Format::RawHtml, Format::Links, Format::Images];
        let request = ScrapeRequest::new(BASE).formats(formats).only_main_content(only_main_content);
        request.check().ok().map(|plan| plan.options)
    };
    plan.get_or_init(make).as_ref()
}
