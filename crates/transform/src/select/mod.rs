//! CSS selectors over the tree: `includeTags`, `excludeTags` and the `attributes` format.
//!
//! The `selectors` crate, which browsers use, does the matching. [`element`] adapts our tree to it, [`steps`]
//! bounds its work, and [`index`] skips selectors that cannot match.

mod element;
mod index;
mod matcher;
mod parse;
mod steps;

use gleaner_types::plan::ScrapeOptionsPlan;

pub(crate) use index::Selectors;
pub(crate) use matcher::Matcher;
pub use parse::MAX_SELECTOR_BYTES;
pub use steps::SELECTOR_STEPS_PER_BYTE;
pub(crate) use steps::{STEPS_EXHAUSTED, Steps};

use crate::error::Error;
use crate::tree::{Edge, NodeId, Tree, Walk};
use crate::view::View;

/// The selectors of a request, parsed once for all its pages.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    include: Selectors,
    exclude: Selectors,
    /// The selectors of the format `attributes`, one for each entry.
    pub(crate) attributes: Vec<Selectors>,
}

impl Selection {
    /// Parses the selectors of options.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSelector`](crate::ErrorKind::InvalidSelector) with the first selector that cannot
    /// be parsed.
    pub fn of(options: &ScrapeOptionsPlan) -> Result<Self, Error> {
        let attributes = options.formats.attributes.iter();
        Ok(Self {
            include: Selectors::parse(&options.include_tags)?,
            exclude: Selectors::parse(&options.exclude_tags)?,
            attributes: attributes
                .map(|entry| Selectors::parse([&entry.selector]))
                .collect::<Result<_, _>>()?,
        })
    }

    /// The part of a page that `includeTags` and `excludeTags` select.
    pub(crate) fn view(&self, tree: &Tree, steps: &Steps<'_>) -> View {
        let mut view = View::whole(tree);
        if !self.include.is_empty() {
            view.roots = outermost(&self.include, tree, steps);
        }
        if !self.exclude.is_empty() {
            for node in outermost(&self.exclude, tree, steps) {
                view.hidden.insert(node);
            }
        }
        view
    }
}

/// The outermost matching elements, in document order.
fn outermost(selectors: &Selectors, tree: &Tree, steps: &Steps<'_>) -> Vec<NodeId> {
    let mut matcher = Matcher::new(selectors, tree, steps);
    let mut found = Vec::new();
    let mut walk = Walk::new(tree, NodeId::DOCUMENT);
    while let Some(edge) = walk.next() {
        if let Edge::Enter(node) = edge
            && tree.is_element(node)
            && matcher.matches(node)
        {
            found.push(node);
            walk.skip_children();
        }
    }
    found
}

#[cfg(test)]
mod tests;
