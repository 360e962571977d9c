//! Bounded loads before the analysis loads the file. Each one shows whether the next is affordable.
//!
//! The first keeps nothing and gives the cross-reference table. The second leaves object streams packed and
//! other streams empty, so that both can be checked. The third is the whole file, from which the cost of the
//! pages is estimated. If they cost too much, or fewer are requested, the analysis gets a file of the first
//! pages only, because it also reads pages that it is not asked for.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use lopdf::{Document, LoadOptions, Object, ObjectId};

use crate::content::without_paths;
use crate::cut;
use crate::fonts::{Fonts, MAX_FONT_BYTES};
use crate::forms::{Calls, Cost, Forms, MAX_FORM_BYTES, form_calls};
use crate::marks::{MAX_MARK_PAIRS, MAX_PAGE_MARKS, MAX_TEXTS, Marks};
use crate::shape::{self, MAX_VALUES};
use crate::{Error, ErrorKind, Options, streams};

/// Most bytes of an inflated object stream. Larger ones are ignored, here and by the analysis.
const MAX_PACKED_BYTES: usize = 8 * 1_024 * 1_024;

/// The type of object streams that are left packed.
const PACKED: &[u8] = b"PackedObjStm";

/// The pages of a file that can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pages {
    /// Number of all pages.
    pub(crate) all: u32,
    /// Number of pages to convert, from the first: at most those that are requested and affordable.
    pub(crate) wanted: u32,
    /// Pages whose paths are removed, because they cost too much.
    pub(crate) plain: Vec<ObjectId>,
    /// A file of only the wanted pages; of one page if none is wanted.
    pub(crate) cut: Option<Vec<u8>>,
}

/// Opens a file and estimates the cost of its pages.
pub(crate) fn pages(bytes: &[u8], options: &Options) -> Result<Pages, Error> {
    // Offsets count from the header.
    let bytes = memchr::memmem::find(bytes, b"%PDF-").and_then(|header| bytes.get(header..)).unwrap_or(bytes);
    let load = |filter| {
        let load =
            LoadOptions { max_decompressed_size: Some(MAX_PACKED_BYTES), filter, ..LoadOptions::default() };
        Document::load_mem_with_options(bytes, load).map_err(|error| load_error(&error, options))
    };
    shape::check_table(bytes, &load(Some(|_, _| None))?, options)?;
    check_packed(bytes, &load(Some(leave_packed))?)?;
    let document = load(None)?;
    if document.is_encrypted() && document.encryption_state.is_none() {
        return Err(ErrorKind::Encrypted.into());
    }
    let sizes = streams::check(&document, options)?;
    let mut pages = affordable(&document, &sizes, options)?;
    if pages.wanted < pages.all || !pages.plain.is_empty() {
        let mut document = document;
        for page in &pages.plain {
            cut::remove_paths(&mut document, *page, options);
        }
        let kept: Vec<ObjectId> = document.page_iter().take(pages.wanted.max(1) as usize).collect();
        pages.cut = Some(cut::to_pages(document, &kept)?);
    }
    Ok(pages)
}

/// Leaves object streams packed and empties other streams.
fn leave_packed(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    if let Object::Stream(stream) = object {
        if stream.dict.has_type(b"ObjStm") {
            stream.dict.set("Type", Object::Name(PACKED.to_vec()));
        } else {
            // Not empty: the parser would read an empty stream again.
            stream.content = vec![b' '];
        }
    }
    Some((id, Object::Null))
}

/// Checks the lengths of the streams of a file, and the objects that are packed in them.
fn check_packed(bytes: &[u8], document: &Document) -> Result<(), Error> {
    shape::check_lengths(bytes, document)?;
    let mut values = 0_usize;
    for stream in document.objects.values().filter_map(|object| object.as_stream().ok()) {
        if stream.dict.has_type(PACKED)
            && let Some(content) = streams::content(stream, MAX_PACKED_BYTES as u64)
        {
            values = values.saturating_add(shape::check_packed(stream, &content)?);
        }
    }
    if values > MAX_VALUES { Err(ErrorKind::TooManyValues { limit: MAX_VALUES }.into()) } else { Ok(()) }
}

/// The pages that are within the limits.
fn affordable(
    document: &Document,
    sizes: &HashMap<ObjectId, u64>,
    options: &Options,
) -> Result<Pages, Error> {
    let limit = options.max_inflated_bytes;
    let forms = Forms::of(document, options);
    let mut fonts = Fonts::new(document, sizes);
    let mut pages = Pages { all: 0, wanted: 0, plain: Vec::new(), cut: None };
    let (mut left, mut forms_left, mut fonts_left) = (limit, Some(MAX_FORM_BYTES), Some(MAX_FONT_BYTES));
    let (mut pairs_left, mut texts_left) = (Some(MAX_MARK_PAIRS), Some(MAX_TEXTS));
    let mut contents: HashMap<Vec<ObjectId>, Content> = HashMap::new();
    // The cost of the drawing of each wanted page, and the budget that their texts leave for drawings.
    let (mut drawings, mut spare) = (Vec::new(), 0);
    for page in document.page_iter() {
        pages.all = pages.all.saturating_add(1);
        if pages.all > options.max_pages.max(1) {
            continue;
        }
        let streams = document.get_page_contents(page);
        // A reference to a stream costs something even if the stream is empty.
        let references = 16 * streams.len() as u64;
        let content = match contents.entry(streams) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let content =
                    Content::of(document, entry.key(), left).ok_or(ErrorKind::TooLarge { limit })?;
                entry.insert(content)
            }
        };
        left = left
            .checked_sub(content.bytes.saturating_add(references))
            .ok_or(ErrorKind::TooLarge { limit })?;
        let has_calls = !content.calls.is_empty();
        let called = if has_calls { forms.of_page(document, page, &content.calls) } else { Cost::default() };
        let extra = Marks::texts(annotations(document, page)).and(called.marks);
        let (drawn, plain) = (content.marks.and(extra), content.plain.and(extra));
        pairs_left = pairs_left.zip(plain.pairs()).and_then(|(left, pairs)| left.checked_sub(pairs));
        texts_left = texts_left.and_then(|left| left.checked_sub(drawn.shown));
        forms_left = forms_left.and_then(|left| left.checked_sub(called.bytes));
        fonts_left = fonts_left.and_then(|left| left.checked_sub(fonts.of_page(page)));
        let exceeded = if pairs_left.is_none() || texts_left.is_none() {
            Some(ErrorKind::TooManyMarks { limit: MAX_PAGE_MARKS })
        } else if forms_left.is_none() || fonts_left.is_none() {
            Some(ErrorKind::TooLarge { limit })
        } else {
            None
        };
        match exceeded {
            Some(kind) if pages.all == 1 => return Err(kind.into()),
            None if options.max_pages > 0 => {
                pages.wanted = pages.all;
                let pairs = drawn.pairs().zip(plain.pairs());
                drawings.push((page, pairs.map(|(drawn, plain)| drawn.saturating_sub(plain))));
                spare = pairs_left.unwrap_or_default();
            }
            _ => {}
        }
    }
    // Drawings get only what the texts of all pages leave, so a drawing costs no text, on its own page or a
    // later one.
    for (page, pairs) in drawings {
        match pairs.and_then(|pairs| spare.checked_sub(pairs)) {
            Some(left) => spare = left,
            None => pages.plain.push(page),
        }
    }
    if pages.all == 0 {
        return Err(Error::malformed("it has no pages"));
    }
    Ok(pages)
}

/// The content of a page.
struct Content {
    /// Inflated size in bytes.
    bytes: u64,
    /// The forms that it calls.
    calls: Calls,
    /// Its own marks.
    marks: Marks,
    /// Its own marks without its paths.
    plain: Marks,
}

impl Content {
    /// `None` if it is larger than `limit` bytes.
    fn of(document: &Document, streams: &[ObjectId], limit: u64) -> Option<Self> {
        let content = streams::of_page(document, streams, limit)?;
        let marks = Marks::of(&content);
        // Counted again, because not all paths can be removed.
        let plain = if marks.has_drawing() { Marks::of(&without_paths(&content)) } else { marks };
        Some(Self { bytes: content.len() as u64, calls: form_calls(&content), marks, plain })
    }
}

/// The number of annotations of a page. The analysis reads each as a text.
fn annotations(document: &Document, page: ObjectId) -> u64 {
    let page = document.get_dictionary(page);
    let annotations = page.and_then(|page| page.get_deref(b"Annots", document)).and_then(Object::as_array);
    annotations.map_or(0, |list| list.len() as u64)
}

fn load_error(error: &lopdf::Error, options: &Options) -> Error {
    match error {
        lopdf::Error::Decryption(_)
        | lopdf::Error::InvalidPassword
        | lopdf::Error::UnsupportedSecurityHandler(_) => ErrorKind::Encrypted.into(),
        lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. }) => {
            ErrorKind::TooLarge { limit: options.max_inflated_bytes }.into()
        }
        other => Error::malformed(other),
    }
}

#[cfg(test)]
mod tests {
    use lopdf::{Dictionary, Stream, dictionary};

    use super::*;

    fn document(contents: &[String]) -> Document {
        let mut document = Document::with_version("1.7");
        let tree = document.new_object_id();
        let mut kids = Vec::new();
        for content in contents {
            let content = document.add_object(Stream::new(Dictionary::new(), content.clone().into_bytes()));
            let page = dictionary! { "Type" => "Page", "Parent" => tree, "Contents" => content };
            kids.push(Object::Reference(document.add_object(page)));
        }
        let count = kids.len() as i64;
        let pages = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count };
        document.objects.insert(tree, Object::Dictionary(pages));
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
        document.trailer.set("Root", catalog);
        document
    }

    #[test]
    fn drawings_leave_a_budget_for_the_texts_of_all_pages() {
        let drawing = format!("BT (A table) Tj ET {}", "9 9 m 99 9 l S ".repeat(5_000));
        let pages = affordable(&document(&vec![drawing; 40]), &HashMap::new(), &Options::default()).unwrap();
        assert_eq!((pages.all, pages.wanted), (40, 40));
        let drawn = 40 - pages.plain.len() as u64;
        assert_eq!(drawn, MAX_MARK_PAIRS / (5_001 * 5_001), "the first pages keep their drawings");
    }
}
