//! Markdown as HTML, so that one page is like another: its links are made absolute and can be followed, nothing in it acts,
//! and it comes out in every format.
//!
//! Why not as it came: what a stranger calls Markdown may hold HTML, and addresses that run code.

use gleaner_types::Interrupt;
use pulldown_cmark::{Options, Parser, html};

/// The parser keeps every part of a text until its end: two for each sign or line end at most, in so many bytes each.
const PART_BYTES: usize = 48;

/// Bytes that the parser takes for a text, at most.
pub(crate) fn parsed_bytes(markdown: &str) -> usize {
    let sets_apart = |byte: &u8| byte.is_ascii_punctuation() || *byte == b'\n';
    markdown.bytes().filter(sets_apart).count().saturating_mul(2 * PART_BYTES)
}

/// HTML of Markdown (CommonMark, and of GFM: tables, struck text and tasks; footnotes; not the YAML at its start).
pub(crate) fn html(markdown: &str, interrupt: &Interrupt) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut out = String::with_capacity(markdown.len() + markdown.len() / 4);
    let events = Parser::new_ext(markdown, options).take_while(|_| !interrupt.spend(1));
    html::push_html(&mut out, events);
    out
}
