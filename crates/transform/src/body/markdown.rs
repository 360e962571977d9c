//! Converts a body of Markdown to HTML, so that it is processed like any other page: its links become
//! absolute, active content is removed, and every format is available.
//!
//! Alternative: return the Markdown unchanged. But it may contain HTML and URLs that run code.

use gleaner_types::Interrupt;
use pulldown_cmark::{Options, Parser, html};

/// Memory of one item of the parser, in bytes. The parser keeps all items of a text until its end: at most
/// two for each punctuation mark or newline.
const ITEM_BYTES: usize = 48;

/// Upper bound on the memory that the parser takes for a text, in bytes.
pub(crate) fn parsed_bytes(markdown: &str) -> usize {
    let makes_items = |byte: &u8| byte.is_ascii_punctuation() || *byte == b'\n';
    markdown.bytes().filter(makes_items).count().saturating_mul(2 * ITEM_BYTES)
}

/// Converts Markdown to HTML: CommonMark with the GFM tables, strikethrough and task lists, and footnotes.
/// YAML front matter is dropped.
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
