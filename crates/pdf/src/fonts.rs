//! Estimates the cost of the fonts of a file. The parser reads them again for each page that uses them.

use std::collections::HashMap;

use lopdf::{Dictionary, Document, Object, ObjectId};

use crate::forms::dictionary;

/// Largest cost of the fonts of all pages of a file: the bytes of a font program for each time that it is
/// read, and 16 for each byte of a character map. A few seconds on one core.
pub const MAX_FONT_BYTES: u64 = 4_000_000_000;

/// Cost of a byte of a character map, which is parsed, while a font program is mostly only inflated.
const BYTES_PER_MAP_BYTE: u64 = 16;

/// Cost of a name in the resources of a page, whatever it refers to.
const BYTES_PER_NAME: u64 = 2_000;

/// The fonts of a file.
#[derive(Debug)]
pub(crate) struct Fonts<'d> {
    document: &'d Document,
    /// Inflated sizes of streams, in bytes.
    sizes: &'d HashMap<ObjectId, u64>,
    /// Costs of resources that pages share.
    shared_costs: HashMap<ObjectId, u64>,
}

impl<'d> Fonts<'d> {
    pub(crate) fn new(document: &'d Document, sizes: &'d HashMap<ObjectId, u64>) -> Self {
        Self { document, sizes, shared_costs: HashMap::new() }
    }

    /// The cost of the fonts of a page.
    pub(crate) fn of_page(&mut self, page: ObjectId) -> u64 {
        let Ok((own, shared)) = self.document.get_page_resources(page) else { return 0 };
        let mut cost = own.map_or(0, |resources| self.of_resources(resources));
        for id in shared {
            let shared_cost = match self.shared_costs.get(&id) {
                Some(cost) => *cost,
                None => {
                    let resources = self.document.get_dictionary(id);
                    let cost = resources.map_or(0, |resources| self.of_resources(resources));
                    self.shared_costs.insert(id, cost);
                    cost
                }
            };
            cost = cost.saturating_add(shared_cost);
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
            if let Some(descriptor) = dictionary(self.document, font.get(b"FontDescriptor").ok()) {
                for program in [&b"FontFile"[..], b"FontFile2", b"FontFile3"] {
                    cost = cost.saturating_add(self.size(descriptor, program));
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
