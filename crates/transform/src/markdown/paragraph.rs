//! The end of a paragraph, a heading or a line of a cell: what was collected of it becomes a block.

use super::Writer;
use super::block::Leaf;
use super::escape;
use super::inline::HARD_SPACES;
use super::piece::Place;

impl Writer<'_> {
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
    pub(super) fn flush(&mut self) {
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
        // Links do not nest, and a picture says less of where a link leads than the words that follow.
        self.inline.around = if self.inline.holds_links() { None } else { self.block_link.take() };
        let place = match self.heading {
            Some(_) if !self.options.faithful => Place::Title,
            Some(_) => Place::Heading,
            None if self.inline.around.is_some() => Place::Heading,
            None => Place::Paragraph,
        };
        let mut text = self.inline.take(place);
        if !self.options.faithful {
            text = hard_trimmed(text);
        }
        if text.is_empty() {
            return;
        }
        match self.heading {
            Some(level) => {
                self.lines.start(Leaf::Other);
                self.lines.write(&"#".repeat(usize::from(level)));
                self.lines.write(" ");
                self.lines.write(&close_hashes(&text));
            }
            None => {
                let escape_box = self.lines.at_item_start() && !self.task && is_box(&text);
                self.lines.start(Leaf::Paragraph);
                let mut start = String::new();
                for (index, line) in text.split('\n').enumerate() {
                    if self.tree.interrupt().spend(1) {
                        break;
                    }
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
}

/// Does a text begin as a task does? Some readers look at the text up to the next markup alone.
fn is_box(text: &str) -> bool {
    let after = ["[ ]", "[x]", "[X]"].iter().find_map(|start| text.strip_prefix(start));
    after.is_some_and(|after| after.starts_with([' ', '\\', '*', '_', '~', '`', '<', '!', '[', '&']))
}

/// Without hard spaces around: on a page they indent or keep something open.
pub(super) fn hard_trimmed(text: String) -> String {
    let trimmed = text.trim_matches(|c: char| HARD_SPACES.contains(&c) || c == ' ');
    if trimmed.len() == text.len() { text } else { trimmed.to_owned() }
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
