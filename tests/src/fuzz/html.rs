//! Pages. Input: the bytes of an HTML page in any encoding; or of a body of another kind, told by what stands before it.

use std::sync::OnceLock;

use comrak::nodes::NodeValue;
use gleaner_transform::{Input, MAX_RESOLVED_BYTES, links, transform};
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::request::{Format, ScrapeRequest};
use url::Url;

use super::{BASE, markup};

/// A byte of input gives at most so many of output. The dearest known are a line end in code within two dozen quotes, which
/// is written with 48 columns before it, and a table row of nine bytes, which is filled up to 128 columns.
const GROWTH: usize = 64;

/// And so many whatever the input: so many bytes of addresses a page of any size may have written out, the base that is
/// put before them included, once in its text and once in what stands around it.
const SLACK: usize = 2 * 65_536;

/// Any page gives Markdown and HTML that are bounded, cannot act, and lead only to the web.
pub fn html_to_markdown(data: &[u8]) {
    let Ok(url) = Url::parse(BASE) else { return };
    holds(Input { url: &url, content_type: Some("text/html"), body: data }, SLACK);
    // A fragment without a base: addresses may be relative, but never code.
    harmless(&gleaner_transform::html_to_markdown(&String::from_utf8_lossy(data), None));
}

/// What a body may say that it is.
const TYPES: [Option<&str>; 11] = [
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
];

/// The same of a body of any kind, at an address of any length. Input: a byte that chooses the type, one that makes the
/// address longer by 32 bytes times itself, and the body.
pub fn body(data: &[u8]) {
    let [kind, length, body @ ..] = data else { return };
    let Some(content_type) = TYPES.get(usize::from(*kind) % TYPES.len()) else { return };
    let folder = "folder/0123456789/0123456789/abc/".repeat(usize::from(*length));
    let Ok(url) = Url::parse(&format!("https://example.com/{folder}")) else { return };
    let slack = if *length == 0 { SLACK } else { SLACK + MAX_RESOLVED_BYTES };
    holds(Input { url: &url, content_type: *content_type, body }, slack);
}

/// What is true of any body: what it gives is no longer than a multiple of it and so many bytes, and as told above.
fn holds(input: Input<'_>, slack: usize) {
    let data = input.body;
    for only_main_content in [true, false] {
        let Some(options) = options(only_main_content) else { return };
        let Ok(page) = transform(input, options) else { continue };
        let document = page.document;
        let bound = GROWTH * data.len() + slack;
        if let Some(markdown) = &document.markdown {
            assert!(markdown.len() <= bound, "{} bytes give {} of Markdown", data.len(), markdown.len());
            harmless(markdown);
        }
        if let Some(html) = &document.html {
            assert!(html.len() <= bound, "{} bytes give {} of HTML", data.len(), html.len());
            assert!(markup::is_inert(html), "HTML that can act: {html}");
        }
        for link in document.links.iter().flatten() {
            of_the_web(link);
        }
        for link in page.links.links {
            of_the_web(link.url.as_str());
        }
    }
    // The cheap way to the links alone.
    for link in links(input).into_iter().flat_map(|page| page.links) {
        of_the_web(link.url.as_str());
    }
}

fn of_the_web(link: &str) {
    let url = Url::parse(link);
    assert!(url.is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host()), "{link}");
}

/// Reads the Markdown as a renderer would: no HTML that can act, no address that runs code.
pub(super) fn harmless(markdown: &str) {
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
                assert!(!markup::runs_code(&link.url), "an address that runs code: {}", link.url);
            }
            _ => {}
        }
    }
}

/// Every format that needs no browser and no model.
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
