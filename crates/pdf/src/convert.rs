//! Converts a PDF to Markdown and metadata, page by page within the limits.

use std::thread;

use pdfboss_core::document::metadata_with;
use pdfboss_core::{Immediate, Metadata, OutlineItem, block_on, outline_with};
use serde::{Deserialize, Serialize};

use crate::document::{self, Entry};
use crate::layout::{Margin, PageLayout, is_unreadable, lay_out, paragraphs};
use crate::reader::{File, Reader, form, pages, xmp};
use crate::{Error, ErrorKind, MAX_MARKDOWN_BYTES, Options, safe};

/// Stack of the thread that parses a file. The parsers recurse on some structures of a file to bounded
/// depths. The stack is reserved address space; most of it is never used.
pub const STACK_BYTES: usize = 64 * 1024 * 1024;

/// The header may be behind at most this many bytes (PDF 32000-1, annex H, note 13).
const MAX_BYTES_BEFORE: usize = 1_024;

/// How a file begins.
const HEADER: &[u8] = b"%PDF-";

/// Most characters of each metadata field. A longer one is cut.
const MAX_METADATA_CHARS: usize = 4_096;

/// Most entries of the outline that are compared with headings.
const MAX_ENTRIES: usize = 10_000;

/// A converted file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Converted {
    /// Markdown of the pages that were converted. Safe to render: see the crate's documentation.
    pub markdown: String,
    /// Pages of the file.
    pub pages: u32,
    /// Pages that were converted, from the first. Fewer than requested if the pages reach a limit: a page
    /// draws more than [`MAX_PAGE_TEXTS`](crate::MAX_PAGE_TEXTS) texts, or the pages together need more than
    /// [`MAX_VALUES`](crate::MAX_VALUES) or [`Options::max_inflated_bytes`].
    pub pages_converted: u32,
    /// Pages, counted from 1, with pictures of text but no text. They need optical character recognition.
    pub pages_without_text: Vec<u32>,
    /// Pages, counted from 1, with text that cannot be read: their fonts do not say which characters much of
    /// it is. It is left out.
    #[serde(default)]
    pub pages_unreadable: Vec<u32>,
    /// Whether the end of the file is missing, and perhaps pages, fonts and texts with it.
    #[serde(default)]
    pub is_cut: bool,
    /// Whether the pages are placeholders that ask for another program: the file is a dynamic form (XFA). The
    /// Markdown has the texts and fields of the form instead, if they can be read.
    #[serde(default)]
    pub is_placeholder: bool,
    /// The title in the file's metadata. XMP is read before the older dictionary, here and below.
    pub title: Option<String>,
    /// The author in the file's metadata.
    pub author: Option<String>,
    /// The subject in the file's metadata.
    pub subject: Option<String>,
    /// The keywords in the file's metadata.
    pub keywords: Option<String>,
    /// The creation date in the file's metadata: `D:20240115103000+01'00'`.
    pub created: Option<String>,
    /// The modification date in the file's metadata.
    pub modified: Option<String>,
}

/// Converts a PDF.
///
/// # Errors
///
/// [`ErrorKind::NotPdf`], [`ErrorKind::Encrypted`], [`ErrorKind::TooManyObjects`],
/// [`ErrorKind::TooManyValues`], [`ErrorKind::TooLarge`], [`ErrorKind::TooManyMarks`],
/// [`ErrorKind::TooMuchMarkdown`] and [`ErrorKind::Malformed`] depend on the file; [`ErrorKind::Panicked`] is
/// a bug of the parser that the file triggers. A damaged file that can be read is not an error.
pub fn convert(bytes: &[u8], options: &Options) -> Result<Converted, Error> {
    let head = bytes.get(..MAX_BYTES_BEFORE + HEADER.len()).unwrap_or(bytes);
    if memchr::memmem::find(head, HEADER).is_none() {
        return Err(ErrorKind::NotPdf.into());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .name("gleaner-pdf".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || read(bytes, options))
            .map_err(|_| Error::malformed("no thread could be started to read it"))?;
        thread.join().unwrap_or_else(|_| Err(ErrorKind::Panicked.into()))
    })
}

fn read(bytes: &[u8], options: &Options) -> Result<Converted, Error> {
    let file = File::open(bytes, options)?;
    let nodes = pages(&file);
    if let Some(error) = file.exceeded() {
        return Err(error);
    }
    if nodes.is_empty() {
        return Err(Error::malformed("it has no pages"));
    }
    let info = metadata(&file);
    let entries = entries(&file);
    let reader = Reader::new(&file);
    let mut layouts: Vec<PageLayout> = Vec::new();
    let mut margin = Margin::default();
    let (mut pages_without_text, mut pages_unreadable) = (Vec::new(), Vec::new());
    let mut text_bytes = 0_usize;
    for (index, node) in nodes.iter().enumerate().take(options.max_pages as usize) {
        let page = reader.read(index, node);
        match file.exceeded() {
            Some(error) if index == 0 => return Err(error),
            Some(_) => break,
            None => {}
        }
        let is_unreadable = is_unreadable(&page);
        let layout = lay_out(page, &mut margin);
        if is_unreadable {
            pages_unreadable.push(number(index + 1));
        } else if layout.regions.is_empty() && layout.has_pictures {
            pages_without_text.push(number(index + 1));
        }
        text_bytes = text_bytes.saturating_add(layout.text_bytes());
        if text_bytes > MAX_MARKDOWN_BYTES {
            return Err(ErrorKind::TooMuchMarkdown { limit: MAX_MARKDOWN_BYTES }.into());
        }
        layouts.push(layout);
    }
    let pages_converted = number(layouts.len());
    // Both come last: what they cost is not taken from the pages.
    let form = form(&file);
    let is_placeholder = form.is_some();
    if let Some(texts) = form.filter(|texts| !texts.is_empty()) {
        layouts = vec![paragraphs(texts)];
    }
    let xmp = xmp(&file);
    let markdown = safe::markdown(&document::markdown(layouts, &entries)?);
    if markdown.len() > MAX_MARKDOWN_BYTES {
        return Err(ErrorKind::TooMuchMarkdown { limit: MAX_MARKDOWN_BYTES }.into());
    }
    Ok(Converted {
        markdown,
        pages: number(nodes.len()),
        pages_converted,
        pages_without_text,
        pages_unreadable,
        is_cut: file.is_cut(),
        is_placeholder,
        title: metadata_text(xmp.title, info.title),
        author: metadata_text(xmp.author, info.author),
        subject: metadata_text(xmp.subject, info.subject),
        keywords: metadata_text(xmp.keywords, info.keywords),
        created: metadata_text(xmp.creation_date, info.creation_date),
        modified: metadata_text(xmp.mod_date, info.mod_date),
    })
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn metadata(file: &File<'_>) -> Metadata {
    let source = Immediate(file);
    match file.dict(file.trailer(), "Info") {
        Some(info) => block_on(metadata_with(&source, &info)),
        None => Metadata::default(),
    }
}

/// The outline of a file, its entries in their order.
fn entries(file: &File<'_>) -> Vec<Entry> {
    let items = block_on(outline_with(&Immediate(file), file.trailer()));
    let mut entries = Vec::new();
    let mut open: Vec<(&OutlineItem, u8)> = items.iter().rev().map(|item| (item, 1)).collect();
    while let Some((item, depth)) = open.pop() {
        if entries.len() >= MAX_ENTRIES {
            break;
        }
        entries.push(Entry { title: item.title.chars().take(MAX_METADATA_CHARS).collect(), depth });
        open.extend(item.children.iter().rev().map(|child| (child, depth.saturating_add(1))));
    }
    entries
}

/// The first text that is not empty, with white space folded and without control characters.
fn metadata_text(first: Option<String>, second: Option<String>) -> Option<String> {
    let folded = |text: String| {
        let text: String = text.chars().take(MAX_METADATA_CHARS).collect();
        let words: Vec<String> =
            text.split_whitespace().map(|word| word.chars().filter(|c| !c.is_control()).collect()).collect();
        words.join(" ")
    };
    [first, second].into_iter().flatten().map(folded).find(|text| !text.is_empty())
}
