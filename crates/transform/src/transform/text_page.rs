//! Bodies other than HTML: Markdown, notebooks, RTF, feeds, tables, plain text and PDFs.

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{Document, Interrupt, MetaValue};
use url::Url;

use super::html_page::{self, wants_text};
use super::{CUT, Input, NO_TEXT, Page, Settings};
use crate::body::feed::Feed;
use crate::body::{self, Body, Head};
use crate::error::Error;
#[cfg(not(feature = "pdf"))]
use crate::error::ErrorKind;
use crate::memory::Output;
use crate::page::attributes;
use crate::resolver::Resolver;
use crate::select::Steps;
use crate::tree::{NodeId, ParseOptions, parse, parse_within, prepare};
use crate::{charset, html, summary};

/// The warning of Markdown that would take too much memory to parse.
const UNPARSED_MARKDOWN: &str =
    "Parsing the Markdown of the page takes more memory than one page may: it is given as plain text.";

/// A text written as a page.
pub(super) struct Written {
    head: Head,
    html: String,
    /// Its end is left out.
    cut: bool,
}

impl Written {
    /// The whole page.
    pub(super) fn page(&self) -> String {
        self.head.html() + &self.html
    }
}

/// Writes a body of a kind of text as a page; `None` if that takes more than `memory` bytes, or if the body
/// is of another kind than it seemed to be.
pub(super) fn html_of(
    kind: &Body,
    input: Input<'_>,
    text: &str,
    memory: usize,
    interrupt: &Interrupt,
) -> Option<Written> {
    if *kind == Body::Rtf {
        let (head, html, cut) = body::rtf::html(input.body, memory / 3, interrupt);
        return Some(Written { head, html, cut });
    }
    let notebook = if *kind == Body::Notebook { Some(body::notebook::markdown(text, memory)?) } else { None };
    let text = notebook.as_deref().unwrap_or(text);
    if body::markdown::parsed_bytes(text) > memory {
        return None;
    }
    let (head, html) = body::markdown::html(text, notebook.is_some(), interrupt);
    Some(Written { head, html, cut: false })
}

/// Transforms a body that is written as a page, all of which is main content.
pub(super) fn converted(kind: &Body, input: Input<'_>, settings: Settings<'_>) -> Page {
    let text = charset::decode(input.body, input.content_type).text;
    let Some(written) = html_of(kind, input, &text, settings.memory, settings.interrupt) else {
        return plain(kind, input, settings);
    };
    let html = prepare(Cow::Owned(written.page()));
    let options =
        ScrapeOptionsPlan { only_main_content: false, block_ads: false, ..settings.options.clone() };
    let mut page = html_page::from_text(&html, input.url, Settings { options: &options, ..settings });
    let document = &mut page.document;
    document.raw_html = options.formats.raw_html.then(|| text.into_owned());
    if written.head.title.is_some() {
        document.metadata.title = written.head.title;
    }
    if written.cut && document.warning.as_deref().is_none_or(|warning| !warning.contains(CUT)) {
        let before = document.warning.take().map(|before| before + " ").unwrap_or_default();
        document.warning = Some(before + CUT);
    }
    page
}

/// Reads a body that is a feed; `None` if it only seemed to be one.
pub(super) fn feed(kind: &Body, text: &str, url: &Url, memory: usize, interrupt: &Interrupt) -> Option<Feed> {
    if *kind == Body::Feed {
        return Some(body::feed::read(text, url, interrupt));
    }
    let resolver = Resolver::new(url, None).with_limits(memory, interrupt);
    body::json_feed::read(text, &resolver, memory)
}

/// Transforms a body that is given as text: every text kind but HTML, and Markdown and notebooks that are too
/// large to parse.
pub(super) fn plain(kind: &Body, input: Input<'_>, settings: Settings<'_>) -> Page {
    let Settings { options, selection, memory, interrupt, .. } = settings;
    let text = charset::decode(input.body, input.content_type).text;
    let mut page = Page::default();
    let mut warnings = Vec::new();
    // At the end the text, its Markdown and its HTML are in memory together.
    let most = memory / 3;
    let mut is_cut = false;
    let mut text_of = |output: Output| {
        is_cut |= output.cut;
        output.text
    };
    let markdown = match kind {
        _ if text.trim().is_empty() => String::new(),
        Body::Json | Body::Notebook => body::fenced(&text, "json"),
        Body::Xml => body::fenced(&text, "xml"),
        Body::Delimited(delimiter) => text_of(body::delimited::markdown(&text, *delimiter, most, interrupt)),
        Body::Feed | Body::JsonFeed => {
            let Some(feed) = feed(kind, &text, input.url, memory, interrupt) else {
                return plain(&Body::Json, input, settings);
            };
            page.links = body::feed_page::links(&feed);
            let metadata = &mut page.document.metadata;
            metadata.title = Some(feed.channel.title.clone()).filter(|title| !title.is_empty());
            let description = parse_within(&feed.channel.summary, ParseOptions::default(), interrupt)
                .folded_text(NodeId::DOCUMENT, 10_000);
            metadata.description = Some(description).filter(|description| !description.is_empty());
            metadata.language = Some(feed.language.clone()).filter(|language| !language.is_empty());
            if options.formats.images {
                page.document.images = Some(body::feed_page::images(&feed, input.url, most, interrupt));
            }
            if feed.cut {
                warnings.push(body::feed::CUT);
            }
            text_of(body::feed_page::markdown(&feed, input.url, most, interrupt))
        }
        Body::Markdown => {
            warnings.push(UNPARSED_MARKDOWN);
            body::fenced(&text, "")
        }
        _ => body::fenced(&text, ""),
    };
    let formats = &options.formats;
    if wants_text(formats) && markdown.is_empty() {
        warnings.push(NO_TEXT);
    }
    let document = &mut page.document;
    if formats.summary {
        document.summary = Some(summary::of_markdown(&markdown));
        page.summary_warning = Some(summary::WARNING);
    }
    if formats.markdown || formats.json.is_some() || formats.change_tracking.is_some() {
        document.markdown = Some(markdown);
    }
    if formats.html {
        let mut html = String::from("<pre>");
        is_cut |= html::escape_up_to(&text, most, &mut html);
        html.push_str("</pre>");
        document.html = Some(html);
    }
    if is_cut {
        warnings.push(CUT);
    }
    document.warning = (!warnings.is_empty()).then(|| warnings.join(" "));
    if formats.raw_html {
        document.raw_html = Some(text.into_owned());
    }
    if formats.links {
        document.links = Some(page.links.links.iter().map(|link| link.url.to_string()).collect());
    }
    if formats.images && document.images.is_none() {
        document.images = Some(Vec::new());
    }
    if !formats.attributes.is_empty() {
        let (empty, steps) = (parse("", ParseOptions::default()), Steps::of_page(0, interrupt));
        let wanted = &formats.attributes;
        document.attributes = Some(attributes::read(&empty, wanted, &selection.attributes, &steps));
    }
    page
}

/// Converts a PDF, or returns it as base64 if the request asks for the file itself.
pub(super) fn pdf(input: Input<'_>, options: &ScrapeOptionsPlan) -> Result<Page, Error> {
    if let Some(parser) = options.pdf {
        #[cfg(feature = "pdf")]
        return body::pdf::page(input.body, parser, &options.formats);
        #[cfg(not(feature = "pdf"))]
        return Err(not_built_in(parser));
    }
    let encoded = BASE64_STANDARD.encode(input.body);
    let formats = &options.formats;
    let mut document = Document::default();
    document.metadata.other.insert("encoding".to_owned(), MetaValue::One("base64".to_owned()));
    document.raw_html = formats.raw_html.then(|| encoded.clone());
    document.html = formats.html.then(|| encoded.clone());
    // Clients expect the file in the field of the Markdown.
    let has_text = formats.markdown || formats.json.is_some() || formats.change_tracking.is_some();
    document.markdown = has_text.then_some(encoded);
    Ok(Page { document, ..Page::default() })
}

#[cfg(not(feature = "pdf"))]
fn not_built_in(_: gleaner_types::plan::PdfParser) -> Error {
    ErrorKind::PdfNotSupported.into()
}
