//! Features of repetition: how often the text and the markup of a segment recur.

use hashbrown::HashMap;

use super::{Described, Features, flag, scaled};
use crate::segment::outline::Repetition;
use crate::segment::view::View;

/// How often the page has each text.
#[derive(Debug)]
pub(super) struct Repeats {
    /// By the hash of the words.
    counts: HashMap<u64, usize>,
}

impl Repeats {
    pub(super) fn read(described: &[Described]) -> Self {
        let mut counts = HashMap::with_capacity(described.len());
        for found in described.iter().filter(|found| found.draft.range.is_some()) {
            *counts.entry(found.wording.hash).or_default() += 1;
        }
        Self { counts }
    }
}

/// How often its text and its markup repeat.
pub(super) fn write(view: &View<'_, '_>, repeats: &Repeats, found: &Described, to: &mut Features) {
    to.text_repeats = scaled(repeats.counts.get(&found.wording.hash).copied().unwrap_or_default());
    let facts = view.outline.facts(found.draft.node);
    let path = view.outline.path(&facts);
    to.path_count = scaled(path.count);
    to.path_nth = scaled(path.nth);
    to.path_after_heading = flag(path.count > 1 && path.first >= view.heading_start());
    let Repetition { nth, count, .. } = view.outline.record(view.tree, found.draft.node);
    to.record_count = scaled(count);
    to.record_nth = scaled(nth);
}
