//! A file of some pages of another one, and pages without their drawings.
//!
//! Alternative: tell the analysis which pages are wanted. It reads other pages too, to compare page numbers
//! and for the fonts of the whole file. So pages that it must not read are removed.

use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

use crate::content::without_paths;
use crate::{Error, Options, streams};

/// Entries that a page inherits from the nodes above it (PDF 32000-1, 7.7.3.4).
const INHERITED: [&[u8]; 4] = [b"Resources", b"MediaBox", b"CropBox", b"Rotate"];

/// Most nodes above a page that are read.
const MAX_DEPTH: usize = 100;

/// A file of only these pages of a document.
pub(crate) fn to_pages(mut document: Document, pages: &[ObjectId]) -> Result<Vec<u8>, Error> {
    let root = document.add_object(dictionary! {
        "Type" => "Pages",
        "Kids" => pages.iter().map(|page| Object::Reference(*page)).collect::<Vec<_>>(),
        "Count" => pages.len() as i64,
    });
    for page in pages {
        let inherited: Vec<(&[u8], Object)> =
            INHERITED.iter().filter_map(|key| Some((*key, inherited(&document, *page, key)?))).collect();
        let Ok(page) = document.get_object_mut(*page).and_then(Object::as_dict_mut) else { continue };
        for (key, value) in inherited {
            page.set(key, value);
        }
        page.set("Parent", Object::Reference(root));
    }
    document.catalog_mut().map_err(Error::malformed)?.set("Pages", Object::Reference(root));
    // The objects have been decrypted.
    document.encryption_state = None;
    let mut file = Vec::new();
    document.save_to(&mut file).map_err(Error::malformed)?;
    Ok(file)
}

/// Removes the paths from the content of a page; its text stays.
pub(crate) fn remove_paths(document: &mut Document, page: ObjectId, options: &Options) {
    let content = document.get_page_contents(page);
    let Some(content) = streams::of_page(document, &content, options.max_inflated_bytes) else { return };
    let content = document.add_object(Stream::new(Dictionary::new(), without_paths(&content)));
    if let Ok(page) = document.get_object_mut(page).and_then(Object::as_dict_mut) {
        page.set("Contents", Object::Reference(content));
    }
}

/// The entry of a page, or of the nearest node above it that has one.
fn inherited(document: &Document, page: ObjectId, key: &[u8]) -> Option<Object> {
    let mut node = document.get_dictionary(page).ok()?;
    for _ in 0..MAX_DEPTH {
        if let Ok(value) = node.get(key) {
            return Some(value.clone());
        }
        node = document.get_dictionary(node.get(b"Parent").and_then(Object::as_reference).ok()?).ok()?;
    }
    None
}
