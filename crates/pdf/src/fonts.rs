//! How much work the fonts of a file are: the parser reads them anew for each page that has them.

use std::collections::HashMap;

use lopdf::{Dictionary, Document, Object, ObjectId};

use crate::forms::dictionary;

/// What the fonts of all pages of a file may cost: bytes of their programs each time that they are read, and
/// 16 for each byte of their character maps. A few seconds on one core.
pub const MAX_FONT_BYTES: u64 = 4_000_000_000;

/// A character map is parsed, a program mostly inflated.
const BYTES_PER_MAP_BYTE: u64 = 16;

/// What a name among the resources of a page costs, whatever it leads to.
const BYTES_PER_NAME: u64 = 2_000;

/// The fonts of a file.
#[derive(Debug)]
pub(crate) struct Fonts<'d> {
    document: &'d Document,
    /// What streams inflate to, in bytes.
    sizes: &'d HashMap<ObjectId, u64>,
    /// Of resources that pages share.
    known: HashMap<ObjectId, u64>,
}

impl<'d> Fonts<'d> {
    pub(crate) fn new(document: &'d Document, sizes: &'d HashMap<ObjectId, u64>) -> Self {
        Self { document, sizes, known: HashMap::new() }
    }

    /// What the fonts of a page cost.
    pub(crate) fn of_page(&mut self, page: ObjectId) -> u64 {
        let Ok((own, shared)) = self.document.get_page_resources(page) else { return 0 };
        let mut cost = own.map_or(0, |resources| self.of_resources(resources));
        for id in shared {
            let known = match self.known.get(&id) {
                Some(known) => *known,
                None => {
                    let resources = self.document.get_dictionary(id);
                    let found = resources.map_or(0, |resources| self.of_resources(resources));
                    self.known.insert(id, found);
                    found
                }
            };
            cost = cost.saturating_add(known);
        }
        cost
    }

    fn of_resources(&self, resources: &Dictionary) -> u64 {
        let entries = |key: &[u8]| dictionary(self.document, resources.get(key).ok());
        let names = [&b"XObject"[..], b"ExtGState", b"ColorSpace", b"Pattern", b"Properties"];
        let named =
            names.iter().filter_map(|key| entries(key)).map(|entries| entries.len() as u64).sum::<u64>();
        let fonts = entries(b"Font").into_iter().flat_map(Dictionary::iter);
        let fonts = fonts.filter_map(|(_, font)| dictionary(self.document, Some(font)));
        fonts.fold(named.saturating_mul(BYTES_PER_NAME), |sum, font| sum.saturating_add(self.of_font(font)))
    }

    fn of_font(&self, font: &Dictionary) -> u64 {
        let inner = font.get(b"DescendantFonts").and_then(|fonts| self.document.dereference(fonts)).ok();
        let inner = inner.and_then(|(_, fonts)| fonts.as_array().ok()).into_iter().flatten().take(4);
        let inner = inner.filter_map(|font| dictionary(self.document, Some(font)));
        let mut cost = BYTES_PER_NAME;
        for font in inner.chain([font]) {
            for map in [&b"ToUnicode"[..], b"Encoding", b"CIDToGIDMap"] {
                cost = cost.saturating_add(self.size(font, map).saturating_mul(BYTES_PER_MAP_BYTE));
            }
            if let Some(described) = dictionary(self.document, font.get(b"FontDescriptor").ok()) {
                for program in [&b"FontFile"[..], b"FontFile2", b"FontFile3"] {
                    cost = cost.saturating_add(self.size(described, program));
                }
            }
        }
        cost
    }

    fn size(&self, entries: &Dictionary, key: &[u8]) -> u64 {
        let id = entries.get(key).and_then(Object::as_reference).ok();
        id.and_then(|id| self.sizes.get(&id)).copied().unwrap_or(0)
    }
}
