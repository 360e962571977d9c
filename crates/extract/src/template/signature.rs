//! Sketches the structure of a page, to measure how similar two pages are.

use std::collections::BTreeSet;
use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;

use crate::evidence::Evidence;
use crate::plan::to_f64;

/// Upper bound on the hashes of a page.
const MAX_HASHES: usize = 96;

/// The structure of a page: the smallest hashes of its elements with their classes and parents (a bottom-k
/// sketch, Broder 1997).
///
/// Repetition does not matter, so pages with three rows and with thirty rows have the same structure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Signature(Vec<u64>);

impl Signature {
    pub(super) fn of(evidence: &Evidence<'_>) -> Self {
        let tree = &evidence.tree;
        let mut smallest: BTreeSet<u64> = BTreeSet::new();
        for node in tree.nodes() {
            if tree.name(node).is_empty()
                || tree.is(node, &["script", "style", "br", "b", "i", "em", "strong"])
            {
                continue;
            }
            let mut hasher = SipHasher13::new();
            for around in std::iter::once(node).chain(tree.parent(node)) {
                hasher.write(tree.name(around).to_ascii_lowercase().as_bytes());
                let class = tree.attribute(around, "class").unwrap_or_default();
                hasher.write(class.split_whitespace().next().unwrap_or_default().as_bytes());
                hasher.write_u8(0);
            }
            smallest.insert(hasher.finish());
            if smallest.len() > MAX_HASHES {
                smallest.pop_last();
            }
        }
        Self(smallest.into_iter().collect())
    }

    /// The estimated share of structure that two pages have in common, 0 to 1.
    pub(super) fn similarity(&self, other: &Self) -> f64 {
        let own: BTreeSet<u64> = self.0.iter().copied().collect();
        let their: BTreeSet<u64> = other.0.iter().copied().collect();
        let union: Vec<u64> = own.union(&their).copied().take(MAX_HASHES).collect();
        let shared = union.iter().filter(|hash| own.contains(hash) && their.contains(hash)).count();
        if union.is_empty() { 1.0 } else { to_f64(shared) / to_f64(union.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    #[test]
    fn pages_of_one_template_are_similar() {
        let sketch = |html: &str| {
            let page = Page::new("https://x.example/".parse().unwrap(), html);
            Signature::of(&Evidence::read(&page))
        };
        let list = |rows: usize| {
            sketch(&format!("<main class=a><h1>x</h1><ul>{}</ul></main>", "<li class=r>y".repeat(rows)))
        };
        assert!(list(3).similarity(&list(300)) > 0.99);
        assert!(list(3).similarity(&sketch("<div><table><tr><td>x</table></div>")) < 0.2);
    }
}
