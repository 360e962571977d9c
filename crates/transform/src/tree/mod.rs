//! A parsed page as a tree in an arena: nodes in a vector, text in one string, links between nodes as
//! indices.
//!
//! All results of the crate are read from this tree. Reasons for our own arena instead of an existing DOM: it
//! is `Send`, it is dropped without recursion at any depth, its text is one allocation, unused attributes are
//! never stored, and the content of `script` and `style` and most of that of `svg` takes no nodes.

mod attribute;
mod build;
mod link_tags;
mod normalize;
mod reference;
mod sink;
mod slots;
mod tag;
mod text;
mod tokenizer;
mod walk;

pub(crate) use attribute::{Attr, is_shadow_mode};
pub(crate) use build::{ParseOptions, parse, parse_within};
pub(crate) use link_tags::{Attributes, LONGEST_NAME, LinkTags};
pub(crate) use normalize::prepare;
pub(crate) use reference::decode as decode_references;
pub(crate) use tag::Tag;
pub(crate) use tokenizer::{ContentModel, RawAttribute, Token, Tokenizer};
pub(crate) use walk::{Edge, Walk};

use gleaner_types::Interrupt;
use html5ever::LocalName;

/// Index of a node, valid only in its own tree. The default is the document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// The document itself, the root of every tree.
    pub(crate) const DOCUMENT: Self = Self(0);

    /// The index in vectors with one entry per node.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

const NONE: u32 = u32::MAX;

/// Bytes of text that cost one unit of work.
pub(crate) const TEXT_BYTES_PER_UNIT: usize = 64;

/// Bytes of attributes that the output of any page may have, however short the page is.
pub(crate) const BASE_ATTRIBUTE_BYTES: usize = 65_536;

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The document.
    Document,
    /// An element.
    Element,
    /// Text; adjacent siblings may both be text.
    Text,
}

/// The namespace of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementNamespace {
    /// HTML.
    Html,
    /// MathML.
    Math,
    /// SVG or anything else.
    Foreign,
}

/// The kind of a node and the namespace of an element, in one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PackedKind {
    Document,
    Text,
    Element(ElementNamespace),
}

/// A node takes 28 bytes. A page of short tags has one node for every two or three bytes, so every field
/// counts.
#[derive(Debug)]
struct Node {
    parent: u32,
    previous: u32,
    next: u32,
    /// The first child; of a text node, its start in [`Tree::text`].
    first: u32,
    /// The last child; of a text node, its end.
    last: u32,
    /// The index in [`Tree::extras`], or [`NONE`].
    extra: u32,
    depth: u16,
    tag: Tag,
    kind: PackedKind,
}

impl Node {
    const fn is_element(&self) -> bool {
        matches!(self.kind, PackedKind::Element(_))
    }
}

/// Stands in for a node that is not in the tree.
static ABSENT_NODE: Node = Node {
    parent: NONE,
    previous: NONE,
    next: NONE,
    first: 0,
    last: 0,
    extra: NONE,
    depth: 0,
    tag: Tag::Other,
    kind: PackedKind::Text,
};

/// The data that only some elements have: attributes, and a name without a [`Tag`].
#[derive(Debug)]
struct Extra {
    /// The range in [`Tree::attributes`].
    start: u32,
    end: u32,
    /// Empty if the tag gives the name.
    name: LocalName,
}

/// An attribute. The name of an [`Attr::Other`] is right before its value in [`Tree::text`].
#[derive(Debug, Clone, Copy)]
struct Attribute {
    name: Attr,
    name_start: u32,
    value_start: u32,
    value_end: u32,
}

/// Bytes that a name outside its atom takes besides its letters.
const NAME_OVERHEAD_BYTES: usize = 64;

/// A name of at most this many bytes is stored in its atom.
const INLINE_NAME_BYTES: usize = 7;

/// A parsed page.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    attributes: Vec<Attribute>,
    extras: Vec<Extra>,
    text: String,
    /// Bytes of names that are stored outside [`Self::extras`].
    name_bytes: usize,
    /// The last of these names.
    last_long_name: LocalName,
    /// Bytes that the page may take: the tree and everything made from it.
    memory: usize,
    /// The tags with links.
    pub(crate) link_tags: LinkTags,
    /// The page has more nodes or bytes than allowed; the rest is stored as text only.
    pub(crate) truncated: bool,
    /// The tree builder added more formatting elements than allowed; later formatting is ignored.
    pub(crate) formatting_stopped: bool,
    /// Ends the work on the tree. Every move from node to node costs a unit, and leads nowhere once the
    /// interrupt is raised. So every walk over the tree ends soon.
    interrupt: Interrupt,
}

impl Tree {
    fn with_capacity(bytes: usize, memory: usize, interrupt: &Interrupt) -> Self {
        let mut tree = Self {
            nodes: Vec::with_capacity(bytes / 40 + 16),
            attributes: Vec::with_capacity(bytes / 80 + 8),
            extras: Vec::with_capacity(bytes / 160 + 8),
            text: String::with_capacity(bytes / 3 + 64),
            name_bytes: 0,
            last_long_name: LocalName::default(),
            memory,
            link_tags: LinkTags::default(),
            truncated: false,
            formatting_stopped: false,
            interrupt: interrupt.clone(),
        };
        tree.push(PackedKind::Document, Tag::Other, NONE);
        tree
    }

    fn push(&mut self, kind: PackedKind, tag: Tag, extra: u32) -> NodeId {
        self.interrupt.spend(1);
        let id = u32::try_from(self.nodes.len()).unwrap_or(NONE - 1);
        self.nodes.push(Node {
            parent: NONE,
            previous: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
            extra,
            depth: 0,
            tag,
            kind,
        });
        NodeId(id)
    }

    fn push_text(&mut self, start: u32, end: u32) -> NodeId {
        let id = self.push(PackedKind::Text, Tag::Other, NONE);
        if let Some(node) = self.nodes.get_mut(id.index()) {
            (node.first, node.last) = (start, end);
        }
        id
    }

    /// Stores a range of attributes, and returns the index of its entry.
    fn push_extra(&mut self, start: u32, end: u32, name: LocalName) -> u32 {
        let number = u32::try_from(self.extras.len()).unwrap_or(NONE);
        self.extras.push(Extra { start, end, name });
        number
    }

    /// Stores the name of an element without a [`Tag`], in its entry or in a new one. Elements that share an
    /// entry come from equal tags and have the same name.
    fn name_extra(&mut self, extra: u32, name: LocalName) -> u32 {
        // Equal names share their letters.
        if name.len() > INLINE_NAME_BYTES && self.last_long_name != name {
            self.name_bytes += name.len() + NAME_OVERHEAD_BYTES;
            self.last_long_name = name.clone();
        }
        match self.extras.get_mut(extra as usize) {
            Some(entry) => {
                entry.name = name;
                extra
            }
            None => self.push_extra(0, 0, name),
        }
    }

    /// Bytes that the page may take: the tree and everything made from it.
    pub(crate) const fn memory(&self) -> usize {
        self.memory
    }

    /// Bytes that the tree takes, without spare capacity.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>()
            + self.attributes.len() * size_of::<Attribute>()
            + self.extras.len() * size_of::<Extra>()
            + self.text.len()
            + self.name_bytes
            + self.link_tags.bytes()
    }

    /// Bytes that everything made from the tree may take: the memory that the tree leaves, and at least a
    /// quarter of all.
    pub(crate) fn memory_left(&self) -> usize {
        self.memory.saturating_sub(self.bytes()).max(self.memory / 4)
    }

    /// Upper bound on the Markdown of the page, in bytes. It is copied once before the HTML is written.
    pub(crate) fn max_markdown_bytes(&self) -> usize {
        self.memory_left() / 2
    }

    /// Upper bound on the HTML of the page or on the values of its attributes, in bytes. The Markdown is in
    /// memory too.
    pub(crate) fn max_html_bytes(&self) -> usize {
        self.memory_left() / 3
    }

    fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    fn follow(&self, id: NodeId, link: impl FnOnce(&Node) -> u32) -> Option<NodeId> {
        let target = self.node(id).map(link).filter(|target| *target != NONE)?;
        (!self.interrupt.spend(1)).then_some(NodeId(target))
    }

    /// The interrupt that ends the work on the tree.
    pub(crate) const fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Spends the work of reading a text node.
    fn spend_text(&self, id: NodeId) {
        if let Some(node) = self.node(id).filter(|node| node.kind == PackedKind::Text) {
            self.interrupt.spend(node.last.saturating_sub(node.first) as usize / TEXT_BYTES_PER_UNIT);
        }
    }

    /// The number of nodes; every index is lower.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Upper bound on the bytes of attributes in an output. The parser repeats unclosed formatting elements,
    /// with their attributes, in every later block: without a bound a long URL would be repeated too.
    pub(crate) fn attribute_budget(&self) -> usize {
        self.text.len().saturating_mul(4).saturating_add(BASE_ATTRIBUTE_BYTES)
    }

    /// A reference whose address identifies the node while the tree is unchanged.
    pub(crate) fn identity(&self, id: NodeId) -> &impl Sized {
        self.node(id).unwrap_or(&ABSENT_NODE)
    }

    /// The parent; `None` for the document and for detached nodes.
    pub(crate) fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.follow(id, |node| node.parent)
    }

    /// The next sibling.
    pub(crate) fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        self.follow(id, |node| node.next)
    }

    /// The previous sibling.
    pub(crate) fn previous_sibling(&self, id: NodeId) -> Option<NodeId> {
        self.follow(id, |node| node.previous)
    }

    /// The first child.
    pub(crate) fn first_child(&self, id: NodeId) -> Option<NodeId> {
        self.follow(id, |node| if node.kind == PackedKind::Text { NONE } else { node.first })
    }

    /// The children, in order.
    pub(crate) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.first_child(id), |child| self.next_sibling(*child))
    }

    /// The element children, in order.
    pub(crate) fn child_elements(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(id).filter(|child| self.is_element(*child))
    }

    /// The ancestors from the parent to the document.
    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |parent| self.parent(*parent))
    }

    /// The kind of a node.
    pub(crate) fn kind(&self, id: NodeId) -> Kind {
        self.node(id).map_or(Kind::Text, |node| match node.kind {
            PackedKind::Document => Kind::Document,
            PackedKind::Text => Kind::Text,
            PackedKind::Element(_) => Kind::Element,
        })
    }

    /// True for an element.
    pub(crate) fn is_element(&self, id: NodeId) -> bool {
        self.node(id).is_some_and(Node::is_element)
    }

    /// The tag of an HTML element, or of the elements `math` and `svg`; [`Tag::Other`] for all other nodes.
    pub(crate) fn tag(&self, id: NodeId) -> Tag {
        self.node(id).map_or(Tag::Other, |node| node.tag)
    }

    /// The namespace of an element.
    pub(crate) fn namespace(&self, id: NodeId) -> ElementNamespace {
        match self.node(id).map(|node| node.kind) {
            Some(PackedKind::Element(space)) => space,
            _ => ElementNamespace::Html,
        }
    }

    /// The name of an element; empty for other nodes.
    pub(crate) fn name(&self, id: NodeId) -> &str {
        match self.node(id) {
            Some(node) if node.tag != Tag::Other => node.tag.name(),
            Some(node) => self.extras.get(node.extra as usize).map_or("", |extra| &extra.name),
            None => "",
        }
    }

    /// The text of a text node; empty for other nodes.
    pub(crate) fn text(&self, id: NodeId) -> &str {
        match self.node(id) {
            Some(node) if node.kind == PackedKind::Text => self.slice(node.first, node.last),
            _ => "",
        }
    }

    fn slice(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    fn attribute_range(&self, id: NodeId) -> &[Attribute] {
        let extra = self.node(id).and_then(|node| self.extras.get(node.extra as usize));
        let range = extra.map(|extra| extra.start as usize..extra.end as usize);
        range.and_then(|range| self.attributes.get(range)).unwrap_or_default()
    }

    /// The value of an attribute.
    pub(crate) fn attribute(&self, id: NodeId, name: Attr) -> Option<&str> {
        let found = self.attribute_range(id).iter().find(|attribute| attribute.name == name)?;
        Some(self.slice(found.value_start, found.value_end))
    }

    /// True if the element has the attribute.
    pub(crate) fn has(&self, id: NodeId, name: Attr) -> bool {
        self.attribute_range(id).iter().any(|attribute| attribute.name == name)
    }

    /// True for a `template` that holds a declarative shadow tree: a browser shows it in place of the
    /// children of its parent.
    pub(crate) fn is_shadow_root(&self, id: NodeId) -> bool {
        self.tag(id) == Tag::Template && self.attribute(id, Attr::Shadowrootmode).is_some_and(is_shadow_mode)
    }

    /// True for an element whose text browsers never show: by its kind, or a template.
    pub(crate) fn is_unshown(&self, id: NodeId) -> bool {
        let tag = self.tag(id);
        tag.is_invisible() || (tag == Tag::Template && !self.is_shadow_root(id))
    }

    /// All attributes, in order.
    pub(crate) fn attributes(&self, id: NodeId) -> impl Iterator<Item = (&str, &str)> {
        self.attribute_range(id).iter().map(|attribute| {
            let name = match attribute.name {
                Attr::Other => self.slice(attribute.name_start, attribute.value_start),
                known => known.name(),
            };
            (name, self.slice(attribute.value_start, attribute.value_end))
        })
    }

    /// All attributes, in order, by the names that this crate knows. Other names are [`Attr::Other`].
    pub(crate) fn known_attributes(&self, id: NodeId) -> impl Iterator<Item = (Attr, &str)> {
        self.attribute_range(id)
            .iter()
            .map(|attribute| (attribute.name, self.slice(attribute.value_start, attribute.value_end)))
    }

    /// All elements of the page in the order of creation. Several times cheaper than a walk.
    pub(crate) fn all_elements(&self) -> impl Iterator<Item = NodeId> + '_ {
        let nodes = self.nodes.iter().zip(0_u32..);
        nodes
            .filter(|(node, _)| node.is_element() && node.parent != NONE)
            .map(|(_, number)| NodeId(number))
            .take_while(|_| !self.interrupt.spend(1))
    }

    /// All elements with a tag in the order of creation. Without a walk, so that rare elements are found
    /// cheaply.
    pub(crate) fn elements_with_tag(&self, tag: Tag) -> impl Iterator<Item = NodeId> + '_ {
        let nodes = self.nodes.iter().zip(0_u32..);
        // Skipping a node costs almost nothing.
        self.interrupt.spend(self.nodes.len() / TEXT_BYTES_PER_UNIT);
        nodes
            .filter(move |(node, _)| node.tag == tag && node.is_element() && node.parent != NONE)
            .map(|(_, number)| NodeId(number))
            .take_while(|_| !self.interrupt.spend(1))
    }

    /// The first element with a tag, in document order.
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
mod tests;
