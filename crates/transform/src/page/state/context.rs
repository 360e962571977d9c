//! How the content of a container is written.

use crate::tree::Tag;

/// How the content of a container is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// Parts of a text. A string counts only if it is prose.
    Block,
    /// A text: every string is a part of it, and may be HTML.
    Inline,
    /// A text whose strings are no HTML.
    Literal,
    /// Code: no string is HTML.
    Code,
    /// Items of a list.
    Items,
    /// Rows of a table.
    Rows,
    /// Cells of a row.
    Cells,
}

impl Context {
    /// The context of the content of an element.
    pub(super) const fn inside(tag: Tag) -> Self {
        match tag {
            Tag::Ul | Tag::Ol => Self::Items,
            Tag::Table | Tag::Tbody | Tag::Thead => Self::Rows,
            Tag::Tr => Self::Cells,
            Tag::Pre => Self::Code,
            _ => Self::Inline,
        }
    }
}
