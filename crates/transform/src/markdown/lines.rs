//! Output lines: the prefixes of quotes, list items and notes, and blank lines between blocks.

/// Maximum nesting of quotes and lists. Deeper ones are written at this depth: each line repeats the prefixes
/// of its containers, so without a bound the output would grow with the product of depth and length.
pub(super) const MAX_NESTING: usize = 24;

/// Maximum number of columns that quotes, items and notes together put before a line, for the same reason:
/// the marker of an item may be eleven columns wide. [`MAX_NESTING`] quotes take as many.
pub(super) const MAX_PREFIX: usize = 2 * MAX_NESTING;

/// A block that contains other blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Container {
    /// A block quote.
    Quote {
        /// Its first line is written.
        started: bool,
    },
    /// An item of a list.
    Item(Item),
    /// A footnote. Lines after its first begin with four spaces.
    Note {
        /// The label that references use.
        label: String,
        /// Its first line is written.
        started: bool,
    },
    /// Beyond [`MAX_NESTING`] or [`MAX_PREFIX`].
    Flat,
}

impl Container {
    /// Number of columns that it puts before each line.
    const fn width(&self) -> usize {
        match self {
            Self::Quote { .. } => 2,
            Self::Item(item) => item.marker.len(),
            Self::Note { .. } => 4,
            Self::Flat => 0,
        }
    }
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// The start of its first line. Further lines begin with as many spaces.
    pub(super) marker: String,
    /// Its first line is written.
    pub(super) started: bool,
    /// No blank lines between the items of its list.
    pub(super) tight: bool,
    /// The first item of its list.
    pub(super) first: bool,
    /// May follow a paragraph without a blank line: CommonMark allows it for bullets and for lists that start
    /// at 1.
    pub(super) interrupts: bool,
}

/// Kinds of blocks that differ in which blocks may follow them without a blank line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// Text right after a paragraph would continue the paragraph.
    Paragraph,
    /// Text right before a table would become part of the table.
    Table,
    /// A heading, a fence or a rule: ends by itself.
    Other,
    /// A list, a quote or a note that has just ended: text right after it would be read as part of it.
    Container,
}

/// The lines of the output.
#[derive(Debug, Default)]
pub(super) struct Lines {
    out: String,
    containers: Vec<Container>,
    /// Number of columns that all containers put before each line.
    width: usize,
    last: Option<BlockKind>,
}

impl Lines {
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Number of bytes written so far.
    pub(super) fn bytes(&self) -> usize {
        self.out.len()
    }

    /// Enters a quote or an item.
    pub(super) fn push(&mut self, container: Container) {
        let full = self.containers.len() >= MAX_NESTING || self.width + container.width() > MAX_PREFIX;
        let container = if full { Container::Flat } else { container };
        self.width += container.width();
        self.containers.push(container);
    }

    /// Number of open containers.
    pub(super) fn depth(&self) -> usize {
        self.containers.len()
    }

    /// Leaves the innermost container. If `keep_empty`, writes its marker even if it is empty.
    pub(super) fn pop(&mut self, keep_empty: bool) {
        let empty = matches!(
            self.containers.last(),
            Some(Container::Item(Item { started: false, .. }) | Container::Quote { started: false })
        );
        if empty && keep_empty {
            self.start(BlockKind::Other); // starts the container too
            self.out.truncate(self.out.trim_end_matches(' ').len());
        }
        let left = self.containers.pop();
        self.width -= left.as_ref().map_or(0, Container::width);
        if let Some(
            Container::Item(Item { started: true, .. })
            | Container::Quote { started: true }
            | Container::Note { started: true, .. },
        ) = left
        {
            self.last = Some(BlockKind::Container);
        }
    }

    /// Are we inside a list item?
    pub(super) fn in_item(&self) -> bool {
        self.containers.iter().any(|container| matches!(container, Container::Item(_)))
    }

    /// Is nothing written yet in the innermost item?
    pub(super) fn at_item_start(&self) -> bool {
        matches!(self.containers.last(), Some(Container::Item(Item { started: false, .. })))
    }

    /// Would the next line begin with at least two of the same bullet?
    pub(super) fn next_line_has_bullets(&self, bullet: char) -> bool {
        let unstarted = |container: &&Container| match container {
            Container::Item(Item { started: false, marker, .. }) => marker.starts_with(bullet),
            _ => false,
        };
        self.containers.iter().rev().take_while(unstarted).count() > 1
    }

    /// Starts the first line of a block.
    pub(super) fn start(&mut self, kind: BlockKind) {
        if let Some(last) = self.last {
            self.out.push('\n');
            if !self.may_follow_directly(last, kind) {
                self.blank_line();
            }
        }
        self.prefix();
        self.last = Some(kind);
    }

    /// May a block follow the previous block without a blank line?
    fn may_follow_directly(&self, last: BlockKind, kind: BlockKind) -> bool {
        let is_started = |container: &Container| {
            !matches!(
                container,
                Container::Quote { started: false }
                    | Container::Item(Item { started: false, .. })
                    | Container::Note { started: false, .. }
            )
        };
        let first_unstarted = self.containers.iter().position(|container| !is_started(container));
        let parent = match first_unstarted {
            Some(at) => self.containers.get(..at).and_then(<[Container]>::last),
            None => self.containers.last(),
        };
        let in_tight = matches!(parent, Some(Container::Item(Item { tight: true, .. })));
        match first_unstarted.and_then(|at| self.containers.get(at)) {
            Some(Container::Item(Item { first: false, tight, .. })) => *tight,
            Some(Container::Item(Item { interrupts, .. })) => {
                in_tight && (last == BlockKind::Other || (last == BlockKind::Paragraph && *interrupts))
            }
            Some(Container::Note { .. }) => false,
            Some(_) => in_tight && matches!(last, BlockKind::Other | BlockKind::Paragraph),
            None => {
                in_tight
                    && (last == BlockKind::Other || (last != BlockKind::Table && kind == BlockKind::Other))
            }
        }
    }

    /// Writes a blank line inside the containers that are started.
    fn blank_line(&mut self) {
        let line = self.out.len();
        for container in &self.containers {
            match container {
                Container::Quote { started: true } => self.out.push_str("> "),
                Container::Item(Item { started: true, marker, .. }) => {
                    self.out.extend(std::iter::repeat_n(' ', marker.len()));
                }
                Container::Note { started: true, .. } => self.out.push_str("    "),
                _ => {}
            }
        }
        let end = self.out.get(line..).map_or(line, |text| line + text.trim_end().len());
        self.out.truncate(end);
        self.out.push('\n');
    }

    /// Writes the prefix of a line in the innermost container, and starts containers that are not started.
    fn prefix(&mut self) {
        for container in &mut self.containers {
            match container {
                Container::Quote { started } => {
                    *started = true;
                    self.out.push_str("> ");
                }
                Container::Item(Item { marker, started: true, .. }) => {
                    self.out.extend(std::iter::repeat_n(' ', marker.len()));
                }
                Container::Item(Item { marker, started, .. }) => {
                    *started = true;
                    self.out.push_str(marker);
                }
                Container::Note { started: true, .. } => self.out.push_str("    "),
                Container::Note { label, started } => {
                    *started = true;
                    self.out.push_str("[^");
                    self.out.push_str(label);
                    self.out.push_str("]: ");
                }
                Container::Flat => {}
            }
        }
    }

    /// Adds to the current line.
    pub(super) fn write(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Ends the line and starts the next line of the same block.
    pub(super) fn next_line(&mut self) {
        self.out.push('\n');
        self.prefix();
    }

    /// Ends the line and writes `text` as the next line of the same block. If it is empty, the prefix is
    /// written without trailing spaces.
    pub(super) fn next_line_with(&mut self, text: &str) {
        self.next_line();
        if text.is_empty() {
            self.out.truncate(self.out.trim_end_matches(' ').len());
        } else {
            self.out.push_str(text);
        }
    }
}
