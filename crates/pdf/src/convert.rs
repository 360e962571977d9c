use std::thread;

use pdf_inspector::{PdfError, PdfOptions};
use serde::{Deserialize, Serialize};

use crate::load::{self, Pages};
use crate::{Error, ErrorKind, MAX_MARKDOWN_BYTES, Options, safe, scan};

/// Stack of the thread that parses a file. The parsers recurse on some structures of a file to bounded
/// depths. The stack is reserved address space; most of it is never used.
pub const STACK_BYTES: usize = 64 * 1024 * 1024;

/// Most characters of each metadata field. A longer one is cut.
const MAX_METADATA_CHARS: usize = 4_096;

/// A converted file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Converted {
    /// Markdown of the pages that were converted. Safe to render: see the crate's documentation.
    pub markdown: String,
    /// Pages of the file.
    pub pages: u32,
    /// Pages that were converted, from the first. Fewer than requested if the pages reach a limit: repeated
    /// content reaches [`MAX_FORM_BYTES`](crate::MAX_FORM_BYTES) or
    /// [`MAX_FONT_BYTES`](crate::MAX_FONT_BYTES), dense pages reach
    /// [`MAX_PAGE_MARKS`](crate::MAX_PAGE_MARKS), [`MAX_TEXTS`](crate::MAX_TEXTS) or
    /// [`MAX_MARK_PAIRS`](crate::MAX_MARK_PAIRS).
    pub pages_converted: u32,
    /// Pages, counted from 1, with pictures of text but no text. They need optical character recognition.
    pub pages_without_text: Vec<u32>,
    /// The title in the file's metadata.
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
            .map_err(|_| Error::malformed("no thread could be started to read it"))?;
        thread.join().unwrap_or_else(|_| Err(ErrorKind::Panicked.into()))
    })
}

/// The analysis gives these reasons for a page that is a picture of text.
const PICTURE_REASONS: [&str; 3] = [
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
        page.page <= wanted && page.reasons.iter().any(|reason| PICTURE_REASONS.contains(&reason.as_str()))
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
        title: metadata_text(result.title),
        author: metadata_text(result.author),
        subject: metadata_text(result.subject),
        keywords: metadata_text(result.keywords),
        created: metadata_text(result.creation_date),
        modified: metadata_text(result.mod_date),
    })
}

/// The text with white space folded and without control characters; `None` if nothing is left.
fn metadata_text(text: Option<String>) -> Option<String> {
    let text: String = text?.chars().take(MAX_METADATA_CHARS).collect();
    let words: Vec<String> =
        text.split_whitespace().map(|word| word.chars().filter(|c| !c.is_control()).collect()).collect();
    Some(words.join(" ")).filter(|text| !text.is_empty())
}
