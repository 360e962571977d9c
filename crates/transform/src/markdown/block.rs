//! Lines and what they begin with: quotes, list items, and the distance between blocks.

/// Quotes and lists nested deeper than this go on at this depth: each line repeats what it is inside of, so without
/// a bound the output would grow with the product of depth and length.
pub(super) const MAX_NESTING: usize = 24;

/// Columns that quotes, items and notes together put before a line, for the same reason: the marker of an item may be
/// eleven wide. It is what as many quotes as there may be take.
pub(super) const MAX_PREFIX: usize = 2 * MAX_NESTING;

/// What a block is inside of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Container {
    /// A block quote.
    Quote {
        /// Its first line is written.
        started: bool,
    },
    /// An item of a list.
    Item(Item),
    /// A footnote; its further lines begin with four spaces.
    Note {
        /// What references name it by.
        label: String,
        /// Its first line is written.
        started: bool,
    },
    /// Beyond [`MAX_NESTING`] or [`MAX_PREFIX`].
    Flat,
}

impl Container {
    /// Columns that it puts before each line.
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
    /// What its first line begins with; further lines begin with as many spaces.
    pub(super) marker: String,
    /// Its first line is written.
    pub(super) started: bool,
    /// No blank lines between the items of its list.
    pub(super) tight: bool,
    /// The first of its list.
    pub(super) first: bool,
    /// May stand right under a paragraph: CommonMark allows it for bullets and for lists that start at 1.
    pub(super) interrupts: bool,
}

/// What kind of block a block is, where it matters for what may stand beside it without a blank line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaf {
    /// Text that would run on into text after it.
    Paragraph,
    /// A table: text before it would become part of it.
    Table,
    /// A heading, a fence, a rule: ends by itself.
    Other,
    /// A list or a quote has just ended: text right after would be read as part of it.
    Container,
}

/// Lines being written.
#[derive(Debug, Default)]
pub(super) struct Lines {
    out: String,
    containers: Vec<Container>,
    /// Columns before each line.
    width: usize,
    last: Option<Leaf>,
}

impl Lines {
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Bytes written so far.
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

    /// How many containers are open.
    pub(super) fn depth(&self) -> usize {
        self.containers.len()
    }

    /// Leaves the innermost container; writes its marker even where it is empty if `keep_empty`.
    pub(super) fn pop(&mut self, keep_empty: bool) {
        let empty = matches!(
            self.containers.last(),
            Some(Container::Item(Item { started: false, .. }) | Container::Quote { started: false })
        );
        if empty && keep_empty {
            self.start(Leaf::Other); // which starts the container
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
            self.last = Some(Leaf::Container);
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

    /// Would the line begin with two or more bullets of a kind?
    pub(super) fn ends_with_bullets(&self, mark: char) -> bool {
        let unstarted = |container: &&Container| match container {
            Container::Item(Item { started: false, marker, .. }) => marker.starts_with(mark),
            _ => false,
        };
        self.containers.iter().rev().take_while(unstarted).count() > 1
    }

    /// Starts the first line of a block.
    pub(super) fn start(&mut self, leaf: Leaf) {
        if let Some(last) = self.last {
            self.out.push('\n');
            if !self.joins(last, leaf) {
                self.blank_line();
            }
        }
        self.prefix();
        self.last = Some(leaf);
    }

    /// May a block stand right under the one before it, without a blank line?
    fn joins(&self, last: Leaf, leaf: Leaf) -> bool {
        let begun = |container: &Container| {
            !matches!(
                container,
                Container::Quote { started: false }
                    | Container::Item(Item { started: false, .. })
                    | Container::Note { started: false, .. }
            )
        };
        let opening = self.containers.iter().position(|container| !begun(container));
        let around = match opening {
            Some(at) => self.containers.get(..at).and_then(<[Container]>::last),
            None => self.containers.last(),
        };
        let in_tight = matches!(around, Some(Container::Item(Item { tight: true, .. })));
        match opening.and_then(|at| self.containers.get(at)) {
            Some(Container::Item(Item { first: false, tight, .. })) => *tight,
            Some(Container::Item(Item { interrupts, .. })) => {
                in_tight && (last == Leaf::Other || (last == Leaf::Paragraph && *interrupts))
            }
            Some(Container::Note { .. }) => false,
            Some(_) => in_tight && matches!(last, Leaf::Other | Leaf::Paragraph),
            None => in_tight && (last == Leaf::Other || (last != Leaf::Table && leaf == Leaf::Other)),
        }
    }

    /// A blank line inside the containers that were begun already.
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

    /// What every line of the innermost container begins with; begins those that are not.
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

    /// Ends the line and starts another of the same block.
    pub(super) fn next_line(&mut self) {
        self.out.push('\n');
        self.prefix();
    }

    /// Ends the line and starts another, empty so far: its prefix loses trailing spaces if nothing is added.
    pub(super) fn next_line_with(&mut self, text: &str) {
        self.next_line();
        if text.is_empty() {
            self.out.truncate(self.out.trim_end_matches(' ').len());
        } else {
            self.out.push_str(text);
        }
    }
}
