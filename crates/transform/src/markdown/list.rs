//! Lists: their markers, whether blank lines stand between their items, and lists where no list should be.

use super::Writer;
use super::block::{Container, Item};
use crate::tree::{Attr, NodeId, Tag};

#[derive(Debug)]
pub(super) struct List {
    ordered: bool,
    number: u64,
    /// The character of its markers: `-` or `*`, `.` or `)`.
    mark: char,
    tight: bool,
    /// An item was begun.
    begun: bool,
    /// What was so before the last item: `begun`, and the list that had just ended. An item that is not written changes
    /// nothing.
    before: (bool, Option<(usize, bool, char)>),
    /// The width of the last marker.
    width: usize,
    /// Depth of containers at which its items stand.
    depth: usize,
    /// It stands in a list without an item around it: this many containers were opened for it.
    opened: bool,
}

impl Writer<'_> {
    pub(super) fn open_list(&mut self, node: NodeId, ordered: bool) {
        let start = self.tree.attribute(node, Attr::Start).and_then(|start| start.trim().parse::<u64>().ok());
        // A list right inside a list belongs to the item before it.
        let inside_list = self.lists.last().is_some_and(|list| list.depth == self.lines.depth());
        let mut opened = false;
        if inside_list {
            let (width, begun) = self.lists.last().map_or((2, false), |list| (list.width, list.begun));
            if begun {
                self.lines.push(Container::Item(Item {
                    marker: " ".repeat(width),
                    started: true,
                    tight: true,
                    first: false,
                    interrupts: true,
                }));
                opened = true;
            }
        }
        let depth = self.lines.depth();
        let mark = match self.ended_list {
            Some((ended, was_ordered, mark)) if ended == depth && was_ordered == ordered => match mark {
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
            number: start.unwrap_or(1).min(999_999_999),
            mark,
            tight: !loose,
            begun: false,
            before: (false, None),
            width: 2,
            depth,
            opened,
        });
    }

    /// Does an item make its list one with blank lines?
    pub(super) fn is_loose(&self, item: NodeId) -> bool {
        let visible = |node: &NodeId| !self.view.hidden.contains(*node);
        self.tree.child_elements(item).filter(visible).any(|child| match self.tree.tag(child) {
            Tag::P => true,
            // One wrapper around everything counts as the item itself.
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
                mark: '-',
                tight: true,
                begun: false,
                before: (false, None),
                width: 2,
                depth,
                opened: false,
            });
        }
        let Some(list) = self.lists.last_mut() else { return };
        if let Some(value) =
            self.tree.attribute(node, Attr::Value).and_then(|value| value.trim().parse::<u64>().ok())
        {
            list.number = value.min(999_999_999);
        }
        // Three bullets and nothing else are a rule (CommonMark, 4.1).
        if !list.begun && !list.ordered && self.lines.ends_with_bullets(list.mark) {
            list.mark = if list.mark == '-' { '*' } else { '-' };
        }
        let marker =
            if list.ordered { format!("{}{} ", list.number, list.mark) } else { format!("{} ", list.mark) };
        let interrupts = !list.ordered || list.number == 1;
        list.number = (list.number + 1).min(999_999_999);
        list.width = marker.len();
        list.before = (list.begun, self.ended_list);
        let first = !std::mem::replace(&mut list.begun, true) && !list.opened;
        let tight = list.tight;
        self.ended_list = None;
        self.lines.push(Container::Item(Item { marker, started: false, tight, first, interrupts }));
    }

    pub(super) fn close_item(&mut self) {
        // On a page an item without content is a button, or a place that a script fills.
        let leaves_nothing = !self.options.faithful && self.lines.at_item_start();
        self.lines.pop(self.options.faithful);
        // An item outside any list opened a list of its own, which goes on while items follow.
        self.ended_list = None;
        if let Some(list) = self.lists.last_mut().filter(|_| leaves_nothing) {
            (list.begun, self.ended_list) = list.before;
        }
    }

    pub(super) fn close_list(&mut self) {
        let depth = self.lines.depth();
        // Lists that items outside any list opened end here too.
        while let Some(list) = self.lists.pop() {
            if list.begun {
                self.ended_list = Some((list.depth, list.ordered, list.mark));
            }
            if list.opened {
                self.lines.pop(false);
            }
            if list.depth <= depth {
                break;
            }
        }
    }
}
