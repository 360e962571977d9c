//! Checks the sections of the cross-reference table before they are loaded.
//!
//! A section may be a packed stream: a kilobyte can declare a hundred million objects. The loader has no
//! limit for them.

use std::collections::HashSet;

use pdfboss_core::filters::decode_stream;
use pdfboss_core::parser::{NoResolve, Parser};
use pdfboss_core::xref::{parse_section_at, startxref};
use pdfboss_core::{Dict, Object};

use crate::{Error, ErrorKind, Options};

/// Most sections. Each time a file is edited, one is added.
const MAX_SECTIONS: usize = 10_000;

/// Refuses a file whose table declares too many objects. A damaged table is not an error: the loader then
/// searches the objects.
pub(super) fn check(bytes: &[u8], options: &Options) -> Result<(), Error> {
    let too_many = || Error::from(ErrorKind::TooManyObjects { limit: options.max_objects });
    let mut visited = HashSet::new();
    let mut open: Vec<usize> = startxref(bytes).into_iter().collect();
    let mut objects = 0_usize;
    while let Some(offset) = open.pop() {
        if !visited.insert(offset) {
            continue;
        }
        if visited.len() > MAX_SECTIONS {
            return Err(too_many());
        }
        let Some(section) = section(bytes, offset) else { continue };
        objects = objects.saturating_add(section.objects);
        if objects > options.max_objects {
            return Err(too_many());
        }
        open.extend(section.more.into_iter().flatten().filter_map(|more| usize::try_from(more).ok()));
    }
    Ok(())
}

struct Section {
    objects: usize,
    /// Offsets of other sections.
    more: [Option<i64>; 2],
}

fn section(bytes: &[u8], offset: usize) -> Option<Section> {
    let start = bytes.get(offset..)?.trim_ascii_start();
    if start.starts_with(b"xref") {
        // A line of the table takes several bytes of the file, so its size is bounded.
        let section = parse_section_at(bytes, offset).ok()?;
        return Some(Section { objects: section.xref.len(), more: [section.prev, section.xrefstm] });
    }
    let (_, object) = Parser::at(bytes, offset).parse_indirect(&NoResolve).ok()?;
    let Object::Stream(stream) = object else { return None };
    let length = decode_stream(&stream, &NoResolve).ok()?.len();
    let objects = length.checked_div(row_bytes(&stream.dict)).unwrap_or(0);
    Some(Section { objects, more: [stream.dict.get_int("Prev"), None] })
}

/// The bytes of each row, from the widths of its columns.
fn row_bytes(entries: &Dict) -> usize {
    let widths = entries.get_array("W").unwrap_or_default();
    let width = |width: &Object| width.as_int().and_then(|width| usize::try_from(width).ok()).unwrap_or(0);
    widths.iter().map(width).fold(0, usize::saturating_add)
}
