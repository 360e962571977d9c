//! CSS selectors over the tree: `includeTags`, `excludeTags` and the `attributes` format.
//!
//! The matching is that of the `selectors` crate, which browsers use; this file only tells it about our tree.

use std::cell::Cell;
use std::fmt;

use cssparser::{ParseError, ToCss};
use html5ever::{LocalName, Namespace, ns};
use precomputed_hash::PrecomputedHash;
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::{ElementSelectorFlags, matches_selector};
use selectors::parser::{ParseRelative, SelectorList, SelectorParseErrorKind};
use selectors::{Element, OpaqueElement, SelectorImpl};

use crate::error::{Error, ErrorKind};
use crate::names;
use crate::tree::{Attr, Edge, Kind, NodeId, Space, Tree, Walk};
use crate::view::{NodeSet, View};

/// A selector longer than this is refused.
pub const MAX_SELECTOR_BYTES: usize = 2_000;

/// Matching takes at most so many steps from element to element for each node of a page. `i ~ b` looks at all siblings
/// before each element, which on a page of siblings is the square of their number; beyond the bound nothing matches any
/// more, and the page's warning says so. Pages that people make stay far below.
pub const SELECTOR_STEPS_PER_NODE: usize = 256;

/// Steps that any page has, however small.
const LEAST_STEPS: usize = 1_000_000;

/// So many bytes of a class are matched.
const MAX_CLASS_BYTES: usize = 4_096;

/// The warning where the bound was met.
pub(crate) const GIVEN_UP: &str = "A selector of the request takes too many steps on this page: what it matches was only looked for in the page's first part.";

#[derive(Debug, Clone, PartialEq, Eq)]
struct Css;

/// A string of a selector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct CssString(String);

impl From<&str> for CssString {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl AsRef<str> for CssString {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl ToCss for CssString {
    fn to_css<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        cssparser::serialize_string(&self.0, out)
    }
}

/// A name of a selector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct CssName(LocalName);

impl From<&str> for CssName {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl ToCss for CssName {
    fn to_css<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        cssparser::serialize_identifier(&self.0, out)
    }
}

impl PrecomputedHash for CssName {
    fn precomputed_hash(&self) -> u32 {
        self.0.precomputed_hash()
    }
}

/// Pseudo-classes that depend on a browser: none.
#[derive(Debug, Clone, PartialEq, Eq)]
enum NoPseudo {}

impl ToCss for NoPseudo {
    fn to_css<W: fmt::Write>(&self, _: &mut W) -> fmt::Result {
        match *self {}
    }
}

impl selectors::parser::NonTSPseudoClass for NoPseudo {
    fn is_active_or_hover(&self) -> bool {
        match *self {}
    }

    fn is_user_action_state(&self) -> bool {
        match *self {}
    }
}

impl selectors::parser::PseudoElement for NoPseudo {}

impl SelectorImpl for Css {
    type ExtraMatchingData<'a> = ();
    type AttrValue = CssString;
    type Identifier = CssName;
    type LocalName = CssName;
    type NamespaceUrl = Namespace;
    type NamespacePrefix = CssName;
    type BorrowedNamespaceUrl = Namespace;
    type BorrowedLocalName = CssName;
    type NonTSPseudoClass = NoPseudo;
    type PseudoElement = NoPseudo;
}

struct CssParser;

impl<'i> selectors::Parser<'i> for CssParser {
    type Impl = Css;
    type Error = SelectorParseErrorKind;

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }

    fn parse_nth_child_of(&self) -> bool {
        true
    }
}

/// Some selectors; an element matches where any of them does.
#[derive(Debug, Clone)]
pub(crate) struct Selectors {
    lists: Vec<SelectorList<Css>>,
}

impl Selectors {
    /// Parses all, or names the first that cannot be.
    pub(crate) fn parse(selectors: &[String]) -> Result<Self, Error> {
        let lists = selectors.iter().map(|selector| one(selector)).collect::<Result<_, _>>()?;
        Ok(Self { lists })
    }

    /// Asks about the elements of a tree.
    pub(crate) fn matcher<'s>(&'s self, tree: &'s Tree) -> Matcher<'s> {
        let steps = tree.len().saturating_mul(SELECTOR_STEPS_PER_NODE).max(LEAST_STEPS);
        Matcher { lists: &self.lists, tree, caches: SelectorCaches::default(), steps: Cell::new(steps) }
    }

    /// The outermost elements that match, in document order, and whether the matching was given up.
    pub(crate) fn outermost(&self, tree: &Tree) -> (Vec<NodeId>, bool) {
        let mut matcher = self.matcher(tree);
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
        (found, matcher.is_given_up())
    }

    /// Adds the elements that match to a set; true where the matching was given up.
    pub(crate) fn mark(&self, tree: &Tree, set: &mut NodeSet) -> bool {
        let (found, given_up) = self.outermost(tree);
        for node in found {
            set.insert(node);
        }
        given_up
    }
}

fn one(selector: &str) -> Result<SelectorList<Css>, Error> {
    let refused = |reason: String| {
        Error::from(ErrorKind::InvalidSelector { selector: selector.chars().take(200).collect(), reason })
    };
    if selector.len() > MAX_SELECTOR_BYTES {
        return Err(refused(format!(
            "it has {} bytes, at most {MAX_SELECTOR_BYTES} are allowed",
            selector.len()
        )));
    }
    let mut parser = cssparser::Parser::new(selector);
    SelectorList::parse(&CssParser, &mut parser, ParseRelative::No).map_err(|error| {
        let at = parser.position().byte_index();
        refused(reason(&error, selector, at))
    })
}

fn reason(error: &ParseError<SelectorParseErrorKind>, selector: &str, at: usize) -> String {
    match &error.kind {
        cssparser::ParseErrorKind::Custom(SelectorParseErrorKind::EmptySelector) => "it is empty".to_owned(),
        cssparser::ParseErrorKind::Custom(SelectorParseErrorKind::UnsupportedPseudoClassOrElement) => {
            "it holds a pseudo-class or pseudo-element that needs a browser".to_owned()
        }
        _ => match selector.get(..at) {
            Some(read) if at < selector.len() => format!("it cannot be read beyond `{read}`"),
            _ => "it ends too early, or its end cannot be read".to_owned(),
        },
    }
}

/// Matches elements of one tree.
pub(crate) struct Matcher<'s> {
    lists: &'s [SelectorList<Css>],
    tree: &'s Tree,
    caches: SelectorCaches,
    /// Steps that are left; see [`SELECTOR_STEPS_PER_NODE`].
    steps: Cell<usize>,
}

impl Matcher<'_> {
    /// Was the bound on steps met? From then on nothing matches.
    pub(crate) fn is_given_up(&self) -> bool {
        self.steps.get() == 0
    }

    /// Does any selector match the element?
    pub(crate) fn matches(&mut self, node: NodeId) -> bool {
        if self.is_given_up() {
            return false;
        }
        let element = Ref { tree: self.tree, node, steps: &self.steps };
        let mut context = MatchingContext::new(
            MatchingMode::Normal,
            None,
            &mut self.caches,
            QuirksMode::NoQuirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        let matches = self
            .lists
            .iter()
            .flat_map(SelectorList::slice)
            .any(|selector| matches_selector(selector, 0, None, element, &mut context));
        // What was given up half-way may have matched for want of steps (`:not(a ~ b)`).
        matches && self.steps.get() > 0
    }
}

/// An element of a tree, as the matching sees it.
#[derive(Clone, Copy)]
struct Ref<'t> {
    tree: &'t Tree,
    node: NodeId,
    steps: &'t Cell<usize>,
}

impl fmt::Debug for Ref<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tree.name(self.node))
    }
}

impl<'t> Ref<'t> {
    fn at(self, node: NodeId) -> Option<Self> {
        self.tree.is_element(node).then_some(Self { node, ..self })
    }

    /// The first element among nodes; each node that is looked at is a step, and where none is left there is none.
    fn first(self, nodes: impl Iterator<Item = NodeId>) -> Option<Self> {
        for node in nodes {
            let left = self.steps.get().checked_sub(1)?;
            self.steps.set(left);
            if let Some(element) = self.at(node) {
                return Some(element);
            }
        }
        None
    }

    fn namespace(self) -> Namespace {
        match self.tree.space(self.node) {
            Space::Html => ns!(html),
            Space::Math => ns!(mathml),
            Space::Foreign => ns!(svg),
        }
    }
}

impl Element for Ref<'_> {
    type Impl = Css;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(self.tree.identity(self.node))
    }

    fn parent_element(&self) -> Option<Self> {
        self.first(self.tree.parent(self.node).into_iter())
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
        self.first(std::iter::successors(tree.previous_sibling(self.node), |node| {
            tree.previous_sibling(*node)
        }))
    }

    fn next_sibling_element(&self) -> Option<Self> {
        let tree = self.tree;
        self.first(std::iter::successors(tree.next_sibling(self.node), |node| tree.next_sibling(*node)))
    }

    fn first_element_child(&self) -> Option<Self> {
        self.first(self.tree.children(self.node))
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.tree.space(self.node) == Space::Html
    }

    fn has_local_name(&self, name: &CssName) -> bool {
        self.tree.name(self.node) == &*name.0
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
        self.tree.attributes(self.node).any(|(known, value)| known == &*name.0 && operation.eval_str(value))
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
        self.tree.attribute(self.node, Attr::Id).is_some_and(|own| case.eq(id.0.as_bytes(), own.as_bytes()))
    }

    fn has_class(&self, name: &CssName, case: CaseSensitivity) -> bool {
        self.tree.attribute(self.node, Attr::Class).is_some_and(|class| {
            // Asked again for each element within, so that a class of megabytes would be read as often.
            let class = names::start_of(class, MAX_CLASS_BYTES);
            class.split_ascii_whitespace().any(|own| case.eq(name.0.as_bytes(), own.as_bytes()))
        })
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

/// What a request's tags leave of a page, and whether a selector was given up.
pub(crate) fn view(tree: &Tree, include: &Selectors, exclude: &Selectors) -> (View, bool) {
    let mut view = View::whole(tree);
    let mut given_up = false;
    if !include.lists.is_empty() {
        (view.roots, given_up) = include.outermost(tree);
    }
    if !exclude.lists.is_empty() {
        given_up |= exclude.mark(tree, &mut view.hidden);
    }
    (view, given_up)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    const PAGE: &str =
        "<main id=m><p class='a b'>1</p><p class=b data-x=7>2</p><ul><li>3<li>4<li>5</ul></main><p>6</p>";

    fn found(selector: &str) -> String {
        let tree = parse(PAGE, ParseOptions { all_attributes: true, ..ParseOptions::default() });
        let selectors = Selectors::parse(&[selector.to_owned()]).unwrap();
        let texts: Vec<_> =
            selectors.outermost(&tree).0.into_iter().map(|node| tree.folded_text(node, 100)).collect();
        texts.join("|")
    }

    #[test]
    fn selectors_match_as_in_browsers() {
        let rows = [
            ("p", "1|2|6"),
            ("P", "1|2|6"),
            ("#m > p.b", "1|2"),
            (".a.b", "1"),
            ("[data-x]", "2"),
            ("[data-x='7'], li:last-child", "2|5"),
            ("li:nth-child(2n+1)", "3|5"),
            ("p + ul li:not(:first-child)", "4|5"),
            ("main:has(ul)", "1 2 3 4 5"),
            ("body > p", "6"),
            ("nothing", ""),
        ];
        for (selector, expected) in rows {
            assert_eq!(found(selector), expected, "{selector}");
        }
    }

    #[test]
    fn bad_selectors_are_named() {
        for selector in ["", "p >", "p:hover", "<b>", "a[", "::before"] {
            let error = Selectors::parse(&[selector.to_owned()]).unwrap_err();
            assert!(
                error.is_request() && error.to_string().contains(&format!("`{selector}`")),
                "{selector}: {error}"
            );
        }
    }

    #[test]
    fn siblings_do_not_multiply() {
        let html = format!("<div>{}</div>", "<b>x</b>".repeat(20_000));
        let tree = parse(&html, ParseOptions { all_attributes: true, ..ParseOptions::default() });
        for selector in ["i ~ b", "b:not(i ~ b)", "div:has(b ~ i)", "b:nth-last-child(2n + 1 of i ~ b)"] {
            let selectors = Selectors::parse(&[selector.to_owned()]).unwrap();
            let matcher = selectors.matcher(&tree);
            let most = matcher.steps.get();
            assert!(most <= SELECTOR_STEPS_PER_NODE * tree.len(), "linear");
            assert!(selectors.outermost(&tree).0.len() <= 20_000, "{selector}");
        }
        let selectors = Selectors::parse(&["i ~ b".to_owned()]).unwrap();
        assert_eq!(selectors.outermost(&tree), (Vec::new(), true), "given up, and said so");
        let selectors = Selectors::parse(&["i + b, div > b:first-child".to_owned()]).unwrap();
        let (found, given_up) = selectors.outermost(&tree);
        assert_eq!((found.len(), given_up), (1, false));
    }
}
