//! The states of tasks: checkboxes, what pages draw instead of them, and lists that mark their items as done.

use super::Writer;
use crate::names;
use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};

/// Maximum number of tree edges before the box of a task.
const MAX_BOX_EDGES: usize = 24;

/// Parts of the classes of lists of tasks.
const LISTS: &[&str] = &["task-list", "tasklist", "todo-list", "to-do-list"];

/// Classes of items that are done.
const DONE: &[&str] = &["checked", "is-checked", "done", "is-done", "completed", "complete"];

impl Writer<'_> {
    /// Writes the state of a task at the start of its item.
    pub(super) fn open_task(&mut self, done: bool) {
        self.inline.raw(if done { "[x]" } else { "[ ]" });
        self.is_task = true;
        self.inline.space();
    }

    /// Is nothing of the paragraph written but the state of a task? The paragraph of the task follows.
    pub(super) fn has_only_task_state(&self) -> bool {
        self.is_task && self.inline.pieces.len() == 1
    }

    /// Writes the state of an item that has it in its attributes.
    pub(super) fn open_task_of_item(&mut self, item: NodeId) {
        if !self.options.faithful
            && let Some(done) = state_of_item(self.tree, item)
        {
            self.open_task(done);
        }
    }

    /// Writes an element that draws the box of a task at the start of an item. `None` if it is none; else
    /// whether its children must be written.
    pub(super) fn open_task_box(&mut self, node: NodeId, tag: Tag) -> Option<bool> {
        if self.options.faithful || self.in_cell() || !self.inline.is_empty() || !self.lines.at_item_start() {
            return None;
        }
        let done = drawn_state(self.tree, node)?;
        if !self.tree.has_text_within(node, MAX_BOX_EDGES) {
            self.open_task(done);
            self.task_box = Some(node);
            return Some(false);
        }
        let entered = !tag.is_block() || self.enter_block(node, tag);
        self.open_task(done);
        Some(entered)
    }
}

/// The state of an element that draws a checkbox.
fn drawn_state(tree: &Tree, node: NodeId) -> Option<bool> {
    if !matches!(tree.tag(node), Tag::Span | Tag::Div | Tag::I | Tag::Button | Tag::Label | Tag::Other) {
        return None;
    }
    if tree.attribute(node, Attr::Role) == Some("checkbox") {
        return Some(is_true(tree, node, Attr::AriaChecked));
    }
    names::class_words(names::class(tree, node)).find_map(|word| match word {
        "checkbox-on" | "fa-check-square-o" | "fa-check-square" => Some(true),
        "checkbox-off" | "fa-square-o" | "fa-square" => Some(false),
        _ => None,
    })
}

/// The state of an item by its attributes or those of its list.
fn state_of_item(tree: &Tree, item: NodeId) -> Option<bool> {
    if tree.attribute(item, Attr::Role) == Some("checkbox") {
        return Some(is_true(tree, item, Attr::AriaChecked));
    }
    match tree.attribute(item, Attr::DataList) {
        Some("checked") => return Some(true),
        Some("unchecked") => return Some(false),
        _ => {}
    }
    let list = tree.parent(item).filter(|list| matches!(tree.tag(*list), Tag::Ul | Tag::Ol))?;
    if let Some(marked) = [item, list].into_iter().find(|node| tree.has(*node, Attr::DataChecked)) {
        return Some(is_true(tree, marked, Attr::DataChecked));
    }
    let class = names::class(tree, list);
    let is_task = LISTS.iter().any(|name| class.contains(name)) && !has_box(tree, item);
    is_task.then(|| names::has_class(tree, item, DONE))
}

fn is_true(tree: &Tree, node: NodeId, name: Attr) -> bool {
    tree.attribute(node, name).is_some_and(|value| matches!(value.trim(), "true" | "checked"))
}

/// Has an item a box of its own at its start?
fn has_box(tree: &Tree, item: NodeId) -> bool {
    Walk::new(tree, item).take(MAX_BOX_EDGES).any(|edge| match edge {
        Edge::Enter(node) => tree.tag(node) == Tag::Input || drawn_state(tree, node).is_some(),
        Edge::Leave(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use crate::markdown::tests::check_page;

    #[test]
    fn states_of_tasks_are_kept() {
        check_page(&[
            (
                "boxes by role",
                "<ul><li><span role=checkbox aria-checked=true></span> a<li><div role=checkbox aria-checked=false></div> b</ul>",
                "- [x] a\n- [ ] b",
            ),
            ("a box with its label", "<ul><li><div role=checkbox aria-checked=true>a</div></ul>", "- [x] a"),
            ("items by role", "<ul><li role=checkbox aria-checked=true>a</ul>", "- [x] a"),
            (
                "drawn by classes",
                "<ul class=to-do-list><li><div class='checkbox checkbox-on'></div> <span>a</span><li><div class='checkbox checkbox-off'></div> <span>b</span></ul>",
                "- [x] a\n- [ ] b",
            ),
            (
                "items that are done by their class",
                "<ul class=inline-task-list><li class=checked><span>a</span><li><span>b</span></ul>",
                "- [x] a\n- [ ] b",
            ),
            (
                "items by data, with a box and a paragraph",
                "<ul data-type=taskList><li data-checked=true><label><input type=checkbox><span></span></label><div><p>a</p></div></li></ul>",
                "- [x] a",
            ),
            ("a list of done items", "<ul data-checked=true><li>a<li>b</ul>", "- [x] a\n- [x] b"),
            (
                "items of an editor",
                "<ol><li data-list=checked>a<li data-list=unchecked>b</ol>",
                "1. [x] a\n2. [ ] b",
            ),
            (
                "checkboxes",
                "<ul class=contains-task-list><li class=task-list-item><input type=checkbox checked> a<li><input type=checkbox> b</ul>",
                "- [x] a\n- [ ] b",
            ),
            (
                "icons",
                "<ul class=checklist><li><p><i class='fa fa-check-square-o'></i> a</p><li><p><i class='fa fa-square-o'></i> b</p></ul>",
                "- [x] a\n\n- [ ] b",
            ),
            ("a list inside", "<ul><li><input type=checkbox checked><ul><li>b</ul></ul>", "- [x]\n  - b"),
            ("other items with a class", "<ul class=menu><li class=checked>a</ul>", "- a"),
            ("not at the start", "<ul><li>a <span role=checkbox aria-checked=true></span></ul>", "- a"),
        ]);
    }
}
