//! The start and end of blocks, in the flow of a page and inside table cells.

use super::Writer;
use super::callout::is_callout;
use super::escape;
use super::grid::Table;
use super::lines::{BlockKind, Container};
use super::media::figure_image;
use super::paragraph::trim_hard_spaces;
use super::piece::{InlineContext, Mark};
use super::table;
use crate::tree::{Attr, NodeId, Tag};

impl Writer<'_> {
    /// The level of a heading, 1 to 6, by its tag or its role.
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

    pub(super) fn enter_block(&mut self, node: NodeId, tag: Tag) -> bool {
        if self.in_cell() {
            return self.enter_block_in_cell(node, tag);
        }
        if matches!(tag, Tag::Td | Tag::Th) || self.is_cell_by_role(node) {
            // A table for layout, or one without `table`: cells side by side, rows on separate lines.
            self.inline.space();
            return true;
        }
        if self.continues_label(node, tag) {
            self.inline.space();
            return true;
        }
        if !(matches!(tag, Tag::P | Tag::Div) && self.has_only_task_state()) {
            self.flush();
        }
        match tag {
            _ if self.heading_level(node).is_some() => {
                self.heading = self.heading_level(node);
                self.heading_has_text = self.has_text_beside_controls(node);
            }
            Tag::Hr => {
                self.lines.start(BlockKind::Other);
                self.lines.write(if self.lines.in_item() { "___" } else { "---" });
                self.ended_list = None;
            }
            Tag::Blockquote => self.lines.push(Container::Quote { started: false }),
            Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir => self.open_list(node, tag == Tag::Ol),
            Tag::Li if self.notes.definition(node).is_some() => {}
            Tag::Li => self.open_item(node),
            Tag::Table if table::is_data_table(self.tree, node) => {
                self.table = Some(Table::new(self.tree, node));
            }
            Tag::Table if self.options.faithful && self.html_table(node) => return false,
            Tag::Dl => self.open_definition_list(node),
            Tag::Dd => self.open_definition_part(node, true),
            Tag::Dt => {
                self.open_definition_part(node, false);
                self.inline.open(Mark::Strong, false);
            }
            Tag::Summary => self.inline.open(Mark::Strong, false),
            Tag::Div | Tag::Aside | Tag::Section if self.open_callout(node) => {}
            Tag::Figure if !self.options.faithful && !self.view.noscript => {
                if let Some(image) = figure_image(self.tree, node) {
                    self.image(image);
                }
            }
            _ => {}
        }
        true
    }

    /// Does the line so far consist of the number of a paragraph or a point, and is an element a part of what
    /// it numbers? Pages set the number beside the text.
    fn continues_label(&self, node: NodeId, tag: Tag) -> bool {
        matches!(tag, Tag::P | Tag::Div)
            && !self.options.faithful
            && self.heading.is_none()
            && self.block_link.is_none()
            && self.inline.is_label()
            && self.heading_level(node).is_none()
            && !is_callout(self.tree, node)
    }

    /// Is the next element a paragraph or a `div` that is written?
    fn is_before_text(&self, node: NodeId) -> bool {
        let tree = self.tree;
        let is_blank = |node: &NodeId| !tree.is_element(*node) && tree.text(*node).trim().is_empty();
        let mut after = std::iter::successors(tree.next_sibling(node), |node| tree.next_sibling(*node));
        after.find(|node| !is_blank(node)).is_some_and(|next| {
            matches!(tree.tag(next), Tag::P | Tag::Div) && !self.view.hidden.contains(next)
        })
    }

    fn enter_block_in_cell(&mut self, node: NodeId, tag: Tag) -> bool {
        let tree = self.tree;
        let Some(table) = &mut self.table else { return true };
        match tag {
            Tag::Thead | Tag::Tbody | Tag::Tfoot => {
                table.start_row_group(tag);
                self.break_in_cell();
            }
            Tag::Tr => table.start_row(),
            Tag::Td | Tag::Th => {
                self.inline.take(InlineContext::Cell);
                self.cell_lists.clear();
                table.start_cell(tree, node);
            }
            Tag::Hr | Tag::Caption => {
                if !self.inline.is_empty() {
                    self.inline.line_break();
                }
            }
            Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir => {
                self.break_in_cell();
                self.open_cell_list(node);
            }
            Tag::Li => self.open_cell_item(node),
            _ => self.break_in_cell(),
        }
        true
    }

    pub(super) fn break_in_cell(&mut self) {
        if !self.inline.is_empty() && self.inline.trailing_breaks() == 0 {
            self.inline.line_break();
        }
    }

    pub(super) fn leave_block(&mut self, node: NodeId, tag: Tag) {
        if self.in_cell() {
            self.leave_block_in_cell(node, tag);
            return;
        }
        match tag {
            Tag::Dt | Tag::Summary => self.inline.close(Mark::Strong),
            Tag::Td | Tag::Th => {
                self.inline.space();
                return;
            }
            _ if self.is_cell_by_role(node) => {
                self.inline.space();
                return;
            }
            Tag::Li if self.lines.at_item_start() => self.write_accessible_names(node),
            Tag::Div if self.continues_label(node, tag) && self.is_before_text(node) => {
                self.inline.space();
                return;
            }
            _ => {}
        }
        if !(matches!(tag, Tag::P | Tag::Div) && self.has_only_task_state()) {
            self.flush();
        }
        match tag {
            _ if self.heading_level(node).is_some() => self.heading = None,
            Tag::Blockquote => self.lines.pop(self.options.faithful),
            Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir => self.close_list(),
            Tag::Li => self.close_item(),
            Tag::Dl => self.close_definition_list(),
            Tag::Div | Tag::Aside | Tag::Section => self.close_callout(node),
            _ => {}
        }
    }

    fn leave_block_in_cell(&mut self, node: NodeId, tag: Tag) {
        if matches!(tag, Tag::Td | Tag::Th) {
            self.write_accessible_names(node);
        }
        let Some(table) = &mut self.table else { return };
        match tag {
            Tag::Thead | Tag::Tbody | Tag::Tfoot => table.end_row_group(),
            Tag::Tr => table.end_row(),
            Tag::Td | Tag::Th => {
                let content = self.inline.take(InlineContext::Cell);
                let content = if self.options.faithful { content } else { trim_hard_spaces(content) };
                table.end_cell(content);
            }
            Tag::Caption => {
                let caption = self.inline.take(InlineContext::Heading);
                if !caption.is_empty() {
                    self.lines.start(BlockKind::Paragraph);
                    let mut line = String::new();
                    escape::line_start(&caption, true, &mut line);
                    self.lines.write(&line);
                }
            }
            Tag::Table => {
                if let Some(table) = self.table.take().filter(|table| !table.is_empty()) {
                    self.inline.take(InlineContext::Cell);
                    self.ended_list = None;
                    let rendered = table.render();
                    for title in &rendered.titles {
                        self.lines.start(BlockKind::Paragraph);
                        let mut line = String::new();
                        escape::line_start(title, true, &mut line);
                        self.lines.write(&line);
                    }
                    self.lines.start(BlockKind::Table);
                    for (index, line) in rendered.lines.iter().enumerate() {
                        if index > 0 {
                            self.lines.next_line();
                        }
                        self.lines.write(line);
                    }
                }
            }
            Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir => {
                self.cell_lists.pop();
                self.break_in_cell();
            }
            Tag::Hr => {}
            _ => self.break_in_cell(),
        }
    }
}
