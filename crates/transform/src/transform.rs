//! From a body to a [`Page`].

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use gleaner_types::plan::{Formats, ScrapeOptionsPlan};
use gleaner_types::{Document, Interrupt, MetaValue, Metadata};
use url::Url;

use crate::address::Resolver;
use crate::body::{self, Body};
use crate::error::{Error, ErrorKind};
use crate::memory::{LEAST_PAGE_MEMORY, Output, page_memory};
use crate::page::links::{self, PageLinks};
use crate::page::{attributes, images, link_pass, metadata, shell, structured};
use crate::select::{GIVEN_UP, Selection, Selectors, Steps};
use crate::tree::{NodeId, ParseOptions, Tag, Tree, parse, parse_within, prepare};
use crate::view::View;
use crate::{branding, charset, content, furniture, html, markdown, summary};

/// A body has at most so many bytes.
pub const MAX_BODY_BYTES: usize = 256 * 1024 * 1024;

/// The warning of a page that had no main content.
const NO_MAIN_CONTENT: &str =
    "No main content was found: the whole page is given, as with `onlyMainContent: false`.";

/// The warning of a body without a word, whatever it is.
const NOTHING: &str = "There is nothing to read on the page: its body holds no text.";

/// The warning of a page with too many elements.
const TRUNCATED: &str = "The page has more elements than are read, or they take more memory than one page may: its end is given as text alone.";

/// The warning of a page whose formatting is carried on too often.
const PLAIN: &str = "The page repeats formatting that it does not close more often than is followed: its end is given without formatting.";

/// The warning of a page whose Markdown, HTML or table is longer than it may be.
const CUT: &str = "What is written of the page takes more memory than one page may: its end is left out.";

/// The warning of Markdown that would take too much memory to read.
const UNREAD_MARKDOWN: &str =
    "The Markdown of the page takes more memory to read than one page may: it is given as plain text.";

/// The warning of a page whose text was taken from its JSON-LD.
const FROM_STRUCTURED_DATA: &str =
    "The page shows next to no text: the text that its JSON-LD gives is given instead.";

/// The part of `<title>` that headings are compared with, in bytes.
const MAX_TITLE_BYTES: usize = 2_000;

/// A page with less Markdown than this may be one whose text its scripts put in, in bytes.
const SHORT_BYTES: usize = 300;

/// A text in JSON-LD that is worth more than so little Markdown, in bytes.
const LONG_BYTES: usize = 600;

/// What was fetched.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The address that answered, after redirects.
    pub url: &'a Url,
    /// The `Content-Type` header as sent.
    pub content_type: Option<&'a str>,
    /// The body, content encodings undone.
    pub body: &'a [u8],
}

/// What came of a page.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Page {
    /// The formats asked for and the page's own metadata. Addresses, status, times and credits are the caller's to add.
    pub document: Document,
    /// Where one can go from the page, whatever formats and tags were asked for.
    pub links: PageLinks,
    /// Pages of a PDF that were converted; `None` for what is no PDF and for one that is given as it is. The file may have
    /// more, which its metadata tell.
    pub pages_converted: Option<u32>,
}

/// Checks a CSS selector, so that a faulty one is told before a page is fetched.
///
/// # Errors
///
/// [`ErrorKind::InvalidSelector`], saying what is wrong and what would be right.
pub fn check_selector(selector: &str) -> Result<(), Error> {
    Selectors::parse([&selector.to_owned()]).map(drop)
}

/// Transforms a body into the formats asked for.
///
/// # Errors
///
/// [`ErrorKind::UnsupportedMedia`] for bodies without text, [`ErrorKind::Pdf`] for PDFs that cannot be read and
/// [`ErrorKind::PdfNotSupported`] for all of them without the feature `pdf` (neither where `options.pdf` is `None`, which
/// gives base64), [`ErrorKind::BodyTooLarge`], and [`ErrorKind::InvalidSelector`] naming the first selector of the options
/// that cannot be parsed. Bad markup is no error.
pub fn transform(input: Input<'_>, options: &ScrapeOptionsPlan) -> Result<Page, Error> {
    transform_within(input, options, &Selection::of(options)?, usize::MAX, &Interrupt::never())
}

/// As [`transform`], with the selectors of the options, which are read once for many pages, within `memory` bytes, and until
/// the interrupt is raised.
///
/// A page takes what [`page_memory`] gives at most, and where `memory` is less, as much as that; one MiB at least. What does
/// not fit is left out, and the document's warning says so. The body itself, the work on PDFs, and a copy of the page where
/// the format `rawHtml` is asked for come on top.
///
/// # Errors
///
/// As [`transform`], but for selectors, and [`ErrorKind::Interrupted`] where the interrupt was raised.
pub fn transform_within(
    input: Input<'_>,
    options: &ScrapeOptionsPlan,
    selection: &Selection,
    memory: usize,
    interrupt: &Interrupt,
) -> Result<Page, Error> {
    check_size(input.body)?;
    let memory = memory.clamp(LEAST_PAGE_MEMORY, page_memory(input.body.len()));
    let run = Run { options, selection, memory, interrupt };
    let page = match body::sniff(input.body, input.content_type) {
        Body::Binary(media_type) => Err(Error::unsupported(media_type)),
        Body::Pdf => pdf(input, options),
        Body::Html => Ok(web_page(input, run)),
        Body::Markdown => Ok(written(input, run)),
        kind => Ok(plain(&kind, input, run)),
    };
    // What the passes over the page gave then is unfinished.
    if interrupt.is_raised() { Err(ErrorKind::Interrupted.into()) } else { page }
}

/// What a page is transformed by.
#[derive(Clone, Copy)]
struct Run<'r> {
    options: &'r ScrapeOptionsPlan,
    selection: &'r Selection,
    /// Bytes that the page may take.
    memory: usize,
    interrupt: &'r Interrupt,
}

fn web_page(input: Input<'_>, run: Run<'_>) -> Page {
    let text = prepare(charset::decode(input.body, input.content_type).text);
    if !needs_no_tree(run.options) {
        return html_page(&text, input.url, run);
    }
    let (mut document, links) = link_pass::page(&text, input.url, run.interrupt);
    if run.options.formats.raw_html {
        document.raw_html = Some(text.into_owned());
    }
    Page { document, links, pages_converted: None }
}

/// Are the links (and the HTML as it came) all that is asked for? Then one pass over the tags does, and the metadata are
/// those that tags give.
fn needs_no_tree(options: &ScrapeOptionsPlan) -> bool {
    let formats = &options.formats;
    let bare = Formats { links: true, raw_html: formats.raw_html, ..Formats::default() };
    *formats == bare && options.include_tags.is_empty() && options.exclude_tags.is_empty()
}

/// The links of a page alone, without a tree: several times cheaper than [`transform`].
///
/// # Errors
///
/// As [`transform`], but for selectors.
pub fn links(input: Input<'_>) -> Result<PageLinks, Error> {
    check_size(input.body)?;
    match body::sniff(input.body, input.content_type) {
        Body::Html => {
            let text = prepare(charset::decode(input.body, input.content_type).text);
            Ok(link_pass::links(&text, input.url))
        }
        Body::Feed => {
            let text = charset::decode(input.body, input.content_type).text;
            Ok(body::feed_page::links(&body::feed::read(&text, input.url, &Interrupt::never())))
        }
        Body::Markdown => {
            let text = charset::decode(input.body, input.content_type).text;
            let html = body::markdown::html(&text, &Interrupt::never());
            Ok(link_pass::links(&prepare(Cow::Owned(html)), input.url))
        }
        Body::Binary(media_type) => Err(Error::unsupported(media_type)),
        _ => Ok(PageLinks::default()),
    }
}

/// Markdown of a piece of HTML, all of it. Without a base, relative addresses stay as they are.
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

/// Markdown of one of so many pieces of a page, which share what addresses may add; a `<base>` in them says nothing.
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

fn html_page(text: &str, url: &Url, run: Run<'_>) -> Page {
    let Run { options, selection, memory, interrupt } = run;
    let formats = &options.formats;
    let selects = !options.include_tags.is_empty()
        || !options.exclude_tags.is_empty()
        || !formats.attributes.is_empty();
    let all_attributes = selects || formats.html;
    let tree = parse_within(text, ParseOptions { all_attributes, memory: Some(memory) }, interrupt);
    let resolver = Resolver::of_tree(url, &tree);
    let mut document = Document { metadata: metadata::read(&tree, url, &resolver), ..Document::default() };
    let mut warnings = Vec::new();
    let mut is_blank = false;
    let mut is_cut = false;

    let steps = Steps::of_page(text.len(), interrupt);
    let tagged = selection.view(&tree, &steps);
    if formats.links {
        document.links = Some(links::of_view(&tree, &tagged, &resolver));
    }
    if formats.images {
        document.images = Some(images::of_view(&tree, &tagged, &resolver));
    }
    if !formats.attributes.is_empty() {
        let wanted = &formats.attributes;
        document.attributes = Some(attributes::read(&tree, wanted, &selection.attributes, &steps));
    }
    if formats.raw_html {
        document.raw_html = Some(text.to_owned());
    }
    if formats.branding {
        document.branding = Some(branding::read(&tree, text, &resolver));
    }
    let wants_text = wants_text(formats);
    if wants_text || formats.html {
        let asked = || in_body(&tree, tagged.clone());
        let whole = || {
            let mut view = asked();
            if options.block_ads {
                furniture::hide(&tree, &mut view);
            }
            view
        };
        // Main content is told from advertisements by other means.
        let narrows = options.only_main_content && options.include_tags.is_empty();
        let mut view = if narrows { asked() } else { whole() };
        let mut is_whole = !narrows;
        if narrows {
            let metadata = &document.metadata;
            let whole_title = tree.all(Tag::Title).next().map(|node| tree.folded_text(node, MAX_TITLE_BYTES));
            let named = content::Named {
                title: metadata.title.as_deref().unwrap_or_default(),
                whole: whole_title.as_deref().unwrap_or_default(),
                social: metadata.og_title.as_deref().unwrap_or_default(),
                site: metadata.og_site_name.as_deref().unwrap_or_default(),
                host: url.host_str().unwrap_or_default(),
            };
            let narrowed = content::narrow(&tree, &mut view, url, &named);
            if !narrowed.found {
                view = whole();
                is_whole = true;
            } else if narrowed.cut {
                warnings.push(content::CUT);
            }
        }
        let mut write = |view: &View| {
            let resolver = resolver.afresh();
            let options = markdown::Options {
                resolver: &resolver,
                remove_base64_images: options.remove_base64_images,
                faithful: false,
            };
            let output = markdown::write(&tree, view, options);
            is_cut |= output.cut;
            output.text
        };
        let mut written = if wants_text { write(&view) } else { String::new() };
        if wants_text && written.is_empty() && !is_whole {
            view = whole();
            written = write(&view);
            is_whole = true;
        }
        if wants_text
            && written.len() < SHORT_BYTES
            && options.include_tags.is_empty()
            && let Some(text) = structured::main_text(&tree).filter(|text| text.len() > LONG_BYTES)
        {
            written = paragraphs(&text, url, interrupt);
            warnings.push(FROM_STRUCTURED_DATA);
            is_whole = false;
        }
        if narrows && is_whole && !written.is_empty() {
            warnings.push(NO_MAIN_CONTENT);
        }
        if formats.html {
            let named = |selector: &String| selector.to_ascii_lowercase().contains("iframe");
            let written = html::Options {
                remove_base64_images: options.remove_base64_images,
                frames: options.include_tags.iter().any(named),
            };
            let output = html::write(&tree, &view, &resolver.afresh(), written);
            is_cut |= output.cut;
            document.html = Some(output.text);
        }
        is_blank = written.is_empty() && options.include_tags.is_empty() && options.exclude_tags.is_empty();
        if formats.summary {
            document.summary = Some(summary::of_markdown(&written));
            warnings.push(summary::WARNING);
        }
        if formats.markdown || formats.json.is_some() || formats.change_tracking.is_some() {
            document.markdown = Some(written);
        }
    }
    if !tagged.noscript && shell::is_shell(&tree) {
        warnings.push(shell::WARNING);
    } else if wants_text && is_blank {
        warnings.push(NOTHING);
    }
    if steps.is_used_up() {
        warnings.push(GIVEN_UP);
    }
    let limits = [(tree.truncated, TRUNCATED), (tree.plain, PLAIN), (is_cut, CUT)];
    warnings.extend(limits.into_iter().filter(|(met, _)| *met).map(|(_, warning)| warning));
    document.warning = (!warnings.is_empty()).then(|| warnings.join(" "));
    Page { document, links: links::of_page(&tree, &resolver), pages_converted: None }
}

/// Is something asked for that is made of the Markdown?
const fn wants_text(formats: &Formats) -> bool {
    formats.markdown || formats.summary || formats.json.is_some() || formats.change_tracking.is_some()
}

/// Leaves out what stands in the head.
fn in_body(tree: &Tree, mut view: View) -> View {
    if view.roots == [NodeId::DOCUMENT]
        && let Some(root) = tree.find(Tag::Body).or_else(|| tree.find(Tag::Frameset))
    {
        view.roots = vec![root];
    }
    view
}

/// Markdown of a text of JSON-LD: HTML, or paragraphs with line ends between them.
fn paragraphs(text: &str, url: &Url, interrupt: &Interrupt) -> String {
    if text.contains("</") || text.contains("<br") {
        return html_to_markdown_within(text, Some(url), interrupt);
    }
    let mut html = String::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        html.push_str("<p>");
        html::escape(&crate::tree::decode_references(line, false), false, &mut html);
        html.push_str("</p>");
    }
    html_to_markdown_within(&html, Some(url), interrupt)
}

/// A body of Markdown: all of it is main content.
fn written(input: Input<'_>, run: Run<'_>) -> Page {
    let text = charset::decode(input.body, input.content_type).text;
    if body::markdown::parsed_bytes(&text) > run.memory {
        return plain(&Body::Markdown, input, run);
    }
    let html = prepare(Cow::Owned(body::markdown::html(&text, run.interrupt)));
    let options = ScrapeOptionsPlan { only_main_content: false, block_ads: false, ..run.options.clone() };
    let mut page = html_page(&html, input.url, Run { options: &options, ..run });
    page.document.raw_html = options.formats.raw_html.then(|| text.into_owned());
    page
}

/// Bodies that are given as text: all but HTML, and Markdown that is too much to read.
fn plain(kind: &Body, input: Input<'_>, run: Run<'_>) -> Page {
    let Run { options, selection, memory, interrupt } = run;
    let text = charset::decode(input.body, input.content_type).text;
    let mut page = Page::default();
    let mut warnings = Vec::new();
    // Markdown and HTML are both at hand at the end, beside the text.
    let most = memory / 3;
    let mut is_cut = false;
    let mut within = |output: Output| {
        is_cut |= output.cut;
        output.text
    };
    let markdown = match kind {
        _ if text.trim().is_empty() => String::new(),
        Body::Json => body::fenced(&text, "json"),
        Body::Xml => body::fenced(&text, "xml"),
        Body::Delimited(delimiter) => within(body::delimited::markdown(&text, *delimiter, most, interrupt)),
        Body::Feed => {
            let feed = body::feed::read(&text, input.url, interrupt);
            page.links = body::feed_page::links(&feed);
            let metadata = &mut page.document.metadata;
            metadata.title = Some(feed.about.title.clone()).filter(|title| !title.is_empty());
            let about = parse_within(&feed.about.summary, ParseOptions::default(), interrupt)
                .folded_text(NodeId::DOCUMENT, 10_000);
            metadata.description = Some(about).filter(|about| !about.is_empty());
            if feed.cut {
                warnings.push(body::feed::CUT);
            }
            within(body::feed_page::markdown(&feed, input.url, most, interrupt))
        }
        Body::Markdown => {
            warnings.push(UNREAD_MARKDOWN);
            body::fenced(&text, "")
        }
        _ => body::fenced(&text, ""),
    };
    let formats = &options.formats;
    if wants_text(formats) && markdown.is_empty() {
        warnings.push(NOTHING);
    }
    let document = &mut page.document;
    if formats.summary {
        document.summary = Some(summary::of_markdown(&markdown));
        warnings.push(summary::WARNING);
    }
    if formats.markdown || formats.json.is_some() || formats.change_tracking.is_some() {
        document.markdown = Some(markdown);
    }
    if formats.html {
        let mut html = String::from("<pre>");
        is_cut |= html::escape_within(&text, most, &mut html);
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
        let (nothing, steps) = (parse("", ParseOptions::default()), Steps::of_page(0, interrupt));
        let wanted = &formats.attributes;
        document.attributes = Some(attributes::read(&nothing, wanted, &selection.attributes, &steps));
    }
    page
}

/// PDFs: converted, or given as they are where the request asks for the file itself.
fn pdf(input: Input<'_>, options: &ScrapeOptionsPlan) -> Result<Page, Error> {
    if let Some(parser) = options.pdf {
        #[cfg(feature = "pdf")]
        return body::pdf::page(input.body, parser, &options.formats);
        #[cfg(not(feature = "pdf"))]
        return Err(not_built_in(parser));
    }
    let encoded = BASE64_STANDARD.encode(input.body);
    let mut metadata = Metadata::default();
    metadata.other.insert("encoding".to_owned(), MetaValue::One("base64".to_owned()));
    let formats = &options.formats;
    let document = Document {
        raw_html: formats.raw_html.then(|| encoded.clone()),
        html: formats.html.then(|| encoded.clone()),
        // Clients look for the file where they look for Markdown.
        markdown: (formats.markdown || formats.json.is_some() || formats.change_tracking.is_some())
            .then_some(encoded),
        metadata,
        ..Document::default()
    };
    Ok(Page { document, ..Page::default() })
}

#[cfg(not(feature = "pdf"))]
fn not_built_in(_: gleaner_types::plan::PdfParser) -> Error {
    ErrorKind::PdfNotSupported.into()
}
