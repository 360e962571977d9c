use std::ops::Range;

use gleaner_types::Interrupt;
use serde::{Deserialize, Serialize};
use url::Url;

/// Most bytes of a page's HTML that are read; the rest is left.
pub const MAX_PAGE_BYTES: usize = 16 << 20;

/// A page as extraction reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its address after redirects.
    pub url: Url,
    /// Its HTML as it came; empty where the page is no HTML.
    pub html: String,
    /// Its main content as Markdown; what a model reads. Empty where there is none.
    pub markdown: String,
    /// Its title, where it has one.
    pub title: Option<String>,
    /// Ends the work on it, however far it is: what is read then is unfinished, and to be dropped.
    pub interrupt: Interrupt,
}

impl Page {
    /// A page from its HTML; add the Markdown for a model to read.
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

    /// The same page, the work on which ends once this is raised.
    #[must_use]
    pub fn with_interrupt(mut self, interrupt: &Interrupt) -> Self {
        self.interrupt = interrupt.clone();
        self
    }

    /// The HTML that is read.
    pub(crate) fn html(&self) -> &str {
        truncate(&self.html, MAX_PAGE_BYTES)
    }
}

/// At most so many bytes of a text, ended between two characters.
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

/// Which text of the page a [`Span`] counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Part {
    /// The HTML as it came.
    Html,
    /// The Markdown of the main content ([`Page::markdown`]).
    Markdown,
    /// The page's address.
    Url,
}

/// Where a quote stands: bytes of a part, the end excluded.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    /// The text that is counted in.
    pub part: Part,
    /// First byte.
    pub start: usize,
    /// First byte behind it.
    pub end: usize,
}

impl Span {
    pub(crate) const fn new(part: Part, range: Range<usize>) -> Self {
        Self { part, start: range.start, end: range.end }
    }
}

/// By which way a value was found.
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
    /// JSON that scripts of the page carry.
    EmbeddedState,
    /// A row or a column of a table.
    Table,
    /// A `dt` with its `dd`.
    DefinitionList,
    /// A line of the form `label: value`.
    Label,
    /// An element or attribute that is named after the value.
    Markup,
    /// A phrase of the visible text.
    Text,
    /// The page's address.
    Url,
    /// A language model chose the quote; a declared normaliser re-derived the value from it.
    Model,
    /// A language model's judgement, which no quote can prove.
    Inferred,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// The page.
    pub url: String,
    /// The text that states the value, as the page has it, at most [`MAX_QUOTE_BYTES`].
    pub quote: String,
    /// Where the quote stands; `None` where it is written with escapes there.
    pub span: Option<Span>,
    /// How it was found.
    pub method: Method,
}

/// Most bytes of a quote that are kept.
pub const MAX_QUOTE_BYTES: usize = 2_000;
