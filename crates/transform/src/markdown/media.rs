//! Links, images and check boxes.

use super::piece::Target;
use super::{BASE64_PLACEHOLDER, Writer};
use crate::page::picture;
use crate::tree::{Attr, Edge, ElementNamespace, NodeId, Tag, Tree, Walk};

impl Writer<'_> {
    pub(super) fn open_link(&mut self, node: NodeId) {
        let tree = self.tree;
        let Some(href) = tree.attribute(node, Attr::Href) else { return };
        if self.heading.is_some() && !self.options.faithful && href.trim_start().starts_with('#') {
            return; // a heading that leads to itself
        }
        let Some(address) = self.options.resolver.output_url(href) else { return };
        let Some(left) = self.addresses_left.checked_sub(address.len()) else { return };
        self.addresses_left = left;
        let title_bytes = tree.attribute(node, Attr::Title).map_or(0, str::len);
        self.addresses_left = self.addresses_left.saturating_sub(title_bytes);
        if self.options.faithful && tree.first_child(node).is_none() {
            self.empty_link(node, href);
            return;
        }
        let title = tree.attribute(node, Attr::Title).filter(|title| !title.trim().is_empty());
        // A title may run over lines, but no line of it may be empty.
        let keeps_lines = self.options.faithful && self.lines.depth() == 0 && !self.in_cell();
        let title = title.map(|title| {
            let whole = keeps_lines && !title.trim_matches('\n').lines().any(|line| line.trim().is_empty());
            if whole { title.to_owned() } else { fold(title) }
        });
        let target = Target { address: address.into_owned(), title };
        if !self.in_cell() && self.heading.is_none() && self.inline.is_flat() && holds_blocks(tree, node) {
            self.flush();
            self.block_link = Some(target);
        } else if self.block_link.is_none() {
            self.inline.open_link(target);
        }
    }

    /// Markdown has no form for a link without text that keeps its address as it is.
    pub(super) fn empty_link(&mut self, node: NodeId, href: &str) {
        let mut raw = String::from("<a href=\"");
        crate::html::escape(href, true, &mut raw);
        raw.push('"');
        if let Some(title) = self.tree.attribute(node, Attr::Title) {
            raw.push_str(" title=\"");
            crate::html::escape(title, true, &mut raw);
            raw.push('"');
        }
        raw.push_str("></a>");
        self.inline.raw(&raw);
    }

    pub(super) fn image(&mut self, node: NodeId) {
        let tree = self.tree;
        if is_unseen(tree, node) {
            return;
        }
        let alt = tree.attribute(node, Attr::Alt).unwrap_or_default();
        let Some(mut source) = picture::source(tree, node) else { return };
        if picture::is_inline(source)
            && let Some(real) = without_scripts(tree, node)
        {
            source = real;
        }
        let title = tree.attribute(node, Attr::Title).map(fold).filter(|title| !title.is_empty());
        let address = if !picture::is_inline(source) {
            match self.options.resolver.output_url(source) {
                Some(address) => address.into_owned(),
                None => return,
            }
        } else if !self.options.remove_base64_images {
            source.to_owned()
        } else if source.contains("base64") {
            BASE64_PLACEHOLDER.to_owned()
        } else {
            return; // a drawing in place of a picture to come
        };
        if let Some(left) = self.addresses_left.checked_sub(address.len() + alt.len()) {
            self.addresses_left = left;
            self.inline.image(alt, Target { address, title });
        }
    }

    /// A check box at the start of an item is a task.
    pub(super) fn task(&mut self, node: NodeId) {
        let tree = self.tree;
        let is_box =
            tree.attribute(node, Attr::Type).is_some_and(|kind| kind.eq_ignore_ascii_case("checkbox"));
        if is_box && self.inline.is_empty() && self.lines.at_item_start() {
            self.inline.raw(if tree.has(node, Attr::Checked) { "[x]" } else { "[ ]" });
            self.task = true;
            self.inline.space();
        } else if is_box
            && self.inline.is_empty()
            && !self.in_cell()
            && tree.parent(node).is_some_and(|parent| tree.tag(parent) == Tag::P)
        {
            // Outside a list there is no such box in Markdown: its state is told in text.
            self.inline.text(if tree.has(node, Attr::Checked) { "[x]" } else { "[ ]" });
            self.inline.space();
        }
    }
}

/// Is a picture or a frame there to count readers: of one pixel, or never drawn, by its attributes or its style?
pub(crate) fn is_unseen(tree: &Tree, node: NodeId) -> bool {
    if picture::is_tracker(tree, node) {
        return true;
    }
    let Some(style) = tree.attribute(node, Attr::Style) else { return false };
    let (mut narrow, mut low) = (false, false);
    for declaration in style.split(';') {
        let Some((property, value)) = declaration.split_once(':') else { continue };
        let (property, value) = (property.trim(), value.trim());
        let value = value.split_once('!').map_or(value, |(value, _)| value.trim_end());
        let is = |name: &str| property.eq_ignore_ascii_case(name);
        let tiny = || {
            let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            number.parse::<f32>().is_ok_and(|size| size == 0.0)
                || (value.to_ascii_lowercase().ends_with("px")
                    && number.parse::<f32>().is_ok_and(|size| size <= 1.0))
        };
        if (is("display") && value.eq_ignore_ascii_case("none"))
            || (is("visibility") && value.eq_ignore_ascii_case("hidden"))
        {
            return true;
        }
        narrow |= (is("width") || is("max-width")) && tiny();
        low |= (is("height") || is("max-height")) && tiny();
    }
    narrow && low
}

/// The picture that a page shows to those without scripts, right after the one that a script fills in.
fn without_scripts(tree: &Tree, image: NodeId) -> Option<&str> {
    let after = std::iter::successors(tree.next_sibling(image), |node| tree.next_sibling(*node))
        .take(3)
        .find(|node| tree.tag(*node) == Tag::Noscript)?;
    let real = tree.child_elements(after).find(|node| tree.tag(*node) == Tag::Img)?;
    picture::source(tree, real).filter(|source| !picture::is_inline(source))
}

/// With white space folded and ends trimmed.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_ascii_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// A block further into a link than this is not looked for, in edges of the tree: links that nest would be walked again
/// and again.
const MAX_LINK_EDGES: usize = 4_000;

/// Are there blocks inside a link?
fn holds_blocks(tree: &Tree, link: NodeId) -> bool {
    Walk::new(tree, link).take(MAX_LINK_EDGES).any(|edge| matches!(edge, Edge::Enter(node) if tree.tag(node).is_block() && tree.namespace(node) == ElementNamespace::Html))
}
