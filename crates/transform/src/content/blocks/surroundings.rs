//! Totals around a block: of the records that contain it, of its section, and of the page's main part.

use super::{Block, Blocks, Totals};

/// A run of at least this many similar siblings is a list of records.
const MIN_RECORDS: u32 = 3;

/// The part of a page from one heading to the next.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Section {
    pub(super) totals: Totals,
    pub(super) level: u8,
}

/// Totals around the blocks of a page.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    /// For each element: the innermost record that contains it (or is it), and the record whose run has the
    /// most words.
    records: Vec<(u32, u32)>,
    pub(super) sections: Vec<Section>,
    /// The innermost elements that hold half of the page's text, four fifths of it, and seven tenths of its
    /// prose.
    pub(super) roots: [(u32, u32); 3],
}

impl Surroundings {
    /// Computes the totals of a page.
    pub(super) fn of(blocks: &Blocks, text_words: u32, prose_words: u32) -> Self {
        let mut records: Vec<(u32, u32)> = Vec::with_capacity(blocks.elements.len());
        let mut roots = [(0, u32::MAX); 3];
        let run = |element: u32| {
            let element = blocks.elements.get(element as usize)?;
            blocks.runs.get(element.run as usize)
        };
        for (number, element) in blocks.elements.iter().enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let (inner, largest) = records.get(element.parent as usize).copied().unwrap_or((0, 0));
            let own = blocks.runs.get(element.run as usize).copied().unwrap_or_default();
            let entry = if number > 0 && own.count >= MIN_RECORDS && own.totals.words > 0 {
                let words = run(largest).map_or(0, |run| if largest == 0 { 0 } else { run.totals.words });
                (number, if own.totals.words > words { number } else { largest })
            } else {
                (inner, largest)
            };
            records.push(entry);
            let text = u64::from(element.totals.words - element.totals.link_words.min(element.totals.words));
            let shares = [
                text * 10 >= u64::from(text_words) * 5,
                text * 10 >= u64::from(text_words) * 8,
                u64::from(element.totals.paragraph_words) * 10 >= u64::from(prose_words) * 7
                    && prose_words > 0,
            ];
            for (root, holds) in roots.iter_mut().zip(shares) {
                if holds {
                    *root = (number, element.end);
                }
            }
        }
        let mut sections = vec![Section::default()];
        for block in &blocks.list {
            if block.heading > 0 {
                sections.push(Section { totals: Totals::default(), level: block.heading });
            }
            if let Some(section) = sections.last_mut() {
                section.totals.add(&block.totals());
            }
        }
        Self { records, sections, roots }
    }

    /// The records that contain an element: the innermost, and the one whose run has the most words.
    pub(super) fn records(&self, element: u32) -> (u32, u32) {
        self.records.get(element as usize).copied().unwrap_or((0, 0))
    }
}

impl Block {
    /// True for a paragraph of prose.
    pub(super) const fn is_prose(&self) -> bool {
        self.words >= 12 && self.link_words * 3 < self.words && self.heading == 0
    }

    /// The totals of this block alone.
    pub(super) fn totals(&self) -> Totals {
        let prose = self.is_prose();
        Totals {
            words: self.words,
            link_words: self.link_words,
            blocks: 1,
            paragraphs: u32::from(prose),
            paragraph_words: if prose { self.words } else { 0 },
            headings: u32::from(self.heading > 0),
        }
    }
}
