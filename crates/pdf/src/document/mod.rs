//! The pages of a file as one document: running heads dropped, lines joined to blocks, headings found.
//!
//! [`furniture`] drops what recurs on pages, with [`numbers`] that count them; [`hyphens`] finds those that
//! belong to their words; [`style`] finds the usual text; [`blocks`] joins the lines of a region, with
//! [`markers`] of lists, [`code`] and lines of [`contents`]; [`flow`] joins what goes on over columns and
//! pages; [`headings`] finds headings; [`render`] writes Markdown.

mod blocks;
mod code;
mod contents;
mod flow;
mod furniture;
mod headings;
mod hyphens;
mod markers;
mod numbers;
mod render;
mod style;

use self::code::Code;
use crate::Error;
use crate::layout::{PageLayout, Table, Text};

/// A block of the document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    kind: Kind,
    /// Size of its text.
    size: f32,
    is_bold: bool,
    /// Number of its lines; 0 if unknown.
    lines: usize,
}

/// What a part is.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Paragraph(Text),
    /// From 1.
    Heading(u8, Text),
    Item(Item),
    Code(Code),
    Table(Table),
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq)]
struct Item {
    /// From 1.
    depth: usize,
    /// The number of an item of a numbered list, and the character behind it.
    number: Option<(u64, char)>,
    text: Text,
}

/// An entry of the outline of a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) title: String,
    /// From 1.
    pub(crate) depth: u8,
}

/// The Markdown of pages.
pub(crate) fn markdown(mut pages: Vec<PageLayout>, outline: &[Entry]) -> Result<String, Error> {
    furniture::drop_watermarks(&mut pages);
    furniture::drop(&mut pages);
    hyphens::keep(&mut pages);
    let usual = style::Usual::of(&pages);
    let mut parts: Vec<Part> = Vec::new();
    for page in pages {
        let mut is_first = true;
        for region in page.regions {
            let more = blocks::of_region(region, &usual);
            if !more.is_empty() {
                flow::join(&mut parts, more, &usual, is_first);
                is_first = false;
            }
        }
    }
    headings::find(&mut parts, &usual, outline);
    render::markdown(&parts)
}
