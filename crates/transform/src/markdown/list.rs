//! Lists: markers, tight and loose lists, and lists and items in invalid positions.

use super::Writer;
use super::lines::{Container, Item};
use super::numbering::Numbering;
use crate::tree::{Attr, NodeId, Tag};

/// An open list.
#[derive(Debug)]
pub(super) struct List {
    ordered: bool,
    /// The number of the next item.
    number: u64,
    /// The numbers go down.
    reversed: bool,
    numbering: Numbering,
    /// The character of its markers: `-` or `*`, `.` or `)`.
    marker: char,
    tight: bool,
    /// It has an item.
    has_item: bool,
    /// `has_item` and the list that had just ended, as they were before the last item. Restored if the item
    /// is not written.
    before_item: (bool, Option<EndedList>),
    /// The width of the last marker.
    width: usize,
    /// The number of containers around its items.
    depth: usize,
    /// It is directly inside a list, not inside an item: a container was opened for it.
    opened_container: bool,
}

/// A list that has ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndedList {
    depth: usize,
    ordered: bool,
    marker: char,
}

impl Writer<'_> {
    pub(super) fn open_list(&mut self, node: NodeId, numbered: bool) {
        let tree = self.tree;
        let start = tree.attribute(node, Attr::Start).and_then(|start| start.trim().parse::<u64>().ok());
        let reversed = numbered && tree.has(node, Attr::Reversed);
        let items = || tree.child_elements(node).filter(|item| tree.tag(*item) == Tag::Li).count();
        let last = || reversed.then(items).and_then(|count| u64::try_from(count).ok());
        let start = start.or_else(last).unwrap_or(1);
        let has_numbering = numbered && !self.options.faithful;
        let numbering = if has_numbering { Numbering::of(tree, node) } else { Numbering::Decimal };
        let ordered = numbered && numbering == Numbering::Decimal;
        // A list directly inside a list belongs to the item before it.
        let inside_list = self.lists.last().is_some_and(|list| list.depth == self.lines.depth());
        let mut opened_container = false;
        if inside_list {
            let (width, has_item) = self.lists.last().map_or((2, false), |list| (list.width, list.has_item));
            if has_item {
                self.lines.push(Container::Item(Item {
                    marker: " ".repeat(width),
                    started: true,
                    tight: true,
                    first: false,
                    interrupts: true,
                }));
                opened_container = true;
            }
        }
        let depth = self.lines.depth();
        let marker = match self.ended_list {
            Some(ended) if ended.depth == depth && ended.ordered == ordered => match ended.marker {
                '-' => '*',
                '*' => '-',
                '.' => ')',
                _ => '.',
            },
            _ if ordered => '.',
            _ => '-',
        };
        let loose =
            self.tree.child_elements(node).any(|item| self.tree.tag(item) == Tag::Li && self.is_loose(item));
        self.lists.push(List {
            ordered,
            number: start.min(999_999_999),
            reversed,
            numbering,
            marker,
            tight: !loose,
            has_item: false,
            before_item: (false, None),
            width: 2,
            depth,
            opened_container,
        });
    }

    /// Does an item make its list loose, with blank lines between items?
    pub(super) fn is_loose(&self, item: NodeId) -> bool {
        let visible = |node: &NodeId| !self.view.hidden.contains(*node);
        self.tree.child_elements(item).filter(visible).any(|child| match self.tree.tag(child) {
            Tag::P => true,
            // A `div` inside the item counts as the item itself.
            Tag::Div => self.tree.child_elements(child).any(|inner| self.tree.tag(inner) == Tag::P),
            _ => false,
        })
    }

    pub(super) fn open_item(&mut self, node: NodeId) {
        let implied = self.lists.last().is_none_or(|list| list.depth != self.lines.depth());
        if implied {
            // An item outside any list.
            let depth = self.lines.depth();
            self.lists.push(List {
                ordered: false,
                number: 1,
                reversed: false,
                numbering: Numbering::Decimal,
                marker: '-',
                tight: true,
                has_item: false,
                before_item: (false, None),
                width: 2,
                depth,
                opened_container: false,
            });
        }
        let Some(list) = self.lists.last_mut() else { return };
        if let Some(value) =
            self.tree.attribute(node, Attr::Value).and_then(|value| value.trim().parse::<u64>().ok())
        {
            list.number = value.min(999_999_999);
        }
        // A line of three bullets is a thematic break (CommonMark, 4.1).
        if !list.has_item && !list.ordered && self.lines.next_line_has_bullets(list.marker) {
            list.marker = if list.marker == '-' { '*' } else { '-' };
        }
        let marker = if list.ordered {
            format!("{}{} ", list.number, list.marker)
        } else {
            format!("{} ", list.marker)
        };
        let interrupts = !list.ordered || list.number == 1;
        let label = list.numbering.label(list.number);
        list.number =
            if list.reversed { list.number.saturating_sub(1) } else { (list.number + 1).min(999_999_999) };
        list.width = marker.len();
        list.before_item = (list.has_item, self.ended_list);
        let first = !std::mem::replace(&mut list.has_item, true) && !list.opened_container;
        let tight = list.tight;
        self.ended_list = None;
        self.lines.push(Container::Item(Item { marker, started: false, tight, first, interrupts }));
        self.open_task_of_item(node);
        if let Some(label) = label {
            self.inline.text(&label);
            self.inline.space();
        }
    }

    pub(super) fn close_item(&mut self) {
        // On a page an item without content is a button, or an element that a script fills.
        let is_dropped = !self.options.faithful && self.lines.at_item_start();
        self.lines.pop(self.options.faithful);
        // An item outside any list opened a list of its own, which continues while items follow.
        self.ended_list = None;
        if let Some(list) = self.lists.last_mut().filter(|_| is_dropped) {
            (list.has_item, self.ended_list) = list.before_item;
        }
    }

    pub(super) fn close_list(&mut self) {
        let depth = self.lines.depth();
        // Lists opened for items outside any list end here too.
        while let Some(list) = self.lists.pop() {
            if list.has_item {
                self.ended_list =
                    Some(EndedList { depth: list.depth, ordered: list.ordered, marker: list.marker });
            }
            if list.opened_container {
                self.lines.pop(false);
            }
            if list.depth <= depth {
                break;
            }
        }
    }
}
