//! The sink through which html5ever's tree builder fills the tree.
//!
//! Attributes do not pass through the tree builder. They are stored in the tree when the tag is read, and the
//! tag carries one synthetic attribute with the index of that list ([`super::build`]). Nodes without use
//! (comments, the content of `svg` except its title) get ids outside the arena and are never stored.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, ns};

use super::{ElementNamespace, NONE, NodeId, PackedKind, Tag, Tree};

/// Upper bound on the length of a text node, in bytes, because an interrupt ends a walk only between nodes.
/// No data that is read from one node is longer.
pub(super) const MAX_TEXT_BYTES: u32 = 1 << 20;

/// Ids from here on stand for nodes that are not stored.
const DISCARDED: u32 = 1 << 31;

/// The tree builder's handle of a node.
#[derive(Debug, Clone)]
pub(super) struct Handle {
    id: u32,
    name: LocalName,
    namespace: Namespace,
}

impl Handle {
    const fn is_kept(&self) -> bool {
        self.id < DISCARDED
    }
}

/// The name of an element, for the tree builder.
pub(super) struct ElementName<'a>(&'a Handle);

impl fmt::Debug for ElementName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name)
    }
}

impl ElemName for ElementName<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.namespace
    }

    fn local_name(&self) -> &LocalName {
        &self.0.name
    }
}

/// Fills the arena.
pub(super) struct Sink {
    pub(super) tree: RefCell<Tree>,
    /// The node that will probably be the parent of the next element.
    pub(super) current: Cell<u32>,
    discarded: Cell<u32>,
}

impl Sink {
    pub(super) fn new(tree: Tree) -> Self {
        Self { tree: RefCell::new(tree), current: Cell::new(0), discarded: Cell::new(DISCARDED) }
    }

    fn discard(&self, name: LocalName, namespace: Namespace) -> Handle {
        let id = self.discarded.get();
        self.discarded.set(id.saturating_add(1));
        Handle { id, name, namespace }
    }

    /// True if a child of this node is dropped. A drawing keeps its title, and the title its text.
    fn discards(&self, parent: &Handle, child: &NodeOrText<Handle>) -> bool {
        let node = match child {
            NodeOrText::AppendNode(node) => Some(node),
            NodeOrText::AppendText(_) => None,
        };
        if !parent.is_kept() {
            true
        } else if self.tree.borrow().tag(NodeId(parent.id)) == Tag::Svg {
            !node.is_some_and(is_title_of_drawing)
        } else {
            node.is_some() && is_title_of_drawing(parent)
        }
    }
}

/// True for the `title` of an `svg`.
fn is_title_of_drawing(node: &Handle) -> bool {
    node.is_kept() && node.namespace == ns!(svg) && &*node.name == "title"
}

/// The index of the entry that a tag's synthetic attribute refers to; [`NONE`] without one.
fn extra_of(attributes: &[Attribute]) -> u32 {
    let synthetic = attributes.iter().find(|attribute| attribute.name.local.is_empty());
    synthetic.and_then(|attribute| u32::from_str_radix(&attribute.value, 16).ok()).unwrap_or(NONE)
}

impl Tree {
    fn detach(&mut self, id: u32) {
        let Some((parent, previous, next)) =
            self.nodes.get_mut(id as usize).map(|node| (node.parent, node.previous, node.next))
        else {
            return;
        };
        if parent == NONE {
            return;
        }
        match self.nodes.get_mut(previous as usize) {
            Some(node) => node.next = next,
            None => self.nodes.get_mut(parent as usize).into_iter().for_each(|node| node.first = next),
        }
        match self.nodes.get_mut(next as usize) {
            Some(node) => node.previous = previous,
            None => self.nodes.get_mut(parent as usize).into_iter().for_each(|node| node.last = previous),
        }
        if let Some(node) = self.nodes.get_mut(id as usize) {
            (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
        }
    }

    /// Inserts `id` into `parent` before `next`, or at the end if that is [`NONE`].
    pub(super) fn insert(&mut self, parent: u32, id: u32, next: u32) {
        if parent == id {
            return;
        }
        self.detach(id);
        let Some(depth) = self.nodes.get(parent as usize).map(|node| node.depth) else { return };
        let previous = if next == NONE {
            self.nodes.get(parent as usize).map_or(NONE, |node| node.last)
        } else {
            self.nodes.get(next as usize).map_or(NONE, |node| node.previous)
        };
        match self.nodes.get_mut(previous as usize) {
            Some(node) => node.next = id,
            None => self.nodes.get_mut(parent as usize).into_iter().for_each(|node| node.first = id),
        }
        match self.nodes.get_mut(next as usize) {
            Some(node) => node.previous = id,
            None => self.nodes.get_mut(parent as usize).into_iter().for_each(|node| node.last = id),
        }
        if let Some(node) = self.nodes.get_mut(id as usize) {
            (node.parent, node.previous, node.next) = (parent, previous, next);
            node.depth = depth.saturating_add(1);
        }
    }

    /// Inserts text into `parent` before `next`, or at the end if that is [`NONE`]. Extends the text node
    /// before it if their texts are adjacent.
    fn insert_text(&mut self, parent: u32, text: &str, next: u32) {
        let Ok(start) = u32::try_from(self.text.len()) else { return };
        let previous = if next == NONE {
            self.nodes.get(parent as usize).map_or(NONE, |node| node.last)
        } else {
            self.nodes.get(next as usize).map_or(NONE, |node| node.previous)
        };
        let Ok(end) = u32::try_from(self.text.len() + text.len()) else { return };
        self.text.push_str(text);
        if let Some(node) = self.nodes.get_mut(previous as usize)
            && node.kind == PackedKind::Text
            && node.last == start
            && end - node.first <= MAX_TEXT_BYTES
        {
            node.last = end;
            return;
        }
        let id = self.push_text(start, end);
        self.insert(parent, id.0, next);
    }

    /// The depth of a node when it was inserted.
    pub(super) fn depth(&self, id: u32) -> u16 {
        self.nodes.get(id as usize).map_or(0, |node| node.depth)
    }

    /// The index of the parent; 0 without one.
    pub(super) fn parent_index(&self, id: u32) -> u32 {
        self.nodes.get(id as usize).map_or(0, |node| if node.parent == NONE { 0 } else { node.parent })
    }

    /// True if the node is an element with this name; `tag` is the tag of the name.
    pub(super) fn is_named(&self, id: u32, tag: Tag, name: &LocalName) -> bool {
        self.nodes.get(id as usize).is_some_and(|node| match node.tag {
            Tag::Other => self.extras.get(node.extra as usize).is_some_and(|extra| extra.name == *name),
            own => own == tag,
        })
    }
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Tree;
    type ElemName<'a> = ElementName<'a>;

    fn finish(self) -> Tree {
        self.tree.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle { id: 0, name: LocalName::default(), namespace: Namespace::default() }
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ElementName<'a> {
        ElementName(target)
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> Handle {
        let is_svg = name.ns == ns!(svg);
        let is_root = is_svg && &*name.local == "svg";
        if is_svg && !is_root && &*name.local != "title" {
            return self.discard(name.local, name.ns);
        }
        let is_html = name.ns == ns!(html);
        let namespace = if is_html {
            ElementNamespace::Html
        } else if name.ns == ns!(mathml) {
            ElementNamespace::Math
        } else {
            ElementNamespace::Foreign
        };
        let tag = match Tag::lookup(&name.local).0 {
            tag if is_html => tag,
            tag @ (Tag::Svg | Tag::Math) => tag,
            _ => Tag::Other,
        };
        let mut tree = self.tree.borrow_mut();
        let mut extra = extra_of(&attributes);
        if tag == Tag::Other {
            extra = tree.name_extra(extra, name.local.clone());
        }
        let id = tree.push(PackedKind::Element(namespace), tag, extra);
        Handle { id: id.0, name: name.local, namespace: name.ns }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.discard(LocalName::default(), Namespace::default())
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.discard(LocalName::default(), Namespace::default())
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        if self.discards(parent, &child) {
            return;
        }
        let mut tree = self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(node) if node.is_kept() => {
                tree.insert(parent.id, node.id, NONE);
                self.current.set(node.id);
            }
            NodeOrText::AppendNode(_) => {}
            NodeOrText::AppendText(text) => {
                tree.insert_text(parent.id, &text, NONE);
                self.current.set(parent.id);
            }
        }
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        let has_parent = element.is_kept() && self.tree.borrow().parent(NodeId(element.id)).is_some();
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn pop(&self, node: &Handle) {
        if node.is_kept() {
            self.current.set(self.tree.borrow().parent_index(node.id));
        }
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        target.clone()
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.id == y.id
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        if !sibling.is_kept() {
            return;
        }
        let mut tree = self.tree.borrow_mut();
        let Some(parent) = tree.parent(NodeId(sibling.id)) else { return };
        match child {
            NodeOrText::AppendNode(node) if node.is_kept() => {
                tree.insert(parent.0, node.id, sibling.id);
                self.current.set(node.id);
            }
            NodeOrText::AppendNode(_) => {}
            NodeOrText::AppendText(text) => tree.insert_text(parent.0, &text, sibling.id),
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Attribute>) {
        if !target.is_kept() {
            return;
        }
        let mut tree = self.tree.borrow_mut();
        let Some(own_extra) = tree.nodes.get(target.id as usize).map(|node| node.extra) else { return };
        let range = |extra: u32| {
            let extra = tree.extras.get(extra as usize);
            extra.map_or(0..0, |extra| extra.start as usize..extra.end as usize)
        };
        let (own_range, added_range) = (range(own_extra), range(extra_of(&attributes)));
        // A repeated `<html>` or `<body>` tag is rare, and the attributes of a tag are bounded.
        let mut merged = tree.attributes.get(own_range).unwrap_or_default().to_vec();
        if merged.len() > super::tokenizer::MAX_ATTRIBUTES {
            return;
        }
        let added = tree.attributes.get(added_range).unwrap_or_default().to_vec();
        let own = merged.len();
        for attribute in added {
            let exists = merged.iter().take(own).any(|earlier| {
                earlier.name == attribute.name
                    && tree.slice(earlier.name_start, earlier.value_start)
                        == tree.slice(attribute.name_start, attribute.value_start)
            });
            if !exists {
                merged.push(attribute);
            }
        }
        if merged.len() == own {
            return;
        }
        let Ok(start) = u32::try_from(tree.attributes.len()) else { return };
        tree.attributes.extend(merged);
        let Ok(end) = u32::try_from(tree.attributes.len()) else { return };
        let number = tree.push_extra(start, end, LocalName::default());
        if let Some(node) = tree.nodes.get_mut(target.id as usize) {
            node.extra = number;
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        if target.is_kept() {
            self.tree.borrow_mut().detach(target.id);
        }
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        if !node.is_kept() {
            return;
        }
        let mut tree = self.tree.borrow_mut();
        while let Some(child) = tree.first_child(NodeId(node.id)) {
            if new_parent.is_kept() {
                tree.insert(new_parent.id, child.0, NONE);
            } else {
                tree.detach(child.0);
            }
        }
    }
}
