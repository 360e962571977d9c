//! Reads metadata from the tokens of a page without a tree, and detects empty shells.

use std::borrow::Cow;

use gleaner_types::Metadata;
use url::Url;

use super::json_ld::JsonLdReader;
use super::metadata::{MAX_ENTRIES, MAX_VALUE_BYTES, add_meta, apply_declared, clean, icon_rank};
use super::shell::ShellReader;
use super::title::{MAX_HEADING_BYTES, MAX_HEADINGS, Sources, choose, heading};
use crate::resolver::Resolver;
use crate::tree::{Attributes, decode_references};

/// Collects metadata from the tokens of a page, in their order.
#[derive(Debug, Default)]
pub(super) struct TagMetadata {
    metadata: Metadata,
    entries: usize,
    icon: Option<(u8, String)>,
    title: Option<String>,
    headings: Vec<String>,
    json_ld: JsonLdReader,
    reading: Reading,
    shell: ShellReader,
}

/// The use of the next text.
#[derive(Debug, Default)]
enum Reading {
    #[default]
    Nothing,
    Title,
    JsonLd,
    /// The text of a heading so far.
    Heading(String),
}

impl TagMetadata {
    /// Reads a start tag; its name is in lower case.
    pub(super) fn start(&mut self, tag: &[u8], attributes: Attributes<'_, '_>) {
        self.shell.start(name_of(tag), |name| attributes.get(name));
        match tag {
            b"html" if self.metadata.language.is_none() => {
                let language = attributes.get("lang").or_else(|| attributes.get("xml:lang"));
                self.metadata.language = language
                    .map(|language| language.trim().to_owned())
                    .filter(|language| !language.is_empty());
            }
            b"title" if self.title.is_none() => {
                self.title = Some(String::new());
                self.reading = Reading::Title;
            }
            b"h1" if self.headings.len() < MAX_HEADINGS => {
                self.end_heading();
                self.reading = Reading::Heading(String::new());
            }
            b"meta" if self.entries < MAX_ENTRIES => {
                self.entries += 1;
                let name = ["property", "name", "itemprop", "http-equiv"];
                let name = name.into_iter().find_map(|name| attributes.get(name));
                if let (Some(name), Some(content)) = (name, attributes.get("content")) {
                    add_meta(&mut self.metadata, &name, &content);
                }
            }
            b"link" => {
                let rank = attributes.get("rel").and_then(|rel| icon_rank(&rel));
                if let Some(rank) = rank
                    && let Some(href) = attributes.get("href")
                    && self.icon.as_ref().is_none_or(|(best, _)| *best < rank)
                {
                    self.icon = Some((rank, href.into_owned()));
                }
            }
            b"script" if attributes.get("type").is_some_and(|kind| kind.contains("ld+json")) => {
                self.end_heading();
                self.reading = Reading::JsonLd;
            }
            b"br" | b"p" | b"div" => self.space(),
            _ => {}
        }
    }

    /// Reads an end tag; its name is in lower case.
    pub(super) fn end(&mut self, tag: &[u8]) {
        self.shell.end(name_of(tag));
        match tag {
            b"title" if matches!(self.reading, Reading::Title) => self.reading = Reading::Nothing,
            b"script" if matches!(self.reading, Reading::JsonLd) => self.reading = Reading::Nothing,
            b"h1" => self.end_heading(),
            b"p" | b"div" => self.space(),
            _ => {}
        }
    }

    /// Reads a tag whose name is longer than all names with a meaning here.
    pub(super) fn long_tag(&mut self, name: &str, end: bool) {
        let name = name.to_ascii_lowercase();
        if end {
            self.shell.end(&name);
        } else {
            self.shell.start(&name, |_| None);
        }
    }

    /// Reads a piece of text. `references` is true if character references are not decoded yet.
    pub(super) fn text(&mut self, text: &str, references: bool) {
        self.shell.text(text);
        if matches!(self.reading, Reading::JsonLd) {
            self.json_ld.add(text);
            self.reading = Reading::Nothing;
        }
        if matches!(self.reading, Reading::Nothing) || self.shell.is_hidden() {
            return;
        }
        let text = if references { decode_references(text, false) } else { Cow::Borrowed(text) };
        match &mut self.reading {
            Reading::Nothing | Reading::JsonLd => {}
            Reading::Title => {
                let mut title = String::new();
                fold(&mut title, &text, MAX_VALUE_BYTES);
                title.truncate(title.trim_end().len());
                self.title = Some(clean(&title));
                self.reading = Reading::Nothing;
            }
            Reading::Heading(so_far) => fold(so_far, &text, MAX_HEADING_BYTES),
        }
    }

    fn space(&mut self) {
        if let Reading::Heading(text) = &mut self.reading
            && !text.is_empty()
            && !text.ends_with(' ')
        {
            text.push(' ');
        }
    }

    fn end_heading(&mut self) {
        if let Reading::Heading(text) = std::mem::take(&mut self.reading) {
            self.headings.extend(heading(text.trim_end()));
        }
    }

    /// True if the page is a shell: its scripts load its text.
    pub(super) fn is_shell(&self) -> bool {
        self.shell.is_shell()
    }

    /// The metadata, and whether the page is a shell whose text no JSON-LD has.
    pub(super) fn finish(mut self, url: &Url, resolver: &Resolver) -> (Metadata, bool) {
        self.end_heading();
        let Self { mut metadata, icon, title, headings, shell, json_ld, .. } = self;
        metadata.favicon = icon.and_then(|(_, href)| resolver.web_url(&href)).map(String::from);
        let json_ld = json_ld.found;
        let needs_scripts = shell.is_shell() && !json_ld.has_long_text();
        let title = choose(&Sources {
            headings: &headings,
            title: title.as_deref().unwrap_or_default(),
            og_title: metadata.og_title.as_deref().unwrap_or_default(),
            headline: json_ld.headline.as_deref().unwrap_or_default(),
            site_name: metadata.og_site_name.as_deref().unwrap_or_default(),
            url,
        });
        metadata.title = title.map(|title| clean(&title));
        apply_declared(url, &mut metadata, json_ld);
        (metadata, needs_scripts)
    }
}

/// The name of a tag.
fn name_of(tag: &[u8]) -> &str {
    std::str::from_utf8(tag).unwrap_or_default()
}

/// Appends `text` with folded white space, unless `out` is longer than `limit`.
fn fold(out: &mut String, text: &str, limit: usize) {
    if out.len() > limit {
        return;
    }
    let spaced = |character: char| character.is_ascii_whitespace();
    let mut apart = text.starts_with(spaced);
    for word in text.split_ascii_whitespace() {
        if apart && !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        out.push_str(word);
        apart = true;
    }
    if text.ends_with(spaced) && !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}
