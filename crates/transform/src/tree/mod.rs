//! One page as a tree in an arena: nodes in a vector, text in one string, links between nodes as indices.
//!
//! Everything the crate returns is read off this tree. Why an arena of our own and not a ready tree: it is `Send`, it
//! is dropped without recursion however deep the page is, its text is one allocation, attributes that nobody reads
//! are never stored, and what hides in `script`, `style` and `svg` costs no nodes.

mod attribute;
mod build;
mod reference;
mod sink;
mod tag;
mod tokenizer;
mod walk;

pub(crate) use attribute::Attr;
pub(crate) use build::{ParseOptions, parse, parse_within, prepare};
pub(crate) use reference::decode as decode_references;
pub(crate) use tag::Tag;
pub(crate) use tokenizer::{Content, RawAttribute, Token, Tokenizer};
pub(crate) use walk::{Edge, Walk};

use gleaner_types::Interrupt;
use html5ever::LocalName;

/// Index of a node; only valid in the tree it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// The document itself, the root of every tree.
    pub(crate) const DOCUMENT: Self = Self(0);

    /// The position in vectors that hold one entry for each node.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

const NONE: u32 = u32::MAX;

/// Bytes of text that count as one unit of work.
pub(crate) const UNIT_BYTES: usize = 64;

/// What the attributes of a page may add to its output beyond what it is long, in bytes.
pub(crate) const ATTRIBUTE_SPARE: usize = 65_536;

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The document.
    Document,
    /// An element.
    Element,
    /// Text; neighbours may both be text.
    Text,
}

/// Where an element's name belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    /// HTML.
    Html,
    /// MathML.
    Math,
    /// SVG or anything else.
    Foreign,
}

#[derive(Debug)]
struct Node {
    parent: u32,
    previous: u32,
    next: u32,
    first: u32,
    last: u32,
    /// Text: its range of `text`. Element: its range of `attributes`.
    start: u32,
    end: u32,
    name: LocalName,
    depth: u16,
    tag: Tag,
    kind: Kind,
    space: Space,
}

/// Stands for a node that is not in the tree.
static OUTSIDE: std::sync::LazyLock<Node> = std::sync::LazyLock::new(|| Node {
    parent: NONE,
    previous: NONE,
    next: NONE,
    first: NONE,
    last: NONE,
    start: 0,
    end: 0,
    name: LocalName::default(),
    depth: 0,
    tag: Tag::Other,
    kind: Kind::Text,
    space: Space::Html,
});

#[derive(Debug, Clone, Copy)]
struct Attribute {
    name: Attr,
    name_start: u32,
    name_end: u32,
    value_start: u32,
    value_end: u32,
}

/// A parsed page.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    attributes: Vec<Attribute>,
    text: String,
    /// The page had more nodes than allowed; of what came after there is only the text.
    pub(crate) truncated: bool,
    /// Ends the work on the tree: every way from node to node counts as a unit, and leads nowhere once it is raised. So
    /// every walk over the tree ends soon, whoever walks.
    interrupt: Interrupt,
}

impl Tree {
    fn with_capacity(bytes: usize, interrupt: &Interrupt) -> Self {
        let mut tree = Self {
            nodes: Vec::with_capacity(bytes / 40 + 16),
            attributes: Vec::with_capacity(bytes / 80 + 8),
            text: String::with_capacity(bytes / 3 + 64),
            truncated: false,
            interrupt: interrupt.clone(),
        };
        tree.push(Kind::Document, Tag::Other, Space::Html, LocalName::default(), 0..0);
        tree
    }

    fn push(
        &mut self,
        kind: Kind,
        tag: Tag,
        space: Space,
        name: LocalName,
        range: std::ops::Range<u32>,
    ) -> NodeId {
        self.interrupt.spend(1);
        let id = u32::try_from(self.nodes.len()).unwrap_or(NONE - 1);
        self.nodes.push(Node {
            parent: NONE,
            previous: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
            start: range.start,
            end: range.end,
            name,
            depth: 0,
            tag,
            kind,
            space,
        });
        NodeId(id)
    }

    fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    fn link(&self, id: NodeId, link: impl FnOnce(&Node) -> u32) -> Option<NodeId> {
        let target = self.node(id).map(link).filter(|target| *target != NONE)?;
        (!self.interrupt.spend(1)).then_some(NodeId(target))
    }

    /// What ends the work on the tree.
    pub(crate) const fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Counts the text of a text node that is about to be read.
    fn spend_text(&self, id: NodeId) {
        if let Some(node) = self.node(id).filter(|node| node.kind == Kind::Text) {
            self.interrupt.spend(node.end.saturating_sub(node.start) as usize / UNIT_BYTES);
        }
    }

    /// How many nodes there are; every index is below.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many bytes of attributes may be written out for this tree. Unclosed formatting elements are repeated in
    /// every block after them, their attributes with them: without a bound a long address would be repeated too.
    pub(crate) fn attribute_budget(&self) -> usize {
        self.text.len().saturating_mul(4).saturating_add(ATTRIBUTE_SPARE)
    }

    /// Something that is at one place in memory for one node, as long as the tree is not changed.
    pub(crate) fn identity(&self, id: NodeId) -> &impl Sized {
        self.node(id).unwrap_or(&OUTSIDE)
    }

    /// The parent; `None` for the document and for what is in no tree.
    pub(crate) fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.link(id, |node| node.parent)
    }

    /// The next sibling.
    pub(crate) fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        self.link(id, |node| node.next)
    }

    /// The previous sibling.
    pub(crate) fn previous_sibling(&self, id: NodeId) -> Option<NodeId> {
        self.link(id, |node| node.previous)
    }

    /// The first child.
    pub(crate) fn first_child(&self, id: NodeId) -> Option<NodeId> {
        self.link(id, |node| node.first)
    }

    /// All children, in order.
    pub(crate) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.first_child(id), |child| self.next_sibling(*child))
    }

    /// The element children, in order.
    pub(crate) fn elements(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(id).filter(|child| self.is_element(*child))
    }

    /// The parent, its parent and so on, the document last.
    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |parent| self.parent(*parent))
    }

    /// What the node is.
    pub(crate) fn kind(&self, id: NodeId) -> Kind {
        self.node(id).map_or(Kind::Text, |node| node.kind)
    }

    /// Is it an element?
    pub(crate) fn is_element(&self, id: NodeId) -> bool {
        self.kind(id) == Kind::Element
    }

    /// The tag of an HTML element; [`Tag::Other`] for all else, save `math` and `svg` themselves.
    pub(crate) fn tag(&self, id: NodeId) -> Tag {
        self.node(id).map_or(Tag::Other, |node| node.tag)
    }

    /// Where the element's name belongs.
    pub(crate) fn space(&self, id: NodeId) -> Space {
        self.node(id).map_or(Space::Html, |node| node.space)
    }

    /// The element's name; empty for what is no element.
    pub(crate) fn name(&self, id: NodeId) -> &str {
        self.node(id).map_or("", |node| &node.name)
    }

    /// The text of a text node; empty for all else.
    pub(crate) fn text(&self, id: NodeId) -> &str {
        match self.node(id) {
            Some(node) if node.kind == Kind::Text => self.slice(node.start, node.end),
            _ => "",
        }
    }

    fn slice(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    fn attribute_range(&self, id: NodeId) -> &[Attribute] {
        match self.node(id) {
            Some(node) if node.kind == Kind::Element => {
                self.attributes.get(node.start as usize..node.end as usize).unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// The value of an attribute.
    pub(crate) fn attribute(&self, id: NodeId, name: Attr) -> Option<&str> {
        let found = self.attribute_range(id).iter().find(|attribute| attribute.name == name)?;
        Some(self.slice(found.value_start, found.value_end))
    }

    /// Does the element have the attribute?
    pub(crate) fn has(&self, id: NodeId, name: Attr) -> bool {
        self.attribute_range(id).iter().any(|attribute| attribute.name == name)
    }

    /// All attributes, in their order.
    pub(crate) fn attributes(&self, id: NodeId) -> impl Iterator<Item = (&str, &str)> {
        self.attribute_range(id).iter().map(|attribute| {
            let name = match attribute.name {
                Attr::Other => self.slice(attribute.name_start, attribute.name_end),
                known => known.name(),
            };
            (name, self.slice(attribute.value_start, attribute.value_end))
        })
    }

    /// The attributes this crate has a name for, in their order.
    pub(crate) fn known_attributes(&self, id: NodeId) -> impl Iterator<Item = (Attr, &str)> {
        self.attribute_range(id)
            .iter()
            .map(|attribute| (attribute.name, self.slice(attribute.value_start, attribute.value_end)))
    }

    /// All elements of the page, in the order in which they were made; without a walk, which costs several times as much.
    pub(crate) fn made(&self) -> impl Iterator<Item = NodeId> + '_ {
        let made = self.nodes.iter().zip(0_u32..);
        made.filter(|(node, _)| node.kind == Kind::Element && node.parent != NONE)
            .map(|(_, number)| NodeId(number))
            .take_while(|_| !self.interrupt.spend(1))
    }

    /// All elements of a tag, in the order in which they were made; without a walk, so that rare ones are found cheaply.
    pub(crate) fn all(&self, tag: Tag) -> impl Iterator<Item = NodeId> + '_ {
        let made = self.nodes.iter().zip(0_u32..);
        // To pass over a node costs next to nothing.
        self.interrupt.spend(self.nodes.len() / UNIT_BYTES);
        made.filter(move |(node, _)| node.tag == tag && node.kind == Kind::Element && node.parent != NONE)
            .map(|(_, number)| NodeId(number))
            .take_while(|_| !self.interrupt.spend(1))
    }

    /// All text below a node as it stands in the source, what readers do not see left out.
    pub(crate) fn text_content(&self, id: NodeId) -> String {
        let mut out = String::new();
        let mut walk = Walk::new(self, id);
        while let Some(edge) = walk.next() {
            if let Edge::Enter(node) = edge {
                if self.tag(node).is_invisible() && node != id {
                    walk.skip_children();
                } else {
                    out.push_str(self.text(node));
                }
            }
        }
        out
    }

    /// Text of a node with white space folded, at most about `limit` bytes.
    pub(crate) fn folded_text(&self, id: NodeId, limit: usize) -> String {
        let mut out = String::new();
        let mut walk = Walk::new(self, id);
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(node) if self.tag(node).is_invisible() && node != id => walk.skip_children(),
                Edge::Enter(node) if self.kind(node) == Kind::Text => {
                    for (index, word) in self.text(node).split_ascii_whitespace().enumerate() {
                        let glued =
                            index == 0 && !self.text(node).starts_with(|c: char| c.is_ascii_whitespace());
                        if !glued && !out.is_empty() && !out.ends_with(' ') {
                            out.push(' ');
                        }
                        out.push_str(word);
                    }
                    if self.text(node).ends_with(|c: char| c.is_ascii_whitespace())
                        && !out.is_empty()
                        && !out.ends_with(' ')
                    {
                        out.push(' ');
                    }
                    if out.len() > limit {
                        break;
                    }
                }
                Edge::Enter(node) | Edge::Leave(node)
                    if (self.tag(node).is_block() || self.tag(node) == Tag::Br)
                        && !out.is_empty()
                        && !out.ends_with(' ') =>
                {
                    out.push(' ');
                }
                _ => {}
            }
        }
        out.truncate(out.trim_end().len());
        out
    }

    /// The first element of a tag, in document order.
    pub(crate) fn find(&self, tag: Tag) -> Option<NodeId> {
        let walk = Walk::new(self, NodeId::DOCUMENT);
        for edge in walk {
            match edge {
                Edge::Enter(node) if self.tag(node) == tag => return Some(node),
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(html: &str) -> Tree {
        parse(html, ParseOptions::default())
    }

    #[test]
    fn a_page_becomes_a_tree() {
        let tree = tree("<title>T &amp; t</title><p id=a class=b>One <b>two</b> three<p>Four");
        let paragraph = tree.find(Tag::P).unwrap();
        assert_eq!(tree.attribute(paragraph, Attr::Id), Some("a"));
        assert_eq!(tree.text_content(paragraph), "One two three");
        let title = tree.find(Tag::Title).unwrap();
        assert_eq!(tree.text_content(title), "T & t");
        let body = tree.find(Tag::Body).unwrap();
        assert_eq!(tree.elements(body).count(), 2);
    }

    #[test]
    fn the_tree_can_be_sent_between_threads() {
        fn send<T: Send + Sync>() {}
        send::<Tree>();
    }

    #[test]
    fn scripts_styles_and_drawings_cost_no_nodes() {
        let tree =
            tree("<style>a{}</style><script>var x</script><svg><path d=m /><g><text>x</text></g></svg><p>y");
        let body = tree.find(Tag::Html).unwrap();
        assert_eq!(tree.text_content(body), "y");
        assert!(tree.len() < 12, "{}", tree.len());
    }

    #[test]
    fn folded_text_puts_a_space_between_blocks() {
        let tree = tree("<div><p>a\n b</p><p>c</p>d<b>e</b></div>");
        let body = tree.find(Tag::Body).unwrap();
        assert_eq!(tree.folded_text(body, 100), "a b c de");
    }
}
