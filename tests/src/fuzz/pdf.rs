//! PDFs. Input: the bytes of a file, or the answer of the process that converts one.

use gleaner_pdf::{Options, convert, read_answer};

use super::html::assert_inert_markdown;

/// Upper bound on the decompressed bytes of a file.
const MAX_INFLATED: u64 = 1 << 20;

/// Upper bound on bytes of Markdown per decompressed byte. A character may need markup around it.
const GROWTH: u64 = 32;

/// Any file is converted or refused. The Markdown is bounded and inert, and fields of metadata have no
/// control characters.
pub fn pdf(data: &[u8]) {
    let options = Options::default().max_pages(20).max_objects(5_000).max_inflated_bytes(MAX_INFLATED);
    let Ok(converted) = convert(data, &options) else { return };
    let bound = GROWTH * (data.len() as u64 + MAX_INFLATED);
    assert!(converted.markdown.len() as u64 <= bound, "{} bytes of Markdown", converted.markdown.len());
    assert!(converted.pages_converted <= converted.pages.min(20), "more pages than the limit");
    assert_inert_markdown(&converted.markdown);
    let fields = [&converted.title, &converted.author, &converted.subject, &converted.keywords];
    for text in fields.into_iter().flatten() {
        assert!(!text.contains(char::is_control), "control characters: {text:?}");
    }
}

/// An answer of the PDF process survives a round trip, and a truncated one is refused.
pub fn pdf_answer(data: &[u8]) {
    let Some(answer) = read_answer(data) else { return };
    let written = serde_json::to_vec(&answer).unwrap_or_default();
    assert_eq!(read_answer(&written), Some(answer), "round trip");
    let cut = written.split_last().map(|(_, rest)| rest).unwrap_or_default();
    assert_eq!(read_answer(cut), None, "a truncated answer is refused");
}
