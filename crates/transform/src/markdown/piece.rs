//! The parts of the inline content of a block.

use std::ops::Range;

/// An inline format, such as emphasis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Em,
    Strong,
    Strike,
    Sub,
    Sup,
    Kbd,
    Highlight,
}

impl Mark {
    /// Length and character of the Markdown delimiter; `None` if only an HTML tag can express the mark.
    pub(super) const fn delimiter(self) -> Option<(usize, u8)> {
        match self {
            Self::Em => Some((1, b'*')),
            Self::Strong => Some((2, b'*')),
            Self::Strike => Some((2, b'~')),
            _ => None,
        }
    }

    /// Does the mark have a meaning inside a mark of its own kind? An exponent can have an exponent.
    pub(super) const fn nests(self) -> bool {
        matches!(self, Self::Sub | Self::Sup)
    }

    pub(super) const fn index(self) -> usize {
        self as usize
    }

    /// The HTML tag's name.
    pub(super) const fn html(self) -> &'static str {
        match self {
            Self::Em => "em",
            Self::Strong => "strong",
            Self::Strike => "del",
            Self::Sub => "sub",
            Self::Sup => "sup",
            Self::Kbd => "kbd",
            Self::Highlight => "mark",
        }
    }
}

/// Where a link leads.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) address: String,
    pub(super) title: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) enum Piece {
    Text(Range<usize>),
    Open(Mark),
    Close(Mark),
    Link,
    LinkEnd(usize),
    Code(Range<usize>),
    /// Written without changes.
    Raw(Range<usize>),
    Image {
        alt: Range<usize>,
        target: usize,
    },
    Break,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenInline {
    Mark {
        mark: Mark,
        /// A mark of the same kind may be opened inside.
        nests: bool,
    },
    Link(usize),
}

/// Where inline content is written to. Decides what is escaped and how lines break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InlineContext {
    Paragraph,
    Heading,
    /// A heading of a page. Bold around all of it is dropped.
    Title,
    Cell,
}
