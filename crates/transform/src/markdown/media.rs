//! Links, images and checkboxes.

use super::emoji;
use super::piece::Target;
use super::{BASE64_PLACEHOLDER, Writer};
use crate::page::picture;
use crate::tree::{Attr, Edge, ElementNamespace, NodeId, Tag, Tree, Walk};

impl Writer<'_> {
    pub(super) fn open_link(&mut self, node: NodeId) {
        let tree = self.tree;
        let Some(href) = tree.attribute(node, Attr::Href) else { return };
        if self.heading.is_some() && !self.options.faithful && href.trim_start().starts_with('#') {
            return; // a heading that links to itself
        }
        let Some(address) = self.options.resolver.output_url(href) else { return };
        let Some(left) = self.address_budget.checked_sub(address.len()) else { return };
        self.address_budget = left;
        let title_bytes = tree.attribute(node, Attr::Title).map_or(0, str::len);
        self.address_budget = self.address_budget.saturating_sub(title_bytes);
        if self.options.faithful && tree.first_child(node).is_none() {
            self.empty_link(node, href);
            return;
        }
        let title = tree.attribute(node, Attr::Title).filter(|title| !title.trim().is_empty());
        // A title may have several lines, but no empty line.
        let keeps_lines = self.options.faithful && self.lines.depth() == 0 && !self.in_cell();
        let title = title.map(|title| {
            let unchanged =
                keeps_lines && !title.trim_matches('\n').lines().any(|line| line.trim().is_empty());
            if unchanged { title.to_owned() } else { fold_spaces(title) }
        });
        let target = Target { address: address.into_owned(), title };
        if !self.in_cell()
            && self.heading.is_none()
            && self.inline.has_none_open()
            && contains_blocks(tree, node)
        {
            self.flush();
            self.block_link = Some(target);
        } else if self.block_link.is_none() {
            self.inline.open_link(target);
        }
    }

    /// Writes a link without text as HTML: Markdown cannot express it with its address unchanged.
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
        if let Some(text) = emoji::text(tree, node).filter(|_| !self.options.faithful) {
            self.inline.text(&text);
            return;
        }
        let alt = tree.attribute(node, Attr::Alt).unwrap_or_default();
        let own = picture::source(tree, node);
        let real = match own.filter(|own| !picture::is_inline(own) && !picture::is_preview(own)) {
            Some(own) => larger_image(tree, node, own),
            None => noscript_image(tree, node),
        };
        if own.is_none() && real == self.larger_image {
            return; // the place of an image that is written already
        }
        let Some(source) = real.or(own) else { return };
        let title = tree.attribute(node, Attr::Title).map(fold_spaces).filter(|title| !title.is_empty());
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
            return; // a placeholder drawing for an image that a script loads
        };
        if let Some(left) = self.address_budget.checked_sub(address.len() + alt.len()) {
            self.address_budget = left;
            self.inline.image(alt, Target { address, title });
            self.larger_image = own.and(real);
        }
    }

    /// Writes a checkbox. At the start of an item it makes the item a task.
    pub(super) fn checkbox(&mut self, node: NodeId) {
        let tree = self.tree;
        let is_checkbox =
            tree.attribute(node, Attr::Type).is_some_and(|kind| kind.eq_ignore_ascii_case("checkbox"));
        if is_checkbox && self.inline.is_empty() && !self.in_cell() && self.lines.at_item_start() {
            self.open_task(
                tree.has(node, Attr::Checked) || tree.attribute(node, Attr::AriaChecked) == Some("true"),
            );
        } else if is_checkbox
            && self.inline.is_empty()
            && !self.in_cell()
            && tree.parent(node).is_some_and(|parent| tree.tag(parent) == Tag::P)
        {
            // Markdown has no checkbox outside a list: write its state as text.
            self.inline.text(if tree.has(node, Attr::Checked) { "[x]" } else { "[ ]" });
            self.inline.space();
        }
    }
}

/// Is an image or a frame a tracker: one pixel in size or never shown, by its attributes or its style?
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

/// The image in a `noscript` right after an image that a script loads.
fn noscript_image(tree: &Tree, image: NodeId) -> Option<&str> {
    let after = std::iter::successors(tree.next_sibling(image), |node| tree.next_sibling(*node))
        .take(3)
        .find(|node| tree.tag(*node) == Tag::Noscript)?;
    let real = tree.child_elements(after).find(|node| tree.tag(*node) == Tag::Img)?;
    picture::source(tree, real).filter(|source| !picture::is_inline(source))
}

/// Maximum distance of an image to its figure, in elements.
const MAX_FIGURE_DISTANCE: usize = 8;

/// Maximum number of tree edges of a figure that are examined for images.
const MAX_FIGURE_EDGES: usize = 200;

/// The file that a figure has in a `noscript` under the same name as in a preview.
fn larger_image<'t>(tree: &'t Tree, preview: NodeId, source: &str) -> Option<&'t str> {
    let figure =
        tree.ancestors(preview).take(MAX_FIGURE_DISTANCE).find(|around| tree.tag(*around) == Tag::Figure)?;
    let noscript = Walk::new(tree, figure).take(MAX_FIGURE_EDGES).find_map(|edge| match edge {
        Edge::Enter(node) if tree.tag(node) == Tag::Noscript => Some(node),
        _ => None,
    })?;
    let image = tree.child_elements(noscript).find(|node| tree.tag(*node) == Tag::Img)?;
    let larger = picture::source(tree, image)?;
    (larger != source && file_name(larger) == file_name(source)).then_some(larger)
}

fn file_name(address: &str) -> &str {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default()
}

/// The image in a `noscript` of a figure without another image. A script draws it somewhere in the figure.
pub(super) fn figure_image(tree: &Tree, figure: NodeId) -> Option<NodeId> {
    let mut noscript = None;
    let mut walk = Walk::new(tree, figure);
    for _ in 0..MAX_FIGURE_EDGES {
        let Some(edge) = walk.next() else { break };
        let Edge::Enter(node) = edge else { continue };
        match tree.tag(node) {
            Tag::Noscript => {
                noscript =
                    noscript.or_else(|| tree.child_elements(node).find(|inner| tree.tag(*inner) == Tag::Img));
                walk.skip_children();
            }
            Tag::Img | Tag::Picture | Tag::Video | Tag::Iframe | Tag::Table | Tag::Pre => return None,
            _ => {}
        }
    }
    noscript
}

/// Folds white space and trims the ends.
pub(super) fn fold_spaces(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_ascii_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Maximum number of tree edges examined to find a block inside a link. Nested links would otherwise be
/// walked again for each level.
const MAX_LINK_EDGES: usize = 4_000;

/// Does a link contain blocks?
fn contains_blocks(tree: &Tree, link: NodeId) -> bool {
    Walk::new(tree, link).take(MAX_LINK_EDGES).any(|edge| match edge {
        Edge::Enter(node) => tree.tag(node).is_block() && tree.namespace(node) == ElementNamespace::Html,
        Edge::Leave(_) => false,
    })
}
