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
pub(crate) use tokenizer::{ContentModel, RawAttribute, Token, Tokenizer};
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
pub(crate) const TEXT_BYTES_PER_UNIT: usize = 64;

/// What the attributes of a page may add to its output beyond what it is long, in bytes.
pub(crate) const BASE_ATTRIBUTE_BYTES: usize = 65_536;

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
pub(crate) enum ElementNamespace {
    /// HTML.
    Html,
    /// MathML.
    Math,
    /// SVG or anything else.
    Foreign,
}

/// What a node is, and where an element's name belongs, in one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PackedKind {
    Document,
    Text,
    Element(ElementNamespace),
}

/// 28 bytes: a page of short tags has one for every two or three bytes, so every field counts.
#[derive(Debug)]
struct Node {
    parent: u32,
    previous: u32,
    next: u32,
    /// The first child. Text: where it begins in [`Tree::text`].
    first: u32,
    /// The last child. Text: where it ends.
    last: u32,
    /// The number of its entry in [`Tree::extras`], if it has one.
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

/// Stands for a node that is not in the tree.
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

/// What only some elements have: attributes, and a name that is no [`Tag`].
#[derive(Debug)]
struct Extra {
    /// Its range of [`Tree::attributes`].
    start: u32,
    end: u32,
    /// Empty where the tag says it.
    name: LocalName,
}

/// An attribute; the name of [`Attr::Other`] stands right before its value in [`Tree::text`].
#[derive(Debug, Clone, Copy)]
struct Attribute {
    name: Attr,
    name_start: u32,
    value_start: u32,
    value_end: u32,
}

/// Bytes that a name takes besides its letters where it is kept outside of its atom.
const NAME_OVERHEAD_BYTES: usize = 64;

/// A name of at most this many bytes is kept in its atom.
const INLINE_NAME_BYTES: usize = 7;

/// A parsed page.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    attributes: Vec<Attribute>,
    extras: Vec<Extra>,
    text: String,
    /// Bytes of names that are kept outside of [`Self::extras`], and the last of those.
    name_bytes: usize,
    last_long_name: LocalName,
    /// Bytes that the page may take, the tree and all that is made of it.
    memory: usize,
    /// The page had more nodes than allowed; of what came after there is only the text.
    pub(crate) truncated: bool,
    /// Formatting was carried on into more blocks than allowed; what came after has none.
    pub(crate) formatting_stopped: bool,
    /// Ends the work on the tree: every way from node to node counts as a unit, and leads nowhere once it is raised. So
    /// every walk over the tree ends soon.
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
            sort,
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

    /// Keeps a range of attributes, and gives the number of its entry.
    fn push_extra(&mut self, start: u32, end: u32, name: LocalName) -> u32 {
        let number = u32::try_from(self.extras.len()).unwrap_or(NONE);
        self.extras.push(Extra { start, end, name });
        number
    }

    /// Names an entry, or a new one where there is none, for an element whose name is no tag. Entries that several elements
    /// share come from tags of one source, which have one name.
    fn name_extra(&mut self, extra: u32, name: LocalName) -> u32 {
        // Equal names share their letters.
        if name.len() > INLINE_NAME_BYTES && self.last_long_name != name {
            self.name_bytes += name.len() + NAME_OVERHEAD_BYTES;
            self.last_long_name = name.clone();
        }
        match self.extras.get_mut(extra as usize) {
            Some(known) => {
                known.name = name;
                extra
            }
            None => self.push_extra(0, 0, name),
        }
    }

    /// Bytes that the page may take, the tree and all that is made of it.
    pub(crate) const fn memory(&self) -> usize {
        self.memory
    }

    /// Bytes that the tree takes, without what its vectors have in reserve.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>()
            + self.attributes.len() * size_of::<Attribute>()
            + self.extras.len() * size_of::<Extra>()
            + self.text.len()
            + self.name_bytes
    }

    /// Bytes that what is made of the tree may take: what the tree leaves of the page's memory, and a quarter of it in any
    /// case.
    pub(crate) fn memory_left(&self) -> usize {
        self.memory.saturating_sub(self.bytes()).max(self.memory / 4)
    }

    /// Bytes that the Markdown of the page may take; it is copied once before there is HTML.
    pub(crate) fn max_markdown_bytes(&self) -> usize {
        self.memory_left() / 2
    }

    /// Bytes that the HTML of the page may take, or the values of its attributes: the Markdown is still at hand.
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

    /// What ends the work on the tree.
    pub(crate) const fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Counts the text of a text node that is about to be read.
    fn spend_text(&self, id: NodeId) {
        if let Some(node) = self.node(id).filter(|node| node.kind == PackedKind::Text) {
            self.interrupt.spend(node.last.saturating_sub(node.first) as usize / TEXT_BYTES_PER_UNIT);
        }
    }

    /// How many nodes there are; every index is below.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many bytes of attributes may be written out for this tree. Unclosed formatting elements are repeated in
    /// every block after them, their attributes with them: without a bound a long address would be repeated too.
    pub(crate) fn attribute_budget(&self) -> usize {
        self.text.len().saturating_mul(4).saturating_add(BASE_ATTRIBUTE_BYTES)
    }

    /// Something that is at one place in memory for one node, as long as the tree is not changed.
    pub(crate) fn identity(&self, id: NodeId) -> &impl Sized {
        self.node(id).unwrap_or(&ABSENT_NODE)
    }

    /// The parent; `None` for the document and for what is in no tree.
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

    /// All children, in order.
    pub(crate) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.first_child(id), |child| self.next_sibling(*child))
    }

    /// The element children, in order.
    pub(crate) fn child_elements(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(id).filter(|child| self.is_element(*child))
    }

    /// The parent, its parent and so on, the document last.
    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |parent| self.parent(*parent))
    }

    /// What the node is.
    pub(crate) fn kind(&self, id: NodeId) -> Kind {
        self.node(id).map_or(Kind::Text, |node| match node.kind {
            PackedKind::Document => Kind::Document,
            PackedKind::Text => Kind::Text,
            PackedKind::Element(_) => Kind::Element,
        })
    }

    /// Is it an element?
    pub(crate) fn is_element(&self, id: NodeId) -> bool {
        self.node(id).is_some_and(Node::is_element)
    }

    /// The tag of an HTML element; [`Tag::Other`] for all else, save `math` and `svg` themselves.
    pub(crate) fn tag(&self, id: NodeId) -> Tag {
        self.node(id).map_or(Tag::Other, |node| node.tag)
    }

    /// Where the element's name belongs.
    pub(crate) fn namespace(&self, id: NodeId) -> ElementNamespace {
        match self.node(id).map(|node| node.kind) {
            Some(PackedKind::Element(space)) => space,
            _ => ElementNamespace::Html,
        }
    }

    /// The element's name; empty for what is no element.
    pub(crate) fn name(&self, id: NodeId) -> &str {
        match self.node(id) {
            Some(node) if node.tag != Tag::Other => node.tag.name(),
            Some(node) => self.extras.get(node.extra as usize).map_or("", |extra| &extra.name),
            None => "",
        }
    }

    /// The text of a text node; empty for all else.
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

    /// Does the element have the attribute?
    pub(crate) fn has(&self, id: NodeId, name: Attr) -> bool {
        self.attribute_range(id).iter().any(|attribute| attribute.name == name)
    }

    /// All attributes, in their order.
    pub(crate) fn attributes(&self, id: NodeId) -> impl Iterator<Item = (&str, &str)> {
        self.attribute_range(id).iter().map(|attribute| {
            let name = match attribute.name {
                Attr::Other => self.slice(attribute.name_start, attribute.value_start),
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
    pub(crate) fn all_elements(&self) -> impl Iterator<Item = NodeId> + '_ {
        let made = self.nodes.iter().zip(0_u32..);
        made.filter(|(node, _)| node.is_element() && node.parent != NONE)
            .map(|(_, number)| NodeId(number))
            .take_while(|_| !self.interrupt.spend(1))
    }

    /// All elements of a tag, in the order in which they were made; without a walk, so that rare ones are found cheaply.
    pub(crate) fn elements_with_tag(&self, tag: Tag) -> impl Iterator<Item = NodeId> + '_ {
        let made = self.nodes.iter().zip(0_u32..);
        // To pass over a node costs next to nothing.
        self.interrupt.spend(self.nodes.len() / TEXT_BYTES_PER_UNIT);
        made.filter(move |(node, _)| node.tag == tag && node.is_element() && node.parent != NONE)
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

    fn tree_of_all(html: &str) -> Tree {
        parse(html, ParseOptions { all_attributes: true, ..ParseOptions::default() })
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
        assert_eq!(tree.child_elements(body).count(), 2);
    }

    #[test]
    fn a_node_takes_28_bytes() {
        assert_eq!((size_of::<Node>(), size_of::<Attribute>(), size_of::<Extra>()), (28, 16, 16));
    }

    #[test]
    fn names_and_attributes_are_those_of_the_page() {
        let tree = tree_of_all("<X-Card a=1 HREF=/x B=2>x</X-Card><math><mi c=3>y</math><p d=4><tt>z");
        let shown: Vec<String> = tree
            .all_elements()
            .map(|node| {
                let attributes: String =
                    tree.attributes(node).map(|(name, value)| format!(" {name}={value}")).collect();
                format!("{}{attributes}", tree.name(node))
            })
            .collect();
        let expected = ["html", "head", "body", "x-card a=1 href=/x b=2", "math", "mi c=3", "p d=4", "tt"];
        assert_eq!(shown, expected);
        let text = tree.all_elements().last().and_then(|node| tree.first_child(node)).unwrap();
        assert_eq!((tree.text(text), tree.name(text), tree.first_child(text)), ("z", "", None));
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
