//! Bodies of pages: shapes of HTML and other text, character encodings, PDFs.

use serde_json::json;

use super::{Attack, WorstCase};
use crate::hostile::HostilePage;
use crate::pdf::EXPENSIVE_PDFS;

const LARGE: &str = "large bodies";
const MARKDOWN: &str = "Markdown";
const CONTENT: &str = "main content";
const METADATA: &str = "metadata";
const CHARSETS: &str = "charsets";

const MIB: usize = 1 << 20;

pub(super) const CASES: &[WorstCase] = &[
    WorstCase::page(LARGE, "line ends", 25 * MIB),
    WorstCase::page(LARGE, "formatting that is not closed", 25 * MIB),
    WorstCase::page(LARGE, "one text", 25 * MIB),
    WorstCase::page(LARGE, "paragraphs", 25 * MIB),
    WorstCase::page(LARGE, "cells in nothing", 8 * MIB),
    WorstCase::page(LARGE, "nesting", 8 * MIB),
    WorstCase::page(LARGE, "attributes", 8 * MIB),
    WorstCase::page(LARGE, "entities", 8 * MIB),
    WorstCase::page(LARGE, "stray end tags", 8 * MIB),
    WorstCase::page(LARGE, "comments", 8 * MIB),
    WorstCase::page(MARKDOWN, "lists", MIB),
    WorstCase::page(MARKDOWN, "inline nesting", MIB),
    WorstCase::page(MARKDOWN, "adoption agency", MIB),
    WorstCase::page(MARKDOWN, "different formatting", MIB),
    WorstCase::page(MARKDOWN, "foster parents", MIB),
    WorstCase::page(MARKDOWN, "emphasis", MIB),
    WorstCase::page(MARKDOWN, "spaces in marks", MIB),
    WorstCase::page(MARKDOWN, "brackets and dollars", MIB),
    WorstCase::page(MARKDOWN, "open formulas", MIB),
    WorstCase::page(MARKDOWN, "wide spans", MIB),
    WorstCase::page(MARKDOWN, "tables of spans", MIB),
    WorstCase::page(MARKDOWN, "names over rows", MIB),
    WorstCase::page(MARKDOWN, "tables in tables", MIB),
    WorstCase::page(MARKDOWN, "links in links", MIB),
    WorstCase::page(MARKDOWN, "different links", 4 * MIB),
    WorstCase::page(MARKDOWN, "different notes", MIB),
    WorstCase::page(MARKDOWN, "code", MIB),
    WorstCase::page(MARKDOWN, "formulas", MIB),
    WorstCase::page(MARKDOWN, "quotes of Markdown", MIB),
    WorstCase::page(MARKDOWN, "brackets of Markdown", MIB),
    WorstCase::page(MARKDOWN, "marks of Markdown", MIB),
    WorstCase::page(CONTENT, "main regions", 4 * MIB),
    WorstCase::page(CONTENT, "headings", 4 * MIB),
    WorstCase::page(CONTENT, "blocks under a long class", MIB),
    WorstCase::page(CONTENT, "references in a long id", MIB),
    WorstCase::page("images", "pictures", 4 * MIB),
    WorstCase::page("images", "one picture of many sizes", 4 * MIB),
    WorstCase::page(METADATA, "metadata", 4 * MIB),
    WorstCase::page(METADATA, "pictures of the page", 4 * MIB),
    WorstCase::page(METADATA, "icons", 4 * MIB),
    WorstCase::page(METADATA, "a long title", 4 * MIB),
    WorstCase::page("branding", "style", 4 * MIB),
    WorstCase::page("branding", "styles of elements", 4 * MIB),
    WorstCase::page("JSON-LD", "entities of JSON-LD", 4 * MIB),
    WorstCase::page("JSON-LD", "brackets of JSON-LD", 4 * MIB),
    WorstCase::page("feeds", "entries of a feed", 4 * MIB),
    WorstCase::page("feeds", "an open entry of a feed", MIB),
    WorstCase::page("CSV", "rows", 4 * MIB),
    WorstCase::page("CSV", "a wide row", 4 * MIB),
    WorstCase::page("CSV", "open quotes", 4 * MIB),
    WorstCase::page("other bodies", "brackets of JSON", 4 * MIB),
    WorstCase::page("other bodies", "elements of XML", 4 * MIB),
    WorstCase::page("other bodies", "fences", 4 * MIB),
    WorstCase::new("summaries", "sentences", |size| {
        let sentence =
            |n: usize| format!("Word {n} of this page is told in a sentence of its own, as are others. ");
        let page: String = (0..size.of(1_000, 100_000)).map(sentence).collect();
        Attack::scrape(json!({ "formats": ["summary"] }), HostilePage::html("/", format!("<main><p>{page}")))
    }),
    WorstCase::page(CHARSETS, "charsets", MIB),
    WorstCase::new(CHARSETS, "three that contradict each other", |size| {
        let text = "\u{feff}<meta charset=utf-16><meta charset=shift_jis><p>x".to_owned();
        let body = text + &"\u{e4}\u{3042}".repeat(size.of(20_000, 4 * MIB / 5));
        Attack::scrape_all(HostilePage::new("/", "text/html; charset=windows-1251", body))
    }),
    WorstCase::new(CHARSETS, "bytes that are none", |size| {
        Attack::scrape_all(HostilePage::new(
            "/",
            "text/html",
            b"\xff\xc0\x80\xe0 <p>".repeat(size.of(10_000, MIB)),
        ))
    }),
    WorstCase::new(CHARSETS, "halves of pairs", |size| {
        let body =
            [b"\xff\xfe".as_slice(), &b"\x00\xd8<\x00p\x00>\x00".repeat(size.of(10_000, MIB))].concat();
        Attack::scrape_all(HostilePage::new("/", "text/html", body))
    }),
    WorstCase::new(CHARSETS, "shifts", |size| {
        let body = b"\x1b$B\x1b(B<p>".repeat(size.of(10_000, MIB));
        Attack::scrape_all(HostilePage::new("/", "text/html; charset=iso-2022-jp", body))
    }),
    WorstCase::new(CHARSETS, "bytes to be guessed", |size| {
        let body = b"\xe4\xf6\xfc\xa4\x93 \x81\x40".repeat(size.of(10_000, MIB));
        Attack::scrape_all(HostilePage::new("/", "text/html", body))
    }),
    crowded(0),
    crowded(1),
    crowded(2),
    crowded(3),
    crowded(4),
    crowded(5),
    WorstCase::light("nesting"),
    WorstCase::light("line ends"),
    WorstCase::light("formatting soup"),
    WorstCase::light("adoption agency"),
    WorstCase::light("cells"),
    WorstCase::light("style"),
    WorstCase::light("entities of JSON-LD"),
    WorstCase::light("different attributes"),
    WorstCase::light("open formulas"),
    WorstCase::light("custom elements"),
];

/// The case of one of the expensive PDFs.
const fn crowded(number: usize) -> WorstCase {
    let (name, make) = EXPENSIVE_PDFS[number];
    WorstCase::pdf(name, make)
}
