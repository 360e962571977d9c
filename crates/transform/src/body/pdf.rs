//! Converts a PDF to a page.

use gleaner_pdf::{Converted, Options, convert};
use gleaner_types::plan::{Formats, PdfMode, PdfParser};
use gleaner_types::{Document, MetaValue, Metadata};
use serde_json::{Value, json};

use crate::error::{Error, ErrorKind};
use crate::page::links::{Collector, LinkKind};
use crate::resolver::Resolver;
use crate::transform::Page;
use crate::{html, summary};

/// Upper bound on the page numbers in a warning.
const MAX_LISTED_PAGES: usize = 10;

/// Warnings before the numbers of pages.
const WITHOUT_TEXT: &str = "These pages of the PDF seem to be images, and their text was not recognized";
const UNREADABLE: &str = "The text of these pages of the PDF is missing, or parts of it: their fonts do not \
                          say which characters it has";

const CUT: &str = "The end of the PDF is missing: it was cut off, and pages, fonts or texts may be missing.";

const PLACEHOLDER: &str = "The PDF is a dynamic form (XFA) whose pages are placeholders for programs that \
                           cannot show it; its texts and fields were read instead if possible.";

/// Converts a PDF into the requested formats.
pub(crate) fn page(body: &[u8], parser: PdfParser, formats: &Formats) -> Result<Page, Error> {
    if parser.mode == PdfMode::Ocr {
        let reason = "the PDF mode `ocr` needs text recognition, which is not built in; \
                      `fast` and `auto` read the text layer";
        return Err(ErrorKind::Pdf { reason: reason.to_owned(), encrypted: false }.into());
    }
    converted_page(convert(body, &convert_options(parser)), formats)
}

/// The conversion options for the PDF parser of a request.
#[must_use]
pub fn convert_options(parser: PdfParser) -> Options {
    let limits = Options::default();
    let pages = parser.max_pages.unwrap_or(limits.max_pages).min(limits.max_pages);
    limits.max_pages(pages)
}

/// Makes a page from a PDF that was converted elsewhere, for example in [another
/// process](gleaner_pdf::serve). [`transform`] does both steps.
///
/// # Errors
///
/// [`ErrorKind::Pdf`] with the reason why the file could not be converted.
///
/// [`transform`]: fn@crate::transform
pub fn converted_page(
    converted: Result<Converted, gleaner_pdf::Error>,
    formats: &Formats,
) -> Result<Page, Error> {
    match converted {
        Ok(converted) => Ok(document(converted, formats)),
        Err(error) => {
            Err(ErrorKind::Pdf { reason: error.to_string(), encrypted: error.is_encrypted() }.into())
        }
    }
}

fn document(converted: Converted, formats: &Formats) -> Page {
    let links = links(&converted.markdown);
    let mut document = Document::default();
    document.metadata = metadata(&converted);
    let pages_converted = Some(converted.pages_converted);
    let mut warnings: Vec<String> = Vec::new();
    let mut summary_warning = None;
    if converted.pages_converted < converted.pages {
        warnings.push(format!(
            "The PDF has {} pages; only the first {} were converted.",
            converted.pages, converted.pages_converted
        ));
    }
    if converted.is_cut {
        warnings.push(CUT.to_owned());
    }
    if converted.is_placeholder {
        warnings.push(PLACEHOLDER.to_owned());
    }
    for (about, pages) in
        [(WITHOUT_TEXT, &converted.pages_without_text), (UNREADABLE, &converted.pages_unreadable)]
    {
        warnings.extend(listed(pages).map(|pages| format!("{about}: {pages}.")));
    }
    if formats.summary {
        document.summary = Some(summary::of_markdown(&converted.markdown));
        summary_warning = Some(summary::WARNING);
    }
    if formats.html || formats.raw_html {
        let mut text = String::from("<pre>");
        html::escape(&converted.markdown, false, &mut text);
        text.push_str("</pre>");
        document.raw_html = formats.raw_html.then(|| text.clone());
        document.html = formats.html.then_some(text);
    }
    if formats.links {
        document.links = Some(links.texts());
    }
    if formats.images {
        document.images = Some(Vec::new());
    }
    if !formats.attributes.is_empty() {
        let empty = formats.attributes.iter().map(
            |wanted| json!({ "selector": wanted.selector, "attribute": wanted.attribute, "values": [] }),
        );
        document.attributes = Some(Value::Array(empty.collect()));
    }
    if formats.markdown || formats.json.is_some() || formats.change_tracking.is_some() {
        document.markdown = Some(converted.markdown);
    }
    document.warning = (!warnings.is_empty()).then(|| warnings.join(" "));
    Page { document, links: links.finish(), pages_converted, summary_warning, ..Page::default() }
}

/// The numbers of these pages; `None` if there are none.
fn listed(pages: &[u32]) -> Option<String> {
    if pages.is_empty() {
        return None;
    }
    let listed: Vec<String> = pages.iter().take(MAX_LISTED_PAGES).map(u32::to_string).collect();
    let more = if pages.len() > MAX_LISTED_PAGES { " and more" } else { "" };
    Some(format!("{}{more}", listed.join(", ")))
}

fn metadata(converted: &Converted) -> Metadata {
    let mut metadata = Metadata::default();
    metadata.title = converted.title.clone();
    metadata.description = converted.subject.clone();
    metadata.keywords = converted.keywords.clone();
    metadata.published_time = converted.created.as_deref().and_then(date);
    metadata.modified_time = converted.modified.as_deref().and_then(date);
    metadata.num_pages = Some(converted.pages);
    if let Some(author) = &converted.author {
        metadata.other.insert("author".to_owned(), MetaValue::One(author.clone()));
    }
    metadata
}

/// Converts a PDF date, `D:YYYYMMDDHHmmSSOHH'mm'` (PDF 32000-1, 7.9.4), to RFC 3339. Missing parts get their
/// first value; without hours and minutes the result is a date.
fn date(date: &str) -> Option<String> {
    let date = date.strip_prefix("D:").unwrap_or(date);
    let digits = date.bytes().take(14).take_while(u8::is_ascii_digit).count();
    let part = |from: usize, to: usize| date.get(from..to).filter(|_| digits >= to);
    let (year, month, day) = (part(0, 4)?, part(4, 6).unwrap_or("01"), part(6, 8).unwrap_or("01"));
    let within = |text: &str, most: u8| text.parse::<u8>().is_ok_and(|value| value <= most);
    if !within(month, 12) || !within(day, 31) {
        return None;
    }
    let Some((hour, minute)) = part(8, 10).zip(part(10, 12)) else {
        return Some(format!("{year}-{month}-{day}"));
    };
    let second = part(12, 14).unwrap_or("00");
    let zone = date.get(digits..).unwrap_or_default().replace('\'', "");
    let offset = match (zone.get(..1), zone.get(1..3), zone.get(3..5)) {
        (Some(sign @ ("+" | "-")), Some(hours), minutes) if within(hours, 23) => {
            format!("{sign}{hours}:{}", minutes.filter(|minutes| within(minutes, 59)).unwrap_or("00"))
        }
        _ => "Z".to_owned(),
    };
    Some(format!("{year}-{month}-{day}T{hour}:{minute}:{second}{offset}"))
}

/// The web URLs that the Markdown links to, each once.
fn links(markdown: &str) -> Collector {
    let mut links = Collector::new(Resolver::without_base());
    for after in markdown.split("](").skip(1) {
        let end = after.find(|c: char| c.is_whitespace() || matches!(c, ')' | '>')).unwrap_or(after.len());
        let target = after.get(..end).unwrap_or_default().trim_start_matches('<');
        links.link(target, "", LinkKind::Anchor);
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pdf_dates_are_converted_to_rfc_3339() {
        let rows = [
            ("D:20240115103000+01'00'", Some("2024-01-15T10:30:00+01:00")),
            ("D:20240115103000Z", Some("2024-01-15T10:30:00Z")),
            ("20240115", Some("2024-01-15")),
            ("D:2024", Some("2024-01-01")),
            ("D:20249915", None),
            ("yesterday", None),
            ("", None),
        ];
        for (pdf, expected) in rows {
            assert_eq!(date(pdf).as_deref(), expected, "{pdf}");
        }
    }

    #[test]
    fn links_are_read_from_the_markdown() {
        let found = links(
            "[a](https://e.example/a) [b](<https://e.example/b>) [a](https://e.example/a) [c](#x) \
             [d](mailto:x) [e](https://e.example) ](",
        );
        assert_eq!(found.texts(), ["https://e.example/a", "https://e.example/b", "https://e.example"]);
    }
}
