//! CSS selectors over the tree: `includeTags`, `excludeTags` and the `attributes` format.
//!
//! The matching is that of the `selectors` crate, which browsers use. It is told about our tree ([`element`]) and pays for
//! every look ([`steps`]); selectors that cannot match are not tried ([`index`]).

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

/// The selectors of a request, read once for all of its pages.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    include: Selectors,
    exclude: Selectors,
    /// Those of the format `attributes`, one for each entry.
    pub(crate) attributes: Vec<Selectors>,
}

impl Selection {
    /// The selectors of these options.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSelector`](crate::ErrorKind::InvalidSelector), naming the first that cannot be read.
    pub fn of(options: &ScrapeOptionsPlan) -> Result<Self, Error> {
        let asked = options.formats.attributes.iter();
        Ok(Self {
            include: Selectors::parse(&options.include_tags)?,
            exclude: Selectors::parse(&options.exclude_tags)?,
            attributes: asked.map(|asked| Selectors::parse([&asked.selector])).collect::<Result<_, _>>()?,
        })
    }

    /// What the tags leave of a page.
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

/// The outermost elements that match, in document order.
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
