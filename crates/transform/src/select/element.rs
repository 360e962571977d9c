//! Adapts an element of our tree to the `selectors` crate.

use std::fmt;

use html5ever::{Namespace, ns};
use selectors::attr::{AttrSelectorOperation, AttrSelectorOperator, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::MatchingContext;
use selectors::matching::ElementSelectorFlags;
use selectors::{Element, OpaqueElement};

use super::parse::{Css, CssName, CssString, NoPseudo};
use super::steps::Steps;
use crate::names;
use crate::tree::{Attr, ElementNamespace, Kind, NodeId, Tree};

/// Upper bound on the bytes of a class that are matched.
const MAX_CLASS_BYTES: usize = 4_096;

/// The part of an element's class that is matched; empty without one. Every descendant may read it again, and
/// a class may be megabytes long.
pub(super) fn class_of(tree: &Tree, node: NodeId) -> &str {
    names::truncate(tree.attribute(node, Attr::Class).unwrap_or_default(), MAX_CLASS_BYTES)
}

/// The direction of a move to another element.
#[derive(Clone, Copy)]
enum Direction {
    /// To a child or a later sibling.
    Forward,
    /// To the parent or an earlier sibling.
    Backward,
}

/// An element of a tree. Moving to another element and reading an attribute cost steps. Without steps, both
/// return nothing.
#[derive(Clone, Copy)]
pub(super) struct ElementRef<'t> {
    pub(super) tree: &'t Tree,
    pub(super) node: NodeId,
    pub(super) steps: &'t Steps<'t>,
}

impl fmt::Debug for ElementRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tree.name(self.node))
    }
}

impl<'t> ElementRef<'t> {
    fn at(self, node: NodeId) -> Option<Self> {
        self.tree.is_element(node).then_some(Self { node, ..self })
    }

    /// The first element among some nodes.
    fn first(self, nodes: impl Iterator<Item = NodeId>, direction: Direction) -> Option<Self> {
        for node in nodes {
            let element = self.at(node);
            let has_steps = match (element, direction) {
                (None, _) => self.steps.spend(1),
                (Some(_), Direction::Forward) => self.steps.move_forward(),
                (Some(_), Direction::Backward) => self.steps.move_backward(),
            };
            if !has_steps {
                return None;
            }
            if element.is_some() {
                return element;
            }
        }
        None
    }

    fn namespace(self) -> Namespace {
        match self.tree.namespace(self.node) {
            ElementNamespace::Html => ns!(html),
            ElementNamespace::Math => ns!(mathml),
            ElementNamespace::Foreign => ns!(svg),
        }
    }
}

impl Element for ElementRef<'_> {
    type Impl = Css;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(self.tree.identity(self.node))
    }

    fn parent_element(&self) -> Option<Self> {
        self.first(self.tree.parent(self.node).into_iter(), Direction::Backward)
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        let tree = self.tree;
        let before =
            std::iter::successors(tree.previous_sibling(self.node), |node| tree.previous_sibling(*node));
        self.first(before, Direction::Backward)
    }

    fn next_sibling_element(&self) -> Option<Self> {
        let tree = self.tree;
        let behind = std::iter::successors(tree.next_sibling(self.node), |node| tree.next_sibling(*node));
        self.first(behind, Direction::Forward)
    }

    fn first_element_child(&self) -> Option<Self> {
        self.first(self.tree.children(self.node), Direction::Forward)
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.tree.namespace(self.node) == ElementNamespace::Html
    }

    fn has_local_name(&self, name: &CssName) -> bool {
        self.tree.name(self.node) == name.text()
    }

    fn has_namespace(&self, namespace: &Namespace) -> bool {
        self.namespace() == *namespace
    }

    fn is_same_type(&self, other: &Self) -> bool {
        self.tree.name(self.node) == other.tree.name(other.node) && self.namespace() == other.namespace()
    }

    fn attr_matches(
        &self,
        _: &NamespaceConstraint<&Namespace>,
        name: &CssName,
        operation: &AttrSelectorOperation<&CssString>,
    ) -> bool {
        self.tree.attributes(self.node).any(|(known, value)| {
            self.steps.spend(1)
                && known == name.text()
                && self.steps.spend_bytes(value.len())
                && value_matches(operation, value)
        })
    }

    fn match_non_ts_pseudo_class(&self, class: &NoPseudo, _: &mut MatchingContext<'_, Css>) -> bool {
        match *class {}
    }

    fn match_pseudo_element(&self, element: &NoPseudo, _: &mut MatchingContext<'_, Css>) -> bool {
        match *element {}
    }

    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        self.tree.has(self.node, Attr::Href)
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_id(&self, id: &CssName, case: CaseSensitivity) -> bool {
        let own = self.tree.attribute(self.node, Attr::Id);
        self.steps.spend(1) && own.is_some_and(|own| case.eq(id.text().as_bytes(), own.as_bytes()))
    }

    fn has_class(&self, name: &CssName, case: CaseSensitivity) -> bool {
        let class = class_of(self.tree, self.node);
        self.steps.spend_bytes(class.len())
            && class.split_ascii_whitespace().any(|own| case.eq(name.text().as_bytes(), own.as_bytes()))
    }

    fn has_custom_state(&self, _: &CssName) -> bool {
        false
    }

    fn imported_part(&self, _: &CssName) -> Option<CssName> {
        None
    }

    fn is_part(&self, _: &CssName) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        self.tree
            .children(self.node)
            .all(|child| self.tree.kind(child) == Kind::Text && self.tree.text(child).is_empty())
    }

    fn is_root(&self) -> bool {
        self.tree.parent(self.node) == Some(NodeId::DOCUMENT)
    }

    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }
}

/// True if the value of an attribute matches a selector.
fn value_matches(operation: &AttrSelectorOperation<&CssString>, value: &str) -> bool {
    match operation {
        // The `selectors` crate compares the whole needle at each byte of the value, which is quadratic.
        AttrSelectorOperation::WithValue {
            operator: AttrSelectorOperator::Substring,
            case_sensitivity: CaseSensitivity::AsciiCaseInsensitive,
            value: wanted,
        } => {
            let wanted: &str = wanted.as_ref();
            !wanted.is_empty() && value.to_ascii_lowercase().contains(&wanted.to_ascii_lowercase())
        }
        operation => operation.eval_str(value),
    }
}
