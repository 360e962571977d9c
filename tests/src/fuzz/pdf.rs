//! PDFs. Input: the bytes of a file, or the answer of the process that converts one.

use gleaner_pdf::{Options, convert, read_answer};

use super::html::harmless;

/// What a file of the fuzzer may inflate to, in bytes.
const INFLATED: u64 = 1 << 20;

/// A byte of the file, inflated, gives at most so many of Markdown: a character may come out as markup around
/// it.
const GROWTH: u64 = 32;

/// Any file is converted or refused; what comes out is bounded and cannot act.
pub fn pdf(data: &[u8]) {
    let options = Options::default().max_pages(20).max_objects(5_000).max_inflated_bytes(INFLATED);
    let Ok(converted) = convert(data, &options) else { return };
    let bound = GROWTH * (data.len() as u64 + INFLATED);
    assert!(converted.markdown.len() as u64 <= bound, "{} bytes of Markdown", converted.markdown.len());
    assert!(converted.pages_converted <= converted.pages.min(20), "more pages than asked for");
    harmless(&converted.markdown);
    let said = [&converted.title, &converted.author, &converted.subject, &converted.keywords];
    for text in said.into_iter().flatten() {
        assert!(!text.contains(char::is_control), "controls: {text:?}");
    }
}

/// An answer of the PDF process survives a round trip, and a truncated one is refused.
pub fn pdf_answer(data: &[u8]) {
    let Some(answer) = read_answer(data) else { return };
    let written = serde_json::to_vec(&answer).unwrap_or_default();
    assert_eq!(read_answer(&written), Some(answer), "written out and read");
    let cut = written.split_last().map(|(_, rest)| rest).unwrap_or_default();
    assert_eq!(read_answer(cut), None, "half an answer");
}
