//! The text of an element of a feed: plain text, HTML as text, or XHTML as elements.

use quick_xml::events::BytesStart;
use url::Url;

use super::MAX_FIELD_BYTES;
use super::vocabulary::Slot;
use crate::html;
use crate::resolver::Resolver;
use crate::tree::{NodeId, ParseOptions, decode_references, parse};

/// A field that is being read.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) slot: Slot,
    /// Its value is HTML, not plain text.
    pub(super) html: bool,
    /// It contains tags as XML elements (Atom's `xhtml`, and unescaped HTML), so that its text must be
    /// escaped.
    has_elements: bool,
    /// Elements around it and itself.
    pub(super) depth: usize,
    pub(super) value: String,
    pub(super) cut: bool,
}

impl Field {
    /// The field of an element. In Atom the attribute `type` gives the type of a text, by default plain text
    /// (RFC 4287, 3.1). The `description` of RSS is HTML.
    pub(super) fn new(slot: Slot, name: &str, kind: Option<&str>, depth: usize) -> Self {
        let html = match kind {
            Some(kind) => kind.contains("html"),
            None => matches!(name, "description" | "encoded") && slot != Slot::MediaText,
        };
        Self {
            slot,
            html,
            has_elements: kind.is_some_and(|kind| kind.contains("xhtml")),
            depth,
            value: String::new(),
            cut: false,
        }
    }

    fn add(&mut self, text: &str) {
        let left = MAX_FIELD_BYTES.saturating_sub(self.value.len());
        let text = match text.char_indices().find(|(at, c)| at + c.len_utf8() > left) {
            Some((at, _)) => {
                self.cut = true;
                text.get(..at).unwrap_or_default()
            }
            None => text,
        };
        self.value.push_str(text);
    }

    /// Adds text with decoded references.
    pub(super) fn text(&mut self, text: &str) {
        if self.has_elements {
            let mut escaped = String::new();
            html::escape(text, false, &mut escaped);
            self.add(&escaped);
        } else {
            self.add(text);
        }
    }

    /// Adds a start tag. The addresses in it are resolved if they have another base than the field.
    pub(super) fn tag(&mut self, start: &BytesStart<'_>, base: Option<&Resolver>) {
        if !self.html {
            return;
        }
        self.has_elements = true;
        let name = local_name(start.name().into_inner());
        let Some(resolver) = base else {
            self.add(&format!("<{name}{}>", start.attributes_raw()));
            return;
        };
        let mut tag = format!("<{name}");
        for attribute in start.attributes().with_checks(false).flatten() {
            let (key, value) = (attribute.key.into_inner(), decode_references(&attribute.value, true));
            let url = matches!(key, "href" | "src" | "poster" | "cite").then(|| resolver.web_url(&value));
            tag.push_str(&format!(" {key}=\""));
            html::escape(url.flatten().as_ref().map_or(&*value, Url::as_str), true, &mut tag);
            tag.push('"');
        }
        tag.push('>');
        self.add(&tag);
    }

    pub(super) fn end_tag(&mut self, name: &str) {
        if self.html {
            self.add(&format!("</{name}>"));
        }
    }

    /// The value as HTML.
    pub(super) fn into_html(self) -> String {
        let mut value = self.value.trim().to_owned();
        if !self.html {
            // Texts of other vocabularies are plain, but many feeds have HTML there, and their lines count.
            if matches!(self.slot, Slot::OtherSummary | Slot::MediaText) {
                return html::of_text(&value).into_owned();
            }
            let mut escaped = String::new();
            html::escape(&value, false, &mut escaped);
            return escaped;
        }
        // Removes an incomplete tag at the end.
        if self.cut
            && let Some(open) = value.rfind('<')
            && value.rfind('>').is_none_or(|close| close < open)
        {
            value.truncate(open);
        }
        value
    }

    /// The value as plain text.
    pub(super) fn into_text(self) -> String {
        let is_html = self.html;
        if is_html {
            let tree = parse(&self.into_html(), ParseOptions::default());
            return tree.folded_text(NodeId::DOCUMENT, MAX_FIELD_BYTES);
        }
        let value = self.into_html();
        // Many programs escape a title twice, for HTML and for XML.
        decode_references(&decode_references(value.trim(), false), false).into_owned()
    }
}

/// The name of an element without its prefix.
pub(super) fn local_name(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or_default()
}
