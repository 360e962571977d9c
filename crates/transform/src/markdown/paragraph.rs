//! The end of a paragraph, a heading or a line of a cell: the collected inline content becomes a block.

use super::Writer;
use super::escape;
use super::inline::HARD_SPACES;
use super::lines::BlockKind;
use super::piece::InlineContext;

impl Writer<'_> {
    pub(super) fn line_break(&mut self) {
        if self.in_cell() || self.heading.is_some() || self.inline.in_link() || self.block_link.is_some() {
            self.inline.line_break();
        } else if self.inline.trailing_breaks() > 0 {
            self.flush(); // two breaks in a row mean a new paragraph; open marks continue in it
        } else {
            self.inline.line_break();
        }
    }

    /// Ends the paragraph, heading or cell text collected so far.
    pub(super) fn flush(&mut self) {
        if self.inline.is_empty() {
            self.inline.take(InlineContext::Paragraph);
            if let (true, Some(level), false) = (self.options.faithful, self.heading, self.in_cell()) {
                self.lines.start(BlockKind::Other);
                self.lines.write(&"#".repeat(usize::from(level)));
            }
            return;
        }
        if self.in_cell() {
            // The end of a block inside a cell is a break.
            self.inline.line_break();
            return;
        }
        // Links do not nest, and text that follows an image is a better link text than the image.
        self.inline.enclosing_link =
            if self.inline.has_link_or_image() { None } else { self.block_link.take() };
        let context = match self.heading {
            Some(_) if !self.options.faithful => InlineContext::Title,
            Some(_) => InlineContext::Heading,
            None if self.inline.enclosing_link.is_some() => InlineContext::Heading,
            None => InlineContext::Paragraph,
        };
        let mut text = self.inline.take(context);
        if !self.options.faithful {
            text = trim_hard_spaces(text);
        }
        if text.is_empty() {
            return;
        }
        match self.heading {
            Some(level) => {
                self.lines.start(BlockKind::Other);
                self.lines.write(&"#".repeat(usize::from(level)));
                self.lines.write(" ");
                self.lines.write(&escape_closing_hashes(&text));
            }
            None => {
                let escape_marker = self.lines.at_item_start() && !self.is_task && has_task_marker(&text);
                self.lines.start(BlockKind::Paragraph);
                let mut start = String::new();
                for (index, line) in text.split('\n').enumerate() {
                    if self.tree.interrupt().spend(1) {
                        break;
                    }
                    start.clear();
                    if index == 0 && escape_marker {
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
        self.is_task = false;
        self.ended_list = None;
    }
}

/// Does a text begin with the marker of a task? Some readers examine only the text up to the next markup.
fn has_task_marker(text: &str) -> bool {
    let after = ["[ ]", "[x]", "[X]"].iter().find_map(|start| text.strip_prefix(start));
    after.is_some_and(|after| after.starts_with([' ', '\\', '*', '_', '~', '`', '<', '!', '[', '&']))
}

/// Trims spaces and hard spaces. Pages use hard spaces to indent text or to give an element a height.
pub(super) fn trim_hard_spaces(text: String) -> String {
    let trimmed = text.trim_matches(|c: char| HARD_SPACES.contains(&c) || c == ' ');
    if trimmed.len() == text.len() { text } else { trimmed.to_owned() }
}

/// Escapes hashes at the end of a heading: parsers drop a closing sequence of hashes.
fn escape_closing_hashes(text: &str) -> String {
    let without = text.trim_end_matches('#');
    if without.len() < text.len() && (without.is_empty() || without.ends_with(' ')) {
        format!("{without}\\{}", text.get(without.len()..).unwrap_or_default())
    } else {
        text.to_owned()
    }
}
