use std::thread;

use pdf_inspector::{PdfError, PdfOptions};
use serde::{Deserialize, Serialize};

use crate::load::{self, Pages};
use crate::{Error, ErrorKind, MAX_MARKDOWN_BYTES, Options, safe, scan};

/// The stack of the thread that a file is parsed in. The parsers recurse on some structures of a file to bounded depths;
/// this is reserved, not used.
pub const STACK_BYTES: usize = 64 * 1024 * 1024;

/// What a file says of itself is cut after this many characters.
const MAX_SAID_CHARS: usize = 4_096;

/// What came of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Converted {
    /// Markdown of the pages that were converted. Safe to render: see the crate's documentation.
    pub markdown: String,
    /// Pages of the file.
    pub pages: u32,
    /// Pages that were converted, from the first: those asked for, and fewer where the pages run so much content again and
    /// again that [`MAX_FORM_BYTES`](crate::MAX_FORM_BYTES) or [`MAX_FONT_BYTES`](crate::MAX_FONT_BYTES) are reached, or
    /// draw so much that [`MAX_PAGE_MARKS`](crate::MAX_PAGE_MARKS), [`MAX_TEXTS`](crate::MAX_TEXTS) or
    /// [`MAX_MARK_PAIRS`](crate::MAX_MARK_PAIRS) are.
    pub pages_converted: u32,
    /// Pages, counted from 1, that hold pictures of text and no text: reading them takes recognition of characters.
    pub pages_without_text: Vec<u32>,
    /// The file's own title.
    pub title: Option<String>,
    /// The file's own word on its author.
    pub author: Option<String>,
    /// The file's own word on its subject.
    pub subject: Option<String>,
    /// The file's own keywords.
    pub keywords: Option<String>,
    /// When the file was made, as it says: `D:20240115103000+01'00'`.
    pub created: Option<String>,
    /// When the file was changed last, as it says.
    pub modified: Option<String>,
}

/// Converts a PDF.
///
/// # Errors
///
/// [`ErrorKind::NotPdf`], [`ErrorKind::Encrypted`], [`ErrorKind::TooManyObjects`],
/// [`ErrorKind::TooManyValues`], [`ErrorKind::TooLarge`], [`ErrorKind::TooManyMarks`], [`ErrorKind::TooMuchMarkdown`] and
/// [`ErrorKind::Malformed`] by what the file is; [`ErrorKind::Panicked`] where the parser has a fault that the file
/// brings out. What is damaged but can be read is no error.
pub fn convert(bytes: &[u8], options: &Options) -> Result<Converted, Error> {
    scan::check(bytes, options)?;
    let parse = || {
        let pages = load::pages(bytes, options)?;
        analyse(pages.cut.as_deref().unwrap_or(bytes), &pages)
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .name("gleaner-pdf".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, parse)
            .map_err(|_| Error::malformed("no thread could be had to read it in"))?;
        thread.join().unwrap_or_else(|_| Err(ErrorKind::Panicked.into()))
    })
}

/// Why a page is said to be a picture of text.
const PICTURES: [&str; 3] = [
    pdf_inspector::OCR_REASON_SCANNED,
    pdf_inspector::OCR_REASON_VECTOR_TEXT,
    pdf_inspector::OCR_REASON_INVISIBLE_TEXT_LAYER,
];

fn analyse(bytes: &[u8], pages: &Pages) -> Result<Converted, Error> {
    let Pages { all, wanted, .. } = *pages;
    let result =
        pdf_inspector::process_pdf_mem_with_options(bytes, PdfOptions::new()).map_err(
            |error| match error {
                PdfError::Encrypted => ErrorKind::Encrypted.into(),
                PdfError::NotAPdf(_) => ErrorKind::NotPdf.into(),
                other => Error::malformed(other),
            },
        )?;
    let without_text = result.ocr_reasons_by_page.iter().filter(|page| {
        page.page <= wanted && page.reasons.iter().any(|reason| PICTURES.contains(&reason.as_str()))
    });
    let pages_without_text = without_text.map(|page| page.page).collect();
    let markdown = safe::markdown(&result.markdown.filter(|_| wanted > 0).unwrap_or_default());
    if markdown.len() > MAX_MARKDOWN_BYTES {
        return Err(ErrorKind::TooMuchMarkdown { limit: MAX_MARKDOWN_BYTES }.into());
    }
    Ok(Converted {
        markdown,
        pages: all,
        pages_converted: wanted,
        pages_without_text,
        title: said(result.title),
        author: said(result.author),
        subject: said(result.subject),
        keywords: said(result.keywords),
        created: said(result.creation_date),
        modified: said(result.mod_date),
    })
}

/// White space folded, control characters dropped; `None` where nothing is left.
fn said(text: Option<String>) -> Option<String> {
    let text: String = text?.chars().take(MAX_SAID_CHARS).collect();
    let words: Vec<String> =
        text.split_whitespace().map(|word| word.chars().filter(|c| !c.is_control()).collect()).collect();
    Some(words.join(" ")).filter(|text| !text.is_empty())
}
