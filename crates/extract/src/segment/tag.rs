//! The kinds of HTML elements that segments distinguish.

use crate::markup::lower_case;

/// The kinds of elements that tell where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Tag {
    Address,
    Article,
    Aside,
    Button,
    /// `td`
    Cell,
    /// A control other than a button: `select`, `input` and their parts.
    Control,
    /// `data` or `meter`, which state a value in an attribute.
    Data,
    /// `dd`
    Definition,
    Figure,
    Footer,
    Form,
    /// `div` or `span`
    Generic,
    Header,
    /// `th`
    HeaderCell,
    /// `h1` to `h6`, with the level.
    Heading(u8),
    Image,
    /// `li`
    Item,
    Label,
    Link,
    /// `ol` or `ul`
    List,
    Main,
    Nav,
    #[default]
    Other,
    Paragraph,
    /// `blockquote`
    Quote,
    /// `html`, `body` or `head`
    Root,
    Small,
    /// `strong`, `b` or `em`
    Strong,
    Summary,
    Table,
    /// `dt`
    Term,
    Time,
}

impl Tag {
    pub(super) fn of(name: &str) -> Self {
        match lower_case(name, &mut [0; 10]) {
            b"a" => Self::Link,
            b"address" => Self::Address,
            b"article" => Self::Article,
            b"aside" => Self::Aside,
            b"b" | b"strong" | b"em" => Self::Strong,
            b"blockquote" => Self::Quote,
            b"body" | b"html" | b"head" => Self::Root,
            b"button" => Self::Button,
            b"data" | b"meter" => Self::Data,
            b"dd" => Self::Definition,
            b"div" | b"span" => Self::Generic,
            b"dt" => Self::Term,
            b"figure" => Self::Figure,
            b"footer" => Self::Footer,
            b"form" => Self::Form,
            b"h1" => Self::Heading(1),
            b"h2" => Self::Heading(2),
            b"h3" => Self::Heading(3),
            b"h4" => Self::Heading(4),
            b"h5" => Self::Heading(5),
            b"h6" => Self::Heading(6),
            b"header" => Self::Header,
            b"img" => Self::Image,
            b"label" => Self::Label,
            b"li" => Self::Item,
            b"main" => Self::Main,
            b"nav" => Self::Nav,
            b"ol" | b"ul" => Self::List,
            b"p" => Self::Paragraph,
            b"select" | b"option" | b"optgroup" | b"input" | b"textarea" => Self::Control,
            b"small" => Self::Small,
            b"summary" => Self::Summary,
            b"table" => Self::Table,
            b"td" => Self::Cell,
            b"th" => Self::HeaderCell,
            b"time" => Self::Time,
            _ => Self::Other,
        }
    }

    /// Its bit in the set of the elements around a node; 0 if the set does not tell it.
    pub(super) const fn bit(self) -> u32 {
        match self {
            Self::Address => 1,
            Self::Article => 1 << 1,
            Self::Aside => 1 << 2,
            Self::Button => 1 << 3,
            Self::Cell => 1 << 4,
            Self::Control => 1 << 5,
            Self::Definition => 1 << 6,
            Self::Figure => 1 << 7,
            Self::Footer => 1 << 8,
            Self::Form => 1 << 9,
            Self::Header => 1 << 10,
            Self::HeaderCell => 1 << 11,
            Self::Heading(_) => 1 << 12,
            Self::Item => 1 << 13,
            Self::Label => 1 << 14,
            Self::Link => 1 << 15,
            Self::Main => 1 << 16,
            Self::Nav => 1 << 17,
            Self::Paragraph => 1 << 18,
            Self::Quote => 1 << 19,
            Self::Strong => 1 << 20,
            Self::Table => 1 << 21,
            Self::Term => 1 << 22,
            Self::Data
            | Self::Generic
            | Self::Image
            | Self::List
            | Self::Other
            | Self::Root
            | Self::Small
            | Self::Summary
            | Self::Time => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_elements_are_told_apart_in_any_case() {
        let rows = [
            ("BLOCKQUOTE", Tag::Quote),
            ("h3", Tag::Heading(3)),
            ("Td", Tag::Cell),
            ("h7", Tag::Other),
            ("custom-element-name", Tag::Other),
            ("", Tag::Other),
        ];
        for (name, expected) in rows {
            assert_eq!(Tag::of(name), expected, "{name}");
        }
    }
}
