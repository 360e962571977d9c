//! Converts a body of Markdown to HTML, so that it is processed like any other page: its links become
//! absolute, active content is removed, and every format is available.
//!
//! Alternative: return the Markdown unchanged. But it may contain HTML and URLs that run code.

use gleaner_types::Interrupt;
use pulldown_cmark::{CowStr, Event, Options, Parser, html};

use super::front_matter;
use super::head::Head;
use crate::html::escape;

/// Memory of one item of the parser, in bytes. The parser keeps all items of a text until its end: at most
/// two for each punctuation mark or newline.
const ITEM_BYTES: usize = 48;

/// Upper bound on the memory that the parser takes for a text, in bytes.
pub(crate) fn parsed_bytes(markdown: &str) -> usize {
    let makes_items = |byte: &u8| byte.is_ascii_punctuation() || *byte == b'\n';
    markdown.bytes().filter(makes_items).count().saturating_mul(2 * ITEM_BYTES)
}

/// Converts Markdown to the head and the HTML of a page: CommonMark with the GFM tables, strikethrough and
/// task lists, and footnotes. Front matter is the head. Formulas between dollars are read only if the text
/// `has_formulas`: elsewhere dollars are money and variables.
pub(crate) fn html(markdown: &str, has_formulas: bool, interrupt: &Interrupt) -> (Head, String) {
    let mut options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    options.set(Options::ENABLE_MATH, has_formulas);
    let (head, text) = front_matter::split(markdown);
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let events = Parser::new_ext(text, options).take_while(|_| !interrupt.spend(1)).map(with_formula);
    html::push_html(&mut out, events);
    (head, out)
}

/// A formula as an element that keeps its source.
fn with_formula(event: Event<'_>) -> Event<'_> {
    match event {
        Event::InlineMath(tex) => formula(&tex, "math"),
        Event::DisplayMath(tex) => formula(&tex, "math-display"),
        event => event,
    }
}

fn formula(tex: &str, class: &str) -> Event<'static> {
    let mut source = String::new();
    escape(tex, true, &mut source);
    Event::InlineHtml(CowStr::from(format!("<span class=\"{class}\" data-math=\"{source}\">{source}</span>")))
}
