//! What the inline content of a block is made of.

use std::ops::Range;

/// A span of text set off from its surroundings.
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
    /// Length and character of the Markdown delimiter; `None` where there is only an HTML tag.
    pub(super) const fn delimiter(self) -> Option<(usize, u8)> {
        match self {
            Self::Em => Some((1, b'*')),
            Self::Strong => Some((2, b'*')),
            Self::Strike => Some((2, b'~')),
            _ => None,
        }
    }

    /// May it stand in its own kind and mean something? A raised number may have one itself.
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
    /// Written as it stands.
    Raw(Range<usize>),
    Image {
        alt: Range<usize>,
        target: usize,
    },
    Break,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opened {
    Mark {
        mark: Mark,
        /// One of its own kind may stand inside.
        nests: bool,
    },
    Link(usize),
}

/// Where the content goes, which decides what is escaped and how lines break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Paragraph,
    Heading,
    /// A heading of a page, where all bold is no bold.
    Title,
    Cell,
}
