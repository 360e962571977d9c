//! PDF bodies as documents.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

use gleaner_transform::{Error, Input, Page, transform};
use gleaner_types::ErrorCode;
use gleaner_types::plan::{PdfMode, PdfParser, ScrapeOptionsPlan};
use gleaner_types::request::{Format, ScrapeOptions};

/// A PDF of two pages without a cross-reference table: readers find the objects without it.
const FILE: &[u8] = b"%PDF-1.7
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R 5 0 R] /Count 2 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 7 0 R >> >> /Contents 4 0 R >> endobj
4 0 obj << /Length 66 >>
stream
BT /F1 12 Tf 72 720 Td (The kiln is loaded in the evening.) Tj ET
endstream endobj
5 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 7 0 R >> >> /Contents 6 0 R >> endobj
6 0 obj << /Length 68 >>
stream
BT /F1 12 Tf 72 720 Td (Fire slowly until the water is gone.) Tj ET
endstream endobj
7 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj
8 0 obj << /Title (Kiln notes) /Author (A. Potter) /CreationDate (D:20240115103000Z) >> endobj
trailer << /Size 9 /Root 1 0 R /Info 8 0 R >>
%%EOF
";

fn options(formats: &[Format], pdf: Option<PdfParser>) -> ScrapeOptionsPlan {
    let options = ScrapeOptions::new().formats(formats.to_vec());
    ScrapeOptionsPlan { pdf, ..options.check().unwrap() }
}

fn page(body: &[u8], options: &ScrapeOptionsPlan) -> Result<Page, Error> {
    let url = "https://example.org/kiln.pdf".parse().unwrap();
    transform(Input::new(&url, Some("application/pdf"), body), options)
}

#[test]
fn a_pdf_becomes_a_document() {
    let formats = [Format::Markdown, Format::Links, Format::Images, Format::Html];
    let document = page(FILE, &options(&formats, Some(PdfParser::default()))).unwrap().document;
    let markdown = document.markdown.unwrap();
    assert!(markdown.contains("in the evening") && markdown.contains("Fire slowly"), "{markdown}");
    assert!(document.html.unwrap().starts_with("<pre>"));
    assert_eq!((document.links.unwrap().len(), document.images.unwrap().len()), (0, 0));
    assert_eq!(document.metadata.num_pages, Some(2));
    assert_eq!(document.metadata.title.as_deref(), Some("Kiln notes"));
    assert_eq!(document.metadata.published_time.as_deref(), Some("2024-01-15T10:30:00Z"));
    assert!(!document.warning.unwrap_or_default().contains("were converted"), "all pages are converted");
}

#[test]
fn a_request_limits_the_pages_converted() {
    let parser = PdfParser { mode: PdfMode::Fast, max_pages: Some(1) };
    let page = page(FILE, &options(&[Format::Markdown], Some(parser))).unwrap();
    assert_eq!(page.pages_converted, Some(1));
    let document = page.document;
    assert!(!document.markdown.unwrap().contains("Fire slowly"));
    assert_eq!(document.metadata.num_pages, Some(2), "the number of pages in the file does not change");
    assert!(document.warning.unwrap().contains("2 pages"));
}

#[test]
fn a_pdf_that_was_cut_off_says_so() {
    let trailer = FILE.windows(7).position(|bytes| bytes == b"trailer").unwrap();
    let cut = FILE.get(..trailer).unwrap();
    let document = page(cut, &options(&[Format::Markdown], Some(PdfParser::default()))).unwrap().document;
    assert!(document.markdown.unwrap().contains("Fire slowly"));
    assert!(document.warning.unwrap().contains("The end of the PDF is missing"));
}

#[test]
fn without_a_parser_the_file_is_returned_unchanged() {
    let document = page(FILE, &options(&[Format::Markdown], None)).unwrap().document;
    assert!(document.markdown.unwrap().starts_with("JVBERi0xLjcK"));
}

#[test]
fn the_error_of_an_unreadable_pdf_names_the_reason() {
    let ocr = PdfParser { mode: PdfMode::Ocr, max_pages: None };
    let rows: [(&[u8], PdfParser, &str); 2] =
        [(FILE, ocr, "text recognition"), (b"%PDF-1.7 and nothing more", PdfParser::default(), "damaged")];
    for (body, parser, reason) in rows {
        let error = page(body, &options(&[Format::Markdown], Some(parser))).unwrap_err();
        assert_eq!(error.code(), ErrorCode::ScrapePdfError);
        assert!(error.to_string().contains(reason), "{error}");
    }
}
