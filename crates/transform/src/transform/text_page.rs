//! Bodies other than HTML: Markdown, feeds, tables, plain text and PDFs.

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{Document, MetaValue};

use super::html_page::{self, wants_text};
use super::{CUT, Input, NO_TEXT, Page, Settings};
use crate::body::{self, Body};
use crate::error::Error;
#[cfg(not(feature = "pdf"))]
use crate::error::ErrorKind;
use crate::memory::Output;
use crate::page::attributes;
use crate::select::Steps;
use crate::tree::{NodeId, ParseOptions, parse, parse_within, prepare};
use crate::{charset, html, summary};

/// The warning of Markdown that would take too much memory to parse.
const UNPARSED_MARKDOWN: &str =
    "Parsing the Markdown of the page takes more memory than one page may: it is given as plain text.";

/// Transforms a body of Markdown, all of which is main content.
pub(super) fn markdown(input: Input<'_>, settings: Settings<'_>) -> Page {
    let text = charset::decode(input.body, input.content_type).text;
    if body::markdown::parsed_bytes(&text) > settings.memory {
        return plain(&Body::Markdown, input, settings);
    }
    let html = prepare(Cow::Owned(body::markdown::html(&text, settings.interrupt)));
    let options =
        ScrapeOptionsPlan { only_main_content: false, block_ads: false, ..settings.options.clone() };
    let mut page = html_page::from_text(&html, input.url, Settings { options: &options, ..settings });
    page.document.raw_html = options.formats.raw_html.then(|| text.into_owned());
    page
}

/// Transforms a body that is given as text: every text kind but HTML, and Markdown that is too large to
/// parse.
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
        Body::Json => body::fenced(&text, "json"),
        Body::Xml => body::fenced(&text, "xml"),
        Body::Delimited(delimiter) => text_of(body::delimited::markdown(&text, *delimiter, most, interrupt)),
        Body::Feed => {
            let feed = body::feed::read(&text, input.url, interrupt);
            page.links = body::feed_page::links(&feed);
            let metadata = &mut page.document.metadata;
            metadata.title = Some(feed.channel.title.clone()).filter(|title| !title.is_empty());
            let description = parse_within(&feed.channel.summary, ParseOptions::default(), interrupt)
                .folded_text(NodeId::DOCUMENT, 10_000);
            metadata.description = Some(description).filter(|description| !description.is_empty());
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
    if formats.images {
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
