//! What the pages that were read so far leave open.

use std::collections::HashSet;

use gleaner_extract::{Cardinality, Leaf};

use super::answer::{field_name, with_any_row};
use super::reader::Reader;

impl Reader<'_> {
    /// Whether a field of the schema is empty on all pages. A list always counts, because there may be more
    /// rows.
    pub(super) fn is_incomplete(&self) -> bool {
        if self.plan().cardinality != Cardinality::One {
            return true;
        }
        let is_filled = |pointer: &str| {
            let fills =
                |leaf: &Leaf| leaf.pointer == pointer || leaf.pointer.starts_with(&format!("{pointer}/"));
            self.pages.iter().any(|page| page.result.extraction.leaves.iter().any(fills))
        };
        self.pages
            .iter()
            .flat_map(|page| &page.result.extraction.missing)
            .any(|missing| !is_filled(&missing.pointer))
    }

    /// The names of the fields that are empty on all pages.
    pub(super) fn missing_names(&self) -> Vec<String> {
        let pointer_of = |pointer: &str| field_name(&with_any_row(pointer));
        let leaves = self.pages.iter().flat_map(|page| &page.result.extraction.leaves);
        let filled: HashSet<String> = leaves.map(|leaf| pointer_of(&leaf.pointer)).collect();
        let mut seen = HashSet::new();
        let missing = self.pages.iter().flat_map(|page| &page.result.extraction.missing);
        let names = missing.map(|missing| pointer_of(&missing.pointer));
        let mut names: Vec<String> =
            names.filter(|name| !filled.contains(name) && seen.insert(name.clone())).collect();
        if self.plan().cardinality != Cardinality::One {
            names.push("further rows, if the page has not shown all".to_owned());
        }
        names
    }

    /// The values on all pages that were read.
    pub(super) fn value_count(&self) -> usize {
        self.pages.iter().map(|page| page.result.extraction.leaves.len()).sum()
    }
}
