//! Loads with bounds before the analysis loads the file: each tells whether the next can be afforded.
//!
//! The first keeps nothing and gives the table of places; the second leaves object streams closed and the contents of
//! streams out, so that both can be weighed; the third is the file. What the pages cost is reckoned from it: where that is too
//! much, or where fewer are asked for, the analysis is given a file of the first pages alone, since it looks at others
//! than it is asked for.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use lopdf::{Document, LoadOptions, Object, ObjectId};

use crate::cut;
use crate::fonts::{Fonts, MAX_FONT_BYTES};
use crate::forms::{Calls, Forms, MAX_FORM_BYTES, Work, named_forms};
use crate::marks::{MAX_MARK_PAIRS, MAX_PAGE_MARKS, MAX_TEXTS, Marks, without_paths};
use crate::shape::{self, MAX_VALUES};
use crate::{Error, ErrorKind, Options, streams};

/// Object streams that inflate to more are left out, here and by the analysis.
const MAX_PACKED_BYTES: usize = 8 * 1_024 * 1_024;

/// What an object stream calls itself while it is left closed.
const CLOSED: &[u8] = b"ClosedObjStm";

/// The pages of a file that can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pages {
    /// All of them.
    pub(crate) all: u32,
    /// From the first, those that may be converted: no more than were asked for, and than can be afforded.
    pub(crate) wanted: u32,
    /// Pages whose paths are left out, because they cannot be afforded.
    pub(crate) plain: Vec<ObjectId>,
    /// A file of the pages that are wanted alone, and of one where there are none.
    pub(crate) cut: Option<Vec<u8>>,
}

/// Opens a file and weighs its pages.
pub(crate) fn pages(bytes: &[u8], options: &Options) -> Result<Pages, Error> {
    // Places are counted from the header.
    let bytes = memchr::memmem::find(bytes, b"%PDF-").and_then(|header| bytes.get(header..)).unwrap_or(bytes);
    let load = |filter| {
        let load =
            LoadOptions { max_decompressed_size: Some(MAX_PACKED_BYTES), filter, ..LoadOptions::default() };
        Document::load_mem_with_options(bytes, load).map_err(|error| refused(&error, options))
    };
    shape::check_table(bytes, &load(Some(|_, _| None))?, options)?;
    check_packed(bytes, &load(Some(closed))?)?;
    let document = load(None)?;
    if document.is_encrypted() && document.encryption_state.is_none() {
        return Err(ErrorKind::Encrypted.into());
    }
    let sizes = streams::check(&document, options)?;
    let mut pages = weigh(&document, &sizes, options)?;
    if pages.wanted < pages.all || !pages.plain.is_empty() {
        let mut document = document;
        for page in &pages.plain {
            cut::paths(&mut document, *page, options);
        }
        let kept: Vec<ObjectId> = document.page_iter().take(pages.wanted.max(1) as usize).collect();
        pages.cut = Some(cut::to(document, &kept)?);
    }
    Ok(pages)
}

/// Leaves an object stream as it is and other streams without content.
fn closed(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    if let Object::Stream(stream) = object {
        if stream.dict.has_type(b"ObjStm") {
            stream.dict.set("Type", Object::Name(CLOSED.to_vec()));
        } else {
            // One that is empty would be read again.
            stream.content = vec![b' '];
        }
    }
    Some((id, Object::Null))
}

/// Weighs what the streams of a file take up, and the objects that are packed in them.
fn check_packed(bytes: &[u8], document: &Document) -> Result<(), Error> {
    shape::check_lengths(bytes, document)?;
    let mut values = 0_usize;
    for stream in document.objects.values().filter_map(|object| object.as_stream().ok()) {
        if stream.dict.has_type(CLOSED)
            && let Some(content) = streams::content(stream, MAX_PACKED_BYTES as u64)
        {
            values = values.saturating_add(shape::check_packed(stream, &content)?);
        }
    }
    if values > MAX_VALUES { Err(ErrorKind::TooManyValues { limit: MAX_VALUES }.into()) } else { Ok(()) }
}

fn weigh(document: &Document, sizes: &HashMap<ObjectId, u64>, options: &Options) -> Result<Pages, Error> {
    let limit = options.max_inflated_bytes;
    let forms = Forms::of(document, options);
    let mut fonts = Fonts::new(document, sizes);
    let mut pages = Pages { all: 0, wanted: 0, plain: Vec::new(), cut: None };
    let (mut left, mut forms_left, mut fonts_left) = (limit, Some(MAX_FORM_BYTES), Some(MAX_FONT_BYTES));
    let (mut pairs_left, mut texts_left) = (Some(MAX_MARK_PAIRS), Some(MAX_TEXTS));
    let mut contents: HashMap<Vec<ObjectId>, Content> = HashMap::new();
    // What the drawings of each page that is wanted cost, and what the texts of them all leave for that.
    let (mut drawings, mut spare) = (Vec::new(), 0);
    for page in document.page_iter() {
        pages.all = pages.all.saturating_add(1);
        if pages.all > options.max_pages.max(1) {
            continue;
        }
        let streams = document.get_page_contents(page);
        // A stream that is named costs something even where it is empty.
        let named = 16 * streams.len() as u64;
        let content = match contents.entry(streams) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => {
                let content = Content::of(document, free.key(), left).ok_or(ErrorKind::TooLarge { limit })?;
                free.insert(content)
            }
        };
        left = left.checked_sub(content.bytes.saturating_add(named)).ok_or(ErrorKind::TooLarge { limit })?;
        let runs = !content.calls.is_empty();
        let run = if runs { forms.of_page(document, page, &content.calls) } else { Work::default() };
        let around = Marks::texts(annotations(document, page)).and(run.marks);
        let (drawn, plain) = (content.marks.and(around), content.plain.and(around));
        pairs_left = pairs_left.zip(plain.pairs()).and_then(|(left, pairs)| left.checked_sub(pairs));
        texts_left = texts_left.and_then(|left| left.checked_sub(drawn.shown));
        forms_left = forms_left.and_then(|left| left.checked_sub(run.bytes));
        fonts_left = fonts_left.and_then(|left| left.checked_sub(fonts.of_page(page)));
        let too_much = if pairs_left.is_none() || texts_left.is_none() {
            Some(ErrorKind::TooManyMarks { limit: MAX_PAGE_MARKS })
        } else if forms_left.is_none() || fonts_left.is_none() {
            Some(ErrorKind::TooLarge { limit })
        } else {
            None
        };
        match too_much {
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
    // A drawing takes no text away with it, from its own page or from one behind.
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

/// What the content of a page is.
struct Content {
    /// Bytes that it inflates to.
    bytes: u64,
    /// What forms it runs.
    calls: Calls,
    /// What it draws itself.
    marks: Marks,
    /// The same without its paths.
    plain: Marks,
}

impl Content {
    /// `None` where it is more than `limit` bytes.
    fn of(document: &Document, streams: &[ObjectId], limit: u64) -> Option<Self> {
        let content = streams::of_page(document, streams, limit)?;
        let marks = Marks::of(&content);
        // Counted anew: what cannot be taken out still costs.
        let plain = if marks.has_drawing() { Marks::of(&without_paths(&content)) } else { marks };
        Some(Self { bytes: content.len() as u64, calls: named_forms(&content), marks, plain })
    }
}

/// How many annotations a page has: each is a text to the analysis.
fn annotations(document: &Document, page: ObjectId) -> u64 {
    let page = document.get_dictionary(page);
    let annotations = page.and_then(|page| page.get_deref(b"Annots", document)).and_then(Object::as_array);
    annotations.map_or(0, |list| list.len() as u64)
}

fn refused(error: &lopdf::Error, options: &Options) -> Error {
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
    fn drawings_leave_room_for_the_texts_of_all_pages() {
        let drawing = format!("BT (A table) Tj ET {}", "9 9 m 99 9 l S ".repeat(5_000));
        let weighed = weigh(&document(&vec![drawing; 40]), &HashMap::new(), &Options::default()).unwrap();
        assert_eq!((weighed.all, weighed.wanted), (40, 40));
        let drawn = 40 - weighed.plain.len() as u64;
        assert_eq!(drawn, MAX_MARK_PAIRS / (5_001 * 5_001), "the first have their drawings");
    }
}
