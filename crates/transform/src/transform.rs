//! From a body to a [`Page`].

mod html_page;
mod text_page;

use std::borrow::Cow;

use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{Document, Interrupt};
use url::Url;

use crate::body::{self, Body};
use crate::content::SiteMemory;
use crate::error::{Error, ErrorKind};
use crate::memory::{MIN_PAGE_MEMORY, Output, page_memory};
use crate::page::link_pass;
use crate::page::links::PageLinks;
use crate::resolver::Resolver;
use crate::select::{Selection, Selectors};
use crate::tree::{ParseOptions, parse_within, prepare};
use crate::view::View;
use crate::{charset, markdown};

/// Upper bound on the size of a body, in bytes.
pub const MAX_BODY_BYTES: usize = 256 * 1024 * 1024;

/// The name of the encoding of text that is not decoded from bytes.
const UTF_8: &str = "UTF-8";

/// The warning of a body without a word, whatever its type.
const NO_TEXT: &str = "There is nothing to read on the page: its body holds no text.";

/// The warning of a page whose Markdown, HTML or table reaches its memory limit.
const CUT: &str = "The output of the page takes more memory than one page may: its end is left out.";

/// A fetched body.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Input<'a> {
    /// The final URL, after redirects.
    pub url: &'a Url,
    /// The `Content-Type` header as received. For a document that a browser wrote, with the encoding of the
    /// page as [`DOCUMENT_CHARSET`](crate::DOCUMENT_CHARSET).
    pub content_type: Option<&'a str>,
    /// The body, with content encodings decoded.
    pub body: &'a [u8],
}

impl<'a> Input<'a> {
    /// The body of the page at `url`, with its `Content-Type` header if it has one.
    #[must_use]
    pub const fn new(url: &'a Url, content_type: Option<&'a str>, body: &'a [u8]) -> Self {
        Self { url, content_type, body }
    }
}

/// A transformed page.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Page {
    /// The requested formats and the page's own metadata. The caller adds URLs, status, times and credits.
    pub document: Document,
    /// The links of the page, whatever formats and tags are requested.
    pub links: PageLinks,
    /// Pages of a PDF that were converted. `None` for other bodies, and for a PDF that is returned as a file.
    /// The metadata hold the number of all its pages.
    pub pages_converted: Option<u32>,
    /// The page is an empty shell as served: it has scripts and almost no text, and neither JSON-LD nor the
    /// state of its scripts has a long text. A browser gives more of it. The state counts only if formats
    /// with text are requested.
    pub needs_scripts: bool,
    /// Marks an extractive summary. It is no part of the document's warning yet, because a model's summary
    /// may replace the summary.
    pub summary_warning: Option<&'static str>,
}

impl Page {
    /// The document, with all its warnings.
    #[must_use]
    pub fn into_document(mut self) -> Document {
        if let Some(summary) = self.summary_warning {
            let first = self.document.warning.take();
            self.document.warning =
                Some(first.map_or_else(|| summary.to_owned(), |first| format!("{first} {summary}")));
        }
        self.document
    }
}

/// Checks a CSS selector, so that a request can be refused before any page is fetched.
///
/// # Errors
///
/// [`ErrorKind::InvalidSelector`], with the reason and valid examples.
pub fn check_selector(selector: &str) -> Result<(), Error> {
    Selectors::parse([&selector.to_owned()]).map(drop)
}

/// Transforms a body into the requested formats.
///
/// # Errors
///
/// - [`ErrorKind::UnsupportedMedia`] for bodies without text,
/// - [`ErrorKind::Pdf`] for PDFs that cannot be read, [`ErrorKind::PdfNotSupported`] for every PDF without
///   the feature `pdf`; neither occurs if `options.pdf` is `None`, which returns base64,
/// - [`ErrorKind::BodyTooLarge`],
/// - [`ErrorKind::InvalidSelector`] with the first selector of the options that cannot be parsed.
///
/// Invalid markup is no error.
pub fn transform(input: Input<'_>, options: &ScrapeOptionsPlan) -> Result<Page, Error> {
    transform_within(input, options, &Selection::of(options)?, usize::MAX, &Interrupt::never())
}

/// Like [`transform`], within `memory` bytes and until the interrupt is raised. `selection` holds the
/// selectors of the options, parsed once for many pages.
///
/// The page takes at most `memory` bytes, and at most [`page_memory`]; the limit is never below 1 MiB. What
/// does not fit is left out, and the document's warning says so. The limit does not include the body itself,
/// the work on PDFs, and the copy of the page for the format `rawHtml`.
///
/// # Errors
///
/// Those of [`transform`] except for selectors, and [`ErrorKind::Interrupted`] if the interrupt was raised.
pub fn transform_within(
    input: Input<'_>,
    options: &ScrapeOptionsPlan,
    selection: &Selection,
    memory: usize,
    interrupt: &Interrupt,
) -> Result<Page, Error> {
    transform_with(input, Settings { options, selection, memory, interrupt, encoding: UTF_8, site: None })
}

/// Like [`transform_within`], for one of many pages: what recurs on the pages of its site is left out of the
/// main content, as far as `site` has learned it from the pages before; then it learns this page.
///
/// This applies to HTML with `only_main_content` and without `include_tags`. Nothing is left out of the first
/// 6 pages of a site. A later page loses texts that at least 6 pages and two fifths of all had, and teasers:
/// links to pages that earlier pages linked to in the same place, with the texts of these links, if a quarter
/// of the pages has links in that place and repeats them, in whatever combination. It never loses its title,
/// code, a callout between parts of its text, a table of values, a heading without the whole of its section,
/// a list of more than 12 links, or most of its text: at least half of its words are left, or a quarter if
/// they are 100 words of prose, without new links in such places.
///
/// The pages of a host judge each other, whoever wrote them: who writes two fifths of them can make a text of
/// another page common, and that page then loses it, within the limits above.
///
/// The result depends on the pages before. A page with the format `changeTracking` is compared with an
/// earlier crawl, so it is transformed without. Nothing is learned from pages that need scripts, and from
/// pages of which more than half was on earlier ones, such as the variants of a product.
///
/// ```
/// use gleaner_transform::{Input, Selection, SiteMemory, transform_on_site};
/// use gleaner_types::Interrupt;
/// use gleaner_types::request::ScrapeOptions;
///
/// let options = ScrapeOptions::new().check().unwrap();
/// let (selection, site) = (Selection::of(&options)?, SiteMemory::default());
/// for number in 0..9 {
///     let own = format!("Page {number} has a text of its own, ").repeat(9);
///     let body = format!("<main><p>{own}.</p><p>Sign up for our letter and read pages first.</p></main>");
///     let url = format!("https://example.org/{number}").parse()?;
///     let input = Input::new(&url, Some("text/html"), body.as_bytes());
///     let page = transform_on_site(input, &options, &selection, usize::MAX, &Interrupt::never(), &site)?;
///     assert_eq!(page.document.markdown.unwrap().contains("Sign up"), number < 6);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Those of [`transform_within`].
pub fn transform_on_site(
    input: Input<'_>,
    options: &ScrapeOptionsPlan,
    selection: &Selection,
    memory: usize,
    interrupt: &Interrupt,
    site: &SiteMemory,
) -> Result<Page, Error> {
    transform_with(
        input,
        Settings { options, selection, memory, interrupt, encoding: UTF_8, site: Some(site) },
    )
}

fn transform_with(input: Input<'_>, settings: Settings<'_>) -> Result<Page, Error> {
    check_size(input.body)?;
    let Settings { options, memory, interrupt, .. } = settings;
    let memory = memory.clamp(MIN_PAGE_MEMORY, page_memory(input.body.len()));
    let settings = Settings { memory, ..settings };
    let page = match body::sniff(input.body, input.content_type, input.url) {
        Body::Binary(media_type) => Err(Error::unsupported(media_type)),
        Body::Pdf => text_page::pdf(input, options),
        Body::Html => Ok(html_page::page(input, settings)),
        Body::Xhtml => Ok(html_page::xml_page(input, settings)),
        kind @ (Body::Markdown | Body::Notebook | Body::Rtf) => {
            Ok(text_page::converted(&kind, input, settings))
        }
        kind => Ok(text_page::plain(&kind, input, settings)),
    };
    // A page made after the interrupt is incomplete.
    if interrupt.is_raised() { Err(ErrorKind::Interrupted.into()) } else { page }
}

/// How a page is transformed.
#[derive(Clone, Copy)]
struct Settings<'s> {
    options: &'s ScrapeOptionsPlan,
    selection: &'s Selection,
    /// Bytes that the page may take.
    memory: usize,
    interrupt: &'s Interrupt,
    /// The encoding in which queries of links are written, by its name.
    encoding: &'static str,
    /// What recurs on the pages of the site.
    site: Option<&'s SiteMemory>,
}

/// Reads only the links of a page, without a tree. Several times cheaper than [`transform`], which also finds
/// those in the text that an empty shell has for its scripts.
///
/// # Errors
///
/// Those of [`transform`], except for selectors.
pub fn links(input: Input<'_>) -> Result<PageLinks, Error> {
    check_size(input.body)?;
    let kind = body::sniff(input.body, input.content_type, input.url);
    match kind {
        Body::Html => {
            let decoded = charset::decode(input.body, input.content_type);
            let encoding = charset::query_encoding(input.content_type, decoded.encoding);
            Ok(link_pass::links(&prepare(decoded.text), input.url, encoding))
        }
        Body::Xhtml => {
            let decoded = charset::decode(input.body, input.content_type);
            let html = prepare(Cow::Owned(body::xhtml::html(&decoded.text)));
            Ok(link_pass::links(&html, input.url, decoded.encoding))
        }
        Body::Feed | Body::JsonFeed => {
            let text = charset::decode(input.body, input.content_type).text;
            let memory = page_memory(input.body.len());
            let feed = text_page::feed(&kind, &text, input.url, memory, &Interrupt::never());
            Ok(feed.map(|feed| body::feed_page::links(&feed)).unwrap_or_default())
        }
        Body::Markdown | Body::Notebook | Body::Rtf => {
            let text = charset::decode(input.body, input.content_type).text;
            let memory = page_memory(input.body.len());
            let page = text_page::html_of(&kind, input, &text, memory, &Interrupt::never());
            let html = page.map(|written| written.page()).unwrap_or_default();
            Ok(link_pass::links(&prepare(Cow::Owned(html)), input.url, UTF_8))
        }
        Body::Binary(media_type) => Err(Error::unsupported(media_type)),
        _ => Ok(PageLinks::default()),
    }
}

/// Converts all of a piece of HTML to Markdown. Without a base, relative URLs stay unchanged.
///
/// ```
/// let html = "<h1>Title</h1><p>Some <b>bold</b> text, <a href=next>and more</a>.</p>";
/// assert_eq!(
///     gleaner_transform::html_to_markdown(html, None),
///     "# Title\n\nSome **bold** text, [and more](next).",
/// );
/// ```
#[must_use]
pub fn html_to_markdown(html: &str, base: Option<&Url>) -> String {
    html_to_markdown_within(html, base, &Interrupt::never())
}

fn html_to_markdown_within(html: &str, base: Option<&Url>, interrupt: &Interrupt) -> String {
    let text = prepare(Cow::Borrowed(html));
    let tree = parse_within(&text, ParseOptions::default(), interrupt);
    let resolver = base.map_or_else(Resolver::without_base, |base| Resolver::of_tree(base, &tree));
    let options = markdown::Options { resolver: &resolver, remove_base64_images: true, faithful: true };
    markdown::write(&tree, &View::whole(&tree), options).text
}

/// Converts one of `pieces` pieces of a page to Markdown. The pieces share the budget of the resolver, and a
/// `<base>` in them has no effect.
pub(crate) fn piece_to_markdown(
    html: &str,
    resolver: &Resolver,
    pieces: usize,
    interrupt: &Interrupt,
) -> Output {
    let tree = parse_within(&prepare(Cow::Borrowed(html)), ParseOptions::default(), interrupt);
    let options = markdown::Options { resolver, remove_base64_images: true, faithful: true };
    markdown::write_piece(&tree, options, pieces)
}

fn check_size(body: &[u8]) -> Result<(), Error> {
    if body.len() > MAX_BODY_BYTES {
        return Err(ErrorKind::BodyTooLarge { bytes: body.len() }.into());
    }
    Ok(())
}
