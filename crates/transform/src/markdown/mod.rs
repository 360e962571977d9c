//! From a tree to Markdown (CommonMark with GFM's tables, task lists and strikethrough), in one walk.
//!
//! Why not a ready converter: the one that was measured came back as the same HTML for 93 of 100 examples of the
//! CommonMark specification, recursed on the depth of the page and parsed it a second time.

mod block;
mod code;
mod emphasis;
mod escape;
mod inline;
mod list;
mod math;
mod mathml;
mod media;
mod note;
mod piece;
mod render;
mod table;
#[cfg(test)]
mod tests;
mod tex;

pub(crate) use escape::cell;
pub(crate) use media::is_unseen;

use crate::address::Resolver;
use crate::tree::{ATTRIBUTE_SPARE, Attr, Edge, Kind, NodeId, Tag, Tree, Walk};
use crate::view::View;
use block::{Container, Leaf, Lines};
use inline::Inline;
use list::List;
use math::Formula;
use note::Notes;
use piece::{Mark, Place, Target};
use table::Table;

/// How Markdown is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options<'a> {
    /// Makes addresses absolute.
    pub(crate) resolver: &'a Resolver,
    /// Write a placeholder for images that stand in the page itself as `data:`.
    pub(crate) remove_base64_images: bool,
    /// Keep what a reader cannot see but a document can hold: empty links, headings and quotes, and tables that
    /// Markdown has no form for (as HTML). For HTML that is converted for its own sake, not read as a page.
    pub(crate) faithful: bool,
}

/// What stands for the address of an image whose bytes stood in the page.
pub(crate) const BASE64_PLACEHOLDER: &str = "<Base64-Image-Removed>";

/// Writes a part of a tree. The result has no blank lines at its start or end, and a line end only between lines.
pub(crate) fn write(tree: &Tree, view: &View, options: Options<'_>) -> String {
    write_within(tree, view, options, tree.attribute_budget())
}

/// Writes all of a tree that is one of so many pieces: what attributes may add beyond what is long is shared by them.
pub(crate) fn write_piece(tree: &Tree, options: Options<'_>, pieces: usize) -> String {
    let spare = ATTRIBUTE_SPARE / pieces.max(1);
    write_within(tree, &View::whole(tree), options, tree.attribute_budget() - ATTRIBUTE_SPARE + spare)
}

fn write_within(tree: &Tree, view: &View, options: Options<'_>, addresses_left: usize) -> String {
    let mut writer = Writer {
        tree,
        view,
        options,
        lines: Lines::default(),
        inline: Inline::default(),
        lists: Vec::new(),
        ended_list: None,
        table: None,
        heading: None,
        block_link: None,
        task: false,
        addresses_left,
        notes: Notes::of_view(tree, view),
        open_notes: Vec::new(),
        unreadable: None,
    };
    for root in &view.roots {
        writer.walk(*root);
        writer.flush();
    }
    writer.lines.finish()
}

struct Writer<'t> {
    tree: &'t Tree,
    view: &'t View,
    options: Options<'t>,
    lines: Lines,
    inline: Inline,
    lists: Vec<List>,
    /// A list that has just ended: container depth, order and mark. Another right after it needs another mark.
    ended_list: Option<(usize, bool, char)>,
    table: Option<Table>,
    /// The level of the heading we are in.
    heading: Option<u8>,
    /// A link around whole blocks; the first of them with text becomes the link.
    block_link: Option<Target>,
    /// The paragraph begins with the box of a task.
    task: bool,
    /// Bytes of addresses that may still be written.
    addresses_left: usize,
    notes: Notes,
    /// Notes that are open, innermost last.
    open_notes: Vec<NodeId>,
    /// A formula that cannot be written is open: formulas inside it are not tried, so that each is read once.
    unreadable: Option<NodeId>,
}

impl Writer<'_> {
    fn walk(&mut self, root: NodeId) {
        let tree = self.tree;
        let mut walk = Walk::new(tree, root);
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(node) => match tree.kind(node) {
                    Kind::Text if self.view.hidden.contains(node) => {}
                    Kind::Text => self.text(tree.text(node)),
                    Kind::Element => {
                        let skips = self.view.hidden.contains(node)
                            || self.math(node)
                            || self.view.skips(tree, node)
                            || !self.enter(node);
                        if skips {
                            walk.skip_children();
                        }
                    }
                    Kind::Document => {}
                },
                Edge::Leave(node) => {
                    if self.unreadable == Some(node) {
                        self.unreadable = None;
                    }
                    if tree.kind(node) == Kind::Element && !self.view.hidden.contains(node) {
                        self.leave(node);
                    }
                }
            }
        }
    }

    /// Writes text, the TeX in it as formulas.
    fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(found) = tex::next(rest) {
            self.inline.text(found.before);
            self.inline.raw(&math::dollars(found.tex, found.display));
            rest = found.after;
        }
        self.inline.text(rest);
    }

    fn in_cell(&self) -> bool {
        self.table.is_some()
    }

    /// Starts an element; false where its children are not to be walked.
    fn enter(&mut self, node: NodeId) -> bool {
        let tree = self.tree;
        let tag = tree.tag(node);
        if !self.notes.is_empty() && self.note(node) {
            return false;
        }
        // CommonMark can nest `em` in `em` and `strong` in `strong`; no other elements come of it, and on a page it means
        // nothing.
        let nests = self.options.faithful && matches!(tag, Tag::Em | Tag::Strong);
        match tag {
            Tag::Br => self.line_break(),
            Tag::Em | Tag::I | Tag::Cite | Tag::Dfn | Tag::Var if !self.is_icon(node) => {
                self.inline.open(Mark::Em, nests);
            }
            Tag::Strong | Tag::B => self.inline.open(Mark::Strong, nests),
            Tag::Del | Tag::S | Tag::Strike => self.inline.open(Mark::Strike, false),
            Tag::Sub => self.inline.open(Mark::Sub, false),
            Tag::Sup => self.inline.open(Mark::Sup, false),
            Tag::Kbd => self.inline.open(Mark::Kbd, false),
            Tag::Mark => self.inline.open(Mark::Highlight, false),
            Tag::Q => self.inline.text("\""),
            Tag::Rt => self.inline.text("("),
            Tag::Code | Tag::Samp | Tag::Tt => {
                self.code_spans(node);
                return false;
            }
            Tag::A | Tag::Span if !self.options.faithful && self.is_furniture(node) => return false,
            Tag::A => self.open_link(node),
            Tag::Img => self.image(node),
            Tag::Input => self.task(node),
            Tag::Iframe | Tag::Embed => self.frame(node),
            Tag::Video | Tag::Audio => {
                self.frame(node);
                return false;
            }
            Tag::Object => return self.object(node),
            Tag::Select | Tag::Textarea | Tag::Canvas | Tag::Progress | Tag::Meter => return false,
            Tag::Template => return tree.has(node, Attr::Shadowrootmode),
            Tag::Pre | Tag::Xmp | Tag::Plaintext => {
                self.code_block(node);
                return false;
            }
            Tag::Div | Tag::Table if code::is_listing(tree, node) => {
                self.code_block(node);
                return false;
            }
            Tag::Other if tree.name(node) == "amp-img" => self.image(node),
            _ if tag.is_block() => return self.enter_block(node, tag),
            _ => {}
        }
        true
    }

    fn leave(&mut self, node: NodeId) {
        let tag = self.tree.tag(node);
        match tag {
            Tag::Em | Tag::I | Tag::Cite | Tag::Dfn | Tag::Var if !self.is_icon(node) => {
                self.inline.close(Mark::Em);
            }
            Tag::Strong | Tag::B => self.inline.close(Mark::Strong),
            Tag::Del | Tag::S | Tag::Strike => self.inline.close(Mark::Strike),
            Tag::Sub => self.inline.close(Mark::Sub),
            Tag::Sup => self.inline.close(Mark::Sup),
            Tag::Kbd => self.inline.close(Mark::Kbd),
            Tag::Mark => self.inline.close(Mark::Highlight),
            Tag::Q => self.inline.text("\""),
            Tag::Rt => self.inline.text(")"),
            Tag::A => self.close_link(),
            Tag::Pre | Tag::Xmp | Tag::Plaintext if self.in_cell() => self.break_in_cell(),
            Tag::Pre | Tag::Xmp | Tag::Plaintext => {}
            _ if self.open_notes.last() == Some(&node) => self.close_note(node, tag),
            _ if tag.is_block() => self.leave_block(node, tag),
            _ => {}
        }
    }

    /// Ends a link, one around blocks too.
    pub(super) fn close_link(&mut self) {
        self.inline.close_link();
        if self.block_link.is_some() {
            self.flush();
            self.block_link = None;
        }
    }

    /// The level of a heading, 1 to 6; by its role too.
    fn heading_level(&self, node: NodeId) -> Option<u8> {
        let tag = self.tree.tag(node);
        tag.heading_level().or_else(|| {
            let by_role =
                matches!(tag, Tag::Div | Tag::P) && self.tree.attribute(node, Attr::Role)? == "heading";
            let level =
                self.tree.attribute(node, Attr::AriaLevel).and_then(|level| level.trim().parse().ok());
            by_role.then_some(level.unwrap_or(2_u8).clamp(1, 6))
        })
    }

    /// Icon fonts use `i` for pictures.
    fn is_icon(&self, node: NodeId) -> bool {
        self.tree.tag(node) == Tag::I && self.tree.first_child(node).is_none()
    }

    pub(super) fn line_break(&mut self) {
        if self.in_cell() || self.heading.is_some() || self.inline.in_link() || self.block_link.is_some() {
            self.inline.line_break();
        } else if self.inline.trailing_breaks() > 0 {
            self.flush(); // two in a row are meant as a new paragraph; the marks that are open go on in it
        } else {
            self.inline.line_break();
        }
    }

    /// Ends the paragraph, heading or cell text collected so far.
    fn flush(&mut self) {
        if self.inline.is_empty() {
            self.inline.take(Place::Paragraph);
            if let (true, Some(level), false) = (self.options.faithful, self.heading, self.in_cell()) {
                self.lines.start(Leaf::Other);
                self.lines.write(&"#".repeat(usize::from(level)));
            }
            return;
        }
        if self.in_cell() {
            // A block inside a cell: its end is a break.
            self.inline.line_break();
            return;
        }
        let link = self.block_link.take();
        let place = if self.heading.is_some() || link.is_some() { Place::Heading } else { Place::Paragraph };
        let mut text = self.inline.take(place);
        if text.is_empty() {
            self.block_link = link;
            return;
        }
        if let Some(target) = link {
            if text.contains("](") {
                self.block_link = Some(target);
            } else {
                let mut linked = String::with_capacity(text.len() + target.address.len() + 4);
                linked.push('[');
                let start = linked.len();
                linked.push_str(&text);
                escape::brackets(&mut linked, start, true);
                linked.push_str("](");
                escape::destination(&target.address, false, &mut linked);
                linked.push(')');
                text = linked;
            }
        }
        match self.heading {
            Some(level) => {
                self.lines.start(Leaf::Other);
                self.lines.write(&"#".repeat(usize::from(level)));
                self.lines.write(" ");
                self.lines.write(&close_hashes(&text));
            }
            None => {
                let is_box =
                    |text: &str| ["[ ] ", "[x] ", "[X] "].iter().any(|start| text.starts_with(start));
                let escape_box = self.lines.at_item_start() && !self.task && is_box(&text);
                self.lines.start(Leaf::Paragraph);
                let mut start = String::new();
                for (index, line) in text.split('\n').enumerate() {
                    start.clear();
                    if index == 0 && escape_box {
                        start.push('\\');
                    }
                    escape::line_start(line.trim_start_matches(' '), index == 0, &mut start);
                    if index > 0 {
                        self.lines.next_line();
                    }
                    self.lines.write(&start);
                }
            }
        }
        self.task = false;
        self.ended_list = None;
    }

    fn enter_block(&mut self, node: NodeId, tag: Tag) -> bool {
        if self.in_cell() {
            return self.enter_block_in_cell(node, tag);
        }
        if matches!(tag, Tag::Td | Tag::Th) {
            // A table for layout: cells beside each other, rows below each other.
            self.inline.space();
            return true;
        }
        self.flush();
        match tag {
            _ if self.heading_level(node).is_some() => self.heading = self.heading_level(node),
            Tag::Hr => {
                self.lines.start(Leaf::Other);
                self.lines.write(if self.lines.in_item() { "___" } else { "---" });
                self.ended_list = None;
            }
            Tag::Blockquote => self.lines.push(Container::Quote { started: false }),
            Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir => self.open_list(node, tag == Tag::Ol),
            Tag::Li if self.notes.definition(node).is_some() => {}
            Tag::Li => self.open_item(node),
            Tag::Table if table::holds_data(self.tree, node) => {
                self.table = Some(Table::new(self.tree, node));
            }
            Tag::Table if self.options.faithful && self.html_table(node) => return false,
            Tag::Dt | Tag::Summary => self.inline.open(Mark::Strong, false),
            _ => {}
        }
        true
    }

    fn enter_block_in_cell(&mut self, node: NodeId, tag: Tag) -> bool {
        let tree = self.tree;
        let Some(table) = &mut self.table else { return true };
        match tag {
            Tag::Thead => table.head(true),
            Tag::Tr => table.start_row(),
            Tag::Td | Tag::Th => {
                self.inline.take(Place::Cell);
                table.start_cell(tree, node);
            }
            Tag::Hr | Tag::Caption => {
                if !self.inline.is_empty() {
                    self.inline.line_break();
                }
            }
            Tag::Li => {
                self.break_in_cell();
                self.inline.raw("-");
                self.inline.space();
            }
            _ => self.break_in_cell(),
        }
        true
    }

    pub(super) fn break_in_cell(&mut self) {
        if !self.inline.is_empty() && self.inline.trailing_breaks() == 0 {
            self.inline.line_break();
        }
    }

    fn leave_block(&mut self, node: NodeId, tag: Tag) {
        if self.in_cell() {
            self.leave_block_in_cell(tag);
            return;
        }
        match tag {
            Tag::Dt | Tag::Summary => self.inline.close(Mark::Strong),
            Tag::Td | Tag::Th => {
                self.inline.space();
                return;
            }
            _ => {}
        }
        self.flush();
        match tag {
            _ if self.heading_level(node).is_some() => self.heading = None,
            Tag::Blockquote => self.lines.pop(self.options.faithful),
            Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir => self.close_list(),
            Tag::Li => self.close_item(),
            _ => {}
        }
    }

    fn leave_block_in_cell(&mut self, tag: Tag) {
        let Some(table) = &mut self.table else { return };
        match tag {
            Tag::Thead => table.head(false),
            Tag::Tr => table.end_row(),
            Tag::Td | Tag::Th => {
                let content = self.inline.take(Place::Cell);
                table.end_cell(content);
            }
            Tag::Caption => {
                let caption = self.inline.take(Place::Heading);
                if !caption.is_empty() {
                    self.lines.start(Leaf::Paragraph);
                    let mut line = String::new();
                    escape::line_start(&caption, true, &mut line);
                    self.lines.write(&line);
                }
            }
            Tag::Table => {
                if let Some(table) = self.table.take().filter(|table| !table.is_empty()) {
                    self.inline.take(Place::Cell);
                    self.ended_list = None;
                    self.lines.start(Leaf::Table);
                    for (index, line) in table.lines().iter().enumerate() {
                        if index > 0 {
                            self.lines.next_line();
                        }
                        self.lines.write(line);
                    }
                }
            }
            Tag::Tbody | Tag::Tfoot | Tag::Hr => {}
            _ => self.break_in_cell(),
        }
    }

    /// Writes the formula that an element is; false where it is none, or none that can be written.
    fn math(&mut self, node: NodeId) -> bool {
        if self.unreadable.is_some() {
            return false;
        }
        match math::of(self.tree, node) {
            None => false,
            Some(Formula::Unreadable) => {
                self.unreadable = Some(node);
                false
            }
            Some(Formula::Written(formula)) => {
                // It may be a note too, and a block that ends the line before it.
                if !self.notes.is_empty() && self.note(node) {
                    return true;
                }
                if self.tree.tag(node) == Tag::Div {
                    if self.in_cell() {
                        self.break_in_cell();
                    } else {
                        self.flush();
                    }
                }
                if !formula.is_empty() {
                    self.inline.raw(&formula);
                }
                true
            }
        }
    }
}

/// Escapes hashes at the end of a heading, which would be dropped.
fn close_hashes(text: &str) -> String {
    let without = text.trim_end_matches('#');
    if without.len() < text.len() && (without.is_empty() || without.ends_with(' ')) {
        format!("{without}\\{}", text.get(without.len()..).unwrap_or_default())
    } else {
        text.to_owned()
    }
}

/// A fence that a text of this language cannot end.
pub(crate) fn fence(text: &str, language: &str) -> String {
    code::fence(text, language)
}
