//! The element names with a meaning in this crate, as one byte.
//!
//! Code that reads the tree compares names constantly. A byte compares faster than an interned string and can
//! be matched exhaustively. Other names are [`Tag::Other`], and the tree stores their full name.

use std::sync::LazyLock;

use html5ever::LocalName;

macro_rules! tags {
    ($($variant:ident $name:literal,)*) => {
        /// An element name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub(crate) enum Tag {
            /// Any name without a variant of its own.
            Other,
            $(#[doc = $name] $variant,)*
        }

        const NAMES: &[(&str, Tag)] = &[$(($name, Tag::$variant),)*];
    };
}

tags! {
    A "a", Abbr "abbr", Address "address", Area "area", Article "article", Aside "aside", Audio "audio",
    B "b", Base "base", Big "big", Blockquote "blockquote", Body "body", Br "br", Button "button",
    Canvas "canvas", Caption "caption", Center "center", Cite "cite", Code "code", Col "col",
    Colgroup "colgroup", Data "data", Datalist "datalist", Dd "dd", Del "del", Details "details", Dfn "dfn",
    Dialog "dialog", Dir "dir", Div "div", Dl "dl", Dt "dt", Em "em", Embed "embed", Fieldset "fieldset",
    Figcaption "figcaption", Figure "figure", Font "font", Footer "footer", Form "form", Frame "frame",
    Frameset "frameset", H1 "h1", H2 "h2", H3 "h3", H4 "h4", H5 "h5", H6 "h6", Head "head", Header "header",
    Hgroup "hgroup", Hr "hr", Html "html", I "i", Iframe "iframe", Img "img", Input "input", Ins "ins",
    Kbd "kbd", Label "label", Legend "legend", Li "li", Link "link", Main "main", Map "map", Mark "mark",
    Math "math", Menu "menu", Meta "meta", Meter "meter", Nav "nav", Nobr "nobr", Noembed "noembed",
    Noframes "noframes", Noscript "noscript", Object "object", Ol "ol", Optgroup "optgroup", Option "option",
    Output "output", P "p", Param "param", Picture "picture", Plaintext "plaintext", Pre "pre",
    Progress "progress", Q "q", Rb "rb", Rp "rp", Rt "rt", Rtc "rtc", Ruby "ruby", S "s", Samp "samp",
    Script "script", Search "search", Section "section", Select "select", Slot "slot", Small "small",
    Source "source", Span "span", Strike "strike", Strong "strong", Style "style", Sub "sub",
    Summary "summary", Sup "sup", Svg "svg", Table "table", Tbody "tbody", Td "td", Template "template",
    Textarea "textarea", Tfoot "tfoot", Th "th", Thead "thead", Time "time", Title "title", Tr "tr",
    Track "track", Tt "tt", U "u", Ul "ul", Var "var", Video "video", Wbr "wbr", Xmp "xmp",
}

/// Slots of the lookup table: a power of two well above the number of names.
const SLOTS: usize = 1024;

/// The length and the first eight bytes of a name. Most names have no more.
type Key = (usize, u64);

/// A name, its key, its tag, and its interned form.
type Entry = (&'static str, Key, Tag, LocalName);

/// Names by their keys, with open addressing. Built once.
static TABLE: LazyLock<Vec<Option<Entry>>> = LazyLock::new(|| {
    let mut table = vec![None; SLOTS];
    for &(name, tag) in NAMES {
        let key = key_of(name.as_bytes());
        let mut slot = slot_of(key);
        while table.get(slot).is_some_and(Option::is_some) {
            slot = (slot + 1) % SLOTS;
        }
        if let Some(entry) = table.get_mut(slot) {
            *entry = Some((name, key, tag, LocalName::from(name)));
        }
    }
    table
});

fn key_of(name: &[u8]) -> Key {
    (name.len(), name.iter().take(8).fold(0, |packed, byte| (packed << 8) | u64::from(*byte)))
}

/// The slot where the search for a name begins.
const fn slot_of((length, packed): Key) -> usize {
    ((packed ^ (length as u64) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize % SLOTS
}

impl Tag {
    /// The tag and interned form of a lower-case name.
    pub(crate) fn lookup(name: &str) -> (Self, LocalName) {
        let key = key_of(name.as_bytes());
        let mut slot = slot_of(key);
        while let Some(Some((known, known_key, tag, local))) = TABLE.get(slot) {
            if *known_key == key && (name.len() <= 8 || *known == name) {
                return (*tag, local.clone());
            }
            slot = (slot + 1) % SLOTS;
        }
        (Self::Other, LocalName::from(name))
    }

    /// The name; empty for [`Tag::Other`].
    pub(crate) fn name(self) -> &'static str {
        (self as usize).checked_sub(1).and_then(|at| NAMES.get(at)).map_or("", |known| known.0)
    }

    /// True for elements without an end tag (HTML Standard, 13.1.2).
    pub(crate) const fn is_void(self) -> bool {
        matches!(
            self,
            Self::Area
                | Self::Base
                | Self::Br
                | Self::Col
                | Self::Embed
                | Self::Frame
                | Self::Hr
                | Self::Img
                | Self::Input
                | Self::Link
                | Self::Meta
                | Self::Param
                | Self::Source
                | Self::Track
                | Self::Wbr
        )
    }

    /// True for formatting elements of the parser (HTML Standard, 13.2.4.3).
    pub(crate) const fn is_formatting(self) -> bool {
        matches!(
            self,
            Self::A
                | Self::B
                | Self::Big
                | Self::Code
                | Self::Em
                | Self::Font
                | Self::I
                | Self::Nobr
                | Self::S
                | Self::Small
                | Self::Strike
                | Self::Strong
                | Self::Tt
                | Self::U
        )
    }

    /// The level of a heading, 1 to 6.
    pub(crate) const fn heading_level(self) -> Option<u8> {
        match self {
            Self::H1 => Some(1),
            Self::H2 => Some(2),
            Self::H3 => Some(3),
            Self::H4 => Some(4),
            Self::H5 => Some(5),
            Self::H6 => Some(6),
            _ => None,
        }
    }

    /// True for elements that browsers lay out as a block by default, including table parts (HTML Standard,
    /// 15.3).
    pub(crate) const fn is_block(self) -> bool {
        matches!(
            self,
            Self::Address
                | Self::Article
                | Self::Aside
                | Self::Blockquote
                | Self::Body
                | Self::Caption
                | Self::Center
                | Self::Dd
                | Self::Details
                | Self::Dialog
                | Self::Dir
                | Self::Div
                | Self::Dl
                | Self::Dt
                | Self::Fieldset
                | Self::Figcaption
                | Self::Figure
                | Self::Footer
                | Self::Form
                | Self::Frameset
                | Self::H1
                | Self::H2
                | Self::H3
                | Self::H4
                | Self::H5
                | Self::H6
                | Self::Header
                | Self::Hgroup
                | Self::Hr
                | Self::Html
                | Self::Legend
                | Self::Li
                | Self::Main
                | Self::Menu
                | Self::Nav
                | Self::Ol
                | Self::Optgroup
                | Self::Option
                | Self::P
                | Self::Plaintext
                | Self::Pre
                | Self::Search
                | Self::Section
                | Self::Summary
                | Self::Table
                | Self::Tbody
                | Self::Td
                | Self::Tfoot
                | Self::Th
                | Self::Thead
                | Self::Tr
                | Self::Ul
                | Self::Xmp
        )
    }

    /// True for elements whose text is never shown.
    pub(crate) const fn is_invisible(self) -> bool {
        matches!(
            self,
            Self::Base
                | Self::Datalist
                | Self::Head
                | Self::Link
                | Self::Meta
                | Self::Noembed
                | Self::Noframes
                | Self::Noscript
                | Self::Param
                | Self::Rp
                | Self::Script
                | Self::Style
                | Self::Svg
                | Self::Title
                | Self::Track
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found() {
        for &(name, tag) in NAMES {
            let (found, local) = Tag::lookup(name);
            assert_eq!((found, &*local), (tag, name));
            assert_eq!(tag.name(), name);
        }
        assert_eq!(Tag::lookup("x-card").0, Tag::Other);
        assert_eq!(Tag::lookup("").0, Tag::Other);
        assert_eq!(Tag::Other.name(), "");
    }
}
