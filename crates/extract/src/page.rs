//! The input of extraction: a page with its URL, HTML and Markdown.

use std::ops::Range;

use gleaner_types::Interrupt;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::markup::Tree;

/// Upper bound on the bytes of a page's HTML that are read; the rest is ignored.
pub const MAX_PAGE_BYTES: usize = 16 << 20;

/// A page to extract from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The URL after redirects.
    pub url: Url,
    /// The HTML as received; empty if the page is not HTML.
    pub html: String,
    /// The main content as Markdown, which a model reads; empty if there is none.
    pub markdown: String,
    /// The title, if any.
    pub title: Option<String>,
    /// Interrupts the work on the page at any point. The result is incomplete then and must be dropped.
    pub interrupt: Interrupt,
}

impl Page {
    /// A page with this HTML; add the Markdown for a model to read.
    #[must_use]
    pub fn new(url: Url, html: impl Into<String>) -> Self {
        Self { url, html: html.into(), markdown: String::new(), title: None, interrupt: Interrupt::never() }
    }

    /// The same page with this Markdown.
    #[must_use]
    pub fn with_markdown(mut self, markdown: impl Into<String>) -> Self {
        self.markdown = markdown.into();
        self
    }

    /// The same page, with work on it ending once this interrupt is raised.
    #[must_use]
    pub fn with_interrupt(mut self, interrupt: &Interrupt) -> Self {
        self.interrupt = interrupt.clone();
        self
    }

    /// The visible text of the HTML, blocks on lines of their own. Style sheets are not read.
    #[must_use]
    pub fn visible_text(&self) -> String {
        Tree::parse(self.html(), &self.interrupt).text().to_owned()
    }

    /// The HTML that is read.
    pub(crate) fn html(&self) -> &str {
        truncate(&self.html, MAX_PAGE_BYTES)
    }
}

/// The start of a text: at most `bytes` bytes, up to a character boundary.
pub(crate) fn truncate(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// The end of a text: at most `bytes` bytes, from a character boundary.
pub(crate) fn tail(text: &str, bytes: usize) -> &str {
    text.get(char_boundary(text, text.len().saturating_sub(bytes))..).unwrap_or_default()
}

/// The first character boundary at or after a position; the end of the text for a position beyond it.
pub(crate) fn char_boundary(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// A range of a text without the white space around it.
pub(crate) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = text.get(range.clone()).unwrap_or_default();
    let start = range.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

/// The text of a page to which a [`Span`] refers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum PagePart {
    /// The HTML as received.
    Html,
    /// The Markdown of the main content ([`Page::markdown`]).
    Markdown,
    /// The page's URL.
    Url,
}

/// The position of a quote: a byte range of a part, the end excluded.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Span {
    /// The text to which the range refers.
    pub part: PagePart,
    /// First byte.
    pub start: usize,
    /// First byte after it.
    pub end: usize,
}

impl Span {
    pub(crate) const fn new(part: PagePart, range: Range<usize>) -> Self {
        Self { part, start: range.start, end: range.end }
    }
}

/// How a value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Method {
    /// A rule learned from other pages of the same template.
    Template,
    /// A `script` of type `application/ld+json`.
    JsonLd,
    /// `itemscope` and `itemprop` (HTML Standard, 5).
    Microdata,
    /// `typeof` and `property` (RDFa Lite 1.1).
    Rdfa,
    /// Open Graph and other `meta` elements.
    Meta,
    /// JSON inside scripts of the page.
    EmbeddedState,
    /// A row or a column of a table.
    Table,
    /// A `dt` with its `dd`.
    DefinitionList,
    /// A line of the form `label: value`.
    Label,
    /// An element or attribute whose name names the field.
    Markup,
    /// A phrase of the visible text.
    Text,
    /// The page's URL.
    Url,
    /// A language model chose the quote; a declared normaliser derived the value from it.
    Model,
    /// A language model's judgement, which no quote can prove.
    Inferred,
}

impl Method {
    /// Whether a label of the page stands beside the value: before it, in a table or in a list of
    /// definitions.
    pub(crate) const fn is_beside_label(self) -> bool {
        matches!(self, Self::Label | Self::Table | Self::DefinitionList)
    }
}

/// The proof of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Provenance {
    /// The URL of the page.
    pub url: String,
    /// The text that states the value, as on the page, at most [`MAX_QUOTE_BYTES`].
    pub quote: String,
    /// The position of the quote; `None` if the page writes it with escapes.
    pub span: Option<Span>,
    /// How the value was found.
    pub method: Method,
}

/// Upper bound on the bytes of a quote; longer quotes are truncated.
pub const MAX_QUOTE_BYTES: usize = 2_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        let rows = [
            (0, "", ""),
            (2, "a", ""),
            (3, "aé", "€"),
            (5, "aé", "é€"),
            (6, "aé€", "aé€"),
            (9, "aé€", "aé€"),
        ];
        for (bytes, start, end) in rows {
            assert_eq!((truncate("aé€", bytes), tail("aé€", bytes)), (start, end), "{bytes}");
        }
        assert_eq!((trimmed("a  b ", 1..5), trimmed("a  b ", 1..3)), (3..4, 3..3));
    }
}
